#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of two result files side by side: side_by_side.py A.json B.json"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SECONDS_PER_UNIT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def times_us(path: str) -> dict[str, tuple[float, float]]:
    """Row -> (microseconds of a launch, spread within the process)."""
    rows = json.loads(Path(path).read_text(encoding="utf-8"))["benchmarks"]
    return {
        row["name"].removesuffix("/manual_time"): (
            row["real_time"] * SECONDS_PER_UNIT[row["time_unit"]] * 1e6,
            row["time_cv"],
        )
        for row in rows
        if not row.get("error_occurred") and not row.get("skipped")
    }


def main() -> None:
    first, second = (times_us(path) for path in sys.argv[1:3])
    common = [name for name in first if name in second]
    width = max(map(len, common))
    names = [Path(path).stem for path in sys.argv[1:3]]
    print(f"{'row':{width}}  {names[0]:>14}  {'cv':>8}  {names[1]:>14}  {'cv':>8}  difference")
    for name in common:
        (a, a_cv), (b, b_cv) = first[name], second[name]
        print(
            f"{name:{width}}  {a:11.3f} us  {a_cv * 100:6.2f} %  {b:11.3f} us  "
            f"{b_cv * 100:6.2f} %  {b - a:+8.3f} us ({(b / a - 1) * 100:+.2f} %)"
        )


if __name__ == "__main__":
    main()
