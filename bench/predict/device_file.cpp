// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/device_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "bench/predict/built_in_devices.hpp"
#include "bench/support/bad_value.hpp"
#include "bench/support/format.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/json_input.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

constexpr std::array<std::string_view, 4> kSources{"data sheet", "measured", "assumed", "derived"};
constexpr std::array<std::string_view, 4> kFigureKeys{"value", "unit", "source", "note"};

/// Which files have a figure.
enum class where_given {
  kAlways,
  kUnlessScaled,  // else it may stand there, and replaces the scaled one
  kIfScaled,
  kMaybe,
};

/// What a figure may be.
struct figure {
  std::string_view unit;
  double lowest = 0, highest = kNoLimit;
  bool above_lowest = false;
  bool whole = false;
  double first_x = 0, last_x = kNoLimit;  // of a curve
  where_given given = where_given::kUnlessScaled;

  constexpr figure in(where_given which) const {
    figure same = *this;
    same.given = which;
    return same;
  }
};

constexpr figure positive(std::string_view unit) { return {.unit = unit, .above_lowest = true}; }
constexpr figure count_of(std::string_view unit, double highest) {
  return {.unit = unit, .lowest = 1, .highest = highest, .whole = true};
}
constexpr figure positive_over(std::string_view unit, double first_x, double last_x) {
  return {.unit = unit, .above_lowest = true, .first_x = first_x, .last_x = last_x};
}

/// Calls visit(path, value, figure) for each figure, in the order of files.
template <class Time, class Visit>
void visit_time(Time& time, const Visit& visit) {
  constexpr std::string_view kApart = "bytes/s over bytes apart";
  constexpr std::string_view kOfLine = "sectors/s over sectors of a line";
  visit("time.launch_s", time.launch_s, figure{.unit = "s"});
  visit("time.dram_start_s", time.dram_start_s, figure{.unit = "s"});
  visit("time.dram", time.dram, positive_over("bytes/s over share written", 0, 1));
  visit("time.dram_loads", time.dram_loads, positive_over(kApart, 0, kNoLimit));
  visit("time.dram_stores", time.dram_stores, positive_over(kApart, 0, kNoLimit));
  visit("time.dram_together", time.dram_together,
        positive_over("share over bytes apart", 0, kNoLimit));
  visit("time.l2_loads", time.l2_loads, positive_over(kOfLine, 1, 4));
  visit("time.l2_stores", time.l2_stores, positive_over(kOfLine, 1, 4));
  visit("time.l2_full_stores", time.l2_full_stores, positive("sectors/s"));
  visit("time.l2_added", time.l2_added,
        figure{.unit = "share over sectors of a line", .highest = 1, .first_x = 1, .last_x = 4});
  visit("time.l2_start_s", time.l2_start_s, figure{.unit = "s"});
  constexpr std::string_view kOfRate = "s over share of the DRAM rate";
  visit("time.block_life_loads", time.block_life_loads, positive_over(kOfRate, 0, 1));
  visit("time.block_life_copies", time.block_life_copies, positive_over(kOfRate, 0, 1));
  visit("time.block_life_stores_s", time.block_life_stores_s,
        figure{.unit = "s"}.in(where_given::kMaybe));
  visit("time.widening_loads", time.widening_loads, figure{.unit = "share"});
  visit("time.widening_copies", time.widening_copies, figure{.unit = "share"});
  visit("time.block_life_in_l2_s", time.block_life_in_l2_s, positive("s"));
  visit("time.blocks_started_per_s", time.blocks_started_per_s, positive("blocks/s"));
  visit("time.warps_started_per_s", time.warps_started_per_s, positive("warps/s"));
  visit("time.l1_lines_per_s", time.l1_lines_per_s, positive("lines/s"));
  visit("time.shared_wavefronts_per_s", time.shared_wavefronts_per_s, positive("wavefronts/s"));
  visit("time.f32_flops", time.f32_flops, positive("operations/s"));
}

template <class Sheet, class Visit>
void visit_sheet(Sheet& sheet, const Visit& visit) {
  using enum where_given;
  constexpr figure kShare{.unit = "share of the peak", .highest = 1, .above_lowest = true};
  visit("clock_hz", sheet.clock_hz, positive("Hz").in(kIfScaled));
  visit("memory", sheet.memory, figure{.unit = "kind"}.in(kIfScaled));
  visit("ecc", sheet.ecc, figure{.unit = "share", .highest = 1}.in(kIfScaled));
  visit("dram_read_share", sheet.read_share, kShare.in(kMaybe));
  visit("dram_write_share", sheet.write_share, kShare.in(kMaybe));
  visit("dram_copy_share", sheet.copy_share, kShare.in(kMaybe));
  visit("dram_latency_s", sheet.dram_latency_s, positive("s").in(kMaybe));
  visit("l2_bytes_per_clock", sheet.l2_bytes_per_clock, positive("bytes").in(kMaybe));
}

template <class File, class Visit>
void visit_figures(File& file, const Visit& visit) {
  using enum where_given;
  constexpr figure kDistance{.unit = "bytes"};
  auto& device = file.device;
  visit("sms", device.sms, count_of("SMs", 65536).in(kAlways));
  visit("threads_per_sm", device.threads_per_sm, count_of("threads", 65536).in(kAlways));
  visit("l1_bytes", device.l1_bytes, positive("bytes").in(kAlways));
  visit("l2_bytes", device.l2_bytes, positive("bytes").in(kAlways));
  visit("dram_bytes_per_s", device.dram_bytes_per_s, positive("bytes/s").in(kAlways));
  visit_sheet(file.sheet, visit);
  visit("read_granule", device.read_granule,
        figure{.unit = "bytes", .lowest = 32, .highest = 4096});
  visit("fills", device.fills, figure{.unit = "share", .highest = 1});
  visit("loads_kept.kept_bytes", device.loads_kept.kept_bytes, kDistance);
  visit("loads_kept.lost_bytes", device.loads_kept.lost_bytes, kDistance);
  visit("stores_kept.kept_bytes", device.stores_kept.kept_bytes, kDistance);
  visit("stores_kept.lost_bytes", device.stores_kept.lost_bytes, kDistance);
  visit("stores_sent", device.stores_sent,
        figure{.unit = "share over lines of a request", .highest = 1, .first_x = 1, .last_x = 32});
  visit("lost_in_rounds", device.lost_in_rounds,
        figure{.unit = "share over working set / L2", .highest = 1});
  if (device.time) visit_time(*device.time, visit);
}

struct key_place {
  std::string_view object, key;
};

/// "time.dram" is dram of time, "sms" is of the file itself.
key_place split_path(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// The keys of each object that is no figure, in the order of files; the file's own under "".
const std::map<std::string_view, std::vector<std::string_view>>& keys_by_object() {
  static const auto kKeys = [] {
    std::map<std::string_view, std::vector<std::string_view>> keys;
    keys[""] = {"schema", "key", "name", "architecture", "like"};
    device_file all;
    all.device.time.emplace();
    visit_figures(all, [&](std::string_view path, auto&, const figure&) {
      const auto [object, key] = split_path(path);
      const std::string_view top = object.empty() ? key : object;
      if (keys[""].back() != top) keys[""].push_back(top);
      if (!object.empty()) keys[object].push_back(key);
    });
    keys[""].emplace_back("evidence");
    return keys;
  }();
  return kKeys;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

/// A text as it reads, anything else as JSON writes it.
std::string shown(const json& value) {
  return in_quotes(value.is_string() ? std::string_view(value.get_ref<const std::string&>())
                                     : std::string_view(value.dump()));
}

bad_value bad(std::string_view path, const std::string& what) {
  return bad_value(path.empty() ? what : std::string(path) + ": " + what);
}

std::string path_of(std::string_view object, std::string_view key) {
  return object.empty() ? std::string(key) : std::string(object) + "." + std::string(key);
}

/// A figure as a remedy shows it.
std::string example_of(const figure& what) {
  return R"({"value": ..., "unit": ")" + std::string(what.unit) +
         R"(", "source": ..., "note": ...})";
}

void check_keys(const json& object, std::string_view path,
                std::span<const std::string_view> known) {
  for (const auto& item : object.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) continue;
    std::string what = "unknown key " + in_quotes(item.key()) + "; ";
    if (const auto near = near_match(item.key(), known); !near.empty())
      what.append("did you mean ").append(near).append("? ");
    throw bad(path, what + "known: " + join(known, ", "));
  }
}

const json& member(const json& object, std::string_view path, std::string_view key,
                   const std::string& remedy) {
  const auto found = object.find(std::string(key));
  if (found == object.end()) throw bad(path_of(path, key), "missing; " + remedy);
  return *found;
}

/// @param must what the text has to be, as the error puts it
template <class Allowed>
std::string read_text(const json& object, std::string_view path, std::string_view key,
                      const std::string& must, const Allowed& is_allowed) {
  const json& value = member(object, path, key, must);
  if (value.is_string() && is_allowed(value.get_ref<const std::string&>()))
    return value.get<std::string>();
  throw bad(path_of(path, key), shown(value) + " will not do; " + must);
}

bool is_line(const std::string& text) { return !text.empty() && one_line(text) == text; }

bool is_key(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

double read_number(const json& value, const figure& what) {
  const std::string remedy = "; the unit is " + std::string(what.unit);
  if (!value.is_number()) throw bad_value(shown(value) + " is no number" + remedy);
  const auto number = value.get<double>();
  if (what.whole && number != std::trunc(number))
    throw bad_value(value.dump() + " is no whole number" + remedy);
  if (number > what.lowest || (number == what.lowest && !what.above_lowest))
    if (number <= what.highest) return number;
  throw bad_value(value.dump() + " is not " +
                  (what.highest < kNoLimit
                       ? "from " + format_exact(what.lowest) + " to " + format_exact(what.highest)
                       : (what.above_lowest ? "above " : "at least ") + format_exact(what.lowest)) +
                  remedy);
}

/// What figures of a unit can be; beyond it lies a slip, of the unit or of the exponent.
interval plausible(std::string_view unit) {
  const std::string_view first = unit.substr(0, unit.find(' '));
  if (first == "s") return {0, 1};
  if (first == "bytes/s") return {1e6, 1e18};
  if (first.ends_with("/s") || first == "Hz") return {1e3, 1e21};
  if (first == "bytes") return {0, 1e15};
  return {0, 1e6};
}

/// What a unit was confused with, by the factor that would make a figure likely.
struct slip {
  double factor;
  std::string_view meant;
};

/// The slip that turns a likely figure into this one, as a question; "" if none does.
std::string slip_of(double number, const interval& likely, std::string_view unit) {
  constexpr double kKibi = 1024;
  const std::vector<slip> slips =
      unit == "bytes/s"
          ? std::vector<slip>{{1e9, "GB/s"}, {1e12, "TB/s"}, {1e6, "MB/s"}, {1e3, "KB/s"}}
      : unit == "Hz"    ? std::vector<slip>{{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}}
      : unit == "s"     ? std::vector<slip>{{1e-9, "ns"}, {1e-6, "us"}}
      : unit == "bytes" ? std::vector<slip>{{kKibi, "KiB"},
                                            {kKibi * kKibi, "MiB"},
                                            {1 / kKibi, "KiB, and a figure in MiB"}}
                        : std::vector<slip>{};
  for (const auto& [factor, meant] : slips)
    if (likely.contains(number * factor))
      return "; did you mean " + format_exact(number * factor) + " (" + format_exact(number) + " " +
             std::string(meant) + ")?";
  return {};
}

double read_plausible(const json& value, const figure& what) {
  const double number = read_number(value, what);
  const interval can_be = plausible(what.unit);
  if (number >= can_be.low && number <= can_be.high) return number;
  throw bad_value(format_exact(number) + " is no figure of a GPU, which are from " +
                  format_exact(can_be.low) + " to " + format_exact(can_be.high) + "; the unit is " +
                  std::string(what.unit) + slip_of(number, can_be, what.unit));
}

interval read_ends(const json& low, const json& high, const figure& what) {
  const interval ends{read_plausible(low, what), read_plausible(high, what)};
  if (ends.low <= ends.high) return ends;
  throw bad_value("the low end " + low.dump() + " is above the high end " + high.dump() +
                  "; write [low, high]");
}

void read_value(const json& value, const figure& what, double& to) {
  to = read_plausible(value, what);
}

void read_value(const json& value, const figure& what, int& to) {
  to = static_cast<int>(read_number(value, what));
}

void read_value(const json& value, const figure& what, interval& to) {
  if (!value.is_array())
    to = read_ends(value, value, what);
  else if (value.size() == 2)
    to = read_ends(value[0], value[1], what);
  else
    throw bad_value(shown(value) + " is no interval; write a number, or [low, high]");
}

curve::point read_point(const json& value, const figure& what) {
  if (!value.is_array() || value.size() < 2 || value.size() > 3)
    throw bad_value(shown(value) + " is no point; write [x, y] or [x, low, high]");
  const figure x{.unit = what.unit, .lowest = what.first_x, .highest = what.last_x};
  return {read_number(value[0], x), read_ends(value[1], value.back(), what)};
}

void read_value(const json& value, const figure& what, curve& to) {
  if (!value.is_array() || value.empty())
    throw bad_value(shown(value) + " is no curve; write [[x, y], ...] or [[x, low, high], ...]");
  std::vector<curve::point> points;
  for (std::size_t i = 0; i < value.size(); ++i) {
    try {
      points.push_back(read_point(value[i], what));
      if (i > 0 && points[i].x <= points[i - 1].x)
        throw bad_value("x " + value[i][0].dump() + " after x " + value[i - 1][0].dump() +
                        "; sort the points by x, each x once");
    } catch (const bad_value& error) {
      throw bad("point " + std::to_string(i + 1), error.what());
    }
  }
  to = curve(std::move(points));
}

void read_value(const json& value, const figure& what, std::optional<interval>& to) {
  read_value(value, what, to.emplace());
}

void read_value(const json& value, const figure&, memory_kind& to) {
  const auto found = value.is_string() ? std::ranges::find(kMemoryKinds, value.get<std::string>())
                                       : kMemoryKinds.end();
  if (found == kMemoryKinds.end())
    throw bad_value(shown(value) + " is not known; known: " + join(kMemoryKinds, ", "));
  to = static_cast<memory_kind>(found - kMemoryKinds.begin());
}

/// Whether `root` has the figure at `path`.
bool has_figure(const json& root, std::string_view path) {
  const auto [object, key] = split_path(path);
  if (object.empty()) return root.contains(std::string(key));
  const auto found = root.find(std::string(object));
  return found != root.end() && found->contains(std::string(key));
}

/// Reads the figure that `root` has at `path`.
template <class Value>
void read_figure(const json& root, std::string_view path, const figure& what, Value& to,
                 figure_source& source) {
  static const json kNone = json::object();
  const auto [object, key] = split_path(path);
  const auto found = object.empty() ? root.end() : root.find(std::string(object));
  const json& holder = object.empty() ? root : found == root.end() ? kNone : *found;
  const json& given = member(holder, object, key, "add " + example_of(what));
  if (!given.is_object())
    throw bad(path, shown(given) + " is no figure; write " + example_of(what));
  check_keys(given, path, kFigureKeys);
  const std::string unit(what.unit);
  read_text(given, path, "unit", "write \"" + unit + "\", and the value in it",
            [&](const std::string& text) { return text == unit; });
  const std::string kind = read_text(
      given, path, "source", "known: " + join(kSources, ", "),
      [](const std::string& text) { return std::ranges::find(kSources, text) != kSources.end(); });
  source.kind = static_cast<source_kind>(std::ranges::find(kSources, kind) - kSources.begin());
  source.note =
      read_text(given, path, "note",
                "write in one line where the figure is from, or why it is assumed", is_line);
  const json& value = member(given, path, "value", "add it, in " + unit);
  try {
    read_value(value, what, to);
  } catch (const bad_value& error) {
    throw bad(path_of(path, "value"), error.what());
  }
}

void check(const reuse_bounds& bounds, std::string_view path) {
  if (bounds.kept_bytes <= bounds.lost_bytes) return;
  throw bad(path, "kept_bytes " + format_exact(bounds.kept_bytes) + " is above lost_bytes " +
                      format_exact(bounds.lost_bytes) + "; a distance is kept or lost, not both");
}

device_evidence read_evidence(const json& given) {
  const std::string remedy = R"(; write {"name": "text", ...})";
  if (!given.is_object()) throw bad("evidence", shown(given) + " is no object" + remedy);
  device_evidence evidence;
  for (const auto& item : given.items()) {
    if (!item.value().is_string())
      throw bad("evidence." + item.key(), shown(item.value()) + " is no text" + remedy);
    evidence.emplace(item.key(), item.value().get<std::string>());
  }
  return evidence;
}

void read_figures(const json& root, device_file& file) {
  using enum where_given;
  const bool scaled = !file.sheet.like.empty();
  visit_figures(file, [&](std::string_view path, auto& value, const figure& what) {
    const bool needed = what.given == kAlways || what.given == (scaled ? kIfScaled : kUnlessScaled);
    const bool given = has_figure(root, path);
    if (given && !scaled && what.given == kIfScaled)
      throw bad(path, R"(stands only beside "like", in the description of a GPU that is scaled)");
    if (given || needed) read_figure(root, path, what, value, file.sources[std::string(path)]);
  });
}

/// Refuses figures that no GPU has, which a scaled description would follow without a word.
void check_likely(const device_file& file) {
  constexpr double kMi = 1 << 20;
  const device_description& d = file.device;
  const auto check = [](std::string_view path, const interval& value, const interval& likely,
                        std::string_view unit) {
    for (const double end : {value.low, value.high})
      if (!likely.contains(end))
        throw bad(path_of(path, "value"),
                  format_exact(end) + " " + std::string(unit) +
                      " are no figure of a GPU, which are from " + format_exact(likely.low) +
                      " to " + format_exact(likely.high) + slip_of(end, likely, unit));
  };
  check("sms", d.sms, {1, 1024}, "SMs");
  check("threads_per_sm", d.threads_per_sm, {32, 4096}, "threads");
  check("clock_hz", file.sheet.clock_hz, {2e8, 5e9}, "Hz");
  check("l1_bytes", d.l1_bytes, {kMi / 64, kMi}, "bytes");
  check("l2_bytes", d.l2_bytes, {kMi / 4, 1024 * kMi}, "bytes");
  check("dram_bytes_per_s", d.dram_bytes_per_s, {1e10, 1e14}, "bytes/s");
  if (const auto& latency = file.sheet.dram_latency_s)
    check("dram_latency_s", *latency, {5e-8, 5e-6}, "s");
  if (const auto& rate = file.sheet.l2_bytes_per_clock)
    check("l2_bytes_per_clock", *rate, {64, 65536}, "bytes a clock");
}

void scale_file(device_file& file) {
  const std::vector<std::string_view> known = known_devices();
  const std::string& like = file.sheet.like;
  std::optional<device_file> base;
  if (std::ranges::count(known, like) > 0 && like != file.device.key) base = find_device_file(like);
  if (!base || !base->sheet.like.empty() || !base->device.time || base->device.time->scaled)
    throw bad("like", in_quotes(like) + " is no calibrated GPU that is built in; write h200");
  scale(file.device, file.sheet, base->device, base->sheet);
}

device_file read_file(const json& root) {
  if (!root.is_object())
    throw bad_value("holds no description of a GPU; docs/options.md says how to write one");
  const auto& keys = keys_by_object();
  check_keys(root, "", keys.at(""));
  const json& schema = member(root, "", "schema", "add \"schema\": 1");
  if (schema != json(kSchema))
    throw bad("schema", shown(schema) + " is not known; this program reads schema 1");
  device_file file;
  device_description& device = file.device;
  device.key =
      read_text(root, "", "key", "write what --gpu= takes: small letters, digits and _", is_key);
  device.name = read_text(root, "", "name", "write the GPU's name in one line", is_line);
  device.architecture =
      read_text(root, "", "architecture", "write it in one line, e.g. \"Hopper (sm_90)\"", is_line);
  for (const auto& [object, known] : keys) {
    const auto found = object.empty() ? root.end() : root.find(std::string(object));
    if (found == root.end()) continue;
    if (!found->is_object())
      throw bad(object, shown(*found) + " is no object; it has the keys " + join(known, ", "));
    check_keys(*found, object, known);
  }
  if (root.contains("like"))
    file.sheet.like =
        read_text(root, "", "like", "write the key of a calibrated GPU, e.g. \"h200\"", is_key);
  if (root.contains("time")) device.time.emplace();
  read_figures(root, file);
  if (!file.sheet.like.empty()) {
    check_likely(file);
    scale_file(file);
    read_figures(root, file);  // what is given replaces what is scaled
  }
  if (device.time) {
    const auto source = file.sources.find("time.dram");
    device.time->scaled =
        source == file.sources.end() || source->second.kind != source_kind::kMeasured;
  }
  check(device.loads_kept, "loads_kept");
  check(device.stores_kept, "stores_kept");
  if (const auto found = root.find("evidence"); found != root.end())
    file.evidence = read_evidence(*found);
  return file;
}

/// Writes objects, one key a line.
class object_writer {
 public:
  const std::string& text() const { return text_; }

  /// @param in_line its keys in one line
  void begin(bool in_line = false) {
    text_ += '{';
    indent_ += "  ";
    is_first_ = true;
    in_line_ = in_line;
  }
  void close() {
    indent_.resize(indent_.size() - 2);
    text_ += is_first_ ? "" : in_line_ ? " " : "\n" + indent_;
    text_ += '}';
    is_first_ = in_line_ = false;
  }
  void key(std::string_view name) {
    text_ += is_first_ ? "" : ",";
    is_first_ = false;
    text_.append(in_line_ ? " " : "\n" + indent_).append(json(name).dump()).append(": ");
  }
  void open(std::string_view name, bool in_line = false) {
    key(name);
    begin(in_line);
  }
  void add(std::string_view name, std::string_view value) {
    key(name);
    text_ += json(value).dump();
  }
  void add(std::string_view name, double value) {
    key(name);
    text_ += format_exact(value);
  }
  void add(std::string_view name, const interval& value) {
    if (value.exact()) return add(name, value.low);
    key(name);
    text_ += "[" + ends(value) + "]";
  }
  void add(std::string_view name, const std::optional<interval>& value) {
    add(name, value.value_or(interval()));
  }
  void add(std::string_view name, memory_kind value) {
    add(name, kMemoryKinds[static_cast<std::size_t>(value)]);
  }
  void add(std::string_view name, const curve& value) {
    key(name);
    std::string_view lead = "[";
    for (const curve::point& point : value.points()) {
      text_.append(lead).append("\n").append(indent_).append("  [");
      text_ += format_exact(point.x) + ", " + ends(point.y) + "]";
      lead = ",";
    }
    text_ += value.empty() ? "[]" : "\n" + indent_ + "]";
  }

 private:
  static std::string ends(const interval& value) {
    const std::string low = format_exact(value.low);
    return value.exact() ? low : low + ", " + format_exact(value.high);
  }

  std::string text_;
  std::string indent_;
  bool is_first_ = true;
  bool in_line_ = false;  // the innermost object
};

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(memory_kind) { return true; }
bool is_finite(const interval& value) { return is_finite(value.low) && is_finite(value.high); }
bool is_finite(const std::optional<interval>& value) { return !value || is_finite(*value); }
bool is_finite(const curve& value) {
  return std::ranges::all_of(value.points(), [](const curve::point& point) {
    return is_finite(point.x) && is_finite(point.y);
  });
}

}  // namespace

std::string_view name_of(source_kind kind) { return kSources[static_cast<std::size_t>(kind)]; }

device_file read_device_file(std::string_view json_text, std::string_view where) {
  try {
    constexpr std::size_t kDeepest = 8;
    return read_file(read_json(json_text, kDeepest));
  } catch (const bad_value& error) {
    throw usage_error(std::string(where) + ": " + error.what());
  }
}

device_description read_device(std::string_view json_text, std::string_view where) {
  return read_device_file(json_text, where).device;
}

std::string write_device(const device_file& file) {
  const auto& [device, sources, evidence, sheet] = file;
  const bool scaled = !sheet.like.empty();
  object_writer to;
  to.begin();
  to.add("schema", kSchema);
  to.add("key", device.key);
  to.add("name", device.name);
  to.add("architecture", device.architecture);
  if (scaled) to.add("like", sheet.like);
  std::string_view object;
  const auto enter = [&](std::string_view other) {
    if (object == other) return;
    if (!object.empty()) to.close();
    if (!other.empty()) to.open(other);
    object = other;
  };
  figure_sources without_figure = sources;
  visit_figures(file, [&](std::string_view path, const auto& value, const figure& what) {
    using enum where_given;
    const auto source = sources.find(std::string(path));
    if (source == sources.end()) {
      if (what.given == kMaybe || what.given == (scaled ? kUnlessScaled : kIfScaled)) return;
      throw std::invalid_argument(std::string(path) + ": no source");
    }
    if (!is_finite(value)) throw std::invalid_argument(std::string(path) + ": not finite");
    without_figure.erase(source->first);
    const auto [in, key] = split_path(path);
    enter(in);
    to.open(key, scaled);
    to.add("value", value);
    to.add("unit", what.unit);
    to.add("source", name_of(source->second.kind));
    to.add("note", source->second.note);
    to.close();
  });
  enter("");
  if (!without_figure.empty())
    throw std::invalid_argument(without_figure.begin()->first + ": a source without a figure");
  if (evidence) {
    to.open("evidence");
    for (const auto& [name, text] : *evidence) to.add(name, text);
    to.close();
  }
  to.close();
  try {
    read_device(to.text(), device.key);
  } catch (const usage_error& error) {
    throw std::invalid_argument(error.what());
  }
  return to.text() + "\n";
}

std::vector<std::string_view> known_devices() {
  std::vector<std::string_view> keys;
  for (const built_in_device& device : built_in_devices()) keys.push_back(device.key);
  return keys;
}

device_file find_device_file(const std::string& name_or_file) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  const std::string key = lower(name_or_file);
  for (const built_in_device& device : built_in_devices())
    if (device.key == key) return read_device_file(device.text, device.key);
  const std::vector<std::string_view> known = known_devices();
  const std::string remedy =
      "known: " + join(known, ", ") + "; or a file, which describe writes (docs/options.md)";
  // Another GPU is no slip of the pen: v100 and a100 are one letter apart.
  if (name_or_file.find_first_of("/.") == std::string::npos)
    throw usage_error("--gpu=" + name_or_file + ": no such GPU; " + remedy);
  const input_kind kind{"--gpu", "description of a GPU", remedy, kMaxBytes};
  return read_device_file(read_input_file(name_or_file, kind), name_or_file);
}

device_description find_device(const std::string& name_or_file) {
  return find_device_file(name_or_file).device;
}

}  // namespace sectorbench
