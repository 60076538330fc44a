// SPDX-License-Identifier: Apache-2.0
#include "bench/support/input_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

/// What a file that begins like `text` is instead of plain text, and the remedy; "" if nothing
/// known.
std::string_view other_form(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kForms{{
      {"version https://git-lfs.github.com/spec/"sv,
       "a Git LFS pointer, not the file itself: fetch it (git lfs pull)"sv},
      {"\x1f\x8b"sv, "compressed with gzip: unpack it (gunzip)"sv},
      {"BZh"sv, "compressed with bzip2: unpack it (bunzip2)"sv},
      {"\xfd"
       "7zXZ"sv,
       "compressed with xz: unpack it (unxz)"sv},
      {"\x28\xb5\x2f\xfd"sv, "compressed with zstd: unpack it (unzstd)"sv},
      {"PK\x03\x04"sv, "a zip archive: unpack it (unzip)"sv},
      {"\xff\xfe"sv, "UTF-16 or UTF-32: convert it to UTF-8 (iconv)"sv},
      {"\xfe\xff"sv, "UTF-16: convert it to UTF-8 (iconv)"sv},
      {"\0\0\xfe\xff"sv, "UTF-32: convert it to UTF-8 (iconv)"sv},
  }};
  for (const auto& [beginning, form] : kForms)
    if (text.starts_with(beginning)) return form;
  // UTF-16 without a byte order mark: every second byte of ASCII is NUL.
  if (text.size() >= 4 && (text[0] == '\0') != (text[1] == '\0') &&
      (text[0] == '\0') == (text[2] == '\0') && (text[1] == '\0') == (text[3] == '\0'))
    return "UTF-16: convert it to UTF-8 (iconv)";
  return {};
}

}  // namespace

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
  if (const std::string_view form = other_form(text); !form.empty())
    throw refuse("is " + std::string(form) + "; " + std::string(kind.remedy));
  // Readers of JSON take a NUL for the end of the file.
  if (const std::size_t at = text.find('\0'); at != std::string::npos)
    throw refuse("is no text: byte " + std::to_string(at + 1) + " is NUL; " +
                 std::string(kind.remedy));
  return text;
}

}  // namespace sectorbench
