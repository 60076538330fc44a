# SPDX-License-Identifier: Apache-2.0
"""Workflows parse, can only read, never run a stranger's code on our runner, and call what exists.

Those in .github/workflows and the one of docs/ci_example. actionlint and shellcheck look at them where they are
installed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from typing import Any, NamedTuple

import ci_document

SOURCE_DIR = ci_document.DOCS.parent
FOLDER = SOURCE_DIR / ".github" / "workflows"


def finished(*command: str, given: str = "", cwd: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, cwd=cwd, capture_output=True, encoding="utf-8", check=False)


class Step(NamedTuple):
    place: str  # "gpu.yml: gate: Measure both"
    step: dict[str, Any]


class Workflows(unittest.TestCase):
    texts: dict[str, str]
    documents: dict[str, dict[str, Any]]

    def setUp(self) -> None:
        missing = importlib.util.find_spec("yaml") is None
        if missing and os.environ.get("SECTORBENCH_REQUIRE_TOOLS"):
            self.fail("python3-yaml is not installed")
        if missing:
            self.skipTest("python3-yaml is not installed")
        import yaml

        self.texts = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.yml"))}
        self.assertEqual(set(self.texts), {"tests.yml", "lint.yml", "gpu.yml"})
        self.texts["docs/ci_example"] = ci_document.files()[".github/workflows/memory.yml"]
        self.documents = {name: yaml.safe_load(text) for name, text in self.texts.items()}
        for document in self.documents.values():
            # YAML 1.1 reads the key `on` as true.
            document["on"] = document.pop(True)  # type: ignore[call-overload]

    def jobs(self) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        for name, document in self.documents.items():
            for key, job in document["jobs"].items():
                yield f"{name}: {key}", document, job

    def steps(self) -> Iterator[Step]:
        for place, _, job in self.jobs():
            for step in job["steps"]:
                yield Step(f"{place}: {step.get('name', step.get('uses'))}", step)

    def scripts(self) -> Iterator[tuple[str, str]]:
        found = [(place, step["run"]) for place, step in self.steps() if "run" in step]
        self.assertGreater(len(found), 15)
        yield from found

    def test_tokens_can_only_read(self) -> None:
        for name, document in self.documents.items():
            self.assertEqual(document["permissions"], {"contents": "read"}, name)
        for place, _, job in self.jobs():
            self.assertNotIn("permissions", job, place)
        for name, text in self.texts.items():
            self.assertNotIn("secrets.", text, name)

    def test_tokens_are_not_left_behind(self) -> None:
        for place, step in self.steps():
            if step.get("uses", "").startswith("actions/checkout@"):
                self.assertIs(step["with"]["persist-credentials"], False, place)

    def test_nothing_of_a_pull_request_runs_on_our_own_runner(self) -> None:
        own = 0
        for place, document, job in self.jobs():
            self.assertNotIn("pull_request_target", document["on"], place)
            self.assertNotIn("workflow_run", document["on"], place)
            if "self-hosted" in str(job["runs-on"]):
                own += 1
                if "pull_request" in document["on"]:
                    self.assertEqual(job["if"], "github.event_name == 'push'", place)
                concurrency = job.get("concurrency", document.get("concurrency"))
                self.assertIn(concurrency, ("gpu", {"group": "gpu", "cancel-in-progress": False}), place)
        self.assertEqual(own, 2)
        gate = self.documents["gpu.yml"]["jobs"]["gate"]
        self.assertEqual(gate["environment"], "gpu", "where reviewers approve a run")
        self.assertEqual(gate["if"], "vars.GPU_RUNNER != ''", "a fork without a runner queues nothing")

    def test_actions_and_images_are_pinned(self) -> None:
        pinned = 0
        for name, text in self.texts.items():
            for line in text.splitlines():
                if re.match(r"\s*(- )?uses:", line):
                    pinned += 1
                    self.assertRegex(line, r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", name)
        self.assertGreater(pinned, 5)
        for place, _, job in self.jobs():
            for image in job.get("strategy", {}).get("matrix", {}).get("image", [job.get("container")]):
                if image:
                    self.assertRegex(image, r"^[\w/.-]+:\d[\w.-]+$", place)
            self.assertNotIn("latest", str(job["runs-on"]), place)
            self.assertIn("timeout-minutes", job, place)

    def test_inputs_are_not_pasted_into_scripts(self) -> None:
        """What somebody types, or names a branch, would be run."""
        for place, script in self.scripts():
            self.assertNotIn("${{", script, place)

    def test_scripts_are_shell(self) -> None:
        shellcheck = shutil.which("shellcheck")
        if not shellcheck and os.environ.get("SECTORBENCH_REQUIRE_TOOLS"):
            self.fail("shellcheck is not installed")
        for place, script in self.scripts():
            done = finished("bash", "-n", "-c", script)
            self.assertEqual(done.returncode, 0, f"{place}: {done.stderr}")
            if shellcheck:
                done = finished(shellcheck, "--shell=bash", "-", given=script)
                self.assertEqual(done.returncode, 0, f"{place}: {done.stdout}")

    def test_what_they_call_exists(self) -> None:
        called = 0
        for place, script in self.scripts():
            # A second copy of the tree, and the tree beside a project, have the same files.
            for word in re.findall(r"(?:^|[\s=])((?:[\w.-]+/)+[\w.-]+)", script):
                inside = re.sub(r"^(build/gate/base|sectorbench)/", "", word)
                if re.match(r"(bench|test|docs|cmake|\.ci)/", inside):
                    called += 1
                    self.assertTrue((SOURCE_DIR / inside).exists(), f"{place}: {word}")
                    if inside.endswith(".sh"):
                        self.assertTrue(os.access(SOURCE_DIR / inside, os.X_OK), f"{place}: {word}")
        self.assertGreater(called, 10)

    def test_presets_and_targets_exist(self) -> None:
        presets = json.loads((SOURCE_DIR / "CMakePresets.json").read_text("utf-8"))
        kinds = ("configurePresets", "buildPresets", "testPresets")
        known = {preset["name"] for kind in kinds for preset in presets[kind]}
        cmake = "".join(path.read_text("utf-8") for path in SOURCE_DIR.glob("*/CMakeLists.txt"))
        found = 0
        for place, script in self.scripts():
            for preset in re.findall(r"--preset[ =](\S+)", script):
                found += 1
                self.assertIn(preset, known, place)
            for target in re.findall(r"--target[ =](\S+)", script):
                self.assertIn(f"({target}", cmake, place)
        self.assertGreater(found, 2)

    def test_labels_exist(self) -> None:
        folders = {path.name for path in (SOURCE_DIR / "test").iterdir() if path.is_dir()}
        for place, script in self.scripts():
            for labels in re.findall(r"\s-L '?([\w|]+)'?", script):
                self.assertLessEqual(set(labels.split("|")), folders, place)

    def test_flags_of_our_tools_exist(self) -> None:
        """Each --flag of a command that calls one of them is in its help."""
        benchmark = os.environ["SECTORBENCH_BENCHMARK"]
        tools = {
            "bench/tools/regress.py": ["/usr/bin/python3", str(SOURCE_DIR / "bench" / "tools" / "regress.py")],
            "bench/tools/collect.sh": [str(SOURCE_DIR / "bench" / "tools" / "collect.sh")],
            '"$BENCHMARK"': [benchmark],
        }
        helps = {tool: finished(*command, "--help").stdout for tool, command in tools.items()}
        looked_at = 0
        for place, script in self.scripts():
            for command in re.split(r"\n|;|&&", script.replace("\\\n", " ")):
                for tool, text in helps.items():
                    if tool not in command:
                        continue
                    ours, _, of_the_program = command.partition(tool)[2].partition(" -- ")
                    for flag in re.findall(r"--[a-z_-]+", ours):
                        looked_at += 1
                        self.assertIn(flag, text, f"{place}: {tool}")
                    if tool == "bench/tools/collect.sh":
                        for flag in re.findall(r"--[a-z_]+", of_the_program):
                            self.assertIn(flag, helps['"$BENCHMARK"'], place)
        self.assertGreater(looked_at, 8)

    def test_actionlint(self) -> None:
        actionlint = shutil.which("actionlint")
        if not actionlint:
            self.skipTest("actionlint is not installed")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(SOURCE_DIR / ".github", f"{folder}/.github")
            with open(f"{folder}/.github/workflows/memory.yml", "w", encoding="utf-8") as file:
                file.write(self.texts["docs/ci_example"])
            os.mkdir(f"{folder}/.git")
            done = finished(actionlint, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_lint_of_an_unknown_kind_is_refused(self) -> None:
        done = finished(str(SOURCE_DIR / "test" / "lint.sh"), "pylint")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "lint.sh: pylint: none of clang-format, shellcheck, mypy, actionlint\n")


if __name__ == "__main__":
    unittest.main()
