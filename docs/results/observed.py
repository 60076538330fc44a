#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what runs saw besides times: observed.py TABLE FILE...

    equal FILE...       rows whose counters equal the model's, and those that do not
    traffic FILE...     useful, sector and DRAM bytes, in units of one buffer
    clock FILE          event times, traced times, and the second clock
    caches WARM COLD    times and L2 hits of the same rows
    spread A B          spread over the processes whose files lie in folders A and B, side by side

Exit status: 0; 1 if counters differ from the model; 2 if the arguments are wrong.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SECONDS_PER_UNIT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
Row = dict[str, Any]


def rows_of(path: str | Path) -> dict[str, Row]:
    """Measured rows by name; `us` is the time of a launch."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    rows = {}
    for row in document["benchmarks"]:
        if row.get("error_occurred") or row.get("skipped") or row["run_type"] == "aggregate":
            continue
        row["us"] = row["real_time"] * SECONDS_PER_UNIT[row["time_unit"]] * 1e6
        rows[row["name"].removesuffix("/manual_time")] = row
    return rows


def equal(paths: Iterable[str]) -> int:
    equal_rows, different = 0, []
    movers = 0
    for path in paths:
        for name, row in rows_of(path).items():
            if "mover=1" in row.get("label", ""):
                movers += 1
            elif row.get("counters_equal_model") == 1:
                equal_rows += 1
            else:
                different.append(f"{name}: {row.get('label', 'no counters')}")
    print(f"rows {equal_rows + len(different)}, equal {equal_rows}, unequal {len(different)}, "
          f"movers left out {movers}")
    for text in different:
        print("  " + text)
    return 1 if different else 0


def traffic(paths: Iterable[str]) -> int:
    columns = ("us", "useful", "sector", "pred.", "DRAM rd", "DRAM wr", "fill", "promoted",
               "DRAM/useful", "TB/s", "L2 hits")
    for path in paths:
        rows = rows_of(path)
        width = max(map(len, rows))
        print(f"{'row':{width}}" + "".join(f"{title:>12}" for title in columns))
        for name, row in rows.items():
            if "dram_bytes_measured" not in row:
                continue
            unit = row["elements"] * row["access_bytes"]  # the useful bytes of one buffer
            values = (row["us"], row["useful_bytes"] / unit, row["sector_bytes_measured"] / unit,
                      row["sector_bytes_predicted"] / unit,
                      row["dram_read_bytes_measured"] / unit,
                      row["dram_write_bytes_measured"] / unit,
                      32 * row["l2_fill_sectors_measured"] / unit,
                      32 * row["l2_promoted_sectors_measured"] / unit,
                      row["dram_amplification_measured"],
                      row["dram_bytes_per_second_measured"] * 1e-12,
                      row["l2_read_hit_rate_measured"])
            print(f"{name:{width}}" + "".join(f"{value:12.3f}" for value in values))
    return 0


def clock(path: str) -> int:
    rows = {name: row for name, row in rows_of(path).items() if "kernel_time_s" in row}
    width = max(map(len, rows))
    print(f"{'row':{width}}{'event us':>11}{'traced us':>11}{'kernel us':>11}{'gap us':>9}"
          f"{'(sum+gaps)/event':>18}{'SM MHz':>9}")
    for name, row in rows.items():
        print(f"{name:{width}}{row['us']:11.3f}{row['traced_time_s'] * 1e6:11.3f}"
              f"{row['kernel_time_s'] * 1e6:11.3f}{row['gap_us']:9.3f}"
              f"{(1 - row['clock_disagreement']) * 100:16.3f} %{row['sm_clock_hz'] / 1e6:9.0f}")
    print(f"largest disagreement {max(row['clock_disagreement'] for row in rows.values()):.4%}")
    return 0


def caches(warm_path: str, cold_path: str) -> int:
    warm, cold = rows_of(warm_path), rows_of(cold_path)
    width = max(map(len, warm))
    print(f"{'row':{width}}{'warm us':>11}{'cold us':>11}{'warm L2 hits':>14}{'cold L2 hits':>14}")
    for name in warm:
        a, b = warm[name], cold[name]
        print(f"{name:{width}}{a['us']:11.3f}{b['us']:11.3f}"
              f"{a.get('l2_read_hit_rate_measured', float('nan')):14.4f}"
              f"{b.get('l2_read_hit_rate_measured', float('nan')):14.4f}")
    return 0


def spread(folder_a: str, folder_b: str) -> int:
    sides = [[rows_of(path) for path in sorted(Path(folder).glob("*.json"))]
             for folder in (folder_a, folder_b)]
    names = [name for name in sides[0][0] if all(name in rows for side in sides for rows in side)]
    width = max(map(len, names))
    print(f"{len(sides[0])} and {len(sides[1])} processes\n{'row':{width}}{'A us':>11}{'cv':>9}"
          f"{'B us':>11}{'cv':>9}{'B/A - 1':>10}")
    differences, variations = [], ([], [])
    for name in names:
        cells = ""
        medians = []
        for side, kept in zip(sides, variations):
            values = [rows[name]["us"] for rows in side]
            medians.append(statistics.median(values))
            kept.append(statistics.stdev(values) / statistics.fmean(values))
            cells += f"{medians[-1]:11.3f}{kept[-1] * 100:7.3f} %"
        differences.append(medians[1] / medians[0] - 1)
        print(f"{name:{width}}{cells}{differences[-1] * 100:+8.3f} %")
    for label, kept in zip("AB", variations):
        print(f"{label}: largest cv {max(kept):.3%}, median row {statistics.median(kept):.3%}")
    print(f"largest difference {max(map(abs, differences)):.3%}, median row "
          f"{statistics.median(map(abs, differences)):.3%}")
    return 0


def main(arguments: list[str]) -> int:
    try:
        table, *paths = arguments
        if table in ("equal", "traffic"):
            return (equal if table == "equal" else traffic)(paths)
        functions = {"clock": (clock, 1), "caches": (caches, 2), "spread": (spread, 2)}
        function, count = functions[table]
        if len(paths) != count:
            raise ValueError
    except (ValueError, KeyError):
        print(__doc__, file=sys.stderr)
        return 2
    return function(*paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
