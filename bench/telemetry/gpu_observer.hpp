// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/telemetry/cupti/hardware_counters.hpp"
#include "bench/telemetry/cupti/kernel_trace.hpp"
#include "bench/telemetry/nvml.hpp"
#include "bench/telemetry/observation.hpp"

namespace sectorbench {

/// What is to be read of a GPU besides times. Where it is not, state and reason say so.
struct observer_settings {
  bool counters = false;  ///< hardware counters, where they can be had
  std::string counters_state, counters_reason;
  std::vector<std::string> extra;  ///< further metrics, by CUPTI's names
  bool clock_check = false;        ///< the second clock, where it can be had
  std::string clock_check_state, clock_check_reason;
};

/// Which GPU, and how to try it out.
struct observed_gpu {
  int index = 0;
  std::string uuid, pci_bus_id;
  std::function<void()> store_probe;  ///< stores kProbeSectors whole sectors, and waits
  static constexpr int kProbeSectors = 2048;
};

/// Counters, second clock and monitor of one GPU. Each that cannot be had says why; none of them is
/// needed to measure a time.
class gpu_observer {
 public:
  /// Decides for the whole run what is read, by a probe reading.
  /// @throws usage_error if an extra metric is unknown
  gpu_observer(const observer_settings& settings, const observed_gpu& gpu);

  const source_status& counters() const { return counters_status_; }
  const source_status& clock_check() const { return clock_check_status_; }

  /// What one `launch` counts; `prepare` is called before each of its passes. Both must wait.
  /// @pre counters().on @throws cupti_unavailable, and what the callbacks throw
  metric_values count(const std::function<void()>& prepare, const std::function<void()>& launch);

  /// Traces `batch`, which returns its time by events in seconds; launches of the program's own
  /// helpers are left out. @pre clock_check().on @throws as count
  batch_trace trace(const std::function<double()>& batch);

  gpu_condition condition() const { return monitor_.condition(); }

  /// Whether the GPU is an instance of a divided one: the card's peak is not its own.
  bool is_mig_instance() const { return mig_instance_; }

  /// What the context says of all this and of the GPU's settings.
  evidence facts() const;

 private:
  void open_counters(const observer_settings& settings, const observed_gpu& gpu);
  void open_tracer(const observer_settings& settings);

  gpu_monitor monitor_;
  bool mig_instance_;
  source_status counters_status_, clock_check_status_;
  std::unique_ptr<hardware_counters> counters_;
  std::unique_ptr<kernel_tracer> tracer_;
};

}  // namespace sectorbench
