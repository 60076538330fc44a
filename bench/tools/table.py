#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints saved result files as the table that a run prints.

    bench/tools/table.py run.json                        # JSON of --benchmark_out, of any benchmark program
    bench/tools/table.py docs/results/h200/*.json | less

A file is one table, below its name and what was measured. Columns and numbers are the program's own
(docs/quick_start.md); aggregates are left out. Exit status: 0, or 2 if a file cannot be read.
"""

from __future__ import annotations

import math
import textwrap

from command_line import Parser, run
from sectorbench_results import FAILED, OK, ResultFile, Row, read_file

WIDTH = 120
COLUMNS = (
    ("", "time", 9), ("", "GB/s", 6), ("of", "stride 1", 8), ("of", "ceiling", 7), ("", "load", 6),
    ("sectors/request", "store", 7), ("", "spread", 7),
)


def significant(value: float) -> str:
    """Four significant digits, no exponent: 0.01234, 12.34, 12345. @pre value > 0"""
    exponent = int(f"{value:.3e}".partition("e")[2])  # of the rounded value: 9.9996 counts as 10.00
    return f"{value:.{max(0, 3 - exponent)}f}"


def time_text(time_s: float) -> str:
    for unit, seconds in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if time_s >= seconds * (1 - 5e-5):
            return f"{significant(time_s / seconds)} {unit}"
    return f"{significant(time_s * 1e9)} ns"


def times_slower(fraction: float) -> str:
    """1.63x of stride 1, or 1/7.1 of it."""
    if abs(fraction - 1) < 0.005:
        return "1"
    if fraction > 1:
        return f"{fraction:.2f}x"
    times = 1 / fraction
    return f"1/{times:.{2 if times < 1.095 else 1 if times < 99.95 else 0}f}"


def cells(row: Row) -> list[str]:
    """One for each of COLUMNS; "-" for what the row does not have."""

    def cell(key: str, text: str) -> str:
        value = row.counters.get(key, 0.0)
        return text.format(value) if 0 < value < math.inf else "-"

    def given(key: str) -> float:
        value = row.counters.get(key, 0.0)
        return value if 0 < value < math.inf else 0.0

    ratio = "{:.2f}"
    rate = given("useful_bytes_per_second") or given("bytes_per_second")  # the latter of other programs
    slower = given("fraction_of_stride1")
    ceiling, spread = 100 * given("fraction_of_ceiling"), 100 * row.counters.get("time_cv", math.nan)
    digits = 2 if spread < 9.995 else 1 if spread < 99.95 else 0
    return [
        time_text(row.time_s) if row.time_s > 0 else "-",
        significant(rate / 1e9) if rate else "-",
        times_slower(slower) if slower else "-",
        f"{ceiling:.{1 if ceiling < 9.95 else 0}f} %" if ceiling else "-",
        cell("load_sectors_per_request_predicted", ratio),
        cell("store_sectors_per_request_predicted", ratio),
        f"{spread:.{digits}f} %" if math.isfinite(spread) else "-",
    ]


def table(file: ResultFile) -> list[str]:
    """The lines of the table."""
    repeated = {row.name for row in file.rows if row.repetition}
    names = [row.name + (f" #{row.repetition + 1}" if row.name in repeated else "") for row in file.rows]
    width = max(10, *map(len, names))
    groups, titles = " " * width, "row".ljust(width)
    for group, title, size in COLUMNS:
        titles += "  " + title.rjust(size)
        groups = groups.ljust(len(titles))[: len(titles) - len(group)] + group
    lines = [groups.rstrip(), titles, "-" * len(titles)]
    for name, row in zip(names, file.rows):
        if row.status == OK:
            texts = (text.rjust(size) for text, (_, _, size) in zip(cells(row), COLUMNS))
            lines += with_label("  ".join([name.ljust(width), *texts]), row.label)
            continue
        lead = name.ljust(width) + "  "
        if len(lead) + 50 > WIDTH:
            lines.append(name)
            lead = "    "
        message = ("ERROR: " if row.status == FAILED else f"{row.status}: ") + row.message
        lines += textwrap.wrap(message, WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead))
    return lines


def with_label(line: str, label: dict[str, str]) -> list[str]:
    """The line, and behind or below it what the label says: mover cache_resident=l2."""
    items = [key if value == "1" else f"{key}={value}" for key, value in label.items() if key != "limited_by"]
    text = " ".join(items).removeprefix("=")
    if not text or len(line) + 2 + len(text) <= WIDTH:
        return [f"{line}  {text}".rstrip()]
    return [line, *textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")]


def machine(file: ResultFile) -> str:
    """What was measured, and when, as far as the file says it."""
    keys = ("gpu.name",) if file.context.get("backend") not in (None, "host") else ("host.cpu_model", "host_name")
    name = next((file.context[key] for key in keys if key in file.context), "")
    parts = ["predicted" if file.predicted else "", name, file.context.get("date", "")]
    return ", ".join(part for part in parts if part)


def main(arguments: list[str]) -> int:
    parser = Parser("table.py", __doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON of --benchmark_out")
    for place, path in enumerate(parser.parse_args(arguments).files):
        file = read_file(path)
        print(*([""] if place else []), f"{file.path}: {machine(file)}", "", *table(file), sep="\n")
    return 0


if __name__ == "__main__":
    run("table.py", main)
