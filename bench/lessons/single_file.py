#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/single_file/coalescing.cu: the stride curve as one file that needs only nvcc.

    bench/lessons/single_file.py build/release/benchmark > docs/single_file/coalescing.cu

The template is bench/lessons/single_file.cu.in. The kernels' bodies are those of the patterns
(include/sectorbench/patterns/), with CUDA's names in place of a thread's coordinates and a copy in
place of the move; strides and sectors are those that the program predicts for --suite=reference.
Exit status: 0, or 2 if a pattern or the program's answer is not as expected; one line says which.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "bench" / "tools"))
from command_line import Failure, Parser, run

ELEMENTS = 4 << 20

# A thread's coordinates (access/launch.hpp) as CUDA calls them.
COORDINATES = {
    "t.column()": "index_t{blockIdx.x} * blockDim.x + threadIdx.x",
    "t.block_y": "blockIdx.y",
    "t.block_z": "blockIdx.z",
    "t.grid_y": "gridDim.y",
}
BODY = re.compile(r"void run\(const lane& t, const Access& a\) const \{\n(.*?)\n  \}", re.DOTALL)
MOVE = re.compile(r"a\.move\((.*), (\w+), (\w+)\);")


class Unexpected(Failure):
    """Says what is not as this script expects it."""


def kernel_body(pattern: str) -> str:
    """The body of a pattern's run() as that of a copy kernel of (n, in, out)."""
    header = SOURCE / "include" / "sectorbench" / "patterns" / f"{pattern}.hpp"
    found = BODY.search(header.read_text("utf-8"))
    moves = MOVE.findall(found[1]) if found else []
    if not found or len(moves) != 1:
        raise Unexpected(f"{header.name}: no run() that moves one element")
    _, place, rank = moves[0]
    lines = []
    for line in found[1].splitlines():
        if rank != place and line.strip().startswith(f"const index_t {rank} ="):
            continue  # a copy does not need the dense rank
        for name, cuda in COORDINATES.items():
            line = line.replace(name, cuda)
        lines.append(MOVE.sub(r"if (\1) out[\2] = in[\2];", line).removeprefix("  "))
    body = "\n".join(lines)
    left = re.search(r"\b[ta]\.\w+|\bwhole\b|\brest\b", body)
    if left:
        raise Unexpected(f"{header.name}: '{left[0]}' has no meaning in a kernel of its own")
    return body


def sectors_per_request(benchmark: str) -> dict[int, int]:
    """Stride -> sectors of a warp's load, as the program predicts them."""
    command = [benchmark, "--predict", "--gpu=t4", "--suite=reference", f"--elements={ELEMENTS}",
               "--benchmark_format=json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unexpected(f"{benchmark}: {getattr(error, 'stderr', '') or error}".strip()) from error
    sectors = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        stride = re.search(r"/stride:(\d+)", row["name"])
        if stride:
            sectors[int(stride[1])] = round(row["load_sectors_per_request_predicted"])
    if 1 not in sectors:
        raise Unexpected(f"{benchmark}: predicts no row of stride 1")
    return sectors


def single_file(benchmark: str) -> str:
    """The text of docs/single_file/coalescing.cu."""
    sectors = sectors_per_request(benchmark)
    values = {
        "STRIDES": "".join(f"{stride:4}" for stride in sectors),
        "SECTORS": "".join(f"{count:4}" for count in sectors.values()),
        "STEPS": ", ".join(map(str, sectors)),
        "CONTIGUOUS": kernel_body("contiguous"),
        "STRIDE": kernel_body("stride"),
    }
    template = (SOURCE / "bench" / "lessons" / "single_file.cu.in").read_text("utf-8")
    return re.sub(r"@(\w+)@", lambda name: values[name[1]], template)


def main(arguments: list[str]) -> int:
    parser = Parser("single_file.py", __doc__)
    parser.add_argument("benchmark", help="the program, which predicts the sectors")
    sys.stdout.write(single_file(parser.parse_args(arguments).benchmark))
    return 0


if __name__ == "__main__":
    run("single_file.py", main)
