// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// @file
/// CUDA runtime errors as exceptions, and as notes where nothing may be thrown.
///
///     SECTORBENCH_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, stream));  // throws cuda_error
///     note_cuda_failure(cudaFree(data), "cudaFree");                    // in a destructor
///     if (first_noted_cuda_failure()) return 1;                         // in main
///
/// It does not model errors of the driver API, nor does it find errors of launches that nobody
/// waits for: those surface at the next call that synchronises.
///
/// Source: CUDA Runtime API, sections "Error Handling" and "Data types used by CUDA Runtime"
/// (cudaError).

namespace sectorbench {

/// Whether `code` ends all CUDA work of this process: after such an error every later call fails.
///
/// These are the codes of which the runtime's documentation says that the process must be
/// terminated and relaunched, and the uncorrectable memory and link errors.
constexpr bool is_sticky(cudaError_t code) noexcept {
  // Two names are newer than CUDA 12.4.
  constexpr int kContained = 226;
  constexpr int kTensorMemoryLeak = 721;
  switch (static_cast<int>(code)) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case kContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case kTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

/// `code` as "cudaErrorMemoryAllocation (2): out of memory".
inline std::string error_text(cudaError_t code) {
  return std::string(cudaGetErrorName(code)) + " (" + std::to_string(static_cast<int>(code)) +
         "): " + cudaGetErrorString(code);
}

/// A CUDA runtime call that failed: which error, which call, where.
class cuda_error : public std::runtime_error {
 public:
  /// `expression` is the call that failed, `file` and `line` its place.
  cuda_error(cudaError_t code, std::string expression, std::string_view file, int line)
      : std::runtime_error(error_text(code) + ", in " + expression + " at " + place(file, line)),
        code_(code),
        expression_(std::move(expression)),
        place_(place(file, line)) {}

  cudaError_t code() const noexcept { return code_; }
  /// The error's name, such as "cudaErrorMemoryAllocation".
  const char* name() const noexcept { return cudaGetErrorName(code_); }
  /// The runtime's own sentence for the error, such as "out of memory".
  const char* string() const noexcept { return cudaGetErrorString(code_); }
  const std::string& expression() const noexcept { return expression_; }
  /// File (without its folder) and line, such as "buffer.hpp:40".
  const std::string& place() const noexcept { return place_; }
  /// Whether no further CUDA call of this process can succeed.
  bool sticky() const noexcept { return is_sticky(code_); }

 private:
  static std::string place(std::string_view file, int line) {
    return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
  }

  cudaError_t code_;
  std::string expression_;
  std::string place_;
};

namespace internal {

// Both are trivially destructible, so that destructors of static objects may still use them.
struct failure_note {
  std::mutex guard;
  cudaError_t code = cudaSuccess;
  const char* expression = "";
};
inline failure_note first_failure;
inline std::atomic<bool> sticky_error_seen = false;

}  // namespace internal

/// Throws the failure `code` of the call `expression` as an exception.
/// @throws cuda_error always
[[noreturn]] inline void throw_cuda_error(cudaError_t code, std::string expression,
                                          std::string_view file, int line) {
  // The runtime keeps the error for the next cudaGetLastError, where it would be taken for that
  // of an innocent launch.
  static_cast<void>(cudaGetLastError());
  if (is_sticky(code)) internal::sticky_error_seen = true;
  throw cuda_error(code, std::move(expression), file, line);
}

/// Returns if `code` is success. @throws cuda_error otherwise
inline void check_cuda(cudaError_t code, const char* expression, const char* file, int line) {
  if (code != cudaSuccess) throw_cuda_error(code, expression, file, line);
}

/// Remembers the process's first failure where nothing may be thrown, as in destructors.
///
/// Says nothing of a runtime that is being unloaded, nor of the failures that follow a sticky
/// error which was already thrown or noted. @pre `expression` is a string literal.
inline void note_cuda_failure(cudaError_t code, const char* expression) noexcept {
  if (code == cudaSuccess || code == cudaErrorCudartUnloading) return;
  static_cast<void>(cudaGetLastError());
  if (is_sticky(code) && internal::sticky_error_seen.exchange(true)) return;
  const std::lock_guard lock(internal::first_failure.guard);
  if (internal::first_failure.code != cudaSuccess) return;
  internal::first_failure.code = code;
  internal::first_failure.expression = expression;
}

/// The first failure that was noted and not thrown, if there was any: main must then exit
/// non-zero.
inline std::optional<std::string> first_noted_cuda_failure() {
  const std::lock_guard lock(internal::first_failure.guard);
  if (internal::first_failure.code == cudaSuccess) return std::nullopt;
  return error_text(internal::first_failure.code) + ", in " + internal::first_failure.expression;
}

}  // namespace sectorbench

/// Evaluates a CUDA runtime call once and throws sectorbench::cuda_error if it failed.
#define SECTORBENCH_CUDA_CHECK(call) ::sectorbench::check_cuda((call), #call, __FILE__, __LINE__)
