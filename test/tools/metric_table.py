#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which metric bears disturbance best: a table for docs/comparing.md, from runs of one build.

    bench/tools/collect.sh 36 --folder=quiet -- --device=host FLAGS        # and the same beside busy loops
    /usr/bin/python3 test/tools/metric_table.py quiet two_loops four_loops

A folder is one condition; its files are processes of one build, at least twice as many as --processes. From
them pairs of base and new are drawn at random (18 files make many pairs of 9 and 9, which overlap), and the
gate judges each pair with each metric:

    false alarms   pairs of 100 in which some row is an improvement or a regression, though nothing changed
    undecided      rows of all pairs that are insufficient
    noise          median over rows of the standard deviation over processes
    finds          the least slowdown, of those tried, that is a regression in nine of ten rows of all pairs
                   when all of new's values are made larger by it

Exit status: 0, or 2 if files cannot be read or are too few.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench" / "tools"))
from command_line import Failure, Parser, run
from regress_compare import IMPROVEMENT, INSUFFICIENT, REGRESSION, RowReport, judge_metric
from regress_policy import Policy
from regress_report import values_by_row
from sectorbench_results import ResultFile, read_file, refuse_mixture, refuse_repeated

METRICS = {
    "time_s": "mean",
    "time_median_s": "median",
    "time_min_s": "minimum",
    "time_trimmed_min_s": "trimmed minimum",
}
SLOWDOWNS = (0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0)
FOUND = 0.9

Rows = dict[str, list[float]]  # name -> the metric of each process


def files_of(folder: str, least: int) -> list[ResultFile]:
    files = [read_file(path) for path in sorted(Path(folder).glob("*.json"))]
    if len(files) < least:
        raise Failure(f"{folder}: {len(files)} result files, and pairs take {least}; collect more")
    refuse_mixture(files)
    refuse_repeated(files)
    return files


def judged(rows: Rows, base: Sequence[int], new: Sequence[int], slower: float, policy: Policy) -> list[RowReport]:
    """The gate's verdicts where new is slower by a share."""
    reports = [
        RowReport(name, base=[values[one] for one in base], new=[values[one] * (1 + slower) for one in new])
        for name, values in rows.items()
    ]
    judge_metric(reports, policy, lower_is_better=True)
    return reports


def share(reports: Sequence[RowReport], *verdicts: str) -> float:
    return statistics.fmean(row.verdict in verdicts for row in reports)


def line(rows: Rows, pairs: Sequence[tuple[Sequence[int], Sequence[int]]], policy: Policy) -> list[str]:
    """The four figures of a metric."""
    unchanged = [judged(rows, base, new, 0, policy) for base, new in pairs]
    alarms = sum(any(row.verdict in (IMPROVEMENT, REGRESSION) for row in one) for one in unchanged)
    undecided = statistics.fmean(share(one, INSUFFICIENT) for one in unchanged)
    noise = statistics.median(row.noise for one in unchanged for row in one)
    found = "none"
    for slower in SLOWDOWNS:
        if statistics.fmean(share(judged(rows, *pair, slower, policy), REGRESSION) for pair in pairs) >= FOUND:
            found = f"{100 * slower:g} %"
            break
    return [f"{alarms} of {len(pairs)}", f"{100 * undecided:.0f} %", f"{100 * noise:.1f} %", found]


def main(arguments: list[str]) -> int:
    parser = Parser("metric_table.py", __doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="one condition each")
    parser.add_argument("--processes", type=int, default=9, metavar="N", help="a side (9)")
    parser.add_argument("--pairs", type=int, default=100, metavar="N", help="comparisons (100)")
    parser.add_argument("--floor-percent", type=float, default=1.5, metavar="P", help="of all rows (1.5)")
    options = parser.parse_args(arguments)
    if options.processes < 1 or options.pairs < 1:
        parser.error("--processes and --pairs are 1 at least")
    policy = Policy().with_values("flags", {"floor_percent": options.floor_percent})
    draw = random.Random(1)
    print("| condition | metric | rows | false alarms | undecided | noise | finds |")
    print("|---|---|---|---|---|---|---|")
    for folder in options.folders:
        files = files_of(folder, 2 * options.processes)
        drawn = [draw.sample(range(len(files)), 2 * options.processes) for _ in range(options.pairs)]
        pairs = [(one[: options.processes], one[options.processes :]) for one in drawn]
        for metric, title in METRICS.items():
            rows = {name: got for name, got in values_by_row(files, metric).items() if len(got) == len(files)}
            figures = line(rows, pairs, policy) if rows else ["-"] * 4
            cells = [Path(folder).name, f"{title} (`{metric}`)", str(len(rows)), *figures]
            print("| " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    run("metric_table.py", main)
