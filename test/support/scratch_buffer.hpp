// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace sectorbench::test {

/// Aligned memory between two zones that nobody may write.
class scratch_buffer {
 public:
  static constexpr unsigned char kUntouched = 0x5c;

  explicit scratch_buffer(std::size_t bytes) : bytes_(bytes), storage_(bytes / 256 + 4) {
    std::memset(storage_.data(), kUntouched, storage_.size() * sizeof(block));
  }

  unsigned char* data() { return reinterpret_cast<unsigned char*>(storage_.data() + 1); }
  const unsigned char* data() const {
    return reinterpret_cast<const unsigned char*>(storage_.data() + 1);
  }

  void randomize(unsigned seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bytes_; ++i) data()[i] = static_cast<unsigned char>(random());
  }

  /// Whether every byte outside [begin, end) is as it was.
  bool untouched_outside(std::size_t begin, std::size_t end) const {
    const auto is_untouched = [](unsigned char byte) { return byte == kUntouched; };
    const auto* const first = reinterpret_cast<const unsigned char*>(storage_.data());
    return std::all_of(first, data() + begin, is_untouched) &&
           std::all_of(data() + end, first + storage_.size() * sizeof(block), is_untouched);
  }

 private:
  struct alignas(256) block {
    unsigned char bytes[256];
  };

  std::size_t bytes_;
  std::vector<block> storage_;
};

}  // namespace sectorbench::test
