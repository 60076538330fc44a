#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts a set of rows, prints the hash of the predictions, measures the rows, and compares.

    bench/tools/validate_model.py build/release/benchmark --folder=validation

calibrates the GPU with probes that are no rows (or takes --gpu=FILE), writes what the model predicts
for bench/tools/validation_rows.txt at three sizes, prints the SHA-256 of that, and only then measures the
same rows with hardware counters. What it prints at the end: errors, coverage and widths for each
class of rows, and every miss. Exit status 0 unless something could not be run or compared.
"""

import hashlib
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

import command_line
from command_line import Failure, Parser
from sectorbench_results import OK, read_file
from sectorbench_results import Row as MeasuredRow

SIZES = ("16Mi", "256Mi", "1Gi")
COUNTER_DOUBT = 0.01  # share of a row's DRAM bytes that counters of two launches differ by
TIGHT = 1.05  # high / low up to which a traffic interval counts as one number
NUMBER = 1.1  # the same of a time
NUMBER_LIMITS = ("dram_bytes", "in_flight", "launch")


@dataclass
class Row:
    """A row at one size: what was predicted and what was measured, in bytes and seconds."""

    name: str
    size: str
    useful: float
    dram: tuple[float, float]
    dram_measured: float
    time: tuple[float, float] | None
    time_measured: float
    limited_by: str
    scheduling: bool

    def dram_inside(self) -> bool:
        doubt = COUNTER_DOUBT * self.dram_measured + 0.002 * self.useful
        return self.dram[0] - doubt <= self.dram_measured <= self.dram[1] + doubt

    def dram_tight(self) -> bool:
        return self.dram[0] > 0 and self.dram[1] <= TIGHT * self.dram[0]

    def dram_error(self) -> float:
        return abs(sum(self.dram) / 2 / self.dram_measured - 1)

    def time_is_number(self) -> bool:
        assert self.time
        return self.limited_by in NUMBER_LIMITS and self.time[1] <= NUMBER * self.time[0]

    def time_error(self) -> float:
        assert self.time
        return abs(sum(self.time) / 2 / self.time_measured - 1)

    def time_inside(self) -> bool:
        assert self.time
        return self.time[0] <= self.time_measured <= self.time[1]


def run(command: list[str]) -> None:
    print("$ " + " ".join(command), flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def rows_of(path: Path) -> dict[str, MeasuredRow]:
    return {row.name: row for row in read_file(path).rows if row.status == OK}


def compared(size: str, predicted: Path, measured: Path) -> tuple[list[Row], list[str]]:
    """The rows that both files have, and the names of those that one lacks."""
    forecast, runs = rows_of(predicted), rows_of(measured)
    result, lacking = [], sorted(set(forecast) ^ set(runs))
    for name in forecast.keys() & runs.keys():
        said, seen = forecast[name].counters, runs[name].counters
        if "dram_bytes_measured" not in seen or "dram_bytes_predicted_low" not in said:
            lacking.append(name)
            continue
        time = None
        if "time_predicted_low_s" in said:
            time = (said["time_predicted_low_s"], said["time_predicted_high_s"])
        label = forecast[name].label
        result.append(
            Row(
                name,
                size,
                seen["useful_bytes"],
                (said["dram_bytes_predicted_low"], said["dram_bytes_predicted_high"]),
                seen["dram_bytes_measured"],
                time,
                seen["time_median_s"],
                label.get("limited_by", ""),
                label.get("depends_on") == "scheduling",
            )
        )
    return result, lacking


def percentiles(errors: list[float]) -> str:
    if not errors:
        return "no rows"
    errors = sorted(errors)
    ninth = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    return (
        f"median {100 * statistics.median(errors):.2f} %, 90th percentile {100 * ninth:.2f} %, "
        f"worst {100 * errors[-1]:.2f} %"
    )


def spread(interval: tuple[float, float]) -> float:
    low, high = interval
    if high == low:
        return 1.0
    return high / low if low > 0 else float("inf")


def report(rows: list[Row]) -> str:
    lines = []
    tight = [row for row in rows if row.dram_tight()]
    inside = [row for row in rows if row.dram_inside()]
    scheduling = [row for row in rows if row.scheduling]
    lines += [
        f"DRAM bytes, {len(rows)} rows:",
        f"  {len(tight)} rows with a tight interval (high / low <= {TIGHT}): "
        + percentiles([row.dram_error() for row in tight]),
        f"  inside their interval (to {100 * COUNTER_DOUBT:.0f} % of counters): "
        f"{len(inside)} of {len(rows)}",
        f"  median high / low: {statistics.median(spread(row.dram) for row in rows):.3f}",
        f"  'depends on scheduling': {len(scheduling)} of {len(rows)}",
    ]
    for row in sorted(rows, key=lambda one: one.name):
        if not row.dram_inside():
            lines.append(
                f"  MISS {row.name} at {row.size}: {row.dram_measured / row.useful:.3f} times "
                f"useful bytes, predicted {row.dram[0] / row.useful:.3f} to "
                f"{row.dram[1] / row.useful:.3f}"
            )
    timed = [row for row in rows if row.time]
    if not timed:
        return "\n".join(lines + ["Time: the description has no figures of time"])
    numbers = [row for row in timed if row.time_is_number()]
    others = [row for row in timed if not row.time_is_number()]
    lines.append(f"Time, {len(timed)} rows:")
    lines.append(
        f"  {len(numbers)} rows predicted as a number (limited by DRAM bytes, flight or launch): "
        + percentiles([row.time_error() for row in numbers])
    )
    for limit in NUMBER_LIMITS:
        errors = [row.time_error() for row in numbers if row.limited_by == limit]
        lines.append(f"    {limit}: {len(errors)} rows, " + percentiles(errors))
    covered = [row for row in others if row.time_inside()]
    narrow = [row for row in others if row.time and spread(row.time) <= 1.5]
    if others:
        lines += [
            f"  {len(others)} rows predicted as an interval: inside {len(covered)}, "
            f"high / low <= 1.5 in {len(narrow)}, median high / low "
            f"{statistics.median(spread(row.time) for row in others if row.time):.2f}",
        ]
    for size in SIZES:
        part = [row for row in numbers if row.size == size]
        lines.append(
            f"  at {size}: {len(part)} numbers, " + percentiles([row.time_error() for row in part])
        )
    for row in sorted(timed, key=lambda one: one.name):
        assert row.time
        off = row.time_error() > 0.05 if row.time_is_number() else not row.time_inside()
        if off:
            lines.append(
                f"  OFF {row.name} at {row.size} ({row.limited_by}): "
                f"{row.time_measured * 1e6:.2f} us, predicted {row.time[0] * 1e6:.2f} to "
                f"{row.time[1] * 1e6:.2f}"
            )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = Parser("validate_model.py", __doc__)
    parser.add_argument("benchmark", type=Path, help="the program")
    parser.add_argument("--folder", type=Path, required=True, help="where all files go")
    parser.add_argument("--gpu", help="a description to take instead of calibrating")
    parser.add_argument("--sizes", default=",".join(SIZES), help="bytes of a buffer, by commas")
    parser.add_argument(
        "--rows", type=Path, default=Path(__file__).with_name("validation_rows.txt")
    )
    wanted = parser.parse_args(arguments)
    folder = wanted.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"--folder={folder}: cannot be made: {error.strerror}") from None
    gpu = wanted.gpu
    try:
        if not gpu:
            gpu = str(folder / "passport.json")
            run([str(wanted.benchmark), f"--calibrate={gpu}"])
        digest = hashlib.sha256()
        sizes = wanted.sizes.split(",")
        shared = [f"--suite={wanted.rows}", f"--gpu={gpu}"]
        for size in sizes:
            out = folder / f"predicted_{size}.json"
            run([str(wanted.benchmark), "--predict", *shared, f"--bytes={size}",
                 f"--benchmark_out={out}"])
            digest.update(out.read_bytes())
        print(f"SHA-256 of the predictions: {digest.hexdigest()}", flush=True)
        rows, lacking = [], []
        for size in sizes:
            out = folder / f"measured_{size}.json"
            run([str(wanted.benchmark), *shared, f"--bytes={size}", "--counters=require",
                 "--clock_check=off", f"--benchmark_out={out}"])
            found, missing = compared(size, folder / f"predicted_{size}.json", out)
            rows += found
            lacking += [f"{name} at {size}" for name in missing]
    except subprocess.CalledProcessError as failure:
        command_line.say("validate_model.py", f"{failure.cmd[0]} ended with {failure.returncode}")
        return 1
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}") from None
    if rows:
        print(report(rows))
    for name in lacking:
        print(f"not compared: {name}")
    return 0 if rows else 1


if __name__ == "__main__":
    command_line.run("validate_model.py", main)
