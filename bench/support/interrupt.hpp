// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sectorbench {

/// From now on the first SIGINT or SIGTERM is noted and the run ends by itself; the second ends the
/// process at once. A signal that was ignored before (nohup) stays ignored.
void install_interrupt_handlers();

/// The number of the signal that came, or 0.
int interrupt_signal() noexcept;

}  // namespace sectorbench
