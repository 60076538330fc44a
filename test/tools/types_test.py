# SPDX-License-Identifier: Apache-2.0
"""The types that the tools of bench/ state are right, as far as mypy knows."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import tempfile
import unittest

BENCH = pathlib.Path(__file__).parents[2] / "bench" / "tools"


@unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
class Types(unittest.TestCase):
    def test_mypy(self) -> None:
        files = sorted(BENCH.glob("*.py"))
        self.assertGreater(len(files), 6)
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                ["mypy", "--strict", "--ignore-missing-imports", f"--cache-dir={cache}", *map(str, files)],
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
