# SPDX-License-Identifier: Apache-2.0
"""--predict: rows predicted for GPUs that are not there; --calibrate without a GPU."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import unittest

from support import (
    BENCHMARK, DEVICE, SOURCE_DIR, Json, OutputTest, counter_keys, environment, run, strict_json,
)

STRIDES = [f"stride/copy/f32/stride:{stride}" for stride in (1, 2, 8)]
ROWS = [*STRIDES, "contiguous/read/f32"]
SMALL = ["--bytes=16Mi", "--rows=" + ",".join([*ROWS, "memcpy/copy/f32"])]
PREDICT = ["--predict", "--gpu=t4", *SMALL]
KNOWN = "; or a file, which describe writes (docs/options.md)"
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}
OLD = b"what stood here before\n"


class Prediction(OutputTest):
    def predicted(self, *args: str) -> Json:
        result = self.check_run(["--predict", *args, "--benchmark_format=json"], env=NO_GPU)
        self.assertEqual(result.err, "")
        return strict_json(result.out)

    def rows(self, *args: str) -> dict[str, Json]:
        return self.measured_rows(self.predicted(*args))

    # ---- The JSON

    def test_json_says_what_it_is(self) -> None:
        document = self.predicted("--gpu=t4", *SMALL)
        context = document["context"]
        self.assertEqual(context["backend"], "prediction")
        self.assertEqual(context["model.gpu"], "t4")
        self.assertEqual(context["suite"], "rows")
        evidence = (SOURCE_DIR / "docs" / "counters.md").read_text("utf-8")
        for key, value in context.items():
            self.assertIsInstance(value, str, key)
            self.assertIn(f"`{key}`", evidence, "not documented")
        for row in document["benchmarks"]:
            pairs = dict(part.split("=") for part in row["label"].split(";"))
            self.assertEqual(pairs.get("predicted"), "1", row["name"])
            self.assertIn("limited_by", pairs, row["name"])

    def test_json_has_the_models_keys_and_nothing_measured(self) -> None:
        expected = {key for key in counter_keys() if key.endswith("_predicted")}
        expected |= set(counter_keys("kTraffic", "kTime")) - {"unexplained"}
        expected |= {"useful_bytes", "unique_bytes", "elements"}
        known = set(counter_keys()) | set(counter_keys(
            "kGpu", "kCounters", "kClockCheck", "kNvml", "kTraffic", "kTime"))
        for name, row in self.rows("--gpu=t4", *SMALL).items():
            self.assertEqual(set(row) & known, expected, name)

    def test_movers_are_left_out(self) -> None:
        self.assertEqual(list(self.rows("--gpu=t4", *SMALL)), ROWS)

    def test_bounds_are_in_order(self) -> None:
        for name, row in self.rows("--gpu=h200", *SMALL).items():
            for key in counter_keys("kTraffic", "kTime"):
                if "_low" in key:
                    self.assertLessEqual(row[key], row[key.replace("_low", "_high")], name)
            middle_s = (row["time_predicted_low_s"] + row["time_predicted_high_s"]) / 2
            self.assertAlmostEqual(row["real_time"] * 1e-6 / middle_s, 1, 12)
            for end in ("low", "high"):
                self.assertEqual(row[f"dram_bytes_predicted_{end}"],
                                 row[f"dram_read_bytes_predicted_{end}"]
                                 + row[f"dram_write_bytes_predicted_{end}"], name)

    def test_names_with_one_and_with_several_descriptions(self) -> None:
        self.assertEqual(list(self.rows("--gpu=t4", *SMALL)), ROWS)
        document = self.predicted("--gpu=h200,t4", *SMALL)
        self.assertEqual(document["context"]["model.gpu"], "h200,t4")
        self.assertEqual(list(self.measured_rows(document)),
                         [f"{name}/gpu:{gpu}" for name in ROWS for gpu in ("h200", "t4")])

    def test_a_description_without_times(self) -> None:
        profile = json.loads((SOURCE_DIR / "bench/predict/profiles/h200.json").read_text("utf-8"))
        del profile["time"]
        bare = self.folder / "bare.json"
        bare.write_text(json.dumps(profile), encoding="utf-8")
        for name, row in self.rows(f"--gpu={bare}", *SMALL).items():
            self.assertEqual(set(row) & set(counter_keys("kTime")), set(), name)
            self.assertEqual(set(counter_keys("kTraffic")) - set(row), set(), name)
            self.assertNotIn("limited_by", row["label"], name)

    def test_describe_writes_what_gpu_takes(self) -> None:
        flags = ["describe", "--like=h200", "--sms=108", "--clock=1410MHz", "--l2=40MiB",
                 "--peak=1555GB/s", "--l1=192KiB", "--memory=HBM2", "--ecc=on", "--latency=391ns",
                 "--l2_per_clock=3830"]
        mine = self.folder / "mine.json"
        mine.write_text(self.check_run(flags).out, encoding="utf-8")
        figures = json.loads(mine.read_text(encoding="utf-8"))
        self.assertEqual([figures[key]["value"] for key in
                          ("sms", "clock_hz", "l2_bytes", "dram_bytes_per_s", "dram_latency_s")],
                         [108, 1.41e9, 40 << 20, 1.555e12, 391e-9])
        # The same figures as those of the built-in card: the same predictions.
        ours, built_in = (self.rows(f"--gpu={gpu}", *SMALL) for gpu in (mine, "a100_40"))
        self.assertEqual(ours, built_in)

    def test_describe_names_the_slip(self) -> None:
        good = {"sms": "108", "clock": "1410MHz", "l2": "40MiB", "peak": "1555GB/s"}
        for flag, value, said in (("peak", "1555", "1555 GB/s"), ("l2", "40960", "KiB"),
                                  ("l2", "40KiB", "41943040"), ("l2", "40", "40 MiB"),
                                  ("clock", "1410", "1410 MHz"), ("sms", "many", "number"), ("sms", "1e30", "whole"),
                                  ("sms", "108.5", "whole"), ("like", "zz", "h200"),
                                  ("peak", "1555GiB/s", "GB/s"),
                                  ("read", "1600GB/s", "above the peak of 1555 GB/s"),
                                  ("copy", "103%", "above the peak"), ("memory", "DDR4", "HBM3e"),
                                  ("ecc", "yes", "off, on, unknown"), ("like", "v100", "h200")):
            line = [f"--{name}={text}" for name, text in {**good, flag: value}.items()]
            self.assert_refused(2, ["describe", *line], said)
        self.assert_refused(2, ["describe", "--sms=108"], "--clock= is missing")
        self.assert_refused(2, ["describe", "--sm=108"], "unknown '--sm=108'", "threads_per_sm")
        self.assert_refused(2, ["describe", "--sms=1", "--sms=2"], "--sms stands twice")

    def test_a_scaled_time_is_never_one_number(self) -> None:
        for gpu in ("t4", "v100", "b200"):
            for name, row in self.rows(f"--gpu={gpu}", *SMALL).items():
                self.assertIn("time=scaled", row["label"].split(";"), name)
                self.assertEqual(row["real_time"], 0, name)
                self.assertGreater(row["time_predicted_high_s"],
                                   1.1 * row["time_predicted_low_s"], f"{gpu} {name}")
        for name, row in self.rows("--gpu=h200", *SMALL).items():
            self.assertIn("time=calibrated", row["label"].split(";"), name)
            self.assertGreater(row["real_time"], 0, name)

    def test_the_same_twice(self) -> None:
        self.assertEqual(self.predicted("--gpu=t4", *SMALL), self.predicted("--gpu=t4", *SMALL))

    # ---- The table

    def test_table(self) -> None:
        lines = self.check_run(PREDICT, env=NO_GPU).out.splitlines()
        self.assertEqual(lines[0], "predictions, nothing was measured:")
        self.assertEqual(lines[1], "  t4: Tesla T4 (built in), times scaled from another GPU")
        head = next(i for i, line in enumerate(lines) if line.startswith("row "))
        self.assertEqual(set(lines[head + 1]), {"-"})
        self.assertEqual([line.split()[0] for line in lines[head + 2:]], ROWS)
        self.assertEqual(lines, [line.rstrip() for line in lines])

    def test_ratio_is_to_the_stride_1_row(self) -> None:
        rows = self.rows("--gpu=t4", *SMALL)
        lines = self.check_run(PREDICT, env=NO_GPU).out.splitlines()
        for name in STRIDES:
            cells = next(line for line in lines if line.startswith(name + " ")).split()
            low, high = sorted(rows[name][key] / rows[STRIDES[0]][key]
                               for key in ("time_predicted_low_s", "time_predicted_high_s"))
            self.assertIn("1" if name == STRIDES[0] else f"{low:#.3g}..{high:#.3g}x", cells[4:7], name)

    def test_capitals_do_not_matter(self) -> None:
        small = self.check_run(PREDICT, env=NO_GPU).out
        self.assertEqual(self.check_run(["--predict", "--gpu=T4", *SMALL], env=NO_GPU).out, small)

    # ---- Descriptions in files

    def test_a_file_predicts_as_what_is_built_in(self) -> None:
        path = self.folder / "mine.json"
        path.write_bytes((SOURCE_DIR / "bench" / "predict" / "profiles" / "t4.json").read_bytes())
        self.assertEqual(self.predicted(f"--gpu={path}", *SMALL),
                         self.predicted("--gpu=t4", *SMALL))
        table = self.check_run(["--predict", f"--gpu={path}", *SMALL], env=NO_GPU).out
        self.assertIn(f"  t4: Tesla T4 ({path}), times scaled from another GPU\n", table)

    def test_two_descriptions_of_one_name_are_refused(self) -> None:
        path = self.folder / "mine.json"
        path.write_bytes((SOURCE_DIR / "bench" / "predict" / "profiles" / "t4.json").read_bytes())
        self.assert_refused(2, ["--predict", f"--gpu=t4,{path}", *SMALL],
                            f"--gpu={path}: another description is called 't4' too")

    def test_a_file_that_is_none(self) -> None:
        path = self.folder / "mine.json"
        self.assert_refused(2, ["--predict", f"--gpu={path}", *SMALL], str(path))
        path.write_text("{}")
        self.assert_refused(2, ["--predict", f"--gpu={path}", *SMALL], str(path))

    # ---- What is refused

    def test_an_unknown_gpu_is_refused_with_those_that_are_known(self) -> None:
        self.assert_refused(2, ["--predict", "--gpu=nothing", *SMALL],
                            "--gpu=nothing: no such GPU; ", KNOWN)
        self.assert_refused(2, ["--predict", "--gpu=h20", *SMALL], "no such GPU; known: ", KNOWN)

    def test_predictions_are_of_a_gpu(self) -> None:
        self.assert_refused(2, ["--predict", *SMALL],
                            "--predict: say for which GPU, e.g. --gpu=h200, or --gpu=h200,t4")

    def test_csv_is_refused(self) -> None:
        out = self.folder / "rows.csv"
        for flags in (["--benchmark_format=csv"],
                      [f"--benchmark_out={out}", "--benchmark_out_format=csv"]):
            self.assert_refused(2, [*PREDICT, *flags],
                                "--predict: writes tables and JSON; take --benchmark_format=json")
        self.assertEqual(os.listdir(self.folder), [])

    def test_nothing_matched(self) -> None:
        self.assert_refused(3, [*PREDICT, "--benchmark_filter=nothing"], "no row matches")

    def test_rows_that_no_gpu_takes_are_skipped_and_others_predicted(self) -> None:
        rows = "pitch/copy/f32/columns:1000/pitch:10,contiguous/copy/f32,wide/copy/f32/first:1/v:4"
        out = self.check_run(["--predict", "--gpu=t4", f"--rows={rows}", "--elements=1001"], env=NO_GPU).out
        self.assertIn("\npitch/copy/f32/columns:1000/pitch:10 skipped: ", out)
        self.assertIn("\nwide/copy/f32/first:1/v:4 skipped: ", out)
        self.assertRegex(out, r"\ncontiguous/copy/f32 +\d")
        large = self.check_run(["--predict", "--gpu=t4", "--rows=contiguous/copy/f32",
                                "--elements=1048576Gi"], env=NO_GPU).out
        self.assertIn("contiguous/copy/f32 skipped: ", large)

    # ---- Files

    def test_out_is_what_stdout_shows(self) -> None:
        out = self.folder / "rows.json"
        out.write_bytes(OLD)
        shown = self.check_run([*PREDICT, f"--benchmark_out={out}", "--benchmark_format=json"],
                               env=NO_GPU).out
        self.assertEqual(out.read_text("utf-8"), shown)
        self.check_run([*PREDICT, f"--benchmark_out={out}", "--benchmark_out_format=console"],
                       env=NO_GPU)
        self.assertTrue(out.read_text("utf-8").startswith("predictions, nothing was measured"))
        self.assertEqual(os.listdir(self.folder), ["rows.json"], "a temporary file was left")

    def test_failures_leave_the_old_file_alone(self) -> None:
        out = self.folder / "rows.json"
        out.write_bytes(OLD)
        for code, flags in (
            (2, ["--gpu=nothing"]),
            (2, ["--benchmark_format=csv"]),
            (3, ["--benchmark_filter=nothing"]),
        ):
            with self.subTest(flags):
                args = ["--predict", "--gpu=t4", "--rows=contiguous/copy/f32"]
                result = run([*args, f"--benchmark_out={out}", *flags], env=NO_GPU)
                self.assertEqual(result.code, code, result.err)
                self.assertEqual(out.read_bytes(), OLD)
                self.assertEqual(os.listdir(self.folder), ["rows.json"])

    def test_a_full_disk_is_no_success(self) -> None:
        def limit_files() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        out = self.folder / "rows.json"
        for form in ("json", "console"):
            with self.subTest(form):
                out.write_bytes(OLD)
                result = subprocess.run(
                    [BENCHMARK, *PREDICT, f"--benchmark_out={out}",
                     f"--benchmark_out_format={form}"],
                    env=environment(NO_GPU), stdin=subprocess.DEVNULL, capture_output=True,
                    preexec_fn=limit_files, timeout=60, check=False)
                self.assertEqual(result.returncode, 1, "the file was cut off and nobody said so")
                self.assertEqual(out.read_bytes(), OLD, "the old file was changed")
                self.assertIn(b"cut off", result.stderr)
                self.assertEqual(os.listdir(self.folder), ["rows.json"])


class Calibration(OutputTest):
    @unittest.skipUnless(DEVICE == "host", "there is a GPU")
    def test_a_machine_without_a_gpu_is_refused(self) -> None:
        path = self.folder / "gpu.json"
        path.write_bytes(OLD)
        cache = {"XDG_CACHE_HOME": str(self.folder / "cache"), **NO_GPU}
        for args in (["--calibrate"], [f"--calibrate={path}"]):
            self.assert_refused(4, ["--device=host", *args],
                                "--calibrate: probes measure a GPU, and the CPU is selected; take "
                                "a machine with one, or --device=cuda", env=cache)
        self.assertEqual(path.read_bytes(), OLD, "the old file was changed")
        self.assertEqual(os.listdir(self.folder), ["gpu.json"], "something was left behind")

    def test_a_bad_path_is_refused_before_anything_is_measured(self) -> None:
        path = self.folder / "none" / "gpu.json"
        self.assert_refused(2, ["--device=host", f"--calibrate={path}"], f"--calibrate={path}")


if __name__ == "__main__":
    unittest.main()
