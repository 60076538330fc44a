// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "bench/cases/listing.hpp"
#include "bench/commands/modes.hpp"

namespace sectorbench {

exit_code list_names(const std::vector<suite_row>& rows, std::FILE* out) {
  for (const suite_row& row : rows) std::fprintf(out, "%s\n", registered_name(row).c_str());
  return exit_code::kOk;
}

exit_code list_patterns(const std::vector<suite_row>& rows, std::FILE* out) {
  std::fputs(listing_of(rows).c_str(), out);
  return exit_code::kOk;
}

}  // namespace sectorbench
