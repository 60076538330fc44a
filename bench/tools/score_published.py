#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores predictions for GPUs that nobody calibrated against what others published.

    bench/tools/score_published.py build/release/benchmark

Predicts each point of docs/results/published/points.csv and prints a table by GPU and class. A
rate is compared with the middle of the predicted interval of times.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POINTS = ROOT / "docs/results/published/points.csv"
PROFILES = ROOT / "bench/predict/profiles"
NEAR = 0.15
SECTOR_BYTES = 32


@dataclass(frozen=True)
class Machine:
    """What one run of the program is for: a GPU, and how its threads were launched."""

    gpu: str
    block: str
    elements: str
    threads_per_sm: str
    ecc: str


@dataclass(frozen=True)
class Scored:
    """A published rate, and the interval of rates predicted, in bytes/s."""

    point: dict[str, str]
    slowest: float
    fastest: float
    limited_by: str

    @property
    def error(self) -> float:
        """Predicted over published time, less 1; the predicted time is its interval's middle."""
        return self.published * (1 / self.slowest + 1 / self.fastest) / 2 - 1

    @property
    def published(self) -> float:
        return float(self.point["bytes_per_s"])

    @property
    def inside(self) -> bool:
        return self.slowest <= self.published <= self.fastest

    @property
    def width(self) -> float:
        return self.fastest / self.slowest


def read_points(path: Path = POINTS) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def class_of(point: dict[str, str], threads_per_sm: int) -> str:
    """The class of a point on a GPU whose SMs hold so many threads."""
    pattern, _, kind, *parameters = point["row"].split("/")
    if "data in L2" in point["note"]:
        return "in L2"
    if pattern == "chunk":
        return "chunks"
    stride = next((int(p[7:]) for p in parameters if p.startswith("stride:")), 1)
    if stride > 1:
        apart = stride * (8 if kind == "f64" else 4)
        return "dense strides" if apart <= SECTOR_BYTES else "sparse strides"
    if point["threads_per_sm"] and int(point["threads_per_sm"]) < threads_per_sm:
        return "low occupancy"
    return "streams"


def description_of(machine: Machine, folder: Path) -> Path:
    """The GPU's own description, with the occupancy and the ECC mode of the points."""
    profile = json.loads((PROFILES / f"{machine.gpu}.json").read_text(encoding="utf-8"))
    if machine.threads_per_sm:
        profile["threads_per_sm"]["value"] = int(machine.threads_per_sm)
    if machine.ecc:
        profile["ecc"]["value"] = int(machine.ecc)
    path = folder / "gpu.json"
    path.write_text(json.dumps(profile), encoding="utf-8")
    return path


def predict(program: Path, machine: Machine, points: Iterable[dict[str, str]]) -> list[Scored]:
    points = list(points)
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [program, "--predict", f"--gpu={description_of(machine, Path(folder))}",
             f"--block={machine.block}", f"--elements={machine.elements}",
             "--rows=" + ",".join(sorted({point["row"] for point in points})),
             "--benchmark_format=json"],
            stdout=subprocess.PIPE, check=True)
    rows = {row["name"]: row for row in json.loads(run.stdout)["benchmarks"]}
    result = []
    for point in points:
        row = rows[point["row"]]
        low, high = row["time_predicted_low_s"], row["time_predicted_high_s"]
        result.append(Scored(point, row["useful_bytes"] / high, row["useful_bytes"] / low,
                             row["label"]))
    return result


def score(program: Path, points: list[dict[str, str]]) -> list[Scored]:
    machines: dict[Machine, list[dict[str, str]]] = defaultdict(list)
    for p in points:
        machines[Machine(p["gpu"], p["block"], p["elements"], p["threads_per_sm"],
                         p["ecc"])].append(p)
    return [one for machine, group in machines.items() for one in predict(program, machine, group)]


def summary(scored: list[Scored]) -> list[str]:
    errors = [abs(one.error) for one in scored]
    share = [sum(error <= NEAR for error in errors), sum(one.inside for one in scored)]
    return [str(len(scored)), f"{statistics.median(errors):.1%}",
            f"{share[0] / len(scored):.0%}", f"{share[1] / len(scored):.0%}",
            f"{statistics.median(one.width for one in scored):.2f}"]


def table(scored: list[Scored]) -> str:
    """GPU x class, each class, and all: points, median error, within 15 %, inside, width."""
    full = {}
    for gpu in {one.point["gpu"] for one in scored}:
        profile = json.loads((PROFILES / f"{gpu}.json").read_text(encoding="utf-8"))
        full[gpu] = profile["threads_per_sm"]["value"]
    groups: dict[tuple[str, str], list[Scored]] = defaultdict(list)
    for one in scored:
        kind = class_of(one.point, full[one.point["gpu"]])
        for key in ((one.point["gpu"], kind), ("all", kind), ("all", "all")):
            groups[key].append(one)
    order = sorted(groups, key=lambda key: (key[0] == "all", key[0], key[1] == "all", key[1]))
    lines = [["gpu", "class", "points", "median error", "within 15 %", "inside", "width"]]
    lines += [[*key, *summary(groups[key])] for key in order]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) if i < 2 else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(line, widths, strict=True)))
                     for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--points", type=Path, default=POINTS)
    parser.add_argument("--each", action="store_true", help="each point too")
    arguments = parser.parse_args()
    scored = score(arguments.program, read_points(arguments.points))
    if arguments.each:
        for one in scored:
            print(f"{one.point['gpu']:12} {one.point['row']:32} block {one.point['block']:>4} "
                  f"threads {one.point['threads_per_sm'] or '-':>4} "
                  f"published {one.published / 1e9:7.1f}, predicted {one.slowest / 1e9:7.1f} to "
                  f"{one.fastest / 1e9:7.1f} GB/s, time {one.error:+.0%}"
                  f"{'' if one.inside else ' OUTSIDE'}  {one.limited_by}")
    print(table(scored))
    return 0


if __name__ == "__main__":
    sys.exit(main())
