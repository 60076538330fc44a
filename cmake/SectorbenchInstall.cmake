# SPDX-License-Identifier: Apache-2.0
#
# The programs, the headers and a package: find_package(sectorbench) gives sectorbench::model and,
# where the consumer has a CUDA toolkit, sectorbench::cuda.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sectorbench_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sectorbench")

# install(TARGETS) cannot rename.
install(PROGRAMS "$<TARGET_FILE:sectorbench_main>" DESTINATION "${CMAKE_INSTALL_BINDIR}"
  RENAME sectorbench)
install(TARGETS sectorbench_sectors DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

foreach(component IN ITEMS model cuda)
  set_property(TARGET sectorbench_${component} PROPERTY EXPORT_NAME ${component})
  install(TARGETS sectorbench_${component} EXPORT sectorbench_${component})
  install(EXPORT sectorbench_${component} NAMESPACE sectorbench::
    FILE sectorbench-${component}.cmake DESTINATION "${sectorbench_package_dir}")
endforeach()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/sectorbench-config.cmake.in" sectorbench-config.cmake
  INSTALL_DESTINATION "${sectorbench_package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(sectorbench-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(
  FILES
    "${CMAKE_CURRENT_BINARY_DIR}/sectorbench-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/sectorbench-config-version.cmake"
  DESTINATION "${sectorbench_package_dir}")
