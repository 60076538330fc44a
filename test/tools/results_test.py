# SPDX-License-Identifier: Apache-2.0
"""bench/tools/sectorbench_results.py: what it reads; every broken file is one line with file and place."""

from __future__ import annotations

import gzip
import json
import math
import re
import subprocess
import sys
import unittest
from typing import Any

import pandas
import synthetic
from synthetic import SOURCE_DIR, ToolTest, bad_row, document, row

import command_line
import sectorbench_results as results

NAME = "stride/copy/f32/stride:8"


class Rows(unittest.TestCase):
    def read(self, *rows: dict[str, Any], **context: str | None) -> list[results.Row]:
        return results.from_document("x.json", document(rows, **context)).rows

    def test_a_name_has_parts(self) -> None:
        (one,) = self.read(row(NAME + "/block:128", 1e-6))
        self.assertEqual(
            (one.name, one.pattern, one.operation, one.type), (NAME + "/block:128", "stride", "copy", "f32")
        )
        self.assertEqual(one.parameters, {"stride": "8", "block": "128"})

    def test_a_name_of_another_program_has_none(self) -> None:
        (one,) = self.read(row("BM_Sort/1024", 1e-6))
        self.assertEqual(
            (one.name, one.pattern, one.operation, one.type), ("BM_Sort/1024", "BM_Sort", "1024", "")
        )

    def test_units_are_converted(self) -> None:
        for value, unit, seconds in (
            (1500, "ns", 1.5e-6),
            (1.6, "us", 1.6e-6),
            (2, "ms", 2e-3),
            (3, "s", 3.0),
        ):
            (one,) = self.read(row(NAME, 1.0, real_time=value, time_unit=unit))
            self.assertAlmostEqual(one.time_s, seconds, delta=1e-15)

    def test_counters_are_what_the_library_does_not_write(self) -> None:
        (one,) = self.read(row(NAME, 1e-6, time_cv=0.5))
        self.assertEqual(set(one.counters), {*synthetic.COUNTS, "useful_bytes", "verified", "time_cv"})
        self.assertEqual(one.counters["time_cv"], 0.5)

    def test_labels_are_split(self) -> None:
        (one,) = self.read(row(NAME, 1e-6, label="cache_resident=l2;gap_share=1.1 %"))
        self.assertEqual(one.label, {"cache_resident": "l2", "gap_share": "1.1 %"})
        (other,) = self.read(row(NAME, 1e-6, label="free text; of a=b others"))
        self.assertEqual(other.label, {"": "free text; of a=b others"})

    def test_what_has_no_numbers(self) -> None:
        skipped = {**bad_row("d/d/d", ""), "skipped": True, "skip_message": "too large"}
        del skipped["error_occurred"], skipped["error_message"]
        rows = self.read(
            row("a/a/a", 1e-6),
            bad_row("b/b/b", "verify: element 3"),
            bad_row("c/c/c", "SKIPPED: needs 8 GiB"),
            skipped,
            bad_row("e/e/e", "interrupted by SIGTERM", label="interrupted=1"),
            bad_row("f/f/f", "interrupted by SIGINT"),
        )
        self.assertEqual(
            [(one.status, one.message) for one in rows],
            [
                ("ok", ""),
                ("failed", "verify: element 3"),
                ("skipped", "needs 8 GiB"),
                ("skipped", "too large"),
                ("interrupted", "interrupted by SIGTERM"),
                ("interrupted", "interrupted by SIGINT"),
            ],
        )
        for one in rows[1:]:
            self.assertTrue(math.isnan(one.time_s) and not one.counters, one)

    def test_aggregates_are_left_out_and_repetitions_kept(self) -> None:
        rows = self.read(
            row(NAME, 1e-6),
            row(NAME, 2e-6, repetition_index=1),
            {**row(NAME + "/manual_time_mean", 1.5e-6), "run_type": "aggregate"},
        )
        self.assertEqual(
            [(one.repetition, round(one.time_s * 1e9)) for one in rows], [(0, 1000), (1, 2000)]
        )

    def test_a_prediction_may_have_no_time(self) -> None:
        forecast = row(NAME, 0.0, label="predicted=1")
        self.assertTrue(math.isnan(self.read(forecast, backend="prediction")[0].time_s))

    def test_the_context_of_one_of_several_gpus(self) -> None:
        file = results.from_document(
            "x.json",
            {
                "context": {
                    "gpu.0.uuid": "GPU-a",
                    "gpu.1.uuid": "GPU-b",
                    "gpu.1.clock.sm_mhz": "1500",
                    "gpu.1.counters": "on",
                    "gpu.count": "2",
                    "suite": "default",
                    "caches": [{"level": 1}],
                },
                "benchmarks": [row("a/a/a/gpu:1", 1e-6), row("a/a/a", 1e-6)],
            },
        )
        self.assertEqual(
            file.context_of(file.rows[0]),
            {
                "gpu.uuid": "GPU-b",
                "clock.sm_mhz": "1500",
                "counters": "on",
                "gpu.count": "2",
                "suite": "default",
                "caches": '[{"level": 1}]',
            },
        )
        self.assertNotIn("gpu.uuid", file.context_of(file.rows[1]))


class BrokenFiles(ToolTest):
    def refused(self, content: Any, *texts: str, name: str = "broken.json") -> str:
        path = self.write(name, content)
        with self.assertRaises(results.ResultError) as caught:
            results.read_file(path)
        message = str(caught.exception)
        self.assertTrue(message.startswith(path + ": "), message)
        self.assertEqual(len(message.splitlines()), 1, message)
        for text in texts:
            self.assertIn(text, message)
        return message

    def test_no_file(self) -> None:
        for path, why in ((self.folder / "none.json", "No such file"), (self.folder, "Is a directory")):
            with self.assertRaisesRegex(results.ResultError, f"{path}: cannot be read: {why}"):
                results.read_file(path)

    def test_empty(self) -> None:
        self.refused("", "the file is empty (0 bytes)")
        self.refused("\n \n", "the file is empty (3 bytes)")

    def test_truncated_anywhere(self) -> None:
        text = json.dumps(document([row(NAME, 1e-6), bad_row("b/b/b", "no")]), indent=1)
        for end in range(1, len(text)):
            message = self.refused(text[:end], "truncated")
            self.assertRegex(message, r": line \d+, column \d+: truncated")
        results.from_document("x", json.loads(text))

    def test_truncated_names_the_place(self) -> None:
        self.refused('{\n  "benchmarks": [\n    {"name": "a', "line 3, column 14: truncated")

    def test_not_json(self) -> None:
        self.refused('{"benchmarks": [{"name": "a" "b": 1}]}', "line 1, column 30", "',' delimiter")
        self.refused('{"benchmarks": [{"name": "a", "share": 12%}]}', "line 1, column 42")
        self.refused("row   GB/s\ncopy 12\n", "line 1, column 1: not JSON", "--benchmark_out")
        self.refused(b"\xff\xfe\xff", "byte", "not text")

    def test_csv(self) -> None:
        for text in (
            "name,iterations,real_time\na,1,2\n",
            '"name","iterations"\n',
            "***WARNING***\nname,iterations,x\n",
        ):
            self.refused(text, "CSV, not JSON", "--benchmark_out_format=json")

    def test_json_lines(self) -> None:
        self.refused(
            '{"pattern":"stride","ms":1}\n{"pattern":"chunk","ms":2}\n', "line 2, column 1", "--json_lines"
        )

    def test_json_of_something_else(self) -> None:
        self.refused("[1, 2]", 'no "benchmarks"')
        self.refused({"states": []}, 'no "benchmarks"')
        self.refused({"benchmarks": {}}, "benchmarks: not a list")
        self.refused({"benchmarks": []}, "the list is empty", "filter")
        self.refused({"benchmarks": [{"index": 0}]}, "benchmarks[0]: no row")
        self.refused({"benchmarks": [3]}, "benchmarks[0]: no row")
        self.refused({"benchmarks": [{"name": "a", "states": []}]}, "benchmarks[0] (a): real_time: missing")
        self.refused({"context": [], "benchmarks": [row(NAME, 1e-6)]}, "context: not an object")
        self.refused('{"benchmarks": [], "benchmarks": []}', 'the key "benchmarks" stands twice')
        self.refused('{"benchmarks": ' + 100_000 * "[" + 100_000 * "]" + "}", "not a result file")

    def test_only_aggregates(self) -> None:
        self.refused(document([{**row(NAME, 1e-6), "run_type": "aggregate"}]), "no rows but aggregates")

    def test_numbers_that_are_none(self) -> None:
        good = json.dumps(document([row("a/a/a", 1e-6), row(NAME, 1e-6, real_time=12345, hits=67890)]))
        for word in ("NaN", "Infinity", "-Infinity", "1e999", "1" + 400 * "0"):
            text = good.replace("12345", word).replace("67890", word)
            first, second = results.read_file(self.write("some.json", text)).rows
            self.assertEqual((first.status, round(first.time_s * 1e9)), ("ok", 1000), "the other row stands")
            self.assertTrue(math.isnan(second.time_s), word)
            self.assertFalse(math.isfinite(second.counters["hits"]), word)
        self.refused(document([row(NAME, 1e-6, real_time="3")]), 'real_time: "3" is no number')
        self.refused(document([row(NAME, 1e-6, real_time=True)]), "real_time: true is no number")

    def test_times_that_are_none(self) -> None:
        for time in (0, 0.0, -1.5, 1e-320):
            (one,) = results.from_document("x", document([row(NAME, 1e-6, real_time=time)])).rows
            self.assertTrue(math.isnan(one.time_s), time)
            self.assertAlmostEqual(one.cpu_time_s, 1e-6)
        self.refused(
            document([row(NAME, 1e-6, time_unit="min")]), 'time_unit: "min" is none of ns, us, ms, s'
        )
        without = row(NAME, 1e-6)
        del without["time_unit"]
        self.refused(document([without]), "time_unit: null")
        self.refused(document([row(NAME, 1e-6, time_unit=["ns"])]), 'time_unit: ["ns"] is none of')

    def test_a_row_twice(self) -> None:
        self.refused(
            document([row(NAME, 1e-6), row("b", 1e-6), row(NAME, 2e-6)]), "benchmarks[2]", "stands twice"
        )
        self.refused(document([row(NAME, 1e-6, repetition_index="0")]), 'repetition_index: "0"')
        self.refused(document([row(NAME, 1e-6, repetition_index=10**400)]), "repetition_index: 1000")

    def test_rows_that_nobody_numbered_are_repetitions(self) -> None:
        made = [row(NAME, time_s) for time_s in (1e-6, 2e-6)]
        for one in made:
            del one["repetition_index"]
        read = results.from_document("x", document(made)).rows
        self.assertEqual([(one.name, one.repetition) for one in read], [(NAME, 0), (NAME, 1)])

    def test_other_kinds_of_files_are_named(self) -> None:
        text = json.dumps(document([row(NAME, 1e-6)]))
        self.refused(gzip.compress(text.encode()), "gzip")
        self.refused("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n", "Git LFS")
        self.refused(text.encode("utf-16-le"), "UTF-16")
        self.refused(b"\x7fELF\2\1\1\0\0", "byte 7", "zero byte")

    def test_input_without_an_end_is_not_read_to_it(self) -> None:
        with self.assertRaisesRegex(results.ResultError, "/dev/zero: byte 0: a zero byte: not a text"):
            results.read_file("/dev/zero")
        limit = command_line.MAX_INPUT_BYTES
        self.addCleanup(setattr, command_line, "MAX_INPUT_BYTES", limit)
        command_line.MAX_INPUT_BYTES = 10000
        self.refused(10001 * "x", "larger than 10000 bytes")

    def test_text_that_no_terminal_takes_is_escaped(self) -> None:
        name, message = "a\ud800/b\n/c", "no\x1b[31m"
        read = results.from_document("x", document([bad_row(name, message)], host_name="\udfff")).rows[0]
        self.assertEqual((read.name, read.message), ("a\\ud800/b\\n/c", "no\\x1b[31m"))

    def test_byte_order_marks_are_read(self) -> None:
        text = json.dumps(document([row(NAME, 1e-6)]))
        for name, data in (("8.json", b"\xef\xbb\xbf" + text.encode()), ("16.json", text.encode("utf-16"))):
            self.assertEqual(results.read_file(self.write(name, data)).rows[0].name, NAME)


class Document(unittest.TestCase):
    def test_the_analysis_of_the_document(self) -> None:
        text = (SOURCE_DIR / "docs" / "comparing.md").read_text("utf-8")
        section = text[text.index("## Results in Python") :]
        code, printed = re.findall(r"```(?:python)?\n(.*?)```", section, re.DOTALL)[:2]
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=SOURCE_DIR, capture_output=True, text=True, check=False
        )
        self.assertEqual((done.stdout, done.stderr), (printed, ""))


class Table(ToolTest):
    def test_one_line_per_run(self) -> None:
        paths = self.write_all(
            "run",
            [
                document([row(NAME, 1e-6, label="limited_by=l2"), bad_row("x/read/u8/steps:a", "no")]),
                document(
                    [row(NAME, 2e-6, time_cv=0.1)],
                    gpu_name="NVIDIA A100",
                    gpu_peak_bytes_per_s="slice: unknown",
                ),
            ],
        )
        table = results.load(paths)
        self.assertEqual(
            list(table.columns[:11]),
            [
                "file",
                "row",
                "pattern",
                "operation",
                "type",
                "param.stride",
                "param.steps",
                "repetition",
                "status",
                "message",
                "predicted",
            ],
        )
        self.assertEqual(list(table["file"]), [paths[0], paths[0], paths[1]])
        self.assertEqual(list(table["status"]), ["ok", "failed", "ok"])
        self.assertEqual(list(table["gpu.name"]), ["NVIDIA H200", "NVIDIA H200", "NVIDIA A100"])
        self.assertEqual((table["time_s"].dropna() * 1e9).round().tolist(), [1000, 2000])
        self.assertEqual(table["time_cv"].dropna().tolist(), [0.1])
        self.assertEqual(table["label.limited_by"].dropna().tolist(), ["l2"])
        self.assertEqual(table["param.stride"].dropna().tolist(), [8, 8])
        self.assertTrue(pandas.api.types.is_numeric_dtype(table["param.stride"]))
        self.assertEqual(table["param.steps"].dropna().tolist(), ["a"])
        self.assertEqual(table["gpu.peak_bytes_per_s"].dropna().tolist(), [4814304000000.0] * 2)
        self.assertEqual(table["cuda.driver"].tolist(), ["13.0"] * 3, "a version is no number")
        self.assertFalse(table["predicted"].any())

    def test_a_key_of_row_and_context_stands_twice(self) -> None:
        table = results.load([self.write("a.json", document([row(NAME, 1e-6, elements=7.0)]))])
        self.assertEqual(table["elements"].tolist(), [7.0])
        self.assertEqual(table["context.elements"].tolist(), ["buffer_bytes / element size"])

    def test_predictions_are_not_mixed_in_unasked(self) -> None:
        measured = self.write("m.json", document([row(NAME, 1e-6)]))
        forecast = self.write(
            "p.json", document([row(NAME, 2e-6, label="predicted=1")], backend="prediction")
        )
        with self.assertRaisesRegex(
            results.ResultError, "p.json: backend: a prediction of --predict beside"
        ):
            results.load([measured, forecast])
        self.assertEqual(
            results.load([measured, forecast], mix_predictions=True)["predicted"].tolist(), [False, True]
        )
        self.assertEqual(results.load([forecast])["predicted"].tolist(), [True])

    def test_no_files(self) -> None:
        with self.assertRaisesRegex(results.ResultError, "no files given"):
            results.load([])

    def test_recorded_files(self) -> None:
        folder = SOURCE_DIR / "docs" / "results"
        paths = [path for path in sorted(folder.glob("*/*.json")) if path.name != "passport.json"]
        self.assertGreater(len(paths), 5)
        for path in paths:
            file = results.read_file(path)
            self.assertEqual(len(file.rows), path.read_text("utf-8").count('"run_type": "iteration"'), path)
        one = results.read_file(folder / "h200" / "reference.json")
        self.assertEqual(one.rows[0].name, "stride/copy/f32/stride:1")
        self.assertEqual(f"{one.rows[0].time_s * 1e3:.4f}", "0.2088", "as docs/results/README.md says")

    def test_no_file_of_gpus_mixes_their_contexts(self) -> None:
        table = results.load([SOURCE_DIR / "docs" / "results" / "h200" / "two_gpus.json"])
        self.assertEqual(table.groupby("param.gpu")["gpu.uuid"].nunique().tolist(), [1, 1])
        self.assertEqual(table["gpu.uuid"].nunique(), 2)


if __name__ == "__main__":
    unittest.main()
