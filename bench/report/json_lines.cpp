// SPDX-License-Identifier: Apache-2.0
#include "bench/report/json_lines.hpp"

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "bench/support/format.hpp"

namespace sectorbench {
namespace {

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (json += '\\') += c;
    else if (code < 0x20)
      ((json += "\\u00") += kHex[code >> 4]) += kHex[code & 15];
    else
      json += c;
  }
  return json + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) throw std::domain_error("JSON has no number that is not finite");
  return format_exact(value);
}

}  // namespace

std::string to_json(const json_line& line) {
  std::string json = "{\"pattern\":" + json_string(line.pattern);
  if (line.stride) json += ",\"stride\":" + std::to_string(*line.stride);
  if (line.chunk) json += ",\"chunk\":" + std::to_string(*line.chunk);
  return json + ",\"ms\":" + number(line.ms) + ",\"gbps\":" + number(line.gbps) +
         ",\"bytes\":" + std::to_string(line.bytes) + "}";
}

json_lines_file::json_lines_file(const std::string& path)
    : file_(path, "--json_lines"), stream_(file_.temporary_path(), std::ios::binary) {}

void json_lines_file::add(const json_line& line) { stream_ << to_json(line) << '\n' << std::flush; }

void json_lines_file::commit() {
  stream_.close();
  if (!stream_) throw std::runtime_error("--json_lines: the file could not be written");
  file_.commit();
}

}  // namespace sectorbench
