# SPDX-License-Identifier: Apache-2.0
"""Pictures show the numbers of the files: as data, and read back from the drawn axes of the SVG."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Any
from xml.etree import ElementTree

SOURCE_DIR = pathlib.Path(os.environ["SECTORBENCH_SOURCE_DIR"])
RECORDED = SOURCE_DIR / "docs" / "results"
PICTURES = SOURCE_DIR / "docs" / "pictures"
STRIDES, SWEEP = RECORDED / "h200" / "strides.json", RECORDED / "h200" / "sweep.json"
T4, CPU = RECORDED / "t4" / "published.json", RECORDED / "cpu" / "default.json"
CARDS = RECORDED / "h200" / "default.json", RECORDED / "h200" / "second_card_default.json"

sys.path.insert(0, str(SOURCE_DIR / "bench" / "tools"))
MISSING = [name for name in ("matplotlib", "pandas") if importlib.util.find_spec(name) is None]
if not MISSING:
    import plot
    import sectorbench_results as results

Json = dict[str, Any]


def rows_of(path: pathlib.Path) -> dict[str, Json]:
    """The rows as the file has them, read without the code under test."""
    rows = json.loads(path.read_text("utf-8"))["benchmarks"]
    return {row["name"].removesuffix("/manual_time"): row for row in rows}


class PlotTest(unittest.TestCase):
    def setUp(self) -> None:
        if MISSING and os.environ.get("SECTORBENCH_REQUIRE_TOOLS"):
            self.fail(f"not installed: {MISSING}")
        if MISSING:
            self.skipTest(f"not installed: {MISSING} (Debian: python3-matplotlib, python3-pandas)")
        folder = tempfile.TemporaryDirectory(prefix="sectorbench_plot_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def picture(self, name: str, *files: pathlib.Path, rows: str = "stride/copy/f32") -> plot.Picture:
        return plot.PICTURES[name]([results.load([file]) for file in files], rows)

    def assert_close(self, found: list[float], expected: list[float], relative: float = 1e-9) -> None:
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertTrue(math.isclose(one, other, rel_tol=relative), f"{found} is not {expected}")

    def written(self, name: str, *rows: Json, **context: str) -> pathlib.Path:
        path = self.folder / name
        path.write_text(json.dumps({"context": context, "benchmarks": rows}), "utf-8")
        return path


def made_up(stride: int, time_ns: float, **more: Any) -> Json:
    """A row that copies 1e9 bytes."""
    return {
        "name": f"stride/copy/f32/stride:{stride}/manual_time", "run_type": "iteration", "iterations": 1,
        "real_time": time_ns, "cpu_time": time_ns, "time_unit": "ns", "useful_bytes": 1e9, **more,
    }


class Numbers(PlotTest):
    def test_curve_of_a_made_up_run(self) -> None:
        """1e9 bytes in 1 ms are 1000 GB/s. Half of the ceiling: that is 2000."""
        run = self.written(
            "run.json",
            made_up(8, 4e6, fraction_of_ceiling=0.125, sector_bytes_predicted=8e9,
                    dram_bytes_predicted_low=10e9, dram_bytes_predicted_high=16e9,
                    time_predicted_low_s=0.002, time_predicted_high_s=0.005),
            made_up(1, 1e6, fraction_of_ceiling=0.5, sector_bytes_predicted=1e9,
                    dram_bytes_predicted_low=1e9, dram_bytes_predicted_high=1e9,
                    time_predicted_low_s=0.001, time_predicted_high_s=0.001),
        )
        curve = self.picture("curve", run)
        self.assertEqual([series.name for series in curve.series],
                         ["measured", "ceiling", "sector model", "traffic model", "time model"])
        self.assertEqual(curve["measured"].x, [1, 8])
        self.assert_close(curve["measured"].y, [1000, 250])
        self.assert_close(curve["ceiling"].y, [2000, 2000])
        self.assert_close(curve["sector model"].y, [2000, 250])
        self.assert_close(curve["traffic model"].y, [2000, 125])
        self.assert_close(curve["traffic model"].y_high, [2000, 200])
        self.assert_close(curve["time model"].y, [1000, 200])
        self.assert_close(curve["time model"].y_high, [1000, 500])

    def test_curve_of_an_h200(self) -> None:
        curve, rows = self.picture("curve", STRIDES), rows_of(STRIDES)
        strides = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 96]
        expected = [rows[f"stride/copy/f32/stride:{stride}"] for stride in strides]
        self.assertEqual(curve["measured"].x, strides)
        self.assert_close(curve["measured"].y, [row["useful_bytes_per_second"] / 1e9 for row in expected])
        # From the file by hand: 536870912 bytes in 208220.080 ns, and in 3136779.984 ns.
        self.assertAlmostEqual(curve["measured"].y[0], 2578.382, places=3)
        self.assertAlmostEqual(curve["measured"].y[10], 171.154, places=3)
        self.assert_close(
            curve["time model"].y_high,
            [row["useful_bytes"] / row["time_predicted_low_s"] / 1e9 for row in expected],
        )
        sectors = curve["sector model"].y
        self.assertEqual(sectors[6:], [sectors[6]] * 7, "flat from stride 8 on")
        for part in ("NVIDIA H200", "2026-11-30", "ECC on", "256 MiB a buffer", "b17633a9ec5e"):
            self.assertIn(part, curve.caption)

    def test_bytes_of_an_h200(self) -> None:
        """In buffers of 256 MiB at stride 32: 2 useful, 16 of sectors, 8 + 8 + 8 read and 8 written."""
        bars = self.picture("bytes", STRIDES)
        self.assertEqual(bars["useful"].x, [1, 2, 4, 8, 16, 32])
        buffer = 2**28 / 1e9
        at_32 = {series.name: series.y[-1] / buffer for series in bars.series}
        self.assertEqual(at_32["useful"], 2)
        self.assertEqual(at_32["sectors"], 16)
        for part in ("DRAM read", "DRAM read: fills", "DRAM read: granules", "DRAM written"):
            self.assertAlmostEqual(at_32[part], 8, delta=0.02, msg=part)
        for place, stride in enumerate(bars["useful"].x):
            row = rows_of(STRIDES)[f"stride/copy/f32/stride:{stride}"]
            dram = sum(series.y[place] for series in bars.series if series.name.startswith("DRAM"))
            self.assert_close([dram], [row["dram_bytes_measured"] / 1e9])

    def test_knee_of_an_h200(self) -> None:
        knee = self.picture("knee", SWEEP)
        self.assertEqual([series.name for series in knee.series],
                         ["contiguous/copy/f32", "stride/copy/f32/stride:8", "last cache"])
        self.assertEqual(knee["last cache"].x, [62914560])
        rows = rows_of(SWEEP)
        of_one = [row for name, row in rows.items() if name.startswith("stride/")]
        self.assertEqual(len(of_one), 26)
        series = knee["stride/copy/f32/stride:8"]
        self.assertEqual(series.x, [row["useful_bytes"] for row in of_one])
        self.assert_close(series.y, [row["useful_bytes_per_second"] / 1e9 for row in of_one])
        self.assertEqual(series.unsure, ["near_event_floor" in row.get("label", "") for row in of_one])
        self.assertIn(True, series.unsure)
        self.assertIn(False, series.unsure)

    def test_overlay_of_two_cards(self) -> None:
        both = self.picture("overlay", *CARDS)
        names = ["NVIDIA H200 (default)", "NVIDIA H200 (second_card_default)"]
        self.assertEqual([series.name for series in both.series], [*names, f"{names[1]}, share"])
        times = [rows_of(card)["stride/copy/f32/stride:8"]["real_time"] for card in CARDS]
        self.assert_close([both[f"{names[1]}, share"].y[3]], [times[0] / times[1]])

    def test_overlay_of_what_was_published_for_a_t4(self) -> None:
        both = self.picture("overlay", STRIDES, T4)
        self.assert_close(
            both["Tesla T4, published"].y, [232.9, 87.2, 41.8, 20.1, 14.2, 9.6], relative=0.005
        )
        self.assertEqual(both["Tesla T4, published, share"].x, [1, 2, 4, 8, 16, 32])
        self.assert_close([both["Tesla T4, published, share"].y[0]], [208220.08009310122 / 2305000])

    def test_a_published_curve_has_no_models(self) -> None:
        self.assertEqual([series.name for series in self.picture("curve", T4).series], ["measured"])

    def test_a_cpu_has_its_own_last_cache_and_name(self) -> None:
        self.assertIn("Intel", self.picture("curve", CPU).caption)
        run = results.load([CPU])
        self.assertEqual(plot.last_cache(run), float(run["host.l3_bytes"].iloc[0]))

    def test_failed_rows_are_left_out_and_of_repetitions_the_middle_one_is_shown(self) -> None:
        run = self.written(
            "run.json",
            *(made_up(1, time, repetition_index=index) for index, time in enumerate((2e6, 1e6, 5e6))),
            {**made_up(2, 0.0), "error_occurred": True, "error_message": "verify: no"},
            made_up(4, 4e6),
        )
        self.assertEqual(self.picture("curve", run)["measured"].x, [1, 4])
        self.assert_close(self.picture("curve", run)["measured"].y, [500, 250])

    def test_other_rows_than_those_of_the_prefix_are_not_shown(self) -> None:
        gather = made_up(2, 1e6)
        gather["name"] = "stride/gather/f32/stride:2/manual_time"
        blocks = {**made_up(4, 1e6), "name": "stride/copy/f32/stride:4/block:128/manual_time"}
        run = self.written("run.json", made_up(1, 1e6), gather, blocks)
        self.assertEqual(self.picture("curve", run)["measured"].x, [1])
        self.assertEqual(self.picture("curve", run, rows="stride/gather/f32")["measured"].x, [2])


SVG = "{http://www.w3.org/2000/svg}"


class Drawing:
    """An SVG's axes, and what stands in them at which number."""

    def __init__(self, path: pathlib.Path) -> None:
        self.root = ElementTree.parse(path).getroot()
        self.texts = ["".join(text.itertext()) for text in self.root.iter(f"{SVG}text")]

    def axis(self, axes: str, which: str) -> list[tuple[float, float]]:
        """Places and numbers of the ticks that have one."""
        group = next(g for g in self.root.iter(f"{SVG}g") if g.get("id") == axes)
        ticks = []
        for tick in group.iter(f"{SVG}g"):
            if re.fullmatch(rf"{which}tick_\d+", tick.get("id", "")):
                mark = next(tick.iter(f"{SVG}use"))
                text = next(tick.iter(f"{SVG}text"))
                ticks.append((float(mark.get(which, "nan")), number("".join(text.itertext()))))
        return ticks

    def line(self, name: str, x_of: str = "axes_1") -> list[tuple[float, float]]:
        """The points of a line as x and y, both logarithmic; `x_of`: the axes that have numbers on x."""
        found = next(g for g in self.root.iter(f"{SVG}g") if g.get("id") == name)
        path = next(found.iter(f"{SVG}path")).get("d", "")
        points = [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", path)]
        xs = scale(self.axis(x_of, "x"), math.log, math.exp)
        ys = scale(self.axis("axes_1", "y"), math.log, math.exp)
        return [(xs(x), ys(y)) for x, y in points]

    def bar(self, name: str) -> tuple[float, float]:
        """Bottom and top of a bar."""
        found = next(g for g in self.root.iter(f"{SVG}g") if g.get("id") == name)
        path = next(found.iter(f"{SVG}path")).get("d", "")
        heights = [float(y) for _, y in re.findall(r"[ML] (\S+) (\S+)", path)]
        of = scale(self.axis("axes_1", "y"), lambda value: value, lambda value: value)
        return of(max(heights)), of(min(heights))


def number(text: str) -> float:
    digits, _, unit = text.partition(" ")
    return float(digits) * {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]


def scale(ticks: list[tuple[float, float]], to: Any, back: Any) -> Any:
    """From a place to its number, by the first and the last tick."""
    (place, value), (other_place, other) = ticks[0], ticks[-1]
    slope = (to(other) - to(value)) / (other_place - place)
    return lambda at: back(to(value) + slope * (at - place))


class Drawn(PlotTest):
    """What is drawn, read back by its own axes: the recorded pictures and new ones."""

    def drawn(self, name: str, *files: pathlib.Path) -> Drawing:
        plot.write(self.picture(name, *files), self.folder, ["svg"])
        return Drawing(self.folder / f"{name}.svg")

    def check_line(self, drawing: Drawing, series: plot.Series, x_of: str = "axes_1") -> None:
        points = drawing.line(plot.svg_id(series.name), x_of)
        self.assert_close([x for x, _ in points], series.x, relative=1e-4)
        self.assert_close([y for _, y in points], series.y, relative=1e-4)

    def test_curve(self) -> None:
        curve = self.picture("curve", STRIDES)
        for drawing in (self.drawn("curve", STRIDES), Drawing(PICTURES / "curve.svg")):
            for name in ("measured", "ceiling", "sector model", "traffic model"):
                self.check_line(drawing, curve[name])
            self.assertIn(curve.caption, drawing.texts)
            self.assertIn("stride in elements (stride/copy/f32)", drawing.texts)
            self.assertIn("useful GB/s (1e9 bytes/s)", drawing.texts)

    def test_bytes(self) -> None:
        bars = self.picture("bytes", STRIDES)
        for drawing in (self.drawn("bytes", STRIDES), Drawing(PICTURES / "bytes.svg")):
            below = [0.0] * 6
            for series in bars.series:
                on = below if series.name.startswith("DRAM") else [0.0] * 6
                for place, (stride, height) in enumerate(zip(series.x, series.y)):
                    bottom, top = drawing.bar(plot.svg_id(f"{series.name} {stride:g}"))
                    self.assertAlmostEqual(bottom, on[place], delta=1e-4)
                    self.assertAlmostEqual(top - bottom, height, delta=1e-4)
                    on[place] += height
            self.assertIn("GB of one launch (1e9 bytes)", drawing.texts)

    def test_knee(self) -> None:
        knee = self.picture("knee", SWEEP)
        for drawing in (self.drawn("knee", SWEEP), Drawing(PICTURES / "knee.svg")):
            for series in knee.series[:-1]:
                self.check_line(drawing, series)
            self.assertAlmostEqual(drawing.line("last_cache")[0][0] / 62914560, 1, places=4)

    def test_overlay(self) -> None:
        both = self.picture("overlay", STRIDES, T4)
        for drawing in (self.drawn("overlay", STRIDES, T4), Drawing(PICTURES / "overlay.svg")):
            for series in both.series[:2]:
                self.check_line(drawing, series, x_of="axes_2")
        for series in self.picture("overlay", *CARDS).series[:2]:
            self.check_line(Drawing(PICTURES / "two_cards" / "overlay.svg"), series, x_of="axes_2")


class CommandLine(PlotTest):
    def run_plot(self, *args: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, SOURCE_DIR / "bench" / "tools" / "plot.py", *map(str, args)],
            cwd=self.folder, capture_output=True, encoding="utf-8", timeout=120, check=False,
        )

    def assert_refused(self, args: list[object], *texts: str) -> None:
        done = self.run_plot(*args)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("plot.py: "), done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(list(self.folder.glob("*.svg")), [])

    def test_all_draws_what_the_files_have(self) -> None:
        done = self.run_plot(STRIDES, SWEEP, T4, "--format=svg,csv,png", "--out=pictures")
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = [f"pictures/{name}.{kind}" for name in ("curve", "bytes", "knee", "overlay")
                    for kind in ("svg", "csv", "png")]
        self.assertEqual(done.stdout.splitlines(), expected)
        for name in expected:
            self.assertGreater((self.folder / name).stat().st_size, 200)
        self.assertEqual((self.folder / "pictures" / "curve.png").read_bytes()[:4], b"\x89PNG")
        lines = (self.folder / "pictures" / "curve.csv").read_text("utf-8").splitlines()
        self.assertEqual(lines[0], "picture,series,x,y,y_high")
        self.assertRegex(lines[1], r"^curve,measured,1,2578\.38\d*,$")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["pictures"])

    def test_a_file_that_has_one_picture_gives_one(self) -> None:
        done = self.run_plot(CPU, "--format=csv")
        self.assertEqual((done.returncode, done.stdout), (0, "curve.csv\n"), done.stderr)

    def test_what_cannot_be_drawn_is_one_line(self) -> None:
        cpu_only = self.written("sweep_only.json", {**made_up(1, 1e6), "name": "random/copy/f32/manual_time"})
        self.assert_refused(["no_such.json"], "no_such.json: cannot be read")
        self.assert_refused([cpu_only], "sweep_only.json: no rows of any picture")
        self.assert_refused(["--picture=bytes", CPU], "cpu/default.json", "DRAM counters")
        self.assert_refused(["--picture=bytes", cpu_only], "sweep_only.json", "DRAM counters")
        self.assert_refused(["--picture=knee", STRIDES], "--suite=sweep")
        self.assert_refused(["--picture=overlay", STRIDES], "1 of 1")
        self.assert_refused(["--picture=curve", "--rows=chunk/copy/f32", STRIDES], "chunk/copy/f32/stride:N")
        (self.folder / "cut.json").write_bytes(STRIDES.read_bytes()[:3000])
        self.assert_refused(["cut.json"], "cut.json: line", "truncated")
        self.written("said.json", made_up(1, 1e6, label="predicted=1"), backend="prediction")
        self.assert_refused(["said.json"], "said.json", "prediction")
        (self.folder / "file").write_text("", "utf-8")
        self.assert_refused([STRIDES, "--out=file"], "file/curve.png: cannot be written")

    def test_what_is_no_picture_or_format_is_named(self) -> None:
        for bad in ("--picture=pie", "--format=gif"):
            done = self.run_plot(bad, STRIDES)
            self.assertEqual(done.returncode, 2)
            self.assertIn(bad.partition("=")[2], done.stderr)

    def test_an_old_picture_survives(self) -> None:
        old = self.folder / "bytes.svg"
        old.write_text("old", "utf-8")
        done = self.run_plot("--picture=bytes", CPU)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(old.read_text("utf-8"), "old")

    def test_the_same_file_gives_the_same_picture(self) -> None:
        for name in ("one", "two"):
            self.assertEqual(self.run_plot(STRIDES, "--format=svg", f"--out={name}").returncode, 0)
        first, second = ((self.folder / name / "curve.svg").read_bytes() for name in ("one", "two"))
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
