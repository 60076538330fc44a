# SPDX-License-Identifier: Apache-2.0
"""bench/lessons/claims.py: the arithmetic of its checks, the document that it writes, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

from support import SOURCE_DIR

sys.path.insert(0, str(SOURCE_DIR / "bench" / "lessons"))

import claims  # noqa: E402
import sectorbench_results as results  # noqa: E402
from claims_record import (  # noqa: E402
    CannotTell, Record, all_of, equal, given, rising, sectors, time, within,
)

H200 = SOURCE_DIR / "docs/results/h200/full_claims.json"
BY_KEY = {claim.key: claim for claim in claims.all_claims()}


def row(name: str, us: float, label: str = "", **counters: float) -> dict[str, Any]:
    return {
        "name": name + "/manual_time", "run_type": "iteration", "repetition_index": 0,
        "real_time": us, "time_unit": "us", "label": label, **counters,
    }


def file_of(rows: list[dict[str, Any]], **context: str) -> results.ResultFile:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "made_up.json"
        path.write_text(json.dumps({"context": {"backend": "cuda", **context}, "benchmarks": rows}))
        return results.read_file(path)


def record(*rows: dict[str, Any], **context: str) -> Record:
    return Record(file_of(list(rows), **context))


class Checks(unittest.TestCase):
    def test_the_median_comes_before_the_mean(self) -> None:
        self.assertAlmostEqual(record(row("a", 12, time_median_s=10e-6)).time_s("a"), 10e-6)
        self.assertAlmostEqual(record(row("a", 12)).time_s("a"), 12e-6)

    def test_a_time_or_counter_that_is_no_number_tells_nothing(self) -> None:
        for bad in (record(row("a", 0), row("b", 1)), record(row("a", 1, time_median_s=0), row("b", 1))):
            for quantity in (time("a") / time("b"), time("b") / time("a")):
                with self.assertRaises(CannotTell):
                    within(quantity, at_least=1).of(bad)
        with self.assertRaises(CannotTell):
            within(sectors("a"), at_least=1).of(
                record(row("a", 1, load_sectors_measured=4, load_requests_measured=0))
            )

    def test_bounds_are_inclusive(self) -> None:
        here = record(row("a", 30), row("b", 20))
        quantity = time("a") / time("b")
        self.assertEqual(within(quantity, at_least=1.5).of(here).figure, "1.500")
        self.assertTrue(within(quantity, at_least=1.5).of(here).holds)
        self.assertTrue(within(quantity, at_most=1.5).of(here).holds)
        self.assertFalse(within(quantity, at_least=1.51).of(here).holds)
        self.assertFalse(within(quantity, at_most=1.49).of(here).holds)
        self.assertEqual(within(quantity, at_most=1.49).text, "`time(a) / time(b)` <= 1.49")

    def test_sums_are_made_before_ratios(self) -> None:
        here = record(row("a", 30), row("b", 20), row("c", 100))
        self.assertAlmostEqual(((time("a") + time("b")) / time("c")).of(here), 0.5)
        self.assertAlmostEqual((2 * time("a")).of(here), 60e-6)

    def test_sectors_are_those_that_were_counted(self) -> None:
        counted = row("a", 1, load_sectors_measured=40, load_requests_measured=8, load_sectors_predicted=32)
        self.assertTrue(equal(sectors("a"), 5).of(record(counted)).holds)
        with self.assertRaisesRegex(CannotTell, "no load_sectors_measured of `a`"):
            sectors("a").of(record(row("a", 1, load_sectors_predicted=32, load_requests_predicted=8)))

    def test_unfit_rows_decide_nothing(self) -> None:
        for label, why in (("cache_resident=l2", "fits in the cache"), ("throttled=power", "held down"),
                           ("shared=2_processes", "shared the GPU")):
            with self.assertRaisesRegex(CannotTell, why):
                time("a").of(record(row("a", 1, label)))
        self.assertAlmostEqual(time("a", in_cache=True).of(record(row("a", 1, "cache_resident=l2"))), 1e-6)
        failed = {**row("a", 1), "error_occurred": True, "error_message": "3 elements wrong"}
        with self.assertRaisesRegex(CannotTell, "`a` failed: 3 elements wrong"):
            time("a").of(record(failed, row("b", 1)))

    def test_one_that_fails_decides_and_one_that_is_missing_does_not_confirm(self) -> None:
        good = within(time("a") / time("b"), at_least=1)
        bad = within(time("a") / time("b"), at_least=2)
        missing = within(time("c") / time("b"), at_least=1)
        here = record(row("a", 1), row("b", 1))
        self.assertFalse(all_of([missing, bad]).of(here).holds)
        self.assertTrue(all_of([good, good]).of(here).holds)
        with self.assertRaisesRegex(CannotTell, "no row `c`"):
            all_of([good, missing]).of(here)

    def test_checks_that_differ_in_one_number_are_written_once(self) -> None:
        series = all_of(within(time(f"a/x:{n}") / time(f"b/x:{n}/y:1"), at_most=2) for n in (1, 8))
        self.assertEqual(series.text, "`time(a/x:N) / time(b/x:N/y:1)` for N = 1, 8, each <= 2")
        for first, second in (("a/x:1", "b/x:2"), ("a/x:1/y:1", "a/x:2/y:3"), ("a", "a/x:1")):
            apart = all_of(within(time(row), at_most=2) for row in (first, second))
            self.assertEqual(apart.text, f"`time({first})`, `time({second})` each <= 2")

    def test_a_condition_that_is_not_met_leaves_it_open(self) -> None:
        smaller = within(time("a") / time("b"), at_most=1)
        conditional = given(smaller, within(time("b") / time("a"), at_least=1))
        self.assertTrue(conditional.of(record(row("a", 1), row("b", 2))).holds)
        with self.assertRaisesRegex(CannotTell, "condition"):
            conditional.of(record(row("a", 2), row("b", 1)))

    def test_a_curve_is_refuted_by_one_step_and_confirmed_by_all(self) -> None:
        curve = rising([["a", "b", "c"]], at_least=0.98)
        self.assertTrue(curve.of(record(row("a", 1), row("b", 2), row("c", 2))).holds)
        self.assertFalse(curve.of(record(row("a", 10), row("b", 9))).holds)
        with self.assertRaisesRegex(CannotTell, "slower at each step up to `b`"):
            curve.of(record(row("a", 1), row("b", 2)))


class Table(unittest.TestCase):
    def test_every_claim_of_the_record_of_an_h200_is_as_it_was_found(self) -> None:
        # By hand from docs/results/h200/full.txt.
        expected = {
            "four_sectors": ("holds", "4"),  # 8,388,608 / 2,097,152
            "fifth_sector": ("holds", "5"),
            "no_more_sectors": ("holds", "32, 32, 32"),
            "stride8_is_the_end": ("fails", "1.409, 2.146"),  # 2.059 and 3.135 over 1.461 ms
            "stride1_is_fastest": ("fails", "0.614, 0.613, 0.627"),  # 127.8, 127.7, 130.6 over 208.2 us
            "misaligned_fifth": ("fails", "1.042"),  # 206.6 / 198.3 us
            "chunk_beats_stride": ("holds", "0.403"),  # 1.263 / 3.135 ms
            "exercise": ("holds", "15.1"),  # 3.135 / 0.2082 ms
            "parts_add_up": ("fails", "1.549, 1.169, 1.015, 1.013, 1.084, 1.193"),
            "float4_twice": ("fails", "1.553"),  # 198.4 / 127.7 us
        }
        file = results.read_file(H200)
        for key, (word, figure) in expected.items():
            verdict = claims.judge(BY_KEY[key], [file])
            assert verdict.finding
            self.assertEqual((verdict.word, verdict.finding.figure), (word, figure), key)
        self.assertEqual(claims.judge(BY_KEY["each_larger"], [file]).word, "fails")

    def test_the_first_file_that_can_decide_does(self) -> None:
        without = file_of([row("stride/copy/f32/stride:1", 1)])
        decides = file_of([row("stride/copy/f32/stride:1", 2), row("stride/copy/f32/stride:32", 15)])
        verdict = claims.judge(BY_KEY["exercise"], [without, decides])
        assert verdict.finding
        self.assertEqual((verdict.word, verdict.finding.figure), ("fails", "7.500"))
        self.assertEqual(verdict.path, decides.path)
        nothing = claims.judge(BY_KEY["exercise"], [without])
        self.assertEqual(nothing.word, "cannot be told")
        self.assertEqual(nothing.reason, "no row `stride/copy/f32/stride:32`")

    def test_nothing_is_said_of_a_cpu_where_a_claim_is_about_gpus(self) -> None:
        rows = [row("stride/copy/f32/stride:1", 1), row("stride/copy/f32/stride:32", 7)]
        cpu = file_of(rows, backend="host")
        self.assertEqual(claims.judge(BY_KEY["an_eighth"], [cpu]).reason, "it is about GPUs")
        self.assertEqual(claims.judge(BY_KEY["exercise"], [cpu]).word, "fails")

    def test_the_rows_to_record_are_those_that_claims_read(self) -> None:
        text = (SOURCE_DIR / "bench/lessons/claims_rows.txt").read_text()
        listed = [line for line in text.splitlines() if line and not line.startswith("#")]
        recorded = json.loads(H200.read_text())["benchmarks"][8]
        keys = [key for key in recorded if key.endswith(("_measured", "bytes"))]
        everything = [row(name, 1, "", flops_per_byte=1, **dict.fromkeys(keys, 1.0)) for name in listed]
        context = {"gpu.balance_flops_per_byte": "1", "gpu.peak_bytes_per_s": "1"}
        read: set[str] = set()
        for claim in claims.all_claims():
            asked = record(*everything, **context)
            claim.check.of(asked)  # a row that is not listed raises CannotTell
            self.assertTrue(asked.asked, claim.key)
            read |= asked.asked.keys()
        self.assertEqual(read, set(listed))

    def test_keys_stand_once_and_every_claim_has_a_source(self) -> None:
        self.assertGreaterEqual(len(BY_KEY), 20)
        self.assertEqual(len(BY_KEY), len(claims.all_claims()))
        for claim in claims.all_claims():
            self.assertTrue(claim.source.title and claim.sentence.endswith("."), claim.key)


class Document(unittest.TestCase):
    def test_is_what_the_records_give(self) -> None:
        kept = (SOURCE_DIR / "docs/claims.md").read_text()
        self.assertEqual(kept, claims.document(), "run bench/lessons/claims.py to write docs/claims.md anew")

    def test_has_every_claim_in_the_table_and_its_check_below(self) -> None:
        text = claims.document()
        for claim in claims.all_claims():
            self.assertIn(f"| [{claim.sentence}](#{claim.key}) |", text)
            self.assertIn(f'\n- <a id="{claim.key}"></a>', text)

    def test_leaves_out_a_claim_that_no_recorded_file_decides(self) -> None:
        unknown = dataclasses.replace(BY_KEY["halves"], key="unknown", check=equal(sectors("no_such_row"), 1))
        text = claims.document({"Group": [BY_KEY["halves"], unknown]})
        self.assertIn("(#halves)", text)
        self.assertNotIn("unknown", text)


class Command(unittest.TestCase):
    def run_it(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, SOURCE_DIR / "bench/lessons/claims.py", *args],
            capture_output=True, text=True, check=False,
        )

    def refused(self, *args: str) -> str:
        done = self.run_it(*args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("claims.py: "), done.stderr)
        return done.stderr

    def test_prints_the_verdicts_of_a_file(self) -> None:
        done = self.run_it("--check", str(H200))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"fails +misaligned_fifth +Misaligned by one element costs 20 %")
        self.assertRegex(done.stdout, r"cannot be told +pitch .*\n +no row `pitch/copy/f32/columns:1000/")

    def test_shows_the_evidence_of_one(self) -> None:
        done = self.run_it("--check", str(H200), "--claim=halves")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stride/copy/f32/stride:2: 363.9 us", done.stdout)
        self.assertIn("0.45 to 0.55", done.stdout)
        self.assertNotIn("four_sectors", done.stdout)

    def test_refuses_in_one_line(self) -> None:
        self.assertIn("no_such.json: cannot be read", self.refused("--check", "no_such.json"))
        unknown = self.refused("--check", str(H200), "--claim=moon")
        self.assertIn("--claim=moon: there is no such claim", unknown)
        self.assertIn("goes with --check", self.refused("--claim=halves"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.json"
            rows = [row("stride/copy/f32/stride:1", 1, "predicted=1")]
            path.write_text(json.dumps({"context": {"backend": "prediction"}, "benchmarks": rows}))
            self.assertIn("a prediction of --predict", self.refused("--check", str(path)))

    def test_a_file_that_decides_nothing_says_what_to_record(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "other.json"
            path.write_text(json.dumps({"context": {}, "benchmarks": [row("mine", 1)]}))
            done = self.run_it("--check", str(path))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--suite=bench/lessons/claims_rows.txt", done.stderr)


if __name__ == "__main__":
    unittest.main()
