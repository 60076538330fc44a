// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/describe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bench/predict/device_file.hpp"
#include "bench/support/bad_value.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

struct unit {
  std::string_view name;
  double factor;
};
constexpr std::array kCount{unit{"", 1}};
constexpr std::array kHz{unit{"GHz", 1e9}, unit{"MHz", 1e6}, unit{"kHz", 1e3}, unit{"Hz", 1},
                         unit{"", 1}};
constexpr std::array kBytes{unit{"KiB", 1 << 10}, unit{"MiB", 1 << 20}, unit{"GiB", 1 << 30},
                            unit{"KB", 1e3},      unit{"MB", 1e6},      unit{"B", 1},
                            unit{"", 1}};
constexpr std::array kRates{unit{"TB/s", 1e12}, unit{"GB/s", 1e9}, unit{"MB/s", 1e6},
                            unit{"B/s", 1}, unit{"", 1}};
constexpr std::array kSeconds{unit{"ns", 1e-9}, unit{"us", 1e-6}, unit{"s", 1}, unit{"", 1}};
constexpr std::array kShares{unit{"%", 0.01}, unit{"", 1}};

double read_quantity(std::string_view text, std::span<const unit> units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto found = std::ranges::find(units, rest, &unit::name);
  if (error == std::errc{} && std::isfinite(number) && found != units.end())
    return found->factor < 1 ? number / std::round(1 / found->factor) : number * found->factor;
  std::vector<std::string_view> names;
  for (const unit& one : units)
    if (!one.name.empty()) names.push_back(one.name);
  throw bad_value(names.empty() ? "give a number"
                                : "give a number and its unit: " + join(names, ", "));
}

/// What a flag gives: which figure, in which units.
struct flag {
  std::string_view name, path;
  std::span<const unit> units;
  source_kind from;
  void (*set)(device_file&, double);
};

constexpr std::array kFlags{
    flag{"sms", "sms", kCount, source_kind::kDataSheet,
         [](device_file& f, double v) { f.device.sms = static_cast<int>(v); }},
    flag{"threads_per_sm", "threads_per_sm", kCount, source_kind::kDataSheet,
         [](device_file& f, double v) { f.device.threads_per_sm = static_cast<int>(v); }},
    flag{"l1", "l1_bytes", kBytes, source_kind::kDataSheet,
         [](device_file& f, double v) { f.device.l1_bytes = v; }},
    flag{"l2", "l2_bytes", kBytes, source_kind::kDataSheet,
         [](device_file& f, double v) { f.device.l2_bytes = v; }},
    flag{"peak", "dram_bytes_per_s", kRates, source_kind::kDataSheet,
         [](device_file& f, double v) { f.device.dram_bytes_per_s = v; }},
    flag{"clock", "clock_hz", kHz, source_kind::kDataSheet,
         [](device_file& f, double v) { f.sheet.clock_hz = v; }},
    flag{"read", "dram_read_share", kShares, source_kind::kMeasured,
         [](device_file& f, double v) { f.sheet.read_share = v; }},
    flag{"write", "dram_write_share", kShares, source_kind::kMeasured,
         [](device_file& f, double v) { f.sheet.write_share = v; }},
    flag{"copy", "dram_copy_share", kShares, source_kind::kMeasured,
         [](device_file& f, double v) { f.sheet.copy_share = v; }},
    flag{"latency", "dram_latency_s", kSeconds, source_kind::kMeasured,
         [](device_file& f, double v) { f.sheet.dram_latency_s = v; }},
    flag{"l2_per_clock", "l2_bytes_per_clock", kCount, source_kind::kMeasured,
         [](device_file& f, double v) { f.sheet.l2_bytes_per_clock = v; }},
};
constexpr std::array<std::string_view, 5> kTexts{"like", "key", "name", "memory", "ecc"};
constexpr std::array<std::string_view, 4> kNeeded{"sms", "clock", "l2", "peak"};

using given_flags = std::map<std::string_view, std::string_view>;

given_flags read_flags(const std::vector<std::string>& flags) {
  std::vector<std::string_view> known(kTexts.begin(), kTexts.end());
  for (const flag& one : kFlags) known.push_back(one.name);
  given_flags given;
  for (const std::string& text : flags) {
    const std::string_view all = text;
    const std::size_t equals = all.find('=');
    const bool is_flag = all.starts_with("--") && equals != std::string_view::npos;
    const std::string_view name = is_flag ? all.substr(2, equals - 2) : all;
    if (!is_flag || std::ranges::find(known, name) == known.end())
      throw usage_error("describe: unknown '" + text +
                        "'; known, each as --flag=value: " + join(known, ", "));
    if (!given.emplace(name, all.substr(equals + 1)).second)
      throw usage_error("describe: --" + std::string(name) + " stands twice; leave one out");
  }
  for (const std::string_view needed : kNeeded)
    if (!given.contains(needed))
      throw usage_error("describe: --" + std::string(needed) +
                        "= is missing; write e.g. describe --sms=108 --clock=1410MHz --l2=40MiB "
                        "--peak=1555GB/s --memory=HBM2");
  return given;
}

std::string as_given(std::string_view name, std::string_view value) {
  return "--" + std::string(name) + "=" + std::string(value);
}

template <std::size_t N>
std::size_t one_of(const std::array<std::string_view, N>& known, std::string_view name,
                   std::string_view value) {
  const auto found = std::ranges::find(known, value);
  if (found == known.end())
    throw usage_error("describe: " + as_given(name, value) + ": known: " + join(known, ", "));
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace

std::string describe_help() {
  std::string text =
      "describe --sms=N --clock=1410MHz --l2=40MiB --peak=1555GB/s [--flag=value ...]\n\n"
      "Writes the description of a GPU that --gpu= takes, scaled from a calibrated one.\n"
      "  --like=h200  --key=mine  --name=...  --ecc=on|off  --memory=";
  text += join(kMemoryKinds, "|") + "\n";
  for (const flag& one : kFlags) {
    text += "  --" + std::string(one.name) + "=";
    for (const unit& of : one.units)
      text += of.name.empty() ? "NUMBER" : std::string(of.name) + "|";
    text += one.from == source_kind::kMeasured ? "  if it was measured\n" : "\n";
  }
  return text;
}

std::string describe(const std::vector<std::string>& flags) {
  const given_flags given = read_flags(flags);
  const auto text_of = [&](std::string_view name, std::string_view otherwise) {
    const auto found = given.find(name);
    return found == given.end() ? otherwise : found->second;
  };
  device_file file;
  const std::string_view like = text_of("like", "h200");
  if (std::ranges::count(known_devices(), like) == 0)
    throw usage_error("describe: " + as_given("like", like) + ": no such GPU; write h200");
  const device_description base = find_device(std::string(like));
  file.sheet.like = base.key;
  file.device.key = text_of("key", "mine");
  file.device.name = text_of("name", file.device.key);
  file.device.architecture = "not given";
  file.device.threads_per_sm = base.threads_per_sm;
  file.device.l1_bytes = base.l1_bytes;
  const auto source = [&](std::string_view path, std::string_view name, source_kind kind) {
    const auto found = given.find(name);
    file.sources[std::string(path)] =
        found == given.end() ? figure_source{source_kind::kAssumed, "Not given; as of " + base.key}
                             : figure_source{kind, "As given: " + as_given(name, found->second)};
  };
  for (const auto& [path, name] : {std::pair{"threads_per_sm", "threads_per_sm"},
                                   {"l1_bytes", "l1"},
                                   {"memory", "memory"},
                                   {"ecc", "ecc"}})
    source(path, name, source_kind::kDataSheet);
  file.sheet.memory =
      static_cast<memory_kind>(one_of(kMemoryKinds, "memory", text_of("memory", "HBM3e")));
  constexpr std::array<std::string_view, 3> kModes{"off", "on", "unknown"};
  const std::size_t ecc = one_of(kModes, "ecc", text_of("ecc", "unknown"));
  file.sheet.ecc = ecc == 2 ? interval{0, 1} : interval(static_cast<double>(ecc));
  if (ecc == 2) file.sources["ecc"] = {source_kind::kAssumed, "Not known"};
  for (const flag& one : kFlags) {
    const auto found = given.find(one.name);
    if (found == given.end()) continue;
    source(one.path, one.name, one.from);
    const std::string_view value = found->second;
    try {
      const bool of_peak = one.units.data() == kShares.data() && value.ends_with("/s");
      const double number = of_peak ? read_quantity(value, kRates) / file.device.dram_bytes_per_s
                                    : read_quantity(value, one.units);
      if (one.units.data() == kShares.data() && number > 1)
        throw bad_value("is above the peak of " +
                        format_exact(file.device.dram_bytes_per_s * 1e-9) + " GB/s");
      constexpr double kMost = 65536;
      if (one.units.data() == kCount.data() && (number != std::trunc(number) || number > kMost))
        throw bad_value("give a whole number up to 65536");
      one.set(file, number);
    } catch (const bad_value& error) {
      throw usage_error("describe: " + as_given(one.name, value) + ": " + error.what());
    }
  }
  try {
    return write_device(file);
  } catch (const std::invalid_argument& error) {
    // "mine: dram_bytes_per_s.value: 1555 is ...": the flag stands for the key.
    const std::string said = error.what();
    for (const flag& one : kFlags) {
      const std::string path = ": " + std::string(one.path) + ".value: ";
      const std::size_t at = said.find(path);
      if (at != std::string::npos && given.contains(one.name))
        throw usage_error("describe: " + as_given(one.name, given.at(one.name)) + ": " +
                          said.substr(at + path.size()));
    }
    throw usage_error("describe: " + said);
  }
}

}  // namespace sectorbench
