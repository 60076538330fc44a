// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// @file
/// The sector model of one warp request: what the bytes of 32 lanes cost in 32-byte sectors.
///
/// A warp instruction on global memory is one request, whatever the width of its accesses. The
/// request costs as many sectors as the bytes of its active lanes touch: each distinct sector
/// counts once, in whatever order the lanes come and however many of them share it.
///
///     std::array<std::uint64_t, 32> addresses;                     // every second float
///     for (unsigned i = 0; i < 32; ++i) addresses[i] = 4096 + 8 * i;
///     const auto result = sectorbench::count_accesses(addresses, sizeof(float));
///     if (!result.ok()) return fail(describe(result.fault()));
///     result.value().sectors;                                      // 8
///     result.value().ideal_sectors();                              // 4
///     result.value().efficiency();                                 // 0.5
///
/// The counts are integers and exact: they are those of the counters
/// l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{ld,st}.sum. They say nothing about time, the
/// traffic of L2 or DRAM (caches reuse sectors, and fetch or fill more than was asked for),
/// wavefronts, shared memory, atomics or compute capabilities before 7.0.
///
/// Source: Nsight Compute Profiling Guide, "Memory Tables" (requests, sectors, lines). That the
/// rule also holds for 8- and 16-byte accesses whose lanes share a sector was measured: on an
/// H200 (sm_90) it equalled the counters of loads and stores in 84 of 84 lane maps.

namespace sectorbench {

inline constexpr int kWarpLanes = 32;
inline constexpr int kSectorBytes = 32;
inline constexpr int kLineBytes = 128;

/// The longest span of one lane that is counted, in bytes (1 GiB), so that no count overflows.
inline constexpr std::uint64_t kMaxSpanBytes = std::uint64_t{1} << 30;

/// The bytes [address, address + bytes) that one lane asks for.
struct byte_span {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// What one warp instruction asks for and touches; all zero if no active lane asks for a byte.
struct request_count {
  int requests = 0;                   ///< 1, or 0 if no active lane asks for a byte
  int sectors = 0;                    ///< distinct 32-byte sectors touched
  int lines = 0;                      ///< distinct 128-byte lines touched
  std::uint64_t requested_bytes = 0;  ///< sum over the active lanes: shared bytes count repeatedly
  std::uint64_t unique_bytes = 0;     ///< distinct bytes asked for

  /// The sectors that the distinct bytes would fill if they lay side by side from a sector's start.
  constexpr int ideal_sectors() const noexcept {
    return static_cast<int>((unique_bytes + kSectorBytes - 1) / kSectorBytes);
  }

  /// The distinct bytes as a share of the bytes of the sectors, 0 to 1; 0 if there is no sector.
  constexpr double efficiency() const noexcept { return share_of_sectors(unique_bytes); }

  /// The requested bytes as a share of the bytes of the sectors; above 1 where lanes share bytes.
  constexpr double requested_share() const noexcept { return share_of_sectors(requested_bytes); }

  friend constexpr bool operator==(const request_count&, const request_count&) = default;

 private:
  constexpr double share_of_sectors(std::uint64_t bytes) const noexcept {
    return sectors == 0 ? 0.0 : static_cast<double>(bytes) / (double{kSectorBytes} * sectors);
  }
};

/// Why a request was refused.
enum class fault_kind {
  kNone,          ///< it was not
  kTooManyLanes,  ///< more than 32 lanes
  kBadWidth,      ///< an access size other than 1, 2, 4, 8, 16 or 32 bytes
  kMisaligned,    ///< an address that is not a multiple of the access size
  kWraps,         ///< a span that runs past the end of the 64-bit address space
  kTooLong,       ///< a span longer than kMaxSpanBytes
};

/// A refused request: the first fault found, and the numbers that show it.
struct sector_fault {
  fault_kind kind = fault_kind::kNone;
  int lane = -1;              ///< the lane at fault, or -1 if the fault is not one lane's
  std::uint64_t address = 0;  ///< that lane's address
  std::uint64_t bytes = 0;    ///< the size of the access or span
  std::uint64_t lanes = 0;    ///< how many lanes were given

  friend constexpr bool operator==(const sector_fault&, const sector_fault&) = default;
};

/// One line that says what is wrong and with which numbers. @pre the model made the fault.
/// @throws std::bad_alloc.
inline std::string describe(const sector_fault& fault) {
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  const std::string at_lane = "lane " + std::to_string(fault.lane) + ": ";
  switch (fault.kind) {
    case fault_kind::kNone:
      return "no fault";
    case fault_kind::kTooManyLanes:
      return text(fault.lanes) + " lanes given: a warp has " + text(kWarpLanes);
    case fault_kind::kBadWidth:
      return "access size " + text(fault.bytes) + " is not 1, 2, 4, 8, 16 or 32 bytes";
    case fault_kind::kMisaligned:
      return at_lane + "address " + text(fault.address) + " is not a multiple of the access size " +
             text(fault.bytes) + " (" + text(fault.address) + " mod " + text(fault.bytes) + " = " +
             text(fault.address % fault.bytes) + ")";
    case fault_kind::kWraps:
      return at_lane + text(fault.bytes) + " bytes from address " + text(fault.address) +
             " run past the end of the 64-bit address space";
    case fault_kind::kTooLong:
      return at_lane + text(fault.bytes) + " bytes from address " + text(fault.address) +
             " are more than one lane may span (" + text(kMaxSpanBytes) + ")";
  }
  return "unknown fault";
}

/// The counts of a request, or the fault for which it was refused.
class [[nodiscard]] sector_result {
 public:
  constexpr sector_result(const request_count& value) noexcept : value_(value) {}
  constexpr sector_result(const sector_fault& fault) noexcept : fault_(fault) {}

  /// Whether the request was counted.
  constexpr bool ok() const noexcept { return fault_.kind == fault_kind::kNone; }

  /// The counts. @pre ok().
  constexpr const request_count& value() const noexcept {
    assert(ok());
    return value_;
  }

  /// The fault; its kind is kNone if ok().
  constexpr const sector_fault& fault() const noexcept { return fault_; }

 private:
  request_count value_;
  sector_fault fault_;
};

namespace detail {

/// The bytes from `first` to `last`, both included: an end of 2^64 would not fit in 64 bits.
struct byte_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// How many aligned units of `UnitBytes` bytes some ranges touch, each counted once.
template <std::uint64_t UnitBytes>
struct distinct_units {
  std::uint64_t count;
  std::uint64_t reached;  // the last unit counted

  constexpr explicit distinct_units(const byte_range& range) noexcept
      : count(range.last / UnitBytes - range.first / UnitBytes + 1),
        reached(range.last / UnitBytes) {}

  /// Takes in one more range. @pre it starts no earlier than those before it.
  constexpr void add(const byte_range& range) noexcept {
    const std::uint64_t first = range.first / UnitBytes, last = range.last / UnitBytes;
    if (last <= reached) return;
    count += first > reached ? last - first + 1 : last - reached;
    reached = last;
  }
};

/// The bytes that the active lanes of one warp ask for, in the order of their first byte.
class warp_bytes {
 public:
  /// Takes in one lane's bytes. @pre fewer than 32 lanes so far; 1 <= bytes <= kMaxSpanBytes; the
  /// span does not wrap.
  constexpr void add(std::uint64_t address, std::uint64_t bytes) noexcept {
    std::size_t place = size_++;
    for (; place > 0 && ranges_[place - 1].first > address; --place)
      ranges_[place] = ranges_[place - 1];
    ranges_[place] = {address, address + (bytes - 1)};
    requested_bytes_ += bytes;
  }

  /// What one request for these bytes touches.
  constexpr request_count count() const noexcept {
    if (size_ == 0) return {};
    distinct_units<kSectorBytes> sectors{ranges_[0]};
    distinct_units<kLineBytes> lines{ranges_[0]};
    distinct_units<1> bytes{ranges_[0]};
    for (std::size_t i = 1; i < size_; ++i) {
      sectors.add(ranges_[i]);
      lines.add(ranges_[i]);
      bytes.add(ranges_[i]);
    }
    return {.requests = 1,
            .sectors = static_cast<int>(sectors.count),
            .lines = static_cast<int>(lines.count),
            .requested_bytes = requested_bytes_,
            .unique_bytes = bytes.count};
  }

 private:
  std::array<byte_range, kWarpLanes> ranges_;  // the first size_ of them are set
  std::size_t size_ = 0;
  std::uint64_t requested_bytes_ = 0;
};

}  // namespace detail

/// Counts the request of a warp whose lane i asks for the bytes of lanes[i] if bit i of `active` is
/// set. Sizes and alignments are free; a span of no bytes asks for nothing; lanes that are not
/// given are off. Refused: more than 32 lanes, and an active lane whose span runs past the end of
/// the 64-bit address space or is longer than kMaxSpanBytes.
constexpr sector_result count_spans(std::span<const byte_span> lanes,
                                    std::uint32_t active = ~std::uint32_t{0}) noexcept {
  if (lanes.size() > kWarpLanes)
    return sector_fault{.kind = fault_kind::kTooManyLanes, .lanes = lanes.size()};
  detail::warp_bytes touched;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto [address, bytes] = lanes[i];
    if ((active >> i & 1u) == 0 || bytes == 0) continue;
    const bool wraps = address + (bytes - 1) < address;
    if (wraps || bytes > kMaxSpanBytes)
      return sector_fault{.kind = wraps ? fault_kind::kWraps : fault_kind::kTooLong,
                          .lane = static_cast<int>(i),
                          .address = address,
                          .bytes = bytes};
    touched.add(address, bytes);
  }
  return touched.count();
}

/// Counts the request of a warp whose lane i accesses `width_bytes` bytes at addresses[i] if bit i
/// of `active` is set; lanes that are not given are off. Refused, as a GPU would: an access size
/// other than 1, 2, 4, 8, 16 or 32 bytes (32 exist from compute capability 10.0 on), more than 32
/// lanes, and an active lane whose address is not a multiple of the access size.
constexpr sector_result count_accesses(std::span<const std::uint64_t> addresses,
                                       std::uint32_t width_bytes,
                                       std::uint32_t active = ~std::uint32_t{0}) noexcept {
  if (addresses.size() > kWarpLanes)
    return sector_fault{.kind = fault_kind::kTooManyLanes, .lanes = addresses.size()};
  if (width_bytes > 32 || !std::has_single_bit(width_bytes))
    return sector_fault{.kind = fault_kind::kBadWidth, .bytes = width_bytes};
  detail::warp_bytes touched;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if ((active >> i & 1u) == 0) continue;
    if ((addresses[i] & (width_bytes - 1)) != 0)
      return sector_fault{.kind = fault_kind::kMisaligned,
                          .lane = static_cast<int>(i),
                          .address = addresses[i],
                          .bytes = width_bytes};
    touched.add(addresses[i], width_bytes);
  }
  return touched.count();
}

}  // namespace sectorbench
