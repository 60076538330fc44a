# SPDX-License-Identifier: Apache-2.0
"""bench/tools/collect.sh, with programs that only pretend to measure."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from synthetic import SOURCE_DIR, ToolTest, document, row

import sectorbench_results as results

COLLECT = str(SOURCE_DIR / "bench" / "tools" / "collect.sh")


class Collect(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "out"
        self.log = self.folder / "log"
        self.write("rows.json", document([row("a/b/c", 1e-6)]))

    def program(self, name: str, before: str = "", after: str = "") -> str:
        """A program that logs its name and flags, and writes what --benchmark_out names."""
        path = pathlib.Path(
            self.write(
                name,
                f"""#!/bin/bash
            printf '%s' {name} >>{self.log}; printf ' %s' "$@" >>{self.log}; printf '\\n' >>{self.log}
            echo a table
            for flag in "$@"; do [[ $flag != --benchmark_out=* ]] || out=${{flag#*=}}; done
            runs=$(wc -l <{self.log})
            {before}
            cat {self.folder}/rows.json >"$out"
            {after}
        """,
            )
        )
        path.chmod(0o755)
        return str(path)

    def collect(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COLLECT, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env={**os.environ, **environment},
        )

    def files(self) -> list[str]:
        return sorted(os.listdir(self.out))

    def calls(self) -> list[str]:
        return [line.split()[0] for line in self.log.read_text("utf-8").splitlines()]

    def test_one_program(self) -> None:
        done = self.collect(
            "3",
            f"--binary={self.program('old')}",
            f"--folder={self.out}",
            "--",
            "--suite=reference",
            "--rows=a b",
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(self.files(), ["run_1.json", "run_2.json", "run_3.json"])
        self.assertIn("old --suite=reference --rows=a b --benchmark_out=", self.log.read_text("utf-8"))
        self.assertEqual(results.read_file(self.out / "run_3.json").rows[0].name, "a/b/c")

    def test_without_binary_it_is_the_tree_s_release_build(self) -> None:
        script = self.folder / "tree/bench/tools/collect.sh"
        built = self.folder / "tree/build/release/benchmark"
        for path, original in [(script, COLLECT), (built, self.program("old"))]:
            path.parent.mkdir(parents=True)
            shutil.copy(original, path)
        subprocess.run([script, "1", f"--folder={self.out}"], check=True)
        self.assertEqual(self.files(), ["run_1.json"])

    def test_two_programs_take_turns(self) -> None:
        done = self.collect(
            "3",
            f"--binary={self.program('old')}",
            f"--binary={self.program('new')}",
            f"--folder={self.out}",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), [f"{side}_{number}.json" for side in "ab" for number in (1, 2, 3)])
        self.assertEqual(self.calls(), ["old", "new", "new", "old", "old", "new"])

    def test_a_relative_path_without_a_folder(self) -> None:
        self.program("old")
        self.assertEqual(self.collect("1", "--binary=old", "--folder=out").returncode, 0)

    def test_ten_are_in_order(self) -> None:
        self.collect("10", f"--binary={self.program('old')}", f"--folder={self.out}")
        self.assertEqual(self.files()[0], "run_01.json")
        self.assertEqual(self.files()[9], "run_10.json")

    def test_a_process_that_fails(self) -> None:
        failing = self.program("old", after="((runs < 3)) || exit 7")
        done = self.collect("5", f"--binary={failing}", f"--folder={self.out}")
        self.assertEqual(done.returncode, 7)
        self.assertIn(
            f"run_3.json was not written: process 3 of {failing} ended with exit status 7", done.stderr
        )
        self.assertEqual(
            self.files(), ["run_1.json", "run_2.json"], "what was whole is kept, no half file is left"
        )

    def test_a_process_that_is_killed_while_it_writes(self) -> None:
        killed = self.program("old", before="printf '{' >\"$out\"; kill -9 $$")
        done = self.collect("2", f"--binary={killed}", f"--folder={self.out}")
        self.assertEqual(done.returncode, 137)
        self.assertIn("ended with exit status 137", done.stderr)
        self.assertEqual(self.files(), [])

    def test_a_process_that_writes_nothing(self) -> None:
        done = self.collect("2", f"--binary={self.program('old', before='exit 0')}", f"--folder={self.out}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrote nothing", done.stderr)
        self.assertEqual(self.files(), [])

    def test_results_of_before_survive(self) -> None:
        self.out.mkdir()
        old = self.out / "run_07.json"
        old.write_text("old", "utf-8")
        done = self.collect("3", f"--binary={self.program('old')}", f"--folder={self.out}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("run_07.json is there already", done.stderr)
        self.assertEqual((self.files(), old.read_text("utf-8")), (["run_07.json"], "old"))
        self.assertFalse(self.log.exists(), "nothing was run")

    def test_the_environment_does_not_name_the_file(self) -> None:
        done = self.collect(
            "1",
            f"--binary={self.program('old', before='env >$out.env')}",
            f"--folder={self.out}",
            BENCHMARK_OUT="elsewhere.json",
            BENCHMARK_OUT_FORMAT="csv",
        )
        self.assertEqual(done.returncode, 0)
        (seen,) = self.out.glob(".*.env")
        self.assertNotIn("BENCHMARK_OUT", seen.read_text("utf-8"))

    def test_arguments(self) -> None:
        good = [f"--binary={self.program('old')}", f"--folder={self.out}"]
        for arguments, text in (
            (good, "how many processes: nothing"),
            (["0", *good], "0 is no number"),
            (["x", *good], "x is no number"),
            (["2", "3", *good], "3: how many"),
            (["2", good[0]], "--folder=FOLDER is missing"),
            (["2", "--binary=/none", good[1]], "/none is no program"),
            (["2", *good, *good, good[0]], "more than two"),
            (
                ["2", *good, "--suite=full"],
                "--suite=full is no flag of collect.sh; flags of the program stand after --",
            ),
            (["2", *good, "--", "--benchmark_out=x"], "--benchmark_out=x: collect.sh names the files"),
        ):
            done = self.collect(*arguments)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(text, done.stderr)
        self.assertFalse(self.log.exists())

    def test_help(self) -> None:
        done = self.collect("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("bench/tools/collect.sh N [--binary=PROGRAM]"), done.stdout)
        self.assertIn("Exit status", done.stdout)
        self.assertNotIn("#", done.stdout)


class WithTheBenchmark(ToolTest):
    def test_collected_runs_are_compared(self) -> None:
        benchmark = os.environ["SECTORBENCH_BENCHMARK"]
        flags = [
            "--device=host",
            "--bytes=64Ki",
            "--rows=stride/copy/f32/stride:8,contiguous/read/u8",
            "--benchmark_min_time=0.001",
        ]
        out = self.folder / "out"
        done = subprocess.run(
            [
                COLLECT,
                "2",
                f"--binary={benchmark}",
                f"--binary={benchmark}",
                f"--folder={out}",
                "--",
                *flags,
            ],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        judged = subprocess.run(
            [
                sys.executable,
                str(SOURCE_DIR / "bench" / "tools" / "regress.py"),
                "--counters-only",
                *map(str, sorted(out.glob("a_*.json"))),
                "--",
                *map(str, sorted(out.glob("b_*.json"))),
                f"--json={self.folder}/report.json",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        report = json.loads((self.folder / "report.json").read_text("utf-8"))
        self.assertEqual([one["counts"]["verdict"] for one in report["rows"]], ["same", "same"])


if __name__ == "__main__":
    unittest.main()
