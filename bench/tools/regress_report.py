# SPDX-License-Identifier: Apache-2.0
"""What bench/tools/regress.py prints and writes: a table, Markdown, JSON, files for three trackers of history."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import statistics
import tempfile
from collections.abc import Sequence
from typing import Any

from command_line import Failure, read_text
from regress_compare import (
    CANNOT,
    CHANGED,
    FINE,
    IMPLAUSIBLE,
    IMPROVEMENT,
    INSUFFICIENT,
    MISSING,
    NEW,
    NO_CHANGE,
    NO_METRIC,
    REGRESSION,
    SAME,
    UNSTEADY,
    WORSE,
    Report,
    RowReport,
    is_time,
    value_of,
)
from regress_kinds import Difference
from sectorbench_results import FAILED, INTERRUPTED, OK, SKIPPED, ResultFile, Row

# The order of the summary: what fails first.
SUMMARY = (
    REGRESSION,
    CHANGED,
    FAILED,
    MISSING,
    INTERRUPTED,
    IMPLAUSIBLE,
    INSUFFICIENT,
    UNSTEADY,
    IMPROVEMENT,
    NO_CHANGE,
    NEW,
    SKIPPED,
    NO_METRIC,
)
ABSENT = ("absent",)
OUTCOMES = {FINE: "fine", WORSE: "worse", CANNOT: "cannot compare"}


class WriteError(Failure):
    """A file that could not be written; one line."""


def write_file(path: str, text: str) -> None:
    """Writes the file whole or leaves what was there. What is no regular file, such as a pipe or a device,
    is written to and never replaced; behind a link it is the file that is replaced. @raises WriteError"""
    try:
        path_of_file = os.path.realpath(path)
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
            return
        folder = os.path.dirname(path_of_file)
        with tempfile.NamedTemporaryFile(
            "w", dir=folder, prefix=".regress-", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            try:
                file.write(text)
                file.close()
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path_of_file)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def summary(report: Report) -> str:
    """ "worse: 1 regression, 25 no change; requests and sectors the same in 26 rows"."""
    counts = [f"{report.count(verdict)} {verdict}" for verdict in SUMMARY if report.count(verdict)]
    parts = [", ".join(counts)] if counts else []
    same = [row for row in report.rows if row.counts == SAME]
    if same:
        measured = sum(row.counts_source == "measured" for row in same)
        parts.append(
            f"requests and sectors the same in {len(same)} rows (measured in {measured}, else the model's)"
        )
    ratios = [1 + row.change for row in report.rows if row.change > -1]
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        parts.append(f"geometric mean of new / base {mean:.4f} over {len(ratios)} rows")
    return f"{OUTCOMES[report.exit_code]}: " + "; ".join(parts)


def head(differences: Sequence[Difference], notes: Sequence[str], base: int, new: int) -> list[str]:
    """What is compared, and what differs: printed before any number."""
    lines = [f"{base} base and {new} new processes"]
    named = [one for one in differences if not one.refused]
    lines += [f"REFUSED  {one}" for one in differences if one.refused]
    lines += [f"differs  {one}" for one in named if ABSENT not in (one.base, one.new)]
    for side, other in (("base", "new"), ("new", "base")):
        keys = [one.key for one in named if getattr(one, other) == ABSENT]
        if keys:
            more = f" and {len(keys) - 4} more" if len(keys) > 4 else ""
            lines.append(f"differs  only {side} records {', '.join(keys[:4])}{more}")
    if not differences:
        lines.append("the contexts do not differ")
    return lines + list(notes)


def table(report: Report) -> str:
    """All rows, aligned."""
    cells = [_titles(report)] + [_cells(report, row) for row in report.rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    for line in cells:
        text = "  ".join(
            cell.ljust(width) if column in (0, len(widths) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        )
        lines.append(text.rstrip())
    return "\n".join(lines)


def markdown(report: Report) -> str:
    """For a CI summary: the outcome, what differs, the rows that changed, and all of them folded away."""
    lines = [f"### Benchmarks: {_escaped(summary(report))}", ""]
    lines += [
        f"- {_escaped(line)}"
        for line in head(report.differences, report.notes, len(report.base), len(report.new))
    ]
    plain = (NO_CHANGE, SKIPPED, "")
    remarkable = [
        row for row in report.rows if row.verdict not in plain or row.counts in (CHANGED, UNSTEADY)
    ]
    lines += ["", *_markdown_table(report, remarkable)] if remarkable else []
    lines += ["", f"<details><summary>All {len(report.rows)} rows</summary>", ""]
    lines += [*_markdown_table(report, report.rows), "", "</details>"]
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> str:
    """For machines: times in seconds, changes, noise and floors as shares, null where nothing is known."""
    policy = report.policy
    document = {
        "outcome": OUTCOMES[report.exit_code],
        "exit_code": report.exit_code,
        "summary": summary(report),
        "metric": report.metric,
        "lower_is_better": report.lower_is_better,
        "k": policy.k,
        "alpha": policy.alpha,
        "files": {"base": [file.path for file in report.base], "new": [file.path for file in report.new]},
        "differences": [
            {"key": one.key, "base": list(one.base), "new": list(one.new), "refused": one.refused}
            for one in report.differences
        ],
        "notes": report.notes,
        "rows": [
            {
                "row": row.row,
                "verdict": row.verdict or None,
                "exit_code": row.exit_code,
                "message": row.message,
                "base": _number(statistics.median(row.base) if row.base else math.nan),
                "new": _number(statistics.median(row.new) if row.new else math.nan),
                "processes": {"base": len(row.base), "new": len(row.new)},
                "change": _number(row.change),
                "floor": _number(row.floor),
                "noise": _number(row.noise),
                "least_change": _number(row.least),
                "p": _number(row.p),
                "p_corrected": _number(row.p_corrected),
                "processes_needed": row.processes_needed,
                "counts": {
                    "verdict": row.counts,
                    "source": row.counts_source or None,
                    "message": row.counts_message,
                },
            }
            for row in report.rows
        ],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def github_action_benchmark(files: Sequence[ResultFile], metric: str, lower_is_better: bool) -> str:
    """The new side as github-action-benchmark's `customBiggerIsBetter` reads it: useful GB/s of the judged time.

    Values are medians over processes, ranges half of what lies between the extremes. Rows without useful
    bytes are given as launches per second; a metric that is no time as it is, or one over it where less of it
    is better.
    """
    entries = []
    for name, values in values_by_row(files, metric).items():
        rates, unit = values, metric
        if lower_is_better:
            rates, unit = [1 / value for value in values], "launches/s" if is_time(metric) else f"1/{metric}"
        bytes_moved = _useful_bytes(files, name)
        if bytes_moved and is_time(metric):
            rates, unit = [bytes_moved * rate / 1e9 for rate in rates], "GB/s"
        if not all(map(math.isfinite, rates)):
            continue  # no number that JSON can hold
        half = (max(rates) - min(rates)) / 2
        entries.append(
            {
                "name": name,
                "unit": unit,
                "value": statistics.median(rates),
                "range": f"+- {half:.4g}",
                "extra": f"{len(rates)} processes, median {metric} {_value_text(metric, values)}",
            }
        )
    return json.dumps(entries, indent=2, allow_nan=False) + "\n"


def bencher(files: Sequence[ResultFile], metric: str) -> str:
    """The new side in Bencher Metric Format: the judged time as `latency` in ns and
    `useful-bytes-per-second`, or a metric that is no time under its own name.

    Medians and extremes over processes; Bencher makes a measure when it first sees it.
    """
    entries: dict[str, dict[str, dict[str, float]]] = {}
    for name, values in values_by_row(files, metric).items():
        measures = {metric.replace("_", "-"): values}
        if is_time(metric):
            measures = {"latency": [1e9 * time_s for time_s in values]}
            bytes_moved = _useful_bytes(files, name)
            if bytes_moved:
                measures["useful-bytes-per-second"] = [bytes_moved / time_s for time_s in values]
        entries[name] = {
            measure: _with_extremes(of_one)
            for measure, of_one in measures.items()
            if all(map(math.isfinite, of_one))
        }
    return json.dumps(entries, indent=2, allow_nan=False) + "\n"


def otava_csv(files: Sequence[ResultFile], metric: str, path: str, commit: str | None) -> str:
    """The CSV at `path` with one line more: time, commit, and the median of each row's metric, times in ns.

    Apache Otava wants a number in every column of every line, so that all runs of a file have the same rows.

    @raises WriteError if they do not
    """
    scale = 1e9 if is_time(metric) else 1.0
    medians = {name: statistics.median(of_row) * scale for name, of_row in values_by_row(files, metric).items()}
    context = files[-1].context
    header = ["time", "commit", *medians]
    text = ""
    if os.path.exists(path):
        try:
            text = read_text(path)
            header = next(csv.reader(io.StringIO(text)), [])
        except csv.Error as error:
            raise WriteError(f"{path}: line 1: not the CSV of an earlier run: {error}") from None
        if header[:2] != ["time", "commit"]:
            raise WriteError(
                f'{path}: line 1: not the CSV of an earlier run: it does not begin with "time,commit"'
            )
        lacking, more = set(header[2:]) - set(medians), set(medians) - set(header[2:])
        if lacking or more:
            what = [f"it lacks {_some(more)}"] if more else []
            what += [f"this run lacks {_some(lacking)}"] if lacking else []
            raise WriteError(
                f"{path}: line 1: other rows than this run's: {', '.join(what)}; begin a new file"
            )
        if not text.endswith("\n"):
            raise WriteError(
                f"{path}: line {text.count(chr(10)) + 1}: truncated; remove the line or begin a new file"
            )
    revision = commit or context.get("sectorbench.revision") or "unknown"
    line = _csv_line([context.get("date", ""), revision, *(f"{medians[name]:.2f}" if scale > 1 else f"{medians[name]:.8g}" for name in header[2:])])
    if not text:
        text = _csv_line(header)
    return text if line in text.splitlines(keepends=True) else text + line  # a run is one line


def _csv_line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def values_by_row(files: Sequence[ResultFile], metric: str) -> dict[str, list[float]]:
    """The metric for each process, times in seconds; rows that failed or lack it somewhere are left out."""
    found: dict[str, list[float]] = {}
    bad = {row.name for file in files for row in file.rows if row.status != OK}
    for file in files:
        of_file: dict[str, list[Row]] = {}
        for row in file.rows:
            of_file.setdefault(row.name, []).append(row)
        for name, rows in of_file.items():
            found.setdefault(name, []).append(value_of(rows, metric))
    return {
        name: values
        for name, values in found.items()
        if name not in bad and all(value > 0 for value in values)
    }


def time_text(time_s: float) -> str:
    """Four significant digits: "208.4 us"."""
    for unit, seconds in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if time_s >= seconds:
            return f"{time_s / seconds:.4g} {unit}"
    return f"{time_s * 1e9:.4g} ns"


def percent(share: float, digits: int = 2, sign: str = "") -> str:
    return "-" if math.isnan(share) else f"{100 * share:{sign}.{digits}f} %"


def _titles(report: Report) -> list[str]:
    if not any(row.verdict for row in report.rows):
        return ["row", "requests and sectors"]
    return ["row", "base", "new", "change", "counts from", "noise", "p", "verdict"]


def _cells(report: Report, row: RowReport) -> list[str]:
    counts = row.counts + (f": {row.counts_message}" if row.counts_message else "")
    if row.counts == SAME:
        counts += f" ({row.counts_source})"
    verdict = row.verdict + (f": {row.message}" if row.message else "")
    if len(_titles(report)) == 2:
        return [row.row, verdict or counts]
    if row.counts in (CHANGED, UNSTEADY):
        verdict += f"; {counts}" if verdict else counts
    medians = [_value_text(report.metric, side) for side in (row.base, row.new)]
    p = "-" if math.isnan(row.p_corrected) else f"{row.p_corrected:.2g}"
    return [
        row.row,
        *medians,
        percent(row.change, sign="+"),
        percent(row.least),
        percent(row.noise),
        p,
        verdict,
    ]


def _value_text(metric: str, values: Sequence[float]) -> str:
    if not values:
        return "-"
    median = statistics.median(values)
    return time_text(median) if is_time(metric) else f"{median:.5g}"


def _markdown_table(report: Report, rows: Sequence[RowReport]) -> list[str]:
    titles = _titles(report)
    lines = ["| " + " | ".join(titles) + " |", "|" + " --- |" * len(titles)]
    return lines + [
        "| " + " | ".join(_escaped(cell) for cell in _cells(report, row)) + " |" for row in rows
    ]


def _escaped(text: str) -> str:
    for character in "\\|<>*_`":
        text = text.replace(character, "\\" + character)
    return text


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _with_extremes(values: Sequence[float]) -> dict[str, Any]:
    return {"value": statistics.median(values), "lower_value": min(values), "upper_value": max(values)}


def _useful_bytes(files: Sequence[ResultFile], name: str) -> float:
    rows = [row for file in files for row in file.rows if row.name == name]
    return rows[0].counters.get("useful_bytes", 0.0)


def _some(names: set[str]) -> str:
    shown = sorted(names)[:2]
    return ", ".join(shown) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
