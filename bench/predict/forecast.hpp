// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/suite.hpp"
#include "bench/predict/prediction.hpp"

/// @file
/// Predictions of a suite without a measurement: --predict.

namespace sectorbench {

/// A row on each device, in the order of the devices.
struct forecast_row {
  suite_row row;
  std::vector<row_prediction> on;
  /// Time / time of the stride-1 row, both at best and both at worst; 0 where there is none.
  std::vector<interval> stride1_ratio;
  std::string skipped;  ///< why nothing is predicted; `on` is empty then
};

/// Predicts all rows on all devices, kernels of the program's author as the rows that they name;
/// other movers are left out.
std::vector<forecast_row> forecast(const std::vector<suite_row>& rows,
                                   const std::vector<predictor>& devices);

/// The forecast as a table for people, marked as what it is.
std::string forecast_table(const std::vector<forecast_row>& rows,
                           const std::vector<predictor>& devices);

/// The forecast as Google Benchmark writes measurements, with backend=prediction in the context.
/// @param context more of it, as the record has it
std::string forecast_json(const std::vector<forecast_row>& rows,
                          const std::vector<predictor>& devices, const evidence& context);

}  // namespace sectorbench
