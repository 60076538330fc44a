# SPDX-License-Identifier: Apache-2.0
"""What the tools in Python have in common: arguments, input files, and how their processes end.

A tool ends with a status that it documents, and says why in one line. A fault that nobody thought of is 2 as
well, since Python's own 1 means a regression.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TextIO

WRONG = 2  # a bad flag, value or file
INTERRUPTED = 130
MAX_INPUT_BYTES = 2**28
LONGEST_LINE = 1200


class Failure(Exception):
    """Why a tool cannot go on, in one line: what is wrong, and what helps."""


class Parser(argparse.ArgumentParser):
    """Takes no abbreviations, shows the text as it stands, and refuses in one line."""

    def __init__(self, tool: str, description: str | None, **more: Any) -> None:
        super().__init__(
            prog=tool,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **more,
        )

    def error(self, message: str) -> NoReturn:
        say(self.prog, f"{message}; see --help")
        sys.exit(WRONG)


def say(tool: str, text: str) -> None:
    """One line on standard error, whatever the text holds and however long it is."""
    line = printable(" ".join(text.split()))
    if len(line) > LONGEST_LINE:
        line = line[: LONGEST_LINE // 2] + " ... " + line[-LONGEST_LINE // 2 :]
    with contextlib.suppress(OSError):
        print(f"{tool}: {line}", file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """The text with escapes for what is no printable character, such as half a surrogate pair or a newline."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def read_text(path: str | os.PathLike[str]) -> str:
    """All of a text file, UTF-8 or with a byte order mark UTF-16; it may be a pipe.

    @raises Failure beginning with the file's name: unreadable, too large, or another kind of file
    """
    file = os.fspath(path)
    try:
        with open(file, "rb") as stream:
            data = stream.read(4096)
            if not _is_binary(data):
                data += stream.read(MAX_INPUT_BYTES + 1 - len(data))
    except OSError as error:
        raise Failure(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > MAX_INPUT_BYTES:
        raise Failure(f"{file}: larger than {MAX_INPUT_BYTES} bytes: not a file that this tool reads")
    if data.startswith(b"\x1f\x8b"):
        raise Failure(f"{file}: compressed with gzip; unpack it with gunzip")
    if data.startswith(b"version https://git-lfs."):
        raise Failure(f"{file}: a pointer of Git LFS, not the file itself; get it with git lfs pull")
    utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if _is_binary(data) and not utf_16:
        place = data.index(b"\0")
        what = "UTF-16 without its mark; save it as UTF-8" if data[:2].count(0) == 1 else "not a text file"
        raise Failure(f"{file}: byte {place}: a zero byte: {what}")
    encoding = "UTF-16" if utf_16 else "UTF-8"
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Failure(f"{file}: byte {error.start}: not text in {encoding}; save it as UTF-8") from None


def _is_binary(data: bytes) -> bool:
    """Zero bytes are in no text but that of UTF-16, which its mark tells."""
    return b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


class _Held(io.StringIO):
    """Standard output that is written when a tool is done, or asks for it by `flush`."""

    def __init__(self, to: TextIO | None) -> None:
        super().__init__()
        self._to = to

    def flush(self) -> None:
        """A reader who has seen enough (`| head`) is no failure. @raises Failure"""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        if not text:
            return
        if self._to is None:
            raise Failure("standard output: closed, and the report would be lost")
        encoding = self._to.encoding or "utf-8"
        try:
            self._to.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self._to.flush()
        except OSError as error:
            # Python would try once more at its end, and say so.
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._to.fileno())
            if not isinstance(error, BrokenPipeError):
                raise Failure(f"standard output: cannot be written: {error.strerror}") from None


def guarded(tool: str, main: Callable[[list[str]], int], arguments: list[str]) -> int:
    """The exit status of `main`, and one line for what ends it otherwise."""
    status = WRONG
    held = _Held(sys.stdout)
    try:
        with contextlib.redirect_stdout(held):
            try:
                status = main(arguments)
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 0
            finally:
                held.flush()
    except KeyboardInterrupt:
        say(tool, "interrupted")
        return INTERRUPTED
    except Failure as failure:
        say(tool, str(failure))
        return WRONG
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        what = f"{type(error).__name__} at {where}: {str(error)[:200]}"
        say(tool, f"a fault of this tool, please report it: {what}")
        return WRONG
    return status


def run(tool: str, main: Callable[[list[str]], int]) -> NoReturn:
    """Ends the process as `guarded` says."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(guarded(tool, main, sys.argv[1:]))
