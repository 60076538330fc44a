// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#if SECTORBENCH_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace sectorbench {

/// A named range of the calling thread that profilers show, from here to the end of the scope.
///
/// It stands in the domain "sectorbench", within a range called "row": profilers filter by names,
/// and those of rows hold their separators. Without a profiler, or without NVTX's header when the
/// program was built, it does nothing. Source: NVTX, "Push/Pop Ranges".
class nvtx_range {
 public:
  /// No range if `name` is empty.
  explicit nvtx_range([[maybe_unused]] const std::string& name) {
#if SECTORBENCH_HAS_NVTX
    if (name.empty()) return;
    open_ = true;
    push("row");
    push(name.c_str());
#endif
  }
  ~nvtx_range() {
#if SECTORBENCH_HAS_NVTX
    if (!open_) return;
    nvtxDomainRangePop(domain());
    nvtxDomainRangePop(domain());
#endif
  }
  nvtx_range(const nvtx_range&) = delete;
  nvtx_range& operator=(const nvtx_range&) = delete;

 private:
#if SECTORBENCH_HAS_NVTX
  static nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t handle = nvtxDomainCreateA("sectorbench");
    return handle;
  }
  static void push(const char* name) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &attributes);
  }

  bool open_ = false;
#endif
};

}  // namespace sectorbench
