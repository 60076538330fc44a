#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program ends, and says what it runs under, where something makes the host wait for the GPU.

Needs a GPU: skipped without one, unless SECTORBENCH_REQUIRE_GPU=1.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BENCHMARK = os.environ["SECTORBENCH_BENCHMARK"]
INJECTION = os.environ.get("SECTORBENCH_INJECTION", "")
REQUIRED = os.environ.get("SECTORBENCH_REQUIRE_GPU") == "1"
ROWS = "--rows=contiguous/copy/f32,stride/copy/f32/stride:8"
LIMIT_S = 60.0
OUT = Path(tempfile.mkdtemp(prefix="sectorbench_")) / "rows.json"


def run(
    *flags: str, prefix: tuple[str, ...] = (), env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end; a hang is a failure."""
    return subprocess.run(
        [*prefix, BENCHMARK, "--device=cuda", ROWS, "--quick", f"--benchmark_out={OUT}", *flags],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env={**os.environ, **(env or {})},
        check=False,
    )


class UnderTools(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        if run().returncode == 4:
            if REQUIRED:
                raise AssertionError("SECTORBENCH_REQUIRE_GPU=1, but there is no usable GPU")
            raise unittest.SkipTest("no usable GPU")

    def parsed(self, done: subprocess.CompletedProcess[str]) -> dict:
        """The result file, both rows verified. Tools write into the standard output."""
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads(OUT.read_text(encoding="utf-8"))
        OUT.unlink()
        self.assertEqual(len(result["benchmarks"]), 2)
        for row in result["benchmarks"]:
            self.assertEqual(row.get("verified"), 1, row)
        return result

    def test_alone_the_queue_is_held(self) -> None:
        context = self.parsed(run())["context"]
        self.assertEqual(context["blocking"], "on")
        self.assertEqual(context["tool"], "none")

    def test_launch_blocking_turns_holding_off(self) -> None:
        context = self.parsed(run(env={"CUDA_LAUNCH_BLOCKING": "1"}))["context"]
        self.assertEqual(context["blocking"], "off")
        self.assertIn("CUDA_LAUNCH_BLOCKING", context["blocking.reason"])

    def test_launch_blocking_with_holding_forced_gives_up_and_says_so(self) -> None:
        done = run("--blocking=on", env={"CUDA_LAUNCH_BLOCKING": "1"})
        for row in self.parsed(done)["benchmarks"]:
            self.assertIn("blocking=gave_up", row["label"])

    def test_injected_profiler(self) -> None:
        if not INJECTION:
            self.skipTest("built without CUPTI's header")
        for blocking in ("auto", "on"):
            with self.subTest(blocking=blocking):
                done = run(f"--blocking={blocking}", env={"CUDA_INJECTION64_PATH": INJECTION})
                context = self.parsed(done)["context"]
                self.assertNotEqual(context["tool"], "none")
                self.assertEqual(context["blocking"], "off" if blocking == "auto" else "on")
                seen = re.search(r"injection: (\d+) kernels seen", done.stderr)
                self.assertIsNotNone(seen, done.stderr)
                assert seen is not None
                self.assertGreater(int(seen[1]), 10)

    def test_ncu(self) -> None:
        if shutil.which("ncu") is None:
            self.skipTest("ncu is not installed")
        done = run(
            "--benchmark_min_time=0.001",
            prefix=("ncu", "--clock-control", "none", "--metrics", "gpu__time_duration.sum",
                    "--kernel-name", "regex:access_kernel", "--launch-count", "4"),
        )  # fmt: skip
        context = self.parsed(done)["context"]
        self.assertEqual((context["tool"], context["blocking"]), ("ncu", "off"))

    def test_ncu_shows_the_launch_of_each_row_in_its_range(self) -> None:
        if shutil.which("ncu") is None:
            self.skipTest("ncu is not installed")
        done = run(
            "--profile",
            prefix=("ncu", "--nvtx", "--nvtx-include", "sectorbench@row/", "--clock-control",
                    "none", "--metrics", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                    "--print-nvtx-rename", "kernel", "--csv"),
        )  # fmt: skip
        result = self.parsed(done)
        self.assertEqual(result["context"]["protocol"], "profile")
        counted = [line for line in done.stdout.splitlines() if "op_ld.sum" in line]
        self.assertEqual(len(counted), 2, done.stdout)
        for line, row in zip(counted, result["benchmarks"]):
            self.assertIn(row["name"].removesuffix("/manual_time"), line)
            self.assertIn("profile=1", row["label"])
            self.assertIn("tool=ncu", row["label"])
            self.assertIn(f"{row['load_requests_predicted']:.0f}", line.replace(",", ""))

    def test_counters_are_left_to_the_profiler(self) -> None:
        if shutil.which("ncu") is None:
            self.skipTest("ncu is not installed")
        done = run(
            "--counters=auto", "--benchmark_min_time=0.001",
            prefix=("ncu", "--clock-control", "none", "--metrics", "gpu__time_duration.sum",
                    "--kernel-name", "regex:access_kernel", "--launch-count", "1"),
        )  # fmt: skip
        context = self.parsed(done)["context"]
        self.assertEqual(context["clock_check"], "other_profiler")
        self.assertIn("running under ncu", context["clock_check.reason"])

    def test_compute_sanitizer(self) -> None:
        sanitizer = shutil.which("compute-sanitizer")
        if sanitizer is None:
            self.skipTest("compute-sanitizer is not installed")
        for tool in ("memcheck", "racecheck"):
            with self.subTest(tool=tool):
                done = run(
                    "--elements=1Mi", prefix=(sanitizer, "--tool", tool, "--error-exitcode", "9")
                )
                self.assertEqual(self.parsed(done)["context"]["tool"], "compute-sanitizer")


if __name__ == "__main__":
    unittest.main(verbosity=2)
