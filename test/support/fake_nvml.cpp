// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for libnvidia-ml.so.1 that knows one GPU, at 0000:18:00.0. What it answers is chosen,
// when it is initialised, by two environment variables:
// SECTORBENCH_FAKE_NVML_SCENARIO, one of
//   healthy      the default: every answer known, this process alone on the GPU
//   throttled    held down by its power limit; the counter grows by 250 ms a question
//   hot          held down by heat; the counter grows by 100 ms a question
//   shared       two other processes
//   container    two processes of another pid namespace, this one perhaps among them
//   display      a graphics process, and compute processes that cannot be listed
//   crowded      100 other processes
//   mig          the UUID is that of a MIG instance, which answers little itself
//   mig_alone    the same, and the GPU cannot be had
//   worn         memory errors, and a row that is yet to be remapped
//   old          a driver without the newer functions
//   sparse       finds the GPU and answers nothing
//   odd          answers that are none
//   lost         the GPU has fallen off the bus, and errors have no text
//   init_fails   the library and the kernel module differ
// SECTORBENCH_FAKE_NVML_UUID, the UUID of the GPU as CUDA has it, for programs that run on one.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

enum : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kLibRmVersionMismatch = 18,
};

// Above the largest pid that Linux gives.
constexpr unsigned kNoPidHere = 4194305;

struct process {
  unsigned int pid;
  unsigned long long used_gpu_memory;
  unsigned int gpu_instance_id;
  unsigned int compute_instance_id;
};

struct field_value {
  unsigned int field_id;
  unsigned int scope_id;
  long long timestamp;
  long long latency_usec;
  int value_type;
  int nvml_return;
  unsigned char value[8];
};

int users = 0;
std::string scenario;
std::string uuid;
unsigned long long throttled_ns = 0;
char gpu;  // their addresses are the handles
char instance;

bool is(const char* name) { return scenario == name; }
bool is_mig() { return is("mig") || is("mig_alone"); }

std::string environment_or(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

enum class answers { kGpuOnly, kInstanceToo };

// What comes before an answer: the errors that any function gives.
int check(const void* device, answers who = answers::kGpuOnly) {
  if (users == 0) return kUninitialized;
  if (device != &gpu && device != &instance) return kInvalidArgument;
  if (is("sparse")) return kNotSupported;
  return device == &instance && who == answers::kGpuOnly ? kNotSupported : kSuccess;
}

// Output parameters are written on success only.
template <typename Value>
int answer(int result, Value* place, Value value) {
  if (result == kSuccess) *place = value;
  return result;
}

int write_text(const std::string& text, char* place, unsigned int length) {
  if (text.size() >= length) return kInsufficientSize;
  std::memcpy(place, text.c_str(), text.size() + 1);
  return kSuccess;
}

int list_processes(const std::vector<unsigned>& pids, unsigned int* count, process* places) {
  const unsigned int room = *count;
  *count = static_cast<unsigned int>(pids.size());
  if (room < *count) return kInsufficientSize;
  for (unsigned int i = 0; i < *count; ++i) places[i] = {pids[i], 1u << 20, ~0u, ~0u};
  return kSuccess;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

/// How often the library was initialised and not yet shut down.
int fake_nvml_users() { return users; }

int nvmlInit_v2() {
  scenario = environment_or("SECTORBENCH_FAKE_NVML_SCENARIO", "healthy");
  uuid = environment_or("SECTORBENCH_FAKE_NVML_UUID", "GPU-00112233-4455-6677-8899-aabbccddeeff");
  if (is("init_fails")) return kLibRmVersionMismatch;
  ++users;
  return kSuccess;
}

int nvmlShutdown() {
  if (users == 0) return kUninitialized;
  --users;
  return kSuccess;
}

const char* nvmlErrorString(int result) {
  if (is("lost")) return nullptr;
  switch (result) {
    case kNotFound:
      return "Not Found";
    case kLibRmVersionMismatch:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  if (is("sparse")) return kNotSupported;
  return write_text(is("old") ? "450.51.06" : "580.65.06", version, length);
}

int nvmlDeviceGetHandleByUUID(const char* asked, void** device) {
  if (users == 0) return kUninitialized;
  if (is("lost")) return kGpuIsLost;
  const bool found = asked == (is_mig() ? "MIG-" + uuid.substr(4) : uuid);
  return answer<void*>(found ? kSuccess : kNotFound, device, is_mig() ? &instance : &gpu);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* asked, void** device) {
  if (users == 0) return kUninitialized;
  if (is("lost")) return kGpuIsLost;
  const bool found = std::strcmp(asked, "0000:18:00.0") == 0;
  return answer<void*>(found ? kSuccess : kNotFound, device, &gpu);
}

int nvmlDeviceIsMigDeviceHandle(void* device, unsigned int* yes) {
  return answer(check(device, answers::kInstanceToo), yes, device == &instance ? 1u : 0u);
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* device, void** whole) {
  const int result = is("mig_alone") ? kNotSupported : check(device, answers::kInstanceToo);
  return answer<void*>(result == kSuccess && device == &gpu ? kInvalidArgument : result, whole,
                       &gpu);
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned int length) {
  const int result = check(device, answers::kInstanceToo);
  if (result != kSuccess) return result;
  if (device == &instance) return write_text("MIG-" + uuid.substr(4), text, length);
  return write_text(is("mig") ? "GPU-ffffffff-0000-1111-2222-333333333333" : uuid, text, length);
}

int nvmlDeviceGetName(void* device, char* text, unsigned int length) {
  const int result = check(device, answers::kInstanceToo);
  if (result != kSuccess) return result;
  return write_text(device == &instance ? "NVIDIA H200 MIG 1g.18gb" : "NVIDIA H200", text, length);
}

int nvmlDeviceGetMigMode(void* device, unsigned int* current, unsigned int* pending) {
  const int result = check(device);
  answer(result, pending, 0u);
  return answer(result, current, is("mig") ? 1u : 0u);
}

int nvmlDeviceGetEccMode(void* device, unsigned int* current, unsigned int* pending) {
  const int result = check(device);
  answer(result, pending, 0u);
  return answer(result, current, 1u);
}

int nvmlDeviceGetPersistenceMode(void* device, unsigned int* mode) {
  return answer(check(device), mode, 1u);
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned int* milliwatts) {
  return answer(check(device), milliwatts, 700000u);
}

int nvmlDeviceGetPowerUsage(void* device, unsigned int* milliwatts) {
  return answer(check(device), milliwatts, is("throttled") ? 699875u : 123456u);
}

int nvmlDeviceGetTemperature(void* device, unsigned int sensor, unsigned int* celsius) {
  const int result = check(device);
  if (result == kSuccess && sensor != 0) return kInvalidArgument;
  return answer(result, celsius, is("odd") ? ~0u : is("hot") ? 87u : 41u);
}

int nvmlDeviceGetPerformanceState(void* device, unsigned int* state) {
  return answer(check(device), state, is("odd") ? 32u : 0u);
}

int nvmlDeviceGetClockInfo(void* device, unsigned int type, unsigned int* mhz) {
  const unsigned int clocks[] = {1905, is("throttled") || is("hot") ? 1365u : 1980u, 3201, 1545};
  if (type > 3) return kInvalidArgument;
  return answer(check(device), mhz, clocks[type]);
}

int nvmlDeviceGetMaxClockInfo(void* device, unsigned int type, unsigned int* mhz) {
  const unsigned int clocks[] = {1970, 1985, 3202, 1550};
  if (type > 3) return kInvalidArgument;
  return answer(check(device), mhz, clocks[type]);
}

int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* reasons) {
  if (is("old")) return kFunctionNotFound;
  return answer(check(device), reasons, is("throttled") ? 0x4ull : is("hot") ? 0x68ull : 0x1ull);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  return answer(is("old") ? check(device) : kFunctionNotFound, reasons, 0x1ull);
}

int nvmlDeviceGetTotalEccErrors(void* device, unsigned int error, unsigned int counter,
                                unsigned long long* count) {
  if (error > 1 || counter > 1) return kInvalidArgument;
  const unsigned long long healthy[2][2] = {{3, 70}, {0, 71}};
  const unsigned long long worn[2][2] = {{12, 80}, {5000000000, 81}};
  return answer(check(device), count, (is("worn") ? worn : healthy)[error][counter]);
}

int nvmlDeviceGetRemappedRows(void* device, unsigned int* correctable, unsigned int* uncorrectable,
                              unsigned int* pending, unsigned int* failed) {
  if (is("old")) return kFunctionNotFound;
  const int result = check(device);
  answer(result, correctable, 2u);
  answer(result, uncorrectable, is("worn") ? 1u : 0u);
  answer(result, pending, is("worn") ? 1u : 0u);
  return answer(result, failed, 0u);
}

int nvmlDeviceGetFieldValues(void* device, int count, field_value* values) {
  if (is("old")) return kFunctionNotFound;
  if (is("sparse") || users == 0) return check(device);
  for (int i = 0; i < count; ++i) {
    field_value& field = values[i];
    const bool power = field.field_id == 74;
    field.nvml_return = check(device);
    if (!power && field.field_id != 75) field.nvml_return = kInvalidArgument;
    if (is("odd") && !power) field.nvml_return = kNotSupported;
    unsigned long long ns = power ? 5000000000 : 7000000;
    if (power && is("throttled")) ns += throttled_ns += 250000000;
    if (!power && is("hot")) ns += throttled_ns += 100000000;
    // Unsigned long long for power, unsigned int for heat with the rest of the value in disorder.
    field.value_type = power ? 3 : 1;
    if (!power) ns |= 0xdeadbeef00000000;
    if (is("odd")) field.value_type = 0;
    std::memcpy(field.value, &ns, sizeof ns);
  }
  return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned int* count, process* places) {
  const int result = check(device, answers::kInstanceToo);
  if (result != kSuccess) return result;
  if (is("container")) return kFunctionNotFound;
  if (is("display")) return kNotSupported;
  if (is("old")) return list_processes({}, count, places);
  std::vector<unsigned> pids = {static_cast<unsigned>(getpid())};
  if (is("shared") || is("mig")) pids.push_back(kNoPidHere);
  if (is("mig") && device == &gpu) pids.push_back(kNoPidHere + 1);
  if (is("crowded"))
    for (unsigned i = 0; i < 100; ++i) pids.push_back(kNoPidHere + i);
  return list_processes(pids, count, places);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned int* count, process* places) {
  const int result = check(device, answers::kInstanceToo);
  if (result != kSuccess) return result;
  if (!is("container")) return kFunctionNotFound;
  return list_processes({kNoPidHere, kNoPidHere + 1}, count, places);
}

// Without an older version.
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned int* count, process* places) {
  if (is("old")) return kFunctionNotFound;
  const int result = check(device, answers::kInstanceToo);
  if (result != kSuccess) return result;
  // The first of them computes too.
  if (is("shared")) return list_processes({kNoPidHere, kNoPidHere + 1}, count, places);
  if (is("display")) return list_processes({1}, count, places);
  return list_processes({}, count, places);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
