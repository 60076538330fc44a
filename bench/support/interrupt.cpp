// SPDX-License-Identifier: Apache-2.0
#include "bench/support/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "bench/support/exit_code.hpp"
#include "bench/support/output_file.hpp"
#include "sectorbench/execution/stop.hpp"

namespace sectorbench {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t only_noted = 0;
volatile std::sig_atomic_t interrupted_by = 0;

// Only what POSIX permits in a handler.
extern "C" void interrupt(int signal_number) {
  if (only_noted != 0 && interrupted_by == 0) {
    interrupted_by = signal_number;
    stop_passes = true;
    return;
  }
  remove_unfinished_files();
  const auto print = [](const char* text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  };
  print("sectorbench: interrupted by ");
  print(interrupt_name(signal_number));
  print("\n");
  _exit(static_cast<int>(exit_code::kInterrupted));
}

}  // namespace

void end_on_interrupts() {
  struct sigaction action {};
  action.sa_handler = interrupt;
  action.sa_flags = SA_RESTART;  // a half-written line of output is no reason to stop
  for (const int signal_number : kSignals) sigaddset(&action.sa_mask, signal_number);
  for (const int signal_number : kSignals) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void note_first_interrupt() { only_noted = 1; }

int interrupt_signal() noexcept { return interrupted_by; }

const char* interrupt_name(int signal_number) noexcept {
  return signal_number == SIGINT ? "SIGINT" : signal_number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

}  // namespace sectorbench
