# SPDX-License-Identifier: Apache-2.0
"""Predictions for GPUs that nobody calibrated, beside what others published of them."""

from __future__ import annotations

import importlib.util
import pathlib
import statistics
import sys
import unittest
from types import ModuleType

from support import BENCHMARK, SOURCE_DIR


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "score_published", SOURCE_DIR / "bench/tools/score_published.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SCORE = load()
# Classes that the model can tell apart from each other; chunks and data in L2 it cannot bound well.
BOUNDED = {"streams": 0.95, "low occupancy": 0.95, "dense strides": 0.75}


class Published(unittest.TestCase):
    def test_points_name_their_source(self) -> None:
        points = SCORE.read_points()
        self.assertGreaterEqual(len(points), 170)
        self.assertEqual(len({point["id"] for point in points}), len(points))
        for point in points:
            for key in ("gpu", "variant", "tool", "source", "date", "convention"):
                self.assertNotEqual(point[key], "", f"{point['id']}: {key}")
            self.assertGreater(float(point["bytes_per_s"]), 1e9, point["id"])

    def test_classes(self) -> None:
        def kind(row: str, threads: str = "", note: str = "") -> str:
            return str(SCORE.class_of({"row": row, "threads_per_sm": threads, "note": note}, 2048))

        self.assertEqual(kind("contiguous/copy/f64"), "streams")
        self.assertEqual(kind("contiguous/copy/f64", "2048"), "streams")
        self.assertEqual(kind("contiguous/copy/f64", "512"), "low occupancy")
        self.assertEqual(kind("stride/read/f64/stride:1"), "streams")
        self.assertEqual(kind("stride/read/f64/stride:4"), "dense strides")
        self.assertEqual(kind("stride/read/f64/stride:8"), "sparse strides")
        self.assertEqual(kind("chunk/read/f32/chunk:16"), "chunks")
        self.assertEqual(kind("contiguous/copy/f64", note="data in L2"), "in L2")

    def test_score_of_a_point(self) -> None:
        # 100 GB/s published, 80 to 160 predicted: times of 1 / 80 and 1 / 160, whose mean is
        # 0.9375 of the published one.
        one = SCORE.Scored({"bytes_per_s": "100e9"}, 80e9, 160e9, "")
        self.assertAlmostEqual(one.error, -0.0625)
        self.assertTrue(one.inside)
        self.assertEqual(one.width, 2)
        self.assertFalse(SCORE.Scored({"bytes_per_s": "79e9"}, 80e9, 160e9, "").inside)

    def test_predictions_hold(self) -> None:
        scored = SCORE.score(pathlib.Path(BENCHMARK), SCORE.read_points())
        text = SCORE.table(scored)
        groups: dict[str, list[float]] = {}
        for one in scored:
            kind = SCORE.class_of(one.point, 1536 if one.point["gpu"] in ("l40", "a40") else 2048)
            groups.setdefault(kind, []).append(abs(one.error))
            self.assertGreater(one.width, 1.1, f"{one.point['id']}: a scaled time is no number")
        everything = [error for errors in groups.values() for error in errors]
        self.assertLess(statistics.median(everything), 0.07, text)
        self.assertGreater(sum(error <= SCORE.NEAR for error in everything) / len(everything), 0.78,
                           text)
        self.assertGreater(sum(one.inside for one in scored) / len(scored), 0.94, text)
        for kind, least in BOUNDED.items():
            near = sum(error <= SCORE.NEAR for error in groups[kind])
            self.assertGreaterEqual(near / len(groups[kind]), least, f"{kind}\n{text}")


if __name__ == "__main__":
    unittest.main()
