// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexed.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "kernels/buffers.hpp"
#include "sectorbench/cuda/error.hpp"
#include "test/device/gpu_backend.hpp"
#include "test/support/given_lists.hpp"

namespace sectorbench {
namespace {

constexpr std::uint64_t kSeeds[] = {1, 0x5851f42d4c957f2dULL};

class IndexedOnGpu : public gpu_backend_test {
 protected:
  comparison outcome(const workload& work, std::uint64_t seed) {
    device().fill_input(seed);
    device().poison_output();
    device().run_once(work, seed, true);
    return device().compare(work.meaning(), seed);
  }
};

TEST_F(IndexedOnGpu, EveryListIsProvenAndVerified) {
  test::for_each_given_list([&](const index_lists& lists, operation_kind operation) {
    for (const element_type type : {element_type::kU8, element_type::kF64, element_type::kF32x4})
      for (const unsigned threads : {256u, 100u}) {
        const test::list_row row(lists, operation, type, {threads, 1});
        SCOPED_TRACE(row.spec().key());
        const auto work = row.work();
        device().acquire(*work);
        const coverage_verdict verdict = device().prove(work->meaning());
        EXPECT_TRUE(verdict.ok()) << describe(verdict);
        for (const std::uint64_t seed : kSeeds) {
          const comparison found = outcome(*work, seed);
          EXPECT_EQ(found.wrong, 0u) << "the first at " << found.first;
          EXPECT_EQ(found.strayed, 0u);
        }
      }
  });
}

// Launches the real workload, then sets one of its doubles to something else.
class spoiling_workload final : public workload {
 public:
  spoiling_workload(std::unique_ptr<workload> real, index_t victim)
      : real_(std::move(real)), victim_(victim) {}

  void run(const launch_data& data) const override { real_->run(data); }
  void launch(const launch_data& data, CUstream_st* stream) const override {
    real_->launch(data, stream);
    SECTORBENCH_CUDA_CHECK(
        cudaMemsetAsync(static_cast<std::uint64_t*>(data.out) + victim_, 0x11, 8, stream));
  }
  const program& meaning() const override { return real_->meaning(); }
  buffer_bytes needs() const override { return real_->needs(); }

 private:
  std::unique_ptr<workload> real_;
  index_t victim_;
};

TEST_F(IndexedOnGpu, AValueStoredByNobodyIsFoundAmongOverlappingStores) {
  const index_lists overlapping{{{{0, 1, 2, 9}, 2}},
                                1000};  // 0 to 2007 but for 2002, 2004 and 2006
  const test::list_row row(overlapping, operation_kind::kScatter, element_type::kF64);
  const spoiling_workload touched(row.work(), 50), gap(row.work(), 2002);
  device().acquire(touched);
  const comparison wrong = outcome(touched, kSeeds[0]);
  EXPECT_EQ(wrong.wrong, 1u);
  EXPECT_EQ(wrong.first, 50);
  EXPECT_EQ(wrong.got, (bits128{0x11111111, 0x11111111, 0, 0}));
  EXPECT_EQ(wrong.strayed, 0u);
  const comparison strayed = outcome(gap, kSeeds[0]);
  EXPECT_EQ(strayed.wrong, 0u);
  EXPECT_EQ(strayed.strayed, 8u);
}

}  // namespace
}  // namespace sectorbench
