// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bench/devices/backend.hpp"
#include "kernels/own_kernel.hpp"

namespace sectorbench {

/// Verifies the launches of one row of the author's kernels: it keeps what the buffers held before
/// a launch and what a right one left.
class own_verifier {
 public:
  /// @param work acquired by the device @throws not_applicable where the kernel has no launch for
  /// the device, or the images do not fit in the CPU's memory; std::runtime_error with the fault of
  /// the kernel's description
  own_verifier(backend& device, const own_work& work);

  /// Fills the buffers, launches, and returns what is wrong with what that left, or "". @throws
  /// what launch, fills, reference and check throw
  std::string launch_once(std::uint64_t seed);
  /// The same again: two launches of one input leave the same.
  std::string launch_again(std::uint64_t seed);
  /// The same again behind a queue that is held: "" if nothing is done until it is let go, else
  /// that the launch has a queue of its own, whose time would not be measured.
  std::string launch_held();
  /// Makes the outputs what they were before the launch.
  void reset_outputs();
  /// What is wrong with what launches since `reset_outputs` left, or "".
  std::string fault_of_outputs();

 private:
  kernel_image room() const;
  kernel_image read() const;

  backend& device_;
  const own_work& work_;
  kernel_image before_, right_;
};

}  // namespace sectorbench
