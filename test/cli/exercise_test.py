# SPDX-License-Identifier: Apache-2.0
"""The exercise: --check=coalescing on files and on runs, and its hints.

Of the files in exercise/, passes.jsonl has the figures that were published of a T4; the others are
made by hand.
"""

from __future__ import annotations

import json
import pathlib
import unittest

from support import SOURCE_DIR, OutputTest, Result, run, strict_json

FILES = pathlib.Path(__file__).parent / "exercise"
H200 = SOURCE_DIR / "docs" / "results" / "h200" / "reference.json"
CPU = SOURCE_DIR / "docs" / "results" / "cpu" / "default.json"
HOST = ["--device=host", "--benchmark_min_time=0.001"]
SMALL = "--bytes=256Ki"  # 512 KiB are moved


class Exercise(OutputTest):
    def check_file(self, code: int, path: pathlib.Path, *args: str) -> str:
        result = run(["--check=coalescing", f"--from={path}", *args])
        self.assertEqual(result.code, code, result.out + result.err)
        self.assertEqual(result.err, "")
        return result.out

    def written(self, text: str) -> pathlib.Path:
        path = self.folder / "rows.jsonl"
        path.write_text(text, "utf-8")
        return path

    def refuse(self, text: str, *said: str) -> None:
        path = self.written(text)
        self.assert_refused(2, ["--check=coalescing", f"--from={path}"], f"--from={path}", *said)

    def test_recorded_rows_of_an_h200_pass(self) -> None:
        rows = {row["name"]: row["real_time"] for row in strict_json(H200.read_text())["benchmarks"]}
        ratio = (
            rows["stride/copy/f32/stride:32/manual_time"]
            / rows["stride/copy/f32/stride:1/manual_time"]
        )
        out = self.check_file(0, H200)
        self.assertIn(f"stride 32 takes {ratio:.2f} times as long as stride 1", out)
        self.assertIn("512 MiB do not fit into 60 MiB (NVIDIA H200)", out)
        self.assertTrue(out.endswith("passed: at least 8 are asked for\n"), out)

    def test_json_lines_pass(self) -> None:
        self.assertIn("24.31 times", self.check_file(0, FILES / "passes.jsonl"))
        self.assertIn("4 MiB (Tesla T4)", self.check_file(0, FILES / "passes.jsonl", "--gpu=t4"))

    def test_a_ratio_below_eight_fails(self) -> None:
        out = self.check_file(1, FILES / "fails_by_ratio.jsonl")
        self.assertIn("takes 6.00 times as long", out)
        self.assertIn("failed: at least 8", out)

    def test_other_bytes_fail_before_any_ratio(self) -> None:
        out = self.check_file(1, FILES / "fails_by_bytes.jsonl")
        self.assertIn("stride 32 moved 16777216, stride 1 moved 536870912", out)
        self.assertIn("did less work", out)
        self.assertNotIn("ratio", out)

    def test_what_l2_holds_is_not_graded(self) -> None:
        out = self.check_file(2, FILES / "fits_in_l2.jsonl")
        self.assertIn("not graded", out)
        self.assertNotIn("ratio", out)
        self.assertIn("passed", self.check_file(0, FILES / "fits_in_l2.jsonl", "--gpu=t4"))

    def test_recorded_rows_of_a_cpu_are_not_graded(self) -> None:
        out = self.check_file(2, CPU)
        self.assertIn("not graded: these are rows of a CPU, and the bound of 8 is a GPU's", out)

    def test_bad_files_are_one_line(self) -> None:
        good = (FILES / "passes.jsonl").read_text("utf-8")
        self.refuse("", "is empty")
        self.refuse("stride 1: 2.3 ms", "neither the program's JSON nor JSON lines")
        self.refuse(good[:400], "line 5", "is it cut off?")
        self.refuse(H200.read_text()[:-100], "is it cut off?")
        self.refuse(good.replace("56.037", "NaN"), "line 6")
        self.refuse(good.replace("56.037", "0.0"), "line 6", "'ms' is 0.0")
        self.refuse(good.replace('"gbps": 9.6', '"gbps": 4.8'), "line 6", "4.800 GB/s is not")
        self.refuse(good.replace('"stride": 32', '"stride": 64'), "no row has stride 32")
        self.refuse('{"stride": 1, "ms": ' + "[" * 75000 + "]" * 75000 + "}", "line 1: ms: nested")
        self.refuse("\x00\n", "NUL")
        self.assert_refused(
            2, ["--check=coalescing", "--from=/none"], "--from=/none", "cannot be read"
        )

    def test_a_wrong_row_takes_no_other_with_it(self) -> None:
        good = (FILES / "passes.jsonl").read_text("utf-8")
        out = self.check_file(2, self.written(good.replace('"ms": 12.836', '"ms": 12.836, "ms": 1')))
        self.assertIn("wrong  line 3: ms: stands twice", out)
        self.assertIn("24.31 times", out)
        self.assertNotIn("passed", out)

    def test_an_index_map_is_graded_without_a_gpu(self) -> None:
        right = self.written('{"map": "i % (n/s) * s + i / (n/s)"}\n')
        self.assertIn("needs 8.00 times the sectors", self.check_file(0, right))
        wrong = self.written('{"map": "i * s % n"}\n')
        self.assertIn("2048 elements repeated", self.check_file(1, wrong))

    def test_flags_that_do_not_go_together(self) -> None:
        source = f"--from={FILES / 'passes.jsonl'}"
        self.assert_refused(2, [source], "--check=coalescing")
        self.assert_refused(2, ["--check=colescing"], "did you mean coalescing?")
        self.assert_refused(2, ["--check=coalescing", "--traps"], "different kinds")
        self.assert_refused(2, ["--check=coalescing", "--profile"], "--profile")
        self.assert_refused(2, ["--hint=3"], "--hint=3", "1, 2")
        kept = self.folder / "kept.json"
        kept.write_text("{}")
        self.assert_refused(
            2, ["--check=coalescing", source, f"--benchmark_out={kept}"], "nothing is measured"
        )
        self.assertEqual(kept.read_text(), "{}")
        self.assert_refused(
            2, ["--check=coalescing", f"--from={H200}", "--gpu=t4"], "62914560 bytes"
        )

    def live(self, *args: str) -> Result:
        return run(["--check=coalescing", *HOST, *args])

    def test_a_run_measures_the_reference_rows_and_says_what_the_bound_is(self) -> None:
        result = self.live("--quick")
        self.assertEqual(result.code, 2, result.err)
        self.assertEqual(result.err, "")
        self.assertRegex(result.out, r"\n7 rows measured and verified(, \d DISTURBED .*)?\n")
        self.assertRegex(result.out, r"bytes  33554432 in each of 7 rows: 4194304 floats loaded and stored\n")
        self.assertRegex(result.out, r"ratio  stride 32 takes [0-9.]+ times as long as stride 1")
        self.assertIn("not graded: these are rows of a CPU", result.out.splitlines()[-1])

    def test_a_run_takes_rows_that_are_given(self) -> None:
        rows = "stride/copy/f32/stride:1,stride/copy/f32/stride:32,contiguous/copy/u8"
        self.assertIn("524288 in each of 2 rows", self.live(SMALL, f"--rows={rows}").out)
        self.assertIn("524288 in each of 3 rows", self.live(SMALL, "--strides=1,32").out)

    def test_a_run_without_the_two_strides_is_refused_before_it_measures(self) -> None:
        for rows in ("--rows=contiguous/copy/f32", "--strides=1,2", "--elements=4Ki,8Ki"):
            self.assert_refused(2, ["--check=coalescing", *HOST, rows], "--check=coalescing: ")

    def test_json_stays_json_and_can_be_checked_again(self) -> None:
        path, lines = self.folder / "rows.json", self.folder / "rows.jsonl"
        result = self.live(
            SMALL, "--benchmark_format=json", f"--benchmark_out={path}", f"--json_lines={lines}"
        )
        self.assertEqual(result.code, 2)
        self.assertEqual(len(strict_json(result.out)["benchmarks"]), 7)
        self.assertIn("not graded: these are rows of a CPU", result.err)
        self.assertIn("not graded: these are rows of a CPU", self.check_file(2, path))
        self.assertIn("512 KiB fit into 126 MiB", self.check_file(2, lines))
        # As a GPU would have written it, with less data than its L2 holds.
        document = json.loads(path.read_text())
        document["context"].update({"backend": "cuda", "gpu.l2_bytes": "524288"})
        as_gpu = self.written(json.dumps(document, indent=1))
        self.assertIn("512 KiB fit into 512 KiB", self.check_file(2, as_gpu))

    def test_hints(self) -> None:
        first, second = (self.check_run([f"--hint={number}"]).out for number in (1, 2))
        self.assertTrue(first.startswith("Hint 1. "), first)
        self.assertTrue(second.startswith("Hint 2. "), second)
        self.assertEqual(self.check_run(["--check=coalescing", "--hint=1"]).out, first)


if __name__ == "__main__":
    unittest.main()
