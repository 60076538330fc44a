// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/exercise.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/support/text.hpp"
#include "test/support/source_tree.hpp"

namespace sectorbench {
namespace {

constexpr index_t kBytes = 536870912;  // 64 Mi floats, loaded and stored

std::string line(index_t stride, double ms, double gbps, index_t bytes = kBytes) {
  return "{\"pattern\":\"stride\",\"stride\":" + std::to_string(stride) +
         ",\"ms\":" + std::to_string(ms) + ",\"gbps\":" + std::to_string(gbps) +
         ",\"bytes\":" + std::to_string(bytes) + "}\n";
}

// The figures that were published of a T4.
const std::string kT4 =
    line(1, 2.305, 232.9) + line(2, 6.158, 87.2) + line(4, 12.836, 41.8) + line(8, 26.701, 20.1) +
    line(16, 37.728, 14.2) + line(32, 56.037, 9.6) +
    R"({"pattern":"chunk","chunk":32,"ms":16.493,"gbps":32.6,"bytes":536870912})";

std::string row(const std::string& name, double ns, const std::string& more = "") {
  const std::string rate = std::to_string(kBytes / ns * 1e9);
  return R"({"name":")" + name + R"(","run_type":"iteration","repetition_index":0,"real_time":)" +
         std::to_string(ns) + R"(,"time_unit":"ns","useful_bytes":5.36870912e+08,)" +
         R"("useful_bytes_per_second":)" + rate + R"(,"verified":1.0)" + more + "}";
}

std::string document(const std::vector<std::string>& rows, const std::string& context) {
  std::string text = "{\n\"context\": {" + context + "},\n\"benchmarks\": [";
  for (const std::string& one : rows) text += (text.back() == '[' ? "" : ",\n") + one;
  return text + "]}\n";
}

const std::string kH200 = R"("backend":"cuda","gpu.name":"NVIDIA H200","gpu.l2_bytes":"62914560")";
const std::string kFast = row("stride/copy/f32/stride:1/manual_time", 208845);
const std::string kSlow = row("stride/copy/f32/stride:32/manual_time", 3136000);

exercise_run read(const std::string& text) { return read_exercise(text, "--from=f"); }

exercise_verdict check(const std::string& text) {
  exercise_run run = read(text);
  assume_l2(run, "");
  return check_coalescing(run);
}

std::string refusal(const std::string& text) {
  try {
    return "accepted: " + check(text).text;
  } catch (const usage_error& error) {
    return error.what();
  }
}

TEST(Exercise, JsonLinesOfAT4Pass) {
  const exercise_verdict verdict = check(kT4);
  EXPECT_EQ(verdict.code, exit_code::kOk);
  EXPECT_EQ(verdict.text,
            "check coalescing: --from=f\n"
            "  bytes  536870912 in each of 7 rows\n"
            "  L2     512 MiB do not fit into 72 MiB (NVIDIA GeForce RTX 4090, the largest known, "
            "as the rows do not say theirs (--gpu= does))\n"
            "  ratio  stride 32 takes 24.31 times as long as stride 1: 56.04 ms and 2.305 ms\n"
            "passed: at least 8 are asked for\n");
}

TEST(Exercise, TheBoundIsEightAndEightPasses) {
  EXPECT_EQ(check(line(1, 1, 536.87) + line(32, 8, 67.11)).code, exit_code::kOk);
  const exercise_verdict below = check(line(1, 1, 536.87) + line(32, 7.99, 67.19));
  EXPECT_EQ(below.code, exit_code::kFailed);
  EXPECT_NE(below.text.find("takes 7.99 times as long"), std::string::npos) << below.text;
  EXPECT_NE(below.text.find("failed: at least 8 are asked for\n"), std::string::npos);
}

TEST(Exercise, FewerBytesAreTheClassicBugAndComeBeforeTheRatio) {
  const exercise_verdict verdict = check(line(1, 1, 536.87) + line(8, 0.4, 167.77, kBytes / 8) +
                                         line(32, 0.3, 55.92, kBytes / 32));
  EXPECT_EQ(verdict.code, exit_code::kFailed);
  EXPECT_EQ(verdict.text,
            "check coalescing: --from=f\n"
            "  bytes  stride 8 moved 67108864, stride 1 moved 536870912: this kernel did less "
            "work, the classic bug of this exercise, and its time says nothing\n"
            "  bytes  stride 32 moved 16777216, stride 1 moved 536870912: this kernel did less "
            "work, the classic bug of this exercise, and its time says nothing\n"
            "failed\n");
  const exercise_verdict more = check(line(1, 1, 536.87) + line(32, 10, 107.37, 2 * kBytes));
  EXPECT_EQ(more.code, exit_code::kFailed);
  EXPECT_NE(more.text.find("the two did different work"), std::string::npos) << more.text;
}

TEST(Exercise, AChunkedRowMovesTheSameBytesToo) {
  const exercise_verdict verdict = check(line(1, 1, 536.87) + line(32, 9, 59.65) +
                                         R"({"chunk":32,"ms":1,"gbps":268.4,"bytes":268435456})");
  EXPECT_EQ(verdict.code, exit_code::kFailed);
  EXPECT_NE(verdict.text.find("the chunked row moved 268435456"), std::string::npos)
      << verdict.text;
}

TEST(Exercise, WhatL2HoldsIsNotGraded) {
  const auto at = [](index_t bytes, const std::string& l2) {
    std::string text;
    for (const auto& [stride, ms] : {std::pair{1, 1.0}, std::pair{32, 10.0}}) {
      text += line(stride, ms, static_cast<double>(bytes) / ms * 1e-6, bytes);
      text.insert(text.size() - 2, l2);
    }
    return check(text);
  };
  // 32 MiB: more than a T4's 4 MiB, less than the largest known.
  EXPECT_EQ(at(33554432, ",\"l2_bytes\":4194304").code, exit_code::kOk);
  const exercise_verdict unknown = at(33554432, "");
  EXPECT_EQ(unknown.code, exit_code::kUsage);
  EXPECT_NE(unknown.text.find("L2     32 MiB fit into 72 MiB"), std::string::npos) << unknown.text;
  EXPECT_NE(unknown.text.find("not graded: what L2 holds"), std::string::npos) << unknown.text;
  EXPECT_EQ(unknown.text.find("ratio"), std::string::npos);
  // A working set that fills L2 to the last byte fits.
  EXPECT_EQ(at(4194304, ",\"l2_bytes\":4194304").code, exit_code::kUsage);
  EXPECT_EQ(at(4194312, ",\"l2_bytes\":4194304").code, exit_code::kOk);
}

TEST(Exercise, GpuSaysTheL2OfRowsThatDoNot) {
  exercise_run run = read(kT4);
  assume_l2(run, "t4");
  EXPECT_EQ(run.l2_bytes, 4194304);
  EXPECT_EQ(run.l2_source, "Tesla T4");
  exercise_run known = read(document({kFast, kSlow}, kH200));
  EXPECT_EQ(known.l2_bytes, 62914560);
  EXPECT_THROW(assume_l2(known, "t4"), usage_error);
  exercise_run nobody = read(kT4);
  EXPECT_THROW(assume_l2(nobody, "t5"), usage_error);
}

TEST(Exercise, FasterThanTheMemoryIsNotGraded) {
  // 536870912 bytes, 4194304 of which L2 may have kept, take 1.665 ms of a bus of 320 GB/s.
  const auto on_a_t4 = [](double ms) {
    exercise_run run = read(line(1, ms, kBytes / ms * 1e-6) + line(32, 56.037, 9.6));
    assume_l2(run, "t4");
    return check_coalescing(run);
  };
  EXPECT_EQ(on_a_t4(1.67).code, exit_code::kOk);
  const exercise_verdict faster = on_a_t4(1.66);
  EXPECT_EQ(faster.code, exit_code::kUsage);
  EXPECT_NE(faster.text.find("stride 1 takes 1.660 ms, in which the bus moves 531.2 MB at most"),
            std::string::npos)
      << faster.text;
  EXPECT_NE(faster.text.find("not graded: faster than the memory"), std::string::npos);
}

TEST(Exercise, TheProgramsJsonIsRead) {
  const exercise_run run = read(
      document({kFast, kSlow, row("chunk/copy/f32/chunk:32/manual_time", 1.3e6),
                row("stride/gather/f32/stride:1/manual_time", 1e5), row("contiguous/copy/f32", 1e5),
                row("stride/copy/f64/stride:1/manual_time", 1e5)},
               kH200));
  ASSERT_EQ(run.rows.size(), 3u);
  EXPECT_EQ(run.rows[0].stride, 1);
  EXPECT_DOUBLE_EQ(run.rows[0].ms, 0.208845);
  EXPECT_EQ(run.rows[0].bytes, kBytes);
  EXPECT_EQ(run.rows[1].stride, 32);
  EXPECT_EQ(run.rows[2].stride, std::nullopt);
  EXPECT_TRUE(run.on_gpu);
  EXPECT_EQ(run.l2_source, "NVIDIA H200");
  EXPECT_EQ(check_coalescing(run).code, exit_code::kOk);
}

TEST(Exercise, RepetitionsCountByTheirMedianAndAggregatesNot) {
  const auto repeated = [](double ns, int index) {
    std::string text = row("stride/copy/f32/stride:1/manual_time", ns);
    const std::string key = "\"repetition_index\":";
    return text.replace(text.find(key), key.size() + 1, key + std::to_string(index));
  };
  std::string mean = row("stride/copy/f32/stride:1/manual_time_mean", 3e5);
  mean.replace(mean.find("iteration"), 9, "aggregate");
  const exercise_run run = read(document(
      {repeated(2e5, 0), repeated(9e5, 1), repeated(3e5, 2), repeated(4e5, 3), mean, kSlow},
      kH200));
  ASSERT_EQ(run.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(run.rows[0].ms, 0.35);
}

TEST(Exercise, TheCpuIsNotGraded) {
  const exercise_verdict verdict = check(document({kFast, kSlow}, R"("backend":"host")"));
  EXPECT_EQ(verdict.code, exit_code::kUsage);
  EXPECT_NE(verdict.text.find("ratio  stride 32 takes 15.02 times"), std::string::npos);
  EXPECT_NE(verdict.text.find("not graded: these are rows of a CPU, and the bound of 8 is a GPU's"),
            std::string::npos);
}

TEST(Exercise, AFailedRowFailsTheCheckWithItsReason) {
  const std::string failed =
      R"({"name":"stride/copy/f32/stride:8/manual_time","run_type":"iteration",)"
      R"("error_occurred":true,"error_message":"4 elements wrong"})";
  const exercise_verdict verdict = check(document({kFast, kSlow, failed}, kH200));
  EXPECT_EQ(verdict.code, exit_code::kFailed);
  EXPECT_NE(verdict.text.find("stride 8 (stride/copy/f32/stride:8/manual_time) failed: 4 elements "
                              "wrong\nfailed\n"),
            std::string::npos)
      << verdict.text;
}

TEST(Exercise, MissingAndRepeatedStridesAreRefused) {
  EXPECT_EQ(refusal(line(1, 1, 536.87)),
            "--from=f: no row has stride 32; the check needs strides 1 and 32");
  EXPECT_EQ(refusal(line(32, 1, 536.87)),
            "--from=f: no row has stride 1; the check needs strides 1 and 32");
  EXPECT_EQ(refusal(kT4 + "\n" + line(8, 26.701, 20.1)),
            "--from=f: stride 8 stands twice, again in line 8; the check takes one curve");
  EXPECT_EQ(refusal(document({kFast, kSlow, kSlow}, kH200)),
            "--from=f: stride/copy/f32/stride:32/manual_time: stands twice");
}

TEST(Exercise, ALineThatIsWrongIsNamed) {
  const std::string good = line(1, 1, 536.87);
  const auto second = [&](const std::string& text) { return refusal(good + text); };
  EXPECT_EQ(second("{\"stride\":32,\"ms\":0,\"gbps\":1,\"bytes\":1}"),
            "--from=f: line 2: 'ms' is 0, not a number above 0");
  EXPECT_EQ(second("{\"stride\":32,\"ms\":-1,\"gbps\":1,\"bytes\":1}"),
            "--from=f: line 2: 'ms' is -1, not a number above 0");
  EXPECT_EQ(second("{\"stride\":32,\"ms\":\"1\",\"gbps\":1,\"bytes\":1}"),
            "--from=f: line 2: 'ms' is \"1\", not a number above 0");
  EXPECT_EQ(second("{\"stride\":32,\"gbps\":1,\"bytes\":1}"), "--from=f: line 2: 'ms' is missing");
  EXPECT_EQ(second("{\"stride\":32,\"ms\":[" + std::string(99, ' ') + "\"" + std::string(99, 'x') +
                   "\"]}"),
            "--from=f: line 2: 'ms' is [\"" + std::string(38, 'x') + "..., not a number above 0");
  EXPECT_EQ(second("{\"stride\":32,\"ms\":1,\"gbps\":1,\"bytes\":1.5}"),
            "--from=f: line 2: 'bytes' is 1.5, not a whole number");
  EXPECT_EQ(second("{\"stride\":32,\"chunk\":1}"),
            "--from=f: line 2: has both 'stride' and 'chunk'");
  EXPECT_EQ(second("[1]"), "--from=f: line 2: not a JSON object");
  for (const std::string bad : {"NaN", "Infinity", "1e999"}) {
    const std::string said = second("{\"stride\":32,\"ms\":" + bad + ",\"gbps\":1,\"bytes\":1}");
    EXPECT_TRUE(said.starts_with("--from=f: line 2: ")) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
    EXPECT_EQ(said.find("accepted"), std::string::npos);
  }
  const std::string cut = refusal(kT4.substr(0, 300));
  EXPECT_TRUE(cut.starts_with("--from=f: line 4: ")) << cut;
  EXPECT_TRUE(cut.ends_with("(is it cut off?)")) << cut;
}

TEST(Exercise, ARateThatIsNotBytesOverTimeIsRefused) {
  EXPECT_EQ(refusal(line(1, 2.305, 222.1) + line(32, 56.037, 9.6)),  // MiB per ms
            "--from=f: line 1: 222.1 GB/s is not 536870912 bytes in 2.305 ms, which is 232.9 (GB = "
            "1e9 bytes; bytes: loads and stores together)");
  EXPECT_NE(refusal(line(1, 2.305, 116.5) + line(32, 56.037, 9.6)).find("116.5 GB/s is not"),
            std::string::npos);  // loads alone
  EXPECT_EQ(refusal(line(1, 2.305, 234) + line(32, 56.037, 9.6)).substr(0, 8), "accepted");
}

TEST(Exercise, ADocumentThatIsWrongIsRefused) {
  EXPECT_EQ(refusal(" \n"), "--from=f: is empty");
  EXPECT_EQ(refusal("{\"context\":\n{}}"),
            "--from=f: has no 'benchmarks', and is no JSON lines either");
  EXPECT_EQ(refusal("{\"benchmarks\":{}}"), "--from=f: 'benchmarks' is not a list");
  EXPECT_TRUE(refusal("stride 1 2.3 ms")
                  .starts_with("--from=f: neither the program's JSON nor JSON lines: "));
  const std::string whole = document({kFast, kSlow}, kH200);
  const std::string cut = refusal(whole.substr(0, whole.size() - 40));
  EXPECT_TRUE(cut.starts_with("--from=f: neither")) << cut;
  EXPECT_TRUE(cut.ends_with("(is it cut off?)")) << cut;
  EXPECT_EQ(refusal(document({kFast}, R"("gpu.count":"2")")),
            "--from=f: rows of several GPUs; the check takes those of one (--device=cuda:N)");
  std::string unverified = kFast;
  unverified.replace(unverified.find("\"verified\":1.0"), 14, "\"verified\":0.0");
  EXPECT_EQ(refusal(document({unverified, kSlow}, kH200)),
            "--from=f: stride/copy/f32/stride:1/manual_time: was not verified");
  std::string other_unit = kFast;
  other_unit.replace(other_unit.find("\"ns\""), 4, "\"h\"");
  EXPECT_EQ(refusal(document({other_unit, kSlow}, kH200)),
            "--from=f: stride/copy/f32/stride:1/manual_time: 'time_unit' is \"h\", not ns, us, ms "
            "or s");
}

TEST(Exercise, TwoHintsDiffer) {
  EXPECT_TRUE(exercise_hint(1).starts_with("Hint 1. "));
  EXPECT_TRUE(exercise_hint(2).starts_with("Hint 2. "));
  for (const int number : {1, 2})
    for (const std::string_view text : split(exercise_hint(number), '\n'))
      EXPECT_LE(text.size(), 100u);
}

}  // namespace
}  // namespace sectorbench
