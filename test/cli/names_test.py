# SPDX-License-Identifier: Apache-2.0
"""Names of rows are an interface: the suites' names, their grammar, what filters select."""

from __future__ import annotations

import re
import unittest

from support import OutputTest, plain_name

STRIDE_CURVE = [
    *(f"stride/copy/f32/stride:{s}" for s in (1, 2, 4, 8, 16, 32)),
    *(f"stride/gather/f32/stride:{s}" for s in (1, 8, 32)),
    *(f"stride/scatter/f32/stride:{s}" for s in (1, 8, 32)),
]
REFERENCE = [
    *(f"stride/copy/f32/stride:{s}" for s in (1, 2, 4, 8, 16, 32)),
    "chunk/copy/f32/chunk:32",
]
CEILINGS = [
    "memcpy/copy/f32",
    "contiguous/copy/f32x4",
    "unrolled/copy/f32/unroll:4",
    "contiguous/read/f32x4",
    "unrolled/read/f32/unroll:4",
    "memset/write/f32",
    "contiguous/write/f32x4",
    "unrolled/write/f32/unroll:4",
]
OTHERS = [
    *(f"contiguous/copy/{t}" for t in ("u8", "f16", "f32", "f64")),
    *(f"offset/copy/f32/loads:{o}/stores:{o}" for o in (0, 1, 8)),
    "grid_loop/copy/f32/steps:8",
]
GRAMMAR = re.compile(
    r"[a-z][a-z0-9_]*"
    r"/(copy|gather|scatter|read|write)"
    r"/(u8|f16|f32|f64|f32x4)"
    r"(/[a-z][a-z0-9_]*:[0-9]+(x[0-9]+)?)*"
    r"/manual_time"
)


class Names(OutputTest):
    def listed(self, *args: str, **keywords: object) -> list[str]:
        result = self.check_run(["--benchmark_list_tests", *args], **keywords)
        self.assertEqual(result.err, "", "a list needs no remark")
        return result.out.splitlines()

    def plain(self, *args: str) -> list[str]:
        return [plain_name(name) for name in self.listed(*args)]

    def test_default_suite_follows_the_grammar(self) -> None:
        names = self.listed()
        self.assertTrue(names, "the default suite is empty")
        for name in names:
            self.assertRegex(name, GRAMMAR, "not <pattern>/<op>/<type>[/<parameter>:<value>...]")
            self.assertIsNotNone(GRAMMAR.fullmatch(name), f"more than the grammar: {name}")
            self.assertEqual(name, name.lower())
        self.assertEqual(len(names), len(set(names)), "a name stands twice")

    def test_default_suite_has_every_promised_row(self) -> None:
        names = self.plain()
        for group in (REFERENCE, STRIDE_CURVE, CEILINGS, OTHERS):
            missing = [name for name in group if name not in names]
            self.assertEqual(missing, [], "rows of the default suite are missing")

    def test_filter_stride_selects_the_stride_curve_and_nothing_else(self) -> None:
        self.assertEqual(sorted(self.plain("--benchmark_filter=stride")), sorted(STRIDE_CURVE))

    def test_no_other_row_has_stride_in_its_name(self) -> None:
        others = set(self.plain()) - set(STRIDE_CURVE)
        self.assertEqual([name for name in others if "stride" in name], [])

    def test_negative_filter_selects_the_rest(self) -> None:
        rest = set(self.plain("--benchmark_filter=-stride"))
        self.assertEqual(rest, set(self.plain()) - set(STRIDE_CURVE))

    def test_filter_matches_the_whole_printed_name(self) -> None:
        self.assertEqual(self.plain("--benchmark_filter=^stride/copy/f32/stride:1/manual_time$"),
                         ["stride/copy/f32/stride:1"])

    def test_filter_from_the_environment(self) -> None:
        names = self.listed(env={"BENCHMARK_FILTER": "chunk"})
        self.assertEqual(names, ["chunk/copy/f32/chunk:32/manual_time"])

    def test_reference_suite_is_exactly_the_seven_rows_in_order(self) -> None:
        self.assertEqual(self.plain("--suite=reference"), REFERENCE)

    def test_list_needs_no_device(self) -> None:
        usual = self.listed()
        for value in (None, "", "7"):
            with self.subTest(CUDA_VISIBLE_DEVICES=value):
                self.assertEqual(self.listed(env={"CUDA_VISIBLE_DEVICES": value}), usual)
        self.assertEqual(self.listed("--device=cuda", env={"CUDA_VISIBLE_DEVICES": ""}), usual)

    def test_lists_are_the_runs_rows(self) -> None:
        flags = ["--suite=reference", "--elements=1Ki"]
        ran = [row["name"] for row in self.measure(*flags)["benchmarks"]]
        self.assertEqual(ran, self.listed(*flags))

    def test_axis_flags_replace_their_axis(self) -> None:
        reads = self.plain("--ops=read", "--types=f64", "--strides=3,5",
                           "--benchmark_filter=stride")
        self.assertEqual(reads, ["stride/read/f64/stride:3", "stride/read/f64/stride:5"])
        chunks = self.plain("--suite=reference", "--chunks=4,8", "--benchmark_filter=chunk")
        self.assertEqual(chunks, ["chunk/copy/f32/chunk:4", "chunk/copy/f32/chunk:8"])

    def test_a_single_size_or_block_is_no_part_of_the_name(self) -> None:
        names = self.plain("--rows=contiguous/copy/f32", "--elements=4Ki", "--block=128")
        self.assertEqual(names, ["contiguous/copy/f32"])

    def test_a_list_of_sizes_or_blocks_is_part_of_the_name(self) -> None:
        row = "contiguous/copy/f32"
        self.assertEqual(sorted(self.plain(f"--rows={row}", "--block=128,256")),
                         [f"{row}/block:128", f"{row}/block:256"])
        self.assertEqual(sorted(self.plain(f"--rows={row}", "--elements=4Ki,5")),
                         [f"{row}/elements:4096", f"{row}/elements:5"])
        both = self.plain(f"--rows={row}", "--elements=4Ki,5", "--block=128,256")
        self.assertEqual(sorted(both), sorted(f"{row}/block:{b}/elements:{n}"
                                              for b in (128, 256) for n in (4096, 5)))

    def test_a_mover_has_no_blocks(self) -> None:
        names = self.plain("--rows=memcpy/copy/f32", "--block=128,256")
        self.assertEqual(names, ["memcpy/copy/f32"])

    def test_rows_takes_names_as_the_list_prints_them(self) -> None:
        for name in self.listed():
            with self.subTest(name):
                self.assertEqual(self.listed(f"--rows={name}"), [name])
                self.assertEqual(self.listed(f"--rows={plain_name(name)}"), [name])


if __name__ == "__main__":
    unittest.main()
