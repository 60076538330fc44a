# SPDX-License-Identifier: Apache-2.0
"""Result files: whole or not at all, and what stood there before survives every failure."""

from __future__ import annotations

import csv
import os
import resource
import signal
import subprocess
import unittest
from typing import Sequence

from support import (
    BENCHMARK, DEVICE, Json, OutputTest, counter_keys, environment, measuring, run, strict_json,
)

ROW = "contiguous/copy/f32"
ARGS = measuring(["--elements=4Ki", f"--rows={ROW}"])
OLD = b"what stood here before\n"


class BenchmarkOut(OutputTest):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "rows.json"
        self.flag = f"--benchmark_out={self.out}"

    def test_a_new_file_is_the_whole_document(self) -> None:
        self.check_run([*ARGS, self.flag])
        document = strict_json(self.out.read_bytes())
        self.assertIn("evidence.version", document["context"])
        self.assertEqual(list(self.measured_rows(document)), [ROW])
        self.assertEqual(os.listdir(self.folder), ["rows.json"], "a temporary file was left")

    def test_an_old_file_is_replaced(self) -> None:
        self.out.write_bytes(OLD * 10000)
        self.check_run([*ARGS, self.flag])
        self.measured_rows(strict_json(self.out.read_bytes()))

    def test_the_file_is_what_stdout_shows(self) -> None:
        result = self.check_run([*ARGS, self.flag, "--benchmark_format=json"])
        shown, written = strict_json(result.out), strict_json(self.out.read_bytes())
        self.assertEqual(shown["benchmarks"], written["benchmarks"])

    def test_a_path_from_the_environment(self) -> None:
        self.check_run(ARGS, env={"BENCHMARK_OUT": str(self.out)})
        self.measured_rows(strict_json(self.out.read_bytes()))

    def test_a_path_without_a_folder(self) -> None:
        self.check_run([*ARGS, "--benchmark_out=rows.json"], cwd=str(self.folder))
        self.measured_rows(strict_json(self.out.read_bytes()))

    def test_runs_that_measure_nothing_leave_the_old_file_alone(self) -> None:
        runs: list[tuple[int, Sequence[str]]] = [
            (0, ["--benchmark_list_tests"]),
            (0, ["--help"]),
            (0, ["--version"]),
            (2, ["--elements=x"]),
            (2, ["--frobnicate"]),
            (2, ["--benchmark_frobnicate"]),
            (2, ["--benchmark_filter=["]),
            (2, [f"--json_lines={self.out}"]),
            (3, ["--benchmark_filter=no_such_row"]),
            (4, ["--device=cuda"]),
        ]
        for code, flags in runs:
            with self.subTest(flags):
                self.out.write_bytes(OLD)
                result = run([*ARGS, self.flag, *flags], env={"CUDA_VISIBLE_DEVICES": ""})
                self.assertEqual(result.code, code, result.err)
                self.assertEqual(self.out.read_bytes(), OLD, "the old file was changed")
                self.assertEqual(os.listdir(self.folder), ["rows.json"], "a file was left behind")

    def test_paths_that_cannot_be_written_are_refused_before_measuring(self) -> None:
        for path in (self.folder / "none" / "rows.json", self.folder):
            for flag in ("--benchmark_out", "--json_lines"):
                with self.subTest(flag=flag, path=path):
                    self.assert_refused(2, [*ARGS, f"{flag}={path}"], f"{flag}={path}")

    def test_the_file_that_stdout_goes_to_is_refused(self) -> None:
        for flag in ("--benchmark_out", "--json_lines"):
            for path in ("/dev/stdout", str(self.out)):
                with self.subTest(flag, path=path), self.out.open("wb") as table:
                    done = subprocess.run([BENCHMARK, *ARGS, f"{flag}={path}"],
                                          env=environment(None), stdout=table,
                                          stderr=subprocess.PIPE, timeout=60, check=False)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(b"is the file that standard output is redirected to", done.stderr)

    def test_a_full_disk_is_no_success(self) -> None:
        for form in ("json", "csv"):
            with self.subTest(form):
                self.out.write_bytes(OLD)
                result = self.run_on_a_full_disk([self.flag, f"--benchmark_out_format={form}"])
                self.assertEqual(result.returncode, 1, "the file was cut off and nobody said so")
                self.assertEqual(self.out.read_bytes(), OLD, "the old file was changed")
                self.assertIn(b"cut off", result.stderr)
                self.assertEqual(os.listdir(self.folder), ["rows.json"], "a file was left behind")

    def test_a_full_device_is_no_success(self) -> None:
        for form in ("json", "csv", "console"):
            with self.subTest(form):
                result = run([*ARGS, "--benchmark_out=/dev/full", f"--benchmark_out_format={form}"])
                self.assertEqual(result.code, 1, result.err)
                self.assertIn("--benchmark_out=/dev/full", result.err)
        lines = self.folder / "rows.jsonl"
        result = run([*ARGS, "--benchmark_out=/dev/full", f"--json_lines={lines}"])
        self.assertEqual(result.code, 1, result.err)
        self.assertTrue(lines.exists(), "one file that failed took the other")
        for flags in (["--help"], ["--list"], ["--version"]):
            with self.subTest(flags), open("/dev/full", "wb") as full:
                done = subprocess.run([BENCHMARK, *flags], stdout=full, stderr=subprocess.PIPE,
                                      timeout=60, check=False)
                self.assertEqual(done.returncode, 1, "what was printed is lost")

    def test_one_file_under_two_spellings_is_refused(self) -> None:
        self.out.unlink(missing_ok=True)
        result = run([*ARGS, self.flag, f"--json_lines={self.folder}/./rows.json"])
        self.assertEqual(result.code, 2, result.err)
        self.assertEqual(os.listdir(self.folder), [])
        done = subprocess.run([BENCHMARK, *ARGS, "--benchmark_out=a.json", "--json_lines=./a.json"],
                              cwd=self.folder, env=environment(), capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_too_few_descriptors_are_refused(self) -> None:
        done = subprocess.run(["bash", "-c", 'ulimit -n 8; exec "$@"', "_", BENCHMARK, *ARGS,
                               self.flag], env=environment(), capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"ulimit -n", done.stderr)

    def run_on_a_full_disk(self, flags: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        """Runs where no file can be longer than 300 bytes."""

        def limit_files() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        return subprocess.run(
            [BENCHMARK, *ARGS, *flags],
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            preexec_fn=limit_files,
            timeout=120,
            check=False,
        )

    def test_csv(self) -> None:
        self.check_run([*ARGS, self.flag, "--benchmark_out_format=csv"])
        rows = list(csv.DictReader(self.out.read_text("utf-8").splitlines()))
        self.assertEqual([row["name"] for row in rows], [f"{ROW}/manual_time"])


class Csv(OutputTest):
    def table(self, *flags: str) -> list[dict[str, str]]:
        text = self.check_run([*measuring(flags), "--benchmark_format=csv"]).out
        lines = list(csv.reader(text.splitlines(), strict=True))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])}, "lines of unlike length")
        return [dict(zip(lines[0], line)) for line in lines[1:]]

    def test_every_counter_is_a_column(self) -> None:
        (row,) = self.table("--elements=4Ki", f"--rows={ROW}")
        for key in counter_keys():
            self.assertGreaterEqual(float(row[key]), 0, key)
        self.assertEqual(row["useful_bytes"], "32768")
        self.assertEqual(row["error"] + row["skipped"], "")

    def test_a_skipped_row_first(self) -> None:
        skipped, measured = self.table("--elements=1048576Gi,4Ki", f"--rows={ROW}")
        self.assertIn("does not fit", skipped["skipped"])
        figures = [skipped[key] for key in ("real_time", "iterations", *counter_keys())]
        self.assertEqual(set(figures), {""}, "a row that was not measured has figures")
        self.assertEqual(measured["skipped"], "")
        self.assertEqual(float(measured["verified"]), 1)

    def test_repetitions(self) -> None:
        names = [row["name"] for row in
                 self.table("--elements=4Ki", f"--rows={ROW}", "--benchmark_repetitions=2")]
        self.assertEqual(names[:2], [f"{ROW}/manual_time"] * 2)
        self.assertIn(f"{ROW}/manual_time_median", names)


class JsonLines(OutputTest):
    def setUp(self) -> None:
        super().setUp()
        self.lines = self.folder / "rows.jsonl"
        self.flag = f"--json_lines={self.lines}"

    def objects(self) -> list[Json]:
        text = self.lines.read_text("utf-8")
        self.assertTrue(text.endswith("\n"), "the last line does not end")
        return [strict_json(line) for line in text.splitlines()]

    def test_reference_suite_writes_the_seven_objects(self) -> None:
        flags = ["--suite=reference", "--protocol=reference", "--elements=64Ki", self.flag]
        result = self.check_run([f"--device={DEVICE}", *flags, "--benchmark_format=json"])
        document = strict_json(result.out)
        rows = self.measured_rows(document)
        self.assertEqual(document["context"]["protocol"], "reference")
        for name, row in rows.items():
            self.assertEqual(row["launches_per_sample"], 10, name)
            self.assertEqual(row["samples"], 1, name)
            self.assertEqual(row["time_cv"], 0, name)
        objects = self.objects()
        self.assertEqual(len(objects), 7)
        self.assertEqual([line.get("stride") for line in objects], [1, 2, 4, 8, 16, 32, None])
        self.assertEqual([line.get("chunk") for line in objects], [None] * 6 + [32])
        for line, row in zip(objects, rows.values()):
            axis = "stride" if line["pattern"] == "stride" else "chunk"
            self.assertEqual(set(line), {"pattern", axis, "ms", "gbps", "bytes"})
            self.assertEqual(line["pattern"], row["name"].split("/")[0])
            self.assertEqual(line["bytes"], 2 * 4 * 65536)
            self.assertAlmostEqual(line["ms"] * 1e6 / row["real_time"], 1, 9)
            self.assertAlmostEqual(line["gbps"] * 1e9 / row["useful_bytes_per_second"], 1, 9)
            self.assertAlmostEqual(line["gbps"] * line["ms"] * 1e6 / line["bytes"], 1, 9)

    def test_one_object_a_measured_row_only(self) -> None:
        self.check_run([*measuring(["--elements=1048576Gi,4Ki", f"--rows={ROW}"]), self.flag])
        (line,) = self.objects()
        self.assertEqual(set(line), {"pattern", "ms", "gbps", "bytes"})

    def test_repetitions_make_no_more_objects(self) -> None:
        self.check_run([*ARGS, self.flag, "--benchmark_repetitions=3"])
        self.assertEqual(len(self.objects()), 1)

    def test_failing_runs_leave_the_old_file_alone(self) -> None:
        self.lines.write_bytes(OLD)
        for code, flag in ((2, "--elements=x"), (3, "--benchmark_filter=no_such_row")):
            self.assertEqual(run([*ARGS, self.flag, flag]).code, code)
            self.assertEqual(self.lines.read_bytes(), OLD)
        self.assertEqual(os.listdir(self.folder), ["rows.jsonl"])


if __name__ == "__main__":
    unittest.main()
