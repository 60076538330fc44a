// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sectorbench/access/pattern.hpp"
#include "sectorbench/model/sector_model.hpp"

/// @file
/// Requests, sectors and lines of a whole launch of a pattern, as exact integers.
///
/// The pattern's body runs against a memory that records what each lane of a warp asks for; the
/// k-th call of the 32 lanes is one request, which the sector model counts. Both buffers are taken
/// to start at a multiple of 256 bytes, as cudaMalloc gives them.
///
///     const auto totals = sectorbench::count_launch<sectorbench::copy>(pattern, {256}, 4);
///     totals.loads.sectors;  // 8,388,608 for 64 Mi coalesced floats
///
/// Not modelled: caches, DRAM, time, and stores that L1 merges before they reach L2.

namespace sectorbench {

/// What one side of a launch asks for.
struct side_totals {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;

  constexpr double sectors_per_request() const { return per_request(sectors); }
  constexpr double lines_per_request() const { return per_request(lines); }
  friend constexpr bool operator==(const side_totals&, const side_totals&) = default;

 private:
  constexpr double per_request(std::uint64_t count) const {
    return requests == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(requests);
  }
};

/// What a launch asks for.
struct launch_totals {
  side_totals loads, stores;

  constexpr std::uint64_t sector_bytes() const {
    return (loads.sectors + stores.sectors) * kSectorBytes;
  }
  friend constexpr bool operator==(const launch_totals&, const launch_totals&) = default;
};

/// One request of a warp as the trace records it.
struct traced_request {
  enum class kind { kLoad, kStore };

  kind what = kind::kLoad;
  std::uint32_t active = 0;  ///< bit i: lane i asks for bytes
  std::array<std::uint64_t, kWarpLanes> address{};
};

/// The memory of a trace: records the byte addresses of one warp's lanes, call by call.
class trace_memory {
 public:
  using value = int;

  trace_memory(side_extent loads, side_extent stores, int width)
      : loads_(loads), stores_(stores), width_(width) {}

  void begin_warp() { calls_ = 0; }
  void begin_lane(int lane) {
    lane_ = lane;
    call_ = 0;
  }
  /// How many verbs the current lane has called so far.
  std::size_t lane_calls() const { return call_; }
  /// The warp's requests so far.
  std::span<const traced_request> requests() const { return {requests_.data(), calls_}; }

  value load(bool on, index_t i) {
    record(traced_request::kind::kLoad, on, loads_.first + i);
    return 0;
  }
  void store(bool on, index_t i, value) {
    record(traced_request::kind::kStore, on, stores_.first + i);
  }
  value made(bool, index_t) { return 0; }
  void sink(bool, value) {}

 private:
  void record(traced_request::kind what, bool on, index_t element) {
    if (call_ == requests_.size()) requests_.emplace_back();
    traced_request& request = requests_[call_];
    if (call_ == calls_) {
      request.what = what;
      request.active = 0;
      ++calls_;
    }
    ++call_;
    if (!on) return;
    request.active |= 1U << lane_;
    request.address[static_cast<std::size_t>(lane_)] =
        static_cast<std::uint64_t>(element) * static_cast<std::uint64_t>(width_);
  }

  side_extent loads_, stores_;
  int width_;
  int lane_ = 0;
  std::size_t call_ = 0, calls_ = 0;
  std::vector<traced_request> requests_;
};

namespace detail {

/// Counts of a full warp whose lanes lie `distance` bytes apart, by the position of its first lane
/// in a line: equal warps are counted once.
class affine_counts {
 public:
  explicit affine_counts(int width) : width_(width) {}

  const request_count& of(std::uint64_t first, std::uint64_t distance) {
    if (distance != distance_) {
      distance_ = distance;
      known_ = {};
    }
    const auto phase = static_cast<std::size_t>(first % kLineBytes);
    if (known_[phase].requests == 0) {
      // Lanes that count backwards need room below them, so that no address passes zero.
      std::array<std::uint64_t, kWarpLanes> address{};
      const std::uint64_t base = phase + (std::uint64_t{1} << 62);
      for (std::size_t lane = 0; lane < address.size(); ++lane)
        address[lane] = base + lane * distance;
      known_[phase] = count_accesses(address, static_cast<std::uint32_t>(width_)).value();
    }
    return known_[phase];
  }

 private:
  int width_;
  std::uint64_t distance_ = 0;
  std::array<request_count, kLineBytes> known_{};
};

}  // namespace detail

/// The totals of one launch of `pattern` under operation `Op`.
///
/// Where the pattern declares affine lanes, a full warp is judged by its first and last lanes; all
/// other warps lane by lane.
/// @param width bytes of an element: 1, 2, 4, 8 or 16
template <class Op, access_pattern P>
launch_totals count_launch(const P& pattern, block_size block, int width) {
  const launch_shape shape = pattern.shape(block);
  const int block_threads = static_cast<int>(shape.block.threads());
  const auto u = [](auto v) { return static_cast<unsigned>(v); };
  trace_memory memory(pattern.loads(), pattern.stores(), width);
  detail::affine_counts load_counts(width), store_counts(width);
  launch_totals totals;

  const auto add = [&](traced_request::kind what, const request_count& count) {
    side_totals& side = what == traced_request::kind::kLoad ? totals.loads : totals.stores;
    side.requests += static_cast<std::uint64_t>(count.requests);
    side.sectors += static_cast<std::uint64_t>(count.sectors);
    side.lines += static_cast<std::uint64_t>(count.lines);
  };

  lane thread{0, 0, 0, 0, 0, shape.block.x, shape.block.y, u(shape.grid_x), u(shape.grid_y)};
  const auto trace = [&](int first_thread, int lane_number) {
    const unsigned number = u(first_thread + lane_number);
    thread.thread_x = number % shape.block.x;
    thread.thread_y = number / shape.block.x;
    memory.begin_lane(lane_number);
    pattern.run(thread, access<Op, trace_memory>{memory});
    return memory.lane_calls();
  };
  constexpr std::uint32_t kEnds = 1U | (1U << (kWarpLanes - 1));

  for (index_t z = 0; z < shape.grid_z; ++z)
    for (index_t y = 0; y < shape.grid_y; ++y)
      for (index_t x = 0; x < shape.grid_x; ++x) {
        thread.block_x = u(x);
        thread.block_y = u(y);
        thread.block_z = u(z);
        for (int first = 0; first < block_threads; first += kWarpLanes) {
          const int lanes = std::min(kWarpLanes, block_threads - first);
          if (P::kLanesAffine && lanes == kWarpLanes) {
            memory.begin_warp();
            const std::size_t first_calls = trace(first, 0);
            bool full = trace(first, kWarpLanes - 1) == first_calls;
            for (const traced_request& request : memory.requests())
              full = full && request.active == kEnds;
            if (full) {
              for (const traced_request& request : memory.requests()) {
                auto& counts =
                    request.what == traced_request::kind::kLoad ? load_counts : store_counts;
                const std::uint64_t span = request.address.back() - request.address.front();
                add(request.what,
                    counts.of(request.address.front(),
                              static_cast<std::uint64_t>(static_cast<std::int64_t>(span) /
                                                         (kWarpLanes - 1))));
              }
              continue;
            }
          }
          memory.begin_warp();
          for (int lane_number = 0; lane_number < lanes; ++lane_number) trace(first, lane_number);
          for (const traced_request& request : memory.requests())
            add(request.what,
                count_accesses(request.address, static_cast<std::uint32_t>(width), request.active)
                    .value());
        }
      }
  return totals;
}

}  // namespace sectorbench
