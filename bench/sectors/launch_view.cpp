// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/launch_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>

#include "bench/sectors/bank_view.hpp"
#include "bench/sectors/periods.hpp"
#include "bench/sectors/warp_view.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

// Requests of formulas of at most kUsualSteps numbers, names and operators; of longer ones fewer.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 20;  // if they stand for all
constexpr std::int64_t kDrawn = std::int64_t{1} << 18;        // if they do not
constexpr std::int64_t kUsualSteps = 32, kLeastDrawn = 64;
constexpr std::uint64_t kSeed = 1;

// Sums over requests, all of whole numbers that a double holds exactly.
struct sums {
  double requests = 0, cost = 0, squares = 0, ideal = 0, lines = 0;
  double requested_bytes = 0, unique_bytes = 0;
  warp_cost fewest, most;

  void add(const sums& one, double times) {
    requests += times * one.requests;
    cost += times * one.cost;
    squares += times * one.squares;
    ideal += times * one.ideal;
    lines += times * one.lines;
    requested_bytes += times * one.requested_bytes;
    unique_bytes += times * one.unique_bytes;
  }
};

// Of one request of instruction k.
sums count(const warp_access& access, std::size_t k, bool is_shared) {
  sums one;
  request_count bytes;
  if (is_shared) {
    const bank_instruction counted = count_banks(access, k);
    bytes = counted.bytes;
    one.cost = counted.count.wavefronts;
    one.ideal = counted.count.least;
  } else {
    bytes = count_instruction(access, k);
    one.cost = bytes.sectors;
    one.ideal = bytes.ideal_sectors();
    one.lines = bytes.lines;
  }
  one.requests = bytes.requests;
  one.squares = one.cost * one.cost;
  one.requested_bytes = static_cast<double>(bytes.requested_bytes);
  one.unique_bytes = static_cast<double>(bytes.unique_bytes);
  return one;
}

// Adds what a warp costs, so many times, to the sums of an instruction or of all.
void add_warp(const sums& one, const warp_cost& here, double times, sums& to) {
  if (to.requests == 0 || here.per_request < to.fewest.per_request) to.fewest = here;
  if (to.requests == 0 || here.per_request > to.most.per_request) to.most = here;
  to.add(one, times);
}

// Half the width of the interval that holds the average with 95 % confidence, whatever is counted
// (A. Maurer and M. Pontil, Empirical Bernstein Bounds and Sample-Variance Penalization, theorem 4,
// on both sides).
double error_of(double squares, double average, double drawn) {
  constexpr double kMostOfARequest = 32;
  const double log_term = std::log(2 / (0.05 / 2));
  const double variance = std::max(0.0, (squares - drawn * average * average) / (drawn - 1));
  return std::sqrt(2 * variance * log_term / drawn) +
         7 * kMostOfARequest * log_term / (3 * (drawn - 1));
}

class counter {
 public:
  counter(const layout& of, bool is_shared)
      : of_(of), is_shared_(is_shared), instructions_(of.sources.size() * of.fields.size()) {}

  // The warp's requests, each `times` over.
  void look_at(const block_place& block, std::int64_t warp, double times) {
    try {
      const warp_access access = place_warp(of_, block, warp);
      if (access.active == 0) return;
      sums together;
      for (std::size_t k = 0; k < instructions_.size(); ++k) {
        const sums one = count(access, k, is_shared_);
        if (times > 0) add_warp(one, {block, warp, one.cost}, times, instructions_[k]);
        together.add(one, 1);
      }
      if (times == 0) return;
      const double average = together.cost / together.requests;
      together.squares = average * average * together.requests;
      add_warp(together, {block, warp, average}, times, all_);
    } catch (const usage_error& error) {
      throw usage_error("block " + place_text(block) + ", warp " + std::to_string(warp) + ": " +
                        error.what());
    }
  }

  // Of what was looked at, `drawn` warps; all of those there are if 0.
  void report(double drawn, launch_view& to) const {
    const auto average = [&](const sums& of) {
      launch_average result;
      if (of.requests == 0) return result;
      result = {of.cost / of.requests,
                of.ideal / of.requests,
                of.lines / of.requests,
                of.requested_bytes / of.requests,
                of.unique_bytes / of.requests,
                0,
                of.fewest,
                of.most};
      if (drawn > 0) result.error = error_of(of.squares / of.requests * drawn, result.cost, drawn);
      return result;
    };
    for (const sums& one : instructions_) to.instructions.push_back(average(one));
    to.all = average(all_);
  }

 private:
  const layout& of_;
  bool is_shared_;
  std::vector<sums> instructions_;
  sums all_;
};

// How many times longer than usual it takes to place a request.
std::int64_t slowness(const layout& of) {
  std::int64_t steps = 0;
  for (const source& from : of.sources)
    for (const term& one : from.terms)
      steps += one.formula.fold(
          [](std::int64_t) { return 1; }, [](std::size_t) { return 1; },
          [](const expression::step&, int left, int right) { return left + right + 1; });
  const auto requests = static_cast<std::int64_t>(of.sources.size() * of.fields.size());
  return std::max<std::int64_t>(1, steps / requests / kUsualSteps);
}

// The blocks of a class along one dimension: how many, and where the last one is.
std::int64_t members(std::int64_t first, std::int64_t period, std::int64_t blocks) {
  return (blocks - 1 - first) / period + 1;
}

template <typename Visit>
void for_each_block(const block_place& size, Visit visit) {
  block_place at{};
  for (at[2] = 0; at[2] < size[2]; ++at[2])
    for (at[1] = 0; at[1] < size[1]; ++at[1])
      for (at[0] = 0; at[0] < size[0]; ++at[0]) visit(at);
}

}  // namespace

launch_view launch_of(const layout& of, bool is_shared) {
  const extent &block = *of.shape.block, &grid = *of.shape.grid;
  const block_place blocks{grid.x, grid.y, grid.z};
  const std::int64_t warps = of.shape.warps();
  launch_view view{block, grid, warps * grid.count(), 0, 0, true, {}, {}};
  std::vector<std::int64_t> active;
  for (std::int64_t warp = 0; warp < warps; ++warp)
    if ((of.lanes & possible_lanes(of, warp)) != 0) active.push_back(warp);
  const auto instructions = static_cast<std::int64_t>(of.sources.size() * of.fields.size());
  const auto active_warps = static_cast<std::int64_t>(active.size());
  view.requests = active_warps * grid.count() * instructions;

  if (active.empty()) return view;

  const launch_periods periods = periods_of(of);
  const std::int64_t room =
      static_cast<std::int64_t>(kMaxSharedBytes) - static_cast<std::int64_t>(of.width_bytes);
  const bool is_safe = periods.is_bounded && (!is_shared || periods.highest <= room);
  block_place size{};
  std::array<bool, 3> has_ends{};
  double looks = static_cast<double>(active_warps * instructions);
  for (std::size_t i = 0; i < size.size(); ++i) {
    size[i] = periods.along[i].length;
    has_ends[i] = periods.along[i].moves && !is_safe;
    looks *= static_cast<double>(size[i]) * (has_ends[i] ? 2 : 1);
  }

  counter count(of, is_shared);
  const std::int64_t slow = slowness(of);
  if (looks <= static_cast<double>(kMostCounted / slow)) {
    view.counted = active_warps * size[0] * size[1] * size[2];
    for_each_block(size, [&](const block_place& first) {
      block_place count_of{}, ends{1, 1, 1};
      double times = 1;
      for (std::size_t i = 0; i < size.size(); ++i) {
        count_of[i] = members(first[i], size[i], blocks[i]);
        times *= static_cast<double>(count_of[i]);
        if (has_ends[i] && count_of[i] > 1) ends[i] = 2;
      }
      for_each_block(ends, [&](const block_place& end) {
        block_place at = first;
        for (std::size_t i = 0; i < at.size(); ++i)
          if (end[i] == 1) at[i] += (count_of[i] - 1) * size[i];
        for (const std::int64_t warp : active) count.look_at(at, warp, at == first ? times : 0);
      });
    });
    count.report(0, view);
    return view;
  }

  view.is_exact = false;
  view.counted = std::max(kDrawn / slow / instructions, kLeastDrawn);
  // The outermost blocks first: their addresses are the least and the greatest of most formulas.
  for_each_block({2, 2, 2}, [&](const block_place& end) {
    block_place at{};
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = end[i] * (blocks[i] - 1);
    for (const std::int64_t warp : active) count.look_at(at, warp, 0);
  });
  std::mt19937_64 random(kSeed);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (std::int64_t i = 0; i < view.counted; ++i) {
    const block_place at{below(grid.x), below(grid.y), below(grid.z)};
    count.look_at(at, active[static_cast<std::size_t>(below(active_warps))], 1);
  }
  count.report(static_cast<double>(view.counted), view);
  return view;
}

}  // namespace sectorbench::sectors
