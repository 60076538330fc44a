# SPDX-License-Identifier: Apache-2.0
"""What the ledger of claims asks a result file, and the checks that its claims are made of.

A quantity (`time`, `rate`, `sectors`, `counter`, their sums and ratios) is a number with a text. A check
holds it against a threshold, and says in words what it compares, so that text and arithmetic cannot differ:

    within(time("stride/copy/f32/stride:32") / time("stride/copy/f32/stride:8"), at_most=1.05)

A record notes every figure that it is asked for; that is the evidence which stands beside the verdict.
"""

from __future__ import annotations

import math
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
        return Quantity(f"{factor:g} x {self.text}", lambda record: factor * self.of(record))


def _ratio(above: float, below: float, what: str) -> float:
    if below == 0:
        raise CannotTell(f"{what} is 0")
    return above / below


def time(row: str, in_cache: bool = False) -> Quantity:
    """Seconds of a launch of the row."""
    return Quantity(f"time of `{row}`", lambda record: record.time_s(row, in_cache))


def rate(row: str) -> Quantity:
    """Useful bytes per second of the row."""

    def bytes_per_s(record: Record) -> float:
        seconds = record.time_s(row)
        return record.counter(row, "useful_bytes", "useful bytes") / seconds

    return Quantity(f"rate of `{row}`", bytes_per_s)


def sectors(row: str, side: str = "load") -> Quantity:
    """Sectors of a request of the row, counted by the hardware; `side` is load or store."""

    def of_a_request(record: Record) -> float:
        total = record.counter(row, f"{side}_sectors_measured", f"{side} sectors")
        requests = record.counter(row, f"{side}_requests_measured", f"{side} requests")
        return _ratio(total, requests, f"number of {side} requests of `{row}`")

    return Quantity(f"{side} sectors of a request of `{row}`", of_a_request)


def counter(row: str, key: str, unit: str) -> Quantity:
    """A counter of the row (docs/counters.md), in `unit`."""
    return Quantity(f"{key} of `{row}`", lambda record: record.counter(row, key, unit))


def number(key: str) -> Quantity:
    """A number of the context (docs/evidence.md)."""
    return Quantity(f"`{key}`", lambda record: record.context_number(key))


def largest(quantities: Iterable[Quantity]) -> Quantity:
    parts = list(quantities)
    text = ", ".join(part.text for part in parts)
    return Quantity(f"the largest of ({text})", lambda record: max(part.of(record) for part in parts))


@dataclass(frozen=True)
class Finding:
    holds: bool
    figure: str  # what was compared with the threshold: 1.042


@dataclass(frozen=True)
class Check:
    """`text` says when the claim holds, `of` whether it does. @raises CannotTell"""

    text: str
    of: Callable[[Record], Finding]


def within(quantity: Quantity, at_least: float = -math.inf, at_most: float = math.inf) -> Check:
    """Holds where the quantity lies within the bounds."""

    def find(record: Record) -> Finding:
        value = quantity.of(record)
        return Finding(at_least <= value <= at_most, figure(value))

    return Check(f"{quantity.text} is {_bounds(at_least, at_most)}", find)


def equal(quantity: Quantity, expected: float, tolerance: float = 0.01) -> Check:
    """Holds where the quantity is `expected`, to a share of it."""

    def find(record: Record) -> Finding:
        value = quantity.of(record)
        return Finding(abs(value - expected) <= tolerance * expected, figure(value))

    return Check(f"{quantity.text} is {expected:g}", find)


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

    return Check("; ".join(part.text for part in parts), find)


def given(condition: Check, check: Check) -> Check:
    """The check, of records for which the condition holds; of others nothing can be told."""

    def find(record: Record) -> Finding:
        met = condition.of(record)
        if not met.holds:
            raise CannotTell(f"it is not so that {condition.text}: {met.figure}")
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
            return Finding(False, f"`{least[0]}` takes {figure(least[1])} times as long as the one before it")
        if known != [list(curve) for curve in curves]:
            last = known[0][-1] if known[0] else "no row"
            raise CannotTell(f"slower at each step up to `{last}`, which is the record's last")
        assert least
        return Finding(True, f"at least {figure(least[1])} times as long as the one before it")

    return Check(f"each row takes at least {at_least:g} times as long as the one before it, {text}", find)


def figure(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _bounds(at_least: float, at_most: float) -> str:
    if at_most == math.inf:
        return f"at least {at_least:g}"
    if at_least == -math.inf:
        return f"at most {at_most:g}"
    return f"{at_least:g} to {at_most:g}"
