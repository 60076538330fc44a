// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lessons/index_map.hpp"
#include "bench/support/exit_code.hpp"
#include "sectorbench/pattern/launch.hpp"

/// @file
/// The exercise (docs/exercise.md): copy the same elements with strides 1 to 32, and explain the
/// times. What is checked, in this order: index maps copy each element once; every row moved the
/// same bytes; the rows are those of a GPU whose L2 does not hold them; stride 32 takes at least 8
/// times as long as stride 1. Of maps without rows it is the sectors that are compared.

namespace sectorbench {

/// How often the time of stride 1 must fit into that of stride 32.
inline constexpr double kCoalescingRatio = 8;

/// The same of the sectors of maps, 8 but for a short last warp and for warps that wrap.
inline constexpr double kSectorRatio = 7.5;

/// A row of the curve, or one whose threads walk chunks, of which only the bytes are looked at.
struct exercise_row {
  std::string place;              ///< where it stands, as messages say it: "line 3" or its name
  std::optional<index_t> stride;  ///< none: chunked
  double ms = 0;                  ///< of one launch
  index_t bytes = 0;              ///< loaded and stored by one launch
  index_t elements = 0;           ///< that it copies; 0: the row does not say
  std::string failure{};          ///< why it has no numbers; empty if it has
};

/// An index map at one stride.
struct exercise_map {
  std::string place;  ///< where it stands: "line 3"
  std::optional<index_t> stride;
  index_t elements = 0;
  map_verdict verdict{};
};

/// What is checked.
struct exercise_run {
  std::string source;  ///< stands in front of messages: "--from=rows.jsonl"
  std::vector<exercise_row> rows;
  std::vector<exercise_map> maps{};
  std::vector<std::string> refused{};  ///< entries that are wrong, as "line 3: 'ms' is missing"
  bool on_gpu = true;                  ///< JSON lines do not say, and are taken to be a GPU's
  index_t l2_bytes = 0;                ///< of the GPU; 0: the rows do not say
  std::string l2_source{};             ///< whose L2 that is: "NVIDIA H200"
  double peak_bytes_per_s = 0;         ///< of the memory bus; 0: not known
};

/// Reads the program's JSON, or JSON lines as the reference program and --json_lines write them:
/// `{"pattern":"stride","stride":8,"ms":1.4533,"gbps":369.4,"bytes":536870912}`, one a line, with
/// `"n"` and `"l2_bytes"` where the program knows them. Of repetitions it takes the median. A line
/// `{"map":"i % (n/s) * s + i / (n/s)"}` is an index map (docs/exercise.md).
///
/// Rows of other patterns, operations and types are left out. An entry that is wrong goes to
/// `refused` and takes no other with it: no JSON, a key twice, a key that is missing or no number
/// above 0, a rate that is not bytes / time, a row that was not verified, a stride that was there.
/// @throws usage_error for a text that is neither
exercise_run read_exercise(std::string_view text, const std::string& source);

/// Fills in an L2 and a peak that the rows do not say: those of `gpu` (as --gpu= names it) or,
/// without one, the largest of those whose description is built in.
/// @throws usage_error for a description that nobody knows, and where the rows say theirs
void assume_l2(exercise_run& run, const std::string& gpu);

/// The verdict as lines for people, and its exit code: kOk only where all was checked and passed,
/// kFailed, or kUsage for what is not graded: rows of a CPU, rows that L2 holds, rows faster than
/// the memory bus, and entries that were refused.
struct exercise_verdict {
  exit_code code = exit_code::kUsage;
  std::string text;
};

/// @throws usage_error where stride 1 or 32 is missing, with the entry that was refused if one
/// was, or a stride stands twice
void require_curve(const exercise_run& run);

/// @throws usage_error as require_curve
exercise_verdict check_coalescing(const exercise_run& run);

/// Hint 1 or 2, as lines for people.
std::string exercise_hint(int number);

}  // namespace sectorbench
