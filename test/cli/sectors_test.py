# SPDX-License-Identifier: Apache-2.0
"""`sectors`: its drawings against golden files, its JSON and SVG, its errors, and docs/sectors.md.

A golden file is what the program prints with the arguments that stand here beside its name. Where a
drawing is meant to change: run the program with them, look at what it prints, and keep that.
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import unittest
import xml.etree.ElementTree
from typing import Mapping, Sequence

from support import SOURCE_DIR, Json, Result, environment, open_terminal, strict_json

SECTORS = os.environ["SECTORBENCH_SECTORS"]
FOLDER = SOURCE_DIR / "test" / "cli" / "sectors"
DOCUMENT = SOURCE_DIR / "docs" / "sectors.md"
SVG = "{http://www.w3.org/2000/svg}"

GOLDEN: Mapping[str, Sequence[str]] = {
    "contiguous.txt": [],
    "offset.txt": ["--type=f32", "--stride=1", "--offset=4"],
    "stride_8.txt": ["--type=f32", "--stride=8"],
    "view_columns.txt": ["--shape=64,1024", "--strides=1,64", "--map=t,0"],
    "view_rows.txt": ["--shape=64,1024", "--strides=1,64", "--map=0,t"],
    "structs.txt": ["--stride=3", "--fields=0,4,8"],
    "pixels.txt": ["--type=u8", "--stride=3", "--fields=0,1,2"],
    "partial_warp.txt": ["--lanes=0-7,16"],
    "addresses.txt": ["--addresses=0,4,8,4096"],
    "gaps.txt": ["--addresses=0,1152,3200"],
    "broadcast.txt": ["--formula=4*(t%4)"],
    "block.txt": ["--block=16x16", "--formula=4*(x + 1004*y)"],
    "two_loads.txt": ["--block=32x8", "--formula=4096*y", "--formula=1048576 + 4*x"],
    "shared.txt": ["--shared", "--formula=16*t"],
    "shared_halves.txt": ["--shared", "--type=f64", "--stride=4", "--fields=0,8", "--lanes=1-31"],
    "loop.txt": ["--stride=32", "--fields=0-124:4"],
    "launch.txt": ["--block=16x16", "--grid=63x63",
                   "--formula=4*((by*dy + y)*1001 + bx*dx + x)", "--formula=4*(bx*dx + x)"],
    "launch.json": ["--shared", "--block=32", "--grid=5x3", "--formula=4*t*(1 + bx%2)",
                    "--lanes=0,16", "--at=1,2", "--json"],
    "find.txt": ["find", "18.3", "--block=16x16"],
    "find.json": ["find", "18.3", "--type=f32", "--block=16x16", "--shape=1000,1001", "--json"],
    "far_apart.txt": ["--formula=4*(t%8) + 1048576*(t/8)", "--offset=28"],
    "no_lane.txt": ["--lanes=none"],
    "help.txt": ["--help"],
    "offset.json": ["--offset=4", "--json"],
    "structs.json": ["--stride=3", "--fields=0,4,8", "--lanes=0-3", "--json"],
    "shared.json": ["--shared", "--type=f32x4", "--lanes=0-8", "--json"],
    "shared.svg": ["--shared", "--formula=16*t", "--svg"],
    "offset.svg": ["--offset=4", "--svg"],
    "block.svg": ["--block=16x16", "--formula=4*(x + 1004*y)", "--svg"],
}


def sectors(
    args: Sequence[str | bytes],
    env: Mapping[str, str | None] | None = None,
    stdout: int = subprocess.PIPE,
) -> Result:
    done = subprocess.run([SECTORS, *args], env=environment(env), stdin=subprocess.DEVNULL,
                          stdout=stdout, stderr=subprocess.PIPE, timeout=60, check=False)
    return Result(done.returncode, (done.stdout or b"").decode("ascii"),
                  done.stderr.decode("utf-8", "backslashreplace"))


def on_a_terminal(args: Sequence[str], env: Mapping[str, str | None]) -> str:
    """What the program writes to a terminal."""
    leader, follower = open_terminal()
    try:
        result = sectors(args, env, follower)
        assert result.code == 0, result
        text = b""
        while b"unused bytes" not in text:
            text += os.read(leader, 65536)
    finally:
        os.close(leader)
        os.close(follower)
    return text.decode("ascii")


def commands_and_outputs(path: pathlib.Path) -> list[tuple[list[str], str]]:
    """A document's fenced commands of this program that a fenced output follows directly."""
    found = re.findall(r"^```sh\n(sectors\b[^\n]*)\n```\n\n```text\n(.*?)^```$",
                       path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [(shlex.split(command)[1:], output) for command, output in found]


class Sectors(unittest.TestCase):
    maxDiff = None

    def printed(self, args: Sequence[str]) -> str:
        result = sectors(args)
        self.assertEqual((result.code, result.err), (0, ""), args)
        return result.out

    def json_of(self, *args: str) -> Json:
        return strict_json(self.printed([*args, "--json"]))

    def svg_of(self, *args: str) -> xml.etree.ElementTree.Element:
        return xml.etree.ElementTree.fromstring(self.printed([*args, "--svg"]))

    # ---- Golden files

    def test_golden_files(self) -> None:
        for name, args in GOLDEN.items():
            with self.subTest(name):
                self.assertEqual(self.printed(args), (FOLDER / name).read_text("ascii"), args)

    def test_every_golden_file_is_compared(self) -> None:
        self.assertEqual(sorted(os.listdir(FOLDER)), sorted(GOLDEN))

    def test_text_fits_eighty_columns_of_ascii(self) -> None:
        for name, args in GOLDEN.items():
            if name.endswith(".txt"):
                for line in self.printed(args).splitlines():
                    if line.startswith("        sectors --"):  # a command, in one piece
                        continue
                    self.assertLessEqual(len(line), 80, f"{name}: {line}")
                    self.assertEqual(line, line.rstrip(), name)
                    self.assertTrue(line.isprintable(), name)

    def test_text_of_a_thousand_sectors_is_cut(self) -> None:
        lines = self.printed(["--stride=1024", "--fields=0-2016:32"]).splitlines()
        self.assertLess(len(lines), 300)
        self.assertIn("and 1984 sectors more: --json has all", lines)
        self.assertIn("sectors              2048      256  distinct ones of each request", lines)
        lines = self.printed(["--stride=65536", "--fields=0-126976:4096"]).splitlines()
        self.assertLess(len(lines), 300)
        self.assertIn("  and 960 lines more: --json has all", lines)

    # ---- The documents

    def test_the_document_shows_what_the_program_prints(self) -> None:
        shown = commands_and_outputs(DOCUMENT)
        self.assertGreaterEqual(len(shown), 3)
        for args, output in shown:
            with self.subTest(args):
                self.assertEqual(self.printed(args), output)

    def test_the_tables_of_the_document_are_what_the_program_counts(self) -> None:
        rows = re.findall(r"^\| `(sectors [^`]*)` \| (.*) \|$", DOCUMENT.read_text("utf-8"),
                          re.MULTILINE)
        self.assertGreaterEqual(len(rows), 25)
        for command, cells in rows:
            totals = self.json_of(*shlex.split(command)[1:])["totals"]
            keys = ["requests", "sectors", "ideal_sectors", "lines"]
            share = [f"{100 * totals.get('efficiency', 0):.1f} %"]
            if "--shared" in command:
                keys, share = ["requests", "wavefronts", "ideal_wavefronts", "conflicts"], []
            if "--grid" in command:
                launch = self.json_of(*shlex.split(command)[1:])["launch"]
                self.assertTrue(launch["exact"], command)
                figures = [one["sectors_per_request"]
                           for one in (launch, launch["fewest"], launch["most"])]
                self.assertEqual(cells.split(" | "), [f"{one:.2f}" for one in figures], command)
                continue
            self.assertEqual(cells.split(" | "), [str(totals[key]) for key in keys] + share, command)

    def test_the_error_of_the_document_is_the_program_s(self) -> None:
        shown = re.findall(r"^\$ (sectors .*)\n(sectors: .*)$", DOCUMENT.read_text("utf-8"),
                           re.MULTILINE)
        self.assertEqual(len(shown), 1)
        for command, error in shown:
            result = sectors(shlex.split(command)[1:])
            self.assertEqual((result.code, result.err), (2, error + "\n"))

    def test_the_examples_of_help_run(self) -> None:
        examples = re.findall(r"^  (sectors(?: find \S+)?(?: --\S+?='[^']+'| --\S+)*)(?:  |$)",
                              self.printed(["--help"]), re.MULTILINE)
        self.assertEqual(len(examples), 16, examples)
        for example in examples:
            self.printed(shlex.split(example)[1:])

    # ---- JSON

    def test_json_has_the_figures_of_the_three_address_lists(self) -> None:
        cases: list[tuple[list[str], int, float, list[list[int]]]] = [
            ([], 4, 1.0, []),
            (["--stride=8"], 32, 0.125, [[32 * i + 4, 32 * i + 31] for i in range(32)]),
            (["--offset=4"], 5, 0.8, [[0, 3], [132, 159]]),
        ]
        for args, count, share, unused in cases:
            document = self.json_of(*args)
            totals = document["totals"]
            self.assertEqual(
                (totals["instructions"], totals["requests"], totals["sectors"]), (1, 1, count))
            self.assertEqual(totals["sector_bytes"], 32 * count)
            self.assertEqual(totals["efficiency"], share)
            self.assertEqual(document["together"]["unused_bytes"], unused)
            self.assertEqual(len(document["sectors"]), count)
        lanes = [one["lanes"] for one in self.json_of("--offset=4")["sectors"]]
        self.assertEqual(lanes, [list(range(0, 7)), list(range(7, 15)), list(range(15, 23)),
                                 list(range(23, 31)), [31]])

    def test_json_says_what_was_asked(self) -> None:
        args = ["--shape=64,1024", "--strides=1,64", "--map=t,0", "--lanes=1"]
        document = self.json_of(*args)
        self.assertEqual(document["arguments"], [*args, "--json"])
        self.assertEqual(document["view"],
                         {"shape": [64, 1024], "strides": [1, 64], "contiguous": False})
        self.assertEqual(document["active_lanes"], [1])
        self.assertEqual(document["instructions"][0]["addresses"], [None, 4] + [None] * 30)
        self.assertNotIn("view", self.json_of())

    def test_json_of_several_loads_has_each_and_the_average(self) -> None:
        formulas = ["4096*y", "1048576 + 4*x"]
        document = self.json_of("--block=32x8", *(f"--formula={one}" for one in formulas))
        self.assertEqual([one["formula"] for one in document["instructions"]], formulas)
        self.assertEqual([one["sectors"] for one in document["instructions"]], [1, 4])
        self.assertEqual(document["totals"]["requests"], 2)
        self.assertEqual(document["totals"]["sectors_per_request"], 2.5)
        self.assertNotIn("formula", self.json_of("--formula=4*t")["instructions"][0])

    def test_json_of_shared_memory_has_wavefronts_and_no_sectors(self) -> None:
        document = self.json_of("--shared", "--formula=16*t")
        totals = document["totals"]
        self.assertEqual(
            (totals["wavefronts"], totals["ideal_wavefronts"], totals["conflicts"]), (4, 1, 3))
        self.assertNotIn("sectors", document)
        self.assertNotIn("sectors", totals)
        (part,) = document["instructions"][0]["parts"]
        self.assertEqual(part["bank_words"], [4, 0, 0, 0] * 8)
        self.assertEqual(document["memory"], "shared")
        self.assertEqual(self.json_of()["memory"], "global")

    # ---- Launches, and find

    def test_json_of_a_launch_has_its_average_and_its_worst_warp(self) -> None:
        args = ["--block=16x16", "--grid=100000x60000",
                "--formula=4*((by*dy + y)*1001 + bx*dx + x)", "--formula=4*(bx*dx + x)"]
        document = self.json_of(*args)
        launch = document["launch"]
        self.assertIs(launch["exact"], True)
        self.assertEqual((launch["grid"], launch["block"]), ([100000, 60000, 1], [16, 16, 1]))
        self.assertEqual(launch["warps"], 48_000_000_000)
        self.assertEqual(launch["requests"], 96_000_000_000)
        # Rows of 1001 floats: 5.75; the other load: two rows of one warp share two sectors.
        self.assertEqual([one["sectors_per_request"] for one in launch["instructions"]], [5.75, 2])
        self.assertEqual(launch["sectors_per_request"], (5.75 + 2) / 2)
        self.assertEqual(launch["most"],
                         {"sectors_per_request": 4.0, "block": [0, 0, 0], "warp": 1})
        # The worst warp, drawn as the launch names it.
        drawn = self.json_of(*args, "--at=0,0,0", "--warp=1")
        self.assertEqual(drawn["totals"]["sectors_per_request"], 4.0)
        self.assertNotIn("launch", self.json_of("--block=16x16"))

    def test_an_estimate_says_so_in_every_form(self) -> None:
        args = ["--block=32", "--grid=2000000000", "--formula=4*(x*(bx%16*bx%16))"]
        launch = self.json_of(*args)["launch"]
        self.assertIs(launch["exact"], False)
        self.assertGreater(launch["error"], 0)
        self.assertLess(launch["warps_counted"], launch["warps"])
        self.assertIn("an ESTIMATE from", self.printed(args).replace("\n  ", " "))
        self.assertTrue(any("ESTIMATE" in (one.text or "")
                            for one in self.svg_of(*args).iter(f"{SVG}text")))

    def test_what_find_prints_can_be_run_and_counts_what_it_says(self) -> None:
        text = self.printed(["find", "18.3", "--type=f32", "--block=16x16"])
        figures = re.findall(r"^ *([\d.]+)  \S", text, re.MULTILINE)
        commands = re.findall(r"^ +(sectors --.*)$", text, re.MULTILINE)
        self.assertEqual(len(figures), len(commands))
        self.assertIn("x and y swapped", text.split("\n\n")[1])
        for figure, command in zip(figures, commands):
            launch = self.json_of(*shlex.split(command)[1:])["launch"]
            self.assertEqual(f"{launch['sectors_per_request']:.2f}", figure, command)

    def test_find_without_an_answer_ends_with_3_and_the_remedy(self) -> None:
        result = sectors(["find", "25.3", "--tolerance=0.01"])
        self.assertEqual((result.code, result.out, result.err.count("\n")), (3, "", 1))
        remedy = re.findall(r"--tolerance=\d+", result.err)
        self.printed(["find", "25.3", *remedy])

    # ---- SVG

    def rectangles(self, *args: str) -> dict[str, int]:
        """How many rectangles of each kind are drawn; keys of the legend are definitions."""
        root = self.svg_of(*args)
        kinds = [one.get("class", "") for one in root.iter(f"{SVG}rect")]
        keys = [one.get("class", "") for one in root.find(f"{SVG}defs") or []]
        return {kind: kinds.count(kind) - keys.count(kind) for kind in set(kinds)}

    def test_svg_has_a_rectangle_for_each_sector_and_access(self) -> None:
        # Eight accesses a sector lie in four even and four odd places.
        self.assertEqual(self.rectangles(),
                         {"page": 1, "fetched": 4, "skipped": 0, "even": 16, "odd": 16})
        # The fifth sector has a line, whose other three are skipped.
        self.assertEqual(self.rectangles("--offset=4"),
                         {"page": 1, "fetched": 5, "skipped": 3, "even": 16, "odd": 16})
        self.assertEqual(self.rectangles("--stride=32"),
                         {"page": 1, "fetched": 32, "skipped": 96, "even": 32})
        # All lanes at one address are one rectangle.
        self.assertEqual(self.rectangles("--stride=0"),
                         {"page": 1, "fetched": 1, "skipped": 3, "even": 1})
        self.assertEqual(self.rectangles("--lanes=none"),
                         {"page": 1, "fetched": 0, "skipped": 0, "even": 0})

    def test_svg_of_shared_memory_has_a_rectangle_for_each_word_of_a_bank(self) -> None:
        # Four words in each of eight banks, one above the other.
        self.assertEqual(self.rectangles("--shared", "--formula=16*t"),
                         {"page": 1, "fetched": 0, "skipped": 24, "even": 16, "odd": 16})
        # All lanes share the word of bank 0, in each of two instructions.
        self.assertEqual(self.rectangles("--shared", "--stride=0", "--fields=0,4"),
                         {"page": 1, "fetched": 0, "skipped": 62, "even": 2})

    def test_svg_names_sectors_and_lanes(self) -> None:
        texts = [one.text for one in self.svg_of("--offset=4").iter(f"{SVG}text")]
        for text in ("f32, 4 bytes an access: thread t at byte 4 + 4*t", "0: lanes 0-6",
                     "4: lanes 31", "byte 128", "7", "31"):
            self.assertIn(text, texts)
        self.assertTrue(any(text and text.startswith("1 request, 5 sectors (ideal 4)")
                            for text in texts), texts)

    def test_svg_needs_nothing_from_elsewhere(self) -> None:
        text = self.printed(["--formula=t << 2 & 124", "--svg"])
        xml.etree.ElementTree.fromstring(text)
        self.assertIn("thread t at byte t &lt;&lt; 2 &amp; 124", text)
        for word in ("<script", "<image", "url(", "@import", "xlink"):
            self.assertNotIn(word, text)
        self.assertEqual(re.findall(r"https?://[^']*", text), ["http://www.w3.org/2000/svg"])
        self.assertEqual(set(re.findall(r"href='(.)", text)), {"#"})

    # ---- Colour

    def test_colour_is_for_terminals_only(self) -> None:
        self.assertNotIn("\033", self.printed([]))
        coloured = on_a_terminal(["--offset=4"], {"TERM": "xterm", "NO_COLOR": None})
        self.assertIn("\033[32m####", coloured)
        self.assertIn("\033[33m....", coloured)
        plain = re.sub(r"\033\[\d+m", "", coloured).replace("\r\n", "\n")
        self.assertEqual(plain, self.printed(["--offset=4"]))

    def test_colour_can_be_declined(self) -> None:
        settings: list[dict[str, str | None]] = [
            {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": None},
            {"TERM": None, "NO_COLOR": None},
        ]
        for env in settings:
            self.assertNotIn("\033", on_a_terminal([], env), env)
        self.assertIn("\033", on_a_terminal([], {"TERM": "xterm", "NO_COLOR": ""}))

    # ---- Errors

    def test_bad_flags_and_values_are_one_line_and_exit_status_2(self) -> None:
        cases: list[tuple[list[str | bytes], str]] = [
            (["--strid=8"], "did you mean --stride?"),
            (["--formula=4 + q*t"], "--formula=4 + q*t: unknown variable 'q' at character 5"),
            (["--offset=2"], "address 2 is not a multiple of the access size 4 (2 mod 4 = 2)"),
            (["--stride=-1"], "to start further on: --offset=256"),
            (["--shape=8,8", "--map=t,0"], "index 8 of dimension 0 is not in 0 to 7"),
            ([b"--formula=\xff\n"], "character that is not printable ASCII at character 1"),
            (["--json", "--offset=2"], "no GPU takes it"),
            (["--stride=8", "--stride=2"], "--stride is given twice"),
            (["--svg", "--svg"], "--svg is given twice"),
            (["--shared", "--stride=2000"], "byte 240000 of shared memory"),
        ]
        for args, text in cases:
            result = sectors(args)
            self.assertEqual((result.code, result.out), (2, ""), args)
            self.assertEqual(result.err.count("\n"), 1, result.err)
            self.assertTrue(result.err.startswith("sectors: "), result.err)
            self.assertIn(text, result.err)

    def test_output_that_cannot_be_written_is_a_failure(self) -> None:
        full = os.open("/dev/full", os.O_WRONLY)
        try:
            result = sectors([], stdout=full)
        finally:
            os.close(full)
        self.assertEqual(result.code, 1)
        self.assertEqual(result.err, "sectors: standard output cannot be written\n")


if __name__ == "__main__":
    unittest.main()
