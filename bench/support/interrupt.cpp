// SPDX-License-Identifier: Apache-2.0
#include "bench/support/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace sectorbench {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;

extern "C" void note_interrupt(int signal_number) {
  interrupted_by = signal_number;
  // Both, so that SIGTERM after SIGINT ends the process too. signal() is async-signal-safe.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void install_interrupt_handlers() {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART;  // a half-written line of output is no reason to stop
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(signal_number, &action, nullptr);
  }
}

int interrupt_signal() noexcept { return interrupted_by; }

}  // namespace sectorbench
