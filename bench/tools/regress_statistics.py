# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of bench/tools/regress.py: how large a change is, how noisy, and how likely by chance.

One value stands for one process: repetitions within a process share its memory layout, its clocks and
its neighbours, and are not independent. A change is that of the medians over processes. Whether it may be
chance says the exact permutation test of the rank sum: of all ways to call n of the n + m values "base",
the share whose rank sum lies at least as far from its mean as the one seen. It assumes nothing of how
values are distributed, only that base and new would be exchangeable if nothing had changed (processes
run in turn, bench/tools/collect.sh). The difference of medians itself would make a weaker test: with 9 and 9
processes that do not overlap at all it reaches p = 0.0029, the rank sum 0.00004.

Shapes: values of one side are a sequence of floats, one a process, all of one unit. Changes, noise and
floors are shares (0.02 is 2 %).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy
from scipy.stats import mannwhitneyu, rankdata

numpy.seterr(all="ignore")  # what overflows is infinite noise, and what is unknown NaN: nothing to warn of

# Standard error of a median of n normal values: this times their standard deviation / sqrt(n).
MEDIAN_ERROR = math.sqrt(math.pi / 2)

EXACT_PROCESSES = 80  # of both sides together, up to which p is exact

Counts = numpy.ndarray[Any, Any]

MAX_PROCESSES = 100_000  # where "how many would it take" gives up


def change(base: Sequence[float], new: Sequence[float]) -> float:
    """Median of new over median of base, less 1: 1.6 us after 1500 ns is 0.0667.

    @pre base has a median that is not zero
    """
    return float(numpy.median(new) / numpy.median(base)) - 1


def noise(*sides: Sequence[float]) -> float:
    """Standard deviation over processes, relative to the median of their side, pooled over the sides.

    NaN where no side has two values. A shift between sides is not noise: each has its own mean.
    """
    squares = freedom = 0.0
    for side in sides:
        relative = numpy.asarray(side, dtype=float) / numpy.median(side)
        squares += float(numpy.sum((relative - relative.mean()) ** 2))
        freedom += len(relative) - 1
    return math.sqrt(squares / freedom) if freedom else math.nan


def robust_noise(*sides: Sequence[float]) -> float:
    """The same from the median absolute deviation: what lies far off, up to nearly half, adds nothing to it.

    1.4826 times that is the standard deviation of normal values. NaN where no side has two values.
    """
    relative = [numpy.asarray(side, dtype=float) / numpy.median(side) - 1 for side in sides if len(side) > 1]
    return 1.4826 * float(numpy.median(numpy.abs(numpy.concatenate(relative)))) if relative else math.nan


def noise_of_change(noise_of_process: float, n: int, m: int) -> float:
    """Standard error of the change of the medians of n and m processes."""
    return MEDIAN_ERROR * noise_of_process * math.sqrt(1 / n + 1 / m)


def permutation_p(base: Sequence[float], new: Sequence[float]) -> float:
    """Two-sided p of the exact permutation test of the rank sum; ties get their middle rank.

    Exact up to EXACT_PROCESSES, as subsets are counted by their rank sum instead of being listed; beyond
    that scipy's normal approximation, corrected for ties.
    """
    if len(base) + len(new) > EXACT_PROCESSES:
        return float(mannwhitneyu(base, new, alternative="two-sided", method="asymptotic").pvalue)
    ranks = numpy.rint(2 * rankdata(numpy.concatenate([base, new]))).astype(int)
    sums, counts = _subset_sums(len(base), tuple(sorted(ranks)))
    # Doubled ranks are integers, and n / N of their total is the mean of the sums: all times N stay integers.
    total = len(ranks)
    off = numpy.abs(sums * total - len(base) * int(ranks.sum()))
    seen = abs(int(ranks[: len(base)].sum()) * total - len(base) * int(ranks.sum()))
    return float(counts[off >= seen].sum() / counts.sum())


@lru_cache(maxsize=256)
def _subset_sums(size: int, ranks: tuple[int, ...]) -> tuple[Counts, Counts]:
    """For all subsets of `size` ranks: their possible sums, and how many subsets have each."""
    counts = numpy.zeros((size + 1, sum(ranks) + 1))
    counts[0, 0] = 1
    for rank in ranks:
        counts[1:, rank:] += counts[:-1, : counts.shape[1] - rank].copy()
    sums = numpy.flatnonzero(counts[size])
    return sums, counts[size, sums]


def smallest_p(n: int, m: int) -> float:
    """The least p that n and m processes can reach: both extremes, of all ways to divide them."""
    return min(1.0, 2 / math.comb(n + m, n))


def holm(p: Sequence[float]) -> list[float]:
    """p corrected for as many tests as there are (Holm 1979): the chance of one false alarm among all."""
    order = numpy.argsort(p, kind="stable")
    corrected = numpy.empty(len(p))
    largest = 0.0
    for position, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - position) * p[index]))
        corrected[index] = largest
    return [float(value) for value in corrected]


def processes_for_p(alpha: float, rows: int) -> int:
    """Processes a side from which on a change in one of so many rows can be significant at all."""
    n = 1
    while smallest_p(n, n) * rows > alpha and n < MAX_PROCESSES:
        n += 1
    return n


def processes_for_floor(noise_of_process: float, floor: float, k: float) -> int:
    """Processes a side that bring k times the noise of the change down to the floor."""
    ratio = k * MEDIAN_ERROR * noise_of_process / floor if floor > 0 else math.inf
    return max(1, math.ceil(2 * ratio**2)) if 2 * ratio < math.sqrt(MAX_PROCESSES) else MAX_PROCESSES
