// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/cupti/kernel_trace.hpp"

#include <algorithm>
#include <cstdlib>

#include "bench/telemetry/cupti/functions.hpp"

namespace sectorbench {

batch_trace summarise(const std::vector<kernel_record>& records, double event_s) {
  std::uint64_t kernels_ns = 0;
  std::uint64_t gaps_ns = 0;
  std::uint64_t busy_until_ns = records.front().start_ns;
  for (const kernel_record& kernel : records) {
    kernels_ns += kernel.end_ns - kernel.start_ns;
    if (kernel.start_ns > busy_until_ns) gaps_ns += kernel.start_ns - busy_until_ns;
    busy_until_ns = std::max(busy_until_ns, kernel.end_ns);
  }
  const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; };
  const auto count = static_cast<double>(records.size());
  const auto duration = [](const kernel_record& kernel) { return kernel.end_ns - kernel.start_ns; };
  return {static_cast<int>(records.size()),
          seconds(kernels_ns) / count,
          records.size() > 1 ? seconds(gaps_ns) / (count - 1) : 0,
          event_s,
          seconds(kernels_ns + gaps_ns),
          *std::ranges::max_element(records, {}, duration)};
}

#if SECTORBENCH_HAS_CUPTI

namespace {

#if CUPTI_API_VERSION >= 130000
using cupti_kernel = CUpti_ActivityKernel10;
#else
using cupti_kernel = CUpti_ActivityKernel9;
#endif

constexpr CUpti_ActivityKind kKind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

// CUPTI's callbacks carry nothing of their caller's.
std::vector<kernel_record> collected;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, kBytes));
  *size = *buffer != nullptr ? kBytes : 0;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (load_cupti().cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != kKind) continue;
    const auto* const kernel = reinterpret_cast<const cupti_kernel*>(record);
    const auto product = [](int x, int y, int z) { return std::int64_t{x} * y * z; };
    collected.push_back(
        {kernel->name != nullptr ? kernel->name : "", kernel->start, kernel->end,
         kernel->registersPerThread, product(kernel->gridX, kernel->gridY, kernel->gridZ),
         static_cast<int>(product(kernel->blockX, kernel->blockY, kernel->blockZ))});
  }
  std::free(buffer);
}

class activity_tracer final : public kernel_tracer {
 public:
  explicit activity_tracer(const cupti_functions& cupti) : cupti_(cupti) {
    cupti_.check(cupti_.cuptiActivityRegisterCallbacks(give_buffer, take_buffer),
                 "cuptiActivityRegisterCallbacks");
    trace([] {});  // finds out whether it is allowed
  }

  std::vector<kernel_record> trace(const std::function<void()>& batch) override {
    cupti_.cuptiActivityFlushAll(0);  // what a failed batch left behind
    collected.clear();
    cupti_.check(cupti_.cuptiActivityEnable(kKind), "cuptiActivityEnable");
    try {
      batch();
    } catch (...) {
      cupti_.cuptiActivityDisable(kKind);
      throw;
    }
    const CUptiResult flushed = cupti_.cuptiActivityFlushAll(0);
    cupti_.check(cupti_.cuptiActivityDisable(kKind), "cuptiActivityDisable");
    cupti_.check(flushed, "cuptiActivityFlushAll");
    std::ranges::sort(collected, {}, &kernel_record::start_ns);
    return collected;
  }

 private:
  const cupti_functions& cupti_;
};

}  // namespace

std::unique_ptr<kernel_tracer> open_kernel_tracer() {
  return std::make_unique<activity_tracer>(load_cupti());
}

#else

std::unique_ptr<kernel_tracer> open_kernel_tracer() { throw cupti_not_built(); }

#endif

}  // namespace sectorbench
