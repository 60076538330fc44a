// SPDX-License-Identifier: Apache-2.0
//
// A profiler as the driver loads it from CUDA_INJECTION64_PATH: records every kernel and every
// runtime call, and says at the end how many kernels it saw. What nsys does, as far as this program
// can tell.
#include <cupti.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
std::atomic<long> kernels_seen = 0;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ++kernels_seen;
  std::free(buffer);
}

void say_at_end() {
  cuptiActivityFlushAll(1);
  std::fprintf(stderr, "injection: %ld kernels seen\n", kernels_seen.load());
}

}  // namespace

extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  std::atexit(say_at_end);
  return 1;
}
