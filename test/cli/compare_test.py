# SPDX-License-Identifier: Apache-2.0
"""Google Benchmark's own compare.py reads our files and runs our program, in all its modes.

What it prints of files written by hand is compared to the letter: docs/comparing.md quotes these numbers.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import unittest
from typing import Sequence

from support import BENCHMARK, Json, OutputTest, Result, environment, measuring, strict_json

# The system's Python: it has the scipy that compare.py wants.
PYTHON = "/usr/bin/python3"
COMPARE = os.environ.get("SECTORBENCH_COMPARE", "/usr/share/benchmark/compare.py")

SEEN = "contiguous/copy/f32"
STRIDE_8, STRIDE_32 = (f"stride/copy/f32/stride:{stride}" for stride in (8, 32))
CHUNK_32 = "chunk/copy/f32/chunk:32"


def missing_tool() -> str:
    for path in (PYTHON, COMPARE):
        if not os.path.exists(path):
            return f"{path} is not there (Debian: libbenchmark-tools)"
    found = subprocess.run([PYTHON, "-c", "import scipy.stats"], capture_output=True, check=False)
    return "" if found.returncode == 0 else f"{PYTHON} has no scipy (Debian: python3-scipy)"


def row(name: str, time: float, unit: str = "ns", **more: object) -> Json:
    """A row as the library writes it, whose host waited 1000 units longer than the GPU took."""
    full = f"{name}/manual_time"
    return {
        "name": full,
        "run_name": full,
        "run_type": "iteration",
        "real_time": time,
        "cpu_time": time + 1000.0,
        "time_unit": unit,
        **more,
    }


def failed(name: str) -> Json:
    message = "verify: element 7 is 0, not 7"
    return {**row(name, 0.0, error_occurred=True, error_message=message), "cpu_time": 0.0}


def repeated(name: str, times: Sequence[float]) -> list[Json]:
    """As many repetitions, and their mean."""
    mean = sum(times) / len(times)
    runs = [row(name, time, repetition_index=index) for index, time in enumerate(times)]
    aggregate = row(name, mean, repetition_index=0)
    aggregate.update(name=f"{name}/manual_time_mean", run_type="aggregate", aggregate_name="mean")
    return [*runs, aggregate]


class CompareTest(OutputTest):
    def setUp(self) -> None:
        super().setUp()
        missing = missing_tool()
        if missing and os.environ.get("SECTORBENCH_REQUIRE_TOOLS"):
            self.fail(missing)
        if missing:
            self.skipTest(missing)

    def written(self, name: str, *rows: Json) -> str:
        (self.folder / name).write_text(json.dumps({"context": {}, "benchmarks": rows}), "utf-8")
        return name

    def compare(self, *args: object) -> Result:
        done = subprocess.run(
            [PYTHON, COMPARE, "--no-color", *map(str, args)],
            cwd=self.folder,
            env=environment({"PYTHONDONTWRITEBYTECODE": "1"}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def compared(self, *args: object) -> list[list[str]]:
        """The rows that compare.py prints, as words: name, changes of time and cpu time, times, cpu times."""
        result = self.compare(*args)
        self.assertEqual(result.code, 0, result.out + result.err)
        lines = result.out.splitlines()
        rule = next(index for index, line in enumerate(lines) if line.startswith("-----"))
        return [line.split() for line in lines[rule + 1 :]]


class FilesWrittenByHand(CompareTest):
    def test_two_files(self) -> None:
        before = self.written(
            "before.json",
            *(row(SEEN, 200000.0), row(STRIDE_8, 5300.4), row(STRIDE_32, 3000000.0), row(CHUNK_32, 9.0)),
        )
        after = self.written(
            "after.json",
            *(row(SEEN, 210000.0), row(STRIDE_8, 5406.4), row(STRIDE_32, 1500000.0), row("new/copy/f32", 9.0)),
        )
        result = self.compare("benchmarks", before, after)
        self.assertEqual(result.code, 0)
        # CHUNK_32 and the new row go without a word; OVERALL_GEOMEAN is of all rows, theirs included.
        self.assertEqual(
            result.out,
            """\
Comparing before.json to after.json
Benchmark                                               Time             CPU      Time Old      Time New       CPU Old       CPU New
------------------------------------------------------------------------------------------------------------------------------------
contiguous/copy/f32/manual_time                      +0.0500         +0.0498        200000        210000        201000        211000
stride/copy/f32/stride:8/manual_time                 +0.0200         +0.0168          5300          5406          6300          6406
stride/copy/f32/stride:32/manual_time                -0.5000         -0.4998       3000000       1500000       3001000       1501000
OVERALL_GEOMEAN                                      -0.1446         -0.1452             0             0             0             0
""",
        )

    def test_twice_as_slow_is_exit_status_0(self) -> None:
        before = self.written("before.json", row(SEEN, 200000.0))
        after = self.written("after.json", row(SEEN, 400000.0))
        self.assertEqual(
            self.compared("benchmarks", before, after)[0],
            [f"{SEEN}/manual_time", "+1.0000", "+0.9950", "200000", "400000", "201000", "401000"],
        )

    def test_a_failed_row_looks_like_the_greatest_improvement(self) -> None:
        before = self.written("before.json", row(SEEN, 200000.0), row(STRIDE_8, 5300.0))
        after = self.written("after.json", failed(SEEN), row(STRIDE_8, 5300.0))
        rows = self.compared("benchmarks", before, after)
        self.assertEqual(
            rows[0], [f"{SEEN}/manual_time", "-1.0000", "-1.0000", "200000", "0", "201000", "0"]
        )
        self.assertEqual(rows[1][:2], [f"{STRIDE_8}/manual_time", "+0.0000"])
        self.assertEqual(len(rows), 2, "the geometric mean of a zero is not printed")
        self.assertEqual(self.compared("benchmarks", after, before)[0][1], "+2.0000")

    def test_microseconds_lose_the_digits_of_short_rows(self) -> None:
        before = self.written("before.json", row(STRIDE_8, 5.4, "us"))
        after = self.written("after.json", row(STRIDE_8, 5.0, "us"))
        _, time, _, old, new, *_ = self.compared("benchmarks", before, after)[0]
        self.assertEqual((time, old, new), ("-0.0741", "5", "5"))

    def test_another_time_unit_is_another_row(self) -> None:
        before = self.written("before.json", row(STRIDE_8, 1500.0))
        after = self.written("after.json", row(STRIDE_8, 1.6, "us"))
        rows = self.compared("benchmarks", before, after)
        self.assertEqual([row[0] for row in rows], ["OVERALL_GEOMEAN"])

    def test_nothing_in_common_is_exit_status_0(self) -> None:
        before = self.written("before.json", row(SEEN, 200000.0))
        after = self.written("after.json", row(CHUNK_32, 200000.0))
        self.assertEqual(
            self.compared("benchmarks", before, after),
            [["OVERALL_GEOMEAN", "+0.0000", "+0.0000", "0", "0", "0", "0"]],
        )

    def test_filters_put_a_stride_beside_a_chunk(self) -> None:
        one = self.written("one.json", row(STRIDE_32, 3000000.0), row(CHUNK_32, 1200000.0))
        self.assertEqual(
            self.compared("filters", one, f"{STRIDE_32}/", f"{CHUNK_32}/"),
            [
                [f"[{STRIDE_32}/", "vs.", f"{CHUNK_32}/]manual_time"]
                + ["-0.6000", "-0.5998", "3000000", "1200000", "3001000", "1201000"],
                ["OVERALL_GEOMEAN", "-0.6000", "-0.5998", "0", "0", "0", "0"],
            ],
        )

    def test_a_filter_without_its_slash_takes_more(self) -> None:
        """stride:1 is also the beginning of stride:16: what remains of the names then differs."""
        rows = [row(f"stride/copy/f32/stride:{stride}", 1000.0 * stride) for stride in (1, 16, 2)]
        one = self.written("one.json", *rows)
        named = [words[:4] for words in self.compared("filters", one, "stride:1", "stride:2")]
        self.assertEqual(
            named[0], ["stride/copy/f32/[stride:1", "vs.", "stride:2]/manual_time", "+1.0000"]
        )
        # Of the geometric mean on the left, stride 16 is half: 2000 against the root of 1000 x 16000.
        self.assertEqual(named[1][:2], ["OVERALL_GEOMEAN", "-0.5000"])

    def test_filters_of_two_files(self) -> None:
        before = self.written("before.json", row(STRIDE_8, 1500.0), row(CHUNK_32, 1000.0))
        after = self.written("after.json", row(STRIDE_8, 1400.0), row(CHUNK_32, 1200.0))
        self.assertEqual(
            self.compared("benchmarksfiltered", before, f"{STRIDE_8}/", after, f"{CHUNK_32}/"),
            [
                [f"[{STRIDE_8}/", "vs.", f"{CHUNK_32}/]manual_time"]
                + ["-0.2000", "-0.1200", "1500", "1200", "2500", "2200"],
                ["OVERALL_GEOMEAN", "-0.2000", "-0.1200", "0", "0", "0", "0"],
            ],
        )

    def test_dump(self) -> None:
        before = self.written("before.json", row(STRIDE_8, 1600.0, label="limited_by=dram_bytes"))
        after = self.written("after.json", row(STRIDE_8, 1200.0))
        self.compared("-d", "dump.json", "benchmarks", before, after)
        dumped = json.loads((self.folder / "dump.json").read_text("utf-8"))
        self.assertEqual(
            dumped[0],
            {
                "name": f"{STRIDE_8}/manual_time",
                "label": "limited_by=dram_bytes",
                "measurements": [
                    {
                        "real_time": 1600.0,
                        "cpu_time": 2600.0,
                        "real_time_other": 1200.0,
                        "cpu_time_other": 2200.0,
                        "time": -0.25,
                        "cpu": -400.0 / 2600.0,
                    }
                ],
                "time_unit": "ns",
                "run_type": "iteration",
                "aggregate_name": "",
                "utest": {},
            },
        )
        self.assertEqual([row["name"] for row in dumped[1:]], ["OVERALL_GEOMEAN"])

    def test_aggregates_only(self) -> None:
        before = self.written("before.json", *repeated(STRIDE_8, [1000.0, 1010.0, 1020.0]))
        after = self.written("after.json", *repeated(STRIDE_8, [1100.0, 1110.0, 1120.0]))
        rows = self.compared("-a", "benchmarks", before, after)
        # Three against three that do not overlap: p = 2 / C(6, 3) = 0.1, the least that there is.
        self.assertEqual(rows[0][:3], [f"{STRIDE_8}/manual_time_pvalue", "0.1000", "0.1000"])
        self.assertIn("WARNING: Results unreliable! 9+ repetitions recommended.", " ".join(rows[0]))
        self.assertEqual(rows[1][:2], [f"{STRIDE_8}/manual_time_mean", "+0.0990"])
        self.assertEqual(rows[1][3:5], ["1010", "1110"])
        self.assertEqual([row[0] for row in rows[2:]], ["OVERALL_GEOMEAN"])

    def test_its_u_test_has_no_threshold(self) -> None:
        files = [
            self.written(f"{start:g}.json", *repeated(SEEN, [start + 0.01 * step for step in range(30)]))
            for start in (1000.0, 1001.0)
        ]
        rows = self.compared("-a", "benchmarks", *files)
        self.assertEqual(rows[0][:2], [f"{SEEN}/manual_time_pvalue", "0.0000"])
        self.assertEqual(rows[1][:2], [f"{SEEN}/manual_time_mean", "+0.0010"])

    def test_an_option_that_it_does_not_know_is_an_assertion(self) -> None:
        before = self.written("before.json", row(SEEN, 200000.0))
        result = self.compare("--no-such-option", "benchmarks", before, before)
        self.assertEqual(result.code, 1)
        self.assertIn("AssertionError", result.err)

    def test_options_behind_the_mode_are_taken_for_the_programs(self) -> None:
        before = self.written("before.json", row(SEEN, 200000.0))
        result = self.compare("benchmarks", before, before, "--no-utest")
        self.assertEqual(result.code, 0)
        self.assertIn("has no effect since both inputs are JSON", result.out)


class FilesOfOurs(CompareTest):
    def measured_file(self, name: str, *flags: str) -> pathlib.Path:
        out = self.folder / name
        self.check_run([*measuring(["--elements=4Ki", *flags]), f"--benchmark_out={out}"])
        return out

    def rows_of(self, path: pathlib.Path) -> list[Json]:
        return list(strict_json(path.read_bytes())["benchmarks"])

    def test_every_row_of_the_default_suite_is_compared(self) -> None:
        before = self.measured_file("before.json")
        rows = self.compared("benchmarks", before, self.measured_file("after.json"))
        names = [row["name"] for row in self.rows_of(before)]
        self.assertGreater(len(names), 20)
        self.assertEqual([row[0] for row in rows if row[0] != "OVERALL_GEOMEAN"], names)
        self.assertNotIn("nan", str(rows).lower())

    def test_times_keep_their_digits(self) -> None:
        """In microseconds a row of 5.3 us would be printed as 5."""
        before = self.measured_file("before.json")
        measured = self.rows_of(before)
        self.assertEqual({row["time_unit"] for row in measured}, {"ns"})
        rows = self.compared("benchmarks", before, before)
        shown = [row[3] for row in rows if row[0] != "OVERALL_GEOMEAN"]
        self.assertEqual(shown, [f"{row['real_time']:.0f}" for row in measured])

    def test_filters(self) -> None:
        names = (STRIDE_8, CHUNK_32)
        one = self.measured_file("one.json", f"--rows={','.join(names)}")
        stride, chunk = self.rows_of(one)
        rows = self.compared("filters", one, *(f"{name}/" for name in names))
        self.assertEqual(rows[0][:3], [f"[{STRIDE_8}/", "vs.", f"{CHUNK_32}/]manual_time"])
        self.assertEqual(rows[0][5:7], [f"{row['real_time']:.0f}" for row in (stride, chunk)])

    def test_repetitions_are_tested_for_a_difference(self) -> None:
        name = "contiguous/read/f32"
        flags = (f"--rows={name}", "--benchmark_repetitions=9")
        rows = self.compared(
            "benchmarks", self.measured_file("a.json", *flags), self.measured_file("b.json", *flags)
        )
        tested = next(" ".join(row) for row in rows if row[0] == f"{name}/manual_time_pvalue")
        self.assertIn("U Test, Repetitions: 9 vs 9", tested)

    def test_aggregates_only(self) -> None:
        flags = (f"--rows={SEEN}", "--benchmark_repetitions=3")
        before = self.measured_file("before.json", *flags)
        rows = self.compared("-a", "benchmarks", before, before)
        names = [row[0].removeprefix(f"{SEEN}/manual_time") for row in rows]
        # Spreads are compared as if they were times.
        self.assertEqual(names, ["_pvalue", "_mean", "_median", "_stddev", "_cv", "OVERALL_GEOMEAN"])


class OurProgram(CompareTest):
    FLAGS = tuple(measuring(["--elements=4Ki"]))

    def test_two_programs(self) -> None:
        flags = (*self.FLAGS, f"--rows={SEEN},{CHUNK_32}")
        result = self.compare("benchmarks", BENCHMARK, BENCHMARK, *flags)
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertEqual(result.out.count("RUNNING: "), 2)
        names = [line.split()[0] for line in result.out.splitlines() if line.endswith(tuple("0123456789"))]
        compared = [name for name in names if name.endswith("/manual_time")]
        self.assertEqual(compared[-2:], [f"{SEEN}/manual_time", f"{CHUNK_32}/manual_time"])

    def test_a_program_and_a_file(self) -> None:
        before = self.written("before.json", row(SEEN, 5300.0))
        rows = self.compared("benchmarks", before, BENCHMARK, *self.FLAGS, f"--rows={SEEN}")
        old = [row[3] for row in rows if row[0] == f"{SEEN}/manual_time"][-1]
        self.assertEqual(old, "5300")

    def test_filters_of_a_program(self) -> None:
        result = self.compare("filters", BENCHMARK, f"{STRIDE_8}/", "contiguous/copy/f32/", *self.FLAGS)
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertIn(f"[{STRIDE_8}/ vs. contiguous/copy/f32/]manual_time", result.out)

    def test_filters_of_two_programs(self) -> None:
        result = self.compare(
            *("benchmarksfiltered", BENCHMARK, f"{STRIDE_8}/", BENCHMARK, f"{STRIDE_32}/", *self.FLAGS)
        )
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertIn(f"[{STRIDE_8}/ vs. {STRIDE_32}/]manual_time", result.out)

    def test_a_program_that_fails_ends_the_comparison_with_its_own_exit_status(self) -> None:
        result = self.compare("benchmarks", BENCHMARK, BENCHMARK, *self.FLAGS, "--rows=no/such/row")
        self.assertEqual(result.code, 2)
        self.assertIn("TEST FAILED...", result.out)
        self.assertNotIn("OVERALL_GEOMEAN", result.out)
        nothing = self.compare("filters", BENCHMARK, "no_such_row", "nor_this", *self.FLAGS)
        self.assertEqual(nothing.code, 3)


if __name__ == "__main__":
    unittest.main()
