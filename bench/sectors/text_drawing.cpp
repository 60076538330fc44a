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

// Marks of one kind in the colour that says whether they cost no more than they must.
std::string painted(std::string_view marks, bool colour) {
  if (!colour) return std::string(marks);
  constexpr std::string_view kUsed = "\033[32m", kUnused = "\033[33m", kEnd = "\033[0m";
  std::string text;
  for (std::size_t begin = 0; begin < marks.size();) {
    const std::size_t end = std::min(marks.find_first_not_of(marks[begin], begin), marks.size());
    const std::string_view run = marks.substr(begin, end - begin);
    const std::string_view escape = run[0] == '#' || run[0] == '1' ? kUsed
                                    : run[0] == '-'                ? ""
                                                                   : kUnused;
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

// Cells to the right of columns that are as wide as their titles; the last one, of free length,
// stands to the left and is cut at the drawing's width.
std::string table_row(std::span<const std::string_view> titles, std::vector<std::string> cells) {
  std::string text;
  for (std::size_t i = 0; i + 1 < titles.size(); ++i)
    text += (i == 0 ? "" : "  ") + right(cells[i], titles[i].size());
  const std::string& last = cells[titles.size() - 1];
  const std::size_t room = kWidth - text.size() - 2;
  text += "  " + (last.size() > room ? last.substr(0, room - 3) + "..." : last);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string name_of(const instruction& one) {
  const std::string field = "+" + std::to_string(one.field);
  return one.formula.empty() ? field : one.formula + (one.field == 0 ? "" : " " + field);
}

std::string table_of_instructions(const command& asked, const warp_view& view) {
  constexpr std::array<std::string_view, 6> kTitles{"instruction", "sectors",      "ideal",
                                                    "lines",       "useful share", "byte"};
  const auto cells = [&](std::string name, const request_count& one, std::string where) {
    return table_row(kTitles, {std::move(name), std::to_string(one.sectors),
                               std::to_string(one.ideal_sectors()), std::to_string(one.lines),
                               format_percent(one.efficiency(), 1), std::move(where)});
  };
  std::string text = table_row(kTitles, {kTitles.begin(), kTitles.end()});
  for (std::size_t k = 0; k < view.instructions.size(); ++k)
    text += cells(number(k + 1), view.instructions[k], name_of(asked.instructions[k]));
  return text + cells("together", view.together(), "") +
         "together: each sector once, as if a cache kept it between the instructions\n\n";
}

// A row for each part of an instruction: how many words each bank is asked for.
std::string table_of_banks(const bank_view& view, bool colour) {
  std::string text =
      "words that each of the 32 banks is asked for: - none, + ten or more\n"
      "instruction  lanes  bank 0 to 31                      wavefronts  fullest bank\n";
  for (std::size_t k = 0; k < view.instructions.size(); ++k)
    for (const bank_part& part : view.instructions[k].parts) {
      std::string marks;
      for (const auto& bank : part.banks)
        marks += bank.empty() ? '-' : bank.size() > 9 ? '+' : static_cast<char>('0' + bank.size());
      const int fullest = part.fullest_bank();
      text += right(number(k + 1), 11) + "  " + left(lanes_text(part.lanes), 5) + "  " +
              painted(marks, colour) + right(std::to_string(part.wavefronts), 12) + "  ";
      std::string indent = std::to_string(fullest) + ": ";
      for (const std::string& line : broken(lanes_text(part.lanes_of_bank(fullest)), 10)) {
        text += indent + line + "\n";
        indent.assign(70, ' ');
      }
    }
  return text + "\n";
}

std::string table_of_instructions(const command& asked, const bank_view& view) {
  constexpr std::array<std::string_view, 5> kTitles{"instruction", "wavefronts", "ideal",
                                                    "conflicts", "byte"};
  std::string text = table_row(kTitles, {kTitles.begin(), kTitles.end()});
  for (std::size_t k = 0; k < view.instructions.size(); ++k) {
    const wavefront_count& one = view.instructions[k].count;
    text += table_row(kTitles,
                      {number(k + 1), std::to_string(one.wavefronts), std::to_string(one.least),
                       std::to_string(one.conflicts()), name_of(asked.instructions[k])});
  }
  return text + "\n";
}

std::string row(std::string_view name, const std::string& value, const std::string& ideal,
                std::string_view meaning) {
  std::string text =
      left(std::string(name), 16) + right(value, 9) + right(ideal, 9) + "  " + std::string(meaning);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string summary_head(std::size_t instructions, int requests) {
  return row("", "here", "ideal", "") + row("instructions", number(instructions), "", "") +
         row("requests", std::to_string(requests), "", "instructions with an active lane");
}

std::string average_row(std::string_view name, int here, int ideal, int requests) {
  return row(name, format_fixed(per_request(here, requests), 2),
             format_fixed(per_request(ideal, requests), 2), "the average");
}

std::string bytes_row(std::uint64_t unique_bytes, bool repeats) {
  return row("bytes asked for", number(unique_bytes), "",
             repeats ? "distinct ones of each request" : "distinct ones");
}

std::string summary(const bank_view& view) {
  const bool repeats = view.instructions.size() > 1;
  const wavefront_count total = view.total();
  std::string text = summary_head(view.instructions.size(), total.requests);
  text += row("wavefronts", std::to_string(total.wavefronts), std::to_string(total.least),
              "passes over the banks");
  if (repeats)
    text += average_row("wavefronts/req.", total.wavefronts, total.least, total.requests);
  text += row("conflicts", std::to_string(total.conflicts()), "0", "wavefronts above the ideal");
  return text + bytes_row(view.unique_bytes(), repeats);
}

std::string summary(const warp_view& view) {
  const bool repeats = view.instructions.size() > 1;
  std::string text = summary_head(view.instructions.size(), view.requests());
  text += row("sectors", std::to_string(view.sectors()), std::to_string(view.ideal_sectors()),
              repeats ? "distinct ones of each request" : "distinct 32-byte units");
  if (repeats)
    text += average_row("sectors/request", view.sectors(), view.ideal_sectors(), view.requests());
  text += row("sector bytes", number(view.sector_bytes()),
              std::to_string(view.ideal_sectors() * kSectorBytes),
              "32 x sectors; not the DRAM traffic");
  text += row("lines", std::to_string(view.lines()), "",
              repeats ? "distinct ones of each request" : "distinct 128-byte units");
  text += bytes_row(view.unique_bytes(), repeats);
  text += row("useful share", format_percent(view.efficiency(), 1),
              format_percent(view.ideal_efficiency(), 1), "bytes asked for / sector bytes");
  if (view.requested_bytes() != view.unique_bytes())
    text += row("requested share", format_percent(view.requested_share(), 1), "",
                "lanes share bytes: " + number(view.requested_bytes()) + " / sector bytes");
  return text;
}

// The launch: a row for each instruction, and one for all.
std::string summary(const command& asked, const launch_view& launch,
                    const std::vector<double>& drawn) {
  constexpr std::array<std::string_view, 6> kTitles{"instruction", "warp drawn", "average",
                                                    "fewest",      "most",       "most with"};
  std::string text = "\n";
  std::string indent;
  for (const std::string& line : wrap(launch_words(asked, launch), kWidth - 2)) {
    text += indent + line + "\n";
    indent = "  ";
  }
  if (launch.requests == 0) return text;
  std::vector<std::string> titles{kTitles.begin(), kTitles.end()};
  text += table_row(kTitles, titles);
  const auto cells = [&](std::string name, const launch_average& one, double here) {
    return table_row(
        kTitles,
        {std::move(name), format_fixed(here, 2), format_fixed(one.cost, 2),
         format_fixed(one.fewest.per_request, 2), format_fixed(one.most.per_request, 2),
         "--at=" + place_text(one.most.block) + " --warp=" + std::to_string(one.most.warp)});
  };
  const std::size_t count = launch.instructions.size();
  if (count > 1)
    for (std::size_t k = 0; k < count; ++k)
      text += cells(number(k + 1), launch.instructions[k], drawn[k]);
  double all = 0;
  for (const double one : drawn) all += one / static_cast<double>(count);
  return text + cells("all", launch.all, all);
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

// As a shell takes it: formulas have blanks and operators.
std::string quoted(const std::string& arg) {
  const std::size_t value = arg.find('=') + 1;
  if (arg.find_first_of(" *()&|<>") == std::string::npos) return arg;
  return arg.substr(0, value) + "'" + arg.substr(value) + "'";
}

}  // namespace

std::string launch_words(const command& asked, const launch_view& launch) {
  const std::string what = asked.is_shared ? "wavefronts" : "sectors";
  std::string text = "launch of " + extent_text(launch.grid) + " blocks of " +
                     extent_text(launch.block) + " threads, " +
                     counted(static_cast<std::uint64_t>(launch.warps), "warp") + ": ";
  if (launch.requests == 0) return text + "no lane is active";
  text += format_fixed(launch.all.cost, 2) + " " + what + " a request" +
          (asked.is_shared ? "" : ", useful share " + format_percent(launch.all.efficiency(), 1));
  if (launch.is_exact) return text + ", exact";
  return text + "; an ESTIMATE from " +
         counted(static_cast<std::uint64_t>(launch.counted), "warp") +
         " drawn at random: the average is within " + format_significant(launch.all.error, 2) +
         " with 95 % confidence; fewest and most are of the warps drawn, and no other was checked";
}

std::string text_drawing(const command& asked, const warp_view& view, bool colour) {
  std::string text = heading(asked);
  if (!view.units.empty()) text += map_of_units(view, colour) + table_of_units(view, colour);
  if (view.instructions.size() > 1) text += table_of_instructions(asked, view);
  text += summary(view);
  if (!view.units.empty()) text += unused_bytes(view);
  if (asked.launch) {
    std::vector<double> drawn;
    for (const request_count& one : view.instructions) drawn.push_back(one.sectors);
    text += summary(asked, *asked.launch, drawn);
  }
  return text;
}

std::string text_drawing(const command& asked, const bank_view& view, bool colour) {
  std::string text = heading(asked);
  if (view.total().requests > 0) text += table_of_banks(view, colour);
  if (view.instructions.size() > 1) text += table_of_instructions(asked, view);
  text += summary(view);
  if (asked.launch) {
    std::vector<double> drawn;
    for (const bank_instruction& one : view.instructions) drawn.push_back(one.count.wavefronts);
    text += summary(asked, *asked.launch, drawn);
  }
  return text;
}

std::string text_list(const command& asked, const find_result& result) {
  const find_query& query = *asked.find;
  std::string text = format_exact(query.target) + " sectors a request of " +
                     std::string(query.type.name) + ", within " +
                     format_exact(query.tolerance * 100) + " %: " + number(result.found.size()) +
                     " of " + number(result.tried) + " tried, simplest first\n";
  for (const candidate& one : result.found) {
    text += "\n" + right(format_fixed(one.sectors, 2), 6) +
            (one.error > 0 ? " +- " + format_fixed(one.error, 2) : "");
    std::string indent = "  ";
    for (const std::string& line : wrap(one.cause, kWidth - 8)) {
      text += indent + line + "\n";
      indent.assign(8, ' ');
    }
    indent += "repair: ";
    for (const std::string& line : wrap(one.repair, kWidth - 16)) {
      text += indent + line + "\n";
      indent.assign(16, ' ');
    }
    // In one piece, to be copied.
    text += "        sectors";
    for (const std::string& arg : one.args) text += " " + quoted(arg);
    text += "\n";
  }
  return text;
}

}  // namespace sectorbench::sectors
