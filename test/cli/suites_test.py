# SPDX-License-Identifier: Apache-2.0
"""Suites by name and by file, the list for people, and the line that says how far a run is."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import unittest

from support import BENCHMARK, OutputTest, environment, measuring, open_terminal, plain_name, run

HEALTH = [
    "memcpy/copy/f32",
    "contiguous/read/f32x4",
    "contiguous/write/f32x4",
    *(f"stride/copy/f32/stride:{s}" for s in (1, 8, 32)),
    "random/gather/f32",
]
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


class SuitesTest(OutputTest):
    def listed(self, *args: str) -> list[str]:
        return self.check_run(["--benchmark_list_tests", *args], env=NO_GPU).out.splitlines()

    def plain(self, *args: str) -> list[str]:
        return [plain_name(name) for name in self.listed(*args)]

    def file(self, text: str, name: str = "rows.txt") -> pathlib.Path:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path


class NamedSuites(SuitesTest):
    def test_health_is_these_rows(self) -> None:
        self.assertEqual(self.plain("--suite=health"), HEALTH)

    def test_quick_is_the_default_suite_run_quickly(self) -> None:
        self.assertEqual(self.listed("--suite=quick"), self.listed())
        flags = ["--elements=1Ki", "--benchmark_filter=memcpy"]
        contexts = {flag: self.measure(flag, *flags)["context"]
                    for flag in ("--suite=quick", "--quick")}
        self.assertEqual(contexts["--suite=quick"]["quick"], "yes")
        self.assertEqual(contexts["--quick"]["quick"], "yes")
        self.assertEqual(contexts["--suite=quick"]["suite"], "quick")
        self.assertEqual(contexts["--quick"]["suite"], "default")

    def test_full_has_each_row_once_and_the_default_suites(self) -> None:
        full = self.plain("--suite=full")
        self.assertEqual(len(full), len(set(full)))
        self.assertGreater(len(full), 500)
        self.assertEqual(set(self.plain()) - set(full), set())
        self.assertIn("stride/scatter/u8/stride:128", full)

    def test_a_sweep_without_a_device_takes_a_cache_of_64_mib(self) -> None:
        sizes = [*range(16, 30)]
        elements = sorted([1 << (s - 3) for s in sizes] + [3 << (s - 4) for s in sizes[:-1]])
        expected = [f"{row}/elements:{n}"
                    for row in ("contiguous/copy/f32", "stride/copy/f32/stride:8")
                    for n in elements]
        self.assertEqual(self.plain("--suite=sweep"), expected)

    def test_a_sweep_runs_the_sizes_its_rows_name(self) -> None:
        document = self.measure("--suite=sweep", "--benchmark_filter=elements:(8192|12288)/")
        rows = self.measured_rows(document)
        self.assertEqual({name: row["useful_bytes"] for name, row in rows.items()},
                         {f"{row}/elements:{n}": n * 8
                          for row in ("contiguous/copy/f32", "stride/copy/f32/stride:8")
                          for n in (8192, 12288)})
        context = document["context"]
        self.assertEqual(context["suite"], "sweep")
        self.assertEqual(context["elements"], "8192,12288")
        self.assertEqual(context["buffer_bytes"], "elements x element size")

    def test_3_when_a_sweep_has_no_such_size(self) -> None:
        flag = "--benchmark_filter=elements:7/"
        self.assert_refused(3, [*measuring(["--suite=sweep"]), flag], flag)
        self.assert_refused(3, ["--benchmark_list_tests", "--suite=sweep", flag], flag)

    def test_2_for_an_unknown_suite_with_the_one_that_was_meant(self) -> None:
        for value, meant in (("defualt", "default"), ("healt", "health"), ("swep", "sweep")):
            self.assert_refused(2, [f"--suite={value}"], f"--suite={value}",
                                f"did you mean {meant}?", "or a file of row names")


class FileSuites(SuitesTest):
    def test_a_list_read_back_is_the_same_list(self) -> None:
        for flags in ([], ["--suite=full"], ["--suite=sweep"],
                      ["--suite=health", "--block=128,256", "--elements=4Ki,5"]):
            with self.subTest(flags):
                names = self.listed(*flags)
                path = self.file("\n".join(names) + "\n")
                self.assertEqual(self.listed(f"--suite={path}"), names)
                path = self.file("".join(f"{plain_name(name)}\r\n" for name in names))
                self.assertEqual(self.listed(f"--suite={path}"), names)

    def test_a_name_without_slash_and_dot_is_a_file_where_there_is_one(self) -> None:
        self.file("contiguous/copy/u8\n", "mine")
        result = self.check_run(["--benchmark_list_tests", "--suite=mine"], cwd=str(self.folder))
        self.assertEqual(result.out, "contiguous/copy/u8/manual_time\n")
        self.assert_refused(2, ["--suite=mine"], "unknown suite 'mine'")

    def test_a_named_suite_wins_over_a_file_of_its_name(self) -> None:
        self.file("contiguous/copy/u8\n", "health")
        keywords = {"cwd": str(self.folder), "env": NO_GPU}
        by_name = self.check_run(["--benchmark_list_tests", "--suite=health"], **keywords)
        self.assertEqual(len(by_name.out.splitlines()), len(HEALTH))
        by_path = self.check_run(["--benchmark_list_tests", "--suite=./health"], **keywords)
        self.assertEqual(by_path.out, "contiguous/copy/u8/manual_time\n")

    def test_rows_run_with_the_block_and_size_of_their_names(self) -> None:
        path = self.file("# two rows\ncontiguous/copy/f32/block:128/elements:4096\n\n"
                         "stride/read/u8/stride:3 # of the flags' size\n")
        document = self.measure(f"--suite={path}", "--elements=1Ki", "--block=64")
        rows = self.measured_rows(document)
        self.assertEqual({name: row["useful_bytes"] for name, row in rows.items()},
                         {"contiguous/copy/f32/block:128/elements:4096": 4096 * 8,
                          "stride/read/u8/stride:3": 1024})
        context = document["context"]
        self.assertEqual(context["suite"], "file:rows.txt")
        self.assertEqual(context["elements"], "4096,1024")
        self.assertEqual(context["block"], "128,64")

    def test_a_pipe_is_read_once(self) -> None:
        done = subprocess.run([BENCHMARK, *measuring(["--suite=/dev/stdin", "--elements=1Ki"])],
                              env=environment(), input=b"contiguous/copy/u8\n",
                              capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"1 rows measured and verified", done.stdout)

    def test_2_for_a_bad_line_naming_file_line_and_remedy(self) -> None:
        for line, remedy in (("strid/copy/f32/stride:8", "did you mean stride?"),
                             ("stride/copy/f32", "stride:<1 to "),
                             ("contiguous/copy/f32/block:2048", "at most 1024"),
                             ("contiguous/copy/f32/elements:0", "whole number from 1"),
                             ("memcpy/copy/f32/block:64", "leave /block:64 out"),
                             ("memcpy/copy/f32/gpu:1", "leave /gpu:1 out"),
                             ("random/copy/f32", "line 2 already"),
                             ("\x1b[31m", "<pattern>/<operation>/<type>")):
            path = self.file(f"# rows\nrandom/copy/f32\n\n{line}\n")
            with self.subTest(line):
                shown = line.replace("\x1b", "?")
                self.assert_refused(2, [f"--suite={path}"], f"{path}:4: {shown}: ", remedy)

    def test_2_for_files_that_are_no_list(self) -> None:
        empty = self.file("# no row\n")
        self.assert_refused(2, [f"--suite={empty}"], f"{empty}: holds no row",
                            "--benchmark_list_tests")
        missing = self.folder / "missing.txt"
        self.assert_refused(2, [f"--suite={missing}"], f"--suite={missing}", "No such file",
                            "--benchmark_list_tests")
        self.assert_refused(2, [f"--suite={self.folder}"], "Is a directory")

    def test_2_for_rows_beside_a_file(self) -> None:
        path = self.file("memcpy/copy/f32\n")
        self.assert_refused(2, [f"--suite={path}", "--rows=contiguous/copy/f32"],
                            "--rows", f"--suite={path}", "give one of them")

    def test_help_wins_over_a_file_that_is_not_there(self) -> None:
        self.check_run(["--help", "--suite=no/such"])


class Listing(SuitesTest):
    def test_rows_stand_below_their_pattern(self) -> None:
        result = self.check_run(["--list", "--suite=reference"], env=NO_GPU)
        self.assertEqual(result.err, "")
        self.assertEqual(result.out.splitlines(), [
            "stride: neighbouring threads move elements a stride apart",
            "  column c, row r of threads: element c stride + r",
            *(f"    stride/copy/f32/stride:{s}" for s in (1, 2, 4, 8, 16, 32)),
            "",
            "chunk: each thread walks a run of consecutive elements",
            "  thread t, step j: element t chunk + j",
            "    chunk/copy/f32/chunk:32",
            "",
            "7 rows of 2 patterns",
        ])

    def test_it_has_the_rows_of_the_machines_list(self) -> None:
        for flags in ([], ["--suite=full"], ["--benchmark_filter=stride"], ["--suite=sweep"]):
            lines = self.check_run(["--list", *flags], env=NO_GPU).out.splitlines()
            names = [line.split()[0] for line in lines if line.startswith("    ")]
            self.assertEqual(sorted(names), sorted(self.plain(*flags)))
            patterns = {name.split("/")[0] for name in names}
            end = f"{len(names)} rows of {len(patterns)} pattern" + "s" * (len(patterns) > 1)
            self.assertEqual(lines[-1], end)

    def test_it_needs_no_device_and_leaves_files_alone(self) -> None:
        out = self.folder / "rows.json"
        out.write_text("precious", "utf-8")
        self.check_run(["--list", "--device=cuda:63", f"--benchmark_out={out}"], env=NO_GPU)
        self.check_run(["--list", "--device=all"], env=NO_GPU)
        self.assertEqual(out.read_text("utf-8"), "precious")

    def test_3_when_nothing_matches(self) -> None:
        self.assert_refused(3, ["--list", "--benchmark_filter=nothing"],
                            "--benchmark_filter=nothing")


class Progress(SuitesTest):
    ROWS = "--rows=contiguous/copy/f32,contiguous/copy/u8,contiguous/read/u8"

    def on_a_terminal(self, *flags: str) -> tuple[str, str]:
        """What a run writes to stdout and, as a terminal, to stderr."""
        ours, theirs = open_terminal()
        try:
            done = subprocess.run([BENCHMARK, *measuring([self.ROWS, "--elements=1Ki", *flags])],
                                  env=environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=theirs, timeout=120, check=False)
            self.assertEqual(done.returncode, 0)
            os.close(theirs)
            theirs = -1
            written = b""
            while True:
                try:
                    piece = os.read(ours, 4096)
                except OSError:  # as Linux ends a terminal whose other side is closed
                    break
                if not piece:
                    break
                written += piece
            return done.stdout.decode("utf-8"), written.decode("utf-8")
        finally:
            os.close(ours)
            if theirs >= 0:
                os.close(theirs)

    def assert_shown_and_erased(self, written: str) -> None:
        for text in ("row 1 of 3\r", "row 2 of 3, about 0:0", "row 3 of 3, about 0:0"):
            self.assertIn(text, written)
        line = ""
        for piece in re.findall(r"[^\r]+|\r", written):  # as a terminal shows it
            if piece == "\r":
                at = 0
                continue
            line = line[:at] + piece + line[at + len(piece):] if line else piece
            self.assertNotIn("\n", line)
        self.assertEqual(line.strip(), "", "something is left on the line")
        self.assertTrue(written.endswith("\r"))

    def test_a_terminal_shows_it_and_keeps_nothing(self) -> None:
        out, written = self.on_a_terminal()
        self.assert_shown_and_erased(written)
        self.assertNotIn("row 1 of 3", out)
        self.assertIn("3 rows measured and verified", out)

    def test_off_and_other_formats_are_silent(self) -> None:
        self.assertEqual(self.on_a_terminal("--progress=off")[1], "")
        self.assertNotIn("row 1 of 3", self.on_a_terminal("--benchmark_format=json")[1])

    def test_a_file_has_it_only_where_asked(self) -> None:
        flags = measuring([self.ROWS, "--elements=1Ki"])
        self.assertEqual(self.check_run(flags).err, "")
        self.assert_shown_and_erased(self.check_run([*flags, "--progress=on"]).err)

    def test_lists_have_none(self) -> None:
        for flag in ("--list", "--benchmark_list_tests"):
            self.assertEqual(run([flag, "--progress=on"]).err, "")


if __name__ == "__main__":
    unittest.main()
