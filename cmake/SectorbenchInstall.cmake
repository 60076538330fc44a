# SPDX-License-Identifier: Apache-2.0
#
# The programs, the headers and a package. find_package(sectorbench) gives sectorbench::model, where
# there is a CUDA toolkit sectorbench::cuda, and sectorbench_add_benchmark.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sectorbench_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sectorbench")

# install(TARGETS) cannot rename.
install(PROGRAMS "$<TARGET_FILE:sectorbench_main>" DESTINATION "${CMAKE_INSTALL_BINDIR}"
  RENAME sectorbench)
install(TARGETS sectorbench_sectors DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/bench/tools"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/sectorbench" USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "*.py" PATTERN "*.sh" PATTERN "__pycache__" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# sectorbench_install(<component> <library>...)
function(sectorbench_install component)
  foreach(library IN LISTS ARGN)
    string(REPLACE "sectorbench_" "" name ${library})
    set_property(TARGET ${library} PROPERTY EXPORT_NAME ${name})
  endforeach()
  install(TARGETS ${ARGN} EXPORT sectorbench_${component}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/sectorbench"
    OBJECTS DESTINATION "${CMAKE_INSTALL_LIBDIR}/sectorbench")
  install(EXPORT sectorbench_${component} NAMESPACE sectorbench::
    FILE sectorbench-${component}.cmake DESTINATION "${sectorbench_package_dir}")
endfunction()

sectorbench_install(model sectorbench_model)
sectorbench_install(cuda sectorbench_cuda)
sectorbench_install(timer sectorbench_timer)
# Libraries that were downloaded for this build are not installed with it.
if(NOT SECTORBENCH_FETCH_DEPS)
  get_property(rooms GLOBAL PROPERTY SECTORBENCH_ROOMS)
  sectorbench_install(benchmark
    ${rooms} sectorbench_program sectorbench_patterns sectorbench_kernel_interface)
endif()
install(
  FILES "${PROJECT_SOURCE_DIR}/cmake/SectorbenchAddBenchmark.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/SectorbenchNvcc.cmake"
  DESTINATION "${sectorbench_package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/sectorbench-config.cmake.in" sectorbench-config.cmake
  INSTALL_DESTINATION "${sectorbench_package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(sectorbench-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${CMAKE_CURRENT_BINARY_DIR}/sectorbench-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/sectorbench-config-version.cmake"
  DESTINATION "${sectorbench_package_dir}")
