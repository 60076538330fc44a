# SPDX-License-Identifier: Apache-2.0
"""Result files as Python sees them: the one reader that every tool of this folder uses.

    import sys; sys.path.append("bench")
    import sectorbench_results as results

    rows = results.load(["before.json", "after.json"])       # a tidy pandas table, see `load`
    file = results.read_file("before.json")                  # the same without pandas
    file.context["gpu.name"], file.rows[0].time_s

A result file is the JSON of `--benchmark_out` (docs/counters.md has the keys of a row and
those of the context), or of any other program that uses Google Benchmark 1.7.1 or later. Whatever is
no such file raises `ResultError`, whose text is one line: the file, the place in it, what is wrong and
what helps. Python 3.11 or later; only `load` needs pandas.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from command_line import Failure, printable, read_text

if TYPE_CHECKING:
    import pandas

SECONDS_PER_UNIT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

OK, FAILED, SKIPPED, INTERRUPTED = "ok", "failed", "skipped", "interrupted"

# What the library writes into a row besides counters.
LIBRARY_KEYS = frozenset(
    {
        "name",
        "run_name",
        "run_type",
        "family_index",
        "per_family_instance_index",
        "repetitions",
        "repetition_index",
        "threads",
        "iterations",
        "real_time",
        "cpu_time",
        "time_unit",
        "label",
        "error_occurred",
        "error_message",
        "skipped",
        "skip_message",
        "aggregate_name",
        "aggregate_unit",
    }
)

# Endings of context keys whose values are numbers (docs/counters.md); "slice: unknown" becomes NaN.
NUMERIC_ENDINGS = (
    "_bytes",
    "_bits",
    "_khz",
    "_mhz",
    "_us",
    "_s",
    "_w",
    "_c",
    "_count",
    "_flops",
    "_per_byte",
)


class ResultError(Failure):
    """A file that is no result file, in one line: "FILE: place: what is wrong; what helps"."""


@dataclass(frozen=True)
class Row:
    """One benchmark run: a row of one process, or one of its repetitions."""

    name: str  # without /manual_time: stride/copy/f32/stride:8
    pattern: str  # the first three parts of the name; empty where a name has no such part
    operation: str
    type: str
    parameters: dict[str, str]  # the key:value parts of the name: {"stride": "8"}
    repetition: int
    status: str  # OK, FAILED, SKIPPED or INTERRUPTED
    message: str  # why it has no numbers
    time_s: float  # seconds of a launch; NaN unless the status is OK and it is above zero and finite
    cpu_time_s: float  # the library's cpu_time, as well
    counters: dict[str, float]  # docs/counters.md; empty unless the status is OK; may be NaN or infinite
    label: dict[str, str]  # {"limited_by": "dram_bytes", "cache_resident": "l2"}

    @property
    def gpu(self) -> str | None:
        """Number of the GPU where the name says one (`--device=all`), as in the context's gpu.0.uuid."""
        return self.parameters.get("gpu")


@dataclass(frozen=True)
class ResultFile:
    """What one process wrote. Aggregates (mean, median, stddev, cv) are left out."""

    path: str
    context: dict[str, str]
    rows: list[Row]
    digest: str = ""  # of what the file holds

    @property
    def predicted(self) -> bool:
        """Whether the rows are `--predict`'s, which nobody measured."""
        return self.context.get("backend") == "prediction"

    def context_of(self, row: Row) -> dict[str, str]:
        """The context as a run on the row's GPU alone would have it.

        With several GPUs the keys that differ stand once for each: `gpu.1.uuid`, `gpu.1.clock.sm_mhz`.
        """
        plain = {key: value for key, value in self.context.items() if not OF_ONE_GPU.match(key)}
        for key, value in self.context.items():
            found = OF_ONE_GPU.match(key)
            if found and found[1] == row.gpu:
                plain[found[2] if found[2].startswith(NOT_OF_GPU) else "gpu." + found[2]] = value
        return plain


OF_ONE_GPU = re.compile(r"gpu\.(\d+)\.(.+)")
NOT_OF_GPU = ("clock.", "event.", "counters", "clock_check", "cuda.", "peer.", "cache.")


def read_file(path: str | os.PathLike[str]) -> ResultFile:
    """Reads a result file.

    A time that is none, such as 0 where a row forgot to set its own, and a counter that is not finite, such
    as 0/0 of another program, are NaN: they say nothing of the other rows and counters.

    @raises ResultError if it is missing, empty, cut off, no JSON, JSON of something else, or if a row
    has no time, or a name that stood before.
    """
    file = os.fspath(path)
    text = _text(file)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(from_document(file, _document(file, text)), digest=digest)


def from_document(file: str, document: dict[str, Any]) -> ResultFile:
    """The same from JSON that has been read; `file` is its name. @raises ResultError"""
    rows: list[Row] = []
    seen: set[tuple[str, int]] = set()
    unnumbered: Counter[str] = Counter()  # repetitions of a row, where the file does not number them
    for position, run in enumerate(document["benchmarks"]):
        if not isinstance(run, dict) or not isinstance(run.get("name"), str) or not run["name"]:
            raise ResultError(f"{file}: benchmarks[{position}]: no row of Google Benchmark: it has no name")
        if run.get("run_type") == "aggregate":
            continue
        place = f"{file}: benchmarks[{position}] ({printable(run['name'])})"
        if "repetition_index" not in run:
            run = run | {"repetition_index": unnumbered[run["name"]]}
            unnumbered[run["name"]] += 1
        row = _row(place, run)
        if (row.name, row.repetition) in seen:
            raise ResultError(
                f"{place}: the row stands twice with repetition_index {row.repetition}, so that nobody can "
                "tell which is meant; one process makes one file"
            )
        seen.add((row.name, row.repetition))
        rows.append(row)
    if not rows:
        raise ResultError(
            f"{file}: benchmarks: no rows but aggregates; leave out --benchmark_report_aggregates_only"
        )
    context = document.get("context", {})
    if not isinstance(context, dict):
        raise ResultError(f"{file}: context: not an object; not a result file of Google Benchmark")
    texts = {
        printable(key): printable(value) if isinstance(value, str) else json.dumps(value)
        for key, value in context.items()
    }
    return ResultFile(file, texts, rows)


def load(paths: Iterable[str | os.PathLike[str]], mix_predictions: bool = False) -> pandas.DataFrame:
    """The rows of all files as a tidy table: one line per benchmark run, aggregates left out.

    Columns, in this order (one that no file has is not there):

        file, row, pattern, operation, type      the name, and its first three parts
        param.KEY                                parts of the name such as stride:8; numbers where all are
        repetition, status, message              status: ok, failed, skipped, interrupted
        predicted                                True for rows of --predict
        time_s                                   mean time of a launch, in seconds
        time_cv, time_median_s, useful_bytes...  every counter under its own name (docs/counters.md)
        label.KEY                                items of the label, as text: label.limited_by
        gpu.name, backend, ...                   the context (docs/counters.md): numbers where the key ends in
                                                 a unit, else text; context.KEY where a row has the same key
                                                 (context.elements); mappings of patterns are left out

    What a row does not have is NaN; a failed row has no time and no counters.

    @raises ResultError if a file cannot be read, or if predictions would stand beside measurements and
    `mix_predictions` does not ask for that.
    """
    import pandas

    files = [read_file(path) for path in paths]
    if not files:
        raise ResultError("no files given: name at least one JSON file of --benchmark_out")
    if not mix_predictions:
        refuse_mixture(files)
    lines = []
    keys: dict[str, None] = {}  # in order of first appearance
    for file in files:
        for row in file.rows:
            line: dict[str, Any] = {
                "file": file.path,
                "row": row.name,
                "pattern": row.pattern,
                "operation": row.operation,
                "type": row.type,
            }
            line |= {"param." + key: value for key, value in row.parameters.items()}
            line |= {"repetition": row.repetition, "status": row.status, "message": row.message}
            line |= {"predicted": file.predicted, "time_s": row.time_s}
            line |= row.counters
            line |= {"label." + key: value for key, value in row.label.items()}
            lines.append((line, file.context_of(row)))
            keys.update(dict.fromkeys(line))
    for line, context in lines:
        for key, value in context.items():
            if not (key.startswith("pattern.") and key.endswith(".mapping")):
                line["context." + key if key in keys else key] = value
    table = pandas.DataFrame([line for line, _ in lines])
    for column in table.columns:
        if column.startswith("param."):
            numbers = table[column].map(_number_or_nan)
            if numbers.notna().equals(table[column].notna()):
                table[column] = numbers
        elif column not in keys and column.endswith(NUMERIC_ENDINGS):
            table[column] = table[column].map(_number_or_nan)
    ranks = {"param.": 1, "label.": 4}
    start = ["file", "row", "pattern", "operation", "type"]
    middle = ["repetition", "status", "message", "predicted", "time_s"]

    def rank(column: str) -> int:
        if column in start:
            return 0
        if column in middle:
            return 2
        return ranks.get(column[:6], 3 if column in keys else 5)

    return table[sorted(table.columns, key=rank)]


def _number_or_nan(text: Any) -> float:
    """What a name or a context says; integers that 64 bits hold stay ones."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return int(text) if abs(number) < 2**63 and str(text).isdecimal() else number


def refuse_repeated(files: Iterable[ResultFile]) -> None:
    """@raises ResultError for a file that stands twice, or a copy of one: two processes never measure alike"""
    seen: dict[str, str] = {}
    for file in files:
        path = Path(file.path)
        keys = {str(path.resolve()): "given twice"}
        if not file.predicted:
            keys[file.digest] = "a copy of "
        for key, what in keys.items():
            if key in seen:
                name = what + seen[key] if what.endswith(" ") else what
                raise ResultError(f"{file.path}: {name}: each file is to be a process of its own")
            seen[key] = str(file.path)


def refuse_mixture(files: Iterable[ResultFile]) -> None:
    """@raises ResultError if some of the files are predictions and others are not."""
    kinds = {file.predicted: file.path for file in files}
    if len(kinds) > 1:
        raise ResultError(
            f"{kinds[True]}: backend: a prediction of --predict beside the measurements of {kinds[False]}; "
            "give files of one kind"
        )


def _text(file: str) -> str:
    try:
        text = read_text(file)
    except Failure as failure:
        raise ResultError(str(failure)) from None
    if not text.strip():
        raise ResultError(
            f"{file}: line 1: the file is empty ({len(text)} bytes): the run wrote nothing, as it stopped "
            "early or its filter matched no row; run it again"
        )
    return text


def _document(file: str, text: str) -> dict[str, Any]:
    """The file's JSON object, which has a list "benchmarks" that is not empty."""
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ResultError(
            f"{file}: line {error.lineno}, column {error.colno}: {_why_no_json(text, error)}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ResultError(
            f"{file}: {error or 'nested too deeply'}: not a result file of Google Benchmark"
        ) from None
    if not isinstance(document, dict) or "benchmarks" not in document:
        raise ResultError(
            f'{file}: top level: no "benchmarks": JSON, but not a result file of Google Benchmark; give the '
            "file of --benchmark_out"
        )
    if not isinstance(document["benchmarks"], list):
        raise ResultError(f"{file}: benchmarks: not a list: not a result file of Google Benchmark")
    if not document["benchmarks"]:
        raise ResultError(
            f"{file}: benchmarks: the list is empty: no row was run; look at the run's filter"
        )
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = next(key for position, (key, _) in enumerate(pairs) if key in dict(pairs[:position]))
        raise ValueError(f'the key "{twice}" stands twice in one object')
    return result


def _why_no_json(text: str, error: json.JSONDecodeError) -> str:
    start = text.lstrip(" \t\r\n")
    if re.match(r'"?name"?,"?iterations"?', start) or "\nname,iterations," in text:
        return "CSV, not JSON; write the run with --benchmark_out_format=json"
    if not start.startswith("{"):
        return "not JSON; give the file of --benchmark_out (not the table that a run prints)"
    if error.msg == "Extra data":
        return (
            "JSON goes on after its end: several objects (--json_lines?); give the file of --benchmark_out"
        )
    if error.pos >= len(text.rstrip()) or not text.rstrip().endswith("}"):
        return "truncated: the file ends before its JSON does, as when a run is killed; run it again"
    return f"not JSON: {error.msg}"


def _row(place: str, run: dict[str, Any]) -> Row:
    name = printable(run["name"].removesuffix("/manual_time"))
    parts = name.split("/")
    parameters: dict[str, str] = {}
    for part in parts[3:]:
        key, colon, value = part.partition(":")
        if colon:
            parameters[key] = value
    pattern, operation, element = parts[:3] if len(parts) >= 3 else (parts + ["", ""])[:3]
    repetition = run["repetition_index"]
    if not isinstance(repetition, int) or abs(repetition) >= 2**31:
        raise ResultError(
            f"{place}: repetition_index: {json.dumps(repetition)[:40]} is no number of a repetition"
        )
    label = _label(run.get("label", ""))
    status, message = _status(run, label)
    time_s, cpu_time_s, counters = math.nan, math.nan, {}
    if status == OK:
        counters = {
            key: _number(value)
            for key, value in run.items()
            if key not in LIBRARY_KEYS and isinstance(value, (int, float)) and not isinstance(value, bool)
        }
        time_s = _time(place, run, "real_time")
        unit = run.get("time_unit")
        if not isinstance(unit, str) or unit not in SECONDS_PER_UNIT:
            raise ResultError(
                f"{place}: time_unit: {json.dumps(unit)[:40]} is none of {', '.join(SECONDS_PER_UNIT)}"
            )
        time_s = _positive(time_s * SECONDS_PER_UNIT[unit])
        if "cpu_time" in run:
            cpu_time_s = _positive(_time(place, run, "cpu_time") * SECONDS_PER_UNIT[unit])
    return Row(
        name, pattern, operation, element, parameters, repetition, status, message, time_s, cpu_time_s,
        counters, label,
    )


def _status(run: dict[str, Any], label: dict[str, str]) -> tuple[str, str]:
    """A skip is told from a failure by its own key (library 1.8.0) or by how its message begins."""
    message = " ".join(str(run.get("error_message") or run.get("skip_message") or "").split())  # one line
    message = printable(message)
    if label.get("interrupted") == "1" or message.startswith("interrupted by "):
        return INTERRUPTED, message
    if run.get("skipped") or (run.get("error_occurred") and message.startswith("SKIPPED: ")):
        return SKIPPED, message.removeprefix("SKIPPED: ")
    if run.get("error_occurred"):
        return FAILED, message
    return OK, ""


def _label(text: Any) -> dict[str, str]:
    """Items of our labels; what other programs write into theirs is kept under the empty key."""
    items: dict[str, str] = {}
    whole = printable(str(text)) if text else ""
    for part in whole.split(";") if whole else ():
        key, equals, value = part.partition("=")
        if not equals:
            return {"": whole}
        items[key] = value
    return items


def _time(place: str, run: dict[str, Any], key: str) -> float:
    """In the row's unit."""
    value = run.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        what = f"{json.dumps(value)[:40]} is no number" if key in run else "missing"
        raise ResultError(f"{place}: {key}: {what}: no row of Google Benchmark")
    return _number(value)


def _positive(time_s: float) -> float:
    """NaN for what is no time, as of a row that forgot to set its own."""
    return time_s if 0 < time_s < math.inf else math.nan


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
