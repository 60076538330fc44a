// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/devices/backend.hpp"
#include "bench/measure/runner.hpp"

/// @file
/// The hall of wrong benchmarks (docs/wrong_benchmarks.md): the known mistakes, each run beside the
/// right measurement.

namespace sectorbench {

/// One mistake: what it says, what is so, and what keeps this program from it.
struct trap_result {
  std::string name;
  std::string mistake;  ///< one line
  std::string claim;    ///< what a benchmark with the mistake reports
  std::string truth;
  std::string caught_by;
  bool must_be_refused = false;  ///< a check has to give it no number at all
  bool refused = false;          ///< and did
  bool applicable = true;        ///< whether the mistake can be made on this device
  /// The numbers of `claim` and `truth`; units are in the names.
  std::vector<std::pair<std::string, double>> figures;

  /// Whether a check that must catch it let it pass.
  bool missed() const { return must_be_refused && !refused; }
  /// The figure called `name`. @throws std::out_of_range
  double figure(std::string_view name) const;
};

/// How the mistakes are run.
struct trap_settings {
  index_t buffer_bytes = index_t{256} << 20;  ///< of one buffer; rounded to a power of two
  std::uint64_t seed = 1;
  timing_rules rules;
};

/// Runs all mistakes on a device, in the order of the document.
/// @pre nothing was acquired from the backend before, as the first touch of its buffers is timed
/// @throws not_applicable if the buffers do not fit, verification_failed if an honest row fails,
/// interrupted, and what the backend throws
std::vector<trap_result> run_traps(backend& device, const trap_settings& settings);

/// MiB a millisecond called GB/s. @param useful_bytes moved in `elapsed_s`
trap_result mib_per_ms_trap(index_t useful_bytes, double elapsed_s);

/// A copy of one buffer whose loads alone are counted.
trap_result one_direction_trap(index_t buffer_bytes, double elapsed_s);

/// Whether every mistake that must be refused was.
bool all_refused(const std::vector<trap_result>& results);

/// The results as people read them, in lines of at most 120 characters.
std::string describe(const std::vector<trap_result>& results);

}  // namespace sectorbench
