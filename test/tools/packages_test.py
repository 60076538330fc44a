# SPDX-License-Identifier: Apache-2.0
"""Whatever program the scripts and the tests run is in a package that cmake/bootstrap.sh lists."""

from __future__ import annotations

import ast
import pathlib
import re
import unittest

SOURCE_DIR = pathlib.Path(__file__).parents[2]
BOOTSTRAP = SOURCE_DIR / "cmake" / "bootstrap.sh"

# Program -> the package that brings it. Packages of these that others of the lists pull in name those.
PACKAGE_OF = {
    "c++filt": "g++", "clang++": "clang", "cmake": "cmake", "ctest": "cmake", "git": "git", "mypy": "mypy",
    "ninja": "ninja-build", "python3": "python3", "shellcheck": "shellcheck",
}
# On every Debian and Ubuntu, however small: bash, coreutils, grep, sed, findutils, dpkg, apt, libc-bin.
EVERYWHERE = {
    "apt-get", "bash", "cat", "cp", "date", "dirname", "dpkg-query", "env", "find", "grep", "head", "install",
    "ldconfig", "localedef", "ls", "mkdir", "mktemp", "mv", "nproc", "paste", "rm", "sed", "seq", "sleep",
    "sort", "tail", "tee", "touch", "tr", "true", "uname", "wc", "xargs",
}
# Where these are not, the scripts that call them say so or the tests are skipped.
MAY_BE_MISSING = {"actionlint", "clang-format", "clang-tidy", "compute-sanitizer", "cuobjdump", "ncu", "nvcc",
                  "nvidia-smi", "sudo"}
# For the record of a GPU, the pictures and releases: no part of the README's two commands.
BESIDE = {"docs/results", "docs/pictures", "docs/micro_world", "test/lint.sh", "test/bare_machine.sh"}

KEYWORDS = set("if then else elif fi for in do done while until case esac function select time { } ! [[ ]] (( ))"
               .split())
BUILTINS = set(". : [ break cd command compgen continue declare echo eval exec exit export false hash kill local mapfile"
               " printf pwd read readonly return set shift shopt source test trap true type ulimit umask unset"
               " wait".split())
CALLS = {"run", "Popen", "check_call", "check_output", "call"}


def listed_packages() -> set[str]:
    text = BOOTSTRAP.read_text("utf-8")
    lists = re.findall(r"^readonly (?:build|test)_packages=\(([^)]*)\)", text, re.M)
    return set(" ".join(lists).split())


def programs_of_python(text: str) -> set[str]:
    """First words of the lists that subprocess's functions are given, where they are literal."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0]
        if name in CALLS and isinstance(first, ast.List) and first.elts:
            word = first.elts[0]
            if isinstance(word, ast.Constant) and isinstance(word.value, str):
                found.add(word.value)
    return {word for word in found if "/" not in word and not word.startswith("-")}


def programs_of_shell(text: str) -> set[str]:
    """Words in the place of a command, but for the shell's own and for functions of the script."""
    functions = set(re.findall(r"^\s*(\w+)\(\) *\{", text, re.M))
    text = re.sub(r"(?m)(^|\s)#.*$", r"\1", text)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"\(\(.*?\)\)", "", text)  # arithmetic
    text = re.sub(r"'[^']*'", "''", text)
    text = re.sub(r"(?ms)<<'?(\w+)'?\n.*?^\1$", "", text)
    # Of what stands in quotes only the commands whose output it takes.
    text = re.sub(r'"[^"]*"', lambda quoted: '""' + " ".join(re.findall(r"\$\([^()]*\)", quoted[0])), text)
    text = re.sub(r"\+?=\((?:[^()]|\([^)]*\))*\)", "=", text)  # lists
    found = set()
    for line in text.splitlines():
        line = re.sub(r"^\s*[^\s()]+(\s*\|\s*[^\s()]+)*\)\s", " ", line)  # the pattern of a case
        for piece in re.split(r"\|\||&&|[|;]|\$\(|<\(", line):
            words = piece.split()
            if words and words[0] in ("for", "case", "select"):
                continue
            while words and (words[0] in KEYWORDS or re.match(r"\w+\+?=", words[0])):
                words.pop(0)
            if words and re.fullmatch(r"[a-z][a-z0-9+_-]*", words[0]):
                found.add(words[0])
    return found - functions - BUILTINS - KEYWORDS


def is_beside(path: pathlib.Path) -> bool:
    name = path.relative_to(SOURCE_DIR).as_posix()
    return any(name == one or name.startswith(one + "/") for one in BESIDE)


class Packages(unittest.TestCase):
    def unlisted(self, programs: set[str]) -> dict[str, str]:
        listed = listed_packages()
        return {
            program: PACKAGE_OF.get(program, "no package of the table")
            for program in programs - EVERYWHERE - MAY_BE_MISSING
            if PACKAGE_OF.get(program) not in listed
        }

    def test_programs_of_the_scripts_are_listed(self) -> None:
        scripts = [path for folder in ("bench", "cmake", "test", ".ci") for path in (SOURCE_DIR / folder).rglob("*")
                   if (path.suffix == ".sh" or path.name == "run") and path.is_file() and not is_beside(path)]
        shared = BOOTSTRAP.read_text("utf-8")
        functions = set(re.findall(r"^(\w+)\(\) *\{", shared, re.M))
        self.assertGreaterEqual(len(scripts), 5)
        programs = set().union(*(programs_of_shell(path.read_text("utf-8")) for path in scripts)) - functions
        self.assertLessEqual({"cmake", "ctest", "sed"}, programs, "the scripts could not be read")
        self.assertEqual(self.unlisted(programs), {})

    def test_programs_of_the_tests_are_listed(self) -> None:
        files = [path for folder in ("bench", "test") for path in (SOURCE_DIR / folder).rglob("*.py")
                 if not is_beside(path)]
        programs = set().union(*(programs_of_python(path.read_text("utf-8")) for path in files))
        self.assertIn("git", programs)
        self.assertEqual(self.unlisted(programs), {})

    def test_what_nobody_lists_is_found(self) -> None:
        shell = 'cp a b | jq .x\nif ! curl "$url"; then die "no"; fi\ndie() { exit 1; }\nx=$(bc <<<1)\n# wget\n'
        self.assertEqual(programs_of_shell(shell), {"cp", "jq", "curl", "bc"})
        python = 'subprocess.run(["rsync", a], check=True)\nrun([BENCHMARK])\nsubprocess.run(["/bin/x"])\n'
        self.assertEqual(programs_of_python(python), {"rsync"})
        self.assertEqual(self.unlisted({"rsync", "git", "sed"}), {"rsync": "no package of the table"})


if __name__ == "__main__":
    unittest.main()
