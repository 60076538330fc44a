// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/nvml.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <set>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

// The part of NVML's C interface that is used, declared here so that no nvml.h is needed. Its
// enumerations have no negative values, hence `unsigned`.
using nvml_device = void*;
using nvml_result = int;

constexpr nvml_result kSuccess = 0;
constexpr nvml_result kInsufficientSize = 7;
constexpr nvml_result kFunctionNotFound = 13;
constexpr unsigned kGpuSensor = 0;
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kCorrected = 0;
constexpr unsigned kUncorrected = 1;
constexpr unsigned kVolatile = 0;
constexpr unsigned kPerfPolicyPower = 74;
constexpr unsigned kPerfPolicyThermal = 75;
constexpr unsigned kSlowestPstate = 15;

struct nvml_process {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct nvml_field {
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  unsigned type;
  nvml_result result;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
  } value;
};

// A function of the library, under its older name where the driver has only that.
template <typename... Parameters>
class nvml_function {
 public:
  nvml_function(void* library, const char* name, const char* older_name = nullptr)
      : candidates_{find(library, name), find(library, older_name)} {}

  explicit operator bool() const { return candidates_[0] != nullptr || candidates_[1] != nullptr; }

  nvml_result operator()(Parameters... parameters) const {
    nvml_result result = kFunctionNotFound;
    for (const pointer candidate : candidates_)
      // A library newer than the driver's kernel module has functions that it does not find there.
      if (candidate != nullptr && result == kFunctionNotFound) result = candidate(parameters...);
    return result;
  }

 private:
  using pointer = nvml_result (*)(Parameters...);

  static pointer find(void* library, const char* name) {
    return name == nullptr ? nullptr : reinterpret_cast<pointer>(dlsym(library, name));
  }

  std::array<pointer, 2> candidates_;
};

using process_list_function = nvml_function<nvml_device, unsigned*, nvml_process*>;

// The text that `function` answers, or "" if it fails.
template <typename... Parameters, typename... Arguments>
std::string text_of(const nvml_function<Parameters...>& function, Arguments... arguments) {
  std::array<char, 96> buffer{};
  const auto size = static_cast<unsigned>(buffer.size());
  if (function(arguments..., buffer.data(), size) != kSuccess) return {};
  buffer.back() = '\0';
  return sanitize(buffer.data());
}

nvml_result add_pids(const process_list_function& list, nvml_device device,
                     std::set<unsigned>& pids) {
  nvml_result result = kInsufficientSize;
  unsigned count = 32;
  // Processes may start between the call that tells the count and the next.
  for (int attempt = 0; attempt < 4 && result == kInsufficientSize; ++attempt) {
    std::vector<nvml_process> processes(2 * std::size_t{count});
    count = static_cast<unsigned>(processes.size());
    result = list(device, &count, processes.data());
    if (result != kSuccess) continue;
    processes.resize(std::min<std::size_t>(count, processes.size()));
    for (const nvml_process& process : processes) pids.insert(process.pid);
  }
  return result;
}

bool runs_here(unsigned pid) {
  return pid > 0 && pid <= INT_MAX && (kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH);
}

int count_others(std::set<unsigned> pids) {
  const bool listed = pids.erase(static_cast<unsigned>(getpid())) > 0;
  auto count = static_cast<int>(pids.size());
  // In a container NVML may list the pids of the host, and this process under one of them.
  if (!listed && !std::all_of(pids.begin(), pids.end(), runs_here)) --count;
  return count;
}

std::string load_error(const std::string& file) {
  const char* const error = dlerror();
  std::string text = error != nullptr ? error : "unknown error";
  if (text.starts_with(file + ": ")) text.erase(0, file.size() + 2);
  return text;
}

}  // namespace

std::vector<std::string_view> throttle_names(std::uint64_t clock_event_reasons) {
  struct reason {
    std::uint64_t bit;
    std::string_view name;
  };
  // Left out: 0x1 the GPU is idle, 0x2 the setting of the application clocks.
  constexpr reason kReasons[] = {
      {0x4, "power"},
      {0x8, "hardware slowdown"},
      {0x10, "sync boost"},
      {0x20, "thermal"},
      {0x40, "hardware thermal"},
      {0x80, "power brake"},
      {0x100, "display clocks"},
  };
  std::vector<std::string_view> names;
  for (const reason& known : kReasons)
    if ((clock_event_reasons & known.bit) != 0) names.push_back(known.name);
  return names;
}

struct gpu_monitor::connection {
  explicit connection(void* handle) : library(handle) {}
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() {
    if (initialised) shutdown();
    dlclose(library);
  }

  // Why the GPU cannot be asked, or "ok".
  std::string connect(const std::string& file, const std::string& uuid,
                      const std::string& pci_bus_id) {
    if (!init) return file + " is not NVML: it has no nvmlInit_v2";
    nvml_result result = init();
    if (result != kSuccess) return "NVML cannot be initialised: " + error_text(result);
    initialised = true;

    nvml_device device = nullptr;
    result = find(uuid, pci_bus_id, &device);
    if (result != kSuccess) {
      const std::string place = pci_bus_id.empty() ? "" : " at " + pci_bus_id;
      return "NVML does not know the GPU " + uuid + place + ": " + error_text(result);
    }
    devices = {device};
    unsigned instance = 0;
    nvml_device whole = nullptr;
    is_instance = is_mig_device(device, &instance) == kSuccess && instance != 0;
    if (is_instance && device_of_mig_device(device, &whole) == kSuccess) devices.push_back(whole);
    return "ok";
  }

  nvml_result find(const std::string& uuid, const std::string& pci_bus_id,
                   nvml_device* device) const {
    constexpr std::string_view kPrefix = "GPU-";
    nvml_result result = device_by_uuid(uuid.c_str(), device);
    // CUDA has no other text for the UUID of a MIG instance.
    if (result != kSuccess && uuid.starts_with(kPrefix))
      result = device_by_uuid(("MIG-" + uuid.substr(kPrefix.size())).c_str(), device);
    if (result != kSuccess && !pci_bus_id.empty())
      result = device_by_pci_bus_id(pci_bus_id.c_str(), device);
    return result;
  }

  std::string error_text(nvml_result result) const {
    using signature = const char*(nvml_result);
    const auto text = reinterpret_cast<signature*>(dlsym(library, "nvmlErrorString"));
    const char* const error = text != nullptr ? text(result) : nullptr;
    return error != nullptr ? error : "error " + std::to_string(result);
  }

  // The answer for the device, else for the GPU that it is an instance of.
  template <typename Value, typename Function, typename... Arguments>
  std::optional<Value> ask(const Function& function, Arguments... arguments) const {
    for (const nvml_device device : devices) {
      Value value{};
      if (function(device, arguments..., &value) == kSuccess) return value;
    }
    return std::nullopt;
  }

  template <typename Function, typename... Arguments>
  std::optional<int> ask_int(const Function& function, Arguments... arguments) const {
    const auto value = ask<unsigned>(function, arguments...);
    if (!value || *value > INT_MAX) return std::nullopt;
    return static_cast<int>(*value);
  }

  template <typename Function>
  std::optional<double> ask_watts(const Function& function) const {
    const auto milliwatts = ask<unsigned>(function);
    if (!milliwatts) return std::nullopt;
    return *milliwatts / 1000.0;
  }

  template <typename Function>
  std::optional<bool> ask_switch(const Function& function) const {
    const auto on = ask<unsigned>(function);
    if (!on) return std::nullopt;
    return *on != 0;
  }

  // A mode that NVML tells together with the one after the next reboot.
  std::optional<bool> ask_mode(
      const nvml_function<nvml_device, unsigned*, unsigned*>& function) const {
    return ask_switch([&function](nvml_device device, unsigned* current) {
      unsigned pending = 0;
      return function(device, current, &pending);
    });
  }

  std::optional<std::uint64_t> ask_field(unsigned field) const {
    return ask<std::uint64_t>([&](nvml_device device, std::uint64_t* value) {
      nvml_field asked{};
      asked.field = field;
      if (const nvml_result result = field_values(device, 1, &asked); result != kSuccess)
        return result;
      switch (asked.type) {
        case 1:
          *value = asked.value.as_unsigned;
          return asked.result;
        case 2:
          *value = asked.value.as_unsigned_long;
          return asked.result;
        case 3:
          *value = asked.value.as_unsigned_long_long;
          return asked.result;
        default:
          return kFunctionNotFound;
      }
    });
  }

  std::optional<int> ask_other_processes() const {
    return ask<int>([&](nvml_device device, int* others) {
      std::set<unsigned> pids;
      const nvml_result compute = add_pids(compute_processes, device, pids);
      const nvml_result graphics = add_pids(graphics_processes, device, pids);
      *others = count_others(pids);
      return compute == kSuccess ? compute : graphics;
    });
  }

  std::string mig_detail() const {
    if (!is_instance) return {};
    std::string detail = "instance";
    const std::string whole = devices.size() > 1 ? text_of(uuid_of, devices[1]) : "";
    if (!whole.empty()) detail += " of " + whole;
    // "NVIDIA H200 MIG 1g.18gb"
    constexpr std::string_view kBeforeProfile = " MIG ";
    const std::string name = text_of(name_of, devices[0]);
    if (const auto mig = name.rfind(kBeforeProfile); mig != std::string::npos)
      detail += ", " + name.substr(mig + kBeforeProfile.size());
    return detail;
  }

  void* library;
  bool initialised = false;
  bool is_instance = false;
  std::vector<nvml_device> devices;  // what CUDA measures; then the GPU, if that is an instance

  nvml_function<> init{library, "nvmlInit_v2"};
  nvml_function<> shutdown{library, "nvmlShutdown"};
  nvml_function<const char*, nvml_device*> device_by_uuid{library, "nvmlDeviceGetHandleByUUID"};
  nvml_function<const char*, nvml_device*> device_by_pci_bus_id{library,
                                                                "nvmlDeviceGetHandleByPciBusId_v2"};
  nvml_function<nvml_device, unsigned*> is_mig_device{library, "nvmlDeviceIsMigDeviceHandle"};
  nvml_function<nvml_device, nvml_device*> device_of_mig_device{
      library, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle"};
  nvml_function<char*, unsigned> driver_version{library, "nvmlSystemGetDriverVersion"};
  nvml_function<nvml_device, char*, unsigned> uuid_of{library, "nvmlDeviceGetUUID"};
  nvml_function<nvml_device, char*, unsigned> name_of{library, "nvmlDeviceGetName"};
  nvml_function<nvml_device, unsigned*, unsigned*> mig_mode{library, "nvmlDeviceGetMigMode"};
  nvml_function<nvml_device, unsigned*> power_limit{library, "nvmlDeviceGetEnforcedPowerLimit"};
  nvml_function<nvml_device, unsigned*> persistence{library, "nvmlDeviceGetPersistenceMode"};
  nvml_function<nvml_device, unsigned*, unsigned*> ecc_mode{library, "nvmlDeviceGetEccMode"};
  nvml_function<nvml_device, unsigned, unsigned, unsigned long long*> ecc_errors{
      library, "nvmlDeviceGetTotalEccErrors"};
  nvml_function<nvml_device, unsigned*, unsigned*, unsigned*, unsigned*> remapped_rows{
      library, "nvmlDeviceGetRemappedRows"};
  nvml_function<nvml_device, unsigned, unsigned*> max_clock{library, "nvmlDeviceGetMaxClockInfo"};
  nvml_function<nvml_device, unsigned, unsigned*> temperature{library, "nvmlDeviceGetTemperature"};
  nvml_function<nvml_device, unsigned*> power{library, "nvmlDeviceGetPowerUsage"};
  nvml_function<nvml_device, unsigned*> pstate{library, "nvmlDeviceGetPerformanceState"};
  nvml_function<nvml_device, unsigned, unsigned*> clock{library, "nvmlDeviceGetClockInfo"};
  nvml_function<nvml_device, unsigned long long*> clock_event_reasons{
      library, "nvmlDeviceGetCurrentClocksEventReasons",
      "nvmlDeviceGetCurrentClocksThrottleReasons"};
  nvml_function<nvml_device, int, nvml_field*> field_values{library, "nvmlDeviceGetFieldValues"};
  // Under _v3 the first 535 drivers write longer elements than all others.
  process_list_function compute_processes{library, "nvmlDeviceGetComputeRunningProcesses_v2",
                                          "nvmlDeviceGetComputeRunningProcesses_v3"};
  process_list_function graphics_processes{library, "nvmlDeviceGetGraphicsRunningProcesses_v2",
                                           "nvmlDeviceGetGraphicsRunningProcesses_v3"};
};

gpu_monitor::gpu_monitor(const std::string& uuid, const std::string& pci_bus_id) {
  const char* const named = std::getenv("SECTORBENCH_NVML");
  const std::string file = named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1";
  if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    nvml_ = std::make_unique<connection>(library);
    status_ = sanitize(nvml_->connect(file, uuid, pci_bus_id));
    if (nvml_->devices.empty()) nvml_.reset();
  } else {
    status_ = sanitize(file + " cannot be loaded: " + load_error(file));
  }
}

gpu_monitor::gpu_monitor(gpu_monitor&&) noexcept = default;
gpu_monitor& gpu_monitor::operator=(gpu_monitor&&) noexcept = default;
gpu_monitor::~gpu_monitor() = default;

gpu_facts gpu_monitor::facts() const {
  gpu_facts facts;
  if (!present()) return facts;
  const connection& nvml = *nvml_;
  facts.mig = nvml.is_instance ? true : nvml.ask_mode(nvml.mig_mode);
  facts.mig_detail = nvml.mig_detail();
  facts.power_limit_w = nvml.ask_watts(nvml.power_limit);
  facts.persistence = nvml.ask_switch(nvml.persistence);
  facts.ecc = nvml.ask_mode(nvml.ecc_mode);
  facts.ecc_errors_volatile_corrected =
      nvml.ask<unsigned long long>(nvml.ecc_errors, kCorrected, kVolatile);
  facts.ecc_errors_volatile_uncorrected =
      nvml.ask<unsigned long long>(nvml.ecc_errors, kUncorrected, kVolatile);
  facts.remapped_rows =
      nvml.ask<remapped_row_counts>([&nvml](nvml_device device, remapped_row_counts* rows) {
        unsigned pending = 0;
        unsigned failed = 0;
        const nvml_result result =
            nvml.remapped_rows(device, &rows->correctable, &rows->uncorrectable, &pending, &failed);
        rows->pending = pending != 0;
        rows->failed = failed != 0;
        return result;
      });
  facts.max_sm_clock_mhz = nvml.ask_int(nvml.max_clock, kSmClock);
  facts.max_memory_clock_mhz = nvml.ask_int(nvml.max_clock, kMemoryClock);
  facts.driver_release = text_of(nvml.driver_version);
  return facts;
}

gpu_condition gpu_monitor::condition() const {
  gpu_condition condition;
  if (!present()) return condition;
  const connection& nvml = *nvml_;
  condition.temperature_c = nvml.ask_int(nvml.temperature, kGpuSensor);
  condition.power_w = nvml.ask_watts(nvml.power);
  condition.pstate = nvml.ask_int(nvml.pstate);
  // 32 stands for unknown.
  if (condition.pstate > static_cast<int>(kSlowestPstate)) condition.pstate.reset();
  condition.sm_clock_mhz = nvml.ask_int(nvml.clock, kSmClock);
  condition.memory_clock_mhz = nvml.ask_int(nvml.clock, kMemoryClock);
  condition.clock_event_reasons = nvml.ask<unsigned long long>(nvml.clock_event_reasons);
  condition.power_throttled_ns = nvml.ask_field(kPerfPolicyPower);
  condition.thermal_throttled_ns = nvml.ask_field(kPerfPolicyThermal);
  condition.other_processes = nvml.ask_other_processes();
  return condition;
}

}  // namespace sectorbench
