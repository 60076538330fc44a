# SPDX-License-Identifier: Apache-2.0
"""Exports of Nsight Compute: test/cli/ncu has its own ones of kernels.cu on an H200, without the
columns and rows that nothing reads."""

from __future__ import annotations

import csv
import io
import pathlib
import re
import tempfile
import unittest
from typing import Callable

from support import SOURCE_DIR, Json, OutputTest, Result, run, strict_json

FOLDER = pathlib.Path(__file__).with_name("ncu")
RAW = FOLDER / "raw.csv"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"

# Of each kernel of kernels.cu, by hand: the row with its counts, its loads, sectors of a load and
# bytes used of each, None without loads; what limits it, None where that is not the point.
# scale_swapped: in the last of 63 columns of blocks 9 columns of threads go on, so 5 of 8 warps do.
KERNELS: dict[str, tuple[str | None, int, float | None, float | None, str | None]] = {
    "scale_swapped": ("pitch_swapped/copy/f32/columns:1001/pitch:1001/block:16x16",
                      1024 * (62 * 8 + 5), 18, 128 / 18, None),
    "scale_repaired": ("pitch/copy/f32/columns:1001/pitch:1001/block:16x16",
                       63 * 1024 * 8, 5.72, 22.2, None),
    "transpose_swapped": ("pitch_swapped/gather/f32/columns:1001/pitch:1001/block:16x16",
                          1024 * (62 * 8 + 5), 18, 128 / 18, None),
    # Its conflicts take 74 % of the time at the clock that ncu had set: not enough to be named.
    "bank_conflicts": (None, 8192 * 32, 4, 32, None),
    # Each load of 32 elements comes with one of 32 entries of the list: 36 sectors of two requests.
    "gather": ("random/gather/f32", 2 * 65536, 18, 256 / 36, None),
    "predicated": ("stride/copy/f16/stride:2", 1 << 20, 4, 16, None),
    "copy_float4": ("contiguous/copy/f32x4", 1 << 18, 16, 32, "dram_bytes"),
    "copy_double_offset": ("offset/copy/f64/loads:1/stores:1", 1 << 19, 9, 256 / 9, None),
    "struct_field": ("aos/gather/f32/fields:7/field:0", 18724 * 8, 28, 128 / 28, "dram_bytes"),
    "chunk_per_thread": ("chunk/read/f32/chunk:8", 16 * 65536, 32, 4, None),
    "tensor_only": ("contiguous/write/f64", 0, None, None, "issue"),
    "arithmetic_only": (None, 0, None, None, "issue"),
    "atomic_sum": ("contiguous/read/f32", 1 << 18, 4, 32, None),
}


def explain(path: pathlib.Path | str, *flags: str) -> Result:
    return run(["--explain", f"--ncu={path}", *flags])


def kernels_in(result: Result) -> list[Json]:
    return list(strict_json(result.out)["benchmarks"])


def name_of(kernel: Json) -> str:
    return str(kernel["name"]).split("(", maxsplit=1)[0]


def table_of(text: str) -> tuple[str, list[list[str]]]:
    """What stands before the table, and its rows."""
    at = text.index('"ID"')
    return text[:at], list(csv.reader(io.StringIO(text[at:])))


def written(before: str, rows: list[list[str]], separator: str = ",") -> str:
    to = io.StringIO()
    csv.writer(to, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return before + to.getvalue()


def changed(change: Callable[[list[str], list[list[str]]], None]) -> str:
    """The raw page after a change of its header and rows."""
    before, rows = table_of(RAW.read_text())
    change(rows[0], rows)
    return written(before, rows)


def in_locale(text: str, decimal: str, group: str, separator: str) -> str:
    """The raw page as another locale writes it."""

    def number(plain: str) -> str:
        whole, _, rest = plain.partition(".")
        grouped = re.sub(r"(?<=\d)(?=(\d{3})+$)", group, whole.replace(",", ""))
        return grouped + (decimal + rest if rest else "")

    before, rows = table_of(text)
    is_number = re.compile(r"[\d,]+(\.\d+)?")
    rows[2:] = [row[:11] + [number(c) if is_number.fullmatch(c) else c for c in row[11:]]
                for row in rows[2:]]
    return written(before, rows, separator)


def few() -> str:
    """The raw page with two launches."""
    return changed(lambda header, rows: rows.__delitem__(slice(4, None)))


class ExportTest(OutputTest):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content: str | bytes, name: str = "export.csv") -> pathlib.Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def explained(self, path: pathlib.Path | str, *flags: str) -> list[Json]:
        result = explain(path, "--benchmark_format=json", *flags)
        self.assertEqual((result.code, result.err), (0, ""))
        return kernels_in(result)

    def refused(self, content: str | bytes, *pieces: str) -> None:
        result = explain(self.file(content), "--benchmark_format=json")
        self.assertEqual((result.code, result.out), (2, ""), result.err)
        self.assertEqual(result.err.count("\n"), 1, result.err)
        for piece in ("--ncu=", "export.csv", *pieces):
            self.assertIn(piece, result.err)


class Kernels(ExportTest):
    def test_counts_and_rows_are_those_of_the_source(self) -> None:
        found = {name_of(kernel): kernel for kernel in self.explained(RAW)}
        for name, (row, loads, sectors, used, limit) in KERNELS.items():
            with self.subTest(name):
                kernel = found[name]
                self.assertEqual(kernel["load_requests_measured"], loads)
                for key, value in (("load_sectors_per_request_measured", sectors),
                                   ("load_bytes_used_per_sector_measured", used)):
                    if value is None:
                        self.assertNotIn(key, kernel)
                    else:
                        self.assertAlmostEqual(kernel[key], value, delta=0.01 * value)
                same = [one["name"] for one in kernel["patterns"] if one["same_counts"]]
                self.assertEqual(same[:1], [row] if row else [])
                if limit is not None:
                    self.assertEqual(kernel["limited_by"], limit)
                judged_by_accesses = row is not None and limit != "issue"
                self.assertEqual(bool(kernel["cause"]), judged_by_accesses)

    def test_a_profilers_number_leads_to_swapped_axes(self) -> None:
        def sectors(header: list[str], rows: list[list[str]]) -> None:
            del rows[3:]
            rows[2][header.index(SECTORS)] = str(int(18.3 * 513024))

        path = self.file(changed(sectors))
        (kernel,) = self.explained(path)
        self.assertAlmostEqual(kernel["load_sectors_per_request_measured"], 18.3, places=2)
        self.assertTrue(kernel["patterns"][0]["same_counts"])
        self.assertTrue(kernel["patterns"][0]["name"].startswith("pitch_swapped/copy/f32/"))
        self.assertIn("x and y swapped", " ".join(explain(path).out.split()))

    def test_rates_are_those_of_the_h200_and_of_each_gpu_named(self) -> None:
        for kernel in self.explained(self.file(few()), "--gpu=t4"):
            for row in kernel["patterns"]:
                self.assertEqual(list(row["on"]), ["t4", "h200"], row["name"])

    def test_launches_that_count_alike_are_one_kernel(self) -> None:
        def again(header: list[str], rows: list[list[str]]) -> None:
            time = header.index("gpu__time_duration.sum")
            del rows[3:]
            rows.append(["99", *rows[2][1:]])
            rows[1][time], rows[2][time], rows[-1][time] = "us", "100", "110"

        (first,) = self.explained(self.file(changed(again)))
        self.assertEqual((first["launches"], first["iterations"]), (["0", "99"], 2))
        self.assertAlmostEqual(first["real_time"], 105)

    def test_launches_that_count_differently_are_not(self) -> None:
        kernels = self.explained(FOLDER / "launches_grouped.csv")
        self.assertEqual([kernel["load_sectors_per_request_measured"] for kernel in kernels],
                         [4, 8, 20, 32])

    def test_documented_metrics_say_as_much(self) -> None:
        text = (SOURCE_DIR / "docs/counters.md").read_text()
        (line,) = re.findall(r"--metrics (.*?)\./program", text, re.DOTALL)
        documented = set(re.findall(r"[\w.]+", line))

        def only(header: list[str], rows: list[list[str]]) -> None:
            kept = [i for i, name in enumerate(header)
                    if i < 11 or name in documented or name.startswith("device__")]
            self.assertEqual(documented - set(header), set())
            rows[:] = [[row[i] for i in kept] for row in rows]

        whole, part = self.explained(RAW), self.explained(self.file(changed(only), "raw.csv"))
        for kernel in whole:
            kernel["limit"] = [s for s in kernel["limit"] if "atomic" not in s]
        self.assertEqual(part, whole)


class Pages(ExportTest):
    def test_numbers_of_other_locales_are_the_same_numbers(self) -> None:
        expected = self.explained(self.file(few()))
        for decimal, group, separator in ((",", ".", ";"), (",", "\u202f", ","), (",", "\u00a0", "\t"),
                                          (".", "\u2019", ","), (".", "'", ","), (".", ",", ","),
                                          (".", "", ",")):
            with self.subTest(decimal=decimal, group=group):
                text = in_locale(few(), decimal, group, separator)
                self.assertEqual(self.explained(self.file(text)), expected)

    def test_grouping_of_ncu_itself_changes_nothing(self) -> None:
        plain, grouped = (self.explained(FOLDER / f"launches_{name}.csv")
                          for name in ("plain", "grouped"))
        self.assertIn('"65,536"', (FOLDER / "launches_grouped.csv").read_text())
        for kernel in plain + grouped:
            kernel.pop("file")
        self.assertEqual(plain, grouped)

    def test_units_are_scaled(self) -> None:
        expected = self.explained(self.file(few()))
        for bytes_unit, bytes_factor, time_unit, time_factor in (
                ("Kbyte", 1e3, "usecond", 1e3), ("Mbyte", 1e6, "us", 1e3), ("GB", 1e9, "msecond", 1e6)):

            def scaled(header: list[str], rows: list[list[str]]) -> None:
                del rows[4:]
                for i, unit in enumerate(rows[1]):
                    if unit not in ("byte", "ns"):
                        continue
                    rows[1][i] = bytes_unit if unit == "byte" else time_unit
                    for row in rows[2:]:
                        row[i] = repr(float(row[i].replace(",", "")) / (bytes_factor if unit == "byte" else time_factor))

            found = self.explained(self.file(changed(scaled)))
            for one, other in zip(found, expected):
                for key in ("real_time", "dram_bytes_measured"):
                    self.assertAlmostEqual(one[key], other[key], delta=1e-9 * other[key])

    def test_details_pages_have_the_same_counts(self) -> None:
        raw = {name_of(kernel): kernel for kernel in self.explained(RAW)}
        for page in ("details.csv", "details_all.csv"):
            kernels = self.explained(FOLDER / page, "--gpu=h200")
            self.assertTrue(kernels)
            for kernel in kernels:
                other = raw[name_of(kernel)]
                for key in ("load_requests_measured", "load_sectors_measured"):
                    self.assertEqual(kernel[key], other[key], page)
                self.assertEqual(kernel["patterns"][:1], other["patterns"][:1])
                self.assertEqual(kernel["limited_by"], other["limited_by"])

    def test_a_page_that_names_no_gpu_is_not_judged_for_one(self) -> None:
        for kernel in self.explained(FOLDER / "details.csv"):
            self.assertEqual(kernel["limited_by"], "")
            self.assertIn("--gpu=", kernel["limit"][0])

    def test_a_byte_order_mark_and_other_line_ends_change_nothing(self) -> None:
        expected = self.explained(self.file(few()))
        text = "\ufeff" + few().replace("\n", "\r\n")
        self.assertEqual(self.explained(self.file(text)), expected)


class BadExports(ExportTest):
    def test_a_page_without_sectors_names_what_is_missing(self) -> None:
        self.refused((FOLDER / "no_sectors.csv").read_text(), SECTORS,
                     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "--page raw")

    def test_other_texts_are_no_export(self) -> None:
        self.refused("", "Kernel Name")
        self.refused("\n\nkernel<<<>>> took 3 ms\n", "--csv --page raw")
        self.refused("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM: no permission\n", "line 2",
                     "ERR_NVGPUCTRPERM")
        self.refused(RAW.read_text().encode("utf-16"), "UTF-16")
        self.refused(RAW.read_bytes().replace(b"kernels", b"ker\0els"), "NUL")
        self.refused('"Process ID","Process Name","Host Name","Kernel Name","Block Size","Grid Size"\n',
                     "line 1", "--print-summary")

    def test_a_page_without_its_units_is_of_no_known_version(self) -> None:
        self.refused(changed(lambda header, rows: rows.__delitem__(1)), "line 5", "units")
        self.refused(changed(lambda header, rows: rows.__delitem__(slice(2, None))), "no launch")

    def test_numbers_of_two_locales_are_refused(self) -> None:
        def mixed(header: list[str], rows: list[list[str]]) -> None:
            rows[3][header.index("gpu__time_duration.sum")] = "61,79"

        self.refused(changed(mixed), "line 7", "61,79")

    def test_a_file_that_is_cut_off_keeps_its_whole_launches(self) -> None:
        text = RAW.read_text()
        end = text.index("\n", text.index('"scale_repaired'))
        for at in (end - 1, end - 40, text.index('"scale_repaired') + 4):
            result = explain(self.file(text[:at]), "--benchmark_format=json")
            self.assertEqual(result.code, 2)
            self.assertEqual([name_of(kernel) for kernel in kernels_in(result)], ["scale_swapped"])
            self.assertRegex(result.err, r"\A[^\n]*line 7: launch 1 is cut off[^\n]*\n\Z")

    def test_a_bad_value_takes_its_metric_alone(self) -> None:
        for unit, value, piece in (("parsec", "1", "parsec"), ("us", "1e5e5", "1e5e5")):

            def bad(header: list[str], rows: list[list[str]]) -> None:
                del rows[3:]
                column = header.index("gpu__time_duration.sum")
                rows[1][column], rows[2][column] = unit, value

            result = explain(self.file(changed(bad)), "--benchmark_format=json")
            self.assertEqual(result.code, 2)
            self.assertEqual(result.err.count("\n"), 1)
            self.assertIn(piece, result.err)
            (kernel,) = kernels_in(result)
            self.assertTrue(kernel["patterns"][0]["same_counts"])
            self.assertEqual(kernel["limited_by"], "")

    def test_flags_that_do_not_go_together(self) -> None:
        for args in ([f"--ncu={RAW}"], ["--explain", "--ncu="], ["--explain", "--ncu=a,b,c"],
                     ["--explain", f"--ncu={RAW}", "--predict", "--gpu=h200"],
                     ["--explain", f"--ncu={RAW}", "--gpu=nosuch"],
                     ["--explain", f"--ncu={RAW}", "--benchmark_format=csv"],
                     ["--explain", f"--ncu={self.folder}/none.csv"]):
            result = run(args)
            self.assertEqual((result.code, result.out, result.err.count("\n")), (2, "", 1), args)


class Comparison(ExportTest):
    def part(self, name: str, *kernels: str) -> pathlib.Path:
        def only(header: list[str], rows: list[list[str]]) -> None:
            rows[2:] = [row for row in rows[2:] if row[4].split("(")[0] in kernels]

        return self.file(changed(only), name)

    def compared(self, before: pathlib.Path, after: pathlib.Path) -> list[Json]:
        result = explain(f"{before},{after}", "--benchmark_format=json")
        self.assertEqual((result.code, result.err), (0, ""))
        return list(strict_json(result.out)["compared"])

    def test_a_repair_is_compared_with_what_it_repairs(self) -> None:
        (pair,) = self.compared(self.part("before.csv", "scale_swapped"),
                                self.part("after.csv", "scale_repaired"))
        self.assertAlmostEqual(pair["load_sectors_ratio"], 2953216 / 9232384, places=6)
        self.assertLess(pair["time_ratio"], 0.7)

    def test_kernels_are_paired_by_their_names(self) -> None:
        pairs = self.compared(self.part("before.csv", "gather", "struct_field", "predicated"),
                              self.part("after.csv", "struct_field", "gather", "copy_float4"))
        names = [(pair["before"].split("(")[0], pair["after"].split("(")[0]) for pair in pairs]
        self.assertEqual(names, [("gather", "gather"), ("struct_field", "struct_field"),
                                 ("predicated", "copy_float4")])
        self.assertTrue(all(pair["time_ratio"] == 1 for pair in pairs[:2]))

    def test_a_bad_file_leaves_the_other_explained(self) -> None:
        bad = self.file("nothing", "after.csv")
        result = explain(f"{self.part('before.csv', 'gather')},{bad}", "--benchmark_format=json")
        self.assertEqual((result.code, result.err.count("\n")), (2, 1))
        self.assertEqual([name_of(kernel) for kernel in kernels_in(result)], ["gather"])


if __name__ == "__main__":
    unittest.main()
