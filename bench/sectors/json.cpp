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

json instruction_json(const command& asked, std::size_t k, const json& counts) {
  const instruction& one = asked.instructions[k];
  json document{{"field", one.field}};
  if (!one.formula.empty()) document["formula"] = one.formula;
  document.update(counts);
  json addresses = json::array();
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    addresses.push_back(
        (asked.access.active >> lane & 1u) != 0 ? json(asked.access.addresses[k][lane]) : json());
  document["addresses"] = addresses;
  return document;
}

json counts_json(const request_count& one) {
  return {{"requests", one.requests},
          {"sectors", one.sectors},
          {"ideal_sectors", one.ideal_sectors()},
          {"lines", one.lines},
          {"requested_bytes", one.requested_bytes},
          {"unique_bytes", one.unique_bytes},
          {"efficiency", one.efficiency()}};
}

json counts_json(const wavefront_count& one) {
  return {{"requests", one.requests},
          {"wavefronts", one.wavefronts},
          {"ideal_wavefronts", one.least},
          {"conflicts", one.conflicts()}};
}

json part_json(const bank_part& part) {
  json words = json::array();
  for (const auto& bank : part.banks) words.push_back(bank.size());
  return {{"lanes", lanes_of(part.lanes)}, {"wavefronts", part.wavefronts}, {"bank_words", words}};
}

json unused_json(const warp_view& view) {
  json intervals = json::array();
  for (const byte_interval& one : view.unused()) intervals.push_back({one.first, one.last});
  return intervals;
}

// An average of the launch, in the words of its memory.
json average_json(const command& asked, const launch_average& one) {
  const std::string what = asked.is_shared ? "wavefronts" : "sectors";
  const auto cost = [&](const warp_cost& warp) {
    return json{
        {what + "_per_request", warp.per_request}, {"block", warp.block}, {"warp", warp.warp}};
  };
  json document{{what + "_per_request", one.cost},
                {"error", one.error},
                {"ideal_" + what + "_per_request", one.ideal}};
  if (!asked.is_shared) {
    document["lines_per_request"] = one.lines;
    document["efficiency"] = one.efficiency();
  }
  document["fewest"] = cost(one.fewest);
  document["most"] = cost(one.most);
  return document;
}

json launch_json(const command& asked, const launch_view& view) {
  json document{{"grid", {view.grid.x, view.grid.y, view.grid.z}},
                {"block", {view.block.x, view.block.y, view.block.z}},
                {"warps", view.warps},
                {"requests", view.requests},
                {"exact", view.is_exact},
                {"warps_counted", view.counted}};
  document.update(average_json(asked, view.all));
  document["instructions"] = json::array();
  for (const launch_average& one : view.instructions)
    document["instructions"].push_back(average_json(asked, one));
  return document;
}

// What both memories have in front.
json head_json(const command& asked) {
  json document{{"arguments", asked.args},
                {"description", asked.words},
                {"memory", asked.is_shared ? "shared" : "global"},
                {"type", asked.type.name},
                {"access_bytes", asked.type.bytes},
                {"active_lanes", lanes_of(asked.access.active)}};
  if (asked.view) document["view"] = view_json(*asked.view);
  if (asked.launch) document["launch"] = launch_json(asked, *asked.launch);
  return document;
}

}  // namespace

std::string json_text(const command& asked, const warp_view& view) {
  json document = head_json(asked);
  document["totals"] = {{"instructions", view.instructions.size()},
                        {"requests", view.requests()},
                        {"sectors", view.sectors()},
                        {"ideal_sectors", view.ideal_sectors()},
                        {"sectors_per_request", per_request(view.sectors(), view.requests())},
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
    document["instructions"].push_back(
        instruction_json(asked, k, counts_json(view.instructions[k])));
  document["sectors"] = json::array();
  for (const sector_unit& unit : view.units)
    document["sectors"].push_back({{"sector", unit.number},
                                   {"first_byte", unit.first_byte()},
                                   {"fetches", unit.fetches},
                                   {"lanes", lanes_of(unit.lanes())}});
  return document.dump(2) + "\n";
}

std::string json_text(const command& asked, const bank_view& view) {
  json document = head_json(asked);
  const wavefront_count total = view.total();
  document["totals"] = {{"instructions", view.instructions.size()}};
  document["totals"].update(counts_json(total));
  document["totals"].update(
      {{"wavefronts_per_request", per_request(total.wavefronts, total.requests)},
       {"requested_bytes", view.requested_bytes()},
       {"unique_bytes", view.unique_bytes()}});
  document["instructions"] = json::array();
  for (std::size_t k = 0; k < view.instructions.size(); ++k) {
    const bank_instruction& one = view.instructions[k];
    json counts = counts_json(one.count);
    counts["parts"] = json::array();
    for (const bank_part& part : one.parts) counts["parts"].push_back(part_json(part));
    document["instructions"].push_back(instruction_json(asked, k, counts));
  }
  return document.dump(2) + "\n";
}

std::string json_text(const command& asked, const find_result& result) {
  json document{{"arguments", asked.args},
                {"sectors_per_request", asked.find->target},
                {"tolerance", asked.find->tolerance},
                {"type", asked.find->type.name},
                {"tried", result.tried},
                {"found", json::array()}};
  for (const candidate& one : result.found)
    document["found"].push_back({{"sectors_per_request", one.sectors},
                                 {"error", one.error},
                                 {"cause", one.cause},
                                 {"repair", one.repair},
                                 {"arguments", one.args}});
  return document.dump(2) + "\n";
}

}  // namespace sectorbench::sectors
