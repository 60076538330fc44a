// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/spatter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <variant>

#include "bench/support/bad_value.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/json_input.hpp"
#include "bench/support/text.hpp"
#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {
namespace {

constexpr index_t kMaxNumber = std::numeric_limits<index_t>::max();
constexpr index_t kMaxLength = index_t{1} << 28;
constexpr index_t kMaxStep = kMaxIndexed;  // with kMaxLength of them a place stays in 64 bits
constexpr std::size_t kMaxLabel = 96;

/// A value as it was given: text, a whole number, or an array of them.
using setting = std::variant<std::string, index_t, std::vector<index_t>>;

/// A list, how it names a row, and the delta that its notation implies.
struct named_list {
  std::vector<index_t> entries;
  std::string label;
  std::optional<index_t> delta{};
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, kShown)) + "...'";
}

index_t within(index_t number, index_t lowest, index_t highest) {
  if (number >= lowest && number <= highest) return number;
  throw bad_value(std::to_string(number) + " is not from " + std::to_string(lowest) + " to " +
                  std::to_string(highest));
}

index_t read_number(std::string_view text, index_t lowest, index_t highest = kMaxNumber) {
  index_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    throw bad_value(in_quotes(text) + " does not fit 64 bits");
  if (error != std::errc{} || end != text.data() + text.size())
    throw bad_value(in_quotes(text) + " is no whole number");
  return within(number, lowest, highest);
}

std::vector<index_t> read_numbers(std::string_view text, index_t highest = kMaxNumber) {
  std::vector<index_t> numbers;
  for (const std::string_view one : split(text, ','))
    numbers.push_back(read_number(one, 0, highest));
  return numbers;
}

/// What `read` makes of one part of a notation; an error gets the part's name in front.
template <typename Read>
auto part(std::string_view name, Read read) {
  try {
    return read();
  } catch (const bad_value& error) {
    throw bad_value(std::string(name) + ": " + error.what());
  }
}

index_t read_length(std::string_view text) {
  return part("length", [&] { return read_number(text, 1, kMaxLength); });
}

named_list uniform(std::span<const std::string_view> args) {
  if (args.size() != 2 && args.size() != 3)
    throw bad_value("write UNIFORM:<length>:<stride>[:<delta>|:NR], e.g. UNIFORM:8:4:NR");
  const index_t length = read_length(args[0]);
  const index_t stride = part("stride", [&] { return read_number(args[1], 1, kMaxStep); });
  named_list list;
  for (index_t j = 0; j < length; ++j) list.entries.push_back(j * stride);
  if (args.size() == 3)
    list.delta = part("delta", [&] {
      return lower(args[2]) == "nr" ? length * stride : read_number(args[2], 1);
    });
  return list;
}

named_list mostly_stride_one(std::span<const std::string_view> args) {
  if (args.size() != 3) throw bad_value("write MS1:<length>:<places>:<gaps>, e.g. MS1:8:2,3:20,22");
  const index_t length = read_length(args[0]);
  const std::vector<index_t> places = part("places", [&] { return read_numbers(args[1]); });
  const std::vector<index_t> gaps = part("gaps", [&] { return read_numbers(args[2], kMaxStep); });
  if (gaps.size() != 1 && gaps.size() != places.size())
    throw bad_value(std::to_string(gaps.size()) + " gaps for " + std::to_string(places.size()) +
                    " places; give one gap for all, or one for each");
  if (std::ranges::adjacent_find(places, std::greater_equal{}) != places.end())
    throw bad_value("the places of gaps must rise");
  if (places.back() >= length)
    throw bad_value("no place " + std::to_string(places.back()) + " in a list of length " +
                    std::to_string(length));
  named_list list;
  index_t entry = -1;
  for (std::size_t gap = 0, j = 0; j < static_cast<std::size_t>(length); ++j) {
    const bool jumps = gap < places.size() && places[gap] == static_cast<index_t>(j);
    entry += !jumps ? 1 : gaps.size() == 1 ? gaps[0] : gaps[gap];
    gap += jumps ? 1 : 0;
    list.entries.push_back(entry);
  }
  return list;
}

named_list laplacian(std::span<const std::string_view> args) {
  if (args.size() != 3)
    throw bad_value("write LAPLACIAN:<dimensions>:<order>:<size>, e.g. LAPLACIAN:2:1:100");
  const index_t dimensions = part("dimensions", [&] { return read_number(args[0], 1, 63); });
  const index_t order =
      part("order", [&] { return read_number(args[1], 1, kMaxLength / (2 * dimensions + 1)); });
  const index_t size = part("size", [&] { return read_number(args[2], 1, kMaxStep); });
  std::vector<index_t> branch;  // distances from the centre
  for (index_t d = 0, step = 1; d < dimensions; ++d) {
    if (d > 0 && step > kMaxStep / size) throw bad_value("more points than 4 bytes can tell");
    if (d > 0) step *= size;
    for (index_t k = 1; k <= order; ++k) branch.push_back(k * step);
  }
  const index_t centre = branch.back();
  named_list list;
  list.delta = 1;
  for (auto it = branch.rbegin(); it != branch.rend(); ++it) list.entries.push_back(centre - *it);
  list.entries.push_back(centre);
  for (const index_t distance : branch) list.entries.push_back(centre + distance);
  return list;
}

/// A notation, or numbers between commas.
named_list read_notation(std::string text) {
  constexpr std::array<std::string_view, 3> kNotations{"uniform", "ms1", "laplacian"};
  std::erase(text, ' ');
  if (text.empty()) throw bad_value("an empty list");
  const std::vector<std::string_view> parts = split(text, ':');
  const std::span<const std::string_view> args = std::span(parts).subspan(1);
  const std::string kind = lower(parts[0]);
  named_list list;
  if (kind == kNotations[0])
    list = uniform(args);
  else if (kind == kNotations[1])
    list = mostly_stride_one(args);
  else if (kind == kNotations[2])
    list = laplacian(args);
  else if (args.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0)
    list.entries = read_numbers(text);
  else {
    std::string message = "unknown notation " + in_quotes(parts[0]) + "; ";
    if (const auto near = near_match(kind, kNotations); !near.empty())
      message.append("did you mean ").append(near).append("? ");
    throw bad_value(message + "known: UNIFORM, MS1, LAPLACIAN, or numbers between commas");
  }
  list.label = lower(text);
  std::ranges::replace(list.label, ',', '-');
  return list;
}

named_list read_list(const setting& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return read_notation(*text);
  const auto* const entries = std::get_if<std::vector<index_t>>(&value);
  if (entries == nullptr) throw bad_value("a number is no list");
  if (entries->empty()) throw bad_value("an empty list");
  return {*entries, {}};
}

index_t number_of(const setting& value, index_t lowest) {
  if (const auto* const number = std::get_if<index_t>(&value))
    return within(*number, lowest, kMaxNumber);
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr || text->find(',') != std::string::npos)
    throw bad_value("one number is taken, no list of them");
  return read_number(*text, lowest);
}

const std::string& text_of(const setting& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  throw bad_value("a text is taken, no number and no list");
}

/// A configuration while its settings are read.
struct draft {
  std::string name;
  operation_kind operation = operation_kind::kGather;
  named_list pattern, gather, scatter;
  index_t delta = 8, delta_gather = 8, delta_scatter = 8;
  index_t count = 1024;
  std::optional<index_t> wrap{}, size{};
  index_t boundary = 0;
  bool of_lists = false;  ///< MultiGather, MultiScatter: the list of a side chooses from `pattern`
  std::string file{};     ///< of a command line: the suite to read instead
  std::set<std::string_view> given{};

  /// Takes a list and what its notation says of the delta.
  static void take(const setting& value, named_list& list, index_t& delta_of_list) {
    list = read_list(value);
    delta_of_list = list.delta.value_or(delta_of_list);
  }
};

void read_kernel(const std::string& text, draft& to) {
  struct kernel {
    std::string_view name;
    operation_kind operation;
    bool of_lists;
  };
  constexpr std::array kKernels{kernel{"gather", operation_kind::kGather, false},
                                kernel{"scatter", operation_kind::kScatter, false},
                                kernel{"gs", operation_kind::kCopy, false},
                                kernel{"multigather", operation_kind::kGather, true},
                                kernel{"multiscatter", operation_kind::kScatter, true}};
  const auto found = std::ranges::find(kKernels, lower(text), &kernel::name);
  if (found == kKernels.end())
    throw bad_value("no kernel " + in_quotes(text) +
                    "; known: Gather, Scatter, GS, MultiGather, MultiScatter");
  to.operation = found->operation;
  to.of_lists = found->of_lists;
}

/// A key of a suite, which is also a long option, and its letter on the command line.
struct option {
  std::string_view key;
  char letter;  // 0: none
  void (*apply)(draft& to, const setting& value) = nullptr;
  std::string_view remedy{};  // of what is refused
};

/// Of these the value is looked at and has no effect.
template <index_t Lowest>
void ignore(draft&, const setting& value) {
  number_of(value, Lowest);
}

constexpr std::string_view kPlainStores = "leave it out: stores are plain ones";

constexpr std::array kOptions{
    option{"name", 'n', [](draft& d, const setting& v) { d.name = text_of(v); }},
    option{"kernel", 'k', [](draft& d, const setting& v) { read_kernel(text_of(v), d); }},
    option{"pattern", 'p', [](draft& d, const setting& v) { d.take(v, d.pattern, d.delta); }},
    option{"pattern-gather", 'g',
           [](draft& d, const setting& v) { d.take(v, d.gather, d.delta_gather); }},
    option{"pattern-scatter", 'u',
           [](draft& d, const setting& v) { d.take(v, d.scatter, d.delta_scatter); }},
    option{"delta", 'd', [](draft& d, const setting& v) { d.delta = number_of(v, 0); }},
    option{"delta-gather", 'x',
           [](draft& d, const setting& v) { d.delta_gather = number_of(v, 0); }},
    option{"delta-scatter", 'y',
           [](draft& d, const setting& v) { d.delta_scatter = number_of(v, 0); }},
    option{"count", 'l', [](draft& d, const setting& v) { d.count = number_of(v, 1); }},
    option{"wrap", 'w', [](draft& d, const setting& v) { d.wrap = number_of(v, 1); }},
    option{"pattern-size", 'j', [](draft& d, const setting& v) { d.size = number_of(v, 1); }},
    option{"boundary", 'e', [](draft& d, const setting& v) { d.boundary = number_of(v, 0); }},
    option{"local-work-size", 'z', ignore<0>},
    option{"nruns", 0, ignore<1>},
    option{"runs", 'r', ignore<1>},
    option{"seed", 0, ignore<0>},
    option{"random", 's', nullptr, "leave it out: --seed= has the seed of the fill values"},
    option{"file", 'f', [](draft& d, const setting& v) { d.file = text_of(v); }},
    option{"backend", 'b', nullptr, "leave it out: --device= says where to measure"},
    option{"omp-threads", 't', nullptr, "leave it out: OMP_NUM_THREADS says how many"},
    option{"shared-memory", 'm', nullptr, "leave it out: no kernel has any"},
    option{"compress", 'c', nullptr, "leave it out: lists are taken as they are"},
    option{"atomic-writes", 0, nullptr, kPlainStores},
    option{"atomic-thread-fence", 0, nullptr, kPlainStores},
    option{"dense-buffers", 0, nullptr, "leave it out: there is one dense side"},
    option{"aggregate", 'a', nullptr, "leave it out: a row's samples are summed up anyway"},
    option{"op", 'o', nullptr, "leave it out: -k says the kernel"},
    option{"verbosity", 'v', nullptr, "leave it out: --progress=on says more"},
    option{"help", 'h', nullptr, "docs/options.md and --help explain"},
};

const option& option_called(std::string_view key) {
  const std::string name = lower(key);
  std::vector<std::string_view> taken;
  for (const option& known : kOptions) {
    if (known.key == name) return known;
    if (known.apply != nullptr && known.key != "file") taken.push_back(known.key);
  }
  std::string message = "unknown key " + in_quotes(key) + "; ";
  if (const auto near = near_match(name, taken); !near.empty())
    message.append("did you mean ").append(near).append("? ");
  throw bad_value(message + "known: " + join(taken, ", "));
}

setting setting_of(const std::string& text) { return text; }

setting setting_of(const nlohmann::json& value) {
  const auto whole = [](const nlohmann::json& number) {
    if (!number.is_number_integer())
      throw bad_value(in_quotes(number.dump()) + " is no whole number");
    if (number.is_number_unsigned() && number.get<std::uint64_t>() > std::uint64_t{kMaxNumber})
      throw bad_value(in_quotes(number.dump()) + " does not fit 64 bits");
    return number.get<index_t>();
  };
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return whole(value);
  std::vector<index_t> numbers;
  numbers.reserve(value.size());
  for (const nlohmann::json& number : value) numbers.push_back(whole(number));
  return numbers;
}

template <class Value>
void apply(draft& to, const option& known, const Value& value) {
  if (known.apply == nullptr)
    throw bad_value(std::string(known.key) + ": not supported; " + std::string(known.remedy));
  if (!to.given.insert(known.key).second)
    throw bad_value(std::string(known.key) + ": given twice; leave one of the two out");
  try {
    known.apply(to, setting_of(value));
  } catch (const bad_value& error) {
    throw bad_value(std::string(known.key) + ": " + error.what());
  }
}

/// The keys that only some kernels have.
void check_keys(const draft& d) {
  const bool both = d.operation == operation_kind::kCopy;
  const std::string kernel =
      both ? "GS"
           : std::string(d.of_lists ? "Multi" : "") +
                 (d.operation == operation_kind::kGather ? "Gather" : "Scatter");
  const auto need = [&](std::string_view key) {
    if (!d.given.contains(key)) throw bad_value(kernel + " needs " + std::string(key));
  };
  const auto refuse = [&](std::string_view key, std::string_view instead) {
    if (d.given.contains(key))
      throw bad_value(std::string(key) + ": " + kernel + " has none; " + std::string(instead));
  };
  if (both) {
    refuse("pattern", "write pattern-gather and pattern-scatter");
    refuse("delta", "write delta-gather and delta-scatter");
    refuse("wrap", "leave it out: neither side is dense");
    need("pattern-gather");
    need("pattern-scatter");
  } else {
    const std::string own = d.operation == operation_kind::kGather ? "gather" : "scatter";
    for (const std::string side : {"gather", "scatter"}) {
      if (!d.of_lists || side != own) refuse("pattern-" + side, "write pattern");
      refuse("delta-" + side, "write delta");
    }
    need("pattern");
    if (d.of_lists) need("pattern-" + own);
  }
}

/// A list cut and folded as the configuration says. @throws bad_value for what a row cannot have
repeated_list finished(named_list& from, index_t delta, const draft& d) {
  std::vector<index_t>& entries = from.entries;
  const auto length = static_cast<index_t>(entries.size());
  if (length > kMaxLength)
    throw bad_value("a list of " + std::to_string(length) + " entries; at most " +
                    std::to_string(kMaxLength));
  if (d.size && *d.size > length)
    throw bad_value("pattern-size: " + std::to_string(*d.size) + " of a list that has " +
                    std::to_string(length) + " entries");
  if (d.size) entries.resize(static_cast<std::size_t>(*d.size));
  if (d.boundary > 0)
    for (index_t& entry : entries) entry %= d.boundary;  // which keeps the sign
  const auto [smallest, largest] = std::ranges::minmax(entries);
  if (smallest < 0) throw bad_value("the negative entry " + std::to_string(smallest));
  if (largest >= kMaxIndexed)
    throw bad_value("the entry " + std::to_string(largest) +
                    " does not fit 4 bytes; fold the list with boundary, or subtract its "
                    "smallest entry");
  // The kernel's arithmetic needs accesses x length in 63 bits, buffers 2 sides x 16 bytes.
  constexpr index_t kMaxBytes = index_t{2} * 16;
  index_t product = 0;
  const auto overflows = [&](index_t a, index_t b, index_t limit) {
    return __builtin_mul_overflow(a, b, &product) || product > limit;
  };
  const auto size = static_cast<index_t>(entries.size());
  const index_t wrap = std::min(d.wrap.value_or(1), d.count);
  if (overflows(size, d.count, kMaxNumber / std::max(size, kMaxBytes)) ||
      overflows(delta, d.count - 1, kMaxNumber / kMaxBytes - kMaxIndexed) ||
      (wrap < d.count && overflows(wrap, d.count, kMaxNumber)))
    throw bad_value(std::to_string(size) + " entries x count " + std::to_string(d.count) +
                    ", delta " + std::to_string(delta) + ": does not fit 64 bits");
  return {std::move(entries), delta};
}

/// The list that MultiGather or MultiScatter makes of two: entry k is pattern[chosen[k]].
named_list composed(const named_list& pattern, const named_list& chosen) {
  named_list result;
  for (const index_t place : chosen.entries) {
    if (place < 0 || place >= static_cast<index_t>(pattern.entries.size()))
      throw bad_value("no entry " + std::to_string(place) + " in a pattern of " +
                      std::to_string(pattern.entries.size()) + " entries");
    result.entries.push_back(pattern.entries[static_cast<std::size_t>(place)]);
  }
  if (!pattern.label.empty() && !chosen.label.empty())
    result.label = chosen.label + "-of-" + pattern.label;
  return result;
}

/// `text` as a part of a row's name.
std::string safe(std::string_view text) {
  std::string label(text);
  std::ranges::replace_if(
      label,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
               std::string_view("_.:+-").find(c) == std::string_view::npos;
      },
      '-');
  return label;
}

/// What names the configuration's row. @param otherwise the label of what has neither name nor
/// notation; may be empty
std::string label_of(const draft& d, const std::string& otherwise) {
  std::string label = d.pattern.label;
  if (!d.gather.label.empty() && !d.scatter.label.empty())
    label = d.gather.label + "-to-" + d.scatter.label;
  if (label.empty() || label.size() > kMaxLabel) label = otherwise;
  if (!label.empty() && d.size) label += ":size:" + std::to_string(*d.size);
  if (!label.empty() && d.boundary > 0) label += ":boundary:" + std::to_string(d.boundary);
  if (!d.name.empty()) label = safe(d.name);
  if (label.empty() || label.size() > kMaxLabel)
    throw bad_value("name: needed, of at most " + std::to_string(kMaxLabel) +
                    " characters, as the rest is too long to name a row");
  return label;
}

/// @param otherwise see `label_of`
spatter_configuration finished(draft d, const std::string& otherwise) {
  check_keys(d);
  if (!d.file.empty())
    throw bad_value("file: stands only on a command line: --indexed=\"-f FILE\"");
  if (d.of_lists)
    d.pattern = composed(d.pattern, d.operation == operation_kind::kGather ? d.gather : d.scatter);
  const bool both = d.operation == operation_kind::kCopy;
  spatter_configuration result;
  result.label = label_of(d, otherwise);
  result.operation = d.operation;
  result.count = d.count;
  result.wrap = d.wrap;
  if (both) {
    result.gather = finished(d.gather, d.delta_gather, d);
    result.scatter = finished(d.scatter, d.delta_scatter, d);
    if (result.gather.entries.size() != result.scatter.entries.size())
      throw bad_value("GS needs lists of one length: pattern-gather has " +
                      std::to_string(result.gather.entries.size()) + ", pattern-scatter " +
                      std::to_string(result.scatter.entries.size()));
  } else {
    auto& side = d.operation == operation_kind::kGather ? result.gather : result.scatter;
    side = finished(d.pattern, d.delta, d);
  }
  return result;
}

/// Reads "-k Gather -pUNIFORM:8:1 --count=4096", later ones over what earlier ones imply.
draft read_flags(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isspace(c) != 0; }, ' ');
  std::vector<std::string_view> words = split(text, ' ');
  std::erase(words, std::string_view());
  draft result;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const option* known = nullptr;
    std::string_view value;
    if (word->starts_with("--")) {
      const std::size_t equals = word->find('=');
      known = &option_called(word->substr(2, equals - 2));
      if (equals != std::string_view::npos) value = word->substr(equals + 1);
    } else if (word->starts_with('-') && word->size() > 1) {
      const auto found = std::ranges::find(kOptions, (*word)[1], &option::letter);
      if (found == kOptions.end()) throw bad_value("unknown option " + in_quotes(*word));
      known = &*found;
      value = word->substr(2);
    } else {
      throw bad_value(in_quotes(*word) + " follows no option");
    }
    if (value.empty() && known->apply != nullptr) {
      if (std::next(word) == words.end())
        throw bad_value(std::string(known->key) + ": a value is missing");
      value = *++word;
    }
    apply(result, *known, std::string(value));
  }
  return result;
}

std::string value_text(const spatter_configuration& one) {
  std::string text = one.label + "/" + std::string(name_of(one.operation));
  for (const auto& [name, value] : one.values())
    text.append("/").append(name).append(":").append(std::to_string(value));
  return text;
}

}  // namespace

index_t spatter_configuration::length() const {
  const repeated_list& side = operation == operation_kind::kScatter ? scatter : gather;
  return static_cast<index_t>(side.entries.size());
}

std::vector<std::pair<std::string_view, index_t>> spatter_configuration::values() const {
  std::vector<std::pair<std::string_view, index_t>> values;
  if (operation == operation_kind::kCopy)
    values = {{"delta_gather", gather.delta}, {"delta_scatter", scatter.delta}};
  else
    values = {{"delta", operation == operation_kind::kGather ? gather.delta : scatter.delta}};
  values.emplace_back("count", count);
  if (wrap) values.emplace_back("wrap", *wrap);
  return values;
}

spatter_configuration parse_spatter(std::string_view text) {
  try {
    draft given;
    if (text.starts_with('-'))
      given = read_flags(std::string(text));
    else
      apply(given, option_called("pattern"), std::string(text));
    return finished(std::move(given), {});
  } catch (const bad_value& error) {
    throw usage_error("--indexed=" + std::string(text) + ": " + error.what());
  }
}

std::vector<spatter_configuration> parse_spatter_json(std::string_view text, std::string_view file,
                                                      index_t boundary) {
  const auto refuse = [&](const std::string& what) {
    return usage_error(std::string(file) + ": " + what);
  };
  nlohmann::json suite;
  try {
    constexpr std::size_t kDeepest = 3;  // a list in a configuration in the suite
    suite = read_json(text, kDeepest);
  } catch (const bad_value& error) {
    throw refuse(error.what());
  }
  if (!suite.is_array() || suite.empty())
    throw refuse(
        "holds no configurations; give an array of them, e.g. "
        "[{\"kernel\": \"Gather\", \"pattern\": \"UNIFORM:8:1\"}]");
  const std::string stem = safe(std::filesystem::path(file).stem().string());
  std::vector<spatter_configuration> configurations;
  std::map<std::string, std::size_t> numbers;
  std::size_t refused = 0;
  for (std::size_t number = 0; number < suite.size(); ++number) {
    try {
      if (!suite[number].is_object()) throw bad_value("is no object of keys and values");
      draft given;
      // In the order of their names, so that a notation's delta comes after the key's, as in
      // Spatter.
      for (const auto& [key, value] : suite[number].items())
        apply(given, option_called(key), value);
      if (!given.given.contains("boundary")) given.boundary = boundary;
      auto one = finished(std::move(given), stem + ":" + std::to_string(number));
      const auto [known, is_new] = numbers.emplace(value_text(one), number);
      if (!is_new)
        throw bad_value("makes the row " + known->first + " as configuration " +
                        std::to_string(known->second) + " does; give one of them another name");
      configurations.push_back(std::move(one));
    } catch (const bad_value& error) {
      const auto text_of_key = [&](const char* key) -> std::string {
        const nlohmann::json& from = suite[number];
        return from.is_object() && from.contains(key) && from[key].is_string() ? from[key] : "";
      };
      const std::string name = safe(text_of_key("name").substr(0, kMaxLabel / 2));
      const std::string kernel = lower(text_of_key("kernel"));
      spatter_configuration& one = configurations.emplace_back();
      one.label = (name.empty() ? stem : name) + ":" + std::to_string(number);
      if (kernel.ends_with("scatter")) one.operation = operation_kind::kScatter;
      if (kernel == "gs") one.operation = operation_kind::kCopy;
      one.refused = "configuration " + std::to_string(number) + ": " + error.what();
      ++refused;
    }
  }
  if (refused == configurations.size()) throw refuse(configurations.front().refused);
  return configurations;
}

std::vector<spatter_configuration> read_spatter(const std::string& text) {
  constexpr input_kind kSuite{"--indexed", "suite of Spatter",
                              "give a JSON suite of Spatter, or a notation such as UNIFORM:8:4:NR",
                              std::size_t{512} << 20};
  if (text.starts_with('-')) {
    draft given;
    try {
      given = read_flags(text);
    } catch (const bad_value&) {
      return {parse_spatter(text)};  // which says what is wrong
    }
    if (!given.file.empty()) {
      for (const std::string_view key : given.given)
        if (key != "file" && key != "boundary")
          throw usage_error("--indexed=" + text + ": " + std::string(key) +
                            ": beside a file only boundary (-e) is taken; the file has the rest");
      return parse_spatter_json(read_input_file(given.file, kSuite), given.file, given.boundary);
    }
    return {parse_spatter(text)};
  }
  if (text.find_first_of("/.") == std::string::npos) return {parse_spatter(text)};
  return parse_spatter_json(read_input_file(text, kSuite), text);
}

}  // namespace sectorbench
