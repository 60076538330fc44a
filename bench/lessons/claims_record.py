# SPDX-License-Identifier: Apache-2.0
"""What the claims ask a result file, and the checks that they are made of.

A quantity (`time`, `rate`, `sectors`, `counter`, their sums and ratios) is a number with a text. A check
holds it against a threshold, and says in words what it compares, so that text and arithmetic cannot differ:

    within(time("stride/copy/f32/stride:32") / time("stride/copy/f32/stride:8"), at_most=1.05)

A record notes every figure that it is asked for; that is the evidence which stands beside the verdict.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import sectorbench_results as results

# Labels of a row (docs/counters.md) with which its time is no evidence about memory.
UNFIT = {
    "cache_resident": "fits in the cache",
    "throttled": "ran with clocks held down",
    "shared": "shared the GPU",
}


class CannotTell(Exception):
    """The record does not decide a claim; the text says why, such as: no row `contiguous/copy/f32`."""


class Record:
    """One result file, asked by the names of its rows. Repetitions count with their median."""

    def __init__(self, file: results.ResultFile) -> None:
        self.path = file.path
        self.on_gpu = file.context.get("backend") != "host"
        self.asked: dict[str, list[str]] = {}  # row -> its figures that a check looked at
        self._context = file.context
        self._rows: dict[str, list[results.Row]] = {}
        for row in file.rows:
            self._rows.setdefault(row.name, []).append(row)

    def has(self, name: str) -> bool:
        return any(row.status == results.OK for row in self._rows.get(name, ()))

    def time_s(self, name: str, in_cache: bool = False) -> float:
        """Median time of a launch; the mean where a program wrote no median. @raises CannotTell"""
        rows = self._measured(name)
        for key, why in UNFIT.items():
            if key in rows[0].label and not (in_cache and key == "cache_resident"):
                raise CannotTell(f"`{name}` {why} ({key}={rows[0].label[key]})")
        seconds = statistics.median(row.counters.get("time_median_s", row.time_s) for row in rows)
        if not seconds > 0:
            raise CannotTell(f"`{name}` has no time")
        text = f"{seconds * 1e6:.4g} us" if seconds < 1e-3 else f"{seconds * 1e3:.4g} ms"
        return self._note(name, seconds, text)

    def counter(self, name: str, key: str, unit: str) -> float:
        """A counter of the row. @raises CannotTell if the record does not have it."""
        rows = self._measured(name)
        if any(key not in row.counters for row in rows):
            raise CannotTell(f"no {key} of `{name}`")
        value = statistics.median(row.counters[key] for row in rows)
        digits = f"{value:,.0f}" if value.is_integer() else f"{value:.4g}"
        return self._note(name, value, f"{digits} {unit}")

    def context_number(self, key: str) -> float:
        try:
            return float(self._context[key])
        except (KeyError, ValueError):
            raise CannotTell(f"the context has no number {key}") from None

    def _measured(self, name: str) -> list[results.Row]:
        rows = self._rows.get(name)
        if not rows:
            raise CannotTell(f"no row `{name}`")
        for row in rows:
            if row.status != results.OK:
                raise CannotTell(f"`{name}` {row.status}: {row.message}")
        return rows

    def _note(self, name: str, value: float, text: str) -> float:
        if not math.isfinite(value):
            raise CannotTell(f"`{name}` has no finite number: {text}")
        figures = self.asked.setdefault(name, [])
        if text not in figures:
            figures.append(text)
        return value


@dataclass(frozen=True)
class Quantity:
    """A number that a record may have, and what it is."""

    text: str
    of: Callable[[Record], float]

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(f"({self.text} + {other.text})", lambda record: self.of(record) + other.of(record))

    def __truediv__(self, other: Quantity) -> Quantity:
        return Quantity(
            f"{self.text} / {other.text}", lambda record: _ratio(self.of(record), other.of(record), other.text)
        )

    def __rmul__(self, factor: float) -> Quantity:
        return Quantity(f"({factor:g} * {self.text})", lambda record: factor * self.of(record))


def _ratio(above: float, below: float, what: str) -> float:
    if below == 0:
        raise CannotTell(f"`{what}` is 0")
    return above / below


def time(row: str, in_cache: bool = False) -> Quantity:
    """Seconds of a launch of the row."""
    return Quantity(f"time({row})", lambda record: record.time_s(row, in_cache))


def rate(row: str) -> Quantity:
    """Useful bytes per second of the row."""

    def bytes_per_s(record: Record) -> float:
        seconds = record.time_s(row)
        return record.counter(row, "useful_bytes", "useful bytes") / seconds

    return Quantity(f"rate({row})", bytes_per_s)


def sectors(row: str) -> Quantity:
    """Sectors of a load request of the row, counted by the hardware."""

    def of_a_request(record: Record) -> float:
        total = record.counter(row, "load_sectors_measured", "load sectors")
        requests = record.counter(row, "load_requests_measured", "load requests")
        return _ratio(total, requests, f"load_requests_measured({row})")

    return Quantity(f"sectors({row})", of_a_request)


def counter(row: str, key: str, unit: str) -> Quantity:
    """A counter of the row (docs/counters.md), in `unit`."""
    return Quantity(f"{key}({row})", lambda record: record.counter(row, key, unit))


def number(key: str) -> Quantity:
    """A number of the context (docs/counters.md)."""
    return Quantity(key, lambda record: record.context_number(key))


def largest(quantities: Iterable[Quantity]) -> Quantity:
    parts = list(quantities)
    text = ", ".join(part.text for part in parts)
    return Quantity(f"max({text})", lambda record: max(part.of(record) for part in parts))


@dataclass(frozen=True)
class Finding:
    holds: bool
    figure: str  # what was compared with the threshold: 1.042


@dataclass(frozen=True)
class Check:
    """`text` says when the claim holds, `of` whether it does. @raises CannotTell"""

    compared: str  # the quantities, in code spans
    of: Callable[[Record], Finding]
    bounds: str = ""  # what they are held against

    @property
    def text(self) -> str:
        return f"{self.compared} {self.bounds}".strip()


def within(quantity: Quantity, at_least: float = -math.inf, at_most: float = math.inf) -> Check:
    """Holds where the quantity lies within the bounds."""

    def find(record: Record) -> Finding:
        value = quantity.of(record)
        return Finding(at_least <= value <= at_most, figure(value))

    return Check(f"`{quantity.text}`", find, _bounds(at_least, at_most))


def equal(quantity: Quantity, expected: float, tolerance: float = 0.01) -> Check:
    """Holds where the quantity is `expected`, to a share of it."""

    def find(record: Record) -> Finding:
        value = quantity.of(record)
        return Finding(abs(value - expected) <= tolerance * expected, figure(value))

    return Check(f"`{quantity.text}`", find, f"= {expected:g}")


def all_of(checks: Iterable[Check]) -> Check:
    """Holds where all do. One that fails decides, whatever the record does not have for the others."""
    parts = list(checks)

    def find(record: Record) -> Finding:
        findings: list[Finding] = []
        unknown: list[CannotTell] = []
        for part in parts:
            try:
                findings.append(part.of(record))
            except CannotTell as reason:
                unknown.append(reason)
        holds = all(one.holds for one in findings)
        if unknown and holds:
            raise unknown[0]
        return Finding(holds, ", ".join(one.figure for one in findings))

    if len({part.bounds for part in parts}) == 1:
        return Check(_series([part.compared for part in parts]), find, f"each {parts[0].bounds}")
    return Check("; ".join(part.text for part in parts), find)


def _series(texts: list[str]) -> str:
    """Texts that differ in one number only as one: `time(x:1)`, `time(x:2)` are `time(x:N)` for N = 1, 2."""
    parted = [re.split(r"(?<=:)(\d+)", text) for text in texts]
    columns = list(zip(*parted))
    varying = {column for column in columns if len(set(column)) > 1}
    same_length = len({len(parts) for parts in parted}) == 1
    if not same_length or len(varying) != 1 or not all(part.isdigit() for column in varying for part in column):
        return ", ".join(texts)
    numbers = varying.pop()
    text = "".join("N" if column == numbers else column[0] for column in columns)
    return f"{text} for N = {', '.join(numbers)},"


def given(condition: Check, check: Check) -> Check:
    """The check, of records for which the condition holds; of others nothing can be told."""

    def find(record: Record) -> Finding:
        met = condition.of(record)
        if not met.holds:
            raise CannotTell(f"the condition is not met: {condition.text}, here {met.figure}")
        return check.of(record)

    return Check(f"{check.text}, given that {condition.text}", find)


def rising(curves: Sequence[Sequence[str]], at_least: float) -> Check:
    """Holds where each row of a curve takes at least so many times as long as the one before it.

    Rows that the record does not have are left out. One that is faster refutes the claim; to confirm it
    a record needs all of them.
    """
    text = " and ".join(f"`{curve[0]}` to `{curve[-1].rsplit('/', 1)[-1]}`" for curve in curves)

    def find(record: Record) -> Finding:
        known = [[row for row in curve if record.has(row)] for curve in curves]
        steps = [
            (row, record.time_s(row) / record.time_s(before))
            for curve in known
            for before, row in zip(curve, curve[1:])
        ]
        least = min(steps, key=lambda step: step[1], default=None)
        if least and least[1] < at_least:
            return Finding(False, f"{figure(least[1])} at `{least[0]}`")
        if known != [list(curve) for curve in curves]:
            last = known[0][-1] if known[0] else "no row"
            raise CannotTell(f"slower at each step up to `{last}`, which is the record's last")
        assert least
        return Finding(True, f"{figure(least[1])} at least")

    return Check(f"time of a row / time of the row before it, in {text}", find, f"each >= {at_least:g}")


def figure(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _bounds(at_least: float, at_most: float) -> str:
    if at_most == math.inf:
        return f">= {at_least:g}"
    if at_least == -math.inf:
        return f"<= {at_most:g}"
    return f"from {at_least:g} to {at_most:g}"
