// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/host_info.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string first_line(const fs::path& path) {
  const std::vector<std::string> lines = lines_of(path);
  return lines.empty() ? "" : lines.front();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// The number that `text` begins with.
std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t number = 0;
  const std::string_view digits = trimmed(text);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return result.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

// The number after `key` on the line that begins with it.
std::optional<std::int64_t> number_after(const fs::path& path, std::string_view key) {
  for (const std::string& line : lines_of(path))
    if (line.starts_with(key)) return leading_number(std::string_view(line).substr(key.size()));
  return std::nullopt;
}

void read_cpu(const fs::path& root, host_info& info) {
  for (const std::string& line : lines_of(root / "proc/cpuinfo")) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = trimmed(std::string_view(line).substr(0, colon));
    if (key == "processor") ++info.hardware_threads;
    if (key == "model name" && info.cpu_model.empty())
      info.cpu_model = sanitize(trimmed(std::string_view(line).substr(colon + 1)));
  }
  if (info.cpu_model.empty()) {  // Arm's cpuinfo has no names
    utsname system{};
    info.cpu_model = uname(&system) == 0 ? sanitize(system.machine) : "unknown";
  }
  std::set<std::string> cores;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(root / "sys/devices/system/cpu", error))
    if (const std::string siblings = first_line(entry.path() / "topology/thread_siblings_list");
        !siblings.empty())
      cores.insert(siblings);
  info.cores = cores.empty() ? info.hardware_threads : static_cast<int>(cores.size());
#if defined(_OPENMP)
  info.openmp_threads = omp_get_max_threads();
#endif
}

void read_caches(const fs::path& root, host_info& info) {
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(root / "sys/devices/system/cpu/cpu0/cache", error)) {
    if (first_line(entry.path() / "type") == "Instruction") continue;
    const std::string size = first_line(entry.path() / "size");
    std::int64_t bytes = leading_number(size).value_or(0);
    if (size.ends_with('K')) bytes <<= 10;
    if (size.ends_with('M')) bytes <<= 20;
    const std::string level = first_line(entry.path() / "level");
    if (level == "1") info.l1d_bytes = bytes;
    if (level == "2") info.l2_bytes = bytes;
    if (level == "3") info.l3_bytes = bytes;
  }
}

// Where one version of control groups keeps the limits of a controller.
struct cgroup_files {
  fs::path mount;
  std::string group;  // this process's, as /proc/self/cgroup names it
  bool has_memory = false, has_cpu = false;
  std::string limit, usage, reclaimable;
};

std::vector<cgroup_files> cgroups(const fs::path& root) {
  std::vector<cgroup_files> found;
  for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
    const std::vector<std::string_view> fields = split(line, ':');
    if (fields.size() < 3) continue;
    const std::string group(fields[2].substr(std::min<std::size_t>(1, fields[2].size())));
    if (fields[1].empty())
      found.push_back({root / "sys/fs/cgroup", group, true, true, "memory.max", "memory.current",
                       "inactive_file "});
    for (const std::string_view controller : split(fields[1], ','))
      if (controller == "memory" || controller == "cpu")
        found.push_back({root / "sys/fs/cgroup" / controller, group, controller == "memory",
                         controller == "cpu", "memory.limit_in_bytes", "memory.usage_in_bytes",
                         "total_inactive_file "});
  }
  return found;
}

// The CPUs of a group's quota, 0 if it has none: "50000 100000" in cpu.max, two files before that.
double quota_of(const fs::path& folder) {
  const std::string both = first_line(folder / "cpu.max");
  const auto blank = both.find(' ');
  const auto quota = blank != std::string::npos
                         ? leading_number(both)
                         : leading_number(first_line(folder / "cpu.cfs_quota_us"));
  const auto period = blank != std::string::npos
                          ? leading_number(std::string_view(both).substr(blank))
                          : leading_number(first_line(folder / "cpu.cfs_period_us"));
  if (!quota || !period || *quota <= 0 || *period <= 0) return 0;  // "max", or -1
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// Every group up to the mount bounds what is below it. In a container the group's path is often
// the host's and not there; the mount itself is then the container's group.
void bound_by_cgroups(const fs::path& root, host_info& info) {
  for (const cgroup_files& files : cgroups(root)) {
    fs::path relative = files.group;
    for (;;) {
      const fs::path folder = relative.empty() ? files.mount : files.mount / relative;
      if (const double quota = files.has_cpu ? quota_of(folder) : 0; quota > 0)
        info.cpu_quota = info.cpu_quota > 0 ? std::min(info.cpu_quota, quota) : quota;
      // "max" is no number: no limit.
      if (const auto limit = leading_number(first_line(folder / files.limit));
          limit && files.has_memory) {
        const std::int64_t usage = leading_number(first_line(folder / files.usage)).value_or(0);
        const std::int64_t cache =
            number_after(folder / "memory.stat", files.reclaimable).value_or(0);
        const std::int64_t used = std::max<std::int64_t>(0, usage - cache);
        info.memory_bytes = std::min(info.memory_bytes, *limit);
        info.memory_available_bytes =
            std::min(info.memory_available_bytes, std::max<std::int64_t>(0, *limit - used));
      }
      if (relative.empty()) break;
      relative = relative.parent_path();
    }
  }
}

std::string after(const fs::path& path, std::string_view key) {
  for (const std::string& line : lines_of(path))
    if (line.starts_with(key))
      return std::string(trimmed(std::string_view(line).substr(key.size())));
  return "unknown";
}

std::string known_or(std::string text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? sanitize(value) : "unset";
}

void read_scheduling(const fs::path& root, host_info& info) {
  info.affinity = after(root / "proc/self/status", "Cpus_allowed_list:");
  info.numa_nodes = after(root / "proc/self/status", "Mems_allowed_list:");
  const fs::path cpus = root / "sys/devices/system/cpu";
  info.governor = known_or(first_line(cpus / "cpu0/cpufreq/scaling_governor"), "unknown");
  const std::string no_turbo = first_line(cpus / "intel_pstate/no_turbo");
  const std::string boost = first_line(cpus / "cpufreq/boost");
  info.turbo = no_turbo == "0" || boost == "1"   ? "on"
               : no_turbo == "1" || boost == "0" ? "off"
                                                 : "unknown";
  info.wait_policy = variable("OMP_WAIT_POLICY");
  info.places = variable("OMP_PLACES");
  info.proc_bind = variable("OMP_PROC_BIND");
  std::ifstream(root / "proc/loadavg") >> info.load_1min;
}

}  // namespace

host_info read_host_info(const std::filesystem::path& root) {
  host_info info;
  read_cpu(root, info);
  read_caches(root, info);
  const fs::path meminfo = root / "proc/meminfo";
  info.memory_bytes = number_after(meminfo, "MemTotal:").value_or(0) * 1024;
  info.memory_available_bytes = number_after(meminfo, "MemAvailable:").value_or(0) * 1024;
  bound_by_cgroups(root, info);
  read_scheduling(root, info);
  return info;
}

}  // namespace sectorbench
