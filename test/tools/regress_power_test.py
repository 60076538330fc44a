# SPDX-License-Identifier: Apache-2.0
"""How often bench/tools/regress.py is right: on made-up runs of 26 rows whose truth is known.

Counts are of 100 comparisons with fixed seeds; docs/comparing.md has them.
"""

from __future__ import annotations

import unittest
from collections import Counter

import numpy
from synthetic import ROWS, ToolTest, call, files_of, processes

import metric_table
import regress_compare
import regress_policy

SLOWER = ROWS[7]


def judge(
    noise: float,
    slower: float,
    seed: int,
    count: int = 9,
    policy: regress_policy.Policy = regress_policy.Policy(),
) -> regress_compare.Report:
    random = numpy.random.default_rng(seed)
    base = files_of(processes(count, noise, random))
    new = files_of(processes(count, noise, random, {SLOWER: slower}))
    return regress_compare.compare(base, new, policy)


def verdicts(report: regress_compare.Report) -> dict[str, str]:
    return {row.row: row.verdict for row in report.rows}


class MetricTable(ToolTest):
    def test_the_minimum_bears_what_the_mean_does_not(self) -> None:
        random = numpy.random.default_rng(8)
        folder = self.folder / "busy"
        folder.mkdir()
        for index, one in enumerate(processes(18, 0.001, random, names=ROWS[:2])):
            for made in one["benchmarks"]:
                made["time_min_s"] = made["real_time"] / 1e9
                made["real_time"] *= random.choice([1, 3])
            self.write(f"busy/run_{index}.json", one)
        ended = call(metric_table.main, [str(folder), "--pairs=10"])
        self.assertEqual(ended.err, "")
        cells = {line.split("`")[1]: line.split(" | ") for line in ended.out.splitlines()[2:]}
        self.assertEqual(cells["time_s"][3:5] + cells["time_s"][6:], ["0 of 10", "100 %", "none |"])
        self.assertEqual(cells["time_min_s"][3:5] + cells["time_min_s"][6:], ["0 of 10", "0 %", "2 % |"])
        self.assertEqual(cells["time_trimmed_min_s"][2:4], ["0", "-"], "no file has it")
        self.assert_one_line(call(metric_table.main, [str(folder), "--processes=10"]), "18 result files", "20")


class Power(unittest.TestCase):
    def test_no_false_alarm_without_a_change(self) -> None:
        alarms, exits = 0, Counter[int]()
        for seed in range(100):
            report = judge(0.003, 0, seed)
            alarms += any(row.verdict != "no change" for row in report.rows)
            exits[report.exit_code] += 1
        self.assertLessEqual(alarms, 1)
        self.assertGreaterEqual(exits[0], 99)

    def test_a_slowdown_of_2_percent_in_quiet_rows(self) -> None:
        found = others = 0
        for seed in range(100):
            judged = verdicts(judge(0.003, 0.02, 1000 + seed))
            found += judged.pop(SLOWER) == "regression"
            others += any(verdict == "regression" for verdict in judged.values())
        self.assertGreaterEqual(found, 99)
        self.assertLessEqual(others, 1)

    def test_a_slowdown_of_5_percent_in_noisy_rows(self) -> None:
        found = alarms = 0
        for seed in range(100):
            judged = verdicts(judge(0.01, 0.05, 2000 + seed))
            found += judged.pop(SLOWER) == "regression"
            alarms += any(verdict in ("regression", "improvement") for verdict in judged.values())
        self.assertGreaterEqual(found, 95)
        self.assertLessEqual(alarms, 1)

    def test_2_percent_in_noisy_rows_takes_more_processes(self) -> None:
        said = Counter[str]()
        for seed in range(100):
            report = judge(0.01, 0.02, 3000 + seed)
            row = next(row for row in report.rows if row.row == SLOWER)
            said[row.verdict] += 1
            if row.verdict == "insufficient":
                self.assertIn(f"takes {row.processes_needed} processes a side", row.message)
                self.assertGreater(row.processes_needed or 0, 9)
        self.assertGreaterEqual(said["insufficient"], 80)
        self.assertEqual(said["insufficient"] + said["regression"], 100, f"never 'no change': {said}")

    def test_as_many_processes_as_it_asks_for_are_enough(self) -> None:
        needed = [
            row.processes_needed or 0
            for seed in range(10)
            for row in judge(0.01, 0.02, 4000 + seed).rows
            if row.verdict == "insufficient"
        ]
        count = round(float(numpy.median(needed)))
        self.assertTrue(30 <= count <= 40, f"2 (5 x 1.2533 x 1 / 1.5)^2 = 35, not {count}")
        found = sum(
            verdicts(judge(0.01, 0.025, 5000 + seed, count + 10))[SLOWER] == "regression"
            for seed in range(10)
        )
        self.assertEqual(found, 10)

    def test_noise_of_6_percent(self) -> None:
        alarms = Counter[str]()
        for seed in range(20):
            alarms.update(set(verdicts(judge(0.06, 0, 6000 + seed)).values()))
        self.assertEqual(set(alarms), {"insufficient"})
        policy = regress_policy.Policy(floor_percent=8)
        found = verdicts(judge(0.06, 0.2, 7000, 45, policy))
        self.assertEqual(found.pop(SLOWER), "regression")
        self.assertNotIn("regression", found.values())


if __name__ == "__main__":
    unittest.main()
