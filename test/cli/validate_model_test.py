# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of bench/tools/validate_model.py, with made-up rows."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import sys
import types
import unittest
from typing import Any

from support import SOURCE_DIR, OutputTest


def script() -> types.ModuleType:
    path = SOURCE_DIR / "bench" / "tools" / "validate_model.py"
    sys.path.insert(0, str(path.parent))  # where it finds the reader of result files
    spec = importlib.util.spec_from_file_location("validate_model", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["validate_model"] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


MODEL = script()


def row(**changes: Any) -> Any:
    """A row whose prediction is exact: 1000 bytes through DRAM in 10 us."""
    values = {
        "name": "stride/copy/f32/stride:8", "size": "16Mi", "useful": 500.0,
        "dram": (1000.0, 1000.0), "dram_measured": 1000.0, "time": (10e-6, 10e-6),
        "time_measured": 10e-6, "limited_by": "dram_bytes", "scheduling": False,
    }
    return MODEL.Row(**{**values, **changes})


class Rows(unittest.TestCase):
    def test_dram_is_inside_to_the_doubt_of_counters(self) -> None:
        # 1 % of what was measured, and 0.2 % of the useful bytes: 10 + 1 of 1000.
        for measured, inside in ((1000, True), (1011, True), (1012.2, False), (991, True),
                                 (989, False)):
            self.assertEqual(row(dram_measured=measured).dram_inside(), inside, measured)
        wide = {"dram": (500.0, 1500.0)}
        self.assertTrue(row(dram_measured=1514, **wide).dram_inside())
        self.assertFalse(row(dram_measured=1530, **wide).dram_inside())

    def test_nothing_measured_where_nothing_is_predicted(self) -> None:
        self.assertTrue(row(dram=(0.0, 0.0), dram_measured=0.0).dram_inside())

    def test_tight_is_up_to_a_twentieth(self) -> None:
        self.assertTrue(row().dram_tight())
        self.assertTrue(row(dram=(1000.0, 1050.0)).dram_tight())
        self.assertFalse(row(dram=(1000.0, 1051.0)).dram_tight())
        self.assertFalse(row(dram=(0.0, 0.0)).dram_tight(), "an error would have no denominator")

    def test_errors_are_of_the_middle(self) -> None:
        self.assertAlmostEqual(row(dram=(900.0, 1100.0), dram_measured=800.0).dram_error(), 0.25)
        self.assertAlmostEqual(row(time_measured=8e-6).time_error(), 0.25)
        self.assertAlmostEqual(row(time=(8e-6, 16e-6)).time_error(), 0.2)

    def test_a_number_is_narrow_and_of_a_limit_that_makes_numbers(self) -> None:
        for limit, number in (("dram_bytes", True), ("in_flight", True), ("launch", True),
                              ("dram_locality", False), ("l2", False), ("", False)):
            self.assertEqual(row(limited_by=limit).time_is_number(), number, limit)
        self.assertTrue(row(time=(10e-6, 10.9e-6)).time_is_number())
        self.assertFalse(row(time=(10e-6, 11.1e-6)).time_is_number())

    def test_time_inside(self) -> None:
        bounds = (10e-6, 20e-6)
        for measured, inside in ((9.9e-6, False), (10e-6, True), (20e-6, True), (20.1e-6, False)):
            self.assertEqual(row(time=bounds, time_measured=measured).time_inside(), inside)


class Numbers(unittest.TestCase):
    def test_percentiles(self) -> None:
        self.assertEqual(MODEL.percentiles([]), "no rows")
        self.assertEqual(MODEL.percentiles([0.03]),
                         "median 3.00 %, 90th percentile 3.00 %, worst 3.00 %")
        # Twenty errors of 1 to 20 %, in no order: the 19th largest is the 90th percentile.
        errors = [((7 * i) % 20 + 1) / 100 for i in range(20)]
        self.assertEqual(MODEL.percentiles(errors),
                         "median 10.50 %, 90th percentile 19.00 %, worst 20.00 %")

    def test_spread(self) -> None:
        self.assertEqual(MODEL.spread((2.0, 3.0)), 1.5)
        self.assertEqual(MODEL.spread((0.0, 0.0)), 1.0)
        self.assertEqual(MODEL.spread((0.0, 1.0)), float("inf"))


class Report(unittest.TestCase):
    def test_rows_that_agree(self) -> None:
        text = MODEL.report([row(), row(name="b", size="1Gi", limited_by="in_flight")])
        none_off = "median 0.00 %, 90th percentile 0.00 %, worst 0.00 %"
        self.assertEqual(text.splitlines(), [
            "DRAM bytes, 2 rows:",
            f"  2 rows with a tight interval (high / low <= 1.05): {none_off}",
            "  inside their interval (to 1 % of counters): 2 of 2",
            "  median high / low: 1.000",
            "  'depends on scheduling': 0 of 2",
            "Time, 2 rows:",
            "  2 rows predicted as a number (limited by DRAM bytes, flight or launch): " + none_off,
            f"    dram_bytes: 1 rows, {none_off}",
            f"    in_flight: 1 rows, {none_off}",
            "    launch: 0 rows, no rows",
            f"  at 16Mi: 1 numbers, {none_off}",
            "  at 256Mi: 0 numbers, no rows",
            f"  at 1Gi: 1 numbers, {none_off}",
        ])

    def test_every_miss_is_named(self) -> None:
        lines = MODEL.report([
            row(),
            row(name="wide", dram=(500.0, 2000.0), dram_measured=2100.0, scheduling=True),
            row(name="slow", time_measured=12.5e-6),
            row(name="within", time=(5e-6, 10e-6), limited_by="l2", time_measured=7e-6),
            row(name="outside", time=(5e-6, 7e-6), limited_by="l2", time_measured=8e-6),
        ]).splitlines()
        self.assertIn("  MISS wide at 16Mi: 4.200 times useful bytes, predicted 1.000 to 4.000",
                      lines)
        self.assertIn("  OFF slow at 16Mi (dram_bytes): 12.50 us, predicted 10.00 to 10.00", lines)
        self.assertIn("  OFF outside at 16Mi (l2): 8.00 us, predicted 5.00 to 7.00", lines)
        self.assertEqual(sum("MISS" in line for line in lines), 1)
        self.assertEqual(sum("OFF" in line for line in lines), 2)
        self.assertIn("  inside their interval (to 1 % of counters): 4 of 5", lines)
        self.assertIn("  'depends on scheduling': 1 of 5", lines)
        self.assertIn("  2 rows predicted as an interval: inside 1, high / low <= 1.5 in 1, "
                      "median high / low 1.70", lines)

    def test_a_number_is_off_by_more_than_a_twentieth(self) -> None:
        for measured, off in ((10.5e-6, False), (10.6e-6, True), (9.6e-6, False), (9.4e-6, True)):
            self.assertEqual("OFF" in MODEL.report([row(time_measured=measured)]), off, measured)

    def test_without_times(self) -> None:
        self.assertEqual(MODEL.report([row(time=None)]).splitlines()[-1],
                         "Time: the description has no figures of time")


class Compared(OutputTest):
    def file(self, name: str, runs: list[dict[str, Any]]) -> pathlib.Path:
        path = self.folder / name
        path.write_text(json.dumps({"benchmarks": runs}), "utf-8")
        return path

    def predicted(self, name: str) -> dict[str, Any]:
        return {
            "name": name, "run_type": "iteration", "real_time": 3.5, "time_unit": "us",
            "label": "predicted=1;limited_by=l2;depends_on=scheduling",
            "dram_bytes_predicted_low": 1.0, "dram_bytes_predicted_high": 2.0,
            "time_predicted_low_s": 3e-6, "time_predicted_high_s": 4e-6,
        }

    def measured(self, name: str) -> dict[str, Any]:
        return {
            "name": name + "/manual_time", "run_type": "iteration", "real_time": 7.0,
            "time_unit": "us", "useful_bytes": 5.0,
            "dram_bytes_measured": 6.0, "time_median_s": 7e-6, "label": "",
        }

    def test_rows_of_both_files(self) -> None:
        rows, lacking = MODEL.compared("16Mi", self.file("a", [self.predicted("x")]),
                                       self.file("b", [self.measured("x")]))
        self.assertEqual(lacking, [])
        self.assertEqual(rows, [MODEL.Row("x", "16Mi", 5.0, (1.0, 2.0), 6.0, (3e-6, 4e-6), 7e-6,
                                          "l2", True)])

    def test_rows_that_a_file_lacks_are_named(self) -> None:
        uncounted = self.measured("c")
        del uncounted["dram_bytes_measured"]
        failed = {**self.measured("d"), "error_occurred": True}
        aggregate = {**self.measured("a"), "run_type": "aggregate"}
        rows, lacking = MODEL.compared(
            "16Mi", self.file("a", [self.predicted(name) for name in "acd"]),
            self.file("b", [self.measured("a"), self.measured("b"), uncounted, failed, aggregate]))
        self.assertEqual([one.name for one in rows], ["a"])
        self.assertEqual(sorted(lacking), ["b", "c", "d"])

    def test_a_description_without_times(self) -> None:
        said = {key: value for key, value in self.predicted("x").items() if "time_predicted" not in key}
        rows, _ = MODEL.compared("16Mi", self.file("a", [said]),
                                 self.file("b", [self.measured("x")]))
        self.assertIsNone(rows[0].time)


if __name__ == "__main__":
    unittest.main()
