// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bench/devices/backend.hpp"
#include "sectorbench/execution/host_memory.hpp"
#include "sectorbench/execution/registry.hpp"
#include "test/support/fake_backend.hpp"
#include "test/support/index_list.hpp"
#include "test/support/pattern_cases.hpp"
#include "test/support/scratch_buffer.hpp"

namespace sectorbench {
namespace {

using test::pattern_case;
using test::scratch_buffer;

constexpr std::array<index_t, 10> kSizes{1, 2, 31, 32, 33, 255, 256, 257, 1000, 4097};
constexpr std::array<unsigned, 5> kBlocks{1, 32, 100, 256, 1024};
constexpr std::size_t kTypes = kElementTypes.size();

/// Whether a CPU walks the launch quickly. A stride of 70,000 over few elements is one block per
/// element.
bool is_small(const workload& work) { return work.meaning().shape().threads() <= 400'000; }

/// Bytes of element `i` of a buffer that starts at `data`.
const unsigned char* element(const unsigned char* data, index_t i, int width) {
  return data + i * width;
}

/// What `write` stores at `index`, as fill.hpp describes it, byte by byte.
std::array<unsigned char, 16> made_bytes(index_t index, std::uint64_t seed, int width) {
  std::array<unsigned char, 16> bytes{};
  const auto put = [&](std::uint64_t value, int at, int count) {
    for (int k = 0; k < count; ++k) {
      bytes[static_cast<std::size_t>(at + k)] = static_cast<unsigned char>(value & 255);
      value /= 256;
    }
  };
  if (width == 8) {
    put(static_cast<std::uint64_t>(index) * 11400714819323198485u + seed, 0, 8);
    return bytes;
  }
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(index) * 2654435761u + seed) % (std::uint64_t{1} << 32);
  if (width == 16) {
    put(mixed, 0, 4);
    put(mixed ^ 0x55555555u, 4, 4);
    put(mixed + 0x9e3779b9u, 8, 4);
    put(0xffffffffu - mixed, 12, 4);
  } else {
    put(mixed >> (32 - 8 * width), 0, width);  // its highest bytes
  }
  return bytes;
}

/// The checksum of some elements: each word of at most 8 bytes (four of 4 bytes in 16) is a
/// polynomial in 31.
std::array<unsigned char, 16> sum_bytes(const unsigned char* in, const std::vector<index_t>& list,
                                        int width) {
  std::array<unsigned char, 16> bytes{};
  const int word = width == 16 ? 4 : width;
  for (int at = 0; at < width; at += word) {
    std::uint64_t sum = 0;
    for (const index_t i : list) {
      std::uint64_t value = 0;
      std::memcpy(&value, element(in, i, width) + at, static_cast<std::size_t>(word));
      sum = sum * 31 + value;
    }
    std::memcpy(bytes.data() + at, &sum, static_cast<std::size_t>(word));
  }
  return bytes;
}

/// What the CPU's run of a program left behind, judged without the pattern's own code. Empty: as
/// it must be.
std::string fault_of_run(const pattern_case& one, const program& body, block_size block,
                         std::uint64_t seed) {
  const operation_kind operation = body.operation();
  const int width = size_of(body.type());
  const index_t n = body.elements();
  const buffer_bytes needs = body.needs();
  scratch_buffer in(static_cast<std::size_t>(needs.in)), out(static_cast<std::size_t>(needs.out));
  in.randomize(static_cast<unsigned>(n));
  const bool offsets = one.pattern->name == "offset", begins = one.pattern->name == "wide";
  const index_t load_start = offsets || begins ? one.values[0] : 0;
  const index_t store_start = begins                                          ? one.values[0]
                              : offsets && operation != operation_kind::kRead ? one.values[1]
                                                                              : 0;
  const unsigned char* const from = in.data() + load_start * width;
  const unsigned char* const to = out.data() + store_start * width;
  const std::vector<index_entry> list = test::index_list_of(body);
  body.run({in.data(), out.data(), seed, true, list.data()});

  const std::vector<index_t> order = test::expected_order(one, n);
  const auto differs = [&](index_t at, const unsigned char* expected) {
    return std::memcmp(element(to, at, width), expected, static_cast<std::size_t>(width)) != 0;
  };
  const index_t outputs = operation == operation_kind::kRead ? body.shape().threads() : n;
  for (index_t k = 0; k < outputs; ++k) {
    bool wrong = false;
    index_t at = k;
    switch (operation) {
      case operation_kind::kCopy:
        wrong = differs(at, element(from, k, width));
        break;
      case operation_kind::kGather:
        wrong = differs(at, element(from, order[static_cast<std::size_t>(k)], width));
        break;
      case operation_kind::kScatter:
        at = order[static_cast<std::size_t>(k)];
        wrong = differs(at, element(from, k, width));
        break;
      case operation_kind::kRead:
        wrong = differs(
            at, sum_bytes(from, test::expected_elements(one, n, index_t{block.threads()}, k), width)
                    .data());
        break;
      case operation_kind::kWrite:
        wrong = differs(at, made_bytes(k, seed, width).data());
        break;
    }
    if (wrong) return "wrong at " + std::to_string(at);
  }
  const auto begin = static_cast<std::size_t>(store_start * width);
  if (!out.untouched_outside(begin, begin + static_cast<std::size_t>(outputs * width)))
    return "wrote outside its output";
  return "";
}

class HostExecution : public testing::TestWithParam<pattern_case> {
 protected:
  /// Calls `body(workload, row)` for every operation, size and block; the types take turns, so that
  /// each size and each block meets all of them.
  template <class Body>
  static int for_each_row(const Body& body) {
    int rows = 0;
    for (const auto& [operation, name] : kOperations)
      for (std::size_t size = 0; size < kSizes.size(); ++size)
        for (std::size_t block = 0; block < kBlocks.size(); ++block) {
          const element_type type = kElementTypes[(size + block) % kTypes].first;
          if (!GetParam().offers(operation, type)) continue;
          const row_spec row = GetParam().row(operation, type, kSizes[size], {kBlocks[block]});
          const auto work = make_workload(row);
          if (!is_small(*work) || !work->meaning().refusal().empty()) continue;
          ++rows;
          SCOPED_TRACE(row.key());
          body(*work, row);
          if (HasFailure()) return rows;
        }
    return rows;
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HostExecution);

TEST_P(HostExecution, BackendProvesCoverageAndFindsTheOutputRight) {
  const auto device = make_host_backend();
  const int rows = for_each_row([&](const workload& work, const row_spec&) {
    device->acquire(work);
    const coverage_verdict verdict = device->prove(work.meaning());
    EXPECT_TRUE(verdict.ok()) << describe(verdict);
    EXPECT_EQ(verdict.misaligned.count, 0u) << "a launch that no GPU takes was not refused";
    for (const std::uint64_t seed : {1u, 2u}) {
      device->fill_input(seed);
      device->poison_output();
      device->run_once(work, seed, true);
      const comparison found = device->compare(work.meaning(), seed);
      EXPECT_EQ(found.wrong, 0u) << "the first is " << found.first;
      EXPECT_EQ(found.strayed, 0u);
    }
  });
  EXPECT_GT(rows, 0);
}

// What a pattern does not refuse by itself: of 1001 floats from the second on, 250 threads load and
// store 16 bytes.
TEST(HostProof, CountsAccessesThatAreNotAligned) {
  const auto device = make_host_backend();
  device->acquire(*make_workload(test::row_of("wide/copy/f32/first:4/v:4", 1001)));
  const auto shifted = make_workload(test::row_of("wide/copy/f32/first:1/v:4", 1001));
  const coverage_verdict verdict = device->prove(shifted->meaning());
  EXPECT_EQ(verdict.misaligned.count, 500u);
  EXPECT_EQ(verdict.misaligned.bytes, 16u);
  EXPECT_EQ(verdict.misaligned.address % 16, 4u);
}

TEST_P(HostExecution, OutputIsWhatASecondDescriptionSays) {
  if (!test::is_described_here(GetParam().pattern->name))
    GTEST_SKIP() << "pattern_cases.hpp does not describe " << GetParam().pattern->name;
  const int rows = for_each_row([&](const workload& work, const row_spec& row) {
    EXPECT_EQ(fault_of_run(GetParam(), work.meaning(), row.block, 0x123456789abcdefu), "");
  });
  EXPECT_GT(rows, 0);
}

TEST_P(HostExecution, EveryTypeIsRightAtAnOddSize) {
  if (!test::is_described_here(GetParam().pattern->name))
    GTEST_SKIP() << "pattern_cases.hpp does not describe " << GetParam().pattern->name;
  for (const auto& [operation, name] : kOperations)
    for (const auto& [type, type_name] : kElementTypes) {
      if (!GetParam().offers(operation, type)) continue;
      const row_spec row = GetParam().row(operation, type, 1003, {128});
      const auto work = make_workload(row);
      EXPECT_EQ(fault_of_run(GetParam(), work->meaning(), row.block, 7), "") << row.key();
    }
}

TEST_P(HostExecution, ALargerOddSizeIsRight) {
  if (!test::is_described_here(GetParam().pattern->name))
    GTEST_SKIP() << "pattern_cases.hpp does not describe " << GetParam().pattern->name;
  const auto device = make_host_backend();
  for (const operation_kind operation : {operation_kind::kGather, operation_kind::kWrite}) {
    if (!GetParam().offers(operation, element_type::kF32)) continue;
    const element_type type =
        GetParam().offers(operation, element_type::kF16) ? element_type::kF16 : element_type::kF32;
    const row_spec row = GetParam().row(operation, type, 100'003, {64});
    const auto work = make_workload(row);
    EXPECT_EQ(fault_of_run(GetParam(), work->meaning(), row.block, 7), "") << row.key();
    device->acquire(*work);
    EXPECT_TRUE(device->prove(work->meaning()).ok());
  }
}

// Timed reads keep nothing: the output stays as it was.
TEST_P(HostExecution, ReadWithoutKeepWritesNothing) {
  if (!GetParam().offers(operation_kind::kRead, element_type::kF32)) GTEST_SKIP();
  const row_spec row = GetParam().row(operation_kind::kRead, element_type::kF32, 1000, {256});
  const auto work = make_workload(row);
  const buffer_bytes needs = work->needs();
  scratch_buffer in(static_cast<std::size_t>(needs.in)), out(static_cast<std::size_t>(needs.out));
  const std::vector<index_entry> list = test::index_list_of(work->meaning());
  work->run({in.data(), out.data(), 1, false, list.data()});
  EXPECT_TRUE(out.untouched_outside(0, 0));
}

TEST_P(HostExecution, ProgramsDeclareWhatTheRowSays) {
  for (const auto& [operation, name] : kOperations) {
    if (!GetParam().offers(operation, element_type::kF64)) continue;
    const row_spec row = GetParam().row(operation, element_type::kF64, 1000, {64});
    const auto work = make_workload(row);
    const program& body = work->meaning();
    const bool own_block = GetParam().pattern->name.starts_with("transpose");
    EXPECT_EQ(body.operation(), operation);
    EXPECT_EQ(body.type(), element_type::kF64);
    EXPECT_EQ(body.elements(), 1000);
    EXPECT_EQ(body.useful_bytes(), useful_bytes(row));
    EXPECT_EQ(body.shape().block.threads(), own_block ? 256u : 64u);
    EXPECT_TRUE(body.shape().fits_gpu());
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, HostExecution, testing::ValuesIn(test::all_pattern_cases()),
                         [](const auto& one) { return test::identifier_of(one.param); });

TEST(HostExecutionCases, ThereAreSomeOfEveryRegisteredPattern) {
  const std::vector<pattern_case> cases = test::all_pattern_cases();
  ASSERT_FALSE(cases.empty());
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns()) {
    const auto is_of_pattern = [&](const pattern_case& one) { return one.pattern == &pattern; };
    EXPECT_EQ(std::any_of(cases.begin(), cases.end(), is_of_pattern), !pattern.mover)
        << pattern.name;
  }
}

// Whoever runs a launch by a team must say so, or each of its threads does all of it.
TEST(OnAllCores, EachBlockIsDoneOnceByATeamAndWithoutOne) {
  constexpr int kBlocks = 1000;
  const launch_shape shape{.grid_x = kBlocks};
  for (const bool by_team : {false, true}) {
    std::array<std::atomic<int>, kBlocks> done{};
    const auto launch = [&] {
      on_all_cores(shape, by_team, [&](const lane& first) { ++done[first.block_x]; });
    };
    if (by_team) {
#pragma omp parallel num_threads(3)
      launch();
    } else {
      launch();
    }
    for (const auto& times : done) ASSERT_EQ(times, 1) << "by_team " << by_team;
  }
}

TEST(Memcpy, EverySizeAndTypeArrivesWhole) {
  const auto device = make_host_backend();
  const pattern_case copies{find_pattern("memcpy", {}), {}};
  ASSERT_NE(copies.pattern, nullptr);
  for (const auto& [type, name] : kElementTypes)
    for (const index_t n : {index_t{1}, index_t{33}, index_t{1000}, (index_t{1} << 20) + 3}) {
      const auto work = make_workload(copies.row(operation_kind::kCopy, type, n, {}));
      device->acquire(*work);
      device->fill_input(5);
      device->poison_output();
      device->run_once(*work, 5, true);
      EXPECT_TRUE(device->compare(work->meaning(), 5).ok()) << n << " of " << name;
    }
}

TEST(Memset, EveryByteIsSetAndAnotherIsFound) {
  const auto device = make_host_backend();
  const pattern_case sets{find_pattern("memset", {}), {}};
  ASSERT_NE(sets.pattern, nullptr);
  for (const auto& [type, name] : kElementTypes) {
    const auto work = make_workload(sets.row(operation_kind::kWrite, type, 1003, {}));
    device->acquire(*work);
    device->poison_output();
    EXPECT_TRUE(device->prove(work->meaning()).ok());
    device->run_once(*work, 5, true);
    EXPECT_TRUE(device->compare(work->meaning(), 5).ok()) << name;
    EXPECT_EQ(device->compare(work->meaning(), 6).wrong, 1003u) << "another seed is another byte";
    device->poison_output();
    EXPECT_EQ(device->compare(work->meaning(), 5).wrong, 1003u);
  }
}

TEST(Memcpy, OtherOperationsAreRefused) {
  const pattern_entry* const entry = find_pattern("memcpy", {});
  ASSERT_NE(entry, nullptr);
  EXPECT_THROW(entry->make(operation_kind::kRead, element_type::kF32, 1, {}, {}),
               std::invalid_argument);
}

#if !SECTORBENCH_HAS_CUDA
TEST(HostOnlyBuild, KernelsAreRefused) {
  const auto work = make_workload(parse_row("contiguous/copy/f32"));
  EXPECT_THROW(work->launch({}, nullptr), std::logic_error);
  EXPECT_THROW(work->meaning().launch_proof({}, nullptr), std::logic_error);
}
#endif

}  // namespace
}  // namespace sectorbench
