// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/sectors/drawing.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

// Lengths in SVG's user units.
constexpr int kByte = 6;  // 32 of them are a sector, four sectors a row
constexpr int kSector = kSectorBytes * kByte;
constexpr int kLeft = 160, kGap = 8, kMargin = 16;
constexpr int kBar = 22, kRow = 46, kTextLine = 18;
constexpr std::size_t kTextCharacters = 120;
constexpr int kLineSectors = kLineBytes / kSectorBytes;
constexpr int kWidth = kLeft + kLineSectors * (kSector + kGap) + kMargin;

// Light and dark blue for what is asked for: neighbours differ for eyes of every kind.
constexpr std::string_view kStyle =
    "text{font-family:sans-serif;font-size:12px;fill:#222}"
    ".title{font-size:15px;font-weight:bold}"
    ".small{font-size:10px;fill:#555}"
    ".page{fill:#fff}"
    ".fetched{fill:#f3d9a4;stroke:#8a6d1f}"
    ".skipped{fill:none;stroke:#bbb;stroke-dasharray:3 3}"
    ".even{fill:#2f6fab}.odd{fill:#7fb2e0}"
    ".lane{font-size:10px;text-anchor:middle}"
    ".even-text{fill:#fff}.odd-text{fill:#000}";

// In ' and not \", so that the code can be read.
std::string element(std::string_view name, const std::string& attributes,
                    const std::string& content) {
  return "<" + std::string(name) + " " + attributes +
         (content.empty() ? "/>\n" : ">" + content + "</" + std::string(name) + ">\n");
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

std::string text_at(int x, int y, std::string_view kind, std::string_view content) {
  return element("text",
                 "class='" + std::string(kind) + "' x='" + std::to_string(x) + "' y='" +
                     std::to_string(y) + "'",
                 escaped(content));
}

std::string bar(int x, int y, int width, std::string_view kind, const std::string& tip) {
  return element("rect",
                 "class='" + std::string(kind) + "' x='" + std::to_string(x) + "' y='" +
                     std::to_string(y) + "' width='" + std::to_string(width) + "' height='" +
                     std::to_string(kBar) + "'",
                 tip.empty() ? "" : "<title>" + escaped(tip) + "</title>");
}

// The text if it fits into so many units of width, else what is said instead.
std::string fitting(const std::string& text, const std::string& otherwise, int width) {
  constexpr int kCharacter = 6;
  return static_cast<int>(text.size()) * kCharacter <= width ? text : otherwise;
}

// One fetched sector: what is asked for lies as bars in its frame.
std::string sector_drawing(const sector_unit& unit, std::uint32_t width_bytes, int x, int y) {
  const std::string lanes = lanes_text(unit.lanes());
  const std::string count = counted(lanes_of(unit.lanes()).size(), "lane");
  const std::string name = std::to_string(unit.number) + ": ";
  std::string text =
      text_at(x, y - 4, "small", fitting(name + "lanes " + lanes, name + count, kSector));
  text += bar(x, y, kSector, "fetched",
              "sector " + name + "bytes " + std::to_string(unit.first_byte()) + "-" +
                  std::to_string(unit.first_byte() + kSectorBytes - 1) + ", lanes " + lanes);
  const int width = static_cast<int>(width_bytes) * kByte;
  for (std::size_t slot = 0; slot < unit.slots.size(); ++slot) {
    if (unit.slots[slot] == 0) continue;
    const std::string shade = slot % 2 == 0 ? "even" : "odd";
    const int slot_x = x + static_cast<int>(slot) * width;
    const std::string slot_lanes = lanes_text(unit.slots[slot]);
    text += bar(
        slot_x, y, width, shade,
        "byte " + std::to_string(unit.first_byte() + slot * width_bytes) + ": lanes " + slot_lanes);
    if (const std::string label = fitting(slot_lanes, "", width - kByte); !label.empty())
      text += text_at(slot_x + width / 2, y + kBar - 7, "lane " + shade + "-text", label);
  }
  return text;
}

std::string counts(const warp_view& view) {
  const auto number = [](int count, std::string_view what) {
    return counted(static_cast<std::uint64_t>(count), what);
  };
  return number(view.requests(), "request") + ", " + number(view.sectors(), "sector") + " (ideal " +
         std::to_string(view.ideal_sectors()) + "), " + std::to_string(view.sector_bytes()) +
         " bytes in sectors, " + number(view.lines(), "line") + ", useful share " +
         format_percent(view.efficiency(), 1) +
         (view.instructions.size() == 1
              ? ""
              : "; together " + number(view.together().sectors, "sector"));
}

std::string legend(int y) {
  std::string text;
  int x = kLeft;
  const auto entry = [&](std::string_view kind, std::string_view meaning, int step) {
    text += element("use",
                    "href='#" + std::string(kind) + "' x='" + std::to_string(x) + "' y='" +
                        std::to_string(y - 10) + "'",
                    "");
    text += text_at(x + 22, y, "small", meaning);
    x += step;
  };
  entry("key-asked", "asked for, with its lanes", 190);
  entry("key-fetched", "fetched, not asked for", 180);
  entry("key-skipped", "not fetched", 0);
  return text;
}

}  // namespace

std::string svg_drawing(const command& asked, const warp_view& view) {
  std::string body;
  int y = kMargin + 12;
  body += text_at(kMargin, y, "title", "One warp's accesses in 32-byte sectors");
  for (const std::string& sentence : asked.words)
    for (const std::string& line : wrap(sentence, kTextCharacters))
      body += text_at(kMargin, y += kTextLine, "plain", line);
  body += text_at(kMargin, y += kTextLine, "plain", counts(view));
  body += legend(y += kTextLine + 6);
  y += 30;

  std::uint64_t next_line = view.units.empty() ? 0 : view.units[0].number / kLineSectors;
  for (std::size_t i = 0; i < view.units.size();) {
    const std::uint64_t line = view.units[i].number / kLineSectors;
    if (line > next_line) {
      const std::uint64_t skipped = line - next_line;
      body += text_at(kLeft, y, "small", counted(skipped, "line") + " not fetched");
      y += kTextLine + 4;
    }
    body += text_at(kMargin, y + kBar - 7, "small", "byte " + std::to_string(line * kLineBytes));
    for (int place = 0; place < kLineSectors; ++place) {
      const int x = kLeft + place * (kSector + kGap);
      const bool is_fetched =
          i < view.units.size() &&
          view.units[i].number == line * kLineSectors + static_cast<std::uint64_t>(place);
      body += is_fetched ? sector_drawing(view.units[i++], view.width_bytes, x, y)
                         : bar(x, y, kSector, "skipped", "");
    }
    next_line = line + 1;
    y += kRow;
  }

  const auto key = [](std::string_view kind, std::string_view style) {
    return "<rect id='key-" + std::string(kind) + "' class='" + std::string(style) +
           "' width='16' height='12'/>";
  };
  const std::string size = std::to_string(kWidth) + " " + std::to_string(y);
  return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " + size + "' width='" +
         std::to_string(kWidth) + "' height='" + std::to_string(y) + "'>\n<title>" +
         escaped(asked.words[0]) + "</title>\n<style>" + std::string(kStyle) + "</style>\n<defs>" +
         key("asked", "even") + key("fetched", "fetched") + key("skipped", "skipped") +
         "</defs>\n<rect class='page' width='" + std::to_string(kWidth) + "' height='" +
         std::to_string(y) + "'/>\n" + body + "</svg>\n";
}

}  // namespace sectorbench::sectors
