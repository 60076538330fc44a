// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/backend.hpp"
#include "bench/device_selection.hpp"
#include "bench/options.hpp"

namespace sectorbench {

/// Everything that the JSON context says of a run besides the library's own keys: what was
/// measured, where, how and with which build. docs/evidence.md describes the keys.
evidence collect_evidence(const options& wanted, const selected_device& selected,
                          index_t default_bytes);

}  // namespace sectorbench
