# SPDX-License-Identifier: Apache-2.0
"""Google Benchmark's own compare.py reads our files."""

from __future__ import annotations

import os
import pathlib
import subprocess
import unittest

from support import OutputTest, environment, measuring, strict_json

# The system's Python: it has the scipy that compare.py wants.
PYTHON = "/usr/bin/python3"
COMPARE = "/usr/share/benchmark/compare.py"


def missing_tool() -> str:
    for path in (PYTHON, COMPARE):
        if not os.path.exists(path):
            return f"{path} is not there (Debian: libbenchmark-tools)"
    found = subprocess.run([PYTHON, "-c", "import scipy.stats"], capture_output=True, check=False)
    return "" if found.returncode == 0 else f"{PYTHON} has no scipy (Debian: python3-scipy)"


class Compare(OutputTest):
    def setUp(self) -> None:
        super().setUp()
        missing = missing_tool()
        if missing and os.environ.get("SECTORBENCH_REQUIRE_TOOLS"):
            self.fail(missing)
        if missing:
            self.skipTest(missing)

    def measured_file(self, name: str, *flags: str) -> pathlib.Path:
        out = self.folder / name
        self.check_run([*measuring(["--elements=4Ki", *flags]), f"--benchmark_out={out}"])
        return out

    def compared(self, *flags: str) -> tuple[list[str], str]:
        """Names in the files, and what compare.py says of two runs."""
        before = self.measured_file("before.json", *flags)
        after = self.measured_file("after.json", *flags)
        done = subprocess.run(
            [PYTHON, COMPARE, "--no-color", "benchmarks", before, after],
            env=environment({"PYTHONDONTWRITEBYTECODE": "1"}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        names = [row["name"] for row in strict_json(before.read_bytes())["benchmarks"]]
        return names, done.stdout

    def test_every_row_of_the_default_suite_is_compared(self) -> None:
        names, said = self.compared()
        self.assertGreater(len(names), 20)
        compared = [line.split()[0] for line in said.splitlines() if "/manual_time" in line]
        self.assertEqual(compared, names)
        self.assertNotIn("nan", said.lower())

    def test_repetitions_are_tested_for_a_difference(self) -> None:
        row = "contiguous/read/f32"
        _, said = self.compared(f"--rows={row}", "--benchmark_repetitions=9")
        self.assertIn(f"{row}/manual_time_pvalue", said)
        self.assertIn("U Test, Repetitions: 9 vs 9", said)


if __name__ == "__main__":
    unittest.main()
