// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sectorbench {

/// What a process can see of the tools around it.
struct process_view {
  std::vector<std::string> environment;  ///< "NAME=value"
  std::string maps;                      ///< the text of /proc/self/maps
};

/// The view of this process, now.
process_view this_process();

/// The name of the profiler or checker that this process runs under ("ncu", "nsys",
/// "compute-sanitizer", ...), or "" if none is seen.
///
/// Such tools make the host wait for the device between launches, so the stream must not be held
/// under them. A tool that is not in the table is not seen; the stream blocker then gives up by
/// itself, which costs time and no truth. A name reported too often costs nothing but blocking.
std::string attached_tool(const process_view& view);

/// Whether the environment asks the driver to wait for each launch (CUDA_LAUNCH_BLOCKING).
bool launch_blocking_requested(const process_view& view);

}  // namespace sectorbench
