// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// What differs between Google Benchmark 1.7.1 and its newest release. Nothing else in the program
/// depends on the version.

namespace sectorbench {

using benchmark_run = benchmark::BenchmarkReporter::Run;

/// How a row ended.
enum class row_state { kMeasured, kFailed, kSkipped };

namespace detail {

/// Stands before a skipped row's reason where the library knows errors only (before 1.8.0).
inline constexpr std::string_view kSkippedMark = "SKIPPED: ";

template <typename Run>
concept has_skip_message = requires(const Run& run) {
  run.skip_message;
};

template <typename State>
concept has_skip_with_message = requires(State& state, const std::string& text) {
  state.SkipWithMessage(text);
};

// Templates, as only in them may a member be named that one of the versions lacks.
template <typename Run>
row_state state_of(const Run& run) {
  if constexpr (has_skip_message<Run>) {
    using skipped = decltype(run.skipped);
    if (run.skipped == skipped::NotSkipped) return row_state::kMeasured;
    return run.skipped == skipped::SkippedWithError ? row_state::kFailed : row_state::kSkipped;
  } else {
    if (!run.error_occurred) return row_state::kMeasured;
    return run.error_message.starts_with(kSkippedMark) ? row_state::kSkipped : row_state::kFailed;
  }
}

template <typename Run>
std::string message_of(const Run& run) {
  if constexpr (has_skip_message<Run>) {
    return run.skip_message;
  } else {
    const std::string_view text = run.error_message;
    return std::string(text.starts_with(kSkippedMark) ? text.substr(kSkippedMark.size()) : text);
  }
}

template <typename Run>
void set_state(Run& run, row_state state, const std::string& message) {
  if constexpr (has_skip_message<Run>) {
    using skipped = decltype(run.skipped);
    run.skipped = state == row_state::kFailed    ? skipped::SkippedWithError
                  : state == row_state::kSkipped ? skipped::SkippedWithMessage
                                                 : skipped::NotSkipped;
    run.skip_message = message;
  } else {
    run.error_occurred = state != row_state::kMeasured;
    run.error_message =
        state == row_state::kSkipped ? std::string(kSkippedMark) + message : message;
  }
}

template <typename State>
void skip(State& state, const std::string& reason) {
  if constexpr (has_skip_with_message<State>)
    state.SkipWithMessage(reason);
  else
    state.SkipWithError((std::string(kSkippedMark) + reason).c_str());
}

}  // namespace detail

/// Whether --benchmark_min_time takes the forms 0.1s and 50x: since 1.8.0, as does skip_message.
inline constexpr bool kMinTimeTakesSuffix = detail::has_skip_message<benchmark_run>;

/// How the row of `run` ended.
inline row_state state_of(const benchmark_run& run) { return detail::state_of(run); }

/// Why the row of `run` failed or was skipped; empty for a measured row.
inline std::string message_of(const benchmark_run& run) { return detail::message_of(run); }

/// Makes `run` a row that ended so, for tests and for rows that were never begun.
inline void set_state(benchmark_run& run, row_state state, const std::string& message) {
  detail::set_state(run, state, message);
}

/// Ends the current row as an error. @pre `message` is one line.
inline void fail_row(benchmark::State& state, const std::string& message) {
  state.SkipWithError(message.c_str());
}

/// Ends the current row as not applicable here. @pre `reason` is one line.
inline void skip_row(benchmark::State& state, const std::string& reason) {
  detail::skip(state, reason);
}

}  // namespace sectorbench
