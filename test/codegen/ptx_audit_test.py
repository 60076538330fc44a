# SPDX-License-Identifier: Apache-2.0
"""What the compiler may make of a measuring kernel: every access_kernel of every pattern is read."""

import collections
import itertools
import pathlib
import re
import tempfile
import unittest

import kernel_code

PATTERN_FILES = sorted(kernel_code.SOURCE_DIR.glob("kernels/patterns/*.cu"))
PATTERN_HEADERS = sorted(kernel_code.SOURCE_DIR.glob("include/sectorbench/patterns/*.hpp"))
# Patterns whose rows are made at run time, so that no SECTORBENCH_PATTERN names them.
MADE_AT_RUN_TIME = {"indexed<1>": ["gather", "scatter", "read", "write"], "indexed<2>": ["copy"]}

# One instruction moves one element; PTX may call its bits u, s, b or f.
WIDTHS = {
    1: r"[bsu]8",
    2: r"[bsu]16",
    4: r"[bsuf]32",
    8: r"[bsuf]64",
    16: r"(v4\.[bsuf]32|v2\.[bsuf]64|b128)",
}
SASS_WIDTHS = {1: r"\.[US]8", 2: r"\.[US]16", 4: r"", 8: r"\.64", 16: r"\.128"}
MEMORY = re.compile(r"(ld|st|ldu|atom|red|prefetch|cp|tex|tld4|suld|sust|multimem)(\.|$)")
# The kernels' parameters: pattern, in, out, seed, keep, indices.
KEEP, INDICES = 4, 5
INDEX_LOAD = re.compile(r"ld\.global\.nc\.[bsu]32")
DIVISION = re.compile(r"(div|rem)\.")


class Instruction:
    """One line of PTX: label, guard, opcode and operands."""

    def __init__(self, line):
        match = re.fullmatch(r"(?:@!?(%\w+)\s+)?([\w.:]+)\s*(.*?);?", line)
        self.line = line
        self.label = line[:-1] if line.endswith(":") else None
        self.guard, self.opcode, self.operands = match.groups() if match else (None, "", "")
        if self.label:
            self.opcode = ""

    def branches_to(self):
        return self.operands.strip() if self.opcode.split(".")[0] == "bra" else None


class Body:
    """A kernel's PTX and what the audit asks of it."""

    def __init__(self, lines):
        self.code = [Instruction(line) for line in lines]
        self.labels = {one.label: at for at, one in enumerate(self.code) if one.label}
        self.index_loads = self._from_parameter(INDICES)
        self.loads = [at for at in self._positions("ld.global") if at not in self.index_loads]
        self.stores = self._positions("st.global")

    def _positions(self, prefix):
        return [at for at, one in enumerate(self.code)
                if one.opcode.startswith(prefix + ".") or one.opcode == prefix]

    def _from_parameter(self, number):
        """The loads whose address comes from this kernel parameter."""
        addresses, found = set(), []
        for at, one in enumerate(self.code):
            registers = re.findall(r"%\w+", one.operands)
            if not registers:
                continue
            if one.opcode.startswith("ld.global"):
                if addresses & set(registers[1:]):
                    found.append(at)
                derived = False
            elif one.opcode.startswith("ld.param"):
                derived = f"_param_{number}]" in one.operands
            else:
                derived = bool(addresses & set(registers[1:]))
            (addresses.add if derived else addresses.discard)(registers[0])
        return found

    def loops(self):
        """[first, last] of every backward branch, innermost or not."""
        return [(self.labels[target], at) for at, one in enumerate(self.code)
                if (target := one.branches_to()) in self.labels and self.labels[target] < at]

    def guarded_by_keep(self, position):
        """Whether a forward branch on nothing but the parameter `keep` skips this place."""
        values = set()
        for at, one in enumerate(self.code[:position]):
            target = one.branches_to()
            if target and one.guard in values and self.labels.get(target, -1) > position:
                return True
            registers = re.findall(r"%\w+", one.operands)
            if not registers:
                continue
            if one.opcode.startswith("ld.param"):
                from_keep = f"_param_{KEEP}]" in one.operands
            else:
                from_keep = len(registers) > 1 and set(registers[1:]) <= values
            (values.add if from_keep else values.discard)(registers[0])
        return self.code[position].guard in values


def ways_of(kernel):
    """How many ways through the body there are: `unrolled` has one for blocks inside the array."""
    return 2 if kernel.pattern.startswith("unrolled") else 1


def runs_of(loads, stores):
    """Lengths of the runs of loads and of stores, in the order of the code."""
    order = sorted([(at, "load") for at in loads] + [(at, "store") for at in stores])
    return [len(list(group)) for _, group in itertools.groupby(order, key=lambda one: one[1])]


def widths_of(kernel, widths):
    """The widths of the kernel's accesses as one regular expression: of one element, and of those
    that move together."""
    names = {widths[kernel.width], widths[kernel.width * kernel.together]}
    return "(" + "|".join(names) + ")"


def violations(kernel, body):
    """What is wrong with a kernel's PTX: [(rule, line)]."""
    found = []

    def require(condition, rule, line=""):
        if not condition:
            found.append((rule, line))

    width = widths_of(kernel, WIDTHS)
    for at, one in enumerate(body.code):
        opcode = one.opcode
        require(not DIVISION.match(opcode), "divides", one.line)
        require(not opcode.startswith("call"), "calls a function", one.line)
        require(".local" not in one.line, "uses local memory", one.line)
        if not MEMORY.match(opcode) or opcode.startswith("ld.param"):
            continue
        if at in body.index_loads:
            require(INDEX_LOAD.fullmatch(opcode), "index load is not one ld.global.nc of 4 bytes",
                    one.line)
        elif opcode.startswith("ld.global"):
            require(re.fullmatch(r"ld\.global\.nc\." + width, opcode),
                    f"load is not one ld.global.nc of {kernel.width} bytes", one.line)
        elif opcode.startswith("st.global"):
            require(re.fullmatch(r"st\.global\.(wb\.)?" + width, opcode),
                    f"store is not one st.global of {kernel.width} bytes", one.line)
        else:
            require(kernel.staged and re.match(r"(ld|st)\.shared\.", opcode),
                    "touches other memory", one.line)

    loads, stores = len(body.loads), len(body.stores)
    loops = body.loops()
    if kernel.steps is not None or not kernel.lists:
        expected = kernel.steps * kernel.lists if kernel.lists else 0
        require(len(body.index_loads) == expected,
                f"{len(body.index_loads)} index loads instead of {expected}")
    if kernel.op == "read":
        require(stores == 1, f"{stores} stores instead of the checksum's one")
        for at in body.stores:
            require(body.guarded_by_keep(at), "the checksum's store ignores `keep`",
                    body.code[at].line)
            require(all(load < at for load in body.loads), "loads after the checksum's store")
    if kernel.op == "write":
        require(loads == 0, f"{loads} loads")

    if kernel.steps is not None:
        require(not loops, "has a loop")
        expected = kernel.steps * ways_of(kernel)
        if kernel.op != "write":
            require(loads == expected, f"{loads} loads instead of {expected}")
        if kernel.op != "read":
            require(stores == expected, f"{stores} stores instead of {expected}")
        if kernel.op not in ("read", "write"):
            require(runs_of(body.loads, body.stores) == [kernel.steps] * (2 * ways_of(kernel)),
                    "loads and stores are mixed")
    else:
        require(loops or kernel.pattern not in ("chunk", "grid_loop"), "has no loop")
        for first, last in loops:
            inside = [sum(first < at < last for at in where) for where in (body.loads, body.stores)]
            if kernel.computes:
                require(inside == [0, 0], f"a loop of arithmetic loads and stores {inside} times")
            elif kernel.op == "read":
                require(inside[0] > 0 and inside[1] == 0, f"a loop loads and stores {inside} times")
            elif kernel.op == "write":
                require(inside[0] == 0 and inside[1] > 0, f"a loop loads and stores {inside} times")
            else:
                require(inside[0] == inside[1] > 0, f"a loop loads and stores {inside} times")
        if kernel.op not in ("read", "write"):
            require(loads == kernel.inputs * stores, f"{loads} loads, {stores} stores")
    return found


def sass_violations(kernel, code):
    """The same for machine code: [(rule, instruction)]."""
    found = []

    def require(condition, rule, line=""):
        if not condition:
            found.append((rule, line))

    opcodes = [re.sub(r"^@!?U?P\w+\s+", "", line).split()[0] for line in code]
    width = widths_of(kernel, SASS_WIDTHS)
    loads = [at for at, opcode in enumerate(opcodes) if opcode.startswith("LDG")]
    stores = [at for at, opcode in enumerate(opcodes) if opcode.startswith("STG")]
    for opcode, line in zip(opcodes, code):
        name = opcode.split(".")[0]
        require(name not in ("LDL", "STL"), "uses local memory", line)
        require(name not in ("LD", "ST", "ATOM", "ATOMG", "RED", "REDG") and
                (kernel.staged or name not in ("LDS", "STS")), "touches other memory", line)
        # An integer division is a reciprocal and corrections, in line or called.
        require(name not in ("MUFU", "CALL", "I2F", "F2I"), "divides or calls", line)
        if name == "LDG":
            wide = f"({width}|)" if kernel.lists else width
            require(re.fullmatch(r"LDG\.E" + wide + r"(\.CONSTANT|\.STRONG\.\w+)*", opcode)
                    and ".CONSTANT" in opcode,
                    f"load is not one read-only LDG of {kernel.width} bytes", line)
        if name == "STG":
            # st.global.wb of several elements at once orders the store within its SM.
            order = r"(\.STRONG\.SM)?" if kernel.packs else ""
            require(re.fullmatch(r"STG\.E" + width + order, opcode),
                    f"store is not one STG of {kernel.width} bytes", line)
    if kernel.op == "write" and not kernel.lists:
        require(not loads, f"{len(loads)} loads")
    if kernel.op == "read":
        require(len(stores) == 1, f"{len(stores)} stores instead of the checksum's one")
    if kernel.steps is not None:
        expected = kernel.steps * ways_of(kernel)
        wanted = expected * (int(kernel.op != "write") + kernel.lists)
        require(len(loads) == wanted, f"{len(loads)} loads instead of {wanted}")
        if kernel.op != "read":
            require(len(stores) == expected, f"{len(stores)} stores instead of {expected}")
        # Of blocks inside the array; the last block may mix them, for want of predicates. Eight
        # 16-byte elements fill 32 registers: there the assembler of CUDA 13.0 stores early.
        if kernel.op not in ("read", "write") and kernel.steps * kernel.width <= 64:
            runs = runs_of(loads, stores)
            require(any(min(pair) >= kernel.steps for pair in zip(runs, runs[1:])),
                    "loads and stores are mixed")
    elif kernel.op not in ("read", "write"):
        require(len(loads) == kernel.inputs * len(stores) > 0,
                f"{len(loads)} loads, {len(stores)} stores")
    return found


def report(all_found):
    """The violations of many kernels, those of one rule together."""
    by_rule = collections.defaultdict(list)
    for kernel, found in all_found:
        for rule, line in found:
            by_rule[rule].append((str(kernel), line))
    text = ""
    for rule, places in by_rule.items():
        kernels = list(dict.fromkeys(kernel for kernel, _ in places))
        text += f"\n{rule}: {len(kernels)} kernels, {len(places)} places"
        for kernel, line in places[:6]:
            text += f"\n    {kernel}: {line}" if line else f"\n    {kernel}"
        if len(places) > 6:
            text += "\n    all of: " + " ".join(kernels)
    return text


def access_kernels(bodies):
    """[(AccessKernel, lines)] of those bodies that are measuring kernels."""
    names = kernel_code.demangle(list(bodies))
    return [(kernel_code.AccessKernel(name), lines)
            for name, lines in zip(names, bodies.values()) if kernel_code.is_access_kernel(name)]


def enumerators():
    """{"kPlain": "(sectorbench::tile_layout)0"} of the enumerations in the patterns' headers."""
    found = {}
    for header in PATTERN_HEADERS:
        for name, body in re.findall(r"^enum class (\w+) \{(.*?)\};", header.read_text(),
                                     re.S | re.M):
            for value, constant in enumerate(re.findall(r"^\s*(k\w+)", body, re.M)):
                found[constant] = f"(sectorbench::{name}){value}"
    return found


def patterns_in(file):
    """The patterns that a file instantiates, as its SECTORBENCH_PATTERN(...) names them."""
    uses = re.findall(r"^SECTORBENCH_PATTERN\((.*?)\)", file.read_text(), re.S | re.M)
    constants = enumerators()
    return [re.sub(r"\bk\w+", lambda match: constants[match[0]],
                   name.strip().removeprefix("sectorbench::"))
            for use in uses for name in use.split(",")]


def offered(pattern, array, everything):
    """What a pattern's header names in `kOperations` or `kTypes`; everything if it has none."""
    if pattern in MADE_AT_RUN_TIME and array == "kOperations":
        return MADE_AT_RUN_TIME[pattern]
    header = kernel_code.header_of(pattern)
    named = re.search(array + r"\{(.*?)\};", header, re.S)
    if named is not None:
        names = [name.lower() for name in re.findall(r"::k(\w+)", named[1])]
        assert names and set(names) <= set(everything), f"{pattern}: {array} is not understood"
        return names
    if f"{array} = kNumberTypes;" in header:
        return ["f16", "f32", "f64"]
    access = re.search(array + r" = types_of_access<V, (\d+), (\d+)>\(\);", header)
    if access:
        v = int(re.search(r"<(\d+)>", pattern)[1])
        return [name for name, width in kernel_code.TYPES.values()
                if int(access[1]) <= v * width <= int(access[2])]
    assert f"{array} =" not in header, f"{pattern}: {array} is not understood"
    return everything


class KernelAudit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.patterns = [name for file in PATTERN_FILES for name in patterns_in(file)]
        cls.patterns += MADE_AT_RUN_TIME
        cls.ptx = kernel_code.in_parallel(lambda file: kernel_code.compile_to("ptx", file),
                                          PATTERN_FILES)
        cls.kernels = [kernel for ptx in cls.ptx
                       for kernel in access_kernels(kernel_code.ptx_bodies(ptx))]

    def expect_all(self, kernels):
        """Every pattern x operation x type, each once."""
        self.assertTrue(self.patterns, f"no SECTORBENCH_PATTERN in {kernel_code.SOURCE_DIR}")
        expected = collections.Counter(
            f"{pattern}/{op}/{name}" for pattern in self.patterns
            for op in offered(pattern, "kOperations", kernel_code.OPERATIONS)
            for name in offered(pattern, "kTypes", [name for name, _ in
                                                    kernel_code.TYPES.values()]))
        self.assertEqual(expected, collections.Counter(str(kernel) for kernel, _ in kernels))

    def test_every_pattern_header_has_its_kernel_file(self):
        headers = {file.stem for file in PATTERN_HEADERS}
        self.assertTrue(headers)
        self.assertEqual(headers, {file.stem for file in PATTERN_FILES})
        used = {kernel_code.header_of(pattern) for pattern in self.patterns}
        self.assertEqual(used, {file.read_text() for file in PATTERN_HEADERS})

    def test_every_pattern_operation_and_type_has_one_kernel(self):
        self.expect_all(self.kernels)

    def test_one_kernel_serves_all_strides(self):
        of_stride = {kernel.pattern for kernel, _ in self.kernels
                     if kernel.pattern.startswith("stride")}
        self.assertEqual(of_stride, {"stride"})

    def test_ptx_moves_each_element_with_one_load_and_one_store_and_never_divides(self):
        self.assertTrue(self.kernels)
        found = [(kernel, violations(kernel, Body(lines))) for kernel, lines in self.kernels]
        if any(wrong for _, wrong in found):
            self.fail(report(found))

    def test_cache_operators_are_those_that_the_kernel_is_named_for(self):
        loads, stores = ["nc", "ca", "cg", "cs"], ["wb", "cg", "cs"]  # as enum load_op, store_op
        named = re.compile(r"void sectorbench::cache_op_kernel<.*\(sectorbench::load_op\)(\d), "
                           r"\(sectorbench::store_op\)(\d)>\(.*")
        seen = collections.Counter()
        for ptx in self.ptx:
            bodies = kernel_code.ptx_bodies(ptx)
            for name, lines in zip(kernel_code.demangle(list(bodies)), bodies.values()):
                match = named.fullmatch(name)
                if match is None:
                    continue
                load, store = loads[int(match[1])], stores[int(match[2])]
                seen[load, store] += 1
                opcodes = [one.opcode for one in Body(lines).code]
                self.assertTrue(all(re.match(rf"ld\.global\.{load}\b", opcode)
                                    for opcode in opcodes if opcode.startswith("ld.global")), name)
                checksum = "(sectorbench::operation_kind)3" in name  # read stores it plainly
                self.assertTrue(checksum or all(
                    re.match(rf"st\.global\.{store}\b" if store != "wb" else
                             r"st\.global\.(wb\.)?[vub]", opcode)
                    for opcode in opcodes if opcode.startswith("st.global")), name)
        # Copies have all pairs but the plain one, reads the loads', writes the stores'.
        self.assertEqual(len(seen), 11)
        self.assertEqual(seen["cg", "cg"], 4)  # contiguous and stride, f32 and f32x4

    def test_machine_code_moves_each_element_with_one_load_and_one_store_and_never_divides(self):
        if kernel_code.cuobjdump() is None:
            self.skipTest("no cuobjdump beside nvcc or on PATH")

        def assemble(ptx):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "kernels.ptx")
                file.write_text(ptx)
                return kernel_code.sass_bodies(kernel_code.compile_to("cubin", file))

        kernels = [kernel for bodies in kernel_code.in_parallel(assemble, self.ptx)
                   for kernel in access_kernels(bodies)]
        self.expect_all(kernels)
        found = [(kernel, sass_violations(kernel, code)) for kernel, code in kernels]
        if any(wrong for _, wrong in found):
            self.fail(report(found))

    @classmethod
    def tearDownClass(cls):
        print("\nPTX instructions (loads, stores, all) of the f32 kernels:")
        for kernel, lines in cls.kernels:
            if kernel.type == "f32":
                body = Body(lines)
                count = sum(bool(one.opcode) and not one.opcode.startswith(".")
                            for one in body.code)
                print(f"  {kernel}: {len(body.loads)}, {len(body.stores)}, {count}")


if __name__ == "__main__":
    unittest.main()
