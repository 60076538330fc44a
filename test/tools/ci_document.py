# SPDX-License-Identifier: Apache-2.0
"""The files of docs/ci_example, which a project copies, and what docs/comparing.md quotes of their run."""

from __future__ import annotations

import os
import pathlib
import re

DOCS = pathlib.Path(os.environ["SECTORBENCH_SOURCE_DIR"]) / "docs"
EXAMPLE = DOCS / "ci_example"


def files() -> dict[str, str]:
    """Path in the project -> text."""
    paths = sorted(path for path in EXAMPLE.rglob("*") if path.is_file())
    return {str(path.relative_to(EXAMPLE)): path.read_text("utf-8") for path in paths}


def quoted_verdict() -> str:
    found = re.search(r"^```\n(indexed:.*?)^```$", (DOCS / "comparing.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found
    return found[1]
