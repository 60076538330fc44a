// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/devices/backend.hpp"

/// @file
/// A backend for tests of what is built upon backends.

namespace sectorbench::test {

using calls = std::vector<std::string>;

/// The seed that a fake backend takes for granted; others it writes down as such.
inline constexpr std::uint64_t kSeed = 5;

/// Moves nothing and writes down what it is asked; answers what a test tells it to.
class fake_backend final : public backend {
 public:
  calls asked;
  std::function<double(int launches)> seconds = [](int launches) { return launches * 1e-4; };
  std::function<std::optional<double>()> disturbed = [] { return std::nullopt; };
  std::function<comparison(int number)> found = [](int) { return comparison{}; };
  coverage_verdict verdict;
  std::string refusal;  // why nothing can be acquired
  bool blocks = true;
  bool leaks = false;  // launches of the author's kernels do something while they are held
  int most_launches = 256;

  // What the device is.
  std::optional<int> number;
  evidence own_facts;
  double peak = 0;  // bytes per second
  index_t cache_bytes = 0;
  std::string cache = "none";
  double floor_s = 0;

  // What else is to be seen of it. count and trace may throw.
  source_status counting, checking_clocks;
  std::function<metric_values(const program&)> counted = [](const program&) {
    return metric_values{};
  };
  std::function<batch_trace()> traced = [] { return batch_trace{}; };
  gpu_condition condition_now;
  std::optional<device_reading> watched;

  // What was asked since the last call.
  calls taken() { return std::exchange(asked, {}); }

  std::string_view name() const override { return "fake"; }
  std::optional<int> index() const override { return number; }
  void activate() override { asked.emplace_back("activate"); }
  evidence facts() const override { return own_facts; }
  std::string headline() const override { return {}; }
  double peak_bytes_per_s() const override { return peak; }
  index_t last_cache_bytes() const override { return cache_bytes; }
  std::string_view last_cache_name() const override { return cache; }

  void acquire(const workload&) override {
    asked.emplace_back("acquire");
    if (!refusal.empty()) throw not_applicable(refusal);
  }
  void put(const kernel_image& image) override {
    if (!image.in.empty()) held_.in = image.in;
    if (!image.out.empty()) held_.out = image.out;
  }
  void get(kernel_image& image) override { image = held_; }
  bool get_while_held(const workload&, kernel_image& image) override {
    image = held_;
    if (leaks) image.out.back() ^= 1;
    return true;
  }
  void fill_input(std::uint64_t seed) override { asked.push_back("fill" + of(seed)); }
  void poison_output() override { asked.emplace_back("poison"); }
  void run_once(const workload&, std::uint64_t seed, bool keep) override {
    asked.push_back("run" + of(seed) + (keep ? " and keep" : ""));
  }
  coverage_verdict prove(const program&) override {
    asked.emplace_back("prove");
    return verdict;
  }
  comparison compare(const program&, std::uint64_t seed) override {
    asked.push_back("compare" + of(seed));
    return found(++comparisons_);
  }
  timed_sample time(const workload&, std::uint64_t, int launches, bool blocking) override {
    asked.push_back("time " + std::to_string(launches) + (blocking ? " blocked" : ""));
    return {seconds(launches), blocking && blocks, disturbed()};
  }
  int max_launches() const override { return most_launches; }
  double event_floor_s() const override { return floor_s; }

  source_status counters() const override { return counting; }
  metric_values count(const workload& work, std::uint64_t seed) override {
    asked.push_back("count" + of(seed));
    return counted(work.meaning());
  }
  source_status clock_check() const override { return checking_clocks; }
  batch_trace trace(const workload&, std::uint64_t seed, int launches, bool blocking) override {
    asked.push_back("trace" + of(seed) + " " + std::to_string(launches) +
                    (blocking ? " blocked" : ""));
    return traced();
  }
  gpu_condition condition() override {
    asked.emplace_back("condition");
    return condition_now;
  }
  std::optional<device_reading> watch(const workload&, std::uint64_t seed, int launches) override {
    asked.push_back("watch" + of(seed) + " " + std::to_string(launches));
    return watched;
  }

 private:
  static std::string of(std::uint64_t seed) { return seed == kSeed ? "" : " other"; }

  int comparisons_ = 0;
  kernel_image held_;
};

/// The status of what is read.
inline source_status switched_on() { return {true, "on", "a test wants it"}; }

/// The row called `name` with so many elements.
inline row_spec row_of(std::string_view name, index_t elements) {
  row_spec row = parse_row(name);
  row.elements = elements;
  return row;
}

}  // namespace sectorbench::test
