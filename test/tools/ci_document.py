# SPDX-License-Identifier: Apache-2.0
"""What docs/comparing.md tells a project to have: its fenced blocks, and the files named above them."""

from __future__ import annotations

import os
import pathlib
import re
from typing import NamedTuple

SOURCE_DIR = pathlib.Path(os.environ["SECTORBENCH_SOURCE_DIR"])


class Block(NamedTuple):
    language: str  # empty for what a program prints
    file: str  # of a line "`file`:" before it; empty without one
    text: str


def blocks() -> list[Block]:
    found = []
    text = (SOURCE_DIR / "docs" / "comparing.md").read_text("utf-8")
    # Blocks follow each other, so that an end is never taken for a beginning.
    for block in re.finditer(r"(?:^`([^`\n]+)`:\n\n)?^```(\w*)[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        found.append(Block(block[2], block[1] or "", block[3]))
    return found


def files() -> dict[str, str]:
    return {block.file: block.text for block in blocks() if block.file}


def texts(language: str) -> list[str]:
    return [block.text for block in blocks() if block.language == language]
