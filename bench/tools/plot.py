#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of result files.

    bench/tools/plot.py run.json                                  # all that the file has rows for
    bench/tools/plot.py --picture=curve docs/results/h200/strides.json
    bench/tools/plot.py --picture=overlay before.json after.json  # runs over each other
    bench/tools/plot.py --picture=overlay run.json docs/results/t4/published.json

    curve    useful rate over stride: what was measured, the ceiling, and what three models make of it
    bytes    useful, sector and DRAM bytes of each stride, side by side; DRAM bytes in their parts
    knee     useful rate over the working set, with the size of the last cache (--suite=sweep)
    overlay  the stride curves of all files, and each as a share of the first file's

A file is the JSON of --benchmark_out. GB = 1e9 bytes, MiB = 2^20. Pictures are named after what they show:
curve.png, curve.svg. `--format=csv` writes the plotted numbers (picture, series, x, y, y_high), which are
those of the files: nothing is smoothed, and rows that failed or were skipped are left out.

Exit status: 0, or 2 if a file cannot be read or has no rows for a picture that was asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Table = Any  # pandas.DataFrame as sectorbench_results.load returns it: the rows of one file, or some of them

sys.path.append(str(Path(__file__).resolve().parent))
import sectorbench_results as results
from command_line import WRONG, Failure, Parser, run, say

# Okabe and Ito, Color Universal Design (2008): told apart with every common colour blindness. Line styles
# and markers differ as well.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#767676"
OF_RUNS = [
    (BLUE, "o", "-"), (VERMILLION, "s", "--"), (GREEN, "^", "-."), (PURPLE, "D", ":"), (BLACK, "v", "-"),
]

SECTOR_BYTES = 32
GB = 1e9


class PlotError(Failure):
    """Why there is no picture, in one line."""


@dataclass(frozen=True)
class Series:
    """What one line or one kind of bar shows; in an SVG its group has svg_id of the name."""

    name: str
    x: list[float]
    y: list[float]
    y_high: list[float] = field(default_factory=list)  # of an interval whose lower ends are y
    unsure: list[bool] = field(default_factory=list)  # near_event_floor: launches too short to be told well


@dataclass(frozen=True)
class Picture:
    name: str
    subject: str  # rows shown
    series: list[Series]
    caption: str

    def __getitem__(self, name: str) -> Series:
        return next(series for series in self.series if series.name == name)

    def __contains__(self, name: str) -> bool:
        return any(series.name == name for series in self.series)


# What is plotted.


def stride_rows(run: Table, prefix: str) -> Table:
    """The measured rows PREFIX/stride:N and no further part, by rising stride."""
    if not {"param.stride", "useful_bytes"} <= set(run.columns):
        return run.iloc[:0]
    wanted = run["row"].str.fullmatch(re.escape(prefix) + r"/stride:\d+") & run["time_s"].notna()
    return middle_repetition(run[wanted], "param.stride")


def middle_repetition(rows: Table, by: str) -> Table:
    """One row for each value of `by`, in rising order: of several repetitions that of the median time."""
    ordered = rows.sort_values([by, "time_s"])
    position = ordered.groupby(by).cumcount()
    count = ordered.groupby(by)[by].transform("size")
    return ordered[position == (count - 1) // 2]


def rates(rows: Table) -> Any:
    """Useful GB/s, from the same mean time that the row's real_time is."""
    return rows["useful_bytes"] / rows["time_s"] / GB


def given(rows: Table, *keys: str) -> bool:
    """Whether there are rows, and all have these counters."""
    return len(rows) > 0 and all(key in rows and rows[key].notna().all() for key in keys)


def curve(runs: Sequence[Table], prefix: str) -> Picture:
    """The stride curve of the first file that has one.

    ceiling        the best useful rate of the same operation and bytes that the run measured
    sector model   ceiling x useful / sector bytes: as if only the sectors of requests counted
    traffic model  ceiling x useful / predicted DRAM bytes: as if only DRAM traffic counted
    time model     useful bytes / predicted time: traffic, locality and bytes in flight
    """
    run, rows = first_with(runs, lambda run: stride_rows(run, prefix), f"rows {prefix}/stride:N")
    strides, useful = list(rows["param.stride"]), rows["useful_bytes"]
    series = [Series("measured", strides, list(rates(rows)))]
    if given(rows, "fraction_of_ceiling") and (rows["fraction_of_ceiling"] > 0).all():
        ceiling = (rates(rows) / rows["fraction_of_ceiling"]).median()
        series.append(Series("ceiling", strides, [ceiling] * len(rows)))
        if given(rows, "sector_bytes_predicted"):
            sector_bytes = rows["sector_bytes_predicted"]
            series.append(Series("sector model", strides, list(ceiling * useful / sector_bytes)))
        if given(rows, "dram_bytes_predicted_low", "dram_bytes_predicted_high"):
            low, high = rows["dram_bytes_predicted_low"], rows["dram_bytes_predicted_high"]
            series.append(
                Series("traffic model", strides, list(ceiling * useful / high), list(ceiling * useful / low))
            )
    if given(rows, "time_predicted_low_s", "time_predicted_high_s"):
        low, high = (useful / rows[f"time_predicted_{end}_s"] / GB for end in ("high", "low"))
        series.append(Series("time model", strides, list(low), list(high)))
    return Picture("curve", prefix, series, caption([run], rows))


def byte_counts(runs: Sequence[Table], prefix: str) -> Picture:
    """Useful, sector and DRAM bytes of one launch, in GB, as counted by the hardware, of strides 1, 2, 4, ...

    The three counts are the same data at three boundaries and must not be added up: they stand side by side.
    Only DRAM's parts are parts of one sum: what loads read, fills of partly written sectors, what misses
    fetch beside since DRAM is read in granules, and what was written.
    """
    needed = ["dram_read_bytes_measured", "dram_write_bytes_measured"]
    optional = {
        "DRAM read: fills": "l2_fill_sectors_measured",
        "DRAM read: granules": "l2_promoted_sectors_measured",
    }

    def counted(run: Table) -> Table:
        rows = stride_rows(run, prefix)
        if not given(rows, "sector_bytes_measured", *needed):
            return rows.iloc[:0]
        return rows[rows["param.stride"].map(lambda stride: math.log2(stride).is_integer())]

    run, rows = first_with(
        runs, counted, f"rows {prefix}/stride:N with DRAM counters (a GPU with --counters=require has them)"
    )
    strides = list(rows["param.stride"])
    bytes_of = {"useful": rows["useful_bytes"], "sectors": rows["sector_bytes_measured"]}
    rest = rows["dram_read_bytes_measured"]
    parts = {name: SECTOR_BYTES * rows[key] for name, key in optional.items() if given(rows, key)}
    for part in parts.values():
        rest = rest - part
    bytes_of |= {"DRAM read": rest, **parts, "DRAM written": rows["dram_write_bytes_measured"]}
    series = [Series(name, strides, list(values / GB)) for name, values in bytes_of.items()]
    return Picture("bytes", prefix, series, caption([run], rows))


LAST_CACHE = "last cache"  # the series whose x is its size


def knee(runs: Sequence[Table], prefix: str) -> Picture:
    """Useful rate over the useful bytes of a launch, of every row that a file has at three sizes or more."""

    def sized(run: Table) -> Table:
        if not {"param.elements", "useful_bytes"} <= set(run.columns):
            return run.iloc[:0]
        rows = run[run["time_s"].notna() & run["param.elements"].notna()]
        rows = rows.assign(curve=rows["row"].str.replace(r"/elements:\d+", "", regex=True))
        return rows[rows.groupby("curve")["row"].transform("nunique") >= 3]

    run, rows = first_with(runs, sized, "rows /elements:N at three sizes or more (--suite=sweep)")
    series = []
    for name, of_one in rows.groupby("curve", sort=False):
        of_one = middle_repetition(of_one, "useful_bytes")
        unsure = list(of_one["label.near_event_floor"].notna()) if "label.near_event_floor" in of_one else []
        series.append(Series(str(name), list(of_one["useful_bytes"]), list(rates(of_one)), unsure=unsure))
    size = last_cache(run)
    if size:
        series.append(Series(LAST_CACHE, [size], [max(max(of_one.y) for of_one in series)]))
    return Picture("knee", "", series, caption([run], rows))


def overlay(runs: Sequence[Table], prefix: str) -> Picture:
    """The stride curves of all files, and the rates of all but the first as shares of the first's."""
    curves = [(run, rows) for run, rows in ((run, stride_rows(run, prefix)) for run in runs) if len(rows)]
    if len(curves) < 2:
        raise PlotError(
            f"no picture overlay: it takes two files with rows {prefix}/stride:N, and {len(curves)} of "
            f"{len(runs)} has them"
        )
    names = names_of([run for run, _ in curves])
    series = [
        Series(name, list(rows["param.stride"]), list(rates(rows))) for name, (_, rows) in zip(names, curves)
    ]
    first = dict(zip(series[0].x, series[0].y))
    for of_run in series[1:]:
        shares = {x: y / first[x] for x, y in zip(of_run.x, of_run.y) if x in first}
        series.append(Series(of_run.name + SHARE, list(shares), list(shares.values())))
    return Picture("overlay", prefix, series, caption([run for run, _ in curves], curves[0][1]))


SHARE = ", share"


PICTURES: dict[str, Callable[[Sequence[Table], str], Picture]] = {
    "curve": curve, "bytes": byte_counts, "knee": knee, "overlay": overlay,
}


def first_with(runs: Sequence[Table], rows_of: Callable[[Table], Table], what: str) -> tuple[Table, Table]:
    for run in runs:
        rows = rows_of(run)
        if len(rows):
            return run, rows
    raise PlotError(f"no picture: {' and '.join(run['file'].iloc[0] for run in runs)} have no {what}")


def context(run: Table, key: str) -> str:
    """What a run's context says, or nothing."""
    for column in (key, f"context.{key}"):
        if column in run and run[column].iloc[0] == run[column].iloc[0]:
            return str(run[column].iloc[0])
    return ""


def last_cache(run: Table) -> float | None:
    """Bytes of the last cache before the memory."""
    size = context(run, "host.l3_bytes" if context(run, "backend") == "host" else "gpu.l2_bytes")
    return float(size) if size else None


def machine(run: Table) -> str:
    on_gpu = context(run, "gpu.name") if context(run, "backend") != "host" else ""
    return on_gpu or context(run, "host.cpu_model") or "unknown machine"


def names_of(runs: Sequence[Table]) -> list[str]:
    """The machines, and where two are of one name the files as well."""
    machines = [machine(run) for run in runs]
    return [
        name + (", published" if context(run, "backend") == "published" else "")
        + (f" ({Path(run['file'].iloc[0]).stem})" if machines.count(name) > 1 else "")
        for run, name in zip(runs, machines)
    ]


def caption(runs: Sequence[Table], rows: Table) -> str:
    """Machine, date, and what else the numbers depend on."""
    lines = []
    for run, name in zip(runs, names_of(runs)):
        parts = [name]
        date, ecc = context(run, "date"), context(run, "gpu.ecc")
        parts += [date[:10]] if date else []
        parts += [f"ECC {ecc}"] if ecc else []
        driver = context(run, "cuda.driver_release")
        cuda = context(run, "cuda.runtime") or context(run, "cuda.toolkit")
        parts += [f"driver {driver}"] if driver else []
        parts += [f"CUDA {cuda}"] if cuda else []
        buffers = rows["useful_bytes"] / rows["operation"].map({"read": 1, "write": 1, "add": 3}).fillna(2)
        if buffers.nunique() == 1:
            parts.append(f"{buffers.iloc[0] / 2**20:g} MiB a buffer")
        if context(run, "sectorbench.revision"):
            parts.append(f"revision {context(run, 'sectorbench.revision')}")
        lines.append(", ".join(parts))
    return "\n".join(lines)


# How it is drawn.


def draw(picture: Picture) -> Any:
    """A matplotlib figure of it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({
        "font.size": 11, "svg.fonttype": "none", "svg.hashsalt": "sectorbench",
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "grid.color": "#E4E4E4", "legend.edgecolor": "none", "legend.framealpha": 1,
        "axes.titlelocation": "left",
    })
    figure = plt.figure(figsize=(8, 5.4 if picture.name == "overlay" else 4.8), layout="constrained")
    {"curve": draw_curve, "bytes": draw_bytes, "knee": draw_knee, "overlay": draw_overlay}[picture.name](
        figure, picture
    )
    lines = [part for line in picture.caption.splitlines() for part in textwrap.wrap(line, 130)]
    figure.supxlabel("\n".join(lines), fontsize=8, color="#505050", x=0.01, ha="left")
    return figure


def svg_id(name: str) -> str:
    """The id that an SVG has for a series, or for a bar, which is "SERIES STRIDE"."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("_")


def plain_log_axis(axis: Any) -> None:
    """A logarithmic axis marked 1, 2, 5, 10, ..."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:g}")


def rate_axis(axes: Any) -> None:
    axes.set_yscale("log")
    plain_log_axis(axes.yaxis)
    axes.set_ylabel("useful GB/s (1e9 bytes/s)")


def stride_axis(axes: Any, strides: Sequence[float]) -> None:
    """Marked at powers of two and at the last stride."""
    axes.set_xscale("log", base=2)
    marks = [2.0**power for power in range(int(math.log2(max(strides))) + 1)]
    axes.set_xticks(sorted({*marks, max(strides)}))
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


def number(axes: Any, x: float, y: float, text: str, colour: str, offset: tuple[float, float]) -> None:
    """A figure beside a point, `offset` points away from it."""
    axes.annotate(text, (x, y), xytext=offset, textcoords="offset points", color=colour, fontsize=9.5,
                  ha={-1: "right", 0: "center", 1: "left"}[(offset[0] > 0) - (offset[0] < 0)],
                  va="bottom" if offset[1] >= 0 else "top")


def three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def power_of_two(value: float) -> bool:
    return math.log2(value).is_integer()


def draw_curve(figure: Any, picture: Picture) -> None:
    axes = figure.add_subplot()
    measured = picture["measured"]
    axes.plot(measured.x, measured.y, "o-", color=BLUE, lw=2, ms=6, zorder=3, label="measured",
              gid=svg_id(measured.name))
    for x, y in zip(measured.x, measured.y):
        if power_of_two(x):
            number(axes, x, y, three_digits(y), BLUE, (-3, -5))
    operation = picture.subject.split("/")[1]
    for name, colour, style, title in (
        ("ceiling", GREY, "--", f"ceiling: the best {operation} of as many bytes"),
        ("sector model", ORANGE, "-.", "ceiling, if only sectors counted"),
        ("traffic model", GREEN, ":", "ceiling, if only DRAM bytes counted"),
    ):
        if name in picture:
            series = picture[name]
            axes.plot(series.x, series.y, style, color=colour, lw=2, label=title, gid=svg_id(name))
            if series.y_high and series.y_high != series.y:
                axes.fill_between(series.x, series.y, series.y_high, color=colour, alpha=0.3, lw=0)
    if "ceiling" in picture:
        ceiling = picture["ceiling"].y[-1]
        number(axes, measured.x[-1], ceiling, three_digits(ceiling), GREY, (-1, 3))
    if "time model" in picture:
        band = picture["time model"]
        axes.fill_between(band.x, band.y, band.y_high, color=SKY, alpha=0.45, lw=2.5,
                          label="model of time (traffic, locality, bytes in flight)", gid=svg_id(band.name))
    rate_axis(axes)
    stride_axis(axes, measured.x)
    axes.margins(x=0.09)
    axes.set_xlabel(f"stride in elements ({picture.subject})")
    axes.set_title("What a stride costs")
    axes.legend(loc="lower left", fontsize=10)


def draw_bytes(figure: Any, picture: Picture) -> None:
    axes = figure.add_subplot()
    strides, width = picture["useful"].x, 0.26
    styles = {
        "useful": (BLUE, "", "useful: what the program asks for"),
        "sectors": (ORANGE, "", "sectors: what its requests touch, 32 bytes each"),
        "DRAM read": (GREEN, "", "DRAM: read for loads"),
        "DRAM read: fills": (SKY, "//", "DRAM: read to fill partly written sectors"),
        "DRAM read: granules": (PURPLE, "xx", "DRAM: read beside, as misses fetch granules"),
        "DRAM written": (VERMILLION, "..", "DRAM: written"),
    }
    below = [0.0] * len(strides)
    for series in picture.series:
        colour, hatch, title = styles[series.name]
        dram = series.name.startswith("DRAM")
        shift = {"useful": -width, "sectors": 0}.get(series.name, width)
        bars = axes.bar([place + shift for place in range(len(strides))], series.y, width,
                        bottom=below if dram else 0, color=colour, hatch=hatch, edgecolor="white", lw=0.6,
                        label=title)
        for stride, bar in zip(strides, bars):
            bar.set_gid(svg_id(f"{series.name} {stride:g}"))
        if dram:
            below = [low + part for low, part in zip(below, series.y)]
    for shift, heights in ((-width, picture["useful"].y), (0, picture["sectors"].y), (width, below)):
        for place, height in enumerate(heights):
            axes.annotate(f"{height:.2f}", (place + shift, height), xytext=(0, 2), textcoords="offset points",
                          ha="center", fontsize=8.5)
    axes.set_xticks(range(len(strides)), [f"{stride:g}" for stride in strides])
    axes.grid(False, axis="x")
    axes.set_xlabel(f"stride in elements ({picture.subject})")
    axes.set_ylabel("GB of one launch (1e9 bytes)")
    axes.set_title("The same data at three boundaries")
    axes.legend(loc="upper left", fontsize=9.5)


def draw_knee(figure: Any, picture: Picture) -> None:
    axes = figure.add_subplot()
    curves = [series for series in picture.series if series.name != LAST_CACHE]
    for (colour, marker, _), series in zip(OF_RUNS * len(curves), curves):
        axes.plot(series.x, series.y, "-", color=colour, marker=marker, lw=2, ms=6, label=series.name,
                  gid=svg_id(series.name))
        hollow = [(x, y) for x, y, unsure in zip(series.x, series.y, series.unsure) if unsure]
        if hollow:
            axes.plot(*zip(*hollow), marker, color=colour, mfc="white", ms=6, zorder=3)
    if any(any(series.unsure) for series in curves):
        axes.plot([], [], "o", color=GREY, mfc="white", ms=6,
                  label="launch below 10 x the floor of event times")
    rate_axis(axes)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: binary_size(value))
    if LAST_CACHE in picture:
        size = picture[LAST_CACHE].x[0]
        axes.axvline(size, color=GREY, ls="--", lw=1.5, gid=svg_id(LAST_CACHE))
        axes.annotate(f"last cache\n{binary_size(size)}", (size, 1), xycoords=("data", "axes fraction"),
                      xytext=(5, -3), textcoords="offset points", color="#505050", fontsize=9.5, va="top")
    axes.margins(y=0.12)
    axes.set_xlabel("working set: useful bytes of one launch, all buffers")
    axes.set_title("Where the cache ends")
    axes.legend(loc="lower right", fontsize=10)


def draw_overlay(figure: Any, picture: Picture) -> None:
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    curves = [series for series in picture.series if not series.name.endswith(SHARE)]
    for (colour, marker, style), series in zip(OF_RUNS * len(curves), curves):
        line = {"marker": marker, "ls": style, "color": colour, "lw": 2}
        above.plot(series.x, series.y, ms=6, label=series.name, gid=svg_id(series.name), **line)
        if series.name + SHARE in picture:
            share = picture[series.name + SHARE]
            below.plot(share.x, share.y, ms=5, gid=svg_id(share.name), **line)
            for x, y in zip(share.x, share.y):
                if power_of_two(x):
                    number(below, x, y, f"{y:.3f}", colour, (0, 5))
    for series, (colour, *_) in list(zip(curves, OF_RUNS))[:2]:
        for x, y in zip(series.x, series.y):
            if power_of_two(x):
                number(above, x, y, three_digits(y), colour, (4, 3) if series is curves[0] else (-4, -4))
    rate_axis(above)
    stride_axis(below, [x for series in curves for x in series.x])
    above.margins(x=0.08, y=0.14)
    below.margins(x=0.08, y=0.3)
    below.set_ylabel("ratio to the first")
    below.set_xlabel(f"stride in elements ({picture.subject})")
    above.set_title("Stride curves over each other, and their ratio")
    above.legend(loc="lower left", fontsize=10)


def binary_size(size: float) -> str:
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor:
            return f"{size / factor:g} {unit}"
    return f"{size:g} B"


def write(picture: Picture, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Writes the files whole or not at all."""
    written = []
    figure = draw(picture) if set(formats) - {"csv"} else None
    for kind in formats:
        path = folder / f"{picture.name}.{kind}"
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if kind == "csv":
                temporary.write_text(table_of(picture), "utf-8")
            elif figure is not None:
                metadata = {"Date": None} if kind == "svg" else {}
                figure.savefig(temporary, format=kind, dpi=130, metadata=metadata)
            temporary.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise PlotError(f"{path}: cannot be written: {error.strerror}") from None
        written.append(path)
    return written


def table_of(picture: Picture) -> str:
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["picture", "series", "x", "y", "y_high"])
    for series in picture.series:
        for place, (x, y) in enumerate(zip(series.x, series.y)):
            out.writerow([picture.name, series.name, x, y, series.y_high[place] if series.y_high else ""])
    return text.getvalue()


def listed(choices: Sequence[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        unknown = [item for item in text.split(",") if item not in choices]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(choices)}")
        return text.split(",")

    return parse


def main(arguments: list[str]) -> int:
    parser = Parser("plot.py", __doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON of --benchmark_out")
    parser.add_argument("--picture", choices=[*PICTURES, "all"], default="all",
                        help="all (as without it): those that can be drawn")
    parser.add_argument("--rows", default="stride/copy/f32", metavar="PREFIX",
                        help="rows of curve, bytes and overlay: PREFIX/stride:N (stride/copy/f32)")
    parser.add_argument("--out", default=".", type=Path, metavar="FOLDER",
                        help="where to write (the current folder)")
    parser.add_argument("--format", default=["png", "svg"], type=listed(["png", "svg", "csv"]),
                        metavar="KIND,...", help="png, svg, csv (png,svg)")
    options = parser.parse_args(arguments)
    try:
        runs = [results.load([file]) for file in options.files]
        for run in runs:
            if run["predicted"].any():
                raise PlotError(f"{run['file'].iloc[0]}: backend: a prediction; pictures are of measurements")
        drawn = 0
        for name in PICTURES if options.picture == "all" else [options.picture]:
            try:
                picture = PICTURES[name](runs, options.rows)
            except PlotError:
                if options.picture != "all":
                    raise
                continue
            for path in write(picture, options.out, options.format):
                print(path)
            drawn += 1
        if not drawn:
            raise PlotError(
                f"{' '.join(options.files)}: no rows of any picture: neither {options.rows}/stride:N nor "
                "/elements:N"
            )
    except ModuleNotFoundError as error:
        needed = "python3-matplotlib, python3-pandas"
        say("plot.py", f"{error.name} is not installed (Debian: {needed})")
        return WRONG
    return 0


if __name__ == "__main__":
    run("plot.py", main)
