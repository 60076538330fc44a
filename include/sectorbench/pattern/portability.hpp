// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The one macro that lets a pattern's body run on the CPU and in a kernel.

#if defined(__CUDACC__)
#define SECTORBENCH_HD __host__ __device__
#else
#define SECTORBENCH_HD
#endif
