// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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
constexpr int kBank = 25;  // 32 of them are as wide as four sectors
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

std::string number(int count, std::string_view what) {
  return counted(static_cast<std::uint64_t>(count), what);
}

std::string counts(const warp_view& view) {
  return number(view.requests(), "request") + ", " + number(view.sectors(), "sector") + " (ideal " +
         std::to_string(view.ideal_sectors()) + "), " + std::to_string(view.sector_bytes()) +
         " bytes in sectors, " + number(view.lines(), "line") + ", useful share " +
         format_percent(view.efficiency(), 1) +
         (view.instructions.size() == 1
              ? ""
              : "; " + format_fixed(per_request(view.sectors(), view.requests()), 2) +
                    " sectors a request; together " + number(view.together().sectors, "sector"));
}

std::string counts(const bank_view& view) {
  const wavefront_count total = view.total();
  return number(total.requests, "request") + ", " + number(total.wavefronts, "wavefront") +
         " (ideal " + std::to_string(total.least) + "), " + number(total.conflicts(), "conflict") +
         (view.instructions.size() == 1
              ? ""
              : "; " + format_fixed(per_request(total.wavefronts, total.requests), 2) +
                    " wavefronts a request");
}

/// What rectangles of a kind mean.
struct key {
  std::string_view kind, meaning;
};
constexpr key kAsked{"asked", "asked for, with its lanes"};
constexpr std::array kSectorKeys{kAsked, key{"fetched", "fetched, not asked for"},
                                 key{"skipped", "not fetched"}};
constexpr std::array kBankKeys{kAsked, key{"skipped", "bank not asked"}};

std::string legend(std::span<const key> keys, int y) {
  std::string text;
  int x = kLeft;
  for (const auto& [kind, meaning] : keys) {
    text += element("use",
                    "href='#key-" + std::string(kind) + "' x='" + std::to_string(x) + "' y='" +
                        std::to_string(y - 10) + "'",
                    "");
    text += text_at(x + 22, y, "small", meaning);
    x += 190;
  }
  return text;
}

// What stands above a drawing; `y` is moved to where it begins.
std::string head(const command& asked, std::string_view title, const std::string& counts,
                 std::span<const key> keys, int& y) {
  std::string text = text_at(kMargin, y, "title", title);
  for (const std::string& sentence : asked.words)
    for (const std::string& line : wrap(sentence, kTextCharacters))
      text += text_at(kMargin, y += kTextLine, "plain", line);
  text += text_at(kMargin, y += kTextLine, "plain", counts);
  if (asked.launch)
    for (const std::string& line : wrap(launch_words(asked, *asked.launch), kTextCharacters))
      text += text_at(kMargin, y += kTextLine, "plain", line);
  text += legend(keys, y += kTextLine + 6);
  y += 30;
  return text;
}

// The file around a drawing that is `height` high.
std::string document(const command& asked, const std::string& body, int height) {
  const auto defined = [](std::string_view kind, std::string_view style) {
    return "<rect id='key-" + std::string(kind) + "' class='" + std::string(style) +
           "' width='16' height='12'/>";
  };
  const std::string size = std::to_string(kWidth) + " " + std::to_string(height);
  return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " + size + "' width='" +
         std::to_string(kWidth) + "' height='" + std::to_string(height) + "'>\n<title>" +
         escaped(asked.words[0]) + "</title>\n<style>" + std::string(kStyle) + "</style>\n<defs>" +
         defined("asked", "even") + defined("fetched", "fetched") + defined("skipped", "skipped") +
         "</defs>\n<rect class='page' width='" + std::to_string(kWidth) + "' height='" +
         std::to_string(height) + "'/>\n" + body + "</svg>\n";
}

// The words of a part, one above the other in the column of their bank: a row for each wavefront.
std::string part_drawing(const bank_part& part, const std::string& name, int& y) {
  std::string text = text_at(kMargin, y - 4, "small", name);
  for (int bank = 0; bank < kBanks; ++bank)
    text += text_at(kLeft + bank * kBank + kBank / 2, y - 4, "lane", std::to_string(bank));
  for (int bank = 0; bank < kBanks; ++bank) {
    const int x = kLeft + bank * kBank;
    const auto& words = part.banks[static_cast<std::size_t>(bank)];
    if (words.empty()) text += bar(x, y, kBank, "skipped", "");
    int at = y;
    for (const auto& [word, lanes] : words) {
      const std::string shade = (at - y) / kBar % 2 == 0 ? "even" : "odd";
      const std::string list = lanes_text(lanes);
      text += bar(x, at, kBank, shade,
                  "bank " + std::to_string(bank) + ", byte " + std::to_string(word * kBankBytes) +
                      ": lanes " + list);
      if (const std::string label = fitting(list, "", kBank); !label.empty())
        text += text_at(x + kBank / 2, at + kBar - 7, "lane " + shade + "-text", label);
      at += kBar;
    }
  }
  y += part.wavefronts * kBar + 30;
  return text;
}

}  // namespace

std::string svg_drawing(const command& asked, const warp_view& view) {
  int y = kMargin + 12;
  std::string body =
      head(asked, "One warp's accesses in 32-byte sectors", counts(view), kSectorKeys, y);
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
  return document(asked, body, y);
}

std::string svg_drawing(const command& asked, const bank_view& view) {
  int y = kMargin + 12;
  std::string body = head(asked, "One warp's accesses in the 32 banks of shared memory",
                          counts(view), kBankKeys, y);
  for (std::size_t k = 0; k < view.instructions.size(); ++k)
    for (const bank_part& part : view.instructions[k].parts)
      body += part_drawing(
          part, "access " + std::to_string(k + 1) + ", lanes " + lanes_text(part.lanes), y);
  return document(asked, body, y);
}

}  // namespace sectorbench::sectors
