# SPDX-License-Identifier: Apache-2.0
"""--traps: the known mistakes beside the right measurements."""

from __future__ import annotations

import re
import unittest

from support import DEVICE, SOURCE_DIR, OutputTest

NAMES = ["skips", "modulo", "division", "host_clock", "no_warm_up", "fits_in_cache",
         "removed_loads", "mib_per_ms", "one_direction"]


class Traps(OutputTest):
    def traps(self, *args: str):
        return self.check_run([f"--device={DEVICE}", "--traps", *args])

    def test_all_nine_are_shown_and_what_is_wrong_is_refused(self) -> None:
        result = self.traps("--bytes=64Ki")
        lines = result.out.splitlines()
        self.assertEqual(re.findall(r"^(\w+): ", result.out, re.MULTILINE)[-9:], NAMES)
        for word in ("claim", "truth", "caught"):
            self.assertEqual(len(re.findall(rf"^    {word}  +\S", result.out, re.MULTILINE)), 9)
        self.assertEqual(
            lines[-1],
            "9 wrong benchmarks; 3 of the 3 that must be refused were refused")
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertNotRegex(result.out, r"(?i)\bnan\b|\binf\b|NOT REFUSED")

    def test_evidence_is_that_of_the_checks(self) -> None:
        text = " ".join(self.traps("--bytes=64Ki").out.split())
        self.assertIn("8192 elements wrong, the first at index 1: got 0xa5a5a5a5", text)
        self.assertIn("loads: 8192 elements missed, the first is 1", text)
        self.assertIn("15872 elements wrong, the first at index 1: got 0xa5a5a5a5", text)
        self.assertIn("loads: 512 elements repeated, the first is 0", text)
        self.assertIn("16384 checksums wrong, the first at thread 0: got 0xa5a5a5a5", text)

    def test_elements_give_the_size_too(self) -> None:
        self.assertIn("only 2048 of 4096 elements", self.traps("--elements=4Ki").out)

    def test_no_suite_has_them(self) -> None:
        rows = self.check_run(["--benchmark_list_tests"]).out
        self.assertTrue(rows)
        self.assertNotIn("trap", rows)

    def test_files_are_refused_as_there_are_no_rows(self) -> None:
        path = self.folder / "rows"
        for flag in ("--benchmark_out", "--json_lines"):
            self.assert_refused(
                2, [f"--device={DEVICE}", "--traps", f"{flag}={path}"], "--traps", flag)
            self.assertFalse(path.exists(), flag)

    def test_document_has_a_section_for_each(self) -> None:
        document = (SOURCE_DIR / "docs" / "wrong_benchmarks.md").read_text("utf-8")
        self.assertEqual(re.findall(r"^## ([a-z_]+)$", document, re.MULTILINE), NAMES)


if __name__ == "__main__":
    unittest.main()
