# SPDX-License-Identifier: Apache-2.0
"""The generic kernels are, byte for byte, the machine code of hand-written ones."""

import difflib
import re
import unittest

import kernel_code

SOURCE = kernel_code.SOURCE_DIR / "test/codegen/hand_written.cu"
PATTERNS = ["contiguous", "stride"]


def pairs(names):
    """{"stride/copy/f32": [mangled name of the generic kernel, of the hand-written one]}."""
    found = {}
    for name, demangled in zip(names, kernel_code.demangle(names)):
        if kernel_code.is_access_kernel(demangled):
            found.setdefault(str(kernel_code.AccessKernel(demangled)), {})["generic"] = name
            continue
        hand = re.fullmatch(r"void sectorbench::hand_(\w+)_kernel<(.+?)>\(.*", demangled)
        if hand:
            element, _ = kernel_code.TYPES[hand[2]]
            found.setdefault(f"{hand[1]}/copy/{element}", {})["hand"] = name
    return {kernel: (both["generic"], both["hand"]) for kernel, both in found.items()}


def difference(cubin, generic, hand):
    """The instructions that differ, where cuobjdump can tell."""
    if kernel_code.cuobjdump() is None:
        return "(cuobjdump, which would show the instructions, is not there)"
    code = kernel_code.sass_bodies(cubin)
    return "\n".join(difflib.unified_diff(code[hand], code[generic], "hand", "generic",
                                          lineterm=""))


class MachineCode(unittest.TestCase):
    def compare(self, architecture):
        cubin = kernel_code.compile_to("cubin", SOURCE, architecture)
        code = kernel_code.machine_code(cubin)
        both = pairs(list(code))
        self.assertEqual(
            sorted(both), sorted(f"{pattern}/copy/{element}" for pattern in PATTERNS
                                 for element, _ in kernel_code.TYPES.values()))
        for kernel, (generic, hand) in both.items():
            with self.subTest(kernel=kernel, architecture=architecture):
                self.assertTrue(code[hand])
                if code[generic] != code[hand]:
                    self.fail(f"{len(code[generic])} bytes, the hand-written {len(code[hand])}\n" +
                              difference(cubin, generic, hand))
        size = {kernel: len(code[generic]) for kernel, (generic, _) in both.items()}
        print(f"sm_{architecture}, bytes of machine code:", size)

    def test_generic_kernels_equal_hand_written_ones(self):
        wanted = kernel_code.architectures(["75", "80", "90"])
        self.assertTrue(wanted)
        for architecture in wanted:
            self.compare(architecture)


if __name__ == "__main__":
    unittest.main()
