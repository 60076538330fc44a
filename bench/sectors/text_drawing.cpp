// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sectors/drawing.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kMaxRows = 64;  // of any one table
constexpr std::uint64_t kLineUnits = kLineBytes / kSectorBytes;

std::string right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string left(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

// A list broken behind commas into lines of at most `width` characters.
std::vector<std::string> broken(std::string_view list, std::size_t width) {
  std::vector<std::string> lines(1);
  std::string spaced;
  for (const char c : list) {
    spaced += c;
    if (c == ',') spaced += ' ';
  }
  for (const std::string_view part : split(spaced, ' ')) {
    if (!lines.back().empty() && lines.back().size() + part.size() > width) lines.emplace_back();
    lines.back() += part;
  }
  return lines;
}

// Marks of one kind in the colour that says whether their bytes are of use.
std::string painted(std::string_view marks, bool colour) {
  if (!colour) return std::string(marks);
  constexpr std::string_view kUsed = "\033[32m", kUnused = "\033[33m", kEnd = "\033[0m";
  std::string text;
  for (std::size_t begin = 0; begin < marks.size();) {
    const std::size_t end = std::min(marks.find_first_not_of(marks[begin], begin), marks.size());
    const std::string_view run = marks.substr(begin, end - begin);
    const std::string_view escape = run[0] == '#' ? kUsed : run[0] == '.' ? kUnused : "";
    text.append(escape).append(run).append(escape.empty() ? "" : kEnd);
    begin = end;
  }
  return text;
}

std::string heading(const command& asked) {
  std::string text;
  for (const std::string& sentence : asked.words) {
    std::string indent = text.empty() ? "" : "  ";
    for (const std::string& line : wrap(sentence, kWidth - 4)) {
      text += indent + line + "\n";
      indent = "    ";
    }
  }
  return text + "\n";
}

// The units of `lines` lines from line `first` on: "|####|#---|".
std::string strip(std::span<const sector_unit> units, std::uint64_t first, std::uint64_t lines) {
  std::string marks(lines * kLineUnits, '-');
  for (const sector_unit& unit : units)
    if (unit.number / kLineUnits >= first && unit.number / kLineUnits < first + lines)
      marks[unit.number - first * kLineUnits] = '#';
  std::string text = "|";
  for (std::size_t i = 0; i < marks.size(); i += kLineUnits)
    text += marks.substr(i, kLineUnits) + "|";
  return text;
}

// Every line from the first to the last, eight a row; where eight or more lines have nothing
// fetched they are left out.
std::string map_of_units(const warp_view& view, bool colour) {
  constexpr std::uint64_t kRowLines = 8;
  std::vector<std::uint64_t> touched;
  for (const sector_unit& unit : view.units)
    if (touched.empty() || touched.back() != unit.number / kLineUnits)
      touched.push_back(unit.number / kLineUnits);
  std::string text = "lines of four 32-byte sectors, from byte: # fetched, - skipped\n";
  const std::size_t digits = number(touched.back() * kLineBytes).size();
  std::uint64_t next = touched[0];
  std::size_t rows = 0;
  for (std::size_t i = 0; i < touched.size();) {
    if (++rows > kMaxRows) {
      text += "  and " + counted(touched.size() - i, "line") + " more: --json has all\n";
      break;
    }
    // Seen from the last row's end: nothing is left out but whole rows.
    if (touched[i] >= next + kRowLines) {
      text +=
          "  " + right("...", digits) + "  " + counted(touched[i] - next, "line") + " skipped\n";
      next = touched[i];
    }
    std::uint64_t last = touched[i];
    while (i < touched.size() && touched[i] < next + kRowLines) last = touched[i++];
    const bool goes_on = i < touched.size() && touched[i] < next + 2 * kRowLines;
    const std::uint64_t lines = goes_on ? kRowLines : last - next + 1;
    text += "  " + right(number(next * kLineBytes), digits) + "  " +
            painted(strip(view.units, next, lines), colour) + "\n";
    next += lines;
  }
  return text + "\n";
}

std::string marks_of(const sector_unit& unit, std::uint32_t width_bytes) {
  std::string marks;
  for (const std::uint32_t slot : unit.slots) marks.append(width_bytes, slot != 0 ? '#' : '.');
  return marks;
}

// A row for each unit: its bytes, and the lanes that ask for them.
std::string table_of_units(const warp_view& view, bool colour) {
  constexpr std::string_view kLegend = "# asked for  . not asked for";
  const bool repeats = view.instructions.size() > 1;
  const std::size_t unit_width = std::max<std::size_t>(6, number(view.units.back().number).size());
  const std::size_t byte_width =
      std::max<std::size_t>(4, number(view.units.back().first_byte()).size());
  const std::string head = right("sector", unit_width) + "  " + right("byte", byte_width) + "  " +
                           left(std::string(kLegend), kSectorBytes) + (repeats ? "  fetches" : "") +
                           "  ";
  std::string text = head + "lanes\n";
  const std::size_t lanes_width = std::max<std::size_t>(kWidth, head.size() + 8) - head.size();
  for (std::size_t i = 0; i < view.units.size(); ++i) {
    if (i == kMaxRows) {
      text += "and " + counted(view.units.size() - i, "sector") + " more: --json has all\n";
      break;
    }
    const sector_unit& unit = view.units[i];
    text += right(number(unit.number), unit_width) + "  " +
            right(number(unit.first_byte()), byte_width) + "  " +
            painted(marks_of(unit, view.width_bytes), colour) +
            (repeats ? right(std::to_string(unit.fetches), 9) : "") + "  ";
    std::string indent;
    for (const std::string& line : broken(lanes_text(unit.lanes()), lanes_width)) {
      text += indent + line + "\n";
      indent.assign(head.size(), ' ');
    }
  }
  return text + "\n";
}

std::string instruction_row(std::string name, std::string field, std::uint64_t sectors,
                            std::uint64_t ideal, std::uint64_t lines, double efficiency) {
  return right(std::move(name), 11) + right(std::move(field), 9) + right(number(sectors), 9) +
         right(number(ideal), 7) + right(number(lines), 7) +
         right(format_percent(efficiency, 1), 14) + "\n";
}

std::string table_of_instructions(const command& asked, const warp_view& view) {
  std::string text = "instruction    field  sectors  ideal  lines  useful share\n";
  for (std::size_t k = 0; k < view.instructions.size() && k < kMaxRows; ++k) {
    const request_count& one = view.instructions[k];
    text += instruction_row(number(k + 1), "+" + std::to_string(asked.fields[k]),
                            static_cast<std::uint64_t>(one.sectors),
                            static_cast<std::uint64_t>(one.ideal_sectors()),
                            static_cast<std::uint64_t>(one.lines), one.efficiency());
  }
  const request_count together = view.together();
  return text +
         instruction_row("together", "", static_cast<std::uint64_t>(together.sectors),
                         static_cast<std::uint64_t>(together.ideal_sectors()),
                         static_cast<std::uint64_t>(together.lines), together.efficiency()) +
         "together: each sector once, as if a cache kept it between the instructions\n\n";
}

std::string row(std::string_view name, const std::string& value, const std::string& ideal,
                std::string_view meaning) {
  std::string text =
      left(std::string(name), 16) + right(value, 9) + right(ideal, 9) + "  " + std::string(meaning);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string summary(const warp_view& view) {
  const bool repeats = view.instructions.size() > 1;
  std::string text = row("", "here", "ideal", "");
  text += row("instructions", number(view.instructions.size()), "", "");
  text += row("requests", std::to_string(view.requests()), "", "instructions with an active lane");
  text += row("sectors", std::to_string(view.sectors()), std::to_string(view.ideal_sectors()),
              repeats ? "distinct ones of each request" : "distinct 32-byte units");
  text += row("sector bytes", number(view.sector_bytes()),
              std::to_string(view.ideal_sectors() * kSectorBytes),
              "32 x sectors; not the DRAM traffic");
  text += row("lines", std::to_string(view.lines()), "",
              repeats ? "distinct ones of each request" : "distinct 128-byte units");
  text += row("bytes asked for", number(view.unique_bytes()), "",
              repeats ? "distinct ones of each request" : "distinct ones");
  text += row("useful share", format_percent(view.efficiency(), 1),
              format_percent(view.ideal_efficiency(), 1), "bytes asked for / sector bytes");
  if (view.requested_bytes() != view.unique_bytes())
    text += row("requested share", format_percent(view.requested_share(), 1), "",
                "lanes share bytes: " + number(view.requested_bytes()) + " / sector bytes");
  return text;
}

std::string unused_bytes(const warp_view& view) {
  const std::vector<byte_interval> unused = view.unused();
  if (unused.empty()) return "\nunused bytes: none\n";
  std::string list;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < unused.size(); ++i) {
    bytes += unused[i].last - unused[i].first + 1;
    if (i > kMaxRows) continue;
    if (i > 0) list += ", ";
    if (i == kMaxRows)
      list += "and " + std::to_string(unused.size() - i) + " more: --json has all";
    else
      list += number(unused[i].first) +
              (unused[i].last == unused[i].first ? "" : "-" + number(unused[i].last));
  }
  std::string text = "\n";
  std::string indent;
  for (const std::string& line : wrap("unused bytes: " + list + " (" + number(bytes) + " of " +
                                          number(view.units.size() * kSectorBytes) + ")",
                                      kWidth - 2)) {
    text += indent + line + "\n";
    indent = "  ";
  }
  return text;
}

}  // namespace

std::string text_drawing(const command& asked, const warp_view& view, bool colour) {
  std::string text = heading(asked);
  if (!view.units.empty()) text += map_of_units(view, colour) + table_of_units(view, colour);
  if (view.instructions.size() > 1) text += table_of_instructions(asked, view);
  text += summary(view);
  if (!view.units.empty()) text += unused_bytes(view);
  return text;
}

}  // namespace sectorbench::sectors
