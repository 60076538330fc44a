// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/predict/scaling.hpp"
#include "sectorbench/model/device_description.hpp"

/// @file
/// Descriptions of GPUs as JSON: profiles/ has those that are built in, docs/options.md the
/// schema. Each figure says its unit and where it is from.

namespace sectorbench {

enum class source_kind { kDataSheet, kMeasured, kAssumed, kDerived };

/// "data sheet", "measured", "assumed", "derived"
std::string_view name_of(source_kind kind);

/// Where a figure is from.
struct figure_source {
  source_kind kind = source_kind::kAssumed;
  std::string note;  ///< which document or run; why it is assumed
  friend bool operator==(const figure_source&, const figure_source&) = default;
};

/// By the path of the figure's key: "sms", "loads_kept.kept_bytes", "time.dram".
using figure_sources = std::map<std::string, figure_source>;

/// Texts that are kept and not interpreted.
using device_evidence = std::map<std::string, std::string>;

/// All that a file says.
struct device_file {
  device_description device;
  figure_sources sources;  ///< of the figures that the file has; others are scaled
  std::optional<device_evidence> evidence{};
  data_sheet sheet{};
  friend bool operator==(const device_file&, const device_file&) = default;
};

/// @param where stands in front of error messages, which name key, value and remedy; they count
/// points of a curve from 1 on. @throws usage_error
device_file read_device_file(std::string_view json_text, std::string_view where);
device_description read_device(std::string_view json_text, std::string_view where);

/// As files of bench/devices are written: keys in the schema's order, one a line, so that those of
/// two GPUs can be compared line by line; of one that is scaled only the figures with a source,
/// each in one line. What it writes reads as the same description.
/// @throws std::invalid_argument for a description that would not read, a figure without a source
/// and a source without a figure
std::string write_device(const device_file& file);

/// The keys of those that are built in, sorted.
std::vector<std::string_view> known_devices();

/// The built-in one that has this key, in capitals too; else what has a . or a / is a file.
/// @throws usage_error
device_file find_device_file(const std::string& name_or_file);
device_description find_device(const std::string& name_or_file);

}  // namespace sectorbench
