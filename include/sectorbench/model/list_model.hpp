// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/model/reuse_profile.hpp"
#include "sectorbench/pattern/repeated_places.hpp"

/// @file
/// Requests and reuse of a side that is a formula: what `launch_totals.hpp` and `reuse_profile.hpp`
/// find by walking a launch, in time and memory that do not grow with its threads.

namespace sectorbench {

/// One side of a launch: thread r of n accesses one element of `width` bytes at `places.of(r)`.
struct placed_side {
  traced_request::kind what;
  repeated_places places;
  index_t threads;  ///< of the launch that access an element: ranks 0 to threads - 1
  int width;        ///< bytes of an element
  int call = 0;     ///< which of the calls of a thread this is
};

/// The requests of the blocks [first, last) of `block_threads` threads each.
inline side_totals count_side(const placed_side& side, index_t block_threads, index_t first,
                              index_t last) {
  side_totals totals;
  detail::affine_counts dense;
  std::array<std::uint64_t, kWarpLanes> address{};
  const index_t end = std::min(last * block_threads, side.threads);
  for (index_t rank = first * block_threads; rank < end;) {
    const index_t in_block = rank % block_threads;
    const index_t lanes = std::min({index_t{kWarpLanes}, block_threads - in_block, end - rank});
    index_t j = rank % side.places.length;
    index_t base = side.places.delta * (rank / side.places.length);
    const bool one_run = side.places.entries == nullptr && j + lanes <= side.places.length;
    request_count count;
    if (one_run && lanes == kWarpLanes) {
      count = dense.of(static_cast<std::uint64_t>((side.places.entry(j) + base) * side.width),
                       static_cast<std::uint64_t>(side.width), side.width);
    } else {
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes); ++lane) {
        address[lane] = static_cast<std::uint64_t>((side.places.entry(j) + base) * side.width);
        if (++j == side.places.length) {
          j = 0;
          base += side.places.delta;
        }
      }
      count = detail::count_or_none({address.data(), static_cast<std::size_t>(lanes)}, side.width,
                                    ~std::uint32_t{0});
    }
    totals += {static_cast<std::uint64_t>(count.requests),
               static_cast<std::uint64_t>(count.sectors), static_cast<std::uint64_t>(count.lines)};
    rank += lanes;
  }
  return totals;
}

namespace detail {

/// The visits of one side, whose calls access elements of one buffer.
class side_sampler {
 public:
  /// @param bytes of the buffer
  side_sampler(std::span<const placed_side> calls, std::uint64_t bytes, index_t block_threads)
      : calls_(calls),
        block_threads_(block_threads),
        pages_(0, bytes, pages_for(calls.front(), bytes)) {}

  side_profile sample() {
    const index_t kept = kept_repetitions();
    for (const placed_side& side : calls_) {
      const repeated_places& places = side.places;
      for_each_entry(side, kept, [&](index_t j, index_t low, index_t high) {
        index_t i = 0;
        if (places.delta > 0)
          i = groups_of(places.delta, std::max<index_t>(low - places.entry(j), 0));
        for (; i < kept && places.entry(j) + i * places.delta < high; ++i)
          if (const index_t rank = i * places.length + j; rank < side.threads) visit(side, rank);
      });
    }
    result_.pages = pages_.pages();
    result_.scale = pages_.scale();
    return std::move(result_);
  }

 private:
  static constexpr index_t kMostAccesses = index_t{1} << 20;  // that are kept of a side

  /// Fewer pages of a side that grows, the more accesses each has.
  static int pages_for(const placed_side& side, std::uint64_t bytes) {
    if (side.places.delta == 0) return kSampledPages;
    const auto pages = static_cast<index_t>(bytes / kPageBytes + 1);
    return static_cast<int>(
        std::clamp<index_t>(kMostAccesses / (side.threads / pages + 1), 1, kSampledPages));
  }

  index_t repetitions() const {
    return groups_of(calls_.front().places.length, calls_.front().threads);
  }

  /// The repetitions that are looked at, and what they span.
  index_t kept_repetitions() {
    const repeated_places& places = calls_.front().places;
    if (places.delta > 0) return repetitions();
    index_t sampled = 0;
    for (const placed_side& side : calls_)
      for_each_entry(side, 1, [&](index_t, index_t, index_t) { ++sampled; });
    index_t kept = std::max<index_t>(2, kMostAccesses / std::max<index_t>(sampled, 1));
    const index_t in_whole_blocks = block_threads_ / std::gcd(block_threads_, places.length);
    if (kept > in_whole_blocks) kept -= kept % in_whole_blocks;
    if (kept >= repetitions()) return repetitions();
    result_.span_blocks =
        static_cast<double>(kept * places.length) / static_cast<double>(block_threads_);
    return kept;
  }

  /// Calls take(j, low, high) for each entry j and each sampled page, of elements [low, high), that
  /// some of its repetitions may lie in.
  template <class Take>
  void for_each_entry(const placed_side& side, index_t repetitions, const Take& take) const {
    const repeated_places& places = side.places;
    const auto of_pages = [&](index_t lowest, index_t highest, const auto& then) {
      pages_.pages_in(static_cast<std::uint64_t>(lowest * side.width),
                      static_cast<std::uint64_t>(highest * side.width),
                      [&](std::uint64_t begin, std::uint64_t end) {
                        then(static_cast<index_t>(begin) / side.width,
                             static_cast<index_t>(end) / side.width);
                      });
    };
    if (places.entries == nullptr && places.delta == 0) {  // may be as long as the launch
      of_pages(places.first, places.first + places.length - 1, [&](index_t low, index_t high) {
        const index_t end = std::min(high - places.first, places.length);
        for (index_t j = std::max<index_t>(low - places.first, 0); j < end; ++j) take(j, low, high);
      });
      return;
    }
    for (index_t j = 0; j < places.length; ++j)
      of_pages(places.entry(j), places.entry(j) + places.delta * (repetitions - 1),
               [&](index_t low, index_t high) { take(j, low, high); });
  }

  void visit(const placed_side& side, index_t rank) {
    const index_t warps = groups_of(kWarpLanes, block_threads_);
    pages_.touch(
        static_cast<std::uint64_t>(side.places.of(rank) * side.width), side.width,
        [&](std::uint32_t sector, std::uint32_t bytes) {
          result_.visits.push_back(
              {sector, static_cast<std::uint32_t>(rank / block_threads_),
               static_cast<std::uint32_t>(rank % block_threads_ / kWarpLanes + side.call * warps),
               bytes});
        });
  }

  std::span<const placed_side> calls_;
  index_t block_threads_;
  page_sampler pages_;
  side_profile result_;
};

}  // namespace detail

/// The visits of one side to sampled pages of its buffer; `order_profile` ends them.
///
/// A side that does not grow (delta = 0) comes back to the same elements for ever: of a long launch
/// some repetitions stand for all, and `span_blocks` says how many blocks they take.
/// @param calls of the threads, all with one length and one delta @param bytes of the buffer
inline side_profile sample_side(std::span<const placed_side> calls, std::uint64_t bytes,
                                index_t block_threads) {
  if (calls.empty() || bytes == 0) return {};
  return detail::side_sampler(calls, bytes, block_threads).sample();
}

}  // namespace sectorbench
