// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The project's own files, for tests that hold code and documents together.

namespace sectorbench::test {

inline std::filesystem::path source_tree() { return SECTORBENCH_SOURCE_DIR; }

/// Names, without extension, of the files with `extension` in a folder; sorted.
inline std::vector<std::string> stems_in(const std::filesystem::path& folder,
                                         std::string_view extension) {
  std::vector<std::string> stems;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == extension) stems.push_back(file.path().stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace sectorbench::test
