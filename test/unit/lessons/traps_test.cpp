// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/traps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/buffers.hpp"
#include "kernels/traps.hpp"
#include "sectorbench/verify/proof.hpp"
#include "test/support/scratch_buffer.hpp"

namespace sectorbench {
namespace {

using test::scratch_buffer;

constexpr std::uint64_t kSeed = 42;

timing_rules quick_rules() {
  timing_rules rules;
  rules.fixed_launches = 1;
  rules.samples_per_round = 1;
  rules.reference_s = 0;
  return rules;
}

trap_settings quick_settings() { return {index_t{64} << 10, kSeed, quick_rules()}; }

row_spec row_of(const pattern_entry& entry, index_t n, std::vector<index_t> values,
                operation_kind operation = operation_kind::kCopy) {
  return {&entry, operation, element_type::kF32, std::move(values), n, {}};
}

// The reason for which a row gets no number, or "verified".
std::string verdict_on(const row_spec& row) {
  const auto device = make_host_backend();
  row_runner runner(*device, quick_rules(), kSeed);
  try {
    runner.prepare(row);
  } catch (const verification_failed& failure) {
    EXPECT_EQ(runner.known(row), nullptr) << "a refused row has no number";
    return failure.what();
  }
  return "verified";
}

void expect_start(const std::string& text, std::string_view start) {
  EXPECT_TRUE(text.starts_with(start)) << text;
}

// Element i of the input is i + 1, of the output -1 where nothing was stored.
std::vector<std::int32_t> output_of(const row_spec& row) {
  const auto bytes = static_cast<std::size_t>(row.buffer_bytes());
  scratch_buffer in(bytes), out(bytes);
  for (std::int32_t i = 0; i < row.elements; ++i) {
    const std::int32_t value = i + 1;
    std::memcpy(in.data() + i * 4, &value, 4);
  }
  std::memset(out.data(), 0xff, bytes);
  make_workload(row)->run({in.data(), out.data(), kSeed, true, nullptr});
  EXPECT_TRUE(out.untouched_outside(0, bytes)) << row.key();
  std::vector<std::int32_t> result(static_cast<std::size_t>(row.elements));
  std::memcpy(result.data(), out.data(), bytes);
  return result;
}

std::set<std::int32_t> stored_indices(const row_spec& row) {
  const auto out = output_of(row);
  std::set<std::int32_t> stored;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] != -1) {
      EXPECT_EQ(out[i], static_cast<std::int32_t>(i) + 1);
      stored.insert(static_cast<std::int32_t>(i));
    }
  return stored;
}

// ---- skips

TEST(TrapSkips, ContentsShowWhatWasLeftOut) {
  // Elements 0, 2, ..., 998 are moved.
  expect_start(verdict_on(row_of(traps::skips_as_stride(), 1000, {2})),
               "wrong result before timing: 500 elements wrong, the first at index 1: got "
               "0xa5a5a5a5, expected 0x");
  // 0, 8, ..., 1000: 126 of 1003.
  expect_start(verdict_on(row_of(traps::skips_as_stride(), 1003, {8})),
               "wrong result before timing: 877 elements wrong, the first at index 1: got "
               "0xa5a5a5a5, expected 0x");
}

TEST(TrapSkips, CoverageShowsWhatIsLeftOut) {
  EXPECT_EQ(verdict_on(row_of(traps::skips_as_declared(), 1000, {2})),
            "the pattern does not cover what it declares: loads: 500 elements missed, the first is "
            "1; stores: 500 elements missed, the first is 1");
}

TEST(TrapSkips, HalfTheThreadsWork) {
  const auto stored = stored_indices(row_of(traps::skips_as_stride(), 1000, {2}));
  EXPECT_EQ(stored.size(), 500u);
  EXPECT_TRUE(std::ranges::all_of(stored, [](auto i) { return i % 2 == 0; }));
}

TEST(TrapSkips, StrideOneIsRight) {
  EXPECT_EQ(verdict_on(row_of(traps::skips_as_stride(), 1000, {1})), "verified");
}

// ---- modulo

TEST(TrapModulo, ContentsShowWhatWasNeverReached) {
  // Multiples of 8 are moved: 128 of 1024.
  expect_start(verdict_on(row_of(traps::modulo_as_stride(), 1024, {8})),
               "wrong result before timing: 896 elements wrong, the first at index 1: got "
               "0xa5a5a5a5, expected 0x");
}

TEST(TrapModulo, CoverageShowsWhatIsRepeated) {
  for (const auto& [stride, repeated] :
       {std::pair<index_t, const char*>{8, "128"}, {16, "64"}, {32, "32"}})
    EXPECT_EQ(verdict_on(row_of(traps::modulo_as_declared(), 1024, {stride})),
              std::string("the pattern does not cover what it declares: loads: ") + repeated +
                  " elements repeated, the first is 0; stores: " + repeated +
                  " elements repeated, the first is 0");
}

TEST(TrapModulo, TouchesOneElementInStrideAndFewerSectorsBeyondEight) {
  struct expectation {
    index_t stride;
    std::size_t elements, sectors;
  };
  for (const auto& [stride, elements, sectors] :
       {expectation{1, 1024, 128}, {8, 128, 128}, {16, 64, 64}, {32, 32, 32}}) {
    const auto stored = stored_indices(row_of(traps::modulo_as_stride(), 1024, {stride}));
    EXPECT_EQ(stored.size(), elements) << stride;
    std::set<std::int32_t> touched;
    for (const auto i : stored) touched.insert(i / 8);  // 8 elements of 4 bytes in 32
    EXPECT_EQ(touched.size(), sectors) << stride;
  }
}

// Where stride and n have no common divisor it is a permutation: the check is of what a launch
// does, not of how it is written.
TEST(TrapModulo, StrideWithoutACommonDivisorIsRight) {
  EXPECT_EQ(verdict_on(row_of(traps::modulo_as_stride(), 1024, {3})), "verified");
  EXPECT_EQ(verdict_on(row_of(traps::modulo_as_declared(), 1024, {3})), "verified");
}

// ---- division and the first launch

TEST(TrapDivision, ResultIsTheHonestPatterns) {
  for (const index_t n : {1, 5, 8, 1000, 1003, 1024})
    for (const index_t stride : {1, 2, 7, 8, 32, 1003}) {
      const row_spec row = row_of(traps::division_as_stride(), n, {stride});
      EXPECT_EQ(verdict_on(row), "verified") << row.key();
      const auto* const honest = find_pattern("stride", std::array{stride});
      ASSERT_NE(honest, nullptr);
      EXPECT_EQ(output_of(row), output_of(row_of(*honest, n, {stride}))) << row.key();
    }
}

TEST(TrapDivision, EveryElementIsMovedOnce) {
  for (const index_t n : {1, 5, 8, 1000, 1003, 1024})
    for (const index_t stride : {1, 2, 7, 8, 32, 1003})
      EXPECT_TRUE(prove<copy>(traps::division::make(n, std::array{stride}), {}).ok())
          << n << " by " << stride;
}

TEST(TrapNoWarmUp, ResultIsRight) {
  EXPECT_EQ(verdict_on(row_of(traps::fresh_as_contiguous(), 1003, {})), "verified");
}

// ---- removed loads

TEST(TrapRemovedLoads, MissingChecksumsAreFound) {
  // 1000 elements are read by 4 blocks of 256 threads.
  expect_start(
      verdict_on(row_of(traps::removed_loads_as_read(), 1000, {}, operation_kind::kRead)),
      "wrong result before timing: 1024 checksums wrong, the first at thread 0: got 0xa5a5a5a5, "
      "expected 0x");
}

TEST(Traps, AreForOneTypeAndOneOperation) {
  const auto make = [](const pattern_entry& entry, operation_kind operation, element_type type) {
    return entry.make(operation, type, 8, std::vector<index_t>(entry.parameters.size(), 2), {});
  };
  for (const pattern_entry* const entry :
       {&traps::skips_as_stride(), &traps::modulo_as_stride(), &traps::division_as_stride(),
        &traps::fresh_as_contiguous(), &traps::skips_as_declared(), &traps::modulo_as_declared()}) {
    EXPECT_THROW(make(*entry, operation_kind::kGather, element_type::kF32), std::invalid_argument);
    EXPECT_THROW(make(*entry, operation_kind::kCopy, element_type::kF64), std::invalid_argument);
  }
  EXPECT_THROW(make(traps::removed_loads_as_read(), operation_kind::kCopy, element_type::kF32),
               std::invalid_argument);
}

TEST(Traps, AreNoRegisteredPatterns) {
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns())
    EXPECT_FALSE(pattern.name.starts_with("trap")) << pattern.name;
}

// ---- Arithmetic, by hand

TEST(TrapMibPerMs, SixteenMiBInAMillisecond) {
  const trap_result result = mib_per_ms_trap(16777216, 1e-3);
  EXPECT_DOUBLE_EQ(result.figure("claimed_gbps"), 16);
  EXPECT_DOUBLE_EQ(result.figure("true_gbps"), 16.777216);
  EXPECT_EQ(result.claim, "16.00 GB/s, as 16 MiB take 1.000 ms");
  EXPECT_EQ(result.truth, "16.78 GB/s: 1 MiB/ms is 1.048576 GB/s, so the claim is 4.63 % too low");
}

TEST(TrapMibPerMs, FourMiBInEightMicroseconds) {
  const trap_result result = mib_per_ms_trap(4194304, 8.192e-6);
  EXPECT_DOUBLE_EQ(result.figure("claimed_gbps"), 488.28125);  // 488,281.25 MiB/s
  EXPECT_DOUBLE_EQ(result.figure("true_gbps"), 512);           // 512,000 MB/s
}

TEST(TrapOneDirection, CopyOfAGiBInAMillisecond) {
  const trap_result result = one_direction_trap(index_t{1} << 30, 1e-3);
  EXPECT_NEAR(result.figure("claimed_gbps"), 1073.741824, 1e-9);
  EXPECT_NEAR(result.figure("true_gbps"), 2147.483648, 1e-9);
  EXPECT_EQ(result.truth, "2147 GB/s: 1074 read and 1074 written");
}

// ---- All of them

const std::vector<std::string> kNames{"skips",         "modulo",     "division",
                                      "host_clock",    "no_warm_up", "fits_in_cache",
                                      "removed_loads", "mib_per_ms", "one_direction"};

/// The CPU's memory with checks that find nothing, or that is said to be something else.
class altered_backend final : public backend {
 public:
  bool compares = true, proves = true;
  std::optional<int> number;
  double peak = 0;
  std::optional<index_t> cache_bytes;

  std::string_view name() const override { return real_->name(); }
  std::optional<int> index() const override { return number; }
  evidence facts() const override { return real_->facts(); }
  std::string headline() const override { return real_->headline(); }
  double peak_bytes_per_s() const override { return peak; }
  index_t last_cache_bytes() const override {
    return cache_bytes.value_or(real_->last_cache_bytes());
  }
  std::string_view last_cache_name() const override { return "l9"; }
  void acquire(const workload& work) override { real_->acquire(work); }
  void fill_input(std::uint64_t seed) override { real_->fill_input(seed); }
  void poison_output() override { real_->poison_output(); }
  void run_once(const workload& work, std::uint64_t seed, bool keep) override {
    real_->run_once(work, seed, keep);
  }
  coverage_verdict prove(const program& body) override {
    return proves ? real_->prove(body) : coverage_verdict{};
  }
  comparison compare(const program& body, std::uint64_t seed) override {
    return compares ? real_->compare(body, seed) : comparison{};
  }
  timed_sample time(const workload& work, std::uint64_t seed, int launches,
                    bool blocking) override {
    return real_->time(work, seed, launches, blocking);
  }
  int max_launches() const override { return real_->max_launches(); }

 private:
  std::unique_ptr<backend> real_ = make_host_backend();
};

const trap_result& named(const std::vector<trap_result>& results, std::string_view name) {
  return *std::ranges::find(results, name, &trap_result::name);
}

TEST(Traps, AllNineSayClaimTruthAndCatch) {
  const auto device = make_host_backend();
  const auto results = run_traps(*device, quick_settings());
  std::vector<std::string> names;
  for (const trap_result& result : results) {
    names.push_back(result.name);
    for (const std::string* text :
         {&result.mistake, &result.claim, &result.truth, &result.caught_by}) {
      EXPECT_FALSE(text->empty()) << result.name;
      EXPECT_EQ(text->find('\n'), std::string::npos) << result.name;
    }
    EXPECT_EQ(result.applicable, result.name != "host_clock") << result.name;
    if (!result.applicable) continue;
    EXPECT_GT(result.figure("claimed_gbps"), 0) << result.name;
    EXPECT_GT(result.figure("true_gbps"), 0) << result.name;
    EXPECT_NE(result.claim.find(" GB/s"), std::string::npos) << result.claim;
    EXPECT_NE(result.truth.find(" GB/s"), std::string::npos) << result.truth;
  }
  EXPECT_EQ(names, kNames);
  EXPECT_TRUE(all_refused(results));
}

TEST(Traps, WrongResultsMustBeRefusedAndAre) {
  const auto device = make_host_backend();
  const auto results = run_traps(*device, quick_settings());
  for (const trap_result& result : results) {
    const bool wrong_result =
        result.name == "skips" || result.name == "modulo" || result.name == "removed_loads";
    EXPECT_EQ(result.must_be_refused, wrong_result) << result.name;
    EXPECT_EQ(result.refused, wrong_result) << result.name;
  }
  // 64 KiB are 16384 elements; of stride 32 there are 512.
  EXPECT_NE(named(results, "skips").caught_by.find("8192 elements wrong, the first at index 1:"),
            std::string::npos);
  EXPECT_NE(named(results, "skips").caught_by.find("loads: 8192 elements missed, the first is 1"),
            std::string::npos);
  EXPECT_NE(named(results, "modulo").caught_by.find("15872 elements wrong, the first at index 1:"),
            std::string::npos);
  EXPECT_NE(named(results, "modulo").caught_by.find("loads: 512 elements repeated, the first is 0"),
            std::string::npos);
  EXPECT_DOUBLE_EQ(named(results, "modulo").figure("stride8_sector_share"), 1);
  EXPECT_DOUBLE_EQ(named(results, "modulo").figure("stride32_sector_share"), 0.25);
}

TEST(Traps, VerificationThatAcceptsEverythingFails) {
  altered_backend device;
  device.compares = device.proves = false;
  const auto results = run_traps(device, quick_settings());
  EXPECT_FALSE(all_refused(results));
  for (const char* name : {"skips", "modulo", "removed_loads"}) {
    EXPECT_TRUE(named(results, name).missed()) << name;
    EXPECT_NE(named(results, name).caught_by.find("NOT CAUGHT"), std::string::npos) << name;
  }
  EXPECT_NE(describe(results).find("0 of the 3 that must be refused were refused; NOT REFUSED: "
                                   "skips; NOT REFUSED: modulo; NOT REFUSED: removed_loads\n"),
            std::string::npos)
      << describe(results);
}

TEST(Traps, EitherCheckThatIsBlindIsNoticed) {
  for (const bool compares : {false, true}) {
    altered_backend device;
    device.compares = compares;
    device.proves = !compares;
    const auto results = run_traps(device, quick_settings());
    EXPECT_FALSE(all_refused(results)) << compares;
    EXPECT_TRUE(named(results, "skips").missed());
    EXPECT_TRUE(named(results, "modulo").missed());
    EXPECT_EQ(named(results, "removed_loads").missed(), !compares);
  }
}

TEST(Traps, CacheThatHoldsTheBufferIsNamed) {
  altered_backend device;
  device.cache_bytes = index_t{64} << 10;  // 2 x 16 KiB fit, 2 x 64 KiB do not
  const trap_result held = named(run_traps(device, quick_settings()), "fits_in_cache");
  EXPECT_EQ(held.caught_by,
            "label cache_resident=l9: the copy touches 32 KiB, l9 holds 64 KiB; no percentage of "
            "the peak then");
  EXPECT_EQ(held.truth.find("fit too"), std::string::npos);
  EXPECT_EQ(held.figure("cache_resident"), 1);

  altered_backend unknown;
  unknown.cache_bytes = 0;
  const trap_result free = named(run_traps(unknown, quick_settings()), "fits_in_cache");
  EXPECT_EQ(free.caught_by, "NOT CAUGHT: the size of the last cache is not known here");
  EXPECT_EQ(free.figure("cache_resident"), 0);
}

TEST(Traps, ClaimAboveThePeakOfAGpuIsNamed) {
  altered_backend device;
  device.number = 0;
  device.peak = 1;  // byte per second
  const trap_result result = named(run_traps(device, quick_settings()), "host_clock");
  EXPECT_TRUE(result.applicable);
  EXPECT_NE(result.caught_by.find("label above_peak: the claim is "), std::string::npos)
      << result.caught_by;
}

TEST(Traps, TextFitsItsLines) {
  const auto device = make_host_backend();
  std::istringstream lines(describe(run_traps(*device, quick_settings())));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 120u) << line;
  EXPECT_GE(count, 9 * 4 + 1);
}

TEST(Traps, SizeIsRoundedToAPowerOfTwo) {
  const auto device = make_host_backend();
  trap_settings settings = quick_settings();
  settings.buffer_bytes = 4 * 5000;  // 4096 elements
  const auto results = run_traps(*device, settings);
  EXPECT_NE(named(results, "skips").truth.find("only 2048 of 4096 elements"), std::string::npos)
      << named(results, "skips").truth;
  settings.buffer_bytes = 1;
  EXPECT_NE(named(run_traps(*device, settings), "skips").truth.find("only 512 of 1024 elements"),
            std::string::npos);
}

}  // namespace
}  // namespace sectorbench
