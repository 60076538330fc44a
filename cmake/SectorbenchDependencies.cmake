# SPDX-License-Identifier: Apache-2.0
#
# Google Benchmark, nlohmann/json, OpenMP and, for the tests, GoogleTest and Python. Sets
# SECTORBENCH_BENCHMARK_VERSION ("1.7.1") and SECTORBENCH_BENCHMARK_VERSION_NUMBER (10701).

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)

if(SECTORBENCH_FETCH_DEPS)
  include(FetchContent)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_INSTALL_DOCS OFF)
  set(INSTALL_GTEST OFF)
  # Commits, not tags: a tag can be moved.
  FetchContent_Declare(benchmark
    GIT_REPOSITORY https://github.com/google/benchmark.git
    GIT_TAG 192ef10025eb2c4cdd392bc502f0c852196baa48  # v1.9.5
    SYSTEM
  )
  FetchContent_Declare(googletest
    GIT_REPOSITORY https://github.com/google/googletest.git
    GIT_TAG 52eb8108c5bdec04579160ae17225d66034bd723  # v1.17.0
    SYSTEM
  )
  FetchContent_Declare(nlohmann_json
    GIT_REPOSITORY https://github.com/nlohmann/json.git
    GIT_TAG 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03  # v3.11.3
    SYSTEM
  )
  FetchContent_MakeAvailable(benchmark nlohmann_json)
  if(SECTORBENCH_BUILD_TESTS)
    FetchContent_MakeAvailable(googletest)
  endif()
else()
  # A project that builds them itself lends them.
  if(NOT TARGET benchmark::benchmark)
    find_package(benchmark 1.7.1 REQUIRED)
  endif()
  if(NOT TARGET nlohmann_json::nlohmann_json)
    find_package(nlohmann_json 3.10 REQUIRED)
  endif()
  if(SECTORBENCH_BUILD_TESTS)
    find_package(GTest REQUIRED)
  endif()
endif()

set(SECTORBENCH_BENCHMARK_VERSION "${benchmark_VERSION}")
if(TARGET benchmark)  # the library's own, part of this build
  get_target_property(folder benchmark SOURCE_DIR)
  get_directory_property(SECTORBENCH_BENCHMARK_VERSION
    DIRECTORY "${folder}" DEFINITION benchmark_VERSION)
endif()
if(NOT SECTORBENCH_BENCHMARK_VERSION MATCHES "^([0-9]+)\\.([0-9]+)\\.([0-9]+)")
  message(FATAL_ERROR
    "sectorbench: cannot read Google Benchmark's version '${SECTORBENCH_BENCHMARK_VERSION}'")
endif()
math(EXPR SECTORBENCH_BENCHMARK_VERSION_NUMBER
  "${CMAKE_MATCH_1} * 10000 + ${CMAKE_MATCH_2} * 100 + ${CMAKE_MATCH_3}")
if(SECTORBENCH_BENCHMARK_VERSION VERSION_LESS 1.7.1)
  message(FATAL_ERROR
    "sectorbench: Google Benchmark ${SECTORBENCH_BENCHMARK_VERSION} is older than 1.7.1; update it")
endif()
message(STATUS "sectorbench: Google Benchmark ${SECTORBENCH_BENCHMARK_VERSION}")

if(SECTORBENCH_BUILD_TESTS)
  # The system's own interpreter first: that one has the packages that test/run.sh installs.
  find_program(SECTORBENCH_PYTHON python3 HINTS /usr/bin REQUIRED)
endif()
