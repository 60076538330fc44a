// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "sectorbench/cuda/error.hpp"

/// @file
/// What GPUs there are, and what each is.
///
///     const device_presence found = probe_devices();
///     if (found.state == device_state::kPresent)
///       std::cout << query_device(0).name << '\n';
///     else
///       std::cerr << found.detail << '\n';
///
/// It does not model clocks that change, MIG instances, or links between devices.
///
/// Source: CUDA Runtime API, section "Device Management"; the peak is the memory clock times the
/// two transfers per clock times the bus width. Lanes: CUDA C++ Programming Guide, "Throughput of
/// Native Arithmetic Instructions".

namespace sectorbench {

/// One GPU as the runtime describes it. Numbers that the runtime does not know are 0.
struct device_info {
  int index = 0;
  std::string name;
  std::string uuid;        ///< as nvidia-smi prints it: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
  std::string pci_bus_id;  ///< domain:bus:device.function
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  int threads_per_sm = 0;     ///< that an SM holds at a time
  std::int64_t l1_bytes = 0;  ///< of an SM, as far as it can be shared memory
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  int sm_clock_khz = 0;  ///< the highest
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  bool ecc = false;
  int driver_version = 0;      ///< newest CUDA that the driver serves, as 13000 for 13.0
  int runtime_version = 0;     ///< CUDA that this program was built with, as 13000 for 13.0
  std::string driver_release;  ///< the driver's own version, such as 580.95.05; may be empty

  /// Bytes per second (decimal) that the memory bus can move, or 0 if that is unknown.
  double peak_bytes_per_s() const { return 2.0 * memory_clock_khz * 1e3 * memory_bus_bits / 8.0; }

  /// Single-precision multiply-adds that an SM does in a clock, or 0 if that is unknown.
  int f32_lanes() const {
    const int capability = compute_major * 10 + compute_minor;
    if (capability < 70 || capability >= 130) return 0;
    return capability <= 80 ? 64 : 128;
  }
  /// Single-precision operations per second at the highest clock, a multiply-add being two, or 0.
  double peak_f32_flops() const { return 2.0 * f32_lanes() * sm_count * sm_clock_khz * 1e3; }
};

/// Whether GPUs can be used: absent is a fact about the machine, broken is a fault to mend.
enum class device_state { kPresent, kAbsent, kBroken };

/// What looking for GPUs found.
struct device_presence {
  device_state state = device_state::kAbsent;
  int count = 0;       ///< usable devices; 0 unless present
  std::string detail;  ///< one line: what is missing or wrong, and what mends it
  int cuda_code = 0;   ///< the cudaError_t behind it
};

/// Memory of the current device, in bytes.
struct device_memory {
  std::int64_t free_bytes = 0;
  std::int64_t total_bytes = 0;
};

/// A CUDA version number as text: 12040 is "12.4".
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// What mends the initialisation error `code`, as a phrase.
inline std::string device_remedy(cudaError_t code, int driver_version) {
  switch (code) {
    case cudaErrorInsufficientDriver:
      return "the driver serves CUDA up to " + cuda_version_text(driver_version) +
             ", this program needs " + cuda_version_text(CUDART_VERSION) +
             ": update the driver, or build with an older toolkit";
    case cudaErrorStubLibrary:
      return "the libcuda found is the toolkit's stub: take its folder out of LD_LIBRARY_PATH";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidKernelImage:
      return "this program holds no code for the GPU: build again with CMAKE_CUDA_ARCHITECTURES "
             "set to its architecture";
    case cudaErrorUnsupportedPtxVersion:
      return "the driver is too old for this program's PTX: update the driver, or build with "
             "CMAKE_CUDA_ARCHITECTURES set to the GPU's architecture";
    case cudaErrorDevicesUnavailable:
      return "the GPU is held by another process or closed to compute: look at its compute mode "
             "and processes in nvidia-smi";
    case cudaErrorMemoryAllocation:
      return "the GPU has no memory left for a context: end the processes that nvidia-smi lists";
    case cudaErrorSystemNotReady:
      return "the system is not ready: start nvidia-fabricmanager and nvidia-persistenced";
    case cudaErrorSystemDriverMismatch:
      return "kernel module and libcuda are of different versions: reboot after a driver update, "
             "or give the container the host's libcuda";
    case cudaErrorCompatNotSupportedOnDevice:
      return "the forward compatibility package does not serve this GPU: take cuda-compat out of "
             "LD_LIBRARY_PATH and update the driver";
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsMaxClientsReached:
    case cudaErrorMpsMaxConnectionsReached:
      return "the MPS server does not answer: restart nvidia-cuda-mps-control, or unset "
             "CUDA_MPS_PIPE_DIRECTORY";
    default:
      return "the GPU could not be initialised: see whether nvidia-smi works, the permissions of "
             "/dev/nvidia*, and the kernel log for Xid lines";
  }
}

/// Sorts the outcome of an initialisation into present, absent and broken.
///
/// `driver_version` is what cudaDriverGetVersion says (0 without a driver), `status` and `count`
/// what cudaGetDeviceCount or any later first use of the device says.
inline device_presence classify_devices(int driver_version, cudaError_t status, int count) {
  const int code = static_cast<int>(status);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
    return {device_state::kAbsent, 0, "no NVIDIA GPU is visible", code};
  if (status == cudaErrorInsufficientDriver && driver_version == 0)
    return {device_state::kAbsent, 0, "no NVIDIA driver is installed", code};
  if (status == cudaSuccess) return {device_state::kPresent, count, "", code};
  return {device_state::kBroken, 0,
          error_text(status) + "; " + device_remedy(status, driver_version), code};
}

/// The newest CUDA that the driver serves, as 13000 for 13.0; 0 without a driver.
inline int query_driver_version() noexcept {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return version;
}

/// Looks for GPUs; never throws for what it finds. Makes no context.
///
/// A device that is present can still refuse its first kernel (no kernel image, exclusive mode):
/// give that error to classify_devices too.
inline device_presence probe_devices() {
  int driver_version = 0;
  int count = 0;
  cudaError_t status = cudaDriverGetVersion(&driver_version);
  if (status == cudaSuccess) status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  return classify_devices(driver_version, status, count);
}

/// The 16 bytes of a UUID in nvidia-smi's form.
inline std::string uuid_text(const cudaUUID_t& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// Describes device `index`. @pre 0 <= index < probe_devices().count @throws cuda_error
inline device_info query_device(int index) {
  cudaDeviceProp properties{};
  SECTORBENCH_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  device_info info;
  info.index = index;
  info.name = properties.name;
  info.uuid = uuid_text(properties.uuid);
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.sm_count = properties.multiProcessorCount;
  info.threads_per_sm = properties.maxThreadsPerMultiProcessor;
  info.l1_bytes = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  info.l2_bytes = properties.l2CacheSize;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.memory_bus_bits = properties.memoryBusWidth;
  info.ecc = properties.ECCEnabled != 0;
  // CUDA 13 took the clocks out of cudaDeviceProp.
  SECTORBENCH_CUDA_CHECK(cudaDeviceGetAttribute(&info.sm_clock_khz, cudaDevAttrClockRate, index));
  SECTORBENCH_CUDA_CHECK(
      cudaDeviceGetAttribute(&info.memory_clock_khz, cudaDevAttrMemoryClockRate, index));
  std::array<char, 32> bus_id{};
  SECTORBENCH_CUDA_CHECK(
      cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index));
  info.pci_bus_id = bus_id.data();
  SECTORBENCH_CUDA_CHECK(cudaDriverGetVersion(&info.driver_version));
  SECTORBENCH_CUDA_CHECK(cudaRuntimeGetVersion(&info.runtime_version));
  std::ifstream("/sys/module/nvidia/version") >> info.driver_release;
  return info;
}

/// The number of the current device. @throws cuda_error
inline int current_device() {
  int device = 0;
  SECTORBENCH_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

/// Free and total memory of the current device. @throws cuda_error
inline device_memory query_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  SECTORBENCH_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

}  // namespace sectorbench
