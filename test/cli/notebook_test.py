# SPDX-License-Identifier: Apache-2.0
"""docs/notebook/sectorbench.ipynb: a valid notebook, whose cells run in order on the CPU.

What stands in here for a hosted machine: the repository is a copy of this tree; what pip installs is
there already; `cmake --build` takes the program that these tests test (`cmake` configures for
real); `nvcc` compiles for the CPU, against the fake runtime of single_file/.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
from typing import Any

from support import BENCHMARK, SOURCE_DIR, OutputTest, environment, strict_json

NOTEBOOK = SOURCE_DIR / "docs" / "notebook" / "sectorbench.ipynb"
FAKES = pathlib.Path(__file__).parent / "single_file"
ON_THE_CPU = {"CUDA": "OFF", "DEVICE": "host", "FETCH_DEPS": "OFF", "REVISION": "main"}

FAKE_CMAKE = """#!/bin/sh
if [ "$1" = --build ]; then exec cp "$SECTORBENCH_BENCHMARK" "$2/benchmark"; fi
exec "{cmake}" "$@"
"""
FAKE_NVCC = """#!/bin/sh
set -eu
test "$1 $2 $4" = "-O3 -arch=sm_75 -o"
sed -E 's/(\\w+)<<<(\\w+), (\\w+)>>>\\(/launch_kernel(\\1, \\2, \\3, /' "$3" |
  "$SECTORBENCH_CXX" -std=c++20 -O2 -DELEMENTS=100003 -I"{fakes}" -x c++ - -o "$5"
"""


def cells(kind: str) -> list[dict[str, Any]]:
    found = [cell for cell in strict_json(NOTEBOOK.read_text("utf-8"))["cells"]
             if cell["cell_type"] == kind]
    assert found
    return found


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def settings() -> dict[str, str]:
    """What the first code cell puts into the environment."""
    (first,) = re.findall(r"os\.environ\.update\(\n(.*)\)", text(cells("code")[0]), re.DOTALL)
    found = dict(re.findall(r'^    ([A-Z_]+)="([^"]*)",', first, re.MULTILINE))
    assert found
    return found


class Notebook(OutputTest):
    def test_it_is_nbformat_4_5_without_outputs(self) -> None:
        document = strict_json(NOTEBOOK.read_text("utf-8"))
        self.assertEqual((document["nbformat"], document["nbformat_minor"]), (4, 5))
        self.assertEqual(set(document), {"cells", "metadata", "nbformat", "nbformat_minor"})
        self.assertEqual(document["metadata"]["kernelspec"]["name"], "python3")
        ids = [cell["id"] for cell in document["cells"]]
        self.assertEqual(len(set(ids)), len(ids))
        for cell in document["cells"]:
            keys = {"cell_type", "id", "metadata", "source"}
            if cell["cell_type"] == "code":
                keys |= {"execution_count", "outputs"}
                self.assertIsNone(cell["execution_count"])
                self.assertEqual(cell["outputs"], [])
            else:
                self.assertEqual(cell["cell_type"], "markdown")
            self.assertEqual(set(cell), keys)
            self.assertRegex(cell["id"], r"\A[a-zA-Z0-9-_]{1,64}\Z")
            self.assertEqual(cell["metadata"], {})
            # One string a line, each but the last with its end.
            self.assertEqual(cell["source"], text(cell).splitlines(keepends=True))
            self.assertTrue(text(cell).strip())

    def test_it_is_written_as_notebooks_are(self) -> None:
        kept = NOTEBOOK.read_text("utf-8")
        self.assertEqual(json.dumps(json.loads(kept), indent=1) + "\n", kept)

    def test_python_cells_compile(self) -> None:
        for cell in cells("code"):
            if not text(cell).startswith("%%bash\n"):
                compile(text(cell), cell["id"], "exec")

    def test_the_repository_and_a_t4_are_set_at_the_top(self) -> None:
        self.assertEqual(NOTEBOOK.read_text().count("github.com"), 1)
        self.assertTrue(settings()["REPOSITORY"].startswith("https://github.com/"))
        self.assertEqual(settings()["ARCHITECTURE"], "75")
        self.assertEqual((settings()["CUDA"], settings()["DEVICE"]), ("ON", "cuda"))

    def repository(self) -> pathlib.Path:
        """This tree as a repository with one commit."""
        copy = self.folder / "repository"
        ignored = shutil.ignore_patterns("build", ".git", ".cache", "__pycache__", "*.pyc")
        shutil.copytree(SOURCE_DIR, copy, ignore=ignored, symlinks=True)
        git = ["git", "-C", str(copy), "-c", "user.name=test", "-c", "user.email=test@localhost"]
        for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "All"]):
            subprocess.run([*git, *command], check=True)
        return copy

    def tools(self) -> pathlib.Path:
        folder = self.folder / "tools"
        folder.mkdir()
        real = shutil.which("cmake")
        assert real
        for name, script in (("cmake", FAKE_CMAKE.format(cmake=real)),
                             ("nvcc", FAKE_NVCC.format(fakes=FAKES))):
            (folder / name).write_text(script, "utf-8")
            (folder / name).chmod(0o755)
        (folder / "python3").symlink_to(sys.executable)
        return folder

    def test_shell_cells_run_in_order(self) -> None:
        work = self.folder / "work"
        work.mkdir()
        variables = environment({
            **settings(), **ON_THE_CPU, "REPOSITORY": str(self.repository()),
            "PATH": f"{self.tools()}:{os.environ['PATH']}",
            "SECTORBENCH_BENCHMARK": BENCHMARK, "SECTORBENCH_CXX": os.environ["SECTORBENCH_CXX"],
        })
        said = {}
        for cell in cells("code"):
            script = text(cell)
            if not script.startswith("%%bash\n"):
                continue
            # What pip installs is on a machine that runs tests.
            only_read = ["-n"] if cell["id"] == "install" else []
            done = subprocess.run(["bash", *only_read], input=script.removeprefix("%%bash\n"),
                                  capture_output=True, text=True, cwd=work, env=variables,
                                  timeout=300, check=False)
            self.assertEqual(done.returncode, 0, f"{cell['id']}:\n{done.stdout}\n{done.stderr}")
            said[cell["id"]] = done.stdout
        self.assertEqual(said["clone"].split()[1], "All")
        self.assertIn("Google Benchmark: ", said["build"])
        self.assertTrue((work / "curve.png").stat().st_size > 0)
        self.assertIn("not graded: these are rows of a CPU", said["exercise"])
        self.assertTrue(said["exercise"].endswith("exit status 2\n"))
        self.assertTrue(said["hint"].startswith("Hint 1. "))
        self.assertEqual(said["single-file"].count('"l2_bytes"'), 6)
        self.assertIn("passed: at least 8", said["single-file"])


if __name__ == "__main__":
    unittest.main()
