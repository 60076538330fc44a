# SPDX-License-Identifier: Apache-2.0
"""Kernels of a program's author on a real GPU. Skipped without one."""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

import support  # noqa: E402
from support import Json, plain_name, run, strict_json  # noqa: E402

support.BENCHMARK = os.environ["SECTORBENCH_OWN_GPU_KERNELS"]

COUNT = 1 << 20
RIGHT = [f"as_stride/n:{COUNT}", "right", "swapped", "one_block", "busy", "banks", "sum_up"]
FAILURES = {
    "after_end": "bytes written outside its buffers, after 'y'",
    "drops_one": "1 of 1048576 elements wrong, the first at index 0",
    "too_many_threads": "cudaErrorInvalid",
    "leaves_error": "cudaErrorMemoryAllocation",
    "ignores_stream": "stream",
}


def setUpModule() -> None:
    probe = run(["--device=cuda", "--rows=contiguous/copy/f32", "--elements=1Ki"])
    if probe.code != 4:
        return
    if "cannot be used" in probe.err or os.environ.get("SECTORBENCH_REQUIRE_GPU") == "1":
        raise AssertionError(probe.err)
    raise unittest.SkipTest(probe.err.strip())


class OwnKernelsOnGpu(unittest.TestCase):
    maxDiff = None

    def rows_of(self, names: list[str], code: int, *args: str) -> dict[str, Json]:
        with tempfile.TemporaryDirectory(prefix="sectorbench_own_") as folder:
            file = pathlib.Path(folder) / "rows.json"
            result = run(["--device=cuda", "--benchmark_min_time=0.01", f"--benchmark_out={file}",
                          f"--rows={','.join(names)}", *args])
            self.assertEqual(result.code, code, f"{result.out}{result.err}")
            document = strict_json(file.read_bytes())
        self.context = document["context"]
        rows = {plain_name(row): row for row in document["benchmarks"]}
        self.assertEqual(list(rows), names)
        return rows

    def test_right_ones_are_measured_and_verified(self) -> None:
        for name, row in self.rows_of(RIGHT, 0).items():
            self.assertNotIn("error_occurred", row, name)
            self.assertEqual(row["verified"], 1, name)
            for key in support.counter_keys("kEvery", "kGpu"):
                self.assertIn(key, row, name)

    def test_counts_are_those_of_the_same_kernel_as_a_pattern(self) -> None:
        rows = self.rows_of([RIGHT[0], f"stride/copy/f32/stride:1/elements:{COUNT}"], 0)
        own, pattern = rows.values()
        if self.context["counters"] != "on":
            self.skipTest(self.context["counters.reason"])
        for key in ("load_requests_measured", "load_sectors_measured",
                    "store_requests_measured", "store_sectors_measured"):
            self.assertEqual(own[key], pattern[key], key)
        self.assertEqual(own["counters_equal_model"], 1)

    def test_more_bytes_than_were_counted_fail(self) -> None:
        rows = self.rows_of(["right"], 0)
        if self.context["counters"] != "on":
            self.assertIn("bytes=", rows["right"]["label"])
            self.skipTest(self.context["counters.reason"])
        row = self.rows_of(["false_bytes"], 1)["false_bytes"]
        self.assertIn("8388608 useful bytes", str(row))

    def test_each_mistake_fails_its_row_and_no_other(self) -> None:
        rows = self.rows_of([*FAILURES, "too_large", "right"], 1)
        for name, text in FAILURES.items():
            with self.subTest(name):
                self.assertIn(text, str(rows[name]))
        self.assertIn("32.0 TiB", str(rows["too_large"]))
        self.assertEqual(rows["right"]["verified"], 1)

    def test_a_sticky_error_ends_the_rows_after_it(self) -> None:
        rows = self.rows_of(["right", "illegal", f"as_stride/n:{COUNT}"], 1)
        self.assertEqual(rows["right"]["verified"], 1)
        self.assertIn("cudaErrorIllegalAddress", str(rows["illegal"]))
        self.assertIn("not run", str(rows[f"as_stride/n:{COUNT}"]))

    def test_a_hanging_kernel_ends_the_process_after_its_rows_are_written(self) -> None:
        rows = self.rows_of(["right", "hangs", f"as_stride/n:{COUNT}"], 1, "--max_wall=2")
        self.assertEqual(rows["right"]["verified"], 1)
        self.assertIn("2 s", str(rows["hangs"]))
        self.assertIn("hangs", str(rows[f"as_stride/n:{COUNT}"]))


if __name__ == "__main__":
    unittest.main()
