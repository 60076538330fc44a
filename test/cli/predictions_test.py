# SPDX-License-Identifier: Apache-2.0
"""Predicted requests and sectors of whole launches against figures worked out by hand."""

from __future__ import annotations

import unittest
from typing import NamedTuple

from support import SIDES, SIZES, Json, OutputTest


class Side(NamedTuple):
    requests: int
    sectors: int
    lines: float  # per request


NOTHING = Side(0, 0, 0)

# 64 Ki elements are 2048 full warps, whatever the type.
N = 64 * 1024
WARPS = 2048


def full(sectors: int, lines: int) -> Side:
    """Each of the warps makes one request of so many sectors in so many lines."""
    return Side(WARPS, WARPS * sectors, lines)


AT_64_KI: dict[str, tuple[Side, Side]] = {
    # The stride curve: 32 lanes, 4 x stride bytes apart.
    "stride/copy/f32/stride:1": (full(4, 1), full(4, 1)),
    "stride/copy/f32/stride:2": (full(8, 2), full(8, 2)),
    "stride/copy/f32/stride:4": (full(16, 4), full(16, 4)),
    "stride/copy/f32/stride:8": (full(32, 8), full(32, 8)),
    "stride/copy/f32/stride:16": (full(32, 16), full(32, 16)),
    "stride/copy/f32/stride:32": (full(32, 32), full(32, 32)),
    "stride/gather/f32/stride:8": (full(32, 8), full(4, 1)),
    "stride/scatter/f32/stride:8": (full(4, 1), full(32, 8)),
    "stride/read/f32/stride:8": (full(32, 8), NOTHING),
    "stride/write/f32/stride:8": (NOTHING, full(32, 8)),
    "stride/copy/u8/stride:2": (full(2, 1), full(2, 1)),
    "stride/copy/f16/stride:4": (full(8, 2), full(8, 2)),
    "stride/copy/f16/stride:16": (full(32, 8), full(32, 8)),
    "stride/copy/f64/stride:2": (full(16, 4), full(16, 4)),
    "stride/copy/f32x4/stride:2": (full(32, 8), full(32, 8)),
    # A warp's 32 elements of each type lie side by side.
    "contiguous/copy/u8": (full(1, 1), full(1, 1)),
    "contiguous/copy/f16": (full(2, 1), full(2, 1)),
    "contiguous/copy/f32": (full(4, 1), full(4, 1)),
    "contiguous/copy/f64": (full(8, 2), full(8, 2)),
    "contiguous/copy/f32x4": (full(16, 4), full(16, 4)),
    "contiguous/read/f32": (full(4, 1), NOTHING),
    "contiguous/write/f32": (NOTHING, full(4, 1)),
    "unrolled/copy/f32/unroll:4": (full(4, 1), full(4, 1)),
    "grid_loop/copy/f32/steps:3": (full(4, 1), full(4, 1)),
    # One element further on, the 32 elements touch one sector more, and always a second line but
    # for u8, where every fourth warp does: bytes 97 to 128.
    "offset/copy/f32/loads:0/stores:0": (full(4, 1), full(4, 1)),
    "offset/copy/f32/loads:1/stores:1": (full(5, 2), full(5, 2)),
    "offset/copy/f32/loads:8/stores:8": (full(4, 2), full(4, 2)),
    "offset/copy/f32/loads:1/stores:0": (full(5, 2), full(4, 1)),
    "offset/copy/f32/loads:0/stores:7": (full(4, 1), full(5, 2)),
    "offset/copy/u8/loads:1/stores:1": (Side(WARPS, 2 * WARPS, 1.25),) * 2,
    "offset/copy/f64/loads:1/stores:1": (full(9, 3), full(9, 3)),
    "offset/copy/f32x4/loads:1/stores:1": (full(17, 5), full(17, 5)),
    # Each lane walks its own line.
    "chunk/copy/f32/chunk:32": (full(32, 32), full(32, 32)),
    "chunk/gather/f32/chunk:32": (full(32, 32), full(4, 1)),
    # Not made of threads' accesses.
    "memcpy/copy/f32": (NOTHING, NOTHING),
}

# (elements, block, row): one launch's loads. Copies, so the stores are the same.
EDGES: list[tuple[int, int, str, Side]] = [
    (1, 256, "contiguous/copy/f32", Side(1, 1, 1)),
    (1, 256, "unrolled/copy/f32/unroll:4", Side(1, 1, 1)),
    (1, 256, "stride/copy/f32/stride:8", Side(1, 1, 1)),
    (1, 256, "chunk/copy/f32/chunk:32", Side(1, 1, 1)),
    # Fewer elements than the stride: five rows of one column.
    (5, 256, "stride/copy/f32/stride:8", Side(5, 5, 1)),
    # 31 full warps and 8 lanes: 31 x 4 + 1 sectors.
    (1000, 256, "contiguous/copy/f32", Side(32, 125, 1)),
    # 8 rows of 125 columns, 4 warps each; every element has a sector to itself.
    (1000, 256, "stride/copy/f32/stride:8", Side(32, 1000, 8)),
    (1001, 256, "stride/copy/f32/stride:8", Side(32, 1001, 8)),
    # Beyond 65,535 rows, in the grid's y and z: 70,000 rows, the first of three columns, the
    # others of two.
    (140001, 256, "stride/copy/u8/stride:70000", Side(70000, 140001, 140001 / 70000)),
    # Blocks of 3 warps and 4 lanes; the second block begins in the middle of sector 12.
    (200, 100, "contiguous/copy/f32", Side(8, (4 + 4 + 4 + 1) + (5 + 5 + 5 + 1), 11 / 8)),
    # A warp of one lane a block.
    (64, 1, "contiguous/copy/f32", Side(64, 64, 1)),
]


class Predictions(OutputTest):
    def check_side(self, row: Json, side: str, expected: Side) -> None:
        name = f"{row['name']}, {side}s"
        self.assertEqual(row[f"{side}_requests_predicted"], expected.requests, f"{name}: requests")
        self.assertEqual(row[f"{side}_sectors_predicted"], expected.sectors, f"{name}: sectors")
        ratio = expected.sectors / expected.requests if expected.requests else 0
        self.assertAlmostEqual(row[f"{side}_sectors_per_request_predicted"], ratio, 12,
                               f"{name}: sectors per request")
        self.assertAlmostEqual(row[f"{side}_lines_per_request_predicted"], expected.lines, 12,
                               f"{name}: lines per request")

    def check_efficiency(self, row: Json, elements: int, sectors: int) -> None:
        _, operation, element, *_ = row["name"].split("/")
        useful = elements * SIZES[element] * SIDES[operation]
        self.assertEqual(row["useful_bytes"], useful, f"{row['name']}: useful bytes")
        expected = useful / (32 * sectors) if sectors else 0
        self.assertAlmostEqual(row["efficiency_predicted"], expected, 12,
                               f"{row['name']}: efficiency")

    def test_whole_launches_of_64_ki_elements(self) -> None:
        document = self.measure("--elements=64Ki", "--rows=" + ",".join(AT_64_KI))
        rows = self.measured_rows(document)
        self.assertEqual(list(rows), list(AT_64_KI))
        for name, (loads, stores) in AT_64_KI.items():
            with self.subTest(name):
                self.check_side(rows[name], "load", loads)
                self.check_side(rows[name], "store", stores)
                self.check_efficiency(rows[name], N, loads.sectors + stores.sectors)

    def test_efficiencies_named_in_the_literature(self) -> None:
        names = {
            "contiguous/copy/f32": 1.0,
            "offset/copy/f32/loads:1/stores:1": 0.8,
            "stride/copy/f32/stride:2": 0.5,
            "stride/copy/f32/stride:32": 0.125,
            "stride/copy/f16/stride:16": 0.0625,
        }
        rows = self.measured_rows(self.measure("--elements=64Ki", "--rows=" + ",".join(names)))
        for name, efficiency in names.items():
            self.assertAlmostEqual(rows[name]["efficiency_predicted"], efficiency, 12, name)

    def test_sizes_that_do_not_fit_warps_strides_or_blocks(self) -> None:
        for elements, block, name, expected in EDGES:
            with self.subTest(row=name, elements=elements, block=block):
                flags = (f"--elements={elements}", f"--block={block}", f"--rows={name}")
                document = self.measure(*flags)
                row = self.measured_rows(document)[name]
                self.assertEqual(row["elements"], elements)
                self.assertEqual(row["verified"], 1)
                self.check_side(row, "load", expected)
                self.check_side(row, "store", expected)
                self.check_efficiency(row, elements, 2 * expected.sectors)


if __name__ == "__main__":
    unittest.main()
