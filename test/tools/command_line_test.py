# SPDX-License-Identifier: Apache-2.0
"""bench/tools/command_line.py: however a tool ends, it says why in one line, and never with Python's own 1."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unittest

from synthetic import SOURCE_DIR, Ended, ToolTest, call, document, row

import command_line

NAME = "stride/copy/f32/stride:8"
TOOLS = SOURCE_DIR / "bench" / "tools"
PROGRAMS = [
    *(TOOLS / f"{name}.py" for name in ("regress", "spread", "plot", "validate_model", "table")),
    *(SOURCE_DIR / "bench" / "lessons" / f"{name}.py" for name in ("claims", "single_file")),
]


class InProcess(ToolTest):
    def test_what_nobody_thought_of_is_one_line(self) -> None:
        def recursion() -> int:
            return recursion()

        for error in (KeyError("a\nb"), MemoryError(), UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no")):

            def fail(_: list[str], error: Exception = error) -> int:
                raise error

            self.assert_one_line(call(fail, []), type(error).__name__, "command_line_test.py:")
        self.assert_one_line(call(lambda _: recursion(), []), "RecursionError")

    def test_a_message_is_not_longer_than_a_screen(self) -> None:
        def fail(_: list[str]) -> int:
            raise command_line.Failure("begin" + 10**6 * "x" + "end")

        ended = call(fail, [])
        self.assert_one_line(ended, "begin", "end")
        self.assertLess(len(ended.err), 2000)

    def test_an_interruption_is_130(self) -> None:
        def stop(_: list[str]) -> int:
            raise KeyboardInterrupt

        ended = call(stop, [])
        self.assertEqual((ended.code, len(ended.err.splitlines())), (130, 1))


class Processes(ToolTest):
    def run_with(self, program: str, arguments: list[str], **more: object) -> Ended:
        done = subprocess.run(
            [sys.executable, str(TOOLS / program), *arguments], stderr=subprocess.PIPE, check=False, **more
        )  # type: ignore[call-overload]
        return Ended(done.returncode, "", done.stderr.decode())

    def files(self, name: str = NAME) -> list[str]:
        return [self.write(f"{index}.json", document([row(name, 1e-6)])) for index in range(2)]

    def test_no_space_left(self) -> None:
        first, second = self.files()
        with open("/dev/full", "w") as full:
            for program, arguments in (("regress.py", [first, "--", second]), ("spread.py", [first, second])):
                self.assert_one_line(self.run_with(program, arguments, stdout=full), "No space left")

    def test_a_reader_who_has_seen_enough(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        ended = self.run_with("spread.py", self.files(), stdout=writer)
        self.assertEqual((ended.code, ended.err), (0, ""))
        first, second = self.files()
        ended = self.run_with("regress.py", [first, "--", second], stdout=writer)
        self.assertEqual((ended.code, ended.err), (2, ""), "the verdict stands: one process is insufficient")

    def test_a_name_that_no_terminal_takes(self) -> None:
        ended = self.run_with(
            "spread.py", self.files("\ud800\u00e9"), stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        self.assertEqual((ended.code, ended.err), (0, ""))

    def test_a_name_of_300_characters(self) -> None:
        first, second = self.files()
        for flag in ("--json", "--otava-csv", "--policy"):
            long = f"{flag}={self.folder}/{300 * 'x'}"
            ended = self.run_with("regress.py", [first, "--", second, long], stdout=subprocess.DEVNULL)
            self.assert_one_line(ended, "File name too long")

    def test_a_signal_is_one_line(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(
            [sys.executable, str(TOOLS / "spread.py"), str(pipe), "other"], stderr=subprocess.PIPE
        ) as process:
            with open(pipe, "wb"):  # the tool reads
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, len(err.splitlines())), (130, 1), err)

    def test_every_tool_refuses_in_one_line(self) -> None:
        for program in PROGRAMS:
            done = subprocess.run(
                [sys.executable, str(program), "--nope=\n"], capture_output=True, text=True, check=False
            )
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)


if __name__ == "__main__":
    unittest.main()
