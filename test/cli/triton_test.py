# SPDX-License-Identifier: Apache-2.0
"""bench/lessons/triton_vector_add.py without Triton, PyTorch or a GPU: all but the launch.

The kernel's body runs here as Python, on stand-ins for Triton's language; rows are measured on a
device whose clock and PTX are made up.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import types
import unittest
from typing import Any

from support import SOURCE_DIR, OutputTest, environment, plain_name, strict_json

SCRIPT = SOURCE_DIR / "bench" / "lessons" / "triton_vector_add.py"
ELEMENTS = 16384

# What Triton 3 makes of a program of 1024 elements and 4 warps, as far as it is read: 8 elements a
# thread, in accesses of 16 bytes or of 4.
WIDE = "ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];\n"
WIDE_PTX = 4 * WIDE + 2 * WIDE.replace("ld", "st")
NARROW = "@%p1 ld.global.L1::evict_first.b32 { %r1 }, [ %rd1 + 0 ];\n"
NARROW_PTX = 16 * NARROW + 8 * "st.global.b32 [ %rd1 + 0 ], { %r1 };\n"


def script() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("triton_vector_add", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LESSON = script()


class FakeDevice:
    """A launch takes `step` milliseconds; in every other timed call a tenth more."""

    def __init__(self, wrong: tuple[int, ...] = (), l2_bytes: int = 0) -> None:
        self.wrong_left = list(wrong)
        self.l2 = l2_bytes
        self.calls: list[str] = []
        self.timed = 0

    def context(self) -> dict[str, str]:
        return {"gpu.name": "made up", "triton.version": "3.6.0"}

    def l2_bytes(self) -> int:
        return self.l2

    def fill(self, elements: int, seed: int) -> None:
        self.calls.append(f"fill {seed}")

    def poison(self) -> None:
        self.calls.append("poison")

    def launch(self, step: int) -> str:
        self.calls.append("launch")
        return WIDE_PTX if step == 1 else NARROW_PTX

    def seconds(self, step: int, launches: int) -> float:
        self.calls.append(f"time {launches}")
        self.timed += 1
        return step * 1e-3 * launches * (1.1 if self.timed % 2 == 0 else 1)

    def wrong(self) -> int:
        self.calls.append("compare")
        return self.wrong_left.pop(0) if self.wrong_left else 0


class Pointer:
    """A buffer as Triton's language has it."""

    def __init__(self, values: dict[int, float]) -> None:
        self.values = values

    def __add__(self, at: list[int]) -> tuple[dict[int, float], list[int]]:
        return self.values, at


class Lanes(list):
    """As much arithmetic of blocks as the kernel needs."""

    def _each(self, other: Any, of: Any) -> Lanes:
        others = other if isinstance(other, list) else [other] * len(self)
        return Lanes(of(a, b) for a, b in zip(self, others, strict=True))

    def __add__(self, other: Any) -> Lanes:
        return self._each(other, lambda a, b: a + b)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Lanes:
        return self._each(other, lambda a, b: a * b)


class Scalar(int):
    def to(self, kind: str) -> int:
        assert kind == "int64"
        return int(self)


class KernelBody(unittest.TestCase):
    def launched(self, elements: int, step: int) -> list[list[int]]:
        """The elements that each program stores, each the sum of x and y there."""
        x = {i: float(i) for i in range(elements)}
        y = {i: 0.5 * i for i in range(elements)}
        stored: list[list[int]] = []
        program = [0, 0]

        def store(to: tuple[dict[int, float], list[int]], values: list[float]) -> None:
            self.assertEqual(values, [1.5 * i for i in to[1]])
            stored.append(to[1])

        LESSON.tl = types.SimpleNamespace(
            int64="int64",
            program_id=lambda axis: Scalar(program[axis]),
            arange=lambda first, end: Lanes(range(first, end)),
            load=lambda source: Lanes(source[0][i] for i in source[1]),
            store=store,
        )
        for program[1] in range(step):
            for program[0] in range(elements // step // LESSON.BLOCK):
                LESSON.add_kernel(Pointer(x), Pointer(y), Pointer({}), step, LESSON.BLOCK)
        return stored

    def test_every_element_is_added_once(self) -> None:
        for step in LESSON.STEPS:
            places = [i for program in self.launched(ELEMENTS, step) for i in program]
            self.assertEqual(sorted(places), list(range(ELEMENTS)))

    def test_neighbours_lie_a_step_apart(self) -> None:
        for step in LESSON.STEPS:
            programs = self.launched(ELEMENTS, step)
            self.assertEqual(len(programs), 16)
            for places in programs:
                self.assertEqual({b - a for a, b in zip(places, places[1:])}, {step})


class Predictions(OutputTest):
    def test_totals_are_equal_and_wide_accesses_have_fewer_requests(self) -> None:
        # 16384 elements: a warp's 32 lanes take 32 of them at 4 bytes, 128 at 16.
        wide, narrow = LESSON.predicted(ELEMENTS, 1, 16), LESSON.predicted(ELEMENTS, 1, 4)
        self.assertEqual(narrow["load_requests_predicted"], 2 * 512)
        self.assertEqual(wide["load_requests_predicted"], 2 * 128)
        self.assertEqual(narrow["load_sectors_per_request_predicted"], 4)
        self.assertEqual(wide["load_sectors_per_request_predicted"], 16)
        for predicted in (wide, narrow):
            self.assertEqual(predicted["load_sectors_predicted"], 4096)
            self.assertEqual(predicted["store_sectors_predicted"], 2048)
        strided = LESSON.predicted(ELEMENTS, 8, 4)
        self.assertEqual(strided["load_sectors_per_request_predicted"], 32)
        self.assertEqual(strided["store_sectors_predicted"], ELEMENTS)
        with self.assertRaisesRegex(LESSON.RowError, "16 bytes at step 8"):
            LESSON.predicted(ELEMENTS, 8, 16)

    def test_accesses_of_4_bytes_are_the_row_add_of_the_program(self) -> None:
        names = [f"add/copy/f32/step:{step}" for step in LESSON.STEPS]
        rows = self.measured_rows(
            self.measure(f"--rows={','.join(names)}", f"--elements={ELEMENTS}"))
        for name, step in zip(names, LESSON.STEPS):
            for key, value in LESSON.predicted(ELEMENTS, step, 4).items():
                self.assertEqual(rows[name][key], value, (name, key))

    def test_widths_are_read_from_ptx(self) -> None:
        self.assertEqual(LESSON.access_bytes(WIDE_PTX), 16)
        self.assertEqual(LESSON.access_bytes(NARROW_PTX), 4)
        self.assertEqual(LESSON.access_bytes(8 * "ld.global.nc.v2.f32 x;" + 4 * "st.global.v2.f32 x;"), 8)
        self.assertEqual(LESSON.access_bytes(8 * "ld.global.b64 x;" + 4 * "st.global.u64 x;"), 8)
        mixed = 16 * NARROW + 2 * WIDE.replace("ld", "st")
        for bad in ("", mixed, WIDE_PTX + WIDE, WIDE_PTX.replace("st.global.v4", "st.global.v2"),
                    NARROW_PTX.replace("ld.global", "ld.shared")):
            with self.assertRaisesRegex(LESSON.RowError, "Triton's PTX"):
                LESSON.access_bytes(bad)


class Rows(OutputTest):
    def documents(self, device: FakeDevice) -> Any:
        """As it is written: strict JSON."""
        path = self.folder / "triton.json"
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.code = LESSON.report(LESSON.document_of(device, ELEMENTS), path)
        self.table = out.getvalue()
        return strict_json(path.read_text("utf-8"))

    def test_rows_have_the_keys_and_formulas_of_the_program(self) -> None:
        document = self.documents(FakeDevice())
        self.assertEqual(self.code, 0)
        ours = self.measured_rows(self.measure(
            "--rows=add/copy/f32/step:1,add/copy/f32/step:8", f"--elements={ELEMENTS}"))
        triton = self.measured_rows(document)
        self.assertEqual(list(triton), list(ours))
        for name, row in triton.items():
            self.assertLessEqual(set(row), {*ours[name], "label"}, name)
            for key in ("useful_bytes", "unique_bytes", "elements", "flops", "flops_per_byte",
                        "sector_bytes_predicted", "bytes_used_per_sector_predicted",
                        "efficiency_predicted", "load_sectors_predicted", "verified"):
                self.assertAlmostEqual(row[key], ours[name][key], msg=(name, key))
            self.assertEqual(row["label"], "source=triton")
        self.assertEqual(document["context"]["backend"], "triton")
        self.assertEqual(document["context"]["gpu.name"], "made up")

    def test_figures_are_those_of_the_samples(self) -> None:
        row = LESSON.measured(FakeDevice(), ELEMENTS, 8)
        # 8 ms a launch: one launch a sample, 7 samples for 50 ms. They are timed calls 4 to 10, as three
        # warm up: 3 x 8 and 4 x 8.8 ms.
        self.assertEqual((row["samples"], row["launches_per_sample"]), (7, 1))
        self.assertAlmostEqual(row["real_time"], (3 * 8 + 4 * 8.8) / 7 * 1e6)
        self.assertAlmostEqual(row["time_min_s"], 8e-3)
        self.assertAlmostEqual(row["time_median_s"], 8.8e-3)
        self.assertAlmostEqual(row["useful_bytes_per_second"] * row["real_time"] / (12e9 * ELEMENTS), 1)
        self.assertEqual(row["cpu_time"], row["real_time"])

    def test_the_order_is_verify_twice_time_verify(self) -> None:
        device = FakeDevice()
        LESSON.measured(device, ELEMENTS, 1)
        once = ["poison", "launch", "compare"]
        begin = ["fill 2463534243", *once, "fill 2463534242", *once, *3 * ["time 1"], "poison"]
        self.assertEqual(device.calls[: len(begin)], begin)
        self.assertEqual(set(device.calls[len(begin) : -1]), {"time 2"})
        self.assertEqual(device.calls[-1], "compare")

    def test_a_wrong_row_has_no_numbers_and_the_other_is_measured(self) -> None:
        for wrong, when in (((3,), "before"), ((0, 3), "before"), ((0, 0, 3), "after")):
            first, second = self.documents(FakeDevice(wrong=wrong))["benchmarks"]
            self.assertEqual(self.code, 1)
            self.assertEqual(first["error_message"], f"verify {when} timing: 3 elements are not the sum")
            self.assertNotIn("useful_bytes", first)
            self.assertIn("failed: verify", self.table)
            self.assertEqual(second["verified"], 1)

    def test_what_l2_holds_is_labelled(self) -> None:
        row = self.documents(FakeDevice(l2_bytes=12 * ELEMENTS))["benchmarks"][0]
        self.assertEqual(row["label"], "source=triton;cache_resident=l2")

    def test_the_table_has_both_predictions(self) -> None:
        self.documents(FakeDevice())
        _, wide, narrow = self.table.splitlines()
        self.assertRegex(wide, r"^add/copy/f32/step:1 .* 16 B +384 \(1536\) +6144 \(6144\)$")
        self.assertRegex(narrow, r"^add/copy/f32/step:8 .* 4 B +1536 \(1536\) +49152 \(49152\)$")


class CommandLine(OutputTest):
    def lesson(self, *args: str, **modules: str) -> subprocess.CompletedProcess[str]:
        """Runs it with these modules in the place of torch and triton."""
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(text, "utf-8")
        return subprocess.run(
            [sys.executable, str(SCRIPT), *args], capture_output=True, text=True, check=False,
            env=environment({"PYTHONPATH": str(self.folder)}))

    def test_4_without_triton_or_a_gpu_and_the_old_file_stays(self) -> None:
        kept = self.folder / "kept.json"
        kept.write_text("{}")
        missing = "raise ImportError(\"No module named 'triton'\")"
        no_gpu = "import types\ncuda = types.SimpleNamespace(is_available=lambda: False)"
        for modules, said in (
            ({"torch": no_gpu, "triton": missing}, "No module named 'triton'; this lesson needs"),
            ({"torch": missing.replace("triton", "torch"), "triton": ""}, "No module named 'torch'"),
        ):
            done = self.lesson(f"--benchmark_out={kept}", **modules)
            self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
            self.assertRegex(done.stderr, rf"\Atriton_vector_add\.py: {said}[^\n]*\n\Z")
        package = self.folder / "triton"
        package.mkdir()
        (self.folder / "triton.py").unlink()
        (package / "__init__.py").touch()
        (package / "language.py").touch()
        done = self.lesson(f"--benchmark_out={kept}", torch=no_gpu)
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr, "triton_vector_add.py: PyTorch finds no GPU; this lesson needs one "
                                      "that Triton supports\n")
        self.assertEqual(kept.read_text(), "{}")

    def test_2_for_a_bad_value(self) -> None:
        for bad in ("0", "1000", "x", "4mi", "-8192", "1.5Mi"):
            done = self.lesson(f"--elements={bad}")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"'{bad}': the elements of a vector are a multiple of 8192", done.stderr)
        for bad in (self.folder, self.folder / "none" / "x.json"):
            done = self.lesson(f"--benchmark_out={bad}")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(f"--benchmark_out={bad}: ", done.stderr)

    def test_a_file_that_cannot_be_written_leaves_the_old_one(self) -> None:
        path = self.folder / "rows.json"
        path.write_text("old")
        with self.assertRaises(TypeError):
            LESSON.write_whole(path, None)
        self.assertEqual(path.read_text(), "old")
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["rows.json"])
        self.assertEqual(LESSON.elements_in("64Mi"), 67108864)


if __name__ == "__main__":
    unittest.main()
