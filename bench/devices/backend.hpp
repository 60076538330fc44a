// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/devices/timed_sample.hpp"
#include "bench/options/cache_mode.hpp"
#include "bench/options/memory_space.hpp"
#include "bench/telemetry/observation.hpp"
#include "kernels/own_kernel.hpp"
#include "sectorbench/execution/workload.hpp"

namespace sectorbench {

/// Nothing more can be measured on the device: what() says why.
class device_lost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The key of a GPU's description, from its product name: "NVIDIA H200" gives "h200".
std::string device_key(std::string_view name);

/// What comparing an output with what a body says found.
struct comparison {
  std::uint64_t wrong = 0;  ///< elements (read: checksums)
  index_t first = 0;        ///< the lowest such index (read: thread)
  bits128 expected{}, got{};
  std::uint64_t strayed = 0;  ///< bytes outside the declared stores that were overwritten

  bool ok() const { return wrong == 0 && strayed == 0; }
};

/// What the runtime knows of a GPU that the model of traffic and time asks for.
struct gpu_geometry {
  std::string name;
  std::string key;           ///< as descriptions are called: "h200"
  std::string architecture;  ///< "sm_90"
  int sms = 0;
  int threads_per_sm = 0;
  double l1_bytes = 0;  ///< of an SM
  double sm_clock_hz = 0;
};

/// Where rows are measured: the GPU, or the CPU's memory. Owns the buffers, knows no patterns.
///
/// Buffers are one input and one output for the whole process; acquiring larger ones discards the
/// contents.
class backend {
 public:
  virtual ~backend() = default;

  virtual std::string_view name() const = 0;
  /// The GPU's number as CUDA counts visible devices; none where there is no GPU.
  virtual std::optional<int> index() const { return std::nullopt; }
  /// To be called before anything else is done on the device, and again after another was used.
  virtual void activate() {}
  /// None where there is no GPU.
  virtual std::optional<gpu_geometry> geometry() const { return std::nullopt; }
  /// Facts for the JSON context, gathered once.
  virtual evidence facts() const = 0;
  /// One line for people: what is measured.
  virtual std::string headline() const = 0;
  /// Bytes per second that the memory bus can move, or 0 if unknown.
  virtual double peak_bytes_per_s() const = 0;
  /// Single-precision operations per second that it can do, or 0 if unknown.
  virtual double peak_f32_flops() const { return 0; }
  /// Bytes of the last cache before memory, or 0; and its name as labels say it.
  virtual index_t last_cache_bytes() const = 0;
  virtual std::string_view last_cache_name() const = 0;

  /// Makes room for a workload. @throws not_applicable with the bytes needed and available
  virtual void acquire(const workload& work) = 0;
  /// Bounds how long one sample of the author's kernels may take. What runs them then throws
  /// launch_hangs, after which the backend may not even be destroyed, as they still run.
  virtual void bound_launches(double /*seconds*/) {}
  /// Makes the buffers hold what the image says; a side that it leaves empty stays as it is.
  virtual void put(const kernel_image&) {}
  /// Reads the buffers into an image of the size that it has.
  virtual void get(kernel_image&) {}
  /// Launches behind a queue that is held, and reads the buffers before letting it go: what they
  /// hold then was left by work in no or another queue. False where nothing is held.
  virtual bool get_while_held(const workload&, kernel_image&) { return false; }
  virtual void fill_input(std::uint64_t seed) = 0;
  virtual void poison_output() = 0;
  /// Runs a workload once and waits. @param keep `read` shall store its checksums
  virtual void run_once(const workload& work, std::uint64_t seed, bool keep) = 0;
  /// Counts what the program's body touches.
  virtual coverage_verdict prove(const program& body) = 0;
  /// Compares the output with what the body says of an input filled with `seed`.
  virtual comparison compare(const program& body, std::uint64_t seed) = 0;
  /// Times `launches` launches in a row.
  virtual timed_sample time(const workload& work, std::uint64_t seed, int launches,
                            bool blocking) = 0;
  /// Blocks of the workload that an SM holds at a time; 0 if that is not known. @pre acquired
  virtual int blocks_per_sm(const workload&) { return 0; }
  /// From the next `acquire` on an SM holds at most so many blocks; none: as the run was told.
  virtual void limit_blocks(std::optional<int>) {}
  /// Launches that one sample may have at most.
  virtual int max_launches() const = 0;
  /// Seconds between two events with nothing between them, or 0 where there are no events.
  virtual double event_floor_s() const { return 0; }

  /// Whether `count` can be called.
  virtual source_status counters() const { return {}; }
  /// What the hardware counts in one launch, the caches being as in a timed one.
  /// @pre counters().on @throws cupti_unavailable
  virtual metric_values count(const workload&, std::uint64_t) { return {}; }
  /// Whether `trace` can be called.
  virtual source_status clock_check() const { return {}; }
  /// Times one batch by events and by the second clock; `kernel_s` is that of a launch. @pre
  /// clock_check().on @throws cupti_unavailable
  virtual batch_trace trace(const workload&, std::uint64_t, int, bool) { return {}; }
  /// The device's condition now, as far as it can be had.
  virtual gpu_condition condition() { return {}; }
  /// The device's state while `launches` launches run; none where there is no GPU.
  virtual std::optional<device_reading> watch(const workload&, std::uint64_t, int) {
    return std::nullopt;
  }
};

std::unique_ptr<backend> make_host_backend(cache_mode caches = cache_mode::kWarm);

#if SECTORBENCH_HAS_CUDA
struct observer_settings;

/// How the GPU is to be timed.
struct cuda_settings {
  bool blocking = true;         ///< hold the stream until a batch is queued
  std::string blocking_reason;  ///< why so, for the record
  cache_mode caches = cache_mode::kWarm;
  std::optional<int> l2_fetch_granularity{};  ///< bytes: 32, 64 or 128
  cache_ops cache_operators{};
  std::optional<int> occupancy{};  ///< blocks that an SM may hold
  space_choice space{};
};

/// The GPU `device_index`, its clock settled. @throws cuda_error, usage_error
std::unique_ptr<backend> make_cuda_backend(int device_index, const cuda_settings& settings,
                                           const observer_settings& observed);
#endif

/// The message of a workload that does not fit.
std::string does_not_fit(const workload& work, index_t needed, index_t available);

}  // namespace sectorbench
