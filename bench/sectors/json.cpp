// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/sectors/drawing.hpp"
#include "bench/sectors/number_list.hpp"

namespace sectorbench::sectors {
namespace {

using json = nlohmann::ordered_json;

json view_json(const tensor_view& view) {
  return {{"shape", view.shape}, {"strides", view.strides}, {"contiguous", view.is_contiguous()}};
}

json instruction_json(const command& asked, const warp_view& view, std::size_t k) {
  json addresses = json::array();
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    addresses.push_back((view.active >> lane & 1u) != 0 ? json(asked.access.addresses[k][lane])
                                                        : json());
  const request_count& one = view.instructions[k];
  return {{"field", asked.fields[k]},
          {"requests", one.requests},
          {"sectors", one.sectors},
          {"ideal_sectors", one.ideal_sectors()},
          {"lines", one.lines},
          {"requested_bytes", one.requested_bytes},
          {"unique_bytes", one.unique_bytes},
          {"efficiency", one.efficiency()},
          {"addresses", addresses}};
}

json unused_json(const warp_view& view) {
  json intervals = json::array();
  for (const byte_interval& one : view.unused()) intervals.push_back({one.first, one.last});
  return intervals;
}

}  // namespace

std::string json_text(const command& asked, const warp_view& view) {
  json document{{"arguments", asked.args},
                {"description", asked.words},
                {"type", name_of(asked.type)},
                {"access_bytes", view.width_bytes},
                {"active_lanes", lanes_of(view.active)}};
  if (asked.view) document["view"] = view_json(*asked.view);
  document["totals"] = {{"instructions", view.instructions.size()},
                        {"requests", view.requests()},
                        {"sectors", view.sectors()},
                        {"ideal_sectors", view.ideal_sectors()},
                        {"sector_bytes", view.sector_bytes()},
                        {"lines", view.lines()},
                        {"requested_bytes", view.requested_bytes()},
                        {"unique_bytes", view.unique_bytes()},
                        {"efficiency", view.efficiency()},
                        {"requested_share", view.requested_share()}};
  const request_count together = view.together();
  document["together"] = {{"sectors", together.sectors},
                          {"ideal_sectors", together.ideal_sectors()},
                          {"lines", together.lines},
                          {"unique_bytes", together.unique_bytes},
                          {"efficiency", together.efficiency()},
                          {"unused_bytes", unused_json(view)}};
  document["instructions"] = json::array();
  for (std::size_t k = 0; k < view.instructions.size(); ++k)
    document["instructions"].push_back(instruction_json(asked, view, k));
  document["sectors"] = json::array();
  for (const sector_unit& unit : view.units)
    document["sectors"].push_back({{"sector", unit.number},
                                   {"first_byte", unit.first_byte()},
                                   {"fetches", unit.fetches},
                                   {"lanes", lanes_of(unit.lanes())}});
  return document.dump(2) + "\n";
}

}  // namespace sectorbench::sectors
