#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Event times beside ncu's kernel durations: ncu_times.py NCU.csv EVENTS.json

Kernels are told apart by template arguments and grid, which name the row.
"""

from __future__ import annotations

import csv
import json
import re
import statistics
import sys
from pathlib import Path

SECONDS_PER_UNIT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "nsecond": 1e-9, "usecond": 1e-6}
ELEMENTS = 64 << 20  # f32 elements of the default buffer
# Row -> (pattern in the kernel's template arguments, grid)
ROWS = {
    "contiguous/copy/f32": ("contiguous", (ELEMENTS // 256, 1, 1)),
    "stride/copy/f32/stride:8": ("stride", (ELEMENTS // 8 // 256, 8, 1)),
    "stride/copy/f32/stride:32": ("stride", (ELEMENTS // 32 // 256, 32, 1)),
    "chunk/copy/f32/chunk:32": ("chunk", (ELEMENTS // 32 // 256, 1, 1)),
    "unrolled/copy/f32/unroll:4": ("unrolled", (ELEMENTS // 4 // 256, 1, 1)),
}


def main() -> None:
    lines = [l for l in Path(sys.argv[1]).read_text().splitlines() if l.startswith('"')]
    durations: dict[tuple[str, tuple[int, ...]], list[float]] = {}
    for row in csv.DictReader(lines):
        if row["Metric Name"] != "gpu__time_duration.sum":
            continue
        pattern = re.search(r"access_kernel<(?:sectorbench::)?(\w+)", row["Kernel Name"])
        if pattern is None or "int>" not in row["Kernel Name"]:
            continue
        grid = tuple(int(number) for number in re.findall(r"\d+", row["Grid Size"]))
        seconds = float(row["Metric Value"].replace(",", "")) * SECONDS_PER_UNIT[row["Metric Unit"]]
        durations.setdefault((pattern[1], grid), []).append(seconds * 1e6)
    events = {
        row["name"].removesuffix("/manual_time"): row["time_median_s"] * 1e6
        for row in json.loads(Path(sys.argv[2]).read_text())["benchmarks"]
    }
    print(f"{'row':28}  {'events':>11}  {'ncu median':>11}  kernels  events / ncu")
    for name, key in ROWS.items():
        if key not in durations:
            print(f"{name:28}  {events[name]:8.2f} us  no such kernel seen")
            continue
        ncu = statistics.median(durations[key])
        print(
            f"{name:28}  {events[name]:8.2f} us  {ncu:8.2f} us  {len(durations[key]):7}  "
            f"{events[name] / ncu:.4f}"
        )


if __name__ == "__main__":
    main()
