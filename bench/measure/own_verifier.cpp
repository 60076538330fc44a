// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/own_verifier.hpp"

#include <stdexcept>
#include <utility>

#include "bench/devices/host_info.hpp"

namespace sectorbench {

own_verifier::own_verifier(backend& device, const own_work& work) : device_(device), work_(work) {
  if (const auto missing = work.missing_launch(device.index().has_value()); !missing.empty())
    throw not_applicable(missing);
  constexpr index_t kImages = 4;  // before, after, expected, and of two launches compared
  const buffer_bytes bytes = work.needs();
  const index_t needed = kImages * (bytes.in + bytes.out);
  const index_t available = read_host_info().memory_available_bytes;
  if (needed > available) throw not_applicable(does_not_fit(work, needed, available));
}

kernel_image own_verifier::room() const {
  kernel_image image;
  image.in.resize(before_.in.size());
  image.out.resize(before_.out.size());
  return image;
}

kernel_image own_verifier::read() const {
  kernel_image image = room();
  device_.get(image);
  return image;
}

std::string own_verifier::launch_once(std::uint64_t seed) {
  before_ = work_.filled(seed);
  device_.put(before_);
  device_.run_once(work_, seed, true);
  right_ = read();
  const std::string trespass = work_.trespass(before_, right_);
  return trespass.empty() ? work_.fault(before_, right_) : trespass;
}

std::string own_verifier::launch_again(std::uint64_t seed) {
  device_.put(before_);
  device_.run_once(work_, seed, true);
  const std::string difference = work_.difference(right_, read());
  return difference.empty() ? "" : "two launches of the same inputs left different " + difference;
}

std::string own_verifier::launch_held() {
  kernel_image seen = room();
  device_.put(before_);
  if (!device_.get_while_held(work_, seen) || seen.out == before_.out) return {};
  return "its launch does not keep to the stream that it is given, so that its time would not be "
         "measured; queue everything there";
}

void own_verifier::reset_outputs() { device_.put({{}, before_.out}); }

std::string own_verifier::fault_of_outputs() {
  kernel_image after = read();
  if (std::string trespass = work_.trespass(before_, after); !trespass.empty()) return trespass;
  if (work_.updates()) return {};  // each launch went on with what the last one had left
  if (const std::string difference = work_.difference(right_, after); !difference.empty())
    return "not what the verified launch left: " + difference;
  return work_.may_vary() ? work_.fault(before_, after) : std::string();
}

}  // namespace sectorbench
