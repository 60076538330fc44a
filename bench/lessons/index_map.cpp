// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/index_map.hpp"

#include <string_view>

#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {
namespace {

/// Thread i moves element `places[i]`.
struct mapped {
  static constexpr std::string_view kName = "map";
  static constexpr std::string_view kSummary = "each thread moves the element that a map says";
  static constexpr std::string_view kMapping = "thread i: element map(i)";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;

  std::span<const index_t> places;

  index_t n() const { return static_cast<index_t>(places.size()); }
  launch_shape shape(block_size block) const { return row_of_threads(n(), block); }
  side_extent loads() const { return {n()}; }
  side_extent stores() const { return {n()}; }

  template <class Access>
  void run(const lane& thread, const Access& a) const {
    const index_t i = thread.column();
    const index_t at = i < n() ? places[static_cast<std::size_t>(i)] : 0;
    a.move(i < n(), at, i);
  }
};

}  // namespace

map_verdict judge_map(std::span<const index_t> places) {
  constexpr int kFloat = 4;
  const mapped map{places};
  map_verdict verdict{prove<copy>(map, {})};
  if (verdict.coverage.ok())
    verdict.sectors_per_request = count_launch<copy>(map, {}, kFloat).loads.sectors_per_request();
  return verdict;
}

}  // namespace sectorbench
