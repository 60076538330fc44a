// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sectorbench {

/// From now on SIGINT, SIGTERM or SIGHUP removes what stands unfinished beside result files, says
/// so on standard error and ends the process with exit code 130. One that was ignored before
/// (nohup) stays ignored. SIGPIPE and SIGXFSZ are ignored, so that the write fails instead.
void end_on_interrupts();

/// From now on the first of those signals is only noted, for a run that has finished rows to keep,
/// and ends passes over a launch on the CPU (stop_passes); the second ends the process as above.
/// @pre end_on_interrupts() was called
void note_first_interrupt();

/// The number of the signal that was noted, or 0.
int interrupt_signal() noexcept;

/// "SIGINT", of a signal that interrupts.
const char* interrupt_name(int signal_number) noexcept;

}  // namespace sectorbench
