# SPDX-License-Identifier: Apache-2.0
#
# cmake -DSOURCE_DIR=<root> -DHEADER=<file> [-DREVISION=<text>] -P write_revision.cmake
# Writes the git revision into a header, which is touched only when its content changes.

set(revision "${REVISION}")
set(dirty false)
if(NOT revision)
  set(revision unknown)
  find_program(git git)
  # Without the ceiling a source archive unpacked inside another repository would report that one.
  cmake_path(GET SOURCE_DIR PARENT_PATH ceiling)
  set(ENV{GIT_CEILING_DIRECTORIES} "${ceiling}")
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  if(git)
    execute_process(COMMAND "${git}" -C "${SOURCE_DIR}" rev-parse --short=12 HEAD
      OUTPUT_VARIABLE output ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed EQUAL 0)
      set(revision "${output}")
      execute_process(COMMAND "${git}" -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
        OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        set(dirty true)
      endif()
    endif()
  endif()
endif()

set(content "// Written by cmake/write_revision.cmake.
#pragma once
#define SECTORBENCH_REVISION \"${revision}\"
#define SECTORBENCH_REVISION_DIRTY ${dirty}
")
set(previous "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" previous)
endif()
if(NOT content STREQUAL previous)
  file(WRITE "${HEADER}" "${content}")
endif()
