// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/report/library.hpp"

namespace sectorbench {

/// A measured row as the library hands it to reporters: `seconds` per iteration.
inline benchmark_run measured_row(const std::string& name, double seconds) {
  benchmark_run run;
  run.run_name.function_name = name;
  run.run_name.time_type = "manual_time";
  run.family_index = run.per_family_instance_index = 0;
  run.repetitions = 1;
  run.repetition_index = 0;
  run.iterations = 100;
  run.time_unit = benchmark::kMicrosecond;
  run.real_accumulated_time = seconds * 100;
  run.cpu_accumulated_time = seconds * 200;
  return run;
}

/// A row that ended as `state` with `message`, without numbers.
inline benchmark_run unmeasured_row(const std::string& name, row_state state,
                                    const std::string& message) {
  benchmark_run run = measured_row(name, 0);
  set_state(run, state, message);
  return run;
}

}  // namespace sectorbench
