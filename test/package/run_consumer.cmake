# SPDX-License-Identifier: Apache-2.0
#
# Installs BUILD_DIR, moves what was installed, and builds and runs the consumer against it.

file(REMOVE_RECURSE "${WORK_DIR}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --config "${CONFIG}" --prefix "${WORK_DIR}/staged"
  COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${WORK_DIR}/staged" "${WORK_DIR}/prefix")  # the package must not know where it was put

execute_process(COMMAND "${WORK_DIR}/prefix/bin/sectorbench" --version
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "${VERSION}")
  message(FATAL_ERROR "the installed program's --version lacks ${VERSION}:\n${output}")
endif()

file(GLOB_RECURSE package_files "${WORK_DIR}/prefix/*sectorbench*.cmake")
if(NOT package_files)
  message(FATAL_ERROR "no package files were installed")
endif()
foreach(file IN LISTS package_files)
  file(READ "${file}" content)
  if(content MATCHES "-Wall|-Wextra|-Werror|sectorbench_compile_options")
    message(FATAL_ERROR "${file} exports the project's own compile options")
  endif()
endforeach()

# Found with a toolkit, the package offers sectorbench::cuda; without, it is refused by name.
function(build_consumer name)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${WORK_DIR}/${name}" -G "${GENERATOR}"
      "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}" ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}/${name}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${WORK_DIR}/${name}/consumer" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

build_consumer(model -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
if(CUDA_ROOT)
  build_consumer(cuda -DCONSUMER_CUDA=ON "-DCUDAToolkit_ROOT=${CUDA_ROOT}"
    "-DCMAKE_CUDA_COMPILER=${NVCC}" "-DCMAKE_CUDA_HOST_COMPILER=${CXX}"
    -DCMAKE_CUDA_ARCHITECTURES=75)
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${WORK_DIR}/refused" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}"
    -DCONSUMER_CUDA=ON -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "COMPONENTS cuda was found without a CUDA toolkit")
endif()
