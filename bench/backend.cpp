// SPDX-License-Identifier: Apache-2.0
#include "bench/backend.hpp"

#include "bench/format.hpp"

namespace sectorbench {

std::string does_not_fit(index_t needed, index_t available) {
  return "does not fit: needs " + std::to_string(needed) + " bytes (" + format_bytes(needed) +
         "), " + std::to_string(available) + " bytes (" + format_bytes(available) +
         ") are available; take a smaller --bytes or --elements";
}

}  // namespace sectorbench
