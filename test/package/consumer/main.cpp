// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstdio>
#include <sectorbench/model/sector_model.hpp>
#include <sectorbench/pattern/operation.hpp>

#ifdef CONSUMER_CUDA
#include <sectorbench/cuda/error.hpp>
#endif

int main() {
  std::array<std::uint64_t, 32> addresses;  // every second float
  for (unsigned lane = 0; lane < addresses.size(); ++lane) addresses[lane] = 4096 + 8 * lane;
  const auto result = sectorbench::count_accesses(addresses, sizeof(float));
  const bool right = result.ok() && result.value().sectors == 8 &&
                     sectorbench::operation_named("copy").has_value();
  if (!right) std::fputs("consumer: the installed sector model counts wrong\n", stderr);
  return right ? 0 : 1;
}
