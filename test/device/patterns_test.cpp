// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/buffers.hpp"
#include "sectorbench/cuda/buffer.hpp"
#include "sectorbench/cuda/stream.hpp"
#include "test/device/gpu_backend.hpp"
#include "test/support/index_list.hpp"
#include "test/support/pattern_cases.hpp"
#include "test/support/scratch_buffer.hpp"

namespace sectorbench {
namespace {

// The last but one makes tiles of 16-byte accesses, whose rows must be aligned.
constexpr index_t kSizes[] = {1, 33, 1000, 64 * 64, 100003};
constexpr block_size kBlocks[] = {{32, 1}, {100, 1}, {256, 1}};
constexpr std::uint64_t kSeeds[] = {1, 0x5851f42d4c957f2dULL};

// Launches of more threads are for RowsBeyondTheGridLimit: a CPU walks them one by one.
constexpr index_t kMaxThreads = index_t{1} << 21;

std::size_t bytes_of(index_t bytes) { return static_cast<std::size_t>(bytes); }

// A registered entry that makes rows, by its place among them.
struct entry_choice {
  std::size_t place;
  const pattern_entry& entry() const { return registered_patterns()[place]; }
};

std::string identifier_of(const entry_choice& choice) {
  std::string text(choice.entry().name);
  for (const parameter_spec& spec : choice.entry().parameters)
    if (spec.lowest == spec.highest) text += std::to_string(spec.lowest);
  return text;
}
void PrintTo(const entry_choice& choice, std::ostream* out) { *out << identifier_of(choice); }

std::vector<entry_choice> all_entries() {
  std::vector<entry_choice> choices;
  for (std::size_t i = 0; i < registered_patterns().size(); ++i) choices.push_back({i});
  return choices;
}

// Values for an entry: at most about eight lists, spread over all that are worth trying.
std::vector<test::pattern_case> cases_of(const pattern_entry& entry) {
  if (entry.mover) return {{&entry, {}}};
  std::vector<test::pattern_case> all;
  for (test::pattern_case& one : test::all_pattern_cases())
    if (one.pattern == &entry) all.push_back(std::move(one));
  std::vector<test::pattern_case> some;
  for (std::size_t i = 0; i < all.size(); i += all.size() / 9 + 1) some.push_back(all[i]);
  return some;
}

class OnGpu : public gpu_backend_test {
 protected:
  // Proves the row, verifies it with two fills, and compares its output with the CPU's.
  void check(const row_spec& row) {
    SCOPED_TRACE(row.key());
    const auto work = make_workload(row);
    const program& body = work->meaning();
    device().acquire(*work);
    const coverage_verdict verdict = device().prove(body);
    ASSERT_TRUE(verdict.ok()) << describe(verdict);
    for (const std::uint64_t seed : kSeeds) {
      device().fill_input(seed);
      device().poison_output();
      device().run_once(*work, seed, true);
      const comparison found = device().compare(body, seed);
      ASSERT_EQ(found.wrong, 0u) << "the first at " << found.first;
      ASSERT_EQ(found.strayed, 0u);
    }
    compare_with_cpu(*work);
  }

 private:
  void compare_with_cpu(const workload& work) {
    const auto [in_bytes, out_bytes, index_bytes] = work.needs();
    const std::vector<index_entry> list = test::index_list_of(work.meaning());
    const index_t words = groups_of(8, in_bytes);
    if (in_.bytes() < words * 8) in_ = device_buffer(words * 8);
    if (out_.bytes() < out_bytes) out_ = device_buffer(out_bytes);
    const cuda_stream stream;
    launch_fill(in_.data(), words, kSeeds[0], stream.get());
    SECTORBENCH_CUDA_CHECK(
        cudaMemsetAsync(out_.data(), kPoison, bytes_of(out_bytes), stream.get()));
    const device_buffer device_list(index_bytes);
    if (index_bytes > 0) {
      auto* const entries = device_list.as<index_entry>();
      work.meaning().launch_fill_indices(entries, stream.get());
      std::vector<index_entry> made(list.size());
      SECTORBENCH_CUDA_CHECK(cudaMemcpyAsync(made.data(), entries, bytes_of(index_bytes),
                                             cudaMemcpyDeviceToHost, stream.get()));
      stream.synchronize();
      ASSERT_EQ(made, list) << "GPU and CPU make different index lists";
    }
    work.launch({in_.data(), out_.data(), kSeeds[0], true, device_list.as<index_entry>()},
                stream.get());
    std::vector<unsigned char> from_gpu(bytes_of(out_bytes));
    SECTORBENCH_CUDA_CHECK(cudaMemcpyAsync(from_gpu.data(), out_.data(), from_gpu.size(),
                                           cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();

    test::scratch_buffer in(bytes_of(words * 8));
    test::scratch_buffer out(from_gpu.size());
    fill_on_host(in.data(), words, kSeeds[0]);
    std::memset(out.data(), kPoison, from_gpu.size());
    work.run({in.data(), out.data(), kSeeds[0], true, list.data()});
    const auto differs = std::mismatch(from_gpu.begin(), from_gpu.end(), out.data());
    ASSERT_EQ(differs.first, from_gpu.end())
        << "GPU and CPU differ first at byte " << differs.first - from_gpu.begin();
  }

  device_buffer in_, out_;
};

class EveryPatternOnGpu : public OnGpu, public ::testing::WithParamInterface<entry_choice> {};

TEST_P(EveryPatternOnGpu, DoesWhatItSaysAndWhatTheCpuDoes) {
  const pattern_entry& entry = GetParam().entry();
  int checked = 0;
  for (const test::pattern_case& one : cases_of(entry))
    for (const auto& [operation, operation_name] : kOperations) {
      if (!entry.offers(operation)) continue;
      for (const auto& [type, type_name] : kElementTypes)
        for (const index_t n : entry.offers(type)
                                   ? std::vector<index_t>(std::begin(kSizes), std::end(kSizes))
                                   : std::vector<index_t>{})
          for (const block_size block : kBlocks) {
            const row_spec row = one.row(operation, type, n, block);
            const auto work = make_workload(row);
            if (work->meaning().shape().threads() > kMaxThreads) continue;
            if (!work->meaning().refusal().empty()) continue;
            check(row);
            ++checked;
            if (HasFailure()) return;
          }
    }
  EXPECT_GT(checked, 0);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPatternOnGpu, ::testing::ValuesIn(all_entries()),
                         [](const auto& choice) { return identifier_of(choice.param); });

TEST_F(OnGpu, RowsBeyondTheGridLimitContinueInZ) {
  for (const auto& [operation, operation_name] : kOperations)
    for (const auto& [type, type_name] : kElementTypes)
      for (const index_t n : {index_t{100003}, index_t{210001}}) {
        row_spec row;
        row.values = {70000};
        row.pattern = find_pattern("stride", row.values);
        row.operation = operation;
        row.type = type;
        row.elements = n;
        row.block = {32, 1};
        ASSERT_NE(row.pattern, nullptr);
        const launch_shape shape = make_workload(row)->meaning().shape();
        ASSERT_GT(shape.grid_z, 1);
        ASSERT_TRUE(shape.fits_gpu());
        check(row);
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace sectorbench
