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
  double cpu_quota = 0;     ///< CPUs that the control group may use; 0: as many as there are
  std::string affinity;     ///< CPUs that the process may run on: "0-1", as the kernel lists them
  std::string numa_nodes;   ///< memory nodes that it may use: "0"
  std::string governor;     ///< of the first CPU's clock, or "unknown"
  std::string turbo;        ///< "on", "off" or "unknown"
  std::string wait_policy;  ///< OMP_WAIT_POLICY, or "unset"
  std::string places, proc_bind;  ///< OMP_PLACES and OMP_PROC_BIND, or "unset"
  double load_1min = 0;           ///< load average of the last minute
};

/// Reads the facts from /proc and /sys below `root`.
host_info read_host_info(const std::filesystem::path& root = "/");

}  // namespace sectorbench
