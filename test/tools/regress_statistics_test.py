# SPDX-License-Identifier: Apache-2.0
"""bench/tools/regress_statistics.py against figures worked out by hand and against scipy."""

from __future__ import annotations

import itertools
import math
import unittest

import numpy
import synthetic  # noqa: F401  (it knows where the tools are)
from scipy import stats

import regress_statistics as arithmetic


class Changes(unittest.TestCase):
    def test_a_change_is_that_of_medians(self) -> None:
        self.assertAlmostEqual(arithmetic.change([1500e-9], [1.6e-6]), 1 / 15, places=12)
        self.assertAlmostEqual(arithmetic.change([1, 2, 90], [1, 3, 5, 7]), 1.0, msg="2 -> 4")

    def test_noise_is_of_one_side_and_pooled(self) -> None:
        # Relative to the medians 10 and 20: -0.1, 0, 0.1 on both sides: sqrt((2 x 0.01 + 2 x 0.01) / 4).
        self.assertAlmostEqual(arithmetic.noise([9, 10, 11], [18, 20, 22]), 0.1, places=12)
        self.assertAlmostEqual(arithmetic.noise([9, 10, 11], [5]), 0.1, places=12)
        # -0.1, 0, 0.2 about their mean of 0.0333: sqrt((0.1333^2 + 0.0333^2 + 0.1667^2) / 2).
        self.assertAlmostEqual(arithmetic.noise([9, 10, 12]), 0.152753, places=6)
        self.assertTrue(math.isnan(arithmetic.noise([1], [2])))

    def test_a_shift_is_no_noise(self) -> None:
        self.assertEqual(arithmetic.noise([3, 3], [7, 7]), 0)

    def test_noise_of_a_change(self) -> None:
        # sqrt(pi / 2) x 0.003 x sqrt(2 / 9)
        self.assertAlmostEqual(arithmetic.noise_of_change(0.003, 9, 9), 0.00177245, places=8)
        # ... which is what medians of 9 normal values really do, to some percent: theirs is 4 % less.
        random = numpy.random.default_rng(7)
        sides = 1 + 0.003 * random.standard_normal((2, 20_000, 9))
        seen = numpy.std(numpy.median(sides[1], axis=1) / numpy.median(sides[0], axis=1))
        self.assertAlmostEqual(seen / arithmetic.noise_of_change(0.003, 9, 9), 1, delta=0.06)


class Permutations(unittest.TestCase):
    def test_apart(self) -> None:
        # Of C(6, 3) = 20 ways two are as extreme.
        self.assertAlmostEqual(arithmetic.permutation_p([1, 2, 3], [4, 5, 6]), 2 / 20, places=12)
        self.assertAlmostEqual(arithmetic.permutation_p(range(9), range(9, 18)), 2 / 48620, places=12)
        self.assertAlmostEqual(arithmetic.permutation_p(range(9, 18), range(9)), 2 / 48620, places=12)

    def test_nothing(self) -> None:
        self.assertEqual(arithmetic.permutation_p([1, 1, 1], [1, 1]), 1)
        self.assertEqual(arithmetic.permutation_p([1], [2]), 1)

    def test_one_pair_swapped(self) -> None:
        # {1, 2, 4} against {3, 5, 6}: sums 7 (once), 6 (once), and their mirrors 14, 15: 4 of 20.
        self.assertAlmostEqual(arithmetic.permutation_p([1, 2, 4], [3, 5, 6]), 4 / 20, places=12)

    def test_all_ways_listed(self) -> None:
        random = numpy.random.default_rng(3)
        for n, m in ((2, 3), (4, 4), (3, 6)):
            for _ in range(5):
                values = numpy.round(2 * random.standard_normal(n + m))  # with ties
                ranks = stats.rankdata(values)
                off = [abs(sum(one) - n * ranks.mean()) for one in itertools.combinations(ranks, n)]
                expected = numpy.mean(numpy.array(off) >= abs(ranks[:n].sum() - n * ranks.mean()) - 1e-9)
                self.assertAlmostEqual(
                    arithmetic.permutation_p(values[:n], values[n:]), expected, places=12
                )

    def test_scipy_agrees(self) -> None:
        random = numpy.random.default_rng(4)
        for n, m in ((9, 9), (5, 12), (30, 30)):
            base, new = random.standard_normal(n), 0.5 + random.standard_normal(m)
            expected = stats.mannwhitneyu(base, new, alternative="two-sided", method="exact").pvalue
            self.assertAlmostEqual(arithmetic.permutation_p(base, new) / expected, 1, places=9)

    def test_many_processes_are_approximated(self) -> None:
        random = numpy.random.default_rng(5)
        base, new = random.standard_normal(45), 0.3 + random.standard_normal(45)
        expected = stats.mannwhitneyu(base, new, alternative="two-sided", method="exact").pvalue
        self.assertAlmostEqual(arithmetic.permutation_p(base, new) / expected, 1, delta=0.1)


class Corrections(unittest.TestCase):
    def test_holm(self) -> None:
        self.assertEqual(arithmetic.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
        self.assertEqual(arithmetic.holm([0.6, 0.5]), [1, 1])
        self.assertEqual(arithmetic.holm([]), [])

    def test_what_processes_can_show(self) -> None:
        self.assertAlmostEqual(arithmetic.smallest_p(3, 3), 0.1)
        self.assertAlmostEqual(arithmetic.smallest_p(9, 9), 2 / 48620)
        self.assertEqual(arithmetic.smallest_p(1, 1), 1)
        # 2 / C(14, 7) x 26 = 0.0152, 2 / C(16, 8) x 26 = 0.0040
        self.assertEqual(arithmetic.processes_for_p(0.01, 26), 8)
        self.assertEqual(arithmetic.processes_for_p(0.05, 1), 4)

    def test_processes_for_a_floor(self) -> None:
        # 2 x (5 x 1.2533 x 1 % / 1.5 %)^2 = 34.9
        self.assertEqual(arithmetic.processes_for_floor(0.01, 0.015, 5), 35)
        self.assertLessEqual(5 * arithmetic.noise_of_change(0.01, 35, 35), 0.015)
        self.assertGreater(5 * arithmetic.noise_of_change(0.01, 34, 34), 0.015)
        self.assertEqual(arithmetic.processes_for_floor(0, 0.015, 5), 1)


if __name__ == "__main__":
    unittest.main()
