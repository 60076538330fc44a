# SPDX-License-Identifier: Apache-2.0
#
# sectorbench_add_benchmark(<name> SOURCES <file>...): a program with every command of sectorbench's
# own and the patterns and kernels that the sources register. A .cu file is compiled by nvcc where
# sectorbench was built with CUDA; else it is C++, and the CPU is measured.

include("${CMAKE_CURRENT_LIST_DIR}/SectorbenchNvcc.cmake")

# A macro for the sake of enable_language.
macro(sectorbench_add_benchmark name)
  if(NOT TARGET sectorbench::program)
    message(FATAL_ERROR "sectorbench_add_benchmark(${name}): ${sectorbench_missing}")
  endif()
  get_target_property(sectorbench_uses_cuda sectorbench::kernel_interface SECTORBENCH_HAS_CUDA)
  if(sectorbench_uses_cuda)
    if(NOT CMAKE_CUDA_COMPILER_LOADED)
      sectorbench_find_nvcc(sectorbench_nvcc sectorbench_rejected)
      if(NOT sectorbench_nvcc)
        message(FATAL_ERROR "sectorbench_add_benchmark(${name}): this sectorbench was built with CUDA, "
          "but ${sectorbench_rejected}; set CUDACXX")
      endif()
    endif()
    sectorbench_enable_cuda("${sectorbench_nvcc}")
  endif()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    message(STATUS "sectorbench: no CMAKE_BUILD_TYPE is set; taking Release")
    set(CMAKE_BUILD_TYPE Release)
  endif()
  sectorbench_add_program(${name} ${ARGN})
endmacro()

function(sectorbench_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" SOURCES)
  set(call "sectorbench_add_benchmark(${name})")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: '${arg_UNPARSED_ARGUMENTS}' stands before SOURCES")
  elseif(NOT arg_SOURCES)
    message(FATAL_ERROR "${call}: no SOURCES; name the files that register patterns or kernels")
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    # nvcc's link line adds folders and libraries that the program does not need.
    LINKER_LANGUAGE CXX
  )
  get_target_property(uses_cuda sectorbench::kernel_interface SECTORBENCH_HAS_CUDA)
  if(uses_cuda)
    set_target_properties(${name} PROPERTIES
      CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_RUNTIME_LIBRARY Static)
  else()
    list(FILTER arg_SOURCES INCLUDE REGEX "\\.cu$")
    # -x: LANGUAGE says it to the compiler only where policy CMP0119 is NEW.
    set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
  endif()
  target_link_libraries(${name} PRIVATE sectorbench::program sectorbench::patterns)
endfunction()
