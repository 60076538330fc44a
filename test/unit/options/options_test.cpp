// SPDX-License-Identifier: Apache-2.0
#include "bench/options/options.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace sectorbench {
namespace {

using args = std::vector<std::string>;

options parsed(const args& list) { return parse_options(list).ours; }

// The message that `list` is refused with, or "accepted".
std::string refusal(const args& list) {
  try {
    parse_options(list);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, NothingGivenLeavesTheDefaults) {
  const options ours = parsed({});
  EXPECT_EQ(ours.device, device_choice{});
  EXPECT_EQ(ours.suite, suite_kind::kDefault);
  EXPECT_EQ(ours.protocol, protocol_kind::kDefault);
  EXPECT_EQ(ours.blocking, blocking_mode::kAuto);
  EXPECT_FALSE(ours.quick || ours.help || ours.version || ours.bytes);
  EXPECT_TRUE(ours.elements.empty() && ours.types.empty() && ours.ops.empty());
  EXPECT_TRUE(ours.strides.empty() && ours.chunks.empty() && ours.blocks.empty());
  EXPECT_TRUE(ours.json_lines.empty());
  EXPECT_EQ(ours.max_wall_s, 30);
}

TEST(Options, EveryFlagIsRead) {
  const options ours = parsed(
      {"--device=cuda:3", "--suite=reference", "--protocol=reference", "--quick", "--bytes=256Mi",
       "--types=f32,u8", "--ops=copy,scatter", "--strides=1,70000", "--chunks=4", "--block=1,16x64",
       "--blocking=off", "--rows=a/copy,b/read", "--max_wall=0.5", "--seed=18446744073709551615",
       "--json_lines=a=b.jsonl", "--help", "--version"});
  EXPECT_EQ(ours.device, (device_choice{device_kind::kCuda, 3}));
  EXPECT_EQ(ours.suite, suite_kind::kReference);
  EXPECT_EQ(ours.protocol, protocol_kind::kReference);
  EXPECT_TRUE(ours.quick);
  EXPECT_EQ(ours.bytes, 268435456);
  EXPECT_EQ(ours.types, (std::vector{element_type::kF32, element_type::kU8}));
  EXPECT_EQ(ours.ops, (std::vector{operation_kind::kCopy, operation_kind::kScatter}));
  EXPECT_EQ(ours.rows, (args{"a/copy", "b/read"}));
  EXPECT_EQ(ours.strides, (std::vector<std::int64_t>{1, 70000}));
  EXPECT_EQ(ours.chunks, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(ours.blocks, (std::vector<block_size>{{1, 1}, {16, 64}}));
  EXPECT_EQ(ours.blocking, blocking_mode::kOff);
  EXPECT_EQ(ours.max_wall_s, 0.5);
  EXPECT_EQ(ours.seed, 18446744073709551615u);
  EXPECT_EQ(ours.json_lines, "a=b.jsonl");
  EXPECT_TRUE(ours.help && ours.version);
}

TEST(Options, DevicesAreAutoHostCudaAndANumber) {
  EXPECT_EQ(parsed({"--device=auto"}).device, (device_choice{device_kind::kAuto, {}}));
  EXPECT_EQ(parsed({"--device=host"}).device, (device_choice{device_kind::kHost, {}}));
  EXPECT_EQ(parsed({"--device=cuda"}).device, (device_choice{device_kind::kCuda, {}}));
  EXPECT_EQ(parsed({"--device=cuda:0"}).device, (device_choice{device_kind::kCuda, 0}));
  EXPECT_EQ(parsed({"--device=all"}).device, (device_choice{device_kind::kAll, {}}));
}

TEST(Options, WhatIsReadBesidesTimes) {
  const options usual = parsed({});
  EXPECT_EQ(usual.counters, counters_mode::kAuto);
  EXPECT_TRUE(usual.clock_check);
  EXPECT_EQ(usual.caches, cache_mode::kWarm);
  EXPECT_EQ(usual.l2_fetch_granularity, std::nullopt);
  EXPECT_TRUE(usual.cache_operators.plain() && usual.space.is_device() && !usual.occupancy);

  const options ours = parsed({"--counters=require", "--counter=a__b.sum,c__d.avg.per_second",
                               "--clock_check=off", "--cache=cold", "--l2_fetch_granularity=128"});
  EXPECT_EQ(ours.counters, counters_mode::kRequire);
  EXPECT_EQ(ours.extra_metrics, (args{"a__b.sum", "c__d.avg.per_second"}));
  EXPECT_FALSE(ours.clock_check);
  EXPECT_EQ(ours.caches, cache_mode::kCold);
  EXPECT_EQ(ours.l2_fetch_granularity, 128);
  const options machine = parsed({"--load_op=cg", "--store_op=cs", "--occupancy=3",
                                  "--space=peer:stores", "--flops=1,balance,16"});
  EXPECT_EQ(machine.cache_operators, (cache_ops{load_op::kCg, store_op::kCs}));
  EXPECT_EQ(machine.occupancy, 3);
  EXPECT_EQ(machine.space, (space_choice{memory_space::kPeer, true}));
  EXPECT_EQ(machine.flops, (std::vector<std::int64_t>{1, kBalance, 16}));
  EXPECT_EQ(parsed({"--space=pinned"}).space, (space_choice{memory_space::kPinned, false}));
  EXPECT_EQ(parsed({"--space=pinned:loads"}).space.text(), "pinned:loads");
  EXPECT_EQ(parsed({"--profile"}).protocol, protocol_kind::kProfile);
  EXPECT_EQ(parsed({"--counters=off"}).counters, counters_mode::kOff);
}

TEST(Options, WhatIsPredictedAndCalibrated) {
  const options usual = parsed({});
  EXPECT_TRUE(usual.gpus.empty() && usual.calibration_file.empty());
  EXPECT_FALSE(usual.predict || usual.explain || usual.calibrate);

  EXPECT_EQ(parsed({"--gpu=h200"}).gpus, args{"h200"});
  EXPECT_FALSE(parsed({"--gpu=h200"}).predict) << "a run can take a description too";
  const options several = parsed({"--predict", "--gpu=h200,./mine.json,T4"});
  EXPECT_TRUE(several.predict);
  EXPECT_EQ(several.gpus, (args{"h200", "./mine.json", "T4"}));
  EXPECT_EQ(parsed({"--gpu=h200,t4", "--gpu=l4"}).gpus, args{"l4"}) << "the last one counts";
  EXPECT_TRUE(parsed({"--gpu=t4", "--predict"}).predict) << "in any order";
  EXPECT_TRUE(parsed({"--explain"}).explain);
  EXPECT_TRUE(parsed({"--why"}).why);
  EXPECT_FALSE(usual.why);
}

TEST(Options, CalibrateTakesAFileOrNone) {
  const options plain = parsed({"--calibrate"});
  EXPECT_TRUE(plain.calibrate);
  EXPECT_EQ(plain.calibration_file, "");
  const options named = parsed({"--calibrate=a=b.json"});
  EXPECT_TRUE(named.calibrate);
  EXPECT_EQ(named.calibration_file, "a=b.json");
  EXPECT_EQ(parsed({"--calibrate=a.json", "--calibrate"}).calibration_file, "")
      << "the last one counts";
}

TEST(Options, SuitesHaveNames) {
  EXPECT_EQ(parsed({"--suite=default"}).suite, suite_kind::kDefault);
  EXPECT_EQ(parsed({"--suite=full"}).suite, suite_kind::kFull);
  EXPECT_EQ(parsed({"--suite=health"}).suite, suite_kind::kHealth);
  EXPECT_EQ(parsed({"--suite=sweep"}).suite, suite_kind::kSweep);
  EXPECT_EQ(suite_text(parsed({})), "default");
  EXPECT_EQ(suite_text(parsed({"--suite=reference"})), "reference");
  EXPECT_EQ(suite_text(parsed({"--suite=sweep"})), "sweep");
}

TEST(Options, TheQuickSuiteIsAQuickRun) {
  const options quick = parsed({"--suite=quick"});
  EXPECT_TRUE(quick.quick);
  EXPECT_EQ(suite_text(quick), "quick");
  EXPECT_EQ(suite_text(parsed({"--quick"})), "default");
  EXPECT_FALSE(parsed({"--suite=quick", "--suite=health"}).quick) << "the last one counts";
}

TEST(Options, ASuiteWithASlashOrADotIsAFile) {
  for (const char* file : {"rows.txt", "/dev/stdin", "./quick", "no/such"}) {
    const options ours = parsed({"--suite=" + std::string(file)});
    EXPECT_EQ(ours.suite, suite_kind::kFile) << file;
    EXPECT_EQ(ours.suite_file, file);
  }
  EXPECT_EQ(suite_text(parsed({"--suite=some/folder/rows.txt"})), "file:rows.txt");
  const options again = parsed({"--suite=rows.txt", "--suite=full"});
  EXPECT_EQ(again.suite, suite_kind::kFull);
  EXPECT_EQ(again.suite_file, "");
}

TEST(Options, ProgressAndList) {
  EXPECT_EQ(parsed({}).progress, progress_mode::kAuto);
  EXPECT_EQ(parsed({"--progress=on"}).progress, progress_mode::kOn);
  EXPECT_EQ(parsed({"--progress=off"}).progress, progress_mode::kOff);
  EXPECT_FALSE(parsed({}).list);
  EXPECT_TRUE(parsed({"--list"}).list);
}

TEST(Options, CountsTakeBinarySuffixes) {
  EXPECT_EQ(parsed({"--elements=1,2Ki,3Mi,4Gi"}).elements,
            (std::vector<std::int64_t>{1, 2048, 3145728, 4294967296}));
  EXPECT_EQ(parsed({"--bytes=8589934591Gi"}).bytes, 9223372035781033984);
  EXPECT_EQ(parsed({"--elements=576460752303423487"}).elements.front(), 576460752303423487);
}

TEST(Options, TheLastOfAFlagCounts) {
  EXPECT_EQ(parsed({"--strides=1", "--strides=8"}).strides, (std::vector<std::int64_t>{8}));
}

TEST(Options, OthersFlagsAreLeftInOrder) {
  const command_line line = parse_options(
      args{"--benchmark_filter=stride", "--quick", "--v=2", "--benchmark_list_tests"});
  EXPECT_EQ(line.library_args,
            (args{"--benchmark_filter=stride", "--v=2", "--benchmark_list_tests"}));
}

struct refused {
  args list;
  std::string message;
};

void PrintTo(const refused& one, std::ostream* out) { *out << testing::PrintToString(one.list); }

class OptionsRefused : public testing::TestWithParam<refused> {};

TEST_P(OptionsRefused, SaysFlagValueAndWhatIsAllowed) {
  const std::string message = refusal(GetParam().list);
  EXPECT_EQ(message, GetParam().message);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

constexpr char kBytes[] =
    "a buffer's size is a whole number of bytes of at least 1, plain or with Ki, Mi or Gi, e.g. "
    "--bytes=256Mi";
constexpr char kElements[] =
    "a number of elements is a whole number of at least 1, plain or with Ki, Mi or Gi, e.g. "
    "--elements=4Mi";
constexpr char kStride[] = "a stride is a whole number from 1 to 2147483647, e.g. --strides=1,2,8";
constexpr char kBlock[] =
    "a block is X, XxY or XxYxZ threads, at most 1024 and 64 in z, e.g. --block=256,16x16";
constexpr char kWall[] = "a bound is a number of seconds above 0, e.g. --max_wall=30";

INSTANTIATE_TEST_SUITE_P(
    Numbers, OptionsRefused,
    testing::Values(
        refused{{"--strides=0"}, std::string("--strides=0: ") + kStride},
        refused{{"--strides="}, std::string("--strides=: ") + kStride},
        refused{{"--strides=-1"}, std::string("--strides=-1: ") + kStride},
        refused{{"--strides=+1"}, std::string("--strides=+1: ") + kStride},
        refused{{"--strides= 1"}, std::string("--strides= 1: ") + kStride},
        refused{{"--strides=1.5"}, std::string("--strides=1.5: ") + kStride},
        refused{{"--strides=0x10"}, std::string("--strides=0x10: ") + kStride},
        refused{{"--strides=Ki"}, std::string("--strides=Ki: ") + kStride},
        refused{{"--strides=1ki"}, std::string("--strides=1ki: ") + kStride},
        refused{{"--strides=1KiMi"}, std::string("--strides=1KiMi: ") + kStride},
        refused{{"--strides=2Gi"},
                std::string("--strides=2Gi: too large, at most 2147483647: ") + kStride},
        refused{{"--strides=1\n2"}, std::string("--strides=1?2: ") + kStride},
        refused{{"--strides=1,0,8"}, std::string("--strides=1,0,8: at '0': ") + kStride},
        refused{{"--strides=1,,8"}, "--strides=1,,8: at '': an empty part in a list"},
        refused{{"--strides=1,8,"}, "--strides=1,8,: at '': an empty part in a list"},
        refused{{"--strides=1Ki,1024"}, "--strides=1Ki,1024: at '1024': the same value twice"},
        refused{{"--bytes=256MB"}, std::string("--bytes=256MB: ") + kBytes},
        refused{{"--bytes=1,2"}, std::string("--bytes=1,2: ") + kBytes},
        refused{
            {"--bytes=8589934592Gi"},
            std::string("--bytes=8589934592Gi: too large, at most 9223372036854775807: ") + kBytes},
        refused{{"--bytes=9223372036854775808"},
                std::string("--bytes=9223372036854775808: too large, at most "
                            "9223372036854775807: ") +
                    kBytes},
        refused{{"--elements=576460752303423488"},
                std::string("--elements=576460752303423488: too large, at most "
                            "576460752303423487: ") +
                    kElements},
        refused{{"--chunks=x"},
                "--chunks=x: a chunk is a whole number of elements from 1 to 2147483647, e.g. "
                "--chunks=4,32"},
        refused{{"--block=1025"}, std::string("--block=1025: ") + kBlock},
        refused{{"--block=32x33"}, std::string("--block=32x33: ") + kBlock},
        refused{{"--block=16x"}, std::string("--block=16x: ") + kBlock},
        refused{{"--block=4294967297"}, std::string("--block=4294967297: ") + kBlock},
        refused{{"--block=65536x65536"}, std::string("--block=65536x65536: ") + kBlock},
        refused{{"--block=0"}, std::string("--block=0: ") + kBlock},
        refused{{"--max_wall=0"}, std::string("--max_wall=0: ") + kWall},
        refused{{"--max_wall=-1"}, std::string("--max_wall=-1: ") + kWall},
        refused{{"--max_wall=inf"}, std::string("--max_wall=inf: ") + kWall},
        refused{{"--max_wall=nan"}, std::string("--max_wall=nan: ") + kWall},
        refused{{"--max_wall=30s"}, std::string("--max_wall=30s: ") + kWall},
        refused{{"--seed=-1"},
                "--seed=-1: a seed is a whole number from 0 to 2^64 - 1, e.g. --seed=1"},
        refused{{"--seed=18446744073709551616"},
                "--seed=18446744073709551616: a seed is a whole number from 0 to 2^64 - 1, e.g. "
                "--seed=1"}));

INSTANTIATE_TEST_SUITE_P(
    Names, OptionsRefused,
    testing::Values(
        refused{{"--types=f23"},
                "--types=f23: unknown element type 'f23'; did you mean f32? known: u8, f16, f32, "
                "f64, f32x4"},
        refused{{"--types=f32,double"},
                "--types=f32,double: at 'double': unknown element type 'double'; known: u8, f16, "
                "f32, f64, f32x4"},
        refused{{"--types="}, "--types=: unknown element type ''; known: u8, f16, f32, f64, f32x4"},
        refused{{"--ops=copy,copy"}, "--ops=copy,copy: at 'copy': the same value twice"},
        refused{{"--ops=scater"},
                "--ops=scater: unknown operation 'scater'; did you mean scatter? known: copy, "
                "gather, scatter, read, write"},
        refused{{"--device=gpu"},
                "--device=gpu: unknown device 'gpu'; known: auto, host, cuda, cuda:N, all"},
        refused{{"--counters=on"},
                "--counters=on: unknown counters mode 'on'; known: off, auto, require"},
        refused{{"--counter=a-b"},
                "--counter=a-b: a metric is named as CUPTI and ncu name it, e.g. "
                "--counter=lts__t_sectors_op_read.sum"},
        refused{{"--counter=a.sum,a.sum"},
                "--counter=a.sum,a.sum: at 'a.sum': the same value twice"},
        refused{{"--counters=off", "--counter=a.sum"},
                "--counter= names metrics, but --counters=off reads none"},
        refused{{"--profile", "--counters=require"},
                "--profile leaves the counters to a profiler: it goes without --counters=require"},
        refused{{"--suite=defualt"},
                "--suite=defualt: unknown suite 'defualt'; did you mean default? known: default, "
                "reference, quick, full, health, sweep, or a file of row names"},
        refused{{"--suite="},
                "--suite=: unknown suite ''; known: default, reference, quick, full, health, "
                "sweep, or a file of row names"},
        refused{{"--suite=a/b.txt", "--rows=contiguous/copy/f32"},
                "--rows and --suite=a/b.txt both name the rows: give one of them"},
        refused{{"--progress=yes"},
                "--progress=yes: unknown progress mode 'yes'; known: auto, on, off"},
        refused{{"--list=full"}, "--list=full: --list takes no value"},
        refused{{"--gpu="}, "--gpu=: a name or file is missing, e.g. --gpu=h200,t4"},
        refused{{"--gpu=h200,"}, "--gpu=h200,: a name or file is missing, e.g. --gpu=h200,t4"},
        refused{{"--predict", "--gpu=h200,t4,h200"},
                "--gpu=h200,t4,h200: at 'h200': the same value twice"},
        refused{{"--predict"}, "--predict: say for which GPU, e.g. --gpu=h200, or --gpu=h200,t4"},
        refused{{"--gpu=h200,t4"},
                "--gpu=...: a run takes one description; --predict takes several"},
        refused{{"--predict=h200"}, "--predict=h200: --predict takes no value"},
        refused{{"--why", "--gpu=t4", "--predict"},
                "--predict and --why are runs of different kinds: give one of them"},
        refused{{"--calibrate", "--traps"},
                "--traps and --calibrate are runs of different kinds: give one of them"},
        refused{{"--explain=yes"}, "--explain=yes: --explain takes no value"},
        refused{{"--check=coalesce"},
                "--check=coalesce: unknown check 'coalesce'; known: coalescing"},
        refused{{"--check=coalescing", "--from="},
                "--from=: a file name is missing, e.g. --from=rows.json"},
        refused{{"--from=f"}, "--from=f: say what to check of it: --check=coalescing"},
        refused{{"--hint=0"}, "--hint=0: unknown hint '0'; known: 1, 2"},
        refused{{"--check=coalescing", "--why"},
                "--why and --check are runs of different kinds: give one of them"},
        refused{{"--hint=1", "--list"},
                "--list and --hint are runs of different kinds: give one of them"},
        refused{{"--check=coalescing", "--from=f", "--hint=1"},
                "--hint: a hint is shown and nothing is checked: leave out --from or --hint"},
        refused{{"--check=coalescing", "--from=f", "--rows=stride/copy/f32/stride:1"},
                "--from=f: the file has the rows: leave out --rows, --suite and --indexed"},
        refused{{"--check=coalescing", "--profile"},
                "--profile: times of one launch are not fit to be checked (--check)"},
        refused{{"--cache=hot"}, "--cache=hot: unknown cache mode 'hot'; known: warm, cold"},
        refused{{"--load_op=wb"},
                "--load_op=wb: unknown cache operator of loads 'wb'; known: nc, ca, cg, cs"},
        refused{{"--store_op=ca"},
                "--store_op=ca: unknown cache operator of stores 'ca'; did you mean cg? known: wb, "
                "cg, cs"},
        refused{{"--occupancy=0"},
                "--occupancy=0: an SM holds a whole number of blocks from 1 to 32, e.g. "
                "--occupancy=2"},
        refused{{"--space=host"},
                "--space=host: unknown memory space 'host'; known: device, peer, pinned"},
        refused{{"--space=peer:both"},
                "--space=peer:both: unknown side of a row 'both'; known: loads, stores"},
        refused{{"--flops=0"},
                "--flops=0: a number of multiply-adds is a whole number from 1 to 1048576, or "
                "'balance', e.g. --flops=1,16,balance"},
        refused{{"--l2_fetch_granularity=16"},
                "--l2_fetch_granularity=16: unknown number of bytes '16'; known: 32, 64, 128"},
        refused{{"--device=cuda:"},
                "--device=cuda:: a GPU has a whole number from 0 on, e.g. --device=cuda:0"},
        refused{{"--device=cuda:-1"},
                "--device=cuda:-1: a GPU has a whole number from 0 on, e.g. --device=cuda:0"},
        refused{{"--device=cuda:N"},
                "--device=cuda:N: a GPU has a whole number from 0 on, e.g. --device=cuda:0"},
        refused{{"--suite=ref"},
                "--suite=ref: unknown suite 'ref'; known: default, reference, quick, full, health, "
                "sweep, or a file of row names"},
        refused{{"--protocol=Default"},
                "--protocol=Default: unknown protocol 'Default'; did you mean default? known: "
                "default, reference"},
        refused{{"--blocking=true"},
                "--blocking=true: unknown blocking mode 'true'; known: auto, on, off"},
        refused{{"--json_lines="},
                "--json_lines=: a file name is missing, e.g. --json_lines=rows.jsonl"}));

INSTANTIATE_TEST_SUITE_P(
    Flags, OptionsRefused,
    testing::Values(
        refused{{"--strides"}, "--strides: a value is missing, e.g. --strides=1,2,8"},
        refused{{"--strides", "8"}, "--strides: a value is missing, e.g. --strides=1,2,8"},
        refused{{"--quick=1"}, "--quick=1: --quick takes no value"},
        refused{{"--gpu"}, "--gpu: a value is missing, e.g. --gpu=h200"},
        refused{{"--calibrate="}, "--calibrate: a value is missing, e.g. --calibrate=gpu.json"},
        refused{{"--calibrate", "gpu.json"},
                "'gpu.json': not a flag; flags are spelled --name=value"},
        refused{{"--calibrat"},
                "--calibrat: unknown flag; did you mean --calibrate? --help lists all"},
        refused{{"--stride=8"},
                "--stride=8: unknown flag; did you mean --strides? --help lists all"},
        refused{{"--filter=stride"},
                "--filter=stride: unknown flag; did you mean --benchmark_filter? --help lists all"},
        refused{{"--fliter=stride"},
                "--fliter=stride: unknown flag; did you mean --benchmark_filter? --help lists all"},
        refused{{"-benchmark_filter=x"},
                "-benchmark_filter=x: unknown flag; did you mean --benchmark_filter? --help lists "
                "all"},
        refused{{"--frobnicate"}, "--frobnicate: unknown flag; --help lists all"},
        refused{{"--"}, "--: unknown flag; --help lists all"},
        refused{{""}, "'': not a flag; flags are spelled --name=value"},
        refused{{"stride"}, "'stride': not a flag; flags are spelled --name=value"},
        refused{{"--bytes=1Mi", "--elements=1Mi"},
                "--bytes and --elements both say how large a buffer is: give one of them"}));

TEST(Options, TheCheckMeasuresTheReferenceRowsUnlessOthersAreNamed) {
  EXPECT_EQ(parsed({"--check=coalescing"}).suite, suite_kind::kReference);
  EXPECT_EQ(parsed({"--check=coalescing", "--quick"}).suite, suite_kind::kReference);
  EXPECT_EQ(parsed({"--check=coalescing", "--suite=full"}).suite, suite_kind::kFull);
  EXPECT_EQ(parsed({"--check=coalescing", "--rows=a/copy"}).suite, suite_kind::kDefault);
  EXPECT_EQ(parsed({"--hint=2"}).hint, 2);
}

TEST(Options, AFlagOfTheLibraryThatItDoesNotKnowGetsANearMatchToo) {
  EXPECT_STREQ(unknown_argument("--benchmark_fliter=x").what(),
               "--benchmark_fliter=x: unknown flag; did you mean --benchmark_filter? --help lists "
               "all");
  EXPECT_STREQ(unknown_argument("--benchmark_nope=1").what(),
               "--benchmark_nope=1: unknown flag; --help lists all");
  EXPECT_STREQ(unknown_argument("--benchmark_dry_run").what(),
               "--benchmark_dry_run: the Google Benchmark of this build does not know it");
}

TEST(Options, HelpNamesEveryFlagInLinesOfAtMost100Columns) {
  const std::string help = flags_help();
  for (const char* name : {"--device=",      "--suite=",    "--protocol=",
                           "--quick ",       "--bytes=",    "--elements=",
                           "--types=",       "--ops=",      "--rows=",
                           "--strides=",     "--chunks=",   "--block=",
                           "--blocking=",    "--max_wall=", "--seed=",
                           "--json_lines=",  "--counters=", "--counter=",
                           "--clock_check=", "--cache=",    "--l2_fetch_granularity=",
                           "--load_op=",     "--store_op=", "--occupancy=",
                           "--space=",       "--flops=",    "--profile ",
                           "--help ",        "--version ",  "--progress=",
                           "--list ",        "--gpu=",      "--predict ",
                           "--explain ",     "--why ",      "--calibrate[=FILE] ",
                           "--check=",       "--from=",     "--hint="})
    EXPECT_NE(help.find(std::string("  ") + name), std::string::npos) << name;
  for (const std::string_view line : split(help, '\n')) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace sectorbench
