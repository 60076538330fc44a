// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
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

progress_line::progress_line(const std::vector<double>& bytes, writer output, clock now)
    : work_(bytes.size(), 1), write_(std::move(output)), now_(std::move(now)) {
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  if (all <= 0) return;
  const double mean = all / static_cast<double>(bytes.size());
  for (std::size_t row = 0; row < bytes.size(); ++row) work_[row] = (1 + bytes[row] / mean) / 2;
}

void progress_line::show(std::size_t row) {
  const double now_s = now_();
  if (begun_.insert(row).second) {
    begun_work_ += work_[row];
    if (begun_.size() == 1) start_s_ = now_s;
    row_start_s_ = now_s;
    latest_ = row;
  } else if (row != latest_) {
    mixed_ = true;
  }
  erase();
  const std::string text = progress_text(begun_.size(), work_.size(), left_s(now_s));
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
  if (begun_.size() <= 1 || mixed_) return {};
  const double done = begun_work_ - work_[latest_];
  const double all = std::accumulate(work_.begin(), work_.end(), 0.0);
  return (row_start_s_ - start_s_) / done * (all - done) - (now_s - row_start_s_);
}

}  // namespace sectorbench
