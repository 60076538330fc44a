// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/likeness.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace sectorbench {
namespace {

constexpr double kSameSectors = 0.03;  // of requests: partial warps at edges
constexpr double kSameBytes = 0.05;
constexpr double kSameLoads = 0.1;   // for each store
constexpr double kOneSided = 0.1;    // of requests: the other side is an aside
constexpr index_t kTried = 1 << 16;  // elements
constexpr index_t kTriedRows = 64;   // of a matrix instead
constexpr std::size_t kShown = 8, kNearest = 3;

struct candidates {
  std::string_view pattern;
  std::vector<std::vector<index_t>> values;
  bool in_planes = false;  ///< only of launches with blocks of two dimensions
};

/// Patterns at values with sectors of their own, the simplest first.
std::vector<candidates> all_candidates() {
  std::vector<std::vector<index_t>> strides, fields;
  for (index_t n = 2; n <= 32; ++n) {
    strides.push_back({n});
    fields.push_back({n, 0});
  }
  // Rows of 1024 begin at a line, those of 1001 at any element.
  const std::vector<std::vector<index_t>> matrices{{1024, 1024}, {1001, 1001}};
  return {{"contiguous", {{}}},
          {"wide", {{0, 2}, {0, 4}}},
          {"offset", {{1, 1}, {1, 0}, {0, 1}}},
          {"pitch_swapped", matrices, true},
          {"pitch", matrices, true},
          {"stride", strides},
          {"aos", fields},
          {"chunk", {{2}, {4}, {8}, {16}, {32}}},
          {"aos_all", {{2}, {3}, {4}, {12}}},
          {"random", {{}}},
          {"active", {{1}, {2}, {4}, {8}, {16}, {24}}},
          {"broadcast", {{2}, {8}, {32}}},
          {"add", {{1}, {2}, {4}, {8}}},
          {"transpose_tiled", {{4096}}, true},
          {"transpose_naive_read", {{4096}}, true},
          {"transpose_naive_write", {{4096}}, true},
          {"transpose_wide", {{4096, 4}}, true}};
}

double apart(double counted, double predicted) {
  if (counted <= 0 && predicted <= 0) return 0;
  if (counted <= 0 || predicted <= 0) return 10;
  return std::abs(std::log(counted / predicted));
}

double ratio(double value, double of) { return of > 0 ? value / of : 0; }

/// The counts of a row of a suite.
launch_counts counts_of(const program& body, const launch_totals& totals, element_type type) {
  side_totals loads = totals.loads;
  loads += totals.indices;
  launch_counts counts;
  counts.load_requests = static_cast<double>(loads.requests);
  counts.load_sectors = static_cast<double>(loads.sectors);
  counts.store_requests = static_cast<double>(totals.stores.requests);
  counts.store_sectors = static_cast<double>(totals.stores.sectors);
  const double size = size_of(type);
  counts.load_bytes = totals.loads.requests > 0 ? static_cast<double>(body.loads().moved()) * size +
                                                      static_cast<double>(body.index_bytes())
                                                : 0;
  counts.store_bytes =
      totals.stores.requests > 0 ? static_cast<double>(body.stores().moved()) * size : 0;
  return counts;
}

struct comparison {
  double sectors = 0, bytes = 0, loads_per_store = 0;
  bool same() const {
    return sectors <= kSameSectors && bytes <= kSameBytes && loads_per_store <= kSameLoads;
  }
  double sum() const { return sectors + bytes + loads_per_store; }
};

comparison compare(const launch_counts& counted, const launch_counts& row) {
  comparison result;
  const auto side = [&](double requests, double sectors, std::optional<double> bytes,
                        double row_requests, double row_sectors, std::optional<double> row_bytes) {
    if (row_requests <= 0) return;
    result.sectors =
        std::max(result.sectors, apart(ratio(sectors, requests), row_sectors / row_requests));
    if (bytes)
      result.bytes =
          std::max(result.bytes, apart(ratio(*bytes, requests), *row_bytes / row_requests));
  };
  side(counted.load_requests, counted.load_sectors, counted.load_bytes, row.load_requests,
       row.load_sectors, row.load_bytes);
  side(counted.store_requests, counted.store_sectors, counted.store_bytes, row.store_requests,
       row.store_sectors, row.store_bytes);
  if (row.load_requests > 0 && row.store_requests > 0)
    result.loads_per_store = apart(ratio(counted.load_requests, counted.store_requests),
                                   row.load_requests / row.store_requests);
  return result;
}

std::vector<operation_kind> operations_of(const launch_counts& counts) {
  using enum operation_kind;
  if (counts.store_requests < kOneSided * counts.load_requests) return {kRead};
  if (counts.load_requests < kOneSided * counts.store_requests) return {kWrite};
  return {kCopy, kGather, kScatter};
}

std::vector<element_type> types_of(const launch_counts& counts) {
  const auto per_lane = [](std::optional<double> bytes, double requests) {
    return bytes ? ratio(*bytes, requests) / kWarpLanes : 0;
  };
  const double loaded = per_lane(counts.load_bytes, counts.load_requests);
  const double stored = per_lane(counts.store_bytes, counts.store_requests);
  const double bytes = loaded > 0 ? loaded : stored;
  if (bytes == 0) return {element_type::kF32};
  std::vector<element_type> exact, wider;
  for (const auto& [type, name] : kElementTypes) {
    if (apart(bytes, size_of(type)) < kSameLoads) exact.push_back(type);
    if (size_of(type) > bytes) wider.push_back(type);  // some lanes are off
  }
  // Several values of a thread moved at once are also wide accesses of f32.
  if (!exact.empty() && size_of(exact.front()) > 4) exact.push_back(element_type::kF32);
  if (exact.empty()) exact = wider;
  if (exact.empty()) exact.push_back(element_type::kF32x4);
  return exact;
}

/// Whether a distance tells more than that each lane has a sector of its own.
bool tells(std::string_view pattern, const std::vector<index_t>& values, element_type type) {
  if (pattern != "stride" && pattern != "aos") return true;
  const index_t bytes = values[0] * size_of(type);
  return bytes <= index_t{kSectorBytes} || values[0] == 32;
}

struct trial {
  like_row like;
  launch_totals totals;
  double requests = 0;  ///< of the side that decides the size
  std::exception_ptr failure;
};

bool repeats(const trial& one, const trial& known) {
  const row_spec &row = one.like.row.spec, &other = known.like.row.spec;
  return row.type == other.type && one.totals == known.totals &&
         (row.pattern->name == other.pattern->name || row.pattern->name == "offset");
}

}  // namespace

double launch_counts::load_sectors_per_request() const {
  return ratio(load_sectors, load_requests);
}
double launch_counts::store_sectors_per_request() const {
  return ratio(store_sectors, store_requests);
}

std::vector<like_row> rows_like(const launch_counts& counts, std::span<const element_type> types) {
  const std::vector<element_type> guessed = types_of(counts);
  const std::span<const element_type> among = types.empty() ? guessed : types;
  const bool loads = counts.load_requests > 0;
  std::vector<trial> trials;
  for (const candidates& one : all_candidates()) {
    if (one.in_planes && counts.block.y == 1) continue;
    for (const std::vector<index_t>& values : one.values)
      for (const operation_kind operation : operations_of(counts))
        for (const element_type type : among) {
          const pattern_entry* const pattern = find_pattern(one.pattern, values);
          if (pattern == nullptr || !pattern->offers(operation) || !pattern->offers(type)) continue;
          if (!tells(one.pattern, values, type)) continue;
          row_spec spec{pattern, operation, type, values, kTried, counts.block};
          const index_t columns = parameter_value(spec, "columns", 1);
          if (columns > 1) spec.elements = kTriedRows * columns;
          trials.push_back({{{spec, ""}, false, 0}, {}, 0, nullptr});
        }
  }
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < trials.size(); ++i) {
    try {
      trial& one = trials[i];
      const auto work = make_workload(one.like.row.spec);
      refuse_unfit(*work);
      one.totals = work->meaning().totals();
      const launch_counts found = counts_of(work->meaning(), one.totals, one.like.row.spec.type);
      const comparison compared = compare(counts, found);
      one.like.same = compared.same();
      one.like.difference = compared.sum();
      one.requests = loads && found.load_requests > 0 ? found.load_requests : found.store_requests;
    } catch (...) {
      trials[i].failure = std::current_exception();
    }
  }
  std::erase_if(trials, [](const trial& one) {
    try {
      if (one.failure) std::rethrow_exception(one.failure);
    } catch (const not_applicable&) {
      return true;
    }
    return false;
  });
  // Other values and operations of a pattern may ask for the same: gather and copy of whole rows.
  std::vector<trial> distinct;
  for (trial& one : trials)
    if (std::ranges::none_of(distinct, [&](const trial& known) { return repeats(one, known); }))
      distinct.push_back(std::move(one));
  trials = std::move(distinct);
  // Differences of rows that count alike are the edges of a launch.
  std::ranges::stable_sort(trials, {}, [](const trial& one) {
    return one.like.same ? 0 : std::floor(one.like.difference / kSameSectors);
  });
  std::ranges::stable_partition(trials, [](const trial& one) { return one.like.same; });
  const auto same = static_cast<std::size_t>(
      std::ranges::count_if(trials, [](const trial& one) { return one.like.same; }));
  std::vector<like_row> result;
  for (trial& one : trials) {
    if (result.size() == (same > 0 ? std::min(same, kShown) : kNearest)) break;
    suite_row& row = one.like.row;
    const double counted = loads ? counts.load_requests : counts.store_requests;
    const index_t columns = parameter_value(row.spec, "columns", 1);
    const double rows = static_cast<double>(row.spec.elements / columns) * counted / one.requests;
    row.spec.elements = std::max<index_t>(1, std::llround(rows)) * columns;
    row.spec.block = launched_block(row.spec);
    row.name = row.spec.block.y > 1 ? with_block(row.spec.name(), row.spec.block) : row.spec.name();
    result.push_back(std::move(one.like));
  }
  return result;
}

}  // namespace sectorbench
