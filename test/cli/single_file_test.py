# SPDX-License-Identifier: Apache-2.0
"""docs/single_file/coalescing.cu: generated, and run on the CPU with a fake CUDA runtime.

A launch of the fake takes as many milliseconds as the stride is large, so that all that is compared
here is exact.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from support import BENCHMARK, SOURCE_DIR, OutputTest, environment, run

KEPT = SOURCE_DIR / "docs" / "single_file" / "coalescing.cu"
GENERATOR = SOURCE_DIR / "bench" / "lessons" / "single_file.py"
FAKES = pathlib.Path(__file__).parent / "single_file"
STRIDES = [1, 2, 4, 8, 16, 32]
LAUNCH = re.compile(r"(\w+)<<<(\w+), (\w+)>>>\(")


def generated(benchmark: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GENERATOR), benchmark]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)


class SingleFile(OutputTest):
    def compiled(self, source: str, *arguments: str) -> pathlib.Path:
        """The program as C++: its launches are calls, CUDA is the fake."""
        as_calls, launches = LAUNCH.subn(r"launch_kernel(\1, \2, \3, ", source)
        self.assertEqual(launches, 2)
        path = self.folder / "coalescing.cpp"
        path.write_text(as_calls, "utf-8")
        program = self.folder / "coalescing"
        command = [os.environ["SECTORBENCH_CXX"], "-std=c++20", "-O1", f"-I{FAKES}",
                   f"-I{SOURCE_DIR / 'include'}", "-DELEMENTS=100003", *arguments, "-o", program]
        done = subprocess.run(command + ([] if arguments else [path]), capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def lesson(self, program: pathlib.Path, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program], capture_output=True, text=True, env=environment(changes),
                              check=False)

    def test_the_kept_file_is_the_generated_one(self) -> None:
        done = generated(BENCHMARK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, KEPT.read_text("utf-8"))
        self.assertRegex(done.stdout, r"// +stride +1 +2 +4 +8 +16 +32\n")
        self.assertRegex(done.stdout, r"// +sectors/request +4 +8 +16 +32 +32 +32\n")

    def test_a_program_that_does_not_answer_is_one_line(self) -> None:
        for program in ("/none", "/bin/false"):
            done = generated(program)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"\Asingle_file\.py: {program}: [^\n]+\n\Z")

    def test_each_thread_copies_what_the_pattern_says(self) -> None:
        source = self.folder / "coalescing.cpp"
        program = self.compiled(KEPT.read_text("utf-8"), f'-DCOALESCING="{source}"',
                                str(FAKES / "index_map.cpp"))
        done = self.lesson(program)
        self.assertEqual((done.returncode, done.stdout), (0, "12 launches agree\n"))

    def test_rows_are_those_of_the_exercise(self) -> None:
        done = self.lesson(self.compiled(KEPT.read_text("utf-8")), FAKE_L2_BYTES="4096")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "fake: 1 MiB in two buffers, L2 0 MiB\n")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([row["stride"] for row in rows], STRIDES)
        for row in rows:
            # The clock of the fake; 100003 floats are loaded and stored.
            self.assertEqual((row["ms"], row["bytes"]), (row["stride"], 800024))
            self.assertAlmostEqual(row["gbps"] * row["stride"], 0.800024, places=5)
            self.assertEqual((row["n"], row["l2_bytes"]), (100003, 4096))
        path = self.folder / "rows.jsonl"
        path.write_text(done.stdout, "utf-8")
        checked = run(["--check=coalescing", f"--from={path}"])
        self.assertEqual(checked.code, 0, checked.out + checked.err)
        self.assertIn("stride 32 takes 32.00 times as long as stride 1", checked.out)

    def test_what_l2_holds_is_said_and_not_graded(self) -> None:
        done = self.lesson(self.compiled(KEPT.read_text("utf-8")), FAKE_L2_BYTES="800024")
        self.assertIn("which holds them: compile with more ELEMENTS", done.stderr)
        path = self.folder / "rows.jsonl"
        path.write_text(done.stdout, "utf-8")
        checked = run(["--check=coalescing", f"--from={path}"])
        self.assertEqual(checked.code, 2)
        self.assertIn("not graded: what L2 holds", checked.out)

    def test_an_element_that_is_not_copied_is_noticed(self) -> None:
        right = "if (row < step && at < n)"
        source = KEPT.read_text("utf-8")
        self.assertIn(right, source)
        wrong = source.replace(right, "if (row < step && at < n - 1)")
        done = self.lesson(self.compiled(wrong))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stdout.splitlines()), 1)  # stride 1 is the other kernel
        self.assertTrue(done.stderr.endswith("stride 2: the output is not the input\n"))

    def test_a_failure_of_cuda_ends_it_with_the_place(self) -> None:
        done = self.lesson(self.compiled(KEPT.read_text("utf-8")), FAKE_CUDA_FAILURE="1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr.splitlines()[-1],
                         r"coalescing\.cu:\d+: cudaGetLastError\(\): fake failure")


if __name__ == "__main__":
    unittest.main()
