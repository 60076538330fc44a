// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/context.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>

#include "bench/devices/host_info.hpp"
#include "bench/support/block.hpp"
#include "bench/support/build_info.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

/// A change of a key or of its meaning changes this number.
constexpr int kEvidenceVersion = 2;

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

/// Device facts that differ between the GPUs of a run.
bool is_of_one_gpu(std::string_view key) {
  constexpr std::string_view kGroups[] = {
      "gpu.",  "clock.",           "event.", "counters", "clock_check", "cuda.architecture_loaded",
      "peer.", "cache.flush_proof"};
  return std::ranges::any_of(kGroups,
                             [&](std::string_view group) { return key.starts_with(group); });
}

/// "gpu.uuid" of GPU 1 as "gpu.1.uuid", "clock.sm_mhz" as "gpu.1.clock.sm_mhz".
std::string key_of_gpu(std::string_view key, int index) {
  constexpr std::string_view kGpu = "gpu.";
  if (key.starts_with(kGpu)) key.remove_prefix(kGpu.size());
  return std::string(kGpu) + std::to_string(index) + "." + std::string(key);
}

void add_device_facts(evidence& facts, const std::vector<selected_device>& devices) {
  for (const selected_device& selected : devices)
    for (auto& [key, value] : selected.device->facts())
      if (devices.size() == 1)
        facts.emplace_back(key, value);
      else if (is_of_one_gpu(key))
        facts.emplace_back(key_of_gpu(key, selected.device->index().value_or(0)), value);
      else if (&selected == &devices.front())
        facts.emplace_back(key, value);
  if (devices.size() > 1) facts.emplace_back("gpu.count", std::to_string(devices.size()));
}

void add_mappings(evidence& facts, const std::vector<suite_row>& rows) {
  std::map<std::string_view, std::string_view> mappings;
  for (const suite_row& row : rows)
    mappings.emplace(row.spec.pattern->name, row.spec.pattern->mapping);
  for (const auto& [name, mapping] : mappings)
    facts.emplace_back("pattern." + std::string(name) + ".mapping", mapping);
}

std::string_view name_of(protocol_kind protocol) {
  switch (protocol) {
    case protocol_kind::kReference:
      return "reference";
    case protocol_kind::kProfile:
      return "profile";
    case protocol_kind::kDefault:
      break;
  }
  return "default";
}

}  // namespace

evidence collect_evidence(const options& wanted, const std::vector<selected_device>& devices,
                          const timing_rules& rules, const std::vector<suite_row>& rows,
                          index_t default_bytes) {
  const auto number = [](auto value) { return std::to_string(value); };
  const host_info host = read_host_info();
  const selected_device& selected = devices.front();
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
      {"protocol", std::string(name_of(wanted.protocol))},
      {"warmup_launches", number(rules.warmup_launches)},
      {"batch", rules.fixed_launches > 0
                    ? number(rules.fixed_launches) + " launches"
                    : "launches for " + format_time(rules.sample_s) + ", at most " +
                          number(selected.device->max_launches())},
      {"batches_per_round", number(rules.samples_per_round)},
      {"verification",
       "coverage proof, outputs compared bitwise with two fills before timing and "
       "one after; a row that fails has no numbers"},
      {"cache_mode", wanted.caches == cache_mode::kCold ? "cold" : "warm"},
      {"buffer_bytes", wanted.elements.empty() ? number(wanted.bytes.value_or(default_bytes))
                                               : "elements x element size"},
      {"elements",
       wanted.elements.empty() ? "buffer_bytes / element size" : list_of(wanted.elements, number)},
      {"block",
       wanted.blocks.empty() ? block_text(block_size{}) : list_of(wanted.blocks, block_text)},
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
      {"host.affinity", host.affinity},
      {"host.cpu_quota", host.cpu_quota > 0 ? format_fixed(host.cpu_quota, 2) + " CPUs" : "none"},
      {"host.numa_nodes", host.numa_nodes},
      {"host.wait_policy", host.wait_policy},
      {"host.omp_places", host.places},
      {"host.omp_proc_bind", host.proc_bind},
      {"host.governor", host.governor},
      {"host.turbo", host.turbo},
      {"host.load_begin", format_fixed(host.load_1min, 2)},
  };
  add_device_facts(facts, devices);
  add_mappings(facts, rows);
  for (auto& [key, value] : facts) value = sanitize(value);
  return facts;
}

}  // namespace sectorbench
