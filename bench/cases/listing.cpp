// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/listing.hpp"

#include <algorithm>
#include <vector>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr std::size_t kWidth = 100;

/// `text` in lines that begin with `indent` spaces.
std::string indented(std::string_view text, std::size_t indent) {
  std::string lines;
  for (const std::string& line : wrap(text, kWidth - indent))
    lines.append(indent, ' ').append(line).append("\n");
  return lines;
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count).append(" ").append(what).append(count == 1 ? "" : "s");
}

/// "", or " skipped: " and the reason, as a run and a prediction say it.
std::string skipped_text(const suite_row& row) {
  try {
    refuse_unfit(*make_workload(row.spec));
    return "";
  } catch (const not_applicable& reason) {
    return std::string(" skipped: ") + reason.what();
  }
}

}  // namespace

std::string listing_of(std::span<const suite_row> rows) {
  std::vector<const pattern_entry*> patterns;
  for (const suite_row& row : rows)
    if (std::ranges::none_of(patterns, [&](const pattern_entry* known) {
          return known->name == row.spec.pattern->name;
        }))
      patterns.push_back(row.spec.pattern);
  std::string text;
  for (const pattern_entry* pattern : patterns) {
    const std::string own = pattern->by_author() ? " (own, " + pattern->short_place() + ")" : "";
    text += indented(std::string(pattern->name) + own + ": " + std::string(pattern->summary), 0);
    text += indented(pattern->mapping, 2);
    for (const suite_row& row : rows)
      if (row.spec.pattern->name == pattern->name)
        text += "    " + row.name + skipped_text(row) + "\n";
    text += "\n";
  }
  text += counted(rows.size(), "row") + " of " + counted(patterns.size(), "pattern");
  const auto own = std::ranges::count_if(
      rows, [](const suite_row& row) { return row.spec.pattern->by_author(); });
  if (own > 0)
    text += "; " + std::to_string(own) +
            " own, which run by default after the ceilings; --suite=full runs all";
  return text + "\n";
}

}  // namespace sectorbench
