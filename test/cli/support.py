# SPDX-License-Identifier: Apache-2.0
"""What the output tests share: running the executable, and reading strictly what it writes."""

from __future__ import annotations

import json
import math
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

BENCHMARK = os.environ["SECTORBENCH_BENCHMARK"]
SOURCE_DIR = pathlib.Path(os.environ["SECTORBENCH_SOURCE_DIR"])

# The relations tested here hold on every backend; the CPU's is on every machine.
DEVICE = os.environ.get("SECTORBENCH_TEST_DEVICE", "host")

SIZES = {"u8": 1, "f16": 2, "f32": 4, "f64": 8, "f32x4": 16}
SIDES = {"copy": 2, "gather": 2, "scatter": 2, "read": 1, "write": 1}

Json = dict[str, Any]


def open_terminal() -> tuple[int, int]:
    """A terminal's two sides: what is written to the second is read from the first.

    Skips the test where the system has no terminals to give, as in a container without devpts.
    """
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal is to be had here: {error}") from None


class Result(NamedTuple):
    code: int
    out: str
    err: str


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """This process's environment without what steers the program, with `changes`; None removes."""
    result = {key: value for key, value in os.environ.items() if not key.startswith("BENCHMARK_")}
    # Tests run side by side: threads that wait for a busy core would take most of the time.
    result.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    for key, value in (changes or {}).items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def run(
    args: Sequence[str | bytes],
    env: Mapping[str, str | None] | None = None,
    timeout: float = 120,
    cwd: str | None = None,
) -> Result:
    done = subprocess.run(
        [BENCHMARK, *args],
        env=environment(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        cwd=cwd,
        check=False,
    )
    # An error line repeats what was given, whatever that was.
    errors = done.stderr.decode("utf-8", "backslashreplace")
    return Result(done.returncode, done.stdout.decode("utf-8"), errors)


def measuring(args: Iterable[str]) -> list[str]:
    """The arguments of a run that measures briefly."""
    return [f"--device={DEVICE}", "--benchmark_min_time=0.001", *args]


def strict_json(text: str | bytes) -> Json:
    """Reads JSON as RFC 8259 has it: no NaN, no infinity, no key twice, UTF-8."""

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is no JSON number")

    def finite(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise ValueError(f"{digits} is out of range")
        return value

    def once(pairs: list[tuple[str, Any]]) -> Json:
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f"keys given twice: {sorted(twice)}")
        return dict(pairs)

    decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    document = json.loads(
        decoded, parse_constant=refuse, parse_float=finite, object_pairs_hook=once
    )
    if not isinstance(document, dict):
        raise ValueError(f"not an object: {document!r}")
    return document


def plain_name(row: Json | str) -> str:
    """The row's name as --rows takes it."""
    name = row if isinstance(row, str) else row["name"]
    return name.removesuffix("/manual_time")


def counter_sets() -> dict[str, str]:
    """The keys of the table in bench/report/counters.hpp, and which rows have each: "kEvery", ..."""
    header = (SOURCE_DIR / "bench" / "report" / "counters.hpp").read_text("utf-8")
    entries = re.findall(r'counter_spec\{\s*"([^"]+)"(.*?)\}', header, re.DOTALL)
    sets = {}
    for key, rest in entries:
        named = re.search(r"counter_set::(k\w+)", rest)
        sets[key] = named[1] if named else "kEvery"
    return sets


def counter_keys(*sets: str) -> list[str]:
    """The keys of these sets; without any those that every measured row has."""
    wanted = sets or ("kEvery",)
    return [key for key, named in counter_sets().items() if named in wanted]


def built_with_cuda() -> bool:
    return "CUDA: none" not in run(["--version"]).out


def nvidia_gpu_seen() -> bool:
    return any(map(os.path.exists, ("/dev/nvidiactl", "/proc/driver/nvidia/version")))


class OutputTest(unittest.TestCase):
    """Checks that several files make."""

    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="sectorbench_output_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check_run(self, args: Sequence[str], **keywords: Any) -> Result:
        """Runs, expecting success."""
        result = run(args, **keywords)
        self.assertEqual(result.code, 0, f"{' '.join(args)}: exit {result.code}\n{result.err}")
        return result

    def measure(self, *args: str, **keywords: Any) -> Json:
        """Measures to stdout and reads all of it as one JSON document."""
        result = self.check_run([*measuring(args), "--benchmark_format=json"], **keywords)
        try:
            return strict_json(result.out)
        except ValueError as error:
            self.fail(f"stdout of {' '.join(args)} is not strict JSON: {error}\n{result.out}")

    def measured_rows(self, document: Json) -> dict[str, Json]:
        """The document's rows by name; all must have been measured."""
        rows: dict[str, Json] = {}
        for row in document["benchmarks"]:
            self.assertNotIn("error_occurred", row, f"{row['name']} failed: {row}")
            self.assertNotIn("skipped", row, f"{row['name']} was skipped: {row}")
            rows[plain_name(row)] = row
        self.assertTrue(rows, "no row came")
        return rows

    def assert_one_error_line(self, result: Result, *texts: str) -> None:
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, f"not one line on stderr: {result.err!r}")
        self.assertTrue(result.err.endswith("\n"), f"the line does not end: {result.err!r}")
        self.assertTrue(
            lines[0].startswith("sectorbench: "), f"does not say who speaks: {lines[0]!r}"
        )
        for text in texts:
            self.assertIn(text, lines[0])

    def assert_refused(
        self, code: int, args: Sequence[str | bytes], *texts: str, **keywords: Any
    ) -> None:
        """The program ends with `code`, one line on stderr with `texts`, nothing on stdout."""
        result = run(args, **keywords)
        self.assertEqual(result.code, code, f"{args}: exit {result.code}\n{result.out}{result.err}")
        self.assertEqual(result.out, "", f"{args} wrote to stdout")
        self.assert_one_error_line(result, *texts)
