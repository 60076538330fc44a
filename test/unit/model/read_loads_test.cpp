// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/mman.h>

#include <vector>

#include "sectorbench/execution/registry.hpp"
#include "test/support/index_list.hpp"

namespace sectorbench {
namespace {

/// Pages that nobody may touch.
class forbidden_memory {
 public:
  forbidden_memory()
      : data_(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~forbidden_memory() { munmap(data_, kBytes); }
  forbidden_memory(const forbidden_memory&) = delete;
  forbidden_memory& operator=(const forbidden_memory&) = delete;
  const void* data() const { return data_; }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  void* data_;
};

// A read whose checksums nobody stores is what is timed. A compiler that sees through it removes
// the loads, and the row shows the speed of nothing. Loads that are there must
// fault.
TEST(ReadOnTheCpuDeathTest, TimedReadReallyLoads) {
  const forbidden_memory in;
  int programs = 0;
  for (const pattern_entry& pattern : registered_patterns()) {
    if (pattern.mover) continue;
    std::vector<index_t> values;
    for (const parameter_spec& spec : pattern.parameters) values.push_back(spec.typical);
    for (const auto& [type, name] : kElementTypes) {
      if (!pattern.offers(operation_kind::kRead) || !pattern.offers(type)) continue;
      const auto work = pattern.make(operation_kind::kRead, type, 1000, values, {});
      std::vector<unsigned char> out(static_cast<std::size_t>(work->needs().out));
      EXPECT_DEATH(
          {
            omp_set_num_threads(1);  // a forked child has no pool of threads
            const std::vector<index_entry> list = test::index_list_of(work->meaning());
            work->run({in.data(), out.data(), 1, false, list.data()});
          },
          "")
          << pattern.name << " of " << name;
      ++programs;
    }
  }
  EXPECT_GE(programs, 40);
}

}  // namespace
}  // namespace sectorbench
