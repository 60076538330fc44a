// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/exercise.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "bench/predict/device_file.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

using nlohmann::json;

// What is wrong with a row; callers put file and row in front.
using bad_row = std::runtime_error;

constexpr index_t kFast = 1, kSlow = 32;  // the strides whose times are compared

/// What the library says after "[json.exception.parse_error.101] ".
std::string reason(const json::exception& error) {
  const std::string_view message = error.what();
  const std::size_t end = message.find("] ");
  return one_line(end == std::string_view::npos ? message : message.substr(end + 2));
}

usage_error refusal(const std::string& source, const std::string& place, const std::string& what) {
  return usage_error(source + ": " + place + ": " + what);
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
    throw bad_row("'" + std::string(key) + "' is missing");
  return *found;
}

bool has(const json& row, const char* key) { return row.contains(key) && !row[key].is_null(); }

double positive(const json& row, const char* key) {
  const json& value = member(row, key);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0)
    throw bad_row("'" + std::string(key) + "' is " + shown(value) + ", not a number above 0");
  return value.get<double>();
}

/// A whole number, which the program's JSON writes as 5.3687091200000000e+08.
index_t whole(const json& row, const char* key) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const double value = positive(row, key);
  if (value != std::floor(value) || value > kMostExact)
    throw bad_row("'" + std::string(key) + "' is " + shown(row[key]) + ", not a whole number");
  return static_cast<index_t>(value);
}

/// Refuses a rate that is not bytes / time, as MiB per ms (5 % less) or half of the bytes give.
/// 2 %, and what is lost by printing ms with three decimals and GB/s with one.
void refuse_other_rate(double gbps, index_t bytes, double ms) {
  const double expected = static_cast<double>(bytes) / ms * 1e-6;
  const double doubt = 0.02 + 0.0005 / ms + 0.05 / gbps;
  if (std::abs(gbps / expected - 1) > doubt)
    throw bad_row(format_significant(gbps) + " GB/s is not " + std::to_string(bytes) +
                  " bytes in " + format_significant(ms) + " ms, which is " +
                  format_significant(expected) +
                  " (GB = 1e9 bytes; bytes: loads and stores together)");
}

exercise_row row_of_line(const json& line) {
  exercise_row row;
  const bool chunked = has(line, "chunk");
  if (has(line, "stride") && chunked) throw bad_row("has both 'stride' and 'chunk'");
  if (!chunked) row.stride = whole(line, "stride");
  row.ms = positive(line, "ms");
  row.bytes = whole(line, "bytes");
  refuse_other_rate(positive(line, "gbps"), row.bytes, row.ms);
  return row;
}

exercise_run read_lines(std::string_view text, const std::string& source) {
  exercise_run run{.source = source, .rows = {}};
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = "line " + std::to_string(number);
    try {
      const json parsed = json::parse(line);
      if (!parsed.is_object()) throw bad_row("not a JSON object");
      if (!has(parsed, "stride") && !has(parsed, "chunk")) continue;
      run.rows.push_back(row_of_line(parsed));
      run.rows.back().place = place;
      if (!has(parsed, "l2_bytes")) continue;
      const index_t l2_bytes = whole(parsed, "l2_bytes");
      if (run.l2_bytes != 0 && run.l2_bytes != l2_bytes)
        throw bad_row("'l2_bytes' is another than in a line before: one GPU at a time");
      run.l2_bytes = l2_bytes;
      run.l2_source = "the GPU, as the rows say";
    } catch (const json::exception& error) {
      throw refusal(source, place, reason(error) + " (is it cut off?)");
    } catch (const bad_row& error) {
      throw refusal(source, place, error.what());
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
  throw bad_row("'time_unit' is " + shown(unit) + ", not ns, us, ms or s");
}

std::string text_of(const json& object, const char* key) {
  return has(object, key) && object[key].is_string() ? one_line(object[key].get<std::string>())
                                                     : "";
}

std::string failure_of(const json& row) {
  const bool failed = row.value("error_occurred", false) || has(row, "skipped");
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
      throw bad_row("rows of several GPUs; the check takes those of one (--device=cuda:N)");
    if (const std::string l2 = text_of(context, "gpu.l2_bytes"); !l2.empty()) {
      std::from_chars(l2.data(), l2.data() + l2.size(), run.l2_bytes);
      run.l2_source = text_of(context, "gpu.name");
    }
    if (const std::string peak = text_of(context, "gpu.peak_bytes_per_s"); !peak.empty())
      std::from_chars(peak.data(), peak.data() + peak.size(), run.peak_bytes_per_s);
    if (!document["benchmarks"].is_array()) throw bad_row("'benchmarks' is not a list");
  } catch (const bad_row& error) {
    throw usage_error(source + ": " + error.what());
  }
  std::map<std::string, std::vector<double>> ms_of_row;  // one for each repetition
  std::set<std::pair<std::string, json>> seen;
  for (const json& entry : document["benchmarks"]) {
    const std::string name = entry.is_object() ? text_of(entry, "name") : "";
    const std::optional<index_t> stride = stride_in(name);
    if (!stride || text_of(entry, "run_type") == "aggregate") continue;
    try {
      exercise_row row{name, *stride > 0 ? stride : std::nullopt, 0, 0, failure_of(entry)};
      if (row.failure.empty()) {
        if (entry.value("verified", json()) != 1) throw bad_row("was not verified");
        row.ms = ms_of(entry);
        row.bytes = whole(entry, "useful_bytes");
        refuse_other_rate(positive(entry, "useful_bytes_per_second") * 1e-9, row.bytes, row.ms);
      }
      if (!seen.emplace(name, entry.value("repetition_index", json())).second)
        throw bad_row("stands twice");
      std::vector<double>& repetitions = ms_of_row[name];
      repetitions.push_back(row.ms);
      if (repetitions.size() == 1)
        run.rows.push_back(row);
      else if (!row.failure.empty())
        std::ranges::find(run.rows, name, &exercise_row::place)->failure = row.failure;
    } catch (const bad_row& error) {
      throw refusal(source, name, error.what());
    } catch (const json::exception& error) {
      throw refusal(source, name, reason(error));
    }
  }
  for (exercise_row& row : run.rows) {
    std::vector<double>& all = ms_of_row[row.place];
    std::ranges::sort(all);
    row.ms = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  }
  return run;
}

const exercise_row& row_of_stride(const exercise_run& run, index_t stride) {
  const auto found = std::ranges::find(run.rows, std::optional(stride), &exercise_row::stride);
  if (found == run.rows.end())
    throw usage_error(run.source + ": no row has stride " + std::to_string(stride) +
                      "; the check needs strides 1 and 32");
  return *found;
}

std::string name_of(const exercise_row& row) {
  return row.stride ? "stride " + std::to_string(*row.stride) : "the chunked row";
}

/// A line for each row that failed or moved other bytes than stride 1.
std::string differences(const exercise_run& run, const exercise_row& fast) {
  std::string text;
  for (const exercise_row& row : run.rows)
    if (!row.failure.empty())
      text += "  " + name_of(row) + " (" + row.place + ") failed: " + row.failure + "\n";
  if (!text.empty()) return text;
  for (const exercise_row& row : run.rows) {
    if (row.bytes == fast.bytes) continue;
    text += "  bytes  " + name_of(row) + " moved " + std::to_string(row.bytes) +
            ", stride 1 moved " + std::to_string(fast.bytes);
    text += row.bytes < fast.bytes
                ? ": this kernel did less work, the classic bug of this exercise, and its time "
                  "says nothing\n"
                : ": the two did different work, and their times cannot be compared\n";
  }
  return text;
}

}  // namespace

exercise_run read_exercise(std::string_view text, const std::string& source) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) throw usage_error(source + ": is empty");
  const std::string_view first = text.substr(begin, text.find('\n', begin) - begin);
  const json line = json::parse(first, nullptr, false);
  if (line.is_object() && !line.contains("benchmarks")) return read_lines(text, source);
  json document;
  try {
    document = json::parse(text);
  } catch (const json::exception& error) {
    throw usage_error(source + ": neither the program's JSON nor JSON lines: " + reason(error) +
                      " (is it cut off?)");
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
    if (row.stride && !strides.insert(*row.stride).second)
      throw usage_error(run.source + ": " + name_of(row) + " stands twice, again in " + row.place +
                        "; the check takes one curve");
  row_of_stride(run, kFast);
  row_of_stride(run, kSlow);
}

exercise_verdict check_coalescing(const exercise_run& run) {
  require_curve(run);
  const exercise_row& fast = row_of_stride(run, kFast);
  const exercise_row& slow = row_of_stride(run, kSlow);

  exercise_verdict verdict{exit_code::kFailed, "check coalescing: " + run.source + "\n"};
  if (const std::string found = differences(run, fast); !found.empty()) {
    verdict.text += found + "failed\n";
    return verdict;
  }
  verdict.text += "  bytes  " + std::to_string(fast.bytes) + " in each of " +
                  std::to_string(run.rows.size()) + " rows\n";
  if (run.on_gpu && run.l2_bytes > 0) {
    const bool fits = fast.bytes <= run.l2_bytes;
    verdict.text += "  L2     " + format_bytes(fast.bytes) + (fits ? " fit" : " do not fit") +
                    " into " + format_bytes(run.l2_bytes) + " (" + run.l2_source + ")\n";
    if (fits) {
      verdict.code = exit_code::kUsage;
      verdict.text += "not graded: what L2 holds need not come from DRAM; take more elements\n";
      return verdict;
    }
  }
  // What L2 kept of the launch before need not cross the bus.
  const auto crossed = static_cast<double>(fast.bytes - run.l2_bytes);
  if (run.on_gpu && run.peak_bytes_per_s > 0 && crossed > run.peak_bytes_per_s * fast.ms * 1e-3) {
    verdict.code = exit_code::kUsage;
    verdict.text += "  rate   stride 1 takes " + format_time(fast.ms * 1e-3) +
                    ", in which the bus moves " +
                    format_fixed(run.peak_bytes_per_s * fast.ms * 1e-3 / 1e6, 1) + " MB at most\n" +
                    "not graded: faster than the memory: look at how the time is taken\n";
    return verdict;
  }
  const double ratio = slow.ms / fast.ms;
  verdict.text += "  ratio  stride 32 takes " + format_fixed(ratio, 2) +
                  " times as long as stride 1: " + format_time(slow.ms * 1e-3) + " and " +
                  format_time(fast.ms * 1e-3) + "\n";
  if (!run.on_gpu) {
    verdict.code = exit_code::kUsage;
    verdict.text += "not graded: these are rows of a CPU, and the bound of 8 is a GPU's\n";
  } else if (ratio >= kCoalescingRatio) {
    verdict.code = exit_code::kOk;
    verdict.text += "passed: at least 8 are asked for\n";
  } else {
    verdict.text += "failed: at least 8 are asked for\n";
  }
  return verdict;
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
