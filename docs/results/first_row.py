#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds from start to the first printed row, and to the end: first_row.py COMMAND..."""

from __future__ import annotations

import subprocess
import sys
import time


def main() -> None:
    begin = time.monotonic()
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = None
        for line in process.stdout:
            if first is None and "/copy/" in line:
                first = time.monotonic() - begin
    print(f"first row after {first:.2f} s, end after {time.monotonic() - begin:.2f} s")


if __name__ == "__main__":
    main()
