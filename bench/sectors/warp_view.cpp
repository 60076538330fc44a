// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/warp_view.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/support/text.hpp"
#include "sectorbench/pattern/element.hpp"

namespace sectorbench::sectors {
namespace {

template <typename Number, typename Count>
Number sum(const std::vector<request_count>& instructions, Count count) {
  Number total = 0;
  for (const request_count& one : instructions) total += static_cast<Number>(count(one));
  return total;
}

double share(std::uint64_t bytes, std::uint64_t of_bytes) {
  return of_bytes == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(of_bytes);
}

// The fault in the model's words, and what would be taken.
std::string refusal(const sector_fault& fault) {
  std::string text = describe(fault);
  if (fault.kind == fault_kind::kMisaligned) {
    std::string_view widest;
    for (const auto& [type, name] : kElementTypes)
      if (fault.address % static_cast<std::uint64_t>(size_of(type)) == 0) widest = name;
    text += ": no GPU takes it; the widest type that may lie there is " + std::string(widest);
  }
  return text;
}

std::uint64_t bytes_of(int sectors) { return static_cast<std::uint64_t>(sectors) * kSectorBytes; }

}  // namespace

std::uint32_t sector_unit::lanes() const {
  std::uint32_t all = 0;
  for (const std::uint32_t slot : slots) all |= slot;
  return all;
}

int warp_view::requests() const {
  return sum<int>(instructions, [](const request_count& one) { return one.requests; });
}
int warp_view::sectors() const {
  return sum<int>(instructions, [](const request_count& one) { return one.sectors; });
}
int warp_view::ideal_sectors() const {
  return sum<int>(instructions, [](const request_count& one) { return one.ideal_sectors(); });
}
int warp_view::lines() const {
  return sum<int>(instructions, [](const request_count& one) { return one.lines; });
}
std::uint64_t warp_view::requested_bytes() const {
  return sum<std::uint64_t>(instructions,
                            [](const request_count& one) { return one.requested_bytes; });
}
std::uint64_t warp_view::unique_bytes() const {
  return sum<std::uint64_t>(instructions,
                            [](const request_count& one) { return one.unique_bytes; });
}
std::uint64_t warp_view::sector_bytes() const { return bytes_of(sectors()); }

double warp_view::efficiency() const { return share(unique_bytes(), sector_bytes()); }
double warp_view::ideal_efficiency() const {
  return share(unique_bytes(), bytes_of(ideal_sectors()));
}
double warp_view::requested_share() const { return share(requested_bytes(), sector_bytes()); }

request_count warp_view::together() const {
  constexpr std::uint64_t kUnits = kLineBytes / kSectorBytes;
  request_count all{.requests = units.empty() ? 0 : 1,
                    .sectors = static_cast<int>(units.size()),
                    .requested_bytes = requested_bytes()};
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i == 0 || units[i].number / kUnits != units[i - 1].number / kUnits) ++all.lines;
    for (const std::uint32_t slot : units[i].slots) all.unique_bytes += slot != 0 ? width_bytes : 0;
  }
  return all;
}

std::vector<byte_interval> warp_view::unused() const {
  std::vector<byte_interval> intervals;
  for (const sector_unit& unit : units)
    for (std::size_t slot = 0; slot < unit.slots.size(); ++slot) {
      if (unit.slots[slot] != 0) continue;
      const std::uint64_t first = unit.first_byte() + slot * width_bytes;
      const std::uint64_t last = first + width_bytes - 1;
      if (!intervals.empty() && intervals.back().last + 1 == first)
        intervals.back().last = last;
      else
        intervals.push_back({first, last});
    }
  return intervals;
}

double per_request(int count, int requests) {
  return requests == 0 ? 0.0 : static_cast<double>(count) / requests;
}

request_count count_instruction(const warp_access& access, std::size_t k) {
  const sector_result counted =
      count_accesses(access.addresses[k], access.width_bytes, access.active);
  if (counted.ok()) return counted.value();
  const std::string which =
      access.addresses.size() > 1 ? "instruction " + std::to_string(k + 1) + ": " : "";
  throw usage_error(which + refusal(counted.fault()));
}

warp_view view_of(const warp_access& access) {
  warp_view view{access.width_bytes, access.active, {}, {}};
  std::map<std::uint64_t, sector_unit> units;
  for (std::size_t k = 0; k < access.addresses.size(); ++k) {
    const auto& addresses = access.addresses[k];
    view.instructions.push_back(count_instruction(access, k));
    std::set<std::uint64_t> touched;
    for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
      if ((access.active >> lane & 1u) == 0) continue;
      const std::uint64_t number = addresses[lane] / kSectorBytes;
      sector_unit& unit = units[number];
      unit.number = number;
      unit.slots.resize(kSectorBytes / access.width_bytes);
      unit.slots[addresses[lane] % kSectorBytes / access.width_bytes] |= std::uint32_t{1} << lane;
      if (touched.insert(number).second) ++unit.fetches;
    }
  }
  for (auto& [number, unit] : units) view.units.push_back(std::move(unit));
  return view;
}

}  // namespace sectorbench::sectors
