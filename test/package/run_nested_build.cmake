# SPDX-License-Identifier: Apache-2.0
#
# Configures a preset in WORK_DIR, builds TARGET there and runs PROGRAM of it with ARGUMENTS.

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" --preset "${PRESET}" -B "${WORK_DIR}"
    "-DCMAKE_CXX_COMPILER=${CXX}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}" --target "${TARGET}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK_DIR}/${PROGRAM}" ${ARGUMENTS} COMMAND_ERROR_IS_FATAL ANY)
