// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/tools_attached.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace sectorbench {
namespace {

enum class trace {
  kVariable,  // an environment variable whose name starts so
  kLibrary,   // a library, mapped or about to be, whose file name starts so
};

struct tool_trace {
  std::string_view tool;
  trace kind;
  std::string_view prefix;
};

// In the order of decision. Seen in published listings of the environment and the mapped files of
// processes under Nsight Compute 2024.3, Nsight Systems 2024.6 and 2026.3 and Compute Sanitizer
// 2025.3. NV_COMPUTE_PROFILER_ is not a prefix of ncu alone: its users set others of that name.
// libcupti and libnvperf are left out: this program may load them itself.
constexpr tool_trace kTraces[] = {
    {"compute-sanitizer", trace::kVariable, "NV_SANITIZER_INJECTION_"},
    {"compute-sanitizer", trace::kLibrary, "libsanitizer-collection.so"},
    {"compute-sanitizer", trace::kLibrary, "libsanitizer-public.so"},
    {"nsys", trace::kVariable, "NSYS_PROFILING_SESSION_ID"},
    {"nsys", trace::kVariable, "QUADD_INJECTION_PROXY"},
    {"nsys", trace::kLibrary, "libToolsInjection"},
    {"ncu", trace::kVariable, "NV_COMPUTE_PROFILER_PERFWORKS_DIR"},
    {"ncu", trace::kVariable, "NV_NSIGHT_INJECTION_"},
    {"ncu", trace::kLibrary, "libcuda-injection.so"},
    {"nvprof", trace::kVariable, "NVPROF_ID"},
    {"nvprof", trace::kLibrary, "libcuinj64"},
    // The launcher that several of them share.
    {"an Nsight tool", trace::kVariable, "NV_TPS_LAUNCH_TOKEN"},
    {"an Nsight tool", trace::kLibrary, "libTreeLauncher"},
    {"an Nsight tool", trace::kLibrary, "libInterceptorInjectionTarget.so"},
};

// The driver loads what this one names into every CUDA process.
constexpr std::string_view kCudaInjection = "CUDA_INJECTION64_PATH";
// These may name a tool's library without it slowing any launch, so only known ones count.
constexpr std::string_view kOtherInjections[] = {"NVTX_INJECTION64_PATH", "LD_PRELOAD"};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::string_view> value_of(const process_view& view, std::string_view name) {
  for (const std::string_view entry : view.environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// File names of the libraries that are mapped or that an injection variable names.
std::vector<std::string_view> libraries_of(const process_view& view) {
  std::vector<std::string_view> names;
  // The path is the rest of the line, so it may hold blanks.
  for (const std::string_view line : split(view.maps, "\n"))
    if (const auto slash = line.find('/'); slash != std::string_view::npos)
      names.push_back(file_name(line.substr(slash)));
  if (const auto value = value_of(view, kCudaInjection)) names.push_back(file_name(*value));
  for (const std::string_view variable : kOtherInjections)
    if (const auto value = value_of(view, variable))
      for (const std::string_view path : split(*value, ": ")) names.push_back(file_name(path));
  return names;
}

}  // namespace

process_view this_process() {
  process_view view;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    view.environment.emplace_back(*entry);
  std::ifstream maps("/proc/self/maps");
  view.maps.assign(std::istreambuf_iterator<char>(maps), {});
  return view;
}

std::string attached_tool(const process_view& view) {
  const std::vector<std::string_view> libraries = libraries_of(view);
  for (const tool_trace& known : kTraces) {
    if (known.kind == trace::kVariable) {
      for (const std::string_view entry : view.environment)
        if (entry.starts_with(known.prefix)) return std::string(known.tool);
    } else {
      for (const std::string_view library : libraries)
        if (library.starts_with(known.prefix)) return std::string(known.tool);
    }
  }
  const auto injected = value_of(view, kCudaInjection);
  if (injected && !injected->empty())
    return "a CUDA injection library (" + std::string(file_name(*injected)) + ")";
  return {};
}

bool launch_blocking_requested(const process_view& view) {
  const auto value = value_of(view, "CUDA_LAUNCH_BLOCKING");
  return value && !value->empty() && *value != "0";
}

}  // namespace sectorbench
