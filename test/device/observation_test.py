# SPDX-License-Identifier: Apache-2.0
"""What a run on a GPU says besides times: counters, second clock, caches, state of the GPU.

What this machine does not offer (denied permission, a virtual GPU, throttling, a divided GPU) is
played by stand-ins for CUPTI and NVML. Skipped without a GPU; SECTORBENCH_REQUIRE_GPU=1 forbids that,
SECTORBENCH_REQUIRE_COUNTERS=1 that counters are missing.
"""

from __future__ import annotations

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support import Json, Result, counter_keys, plain_name, run, strict_json  # noqa: E402

FAKE_CUPTI = os.environ.get("SECTORBENCH_FAKE_CUPTI", "")
FAKE_NVML = os.environ.get("SECTORBENCH_FAKE_NVML", "")
ROW = "--rows=stride/copy/f32/stride:8"
FEW = ["--device=cuda", ROW, "--elements=4Mi"]


def setUpModule() -> None:
    probe = run([*FEW, "--counters=off"])
    if probe.code != 4:
        return
    if "cannot be used" in probe.err or os.environ.get("SECTORBENCH_REQUIRE_GPU") == "1":
        raise AssertionError(probe.err)
    raise unittest.SkipTest(probe.err.strip())


class Observation(unittest.TestCase):
    maxDiff = None

    def run_json(self, *args: str, env: dict[str, str | None] | None = None,
                 code: int = 0) -> tuple[Json, dict[str, Json], Result]:
        result = run([*args, "--benchmark_format=json"], env=env, timeout=300)
        self.assertEqual(result.code, code, result.err)
        document = strict_json(result.out)
        rows = {plain_name(row): row for row in document["benchmarks"]}
        self.assertTrue(rows)
        for name, row in rows.items():
            self.assertEqual(row.get("verified"), 1, name)
        return document["context"], rows, result

    def counted(self, *args: str) -> tuple[Json, dict[str, Json]]:
        """A run with counters, or a skip where this machine has none."""
        context, rows, _ = self.run_json(*args)
        if context["counters"] != "on":
            reason = f"{context['counters']}: {context['counters.reason']}"
            if os.environ.get("SECTORBENCH_REQUIRE_COUNTERS") == "1":
                self.fail(reason)
            self.skipTest(reason)
        return context, rows

    def assert_no_counters(self, rows: dict[str, Json]) -> None:
        for name, row in rows.items():
            self.assertEqual([k for k in row if k in counter_keys("kCounters")], [], name)
            self.assertGreater(row["real_time"], 0, name)

    # ---- counters of this machine

    def test_every_default_row_counts_what_the_model_says(self) -> None:
        context, rows = self.counted("--device=cuda")
        offered = set(counter_keys("kCounters"))
        if context["counters.not_offered"] == "none":
            for name, row in rows.items():
                if "mover" not in row.get("label", ""):
                    self.assertLessEqual(offered, set(row), name)
        compared = 0
        for name, row in rows.items():
            label = row.get("label", "")
            if "mover=1" in label:
                self.assertIn("counters=not load/store unit", label)
                continue
            compared += 1
            self.assertEqual(row["counters_equal_model"], 1, name)
            self.assertNotIn("mismatch", label, name)
            for what in ("requests", "sectors"):
                loads = row[f"load_{what}_predicted"] + row[f"index_{what}_predicted"]
                self.assertEqual(row[f"load_{what}_measured"], loads, name)
                self.assertEqual(row[f"store_{what}_measured"], row[f"store_{what}_predicted"],
                                 name)
            self.assertEqual(row["sector_bytes_measured"], row["sector_bytes_predicted"] +
                             32 * row["index_sectors_predicted"], name)
        self.assertGreater(compared, 20)

    def test_coalesced_copy_moves_its_bytes_once_through_dram(self) -> None:
        _, rows = self.counted("--device=cuda", "--rows=unrolled/copy/f32/unroll:4")
        (row,) = rows.values()
        self.assertTrue(0.97 < row["dram_amplification_measured"] < 1.05, row)
        self.assertTrue(0.9 < row["dram_read_bytes_measured"] / 2**28 < 1.1, row)

    def test_extra_metrics_keep_their_names(self) -> None:
        _, rows = self.counted(*FEW, "--counter=dram__sectors_read.sum")
        (row,) = rows.values()
        self.assertIn("dram__sectors_read.sum", row)

    def test_unknown_metric_is_refused_with_near_ones(self) -> None:
        self.counted(*FEW)
        result = run([*FEW, "--counter=dram__sectors_raed.sum"])
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertIn("not offered by", result.err)
        self.assertIn("dram__sectors_read.sum", result.err)

    def test_required_counters_that_are_there_end_well(self) -> None:
        self.counted(*FEW)
        _, _, result = self.run_json(*FEW, "--counters=require")
        self.assertIn("counters equal the model in 1 of 1 rows", result.err)

    def test_quick_leaves_counters_out_unless_they_are_required(self) -> None:
        context, rows, _ = self.run_json("--device=cuda", ROW, "--quick")
        self.assertEqual(context["counters"], "off")
        self.assertIn("--quick", context["counters.reason"])
        self.assert_no_counters(rows)

    def test_fetch_granularity_changes_what_a_miss_reads(self) -> None:
        reads = {}
        for bytes_ in (32, 64):
            context, rows = self.counted("--device=cuda", "--rows=stride/gather/f32/stride:16",
                                         f"--l2_fetch_granularity={bytes_}")
            self.assertEqual(context["cuda.l2_fetch_granularity_set"], "yes")
            (row,) = rows.values()
            reads[bytes_] = row["dram_read_bytes_measured"]
        if context["gpu.compute_capability"] != "9.0":
            self.skipTest("known of sm_90 only")
        self.assertAlmostEqual(reads[64] / reads[32], 2, delta=0.1)

    # ---- counters that cannot be had

    def assert_unavailable(self, state: str, *texts: str, env: dict[str, str | None]) -> None:
        context, rows, _ = self.run_json(*FEW, env=env)
        self.assertEqual(context["counters"], state, context["counters.reason"])
        for text in texts:
            self.assertIn(text, context["counters.reason"])
        self.assert_no_counters(rows)
        _, rows, result = self.run_json(*FEW, "--counters=require", env=env, code=1)
        self.assertIn("--counters=require: no hardware counters", result.err)
        self.assert_no_counters(rows)

    def test_missing_library(self) -> None:
        self.assert_unavailable("missing", "/nonexistent", "SECTORBENCH_CUPTI",
                                env={"SECTORBENCH_CUPTI": "/nonexistent"})

    def test_stand_ins_for_obstacles(self) -> None:
        if not FAKE_CUPTI:
            self.skipTest("built without CUPTI's headers")
        for scenario, state, texts in (
            ("permission", "permission", ["ERR_NVGPUCTRPERM", "CUPTI 35", "/proc/driver/nvidia"]),
            ("virtualized", "unsupported", ["virtual GPU disabled"]),
            ("wsl", "unsupported", ["WSL unsupported"]),
            ("other_profiler", "other_profiler", ["another profiler is attached"]),
            ("unknown_chip", "unknown_chip", ["newer CUDA toolkit"]),
        ):
            with self.subTest(scenario):
                self.assert_unavailable(
                    state, *texts, env={"SECTORBENCH_CUPTI": FAKE_CUPTI,
                                        "SECTORBENCH_FAKE_CUPTI_SCENARIO": scenario})

    def test_wsl_gets_no_advice_about_permissions(self) -> None:
        if not FAKE_CUPTI:
            self.skipTest("built without CUPTI's headers")
        context, _, _ = self.run_json(*FEW, env={"SECTORBENCH_CUPTI": FAKE_CUPTI,
                                                 "SECTORBENCH_FAKE_CUPTI_SCENARIO": "wsl"})
        self.assertNotIn("NVreg", context["counters.reason"])

    # ---- the second clock

    def test_activity_records_agree_with_the_events(self) -> None:
        context, rows, _ = self.run_json("--device=cuda", "--counters=off")
        if context["clock_check"] != "on":
            self.skipTest(context["clock_check.reason"])
        for name, row in rows.items():
            if "mover" in row.get("label", ""):
                continue
            limit = 0.02 if row["traced_time_s"] < 10e-6 else 0.005
            self.assertLess(row["clock_disagreement"], limit, name)
            self.assertTrue(0 <= row["gap_us"] < 10, name)

    def test_without_the_check_its_keys_are_absent(self) -> None:
        context, rows, _ = self.run_json(*FEW, "--counters=off", "--clock_check=off")
        self.assertEqual(context["clock_check"], "off")
        (row,) = rows.values()
        self.assertEqual([key for key in counter_keys("kClockCheck") if key in row], [])

    # ---- caches

    def test_cold_is_proven_and_slower_where_warm_fits_in_l2(self) -> None:
        self.counted(*FEW)
        times = {}
        for mode in ("warm", "cold"):
            context, rows, _ = self.run_json("--device=cuda", "--rows=contiguous/copy/f32",
                                             "--elements=2Mi", f"--cache={mode}")
            self.assertEqual(context["cache_mode"], mode)
            (row,) = rows.values()
            times[mode] = row["real_time"]
            if mode == "cold":
                self.assertTrue(context["cache.flush_proof"].startswith("proven"), context)
                self.assertLess(row["l2_read_hit_rate_measured"], 0.05)
        self.assertGreater(times["cold"], times["warm"])

    # ---- the state of the GPU

    def test_rows_carry_the_sm_clock(self) -> None:
        context, rows, _ = self.run_json("--device=cuda", ROW, "--counters=off")
        (row,) = rows.values()
        self.assertAlmostEqual(row["sm_clock_hz"] / 1e6 / float(context["clock.sm_mhz"]), 1,
                               delta=0.2)

    def test_missing_nvml(self) -> None:
        context, rows, _ = self.run_json(*FEW, "--counters=off",
                                         env={"SECTORBENCH_NVML": "/nonexistent"})
        self.assertIn("/nonexistent", context["gpu.nvml"])
        (row,) = rows.values()
        self.assertEqual([key for key in counter_keys("kNvml") if key in row], [])

    def with_fake_nvml(self, scenario: str) -> tuple[Json, Json]:
        context, _, _ = self.run_json(*FEW, "--counters=off")
        context, rows, _ = self.run_json(
            *FEW, "--counters=off", env={"SECTORBENCH_NVML": FAKE_NVML,
                                         "SECTORBENCH_FAKE_NVML_SCENARIO": scenario,
                                         "SECTORBENCH_FAKE_NVML_UUID": context["gpu.uuid"]})
        (row,) = rows.values()
        self.assertEqual(context["gpu.nvml"], "ok")
        return context, row

    def test_throttled_gpu_is_labelled(self) -> None:
        _, row = self.with_fake_nvml("throttled")
        self.assertIn("throttled=power", row["label"])

    def test_shared_gpu_is_labelled(self) -> None:
        _, row = self.with_fake_nvml("shared")
        self.assertIn("shared=2_processes", row["label"])
        self.assertEqual(row["other_processes"], 2)

    def test_a_slice_has_no_peak(self) -> None:
        context, row = self.with_fake_nvml("mig")
        self.assertEqual(context["gpu.peak_bytes_per_s"], "slice: unknown")
        self.assertIn("instance", context["gpu.mig_instance"])
        self.assertEqual(row["fraction_of_peak"], 0)

    def test_short_kernels_are_labelled(self) -> None:
        _, rows, _ = self.run_json("--device=cuda", ROW, "--elements=4Ki", "--counters=off")
        (row,) = rows.values()
        self.assertIn("near_event_floor=", row["label"])


if __name__ == "__main__":
    unittest.main()
