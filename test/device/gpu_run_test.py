# SPDX-License-Identifier: Apache-2.0
"""What the executable says of a real GPU. Skipped without one; SECTORBENCH_REQUIRE_GPU=1 forbids."""

from __future__ import annotations

import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support import Json, Result, plain_name, run, strict_json  # noqa: E402

# What a caller may have set and what the tests are about.
PLAIN: dict[str, str | None] = {"CUDA_LAUNCH_BLOCKING": None}
BLOCKING: dict[str, str | None] = {"CUDA_LAUNCH_BLOCKING": "1"}

CONTEXT_KEYS = {
    "gpu.index", "gpu.name", "gpu.uuid", "gpu.pci_bus_id", "gpu.compute_capability",
    "gpu.sm_count", "gpu.l2_bytes", "gpu.memory_bytes", "gpu.memory_clock_khz",
    "gpu.memory_bus_bits", "gpu.peak_bytes_per_s",
    "gpu.peak_f32_flops", "gpu.balance_flops_per_byte", "gpu.ecc", "cuda.driver_release",
    "cuda.driver", "cuda.runtime", "cuda.toolkit", "cuda.architectures", "cuda.module_loading",
    "blocking", "blocking.reason", "event.floor_us", "clock.settled", "clock.settle_s",
    "clock.sm_mhz", "cuda.architecture_loaded", "cuda.flags", "cuda.visible_devices",
    "cuda.l2_fetch_granularity", "cuda.l2_fetch_granularity_set", "counters", "counters.reason",
    "clock_check", "clock_check.reason", "cache.flush_proof", "gpu.nvml",
}


def setUpModule() -> None:
    probe = run(["--device=cuda", "--rows=contiguous/copy/f32", "--elements=1Ki"], env=PLAIN)
    if probe.code != 4:
        return
    if "cannot be used" in probe.err or os.environ.get("SECTORBENCH_REQUIRE_GPU") == "1":
        raise AssertionError(probe.err)
    raise unittest.SkipTest(probe.err.strip())


class GpuRun(unittest.TestCase):
    maxDiff = None
    quick: Json = {}

    def check_run(self, *args: str, env: dict[str, str | None] | None = None,
                  timeout: float = 120) -> Result:
        result = run(args, env=PLAIN if env is None else env, timeout=timeout)
        self.assertEqual(result.code, 0, f"{' '.join(args)}: exit {result.code}\n{result.err}")
        return result

    def measure(self, *args: str, env: dict[str, str | None] | None = None,
                timeout: float = 120) -> Json:
        return strict_json(self.check_run(*args, "--benchmark_format=json", env=env,
                                          timeout=timeout).out)

    def rows_of(self, document: Json) -> dict[str, Json]:
        rows = {plain_name(row): row for row in document["benchmarks"]}
        self.assertTrue(rows, "no row came")
        for name, row in rows.items():
            self.assertFalse(row.get("error_occurred") or row.get("skipped"), f"{name}: {row}")
            self.assertEqual(row["verified"], 1, name)
        return rows

    def quick_run(self) -> Json:
        """One quick run of the whole suite, with the device that the program chooses itself."""
        if not GpuRun.quick:
            GpuRun.quick = self.measure("--quick")
        return GpuRun.quick

    def test_gpu_is_chosen_and_described(self) -> None:
        context = self.quick_run()["context"]
        self.assertEqual(context["backend"], "cuda")
        self.assertEqual(CONTEXT_KEYS - set(context), set())
        self.assertRegex(context["gpu.uuid"], r"^GPU(-[0-9a-f]+){5}$")
        self.assertRegex(context["gpu.compute_capability"], r"^\d+\.\d$")
        self.assertIn(context["gpu.ecc"], ("on", "off"))
        for key in ("gpu.sm_count", "gpu.l2_bytes", "gpu.memory_bytes"):
            self.assertGreater(int(context[key]), 0, key)
        self.assertTrue(context["gpu.name"])

    def test_code_of_the_gpu_was_loaded(self) -> None:
        context = self.quick_run()["context"]
        self.assertIn(context["cuda.architecture_loaded"],
                      context["cuda.architectures"].replace("-real", "").split(","))

    def test_visible_devices_by_index_and_uuid_are_one_gpu(self) -> None:
        uuid = self.quick_run()["context"]["gpu.uuid"]
        for visible in ("0", uuid):
            document = self.measure("--device=cuda", "--rows=contiguous/copy/f32",
                                    "--elements=4Ki", "--counters=off",
                                    env={**PLAIN, "CUDA_VISIBLE_DEVICES": visible})
            context = document["context"]
            self.assertEqual((context["gpu.uuid"], context["gpu.index"]), (uuid, "0"), visible)
            self.assertEqual(context["cuda.visible_devices"], visible)

    def test_all_gpus_are_measured_one_after_another(self) -> None:
        document = self.measure("--device=all", "--rows=contiguous/copy/f32", "--elements=1Mi",
                                "--counters=off")
        context, rows = document["context"], self.rows_of(document)
        count = int(context.get("gpu.count", "1"))
        self.assertEqual(len(rows), count)
        for name, row in rows.items():
            suffix = f"/gpu:{row['gpu_index']:.0f}" if count > 1 else ""
            self.assertEqual(name, "contiguous/copy/f32" + suffix)
            key = f"gpu.{row['gpu_index']:.0f}.uuid" if count > 1 else "gpu.uuid"
            self.assertRegex(context[key], r"^GPU-")

    def test_peak_is_twice_the_clock_times_the_width(self) -> None:
        context = self.quick_run()["context"]
        clock_hz = int(context["gpu.memory_clock_khz"]) * 1000
        width_bytes = int(context["gpu.memory_bus_bits"]) / 8
        peak = float(context["gpu.peak_bytes_per_s"])
        self.assertAlmostEqual(peak / (2 * clock_hz * width_bytes), 1, places=9)

    def test_stream_is_held_and_events_cost_little(self) -> None:
        context = self.quick_run()["context"]
        if context["tool"] != "none":
            self.skipTest("running under " + context["tool"])
        self.assertEqual(context["blocking"], "on")
        self.assertGreaterEqual(float(context["event.floor_us"]), 0)
        self.assertLess(float(context["event.floor_us"]), 100)
        for row in self.quick_run()["benchmarks"]:
            self.assertNotIn("blocking=", row.get("label", ""), row["name"])

    def test_quick_suite_is_measured_completely_in_memory(self) -> None:
        document = self.quick_run()
        rows = self.rows_of(document)
        listed = self.check_run("--quick", "--benchmark_list_tests").out.split()
        self.assertEqual([plain_name(name) for name in listed], list(rows))

        context = document["context"]
        l2_bytes, buffer_bytes = int(context["gpu.l2_bytes"]), int(context["buffer_bytes"])
        self.assertEqual(buffer_bytes & (buffer_bytes - 1), 0, "no power of two")
        self.assertTrue(buffer_bytes / 2 < 4 * l2_bytes <= buffer_bytes, (buffer_bytes, l2_bytes))
        for name, row in rows.items():
            self.assertNotIn("cache_resident", row.get("label", ""), name)

    def test_no_row_beats_the_memory_bus(self) -> None:
        document = self.quick_run()
        peak = float(document["context"]["gpu.peak_bytes_per_s"])
        for name, row in self.rows_of(document).items():
            rate = row["useful_bytes_per_second"]
            self.assertLess(rate / peak, 1.1, name)
            self.assertAlmostEqual(row["fraction_of_peak"], rate / peak, places=6, msg=name)

    def test_strides_cost_what_makes_them_worth_measuring(self) -> None:
        rows = self.rows_of(self.quick_run())
        for op in ("copy", "gather", "scatter"):
            near = rows[f"stride/{op}/f32/stride:1"]["useful_bytes_per_second"]
            far = rows[f"stride/{op}/f32/stride:32"]["useful_bytes_per_second"]
            self.assertGreater(near / far, 3 if op == "copy" else 1.5, op)

    def test_ceiling_of_copies_is_one_of_the_rows(self) -> None:
        fractions = [row["fraction_of_ceiling"] for name, row in
                     self.rows_of(self.quick_run()).items() if "/copy/" in name]
        self.assertTrue(fractions)
        self.assertGreater(min(fractions), 0)
        self.assertLess(max(fractions), 1.2)
        self.assertGreater(max(fractions), 0.99)

    def test_what_fits_in_l2_has_no_fraction_of_peak(self) -> None:
        document = self.measure("--device=cuda", "--rows=contiguous/copy/f32", "--elements=1Mi")
        if int(document["context"]["gpu.l2_bytes"]) < 8 << 20:
            self.skipTest("this L2 does not hold two buffers of 4 MiB")
        for name, row in self.rows_of(document).items():
            self.assertEqual(row["fraction_of_peak"], 0, name)
            self.assertIn("cache_resident=l2", row["label"], name)

    def test_reference_suite_has_its_seven_rows(self) -> None:
        document = self.measure("--device=cuda", "--suite=reference", "--protocol=reference")
        rows = self.rows_of(document)
        self.assertEqual(len(rows), 7)
        self.assertEqual({row["useful_bytes"] for row in rows.values()}, {536870912})
        self.assertEqual(document["context"]["blocking"], "off")

    def test_gpu_that_is_not_there_is_refused(self) -> None:
        result = run(["--device=cuda:99"], env=PLAIN)
        self.assertEqual(result.code, 4, result.err)
        self.assertEqual(result.out, "")
        self.assertIn("--device=cuda:99", result.err)
        self.assertIn("--device=host", result.err)

    def test_row_that_does_not_fit_is_skipped_with_the_numbers(self) -> None:
        elements = int(self.quick_run()["context"]["gpu.memory_bytes"]) // 4
        document = self.measure("--device=cuda", "--rows=contiguous/copy/f32",
                                f"--elements={elements}")
        row, = document["benchmarks"]
        text = row.get("error_message") or row.get("skip_message") or ""
        needed, available = map(int, re.findall(r"(\d+) bytes", text)[:2])
        self.assertGreaterEqual(needed, 8 * elements)
        self.assertLess(available, needed)
        self.assertNotIn("useful_bytes_per_second", row)

    def test_blocked_stream_does_not_hang_where_launches_wait(self) -> None:
        document = self.measure("--device=cuda", "--quick", "--benchmark_filter=contiguous",
                                "--blocking=on", env=BLOCKING, timeout=60)
        self.assertEqual(document["context"]["blocking"], "on")
        for name, row in self.rows_of(document).items():
            self.assertIn("blocking=gave_up", row.get("label", ""), name)

    def test_stream_is_not_held_where_launches_wait(self) -> None:
        document = self.measure("--device=cuda", "--rows=contiguous/copy/f32", "--elements=1Mi",
                                env=BLOCKING, timeout=60)
        self.assertEqual(document["context"]["blocking"], "off")
        self.assertIn("CUDA_LAUNCH_BLOCKING", document["context"]["blocking.reason"])
        self.rows_of(document)


if __name__ == "__main__":
    unittest.main()
