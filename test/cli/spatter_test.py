# SPDX-License-Identifier: Apache-2.0
"""Index lists of Spatter: a suite with each kernel runs and moves exactly the bytes it asks for."""

from __future__ import annotations

import json
import pathlib
import unittest

from support import OutputTest, plain_name, strict_json

SUITE = pathlib.Path(__file__).with_name("spatter.json")

# Of each configuration, by hand: row, accesses, distinct places of the loads and of the stores,
# lists that an access goes through.
GATHER, SPREAD, SCATTER, STENCIL, BOTH, STILL = (
    ("indexed:uniform:8:4:nr/gather/f64/delta:32/count:4096", 32768, 32768, 32768, 1),
    # 4 + 5 + 7 entries around two jumps; each repetition begins 16 further on.
    ("indexed:ms1:16:4-9:20-36/gather/f64/delta:16/count:2048", 32768, None, 32768, 1),
    ("indexed:uniform:16:2:nr/scatter/f64/delta:32/count:3000", 48000, 48000, 48000, 1),
    # 0, 99, 100, 101, 200 and each 1 further on: 0 to 5199.
    ("indexed:overlapping-stencil/scatter/f64/delta:1/count:5000", 25000, 25000, 5200, 1),
    # Five different entries, all multiples of 3 like the delta: 0 to 32 + 2499 steps of it.
    ("indexed:node-to-edge/copy/f64/delta_gather:3/delta_scatter:6/count:2500", 15000, 2532,
     15000, 2),
    # Four different places, over and over; 7 repetitions of 5 on the dense side.
    ("indexed:spatter:5/gather/f64/delta:0/count:700/wrap:7", 3500, 4, 35, 1),
)
ROWS = (GATHER, SPREAD, SCATTER, STENCIL, BOTH, STILL)


class Suite(OutputTest):
    def test_each_kernel_moves_exactly_what_the_file_asks_for(self) -> None:
        document = self.measure(f"--indexed={SUITE}")
        rows = self.measured_rows(document)
        self.assertEqual(list(rows), [name for name, *_ in ROWS])
        for name, accesses, loaded, stored, lists in ROWS:
            row = rows[name]
            self.assertEqual(row["elements"], accesses, name)
            self.assertEqual(row["useful_bytes"], accesses * 8 * 2, name)
            self.assertEqual(row["index_bytes"], accesses * 4 * lists, name)
            if loaded is not None:
                self.assertEqual(row["unique_bytes"], (loaded + stored) * 8, name)
            sides = row["useful_bytes_per_second"] / row["list_bytes_per_second"]
            self.assertAlmostEqual(sides, 2 / lists, 6, name)
            self.assertEqual(row["verified"], 1, name)
        self.assertEqual(document["context"]["suite"], "indexed:spatter.json")

    def test_bytes_follow_the_file_whatever_it_says(self) -> None:
        """The same from the file itself, for the lists that it spells out."""
        rows = self.measured_rows(self.measure(f"--indexed={SUITE}", "--types=f32,f64"))
        configurations = json.loads(SUITE.read_text("utf-8"))
        self.assertEqual(len(rows), 2 * len(configurations))
        for name, row in rows.items():
            width = 4 if "/f32/" in name else 8
            one = configurations[[known.split("/")[0] for known, *_ in ROWS].index(
                name.split("/")[0])]
            entries = one.get("pattern", one.get("pattern-gather"))
            length = len(entries) if isinstance(entries, list) else (
                5 if entries.startswith("LAPLACIAN") else int(entries.split(":")[1]))
            self.assertEqual(row["useful_bytes"], length * one["count"] * width * 2, name)

    def test_reads_and_writes_leave_the_dense_side_out(self) -> None:
        rows = self.measured_rows(self.measure(f"--indexed={SUITE}", "--ops=read,write"))
        self.assertEqual(
            {name.split("/")[1] for name in rows}, {"read", "write"})
        self.assertEqual(len(rows), 5)
        for name, row in rows.items():
            self.assertEqual(row["useful_bytes"], row["elements"] * 8, name)

    def test_sectors_of_a_stride_by_hand(self) -> None:
        row = self.measured_rows(self.measure("--indexed=uniform:8:4:nr"))[
            "indexed:uniform:8:4:nr/gather/f64/delta:32/count:1024"]
        self.assertEqual(row["load_sectors_predicted"], 8192)  # a sector for each access
        self.assertEqual(row["store_sectors_predicted"], 2048)
        self.assertEqual(row["index_requests_predicted"], 256)
        self.assertEqual(row["index_sectors_predicted"], 256)  # 8 entries lie in one

    def test_the_list_of_names_is_a_list_of_rows(self) -> None:
        names = self.check_run([f"--indexed={SUITE}", "--benchmark_list_tests"]).out
        self.assertEqual([plain_name(name) for name in names.splitlines()],
                         [name for name, *_ in ROWS])
        rows = self.folder / "rows.txt"
        rows.write_text(names.splitlines()[3] + "\ncontiguous/copy/u8/elements:100\n", "utf-8")
        document = self.measure(f"--indexed={SUITE}", f"--suite={rows}")
        self.assertEqual(list(self.measured_rows(document)),
                         [STENCIL[0], "contiguous/copy/u8/elements:100"])
        picked = self.measure(f"--indexed={SUITE}", f"--rows={GATHER[0]}")
        self.assertEqual(list(self.measured_rows(picked)), [GATHER[0]])
        listing = self.check_run([f"--indexed={SUITE}", "--list"]).out
        self.assertIn("indexed:overlapping-stencil: an index list of 5 entries, repeated 5000 times",
                      listing)

    def test_command_lines_of_spatter(self) -> None:
        rows = self.measured_rows(self.measure(
            "--indexed=-k Scatter -pUNIFORM:8:1 -d 8 -l 1000"))
        self.assertEqual(list(rows), ["indexed:uniform:8:1/scatter/f64/delta:8/count:1000"])
        self.assertEqual(rows.popitem()[1]["useful_bytes"], 8000 * 8 * 2)


class OneBadEntry(OutputTest):
    """A configuration that makes no row takes no other with it."""

    SUITE = """[{"pattern": [0, 1]}, {"pattern": [0], "delta": -1}, {"pattern": [0, 4294967296]},
      {"kernel": "MultiScatter", "pattern": [8, 0, 4], "pattern-scatter": [2, 0], "name": "multi"}]"""

    def rows(self, *flags: str) -> dict[str, str]:
        """The rows of a run or a prediction, and why each was skipped."""
        path = self.folder / "s.json"
        path.write_text(self.SUITE, "utf-8")
        result = self.check_run([*flags, f"--indexed={path}", "--types=f64", "--benchmark_format=json"])
        return {plain_name(row["name"]).split("/")[0]: row.get("error_message", "")
                for row in strict_json(result.out)["benchmarks"]}

    def assert_skipped(self, rows: dict[str, str]) -> None:
        self.assertEqual(set(rows), {"indexed:s:0", "indexed:s:1", "indexed:s:2", "indexed:multi"})
        self.assertEqual((rows["indexed:s:0"], rows["indexed:multi"]), ("", ""))
        for number in (1, 2):
            self.assertIn(f"SKIPPED: configuration {number}: ", rows[f"indexed:s:{number}"])

    def test_in_a_run(self) -> None:
        self.assert_skipped(self.rows("--device=host", "--benchmark_min_time=0.001"))

    def test_in_a_prediction(self) -> None:
        self.assert_skipped(self.rows("--predict", "--gpu=h200"))

    def test_the_filter_chooses_first(self) -> None:
        self.assertEqual(self.rows("--predict", "--gpu=h200", "--benchmark_filter=multi"),
                         {"indexed:multi": ""})


class Refusals(OutputTest):
    def suite(self, text: str) -> str:
        path = self.folder / "s.json"
        path.write_text(text, "utf-8")
        return f"--indexed={path}"

    def test_2_for_what_is_not_taken_by_name(self) -> None:
        for text, *words in (
            ('[{"kernel": "MultiGather", "pattern": [0], "pattern-gather": [1]}]', "configuration 0", "entry 1"),
            ('[{"pattern": [1], "delta": [8, 8]}]', "configuration 0", "delta:"),
            ('[{"pattern": [0], "vlen": 8}]', "unknown key 'vlen'"),
            ('[{"pattern": [-1]}]', "negative entry -1"),
            ('[{"pattern": []}]', "an empty list"),
            ('[{"pattern": [0], "count": 9223372036854775807}]', "does not fit 64 bits"),
            ('[{"pattern": [0]', "parse error at line 1"),
            ("[]", "holds no configurations"),
        ):
            self.assert_refused(2, [self.suite(text)], "s.json: ", *words)
        nested = "[" * 75000 + "]" * 75000
        self.assert_refused(2, [self.suite(nested)], "s.json: ", "deep")
        self.assert_refused(2, ["--indexed=nowhere.json"], "No such file")
        self.assert_refused(2, ["--indexed=STRIDE:8"], "unknown notation 'STRIDE'")
        self.assert_refused(2, ["--indexed="], "--indexed=: a list is missing")
        self.assert_refused(2, ["--indexed"], "--indexed: a value is missing")

    def test_2_for_flags_that_contradict(self) -> None:
        for flag in ("--bytes=1Mi", "--elements=5", "--suite=full", "--ops=copy"):
            self.assert_refused(2, ["--indexed=UNIFORM:8:1", flag], flag.split("=")[0])

    def test_what_does_not_fit_is_skipped_with_the_numbers(self) -> None:
        document = self.measure("--indexed=-p UNIFORM:8:1 -l 1000000000000000")
        row, = document["benchmarks"]
        self.assertIn("does not fit", row.get("error_message", "") + row.get("skip_message", ""))


if __name__ == "__main__":
    unittest.main()
