// SPDX-License-Identifier: Apache-2.0
#include "bench/context.hpp"

#include <fstream>

#include "bench/build_info.hpp"
#include "bench/host_info.hpp"
#include "bench/text.hpp"

namespace sectorbench {
namespace {

/// A change of a key or of its meaning changes this number.
constexpr int kEvidenceVersion = 1;

template <class Values, class ToText>
std::string list_of(const Values& values, const ToText& to_text) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ",") + to_text(value);
  return text;
}

/// The setting in brackets of a line such as "always [madvise] never".
std::string transparent_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const auto open = line.find('['), close = line.find(']');
  return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1)
                                                    : "unknown";
}

}  // namespace

evidence collect_evidence(const options& wanted, const selected_device& selected,
                          index_t default_bytes) {
  const auto number = [](auto value) { return std::to_string(value); };
  const host_info host = read_host_info();
  const bool reference = wanted.protocol == protocol_kind::kReference;
  evidence facts{
      {"evidence.version", number(kEvidenceVersion)},
      {"sectorbench.version", kBuildInfo.version},
      {"sectorbench.revision", kBuildInfo.revision},
      {"sectorbench.dirty", kBuildInfo.dirty ? "yes" : "no"},
      {"build.type", kBuildInfo.build_type},
      {"build.compiler", kBuildInfo.compiler},
      {"build.flags", kBuildInfo.cxx_flags},
      {"build.benchmark_version", kBuildInfo.benchmark_version},
      {"backend", std::string(selected.device->name())},
      {"backend.reason", selected.notice.empty() ? "as asked" : selected.notice},
      {"tool", selected.tool.empty() ? "none" : selected.tool},
      {"suite", wanted.suite == suite_kind::kReference ? "reference" : "default"},
      {"quick", wanted.quick ? "yes" : "no"},
      {"protocol", reference ? "reference" : "default"},
      {"cache_mode", "warm"},
      {"buffer_bytes", wanted.elements.empty() ? number(wanted.bytes.value_or(default_bytes))
                                               : "elements x element size"},
      {"elements",
       wanted.elements.empty() ? "buffer_bytes / element size" : list_of(wanted.elements, number)},
      {"block", wanted.blocks.empty() ? number(block_size{}.x) : list_of(wanted.blocks, number)},
      {"fill.seed", number(wanted.seed)},
      {"host.cpu_model", host.cpu_model},
      {"host.cores", number(host.cores)},
      {"host.hardware_threads", number(host.hardware_threads)},
      {"host.openmp_threads", number(host.openmp_threads)},
      {"host.l1d_bytes", number(host.l1d_bytes)},
      {"host.l2_bytes", number(host.l2_bytes)},
      {"host.l3_bytes", number(host.l3_bytes)},
      {"host.memory_bytes", number(host.memory_bytes)},
      {"host.transparent_huge_pages", transparent_huge_pages()},
  };
  for (auto& fact : selected.device->facts()) facts.push_back(std::move(fact));
  for (auto& [key, value] : facts) value = sanitize(value);
  return facts;
}

}  // namespace sectorbench
