# SPDX-License-Identifier: Apache-2.0
"""Kernels of a program's author on the CPU: their rows, and each mistake of theirs."""

from __future__ import annotations

import os
import unittest

import support
from support import Json, OutputTest, plain_name, run, strict_json

# The program with the kernels of test/support/own_kernels.cpp.
PROGRAM = os.environ["SECTORBENCH_OWN_KERNELS"]

COUNT = 4096
CEILINGS = ["memcpy/copy/f32", "contiguous/copy/f32x4", "unrolled/copy/f32/unroll:4"]
PATTERN = "plain_copy/copy/f32"
RIGHT = ["right", "sums/columns:100/rows:8", "sums/columns:128/rows:8", "unchecked", "counts_up", "as_stride"]

# What the row's error must name.
FAILURES: dict[str, list[str]] = {
    "after_end": ["4 bytes", "after 'y'"],
    "before_begin": ["4 bytes", "before 'y'"],
    "into_input": ["'x'", "byte 20"],
    "drops_one": ["'y'", "1 of 4096", "index 4095", "expected"],
    "differs": ["two launches", "'y'", "byte 3"],
    "forgets": ["after timing", "'y'"],
    "throws": ["the author's own words"],
    "throws_a_number": ["std::exception"],
    "throws_later": ["too late"],
    "wrong_type": ["'x'"],
    "no_such_axis/columns:1": ["'colums'", "columns"],
    "empty_axis": ["'columns'"],
    "no_bytes": ["0 useful bytes"],
    "stride": ["a pattern", "own_kernels.cpp:"],
    "twice": ["own_kernels.cpp:", "rename"],
    "accesses_nothing": ["strid/copy/f32"],
    "dropping_copy/copy/f32": ["1 elements missed"],
    "twofold_copy": ["own_kernels.cpp:", "rename"],
    "random": ["a pattern", "own_kernels.cpp:"],
}
SKIPPED = {"too_large": "32.0 TiB", "gpu_only": "run_on_host"}


class OwnKernelsTest(OutputTest):
    def setUp(self) -> None:
        super().setUp()
        ours, support.BENCHMARK = support.BENCHMARK, PROGRAM
        self.addCleanup(setattr, support, "BENCHMARK", ours)

    def rows_of(self, names: list[str], code: int, *args: str) -> dict[str, Json]:
        """Every row, by name, of a run that must end with `code`."""
        file = self.folder / "rows.json"
        wanted = ["--device=host", "--benchmark_min_time=0.001", f"--benchmark_out={file}", *args]
        result = run([*wanted, f"--rows={','.join(names)}"])
        self.assertEqual(result.code, code, f"{result.out}{result.err}")
        rows = {plain_name(row): row for row in strict_json(file.read_bytes())["benchmarks"]}
        self.assertEqual(list(rows), names)
        return rows

    def test_right_kernels_have_every_key(self) -> None:
        rows = self.rows_of(RIGHT, 0)
        for name, row in rows.items():
            self.assertNotIn("error_occurred", row, name)
            for key in support.counter_keys("kEvery", "kHost"):
                self.assertIn(key, row, name)
            self.assertIn("kernel=1", row["label"])
            self.assertEqual(row["verified"], 0 if name == "unchecked" else 1)
            self.assertEqual("unverified=" in row["label"], name == "unchecked")
        self.assertEqual(rows["right"]["useful_bytes"], 2 * 4 * COUNT)
        self.assertEqual(rows["right"]["unique_bytes"], 2 * 4 * COUNT)
        self.assertEqual(rows["sums/columns:100/rows:8"]["useful_bytes"], 8 * (100 * 4 + 8))

    def test_fractions_are_of_rows_of_the_same_bytes(self) -> None:
        row = self.rows_of(["right"], 0)["right"]
        self.assertEqual(row["elements"], COUNT)
        self.assertGreater(row["fraction_of_ceiling"], 0)
        self.assertGreater(row["fraction_of_stride1"], 0)

    def test_a_kernel_that_names_its_accesses_is_predicted(self) -> None:
        rows = self.rows_of(["right", "as_stride", f"stride/copy/f32/stride:1/elements:{COUNT}"], 0)
        right, predicted, stride = rows.values()
        self.assertEqual(right["load_sectors_predicted"], 0)
        self.assertEqual(predicted["load_sectors_predicted"], COUNT * 4 // 32)
        self.assertEqual(predicted["load_sectors_predicted"], stride["load_sectors_predicted"])

    def test_a_kernel_that_names_its_accesses_can_be_predicted_without_a_gpu(self) -> None:
        wanted = ["--predict", "--gpu=h200", "--benchmark_format=json", "--rows=as_stride,right,accesses_nothing"]
        rows = {plain_name(row): row for row in strict_json(self.check_run(wanted).out)["benchmarks"]}
        self.assertEqual(rows["as_stride"]["load_sectors_predicted"], COUNT * 4 // 32)
        self.assertNotIn("right", rows)
        self.assertIn("strid/copy/f32", str(rows["accesses_nothing"]))
        self.assertEqual(run(["--predict", "--gpu=h200", "--rows=right"]).code, 3)

    def test_each_mistake_fails_its_row_and_no_other(self) -> None:
        names = [*FAILURES, *SKIPPED, "right"]
        rows = self.rows_of(names, 1)
        for name, texts in FAILURES.items():
            with self.subTest(name):
                self.assertTrue(rows[name].get("error_occurred"), rows[name])
                for text in texts:
                    self.assertIn(text, rows[name]["error_message"])
        for name, text in SKIPPED.items():
            with self.subTest(name):
                # Libraries before 1.8.0 have no word of their own for it.
                self.assertTrue(rows[name].get("skipped") or "SKIPPED" in rows[name]["error_message"])
                self.assertIn(text, str(rows[name]))
        self.assertEqual(rows["right"]["verified"], 1)

    def test_a_launch_that_hangs_ends_the_run_after_the_rows_before_it(self) -> None:
        rows = self.rows_of(["right", "hangs", "unchecked"], 1, "--max_wall=0.2")
        self.assertEqual(rows["right"]["verified"], 1)
        self.assertIn("0.2 s", rows["hangs"]["error_message"])
        self.assertIn("hangs", rows["unchecked"]["error_message"])

    def test_names_that_are_no_rows(self) -> None:
        for name, text in {
            "sums/columns:101/rows:8": "columns:<100 or 128>/rows:<8>",
            "sums/columns:wide/rows:8": "columns:<100 or 128>/rows:<8>",
            "sums/rows:8/columns:100": "columns:<100 or 128>/rows:<8>",
            "sums": "columns:<100 or 128>/rows:<8>",
            "right/columns:1": "no values",
            "right/elements:64": "/elements:64",
            "right/block:32": "/block:32",
        }.items():
            with self.subTest(name):
                self.assert_refused(2, [f"--rows={name}"], name, text)

    def test_a_default_run_is_the_author_s_rows_after_the_ceilings_of_his_patterns(self) -> None:
        rows = [name.removesuffix("/manual_time") for name in self.check_run(["--benchmark_list_tests"]).out.split()]
        self.assertEqual(rows[: len(CEILINGS)], CEILINGS)
        own = rows[len(CEILINGS) :]
        self.assertEqual(set(own), {*RIGHT, *SKIPPED, *FAILURES, PATTERN, "hangs"})
        self.assertEqual(len(own), len(set(own)))

    def test_a_filter_of_the_suite_s_rows_names_the_suite_that_has_them(self) -> None:
        filter_of_theirs = "--benchmark_filter=random/gather"
        self.assert_refused(3, [filter_of_theirs], "--suite=full")
        listed = self.check_run([filter_of_theirs, "--suite=full", "--benchmark_list_tests"]).out.split()
        self.assertIn("random/gather/f32/manual_time", listed)

    def test_the_listing_and_the_full_suite_have_all_rows(self) -> None:
        listed = self.check_run(["--list"]).out
        for text in ["stride: ", "right (own, own_kernels.cpp:", "plain_copy (own, own_kernels.cpp:"]:
            self.assertIn(f"\n{text}", listed)
        full = self.check_run(["--suite=full", "--benchmark_list_tests"]).out.split()
        for name in ["stride/copy/f32/stride:8", "right", PATTERN]:
            self.assertIn(f"{name}/manual_time", full)

    def test_a_pattern_of_the_author_s_has_all_that_the_suite_s_have(self) -> None:
        own, suites = self.rows_of([PATTERN, "contiguous/copy/f32"], 0, "--elements=4096").values()
        self.assertEqual(own["verified"], 1)
        self.assertEqual(list(own), list(suites))
        self.assertEqual(own["load_sectors_predicted"], suites["load_sectors_predicted"])

    def test_a_name_registered_twice_leaves_the_suite_s_row_as_it_is(self) -> None:
        rows = self.rows_of(["random/gather/f32", PATTERN], 0, "--elements=4096")
        self.assertEqual(rows["random/gather/f32"]["verified"], 1)
        self.assert_refused(2, ["--rows=twofold_copy/copy/f32"], "own_kernels.cpp:")

    def test_the_summary_says_how_many_were_not_verified(self) -> None:
        result = run(["--device=host", "--benchmark_min_time=0.001", "--rows=right,unchecked"])
        self.assertEqual(result.code, 0)
        self.assertIn("1 rows measured and verified, 1 measured and NOT VERIFIED", result.out)


if __name__ == "__main__":
    unittest.main()
