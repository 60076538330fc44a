// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/pattern/pattern.hpp"

/// @file
/// When a launch comes back to what it has touched: the input of the traffic model.
///
/// Of each side some pages of 4 KiB are sampled, spread over its extent, and the launch is walked
/// block by block in launch order; kept are the requests that touch a sampled page, with the bytes
/// they touch of each sector. A side of up to kSampledPages pages is kept whole. Nothing here
/// depends on a GPU.
///
/// Not modelled: when a request happens. Blocks start in launch order; how far those that run
/// together drift apart is the traffic model's question.

namespace sectorbench {

inline constexpr int kPageBytes = 4096;
inline constexpr int kPageSectors = kPageBytes / kSectorBytes;
inline constexpr int kSampledPages = 64;

/// One request's part in one sampled sector.
struct sector_visit {
  std::uint32_t sector = 0;   ///< of the samples: page x kPageSectors + sector in the page
  std::uint32_t block = 0;    ///< in launch order
  std::uint32_t request = 0;  ///< of the block: different for different requests
  std::uint32_t bytes = 0;    ///< bit i: byte i of the sector is touched

  friend constexpr bool operator==(const sector_visit&, const sector_visit&) = default;
};

/// One side of a launch: the buffer that is loaded, that is stored, or the index list.
struct side_profile {
  std::vector<sector_visit> visits;  ///< by sector, then in launch order; one for each request
  int pages = 0;                     ///< sampled
  double scale = 0;                  ///< pages of the extent / sampled ones
  /// Blocks that the visits are of, where the side goes on as it began; 0: all of the launch.
  double span_blocks = 0;
};

/// What the traffic model has to know of a launch.
struct reuse_profile {
  side_profile loads, stores, indices;
  std::int64_t blocks = 0;
  int block_threads = 0;
  int rounds = 0;                     ///< times that a thread waits for loads before it goes on
  bool stores_whole_sectors = false;  ///< each request that stores to a sector writes all of it
  /// Bytes of which the distances between lanes of stores are multiples, in the first warp; 0:
  /// none.
  std::uint64_t store_pitch = 0;
};

namespace detail {

/// Which pages of an extent are sampled.
class page_sampler {
 public:
  page_sampler() = default;
  /// Bytes [first, first + bytes) of a buffer. @param most pages
  page_sampler(std::uint64_t first, std::uint64_t bytes, int most = kSampledPages) {
    if (bytes == 0) return;
    first_page_ = first / kPageBytes;
    pages_ = (first + bytes - 1) / kPageBytes - first_page_ + 1;
    parts_ = std::min(pages_, static_cast<std::uint64_t>(most));
    std::uint64_t random = 0x9e3779b97f4a7c15;
    for (std::uint64_t i = 0; i < parts_; ++i) {
      // One page in each of equal parts, anywhere in it: a fixed distance could be the pattern's.
      random = random * 6364136223846793005 + 1442695040888963407;
      sampled_.push_back(begin_of(i) + (random >> 33) % (begin_of(i + 1) - begin_of(i)));
    }
  }

  int pages() const { return static_cast<int>(sampled_.size()); }
  double scale() const {
    return sampled_.empty() ? 0
                            : static_cast<double>(pages_) / static_cast<double>(sampled_.size());
  }

  /// Calls take(sector of the samples, bytes touched of it) for what of [address, address + bytes)
  /// is sampled.
  template <class Take>
  void touch(std::uint64_t address, int bytes, const Take& take) const {
    const std::uint64_t last = address + static_cast<std::uint64_t>(bytes) - 1;
    for (std::uint64_t sector = address / kSectorBytes; sector <= last / kSectorBytes; ++sector) {
      const std::uint64_t page = sector / kPageSectors - first_page_;
      if (page >= pages_) continue;
      const std::uint64_t part = ((page + 1) * parts_ - 1) / pages_;
      if (sampled_[part] != page) continue;
      const std::uint64_t begin = std::max(address, sector * kSectorBytes) % kSectorBytes;
      const std::uint64_t end =
          std::min(last, sector * kSectorBytes + kSectorBytes - 1) % kSectorBytes;
      const auto mask =
          static_cast<std::uint32_t>((~std::uint64_t{0} >> (63 - (end - begin))) << begin);
      take(static_cast<std::uint32_t>(part * kPageSectors + sector % kPageSectors), mask);
    }
  }

  /// Calls take(begin, end) for each sampled page that reaches into [low, high], in bytes.
  template <class Take>
  void pages_in(std::uint64_t low, std::uint64_t high, const Take& take) const {
    if (sampled_.empty() || high / kPageBytes < first_page_) return;
    const std::uint64_t first = std::max(low / kPageBytes, first_page_) - first_page_;
    const std::uint64_t last = high / kPageBytes - first_page_;
    for (auto page = std::ranges::lower_bound(sampled_, first);
         page != sampled_.end() && *page <= last; ++page)
      take((first_page_ + *page) * kPageBytes, (first_page_ + *page + 1) * kPageBytes);
  }

 private:
  /// The first page of part i.
  std::uint64_t begin_of(std::uint64_t i) const { return pages_ * i / parts_; }

  std::uint64_t first_page_ = 0, pages_ = 0, parts_ = 0;
  std::vector<std::uint64_t> sampled_;  // by part, from first_page_
};

/// The memory that keeps what a lane touches of sampled pages.
class sampling_memory {
 public:
  using value = int;

  struct side {
    page_sampler pages;
    std::vector<sector_visit> visits;
  };

  sampling_memory(side_extent loads, side_extent stores, index_t indices, int width)
      : loads_extent_(loads), stores_extent_(stores), width_(width) {
    const auto bytes = [&](index_t elements) {
      return static_cast<std::uint64_t>(elements * width);
    };
    loads_.pages = page_sampler(bytes(loads.first), bytes(loads.elements));
    stores_.pages = page_sampler(bytes(stores.first), bytes(stores.elements));
    indices_.pages = page_sampler(0, static_cast<std::uint64_t>(indices) * sizeof(index_entry));
  }

  void begin_thread(index_t block, int warp, int warps) {
    block_ = static_cast<std::uint32_t>(block);
    request_ = static_cast<std::uint32_t>(warp);
    warps_ = static_cast<std::uint32_t>(warps);
  }

  value load(bool on, index_t i) {
    touch(loads_, on, (loads_extent_.first + i) * width_, width_);
    return 0;
  }
  void store(bool on, index_t i, value) {
    touch(stores_, on, (stores_extent_.first + i) * width_, width_);
  }
  template <int V>
  pack<value, V> load(bool on, index_t i, together_t<V>) {
    touch(loads_, on, (loads_extent_.first + i) * width_, V * width_);
    return {};
  }
  template <int V>
  void store(bool on, index_t i, const pack<value, V>&) {
    touch(stores_, on, (stores_extent_.first + i) * width_, V * width_);
  }
  void stage(bool, index_t, value) {}
  value staged(bool, index_t) { return 0; }
  value sum(value, value) { return 0; }
  value worked(value, unsigned) { return 0; }
  value made(bool, index_t) { return 0; }
  void sink(bool, value) {}
  template <class Meant>
  index_t index(bool on, index_t slot, const Meant& meant) {
    touch(indices_, on, slot * index_t{sizeof(index_entry)}, sizeof(index_entry));
    return on ? meant() : 0;
  }

  side& of(traced_request::kind what) {
    if (what == traced_request::kind::kLoad) return loads_;
    return what == traced_request::kind::kStore ? stores_ : indices_;
  }

  /// Keeps a whole request of `threads` threads from `first` on, `distance` bytes apart.
  void touch_affine(side& to, const traced_request& request, std::int64_t distance, int threads,
                    index_t block, std::uint32_t call, int warps) {
    const auto first = static_cast<std::int64_t>(request.address[0]);
    const std::int64_t end = first + distance * (threads - 1);
    const auto low = static_cast<std::uint64_t>(std::min(first, end));
    const auto high = static_cast<std::uint64_t>(std::max(first, end) + request.bytes - 1);
    to.pages.pages_in(low, high, [&](std::uint64_t begin, std::uint64_t page_end) {
      // The threads whose bytes reach into the page.
      std::int64_t from = 0, to_thread = threads - 1;
      if (distance != 0) {
        const auto page_low = static_cast<std::int64_t>(begin) - request.bytes + 1;
        const auto page_high = static_cast<std::int64_t>(page_end) - 1;
        const std::int64_t a = floor_div((distance > 0 ? page_low : page_high) - first, distance);
        const std::int64_t b = floor_div((distance > 0 ? page_high : page_low) - first, distance);
        from = std::clamp<std::int64_t>(a, 0, threads - 1);
        to_thread = std::clamp<std::int64_t>(b + 1, 0, threads - 1);
      }
      for (std::int64_t thread = from; thread <= to_thread; ++thread) {
        const auto address = static_cast<std::uint64_t>(first + thread * distance);
        to.pages.touch(address, request.bytes, [&](std::uint32_t sector, std::uint32_t bytes) {
          if (sector / kPageSectors != window_at(to, begin)) return;  // another page's turn
          keep(to, {sector, static_cast<std::uint32_t>(block),
                    call * static_cast<std::uint32_t>(warps) +
                        static_cast<std::uint32_t>(thread / kWarpLanes),
                    bytes});
        });
      }
    });
  }

 private:
  static std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  static std::uint32_t window_at(const side& of, std::uint64_t page_begin) {
    std::uint32_t window = 0;
    of.pages.touch(page_begin, 1,
                   [&](std::uint32_t sector, std::uint32_t) { window = sector / kPageSectors; });
    return window;
  }
  static void keep(side& to, const sector_visit& visit) {
    if (!to.visits.empty()) {
      sector_visit& last = to.visits.back();
      if (last.sector == visit.sector && last.block == visit.block &&
          last.request == visit.request) {
        last.bytes |= visit.bytes;
        return;
      }
    }
    to.visits.push_back(visit);
  }
  void touch(side& to, bool on, index_t byte, int bytes) {
    if (on)
      to.pages.touch(static_cast<std::uint64_t>(byte), bytes,
                     [&](std::uint32_t sector, std::uint32_t mask) {
                       keep(to, {sector, block_, request_, mask});
                     });
    request_ += warps_;
  }

  side_extent loads_extent_, stores_extent_;
  int width_;
  side loads_, stores_, indices_;
  std::uint32_t block_ = 0, request_ = 0, warps_ = 1;
};

/// Walks a launch and keeps what touches sampled pages.
template <class Op, access_pattern P>
class reuse_sampler {
 public:
  reuse_sampler(const P& pattern, block_size block, int width)
      : pattern_(pattern),
        shape_(pattern.shape(block)),
        threads_(static_cast<int>(shape_.block.threads())),
        warps_((threads_ + kWarpLanes - 1) / kWarpLanes),
        samples_(pattern.loads(), pattern.stores(), index_entries(pattern), width),
        trace_(pattern.loads(), pattern.stores(), width) {
    thread_.block_size_x = shape_.block.x;
    thread_.block_size_y = shape_.block.y;
    thread_.grid_x = static_cast<unsigned>(shape_.grid_x);
    thread_.grid_y = static_cast<unsigned>(shape_.grid_y);
  }

  void sample(index_t first, index_t last) {
    for (index_t block = first; block < last; ++block) {
      thread_.block_x = static_cast<unsigned>(block % shape_.grid_x);
      thread_.block_y = static_cast<unsigned>(block / shape_.grid_x % shape_.grid_y);
      thread_.block_z = static_cast<unsigned>(block / shape_.grid_x / shape_.grid_y);
      if (!sample_affine(block)) sample_threads(block);
    }
  }

  sampling_memory& samples() { return samples_; }

  /// What the first warp shows of all. Times that a thread waits for loads: groups of them with
  /// anything that needs their values in between.
  void look_at_first_warp(reuse_profile& to) {
    trace_.begin_warp();
    thread_.block_x = thread_.block_y = thread_.block_z = 0;
    for (int lane = 0; lane < std::min(threads_, kWarpLanes); ++lane) trace_thread(lane, lane);
    to.rounds = rounds();
    for (const traced_request& request : trace_.requests())
      if (request.what == traced_request::kind::kStore)
        for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
          if ((request.active >> lane & 1U) != 0)
            to.store_pitch = std::gcd(to.store_pitch, from_first(request, lane));
  }

 private:
  /// Bytes between a lane and the first that is active, whichever lies higher.
  static std::uint64_t from_first(const traced_request& request, std::size_t lane) {
    const std::uint64_t first =
        request.address[static_cast<std::size_t>(std::countr_zero(request.active))];
    return std::max(request.address[lane], first) - std::min(request.address[lane], first);
  }

  int rounds() const {
    int rounds = 0;
    bool loading = false, indexing = false;
    for (const traced_request& request : trace_.requests()) {
      const bool index = request.what == traced_request::kind::kIndex;
      const bool load = request.what == traced_request::kind::kLoad;
      if ((load || index) && (!loading || (indexing && load))) ++rounds;
      loading = load || index;
      indexing = index;
    }
    return rounds;
  }

  bool sample_affine(index_t block) {
    if constexpr (!P::kThreadsAffine) return false;
    if (threads_ % kWarpLanes != 0) return false;
    trace_.begin_warp();
    const std::size_t calls = trace_thread(0, 0);
    if (trace_thread(threads_ - 1, kWarpLanes - 1) != calls) return false;
    constexpr std::uint32_t kEnds = 1U | (1U << (kWarpLanes - 1));
    for (const traced_request& request : trace_.requests())
      if (request.active != kEnds || is_shared(request)) return false;
    std::uint32_t call = 0;
    for (const traced_request& request : trace_.requests()) {
      const auto apart =
          static_cast<std::int64_t>(request.address[kWarpLanes - 1] - request.address[0]);
      samples_.touch_affine(samples_.of(request.what), request, apart / (threads_ - 1), threads_,
                            block, call++, warps_);
    }
    return true;
  }
  static bool is_shared(const traced_request& request) {
    return request.what == traced_request::kind::kSlotLoad ||
           request.what == traced_request::kind::kSlotStore;
  }

  std::size_t trace_thread(int thread, int lane_number) {
    place(thread);
    trace_.begin_lane(lane_number);
    run_all(pattern_, thread_, access<Op, trace_memory>{trace_});
    return trace_.lane_calls();
  }
  void sample_threads(index_t block) {
    for (int thread = 0; thread < threads_; ++thread) {
      place(thread);
      samples_.begin_thread(block, thread / kWarpLanes, warps_);
      run_all(pattern_, thread_, access<Op, sampling_memory>{samples_});
    }
  }
  void place(int thread) {
    thread_.thread_x = static_cast<unsigned>(thread) % shape_.block.x;
    thread_.thread_y = static_cast<unsigned>(thread) / shape_.block.x;
  }

  const P& pattern_;
  launch_shape shape_;
  int threads_, warps_;
  sampling_memory samples_;
  trace_memory trace_;
  lane thread_{};
};

/// Orders visits by sector and launch order, and makes one of those of one request.
inline void order(std::vector<sector_visit>& visits) {
  const auto before = [](const sector_visit& a, const sector_visit& b) {
    if (a.sector != b.sector) return a.sector < b.sector;
    return a.block != b.block ? a.block < b.block : a.request < b.request;
  };
  std::ranges::sort(visits, before);
  std::size_t kept = 0;
  for (const sector_visit& visit : visits) {
    sector_visit* const last = kept > 0 ? &visits[kept - 1] : nullptr;
    if (last != nullptr && last->sector == visit.sector && last->block == visit.block &&
        last->request == visit.request)
      last->bytes |= visit.bytes;
    else
      visits[kept++] = visit;
  }
  visits.resize(kept);
}

}  // namespace detail

/// Adds the samples of the blocks [first, last) of a launch to `to`; `order_profile` ends it.
template <class Op, access_pattern P>
void sample_blocks(const P& pattern, block_size block, int width, index_t first, index_t last,
                   reuse_profile& to) {
  detail::reuse_sampler<Op, P> sampler(pattern, block, width);
  sampler.sample(first, last);
  const auto add = [&](traced_request::kind what, side_profile& side) {
    detail::sampling_memory::side& found = sampler.samples().of(what);
    side.visits.insert(side.visits.end(), found.visits.begin(), found.visits.end());
    side.pages = found.pages.pages();
    side.scale = found.pages.scale();
  };
  add(traced_request::kind::kLoad, to.loads);
  add(traced_request::kind::kStore, to.stores);
  add(traced_request::kind::kIndex, to.indices);
  const launch_shape shape = pattern.shape(block);
  to.blocks = shape.blocks();
  to.block_threads = static_cast<int>(shape.block.threads());
  sampler.look_at_first_warp(to);
}

/// Adds the samples of later blocks of the same launch.
inline void append(const reuse_profile& later, reuse_profile& to) {
  const auto add = [](const side_profile& from, side_profile& side) {
    side.visits.insert(side.visits.end(), from.visits.begin(), from.visits.end());
  };
  add(later.loads, to.loads);
  add(later.stores, to.stores);
  add(later.indices, to.indices);
}

/// Orders the samples and sums them up; a profile is of use only afterwards.
inline void order_profile(reuse_profile& profile) {
  detail::order(profile.loads.visits);
  detail::order(profile.stores.visits);
  detail::order(profile.indices.visits);
  profile.stores_whole_sectors = std::ranges::all_of(
      profile.stores.visits, [](const sector_visit& v) { return v.bytes == ~std::uint32_t{0}; });
}

/// The profile of a whole launch.
template <class Op, access_pattern P>
reuse_profile profile_launch(const P& pattern, block_size block, int width) {
  reuse_profile profile;
  sample_blocks<Op>(pattern, block, width, 0, pattern.shape(block).blocks(), profile);
  order_profile(profile);
  return profile;
}

}  // namespace sectorbench
