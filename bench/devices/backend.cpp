// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/backend.hpp"

#include "bench/support/format.hpp"

namespace sectorbench {

std::string device_key(std::string_view name) {
  std::string key;
  std::string word;
  const auto end_word = [&] {
    const bool vendor =
        word == "nvidia" || word == "tesla" || word == "geforce" || word == "quadro";
    if (!vendor && (key.empty() || key == "rtx" || key == "gtx")) key += word;
    word.clear();
  };
  for (const char upper : name) {
    const char c = upper >= 'A' && upper <= 'Z' ? static_cast<char>(upper - 'A' + 'a') : upper;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += c;
    else
      end_word();
  }
  end_word();
  return key.empty() ? "gpu" : key;
}

std::string does_not_fit(const workload& work, index_t needed, index_t available) {
  return "does not fit: needs " + std::to_string(needed) + " bytes (" + format_bytes(needed) +
         "), " + std::to_string(available) + " bytes (" + format_bytes(available) +
         ") are available; " +
         (work.by_author() ? "make its buffers smaller" : "take a smaller --bytes or --elements");
}

}  // namespace sectorbench
