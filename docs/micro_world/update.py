#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the recorded figures of docs/results/ into the micro-world's page.

    docs/micro_world/update.py            # after a file of docs/results/ has changed
    docs/micro_world/update.py --check    # changes nothing; says whether the page is up to date

Two places of index.html are written, and nothing else:

- the element <script id="records">: per machine the rows of `stride`, `offset` and `active` that the page can
  show (times in us a launch, useful GB/s with GB = 1e9 bytes), each with the file that it comes from;
- the text of each element with data-figure="MACHINE WHAT ROW [/ ROW]", such as
  <b data-figure="h200 ratio stride/gather/f32/stride:64 / stride/gather/f32/stride:8">2.9</b>.
  WHAT is `time`, `gbps`, `ratio` (of two times), `longer` (the same in percent), `dram_arrays` (bytes that
  DRAM moved, counted, in units of one buffer) or `dram_rate` (those bytes a second).

Of files that have the same row, the one named first in MACHINES counts.
Exit status: 0; 1 with --check if the page differs from the records; 2 if a record or the page cannot be
read, or a figure is not recorded. The page appears whole or stays as it is.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"

MICROSECONDS_PER_UNIT = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
BUFFER_BYTES = 256 << 20
MAX_STRIDE = 64  # the page's own

# The rows whose warp the page can draw: one parameter, or an offset that loads and stores share.
SHOWN = re.compile(
    r"(?:stride/\w+/\w+/stride:(?P<stride>\d+)|offset/\w+/\w+/loads:(?P<loads>\d+)/stores:(?P<stores>\d+)"
    r"|active/\w+/\w+/lanes:\d+)"
)
TEXT_ROW = re.compile(r"(\S+/\S+) +([\d.]+) (ns|us|ms|s) +([\d.]+) ")
REVISION = re.compile(r"\(revision ([0-9a-f]+)\)")
RECORDS = re.compile(r'(<script type="application/json" id="records">\n).*?(</script>)', re.DOTALL)
FIGURE = re.compile(r'(<(\w+) data-figure="([^"]+)">)[^<]*(</\2>)')


class RecordError(Exception):
    """A record or the page is not as it should be; the text is for the user."""


@dataclass(frozen=True)
class Row:
    """What a launch took, and what DRAM moved if that was counted."""

    time_us: float
    gbps: float
    dram_bytes: float | None = None


@dataclass(frozen=True)
class Source:
    """One file of docs/results/: when and by which revision of sectorbench its rows were measured."""

    file: str
    date: str
    revision: str
    rows: dict[str, Row]


def read_json(file: str) -> Source:
    """Rows of a result file, as --benchmark_out writes it."""
    data = json.loads((RESULTS / file).read_text(encoding="utf-8"))
    rows = {}
    for row in data["benchmarks"]:
        if row.get("error_occurred") or row.get("skipped") or row.get("run_type") == "aggregate":
            continue
        counted = "dram_read_bytes_measured" in row
        rows[row["name"].removesuffix("/manual_time")] = Row(
            row["real_time"] * MICROSECONDS_PER_UNIT[row["time_unit"]],
            row["useful_bytes_per_second"] / 1e9,
            row["dram_read_bytes_measured"] + row["dram_write_bytes_measured"] if counted else None,
        )
    context = data["context"]
    return Source(file, context.get("date", "")[:10], context.get("sectorbench.revision", ""), rows)


def date_of_folder(folder: str) -> str:
    """The date that docs/results/README.md gives for the files of `folder`; text and CSV files have none."""
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^\[{folder}/\]\({folder}/\):.*?(\d{{4}}-\d\d-\d\d)", text, re.DOTALL | re.MULTILINE)
    if not found:
        raise RecordError(f"docs/results/README.md: no date for the folder {folder}/")
    return found[1]


def revision_in(file: str) -> str:
    found = REVISION.search((RESULTS / file).read_text(encoding="utf-8"))
    if not found:
        raise RecordError(f"docs/results/{file}: no '(revision ...)'")
    return found[1]


def read_text(file: str) -> Source:
    """Rows of what a run printed: four digits."""
    rows = {}
    for line in (RESULTS / file).read_text(encoding="utf-8").splitlines():
        if found := TEXT_ROW.match(line):
            name, time, unit, gbps = found.groups()
            rows.setdefault(name, Row(float(time) * MICROSECONDS_PER_UNIT[unit], float(gbps)))
    return Source(file, date_of_folder(file.split("/", maxsplit=1)[0]), revision_in(file), rows)


def read_validation(file: str) -> Source:
    """The rows at 256 MiB per buffer of a table of bench/tools/validate_model.py."""
    with (RESULTS / file).open(encoding="utf-8", newline="") as table:
        rows = {
            row["row"]: Row(
                float(row["seconds measured"]) * 1e6,
                float(row["useful bytes"]) / float(row["seconds measured"]) / 1e9,
            )
            for row in csv.DictReader(table)
            if row["bytes of a buffer"] == "256Mi"
        }
    revision = revision_in(file.removesuffix(".csv") + ".txt")
    return Source(file, date_of_folder(file.split("/", maxsplit=1)[0]), revision, rows)


@dataclass(frozen=True)
class Machine:
    """What is measured on one machine; `note` is shown beside each of its figures."""

    name: str
    note: str
    sources: list[Source]

    def row(self, name: str) -> Row:
        for source in self.sources:
            if name in source.rows:
                return source.rows[name]
        raise RecordError(f"{name} is recorded in none of {', '.join(s.file for s in self.sources)}")


def read_machines() -> dict[str, Machine]:
    """Every machine that the page offers, by its key."""
    return {
        "h200": Machine(
            "NVIDIA H200",
            "ECC on; 256 MiB per buffer",
            [
                read_json("h200/observed_strides.json"),
                read_json("h200/observed_default.json"),
                read_text("h200/full.txt"),
                read_validation("h200/validation.csv"),
            ],
        ),
        "t4": Machine(
            "Tesla T4",
            "published figures, not measured by this project; whether ECC was on is not recorded; "
            "256 MiB per buffer",
            [read_json("t4/published.json")],
        ),
        "cpu": Machine(
            "2 CPU cores",
            "two cores of an Intel Xeon; the sectors stay a GPU warp's; of 256 MiB per buffer "
            "a good part is in the last-level cache",
            [read_json("cpu/default.json")],
        ),
    }


def is_shown(name: str) -> bool:
    found = SHOWN.fullmatch(name)
    if not found:
        return False
    return found["loads"] == found["stores"] and int(found["stride"] or 1) <= MAX_STRIDE


def records_text(machines: dict[str, Machine]) -> str:
    """The JSON that the page reads: one row a line, so that a change shows as one."""
    parts = []
    for key, machine in machines.items():
        sources = [
            {"file": "docs/results/" + source.file, "date": source.date, "revision": source.revision}
            for source in machine.sources
        ]
        lines: dict[str, str] = {}
        for i, source in enumerate(machine.sources):
            for name, row in source.rows.items():
                if is_shown(name) and name not in lines:
                    lines[name] = json.dumps([name, float(f"{row.time_us:.5g}"), float(f"{row.gbps:.4g}"), i])
        if not lines:
            raise RecordError(f"no row of stride, offset or active is recorded for {machine.name}")
        head = json.dumps({"name": machine.name, "note": machine.note, "sources": sources})
        parts.append(f'"{key}": {head[:-1]}, "rows": [\n' + ",\n".join(lines.values()) + "\n]}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def time_text(microseconds: float) -> str:
    return f"{microseconds:.3g} us" if microseconds < 999.5 else f"{microseconds / 1e3:.3g} ms"


def dram_bytes(row: Row, name: str) -> float:
    if row.dram_bytes is None:
        raise RecordError(f"the DRAM traffic of {name} was not counted")
    return row.dram_bytes


# WHAT -> how many rows it takes, and its text.
FIGURES: dict[str, tuple[int, Callable[..., str]]] = {
    "time": (1, lambda name, row: time_text(row.time_us)),
    "gbps": (1, lambda name, row: f"{row.gbps:.4g} GB/s"),
    "dram_arrays": (1, lambda name, row: f"{dram_bytes(row, name) / BUFFER_BYTES:.1f}"),
    "dram_rate": (1, lambda name, row: f"{dram_bytes(row, name) / row.time_us / 1e6:.2f} TB/s"),
    "ratio": (2, lambda _, row, __, base: f"{row.time_us / base.time_us:.2g}"),
    "longer": (2, lambda _, row, __, base: f"{(row.time_us / base.time_us - 1) * 100:.1f} %"),
}


def figure_text(spec: str, machines: dict[str, Machine]) -> str:
    """The text of the element whose data-figure is `spec`."""
    key, _, rest = spec.partition(" ")
    what, _, names = rest.partition(" ")
    rows = names.split(" / ")
    if key not in machines or what not in FIGURES or len(rows) != FIGURES[what][0]:
        raise RecordError(
            f'index.html: data-figure="{spec}" is not one of {", ".join(machines)}, '
            f'one of {", ".join(FIGURES)}, and the rows that it takes'
        )
    arguments = [part for name in rows for part in (name, machines[key].row(name))]
    return FIGURES[what][1](*arguments)


def updated(page: str) -> str:
    """`page` with the figures of the records."""
    machines = read_machines()
    if not RECORDS.search(page):
        raise RecordError('index.html: no <script type="application/json" id="records">')
    page = RECORDS.sub(lambda found: found[1] + records_text(machines) + found[2], page)
    return FIGURE.sub(lambda found: found[1] + figure_text(found[3], machines) + found[4], page)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if the page is stale")
    parser.add_argument("--page", type=Path, default=HERE / "index.html", help="default: index.html here")
    options = parser.parse_args(arguments)
    try:
        before = options.page.read_text(encoding="ascii")
        after = updated(before)
    except RecordError as error:
        print(f"update.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"update.py: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except (ValueError, KeyError) as error:
        print(f"update.py: the page or a record is not as it is written: {error!r}", file=sys.stderr)
        return 2
    if before == after:
        print(f"{options.page.name} has the recorded figures")
        return 0
    if options.check:
        remedy = "run docs/micro_world/update.py"
        print(f"update.py: {options.page} differs from docs/results/: {remedy}", file=sys.stderr)
        return 1
    whole = options.page.with_suffix(".new")
    whole.write_text(after, encoding="ascii")
    os.replace(whole, options.page)
    print(f"{options.page.name} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
