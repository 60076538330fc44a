# SPDX-License-Identifier: Apache-2.0
"""A program of one's own, made outside the tree: installed, fetched, or as a subdirectory.

    own_program_test.py Installed|Built
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).parent / "own"
BUILD_DIR = pathlib.Path(os.environ["SECTORBENCH_BUILD_DIR"])
NVCC = os.environ["SECTORBENCH_NVCC"]
CEILINGS = ["memcpy/copy/f32", "contiguous/copy/f32x4", "unrolled/copy/f32/unroll:4"]
OWN = ["swapped/copy/f32", "row_sums/columns:1000"]


def cmake(*arguments: str, ok: bool = True) -> str:
    """What CMake prints, errors too. Fails where its status is not as `ok` says."""
    command = [os.environ["SECTORBENCH_CMAKE"], *arguments]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if (result.returncode == 0) != ok:
        raise AssertionError(f"{' '.join(command)}: {result.returncode}\n{result.stdout}")
    return result.stdout


def configure(folder: pathlib.Path, *settings: str, source: pathlib.Path = SOURCES, ok: bool = True) -> str:
    compiler = os.environ["SECTORBENCH_CXX"]
    architecture = os.environ["SECTORBENCH_ARCHITECTURE"]
    shared = ["-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CUDA_ARCHITECTURES={architecture}"]
    if ccache := shutil.which("ccache"):
        shared.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}")
    return cmake("-S", str(source), "-B", str(folder), *shared, *settings, ok=ok)


class Program(unittest.TestCase):
    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sectorbench_own_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def check_program(self, program: pathlib.Path, device: str = "host") -> None:
        """A default run has the own rows, verified, and the ceilings of the pattern's."""
        file = self.folder / "rows.json"
        shape = ["--elements=1000003", "--benchmark_min_time=0.001"]
        command = [program, f"--device={device}", *shape, f"--benchmark_out={file}"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if device == "cuda" and result.returncode == 4 and "SECTORBENCH_REQUIRE_GPU" not in os.environ:
            self.skipTest(result.stderr.strip())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        document = json.loads(file.read_text())
        rows = {row["name"].removesuffix("/manual_time"): row for row in document["benchmarks"]}
        self.assertEqual(list(rows), [*CEILINGS, *OWN])
        self.assertEqual({row["verified"] for row in rows.values()}, {1})
        if document["context"].get("counters") == "on":
            self.assertEqual(rows[OWN[0]]["counters_equal_model"], 1)
            self.assertGreaterEqual(rows[OWN[1]]["load_sectors_measured"], 64 * 1000 * 4 // 32)
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
        self.assertIn("\nswapped (own, swapped.cu:", listed)
        self.assertIn("\nstride: ", listed)

    def check_timer(self, program: pathlib.Path) -> None:
        """A Google Benchmark program has the clock's counters."""
        if NVCC:
            return  # where launches are queued, a GPU is needed
        short = [program, "--benchmark_min_time=0.001", "--benchmark_format=json"]
        out = subprocess.run(short, capture_output=True, text=True, check=True).stdout
        (row,) = json.loads(out)["benchmarks"]
        self.assertEqual(row["name"], "saxpy/manual_time")
        self.assertLessEqual(row["time_min_s"], row["time_median_s"])
        self.assertGreater(row["bytes_per_second"], 0)


class Installed(Program):
    prefix: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cmake("--install", str(BUILD_DIR), "--prefix", str(cls.folder / "staged"))
        cls.prefix = cls.folder / "prefix"
        (cls.folder / "staged").rename(cls.prefix)  # the package must not know where it was put
        configure(cls.folder / "build", f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        cmake("--build", str(cls.folder / "build"))

    def test_on_the_cpu(self) -> None:
        self.check_program(self.folder / "build" / "my_bench")
        self.check_timer(self.folder / "build" / "my_saxpy")

    @unittest.skipUnless(NVCC, "no CUDA compiler")
    def test_on_a_gpu(self) -> None:
        self.check_program(self.folder / "build" / "my_bench", "cuda")

    def test_the_gate_takes_its_results(self) -> None:
        tools = self.prefix / "share" / "sectorbench" / "tools"
        runs = self.folder / "runs"
        flags = ["--", "--device=host", "--elements=1000003", "--benchmark_min_time=0.001", f"--rows={','.join(OWN)}"]
        collect = [tools / "collect.sh", "4", f"--binary={self.folder / 'build' / 'my_bench'}"]
        subprocess.run([*collect, f"--folder={runs}", *flags], check=True, capture_output=True)
        files = sorted(str(file) for file in runs.glob("*.json"))
        gate = [sys.executable, tools / "regress.py", *files[::2], "--", *files[1::2]]
        result = subprocess.run(gate, capture_output=True, text=True, check=False)
        for name in OWN:  # the verdict is this machine's
            self.assertIn(f"\n{name} ", result.stdout, result.stderr)

    def test_wrong_calls_are_refused(self) -> None:
        source = self.folder / "wrong"
        source.mkdir()
        for arguments, text in {
            "my_bench": "no SOURCES",
            "my_bench SOURCES": "no SOURCES",
            "my_bench swapped.cu": "'swapped.cu' stands before SOURCES",
        }.items():
            with self.subTest(arguments):
                (source / "CMakeLists.txt").write_text(f"""
                    cmake_minimum_required(VERSION 3.18)
                    project(wrong LANGUAGES CXX)
                    find_package(sectorbench REQUIRED COMPONENTS benchmark)
                    sectorbench_add_benchmark({arguments})
                """)
                where = f"-DCMAKE_PREFIX_PATH={self.prefix}"
                said = configure(self.folder / "refused", where, source=source, ok=False)
                self.assertIn(f"sectorbench_add_benchmark(my_bench): {text}", " ".join(said.split()))

    def test_each_missing_library_is_named(self) -> None:
        for package, text in {"benchmark": "Google Benchmark", "OpenMP": "OpenMP"}.items():
            with self.subTest(package):
                off = f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
                said = configure(self.folder / package, f"-DCMAKE_PREFIX_PATH={self.prefix}", off, ok=False)
                self.assertIn("sectorbench_add_benchmark(my_bench): missing: " + text, " ".join(said.split()))


class Built(Program):
    def test_fetched_and_as_a_subdirectory(self) -> None:
        folder = BUILD_DIR / "nested" / "own"  # kept, so that the next run builds what changed
        for way in ["subdirectory", "fetch"]:
            with self.subTest(way):
                where = [f"-DOWN_WAY={way}", f"-DOWN_SECTORBENCH={SOURCES.parents[2]}"]
                configure(folder, *where, "-DSECTORBENCH_CUDA=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
                cmake("--build", str(folder), "--target", "my_bench", "my_saxpy")
                self.check_program(folder / "my_bench")
                self.check_timer(folder / "my_saxpy")

    def test_a_project_lends_its_google_benchmark(self) -> None:
        source = self.folder / "lends"
        (source / "library").mkdir(parents=True)
        (source / "CMakeLists.txt").write_text(f"""
            cmake_minimum_required(VERSION 3.25)
            project(lends LANGUAGES CXX)
            add_subdirectory(library)
            add_subdirectory("{SOURCES.parents[2]}" sectorbench)
        """)
        for version in ["1.8.99", "1.7.0"]:
            (source / "library" / "CMakeLists.txt").write_text(f"""
                project(benchmark VERSION {version} LANGUAGES CXX)
                add_library(benchmark INTERFACE)
                add_library(benchmark::benchmark ALIAS benchmark)
            """)
            fits = version != "1.7.0"
            said = configure(self.folder / version, "-DSECTORBENCH_CUDA=OFF", source=source, ok=fits)
            self.assertIn(f"Google Benchmark {version}", said)

    @unittest.skipUnless(NVCC, "no CUDA compiler")
    def test_nvcc_compiles_the_sources_of_a_subdirectory(self) -> None:
        folder = self.folder / "cuda"
        configure(folder, "-DOWN_WAY=subdirectory", f"-DOWN_SECTORBENCH={SOURCES.parents[2]}")
        for source in ["swapped", "row_sums"]:
            cmake("--build", str(folder), "--target", f"CMakeFiles/my_bench.dir/{source}.cu.o")


if __name__ == "__main__":
    unittest.main()
