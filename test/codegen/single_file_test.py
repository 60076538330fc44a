# SPDX-License-Identifier: Apache-2.0
"""docs/single_file/coalescing.cu compiles with plain nvcc, without a warning."""

import pathlib
import subprocess
import tempfile
import unittest

import kernel_code

KEPT = kernel_code.SOURCE_DIR / "docs" / "single_file" / "coalescing.cu"


class SingleFile(unittest.TestCase):
    def test_nvcc_builds_it_for_a_t4_without_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "coalescing")
            kernel_code.run([kernel_code.NVCC, "-O3", "-arch=sm_75", "-Werror", "all-warnings",
                             "-Xcompiler", "-Wall,-Wextra,-Werror", "-o", program, KEPT])
            self.assertTrue(program.stat().st_size > 0)
            # Without a GPU it ends with one line; with one it prints its rows.
            done = subprocess.run([program], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                self.assertEqual(len(done.stdout.splitlines()), 6)
            else:
                self.assertRegex(done.stderr, r"\Acoalescing\.cu:\d+: cuda\w+\(.*\): [^\n]+\n\Z")

    def test_one_load_and_one_store_and_no_division(self):
        ptx = kernel_code.compile_to("ptx", KEPT, "75")
        for entry in ptx.split(".entry")[1:]:
            self.assertEqual(entry.count("ld.global"), 1)
            self.assertEqual(entry.count("st.global"), 1)
            self.assertNotRegex(entry, r"\b(div|rem)\.")
        self.assertEqual(ptx.count(".entry"), 2)


if __name__ == "__main__":
    unittest.main()
