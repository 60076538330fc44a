// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct CUstream_st;  // cudaStream_t points to it; host-only builds have no CUDA header

namespace sectorbench {

/// Times launches in batches. It knows nothing of Google Benchmark, whose versions differ.
class launch_clock {
 public:
  using launch = std::function<void(CUstream_st*)>;

  launch_clock();
  ~launch_clock();
  launch_clock(const launch_clock&) = delete;
  launch_clock& operator=(const launch_clock&) = delete;

  /// Seconds of one launch. The first call warms up, counts and chooses how many launches make a
  /// batch; each that finds the last batch used up times another.
  /// @param queue queues one launch in the stream and does not wait; the stream is null where
  /// there is no CUDA, and it does its work at once @throws std::runtime_error
  double next(const launch& queue);

  /// What is known of the launches so far, by the keys of docs/counters.md.
  std::vector<std::pair<std::string, double>> counters(std::int64_t useful_bytes) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace sectorbench
