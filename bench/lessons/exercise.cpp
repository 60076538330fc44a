// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/exercise.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>

#include "bench/predict/device_file.hpp"
#include "bench/support/bad_value.hpp"
#include "bench/support/expression.hpp"
#include "bench/support/format.hpp"
#include "bench/support/json_input.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

using nlohmann::json;

constexpr index_t kFast = 1, kSlow = 32;  // the strides whose times are compared
constexpr std::size_t kDeepest = 8;       // of the program's JSON: context, caches, one of them

void refuse(exercise_run& run, const std::string& place, const bad_value& why) {
  run.refused.push_back(shortened(one_line(place + ": " + why.what())));
}

/// A value as messages show it.
std::string shown(const json& value) {
  constexpr std::size_t kShown = 40;
  const std::string text = one_line(value.dump());
  return text.size() > kShown ? text.substr(0, kShown) + "..." : text;
}

const json& member(const json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || found->is_null())
    throw bad_value("'" + std::string(key) + "' is missing");
  return *found;
}

bool has(const json& row, const char* key) { return row.contains(key) && !row[key].is_null(); }

double positive(const json& row, const char* key) {
  const json& value = member(row, key);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0)
    throw bad_value("'" + std::string(key) + "' is " + shown(value) + ", not a number above 0");
  return value.get<double>();
}

/// A whole number, which the program's JSON writes as 5.3687091200000000e+08.
index_t whole(const json& row, const char* key) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const double value = positive(row, key);
  if (value != std::floor(value) || value > kMostExact)
    throw bad_value("'" + std::string(key) + "' is " + shown(row[key]) + ", not a whole number");
  return static_cast<index_t>(value);
}

/// Half a unit of the last digit that `value` was printed with: what printing lost.
double half_a_digit(double value) {
  std::array<char, 32> text{};  // d.ddde-dd
  const char* const end =
      std::to_chars(text.begin(), text.end(), value, std::chars_format::scientific).ptr;
  const char* const e = std::find<const char*>(text.begin(), end, 'e');
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  const auto behind_the_point = std::max<std::ptrdiff_t>(e - text.begin() - 2, 0);
  return 0.5 * std::pow(10.0, exponent - static_cast<double>(behind_the_point));
}

/// Refuses a rate that is not bytes / time, as MiB per ms (5 % less) or half of the bytes give.
/// 2 %, and what is lost by printing ms with three decimals and GB/s with one, or with more.
void refuse_other_rate(double gbps, index_t bytes, double ms) {
  const double work = static_cast<double>(bytes) * 1e-6;
  const double ms_off = std::min(half_a_digit(ms), 0.0005);
  const double gbps_off = std::min(half_a_digit(gbps), 0.05);
  if (gbps + gbps_off < 0.98 * work / (ms + ms_off) ||
      gbps - gbps_off > 1.02 * work / (ms - ms_off))
    throw bad_value(format_significant(gbps) + " GB/s is not " + std::to_string(bytes) +
                    " bytes in " + format_significant(ms) + " ms, which is " +
                    format_significant(work / ms) +
                    " (GB = 1e9 bytes; bytes: loads and stores together)");
}

/// The bytes of a copy of floats: 2 x n x 4.
index_t copied_bytes(const json& row, const char* key) {
  const index_t bytes = whole(row, key);
  if (bytes % 8 != 0)
    throw bad_value("'" + std::string(key) + "' is " + std::to_string(bytes) +
                    ", which is 2 x n x 4 of no n floats loaded and stored");
  return bytes;
}

/// Nothing for a row of another pattern.
std::optional<exercise_row> row_of_line(const json& line) {
  const bool strided = has(line, "stride"), chunked = has(line, "chunk");
  if (strided && chunked) throw bad_value("has both 'stride' and 'chunk'");
  if (!strided && !chunked) return std::nullopt;
  if (has(line, "pattern")) {
    const std::string pattern = line["pattern"].is_string() ? line["pattern"] : "";
    const bool says_chunk = pattern.starts_with("chunk");
    if (!says_chunk && !pattern.starts_with("stride") && pattern != "coalesced")
      return std::nullopt;
    if (says_chunk != chunked)
      throw bad_value("'pattern' is " + shown(line["pattern"]) + ", but the row has '" +
                      (chunked ? "chunk" : "stride") + "'");
  }
  exercise_row row;
  if (strided) row.stride = whole(line, "stride");
  row.ms = positive(line, "ms");
  row.bytes = copied_bytes(line, "bytes");
  if (has(line, "n")) row.elements = whole(line, "n");
  refuse_other_rate(positive(line, "gbps"), row.bytes, row.ms);
  return row;
}

template <class Entry>
std::string name_of(const Entry& entry) {
  return entry.stride ? "stride " + std::to_string(*entry.stride) : "the chunked row";
}

/// Adds a row or a map of a stride that is not there yet.
template <class Entry>
void add(std::vector<Entry>& all, Entry entry) {
  constexpr std::size_t kMost = 1000;
  if (all.size() == kMost) throw bad_value("more than " + std::to_string(kMost) + " are no curve");
  const auto same = std::ranges::find(all, entry.stride, &Entry::stride);
  if (entry.stride && same != all.end())
    throw bad_value(name_of(entry) + " stands twice, first in " + same->place);
  all.push_back(std::move(entry));
}

/// Adds the map of a line at each of its strides, judged.
void read_map(const json& line, const std::string& place, exercise_run& run) {
  constexpr index_t kMost = 1 << 18, kUsual = 1 << 16;
  constexpr std::size_t kLongest = 200;
  const json& map = line["map"];
  if (has(line, "ms")) throw bad_value("has both 'map' and 'ms': give the map a line of its own");
  if (!map.is_array() && !map.is_string())
    throw bad_value("'map' is " + shown(map) + ", neither a formula in i, s and n nor a list");
  const index_t listed = map.is_array() ? static_cast<index_t>(map.size()) : kUsual;
  const index_t elements = has(line, "n") ? whole(line, "n") : listed;
  if (map.is_array() && elements != listed)
    throw bad_value("'map' has " + std::to_string(listed) + " elements, and 'n' is " +
                    std::to_string(elements));
  if (elements < 1 || elements > kMost)
    throw bad_value("'map' has " + std::to_string(elements) + " elements; 1 to " +
                    std::to_string(kMost) + " are taken, and a smaller 'n' shows the same");
  std::vector<index_t> places(static_cast<std::size_t>(elements));
  const auto judge = [&](index_t stride) {
    add(run.maps, {place, stride, elements, judge_map(places)});
  };
  if (map.is_array()) {
    std::ranges::transform(map, places.begin(), [](const json& index) {
      constexpr std::uint64_t kLargest = std::numeric_limits<index_t>::max();
      if (!index.is_number_integer() ||
          (index.is_number_unsigned() && index.get<std::uint64_t>() > kLargest))
        throw bad_value("'map' has " + shown(index) + ", which is no element's index");
      return index.get<index_t>();
    });
    return judge(whole(line, "stride"));
  }
  const auto& text = map.get_ref<const std::string&>();
  if (text.size() > kLongest)
    throw bad_value("'map' is longer than " + std::to_string(kLongest) + " characters");
  std::vector<index_t> strides{1, 2, 4, 8, 16, 32};
  if (has(line, "stride")) strides = {whole(line, "stride")};
  constexpr std::array<std::string_view, 3> kNames{"i", "s", "n"};
  try {
    const expression formula(text, kNames);
    for (const index_t stride : strides) {
      for (index_t i = 0; i < elements; ++i)
        places[static_cast<std::size_t>(i)] = formula.evaluate(std::array{i, stride, elements});
      judge(stride);
    }
  } catch (const usage_error& error) {
    throw bad_value("'map' is " + shown(map) + ": " + error.what());
  }
}

/// Adds what a line holds. @param map_lines how many lines held a map, right or wrong
void read_line(const json& line, const std::string& place, exercise_run& run, int& map_lines) {
  constexpr int kMostMaps = 16;
  if (!line.is_object()) throw bad_value("not a JSON object");
  if (has(line, "map")) {
    if (++map_lines > kMostMaps)
      throw bad_value("more than " + std::to_string(kMostMaps) + " lines have a 'map'");
    return read_map(line, place, run);
  }
  std::optional<exercise_row> row = row_of_line(line);
  if (!row) return;
  if (has(line, "l2_bytes")) {
    const index_t l2_bytes = whole(line, "l2_bytes");
    if (run.l2_bytes != 0 && run.l2_bytes != l2_bytes)
      throw bad_value("'l2_bytes' is another than in a line before: one GPU at a time");
    run.l2_bytes = l2_bytes;
    run.l2_source = "the GPU, as the rows say";
  }
  row->place = place;
  add(run.rows, std::move(*row));
}

exercise_run read_lines(std::string_view text, const std::string& source) {
  exercise_run run{.source = source, .rows = {}};
  int number = 0, map_lines = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = "line " + std::to_string(number);
    try {
      read_line(read_json(line, kDeepest), place, run, map_lines);
    } catch (const bad_value& error) {
      refuse(run, place, error);
    }
  }
  return run;
}

/// The stride of stride/copy/f32/stride:8/..., 0 of chunk/copy/f32/..., nothing of other rows.
std::optional<index_t> stride_in(std::string_view name) {
  constexpr std::string_view kStride = "stride/copy/f32/stride:", kChunk = "chunk/copy/f32/chunk:";
  if (name.starts_with(kChunk)) return 0;
  if (!name.starts_with(kStride)) return std::nullopt;
  name.remove_prefix(kStride.size());
  index_t stride = 0;
  std::from_chars(name.data(), name.data() + name.size(), stride);
  return stride > 0 ? std::optional(stride) : std::nullopt;
}

double ms_of(const json& row) {
  const double time = positive(row, "real_time");
  const json& unit = member(row, "time_unit");
  constexpr std::array<std::pair<const char*, double>, 4> kUnits{
      {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}}};
  for (const auto& [name, ms] : kUnits)
    if (unit == name) return time * ms;
  throw bad_value("'time_unit' is " + shown(unit) + ", not ns, us, ms or s");
}

std::string text_of(const json& object, const char* key) {
  return has(object, key) && object[key].is_string() ? one_line(object[key].get<std::string>())
                                                     : "";
}

std::string failure_of(const json& row) {
  const bool failed = row.value("error_occurred", json()) == true || has(row, "skipped");
  if (!failed) return "";
  const std::string why = text_of(row, "error_message") + text_of(row, "skip_message");
  return why.empty() ? "it failed" : why;
}

exercise_run read_document(const json& document, const std::string& source) {
  exercise_run run{.source = source, .rows = {}};
  const json context = document.value("context", json::object());
  run.on_gpu = text_of(context, "backend") != "host";
  try {
    if (has(context, "gpu.count"))
      throw bad_value("rows of several GPUs; the check takes those of one (--device=cuda:N)");
    if (const std::string l2 = text_of(context, "gpu.l2_bytes"); !l2.empty()) {
      std::from_chars(l2.data(), l2.data() + l2.size(), run.l2_bytes);
      run.l2_source = text_of(context, "gpu.name");
    }
    if (const std::string peak = text_of(context, "gpu.peak_bytes_per_s"); !peak.empty())
      std::from_chars(peak.data(), peak.data() + peak.size(), run.peak_bytes_per_s);
    if (!document["benchmarks"].is_array()) throw bad_value("'benchmarks' is not a list");
  } catch (const bad_value& error) {
    throw usage_error(source + ": " + error.what());
  }
  std::map<std::string, std::vector<double>> ms_of_row;  // one for each repetition
  std::set<std::pair<std::string, json>> seen;
  for (const json& entry : document["benchmarks"]) {
    const std::string name = entry.is_object() ? text_of(entry, "name") : "";
    const std::optional<index_t> stride = stride_in(name);
    if (!stride || text_of(entry, "run_type") == "aggregate") continue;
    try {
      exercise_row row{.place = name, .stride = stride, .failure = failure_of(entry)};
      if (stride == 0) row.stride.reset();
      if (row.failure.empty()) {
        if (entry.value("verified", json()) != 1) throw bad_value("was not verified");
        row.ms = ms_of(entry);
        row.bytes = copied_bytes(entry, "useful_bytes");
        if (has(entry, "elements")) row.elements = whole(entry, "elements");
        refuse_other_rate(positive(entry, "useful_bytes_per_second") * 1e-9, row.bytes, row.ms);
      }
      if (!seen.emplace(name, entry.value("repetition_index", json())).second)
        throw bad_value("stands twice");
      if (!ms_of_row.contains(name))
        add(run.rows, row);
      else if (!row.failure.empty())
        std::ranges::find(run.rows, name, &exercise_row::place)->failure = row.failure;
      ms_of_row[name].push_back(row.ms);
    } catch (const bad_value& error) {
      refuse(run, name, error);
    }
  }
  for (exercise_row& row : run.rows) {
    std::vector<double>& all = ms_of_row[row.place];
    std::ranges::sort(all);
    row.ms = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  }
  return run;
}

/// The row or the map at a stride that has to be there.
template <class Entry>
const Entry& at_stride(const exercise_run& run, const std::vector<Entry>& all, index_t stride) {
  const auto found = std::ranges::find_if(all, [&](const Entry& e) { return e.stride == stride; });
  if (found != all.end()) return *found;
  if (!run.refused.empty()) throw usage_error(run.source + ": " + run.refused.front());
  throw usage_error(run.source + ": no " + (std::is_same_v<Entry, exercise_map> ? "map" : "row") +
                    " has stride " + std::to_string(stride) + "; the check needs strides 1 and 32");
}

bool only_maps(const exercise_run& run) { return run.rows.empty() && !run.maps.empty(); }

/// A line for each row that failed or moved other bytes than stride 1.
std::string differences(const exercise_run& run, const exercise_row& fast) {
  std::string text;
  for (const exercise_row& row : run.rows)
    if (!row.failure.empty())
      text += "  " + name_of(row) + " (" + row.place + ") failed: " + row.failure + "\n";
  if (!text.empty()) return text;
  for (const exercise_row& row : run.rows) {
    const index_t said = row.elements > 0 ? 8 * row.elements : row.bytes;
    if (row.bytes == said && row.bytes == fast.bytes) continue;
    const index_t expected = row.bytes != said ? said : fast.bytes;
    text += "  bytes  " + name_of(row) + " moved " + std::to_string(row.bytes) + ", " +
            (row.bytes != said ? "2 x n x 4 of its n is " : "stride 1 moved ") +
            std::to_string(expected);
    if (row.bytes == fast.bytes && 2 * row.bytes == said)
      text += ": only one of the two sides, loads and stores, is counted\n";
    else if (row.bytes < expected)
      text +=
          ": this kernel did less work, the classic bug of this exercise, and its time says "
          "nothing\n";
    else
      text += ": the two did different work, and their times cannot be compared\n";
  }
  return text;
}

/// A line for each map; `covered` becomes false if one does not copy each element once.
std::string coverage_of(const std::vector<exercise_map>& maps, bool& covered) {
  std::string text;
  for (const exercise_map& map : maps) {
    const auto& [coverage, sectors] = map.verdict;
    text += "  map    " + name_of(map) + " (" + map.place + "): ";
    if (coverage.ok()) {
      text += "each of " + std::to_string(map.elements) + " elements once, " +
              format_significant(sectors) + " sectors a request\n";
      continue;
    }
    covered = false;
    text += describe(coverage);
    const bool wraps = coverage.loads.fault == coverage_fault::kRepeated && map.stride > 1 &&
                       static_cast<index_t>(coverage.loads.count) * *map.stride == map.elements;
    text += wraps ? ": n / s elements, s times each, as (i * s) % n does\n" : "\n";
  }
  return text;
}

/// A larger stride that is faster where both need a sector for each float: fewer are touched.
/// Beyond 32 a GPU's honest times fall as well.
std::string faster_stride(const std::vector<exercise_row>& rows) {
  constexpr double kSpread = 0.9;
  constexpr index_t kOwnSector = 8;
  const auto compared = [](const exercise_row& row) {
    return row.stride && *row.stride >= kOwnSector && *row.stride <= kSlow;
  };
  for (const exercise_row& slow : rows)
    for (const exercise_row& fast : rows)
      if (compared(slow) && compared(fast) && slow.stride < fast.stride &&
          fast.ms < kSpread * slow.ms)
        return "  shape  " + name_of(fast) + " takes " + format_fixed(fast.ms / slow.ms, 2) +
               " times as long as " + name_of(slow) +
               ", and both need a sector for each float: n / s elements are touched, as by "
               "(i * s) % n or if (i * s < n); look at the output\n";
  return "";
}

}  // namespace

exercise_run read_exercise(std::string_view text, const std::string& source) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) throw usage_error(source + ": is empty");
  const std::string_view first = text.substr(begin, text.find('\n', begin) - begin);
  const json line = json::parse(first, nullptr, false);
  const bool begins_with_line = line.is_object() && !line.contains("benchmarks");
  if (begins_with_line || text.find("\"benchmarks\"") == std::string_view::npos) {
    exercise_run run = read_lines(text, source);
    if (begins_with_line || !run.rows.empty() || !run.maps.empty()) return run;
  }
  json document;
  try {
    document = read_json(text, kDeepest);
  } catch (const bad_value& error) {
    throw usage_error(source + ": neither the program's JSON nor JSON lines: " + error.what());
  }
  if (!document.is_object() || !document.contains("benchmarks"))
    throw usage_error(source + ": has no 'benchmarks', and is no JSON lines either");
  return read_document(document, source);
}

void assume_l2(exercise_run& run, const std::string& gpu) {
  if (!run.on_gpu) return;
  if (run.l2_bytes > 0) {
    if (!gpu.empty())
      throw usage_error("--gpu=" + gpu + ": the rows say themselves that L2 has " +
                        std::to_string(run.l2_bytes) + " bytes; leave it out");
    return;
  }
  const auto take = [&](const device_description& device, const char* why) {
    run.peak_bytes_per_s = std::max(run.peak_bytes_per_s, device.dram_bytes_per_s);
    const auto l2_bytes = static_cast<index_t>(device.l2_bytes);
    if (l2_bytes <= run.l2_bytes) return;
    run.l2_bytes = l2_bytes;
    run.l2_source = device.name + why;
  };
  if (!gpu.empty()) return take(find_device(gpu), "");
  for (const std::string_view key : known_devices())
    take(find_device(std::string(key)),
         ", the largest known, as the rows do not say theirs (--gpu= does)");
}

void require_curve(const exercise_run& run) {
  std::set<index_t> strides;
  for (const exercise_row& row : run.rows)
    if (row.stride && !strides.insert(*row.stride).second)  // of a run: files have each once
      throw usage_error(run.source + ": " + name_of(row) + " stands twice, again in " + row.place +
                        "; the check takes one curve");
  for (const index_t stride : {kFast, kSlow})
    only_maps(run) ? void(at_stride(run, run.maps, stride))
                   : void(at_stride(run, run.rows, stride));
}

exercise_verdict check_coalescing(const exercise_run& run) {
  constexpr std::size_t kShown = 20;
  require_curve(run);
  std::string text = "check coalescing: " + run.source + "\n";
  for (std::size_t i = 0; i < std::min(run.refused.size(), kShown); ++i)
    text += "  wrong  " + run.refused[i] + "\n";
  if (run.refused.size() > kShown)
    text += "  wrong  " + std::to_string(run.refused.size() - kShown) + " entries more\n";
  const auto ends = [&](exit_code code, std::string_view how) {
    const bool only_rest = code == exit_code::kOk && !run.refused.empty();
    text += only_rest ? "not graded: mend the wrong entries; the others pass\n" : how;
    return exercise_verdict{only_rest ? exit_code::kUsage : code, text};
  };
  const auto at_least = [&](double ratio, double bound) {
    const bool passed = ratio >= bound;
    return ends(passed ? exit_code::kOk : exit_code::kFailed,
                (passed ? "passed: at least " : "failed: at least ") + format_exact(bound) +
                    " are asked for\n");
  };

  bool covered = true;
  text += coverage_of(run.maps, covered);
  if (!covered) return ends(exit_code::kFailed, "failed: a copy copies each element once\n");
  if (only_maps(run)) {
    const auto sectors = [&](index_t stride) {
      return at_stride(run, run.maps, stride).verdict.sectors_per_request;
    };
    const double ratio = sectors(kSlow) / sectors(kFast);
    text += "  ratio  stride 32 needs " + format_fixed(ratio, 2) +
            " times the sectors of stride 1; how long they take, only a run says\n";
    return at_least(ratio, kSectorRatio);
  }

  const exercise_row& fast = at_stride(run, run.rows, kFast);
  const exercise_row& slow = at_stride(run, run.rows, kSlow);
  if (const std::string found = differences(run, fast); !found.empty()) {
    text += found;
    return ends(exit_code::kFailed, "failed\n");
  }
  text += "  bytes  " + std::to_string(fast.bytes) + " in each of " +
          std::to_string(run.rows.size()) + " rows: " + std::to_string(fast.bytes / 8) +
          " floats loaded and stored\n";
  if (run.on_gpu && run.l2_bytes > 0) {
    const bool fits = fast.bytes <= run.l2_bytes;
    text += "  L2     " + format_bytes(fast.bytes) + (fits ? " fit" : " do not fit") + " into " +
            format_bytes(run.l2_bytes) + " (" + run.l2_source + ")\n";
    if (fits)
      return ends(exit_code::kUsage,
                  "not graded: what L2 holds need not come from DRAM; take more elements\n");
  }
  // What L2 kept of the launch before need not cross the bus.
  const auto crossed = static_cast<double>(fast.bytes - run.l2_bytes);
  const double most = run.peak_bytes_per_s * fast.ms * 1e-3;
  if (run.on_gpu && run.peak_bytes_per_s > 0 && crossed > most) {
    text += "  rate   stride 1 takes " + format_time(fast.ms * 1e-3) + ", in which the bus moves " +
            format_fixed(most / 1e6, 1) + " MB at most\n";
    return ends(exit_code::kUsage,
                "not graded: faster than the memory: look at how the time is taken\n");
  }
  const double ratio = slow.ms / fast.ms;
  text += "  ratio  stride 32 takes " + format_fixed(ratio, 2) +
          " times as long as stride 1: " + format_time(slow.ms * 1e-3) + " and " +
          format_time(fast.ms * 1e-3) + "\n";
  if (!run.on_gpu)
    return ends(exit_code::kUsage,
                "not graded: these are rows of a CPU, and the bound of 8 is a GPU's\n");
  if (const std::string shape = faster_stride(run.rows); !shape.empty()) {
    text += shape;
    return ends(exit_code::kFailed, "failed: a larger stride cannot be faster\n");
  }
  return at_least(ratio, kCoalescingRatio);
}

std::string exercise_hint(int number) {
  if (number == 1)
    return "Hint 1. Draw one warp. Its 32 threads load 32 floats in one instruction: which 32\n"
           "addresses are they at stride 1, at stride 2, at stride 8? Mark units of 32 bytes\n"
           "(sectors) on the line of addresses, and count those that are touched.\n"
           "And let every stride copy the same elements: n loads and n stores.\n";
  return "Hint 2. Launch in two dimensions: x walks n / stride columns, y walks stride rows, and\n"
         "thread (col, row) copies element col * stride + row. That is every element once, and no\n"
         "division. Check the output; time several launches between two events, after a warm-up.\n"
         "A sector is moved whole. Up to stride 8 each doubling touches twice as many of them; at\n"
         "stride 8 every lane has one to itself. So what still grows after that is not their\n"
         "number: think of what L2 fetches, and of when a sector is needed again.\n";
}

}  // namespace sectorbench
