// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/device_selection.hpp"

#include <filesystem>

#include "bench/telemetry/tools_attached.hpp"

#if SECTORBENCH_HAS_CUDA
#include "bench/support/build_info.hpp"
#include "bench/telemetry/gpu_observer.hpp"
#include "kernels/timing.hpp"
#include "sectorbench/cuda/device.hpp"
#endif

namespace sectorbench {
namespace {

constexpr const char* kMeasureCpu = "; --device=host measures the CPU's memory instead";

std::vector<selected_device> select_host(const options& wanted, std::string notice) {
  const auto refuse = [](const std::string& flag) {
    throw usage_error(flag + ": needs a GPU, and the CPU is to be measured");
  };
  if (wanted.l2_fetch_granularity)
    refuse("--l2_fetch_granularity=" + std::to_string(*wanted.l2_fetch_granularity));
  if (wanted.cache_operators.loads != load_op::kNc)
    refuse("--load_op=" + std::string(name_of(wanted.cache_operators.loads)));
  if (wanted.cache_operators.stores != store_op::kWb)
    refuse("--store_op=" + std::string(name_of(wanted.cache_operators.stores)));
  if (wanted.occupancy) refuse("--occupancy=" + std::to_string(*wanted.occupancy));
  if (!wanted.space.is_device()) refuse("--space=" + wanted.space.text());
  std::vector<selected_device> selected(1);
  selected.front().device = make_host_backend(wanted.caches);
  selected.front().notice = std::move(notice);
  return selected;
}

#if SECTORBENCH_HAS_CUDA

void decide_blocking(const options& wanted, selected_device& selected) {
  const process_view view = this_process();
  selected.tool = attached_tool(view);
  selected.blocking = false;
  if (wanted.protocol == protocol_kind::kReference) {
    selected.blocking_reason = "--protocol=reference";
  } else if (wanted.protocol == protocol_kind::kProfile) {
    selected.blocking_reason = "--profile";
  } else if (wanted.blocking == blocking_mode::kOff) {
    selected.blocking_reason = "--blocking=off";
  } else if (wanted.blocking == blocking_mode::kOn) {
    selected.blocking = true;
    selected.blocking_reason = "--blocking=on";
  } else if (!selected.tool.empty()) {
    selected.blocking_reason = "running under " + selected.tool;
  } else if (launch_blocking_requested(view)) {
    selected.blocking_reason = "CUDA_LAUNCH_BLOCKING is set";
  } else {
    selected.blocking = true;
    selected.blocking_reason = "nothing makes the host wait";
  }
}

observer_settings decide_observation(const options& wanted, const std::string& tool) {
  observer_settings settings;
  settings.extra = wanted.extra_metrics;
  settings.counters_state = settings.clock_check_state = "off";
  std::string no_cupti;  // what speaks against any use of CUPTI
  if (wanted.protocol == protocol_kind::kProfile) {
    no_cupti = "--profile leaves the counters to a profiler";
  } else if (!tool.empty()) {
    no_cupti = "another profiler is attached: running under " + tool;
    settings.counters_state = settings.clock_check_state = "other_profiler";
  }
  settings.counters_reason = settings.clock_check_reason = no_cupti;
  if (wanted.counters == counters_mode::kOff) {
    settings.counters_state = "off";
    settings.counters_reason = "--counters=off";
  } else if (wanted.quick && wanted.counters == counters_mode::kAuto &&
             wanted.extra_metrics.empty()) {
    settings.counters_state = "off";
    settings.counters_reason = "--quick leaves them out; --counters=require reads them";
  }
  if (!wanted.clock_check) {
    settings.clock_check_state = "off";
    settings.clock_check_reason = "--clock_check=off";
  } else if (wanted.caches == cache_mode::kCold && no_cupti.empty()) {
    settings.clock_check_reason = "--cache=cold times each launch by itself";
  }
  settings.counters = settings.counters_reason.empty();
  settings.clock_check = settings.clock_check_reason.empty();
  return settings;
}

/// Looks whether the GPU `index` runs this program's kernels. @throws device_unavailable
void check_usable(int index, int count) {
  const cudaError_t usable =
      cudaSetDevice(index) == cudaSuccess ? kernel_status() : cudaGetLastError();
  if (usable == cudaSuccess) return;
  const device_presence found = classify_devices(query_driver_version(), usable, count);
  throw device_unavailable("the GPU cannot be used: " + found.detail + "; built for " +
                           kBuildInfo.cuda_architectures + kMeasureCpu);
}

selected_device select_gpu(const options& wanted, int index) {
  selected_device selected;
  decide_blocking(wanted, selected);
  selected.device = make_cuda_backend(
      index,
      {selected.blocking, selected.blocking_reason, wanted.caches, wanted.l2_fetch_granularity,
       wanted.cache_operators, wanted.occupancy, wanted.space},
      decide_observation(wanted, selected.tool));
  return selected;
}

std::vector<selected_device> select(const options& wanted) {
  const device_presence found = probe_devices();
  const device_kind kind = wanted.device.kind;
  const bool all = kind == device_kind::kAll;
  if (found.state == device_state::kAbsent) {
    if (kind != device_kind::kAuto)
      throw device_unavailable(std::string(all ? "--device=all: " : "--device=cuda: ") +
                               found.detail + kMeasureCpu);
    return select_host(wanted, found.detail + ": the CPU's memory is measured");
  }
  if (found.state == device_state::kBroken)
    throw device_unavailable("the GPU cannot be used: " + found.detail + kMeasureCpu);
  const int first = wanted.device.index.value_or(0);
  if (first >= found.count)
    throw device_unavailable("--device=cuda:" + std::to_string(first) + ": there is no such GPU, " +
                             std::to_string(found.count) + " visible, counted from 0" +
                             kMeasureCpu);
  std::vector<selected_device> selected;
  for (int index = first; index < (all ? found.count : first + 1); ++index) {
    check_usable(index, found.count);
    selected.push_back(select_gpu(wanted, index));
  }
  return selected;
}

#else

/// Whether an NVIDIA driver runs here, as the system shows it without CUDA.
bool nvidia_gpu_seen() {
  std::error_code ignored;
  return std::filesystem::exists("/proc/driver/nvidia/version", ignored) ||
         std::filesystem::exists("/dev/nvidiactl", ignored);
}

std::vector<selected_device> select(const options& wanted) {
  const std::string remedy =
      "this build has no CUDA: install a CUDA toolkit (12.4 or later), configure anew and build";
  if (wanted.device.kind == device_kind::kCuda)
    throw device_unavailable("--device=cuda: " + remedy + kMeasureCpu);
  if (wanted.device.kind == device_kind::kAll)
    throw device_unavailable("--device=all: " + remedy + kMeasureCpu);
  if (nvidia_gpu_seen()) throw device_unavailable("there is a GPU, but " + remedy + kMeasureCpu);
  return select_host(wanted,
                     "this build has no CUDA and no GPU was seen: the CPU's memory is measured");
}

#endif

}  // namespace

std::vector<selected_device> select_devices(const options& wanted) {
  if (wanted.device.kind == device_kind::kHost) return select_host(wanted, "");
  return select(wanted);
}

}  // namespace sectorbench
