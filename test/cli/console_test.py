# SPDX-License-Identifier: Apache-2.0
"""What a person reads: --help, --version and the table."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest

from support import SOURCE_DIR, OutputTest, measuring, plain_name

NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}
ROW = "contiguous/copy/f32"


class HelpAndVersion(OutputTest):
    def test_help_lists_our_flags_beside_the_librarys(self) -> None:
        result = self.check_run(["--help"], env=NO_GPU)
        source = (SOURCE_DIR / "bench" / "options" / "options.cpp").read_text("utf-8")
        ours = re.findall(r'flag\{\s*"(--[a-z_]+)"', source)
        self.assertGreaterEqual(len(ours), 18, "bench/options/options.cpp could not be read")
        for flag in [*ours, "--benchmark_filter", "--benchmark_out", "--benchmark_list_tests"]:
            self.assertRegex(result.out, rf"(^|[\s\[]){flag}\b", f"--help lacks {flag}")
        self.assertEqual(result.err, "")
        for line in result.out.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_help_wins_over_what_else_is_asked(self) -> None:
        self.assertIn("--elements", self.check_run(["--help", "--device=cuda"], env=NO_GPU).out)

    def test_version_says_what_was_built_with_what(self) -> None:
        result = self.check_run(["--version"], env=NO_GPU)
        lines = result.out.splitlines()
        self.assertRegex(lines[0], r"^sectorbench \d+\.\d+\.\d+ \(revision .+\)$")
        self.assertRegex(lines[1], r"^built: \w+, .+")
        self.assertRegex(lines[2], r"^CUDA: (none, only the CPU's memory|toolkit \d+\.\d+)")
        self.assertRegex(lines[3], r"^Google Benchmark: \d+\.\d+\.\d+")
        self.assertEqual(len(lines), 4)
        self.assertEqual(result.err, "")


class Table(OutputTest):
    def assert_summary(self, lines: list[str], rows: int) -> None:
        """The closing line, with what counters say where they are read."""
        counters = r"(; counters equal the model in \d+ of \d+ rows \(read in [\d.]+ s\))?"
        self.assertRegex(lines[-1], rf"^{rows} rows measured and verified(, \d+ DISTURBED .*)?{counters}$")

    def test_default_suite_is_a_table_of_120_columns(self) -> None:
        result = self.check_run(measuring(["--elements=64Ki"]))
        lines = result.out.splitlines()
        for line in lines:
            self.assertLessEqual(len(line), 120, line)
        self.assertNotIn("\x1b", result.out, "colours in a file")
        self.assertEqual(result.err, "", "the table stands alone")
        heading = next(i for i, line in enumerate(lines) if line.startswith("row "))
        for title in ("time", "GB/s", "stride 1", "ceiling", "load", "store", "spread"):
            self.assertIn(title, lines[heading])
        for group in ("of", "sectors/request"):
            self.assertIn(group, lines[heading - 1])
        self.assertRegex(lines[heading + 1], r"^-+$")
        names = [plain_name(name) for name in
                 self.check_run(["--benchmark_list_tests"]).out.splitlines()]
        body = [line for line in lines[heading + 2 :] if re.match(r"[a-z]\w*/", line)]
        self.assertEqual([line.split()[0] for line in body], names)
        self.assert_summary(lines, len(names))
        self.assertEqual(" ".join(lines).count("WARNING"), 0)

    def test_a_saved_file_prints_the_same_table(self) -> None:
        rows = "contiguous/copy/f32,stride/copy/f32/stride:1,stride/copy/f32/stride:32,memcpy/copy/f32"
        with tempfile.TemporaryDirectory() as folder:
            saved = f"{folder}/rows.json"
            for more in ([f"--rows={rows}"], [f"--rows={ROW}", "--elements=1048576Gi"]):
                args = measuring(["--elements=64Ki", *more, f"--benchmark_out={saved}"])
                lines = self.check_run(args).out.splitlines()
                table = lines[next(i for i, line in enumerate(lines) if line.startswith("row ")) - 1 : -1]
                done = subprocess.run(
                    [sys.executable, str(SOURCE_DIR / "bench" / "tools" / "table.py"), saved],
                    capture_output=True, text=True, check=True,
                )
                self.assertEqual(done.stdout.splitlines()[2:], table)

    def test_a_row_shows_what_the_json_holds(self) -> None:
        rows = ("stride/copy/f32/stride:1", "stride/copy/f32/stride:8", "stride/read/f32/stride:8")
        out = self.check_run(measuring(["--elements=64Ki", "--rows=" + ",".join(rows)])).out
        cells = {line.split()[0]: re.split(r"\s{2,}", line) for line in out.splitlines() if line}
        self.assertRegex(cells[rows[0]][1], r"^[\d.]+ (ns|us|ms|s)$")
        self.assertIn(cells[rows[0]][3], ("1", "-") if "disturbed" in out else ("1",), "of stride 1")
        self.assertEqual(cells[rows[0]][5:7], ["4.00", "4.00"])
        self.assertEqual(cells[rows[1]][5:7], ["32.00", "32.00"])
        self.assertEqual(cells[rows[2]][5:7], ["32.00", "-"], "a read has no stores")

    def test_repetitions_and_aggregates(self) -> None:
        args = measuring(["--elements=4Ki", f"--rows={ROW}", "--benchmark_repetitions=2"])
        lines = self.check_run(args).out.splitlines()
        for ending in (" #1", " #2", "_mean", "_median", "_stddev", "_cv"):
            found = [line for line in lines if line.startswith(f"{ROW}{ending} ")]
            self.assertEqual(len(found), 1, f"{ending}:\n" + "\n".join(lines))
            self.assertNotRegex(found[0], r"(?i)\bnan\b|\binf\b")
        self.assert_summary(lines, 1)

    def test_time_unit_flag(self) -> None:
        args = measuring(["--elements=4Ki", f"--rows={ROW}", "--benchmark_time_unit=ms"])
        line = next(line for line in self.check_run(args).out.splitlines() if line.startswith(ROW))
        self.assertRegex(line, rf"^{ROW} +[\d.e-]+ ms ")

    def test_a_skipped_row_says_why_within_120_columns(self) -> None:
        out = self.check_run(measuring(["--elements=1048576Gi", f"--rows={ROW}"])).out
        text = " ".join(out.split())
        self.assertRegex(text, rf"{ROW} skipped: does not fit: needs \d+ bytes .* available")
        self.assertLessEqual(max(map(len, out.splitlines())), 120)


if __name__ == "__main__":
    unittest.main()
