# SPDX-License-Identifier: Apache-2.0
"""What the documents say is there: links, files and flags; and what they call runnable runs.

A fenced block whose info string begins with `sh runnable` is run by bash, in a copy of bench/ and docs/
with the built program at build/release/benchmark, its CPU measured; the blocks of one document follow each
other in one folder. Further words: `status=1` is the exit status expected, `needs=PATH` leaves the block
out where there is no such file.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Iterator, NamedTuple

from support import BENCHMARK, SOURCE_DIR, environment

DOCUMENTS = sorted([*SOURCE_DIR.glob("*.md"), *SOURCE_DIR.glob("docs/**/*.md")])
HISTORY = SOURCE_DIR / "CHANGELOG.md"  # speaks of what is gone as well

# Flags of other programs that the documents show.
FOREIGN_FLAGS = {
    "cmake": {"--build", "--install", "--prefix", "--preset"},
    "ncu": {
        "--clock-control", "--metrics", "--nvtx", "--nvtx-include", "--print-nvtx-rename", "--query-metrics",
        "--import", "--page", "--set",
    },
    "compare.py": {"--no-color", "--no-utest"},
    "apt-get": {"--no-install-recommends"},
    "bencher": {"--adapter", "--file"},
}

# What CONTRIBUTING.md adds as an example.
EXAMPLES = ("swapped",)

# Folders of results that a reader makes, and a clone of this project in another one.
READERS = ("base/", "new/", "old/", "perf/", "runs/", "same/")
CLONE = "sectorbench/"

# Files that documents name without their folder's beginning lie in one of these.
FOLDERS = ("", "docs", "docs/results", "include", "include/sectorbench", "kernels", "bench", "bench/tools", "bench/lessons", "test")

FENCE = re.compile(r"^(```+|~~~+)[ \t]*([^\n`]*)\n(.*?)^\1[ \t]*$", re.M | re.S)


class Block(NamedTuple):
    line: int
    words: list[str]  # of the info string
    text: str


def blocks(text: str) -> Iterator[Block]:
    for found in FENCE.finditer(text):
        yield Block(text.count("\n", 0, found.start()) + 1, found[2].split(), found[3])


def without_blocks(text: str) -> str:
    """The text with its fenced blocks left empty, on the same lines."""
    return FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)


def anchors(text: str) -> set[str]:
    """What GitHub makes of the headings."""
    result: set[str] = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    seen: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", without_blocks(text), re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = seen.get(slug, 0)
        seen[slug] = again + 1
        result.add(f"{slug}-{again}" if again else slug)
    return result


def broken_links(document: pathlib.Path, text: str) -> list[str]:
    """Relative links of the document that lead nowhere."""
    prose = re.sub(r"`[^`\n]*`", "", without_blocks(text))
    targets = re.findall(r"\]\(([^()\s]+)\)", prose) + re.findall(r'(?:src|href)="([^"]+)"', prose)
    broken = []
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = document.parent / name
        if name and not path.exists():
            broken.append(f"{target}: no such file")
        elif anchor and anchor not in anchors(path.read_text() if name else text):
            broken.append(f"{target}: no such heading")
    return broken


def flags_in(text: str) -> set[str]:
    """Words such as --quick, without a value."""
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r"<!--.*?-->", "", text, flags=re.S)))


def missing_files(document: pathlib.Path, text: str) -> list[str]:
    """Paths of source files, in code spans and blocks, that are not there; `*` stands for anything."""
    code = "\n".join([
        *re.findall(r"`([^`\n]+)`", without_blocks(text)), *(block.text for block in blocks(text))
    ])
    endings = "md|py|[hc]pp|cuh?|sh|txt|json|csv|cmake|html"
    path_of_a_file = rf"(?<![\w./~$<-])((?:[\w.*-]+/)+[\w.*-]+\.(?:{endings}))(?![\w/])"
    missing = []
    for path in sorted(set(re.findall(path_of_a_file, code))):
        if path.split("/")[0] in ("build", "sys", "..", ".") or pathlib.PurePath(path).stem in EXAMPLES:
            continue
        if path.startswith(READERS):
            continue
        path = path.removeprefix(CLONE)
        roots = [SOURCE_DIR / folder for folder in FOLDERS] + [document.parent]
        if not any(next(root.glob(path), None) for root in roots):
            missing.append(path)
    return missing


def known_flags() -> set[str]:
    """All flags of our programs, as their help texts have them, and of our scripts, as they stand there."""
    known: set[str] = set().union(*FOREIGN_FLAGS.values())
    folder = pathlib.Path(BENCHMARK).parent
    programs = [[BENCHMARK], [BENCHMARK, "describe"], *([str(path)] for path in (folder / "sectors",) if path.exists())]
    tools = [path for path in SOURCE_DIR.glob("bench/*/*.py") if "__main__" in path.read_text()]
    for command in [*programs, *([sys.executable, str(tool)] for tool in tools)]:
        done = subprocess.run(
            [*command, "--help"], capture_output=True, text=True, env=environment(), check=False
        )
        assert done.returncode == 0 and "--" in done.stdout, (command, done.stderr)
        known |= flags_in(done.stdout)
    for folder_of_scripts in ("bench", "bench/tools", "test", "docs/results"):
        for script in (SOURCE_DIR / folder_of_scripts).glob("*.sh"):
            known |= flags_in(script.read_text())
    return known


class Documents(unittest.TestCase):
    def test_there_are_some(self) -> None:
        self.assertGreater(len(DOCUMENTS), 10)

    def test_links_lead_somewhere(self) -> None:
        for document in DOCUMENTS:
            with self.subTest(document=document.name):
                self.assertEqual(broken_links(document, document.read_text()), [])

    def test_flags_exist(self) -> None:
        known = known_flags()
        for document in DOCUMENTS:
            if document == HISTORY:
                continue
            with self.subTest(document=document.name):
                self.assertEqual(sorted(flags_in(document.read_text()) - known), [])

    def test_files_exist(self) -> None:
        for document in DOCUMENTS:
            if document == HISTORY:
                continue
            with self.subTest(document=document.name):
                self.assertEqual(missing_files(document, document.read_text()), [])

    def test_every_document_is_in_the_reading_order(self) -> None:
        order = (SOURCE_DIR / "docs/README.md").read_text()
        for document in SOURCE_DIR.glob("docs/*.md"):
            if document.name != "README.md":
                self.assertIn(f"]({document.name})", order)

    def test_all_is_plain_text(self) -> None:
        for document in DOCUMENTS:
            with self.subTest(document=document.name):
                self.assertTrue(document.read_bytes().isascii())


class Runnable(unittest.TestCase):
    def run_document(self, document: pathlib.Path, wanted: list[Block]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder) / "copy"
            for name in ("bench", "docs"):
                shutil.copytree(SOURCE_DIR / name, here / name, ignore=shutil.ignore_patterns("__pycache__"))
            (here / "build").mkdir()
            (here / "build/release").symlink_to(pathlib.Path(BENCHMARK).parent)
            programs = pathlib.Path(folder) / "bin"
            programs.mkdir()
            (programs / "sectorbench").symlink_to(BENCHMARK)
            (programs / "python3").symlink_to(sys.executable)
            changes = {
                "CUDA_VISIBLE_DEVICES": "", "PATH": f"{programs}:{os.environ['PATH']}",
                "XDG_CACHE_HOME": folder, "PYTHONDONTWRITEBYTECODE": "1",
            }
            for block in wanted:
                options = dict(word.split("=", 1) for word in block.words[2:])
                self.assertLessEqual(options.keys(), {"status", "needs"}, f"{document.name}:{block.line}")
                if not pathlib.Path(options.get("needs", "/")).exists():
                    continue
                with self.subTest(block=f"{document.name}:{block.line}"):
                    done = subprocess.run(
                        ["bash", "-euo", "pipefail", "-c", block.text], cwd=here, env=environment(changes),
                        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                    )
                    said = block.text + done.stdout + done.stderr
                    self.assertEqual(done.returncode, int(options.get("status", "0")), said)

    def test_blocks_that_are_called_runnable_run(self) -> None:
        count = 0
        for document in DOCUMENTS:
            all_blocks = blocks(document.read_text())
            wanted = [block for block in all_blocks if block.words[:2] == ["sh", "runnable"]]
            if wanted:
                self.run_document(document, wanted)
            count += len(wanted)
        self.assertGreaterEqual(count, 5)


class Tools(unittest.TestCase):
    """The checks see what they look for."""

    PAGE = SOURCE_DIR / "docs" / "page.md"

    def test_headings_become_anchors(self) -> None:
        text = "# A `b_c`, d-e: 2.5 %\n\n```sh\n# no heading\n```\n## Same\n## Same\n### [x](y.md)\n"
        self.assertEqual(anchors(text), {"a-b_c-d-e-25-", "same", "same-1", "x"})

    def test_links_that_lead_nowhere_are_found(self) -> None:
        text = (
            "# Here\n[a](model.md) [b](nowhere.md) [c](#here) [d](#there)\n"
            "[e](model.md#the-model-of-traffic-and-time) [f](model.md#nothing) [g](https://example.org/x)\n"
            "`[h](code.md)`\n```\n[i](block.md)\n```\n"
        )
        self.assertEqual(
            broken_links(self.PAGE, text),
            ["nowhere.md: no such file", "#there: no such heading", "model.md#nothing: no such heading"],
        )

    def test_flags_are_found_in_prose_and_code(self) -> None:
        text = "a--b `--quick` --benchmark_out=x\n```sh\nx --strides=1,2 -- x\n```\n<!-- a --comment -->"
        self.assertEqual(flags_in(text), {"--quick", "--benchmark_out", "--strides"})

    def test_files_that_are_not_there_are_found(self) -> None:
        text = (
            "`bench/commands/main.cpp` `bench/no_such.cpp` `verify/proof.hpp` `results/h200/no_*.txt` "
            "`results/h200/*.txt` `mine.json` `./mine/x.json`\n"
            "```sh\nbuild/x/rows.json test/run.sh test/gone.sh\n```\n"
        )
        missing = ["bench/no_such.cpp", "results/h200/no_*.txt", "test/gone.sh"]
        self.assertEqual(missing_files(self.PAGE, text), missing)

    def test_blocks_have_line_words_and_text(self) -> None:
        found = list(blocks("x\n```sh runnable status=1\nfalse\n```\ny\n```\nz\n```\n"))
        self.assertEqual(found, [Block(2, ["sh", "runnable", "status=1"], "false\n"), Block(6, [], "z\n")])


if __name__ == "__main__":
    unittest.main()
