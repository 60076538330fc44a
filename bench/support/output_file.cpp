// SPDX-License-Identifier: Apache-2.0
#include "bench/support/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

// The temporary files of this process.
std::set<std::string>& temporaries() {
  static std::set<std::string> paths;
  return paths;
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
      direct_ = true;
      temporary_path_ = path_;
      return;
    }
    if (is_standard_output(path))
      throw refuse(
          "is the file that standard output is redirected to, where the table goes; give a "
          "file of its own");
    path_ = fs::canonical(path, error).string();
    if (error) throw refuse(error.message());
  }
  const fs::path folder = fs::path(path_).has_parent_path() ? fs::path(path_).parent_path() : ".";
  if (!fs::is_directory(folder, error))
    throw refuse("there is no folder '" + folder.string() + "'");
  temporary_path_ = path_ + ".tmp." + std::to_string(getpid());
  if (temporaries().contains(temporary_path_)) throw refuse("the same file is given twice");
  // Only making the file tells whether it can be made: permissions alone do not show a read-only
  // disk or a name that is too long. One of that name is left over from a killed process, as
  // process numbers come again.
  const int made =
      open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0) throw refuse("cannot be written: " + reason(errno));
  close(made);
  temporaries().insert(temporary_path_);
}

output_file::~output_file() {
  if (direct_) return;
  temporaries().erase(temporary_path_);
  if (!committed_) unlink(temporary_path_.c_str());
}

void output_file::commit(std::string_view expected_end) {
  if (direct_) return;
  if (!tail_of(temporary_path_, expected_end.size()).ends_with(expected_end))
    throw std::runtime_error(flag_ + "=" + path_ +
                             ": the file was cut off while it was written (is the disk full?)");
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) throw std::runtime_error(flag_ + "=" + path_ + ": " + error.message());
  committed_ = true;
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
