# SPDX-License-Identifier: Apache-2.0
#
# sectorbench_compile_options: how the project's own sources are compiled. Linked PRIVATE, never exported.

add_library(sectorbench_compile_options INTERFACE)

target_compile_options(sectorbench_compile_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>"
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of an overlap in `"text" + std::string` that is not there (GCC bug 105651).
  target_compile_options(sectorbench_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>")
endif()
if(SECTORBENCH_WERROR)
  target_compile_options(sectorbench_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
endif()

if(SECTORBENCH_HAS_CUDA)
  # -Wpedantic and -Wconversion would judge the code that nvcc generates. -lineinfo lets profilers
  # name the source line and changes no instruction.
  target_compile_options(sectorbench_compile_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;-Xcompiler=-Wall,-Wextra>"
  )
  if(SECTORBENCH_WERROR)
    target_compile_options(sectorbench_compile_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Werror>"
    )
  endif()
endif()

if(SECTORBENCH_SANITIZE)
  target_compile_options(sectorbench_compile_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SECTORBENCH_SANITIZE}>"
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all;-fno-omit-frame-pointer>"
  )
  target_link_options(sectorbench_compile_options INTERFACE "-fsanitize=${SECTORBENCH_SANITIZE}")
endif()
