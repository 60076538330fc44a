// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/support/text.hpp"
#include "bench/telemetry/cupti/functions.hpp"

namespace sectorbench {

std::string_view name_of(cupti_obstacle obstacle) {
  switch (obstacle) {
    case cupti_obstacle::kNotBuilt:
      return "not_built";
    case cupti_obstacle::kMissing:
      return "missing";
    case cupti_obstacle::kTooOld:
      return "too_old";
    case cupti_obstacle::kPermission:
      return "permission";
    case cupti_obstacle::kOtherProfiler:
      return "other_profiler";
    case cupti_obstacle::kUnsupported:
      return "unsupported";
    case cupti_obstacle::kUnknownChip:
      return "unknown_chip";
    case cupti_obstacle::kFailed:
      break;
  }
  return "failed";
}

cupti_unavailable cupti_not_built() {
  return {cupti_obstacle::kNotBuilt,
          "this build has no CUPTI: configure with a CUDA toolkit of 12.6 Update 2 or later that "
          "has CUPTI's headers, and build again"};
}

#if SECTORBENCH_HAS_CUPTI

namespace {

// A library of another major version has other records and structures.
#if CUPTI_API_VERSION >= 130000
constexpr int kMajor = CUPTI_API_VERSION / 10000;
#else
constexpr int kMajor = 12;
#endif

constexpr const char* kFileVariable = "SECTORBENCH_CUPTI";

std::vector<std::string> candidates() {
  if (const char* const file = std::getenv(kFileVariable); file != nullptr) return {file};
  const std::string name = "libcupti.so." + std::to_string(kMajor);
  std::vector<std::string> files{name};
  // The toolkit keeps the library in a folder that no loader looks in.
  for (const char* const folder :
       {SECTORBENCH_CUPTI_FOLDER, "/usr/local/cuda/targets/x86_64-linux/lib",
        "/usr/local/cuda/extras/CUPTI/lib64"})
    files.push_back(std::string(folder) + "/" + name);
  return files;
}

void* load(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  // CUPTI asks the loader for this one by name, which finds it if it is there already.
  if (!folder.empty()) dlopen((folder / "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string needed_version() {
  return "the range profiler of CUDA 12.6 Update 2 or later, of major version " +
         std::to_string(kMajor) + ", is needed";
}

}  // namespace

namespace {

cupti_functions load_functions() {
  cupti_functions functions;
  void* library = nullptr;
  std::string first_error;
  for (const std::string& file : candidates()) {
    library = load(file);
    if (library != nullptr) {
      functions.file = file;
      break;
    }
    const char* const error = dlerror();
    if (first_error.empty() && error != nullptr) first_error = error;
  }
  if (library == nullptr)
    throw cupti_unavailable(cupti_obstacle::kMissing,
                            "CUPTI was not found (" + one_line(first_error) +
                                "): install the CUDA toolkit's cuda-cupti package of version " +
                                std::to_string(kMajor) + ", or name the file in " + kFileVariable);
  const auto resolve = [&](auto& pointer, const char* name) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(dlsym(library, name));
    if (pointer == nullptr)
      throw cupti_unavailable(cupti_obstacle::kTooOld,
                              functions.file + " has no " + name + ": " + needed_version());
  };
#define SECTORBENCH_CUPTI_RESOLVE(name) resolve(functions.name, #name);
  SECTORBENCH_CUPTI_FUNCTIONS(SECTORBENCH_CUPTI_RESOLVE)
#undef SECTORBENCH_CUPTI_RESOLVE
  std::uint32_t version = 0;
  functions.check(functions.cuptiGetVersion(&version), "cuptiGetVersion");
  functions.version = version;
  return functions;
}

}  // namespace

const cupti_functions& load_cupti() {
  static const cupti_functions functions = load_functions();
  return functions;
}

void cupti_functions::check(CUptiResult result, const char* call) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  throw explain(result, call, text != nullptr ? text : "unknown error");
}

cupti_unavailable explain(CUptiResult result, const char* call, const std::string& text) {
  const std::string error = "CUPTI " + std::to_string(static_cast<int>(result));
  // Numbers instead of names where the oldest header does not have them.
  switch (static_cast<int>(result)) {
    case 35:  // INSUFFICIENT_PRIVILEGES
      return {cupti_obstacle::kPermission,
              "no permission to read GPU counters (ERR_NVGPUCTRPERM, " + error +
                  "): /proc/driver/nvidia/params shows RmProfilingAdminOnly; the administrator "
                  "sets the nvidia module's option NVreg_RestrictProfilingToAdminUsers=0, or "
                  "gives this process CAP_SYS_ADMIN"};
    case 40:  // VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return {cupti_obstacle::kPermission,
              "no permission to read the counters of this virtual GPU (" + error +
                  "): whoever runs the hypervisor must enable profiling for this machine"};
    case 26:  // HARDWARE_BUSY
    case 36:  // OLD_PROFILER_API_INITIALIZED
    case 39:  // MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
      return {cupti_obstacle::kOtherProfiler, "another profiler is attached (" + error + ", " +
                                                  text + "): run without it, or end it"};
    case 33:  // VIRTUALIZED_DEVICE_NOT_SUPPORTED
    case 38:  // LEGACY_PROFILER_NOT_SUPPORTED
    case 41:  // CONFIDENTIAL_COMPUTING_NOT_SUPPORTED
    case 42:  // CMP_DEVICE_NOT_SUPPORTED
    case 43:  // MIG_DEVICE_NOT_SUPPORTED
    case 44:  // SLI_DEVICE_NOT_SUPPORTED
    case 45:  // WSL_DEVICE_NOT_SUPPORTED
      return {cupti_obstacle::kUnsupported, "CUPTI reports " + text + " (" + error + ")"};
    case 46:  // INVALID_CHIP_NAME
      return {cupti_obstacle::kUnknownChip,
              "CUPTI does not know this GPU's chip (" + error + "): take a newer CUDA toolkit"};
    case 14:  // NOT_COMPATIBLE
      return {cupti_obstacle::kTooOld,
              "CUPTI does not fit the driver (" + error + ", " + text + "): " + needed_version()};
    default:
      return {cupti_obstacle::kFailed, std::string(call) + ": " + text + " (" + error + ")"};
  }
}

#endif

}  // namespace sectorbench
