#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spread of each row's time over several processes.

    for i in $(seq 20); do build/release/benchmark --benchmark_out=run_$i.json; done
    bench/tools/spread.py run_*.json

Prints, for each row that all files have, the median time of a launch, the coefficient of variation
(sample standard deviation / mean) of that time over the files, and the median of the spread that
each process saw within itself. Aggregates, failed and skipped rows are left out and counted.
Exit status: 0, or 2 if a file cannot be read or there is nothing to compare.
"""

from __future__ import annotations

import math
import statistics

from command_line import Failure, Parser, run
from sectorbench_results import ResultFile, read_file, refuse_mixture, refuse_repeated


def times_of(file: ResultFile) -> tuple[dict[str, tuple[float, float]], int]:
    """Row name -> (seconds of a launch, spread within the process); and rows left out."""
    timed = [row for row in file.rows if not math.isnan(row.time_s)]
    rows = {row.name: (row.time_s, row.counters.get("time_cv", 0.0)) for row in timed}
    return rows, len(file.rows) - len(timed)


def variation(values: list[float]) -> float:
    """Sample standard deviation over the mean."""
    return statistics.stdev(values) / statistics.fmean(values)


def main(arguments: list[str]) -> int:
    parser = Parser("spread.py", __doc__)
    parser.add_argument("files", nargs="+", help="JSON of --benchmark_out, one a process")
    files = parser.parse_args(arguments).files
    if len(files) < 2:
        raise Failure("a spread needs at least two files")
    runs = []
    left_out = 0
    results = [read_file(path) for path in files]
    refuse_repeated(results)
    refuse_mixture(results)
    if results[0].predicted:
        raise Failure(f"{files[0]}: predictions have no spread; give the files of measured runs")
    for result in results:
        rows, without = times_of(result)
        runs.append(rows)
        left_out += without
    common = [name for name in runs[0] if all(name in rows for rows in runs)]
    if not common:
        raise Failure("the files have no row in common that was measured")

    width = max(map(len, common))
    print(f"{len(files)} processes, {len(common)} rows in common, {left_out} left out")
    print(f"{'row':{width}}  {'median':>12}  {'cv over processes':>17}  {'cv within':>9}")
    spreads = []
    for name in common:
        times = [rows[name][0] for rows in runs]
        within = statistics.median(rows[name][1] for rows in runs)
        spreads.append(variation(times))
        print(
            f"{name:{width}}  {statistics.median(times) * 1e6:9.2f} us  "
            f"{spreads[-1] * 100:15.3f} %  {within * 100:7.3f} %"
        )
    print(f"largest {max(spreads) * 100:.3f} %, median row {statistics.median(spreads) * 100:.3f} %")
    return 0


if __name__ == "__main__":
    run("spread.py", main)
