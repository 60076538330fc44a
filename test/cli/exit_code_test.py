# SPDX-License-Identifier: Apache-2.0
"""Exit codes, and the one line that says why."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest

from support import (
    BENCHMARK,
    DEVICE,
    OutputTest,
    built_with_cuda,
    environment,
    measuring,
    nvidia_gpu_seen,
    run,
    strict_json,
)

ROW = "contiguous/copy/f32"
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}

# A flag with a value that is refused, and what the line must name besides the flag and the value.
BAD_VALUES: list[tuple[str, str]] = [
    ("--bytes=", ""),
    ("--bytes=x", "e.g. --bytes="),
    ("--bytes=0", ""),
    ("--bytes=-1", ""),
    ("--bytes=1.5Mi", ""),
    ("--bytes=1MiB", ""),
    ("--bytes=9223372036854775808", "too large"),
    ("--bytes=8589934592Gi", "too large"),
    ("--elements=0", ""),
    ("--elements=1e6", ""),
    ("--elements=4Ki,", "empty"),
    ("--elements=4Ki,4096", "twice"),
    # 16 bytes times this number of elements does not fit 63 bits.
    ("--elements=576460752303423488", "too large"),
    ("--elements=9223372036854775807", "too large"),
    ("--types=f3", "did you mean f32?"),
    ("--types=f32,f32", "twice"),
    ("--ops=copi", "did you mean copy?"),
    ("--strides=0", ""),
    ("--strides=2147483648", "too large"),
    ("--chunks=a", ""),
    ("--block=0", ""),
    ("--block=1025", "at most 1024"),
    ("--device=gpu", "auto, host, cuda"),
    ("--device=cuda:-1", ""),
    ("--device=cuda:x", ""),
    ("--suite=references", "did you mean reference?"),
    ("--protocol=fast", "default, reference"),
    ("--blocking=maybe", "auto, on, off"),
    ("--max_wall=0", ""),
    ("--max_wall=inf", ""),
    ("--max_wall=nan", ""),
    ("--max_wall=1,5", ""),
    ("--seed=-1", ""),
    ("--quick=yes", "takes no value"),
    ("--json_lines=", ""),
    ("--benchmark_min_time=soon", ""),
    ("--benchmark_min_time=nan", ""),
    ("--benchmark_min_time=-1", ""),
    ("--benchmark_min_time=0x", ""),
    ("--benchmark_repetitions=0", ""),
    ("--benchmark_repetitions=many", ""),
    ("--benchmark_format=xml", "console, json, csv"),
    ("--benchmark_out_format=xml", "console, json, csv"),
    ("--benchmark_time_unit=minutes", ""),
    ("--benchmark_color=blue", ""),
    ("--benchmark_filter=[", "regular expression"),
    ("--benchmark_filter=stride(", "regular expression"),
    ("--benchmark_filter=*", "regular expression"),
]

BAD_ROWS: list[tuple[str, str]] = [
    ("", "<pattern>/<operation>/<type>"),
    ("stride", "<pattern>/<operation>/<type>"),
    ("strid/copy/f32/stride:8", "did you mean stride?"),
    ("stride/kopy/f32/stride:8", "did you mean copy?"),
    ("stride/shuffle/f32/stride:8", "'shuffle'; known: copy, gather"),
    ("stride/copy/f31/stride:8", "did you mean f32?"),
    ("stride/copy/f32", "stride:<"),
    ("stride/copy/f32/stride", "stride:<"),
    ("stride/copy/f32/stride:", "stride:<"),
    ("stride/copy/f32/stride:0", "stride:<"),
    ("stride/copy/f32/stride:-1", "stride:<"),
    ("stride/copy/f32/stride:8x", "stride:<"),
    ("stride/copy/f32/stride:99999999999999999999", "stride:<"),
    ("stride/copy/f32/step:8", "stride:<"),
    ("stride/copy/f32/stride:8/stride:8", "stride:<"),
    ("unrolled/copy/f32/unroll:3", "unroll:2 or unroll:4 or unroll:8"),
    ("contiguous/copy/f32/stride:1", "no parameters"),
    ("memcpy/read/f32", "takes no read"),
]

UNKNOWN: list[tuple[str, str]] = [
    ("--elment=4", "did you mean --elements?"),
    ("--filter=stride", "did you mean --benchmark_filter?"),
    ("--benchmark_fliter=stride", "did you mean --benchmark_filter?"),
    ("--stride=8", "did you mean --strides?"),
    ("--frobnicate", "--help"),
    ("-x", "--help"),
    ("stride", "not a flag"),
]


class ExitCodes(OutputTest):
    def test_0_when_rows_were_measured(self) -> None:
        self.check_run(measuring(["--elements=4Ki", f"--rows={ROW}"]))

    def test_0_when_rows_were_skipped_for_a_reason(self) -> None:
        result = self.check_run(measuring(["--elements=1048576Gi", f"--rows={ROW}"]))
        self.assertIn("skipped: does not fit", result.out)
        self.assertIn("0 rows measured and verified, 1 skipped", result.out)

    def test_2_for_an_unknown_flag(self) -> None:
        for flag, remedy in UNKNOWN:
            with self.subTest(flag):
                self.assert_refused(2, [flag], flag, remedy)

    def test_2_for_an_unknown_flag_beside_a_list(self) -> None:
        for flag, remedy in UNKNOWN:
            with self.subTest(flag):
                self.assert_refused(2, ["--benchmark_list_tests", flag], flag, remedy)

    def test_2_for_a_bad_value_naming_flag_and_value(self) -> None:
        for flag, text in BAD_VALUES:
            with self.subTest(flag):
                self.assert_refused(2, [flag], flag, text)

    def test_2_for_a_missing_value(self) -> None:
        for flag in ("--bytes", "--rows", "--device", "--benchmark_filter", "--benchmark_out"):
            with self.subTest(flag):
                self.assert_refused(2, [flag], flag, "a value is missing")

    def test_2_for_a_bad_row(self) -> None:
        for row, text in BAD_ROWS:
            with self.subTest(row):
                self.assert_refused(2, [f"--rows={row}"], f"--rows={row}", text)

    def test_2_for_bytes_beside_elements(self) -> None:
        self.assert_refused(2, ["--bytes=1Mi", "--elements=1Mi"], "--bytes", "--elements")

    def test_2_for_bytes_that_are_no_multiple_of_an_element(self) -> None:
        self.assert_refused(2, ["--bytes=12"], "--bytes=12", "multiple")

    def test_2_for_axes_that_leave_no_row(self) -> None:
        self.assert_refused(2, ["--rows=memcpy/write/u8"], "--rows=memcpy/write/u8")

    def test_2_for_a_bad_value_in_the_environment(self) -> None:
        self.assert_refused(2, measuring([f"--rows={ROW}"]), "BENCHMARK_FORMAT", "xml",
                            env={"BENCHMARK_FORMAT": "xml"})

    def test_the_error_stays_one_line_whatever_the_flag_holds(self) -> None:
        self.assert_refused(2, ["--bytes=1\n2\x1b[31m"], "--bytes=1?2?[31m")

    def test_1_when_stdout_cannot_be_written(self) -> None:
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for flags in (["--benchmark_format=json"], [], ["--benchmark_list_tests"]):
            with self.subTest(flags), open("/dev/full", "wb") as full:
                args = [BENCHMARK, *measuring(["--elements=4Ki", f"--rows={ROW}"]), *flags]
                done = subprocess.run(args, env=environment(), stdin=subprocess.DEVNULL,
                                      stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
                self.assertEqual(done.returncode, 1, "the output was lost and nobody said so")
                self.assertIn(b"sectorbench: ", done.stderr)

    def test_3_when_the_filter_matches_nothing(self) -> None:
        for value in ("no_such_row", "Stride", "^$"):
            with self.subTest(value):
                flag = f"--benchmark_filter={value}"
                self.assert_refused(3, [flag], flag)
                self.assert_refused(3, ["--benchmark_list_tests", flag], flag)

    def test_1_when_counters_are_required_and_cannot_be_had(self) -> None:
        out = self.folder / "rows.json"
        result = run(["--device=host", "--benchmark_min_time=0.001", "--elements=4Ki",
                      "--rows=contiguous/copy/f32", "--counters=require",
                      f"--benchmark_out={out}"])
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("--counters=require: no hardware counters: the CPU's", result.err)
        self.assertIn('"verified": 1', out.read_text("utf-8"), "the rows were lost")

    @unittest.skipUnless(DEVICE == "host", "only rows of the CPU know how disturbed they were")
    def test_1_when_quiet_is_required_and_a_row_was_disturbed(self) -> None:
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                 for _ in range(4 * (os.cpu_count() or 1))]
        try:
            result = run(measuring(["--rows=contiguous/copy/f32", "--elements=64Ki", "--require=quiet"]))
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
        disturbed = "DISTURBED" in result.out
        self.assertEqual(result.code, 1 if disturbed else 0, result.out + result.err)
        self.assertEqual("--require=quiet" in result.err, disturbed)
        self.assertEqual(" disturbed=" in result.out, disturbed)

    def test_2_for_a_gpu_setting_on_the_cpu(self) -> None:
        for flag in ("--l2_fetch_granularity=32", "--load_op=cg", "--store_op=cs",
                     "--occupancy=2", "--space=pinned:loads"):
            with self.subTest(flag):
                self.assert_refused(2, ["--device=host", flag], flag, "needs a GPU")

    def test_1_when_the_reference_suite_is_not_whole(self) -> None:
        flags = ["--suite=reference", "--elements=4Ki", "--benchmark_filter=stride:8/"]
        result = run(measuring(flags))
        self.assertEqual(result.code, 1, result.err)
        self.assert_one_error_line(result, "--suite=reference", "7", "1 came")

    def test_1_when_a_reference_row_was_skipped(self) -> None:
        result = run(measuring(["--suite=reference", "--elements=1048576Gi"]))
        self.assertEqual(result.code, 1, result.err)
        self.assert_one_error_line(result, "7", "0 came")

    def test_4_for_all_gpus_where_there_is_none(self) -> None:
        result = run(["--device=all", "--quick", "--benchmark_filter=memcpy"])
        if result.code == 0:
            self.skipTest("there is a GPU")
        self.assertEqual(result.code, 4, result.err)
        self.assert_one_error_line(result, "--device=host")

    def test_4_for_a_gpu_that_is_not_there(self) -> None:
        old = self.folder / "old.json"
        old.write_text("precious", "utf-8")
        out = [f"--benchmark_out={old}", "--benchmark_format=json", "--elements=4Ki"]
        for device in ("cuda", "cuda:0", "cuda:63"):
            with self.subTest(device):
                self.assert_refused(4, [f"--device={device}", *out],
                                    "--device=cuda", "--device=host", env=NO_GPU)
                self.assertEqual(old.read_text("utf-8"), "precious")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["old.json"])

    def test_auto_without_a_gpu_measures_the_cpu_and_says_so(self) -> None:
        flags = ["--device=auto", "--elements=4Ki", f"--rows={ROW}", "--benchmark_min_time=0.001"]
        if not built_with_cuda() and nvidia_gpu_seen():
            self.assert_refused(4, flags, "there is a GPU", "no CUDA", "--device=host")
            return
        table = self.check_run(flags, env=NO_GPU).out.splitlines()
        notices = [line for line in table if "the CPU's memory is measured" in line]
        self.assertEqual(len(notices), 1, table)
        heading = next(i for i, line in enumerate(table) if line.startswith("row "))
        self.assertLess(table.index(notices[0]), heading, "said after the table")
        document = strict_json(self.check_run([*flags, "--benchmark_format=json"], env=NO_GPU).out)
        self.assertEqual(document["context"]["backend"], "host")
        self.assertIn("the CPU's memory is measured", document["context"]["backend.reason"])


if __name__ == "__main__":
    unittest.main()
