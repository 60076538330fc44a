// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/fixture.hpp"
#include "test/device/gpu_backend.hpp"

namespace sectorbench {
namespace {

constexpr index_t kElements = 1024;
constexpr std::uint64_t kSeed = 42;

// What a launch of a row does in the place of the row's kernel.
using deed = void (*)(const launch_data& data, CUstream_st* stream);

void ask_for_too_many_threads(const launch_data& data, CUstream_st* stream) {
  find_pattern("contiguous", {})
      ->make(operation_kind::kCopy, element_type::kF32, kElements, {}, {4096, 1})
      ->launch(data, stream);
}
void store_at_an_illegal_address(const launch_data& data, CUstream_st* stream) {
  launch_data nowhere = data;
  nowhere.out = nullptr;
  find_pattern("contiguous", {})
      ->make(operation_kind::kCopy, element_type::kF32, kElements, {}, {})
      ->launch(nowhere, stream);
}

template <deed Deed>
class failing_workload final : public workload {
 public:
  explicit failing_workload(std::unique_ptr<workload> real) : real_(std::move(real)) {}

  void run(const launch_data& data) const override { real_->run(data); }
  void launch(const launch_data& data, CUstream_st* stream) const override { Deed(data, stream); }
  const program& meaning() const override { return real_->meaning(); }
  buffer_bytes needs() const override { return real_->needs(); }

 private:
  std::unique_ptr<workload> real_;
};

// An entry like that of `contiguous`, called `name`, whose launches do the deed.
template <deed Deed>
pattern_entry failing_entry(std::string_view name) {
  pattern_entry entry = *find_pattern("contiguous", {});
  entry.name = name;
  entry.make = [](operation_kind operation, element_type type, index_t n,
                  std::span<const index_t> values, block_size block) -> std::unique_ptr<workload> {
    return std::make_unique<failing_workload<Deed>>(
        find_pattern("contiguous", {})->make(operation, type, n, values, block));
  };
  return entry;
}

suite_row suite_row_of(const pattern_entry& entry) {
  row_spec row;
  row.pattern = &entry;
  row.elements = kElements;
  return {row, row.name()};
}
suite_row suite_row_of(std::string_view name) {
  const row_spec row = row_of(name, kElements);
  return {row, row.name()};
}

// How the library was told that a row ended.
struct row_ending {
  row_state state = row_state::kMeasured;
  std::string message;
};

class collecting_reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) endings.push_back({state_of(run), message_of(run)});
  }
  std::vector<row_ending> endings;
};

// Runs the rows as the program does.
std::vector<row_ending> run_rows(const std::vector<suite_row>& rows, row_runner& runner,
                                 run_tally& tally) {
  for (const suite_row& row : rows) {
    const auto fixture =
        std::make_shared<row_fixture>(row, runner, tally, fixture_rules{.max_wall_s = 10});
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [fixture](benchmark::State& state) { fixture->Run(state); })
        ->UseManualTime()
        ->MinTime(1e-4);
  }
  collecting_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return reporter.endings;
}

timing_rules quick_rules(bool blocking) {
  timing_rules rules;
  rules.blocking = blocking;
  rules.reference_s = 0;
  return rules;
}

void expect_says(const std::string& message, const std::string& text) {
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, message);
}

using GpuErrors = gpu_backend_test;
using GpuErrorsAlone = gpu_test;  // makes no context that a child would have to share the GPU with
using GpuMemory = gpu_backend_test;

TEST_F(GpuErrors, LaunchThatIsRefusedFailsItsRowAndNoOther) {
  const pattern_entry refused = failing_entry<ask_for_too_many_threads>("refused");
  row_runner runner(device(), quick_rules(blocking_forbidden().empty()), kSeed);
  run_tally tally;
  const auto endings = run_rows({suite_row_of(refused), suite_row_of("contiguous/copy/f32"),
                                 suite_row_of("stride/copy/f32/stride:8")},
                                runner, tally);
  ASSERT_EQ(endings.size(), 3u);
  EXPECT_EQ(endings[0].state, row_state::kFailed);
  expect_says(endings[0].message, "cudaErrorInvalid");  // Configuration or Value: drivers differ
  EXPECT_EQ(endings[1].state, row_state::kMeasured) << endings[1].message;
  EXPECT_EQ(endings[2].state, row_state::kMeasured) << endings[2].message;
  EXPECT_EQ(tally.count(run_tally::outcome::kFailed), 1);
  EXPECT_EQ(tally.count(run_tally::outcome::kOk), 2);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

constexpr const char* kChild = "SECTORBENCH_TEST_CHILD";

// The part of the next test that poisons its process: prints how each row ended, and exits.
[[noreturn]] void run_rows_with_a_sticky_error() {
  run_tally tally;
  {
    const auto device = make_cuda_backend(0, {.blocking = false, .blocking_reason = "test"}, {});
    row_runner runner(*device, quick_rules(false), kSeed);
    const pattern_entry illegal = failing_entry<store_at_an_illegal_address>("illegal");
    const auto endings =
        run_rows({suite_row_of("contiguous/copy/f32"), suite_row_of(illegal),
                  suite_row_of("contiguous/copy/f64"), suite_row_of("stride/copy/f32/stride:8")},
                 runner, tally);
    for (const row_ending& ending : endings)
      std::printf("row: %s %s\n", ending.state == row_state::kMeasured ? "measured" : "failed",
                  ending.message.c_str());
  }
  std::printf("noted: %s\n", first_noted_cuda_failure().value_or("nothing").c_str());
  std::exit(tally.count(run_tally::outcome::kFailed) > 0 ? 1 : 0);
}

TEST_F(GpuErrorsAlone, StickyErrorEndsTheRowsThatFollowAndNamesTheFirst) {
  if (std::getenv(kChild) != nullptr) run_rows_with_a_sticky_error();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      std::string(kChild) + "=1 '" + self + "' --gtest_filter=GpuErrorsAlone.StickyErrorEnds* 2>&1";
  FILE* const child = popen(command.c_str(), "r");
  ASSERT_NE(child, nullptr);
  std::string output;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, child))
    output.append(part, size);
  const int status = pclose(child);
  SCOPED_TRACE(output);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);

  std::vector<std::string> rows;
  const std::regex line("row: ([^\n]*)");
  for (std::sregex_iterator found(output.begin(), output.end(), line), end; found != end; ++found)
    rows.push_back((*found)[1]);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], "measured ");
  expect_says(rows[1], "failed ");
  expect_says(rows[1], "cudaErrorIllegalAddress");
  for (const std::string& row : {rows[2], rows[3]}) {
    expect_says(row, "failed not run: earlier CUDA error in illegal/copy/f32");
    expect_says(row, "cudaErrorIllegalAddress");
  }
  expect_says(output, "noted: nothing");
}

TEST_F(GpuMemory, RowThatDoesNotFitSaysHowManyBytesItNeedsAndHowManyThereAre) {
  const device_memory memory = query_memory();
  const index_t elements = memory.total_bytes / 8;
  const auto work = make_workload(row_of("contiguous/copy/f64", elements));
  std::string message;
  try {
    device().acquire(*work);
    ADD_FAILURE() << "twice the GPU's memory was acquired";
  } catch (const not_applicable& reason) {
    message = reason.what();
  }
  std::smatch numbers;
  ASSERT_TRUE(std::regex_search(message, numbers,
                                std::regex("needs (\\d+) bytes.* (\\d+) bytes .*available")))
      << message;
  const index_t needed = std::stoll(numbers[1]), available = std::stoll(numbers[2]);
  EXPECT_GE(needed, 2 * 8 * elements);
  EXPECT_GT(available, 0);
  EXPECT_LE(available, memory.total_bytes);

  row_runner runner(device(), quick_rules(false), kSeed);
  runner.prepare(row_of("contiguous/copy/f64", kElements));
}

struct large_row {
  const char* name;
  index_t elements;
};
void PrintTo(const large_row& row, std::ostream* out) { *out << row.elements; }

class LargeRows : public gpu_backend_test, public ::testing::WithParamInterface<large_row> {};

// Indices beyond 32 bits, and byte offsets beyond 32 bits with indices below.
TEST_P(LargeRows, AreVerified) {
  row_runner runner(device(), quick_rules(false), kSeed);
  const auto [name, elements] = GetParam();
  try {
    runner.prepare(row_of(name, elements));
  } catch (const not_applicable& reason) {
    GTEST_SKIP() << reason.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Beyond32Bits, LargeRows,
    ::testing::Values(large_row{"stride/copy/u8/stride:1", (index_t{1} << 31) + 5},
                      large_row{"stride/copy/u8/stride:3", (index_t{1} << 31) + 5},
                      large_row{"stride/gather/u8/stride:3", (index_t{1} << 31) + 5},
                      large_row{"contiguous/read/u8", (index_t{1} << 31) + 5},
                      large_row{"chunk/scatter/u8/chunk:32", (index_t{1} << 31) + 5},
                      large_row{"grid_loop/copy/u8/steps:32", (index_t{1} << 31) + 5},
                      large_row{"stride/copy/f32/stride:3", (index_t{1} << 30) + 1},
                      large_row{"contiguous/write/f32x4", (index_t{1} << 28) + 1}),
    [](const auto& choice) {
      return std::regex_replace(std::string(choice.param.name), std::regex("[/:]"), "_");
    });

}  // namespace
}  // namespace sectorbench
