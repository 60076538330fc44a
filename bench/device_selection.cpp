// SPDX-License-Identifier: Apache-2.0
#include "bench/device_selection.hpp"

#include <filesystem>

#include "bench/tools_attached.hpp"

#if SECTORBENCH_HAS_CUDA
#include "bench/build_info.hpp"
#include "kernels/timing.hpp"
#include "sectorbench/cuda/device.hpp"
#endif

namespace sectorbench {
namespace {

constexpr const char* kMeasureCpu = "; --device=host measures the CPU's memory instead";

selected_device select_host(std::string notice) {
  selected_device selected;
  selected.device = make_host_backend();
  selected.notice = std::move(notice);
  return selected;
}

#if SECTORBENCH_HAS_CUDA

void decide_blocking(const options& wanted, selected_device& selected) {
  const process_view view = this_process();
  selected.tool = attached_tool(view);
  selected.blocking = false;
  if (wanted.protocol == protocol_kind::kReference) {
    selected.blocking_reason = "--protocol=reference";
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

selected_device select(const options& wanted) {
  const bool asked = wanted.device.kind == device_kind::kCuda;
  device_presence found = probe_devices();
  if (found.state == device_state::kAbsent) {
    if (asked) throw device_unavailable("--device=cuda: " + found.detail + kMeasureCpu);
    return select_host(found.detail + ": the CPU's memory is measured");
  }
  const int index = wanted.device.index.value_or(0);
  if (found.state == device_state::kPresent && index >= found.count)
    throw device_unavailable("--device=cuda:" + std::to_string(index) + ": there is no such GPU, " +
                             std::to_string(found.count) + " visible, counted from 0" +
                             kMeasureCpu);
  if (found.state == device_state::kPresent) {
    const cudaError_t usable =
        cudaSetDevice(index) == cudaSuccess ? kernel_status() : cudaGetLastError();
    if (usable != cudaSuccess) {
      found = classify_devices(query_driver_version(), usable, found.count);
      found.state = device_state::kBroken;
      found.detail += std::string("; built for ") + kBuildInfo.cuda_architectures;
    }
  }
  if (found.state == device_state::kBroken)
    throw device_unavailable("the GPU cannot be used: " + found.detail + kMeasureCpu);

  selected_device selected;
  decide_blocking(wanted, selected);
  selected.device = make_cuda_backend(index, {selected.blocking, selected.blocking_reason});
  return selected;
}

#else

/// Whether an NVIDIA driver runs here, as the system shows it without CUDA.
bool nvidia_gpu_seen() {
  std::error_code ignored;
  return std::filesystem::exists("/proc/driver/nvidia/version", ignored) ||
         std::filesystem::exists("/dev/nvidiactl", ignored);
}

selected_device select(const options& wanted) {
  const std::string remedy =
      "this build has no CUDA: install a CUDA toolkit (12.4 or later), configure anew and build";
  if (wanted.device.kind == device_kind::kCuda)
    throw device_unavailable("--device=cuda: " + remedy + kMeasureCpu);
  if (nvidia_gpu_seen()) throw device_unavailable("there is a GPU, but " + remedy + kMeasureCpu);
  return select_host("this build has no CUDA and no GPU was seen: the CPU's memory is measured");
}

#endif

}  // namespace

selected_device select_device(const options& wanted) {
  if (wanted.device.kind == device_kind::kHost) return select_host("");
  return select(wanted);
}

}  // namespace sectorbench
