# SPDX-License-Identifier: Apache-2.0
"""The claims, as data. To add one: a `Claim` below, and its rows in claims_rows.txt.

Thresholds: two times differ where they do so by 2 %, as cards of one kind do (docs/results/README.md);
"costs nothing" means up to 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass

from claims_record import (
    Check, Quantity, all_of, counter, equal, given, largest, number, rate, rising, sectors, time, within,
)


@dataclass(frozen=True)
class Source:
    """Who says it. `looked_up` says what was read, and when; empty where there is no one document."""

    kind: str
    title: str
    looked_up: str = ""


GUIDE = Source(
    "vendor's guide",
    "NVIDIA, CUDA C++ Best Practices Guide, Coalesced Access to Global Memory",
    "2026-11-30, in public copies of the text",
)
VECTORS = Source(
    "vendor's blog",
    "NVIDIA, CUDA Pro Tip: Increase Performance with Vectorized Memory Access",
    "2026-11-30, in part",
)
TRANSPOSE = Source(
    "vendor's blog",
    "NVIDIA, An Efficient Matrix Transpose in CUDA C/C++ (2013)",
    "2026-11-30, the sentence as others quote it",
)
NSIGHT = Source(
    "vendor's guide", "NVIDIA, Nsight Compute, Kernel Profiling Guide, memory tables, row ECC Total",
    "2026-11-30, in a public copy of the text",
)
ROOFLINE = Source(
    "paper", "Williams, Waterman, Patterson: Roofline, Communications of the ACM 52 (4), 2009",
    "not looked up again",
)
EXERCISE = Source("course exercise", "the strided copy that this suite grew from, and its check")
L1_MISS = Source(
    "forum answer", "NVIDIA developer forum, Pascal L1 cache (49571), a vendor's answer about Volta's L1",
    "2026-11-30",
)
FORUM = Source("forum advice", "restated; a rule of thumb given in many answers")
SLIDES = Source("course slides", "restated; slides and stored guides on coalescing")
SAID = Source("often said", "no one document")


@dataclass(frozen=True)
class Claim:
    key: str  # what --claim= takes
    sentence: str
    source: Source
    check: Check
    note: str = ""  # what to make of it
    gpu_only: bool = True  # whether it says nothing about a CPU


def copy(stride: int, element: str = "f32") -> str:
    return f"stride/copy/{element}/stride:{stride}"


def one_side(operation: str, stride: int) -> str:
    return f"stride/{operation}/f32/stride:{stride}"


def transpose(how: str) -> str:
    return f"transpose_{how}/copy/f32/columns:4096"


def dram_bytes(row: str) -> Quantity:
    return counter(row, "dram_bytes_measured", "bytes of DRAM")


def useful_bytes(row: str) -> Quantity:
    return counter(row, "useful_bytes", "useful bytes")


COPY = "contiguous/copy/f32"
AT_BALANCE = "compute/copy/f32/step:1/fma:56"  # 14 operations a byte: the balance point of an H200
WIDE = "contiguous/copy/f32x4"
UNROLLED = "unrolled/copy/f32/unroll:4"
ALIGNED, MISALIGNED = "offset/copy/f32/loads:0/stores:0", "offset/copy/f32/loads:1/stores:1"
ONE_FIELD = "aos/read/f32/fields:3/field:0"

CLAIMS: dict[str, list[Claim]] = {
    "Sectors": [
        Claim(
            "four_sectors", "A coalesced request of floats touches four sectors.", GUIDE,
            equal(sectors(copy(1)), 4),
        ),
        Claim(
            "fifth_sector", "One element off alignment touches a fifth sector.", GUIDE,
            equal(sectors(MISALIGNED), 5),
        ),
        Claim(
            "no_more_sectors", "Nothing gets worse past stride 8: a request is 32 sectors already.", GUIDE,
            all_of(equal(sectors(copy(s)), 32) for s in (8, 16, 32)),
            "True of sectors, not of times.",
        ),
        Claim(
            "lane_order_sectors", "The order of the lanes within their 128 bytes changes no sector.", GUIDE,
            all_of(equal(sectors(row), 4) for row in
                   ("reverse/copy/f32", "shuffle/copy/f32/map:1", "shuffle/copy/f32/map:2")),
        ),
        Claim(
            "lane_order_time", "The order of the lanes within their 128 bytes costs nothing.", FORUM,
            all_of(within(time(row) / time(COPY), at_most=1.05) for row in
                   ("reverse/copy/f32", "shuffle/copy/f32/map:1", "shuffle/copy/f32/map:2")),
        ),
        Claim(
            "broadcast", "32 lanes that load one word waste most of 128 bytes.", SLIDES,
            within(sectors("broadcast/read/f32/share:32") / sectors("contiguous/read/f32"), at_least=1),
            "The request touches one sector.",
        ),
        Claim(
            "one_is_ideal", "One sector a request is ideal; more of them are slower.", SLIDES,
            within(time(WIDE) / time("contiguous/copy/u8"), at_least=1),
            "A full warp ideally touches as many sectors as its element has bytes: 1 for bytes, 4 for floats, "
            "16 for float4.",
        ),
    ],
    "Strides and chunks": [
        Claim(
            "stride8_is_the_end", "Nothing gets worse past stride 8: the time stays.", GUIDE,
            all_of(within(time(copy(s)) / time(copy(8)), at_most=1.05) for s in (16, 32)),
            "On an H200 DRAM moves more bytes at stride 16, and bytes that lie farther apart at 32 "
            "([model.md](model.md)).",
            gpu_only=False,
        ),
        Claim(
            "l2_hit_rate", "Strides above 8 are slower because L2's hit rate falls.", SAID,
            within(counter(copy(8), "l2_read_hit_rate_measured", "of L2's reads are hits"), at_least=0.05),
            "A rate of 0 cannot fall.",
        ),
        Claim(
            "each_larger", "Each larger stride is slower.", SAID,
            rising([[copy(s) for s in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)],
                    [copy(s, "f32x4") for s in (1, 8, 32, 128)],
                    [one_side("gather", s) for s in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)]], at_least=0.98),
            "At large strides warps that run together use the same sectors while L2 holds them.",
            gpu_only=False,
        ),
        Claim(
            "halves", "A stride of 2 halves the bandwidth.", GUIDE,
            within(rate(copy(2)) / rate(copy(1)), at_least=0.45, at_most=0.55),
            "The guide says so of the efficiency of loads and stores, that is of sectors; readers apply it to "
            "bandwidth.",
        ),
        Claim(
            "sector_ratio", "Times grow in proportion to sectors.", SAID,
            all_of(within(time(copy(s)) / time(copy(1)), at_least=0.9 * s, at_most=1.1 * s)
                   for s in (2, 4, 8)),
            "Neither DRAM bytes nor bytes in flight are proportional to sectors.",
        ),
        Claim(
            "an_eighth", "A stride of floats costs at most a factor of 8: 4 of a sector's 32 bytes are used.", SAID,
            within(time(copy(32)) / time(copy(1)), at_most=8),
        ),
        Claim(
            "exercise", "Stride 1 is at least 8 times as fast as stride 32.", EXERCISE,
            within(time(copy(32)) / time(copy(1)), at_least=8), gpu_only=False,
        ),
        Claim(
            "stride1_is_fastest", "Stride 1 is the fastest way to copy.", SAID,
            all_of(within(time(row) / time(copy(1)), at_least=0.98) for row in
                   (UNROLLED, WIDE, "chunk/copy/f32/chunk:4")),
            "One float per thread keeps too few bytes in flight.", gpu_only=False,
        ),
        Claim(
            "chunk_beats_stride", "A chunk of 32 floats per thread beats stride 32.", EXERCISE,
            within(time("chunk/copy/f32/chunk:32") / time(copy(32)), at_most=0.98),
            "Its requests are as bad, but sectors are reused before they are evicted.", gpu_only=False,
        ),
        Claim(
            "chunk_is_fine", "A thread may walk its own chunk of 32: the cache serves the rest of the line.",
            SAID,
            within(time("chunk/copy/f32/chunk:32") / time(copy(1)), at_most=1.2), gpu_only=False,
        ),
        Claim(
            "chunk_is_bad", "A thread that walks its own chunk is always slower than one element per thread.",
            FORUM,
            all_of(within(time(f"chunk/copy/f32/chunk:{c}") / time(copy(1)), at_least=1.02)
                   for c in (4, 8, 32)),
        ),
        Claim(
            "random_is_worst", "No order is worse than a random one.", SAID,
            all_of(
                within(time(f"random/{operation}/f32")
                       / largest(time(one_side(operation, s)) for s in (32, 64, 128)), at_least=1)
                for operation in ("gather", "scatter")
            ),
        ),
        Claim(
            "strides_in_cache", "In the cache a stride costs nothing.", SAID,
            within(time("stride/copy/f32/stride:8/elements:4194304", in_cache=True)
                   / time("contiguous/copy/f32/elements:4194304", in_cache=True), at_most=1.05),
            gpu_only=False,
        ),
    ],
    "Misalignment": [
        Claim(
            "misaligned_fifth", "Misaligned by one element costs 20 %: five sectors for four.", SAID,
            within(time(MISALIGNED) / time(ALIGNED), at_least=1.15),
            "The fifth sector is also a neighbouring warp's, and usually hits in a cache.", gpu_only=False,
        ),
        Claim(
            "misaligned_tenth", "Misaligned by one element costs about a tenth.", GUIDE,
            within(time(MISALIGNED) / time(ALIGNED), at_least=1.08, at_most=1.15),
            "The guide measured that on a V100.",
        ),
        Claim(
            "misaligned_dram", "A misaligned array moves 25 % more through DRAM.", SAID,
            within(dram_bytes(MISALIGNED) / useful_bytes(MISALIGNED), at_least=1.2),
        ),
    ],
    "Ceilings": [
        Claim(
            "saturates", "One coalesced float per thread saturates the memory.", SAID,
            within(rate(COPY) / rate("memcpy/copy/f32"), at_least=0.95), gpu_only=False,
        ),
        Claim(
            "float4_twice", "float4 is twice as fast as float.", SAID,
            within(time(COPY) / time(WIDE), at_least=1.9), gpu_only=False,
        ),
        Claim(
            "wide_is_needed", "Vector loads are preferable to scalar ones.", VECTORS,
            within(time(UNROLLED) / time(WIDE), at_least=1.02),
            "On an H200 four scalar loads in flight do as well as one wide load: bytes in flight count.",
            gpu_only=False,
        ),
        Claim(
            "more_per_thread", "The more elements a thread has in flight, the faster.", SAID,
            all_of(within(time(f"unrolled/copy/f32/unroll:{more}") / time(row), at_most=1.02) for more, row in
                   ((2, COPY), (4, "unrolled/copy/f32/unroll:2"), (8, UNROLLED))),
        ),
        Claim(
            "memcpy", "cudaMemcpy is the ceiling: no kernel copies faster.", SAID,
            all_of(within(time(row) / time("memcpy/copy/f32"), at_least=0.98) for row in (WIDE, UNROLLED)),
            "On a CPU: memcpy.", gpu_only=False,
        ),
        Claim(
            "bus_turns", "A copy reaches the rate of a read.", SAID,
            within(rate(WIDE) / rate("contiguous/read/f32x4"), at_least=0.98),
            "Turning the bus between reads and writes takes time.",
        ),
        Claim(
            "data_sheet", "The data sheet's bandwidth can be reached.", SAID,
            within(largest(rate(f"contiguous/{operation}/f32x4") for operation in ("read", "write"))
                   / number("gpu.peak_bytes_per_s"), at_least=0.95),
        ),
        Claim(
            "grid_loop", "A grid-stride loop is no slower than one element per thread.", SAID,
            within(time("grid_loop/copy/f32/steps:8") / time(COPY), at_most=1.02), gpu_only=False,
        ),
        Claim(
            "types_alike", "A coalesced copy runs at one rate whatever its type.", SAID,
            all_of(within(rate(f"contiguous/copy/{element}") / rate(COPY), at_least=0.9, at_most=1.1)
                   for element in ("u8", "f16", "f64")),
            "All types use whole sectors; small ones keep fewer bytes in flight.", gpu_only=False,
        ),
        Claim(
            "half_is_twice", "Half precision halves the time of a kernel that memory limits.", SAID,
            within(2 * time(COPY) / time("contiguous/copy/f16"), at_least=1.8),
            "The f16 row has twice the elements of the f32 row, hence the factor 2.", gpu_only=False,
        ),
        Claim(
            "roofline", "Up to the roofline's balance point arithmetic costs nothing.", ROOFLINE,
            given(
                within(counter(AT_BALANCE, "flops_per_byte", "operations a byte")
                       / number("gpu.balance_flops_per_byte"), at_most=1.02),
                within(time(AT_BALANCE) / time("compute/copy/f32/step:1/fma:1"), at_most=1.05),
            ),
            "The roofline has a corner; kernels do not: near the balance point both limits cost.",
        ),
    ],
    "Loads, stores and DRAM": [
        Claim(
            "parts_add_up", "A copy takes as long as its loads and its stores.", SAID,
            all_of(within((time(one_side("read", s)) + time(one_side("write", s))) / time(copy(s)),
                          at_least=0.95, at_most=1.05) for s in (1, 2, 4, 8, 16, 32)),
        ),
        Claim(
            "stores_are_free", "Scattered stores cost less than gathered loads: nobody waits for a store.",
            SAID,
            within(time(one_side("scatter", 8)) / time(one_side("gather", 8)), at_most=1), gpu_only=False,
        ),
        Claim(
            "fills", "With ECC a partly written sector is read first.", NSIGHT,
            all_of(within(counter(copy(s), "l2_fill_sectors_measured", "fills")
                          / counter(copy(s), "l2_write_sectors_measured", "sectors written"),
                          at_least=0.95, at_most=1.05) for s in (2, 4, 8, 16, 32)),
        ),
        Claim(
            "miss_is_a_sector", "A load that misses fetches the sectors it needs and no more.", L1_MISS,
            within(counter(one_side("gather", 16), "dram_read_bytes_measured", "bytes read from DRAM")
                   / (32 * counter(one_side("gather", 16), "load_sectors_measured", "load sectors")),
                   at_most=1.05),
            "2 means 64 bytes from DRAM for a sector of 32: L1 does as the answer says, L2 fetches more.",
        ),
        Claim(
            "sectors_are_dram", "Sectors times 32 are the bytes that DRAM moves.", SAID,
            all_of(within(dram_bytes(copy(s)) / counter(copy(s), "sector_bytes_measured", "bytes of sectors"),
                          at_least=0.95, at_most=1.05) for s in (1, 2, 8, 16, 32)),
        ),
    ],
    "Layouts": [
        Claim(
            "soa", "Structures of arrays beat arrays of structures.", FORUM,
            all_of(within(time(f"aos_all/copy/f32/fields:{f}") / time(f"soa/copy/f32/fields:{f}"),
                          at_least=1.02) for f in (3, 12)),
            "All fields are used; L1 serves the other fields of 3, but not of 12.",
        ),
        Claim(
            "one_field_bytes", "One field of a structure of three costs the whole structure.", FORUM,
            within(dram_bytes(ONE_FIELD) / useful_bytes(ONE_FIELD), at_least=2.9),
        ),
        Claim(
            "one_field_time", "One field of a structure of three takes three times as long.", FORUM,
            within(time(ONE_FIELD) / time("contiguous/read/f32"), at_least=2.7),
        ),
        Claim(
            "pitch", "Rows of 1000 floats are faster with a pitch of 1024.", SAID,
            within(time("pitch/copy/f32/columns:1000/pitch:1000")
                   / time("pitch/copy/f32/columns:1000/pitch:1024"), at_least=1.02),
        ),
        Claim(
            "either_side", "In a naive transpose it does not matter whether loads or stores are coalesced.", SAID,
            within(time(transpose("naive_read")) / time(transpose("naive_write")), at_least=0.9, at_most=1.1),
            "Scattered stores cost more; `transpose_naive_write` has coalesced stores.",
        ),
        Claim(
            "padding", "A tile with one more column is faster: no bank conflicts.", TRANSPOSE,
            within(time(transpose("tiled")) / time(transpose("tiled_padded")), at_least=1.02),
        ),
        Claim(
            "padded_is_a_copy", "A padded tile transposes at 95 % of the fastest copy.", TRANSPOSE,
            within(rate(transpose("tiled_padded")) / rate(WIDE), at_least=0.95),
            "In 2013 one float per thread was the fastest copy.",
        ),
    ],
}
