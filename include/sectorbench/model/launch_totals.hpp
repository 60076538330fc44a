// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sectorbench/model/bank_model.hpp"
#include "sectorbench/model/sector_model.hpp"
#include "sectorbench/pattern/pattern.hpp"

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
  constexpr side_totals& operator+=(const side_totals& other) {
    requests += other.requests;
    sectors += other.sectors;
    lines += other.lines;
    return *this;
  }
  constexpr side_totals& operator*=(std::uint64_t times) {
    requests *= times;
    sectors *= times;
    lines *= times;
    return *this;
  }
  friend constexpr bool operator==(const side_totals&, const side_totals&) = default;

 private:
  constexpr double per_request(std::uint64_t count) const {
    return requests == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(requests);
  }
};

/// What a launch asks of the blocks' shared memory.
struct shared_totals {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t conflicts = 0;  ///< wavefronts more than without bank conflicts

  constexpr shared_totals& operator+=(const shared_totals& other) {
    requests += other.requests;
    wavefronts += other.wavefronts;
    conflicts += other.conflicts;
    return *this;
  }
  constexpr shared_totals& operator*=(std::uint64_t times) {
    requests *= times;
    wavefronts *= times;
    conflicts *= times;
    return *this;
  }
  friend constexpr bool operator==(const shared_totals&, const shared_totals&) = default;
};

/// One request of a warp as the trace records it.
struct traced_request {
  enum class kind { kLoad, kStore, kIndex, kSlotLoad, kSlotStore };

  kind what = kind::kLoad;
  int bytes = 0;             ///< that a lane asks for
  std::uint32_t active = 0;  ///< bit i: lane i asks for bytes
  std::array<std::uint64_t, kWarpLanes> address{};
};

/// What a launch asks for.
struct launch_totals {
  side_totals loads, stores;                  ///< of elements
  side_totals indices{};                      ///< loads of index list entries
  shared_totals slot_loads{}, slot_stores{};  ///< of staged values

  /// The side of requests of that kind. @pre they are none on shared memory
  constexpr side_totals& of(traced_request::kind what) {
    if (what == traced_request::kind::kLoad) return loads;
    return what == traced_request::kind::kStore ? stores : indices;
  }
  constexpr std::uint64_t sector_bytes() const {
    return (loads.sectors + stores.sectors) * kSectorBytes;
  }
  /// Adds the totals of other blocks.
  constexpr launch_totals& operator+=(const launch_totals& other) {
    loads += other.loads;
    stores += other.stores;
    indices += other.indices;
    slot_loads += other.slot_loads;
    slot_stores += other.slot_stores;
    return *this;
  }
  /// As of so many times the blocks.
  constexpr launch_totals& operator*=(std::uint64_t times) {
    loads *= times;
    stores *= times;
    indices *= times;
    slot_loads *= times;
    slot_stores *= times;
    return *this;
  }
  friend constexpr bool operator==(const launch_totals&, const launch_totals&) = default;
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
    record(traced_request::kind::kLoad, on, (loads_.first + i) * width_, width_);
    return 0;
  }
  void store(bool on, index_t i, value) {
    record(traced_request::kind::kStore, on, (stores_.first + i) * width_, width_);
  }
  template <int V>
  pack<value, V> load(bool on, index_t i, together_t<V>) {
    record(traced_request::kind::kLoad, on, (loads_.first + i) * width_, V * width_);
    return {};
  }
  template <int V>
  void store(bool on, index_t i, const pack<value, V>&) {
    record(traced_request::kind::kStore, on, (stores_.first + i) * width_, V * width_);
  }
  void stage(bool on, index_t slot, value) {
    record(traced_request::kind::kSlotStore, on, slot * width_, width_);
  }
  value staged(bool on, index_t slot) {
    record(traced_request::kind::kSlotLoad, on, slot * width_, width_);
    return 0;
  }
  value sum(value, value) { return 0; }
  value worked(value, unsigned) { return 0; }
  value made(bool, index_t) { return 0; }
  void sink(bool, value) {}
  template <class Meant>
  index_t index(bool on, index_t slot, const Meant& meant) {
    record(traced_request::kind::kIndex, on, slot * index_t{sizeof(index_entry)},
           sizeof(index_entry));
    return on ? meant() : 0;
  }

 private:
  void record(traced_request::kind what, bool on, index_t byte, int bytes) {
    if (call_ == requests_.size()) requests_.emplace_back();
    traced_request& request = requests_[call_];
    if (call_ == calls_) {
      request.what = what;
      request.bytes = bytes;
      request.active = 0;
      ++calls_;
    }
    ++call_;
    if (!on) return;
    request.active |= 1U << lane_;
    request.address[static_cast<std::size_t>(lane_)] = static_cast<std::uint64_t>(byte);
  }

  side_extent loads_, stores_;
  int width_;
  int lane_ = 0;
  std::size_t call_ = 0, calls_ = 0;
  std::vector<traced_request> requests_;
};

namespace detail {

/// What a request costs; nothing if no GPU takes it, as an access off its alignment: rows of such
/// are refused before they are launched.
inline request_count count_or_none(std::span<const std::uint64_t> addresses, int width,
                                   std::uint32_t active) {
  const sector_result result = count_accesses(addresses, static_cast<std::uint32_t>(width), active);
  return result.ok() ? result.value() : request_count{};
}

/// Counts of a full warp whose lanes lie `distance` bytes apart, by the position of its first lane
/// in a line: equal warps are counted once.
class affine_counts {
 public:
  const request_count& of(std::uint64_t first, std::uint64_t distance, int width) {
    if (distance != distance_ || width != width_) {
      distance_ = distance;
      width_ = width;
      known_ = {};
    }
    const auto phase = static_cast<std::size_t>(first % kLineBytes);
    if (known_[phase].requests == 0) {
      // Lanes that count backwards need room below them, so that no address passes zero.
      std::array<std::uint64_t, kWarpLanes> address{};
      const std::uint64_t base = phase + (std::uint64_t{1} << 62);
      for (std::size_t lane = 0; lane < address.size(); ++lane)
        address[lane] = base + lane * distance;
      known_[phase] = count_or_none(address, width_, ~std::uint32_t{0});
    }
    return known_[phase];
  }

 private:
  int width_ = 0;
  std::uint64_t distance_ = 0;
  std::array<request_count, kLineBytes> known_{};
};

/// Walks a launch and adds up its warps.
template <class Op, access_pattern P>
class launch_counter {
 public:
  launch_counter(const P& pattern, block_size block, int width)
      : pattern_(pattern),
        shape_(pattern.shape(block)),
        threads_(static_cast<int>(shape_.block.threads())),
        memory_(pattern.loads(), pattern.stores(), width) {
    thread_.block_size_x = shape_.block.x;
    thread_.block_size_y = shape_.block.y;
    thread_.grid_x = static_cast<unsigned>(shape_.grid_x);
    thread_.grid_y = static_cast<unsigned>(shape_.grid_y);
  }

  /// The totals of the blocks [first, last) of the launch, x fastest.
  launch_totals count(index_t first, index_t last) {
    totals_ = {};
    for (index_t block = first; block < last; ++block) {
      thread_.block_x = static_cast<unsigned>(block % shape_.grid_x);
      thread_.block_y = static_cast<unsigned>(block / shape_.grid_x % shape_.grid_y);
      thread_.block_z = static_cast<unsigned>(block / shape_.grid_x / shape_.grid_y);
      count_block();
    }
    return totals_;
  }

 private:
  static constexpr int kLastLane = kWarpLanes - 1;

  void count_block() {
    if (threads_ % kWarpLanes == 0 && count_affine(0, threads_)) return;
    for (int first = 0; first < threads_; first += kWarpLanes) {
      const int lanes = std::min(kWarpLanes, threads_ - first);
      if (lanes < kWarpLanes || !count_affine(first, lanes)) count_lane_by_lane(first, lanes);
    }
  }

  /// Counts whole warps, from thread `first` of the block on, by their first and last threads
  /// alone; false if those do not tell enough.
  bool count_affine(int first, int threads) {
    if constexpr (!P::kThreadsAffine) return false;
    memory_.begin_warp();
    const std::size_t calls = trace(first, 0);
    if (trace(first + threads - 1, kLastLane) != calls) return false;
    constexpr std::uint32_t kEnds = 1U | (1U << kLastLane);
    for (const traced_request& request : memory_.requests())
      if (request.active != kEnds || is_shared(request)) return false;

    const int warps = threads / kWarpLanes;
    for (const traced_request& request : memory_.requests()) {
      const kind_of_request kind = parts_of(request.what);
      const auto apart = static_cast<std::int64_t>(request.address[kLastLane] - request.address[0]);
      const auto distance = static_cast<std::uint64_t>(apart / (threads - 1));
      const std::uint64_t warp_distance = distance * kWarpLanes;
      // Warps that begin at the same place of a line are equal.
      if (warp_distance % kLineBytes == 0) {
        add(kind.totals, kind.counts.of(request.address[0], distance, request.bytes), warps);
      } else {
        for (int warp = 0; warp < warps; ++warp)
          add(kind.totals,
              kind.counts.of(request.address[0] + static_cast<std::uint64_t>(warp) * warp_distance,
                             distance, request.bytes),
              1);
      }
    }
    return true;
  }

  void count_lane_by_lane(int first, int lanes) {
    memory_.begin_warp();
    for (int lane_number = 0; lane_number < lanes; ++lane_number)
      trace(first + lane_number, lane_number);
    const auto warp = static_cast<std::size_t>(first / kWarpLanes);
    if (known_.size() <= warp) known_.resize(warp + 1);
    known_[warp].resize(memory_.requests().size());
    for (std::size_t call = 0; call < memory_.requests().size(); ++call)
      add(known_[warp][call].of(memory_.requests()[call]));
  }

  /// What a request costs, remembered for the next block's: most often it is the same but for a
  /// shift by whole lines.
  class remembered {
   public:
    const launch_totals& of(const traced_request& request) {
      if (!is_shift(request)) {
        last_ = request;
        cost_ = cost_of(request);
      }
      return cost_;
    }

   private:
    bool is_shift(const traced_request& request) const {
      if (request.what != last_.what || request.bytes != last_.bytes ||
          request.active != last_.active || request.active == 0)
        return false;
      const auto lowest = static_cast<std::size_t>(std::countr_zero(request.active));
      const std::uint64_t shift = request.address[lowest] - last_.address[lowest];
      if (shift % kLineBytes != 0) return false;
      std::uint32_t same = 0;
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
        same |= static_cast<std::uint32_t>(request.address[lane] - last_.address[lane] == shift)
                << lane;
      return (same & request.active) == request.active;
    }

    traced_request last_;
    launch_totals cost_;
  };

  static launch_totals cost_of(const traced_request& request) {
    launch_totals cost;
    if (is_shared(request)) {
      const wavefront_count count =
          count_wavefronts(request.address, request.bytes, request.active);
      shared_totals& totals =
          request.what == traced_request::kind::kSlotLoad ? cost.slot_loads : cost.slot_stores;
      totals.requests = static_cast<std::uint64_t>(count.requests);
      totals.wavefronts = static_cast<std::uint64_t>(count.wavefronts);
      totals.conflicts = static_cast<std::uint64_t>(count.conflicts());
    } else {
      add(cost.of(request.what), count_or_none(request.address, request.bytes, request.active), 1);
    }
    return cost;
  }
  void add(const launch_totals& cost) { totals_ += cost; }

  static bool is_shared(const traced_request& request) {
    return request.what == traced_request::kind::kSlotLoad ||
           request.what == traced_request::kind::kSlotStore;
  }

  struct kind_of_request {
    side_totals& totals;
    affine_counts& counts;
  };
  /// @pre the request is none on shared memory
  kind_of_request parts_of(traced_request::kind what) {
    affine_counts& counts = what == traced_request::kind::kLoad    ? load_counts_
                            : what == traced_request::kind::kStore ? store_counts_
                                                                   : index_counts_;
    return {totals_.of(what), counts};
  }
  /// Runs the body for one thread of the block, as the given lane; how many verbs it called.
  std::size_t trace(int thread, int lane_number) {
    thread_.thread_x = static_cast<unsigned>(thread) % shape_.block.x;
    thread_.thread_y = static_cast<unsigned>(thread) / shape_.block.x;
    memory_.begin_lane(lane_number);
    run_all(pattern_, thread_, access<Op, trace_memory>{memory_});
    return memory_.lane_calls();
  }

  static void add(side_totals& side, const request_count& count, int times) {
    const auto n = static_cast<std::uint64_t>(times);
    side.requests += static_cast<std::uint64_t>(count.requests) * n;
    side.sectors += static_cast<std::uint64_t>(count.sectors) * n;
    side.lines += static_cast<std::uint64_t>(count.lines) * n;
  }

  const P& pattern_;
  launch_shape shape_;
  int threads_;
  trace_memory memory_;
  affine_counts load_counts_, store_counts_, index_counts_;
  std::vector<std::vector<remembered>> known_;  // by warp of the block and call
  lane thread_{};
  launch_totals totals_;
};

}  // namespace detail

/// The totals of the blocks [first, last) of a launch, x fastest; otherwise as `count_launch`.
template <class Op, access_pattern P>
launch_totals count_blocks(const P& pattern, block_size block, int width, index_t first,
                           index_t last) {
  return detail::launch_counter<Op, P>(pattern, block, width).count(first, last);
}

/// The totals of one launch of `pattern` under operation `Op`.
///
/// Where the pattern declares affine threads, a full block, else a full warp, is judged by its
/// first and last threads; all other warps lane by lane.
/// @param width bytes of an element: 1, 2, 4, 8 or 16
template <class Op, access_pattern P>
launch_totals count_launch(const P& pattern, block_size block, int width) {
  return count_blocks<Op>(pattern, block, width, 0, pattern.shape(block).blocks());
}

}  // namespace sectorbench
