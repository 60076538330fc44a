// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/predict/explain.hpp"
#include "bench/predict/forecast.hpp"
#include "bench/predict/likeness.hpp"
#include "bench/predict/prediction.hpp"
#include "bench/telemetry/ncu_export.hpp"

/// @file
/// Kernels that Nsight Compute has counted, explained by the suite's rows: explain --ncu.

namespace sectorbench {

/// Launches of one kernel with the same counts.
struct counted_kernel {
  std::string file;              ///< without folders
  ncu_launch first;              ///< whose metrics are the means over all
  std::vector<std::string> ids;  ///< of its launches
};

/// The launches of an export, those of one kernel, size and counts together.
std::vector<counted_kernel> kernels_of(const ncu_export& counted, const std::string& file);

/// A kernel and what is known of it.
struct explained_kernel {
  counted_kernel kernel;
  std::vector<like_row> like;           ///< rows with its counts, or the nearest
  std::vector<forecast_row> predicted;  ///< the same rows on the devices
  std::optional<limit> limited_by;      ///< judged from its counters
  std::vector<std::string> judged;      ///< the same in words, or why it is not
  /// Of the first of those rows, where it has the counts and another access may help.
  std::vector<std::string> cause;
};

/// @param devices their first is that of the kernels where the export names no GPU; the one named
/// like the export's GPU is taken where there is one
/// @param types among which rows are looked for; none: those that fit the bytes counted
explained_kernel explain_kernel(const counted_kernel& kernel, const std::vector<predictor>& devices,
                                bool first_is_given, std::span<const element_type> types);

/// Kernels before and after a change, by their places: of the same name, and else the only ones
/// that are left.
/// @param before the file of those before
std::vector<std::pair<std::size_t, std::size_t>> paired(const std::vector<counted_kernel>& kernels,
                                                        const std::string& before);

/// For people: the counts, then each kernel's rows and sentences, then pairs side by side.
std::string ncu_text(const std::vector<explained_kernel>& kernels,
                     const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                     const std::vector<predictor>& devices);

/// The same as Google Benchmark writes measurements, with backend=ncu in the context; metrics have
/// the keys of the table of counters.
std::string ncu_json(const std::vector<explained_kernel>& kernels,
                     const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                     const std::vector<predictor>& devices, const evidence& context);

}  // namespace sectorbench
