# SPDX-License-Identifier: Apache-2.0
"""Signals in the middle of a run: finished rows are kept, files are whole or the old ones."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import unittest

from support import BENCHMARK, DEVICE, OutputTest, counter_keys, environment, run, strict_json

# Long enough that most rows are still to come when the first has been printed.
ARGS = [
    f"--device={DEVICE}",
    "--elements=1Mi",
    "--benchmark_min_time=0.3",
    "--benchmark_format=json",
]
TIMEOUT_S = 90


class Interrupt(OutputTest):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "rows.json"
        self.lines = self.folder / "rows.jsonl"

    def signalled(self, number: int, *flags: str) -> tuple[int, str, str]:
        """Sends the signal as soon as the first row has been printed."""
        shown, errors = self.folder / "stdout", self.folder / "stderr"
        deadline = time.monotonic() + TIMEOUT_S
        with shown.open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(
                [BENCHMARK, *ARGS, *flags],
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        try:
            while b'"verified"' not in shown.read_bytes():
                self.assertIsNone(process.poll(), f"ended before a row: {errors.read_text()}")
                self.assertLess(time.monotonic(), deadline, "no row was printed")
                time.sleep(0.01)
            process.send_signal(number)
            process.wait(TIMEOUT_S)
        finally:
            process.kill()
            process.wait()
        result = process.returncode, shown.read_text("utf-8"), errors.read_text("utf-8")
        shown.unlink()
        errors.unlink()
        return result

    def check_interrupted(self, number: signal.Signals) -> None:
        self.out.write_text("old", "utf-8")
        flags = [f"--benchmark_out={self.out}", f"--json_lines={self.lines}"]
        code, shown, errors = self.signalled(number, *flags)
        self.assertEqual(code, 130, errors)
        for what, text in (("stdout", shown), ("--benchmark_out", self.out.read_text("utf-8"))):
            try:
                rows = strict_json(text)["benchmarks"]
            except ValueError as error:
                self.fail(f"{what} is not strict JSON: {error}\n{text}")
            finished = [row for row in rows if row.get("verified") == 1]
            stopped = [row for row in rows if row.get("error_occurred")]
            self.assertGreaterEqual(len(finished), 1, f"{what}: the finished row is gone")
            self.assertGreaterEqual(len(stopped), 1, f"{what}: no row was left to interrupt")
            self.assertEqual(len(finished) + len(stopped), len(rows), what)
            names = run([*ARGS, "--benchmark_list_tests"]).out.splitlines()
            self.assertEqual([row["name"] for row in rows], names, f"{what}: rows are missing")
            for row in stopped:
                self.assertIn(f"interrupted by {number.name}", row["error_message"])
                self.assertEqual(set(counter_keys()) & set(row), set(), "a row without a number")
        lines = self.lines.read_text("utf-8").splitlines()
        self.assertEqual(len([strict_json(line) for line in lines]), len(finished))
        self.assertIn("interrupted", errors)
        self.assertEqual(sorted(os.listdir(self.folder)), ["rows.json", "rows.jsonl"])

    def test_sigint_keeps_finished_rows_and_exits_130(self) -> None:
        self.check_interrupted(signal.SIGINT)

    def test_sigterm_keeps_finished_rows_and_exits_130(self) -> None:
        self.check_interrupted(signal.SIGTERM)

    def test_sighup_keeps_finished_rows_and_exits_130(self) -> None:
        self.check_interrupted(signal.SIGHUP)

    def test_a_signal_ends_what_keeps_no_rows(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        long = ["--predict", "--gpu=h200", "--rows=random/copy/f32", "--elements=1Gi"]
        for number in (signal.SIGINT, signal.SIGTERM):
            for flags in ([*long, f"--benchmark_out={self.out}"],
                          [*ARGS, f"--benchmark_out={pipe}"]):  # nobody reads it
                with self.subTest(number, flags=flags):
                    process = subprocess.Popen([BENCHMARK, *flags], env=environment(),
                                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                    time.sleep(0.5)
                    self.assertIsNone(process.poll(), "it ended before the signal")
                    process.send_signal(number)
                    _, errors = process.communicate(timeout=TIMEOUT_S)
                    self.assertEqual(process.returncode, 130, errors)
                    self.assertIn(number.name.encode(), errors)
                    self.assertEqual(os.listdir(self.folder), ["pipe"])

    def test_a_signal_during_a_long_proof_is_answered_there(self) -> None:
        # Undisturbed the proof, the verification and the totals of this row take several seconds.
        flags = [f"--device={DEVICE}", "--rows=random/copy/f32", "--elements=64Mi",
                 f"--benchmark_out={self.out}"]
        if DEVICE != "host":
            self.skipTest("a GPU proves it at once")
        process = subprocess.Popen([BENCHMARK, *flags], env=environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 130, errors)
        (row,) = strict_json(self.out.read_text("utf-8"))["benchmarks"]
        self.assertIn("interrupted by SIGTERM", row["error_message"])

    def test_sigkill_leaves_the_old_file_and_none_that_looks_whole(self) -> None:
        old = '{"benchmarks": []}\n'
        self.out.write_text(old, "utf-8")
        code, _, _ = self.signalled(signal.SIGKILL, f"--benchmark_out={self.out}")
        self.assertEqual(code, -signal.SIGKILL)
        self.assertEqual(self.out.read_text("utf-8"), old)
        for path in self.folder.iterdir():
            if path == self.out:
                continue
            self.assertNotEqual(path.suffix, ".json", "a cut-off file is named like a whole one")
            with self.assertRaises(ValueError, msg=f"{path.name} reads like a whole one"):
                strict_json(path.read_bytes())


if __name__ == "__main__":
    unittest.main()
