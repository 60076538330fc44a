// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace sectorbench {

std::string progress_text(std::size_t row, std::size_t rows, std::optional<double> left_s) {
  std::string text = "row " + std::to_string(row) + " of " + std::to_string(rows);
  if (!left_s) return text;
  const auto seconds = std::llround(std::max(0.0, *left_s));
  const std::string rest = std::to_string(seconds % 60);
  return text + ", about " + std::to_string(seconds / 60) + (rest.size() < 2 ? ":0" : ":") + rest +
         " left";
}

bool shows_progress(progress_mode mode, bool console, bool terminal) {
  if (mode == progress_mode::kAuto) return console && terminal;
  return mode == progress_mode::kOn;
}

progress_line::progress_line(std::size_t rows, writer output, clock now)
    : rows_(rows), write_(std::move(output)), now_(std::move(now)) {}

void progress_line::show(std::size_t row) {
  const double now_s = now_();
  if (begun_.insert(row).second) {
    if (begun_.size() == 1) start_s_ = now_s;
    row_start_s_ = now_s;
    latest_ = row;
  } else if (row != latest_) {
    mixed_ = true;
  }
  erase();
  const std::string text = progress_text(begun_.size(), rows_, left_s(now_s));
  shown_ = text.size();
  write_(text);
}

void progress_line::erase() {
  if (shown_ > 0) write_("\r" + std::string(shown_, ' ') + "\r");
  shown_ = 0;
}

double progress_line::steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<double> progress_line::left_s(double now_s) const {
  const std::size_t done = begun_.size() - 1;
  if (done == 0 || mixed_) return {};
  const double mean_s = (row_start_s_ - start_s_) / static_cast<double>(done);
  return mean_s * static_cast<double>(rows_ - std::min(rows_, done)) - (now_s - row_start_s_);
}

}  // namespace sectorbench
