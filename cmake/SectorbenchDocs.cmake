# SPDX-License-Identifier: Apache-2.0
#
# sectorbench_docs: the reference of the public headers as HTML, in the build folder's api/html.
# There only where doxygen is; nothing is built from it.

find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  set(SECTORBENCH_DOXYFILE "${PROJECT_BINARY_DIR}/Doxyfile")
  configure_file("${PROJECT_SOURCE_DIR}/docs/Doxyfile.in" "${SECTORBENCH_DOXYFILE}" @ONLY)
  add_custom_target(sectorbench_docs
    COMMAND Doxygen::doxygen "${SECTORBENCH_DOXYFILE}"
    COMMENT "Writing ${PROJECT_BINARY_DIR}/api/html"
    VERBATIM
  )
endif()
