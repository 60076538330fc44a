// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/cupti/hardware_counters.hpp"

#if SECTORBENCH_HAS_CUPTI

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "bench/support/text.hpp"
#include "bench/telemetry/cupti/functions.hpp"

namespace sectorbench {
namespace {

std::vector<const char*> pointers(std::span<const std::string> texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

/// CUPTI's object that knows a chip's metrics. Name and image must outlive it.
class profiler_host {
 public:
  profiler_host(const cupti_functions& cupti, const std::string& chip,
                std::span<const std::uint8_t> availability)
      : cupti_(cupti) {
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    cupti_.check(cupti_.cuptiProfilerHostInitialize(&params), "cuptiProfilerHostInitialize");
    host_ = params.pHostObject;
  }
  ~profiler_host() {
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
    params.pHostObject = host_;
    cupti_.cuptiProfilerHostDeinitialize(&params);
  }
  profiler_host(const profiler_host&) = delete;
  profiler_host& operator=(const profiler_host&) = delete;

  CUptiResult try_add(std::span<const std::string> metrics) {
    const std::vector<const char*> names = pointers(metrics);
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
    params.pHostObject = host_;
    params.ppMetricNames = const_cast<const char**>(names.data());
    params.numMetrics = names.size();
    return cupti_.cuptiProfilerHostConfigAddMetrics(&params);
  }

  /// What schedules the metrics added.
  std::vector<std::uint8_t> config_image() {
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    cupti_.check(cupti_.cuptiProfilerHostGetConfigImageSize(&size),
                 "cuptiProfilerHostGetConfigImageSize");
    std::vector<std::uint8_t> image(size.configImageSize);
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, params);
    params.pHostObject = host_;
    params.configImageSize = image.size();
    params.pConfigImage = image.data();
    cupti_.check(cupti_.cuptiProfilerHostGetConfigImage(&params),
                 "cuptiProfilerHostGetConfigImage");
    return image;
  }

  int passes(std::vector<std::uint8_t>& config) const {
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, params);
    params.configImageSize = config.size();
    params.pConfigImage = config.data();
    cupti_.check(cupti_.cuptiProfilerHostGetNumOfPasses(&params),
                 "cuptiProfilerHostGetNumOfPasses");
    return static_cast<int>(params.numOfPasses);
  }

  /// The values of one range. @param names of the metrics added
  std::vector<double> values(std::span<const std::uint8_t> data, std::size_t range,
                             std::span<const std::string> metrics) const {
    const std::vector<const char*> names = pointers(metrics);
    std::vector<double> result(metrics.size());
    SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
    params.pHostObject = host_;
    params.pCounterDataImage = data.data();
    params.counterDataImageSize = data.size();
    params.rangeIndex = range;
    params.ppMetricNames = const_cast<const char**>(names.data());
    params.numMetrics = names.size();
    params.pMetricValues = result.data();
    cupti_.check(cupti_.cuptiProfilerHostEvaluateToGpuValues(&params),
                 "cuptiProfilerHostEvaluateToGpuValues");
    return result;
  }

  std::vector<std::string> base_metrics() const {
    std::vector<std::string> names;
    for (const CUpti_MetricType type :
         {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
      SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Host_GetBaseMetrics_Params, params);
      params.pHostObject = host_;
      params.metricType = type;
      cupti_.check(cupti_.cuptiProfilerHostGetBaseMetrics(&params),
                   "cuptiProfilerHostGetBaseMetrics");
      names.insert(names.end(), params.ppMetricNames, params.ppMetricNames + params.numMetrics);
    }
    return names;
  }

 private:
  const cupti_functions& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

/// The calling thread's context, or null where there is no driver.
CUcontext current_context() {
  CUcontext context = nullptr;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return nullptr;
  const auto get = reinterpret_cast<CUresult (*)(CUcontext*)>(dlsym(driver, "cuCtxGetCurrent"));
  if (get != nullptr) get(&context);
  dlclose(driver);
  return context;
}

/// The range profiler of a context, enabled for the object's life.
class range_profiler {
 public:
  range_profiler(const cupti_functions& cupti, CUcontext context) : cupti_(cupti) {
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
    params.ctx = context;
    cupti_.check(cupti_.cuptiRangeProfilerEnable(&params), "cuptiRangeProfilerEnable");
    profiler_ = params.pRangeProfilerObject;
  }
  ~range_profiler() {
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = profiler_;
    cupti_.cuptiRangeProfilerDisable(&params);
  }
  range_profiler(const range_profiler&) = delete;
  range_profiler& operator=(const range_profiler&) = delete;

  std::vector<std::uint8_t> data_image(std::span<const std::string> metrics, int ranges) {
    const std::vector<const char*> names = pointers(metrics);
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = const_cast<const char**>(names.data());
    size.numMetrics = names.size();
    size.maxNumOfRanges = static_cast<std::size_t>(ranges);
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataSize(&size),
                 "cuptiRangeProfilerGetCounterDataSize");
    std::vector<std::uint8_t> image(size.counterDataSize);
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params);
    params.pRangeProfilerObject = profiler_;
    params.counterDataSize = image.size();
    params.pCounterData = image.data();
    cupti_.check(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&params),
                 "cuptiRangeProfilerCounterDataImageInitialize");
    return image;
  }

  void configure(std::span<const std::uint8_t> config, std::vector<std::uint8_t>& data,
                 int ranges) {
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, params);
    params.pRangeProfilerObject = profiler_;
    params.configSize = config.size();
    params.pConfig = config.data();
    params.counterDataImageSize = data.size();
    params.pCounterDataImage = data.data();
    params.range = CUPTI_UserRange;
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = static_cast<std::size_t>(ranges);
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 1;
    cupti_.check(cupti_.cuptiRangeProfilerSetConfig(&params), "cuptiRangeProfilerSetConfig");
  }

  /// Runs one pass. Whether it was the last that is needed.
  template <class Pass>
  bool pass(const Pass& run) {
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = profiler_;
    cupti_.check(cupti_.cuptiRangeProfilerStart(&start), "cuptiRangeProfilerStart");
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = profiler_;
    try {
      run();
    } catch (...) {
      cupti_.cuptiRangeProfilerStop(&stop);
      throw;
    }
    cupti_.check(cupti_.cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop");
    return stop.isAllPassSubmitted != 0;
  }

  template <class Launch>
  void range(const std::string& name, const Launch& launch) {
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = name.c_str();
    cupti_.check(cupti_.cuptiRangeProfilerPushRange(&push), "cuptiRangeProfilerPushRange");
    launch();
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = profiler_;
    cupti_.check(cupti_.cuptiRangeProfilerPopRange(&pop), "cuptiRangeProfilerPopRange");
  }

  void decode(std::span<const std::uint8_t> data, int ranges) {
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
    params.pRangeProfilerObject = profiler_;
    cupti_.check(cupti_.cuptiRangeProfilerDecodeData(&params), "cuptiRangeProfilerDecodeData");
    SECTORBENCH_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataInfo(&info),
                 "cuptiRangeProfilerGetCounterDataInfo");
    if (params.numOfRangeDropped > 0 || info.numTotalRanges != static_cast<std::size_t>(ranges))
      throw cupti_unavailable(cupti_obstacle::kFailed,
                              "CUPTI returned " + std::to_string(info.numTotalRanges) + " of " +
                                  std::to_string(ranges) + " readings");
  }

 private:
  const cupti_functions& cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

/// Initialises the profiler, once in a process: others may still use it when one has finished.
void initialise_profiler(const cupti_functions& cupti) {
  static bool initialised = false;
  if (initialised) return;
  SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
  cupti.check(cupti.cuptiProfilerInitialize(&params), "cuptiProfilerInitialize");
  initialised = true;
}

void refuse_unsupported(const cupti_functions& cupti, int device) {
  SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = device;  // the driver numbers devices as the runtime does
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  cupti.check(cupti.cuptiProfilerDeviceSupported(&params), "cuptiProfilerDeviceSupported");
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  struct aspect {
    std::string_view name;
    CUpti_Profiler_Support_Level level;
  };
  std::string reasons;
  for (const aspect& one : {aspect{"architecture", params.architecture}, aspect{"SLI", params.sli},
                            aspect{"virtual GPU", params.vGpu},
                            aspect{"confidential computing", params.confidentialCompute},
                            aspect{"mining processor", params.cmp}, aspect{"WSL", params.wsl}}) {
    if (one.level == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) continue;
    const char* const how = one.level == CUPTI_PROFILER_CONFIGURATION_DISABLED      ? "disabled"
                            : one.level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ? "unsupported"
                                                                                    : "unknown";
    reasons.append(reasons.empty() ? "" : ", ").append(one.name).append(" ").append(how);
  }
  throw cupti_unavailable(cupti_obstacle::kUnsupported,
                          "CUPTI reports that this configuration cannot be profiled: " + reasons);
}

std::string chip_name(const cupti_functions& cupti, int device) {
  SECTORBENCH_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, params);
  params.deviceIndex = static_cast<std::size_t>(device);
  cupti.check(cupti.cuptiDeviceGetChipName(&params), "cuptiDeviceGetChipName");
  return params.pChipName;
}

std::vector<std::uint8_t> counter_availability(const cupti_functions& cupti, CUcontext context) {
  SECTORBENCH_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
  params.ctx = context;
  const auto get = [&] {
    cupti.check(cupti.cuptiProfilerGetCounterAvailability(&params),
                "cuptiProfilerGetCounterAvailability");
  };
  get();
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  get();
  return image;
}

/// What two names share at their ends, less what they differ in: larger is nearer.
int nearness(std::string_view wanted, std::string_view name) {
  const auto same_from = [](auto a, auto a_end, auto b, auto b_end) {
    return static_cast<int>(std::mismatch(a, a_end, b, b_end).first - a);
  };
  const int head = same_from(wanted.begin(), wanted.end(), name.begin(), name.end());
  const int tail = same_from(wanted.rbegin(), wanted.rend(), name.rbegin(), name.rend());
  const int length = static_cast<int>(std::max(wanted.size(), name.size()));
  return 2 * std::min(head + tail, length) - length;
}

class chip_catalogue final : public metric_catalogue {
 public:
  chip_catalogue(const cupti_functions& cupti, std::string chip)
      : cupti_(cupti), chip_(std::move(chip)) {
    static_cast<void>(fresh_host());  // throws if the chip is unknown
  }

  bool offers(const std::string& metric) const override {
    return fresh_host().try_add({&metric, 1}) == CUPTI_SUCCESS;
  }

  std::vector<std::string> near(const std::string& metric, std::size_t count) const override {
    const std::string wanted = metric.substr(0, metric.find('.'));
    std::vector<std::string> names = fresh_host().base_metrics();
    std::ranges::stable_sort(names, std::greater<>(),
                             [&](const std::string& name) { return nearness(wanted, name); });
    names.resize(std::min(count, names.size()));
    const std::size_t dot = metric.find('.');
    const std::string rollup = dot == std::string::npos ? "" : metric.substr(dot);
    for (std::string& name : names) name += rollup_of(name, rollup);
    return names;
  }

  int passes(std::span<const std::string> metrics) const override {
    profiler_host host = fresh_host();
    cupti_.check(host.try_add(metrics), "cuptiProfilerHostConfigAddMetrics");
    std::vector<std::uint8_t> config = host.config_image();
    return host.passes(config);
  }

 private:
  profiler_host fresh_host() const { return {cupti_, chip_, {}}; }

  /// What makes a base metric one that can be read, the one that was typed before others.
  std::string rollup_of(const std::string& base, const std::string& typed) const {
    for (const std::string& rollup :
         {typed, std::string(".sum"), std::string(".avg"), std::string(".ratio"),
          std::string(".pct"), std::string(".avg.pct_of_peak_sustained_elapsed")})
      if (offers(base + rollup)) return rollup;
    return "";
  }

  const cupti_functions& cupti_;
  std::string chip_;
};

class range_counters final : public hardware_counters {
 public:
  range_counters(const cupti_functions& cupti, int device, std::vector<std::string> metrics)
      : cupti_(cupti), context_(current_context()) {
    initialise_profiler(cupti_);
    refuse_unsupported(cupti_, device);
    chip_ = chip_name(cupti_, device);
    catalogue_ = std::make_unique<chip_catalogue>(cupti_, chip_);
    for (const std::string& metric : metrics) {
      const std::vector<std::string_view> names = split(metric, '|');
      const auto offered = std::ranges::find_if(
          names, [&](std::string_view name) { return catalogue_->offers(std::string(name)); });
      if (offered == names.end())
        not_offered_.push_back(metric);
      else if (!std::ranges::count(metrics_, *offered))
        metrics_.emplace_back(*offered);
    }
    if (metrics_.empty())
      throw cupti_unavailable(cupti_obstacle::kFailed,
                              "none of the metrics is offered by " + chip_);
    availability_ = counter_availability(cupti_, context_);
    host_ = std::make_unique<profiler_host>(cupti_, chip_, availability_);
    cupti_.check(host_->try_add(metrics_), "cuptiProfilerHostConfigAddMetrics");
    config_ = host_->config_image();
    passes_ = host_->passes(config_);
  }

  const std::string& chip() const override { return chip_; }
  const std::vector<std::string>& metrics() const override { return metrics_; }
  const std::vector<std::string>& not_offered() const override { return not_offered_; }
  int passes() const override { return passes_; }
  const metric_catalogue& catalogue() const override { return *catalogue_; }

  std::vector<std::vector<double>> read(int ranges, const std::function<void(int)>& prepare,
                                        const std::function<void(int)>& launch) override {
    range_profiler profiler(cupti_, context_);
    std::vector<std::uint8_t> data = profiler.data_image(metrics_, ranges);
    profiler.configure(config_, data, ranges);
    const auto one_pass = [&] {
      for (int i = 0; i < ranges; ++i) {
        prepare(i);
        profiler.range(std::to_string(i), [&] { launch(i); });
      }
    };
    constexpr int kSparePasses = 4;  // what is not done by then never will be
    int pass = 1;
    while (!profiler.pass(one_pass))
      if (++pass > passes_ + kSparePasses)
        throw cupti_unavailable(
            cupti_obstacle::kFailed,
            "CUPTI asks for more than the " + std::to_string(passes_) + " passes it announced");
    profiler.decode(data, ranges);
    std::vector<std::vector<double>> result;
    for (int i = 0; i < ranges; ++i)
      result.push_back(host_->values(data, static_cast<std::size_t>(i), metrics_));
    return result;
  }

 private:
  const cupti_functions& cupti_;
  CUcontext context_;
  std::string chip_;
  std::unique_ptr<chip_catalogue> catalogue_;
  std::vector<std::string> metrics_, not_offered_;
  std::vector<std::uint8_t> availability_;  // CUPTI's host object goes on reading it
  std::unique_ptr<profiler_host> host_;
  std::vector<std::uint8_t> config_;
  int passes_ = 0;
};

}  // namespace

std::unique_ptr<metric_catalogue> open_metric_catalogue(const std::string& chip) {
  return std::make_unique<chip_catalogue>(load_cupti(), chip);
}

std::unique_ptr<hardware_counters> open_hardware_counters(int device,
                                                          std::vector<std::string> metrics) {
  return std::make_unique<range_counters>(load_cupti(), device, std::move(metrics));
}

unsigned cupti_version() { return load_cupti().version; }

}  // namespace sectorbench

#else

namespace sectorbench {

std::unique_ptr<metric_catalogue> open_metric_catalogue(const std::string&) {
  throw cupti_not_built();
}
std::unique_ptr<hardware_counters> open_hardware_counters(int, std::vector<std::string>) {
  throw cupti_not_built();
}
unsigned cupti_version() { throw cupti_not_built(); }

}  // namespace sectorbench

#endif
