// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/telemetry/cupti/obstacle.hpp"

#if SECTORBENCH_HAS_CUPTI

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

/// @file
/// CUPTI's functions, loaded when the program runs: it starts and measures without the library.
/// Needs CUPTI's headers; no other header includes this one.

namespace sectorbench {

// The functions, by name; all are needed.
#define SECTORBENCH_CUPTI_FUNCTIONS(X)            \
  X(cuptiGetVersion)                              \
  X(cuptiGetResultString)                         \
  X(cuptiActivityRegisterCallbacks)               \
  X(cuptiActivityEnable)                          \
  X(cuptiActivityDisable)                         \
  X(cuptiActivityFlushAll)                        \
  X(cuptiActivityGetNextRecord)                   \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerInitialize)                      \
  X(cuptiProfilerDeviceSupported)                 \
  X(cuptiProfilerGetCounterAvailability)          \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostGetBaseMetrics)              \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)

struct cupti_functions {
#define SECTORBENCH_CUPTI_POINTER(name) decltype(&::name) name = nullptr;
  SECTORBENCH_CUPTI_FUNCTIONS(SECTORBENCH_CUPTI_POINTER)
#undef SECTORBENCH_CUPTI_POINTER

  /// The file that was loaded.
  std::string file;
  /// The library's version number, such as 130001 for 13.0 Update 1, or 28 for 12.9 Update 1.
  unsigned version = 0;

  /// @throws cupti_unavailable if `result` is an error of the function called `call`
  void check(CUptiResult result, const char* call) const;
};

/// Loads the library, once in a process; it stays.
///
/// Looked for by the loader's own rules, then in the folders of the toolkit that the program was
/// built with and of the usual one. The environment variable SECTORBENCH_CUPTI names one file
/// instead. @throws cupti_unavailable
const cupti_functions& load_cupti();

/// A parameter structure as CUPTI wants it: zero but for its own size.
#define SECTORBENCH_CUPTI_PARAMS(type, name) \
  type name{};                               \
  name.structSize = type##_STRUCT_SIZE

/// What an error of `call` means for a person. @param text the library's own words for it
cupti_unavailable explain(CUptiResult result, const char* call, const std::string& text);

}  // namespace sectorbench

#endif  // SECTORBENCH_HAS_CUPTI
