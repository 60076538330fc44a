// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sectorbench {

/// What was built, from what and with what. Strings are never null.
struct build_info {
  const char* version;             ///< of the project, "0.1.0"
  const char* revision;            ///< of the sources, 12 digits, or "unknown"
  bool dirty;                      ///< tracked files differed from that revision
  const char* build_type;          ///< "Release"; anything else is not fit for measuring
  const char* compiler;            ///< "GNU 12.2.0"
  const char* cxx_flags;           ///< "-O3 -DNDEBUG"
  const char* cuda_toolkit;        ///< "13.0.88"; empty in a host-only build
  const char* cuda_architectures;  ///< "75,90"; empty in a host-only build
  const char* cuda_flags;          ///< "-O3 -DNDEBUG"; empty in a host-only build
  const char* benchmark_version;   ///< of Google Benchmark, as found when configured: "1.7.1"
};

/// This program's own.
extern const build_info kBuildInfo;

}  // namespace sectorbench
