# SPDX-License-Identifier: Apache-2.0
"""The micro-world's page has the figures of docs/results/, and nothing else; needs no browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "micro_world" / "index.html"
UPDATE = DOCS / "micro_world" / "update.py"


def update(*flags: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, UPDATE, *flags], capture_output=True, text=True, check=False, timeout=60
    )


def records_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="records">\n(.*?)</script>', page, re.DOTALL)
    assert found
    records = json.loads(found[1])
    assert isinstance(records, dict)
    return records


class Records(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.page = Path(folder.name) / "index.html"
        shutil.copy(PAGE, self.page)

    def edit(self, before: str, after: str) -> None:
        text = self.page.read_text(encoding="ascii")
        self.assertIn(before, text)
        self.page.write_text(text.replace(before, after, 1), encoding="ascii")

    def test_the_page_has_the_recorded_figures(self) -> None:
        done = update("--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rows_are_those_of_the_files(self) -> None:
        records = records_of(PAGE.read_text(encoding="ascii"))
        self.assertEqual(list(records), ["h200", "t4", "cpu"])
        compared = 0
        for key, file in (
            ("h200", "h200/observed_strides.json"),
            ("t4", "t4/published.json"),
            ("cpu", "cpu/default.json"),
        ):
            embedded = {row[0]: row for row in records[key]["rows"]}
            for row in json.loads((DOCS / "results" / file).read_text(encoding="utf-8"))["benchmarks"]:
                name = row["name"].removesuffix("/manual_time")
                if not name.startswith("stride/") or name.endswith(":128"):
                    continue
                _, time_us, gbps, source = embedded[name]
                self.assertAlmostEqual(time_us / row["real_time"] * 1e3, 1, 4, name)
                self.assertAlmostEqual(gbps / row["useful_bytes_per_second"] * 1e9, 1, 3, name)
                self.assertEqual(records[key]["sources"][source]["file"], f"docs/results/{file}")
                compared += 1
        self.assertEqual(compared, 21 + 6 + 12)

    def test_figures_known_by_heart(self) -> None:
        records = records_of(PAGE.read_text(encoding="ascii"))
        rows = {key: {row[0]: row[1:3] for row in machine["rows"]} for key, machine in records.items()}
        self.assertEqual(rows["t4"]["stride/copy/f32/stride:1"], [2305, 232.9])
        self.assertEqual(rows["t4"]["stride/copy/f32/stride:32"], [56037, 9.6])
        self.assertEqual(rows["h200"]["stride/copy/f16/stride:16"], [2919, 184.0])  # full.txt
        self.assertEqual(rows["h200"]["stride/gather/f32/stride:10"], [666.13, 806.0])  # validation.csv
        self.assertEqual(records["h200"]["sources"][2]["date"], "2026-11-30")
        self.assertEqual(records["h200"]["sources"][2]["revision"], "1e075e620523")

    def test_answers_say_what_the_issue_asks_about(self) -> None:
        text = PAGE.read_text(encoding="ascii")
        for spec, figure in (
            ("h200 ratio stride/gather/f32/stride:64 / stride/gather/f32/stride:8", "2.9"),
            ("h200 longer offset/read/f32/loads:1/stores:1 / offset/read/f32/loads:0/stores:0", "0.1 %"),
            ("h200 longer offset/copy/f32/loads:1/stores:1 / offset/copy/f32/loads:0/stores:0", "4.2 %"),
            ("h200 dram_arrays stride/gather/f32/stride:64", "17.0"),
        ):
            self.assertRegex(text, f'data-figure="{re.escape(spec)}">{re.escape(figure)}<')

    def test_a_changed_row_is_noticed_and_mended(self) -> None:
        self.edit('["stride/copy/f32/stride:8", 1461', '["stride/copy/f32/stride:8", 1460')
        done = update("--check", "--page", self.page)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("differs from docs/results/: run docs/micro_world/update.py", done.stderr)
        self.assertEqual(update("--page", self.page).returncode, 0)
        self.assertEqual(self.page.read_bytes(), PAGE.read_bytes())

    def test_a_changed_answer_is_noticed(self) -> None:
        self.edit(">2.9<", ">2.8<")
        self.assertEqual(update("--check", "--page", self.page).returncode, 1)

    def test_a_figure_that_is_not_recorded_is_refused(self) -> None:
        for before, after, said in (
            ("time stride/gather/f32/stride:8", "time stride/gather/f32/stride:9", "is recorded in none of"),
            ("h200 time stride/gather", "a100 time stride/gather", "is not one of h200, t4, cpu"),
            ("dram_rate stride/gather/f32/stride:8", "dram_rate stride/read/f32/stride:8", "was not counted"),
        ):
            with self.subTest(after):
                shutil.copy(PAGE, self.page)
                self.edit(before, after)
                text = self.page.read_bytes()
                done = update("--page", self.page)
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertEqual(self.page.read_bytes(), text)

    def test_a_page_that_is_not_there_is_one_line(self) -> None:
        done = update("--page", self.page.with_name("none.html"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("none.html", done.stderr)


if __name__ == "__main__":
    unittest.main()
