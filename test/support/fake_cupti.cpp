// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for libcupti that knows one chip, FAKE1, whose counters have values known beforehand
// (fake_cupti.hpp), and that refuses calls out of order, as the real one does or should.
// Environment, read at every call: SECTORBENCH_FAKE_CUPTI_SCENARIO, one of
//   healthy          the default
//   permission       the administrator allows no counters: refused when they are to be read
//   permission_init  the same, refused at once
//   permission_vgpu  the hypervisor allows none
//   virtualized      the device is a virtual GPU whose profiling is disabled
//   wsl              Windows' subsystem for Linux, where nothing is supported
//   other_profiler   a profiler is attached already
//   old_driver       library and driver do not fit
//   unknown_chip     the library is older than the chip
//   endless          always one more pass
//   dropped          the last range is dropped
//   zeros            every value is 0
//   few_metrics      the chip lacks one of the counters
//   held             the first kernel of a trace is the program's own, which holds the stream
//   held_only        all of them are
//   fail:F:N         function F fails with error N
// Built with SECTORBENCH_OLD_CUPTI it is a library from before the range profiler.

#include "test/support/fake_cupti.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/telemetry/cupti/functions.hpp"

namespace {

using sectorbench::test::fake_cupti_calls;
using sectorbench::test::kFakeCounters;
using sectorbench::test::kFakeKernels;

#if CUPTI_API_VERSION >= 130000
using kernel_record = CUpti_ActivityKernel10;
#else
using kernel_record = CUpti_ActivityKernel9;
#endif

fake_cupti_calls calls;

std::string scenario() {
  const char* const name = std::getenv("SECTORBENCH_FAKE_CUPTI_SCENARIO");
  return name != nullptr ? name : "healthy";
}

struct failure {
  std::string_view scenario, function;
  int error;
};

constexpr std::array kFailures{
    failure{"permission", "cuptiRangeProfilerEnable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES},
    failure{"permission_init", "cuptiProfilerInitialize", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES},
    failure{"permission_vgpu", "cuptiRangeProfilerEnable",
            CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES},
    failure{"other_profiler", "cuptiRangeProfilerEnable",
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED},
    failure{"other_profiler", "cuptiActivityEnable",
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED},
    failure{"old_driver", "cuptiProfilerInitialize", CUPTI_ERROR_NOT_COMPATIBLE},
    failure{"unknown_chip", "cuptiProfilerHostInitialize", 46},  // the oldest header has no name
};

CUptiResult misuse(CUptiResult result = CUPTI_ERROR_INVALID_OPERATION) {
  ++calls.misused;
  return result;
}

/// The error that the scenario demands of a function.
CUptiResult demanded_of(const std::string& function) {
  const std::string now = scenario();
  for (const auto& [name, failing, error] : kFailures)
    if (now == name && function == failing) return static_cast<CUptiResult>(error);
  const std::string demand = "fail:" + function + ":";
  if (now.starts_with(demand))
    return static_cast<CUptiResult>(std::stoi(now.substr(demand.size())));
  return CUPTI_SUCCESS;
}

/// What `body` answers, if the scenario lets the function work and its parameters have the size
/// that they should.
template <class Body>
CUptiResult answer(const char* function, bool sized, const Body& body) {
  if (const CUptiResult error = demanded_of(function); error != CUPTI_SUCCESS) return error;
  return sized ? body() : misuse(CUPTI_ERROR_INVALID_PARAMETER);
}

#define SECTORBENCH_FAKE_SIZED(type, params) ((params)->structSize == type##_STRUCT_SIZE)

// Activity: records wait in `pending` until they are flushed.

CUpti_BuffersCallbackRequestFunc request_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc complete_buffer = nullptr;
bool tracing = false;
std::vector<std::vector<std::size_t>> pending;  // per buffer the kernels in it

const char* name_of_kernel(std::size_t i) {
  const std::string now = scenario();
  return now == "held_only" || (now == "held" && i == 0)
             ? "_ZN11sectorbench12_GLOBAL__N_118hold_stream_kernelEPVKjPVjjl"
             : kFakeKernels[i].name;
}

void deliver(const std::vector<std::size_t>& kernels) {
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t most = 0;
  request_buffer(&buffer, &size, &most);
  std::size_t used = 0;
  const auto put = [&](const auto& record) {
    std::memcpy(buffer + used, &record, sizeof record);
    used += sizeof record;
  };
  for (const std::size_t i : kernels) {
    CUpti_ActivityAPI launch{};
    launch.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    put(launch);
    kernel_record kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.name = name_of_kernel(i);
    kernel.start = kFakeKernels[i].start_ns;
    kernel.end = kFakeKernels[i].end_ns;
    put(kernel);
  }
  complete_buffer(nullptr, 0, buffer, size, used);
}

}  // namespace

extern "C" const fake_cupti_calls* sectorbench_fake_cupti_calls() { return &calls; }

CUptiResult CUPTIAPI cuptiGetVersion(std::uint32_t* version) {
  return answer(__func__, true, [&] {
    *version = sectorbench::test::kFakeCuptiVersion;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
  switch (result) {
    case CUPTI_ERROR_INVALID_PARAMETER:
      *text = "CUPTI_ERROR_INVALID_PARAMETER";
      return CUPTI_SUCCESS;
    case CUPTI_ERROR_INVALID_OPERATION:
      *text = "CUPTI_ERROR_INVALID_OPERATION";
      return CUPTI_SUCCESS;
    case CUPTI_ERROR_NOT_COMPATIBLE:
      *text = "CUPTI_ERROR_NOT_COMPATIBLE";
      return CUPTI_SUCCESS;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      return CUPTI_SUCCESS;
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      return CUPTI_SUCCESS;
    case CUPTI_ERROR_UNKNOWN:
      *text = "CUPTI_ERROR_UNKNOWN";
      return CUPTI_SUCCESS;
    default:
      return CUPTI_ERROR_INVALID_PARAMETER;
  }
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                    CUpti_BuffersCallbackCompleteFunc complete) {
  return answer(__func__, true, [&] {
    request_buffer = request;
    complete_buffer = complete;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  return answer(__func__, true, [&] {
    if (tracing || complete_buffer == nullptr || kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      return misuse();
    tracing = true;
    ++calls.tracing_enabled;
    pending.push_back({2, 0});
    pending.push_back({1});
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  return answer(__func__, true, [&] {
    if (!tracing || kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return misuse();
    tracing = false;
    ++calls.tracing_disabled;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(std::uint32_t) {
  return answer(__func__, true, [&] {
    for (const auto& kernels : pending) deliver(kernels);
    pending.clear();
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                                CUpti_Activity** record) {
  return answer(__func__, true, [&] {
    const bool kernel =
        *record != nullptr && (*record)->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    const std::size_t size = kernel ? sizeof(kernel_record) : sizeof(CUpti_ActivityAPI);
    std::uint8_t* const next =
        *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + size;
    if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
  });
}

namespace {

// Images are what the caller allocates and hands back: these say that they are whose they seem.

struct availability_image {
  std::uint32_t mark = 0xa7a11ab1;
};

template <class Image>
void write_image(std::uint8_t* bytes, const Image& image) {
  std::memcpy(bytes, &image, sizeof(Image));
}

struct range_profiler {
  bool enabled = false, configured = false, in_pass = false, in_range = false;
  std::uint8_t* data = nullptr;
  std::size_t data_size = 0;
  std::size_t most_ranges = 0;
  std::size_t ranges = 0;        ///< of the pass
  std::size_t first_ranges = 0;  ///< of the first pass
  int passes = 0;
};
range_profiler profiler;

}  // namespace

CUptiResult CUPTIAPI cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Device_GetChipName_Params, params), [&] {
    params->pChipName = sectorbench::test::kFakeChip;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Initialize_Params, params), [&] {
    ++calls.initialized;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  return answer(
      __func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_DeviceSupported_Params, params), [&] {
        if (params->api != CUPTI_PROFILER_RANGE_PROFILING) return misuse();
        const bool virtualized = scenario() == "virtualized";
        const bool wsl = scenario() == "wsl";
        constexpr auto kYes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
        params->architecture = params->sli = params->confidentialCompute = params->cmp = kYes;
        params->vGpu = virtualized ? CUPTI_PROFILER_CONFIGURATION_DISABLED : kYes;
        params->wsl = wsl ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED : kYes;
        params->isSupported = virtualized || wsl ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED : kYes;
        return CUPTI_SUCCESS;
      });
}

CUptiResult CUPTIAPI
cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* params) {
  return answer(__func__,
                SECTORBENCH_FAKE_SIZED(CUpti_Profiler_GetCounterAvailability_Params, params), [&] {
                  if (params->pCounterAvailabilityImage == nullptr) {
                    params->counterAvailabilityImageSize = sizeof(availability_image);
                    return CUPTI_SUCCESS;
                  }
                  if (params->counterAvailabilityImageSize < sizeof(availability_image))
                    return misuse();
                  write_image(params->pCounterAvailabilityImage, availability_image{});
                  return CUPTI_SUCCESS;
                });
}

#if !defined(SECTORBENCH_OLD_CUPTI)

namespace {

struct config_image {
  std::uint32_t mark = 0xc0f19000;
  std::uint32_t metrics = 0;
};

struct data_image {
  std::uint32_t mark = 0xda7ada7a;
  std::uint32_t room = 0;  ///< for ranges
  std::uint32_t ranges = 0;
};

/// The image at `bytes`, if there is one.
template <class Image>
bool read_image(const std::uint8_t* bytes, std::size_t size, Image& image) {
  if (bytes == nullptr || size < sizeof(Image)) return false;
  std::memcpy(&image, bytes, sizeof(Image));
  return image.mark == Image{}.mark;
}

constexpr const char* kRatio = "l1tex__t_sector_hit_rate";
constexpr const char* kThroughput = "dram__throughput";

// The names that the library hands out, by the type of metric.
std::vector<const char*> counter_names{kFakeCounters.begin(), kFakeCounters.end()};
std::vector<const char*> ratio_names{kRatio};
std::vector<const char*> throughput_names{kThroughput};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// The place of "<counter>.<rollup>" among the counters, or of the ratio after them.
std::size_t place_of(std::string_view metric) {
  if (scenario() == "few_metrics" && metric.starts_with(sectorbench::test::kFakeLackingCounter))
    return kNone;
  for (std::size_t i = 0; i < kFakeCounters.size(); ++i)
    for (const char* const rollup : {".sum", ".avg.pct_of_peak_sustained_active"})
      if (metric == std::string(kFakeCounters[i]) + rollup) return i;
  return metric == std::string(kRatio) + ".pct" ? kFakeCounters.size() : kNone;
}

bool is_profiler(const CUpti_RangeProfiler_Object* object) {
  return profiler.enabled && object == reinterpret_cast<CUpti_RangeProfiler_Object*>(&profiler);
}

}  // namespace

struct CUpti_Profiler_Host_Object {
  std::vector<std::size_t> metrics;
};

CUptiResult CUPTIAPI cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_Initialize_Params, params),
                [&] {
                  if (params->profilerType != CUPTI_PROFILER_TYPE_RANGE_PROFILER) return misuse();
                  if (params->pChipName != std::string_view(sectorbench::test::kFakeChip))
                    return static_cast<CUptiResult>(46);
                  availability_image image;
                  if (params->pCounterAvailabilityImage != nullptr &&
                      !read_image(params->pCounterAvailabilityImage, sizeof image, image))
                    return misuse();
                  params->pHostObject = new CUpti_Profiler_Host_Object;
                  ++calls.hosts;
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_Deinitialize_Params, params),
                [&] {
                  if (params->pHostObject == nullptr) return misuse();
                  delete params->pHostObject;
                  --calls.hosts;
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_GetBaseMetrics_Params, params),
                [&] {
                  std::vector<const char*>& names =
                      params->metricType == CUPTI_METRIC_TYPE_COUNTER ? counter_names
                      : params->metricType == CUPTI_METRIC_TYPE_RATIO ? ratio_names
                                                                      : throughput_names;
                  params->ppMetricNames = names.data();
                  params->numMetrics = names.size();
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  return answer(__func__,
                SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_ConfigAddMetrics_Params, params), [&] {
                  // The real one says the same of no metrics and of one that it does not know.
                  if (params->numMetrics == 0) return CUPTI_ERROR_INVALID_PARAMETER;
                  for (std::size_t i = 0; i < params->numMetrics; ++i) {
                    const std::size_t place = place_of(params->ppMetricNames[i]);
                    if (place == kNone) return CUPTI_ERROR_INVALID_PARAMETER;
                    params->pHostObject->metrics.push_back(place);
                  }
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  return answer(__func__,
                SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_GetConfigImageSize_Params, params), [&] {
                  params->configImageSize = sizeof(config_image);
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_GetConfigImage_Params, params),
                [&] {
                  if (params->configImageSize < sizeof(config_image)) return misuse();
                  config_image image;
                  image.metrics = static_cast<std::uint32_t>(params->pHostObject->metrics.size());
                  write_image(params->pConfigImage, image);
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_GetNumOfPasses_Params, params),
                [&] {
                  config_image image;
                  if (!read_image(params->pConfigImage, params->configImageSize, image))
                    return misuse();
                  params->numOfPasses = sectorbench::test::kFakePasses;
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  return answer(
      __func__, SECTORBENCH_FAKE_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params),
      [&] {
        data_image image;
        if (!read_image(params->pCounterDataImage, params->counterDataImageSize, image) ||
            params->rangeIndex >= image.ranges)
          return misuse();
        for (std::size_t i = 0; i < params->numMetrics; ++i) {
          const std::size_t place = place_of(params->ppMetricNames[i]);
          const auto& added = params->pHostObject->metrics;
          if (std::find(added.begin(), added.end(), place) == added.end()) return misuse();
          params->pMetricValues[i] =
              scenario() == "zeros" ? 0 : sectorbench::test::fake_value(params->rangeIndex, place);
        }
        return CUPTI_SUCCESS;
      });
}

CUptiResult CUPTIAPI cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_Enable_Params, params), [&] {
    if (profiler.enabled || calls.initialized == 0) return misuse();
    profiler = {};
    profiler.enabled = true;
    ++calls.enabled;
    params->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&profiler);
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_Disable_Params, params), [&] {
    if (!is_profiler(params->pRangeProfilerObject)) return misuse();
    const bool early = profiler.in_pass;
    profiler.enabled = false;
    ++calls.disabled;
    return early ? misuse() : CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  return answer(__func__,
                SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params, params), [&] {
                  if (!is_profiler(params->pRangeProfilerObject) || params->numMetrics == 0 ||
                      params->maxNumRangeTreeNodes < params->maxNumOfRanges)
                    return misuse();
                  profiler.most_ranges = params->maxNumOfRanges;
                  params->counterDataSize = sizeof(data_image);
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
  return answer(
      __func__,
      SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params), [&] {
        if (!is_profiler(params->pRangeProfilerObject) ||
            params->counterDataSize < sizeof(data_image))
          return misuse();
        data_image image;
        image.room = static_cast<std::uint32_t>(profiler.most_ranges);
        write_image(params->pCounterData, image);
        return CUPTI_SUCCESS;
      });
}

CUptiResult CUPTIAPI
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  return answer(__func__,
                SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_GetCounterDataInfo_Params, params), [&] {
                  data_image image;
                  if (!read_image(params->pCounterDataImage, params->counterDataImageSize, image))
                    return misuse();
                  params->numTotalRanges = image.ranges;
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_SetConfig_Params, params),
                [&] {
                  config_image config;
                  data_image data;
                  if (!is_profiler(params->pRangeProfilerObject) || profiler.in_pass ||
                      params->range != CUPTI_UserRange || params->replayMode != CUPTI_UserReplay ||
                      params->numNestingLevels != 1 || params->minNestingLevel != 1 ||
                      params->targetNestingLevel != 1 || params->passIndex != 0 ||
                      !read_image(params->pConfig, params->configSize, config) ||
                      !read_image(params->pCounterDataImage, params->counterDataImageSize, data) ||
                      params->maxRangesPerPass > data.room)
                    return misuse();
                  profiler.configured = true;
                  profiler.most_ranges = params->maxRangesPerPass;
                  profiler.data = params->pCounterDataImage;
                  profiler.data_size = params->counterDataImageSize;
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_Start_Params, params), [&] {
    if (!is_profiler(params->pRangeProfilerObject) || !profiler.configured || profiler.in_pass)
      return misuse();
    profiler.in_pass = true;
    profiler.ranges = 0;
    ++calls.started;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_Stop_Params, params), [&] {
    if (!is_profiler(params->pRangeProfilerObject) || !profiler.in_pass) return misuse();
    profiler.in_pass = false;
    ++calls.stopped;
    // Where an exception left a range open; the pass is lost then.
    if (profiler.in_range) {
      profiler.in_range = false;
      ++calls.popped;
      return CUPTI_ERROR_INVALID_OPERATION;
    }
    if (profiler.passes == 0) profiler.first_ranges = profiler.ranges;
    if (profiler.ranges != profiler.first_ranges) return misuse();
    ++profiler.passes;
    params->passIndex = static_cast<std::size_t>(profiler.passes);
    params->targetNestingLevel = 1;
    params->isAllPassSubmitted =
        profiler.passes >= sectorbench::test::kFakePasses && scenario() != "endless";
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_PushRange_Params, params),
                [&] {
                  if (!is_profiler(params->pRangeProfilerObject) || !profiler.in_pass ||
                      profiler.in_range || params->pRangeName == nullptr)
                    return misuse();
                  profiler.in_range = true;
                  ++calls.pushed;
                  return CUPTI_SUCCESS;
                });
}

CUptiResult CUPTIAPI cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_PopRange_Params, params), [&] {
    if (!is_profiler(params->pRangeProfilerObject) || !profiler.in_range) return misuse();
    profiler.in_range = false;
    ++profiler.ranges;
    ++calls.popped;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  return answer(__func__, SECTORBENCH_FAKE_SIZED(CUpti_RangeProfiler_DecodeData_Params, params),
                [&] {
                  data_image image;
                  if (!is_profiler(params->pRangeProfilerObject) || profiler.in_pass ||
                      profiler.passes < sectorbench::test::kFakePasses ||
                      !read_image(profiler.data, profiler.data_size, image))
                    return misuse();
                  std::size_t kept = std::min(profiler.first_ranges, profiler.most_ranges);
                  if (scenario() == "dropped" && kept > 0) --kept;
                  image.ranges = static_cast<std::uint32_t>(kept);
                  write_image(profiler.data, image);
                  params->numOfRangeDropped = profiler.first_ranges - kept;
                  return CUPTI_SUCCESS;
                });
}

#endif  // !SECTORBENCH_OLD_CUPTI
