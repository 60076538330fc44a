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
            "  bytes  536870912 in each of 7 rows: 67108864 floats loaded and stored\n"
            "  L2     512 MiB do not fit into 126 MiB (NVIDIA B200, the largest known, "
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
  EXPECT_NE(unknown.text.find("L2     32 MiB fit into 126 MiB"), std::string::npos) << unknown.text;
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
}

TEST(Exercise, AWrongEntryTakesNoOtherWithIt) {
  const auto one_wrong = [](const std::string& text, const std::string& said) {
    const exercise_verdict verdict = check(text);
    EXPECT_EQ(verdict.code, exit_code::kUsage) << verdict.text;  // all others pass
    EXPECT_NE(verdict.text.find("  wrong  " + said + "\n"), std::string::npos) << verdict.text;
    EXPECT_NE(verdict.text.find("ratio  "), std::string::npos) << verdict.text;
  };
  one_wrong(kT4 + "\n" + line(8, 26.701, 20.1), "line 8: stride 8 stands twice, first in line 4");
  one_wrong(kT4 + "\n3", "line 8: not a JSON object");
  one_wrong("3\n" + kT4, "line 1: not a JSON object");
  one_wrong(kT4 + "\n{\"map\":\"i +\"}",
            "line 8: 'map' is \"i +\": expected a number, a variable or '(', found the end at "
            "character 4");
  one_wrong(document({kFast, kSlow, kSlow}, kH200),
            "stride/copy/f32/stride:32/manual_time: stands twice");
  one_wrong(document({kFast, kSlow, row("stride/copy/f32/stride:2/manual_time", -1)}, kH200),
            "stride/copy/f32/stride:2/manual_time: 'real_time' is -1.0, not a number above 0");
  // What is left fails all the same.
  EXPECT_EQ(check("3\n" + line(1, 1, 536.87) + line(32, 2, 268.44)).code, exit_code::kFailed);
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
  EXPECT_EQ(second("{\"stride\":32,\"ms\":1,\"gbps\":1,\"bytes\":1001}"),
            "--from=f: line 2: 'bytes' is 1001, which is 2 x n x 4 of no n floats loaded and "
            "stored");
  EXPECT_EQ(second("{\"stride\":32,\"ms\":1,\"ms\":2}"),
            "--from=f: line 2: ms: stands twice; leave one of the two out");
  for (const std::string& deep :
       {std::string(75000, '['), std::string(75000, '[') + std::string(75000, ']') + "}"})
    EXPECT_EQ(second("{\"stride\":32,\"ms\":" + deep),
              "--from=f: line 2: ms: nested more than 8 deep");
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

TEST(Exercise, ThePatternSaysWhichRowItIs) {
  const std::string rest = ",\"ms\":1,\"gbps\":536.9,\"bytes\":536870912}\n";
  const auto fast = [&](const std::string& pattern, const std::string& key) {
    return refusal("{\"pattern\":" + pattern + ",\"" + key + "\":1" + rest + line(32, 9, 59.65));
  };
  EXPECT_EQ(fast("\"chunk\"", "stride"),
            "--from=f: line 1: 'pattern' is \"chunk\", but the row has 'stride'");
  EXPECT_EQ(fast("\"stride\"", "chunk"),
            "--from=f: line 1: 'pattern' is \"stride\", but the row has 'chunk'");
  for (const std::string other : {"\"transpose\"", "3"})
    EXPECT_EQ(fast(other, "stride"),
              "--from=f: no row has stride 1; the check needs strides 1 and 32");
  for (const std::string same : {"\"stride\"", "\"strided\"", "\"coalesced\"", "null"})
    EXPECT_EQ(fast(same, "stride").substr(0, 8), "accepted") << same;
}

TEST(Exercise, BytesAreThoseOfBothSidesOfN) {
  const auto of = [](index_t bytes, index_t n) {
    std::string text;
    for (const auto& [stride, ms] : {std::pair{1, 1.0}, std::pair{32, 10.0}}) {
      text += line(stride, ms, static_cast<double>(bytes) / ms * 1e-6, bytes);
      text.insert(text.size() - 2, ",\"n\":" + std::to_string(n));
    }
    return check(text);
  };
  EXPECT_EQ(of(kBytes, 67108864).code, exit_code::kOk);
  const exercise_verdict loads_alone = of(kBytes / 2, 67108864);
  EXPECT_EQ(loads_alone.code, exit_code::kFailed);
  EXPECT_NE(loads_alone.text.find("stride 1 moved 268435456, 2 x n x 4 of its n is 536870912: only "
                                  "one of the two sides, loads and stores, is counted\n"),
            std::string::npos)
      << loads_alone.text;
  EXPECT_NE(of(kBytes / 4, 67108864).text.find("did less work"), std::string::npos);
  EXPECT_NE(of(kBytes, 6710886).text.find("did different work"), std::string::npos);
  std::string other_n = row("stride/copy/f32/stride:8/manual_time", 1e6, ",\"elements\":8.0");
  EXPECT_EQ(check(document({kFast, kSlow, other_n}, kH200)).code, exit_code::kFailed);
}

TEST(Exercise, ALargerStrideThatIsFasterTouchesLess) {
  // The times of `if (i * s < n)` with 64 Mi floats on an H200, but for stride 1, so that the ratio
  // would pass.
  const auto curve = [](double sixteen, double thirty_two) {
    return line(1, 0.03, kBytes / 0.03e6) + line(8, 0.3154, kBytes / 0.3154e6) +
           line(16, sixteen, kBytes / sixteen * 1e-6) +
           line(32, thirty_two, kBytes / thirty_two * 1e-6);
  };
  const auto check_on = [](const std::string& text) {
    exercise_run run = read(text);
    run.l2_bytes = 1;  // and no peak
    return check_coalescing(run);
  };
  const exercise_verdict faster = check_on(curve(0.2719, 0.2459));
  EXPECT_EQ(faster.code, exit_code::kFailed);
  EXPECT_NE(faster.text.find("  shape  stride 16 takes 0.86 times as long as stride 8"),
            std::string::npos)
      << faster.text;
  EXPECT_NE(faster.text.find("(i * s) % n"), std::string::npos);
  EXPECT_EQ(check_on(curve(0.29, 0.27)).code, exit_code::kFailed);  // 0.86 of stride 8
  EXPECT_EQ(check_on(curve(0.29, 0.29)).code, exit_code::kOk);      // a spread of 8 %
  // An honest curve falls beyond 32.
  EXPECT_EQ(check_on(curve(0.4, 0.5) + line(512, 0.2, kBytes / 0.2e6)).code, exit_code::kOk);
}

TEST(Exercise, AMapThatCopiesEachElementOncePasses) {
  const exercise_verdict verdict = check(R"x({"map":"i % (n/s) * s + i / (n/s)"})x");
  EXPECT_EQ(verdict.code, exit_code::kOk) << verdict.text;
  EXPECT_NE(verdict.text.find(
                "map    stride 2 (line 1): each of 65536 elements once, 8.000 sectors a request\n"),
            std::string::npos)
      << verdict.text;
  EXPECT_NE(verdict.text.find("ratio  stride 32 needs 8.00 times the sectors of stride 1"),
            std::string::npos);
  EXPECT_EQ(check(R"({"map":"i"})").code, exit_code::kFailed);  // coalesced at every stride
}

TEST(Exercise, AMapThatWrapsIsNamed) {
  const exercise_verdict verdict = check(R"({"map":"i * s % n","n":1024})");
  EXPECT_EQ(verdict.code, exit_code::kFailed);
  EXPECT_NE(
      verdict.text.find(
          "map    stride 32 (line 1): loads: 32 elements repeated, the first is 0; stores: 32 "
          "elements repeated, the first is 0: n / s elements, s times each, as (i * s) % n "
          "does\n"),
      std::string::npos)
      << verdict.text;
  // Of an n that shares no divisor with the stride it is right; where it wraps, a warp needs less.
  EXPECT_EQ(check(R"({"map":"i * s % n","n":4099})").code, exit_code::kOk);
}

TEST(Exercise, AMapIsAListToo) {
  std::string sparse = "0", dense = "0";
  for (int i = 1; i < 1024; ++i) {
    sparse += "," + std::to_string(i % 32 * 32 + i / 32);
    dense += "," + std::to_string(i);
  }
  const std::string fast = "{\"stride\":1,\"map\":[" + dense + "]}\n";
  EXPECT_EQ(check(fast + "{\"stride\":32,\"map\":[" + sparse + "]}").code, exit_code::kOk);
  const auto small = [&](const std::string& list) {
    return check(fast + "{\"stride\":32,\"map\":[" + list + "]}").text;
  };
  EXPECT_NE(small("0,2,1,2").find("1 elements repeated, the first is 2"), std::string::npos);
  EXPECT_NE(small("0,1,4").find("1 accesses outside the buffer"), std::string::npos);
  EXPECT_NE(small("0,-1").find("1 accesses outside the buffer"), std::string::npos);
}

TEST(Exercise, AWrongMapFailsTheRowsBesideIt) {
  const exercise_verdict verdict = check(kT4 + "\n{\"map\":\"i * s % n\"}");
  EXPECT_EQ(verdict.code, exit_code::kFailed);
  EXPECT_EQ(verdict.text.find("ratio"), std::string::npos) << verdict.text;
  EXPECT_EQ(check(kT4 + "\n{\"map\":\"i\"}").code, exit_code::kOk);
}

TEST(Exercise, MapsThatAreWrongAreNamed) {
  const auto said = [](const std::string& line, const std::string& what) {
    EXPECT_EQ(refusal(line).find("--from=f: line 1: " + what), 0u) << refusal(line);
  };
  said(R"({"map":3})", "'map' is 3, neither a formula");
  said(R"({"map":"x"})", "'map' is \"x\": unknown variable 'x'");
  said(R"x({"map":"i / (s - 1)"})x", "'map' is \"i / (s - 1)\": 0 / 0 at character 3");
  said(R"({"map":"i","n":262145})", "'map' has 262145 elements; 1 to 262144");
  said(R"({"map":"i","ms":1})", "has both 'map' and 'ms'");
  said(R"({"map":[0]})", "'stride' is missing");
  said(R"({"map":[],"stride":1})", "'map' has 0 elements");
  said(R"({"map":[0,1],"stride":1,"n":3})", "'map' has 2 elements, and 'n' is 3");
  for (const std::string index : {"0.5", "18446744073709551615", "null", "[0]"})
    said("{\"map\":[" + index + "],\"stride\":1}",
         "'map' has " + index + ", which is no element's index");
  said("{\"map\":\"" + std::string(201, '1') + "\"}", "'map' is longer than 200 characters");
  EXPECT_EQ(refusal(R"({"map":"i","stride":1})"),
            "--from=f: no map has stride 32; the check needs strides 1 and 32");
}

TEST(Exercise, ARateThatIsNotBytesOverTimeIsRefused) {
  EXPECT_EQ(refusal(line(1, 2.305, 222.1) + line(32, 56.037, 9.6)),  // MiB per ms
            "--from=f: line 1: 222.1 GB/s is not 536870912 bytes in 2.305 ms, which is 232.9 (GB = "
            "1e9 bytes; bytes: loads and stores together)");
  EXPECT_NE(refusal(line(1, 2.305, 116.5) + line(32, 56.037, 9.6)).find("116.5 GB/s is not"),
            std::string::npos);  // loads alone
  EXPECT_EQ(refusal(line(1, 2.305, 234) + line(32, 56.037, 9.6)).substr(0, 8), "accepted");
  // Small numbers lose what their digits say: 8,000,000 bytes in 250 ms are 0.032 GB/s, 8,000
  // bytes in 0.00035 to 0.00045 ms 17.8 to 22.9 GB/s.
  const auto is_read = [](const std::string& numbers) {
    return read("{\"stride\":1," + numbers + "}").rows.size() == 1;
  };
  EXPECT_TRUE(is_read(R"("ms":250,"gbps":0.032,"bytes":8000000)"));
  EXPECT_TRUE(is_read(R"("ms":250,"gbps":0.03,"bytes":8000000)"));
  EXPECT_FALSE(is_read(R"("ms":250,"gbps":0.02,"bytes":8000000)"));
  EXPECT_FALSE(is_read(R"("ms":250,"gbps":0.0001,"bytes":8000000)"));
  EXPECT_FALSE(is_read(R"("ms":1,"gbps":0.04,"bytes":536870912)"));
  EXPECT_TRUE(is_read(R"("ms":0.0004,"gbps":20,"bytes":8000)"));
  EXPECT_TRUE(is_read(R"("ms":0.0004,"gbps":23,"bytes":8000)"));
  EXPECT_FALSE(is_read(R"("ms":0.0004,"gbps":24,"bytes":8000)"));
  EXPECT_FALSE(is_read(R"("ms":0.0004,"gbps":0.01,"bytes":8000)"));
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
