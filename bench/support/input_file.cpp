// SPDX-License-Identifier: Apache-2.0
#include "bench/support/input_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "bench/support/text.hpp"

namespace sectorbench {

std::string read_input_file(const std::string& path, const input_kind& kind) {
  const auto refuse = [&](const std::string& what) {
    return usage_error(std::string(kind.flag) + "=" + path + ": " + what);
  };
  const auto cannot = [&] {
    return refuse(std::string("cannot be read: ") + std::strerror(errno) + "; " +
                  std::string(kind.remedy));
  };
  const auto too_large = [&] {
    return refuse("larger than " + std::to_string(kind.max_bytes) + " bytes, so no " +
                  std::string(kind.what));
  };
  std::error_code has_no_size;
  if (const auto bytes = std::filesystem::file_size(path, has_no_size);
      !has_no_size && bytes > kind.max_bytes)
    throw too_large();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw cannot();
  std::string text;
  std::array<char, 4096> piece;
  errno = 0;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), got);
    if (text.size() > kind.max_bytes) throw too_large();
  }
  if (std::ferror(file.get()) != 0) throw cannot();  // a folder can be opened
  return text;
}

}  // namespace sectorbench
