# SPDX-License-Identifier: Apache-2.0
"""bench/tools/regress.py: verdicts, kinds, exit status, files; and that what is broken is one line."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest
from typing import Any

import numpy
from synthetic import (
    CONTEXT,
    COUNTS,
    ROWS,
    SOURCE_DIR,
    Ended,
    Json,
    ToolTest,
    bad_row,
    call,
    document,
    files_of,
    processes,
    row,
)

import regress
import regress_compare
import regress_policy

STRIDE = "stride/copy/f32/stride:8"
OTHER = "chunk/copy/f32/chunk:4"


def steady(time_s: float, name: str = STRIDE, count: int = 9, **more: Any) -> list[Json]:
    """Documents of processes whose times differ by 0.1 %, each value once."""
    return [
        document([row(name, time_s * (1 + 0.001 * (index % 3 - 1) + 1e-6 * index), **more)])
        for index in range(count)
    ]


class GateTest(ToolTest):
    def gate(self, base: list[Json], new: list[Json], *flags: str) -> Ended:
        arguments = [*self.write_all("base", base), "--", *self.write_all("new", new), *flags]
        return call(regress.main, arguments)

    def judged(self, base: list[Json], new: list[Json], *flags: str) -> dict[str, Any]:
        """The JSON report."""
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        ended = self.gate(base, new, f"--json={path}", *flags)
        self.assertEqual(ended.err, "")
        report: dict[str, Any] = json.loads(path.read_text("utf-8"))
        self.assertEqual(report["exit_code"], ended.code)
        return report


class Verdicts(GateTest):
    def verdict(self, base: list[Json], new: list[Json], *flags: str) -> tuple[str, int, dict[str, Any]]:
        report = self.judged(base, new, *flags)
        self.assertEqual(len(report["rows"]), 1)
        return report["rows"][0]["verdict"], report["exit_code"], report["rows"][0]

    def test_units_are_converted(self) -> None:
        base = [
            document([row(STRIDE, 1.0, real_time=1500 + index / 1e3, time_unit="ns")]) for index in range(9)
        ]
        new = [
            document([row(STRIDE, 1.0, real_time=1.6 + index / 1e6, time_unit="us")]) for index in range(9)
        ]
        verdict, code, judged = self.verdict(base, new)
        self.assertEqual((verdict, code), ("regression", 1))
        self.assertEqual(f"{100 * judged['change']:.2f}", "6.67")
        ended = self.gate(base, new)
        self.assertRegex(ended.out, rf"{STRIDE} +1\.5 us +1\.6 us +\+6\.67 %.*regression")

    def test_improvement_is_fine(self) -> None:
        self.assertEqual(self.verdict(steady(10e-6), steady(8e-6))[:2], ("improvement", 0))

    def test_no_change(self) -> None:
        verdict, code, judged = self.verdict(steady(10e-6), steady(10.1e-6))
        self.assertEqual((verdict, code), ("no change", 0), "1 % is less than the floor")
        self.assertLess(judged["p"], 0.001, "though significant")

    def test_the_floor_is_a_border(self) -> None:
        for change, verdict in (
            (1.4, "no change"),
            (1.6, "regression"),
            (-1.4, "no change"),
            (-1.6, "improvement"),
        ):
            self.assertEqual(
                self.verdict(steady(10e-6), steady(10e-6 * (1 + change / 100)))[0], verdict, change
            )

    def test_direction_of_rates(self) -> None:
        def rates(value: float) -> list[Json]:
            return steady(10e-6, useful_bytes_per_second=value)

        metric = "--metric=useful_bytes_per_second"
        self.assertEqual(self.verdict(rates(1e12), rates(0.8e12), metric)[:2], ("regression", 1))
        self.assertEqual(self.verdict(rates(0.8e12), rates(1e12), metric)[:2], ("improvement", 0))

    def test_direction_that_is_said(self) -> None:
        base, new = steady(10e-6, score=10.0), steady(10e-6, score=12.0)
        self.assertEqual(self.verdict(base, new, "--metric=score:lower")[0], "regression")
        self.assertEqual(self.verdict(base, new, "--metric=score:higher")[0], "improvement")
        self.assert_one_line(
            self.gate(base, new, "--metric=score"), "score", "which way is better", "score:higher"
        )

    def test_a_metric_that_is_not_there(self) -> None:
        rated = steady(10e-6, fraction_of_ceiling=0.5)
        metric = "--metric=fraction_of_ceiling"
        self.assertEqual(self.verdict(rated, steady(10e-6), metric)[:2], ("not measured", 1))
        self.assert_one_line(
            self.gate(steady(1e-6), steady(1e-6), metric), "no row has fraction_of_ceiling"
        )

    def test_a_counter_that_is_no_number_matters_where_it_is_judged(self) -> None:
        # Library 1.7.1 writes NaN for 0/0.
        base, new = (steady(time_s, hits=math.nan) for time_s in (10e-6, 12e-6))
        for side in (base, new):
            for one in side:
                one["benchmarks"].append(row(OTHER, 1e-6, hits=2.0))
        self.assertEqual([one["verdict"] for one in self.judged(base, new)["rows"]], ["regression", "no change"])
        report = self.judged(base, new, "--metric=hits:higher")
        self.assertEqual([one["verdict"] for one in report["rows"]], ["not measured", "no change"])
        for one in (*base, *new):
            one["benchmarks"][0]["hits"] = math.inf
        report = self.judged(base, new, "--metric=hits:higher")
        self.assertEqual([one["verdict"] for one in report["rows"]], ["not measured", "no change"])
        base[0]["benchmarks"][0]["hits"] = 1.0
        self.assertEqual(self.judged(base, new, "--metric=hits:higher")["exit_code"], 2, "base has it partly")

    def test_a_row_without_a_time_takes_no_other_with_it(self) -> None:
        base, new = steady(10e-6), steady(12e-6)
        for one in (*base, *new):
            one["benchmarks"].append(row(OTHER, 1e-6, real_time=0))
        self.assertEqual(
            [one["verdict"] for one in self.judged(base, new)["rows"]], ["regression", "not measured"]
        )

    def test_times_of_the_library_are_metrics(self) -> None:
        base, new = (steady(10e-6, cpu_time=value, time_unit="us") for value in (5.0, 6.0))
        for metric in ("cpu_time", "cpu_time:lower"):
            report = self.judged(base, new, f"--metric={metric}")
            (judged,) = report["rows"]
            self.assertEqual(judged["verdict"], "regression")
            self.assertAlmostEqual(judged["base"], 5e-6, delta=1e-12, msg="scaled by time_unit")
        self.assertEqual(self.judged(base, new, "--metric=real_time")["rows"][0]["verdict"], "no change")

    def test_the_default_metric_is_the_devices(self) -> None:
        known = dict(regress_compare.DEFAULT_METRIC)
        self.addCleanup(regress_compare.DEFAULT_METRIC.update, known)
        regress_compare.DEFAULT_METRIC["host"] = "time_min_s"
        base, new = (steady(10e-6, time_min_s=value) for value in (5e-6, 7e-6))
        self.assertEqual(self.judged(base, new)["metric"], "time_s", "of a GPU")
        for one in (*base, *new):
            one["context"]["backend"] = "host"
        report = self.judged(base, new)
        self.assertEqual((report["metric"], report["rows"][0]["verdict"]), ("time_min_s", "regression"))
        self.assertIn("judged by time_min_s", report["notes"])
        self.assertEqual(self.judged(base, new, "--metric=time_s")["rows"][0]["verdict"], "no change")
        del new[0]["benchmarks"][0]["time_min_s"]
        self.assertEqual(self.judged(base, new)["metric"], "time_s", "where a row lacks the other")

    def test_a_disturbed_row_is_not_judged(self) -> None:
        for processes_disturbed, verdict, code in ((0, "regression", 1), (4, "regression", 1), (5, "insufficient", 2)):
            base, new = steady(10e-6), steady(12e-6)
            for one in new[:processes_disturbed]:
                one["benchmarks"][0]["label"] = "cache_resident=l3;disturbed=0.4"
            report = self.judged(base, new)
            self.assertEqual((report["rows"][0]["verdict"], report["exit_code"]), (verdict, code))
            notes = [note for note in report["notes"] if "disturbed 1 of 1 rows" in note]
            self.assertEqual(len(notes), bool(processes_disturbed))
        self.assertIn("in 5 of 9 processes of new", report["rows"][0]["message"])

    def test_sides_that_were_not_measured_in_turn_are_pointed_out(self) -> None:
        def dated(minutes: range) -> list[Json]:
            made = steady(10e-6, count=len(minutes))
            for one, minute in zip(made, minutes):
                one["context"]["date"] = f"2026-11-30T06:{minute:02}:00+00:00"
            return made

        for base, new, told in (
            (range(9), range(9, 18), 1), (range(9, 18), range(9), 1), (range(0, 18, 2), range(1, 18, 2), 0),
        ):
            notes = self.judged(dated(base), dated(new))["notes"]
            self.assertEqual(sum("not in turn" in note for note in notes), told, (base, new))

    def test_a_baseline_of_zero_is_not_comparable(self) -> None:
        base, new = steady(10e-6, fraction_of_peak=0.0), steady(10e-6, fraction_of_peak=7.0)
        more = [row(OTHER, 1e-6, fraction_of_peak=0.5)]
        for side in (base, new):
            for one in side:
                one["benchmarks"] += more
        report = self.judged(base, new, "--metric=fraction_of_peak")
        self.assertEqual(report["rows"][0]["verdict"], "not measured")
        self.assertIn("is 0: not comparable", report["rows"][0]["message"])

    def test_256_regressions_are_one(self) -> None:
        names = [f"stride/copy/f32/stride:{index}" for index in range(1, 257)]
        random = numpy.random.default_rng(1)
        base = processes(11, 0.001, random, names=names)
        new = processes(11, 0.001, random, dict.fromkeys(names, 0.1), names)
        for one in (*base, *new):
            for index, made in enumerate(one["benchmarks"]):
                made["real_time"] = made["real_time"] / 1.3**index  # 256 powers of 1.3 are too long
        report = self.judged(base, new)
        self.assertEqual([one["verdict"] for one in report["rows"]], ["regression"] * 256)
        self.assertEqual(report["exit_code"], 1)

    def test_few_processes_are_insufficient(self) -> None:
        verdict, code, judged = self.verdict(steady(10e-6, count=3), steady(20e-6, count=3))
        self.assertEqual((verdict, code), ("insufficient", 2), "twice as slow, and three cannot show it")
        self.assertEqual(
            judged["processes_needed"], 5, "2 / C(10, 5) = 0.0079 is below 0.01, 2 / C(8, 4) is not"
        )
        self.assertEqual(judged["message"], "takes 5 processes a side")
        self.assertEqual(self.verdict(steady(10e-6, count=5), steady(20e-6, count=5))[0], "regression")

    def overlapping(self, names: list[str]) -> tuple[list[Json], list[Json]]:
        """Nine a side; in the first row new is 5 % slower, but 5 of 81 pairs are the other way round."""
        base_us = [100.0, 100.1, 100.2, 100.3, 100.4, 100.5, 100.6, 100.7, 105.45]
        new_us = [105.0, 105.1, 105.2, 105.3, 105.4, 105.5, 105.6, 105.7, 105.8]
        sides = []
        for times in (base_us, new_us):
            rest = [row(name, 1e-6) for name in names[1:]]
            sides.append([document([row(names[0], 1e-6 * time_us), *rest]) for time_us in times])
        return sides[0], sides[1]

    def test_a_change_must_be_significant(self) -> None:
        flags = (
            "--k=0.1",
            "--alpha=0.0001",
        )  # so that neither the noise nor nine processes stand in the way
        report = self.judged(*self.overlapping([STRIDE]), *flags)
        # Rank sums at most 5 above the least: 1 + 1 + 2 + 3 + 5 + 7 = 19 ways, and their mirrors.
        self.assertAlmostEqual(report["rows"][0]["p"], 2 * 19 / 48620, places=12)
        self.assertEqual((report["rows"][0]["verdict"], report["exit_code"]), ("insufficient", 2))
        self.assertEqual(report["rows"][0]["processes_needed"], 18)
        self.assertEqual(
            self.judged(*self.overlapping([STRIDE]), "--k=0.1")["rows"][0]["verdict"], "regression"
        )

    def test_rows_share_the_chance_of_a_false_alarm(self) -> None:
        report = self.judged(*self.overlapping([STRIDE, *ROWS[-15:]]), "--k=0.1")
        self.assertAlmostEqual(
            report["rows"][0]["p_corrected"], 16 * 2 * 19 / 48620, places=12, msg="0.0125 > 0.01"
        )
        self.assertEqual(report["rows"][0]["verdict"], "insufficient")

    def test_one_process_a_side(self) -> None:
        verdict, code, judged = self.verdict(steady(10e-6, count=1), steady(10e-6, count=1))
        self.assertEqual((verdict, code, judged["processes_needed"]), ("insufficient", 2, 5))
        self.assertIn("at least 5", judged["message"])
        self.assertIsNone(judged["noise"])

    def test_more_rows_take_more_processes(self) -> None:
        names = ROWS[:26]
        report = self.judged(
            *(processes(7, 0.001, numpy.random.default_rng(seed), names=names) for seed in (1, 2))
        )
        self.assertEqual({one["verdict"] for one in report["rows"]}, {"insufficient"})
        self.assertEqual({one["processes_needed"] for one in report["rows"]}, {8})

    def test_noise_is_insufficient_and_never_no_change(self) -> None:
        random = numpy.random.default_rng(6)
        base, new = (processes(9, 0.02, random, names=[STRIDE]) for _ in range(2))
        verdict, code, judged = self.verdict(base, new)
        self.assertEqual((verdict, code), ("insufficient", 2))
        self.assertGreater(judged["processes_needed"], 9)
        self.assertEqual(judged["least_change"] / judged["floor"] > 1, True)
        self.assertEqual(self.verdict(base, new, "--floor-percent=30")[:2], ("no change", 0))

    def test_insufficient_rows_can_be_allowed_not_all_of_them(self) -> None:
        base, new = steady(10e-6), steady(10e-6)
        random = numpy.random.default_rng(6)
        for one in (*base, *new):
            one["benchmarks"].append(row(OTHER, 1e-6 * (1 + 0.1 * random.standard_normal())))
        self.assertEqual(self.judged(base, new)["exit_code"], 2)
        self.assertEqual(self.judged(base, new, "--allow-insufficient")["exit_code"], 0)
        few = steady(10e-6, count=2)
        self.assert_one_line(self.gate(few, few, "--allow-insufficient"), "every row is insufficient")

    def test_a_process_that_lies_far_off_is_named(self) -> None:
        base = steady(10e-6)
        base[3]["benchmarks"][0]["real_time"] *= 1.4
        _, _, judged = self.verdict(base, steady(10e-6))
        self.assertRegex(
            judged["message"], r"process 4 of base lies \+39\.\d % off, without it the noise would be 0\."
        )

    def test_a_regression_beats_what_cannot_be_judged(self) -> None:
        base, new = steady(10e-6), steady(12e-6)
        for index, one in enumerate((*base, *new)):
            one["benchmarks"].append(row(OTHER, 1e-6 * (1 + 0.3 * (index % 4))))
        report = self.judged(base, new)
        self.assertEqual([one["verdict"] for one in report["rows"]], ["regression", "insufficient"])
        self.assertEqual(report["exit_code"], 1)

    def test_the_median_of_repetitions_is_a_process(self) -> None:
        def repeated(time_s: float) -> list[Json]:
            made = []
            for one in steady(time_s):
                (first,) = one["benchmarks"]
                one["benchmarks"] = [
                    {**first, "repetition_index": index, "real_time": first["real_time"] * factor}
                    for index, factor in enumerate((1, 50, 0.9))
                ]
                made.append(one)
            return made

        _, _, judged = self.verdict(repeated(10e-6), repeated(11e-6))
        self.assertEqual(judged["processes"], {"base": 9, "new": 9})
        self.assertAlmostEqual(judged["change"], 0.1, delta=0.003)


class Implausible(GateTest):
    PEAK = 1792e9  # an RTX 5090
    BYTES = 2.0**28

    def judged_at(
        self, gb_per_s: float, bytes_moved: float = BYTES, count: int = 9, **context: str | None
    ) -> Json:
        def at(rate: float) -> list[Json]:
            made = steady(
                bytes_moved / rate, count=count, useful_bytes=bytes_moved, unique_bytes=bytes_moved
            )
            for one in made:
                one["context"] |= {
                    "gpu.peak_bytes_per_s": str(self.PEAK),
                    "gpu.l2_bytes": str(96 * 2**20),
                }
                one["context"] |= context
            return made

        report = self.judged(at(1000e9), at(gb_per_s * 1e9))
        return {**report["rows"][0], "exit": report["exit_code"]}

    def test_three_times_the_rate_above_peak(self) -> None:
        judged = self.judged_at(3000)
        # 2^28 less 96 MiB of L2 in 89.5 us.
        self.assertEqual((judged["verdict"], judged["exit"]), ("implausible", 2))
        self.assertIn("1875 GB/s of bytes beyond L2 exceed the bus's peak of 1792", judged["message"])

    def test_even_from_one_process(self) -> None:
        self.assertEqual(self.judged_at(3000, count=1)["verdict"], "implausible")

    def test_what_l2_may_keep_is_plausible(self) -> None:
        self.assertEqual(
            self.judged_at(2050, bytes_moved=2.0**24)["verdict"], "improvement", "16 MiB fit in L2"
        )
        self.assertEqual(self.judged_at(2000)["verdict"], "improvement", "96 MiB of 256 may stay in L2")

    def test_no_peak_no_verdict(self) -> None:
        self.assertEqual(
            self.judged_at(3000, **{"gpu.peak_bytes_per_s": "slice: unknown"})["verdict"], "improvement"
        )

    def test_lanes_that_share_elements_move_fewer_bytes(self) -> None:
        # Useful bytes pass at 4.3 and then 5.3 TB/s, where the peak is 4.8; most never leave the SM.
        base, new = (steady(time_s, useful_bytes=1e9, unique_bytes=2e8) for time_s in (230e-6, 190e-6))
        self.assertEqual(self.judged(base, new)["rows"][0]["verdict"], "improvement")
        base, new = (steady(time_s, useful_bytes=1e9, unique_bytes=1e9) for time_s in (230e-6, 190e-6))
        self.assertEqual(self.judged(base, new)["rows"][0]["verdict"], "implausible")

    def test_what_was_so_before_is_no_gain(self) -> None:
        base, new = (steady(time_s, useful_bytes=1e9) for time_s in (100e-6, 99.9e-6))
        self.assertEqual(self.judged(base, new)["rows"][0]["verdict"], "no change")

    def test_counted_bytes(self) -> None:
        base = steady(100e-6, dram_bytes_measured=4e8)
        new = steady(80e-6, dram_bytes_measured=4e8)  # 5 TB/s where the peak is 4.8
        report = self.judged(base, new)
        self.assertEqual(report["rows"][0]["verdict"], "implausible")
        self.assertIn("DRAM bytes counted", report["rows"][0]["message"])


class Presence(GateTest):
    def one(self, base_row: Json | None, new_row: Json | None, files: int = 9) -> tuple[str, int, str]:
        """The verdict on a row that stands in the last of nine files in another way than the rest."""
        sides = []
        for special in (base_row, new_row):
            made = steady(10e-6, OTHER)
            for one in made[9 - files :]:
                if special:
                    one["benchmarks"].append(special)
            for one in made[: 9 - files]:
                one["benchmarks"].append(row(STRIDE, 5e-6))
            sides.append(made)
        report = self.judged(*sides)
        judged = next(one for one in report["rows"] if one["row"] == STRIDE)
        return judged["verdict"], report["exit_code"], judged["message"]

    GOOD = row(STRIDE, 5e-6)
    FAILED = bad_row(STRIDE, "verify: element 3 is 7, not 5")
    SKIPPED = bad_row(STRIDE, "SKIPPED: needs 9 GiB")
    INTERRUPTED = bad_row(STRIDE, "interrupted by SIGTERM", label="interrupted=1")

    def test_new_side(self) -> None:
        self.assertEqual(self.one(self.GOOD, None), ("missing", 1, "in 9 of 9 files"))
        self.assertEqual(self.one(self.GOOD, self.FAILED), ("failed", 1, "verify: element 3 is 7, not 5"))
        self.assertEqual(self.one(self.GOOD, self.SKIPPED), ("skipped", 1, "needs 9 GiB"))
        self.assertEqual(
            self.one(self.GOOD, self.INTERRUPTED), ("interrupted", 1, "interrupted by SIGTERM")
        )

    def test_one_of_nine_is_enough(self) -> None:
        self.assertEqual(self.one(self.GOOD, None, files=1), ("missing", 1, "in 1 of 9 files"))
        verdict, code, message = self.one(self.GOOD, self.FAILED, files=1)
        self.assertEqual((verdict, code), ("failed", 1))
        self.assertIn("(in 1 of 9 runs)", message)

    def test_base_side(self) -> None:
        self.assertEqual(self.one(None, self.GOOD)[:2], ("new", 0))
        self.assertEqual(self.one(self.SKIPPED, self.GOOD)[:2], ("new", 0))
        self.assertEqual(self.one(self.SKIPPED, self.SKIPPED)[:2], ("skipped", 0))
        self.assertEqual(self.one(self.SKIPPED, None)[:2], ("missing", 1))
        self.assertEqual(self.one(None, self.FAILED)[:2], ("failed", 1))
        for bad in (self.FAILED, self.INTERRUPTED):
            verdict, code, message = self.one(bad, self.GOOD)
            self.assertEqual(code, 2)
            self.assertIn("in base: ", message)
        self.assertEqual(self.one(self.SKIPPED, self.GOOD, files=1)[:2], ("skipped", 2))

    def test_a_row_that_base_has_in_some_files_is_compared(self) -> None:
        base = steady(10e-6)
        for one in base[:3]:
            one["benchmarks"] = [row(OTHER, 1e-6)]
        report = self.judged(base, steady(10e-6))
        judged = next(one for one in report["rows"] if one["row"] == STRIDE)
        self.assertEqual((judged["verdict"], judged["processes"]), ("no change", {"base": 6, "new": 9}))

    def test_skipped_rows_do_not_enter_the_mean(self) -> None:
        base, new = steady(10e-6), steady(10e-6)
        for one in base:
            one["benchmarks"].append(row(OTHER, 1e-6))
        for one in new:
            one["benchmarks"].append(bad_row(OTHER, "SKIPPED: too large"))
        self.assertIn("geometric mean of new / base 1.0000 over 1 rows", self.judged(base, new)["summary"])

    def test_nothing_in_common(self) -> None:
        self.assert_one_line(
            self.gate(steady(1e-6, STRIDE), steady(1e-6, OTHER)), "no row stands on both sides"
        )


class Kinds(GateTest):
    def differing(self, **context: str | None) -> tuple[list[Json], list[Json]]:
        base, new = steady(10e-6), steady(10e-6)
        for one in new:
            changed = document([], **context)["context"]
            one["context"] = {**changed}
        return base, new

    def test_another_memory_is_another_device(self) -> None:
        # H100 PCIe against H200; and two cards of one name, 264 and 336 GB/s.
        for changes in (
            {
                "gpu_name": "NVIDIA H100 PCIe",
                "gpu_memory_clock_khz": "1593000",
                "gpu_memory_bus_bits": "5120",
            },
            {"gpu_memory_clock_khz": "5501000"},
        ):
            ended = self.gate(*self.differing(**changes))
            self.assert_one_line(
                ended, "not runs of one kind", "gpu.memory_clock_khz: 3201000 -> ", "--allow-different="
            )
            self.assertIn("REFUSED  gpu.memory_clock_khz", ended.out)

    def test_every_kind_is_refused_and_can_be_allowed(self) -> None:
        for key, value in (
            ("gpu_name", "NVIDIA A100"),
            ("gpu_sm_count", "114"),
            ("gpu_memory_bus_bits", "5120"),
            ("gpu_ecc", "off"),
            ("backend", "host"),
            ("buffer_bytes", "1048576"),
            ("cache_mode", "cold"),
            ("protocol", "reference"),
            ("sectorbench_version", "0.2.0"),
            ("evidence_version", "3"),
            ("block", "128"),
            ("clock_sm_mhz", "1755.0"),
        ):
            base, new = self.differing(**{key: value})
            dotted = next(one for one in CONTEXT if one.replace(".", "_") == key)
            self.assert_one_line(self.gate(base, new), f"{dotted}: {CONTEXT[dotted]} -> {value}")
            ended = self.gate(base, new, f"--allow-different={dotted}")
            self.assertEqual(ended.code, 0, ended.err)
            self.assertIn(f"differs  {dotted}: {CONTEXT[dotted]} -> {value}", ended.out)

    def test_what_people_compare_is_named_first(self) -> None:
        base, new = self.differing(
            cuda_driver_release="590.1", cuda_toolkit="13.1", sectorbench_revision="abc"
        )
        ended = self.gate(base, new)
        self.assertEqual(ended.code, 0)
        for line in ("cuda.driver_release: 580.159.04 -> 590.1", "cuda.toolkit: 13.0.88 -> 13.1"):
            self.assertIn("differs  " + line, ended.out)
            self.assertLess(ended.out.index(line), ended.out.index(STRIDE), "before any number")
        self.assert_one_line(
            self.gate(base, new, "--require-same=driver"), "cuda.driver_release: 580.159.04 -> 590.1"
        )
        self.assertEqual(self.gate(base, new, "--require-same=module_loading,driver").code, 2)

    def test_a_required_key_that_nobody_recorded(self) -> None:
        base, new = steady(10e-6), steady(10e-6)
        self.assert_one_line(self.gate(base, new, "--require-same=diver"), "diver: absent")

    def test_the_same_gpu_under_another_index_is_nothing(self) -> None:
        base, new = self.differing(gpu_index="4", date="2027-01-01T00:00:00+00:00")
        ended = self.gate(base, new)
        self.assertEqual(ended.code, 0)
        self.assertIn("the contexts do not differ", ended.out)

    def test_another_card_of_the_kind_is_named(self) -> None:
        self.assertIn("differs  gpu.uuid: GPU-1 -> GPU-2", self.gate(*self.differing(gpu_uuid="GPU-2")).out)

    def test_clocks_may_jitter(self) -> None:
        self.assertIn("the contexts do not differ", self.gate(*self.differing(clock_sm_mhz="1975.0")).out)

    def test_files_of_one_side_are_of_one_kind(self) -> None:
        base = steady(10e-6)
        base[4]["context"] = document([], buffer_bytes="1048576")["context"]
        self.assert_one_line(self.gate(base, steady(10e-6)), "buffer_bytes: 268435456 | 1048576")

    def test_several_gpus_are_matched_by_uuid(self) -> None:
        def two(first: str, second: str) -> list[Json]:
            made = []
            for index in range(9):
                times = {"GPU-a": 10e-6, "GPU-b": 20e-6}
                context = {
                    key: value for key, value in CONTEXT.items() if not key.startswith(("gpu.", "clock."))
                }
                context |= {"gpu.0.uuid": first, "gpu.1.uuid": second, "gpu.count": "2"}
                rows = [
                    row(f"{STRIDE}/gpu:{number}", times[uuid] * (1 + 1e-5 * index))
                    for number, uuid in enumerate((first, second))
                ]
                made.append({"context": context, "benchmarks": rows})
            return made

        report = self.judged(two("GPU-a", "GPU-b"), two("GPU-b", "GPU-a"))
        self.assertEqual([one["verdict"] for one in report["rows"]], ["no change", "no change"])
        self.assertEqual(report["differences"], [])

    def test_a_cpu_has_a_kind_too(self) -> None:
        base = steady(10e-6)
        new = steady(10e-6)
        for one, model in [(one, "Xeon") for one in base] + [(one, "EPYC") for one in new]:
            one["context"] = {"backend": "host", "host.cpu_model": model, "num_cpus": 2}
        self.assert_one_line(self.gate(base, new), "host.cpu_model: Xeon -> EPYC")

    def hosts(self, base: Json, new: Json) -> Ended:
        sides = steady(10e-6), steady(10e-6)
        for side, context in zip(sides, (base, new)):
            for one in side:
                one["context"] = {"backend": "host", "host.cpu_model": "Xeon", **context}
        return self.gate(*sides)

    def test_how_threads_wait_and_where_they_run_is_a_kind(self) -> None:
        for key, was, now in (
            ("host.wait_policy", "active", "passive"),
            ("host.omp_places", "cores", "threads"),
            ("host.omp_proc_bind", "false", "close"),
            ("host.affinity", "0-1", "0"),
            ("host.numa_nodes", "0", "0-1"),
            ("host.cpu_quota", "none", "0.5"),
            ("host.openmp_threads", "2", "1"),
            ("host.governor", "performance", "powersave"),
            ("host.turbo", "on", "off"),
        ):
            self.assert_one_line(self.hosts({key: was}, {key: now}), f"{key}: {was} -> {now}")

    def test_loads_are_named_where_they_are_far_apart(self) -> None:
        for was, now, told in (("0.1", "0.9", 0), ("0.1", "2.5", 1), ("20.0", "25.0", 0), ("1.0", "8.0", 1)):
            ended = self.hosts({"host.load_begin": was}, {"host.load_begin": now})
            self.assertEqual(ended.code, 0, ended)
            self.assertEqual(ended.out.count("differs  host.load_begin"), told, (was, now))

    def test_a_cpu_of_another_program_is_known_by_its_caches_and_clock(self) -> None:
        caches = [{"type": "Data", "level": 1, "size": 49152, "num_sharing": 2}]
        for change, refused in (
            ({"caches": [{**caches[0], "size": 32768}]}, "caches"),
            ({"mhz_per_cpu": 3100}, "mhz_per_cpu: 2600 -> 3100"),
            ({"mhz_per_cpu": 2610, "date": "2026-11-30T06:16:34+00:00"}, ""),
        ):
            sides = steady(10e-6), steady(10e-6)
            for one in (*sides[0], *sides[1]):
                one["context"] = {"num_cpus": 2, "mhz_per_cpu": 2600, "caches": caches}
            for one in sides[1]:
                one["context"] |= change
            ended = self.gate(*sides)
            if refused:
                self.assert_one_line(ended, refused)
            else:
                self.assertEqual(ended.code, 0, ended)

    def test_a_clock_that_is_no_number_equals_none(self) -> None:
        base, new = self.differing()
        for one in new:
            one["context"]["clock.sm_mhz"] = math.inf
        self.assert_one_line(self.gate(base, new), "clock.sm_mhz: 1980.0 -> Infinity")

    def test_a_prediction_is_no_measurement(self) -> None:
        forecast = [document([row(STRIDE, 1e-6, label="predicted=1")], backend="prediction")]
        self.assert_one_line(self.gate(steady(1e-6), forecast), "new_1.json: backend: a prediction")


class Counters(GateTest):
    def with_counts(self, **counts: float) -> list[Json]:
        return steady(10e-6, count=1, **counts)

    def test_one_process_is_enough(self) -> None:
        report = self.judged(self.with_counts(), self.with_counts(), "--counters-only")
        self.assertEqual((report["exit_code"], report["rows"][0]["counts"]["verdict"]), (0, "same"))
        self.assertIsNone(report["rows"][0]["verdict"])

    def test_another_pattern(self) -> None:
        for key, text in (
            ("load_sectors_measured", "load: 4 -> 5 sectors/request"),
            ("store_sectors_measured", "store: 4 -> 5 sectors/request"),
            ("load_sectors_predicted", "load: 4 -> 5 sectors/request"),
            ("store_requests_measured", "store: 4 -> 0.8 sectors/request, store: 1000 -> 5000 requests"),
        ):
            report = self.judged(self.with_counts(), self.with_counts(**{key: 5000.0}), "--counters-only")
            counts = report["rows"][0]["counts"]
            self.assertEqual((report["exit_code"], counts["verdict"]), (1, "access pattern changed"))
            self.assertEqual(counts["message"], f"{text} ({key.rpartition('_')[2]})")

    def test_one_sector_is_a_change(self) -> None:
        report = self.judged(
            self.with_counts(), self.with_counts(load_sectors_measured=4001.0), "--counters-only"
        )
        self.assertEqual(report["exit_code"], 1)

    def test_fewer_sectors_are_a_change_too(self) -> None:
        report = self.judged(
            self.with_counts(), self.with_counts(load_sectors_measured=1000.0), "--counters-only"
        )
        self.assertEqual(report["exit_code"], 1, "the row no longer is what its name says")

    def test_beside_the_time(self) -> None:
        report = self.judged(steady(10e-6), steady(10e-6, load_sectors_measured=5000.0))
        self.assertEqual(report["rows"][0]["verdict"], "no change")
        self.assertEqual(report["exit_code"], 1)
        better = self.judged(steady(10e-6), steady(8e-6, load_sectors_measured=5000.0))
        self.assertEqual((better["rows"][0]["verdict"], better["exit_code"]), ("improvement", 1))

    def test_clocks_and_tools_do_not_matter_alone(self) -> None:
        new = self.with_counts()
        new[0]["context"] |= {
            "clock.sm_mhz": "900",
            "tool": "ncu",
            "gpu.name": "NVIDIA A100",
            "cache_mode": "cold",
        }
        self.assertEqual(self.judged(self.with_counts(), new, "--counters-only")["exit_code"], 0)
        new[0]["context"]["buffer_bytes"] = "1"
        self.assert_one_line(self.gate(self.with_counts(), new, "--counters-only"), "buffer_bytes")

    def test_counts_that_differ_between_processes(self) -> None:
        new = self.with_counts() + self.with_counts(load_sectors_measured=4001.0)
        report = self.judged(self.with_counts(), new, "--counters-only")
        self.assertEqual(
            (report["exit_code"], report["rows"][0]["counts"]["verdict"]), (2, "differs between processes")
        )

    def test_measured_ones_that_got_lost(self) -> None:
        new = self.with_counts()
        for key in COUNTS:
            if key.endswith("_measured"):
                del new[0]["benchmarks"][0][key]
        report = self.judged(self.with_counts(), new, "--counters-only")
        self.assertEqual(report["exit_code"], 2)
        self.assertEqual(report["rows"][0]["counts"]["source"], "predicted")
        self.assertEqual(self.judged(new, self.with_counts(), "--counters-only")["exit_code"], 0)

    def test_nothing_counted(self) -> None:
        sides = [self.with_counts(), self.with_counts()]
        for side in sides:
            for key in COUNTS:
                del side[0]["benchmarks"][0][key]
        self.assert_one_line(self.gate(*sides, "--counters-only"), "no row has requests and sectors")

    def test_a_kernel_that_nothing_predicts_is_not_the_same_without_counters(self) -> None:
        nothing = {key: 0.0 for key in COUNTS if key.endswith("_predicted")}
        counted = self.judged(self.with_counts(**nothing), self.with_counts(**nothing), "--counters-only")
        self.assertEqual(counted["rows"][0]["counts"]["source"], "measured")
        sides = [self.with_counts(**nothing), self.with_counts(**nothing)]
        for side in sides:
            for key in COUNTS:
                if key.endswith("_measured"):
                    del side[0]["benchmarks"][0][key]
        self.assert_one_line(self.gate(*sides, "--counters-only"), "no row has requests and sectors")

    def test_a_message_of_several_lines_is_one_cell(self) -> None:
        path = self.folder / "report.md"
        new = [document([bad_row(STRIDE, "first line\n  second | line")])]
        ended = self.gate(self.with_counts(), new, "--counters-only", f"--markdown={path}")
        self.assertIn("failed: first line second | line\n", ended.out)
        self.assertIn("failed: first line second \\| line |\n", path.read_text("utf-8"))

    def test_a_failed_row_is_found_without_times(self) -> None:
        new = [document([bad_row(STRIDE, "no")])]
        self.assertEqual(self.judged(self.with_counts(), new, "--counters-only")["exit_code"], 1)

    def test_recorded_files(self) -> None:
        folder = SOURCE_DIR / "docs" / "results" / "h200"
        ended = call(
            regress.main,
            [
                "--counters-only",
                str(folder / "reference.json"),
                "--",
                str(folder / "second_card_reference.json"),
            ],
        )
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("requests and sectors the same in 7 rows", ended.out)


class Files(GateTest):
    def test_markdown(self) -> None:
        path = self.folder / "summary.md"
        self.gate(steady(10e-6), steady(12e-6), f"--markdown={path}")
        text = path.read_text("utf-8")
        self.assertTrue(text.startswith("### Benchmarks: worse: 1 regression"), text)
        self.assertIn(f"| {STRIDE} | 10 us | 12 us | +20.00 % |", text)
        self.assertIn("<details><summary>All 1 rows</summary>", text)

    def test_markdown_escapes_what_others_wrote(self) -> None:
        path = self.folder / "summary.md"
        new = [document([bad_row(STRIDE, "a | b <b>")]) for _ in range(9)]
        self.gate(steady(1e-6), new, f"--markdown={path}")
        self.assertIn("a \\| b \\<b\\>", path.read_text("utf-8"))

    def test_github_action_benchmark(self) -> None:
        path = self.folder / "chart.json"
        self.gate(steady(10e-6), steady(8e-6, useful_bytes=8e6), f"--github-action-benchmark={path}")
        (entry,) = json.loads(path.read_text("utf-8"))
        self.assertEqual(
            {key: type(value) for key, value in entry.items()},
            {"name": str, "unit": str, "value": float, "range": str, "extra": str},
        )
        self.assertEqual((entry["name"], entry["unit"]), (STRIDE, "GB/s"))
        self.assertAlmostEqual(entry["value"], 1000, delta=0.1, msg="8 MB in 8 us: bigger is better")

    def test_bencher(self) -> None:
        path = self.folder / "bmf.json"
        self.gate(steady(10e-6), steady(8e-6, useful_bytes=8e6), f"--bencher={path}")
        measures = json.loads(path.read_text("utf-8"))[STRIDE]
        self.assertEqual(set(measures), {"latency", "useful-bytes-per-second"})
        for measure in measures.values():
            self.assertEqual(set(measure), {"value", "lower_value", "upper_value"})
            self.assertLess(measure["lower_value"], measure["value"])
            self.assertLess(measure["value"], measure["upper_value"])
        self.assertAlmostEqual(measures["latency"]["value"], 8000, delta=1, msg="ns")
        self.assertAlmostEqual(measures["useful-bytes-per-second"]["value"], 1e12, delta=1e8)

    def test_exports_hold_the_metric_that_was_judged(self) -> None:
        sides = (steady(10e-6, time_min_s=value, hits=5.0, useful_bytes=8e6) for value in (4e-6, 4e-6))
        base, new = sides
        paths = {flag: self.folder / flag for flag in ("github-action-benchmark", "bencher", "otava-csv")}
        for metric, rate, unit, latency in (
            ("time_min_s", 2000, "GB/s", "latency"),
            ("hits:higher", 5, "hits", "hits"),
            ("hits:lower", 0.2, "1/hits", "hits"),
        ):
            paths["otava-csv"].unlink(missing_ok=True)
            self.gate(base, new, f"--metric={metric}", *(f"--{flag}={path}" for flag, path in paths.items()))
            (entry,) = json.loads(paths["github-action-benchmark"].read_text("utf-8"))
            self.assertEqual(entry["unit"], unit)
            self.assertAlmostEqual(entry["value"], rate, delta=rate / 1e6)
            measures = json.loads(paths["bencher"].read_text("utf-8"))[STRIDE]
            value = measures[latency]["value"]
            self.assertAlmostEqual(value, 4000 if metric == "time_min_s" else 5, delta=1e-6)
            line = paths["otava-csv"].read_text("utf-8").splitlines()[1]
            self.assertAlmostEqual(float(line.rpartition(",")[2]), value, delta=0.01)

    def test_exports_leave_out_what_json_cannot_hold(self) -> None:
        base, new = (steady(10e-6, useful_bytes=math.inf) for _ in range(2))
        chart, measures = self.folder / "chart.json", self.folder / "bmf.json"
        ended = self.gate(base, new, f"--github-action-benchmark={chart}", f"--bencher={measures}")
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertEqual(json.loads(chart.read_text("utf-8")), [])
        self.assertEqual(set(json.loads(measures.read_text("utf-8"))[STRIDE]), {"latency"})

    def test_otava_csv_grows(self) -> None:
        path = self.folder / "trend.csv"
        for time_s, commit in ((10e-6, "abc"), (11e-6, "def"), (11e-6, "def")):  # the last: once more
            self.gate(steady(10e-6), steady(time_s), f"--otava-csv={path}", f"--commit={commit}")
        with path.open(newline="") as file:
            lines = list(csv.reader(file))
        self.assertEqual(lines[0], ["time", "commit", STRIDE])
        self.assertEqual(
            [line[:2] for line in lines[1:]], [[CONTEXT["date"], "abc"], [CONTEXT["date"], "def"]]
        )
        self.assertEqual([round(float(line[2])) for line in lines[1:]], [10000, 11000])

    def test_otava_csv_of_other_rows_is_left_alone(self) -> None:
        path = self.folder / "trend.csv"
        for content, text in (
            (f"time,commit,{OTHER}\n2026-01-01,a,1\n", f"it lacks {STRIDE}, this run lacks {OTHER}"),
            ("a,b\n", 'does not begin with "time,commit"'),
            (f"time,commit,{STRIDE}\n2026", "line 2: truncated"),
        ):
            path.write_text(content, "utf-8")
            self.assert_one_line(
                self.gate(steady(1e-6), steady(1e-6), f"--otava-csv={path}"), str(path), text
            )
            self.assertEqual(path.read_text("utf-8"), content)

    def test_files_are_written_whole_or_not(self) -> None:
        path = self.folder / "report.json"
        path.write_text("old", "utf-8")
        self.assert_one_line(
            self.gate(steady(1e-6), steady(1e-6), f"--json={self.folder}/no/such.json"), "cannot be written"
        )
        self.assert_one_line(
            self.gate(steady(1e-6, STRIDE), steady(1e-6, OTHER), f"--json={path}"), "both sides"
        )
        self.assertEqual(path.read_text("utf-8"), "old")
        self.gate(steady(1e-6), steady(1e-6), f"--json={path}")
        self.assertNotEqual(path.read_text("utf-8"), "old")
        left = [name for name in os.listdir(self.folder) if name.startswith(".")]
        self.assertEqual(left, [])

    def test_what_is_no_regular_file_is_written_to_and_not_replaced(self) -> None:
        # A pipe stands for a device: replacing /dev/full or /dev/stdout by a file would harm the machine.
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assertEqual(self.gate(steady(1e-6), steady(1e-6), f"--json={pipe}").err, "")
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(os.read(reader, 1), b"{")

    def test_a_link_stays_one(self) -> None:
        target = self.folder / "target.json"
        link = self.folder / "link.json"
        link.symlink_to(target)
        self.assertEqual(self.gate(steady(1e-6), steady(1e-6), f"--json={link}").err, "")
        self.assertTrue(link.is_symlink())
        self.assertTrue(json.loads(target.read_text("utf-8")))

    def test_a_flag_of_a_file_wants_its_name(self) -> None:
        # As in --markdown="$UNSET": a report that a job asks for, and nobody writes, is no success.
        for flag in ("--policy=", "--markdown=", "--json=", "--github-action-benchmark=", "--bencher=", "--otava-csv="):
            ended = call(regress.main, ["a", "--", "b", flag])
            self.assert_one_line(ended, flag[:-1], "no file's name")

    def test_calibrating_refuses_the_files_of_a_comparison(self) -> None:
        for flag in ("--markdown=m", "--json=j", "--github-action-benchmark=g", "--bencher=b", "--otava-csv=o"):
            ended = call(regress.main, ["--calibrate", "a", flag])
            self.assert_one_line(ended, flag[:-2], "not with --calibrate")
        ended = call(regress.main, ["--calibrate", "a", "--counters-only"])
        self.assert_one_line(ended, "--counters-only goes with a comparison")

    def test_an_input_is_never_written(self) -> None:
        base = self.write("a.json", steady(1e-6)[0])
        before = pathlib.Path(base).read_bytes()
        self.assert_one_line(
            call(regress.main, [base, "--", base + "x", f"--json={base}"]), "would be written"
        )
        self.assertEqual(pathlib.Path(base).read_bytes(), before)
        policy = self.write("policy.toml", "k = 5\n")
        ended = call(regress.main, [base, "--", base + "x", f"--policy={policy}", f"--json={policy}"])
        self.assert_one_line(ended, "would be written")
        ended = call(regress.main, [base, "--", base + "x", "--json=r", "--markdown=./r"])
        self.assert_one_line(ended, "written twice")


class Broken(GateTest):
    def test_every_broken_file_is_one_line(self) -> None:
        good = self.write("good.json", steady(1e-6)[0])
        text = json.dumps(steady(1e-6)[0])
        for content, what in (
            ("", "empty"),
            (text[: len(text) // 2], "truncated"),
            ("[]", 'no "benchmarks"'),
            ('{"context": {}}', "no"),
            ('{"benchmarks": []}', "empty"),
            (re.sub(r'"real_time": [0-9.e-]+', '"real_time": "3"', text), "no number"),
            ("name,iterations,", "CSV"),
        ):
            broken = self.write("broken.json", content)
            for arguments in ([good, "--", broken], [broken, "--", good], ["--calibrate", good, broken]):
                self.assert_one_line(call(regress.main, arguments), "regress.py: " + broken + ": ", what)

    def test_a_copy_is_no_process_of_its_own(self) -> None:
        text = json.dumps(steady(1e-6)[0])
        first, second = self.write("a.json", text), self.write("b.json", text)
        self.assert_one_line(call(regress.main, [first, "--", second]), "b.json: a copy of ", "a.json")

    def test_arguments(self) -> None:
        good = self.write("good.json", steady(1e-6)[0])
        for arguments, text in (
            ([], "BASE... -- NEW..."),
            ([good], "BASE... -- NEW..."),
            ([good, "--"], "no new files"),
            (["--", good], "no base files"),
            ([good, "--", good, "--", good], "more than once"),
            ([good, "--", good], "given twice"),
            ([good, good, "--", good], "given twice"),
            ([good, "--", good, "--floor-percent=x"], "--floor-percent"),
            ([good, "--", good, "--nope"], "--nope"),
            ([good, "--", good, "--floor-percent=0"], "floor_percent: 0.0 is no number between 0 and 100"),
            ([good, "--", good, "--alpha=1"], "alpha: 1.0"),
            ([good, "--", good, "--policy-out=x"], "--calibrate"),
            ([good, "--", good, "--json", "--"], "--json has no file's name"),
            (["--calibrate"], "no files given"),
            (["--calibrate", good], "5 processes at least, not 1"),
        ):
            self.assert_one_line(call(regress.main, arguments), "regress.py: ", text)

    def test_policies(self) -> None:
        good = [self.write("a.json", steady(1e-6)[0]), "--", self.write("b.json", steady(1e-6)[0])]
        for text, what in (
            ("floor_percent = \n", "(at line 1, column 17)"),
            ("flor_percent = 1", "flor_percent: unknown; known are floor"),
            ("floor_percent = -1", "floor_percent: -1 is no number between 0 and 100"),
            ("alpha = true", "alpha: true"),
            ('k = "5"', 'k: "5" is no number'),
            ("metric = 3", "metric: 3 is no name"),
            ('require_same = "driver"', 'require_same: "driver" is no list'),
            ("allow_different = [1]", "[1] is no list"),
            ("allow_insufficient = 1", "neither true nor false"),
            ("floor_percent_of = 3", "is no table"),
            ('[floor_percent_of]\n"stride/*" = 0', 'floor_percent_of: "stride/*": 0 is no number'),
            ("k = nan", "k: NaN is no number"),
            ("k = 2026-01-01", "k: "),
            ("x = " + 100_000 * "[", "not TOML"),
            ("version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        ):
            policy = self.write("policy.toml", text)
            self.assert_one_line(
                call(regress.main, [*good, f"--policy={policy}"]), f"regress.py: {policy}: ", what
            )
        self.assert_one_line(call(regress.main, [*good, "--policy=none.toml"]), "none.toml: cannot be read")

    def test_an_interpreter_without_scipy_is_told(self) -> None:
        blocked = self.folder / "numpy.py"
        blocked.write_text("raise ModuleNotFoundError(\"No module named 'numpy'\")\n", "utf-8")
        done = subprocess.run(
            [sys.executable, str(SOURCE_DIR / "bench" / "tools" / "regress.py"), "--help"],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            check=False,
        )
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("python3-scipy", done.stderr)

    def test_help_teaches(self) -> None:
        ended = call(regress.main, ["--help"])
        self.assertEqual(ended.code, 0)
        for text in ("collect.sh", "insufficient", "Exit status: 0", "--counters-only", "Holm"):
            self.assertIn(text, ended.out)


class Policies(GateTest):
    def test_floors_by_row(self) -> None:
        policy = regress_policy.Policy(2.0, floor_percent_of={"stride/*/stride:32": 3.0, "stride/*": 5.0})
        self.assertEqual(policy.floor("stride/copy/f32/stride:32"), 0.03)
        self.assertEqual(policy.floor("stride/copy/f32/stride:3"), 0.05)
        self.assertEqual(policy.floor("chunk/copy/f32/chunk:4"), 0.02)

    def test_a_policy_rules_and_flags_go_before_it(self) -> None:
        policy = self.write("policy.toml", f'floor_percent = 30\n[floor_percent_of]\n"{OTHER}" = 1\n')
        base, new = steady(10e-6), steady(12e-6)
        report = self.judged(base, new, f"--policy={policy}")
        self.assertEqual((report["rows"][0]["verdict"], report["rows"][0]["floor"]), ("no change", 0.3))
        self.assertIn(f"floors of the policy that fit no row: {OTHER}", report["notes"])
        self.assertEqual(self.judged(base, new, f"--policy={policy}", "--floor-percent=10")["exit_code"], 1)

    def test_lists_of_policy_and_flags_are_joined(self) -> None:
        policy = self.write("policy.toml", 'require_same = ["toolkit"]\nallow_different = ["protocol"]\n')
        base, new = steady(1e-6), steady(1e-6)
        new[0]["context"] |= {"protocol": "reference"}
        self.assertEqual(self.gate(base, new, f"--policy={policy}").code, 0)
        self.assert_one_line(
            self.gate(base, new, f"--policy={policy}", "--require-same=protocol"), "protocol"
        )
        new[0]["context"] |= {"cuda.toolkit": "14"}
        self.assert_one_line(
            self.gate(base, new, f"--policy={policy}", "--allow-different=gpu"), "cuda.toolkit"
        )

    def test_calibration(self) -> None:
        random = numpy.random.default_rng(11)
        quiet, noisy = STRIDE, "random/gather/f32"
        documents = processes(18, 0.001, random, names=[quiet, noisy])
        for one in documents:
            one["benchmarks"][1]["real_time"] *= 1 + 0.03 * random.standard_normal()
            one["benchmarks"].append(bad_row("x/y/z", "SKIPPED: no"))
        base, new = self.write_all("base", documents[:9]), self.write_all("new", documents[9:])
        path = self.folder / "policy.toml"
        ended = call(regress.main, ["--calibrate", f"--policy-out={path}", *base, "--", *new])
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn("18 processes, 2 rows; floors for 9 processes a side", ended.out)
        self.assertRegex(ended.out, rf"{quiet} +0\.\d+ % +[+-]0\.\d\d % +1\.5 %  6\n")
        self.assertIn("left out, as not every file has it measured: x/y/z", ended.out)
        policy = regress_policy.read_policy(str(path))
        self.assertEqual(list(policy.floor_percent_of), [noisy])
        # 2 x 5 x 1.2533 x 3 % x sqrt(2 / 9) = 17.7 %, from a noise that is itself uncertain.
        self.assertTrue(10 < policy.floor_percent_of[noisy] < 28, policy)
        report = self.judged(documents[:9], documents[9:], f"--policy={path}")
        self.assertEqual([one["verdict"] for one in report["rows"]], ["no change", "no change", "skipped"])
        self.assertEqual(report["exit_code"], 0)

    def test_a_row_too_noisy_for_a_floor_leaves_the_others_theirs(self) -> None:
        random = numpy.random.default_rng(5)
        wild, tailed = "random/gather/f32", "random/read/f32"
        documents = processes(18, 0.005, random, names=[STRIDE, wild, tailed])
        for index, one in enumerate(documents):
            one["benchmarks"][1]["real_time"] *= 30 ** (index % 2)
            one["benchmarks"][2]["real_time"] *= 400 if index == 4 else 1
        path = self.folder / "policy.toml"
        names = self.write_all("run", documents)
        ended = call(regress.main, ["--calibrate", f"--policy-out={path}", *names[:9], "--", *names[9:]])
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn(f"too noisy for it: {wild}\n", ended.out)
        self.assertRegex(ended.out, rf"{tailed} .*  some processes lie far off\n")
        floors = regress_policy.read_policy(str(path)).floor_percent_of
        self.assertEqual(set(floors), {STRIDE, tailed})
        self.assertTrue(all(1.5 < floor < 10 for floor in floors.values()), floors)
        self.assert_one_line(
            call(regress.main, ["--calibrate", *(self.write(f"w{i}", document([one["benchmarks"][1]])) for i, one in
                                                enumerate(documents))]), "no floor will do",
        )

    def test_a_drift_between_the_sides_raises_the_floor(self) -> None:
        base, new = self.write_all("base", steady(10e-6)), self.write_all("new", steady(10.4e-6))
        path = self.folder / "policy.toml"
        self.assertEqual(
            call(regress.main, ["--calibrate", f"--policy-out={path}", *base, "--", *new]).code, 0
        )
        self.assertAlmostEqual(
            regress_policy.read_policy(str(path)).floor_percent_of[STRIDE], 8.0, delta=0.11
        )

    def test_the_policy_of_the_document_has_every_key_and_the_defaults(self) -> None:
        path = SOURCE_DIR / "docs/ci_example/perf/policy.toml"
        policy = regress_policy.read_policy(str(path))
        changed = {"require_same": ("driver",), "floor_percent_of": {"stride/copy/*/stride:32": 3}}
        self.assertEqual(policy, regress_policy.Policy().with_values("", changed))
        for one in dataclasses.fields(regress_policy.Policy):
            self.assertIn(one.name, path.read_text("utf-8"))

    def test_what_is_written_is_read(self) -> None:
        policy = regress_policy.Policy(2, 4, 0.05, "a:lower", ("x",), ("y", "z"), True, {'a"b\\c': 3.0})
        path = self.write("policy.toml", regress_policy.policy_text(policy, ["one", "two"]))
        self.assertEqual(regress_policy.read_policy(path), policy)


class Program(GateTest):
    def test_as_a_process(self) -> None:
        base, new = self.write_all("a", steady(10e-6)), self.write_all("b", steady(12e-6))
        program = str(SOURCE_DIR / "bench" / "tools" / "regress.py")
        done = subprocess.run(
            [sys.executable, program, *base, "--", *new], capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertTrue(
            done.stdout.startswith("9 base and 9 new processes\nthe contexts do not differ\n"), done.stdout
        )

    def test_numbers_that_nobody_knows_are_null(self) -> None:
        report = regress_compare.compare(
            files_of(steady(1e-6, count=1)), files_of(steady(1e-6, count=1)), regress_policy.Policy()
        )
        self.assertTrue(math.isnan(report.rows[0].least))


if __name__ == "__main__":
    unittest.main()
