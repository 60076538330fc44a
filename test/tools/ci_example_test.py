# SPDX-License-Identifier: Apache-2.0
"""docs/ci_example as a project of somebody else would run it, on the CPU alone.

Files and steps are those of that folder. The change spreads 64 reads of a record over 32 KiB, which
makes that row three times slower and more; a gate that asks for half as slow again must see it.
"""

from __future__ import annotations

import importlib.util
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from typing import Any

import ci_document

SOURCE_DIR = ci_document.DOCS.parent
BENCHMARK = os.environ["SECTORBENCH_BENCHMARK"]
PYTHON = "/usr/bin/python3"
# The steps that this machine has done before: it has the program, and nothing may be installed by a test.
DONE_BEFORE = {"Build"}

YAML = importlib.util.find_spec("yaml") is not None


def missing_tool() -> str:
    if not YAML:
        return "python3-yaml is not installed"
    found = subprocess.run([PYTHON, "-c", "import numpy, scipy.stats"], capture_output=True, check=False)
    return "" if found.returncode == 0 else f"{PYTHON} has no numpy and scipy"


class Example(unittest.TestCase):
    project: pathlib.Path

    def setUp(self) -> None:
        missing = missing_tool()
        if missing and os.environ.get("SECTORBENCH_REQUIRE_TOOLS"):
            self.fail(missing)
        if missing:
            self.skipTest(missing)
        folder = tempfile.TemporaryDirectory(prefix="sectorbench_ci_")
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        (self.project / "sectorbench").symlink_to(SOURCE_DIR)
        (self.project / ".gitignore").write_text("sectorbench\nold\nnew\nreport.md\nsummary.md\n", "utf-8")
        for name, text in ci_document.files().items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        self.git("init", "-q", "-b", "main")
        self.commit("The first lists")

    def git(self, *args: str) -> None:
        identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
        subprocess.run(["git", *identity, *args], cwd=self.project, check=True, capture_output=True)

    def commit(self, title: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", title)

    def job(self, name: str, **changes: str) -> tuple[str, str]:
        """Runs a job's steps until one fails; the step that failed, if any, and all that was said."""
        import yaml

        workflow: Any = yaml.safe_load(ci_document.files()[".github/workflows/memory.yml"])
        job = workflow["jobs"][name]
        environment = {
            **os.environ,
            **{key: str(value) for key, value in (workflow["env"] | job.get("env", {})).items()},
            "BENCHMARK": BENCHMARK,
            "GITHUB_STEP_SUMMARY": str(self.project / "summary.md"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **changes,
        }
        failed, said = "", ""
        for step in job["steps"]:
            if "run" not in step or step["name"] in DONE_BEFORE or failed and step.get("if") != "always()":
                continue
            # As Actions runs it.
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
                cwd=self.project, env=environment, capture_output=True, encoding="utf-8", timeout=240,
                check=False,
            )
            said += done.stdout + done.stderr
            if done.returncode:
                failed = failed or f"{step['name']}: {done.returncode}"
        return failed, said

    def pull_request(self, title: str, lists: str) -> None:
        """A commit more on the branch, and the merge that Actions checks out."""
        self.git("checkout", "-q", "change")
        (self.project / "perf" / "lists.json").write_text(lists, "utf-8")
        self.commit(title)
        self.git("checkout", "-q", "--detach", "main")
        self.git("merge", "-q", "--no-ff", "-m", "Merge", "change")

    def red_and_green(self, job: str, **changes: str) -> str:
        """Runs a job for no change, for a larger stride, and for that taken back; what the red one said."""
        first = ci_document.files()["perf/lists.json"]
        second = first.replace("UNIFORM:64:1", "UNIFORM:64:64", 1)
        self.git("branch", "change")
        self.pull_request("Something else", first)
        failed, said = self.job(job, **changes)
        self.assertEqual(failed, "", said)

        self.pull_request("Read every 64th column", second)
        failed, red = self.job(job, **changes)
        self.assertRegex(failed, "^Compare .*: 1$", red)
        self.assertIn("columns", (self.project / "summary.md").read_text("utf-8"))

        self.pull_request("Read neighbouring columns again", first)
        failed, said = self.job(job, **changes)
        self.assertEqual(failed, "", said)
        return red

    def test_patterns(self) -> None:
        said = self.red_and_green("patterns")
        self.assertIn(ci_document.quoted_verdict(), said, "docs/comparing.md quotes it")

    def test_times(self) -> None:
        on_this_cpu = {"DEVICE": "host", "POLICY": "perf/hosted.toml", "PROCESSES": "6"}
        quickly = {"OMP_NUM_THREADS": "1", "BENCHMARK_MIN_TIME": "0.01"}
        said = self.red_and_green("times", **on_this_cpu, **quickly)
        reported = said[said.index("6 base and 6 new processes") :]
        rows = {line.split()[0]: line for line in reported.splitlines() if line.startswith("indexed:")}
        self.assertIn("regression", rows["indexed:columns/read/f64/delta:4096/count:2048"])
        self.assertNotIn("regression", rows["indexed:neighbours/read/f64/delta:64/count:2048"])

class NumbersOfProcesses(unittest.TestCase):
    """What docs/comparing.md says of them is what the gate asks for."""

    def setUp(self) -> None:
        if missing_tool():
            self.skipTest(missing_tool())

    def test_rows_that_so_many_processes_can_judge(self) -> None:
        text = (SOURCE_DIR / "docs" / "comparing.md").read_text("utf-8")
        lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
        table = {cells[0].strip(): [float(cell) for cell in cells[1:]] for cells in lines
                 if cells[0].strip() in ("processes a side", "least p")
                 or cells[0].strip().startswith("rows that can be judged")}
        processes, least, rows = table.values()
        self.assertEqual(len(processes), 6)
        for count, p, judged in zip(processes, least, rows):
            exact = 2 / math.comb(2 * int(count), int(count))
            self.assertAlmostEqual(p / exact, 1, delta=0.04)
            self.assertEqual(asked(f"processes_for_p(0.01, {judged:.0f})"), count)
            self.assertEqual(asked(f"processes_for_p(0.01, {judged + 1:.0f})"), count + 1)

    def test_processes_that_a_noise_takes(self) -> None:
        text = " ".join((SOURCE_DIR / "docs" / "comparing.md").read_text("utf-8").split())
        said = re.search(
            r"0\.3 % of noise between processes takes (\d+) processes a side, "
            r"0\.5 % takes (\d+) and 1 % takes (\d+)",
            text,
        )
        assert said
        for noise, count in zip((0.003, 0.005, 0.01), said.groups()):
            self.assertEqual(asked(f"processes_for_floor({noise}, 0.015, 5)"), int(count))


def asked(call: str) -> int:
    """What bench/tools/regress_statistics.py answers; in the interpreter that has scipy."""
    done = subprocess.run(
        [PYTHON, "-c", f"import regress_statistics; print(regress_statistics.{call})"],
        cwd=SOURCE_DIR / "bench" / "tools", capture_output=True, encoding="utf-8", check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return int(done.stdout)


if __name__ == "__main__":
    unittest.main()
