# SPDX-License-Identifier: Apache-2.0
"""Judges each row of two sets of runs: its time (or another metric), and its requests and sectors.

    report = compare(base_files, new_files, Policy())
    report.exit_code, [row.verdict for row in report.rows]

The two halves are separate verdicts. Time is noisy: regress_statistics.py says when a change counts.
Requests and sectors are integers that do not depend on clocks or neighbours: they are compared exactly, and
one process a side is enough.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import regress_statistics as arithmetic
from command_line import Failure
from regress_kinds import Difference, differences, gpu_number, index_of_gpus
from regress_policy import Policy, PolicyError
from sectorbench_results import (
    FAILED,
    INTERRUPTED,
    OK,
    SKIPPED,
    ResultFile,
    Row,
    refuse_mixture,
)

# Verdicts on a row's metric. FAILED, SKIPPED and INTERRUPTED are among them.
NO_CHANGE = "no change"
IMPROVEMENT = "improvement"
REGRESSION = "regression"
IMPLAUSIBLE = "implausible"  # better than the memory bus can be
INSUFFICIENT = "insufficient"
MISSING = "missing"
NEW = "new"
NO_METRIC = "not measured"  # neither side has the metric in this row

# Verdicts on its requests and sectors.
SAME = "same"
CHANGED = "access pattern changed"
UNSTEADY = "differs between processes"
NOT_COUNTED = "not counted"

# Exit status, the graver ones later: a regression that was found is one whatever else could not be judged.
FINE, WORSE, CANNOT = 0, 1, 2
GRAVITY = (FINE, CANNOT, WORSE)

Processes = list[list[Row]]  # of one row, for each file that has it: its repetitions

COUNTED_SIDES = ("load", "store", "index")

# What is judged unless somebody says otherwise, by the context's backend: what bears disturbance best there
# (docs/comparing.md, "The gate"). Where rows lack it, and on every other device, it is time_s.
DEFAULT_METRIC = {"host": "time_s"}
LIBRARY_TIMES = ("time_s", "real_time", "cpu_time")  # time_s is real_time in seconds
DISTURBED = "disturbed"  # the label of a row whose samples other work disturbed (docs/counters.md)


class CannotCompare(Failure):
    """Nothing can be said of these runs; one line why."""


class NotOneKind(CannotCompare):
    """The runs differ in what makes them another measurement."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = differences
        refused = [one for one in differences if one.refused]
        shown = "; ".join(str(one) for one in refused[:3])
        more = f"; and {len(refused) - 3} more" if len(refused) > 3 else ""
        keys = ",".join(dict.fromkeys(one.key.rpartition(" ")[2] for one in refused))
        super().__init__(
            f"not runs of one kind: {shown}{more}; to compare them all the same: --allow-different={keys}"
        )


@dataclass
class RowReport:
    """What is said of one row."""

    row: str
    verdict: str = ""  # empty where only counters are compared
    exit_code: int = FINE
    message: str = ""
    base: list[float] = field(default_factory=list)  # the metric, a value for each process
    new: list[float] = field(default_factory=list)
    floor: float = math.nan  # shares
    noise: float = math.nan  # standard deviation over processes
    least: float = math.nan  # change from which on one counts: max(floor, k x noise of the change)
    p: float = math.nan
    p_corrected: float = math.nan
    processes_needed: int | None = None  # a side, where the verdict is INSUFFICIENT
    counts: str = NOT_COUNTED
    counts_source: str = ""  # "measured" or "predicted"
    counts_message: str = ""

    def end(self, exit_code: int, verdict: str | None = None, message: str | None = None) -> None:
        """Sets what is given; the exit status can only become graver."""
        self.exit_code = max(self.exit_code, exit_code, key=GRAVITY.index)
        self.verdict = self.verdict if verdict is None else verdict
        self.message = self.message if message is None else message

    @property
    def change(self) -> float:
        """New over base, less 1; NaN where one is missing."""
        return arithmetic.change(self.base, self.new) if self.base and self.new else math.nan


@dataclass
class Report:
    """What is said of two sets of runs."""

    metric: str
    lower_is_better: bool
    policy: Policy
    base: list[ResultFile]
    new: list[ResultFile]
    differences: list[Difference]
    rows: list[RowReport]
    notes: list[str]

    @property
    def exit_code(self) -> int:
        return max((row.exit_code for row in self.rows), key=GRAVITY.index, default=CANNOT)

    def count(self, verdict: str) -> int:
        return sum(verdict in (row.verdict, row.counts) for row in self.rows)


def compare(
    base: Sequence[ResultFile], new: Sequence[ResultFile], policy: Policy, counters_only: bool = False
) -> Report:
    """Judges all rows of both sides; a file is a process.

    @raises ResultError for predictions beside measurements; PolicyError for a metric without a direction;
    CannotCompare if the runs are not of one kind or have nothing in common
    """
    refuse_mixture([*base, *new])
    metric, lower_is_better = direction(chosen_metric(policy.metric, [*base, *new]))
    found = differences(base, new, policy, counters_only)
    report = Report(metric, lower_is_better, policy, list(base), list(new), found, [], [])
    if metric != "time_s" and not counters_only:
        report.notes.append(f"judged by {metric}")
    if any(one.refused for one in found):
        raise NotOneKind(found)
    index = index_of_gpus(base[0])
    sides = [_rows_by_name(files, index) for files in (base, new)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    if not sides[0].keys() & sides[1].keys():
        raise CannotCompare(
            "no row stands on both sides: nothing to compare; look at the filters and names of the runs"
        )
    for name in names:
        report.rows.append(_judge_presence(name, sides, base, new))
    comparable = [row for row in report.rows if not row.verdict]
    for row in comparable:
        base_rows, new_rows = _runs(sides, row)
        _judge_counts(row, base_rows, new_rows, counters_only)
        if not counters_only:
            row.base, row.new = ([value_of(process, metric) for process in side[row.row]] for side in sides)
    if not counters_only:
        judged = [row for row in comparable if _has_metric(row, metric)]
        judged = [row for row in judged if not _is_disturbed(row, [side[row.row] for side in sides], policy)]
        judge_metric(judged, policy, lower_is_better)
        for row in comparable:
            _flag_implausible(row, _runs(sides, row), new[0].context_of(sides[1][row.row][0][0]))
        _note_disturbances(report, sides)
        _note_order(report)
    _note_what_is_void(report, counters_only)
    return report


def _runs(sides: Sequence[dict[str, Processes]], row: RowReport) -> list[list[Row]]:
    """All runs of a row, for each side."""
    return [[run for process in side[row.row] for run in process] for side in sides]


def chosen_metric(metric: str, files: Sequence[ResultFile]) -> str:
    """The metric that "default" stands for: the device's, where every row that has a time has it."""
    if metric != "default":
        return metric
    key = DEFAULT_METRIC.get(files[0].context.get("backend", ""), "time_s")
    timed = [row for file in files for row in file.rows if row.time_s > 0]
    return key if all(value_of([row], key) > 0 for row in timed) else "time_s"


def is_time(metric: str) -> bool:
    """Whether its values are seconds."""
    return metric in LIBRARY_TIMES or metric.endswith("_s")


def direction(metric: str) -> tuple[str, bool]:
    """The metric's key, and whether less of it is better. "my_counter:higher" says so itself.

    @raises PolicyError where nobody knows
    """
    key, _, said = metric.partition(":")
    if said in ("higher", "lower"):
        return key, said == "lower"
    if not said and (key in LIBRARY_TIMES or re.fullmatch(r"(kernel_|traced_)?time_(\w+_)?s", key)):
        return key, True
    if not said and (key.endswith("_per_second") or key.startswith("fraction_of_")):
        return key, False
    raise PolicyError(
        f"metric: {metric}: nobody said which way is better; write {key}:higher or {key}:lower"
    )


def _rows_by_name(files: Iterable[ResultFile], index: dict[str, str]) -> dict[str, Processes]:
    """Rows of all files; a GPU has the number that it has in the first file of base, found by its UUID."""
    found: dict[str, Processes] = {}
    for file in files:
        of_file: dict[str, list[Row]] = {}
        for row in file.rows:
            name = row.name
            if row.gpu:
                name = name.replace(f"/gpu:{row.gpu}", f"/gpu:{gpu_number(file, row, index)}")
            of_file.setdefault(name, []).append(row)
        for name, rows in of_file.items():
            found.setdefault(name, []).append(rows)
    return found


def _judge_presence(
    name: str, sides: Sequence[dict[str, Processes]], base: Sequence[ResultFile], new: Sequence[ResultFile]
) -> RowReport:
    """The verdict on a row that has no numbers on a side; none if both have."""
    row = RowReport(name)
    was, was_message, partly = _state(sides[0].get(name, []))
    now, message, _ = _state(sides[1].get(name, []))
    absent = len(new) - len(sides[1].get(name, []))
    if now != FAILED and absent:
        now, message = MISSING, f"in {absent} of {len(new)} files"
    if was in (FAILED, INTERRUPTED) or partly:
        row.end(CANNOT, was, f"in base: {was_message}; leave that file out or measure base again")
    elif now != OK:
        row.end(FINE if now == SKIPPED and was != OK else WORSE, now, message)
    elif was == SKIPPED:
        row.end(FINE, NEW, f"skipped in base: {was_message}")
    elif was == MISSING:
        row.end(FINE, NEW)
    return row


def _state(processes: Processes) -> tuple[str, str, bool]:
    """What a row is on one side: the worst of its runs, why, and whether only some are that."""
    rows = [row for process in processes for row in process]
    for status in (FAILED, INTERRUPTED, SKIPPED):
        bad = [row for row in rows if row.status == status]
        if bad:
            partly = len(bad) < len(rows)
            return (
                status,
                bad[0].message + (f" (in {len(bad)} of {len(rows)} runs)" if partly else ""),
                partly,
            )
    return (OK if rows else MISSING), "", False


def value_of(process: list[Row], metric: str) -> float:
    """The median of a process's repetitions, times in seconds; NaN where one has no finite one."""
    if metric == "cpu_time":
        values = [row.cpu_time_s for row in process]
    elif metric in LIBRARY_TIMES:
        values = [row.time_s for row in process]
    else:
        values = [row.counters.get(metric, math.nan) for row in process]
    return statistics.median(values) if all(map(math.isfinite, values)) else math.nan


def _has_metric(row: RowReport, metric: str) -> bool:
    """Whether both sides have values above zero; if not, the row's verdict says so."""
    was, now = (all(value > 0 for value in values) for values in (row.base, row.new))
    if was and now:
        return True
    partly = not was and any(value > 0 for value in row.base)
    bad = next((value for value in row.base + row.new if value <= 0), math.nan)
    row.base, row.new = [], []  # there is no change to speak of
    what = f"no finite {metric}" if math.isnan(bad) else f"{metric} is {bad:g}: not comparable"
    row.end(WORSE if was else CANNOT if partly else FINE, NO_METRIC, what)
    return False


def _is_disturbed(row: RowReport, sides: Sequence[Processes], policy: Policy) -> bool:
    """Whether other work disturbed most processes of a side: such a row is not judged."""
    for name, side in zip(("base", "new"), sides):
        disturbed = sum(_any_disturbed(process) for process in side)
        if 2 * disturbed > len(side):
            row.end(FINE if policy.allow_insufficient else CANNOT, INSUFFICIENT)
            row.message = f"disturbed by other work in {disturbed} of {len(side)} processes of {name}"
            return True
    return False


def _any_disturbed(process: list[Row]) -> bool:
    return any(DISTURBED in row.label for row in process)


def _note_disturbances(report: Report, sides: Sequence[dict[str, Processes]]) -> None:
    rows = [
        [process for side in sides for process in side.get(row.row, []) if _any_disturbed(process)]
        for row in report.rows
    ]
    disturbed = sum(bool(processes) for processes in rows)
    if disturbed:
        report.notes.append(
            f"other work disturbed {disturbed} of {len(rows)} rows, in {sum(map(len, rows))} measurements of "
            "processes: measure where less else runs"
        )


def _note_order(report: Report) -> None:
    """Says so where one side was measured wholly before the other, by the dates at which processes began."""
    if min(len(report.base), len(report.new)) < 2:
        return
    try:
        base, new = (
            [datetime.fromisoformat(file.context["date"]).timestamp() for file in side]
            for side in (report.base, report.new)
        )
    except (KeyError, ValueError, OverflowError, OSError):
        return
    if max(base) < min(new) or max(new) < min(base):
        report.notes.append(
            "base and new were collected one after the other, not in turn: a drift of the machine between them "
            "looks like a change; collect.sh takes turns"
        )


def judge_metric(rows: Sequence[RowReport], policy: Policy, lower_is_better: bool) -> None:
    """The verdicts of rows that have the metric of each process on both sides, all above zero."""
    for row in rows:
        n, m = len(row.base), len(row.new)
        row.floor = policy.floor(row.row)
        row.noise = arithmetic.noise(row.base, row.new)
        uncertainty = policy.k * arithmetic.noise_of_change(row.noise, n, m)
        row.least = max(row.floor, uncertainty) if uncertainty == uncertainty else math.nan
        row.p = arithmetic.permutation_p(row.base, row.new)
    for row, corrected in zip(rows, arithmetic.holm([row.p for row in rows])):
        row.p_corrected = corrected
        _judge_change(row, policy, len(rows), lower_is_better)


def _judge_change(row: RowReport, policy: Policy, rows: int, lower_is_better: bool) -> None:
    n, m = len(row.base), len(row.new)
    can_be_significant = arithmetic.smallest_p(n, m) * rows <= policy.alpha
    if can_be_significant and row.p_corrected <= policy.alpha and abs(row.change) > row.least:
        worse = (row.change > 0) == lower_is_better
        row.end(*((WORSE, REGRESSION) if worse else (FINE, IMPROVEMENT)))
        return
    if can_be_significant and row.least <= row.floor and abs(row.change) <= row.floor:
        row.verdict = NO_CHANGE
        return
    row.end(FINE if policy.allow_insufficient else CANNOT, INSUFFICIENT)
    needed = [arithmetic.processes_for_p(policy.alpha, rows)]
    if not math.isnan(row.noise):
        needed.append(arithmetic.processes_for_floor(row.noise, row.floor, policy.k))
    if can_be_significant and row.least <= row.floor:
        needed.append(2 * max(n, m))  # larger than the floor, yet not significant: outliers
    row.processes_needed = max(needed)
    least = "at least " if math.isnan(row.noise) else ""
    row.message = f"takes {least}{row.processes_needed} processes a side"
    if row.processes_needed >= arithmetic.MAX_PROCESSES:
        row.message = f"no number of processes will do: noise {100 * row.noise:.0f} %"
    outlier = _outlier(row)
    if outlier:
        row.message += "; " + outlier


def _outlier(row: RowReport) -> str:
    """Names the one process without which the row would be far less noisy."""
    for side, values, other in (("base", row.base, row.new), ("new", row.new, row.base)):
        middle = statistics.median(values)
        far = max(range(len(values)), key=lambda index: abs(values[index] - middle))
        rest = values[:far] + values[far + 1 :]
        if len(rest) >= 3 and arithmetic.noise(rest, other) < row.noise / 3:
            off, without = values[far] / middle - 1, arithmetic.noise(rest, other)
            return (
                f"process {far + 1} of {side} lies {100 * off:+.1f} % off, without it the noise would be "
                f"{100 * without:.2g} %"
            )
    return ""


def _flag_implausible(row: RowReport, runs: Sequence[list[Row]], context: dict[str, str]) -> None:
    """A row that is now better than the memory bus can be, and was not."""
    was, now = (impossible_rate(side, context) for side in runs)
    if now and not was:
        row.end(CANNOT, IMPLAUSIBLE, now + "; look for work that is no longer done")


def impossible_rate(rows: Sequence[Row], context: dict[str, str]) -> str:
    """Why this time cannot be: the memory bus would have had to move more than its peak. Empty if it can.

    Bytes are those that the DRAM counters saw, or the distinct bytes that the row moves less the size of L2,
    as L2 can keep no more than that from one launch to the next. Rows that fit in L2 are thus never flagged,
    nor is a write whose end stays in L2.
    """
    try:
        peak = float(context["gpu.peak_bytes_per_s"])  # "slice: unknown" on a part of a GPU
        l2_bytes = float(context["gpu.l2_bytes"])
    except (KeyError, ValueError):
        return ""
    if not peak > 0 or context.get("memory_space", "device") != "device":
        return ""
    time_s = statistics.median(row.time_s for row in rows)
    counted = [row.counters["dram_bytes_measured"] for row in rows if "dram_bytes_measured" in row.counters]
    moved = [row.counters.get("unique_bytes", row.counters.get("useful_bytes", 0)) for row in rows]
    least = statistics.median(counted) if counted else 0.0
    what = "DRAM bytes counted"
    if statistics.median(moved) - l2_bytes > least:
        least, what = statistics.median(moved) - l2_bytes, "bytes beyond L2"
    if not least > peak * time_s:
        return ""
    return f"{least / time_s / 1e9:.0f} GB/s of {what} exceed the bus's peak of {peak / 1e9:.0f}"


def _judge_counts(row: RowReport, base: list[Row], new: list[Row], counters_only: bool) -> None:
    """Requests and sectors: measured ones where both sides have them, and the model's."""
    for source in ("measured", "predicted"):
        was, now = (_counts(rows, source) for rows in (base, new))
        if not was and not now:
            continue
        if not was or not now:
            row.counts_message = f"{source} on one side only"
            if counters_only and source == "measured" and was:
                row.end(CANNOT)  # what base had is not there to compare
            continue
        row.counts_source = row.counts_source or source
        if len(was) > 1 or len(now) > 1:
            row.end(CANNOT)
            row.counts = UNSTEADY
            row.counts_message = f"{source} requests and sectors, in {'base' if len(was) > 1 else 'new'}"
            return
        changes = _changed_counts(*was, *now)
        if changes:
            row.end(WORSE)
            row.counts, row.counts_source = CHANGED, source
            row.counts_message = f"{changes} ({source})"
            return
        row.counts = SAME


Counts = tuple[tuple[str, float, float], ...]  # side, requests, sectors


def _counts(rows: Iterable[Row], source: str) -> set[Counts]:
    """The counts of all runs, each once; empty if some run has none. No predicted request: nothing is predicted."""
    found = set()
    for row in rows:
        counts = tuple(
            (side, row.counters[f"{side}_requests_{source}"], row.counters[f"{side}_sectors_{source}"])
            for side in COUNTED_SIDES
            if f"{side}_requests_{source}" in row.counters and f"{side}_sectors_{source}" in row.counters
        )
        if not counts or (source == "predicted" and not any(requests for _, requests, _ in counts)):
            return set()
        found.add(counts)
    return found


def _changed_counts(was: Counts, now: Counts) -> str:
    """What changed, in words: "load: 4 -> 5 sectors/request"."""
    before, after = ({side: numbers for side, *numbers in counts} for counts in (was, now))
    changes = []
    for side in COUNTED_SIDES:
        if side not in before or side not in after or before[side] == after[side]:
            continue
        (old_requests, old_sectors), (requests, sectors) = before[side], after[side]
        if old_requests and requests and old_sectors / old_requests != sectors / requests:
            changes.append(
                f"{side}: {old_sectors / old_requests:.6g} -> {sectors / requests:.6g} sectors/request"
            )
        if old_requests != requests:
            changes.append(f"{side}: {old_requests:.0f} -> {requests:.0f} requests")
        if old_requests == requests and not requests:
            changes.append(f"{side}: {old_sectors:.0f} -> {sectors:.0f} sectors")
    return ", ".join(changes)


def _note_what_is_void(report: Report, counters_only: bool) -> None:
    unused = report.policy.unused(row.row for row in report.rows)
    if unused and not counters_only:
        report.notes.append("floors of the policy that fit no row: " + ", ".join(unused))
    judged = (
        [row for row in report.rows if row.counts != NOT_COUNTED]
        if counters_only
        else [
            row
            for row in report.rows
            if row.verdict in (NO_CHANGE, IMPROVEMENT, REGRESSION, IMPLAUSIBLE, INSUFFICIENT)
        ]
    )
    if judged and (counters_only or any(row.verdict != INSUFFICIENT for row in judged)):
        return
    if counters_only and not judged and not any(row.exit_code == WORSE for row in report.rows):
        raise CannotCompare("no row has requests and sectors on both sides: nothing to compare")
    if not judged and not any(row.exit_code for row in report.rows):
        raise CannotCompare(f"no row has {report.metric} on both sides: nothing to compare")
    if judged and report.policy.allow_insufficient and not any(row.exit_code for row in report.rows):
        raise CannotCompare(
            "every row is insufficient: nothing was compared; --allow-insufficient is for some of them"
        )
