# SPDX-License-Identifier: Apache-2.0
"""The page shows the recorded figures, and says which row they are of."""

from __future__ import annotations

import json
import re

from browser import PAGE
from support import PageTest, main

RESULTS = PAGE.parents[1] / "results"


class Measured(PageTest):
    def test_every_recorded_row_is_found_by_its_setting(self) -> None:
        shown = self.browser.run(
            """
            const wrong = [], count = {};
            for (const [machine, {rows}] of Object.entries(RECORDS)) {
              for (const row of rows) {
                if (row.pattern === "offset" && row.offset === 0) continue;
                const {type, stride, offset, lanes, operation} = row;
                const found = nearestRow({machine, type, stride, offset, lanes, operation});
                count[machine] = (count[machine] ?? 0) + 1;
                if (found.row !== row || found.differs.length > 0)
                  wrong.push([machine, row.name, found.row.name]);
              }
            }
            return [wrong, count];"""
        )
        self.assertEqual(shown[0], [])
        print(f"recorded rows found by their setting: {shown[1]}")
        self.assertGreater(shown[1]["h200"], 200)
        self.assertEqual((shown[1]["t4"], shown[1]["cpu"]), (6, 14))

    def test_measured_figures_are_those_of_the_file(self) -> None:
        compared = 0
        for machine, file in (
            ("h200", "h200/observed_strides.json"),
            ("t4", "t4/published.json"),
            ("cpu", "cpu/default.json"),
        ):
            data = json.loads((RESULTS / file).read_text(encoding="utf-8"))
            for row in data["benchmarks"]:
                found = re.fullmatch(r"stride/(\w+)/(\w+)/stride:(\d+)/manual_time", row["name"])
                if not found or int(found[3]) > 64:
                    continue
                setting = {
                    "machine": machine,
                    "operation": found[1],
                    "type": found[2],
                    "stride": int(found[3]),
                }
                self.browser.run("change(arguments[0])", setting)
                gbps = row["useful_bytes_per_second"] / 1e9
                self.assertEqual(self.text("#rate"), f"{float(f'{gbps:.4g}'):g} GB/s", row["name"])
                name = row["name"].removesuffix("/manual_time")
                self.assertEqual(self.text("#match"), f"this setting {name}")
                date = data["context"]["date"][:10] if "date" in data["context"] else "date not recorded"
                self.assertIn(f"docs/results/{file}, {date}", self.text("#source"))
                compared += 1
        self.assertEqual(compared, 21 + 6 + 12)

    def test_nearest_is_said_and_why(self) -> None:
        for link, row, differs in (
            ("machine=t4&stride=5", "stride/copy/f32/stride:4", "stride 4, not 5"),
            ("machine=t4&stride=64", "stride/copy/f32/stride:32", "stride 32, not 64"),
            ("machine=h200&stride=1&offset=4", "offset/copy/f32/loads:3/stores:3", "offset 3, not 4"),
            ("stride=1&offset=7&operation=read", "offset/read/f32/loads:1/stores:1", "offset 1, not 7"),
            ("machine=h200&stride=1&offset=16", "offset/copy/f32/loads:8/stores:8", "offset 8, not 16"),
            ("machine=h200&stride=63&operation=gather", "stride/gather/f32/stride:64", "stride 64, not 63"),
            ("machine=h200&stride=1&lanes=55555555", "stride/copy/f32/stride:1", "lanes 0-31, not 0,2,4"),
        ):
            with self.subTest(link):
                self.browser.open(f"#type=f32&{link}")
                self.assertEqual(self.text("#row"), row)
                self.assertEqual(self.text(".badge"), "nearest recorded row")
                self.assertIn(differs, self.text("#match"))
        self.browser.open("#machine=t4&type=f16")
        self.assertEqual(self.text("#rate"), "No figure")
        self.assertEqual(self.text("#match"), "No copy of f16 with a stride is recorded for this machine.")

    def test_published_figures_are_called_so(self) -> None:
        self.browser.open("#machine=t4")
        self.assertEqual(self.text("#rate"), "232.9 GB/s")
        self.assertIn("published figures, not measured by this project", self.text("#note"))
        self.assertIn("date not recorded", self.text("#source"))


if __name__ == "__main__":
    main()
