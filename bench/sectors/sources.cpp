// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/sources.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/sectors/number_list.hpp"
#include "bench/support/expression.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

std::vector<std::int64_t> read_wholes(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, ',')) numbers.push_back(read_whole(part));
  return numbers;
}

std::vector<std::int64_t> read_shape(std::string_view text) {
  std::vector<std::int64_t> shape = read_wholes(text);
  for (const std::int64_t size : shape)
    if (size < 1) throw usage_error("a dimension has at least 1 element");
  contiguous_strides(shape);  // refuses those that no number counts
  return shape;
}

// "4 + 32*t"; what is 0 is left out.
std::string affine_text(std::int64_t offset, std::int64_t step) {
  if (step == 0) return std::to_string(offset);
  if (offset == 0) return std::to_string(step) + "*t";
  const std::string steps = std::to_string(step);
  return std::to_string(offset) + (step < 0 ? " - " + steps.substr(1) : " + " + steps) + "*t";
}

// As it was given, or nothing.
std::string flag_text(const given_flags& given, std::string_view name) {
  return given.contains(name) ? std::string(name) + "=" + given.at(name).front() : "";
}

// The sum of the terms.
std::int64_t place_of(const std::vector<term>& terms, const thread_values& thread) {
  std::int64_t place = 0;
  for (const term& one : terms)
    place = add(place, multiply(one.formula.evaluate(thread), one.bytes));
  return place;
}

source by_terms(std::string given, std::vector<term> terms, std::string words) {
  return {std::move(given),
          [terms](int, const thread_values& thread) { return place_of(terms, thread); }, terms,
          std::move(words)};
}

source by_stride(const given_flags& given, const launch_shape& shape, int width,
                 std::int64_t offset) {
  std::int64_t step = width;
  if (given.contains("--stride"))
    step = read_flag(given, "--stride",
                     [&](std::string_view text) { return multiply(read_whole(text), width); });
  const std::string_view rank = shape.grid ? "(bx + gx*(by + gy*bz))*(dx*dy*dz) + t" : "t";
  return by_terms(flag_text(given, "--stride"), {{read_formula(rank, shape), step}},
                  std::string("thread t ") + (shape.grid ? "of the launch " : "") + "at byte " +
                      affine_text(offset, step));
}

source by_formula(const std::string& text, const launch_shape& shape, std::int64_t offset,
                  bool is_one_of_several) {
  const expression formula =
      read_value("--formula", text, [&](std::string_view it) { return read_formula(it, shape); });
  source from = by_terms(
      "--formula=" + text, {{formula, 1}},
      "thread t at byte " + (offset == 0 ? text : std::to_string(offset) + " + (" + text + ")"));
  if (is_one_of_several) from.formula = text;
  return from;
}

source by_addresses(const given_flags& given, std::int64_t offset) {
  for (const std::string_view other : {"--block", "--warp", "--grid"})
    if (given.contains(other))
      throw usage_error(std::string(other) +
                        " says which threads the lanes are, but --addresses asks for no threads: "
                        "give one of them");
  const std::vector<std::int64_t> addresses = read_flag(
      given, "--addresses", [](std::string_view text) { return read_numbers(text, kWarpLanes); });
  return {
      flag_text(given, "--addresses"),
      [addresses](int lane, const thread_values&) {
        return addresses[static_cast<std::size_t>(lane)];
      },
      {},
      (addresses.size() == 1 ? "at the address given"
                             : "at the " + std::to_string(addresses.size()) + " addresses given") +
          (offset == 0 ? "" : ", " + std::to_string(offset) + " bytes further on"),
      static_cast<int>(addresses.size())};
}

source by_map(const given_flags& given, const tensor_view& view, const launch_shape& shape,
              int width, std::int64_t offset) {
  const std::vector<expression> indices = read_flag(given, "--map", [&](std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ',');
    if (parts.size() != view.shape.size())
      throw usage_error("formulas: " + std::to_string(parts.size()) +
                        ", dimensions of --shape=" + given.at("--shape").front() + ": " +
                        std::to_string(view.shape.size()) + "; give one for each");
    std::vector<expression> formulas;
    for (const std::string_view part : parts) {
      try {
        formulas.push_back(read_formula(part, shape));
      } catch (const usage_error& error) {
        throw usage_error((parts.size() > 1 ? "in '" + std::string(part) + "': " : "") +
                          error.what());
      }
    }
    return formulas;
  });
  std::vector<term> terms;
  for (std::size_t i = 0; i < indices.size(); ++i)
    terms.push_back({indices[i], multiply(view.strides[i], width)});
  return {flag_text(given, "--map"),
          [=](int, const thread_values& thread) {
            std::vector<std::int64_t> at;
            std::ranges::transform(indices, std::back_inserter(at),
                                   [&](const expression& index) { return index.evaluate(thread); });
            return multiply(view.element(at), width);
          },
          std::move(terms),
          "thread t at element (" + given.at("--map").front() + ") of a view of shape " +
              numbers_text(view.shape) + " and strides " + numbers_text(view.strides) +
              (offset == 0 ? "" : " from byte " + std::to_string(offset) + " on"),
          kWarpLanes,
          "",
          true};
}

}  // namespace

std::optional<tensor_view> read_view(const given_flags& given) {
  if (!given.contains("--map")) {
    for (const std::string_view name : {"--shape", "--strides"})
      if (given.contains(name))
        throw usage_error(std::string(name) +
                          " describes a view: say which element thread t takes, e.g. --map=t,0");
    return std::nullopt;
  }
  if (!given.contains("--shape"))
    throw usage_error("--map names elements of a view: say how large it is, e.g. --shape=64,1024");
  tensor_view view;
  view.shape = read_flag(given, "--shape", read_shape);
  view.strides = given.contains("--strides") ? read_flag(given, "--strides", read_wholes)
                                             : contiguous_strides(view.shape);
  if (view.strides.size() != view.shape.size())
    throw usage_error("--strides=" + given.at("--strides").front() +
                      ": strides: " + std::to_string(view.strides.size()) +
                      ", dimensions of --shape=" + given.at("--shape").front() + ": " +
                      std::to_string(view.shape.size()) + "; give one for each");
  return view;
}

std::vector<source> read_sources(const given_flags& given, const std::optional<tensor_view>& view,
                                 const launch_shape& shape, int width, std::int64_t offset) {
  std::vector<std::string_view> sources;
  for (const std::string_view name : {"--stride", "--formula", "--addresses", "--map"})
    if (given.contains(name)) sources.push_back(name);
  if (sources.size() > 1)
    throw usage_error(std::string(sources[0]) + " and " + std::string(sources[1]) +
                      " both say where threads go: give one of them");
  if (view) return {by_map(given, *view, shape, width, offset)};
  if (given.contains("--addresses")) return {by_addresses(given, offset)};
  if (!given.contains("--formula")) return {by_stride(given, shape, width, offset)};
  const std::vector<std::string>& texts = given.at("--formula");
  std::vector<source> formulas;
  for (const std::string& text : texts)
    formulas.push_back(by_formula(text, shape, offset, texts.size() > 1));
  return formulas;
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

}  // namespace sectorbench::sectors
