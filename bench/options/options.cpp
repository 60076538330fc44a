// SPDX-License-Identifier: Apache-2.0
#include "bench/options/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "bench/options/library_flags.hpp"
#include "bench/support/bad_value.hpp"
#include "bench/support/block.hpp"
#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxElements = kMaxInt64 / size_of(element_type::kF32x4);

template <typename Number>
std::optional<Number> read_whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A whole number of at least 1, plain or in Ki, Mi or Gi, of at most `limit`.
std::int64_t read_count(std::string_view text, std::int64_t limit, const std::string& allowed) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kSuffixes{
      {{"Ki", std::int64_t{1} << 10},
       {"Mi", std::int64_t{1} << 20},
       {"Gi", std::int64_t{1} << 30}}};
  std::int64_t unit = 1;
  std::string_view digits = text;
  for (const auto& [suffix, factor] : kSuffixes)
    if (text.ends_with(suffix)) {
      unit = factor;
      digits.remove_suffix(suffix.size());
    }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    throw bad_value(allowed);
  const std::optional<std::int64_t> number = read_whole<std::int64_t>(digits);
  if (!number || *number > limit / unit)
    throw bad_value("too large, at most " + std::to_string(limit) + ": " + allowed);
  if (*number == 0) throw bad_value(allowed);
  return *number * unit;
}

// The value called `name` in a table of pairs.
template <typename Table>
auto read_name(std::string_view name, const Table& table, std::string_view kind) {
  std::vector<std::string_view> known;
  for (const auto& [value, spelling] : table) {
    if (spelling == name) return value;
    known.push_back(spelling);
  }
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'; ";
  if (const std::string_view near = near_match(name, known); !near.empty())
    text.append("did you mean ").append(near).append("? ");
  throw bad_value(text + "known: " + join(known, ", "));
}

// Each part of a comma-separated list, read by `read`; the same value twice is refused, as it would
// make two rows of one name.
template <typename Read>
auto read_list(std::string_view text, Read read) {
  std::vector<std::invoke_result_t<Read, std::string_view>> values;
  const std::vector<std::string_view> parts = split(text, ',');
  for (const std::string_view part : parts) {
    const std::string where = parts.size() > 1 ? "at '" + std::string(part) + "': " : "";
    try {
      if (part.empty() && parts.size() > 1) throw bad_value("an empty part in a list");
      const auto value = read(part);
      if (std::find(values.begin(), values.end(), value) != values.end())
        throw bad_value("the same value twice");
      values.push_back(value);
    } catch (const bad_value& error) {
      throw bad_value(where + error.what());
    }
  }
  return values;
}

std::vector<std::int64_t> read_counts(std::string_view text, std::int64_t limit,
                                      const std::string& allowed) {
  return read_list(text, [&](std::string_view part) { return read_count(part, limit, allowed); });
}

device_choice read_device(std::string_view text) {
  if (text == "auto") return {device_kind::kAuto, {}};
  if (text == "host") return {device_kind::kHost, {}};
  if (text == "cuda") return {device_kind::kCuda, {}};
  if (text == "all") return {device_kind::kAll, {}};
  constexpr std::string_view kIndexed = "cuda:";
  if (text.starts_with(kIndexed)) {
    const std::string_view digits = text.substr(kIndexed.size());
    const std::optional<int> index = read_whole<int>(digits);
    if (index && digits.front() != '-') return {device_kind::kCuda, index};
    throw bad_value("a GPU has a whole number from 0 on, e.g. --device=cuda:0");
  }
  constexpr std::array<std::pair<int, std::string_view>, 5> kDevices{
      {{0, "auto"}, {1, "host"}, {2, "cuda"}, {3, "cuda:N"}, {4, "all"}}};
  read_name(text, kDevices, "device");
  throw bad_value("N stands for the GPU's number, e.g. --device=cuda:0");
}

void read_device_flag(std::string_view value, options& to) { to.device = read_device(value); }

constexpr std::array<std::pair<suite_kind, std::string_view>, 6> kSuites{
    {{suite_kind::kDefault, "default"},
     {suite_kind::kReference, "reference"},
     {suite_kind::kQuick, "quick"},
     {suite_kind::kFull, "full"},
     {suite_kind::kHealth, "health"},
     {suite_kind::kSweep, "sweep"}}};

/// Whether a suite that has none of the names is a file.
bool is_file(std::string_view suite) {
  std::error_code ignored;
  return suite.find_first_of("/.") != std::string_view::npos ||
         (std::filesystem::exists(suite, ignored) &&
          !std::filesystem::is_directory(suite, ignored));
}

void read_suite(std::string_view value, options& to) {
  to.suite_file.clear();
  const bool is_named =
      std::ranges::any_of(kSuites, [&](const auto& suite) { return suite.second == value; });
  if (!is_named && is_file(value)) {
    to.suite = suite_kind::kFile;
    to.suite_file = value;
    return;
  }
  try {
    to.suite = read_name(value, kSuites, "suite");
  } catch (const bad_value& error) {
    throw bad_value(error.what() + std::string(", or a file of row names"));
  }
}

void read_progress(std::string_view value, options& to) {
  constexpr std::array<std::pair<progress_mode, std::string_view>, 3> kModes{
      {{progress_mode::kAuto, "auto"}, {progress_mode::kOn, "on"}, {progress_mode::kOff, "off"}}};
  to.progress = read_name(value, kModes, "progress mode");
}

void read_protocol(std::string_view value, options& to) {
  constexpr std::array<std::pair<protocol_kind, std::string_view>, 2> kProtocols{
      {{protocol_kind::kDefault, "default"}, {protocol_kind::kReference, "reference"}}};
  to.protocol = read_name(value, kProtocols, "protocol");
}

void read_blocking(std::string_view value, options& to) {
  constexpr std::array<std::pair<blocking_mode, std::string_view>, 3> kModes{
      {{blocking_mode::kAuto, "auto"}, {blocking_mode::kOn, "on"}, {blocking_mode::kOff, "off"}}};
  to.blocking = read_name(value, kModes, "blocking mode");
}

void read_counters(std::string_view value, options& to) {
  constexpr std::array<std::pair<counters_mode, std::string_view>, 3> kModes{
      {{counters_mode::kOff, "off"},
       {counters_mode::kAuto, "auto"},
       {counters_mode::kRequire, "require"}}};
  to.counters = read_name(value, kModes, "counters mode");
}

void read_require(std::string_view value, options& to) {
  constexpr std::array<std::pair<bool, std::string_view>, 1> kRequirements{{{true, "quiet"}}};
  to.require_quiet = read_name(value, kRequirements, "requirement");
}

void read_extra_metrics(std::string_view value, options& to) {
  to.extra_metrics = read_list(value, [](std::string_view name) {
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_.") != std::string_view::npos)
      throw bad_value(
          "a metric is named as CUPTI and ncu name it, e.g. "
          "--counter=lts__t_sectors_op_read.sum");
    return std::string(name);
  });
}

void read_clock_check(std::string_view value, options& to) {
  constexpr std::array<std::pair<bool, std::string_view>, 2> kModes{
      {{true, "auto"}, {false, "off"}}};
  to.clock_check = read_name(value, kModes, "clock check mode");
}

void read_cache(std::string_view value, options& to) {
  constexpr std::array<std::pair<cache_mode, std::string_view>, 2> kModes{
      {{cache_mode::kWarm, "warm"}, {cache_mode::kCold, "cold"}}};
  to.caches = read_name(value, kModes, "cache mode");
}

void read_fetch_granularity(std::string_view value, options& to) {
  constexpr std::array<std::pair<int, std::string_view>, 3> kSizes{
      {{32, "32"}, {64, "64"}, {128, "128"}}};
  to.l2_fetch_granularity = read_name(value, kSizes, "number of bytes");
}

void read_load_op(std::string_view value, options& to) {
  to.cache_operators.loads = read_name(value, kLoadOps, "cache operator of loads");
}

void read_store_op(std::string_view value, options& to) {
  to.cache_operators.stores = read_name(value, kStoreOps, "cache operator of stores");
}

void read_occupancy(std::string_view value, options& to) {
  to.occupancy = static_cast<int>(read_count(
      value, 32, "an SM holds a whole number of blocks from 1 to 32, e.g. --occupancy=2"));
}

void read_space(std::string_view value, options& to) {
  constexpr std::array<std::pair<bool, std::string_view>, 2> kSides{
      {{false, "loads"}, {true, "stores"}}};
  const std::size_t colon = value.find(':');
  to.space.space = read_name(value.substr(0, colon), kMemorySpaces, "memory space");
  to.space.stores = colon != std::string_view::npos &&
                    read_name(value.substr(colon + 1), kSides, "side of a row");
}

void read_bytes(std::string_view value, options& to) {
  to.bytes = read_count(value, kMaxInt64,
                        "a buffer's size is a whole number of bytes of at least 1, plain or with "
                        "Ki, Mi or Gi, e.g. --bytes=256Mi");
}

void read_elements(std::string_view value, options& to) {
  to.elements = read_counts(value, kMaxElements,
                            "a number of elements is a whole number of at least 1, plain or with "
                            "Ki, Mi or Gi, e.g. --elements=4Mi");
}

void read_types(std::string_view value, options& to) {
  to.types = read_list(
      value, [](std::string_view name) { return read_name(name, kElementTypes, "element type"); });
}

void read_ops(std::string_view value, options& to) {
  to.ops = read_list(
      value, [](std::string_view name) { return read_name(name, kOperations, "operation"); });
}

void read_rows(std::string_view value, options& to) {
  to.rows = read_list(value, [](std::string_view name) { return std::string(name); });
}

void read_indexed(std::string_view value, options& to) {
  if (value.empty()) throw bad_value("a list is missing, e.g. --indexed=UNIFORM:8:4:NR");
  to.indexed = value;
}

void read_strides(std::string_view value, options& to) {
  to.strides = read_counts(value, kMaxParameter,
                           "a stride is a whole number from 1 to 2147483647, e.g. --strides=1,2,8");
}

void read_chunks(std::string_view value, options& to) {
  to.chunks =
      read_counts(value, kMaxParameter,
                  "a chunk is a whole number of elements from 1 to 2147483647, e.g. --chunks=4,32");
}

void read_flops(std::string_view value, options& to) {
  to.flops = read_list(value, [](std::string_view part) {
    if (part == "balance") return kBalance;
    return read_count(part, 1 << 20,
                      "a number of multiply-adds is a whole number from 1 to 1048576, or "
                      "'balance', e.g. --flops=1,16,balance");
  });
}

void read_blocks(std::string_view value, options& to) {
  to.blocks = read_list(value, [](std::string_view part) {
    const auto block = block_named(part);
    if (!block) throw bad_value(std::string(kBlockRule) + ", e.g. --block=256,16x16");
    return *block;
  });
}

void read_max_wall(std::string_view value, options& to) {
  double seconds = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), seconds, std::chars_format::fixed);
  if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(seconds) ||
      seconds <= 0)
    throw bad_value("a bound is a number of seconds above 0, e.g. --max_wall=30");
  to.max_wall_s = seconds;
}

void read_seed(std::string_view value, options& to) {
  const std::optional<std::uint64_t> seed = read_whole<std::uint64_t>(value);
  if (!seed) throw bad_value("a seed is a whole number from 0 to 2^64 - 1, e.g. --seed=1");
  to.seed = *seed;
}

void read_json_lines(std::string_view value, options& to) {
  if (value.empty()) throw bad_value("a file name is missing, e.g. --json_lines=rows.jsonl");
  to.json_lines = value;
}

void read_check(std::string_view value, options& to) {
  constexpr std::array<std::pair<bool, std::string_view>, 1> kChecks{{{true, "coalescing"}}};
  to.check = read_name(value, kChecks, "check");
}

void read_check_file(std::string_view value, options& to) {
  if (value.empty()) throw bad_value("a file name is missing, e.g. --from=rows.json");
  to.check_file = value;
}

void read_hint(std::string_view value, options& to) {
  constexpr std::array<std::pair<int, std::string_view>, 2> kHints{{{1, "1"}, {2, "2"}}};
  to.hint = read_name(value, kHints, "hint");
}

void read_gpus(std::string_view value, options& to) {
  for (const std::string_view part : split(value, ','))
    if (part.empty()) throw bad_value("a name or file is missing, e.g. --gpu=h200,t4");
  to.gpus = read_list(value, [](std::string_view part) { return std::string(part); });
}

void read_exports(std::string_view value, options& to) {
  to.ncu = read_list(value, [](std::string_view part) { return std::string(part); });
  if (to.ncu.front().empty() || to.ncu.size() > 2)
    throw bad_value("one file, or two to compare, e.g. --ncu=before.csv,after.csv");
}

struct flag {
  std::string_view name;
  // Its form; empty for a flag without a value, in brackets for one that may go without.
  std::string_view value;
  std::string_view example;
  std::string_view help;
  void (*read)(std::string_view value, options& to);
};

constexpr std::array kFlags{
    flag{"--device", "auto|host|cuda[:N]|all", "--device=host",
         "where to measure: auto takes the first GPU, or the CPU where there is none; all takes "
         "every GPU, one after another",
         read_device_flag},
    flag{"--suite", "NAME|FILE", "--suite=reference",
         "which rows: default; reference (the seven-row stride table alone); quick (what --quick "
         "does); full (every pattern, operation and type); health (seven rows for fleets); sweep "
         "(working sets from 64 KiB to 8 times the last cache); or those that a file names, one a "
         "line as --benchmark_list_tests prints them",
         read_suite},
    flag{"--protocol", "default|reference", "--protocol=reference",
         "how to time: reference takes 3 warm-ups and one unblocked event pair around 10 launches",
         read_protocol},
    flag{"--quick", "", "--quick", "a run of a few seconds with smaller buffers",
         [](std::string_view, options& to) { to.quick = true; }},
    flag{"--bytes", "N[Ki|Mi|Gi]", "--bytes=256Mi",
         "bytes of one buffer, the same for every element type (256Mi if neither this nor "
         "--elements is given)",
         read_bytes},
    flag{"--elements", "N[Ki|Mi|Gi],...", "--elements=4Mi",
         "elements of one buffer, of each row's own type; not together with --bytes",
         read_elements},
    flag{"--types", "T,...", "--types=f32,f64", "element types: u8, f16, f32, f64, f32x4",
         read_types},
    flag{"--ops", "OP,...", "--ops=copy,gather", "operations: copy, gather, scatter, read, write",
         read_ops},
    flag{"--rows", "ROW,...", "--rows=stride/copy/f64/stride:3",
         "these rows instead of a suite: names as --benchmark_list_tests prints them, any pattern "
         "with any operation, type and values",
         read_rows},
    flag{"--indexed", "LIST|FILE", "--indexed=UNIFORM:8:4:NR",
         "index lists instead of a suite, as Spatter writes them: a list (UNIFORM, MS1, LAPLACIAN, "
         "or numbers), Spatter's command line in quotes, or its JSON file; f64 unless --types says "
         "otherwise",
         read_indexed},
    flag{"--strides", "N,...", "--strides=1,2,8", "strides of the stride curve, in elements",
         read_strides},
    flag{"--chunks", "N,...", "--chunks=4,32", "consecutive elements that one thread walks",
         read_chunks},
    flag{"--flops", "K|balance,...", "--flops=1,16,balance",
         "dependent multiply-adds on each element, of the rows named compute: at steps 1, 8 and "
         "32; balance takes as many as the GPU does while it moves an element",
         read_flops},
    flag{"--block", "XxYxZ,...", "--block=128,16x16",
         "threads per block, at most 1024; z counts as more rows, so that 4x4x6 is 4x24; patterns "
         "of one dimension make a row of them, transposes have blocks of their own",
         read_blocks},
    flag{"--blocking", "auto|on|off", "--blocking=off",
         "hold the stream until a whole batch is queued; auto does so unless a profiler is there",
         read_blocking},
    flag{"--counters", "auto|off|require", "--counters=require",
         "read hardware counters beside the model: auto does where it is allowed (and not with "
         "--quick); require ends with exit status 1 where it is not, or where they differ",
         read_counters},
    flag{"--require", "quiet", "--require=quiet",
         "on the CPU: exit status 1 if other work on the machine disturbed a row", read_require},
    flag{"--counter", "METRIC,...", "--counter=lts__t_sectors_op_read.sum",
         "read these metrics too, by the names that CUPTI and ncu give them", read_extra_metrics},
    flag{"--clock_check", "auto|off", "--clock_check=off",
         "compare the event clock with CUPTI's activity records, once for each row",
         read_clock_check},
    flag{"--cache", "warm|cold", "--cache=cold",
         "cold writes a buffer larger than the last cache before each launch, outside the time",
         read_cache},
    flag{"--l2_fetch_granularity", "32|64|128", "--l2_fetch_granularity=32",
         "bytes that a load miss fetches from DRAM at most, as a hint to the driver",
         read_fetch_granularity},
    flag{"--load_op", "nc|ca|cg|cs", "--load_op=cg",
         "cache operator of loads, of contiguous and stride rows of f32 and f32x4 under copy, read "
         "and write; other rows are skipped (nc: the read-only path)",
         read_load_op},
    flag{"--store_op", "wb|cg|cs", "--store_op=cs", "cache operator of stores, of the same rows",
         read_store_op},
    flag{"--occupancy", "BLOCKS", "--occupancy=2",
         "keep an SM from holding more blocks, by dynamic shared memory", read_occupancy},
    flag{"--space", "SPACE[:SIDE]", "--space=peer:stores",
         "where the buffer of loads (or, with :stores, that of stores) lies: device, the GPU's own "
         "memory; peer, another GPU's; pinned, page-locked in the host's",
         read_space},
    flag{"--profile", "", "--profile",
         "for profilers: one warm-up and one launch for each row, in an NVTX range of its name",
         [](std::string_view, options& to) { to.protocol = protocol_kind::kProfile; }},
    flag{"--max_wall", "SECONDS", "--max_wall=30", "bound on the wall time of one row (30)",
         read_max_wall},
    flag{"--seed", "N", "--seed=1", "seed of the fill values", read_seed},
    flag{"--json_lines", "FILE", "--json_lines=rows.jsonl",
         "also write one JSON object a row: pattern, stride or chunk, ms, gbps, bytes",
         read_json_lines},
    flag{"--progress", "auto|on|off", "--progress=off",
         "say on standard error which row is measured; auto does so for a table on a terminal",
         read_progress},
    flag{"--list", "", "--list", "show the rows by pattern, and what each pattern is, and end",
         [](std::string_view, options& to) { to.list = true; }},
    flag{"--traps", "", "--traps",
         "run the known mistakes of such benchmarks beside the right measurements, and no suite",
         [](std::string_view, options& to) { to.traps = true; }},
    flag{"--check", "coalescing", "--check=coalescing",
         "check the exercise of docs/exercise.md: every row moves the same bytes, and stride 32 "
         "takes at least 8 times as long as stride 1; measures the reference suite, unless other "
         "rows are named",
         read_check},
    flag{"--from", "FILE", "--from=rows.json",
         "check what this file holds and measure nothing: JSON of this program, or JSON lines",
         read_check_file},
    flag{"--hint", "1|2", "--hint=1", "show a hint for the exercise and end", read_hint},
    flag{"--gpu", "NAME|FILE,...", "--gpu=h200",
         "the description that predictions take, e.g. h200, a100_80, or a file (describe --help); "
         "a run on "
         "a GPU "
         "takes that of the GPU unless this says another",
         read_gpus},
    flag{"--predict", "", "--predict",
         "predict the rows for --gpu= and measure nothing: needs no GPU; of several descriptions "
         "side by side",
         [](std::string_view, options& to) { to.predict = true; }},
    flag{"--explain", "", "--explain",
         "after the table say of each row in words what limits it and what helps",
         [](std::string_view, options& to) { to.explain = true; }},
    flag{"--ncu", "FILE[,FILE]", "--ncu=before.csv,after.csv",
         "with --explain: instead of rows explain the kernels that Nsight Compute has counted "
         "(docs/counters.md says how), and compare those of two files",
         read_exports},
    flag{"--why", "", "--why",
         "instead of a table measure each row and the same with one cause changed, beside what the "
         "model says of the change",
         [](std::string_view, options& to) { to.why = true; }},
    flag{"--calibrate", "[FILE]", "--calibrate=gpu.json",
         "measure what the model of traffic and time has to know of the GPU, and no suite; later "
         "runs on it use the file, which lies in the user's cache unless it is named",
         [](std::string_view value, options& to) {
           to.calibrate = true;
           to.calibration_file = value;
         }},
    flag{"--help", "", "--help", "show this text and end",
         [](std::string_view, options& to) { to.help = true; }},
    flag{"--version", "", "--version", "show what was built with what and end",
         [](std::string_view, options& to) { to.version = true; }},
};

void read_flag(const flag& known, std::string_view arg, options& to) {
  const std::string_view rest = arg.substr(known.name.size());
  if (known.value.empty() && !rest.empty())
    throw usage_error(std::string(arg) + ": " + std::string(known.name) + " takes no value");
  const bool optional = known.value.starts_with('[');
  if (!known.value.empty() && (optional ? rest == "=" : rest.empty()))
    throw usage_error(std::string(known.name) + ": a value is missing, e.g. " +
                      std::string(known.example));
  try {
    known.read(rest.empty() ? rest : rest.substr(1), to);
  } catch (const bad_value& error) {
    throw usage_error(std::string(arg) + ": " + error.what());
  }
}

}  // namespace

command_line parse_options(std::span<const std::string> args) {
  command_line parsed;
  for (const std::string& arg : args) {
    const std::string_view name = std::string_view(arg).substr(0, arg.find('='));
    const auto known = std::find_if(kFlags.begin(), kFlags.end(),
                                    [&](const flag& one) { return one.name == name; });
    if (known != kFlags.end())
      read_flag(*known, arg, parsed.ours);
    else if (arg.starts_with("--benchmark_") || name == "--v")
      parsed.library_args.push_back(arg);
    else
      throw unknown_argument(arg);
  }
  if (parsed.ours.bytes && !parsed.ours.elements.empty())
    throw usage_error("--bytes and --elements both say how large a buffer is: give one of them");
  if (parsed.ours.suite == suite_kind::kFile && !parsed.ours.rows.empty())
    throw usage_error("--rows and --suite=" + parsed.ours.suite_file +
                      " both name the rows: give one of them");
  if (!parsed.ours.indexed.empty() && parsed.ours.suite != suite_kind::kDefault &&
      parsed.ours.suite != suite_kind::kFile)
    throw usage_error("--indexed and --suite=" + suite_text(parsed.ours) +
                      " both name the rows: give one of them");
  if (parsed.ours.suite == suite_kind::kQuick) parsed.ours.quick = true;
  const std::pair<bool, std::string_view> instead_of_a_table[]{
      {parsed.ours.list, "--list"},
      {parsed.ours.traps, "--traps"},
      {parsed.ours.predict, "--predict"},
      {parsed.ours.why, "--why"},
      {parsed.ours.check || parsed.ours.hint > 0, parsed.ours.check ? "--check" : "--hint"},
      {parsed.ours.calibrate, "--calibrate"},
      {!parsed.ours.ncu.empty(), "--ncu"}};
  std::string_view first;
  for (const auto& [wanted, name] : instead_of_a_table) {
    if (wanted && !first.empty())
      throw usage_error(std::string(first) + " and " + std::string(name) +
                        " are runs of different kinds: give one of them");
    if (wanted) first = name;
  }
  if (!parsed.ours.check_file.empty() && parsed.ours.hint > 0)
    throw usage_error("--hint: a hint is shown and nothing is checked: leave out --from or --hint");
  if (!parsed.ours.check_file.empty() &&
      (!parsed.ours.rows.empty() || !parsed.ours.indexed.empty() ||
       parsed.ours.suite != suite_kind::kDefault))
    throw usage_error("--from=" + parsed.ours.check_file +
                      ": the file has the rows: leave out --rows, --suite and --indexed");
  if (!parsed.ours.check && !parsed.ours.check_file.empty())
    throw usage_error("--from=" + parsed.ours.check_file +
                      ": say what to check of it: --check=coalescing");
  if (parsed.ours.check && parsed.ours.protocol == protocol_kind::kProfile)
    throw usage_error("--profile: times of one launch are not fit to be checked (--check)");
  const bool names_no_rows = parsed.ours.suite == suite_kind::kDefault &&
                             parsed.ours.rows.empty() && parsed.ours.indexed.empty();
  if (parsed.ours.check && names_no_rows) parsed.ours.suite = suite_kind::kReference;
  if (parsed.ours.predict && parsed.ours.gpus.empty())
    throw usage_error("--predict: say for which GPU, e.g. --gpu=h200, or --gpu=h200,t4");
  if (!parsed.ours.ncu.empty() && !parsed.ours.explain)
    throw usage_error("--ncu: say what to do with the file: --explain");
  if (!parsed.ours.predict && parsed.ours.ncu.empty() && parsed.ours.gpus.size() > 1)
    throw usage_error("--gpu=...: a run takes one description; --predict takes several");
  const options& ours = parsed.ours;
  if (ours.counters == counters_mode::kOff && !ours.extra_metrics.empty())
    throw usage_error("--counter= names metrics, but --counters=off reads none");
  if (ours.counters == counters_mode::kRequire && ours.protocol == protocol_kind::kProfile)
    throw usage_error(
        "--profile leaves the counters to a profiler: it goes without "
        "--counters=require");
  return parsed;
}

bool runs_given_lists(const options& wanted) {
  return !wanted.indexed.empty() && wanted.rows.empty() && wanted.suite == suite_kind::kDefault;
}

std::string suite_text(const options& wanted) {
  if (!wanted.rows.empty()) return "rows";
  if (runs_given_lists(wanted))
    return "indexed:" + wanted.indexed.substr(
                            wanted.indexed.starts_with('-') ? 0 : wanted.indexed.rfind('/') + 1);
  for (const auto& [kind, name] : kSuites)
    if (kind == wanted.suite) return std::string(name);
  return "file:" + std::filesystem::path(wanted.suite_file).filename().string();
}

usage_error unknown_argument(std::string_view arg) {
  if (!arg.starts_with('-'))
    return usage_error("'" + std::string(arg) + "': not a flag; flags are spelled --name=value");
  // Compared without prefixes: --filter= is what many type for --benchmark_filter=.
  const auto bare = [](std::string_view word) {
    constexpr std::string_view kPrefix = "benchmark_";
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return word.starts_with(kPrefix) ? word.substr(kPrefix.size()) : word;
  };
  std::vector<std::string_view> names;
  for (const flag& known : kFlags) names.push_back(known.name);
  const std::span<const std::string_view> library = library_flag_names();
  const std::string_view name = arg.substr(0, arg.find('='));
  if (std::find(library.begin(), library.end(), name) != library.end())
    return usage_error(std::string(arg) + ": the Google Benchmark of this build does not know it");
  names.insert(names.end(), library.begin(), library.end());
  std::vector<std::string_view> words;
  std::transform(names.begin(), names.end(), std::back_inserter(words), bare);
  std::string text = std::string(arg) + ": unknown flag; ";
  if (const std::string_view near = near_match(bare(name), words); !near.empty()) {
    const auto index = std::find(words.begin(), words.end(), near) - words.begin();
    text.append("did you mean ").append(names[static_cast<std::size_t>(index)]).append("? ");
  }
  return usage_error(text + "--help lists all");
}

std::string flags_help() {
  constexpr std::size_t kColumn = 35;
  constexpr std::size_t kWidth = 100;
  std::string text;
  for (const flag& known : kFlags) {
    std::string line = "  " + std::string(known.name);
    const std::string value(known.value);
    if (value.starts_with('['))
      line += "[=" + value.substr(1);
    else if (!value.empty())
      line += "=" + value;
    for (const std::string& part : wrap(known.help, kWidth - kColumn)) {
      line.resize(std::max(kColumn, line.size() + 2), ' ');
      text += line + part + "\n";
      line.clear();
    }
  }
  return text;
}

}  // namespace sectorbench
