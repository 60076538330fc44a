// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What NVML, the management library of NVIDIA's driver, says of the GPU that CUDA measures.
///
/// It is loaded at run time and may be absent. The environment variable SECTORBENCH_NVML names
/// another file than libnvidia-ml.so.1; one that does not exist makes NVML absent. What NVML does
/// not answer has no value, never 0. Source: NVIDIA, "NVML API Reference Guide".

namespace sectorbench {

/// Rows of device memory that the GPU has replaced by spare ones, by the kind of the error.
struct remapped_row_counts {
  unsigned correctable = 0;
  unsigned uncorrectable = 0;
  bool pending = false;  ///< one more is replaced at the next reset
  bool failed = false;   ///< no spare row was left for one
};

/// What does not change during a run, but for the errors.
struct gpu_facts {
  std::optional<bool> mig;  ///< the GPU is divided into instances
  std::string mig_detail;   ///< "instance of GPU-..., 1g.18gb", or "" if not an instance
  std::optional<double> power_limit_w;
  std::optional<bool> persistence;
  std::optional<bool> ecc;
  std::optional<std::uint64_t> ecc_errors_volatile_corrected;  ///< since the driver was loaded
  std::optional<std::uint64_t> ecc_errors_volatile_uncorrected;
  std::optional<remapped_row_counts> remapped_rows;
  std::optional<int> max_sm_clock_mhz;
  std::optional<int> max_memory_clock_mhz;
  std::string driver_release;  ///< "580.65.06", or "" if not answered
};

/// The state of the GPU at one moment.
struct gpu_condition {
  std::optional<int> temperature_c;
  std::optional<double> power_w;
  std::optional<int> pstate;  ///< 0 is the fastest
  std::optional<int> sm_clock_mhz;
  std::optional<int> memory_clock_mhz;
  std::optional<std::uint64_t> clock_event_reasons;   ///< bits for throttle_names()
  std::optional<std::uint64_t> power_throttled_ns;    ///< grows while power holds clocks down
  std::optional<std::uint64_t> thermal_throttled_ns;  ///< grows while heat holds clocks down
  /// At least this many processes other than this one use the GPU, or the instance of it; a
  /// container may hide them.
  std::optional<int> other_processes;
};

/// Names of the reasons in `clock_event_reasons` that slow a GPU down: "power", "thermal", ...
/// Idleness and clocks that a person has set are none.
std::vector<std::string_view> throttle_names(std::uint64_t clock_event_reasons);

/// NVML's view of one GPU, as long as the object lives.
class gpu_monitor {
 public:
  /// Finds the GPU by its UUID ("GPU-..." as CUDA has it, of a MIG instance too), else by its PCI
  /// bus id; never throws for what NVML does.
  gpu_monitor(const std::string& uuid, const std::string& pci_bus_id);
  gpu_monitor(gpu_monitor&&) noexcept;
  gpu_monitor& operator=(gpu_monitor&&) noexcept;
  ~gpu_monitor();

  bool present() const { return nvml_ != nullptr; }

  /// "ok", or one line that says why the GPU is not present.
  const std::string& status() const { return status_; }

  /// The facts; without values if the GPU is not present.
  gpu_facts facts() const;

  /// The condition now; without values if the GPU is not present.
  gpu_condition condition() const;

 private:
  struct connection;

  std::unique_ptr<connection> nvml_;
  std::string status_;
};

}  // namespace sectorbench
