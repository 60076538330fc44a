# SPDX-License-Identifier: Apache-2.0
#
# cmake -DFOLDER=<folder> -DKEYS=<key>,<key>... -DSOURCE=<file> -P write_devices.cmake
# Writes <folder>/<key>.json into a C++ source, so that the program needs no file to run.

set(content "// Written by cmake/write_devices.cmake.
#include \"bench/predict/built_in_devices.hpp\"

namespace sectorbench {
namespace {

constexpr built_in_device kDevices[] = {
")
string(REPLACE "," ";" keys "${KEYS}")
foreach(key IN LISTS keys)
  file(READ "${FOLDER}/${key}.json" text)
  string(FIND "${text}" ")json\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "sectorbench: ${FOLDER}/${key}.json: )json\" would end the C++ literal; "
      "write it differently")
  endif()
  string(APPEND content "    {\"${key}\", R\"json(${text})json\"},\n")
endforeach()
string(APPEND content "};

}  // namespace

std::span<const built_in_device> built_in_devices() { return kDevices; }

}  // namespace sectorbench
")
file(WRITE "${SOURCE}" "${content}")
