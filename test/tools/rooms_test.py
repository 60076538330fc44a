# SPDX-License-Identifier: Apache-2.0
"""The rooms of bench/: an include points to its own room or to one below it."""

from __future__ import annotations

import pathlib
import re
import unittest

BENCH = pathlib.Path(__file__).parents[2] / "bench"
INCLUDE = re.compile(r'^#include "bench/(\w+)/', re.M)
BESIDE = {"sectors": {"support"}}  # a program of its own, and the rooms that it uses


def ladder() -> list[str]:
    """The rooms from the bottom up, as bench/CMakeLists.txt lists them."""
    return re.findall(r"^sectorbench_add_room\((\w+)", (BENCH / "CMakeLists.txt").read_text(), re.M)


def wrong(includes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of the pairs (room that includes, room included) that point up or beside the ladder."""
    below: dict[str, set[str]] = dict(BESIDE)
    rooms = ladder()
    for level, room in enumerate(rooms):
        below[room] = set(rooms[:level])
    return [(room, other) for room, other in includes if room != other and other not in below[room]]


class Rooms(unittest.TestCase):
    def test_every_folder_with_sources_is_a_room(self) -> None:
        folders = {path.relative_to(BENCH).parts[0] for path in BENCH.glob("*/*.cpp")}
        self.assertGreater(len(folders), 8)
        self.assertEqual(folders, {*ladder(), *BESIDE})

    def test_no_source_lies_outside_the_rooms(self) -> None:
        self.assertEqual([path.name for path in BENCH.glob("*.[ch]pp")], [])

    def test_bench_has_few_entries(self) -> None:
        entries = [path.name for path in BENCH.iterdir() if path.name != "__pycache__"]
        self.assertLessEqual(len(entries), 14, sorted(entries))

    def test_includes_point_down(self) -> None:
        includes = [
            (path.relative_to(BENCH).parts[0], room)
            for path in BENCH.glob("**/*.[ch]pp")
            for room in INCLUDE.findall(path.read_text("utf-8"))
        ]
        self.assertGreater(len(includes), 200)
        self.assertEqual(wrong(includes), [])

    def test_an_include_that_points_up_is_found(self) -> None:
        self.assertEqual(
            wrong([("support", "report"), ("report", "support"), ("cases", "cases"), ("sectors", "options")]),
            [("support", "report"), ("sectors", "options")],
        )


if __name__ == "__main__":
    unittest.main()
