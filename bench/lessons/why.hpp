// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cases/suite.hpp"
#include "bench/measure/runner.hpp"

/// @file
/// Explanations put to the test: the same row with one cause changed, measured beside what the
/// model says of the change.

namespace sectorbench {

/// One changed cause.
struct counterfactual {
  std::string change;              ///< "whole sectors stored", ...
  limit removes = limit::kLaunch;  ///< the limit that the change takes away or eases
  bool eases = true;               ///< false: it makes it worse, and should slow the row down
  double measured_gain = 0;        ///< time per element before / after; 0: not measured
  interval predicted_gain;         ///< the same by the model
  std::string not_measured;        ///< why not, if so

  /// Whether the gain is what the model says, to a tenth.
  bool as_predicted() const;
  /// Whether the change should make a difference.
  bool matters() const;
};

/// A row, what limits it by the model, and what the changes showed.
struct why_result {
  suite_row row;
  double seconds = 0;
  row_prediction predicted;
  std::vector<counterfactual> changes;

  /// Whether a change of the named limit makes the difference that the model says; none where no
  /// change concerns it.
  std::optional<bool> confirmed() const;
};

/// What --why needs besides the device.
struct why_settings {
  timing_rules rules;
  std::uint64_t seed = 1;
  std::shared_ptr<const predictor> model;
  std::string program;  ///< to run it again with another granule; empty: not
};

/// Measures each row and its counterfactuals. Rows that cannot be measured are left out.
std::vector<why_result> ask_why(backend& device, const std::vector<suite_row>& rows,
                                const why_settings& settings);

/// The results as a table for people.
std::string describe(const std::vector<why_result>& results);

}  // namespace sectorbench
