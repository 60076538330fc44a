// SPDX-License-Identifier: Apache-2.0
#include "bench/support/output_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

// The temporary files of this process, as a signal handler can read them.
constexpr std::size_t kMostFiles = 16;
std::array<std::atomic<const char*>, kMostFiles> temporaries{};

bool is_temporary(const std::string& path) {
  return std::ranges::any_of(temporaries, [&](const auto& one) {
    const char* const known = one.load();
    return known != nullptr && path == known;
  });
}

void replace_temporary(const char* before, const char* after) {
  const auto place =
      std::ranges::find_if(temporaries, [&](const auto& one) { return one.load() == before; });
  if (place == temporaries.end()) throw std::logic_error("too many result files");
  *place = after;
}

/// Whether all of `text` was written; errno says why not.
bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(to, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The last characters of a file, white space at its end aside.
std::string tail_of(const std::string& path, std::size_t length) {
  constexpr std::streamoff kMaxWhiteSpace = 16;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  const std::streamoff kept =
      std::min<std::streamoff>(size, static_cast<std::streamoff>(length) + kMaxWhiteSpace);
  if (kept <= 0) return {};
  std::string text(static_cast<std::size_t>(kept), '\0');
  file.seekg(-kept, std::ios::end);
  file.read(text.data(), kept);
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text.size() > length ? text.substr(text.size() - length) : text;
}

/// Whether the regular file at `path` is where this process's standard output goes: replacing it
/// would throw away what was printed.
bool is_standard_output(const std::string& path) {
  struct stat named {
  }, output{};
  return stat(path.c_str(), &named) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
         named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

}  // namespace

output_file::output_file(const std::string& path, std::string_view flag)
    : path_(path), flag_(flag) {
  const auto refuse = [&](const std::string& why) -> usage_error {
    return usage_error(flag_ + "=" + path + ": " + why);
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw refuse("is a folder, a file name is needed");
  if (fs::exists(status)) {
    if (access(path.c_str(), W_OK) != 0) throw refuse("cannot be written: " + reason(errno));
    if (!fs::is_regular_file(status)) {
      target_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (target_ < 0) throw refuse("cannot be written: " + reason(errno));
      contents_ = memfd_create("sectorbench", MFD_CLOEXEC);
      if (contents_ < 0) throw refuse("cannot be written: " + reason(errno));
      temporary_path_ = "/proc/self/fd/" + std::to_string(contents_);
      return;
    }
    if (is_standard_output(path))
      throw refuse(
          "is the file that standard output is redirected to, where the table goes; give a "
          "file of its own");
  }
  path_ = fs::weakly_canonical(fs::absolute(path), error)
              .string();  // two spellings of a path are one file
  if (error) throw refuse("cannot be written: " + error.message());
  const fs::path folder = fs::path(path_).has_parent_path() ? fs::path(path_).parent_path() : ".";
  if (!fs::is_directory(folder, error))
    throw refuse("there is no folder '" + folder.string() + "'");
  temporary_path_ = path_ + ".tmp." + std::to_string(getpid());
  if (is_temporary(temporary_path_)) throw refuse("the same file is given twice");
  // Only making the file tells whether it can be made: permissions alone do not show a read-only
  // disk or a name that is too long. One of that name is left over from a killed process, as
  // process numbers come again.
  const int made =
      open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0) throw refuse("cannot be written: " + reason(errno));
  close(made);
  static const int kAtExit = std::atexit(remove_unfinished_files);  // the library may end it all
  static_cast<void>(kAtExit);
  replace_temporary(nullptr, temporary_path_.c_str());
}

output_file::~output_file() {
  if (target_ >= 0) {
    close(target_);
    close(contents_);
    return;
  }
  if (!committed_) unlink(temporary_path_.c_str());
  replace_temporary(temporary_path_.c_str(), nullptr);
}

void output_file::commit(std::string_view expected_end) {
  if (!tail_of(temporary_path_, expected_end.size()).ends_with(expected_end))
    throw std::runtime_error(flag_ + "=" + path_ +
                             ": the file was cut off while it was written (is the disk full?)");
  if (target_ >= 0) {
    std::cout.flush();  // the same pipe may be standard output
    std::fflush(stdout);
    std::ifstream contents(temporary_path_, std::ios::binary);
    if (!write_all(target_, std::string(std::istreambuf_iterator<char>(contents), {})))
      throw std::runtime_error(flag_ + "=" + path_ + ": could not be written: " + reason(errno));
    return;
  }
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) throw std::runtime_error(flag_ + "=" + path_ + ": " + error.message());
  committed_ = true;
}

void remove_unfinished_files() noexcept {
  for (const auto& one : temporaries)
    if (const char* const path = one.load()) unlink(path);
}

void write_whole(output_file& file, const std::string& flag, const std::string& text) {
  std::ofstream to(file.temporary_path(), std::ios::binary);
  to << text;
  to.close();
  if (!to)
    throw std::runtime_error(flag +
                             ": the file was cut off while it was written (is the disk full?)");
  file.commit();
}

}  // namespace sectorbench
