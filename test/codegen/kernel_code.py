# SPDX-License-Identifier: Apache-2.0
"""Compiles the project's kernels and reads what the compiler made of them."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

SOURCE_DIR = pathlib.Path(
    os.environ.get("SECTORBENCH_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
NVCC = os.environ.get("SECTORBENCH_NVCC", "nvcc")
CXX = os.environ.get("SECTORBENCH_CXX", "c++")

OPERATIONS = ["copy", "gather", "scatter", "read", "write"]  # as enum operation_kind
TYPES = {  # as sectorbench/execution/instantiate.hpp has them
    "unsigned char": ("u8", 1),
    "unsigned short": ("f16", 2),
    "unsigned int": ("f32", 4),
    "unsigned long": ("f64", 8),
    "sectorbench::bits128": ("f32x4", 16),
}


def run(command, **options):
    """Runs a command and returns what it prints; its errors are the exception's text."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)
    return done.stdout


def architectures(wanted):
    """Those of the wanted architectures ("90") that the compiler knows."""
    known = run([NVCC, "--list-gpu-arch"])
    return [arch for arch in wanted if re.search(rf"compute_{arch}\b", known)]


def compile_to(kind, source, architecture="90"):
    """Compiles a .cu or .ptx file to "ptx" (text) or "cubin" (bytes)."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder, "result." + kind)
        command = [NVCC, "-" + kind, f"-arch=sm_{architecture}", "-o", result, source]
        if pathlib.Path(source).suffix == ".cu":
            command += ["-std=c++20", "-O3", "-ccbin", CXX, "--expt-relaxed-constexpr",
                        "-DSECTORBENCH_HAS_CUDA=1", f"-I{SOURCE_DIR}", f"-I{SOURCE_DIR}/include"]
        run(command)
        return result.read_text() if kind == "ptx" else result.read_bytes()


def in_parallel(function, arguments):
    """[function(a) for a in arguments] on all cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, arguments))


def demangle(names):
    """The names as C++ writes them; c++filt is a part of what g++ and clang++ need to link."""
    return run(["c++filt"], input="\n".join(names)).splitlines()


def header_of(pattern):
    """The text of the header that defines the pattern, which may hold others too."""
    struct = re.compile(rf"^struct {re.sub('<.*', '', pattern)}\b[^;]*{{", re.M)
    texts = [file.read_text()
             for file in (SOURCE_DIR / "include/sectorbench/patterns").glob("*.hpp")]
    return next(text for text in texts if struct.search(text))


class AccessKernel:
    """Which access_kernel a demangled name is; `pattern` is written as in C++."""

    _NAME = re.compile(
        r"void sectorbench::access_kernel<sectorbench::(?P<pattern>.+), "
        r"sectorbench::operation<\(sectorbench::operation_kind\)(?P<op>\d), .*?>, "
        r"(?P<type>[\w: ]+)>\(.*")

    def __init__(self, name):
        match = self._NAME.fullmatch(name)
        if match is None:
            raise ValueError("not understood: " + name)
        self.pattern = match["pattern"]
        self.op = OPERATIONS[int(match["op"])]
        self.type, self.width = TYPES[match["type"]]
        self.steps = self._steps()
        header = header_of(self.pattern)
        lists = re.fullmatch(r"indexed<(\d+)>", self.pattern)
        self.lists = int(lists[1]) if lists else int("indices()" in header)  # that a move reads
        self.staged = "kSlots" in header
        self.computes = "worked(" in header
        self.inputs = 2 if "a.sum(" in header else 1  # elements loaded for each one stored
        self.packs = "kTogether" in header  # its accesses may move several elements
        together = re.search(r"<(\d+)>$", self.pattern) if self.packs else None
        self.together = int(together[1]) if together else 1

    def _steps(self):
        """Elements that each thread moves, where the pattern fixes that; else None."""
        unrolled = re.fullmatch(r"unrolled<(\d+)>", self.pattern)
        if unrolled:
            return int(unrolled[1])
        return 1 if self.pattern in ("contiguous", "stride", "offset", "random", "indexed<1>",
                                     "indexed<2>") else None

    def __str__(self):
        return f"{self.pattern}/{self.op}/{self.type}"


def is_access_kernel(demangled):
    return demangled.startswith("void sectorbench::access_kernel<")


def ptx_bodies(ptx):
    """{mangled name: lines} of every kernel in a PTX text; comments and blank lines are gone."""
    bodies = {}
    # Braces of inline assembly would end a body early.
    ptx = re.sub(r"// begin inline asm\n(.*?)// end inline asm",
                 lambda match: re.sub(r"^\s*[{}]|[{}]\s*$", "", match[1], flags=re.M), ptx,
                 flags=re.S)
    for name, body in re.findall(r"\.entry\s+(\w+)\s*\(.*?\)[^{]*\{(.*?)^\}", ptx, re.S | re.M):
        lines = (re.sub(r"//.*", "", line).strip() for line in body.splitlines())
        bodies[name] = [line for line in lines if line]
    return bodies


def cuobjdump():
    """The path of cuobjdump, or None: not every toolkit installation has it."""
    beside = shutil.which(NVCC)
    beside = beside and pathlib.Path(beside).resolve().with_name("cuobjdump")
    return str(beside) if beside and beside.exists() else shutil.which("cuobjdump")


def sass_bodies(cubin):
    """{mangled name: instructions} of every kernel in a cubin, as cuobjdump prints them."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = run([cuobjdump(), "-sass", file.name])
    bodies = {}
    for part in re.split(r"^\s*Function : ", text, flags=re.M)[1:]:
        name = part.split()[0]
        bodies[name] = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(.*?);", part, re.M)
    return bodies


def machine_code(cubin):
    """{mangled name: bytes} of every kernel in a cubin: the ELF file's .text.<name> sections."""
    if cubin[:5] != b"\x7fELF\x02":
        raise ValueError("not a 64-bit ELF file")
    table, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)

    def section(index):
        name, _, _, _, offset, length = struct.unpack_from("<IIQQQQ", cubin, table + index * size)
        return name, cubin[offset:offset + length]

    _, texts = section(names)
    code = {}
    for index in range(count):
        name_at, content = section(index)
        name = texts[name_at:texts.index(b"\0", name_at)].decode()
        if name.startswith(".text."):
            code[name.removeprefix(".text.")] = content
    return code
