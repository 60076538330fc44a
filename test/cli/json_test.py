# SPDX-License-Identifier: Apache-2.0
"""The JSON: strict, with every counter on every measured row, each in its right relation."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import unittest

from support import (
    DEVICE,
    SIDES,
    SIZES,
    SOURCE_DIR,
    Json,
    OutputTest,
    counter_keys,
    counter_sets,
    measuring,
    strict_json,
)

# Version 2 of the evidence. A change of a key or of its meaning is a new version.
EVIDENCE_KEYS = {
    "evidence.version", "sectorbench.version", "sectorbench.revision", "sectorbench.dirty",
    "build.type", "build.compiler", "build.flags", "build.benchmark_version", "backend",
    "backend.reason", "tool", "suite", "quick", "protocol", "cache_mode", "buffer_bytes",
    "elements", "block", "fill.seed", "blocking", "blocking.reason", "host.cpu_model",
    "host.cores", "host.hardware_threads", "host.openmp_threads", "host.l1d_bytes",
    "host.l2_bytes", "host.l3_bytes", "host.memory_bytes", "host.transparent_huge_pages",
    "host.affinity", "host.cpu_quota", "host.numa_nodes", "host.wait_policy", "host.omp_places",
    "host.omp_proc_bind", "host.governor", "host.turbo", "host.load_begin",
    "counters", "counters.reason", "clock_check", "clock_check.reason", "cache.flush_proof",
    "warmup_launches", "batch", "batches_per_round", "verification", "model.gpu", "model.source",
}
# A header may hold several forms of a pattern, whose names the document of patterns lists.
PATTERNS = set(re.findall(r"(?m)^## (\w+)$",
                          (SOURCE_DIR / "docs/patterns.md").read_text("utf-8"))) - {"indexed"}
# What every version so far has promised; a key more is no harm, a key less is.
PROMISED_COUNTERS = [
    "elements", "useful_bytes", "useful_bytes_per_second", "fraction_of_stride1",
    "fraction_of_ceiling", "fraction_of_peak", "launches_per_sample", "samples", "time_min_s",
    "time_median_s", "time_cv", "load_requests_predicted", "load_sectors_predicted",
    "store_requests_predicted", "store_sectors_predicted", "load_sectors_per_request_predicted",
    "store_sectors_per_request_predicted", "load_lines_per_request_predicted",
    "store_lines_per_request_predicted", "efficiency_predicted", "verified",
]
LIBRARY_CONTEXT = {
    "date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches",
    "load_avg", "library_build_type", "library_version", "json_schema_version", "aslr_enabled",
}
LIBRARY_ROW = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
    "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit",
    "bytes_per_second", "items_per_second",
}
COPY_CEILINGS = ["memcpy/copy/f32", "contiguous/copy/f32x4", "unrolled/copy/f32/unroll:4"]
BUFFER_BYTES = 64 * 1024


class DefaultSuite(OutputTest):
    """One run of the default suite with equal bytes, looked at from many sides."""

    rows: dict[str, Json] = {}
    context: Json = {}

    def setUp(self) -> None:
        super().setUp()
        if not DefaultSuite.rows:
            document = self.measure(f"--bytes={BUFFER_BYTES}")
            DefaultSuite.rows = self.measured_rows(document)
            DefaultSuite.context = document["context"]

    def assert_same(self, got: float, expected: float, what: str) -> None:
        close = math.isclose(got, expected, rel_tol=1e-9)
        self.assertTrue(close, f"{what}: {got!r} instead of {expected!r}")

    def test_every_row_has_all_counters_and_no_other_key(self) -> None:
        self.assertGreater(len(counter_keys()), 20, "bench/report/counters.hpp could not be read")
        always, sometimes = ["kEvery"], ["kCounters", "kClockCheck", "kNvml", "kTraffic", "kTime"]
        if DEVICE != "host":
            always.append("kGpu")
        else:
            always.append("kHost")
        expected = LIBRARY_ROW | set(counter_keys(*always))
        for name, row in self.rows.items():
            self.assertLessEqual(expected, set(row), name)
            more = set() if DEVICE == "host" else set(counter_keys(*sometimes))
            self.assertLessEqual(set(row) - {"label"}, expected | more, name)

    def test_no_promised_counter_is_gone(self) -> None:
        missing = [key for key in PROMISED_COUNTERS if key not in counter_keys()]
        self.assertEqual(missing, [], "keys are an interface")

    def test_every_counter_is_a_finite_number_of_at_least_0(self) -> None:
        for name, row in self.rows.items():
            for key in counter_keys():
                self.assertIsInstance(row[key], (int, float), f"{name}: {key}")
                self.assertTrue(math.isfinite(row[key]), f"{name}: {key} is {row[key]}")
                self.assertGreaterEqual(row[key], 0, f"{name}: {key}")

    def test_useful_bytes_are_elements_times_size_times_sides(self) -> None:
        for name, row in self.rows.items():
            _, operation, element, *_ = name.split("/")
            if self.disturbed(name, references=True):
                continue
            self.assertEqual(row["elements"], BUFFER_BYTES // SIZES[element], name)
            arrays = 3 if name.startswith("add/") else SIDES[operation]
            self.assertEqual(row["useful_bytes"], BUFFER_BYTES * arrays, name)

    def test_both_rates_are_the_same_decimal_rate(self) -> None:
        for name, row in self.rows.items():
            self.assert_same(row["bytes_per_second"], row["useful_bytes_per_second"], name)
            self.assert_same(row["items_per_second"] * row["useful_bytes"],
                             row["bytes_per_second"] * row["elements"], f"{name}: items")

    def test_rate_is_useful_bytes_over_mean_time(self) -> None:
        for name, row in self.rows.items():
            self.assertEqual(row["time_unit"], "ns", name)
            mean_s = row["real_time"] * 1e-9
            self.assert_same(row["useful_bytes_per_second"] * mean_s, row["useful_bytes"], name)
            self.assertLessEqual(row["time_min_s"], row["time_median_s"], name)
            self.assertLessEqual(row["time_min_s"], mean_s * (1 + 1e-9), name)
            self.assertGreater(row["time_min_s"], 0, name)

    def test_samples_account_for_every_launch(self) -> None:
        for name, row in self.rows.items():
            self.assertGreaterEqual(row["samples"], 3, f"{name}: too few for a spread")
            self.assertEqual(row["samples"] * row["launches_per_sample"], row["iterations"], name)

    def test_every_printed_row_was_verified(self) -> None:
        for name, row in self.rows.items():
            self.assertEqual(row["verified"], 1, name)

    def disturbed(self, name: str, *, references: bool = False) -> bool:
        """Whether other work on this machine disturbed the row, or those that it is compared with."""
        label = self.rows[name].get("label", "")
        return ("references=disturbed" if references else ";disturbed=") in ";" + label

    def test_fraction_of_stride1_is_1_for_stride_1(self) -> None:
        ones = [name for name in self.rows if name.endswith("/stride:1")]
        self.assertEqual(len(ones), 3, ones)
        for name in ones:
            self.assertEqual(self.rows[name]["fraction_of_stride1"], 0 if self.disturbed(name) else 1, name)

    def test_fraction_of_stride1_refers_to_the_printed_row(self) -> None:
        for name, row in self.rows.items():
            _, operation, element, *_ = name.split("/")
            reference = self.rows.get(f"stride/{operation}/{element}/stride:1")
            if reference is None or list(self.rows).index(name) < list(self.rows).index(
                f"stride/{operation}/{element}/stride:1"
            ):
                self.assertGreater(row["fraction_of_stride1"], 0, name)
                continue
            self.assert_same(row["fraction_of_stride1"] * reference["useful_bytes_per_second"],
                             row["useful_bytes_per_second"], name)

    def test_fraction_of_ceiling_refers_to_the_best_printed_ceiling_row(self) -> None:
        best = max(self.rows[name]["useful_bytes_per_second"] for name in COPY_CEILINGS)
        checked = 0
        for name, row in self.rows.items():
            if name in COPY_CEILINGS or name.split("/")[1] not in ("copy", "gather", "scatter"):
                continue
            if self.disturbed(name, references=True):
                self.assertEqual(row["fraction_of_ceiling"], 0, name)
                checked += 1
                continue
            rate = row["fraction_of_ceiling"] * best
            self.assert_same(rate, row["useful_bytes_per_second"], name)
            checked += 1
        self.assertGreater(checked, 15)

    def test_no_ceiling_row_is_above_the_ceiling(self) -> None:
        for name in COPY_CEILINGS + [f"contiguous/{o}/f32x4" for o in ("read", "write")]:
            fraction = self.rows[name]["fraction_of_ceiling"]
            if self.disturbed(name, references=True) or self.disturbed(name):
                continue
            self.assertTrue(0 < fraction <= 1, f"{name}: {fraction}")

    def test_no_fraction_of_peak_without_a_peak_or_within_a_cache(self) -> None:
        for name, row in self.rows.items():
            if DEVICE == "host" or "cache_resident" in row.get("label", ""):
                self.assertEqual(row["fraction_of_peak"], 0, name)

    def test_labels_are_pairs_of_key_and_value(self) -> None:
        for name, row in self.rows.items():
            label = row.get("label", "")
            self.assertRegex(label, r"^([a-z_]+=[^;=]+(;[a-z_]+=[^;=]+)*)?$", name)
        self.assertIn("mover=", self.rows["memcpy/copy/f32"]["label"])

    def test_context_is_the_evidence_as_strings(self) -> None:
        ours = {key: value for key, value in self.context.items() if key not in LIBRARY_CONTEXT}
        for key, value in ours.items():
            self.assertIsInstance(value, str, key)
            self.assertNotEqual(value, "", f"{key} is empty")
        self.assertEqual(ours["evidence.version"], "2")
        expected = EVIDENCE_KEYS | {f"pattern.{name}.mapping" for name in PATTERNS - {"reordered"}}
        if DEVICE == "host":
            self.assertEqual(set(ours), expected)
        else:
            self.assertLessEqual(expected, set(ours), "evidence is missing")
        document = (SOURCE_DIR / "docs" / "counters.md").read_text("utf-8")
        for key in ours:
            key = re.sub(r"^pattern\.\w+\.", "pattern.NAME.", key)
            self.assertIn(f"`{key}`", document, "not documented")
        self.assertEqual(ours["buffer_bytes"], str(BUFFER_BYTES))
        self.assertEqual(ours["backend"], "host" if DEVICE == "host" else "cuda")


class Strictness(OutputTest):
    ROW = "contiguous/read/f32"  # a read stores nothing: its store counters are all 0
    ARGS = measuring(["--elements=4Ki", f"--rows={ROW}"])

    def test_aggregates_of_counters_that_are_0(self) -> None:
        rows = self.measure("--elements=4Ki", f"--rows={self.ROW}", "--benchmark_repetitions=2")
        kinds = [row.get("aggregate_name", "one") for row in rows["benchmarks"]]
        self.assertEqual(kinds[:4], ["one", "one", "mean", "median"])
        for row in rows["benchmarks"]:
            self.assertLessEqual(set(counter_keys()), set(row), row["name"])

    def test_aggregates_in_the_file(self) -> None:
        out = self.folder / "rows.json"
        self.check_run([*self.ARGS,
                        "--benchmark_repetitions=2", f"--benchmark_out={out}"])
        try:
            strict_json(out.read_bytes())
        except ValueError as error:
            self.fail(f"--benchmark_out is not strict JSON: {error}")

    def test_context_from_the_command_line(self) -> None:
        document = self.measure("--elements=4Ki", f"--rows={self.ROW}",
                                '--benchmark_context=who="me"\\,where=h\u00fctte')
        self.assertEqual(document["context"]["who"], '"me"\\')
        self.assertEqual(document["context"]["where"], "h\u00fctte")

    def test_context_that_cannot_be_in_json_is_refused(self) -> None:
        for value in ("a=b\nc", "a=b\x01", "a\t=b", "a=\x7f", b"a=\xff"):
            with self.subTest(value):
                raw = value.encode() if isinstance(value, str) else value
                self.assert_refused(2, [*self.ARGS, b"--benchmark_context=" + raw],
                                    "--benchmark_context")

    def test_context_cannot_replace_the_evidence(self) -> None:
        self.assert_refused(2, [*self.ARGS,
                                "--benchmark_context=backend=mine"],
                            "--benchmark_context", "backend")

    def test_stderr_speaks_in_our_name(self) -> None:
        result = self.check_run([*self.ARGS,
                                 "--benchmark_format=json"])
        for line in result.err.splitlines():
            self.assertTrue(line.startswith("sectorbench: "), line)

    def test_a_row_that_does_not_fit_carries_no_number(self) -> None:
        document = self.measure("--elements=1048576Gi,4Ki", f"--rows={self.ROW}")
        skipped, measured = document["benchmarks"]
        self.assertTrue(skipped.get("error_occurred") or skipped.get("skipped"), skipped)
        text = skipped.get("skip_message") or skipped["error_message"]
        self.assertRegex(text, r"needs \d{16,} bytes .*\d+ bytes .*available")
        self.assertEqual(skipped["real_time"], 0)
        numbers = (set(counter_keys()) | {"bytes_per_second", "items_per_second"}) & set(skipped)
        self.assertEqual(numbers, set(), "a row that was not measured has figures")
        self.assertNotIn("label", skipped)
        self.assertEqual(measured["verified"], 1)

    def test_locale_changes_nothing(self) -> None:
        german = {"LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        if shutil.which("localedef"):
            # Made here if its sources are there, as it is rarely installed.
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.folder / "de_DE.UTF-8"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            if (self.folder / "de_DE.UTF-8").exists():
                german["LOCPATH"] = str(self.folder)
        flags = ("--elements=64Ki", "--rows=stride/copy/f32/stride:3", "--max_wall=20.5")
        plain = self.measured_rows(self.measure(*flags, env={"LC_ALL": "C"}))
        local = self.measured_rows(self.measure(*flags, env=german))
        fixed = [key for key in counter_keys() if key.endswith("_predicted")]
        for name, row in plain.items():
            self.assertEqual([row[key] for key in fixed], [local[name][key] for key in fixed])
        lines = self.folder / "rows.jsonl"
        table = self.check_run([*measuring(flags), f"--json_lines={lines}"], env=german)
        for line in lines.read_text("utf-8").splitlines():
            self.assertLessEqual({"ms", "gbps"}, set(strict_json(line)))
        row = next(line for line in table.out.splitlines() if line.startswith("stride/"))
        self.assertNotIn(",", row, "a decimal comma or a thousands separator")

    def test_wall_limited_rows_say_so(self) -> None:
        document = self.measure("--elements=4Ki", "--rows=stride/copy/f32/stride:8",
                                "--max_wall=0.000001", "--benchmark_min_time=0.05")
        (row,) = self.measured_rows(document).values()
        self.assertIn("wall_limited=1", row["label"].split(";"))
        self.assertGreater(row["useful_bytes_per_second"], 0)
        self.assertLess(row["samples"] * row["launches_per_sample"], row["iterations"])

    def test_quick_run_says_so(self) -> None:
        document = self.measure("--quick", "--rows=contiguous/copy/f32")
        (row,) = self.measured_rows(document).values()
        self.assertEqual(document["context"]["quick"], "yes")
        self.assertEqual(row["useful_bytes"], 2 * int(document["context"]["buffer_bytes"]))
        if DEVICE == "host":
            self.assertEqual(row["useful_bytes"], 2 * 16 * 2**20)

    def test_cold_caches_say_so(self) -> None:
        document = self.measure("--elements=4Ki", "--rows=contiguous/copy/f32", "--cache=cold",
                                "--benchmark_min_time=0.000000001")
        self.measured_rows(document)
        self.assertEqual(document["context"]["cache_mode"], "cold")
        if DEVICE == "host":
            self.assertTrue(document["context"]["cache.flush_proof"].startswith("not proven"))

    def test_profile_is_one_launch_and_says_so(self) -> None:
        document = self.measure("--elements=4Ki", "--rows=stride/copy/f32/stride:8", "--profile")
        (row,) = self.measured_rows(document).values()
        self.assertEqual(row["iterations"], 1)
        self.assertEqual((row["samples"], row["launches_per_sample"]), (1, 1))
        self.assertEqual(row["fraction_of_ceiling"], 0, "a reference was measured")
        self.assertIn("profile=1", row["label"].split(";"))
        self.assertEqual(document["context"]["protocol"], "profile")
        self.assertEqual(document["context"]["warmup_launches"], "1")

    def test_more_threads_measure_the_same_rows(self) -> None:
        flags = ("--elements=4099", "--rows=stride/copy/f32/stride:3,chunk/read/u8/chunk:5")
        document = self.measure(*flags, env={"OMP_NUM_THREADS": "3"})
        for name, row in self.measured_rows(document).items():
            self.assertEqual(row["verified"], 1, name)
        if DEVICE == "host":
            self.assertEqual(document["context"]["host.openmp_threads"], "3")


if __name__ == "__main__":
    unittest.main()
