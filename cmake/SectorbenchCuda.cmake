# SPDX-License-Identifier: Apache-2.0
#
# Decides whether this is a CUDA build. Sets SECTORBENCH_HAS_CUDA to 0 or 1; where it is 1 the CUDA
# language is on, its host compiler is the C++ compiler and CMAKE_CUDA_ARCHITECTURES is set.

include(SectorbenchNvcc)
sectorbench_cuda_constants()

set(SECTORBENCH_HAS_CUDA 0)
set(SECTORBENCH_HAS_CUPTI 0)
if(NOT SECTORBENCH_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SECTORBENCH_CUDA is ${SECTORBENCH_CUDA}; it must be AUTO, ON or OFF")
endif()
if(NOT SECTORBENCH_CUDA STREQUAL "OFF")
  sectorbench_find_nvcc(sectorbench_nvcc sectorbench_rejected)
  if(sectorbench_nvcc)
    set(SECTORBENCH_HAS_CUDA 1)
  elseif(SECTORBENCH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SECTORBENCH_CUDA is ON, but ${sectorbench_rejected}")
  endif()
endif()

if(SECTORBENCH_HAS_CUDA)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  sectorbench_enable_cuda("${sectorbench_nvcc}")
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  find_package(CUDAToolkit ${sectorbench_min_cuda} REQUIRED)
  message(STATUS "sectorbench: CUDA architectures ${CMAKE_CUDA_ARCHITECTURES}")
  # The range profiler came with CUDA 12.6 Update 2.
  find_path(SECTORBENCH_CUPTI_INCLUDE cupti_range_profiler.h
    HINTS ${CUDAToolkit_INCLUDE_DIRS} "${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include"
          "${CUDAToolkit_ROOT}/extras/CUPTI/include")
  mark_as_advanced(SECTORBENCH_CUPTI_INCLUDE)
  if(SECTORBENCH_CUPTI_INCLUDE)
    set(SECTORBENCH_HAS_CUPTI 1)
  else()
    message(STATUS "sectorbench: no headers of CUPTI's range profiler, so no hardware counters")
  endif()
elseif(SECTORBENCH_CUDA STREQUAL "AUTO")
  message(NOTICE "sectorbench: HOST-ONLY BUILD, the GPU will not be measured: ${sectorbench_rejected}")
else()
  message(STATUS "sectorbench: host-only build, as asked for")
endif()
