# SPDX-License-Identifier: Apache-2.0
"""Whether two sets of runs are of one kind: what their contexts differ in, and what of that is refused.

Three classes of context keys (docs/counters.md): those that make another measurement (KIND, refused), those
that say nothing of it (IGNORED), and all others, which are what people compare: driver, toolkit, revision.
They are named. A policy's `require_same` and `allow_different` move keys between the first and the last.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from regress_policy import Policy
from sectorbench_results import ResultFile, Row

# What requests and sectors follow from: these decide where counters alone are compared.
KIND_OF_COUNTS = (
    "backend",
    "buffer_bytes",
    "elements",
    "block",
    "quick",
    "memory_space",
    "cuda.load_op",
    "cuda.store_op",
    "sectorbench.version",
    "evidence.version",
)
KIND = KIND_OF_COUNTS + (
    "gpu.name",
    "gpu.compute_capability",
    "gpu.sm_count",
    "gpu.memory_clock_khz",
    "gpu.memory_bus_bits",
    "gpu.ecc",
    "gpu.l2_bytes",
    "gpu.mig",
    "gpu.mig_instance",
    "gpu.max_sm_clock_mhz",
    "gpu.max_memory_clock_mhz",
    "gpu.power_limit_w",
    "clock.sm_mhz",
    "cache_mode",
    "protocol",
    "blocking",
    "batch",
    "batches_per_round",
    "warmup_launches",
    "cuda.occupancy",
    "cuda.l2_fetch_granularity",
    "tool",
    "build.type",
)
# Where no GPU was measured, the CPU is what was: the last three are all that other programs say of it.
KIND_OF_HOST = (
    "host.cpu_model",
    "host.cores",
    "host.hardware_threads",
    "host.openmp_threads",
    "host.l3_bytes",
    "host.transparent_huge_pages",
    "host.wait_policy",
    "host.omp_places",
    "host.omp_proc_bind",
    "host.affinity",
    "host.numa_nodes",
    "host.cpu_quota",
    "host.governor",
    "host.turbo",
    "num_cpus",
    "caches",
    "mhz_per_cpu",
)

# The same GPU under another index is the same GPU, and no two runs share a date.
IGNORED = (
    "date",
    "load_avg",
    "executable",
    "gpu.index",
    "gpu.pci_bus_id",
    "peer.index",
    "cuda.visible_devices",
    "gpu.temperature_c",
    "gpu.ecc_errors_corrected",
    "clock.settle_s",
    "event.floor_us",
)

# Numbers that are measured anew by each run, and how far the sides' medians may lie apart.
TOLERANCES: dict[str, Callable[[float], float]] = {
    "clock.sm_mhz": lambda clock: 0.02 * clock,
    "mhz_per_cpu": lambda clock: 0.02 * clock,
    "host.load_begin": lambda load: max(1.0, 0.5 * load),
}


@dataclass(frozen=True)
class Difference:
    """One key of the context in which base and new are not the same."""

    key: str
    base: tuple[str, ...]  # the values of the files of that side, each once; "absent" where a file has none
    new: tuple[str, ...]
    refused: bool

    def __str__(self) -> str:
        if len(self.base) > 1 and set(self.base) == set(self.new):
            return f"{self.key}: differs between files: {_joined(self.base)}"
        return f"{self.key}: {_joined(self.base)} -> {_joined(self.new)}"


def matches(name: str, key: str) -> bool:
    """Whether `name`, as people write it, means the key: the key itself, or a part of it.

    "driver" means cuda.driver and cuda.driver_release.
    """
    return name == key or any(part == name or part.startswith(name + "_") for part in key.split("."))


def index_of_gpus(file: ResultFile) -> dict[str, str]:
    """UUID -> number of the GPU, where rows say on which of several they ran."""
    return {file.context_of(row).get("gpu.uuid", ""): row.gpu for row in file.rows if row.gpu}


def gpu_number(file: ResultFile, row: Row, index: dict[str, str]) -> str:
    """The number that the row's GPU has in `index`, found by its UUID; empty where the row names none."""
    return index.get(file.context_of(row).get("gpu.uuid", ""), row.gpu) if row.gpu else ""


def differences(
    base: Sequence[ResultFile], new: Sequence[ResultFile], policy: Policy, counters_only: bool = False
) -> list[Difference]:
    """What the contexts differ in, refused ones first. A required key that no file has is refused too."""
    found = []
    index = index_of_gpus(base[0])
    contexts = [_contexts_by_gpu(files, index) for files in (base, new)]
    gpus = sorted({*contexts[0], *contexts[1]})
    keys_seen: set[str] = set()
    for gpu in gpus:
        sides = [side.get(gpu, []) for side in contexts]
        if not all(sides):
            continue  # rows of a GPU that one side lacks are missing or new
        keys = dict.fromkeys(key for side in sides for context in side for key in context)
        keys_seen |= keys.keys()
        on_host = all(context.get("backend", "host") == "host" for side in sides for context in side)
        for key in keys:
            values = [_values(key, side) for side in sides]
            if values[0] == values[1] and len(values[0]) == 1 or _is_ignored(key, policy):
                continue
            if key in TOLERANCES and _agree(key, *sides):
                continue
            refused = _is_refused(key, values, policy, on_host, counters_only)
            name = f"GPU {gpu}: {key}" if len(gpus) > 1 else key
            found.append(Difference(name, values[0], values[1], refused))
    for name in policy.require_same:
        if not any(matches(name, key) for key in keys_seen):
            found.append(Difference(name, ("absent",), ("absent, but required to be the same",), True))
    return sorted(dict.fromkeys(found), key=lambda one: not one.refused)


def _contexts_by_gpu(files: Iterable[ResultFile], index: dict[str, str]) -> dict[str, list[dict[str, str]]]:
    """For each GPU the contexts of the files that have rows of it."""
    found: dict[str, list[dict[str, str]]] = {}
    for file in files:
        first = {row.gpu: row for row in reversed(file.rows)}
        for row in first.values():
            found.setdefault(gpu_number(file, row, index), []).append(file.context_of(row))
    return found


def _values(key: str, contexts: Iterable[dict[str, str]]) -> tuple[str, ...]:
    values = (context.get(key, "absent") for context in contexts)
    if key == "gpu.mig_instance":  # "instance of GPU-..., 1g.18gb": its size is the kind
        values = (value.rpartition(", ")[2] for value in values)
    return tuple(dict.fromkeys(values))


def _is_ignored(key: str, policy: Policy) -> bool:
    return (key in IGNORED or key.endswith(".reason")) and key not in policy.require_same


def _is_refused(
    key: str, values: Sequence[tuple[str, ...]], policy: Policy, on_host: bool, counters_only: bool
) -> bool:
    if any(matches(name, key) for name in policy.require_same):
        return True
    if any(matches(name, key) for name in policy.allow_different):
        return False
    kind = KIND_OF_COUNTS if counters_only else KIND + (KIND_OF_HOST if on_host else ())
    # What one side did not record (an older version, no NVML) says nothing of the other.
    recorded = all("absent" not in side for side in values) or key in ("backend", "gpu.name")
    return key in kind and recorded


def _agree(key: str, *sides: Iterable[dict[str, str]]) -> bool:
    try:
        medians = [statistics.median(float(context[key]) for context in side) for side in sides]
    except (KeyError, ValueError):
        return False
    return all(map(math.isfinite, medians)) and abs(medians[0] - medians[1]) <= TOLERANCES[key](max(medians))


def _joined(values: tuple[str, ...], longest: int = 60) -> str:
    text = " | ".join(values)
    return text if len(text) <= longest else text[: longest - 3] + "..."
