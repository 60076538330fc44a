# SPDX-License-Identifier: Apache-2.0
"""Made-up result files for the tests of bench/*.py, and how those tools are run within a test."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import pathlib
import sys
import tempfile
import unittest
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy

SOURCE_DIR = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE_DIR / "bench" / "tools"))

import command_line  # noqa: E402
import sectorbench_results as results  # noqa: E402  (found through the line above)

Json = dict[str, Any]
NUMBERS = itertools.count()

# 26 rows of times from 4 us to 3 ms, as many as the default suite first had.
ROWS = [f"stride/copy/f32/stride:{stride}" for stride in range(1, 21)]
ROWS += [f"chunk/{op}/f32/chunk:{chunk}" for op in ("read", "write") for chunk in (4, 8, 32)]

CONTEXT = {
    "date": "2026-11-30T06:16:33+00:00",
    "host_name": "-",
    "num_cpus": 16,
    "load_avg": [3.7, 1.0, 0.3],
    "backend": "cuda",
    "block": "256",
    "buffer_bytes": "268435456",
    "cache_mode": "warm",
    "clock.sm_mhz": "1980.0",
    "cuda.driver": "13.0",
    "cuda.driver_release": "580.159.04",
    "cuda.toolkit": "13.0.88",
    "elements": "buffer_bytes / element size",
    "evidence.version": "2",
    "gpu.compute_capability": "9.0",
    "gpu.ecc": "on",
    "gpu.index": "0",
    "gpu.l2_bytes": "62914560",
    "gpu.memory_bus_bits": "6016",
    "gpu.memory_clock_khz": "3201000",
    "gpu.name": "NVIDIA H200",
    "gpu.peak_bytes_per_s": "4814304000000",
    "gpu.sm_count": "132",
    "gpu.uuid": "GPU-1",
    "protocol": "default",
    "sectorbench.revision": "1ffc26ea7af3",
    "sectorbench.version": "0.1.0",
}

# A full warp of f32: 4 sectors a request.
COUNTS = {
    f"{side}_{what}_{source}": value
    for source in ("measured", "predicted")
    for side in ("load", "store")
    for what, value in (("requests", 1000.0), ("sectors", 4000.0))
}


def row(name: str, time_s: float, **more: Any) -> Json:
    """A measured row; `more` replaces keys or adds them."""
    base = {
        "name": name + "/manual_time",
        "run_name": name + "/manual_time",
        "run_type": "iteration",
        "repetitions": 1,
        "repetition_index": 0,
        "threads": 1,
        "iterations": 100,
        "real_time": time_s * 1e9,
        "cpu_time": time_s * 1e9,
        "time_unit": "ns",
        "useful_bytes": 1e6,
        "verified": 1.0,
    }
    return {**base, **COUNTS, **more}


def bad_row(name: str, message: str, **more: Any) -> Json:
    """A row without numbers, as library 1.7.1 writes it."""
    kept = {
        key: value
        for key, value in row(name, 1.0).items()
        if key not in (*COUNTS, "useful_bytes", "verified")
    }
    return {
        **kept,
        "error_occurred": True,
        "error_message": message,
        "real_time": 0.0,
        "cpu_time": 0.0,
        **more,
    }


def document(rows: Sequence[Json], **context: str | None) -> Json:
    """A result file; context keys are written with _ for the dot after gpu, cuda and clock; None removes."""
    merged: Json = dict(CONTEXT)
    for key, value in context.items():
        for group in ("gpu", "cuda", "clock", "build", "sectorbench", "evidence"):
            key = key.replace(group + "_", group + ".", 1) if key.startswith(group + "_") else key
        merged[key] = value
        if value is None:
            del merged[key]
    return {"context": merged, "benchmarks": list(rows)}


def processes(
    count: int,
    noise: float,
    random: numpy.random.Generator,
    slower: Mapping[str, float] = {},
    names: Sequence[str] = tuple(ROWS),
) -> list[Json]:
    """Documents of so many processes: rows' times vary by `noise` between them; some rows are slower."""
    made = []
    for _ in range(count):
        factors = 1 + noise * random.standard_normal(len(names))
        made.append(
            document(
                [
                    row(name, 4e-6 * (1.3**index) * factors[index] * (1 + slower.get(name, 0)))
                    for index, name in enumerate(names)
                ]
            )
        )
    return made


def files_of(documents: Sequence[Json]) -> list[results.ResultFile]:
    """The documents as the tools read them, without the way over the disk."""
    return [results.from_document(f"{index}.json", one) for index, one in enumerate(documents)]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def call(main: Callable[[list[str]], int], arguments: Sequence[str]) -> Ended:
    """Runs a tool's main as its process would."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command_line.guarded(f"{main.__module__}.py", main, list(arguments))
    return Ended(code, out.getvalue(), err.getvalue())


class ToolTest(unittest.TestCase):
    """Checks that several files make."""

    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="sectorbench_tools_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name: str, content: Json | str | bytes) -> str:
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, "utf-8")
        else:
            # No two processes write the same bytes: each file ends with blanks of its own number.
            path.write_text(json.dumps(content) + " " * next(NUMBERS), "utf-8")
        return str(path)

    def write_all(self, name: str, documents: Sequence[Json]) -> list[str]:
        return [self.write(f"{name}_{index}.json", one) for index, one in enumerate(documents, 1)]

    def assert_one_line(self, ended: Ended, *texts: str) -> None:
        """The tool refused in one line that has all these texts, and no traceback."""
        self.assertEqual(ended.code, 2, ended)
        self.assertEqual(len(ended.err.splitlines()), 1, ended.err)
        for text in texts:
            self.assertIn(text, ended.err)
