#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vector add in Triton: coalesced offsets, and the same work with neighbours eight elements apart.

    bench/lessons/triton_vector_add.py --benchmark_out=triton.json      # needs Triton, PyTorch and a GPU
    build/release/benchmark --rows=add/copy/f32/step:1,add/copy/f32/step:8 --benchmark_out=ours.json

Both rows add the same two vectors of float32: 12 useful bytes an element (two loads, one store). At
step 8 the elements are seen as 8 rows, row r having elements r, r + 8, r + 16, ..., and a program
adds a block of columns of one row, which is a permutation of what it does at step 1.

Triton loads up to 16 bytes with one access of a thread, where the row `add` of this project loads 4. So a
warp's request covers up to four times as many elements: there are fewer requests, and each touches more
32-byte sectors, but their total is the same. How wide the accesses are is read from the PTX that Triton
made; requests and sectors are predicted from it, and printed beside those of accesses of 4 bytes.

The JSON has the names and keys of docs/counters.md where they apply. Rows are verified against PyTorch's
sum, bit by bit: with two fills before they are timed, and again afterwards.

Exit status: 0; 1 if a row failed; 2 for a bad value or file; 4 if Triton, PyTorch or the GPU is not there.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import math
import os
import re
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

STEPS = (1, 8)
BLOCK = 1024  # elements of a program
WARPS = 4  # of a program
WARP = 32  # lanes
ELEMENT_BYTES = 4
USEFUL_BYTES = 3 * ELEMENT_BYTES  # of an element
SECTOR_BYTES = 32
SEED = 2463534242  # as the program's own

WARM_UPS = 3
SAMPLE_S = 2e-3  # what a sample spans at least
ROW_S = 0.05
MOST_LAUNCHES = 256  # of a sample

tl: Any = None  # triton.language, once it is loaded


def add_kernel(x, y, out, STEP: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    # Nothing is masked: the number of elements is a multiple of BLOCK * STEP.
    column = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1) if STEP > 1 else 0
    at = column * STEP + row
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))


class Unusable(Exception):
    """Triton, PyTorch or the GPU is not there."""


class RowError(Exception):
    """Why a row has no numbers."""


class Device(Protocol):
    """Where rows are measured; tests have one of their own."""

    def context(self) -> dict[str, str]: ...
    def l2_bytes(self) -> int: ...
    def fill(self, elements: int, seed: int) -> None:
        """Makes the vectors."""
    def poison(self) -> None:
        """Overwrites the output with what no sum is."""
    def launch(self, step: int) -> str:
        """Launches once. What was launched, as PTX."""
    def seconds(self, step: int, launches: int) -> float:
        """Of all launches."""
    def wrong(self) -> int:
        """Elements of the output that are not the sum."""


class Gpu:
    """The first GPU, through Triton; PyTorch has the buffers and the events."""

    def __init__(self) -> None:
        global tl
        try:
            torch, triton = (importlib.import_module(name) for name in ("torch", "triton"))
            tl = importlib.import_module("triton.language")
        except ImportError as error:
            raise Unusable(f"{error}; this lesson needs Triton and PyTorch with CUDA") from error
        if not torch.cuda.is_available():
            raise Unusable("PyTorch finds no GPU; this lesson needs one that Triton supports")
        self.torch, self.triton = torch, triton
        self.kernel = triton.jit(add_kernel)
        self.properties = torch.cuda.get_device_properties(0)

    def context(self) -> dict[str, str]:
        gpu = self.properties
        return {
            "cuda.runtime": str(self.torch.version.cuda),
            "gpu.compute_capability": f"{gpu.major}.{gpu.minor}",
            "gpu.l2_bytes": str(gpu.L2_cache_size),
            "gpu.memory_bytes": str(gpu.total_memory),
            "gpu.name": gpu.name,
            "gpu.sm_count": str(gpu.multi_processor_count),
            "torch.version": self.torch.__version__,
            "triton.version": self.triton.__version__,
        }

    def l2_bytes(self) -> int:
        return int(self.properties.L2_cache_size)

    def fill(self, elements: int, seed: int) -> None:
        generator = self.torch.Generator(device="cuda").manual_seed(seed)
        self.x, self.y = (
            self.torch.rand(elements, device="cuda", generator=generator) for _ in range(2)
        )
        self.out = self.torch.empty_like(self.x)

    def poison(self) -> None:
        self.out.fill_(math.nan)

    def launch(self, step: int) -> str:
        grid = (self.x.numel() // step // BLOCK, step)
        launched = self.kernel[grid](
            self.x, self.y, self.out, STEP=step, BLOCK=BLOCK, num_warps=WARPS
        )
        return str(launched.asm["ptx"])

    def seconds(self, step: int, launches: int) -> float:
        start, stop = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(launches):
            self.launch(step)
        stop.record()
        stop.synchronize()
        return float(start.elapsed_time(stop)) * 1e-3

    def wrong(self) -> int:
        bits = self.torch.int32
        differ = self.out.view(bits) != (self.x + self.y).view(bits)
        return int(differ.sum().item())


ACCESS = re.compile(r"\b(ld|st)\.global(?:\.[\w:]+?)*?(?:\.v(\d))?\.[bfsu](\d+)\b")


def access_bytes(ptx: str) -> int:
    """Bytes of each access of a thread to the vectors. @raises RowError if they are not all alike"""
    widths: dict[str, list[int]] = {"ld": [], "st": []}
    for kind, vector, bits in ACCESS.findall(ptx):
        widths[kind].append(int(vector or 1) * int(bits) // 8)
    loads, stores = widths["ld"], widths["st"]
    own = BLOCK // (WARPS * WARP) * ELEMENT_BYTES  # bytes of one vector that a thread has
    if len({*loads, *stores}) != 1 or (sum(loads), sum(stores)) != (2 * own, own):
        raise RowError(f"in Triton's PTX a thread loads {loads} and stores {stores} bytes; expected "
                       f"{2 * own} and {own} in all, in accesses of one width")
    return loads[0]


def predicted(elements: int, step: int, access: int) -> dict[str, int]:
    """Requests and sectors of a launch whose threads access so many bytes at a time.

    A warp's lanes take accesses one after the other: at step 1 their bytes follow each other, at step 8 they
    lie 32 bytes apart or more.
    """
    if access > ELEMENT_BYTES and step > 1:
        raise RowError(f"accesses of {access} bytes at step {step} would load what lies between")
    requests = elements * ELEMENT_BYTES // (WARP * access)  # for each of the three vectors
    touched = {
        byte // SECTOR_BYTES
        for first in range(0, WARP * access * step, access * step)
        for byte in range(first, first + access)
    }
    return {
        "load_requests_predicted": 2 * requests,
        "load_sectors_predicted": 2 * requests * len(touched),
        "load_sectors_per_request_predicted": len(touched),
        "store_requests_predicted": requests,
        "store_sectors_predicted": requests * len(touched),
        "store_sectors_per_request_predicted": len(touched),
    }


def verify(device: Device, when: str) -> None:
    wrong = device.wrong()
    if wrong:
        raise RowError(f"verify {when}: {wrong} elements are not the sum")


def measured(device: Device, elements: int, step: int) -> dict[str, Any]:
    """The keys of one row. @raises RowError"""
    for seed in (SEED + 1, SEED):
        device.fill(elements, seed)
        device.poison()
        access = access_bytes(device.launch(step))
        verify(device, "before timing")
    for _ in range(WARM_UPS):
        once_s = device.seconds(step, 1)
    device.poison()
    launches = min(max(math.ceil(SAMPLE_S / once_s), 1), MOST_LAUNCHES)
    count = max(3, math.ceil(ROW_S / (launches * once_s)))
    samples = [device.seconds(step, launches) / launches for _ in range(count)]
    verify(device, "after timing")

    mean_s = statistics.fmean(samples)
    useful = USEFUL_BYTES * elements
    numbers = predicted(elements, step, access)
    sectors = numbers["load_sectors_predicted"] + numbers["store_sectors_predicted"]
    resident = ";cache_resident=l2" if useful <= device.l2_bytes() else ""
    return {
        "iterations": count * launches,
        "real_time": mean_s * 1e9,
        "cpu_time": mean_s * 1e9,
        "time_unit": "ns",
        "access_bytes": access,
        "block_threads": WARPS * WARP,
        "bytes_per_second": useful / mean_s,
        "bytes_used_per_sector_predicted": useful / sectors,
        "efficiency_predicted": useful / (SECTOR_BYTES * sectors),
        "elements": elements,
        "flops": elements,
        "flops_per_byte": elements / useful,
        "flops_per_second": elements / mean_s,
        "items_per_second": elements / mean_s,
        "launch_threads": elements // BLOCK * WARPS * WARP,
        "launches_per_sample": launches,
        **numbers,
        "samples": count,
        "sector_bytes_predicted": SECTOR_BYTES * sectors,
        "time_cv": statistics.stdev(samples) / mean_s,
        "time_median_s": statistics.median(samples),
        "time_min_s": min(samples),
        "unique_bytes": useful,
        "useful_bytes": useful,
        "useful_bytes_per_second": useful / mean_s,
        "verified": 1,
        "label": "source=triton" + resident,
    }


def row_of(device: Device, elements: int, step: int, index: int) -> dict[str, Any]:
    """One entry of "benchmarks"; a row that failed has its reason."""
    name = f"add/copy/f32/step:{step}/manual_time"
    row: dict[str, Any] = {
        "name": name, "family_index": index, "per_family_instance_index": 0, "run_name": name,
        "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1,
    }
    try:
        return {**row, **measured(device, elements, step)}
    except Exception as error:  # whatever Triton or the driver says is the row's error
        message = " ".join(said(error).split())
        return {**row, "error_occurred": True, "error_message": message, "iterations": 0,
                "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"}


def said(error: BaseException) -> str:
    """What it says, and what its causes say: Triton's own message shows only the line."""
    text = str(error) or type(error).__name__
    return f"{text}: {said(error.__cause__)}" if error.__cause__ else text


def document_of(device: Device, elements: int) -> dict[str, Any]:
    """What --benchmark_out holds."""
    context = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "executable": Path(__file__).name,
        "num_cpus": os.cpu_count() or 0,
        "backend": "triton",
        "batch": f"launches for {SAMPLE_S * 1e3:.3f} ms, at most {MOST_LAUNCHES}",
        "blocking": "off",
        "blocking.reason": "launches are queued while the first ones run",
        "block": f"{WARPS * WARP} threads for {BLOCK} elements",
        "buffer_bytes": str(elements * ELEMENT_BYTES),
        "cache_mode": "warm",
        "fill.seed": str(SEED),
        "pattern.add.mapping": "column c, row r: element c step + r of both vectors, into the same",
        "suite": "rows",
        "verification": "outputs compared bitwise with PyTorch's sum of two fills before timing and "
                        "one after; a row that fails has no numbers",
        "warmup_launches": str(WARM_UPS),
        **device.context(),
    }
    rows = [row_of(device, elements, step, index) for index, step in enumerate(STEPS)]
    return {"context": context, "benchmarks": rows}


def table_of(document: Mapping[str, Any]) -> str:
    """The rows for people; in brackets what accesses of 4 bytes would take."""
    lines = [f"{'row':<22}{'time':>12}{'GB/s':>9}{'access':>8}{'requests (4 B)':>24}"
             f"{'sectors (4 B)':>24}"]
    for row in document["benchmarks"]:
        name = row["name"].removesuffix("/manual_time")
        if row.get("error_occurred"):
            lines.append(f"{name:<22}failed: {row['error_message']}")
            continue
        four = predicted(row["elements"], int(name.rpartition(":")[2]), ELEMENT_BYTES)

        def both(what: str) -> str:
            keys = [f"{side}_{what}_predicted" for side in ("load", "store")]
            return f"{sum(row[key] for key in keys)} ({sum(four[key] for key in keys)})"

        lines.append(f"{name:<22}{row['real_time'] * 1e-3:>9.1f} us"
                     f"{row['useful_bytes_per_second'] * 1e-9:>9.1f}{row['access_bytes']:>6} B"
                     f"{both('requests'):>24}{both('sectors'):>24}")
    return "\n".join(lines) + "\n"


def elements_in(text: str) -> int:
    """A number of elements: 4Mi, 8192."""
    found = re.fullmatch(r"(\d+)(Ki|Mi|Gi)?", text)
    units = {None: 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
    elements = int(found[1]) * units[found[2]] if found else 0
    multiple = BLOCK * max(STEPS)
    if elements <= 0 or elements % multiple:
        raise argparse.ArgumentTypeError(
            f"'{text}': the elements of a vector are a multiple of {multiple}, plain or with Ki, Mi or "
            "Gi, e.g. 64Mi")
    return elements


def write_whole(path: Path, text: str) -> None:
    """Puts a file into its place, or leaves what stood there. @raises OSError"""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def report(document: Mapping[str, Any], path: Path | None) -> int:
    """Prints the table and writes the file. The exit status."""
    sys.stdout.write(table_of(document))
    if path:
        try:
            write_whole(path, json.dumps(document, indent=2, allow_nan=False) + "\n")
        except OSError as error:
            print(f"triton_vector_add.py: --benchmark_out={path}: {error.strerror}", file=sys.stderr)
            return 2
    return int(any(row.get("error_occurred") for row in document["benchmarks"]))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--elements", type=elements_in, default="64Mi", metavar="N[Ki|Mi|Gi]",
                        help="elements of one vector (64Mi)")
    parser.add_argument("--benchmark_out", type=Path, metavar="FILE", help="also write JSON")
    options = parser.parse_args(arguments)
    path: Path | None = options.benchmark_out
    if path and (path.is_dir() or not path.parent.is_dir()):
        print(f"triton_vector_add.py: --benchmark_out={path}: is a folder, or lies in none",
              file=sys.stderr)
        return 2
    try:
        device = Gpu()
    except Unusable as error:
        print(f"triton_vector_add.py: {error}", file=sys.stderr)
        return 4
    return report(document_of(device, options.elements), path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
