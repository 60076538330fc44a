// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/cases/suite.hpp"
#include "bench/devices/backend.hpp"
#include "bench/devices/device_selection.hpp"
#include "bench/measure/runner.hpp"
#include "bench/options/options.hpp"

namespace sectorbench {

/// Everything that the JSON context says of a run besides the library's own keys: what was
/// measured, where, how and with which build. docs/counters.md describes the keys.
///
/// Of several GPUs, "gpu.uuid" becomes "gpu.0.uuid", "gpu.1.uuid", ... @pre `devices` is not empty
evidence collect_evidence(const options& wanted, const std::vector<selected_device>& devices,
                          const timing_rules& rules, const std::vector<suite_row>& rows,
                          index_t default_bytes);

}  // namespace sectorbench
