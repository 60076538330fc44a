// SPDX-License-Identifier: Apache-2.0
#include "bench/support/build_info.hpp"

#include "sectorbench_build.hpp"
#include "sectorbench_revision.hpp"

namespace sectorbench {

constinit const build_info kBuildInfo{
    .version = SECTORBENCH_VERSION,
    .revision = SECTORBENCH_REVISION,
    .dirty = SECTORBENCH_REVISION_DIRTY,
    .build_type = SECTORBENCH_BUILD_TYPE,
    .compiler = SECTORBENCH_COMPILER,
    .cxx_flags = SECTORBENCH_CXX_FLAGS,
    .cuda_toolkit = SECTORBENCH_CUDA_TOOLKIT,
    .cuda_architectures = SECTORBENCH_CUDA_ARCHITECTURES,
    .cuda_flags = SECTORBENCH_CUDA_FLAGS,
    .benchmark_version = SECTORBENCH_BENCHMARK_VERSION,
};

}  // namespace sectorbench
