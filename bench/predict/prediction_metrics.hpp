// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/cases/row.hpp"
#include "bench/predict/prediction.hpp"
#include "bench/report/counters.hpp"
#include "bench/report/label.hpp"

/// @file
/// What a prediction says of a row, as keys of the table of counters and as its label.

namespace sectorbench {

/// What the sector model says of a launch. @param unique_bytes distinct bytes that it moves
/// @param totals null for a mover
void add_prediction(counter_values& to, const row_spec& row, index_t unique_bytes,
                    const launch_totals* totals);

/// What the model of traffic and time says. @param mean_s of a launch
void add_model(counter_values& to, const row_prediction& model, double mean_s);

/// What limits the row, and what its traffic depends on where that is no one number.
void add_model_label(row_label& label, const row_prediction& model);

}  // namespace sectorbench
