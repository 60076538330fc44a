// SPDX-License-Identifier: Apache-2.0
#include "bench/support/csv.hpp"

namespace sectorbench {

std::vector<csv_record> read_csv(std::string_view text, char separator) {
  std::vector<csv_record> records;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    csv_record record{{""}, line, true};
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      std::string& field = record.fields.back();
      if (c == '\n') ++line;
      if (quoted) {
        if (c != '"')
          field += c;
        else if (at + 1 < text.size() && text[at + 1] == '"')
          field += text[++at];
        else
          quoted = false;
      } else if (c == '\n') {
        break;
      } else if (c == '"' && field.empty()) {
        quoted = true;
      } else if (c == separator) {
        record.fields.emplace_back();
      } else if (c != '\r' || at + 1 >= text.size() || text[at + 1] != '\n') {
        field += c;
      }
    }
    ++at;  // the line's end
    record.closed = !quoted;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace sectorbench
