// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sectorbench {

/// A result file that appears whole or not at all.
///
/// What is written goes to temporary_path(), in the same folder; commit() puts it in the place of
/// whatever stood at the path before. Without a commit that stays as it was.
///
///     output_file file("rows.json", "--benchmark_out");  // a bad path is refused here
///     write_rows(file.temporary_path());
///     file.commit();
///
/// A path that is a device or a pipe (/dev/stdout, /dev/null) cannot be replaced: it is opened at
/// once, which waits for a pipe's reader, and the commit writes all to it. A symbolic link stays
/// one: the file it points to is replaced.
class output_file {
 public:
  /// @param flag stands in front of error messages.
  /// @throws usage_error if the path is a folder or cannot be written.
  output_file(const std::string& path, std::string_view flag);

  /// Removes the temporary file unless it was committed.
  ~output_file();

  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Where to write; exists and is empty to begin with.
  const std::string& temporary_path() const { return temporary_path_; }

  /// Puts the file in its place.
  /// @throws std::runtime_error if that fails, or if the file does not end in `expected_end`,
  /// trailing white space aside: then it is cut off, as on a full disk, which the library does not
  /// notice.
  void commit(std::string_view expected_end = {});

 private:
  std::string path_;
  std::string flag_;
  std::string temporary_path_;
  int target_ = -1;    // of a device or a pipe
  int contents_ = -1;  // what is to be written there, in memory
  bool committed_ = false;
};

/// Removes what stands beside result files that were not committed; a signal handler may call it.
void remove_unfinished_files() noexcept;

/// Writes all of `text` and puts the file in its place. @param flag stands in front of the message
/// @throws std::runtime_error if it could not be written: then what stood there is left
void write_whole(output_file& file, const std::string& flag, const std::string& text);

}  // namespace sectorbench
