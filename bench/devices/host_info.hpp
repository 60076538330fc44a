// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sectorbench {

/// What the CPU and its memory are. A number is 0 where the system does not tell.
struct host_info {
  std::string cpu_model;  ///< printable ASCII
  int cores = 0;          ///< physical ones
  int hardware_threads = 0;
  int openmp_threads = 1;      ///< that a parallel region gets here
  std::int64_t l1d_bytes = 0;  ///< caches: of one instance
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;
  std::int64_t memory_bytes = 0;            ///< of the machine or of the control group, the less
  std::int64_t memory_available_bytes = 0;  ///< without swapping, bounded by the control group
};

/// Reads the facts from /proc and /sys below `root`.
host_info read_host_info(const std::filesystem::path& root = "/");

}  // namespace sectorbench
