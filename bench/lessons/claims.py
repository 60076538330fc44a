#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Claims that people repeat about memory access, checked against recorded files.

    bench/lessons/claims.py                               # writes docs/claims.md from the files of docs/results/

    build/release/benchmark --suite=bench/lessons/claims_rows.txt --benchmark_out=mine.json
    bench/lessons/claims.py --check mine.json             # the verdicts for your own GPU
    bench/lessons/claims.py --check mine.json --claim=halves   # one of them, with its threshold and its evidence

A claim holds, fails, or cannot be told from the record; the last says what the record lacks. Each is
decided within one file, as two cards or two runs differ by themselves: of several files of one GPU the
first that can decide does. The claims are data, in claims_table.py. Exit status: 0 whatever the verdicts
are, or 2 if a file cannot be read or decides no claim.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
import sectorbench_results as results
from command_line import WRONG, Parser, run, say
from claims_record import CannotTell, Finding, Record
from claims_table import CLAIMS, SAID, Claim, Source

DOCS = Path(__file__).resolve().parents[2] / "docs"

# Name of the column -> what it is, and its files; the first that can decide a claim does.
RECORDS: dict[str, tuple[str, list[str]]] = {
    "H200": ("NVIDIA H200, recorded", ["results/h200/claims.json", "results/h200/full_claims.json"]),
    "T4": ("Tesla T4, figures that others published", ["results/t4/published.json"]),
    "CPU": ("two cores of an Intel Xeon, recorded", ["results/cpu/claims.json", "results/cpu/default.json"]),
}


@dataclass(frozen=True)
class Verdict:
    """What the files of one machine say of a claim."""

    finding: Finding | None  # None: it cannot be told
    reason: str  # why not
    path: str  # the file that decided
    evidence: dict[str, list[str]]  # row -> figures

    @property
    def word(self) -> str:
        if self.finding is None:
            return "cannot be told"
        return "holds" if self.finding.holds else "fails"


def judge(claim: Claim, files: list[results.ResultFile]) -> Verdict:
    """The verdict of the first of a machine's files that can decide; else the first file's reason."""
    reasons = []
    for file in files:
        record = Record(file)
        try:
            if claim.gpu_only and not record.on_gpu:
                raise CannotTell("it is about GPUs")
            return Verdict(claim.check.of(record), "", file.path, record.asked)
        except CannotTell as reason:
            reasons.append(str(reason))
    return Verdict(None, reasons[0], "", {})


def all_claims() -> list[Claim]:
    return [claim for group in CLAIMS.values() for claim in group]


def document(groups: dict[str, list[Claim]] = CLAIMS) -> str:
    """docs/claims.md: the claims of the groups that some recorded file decides."""
    machines = {
        name: [results.read_file(DOCS / path) for path in paths] for name, (_, paths) in RECORDS.items()
    }
    verdicts = {
        claim.key: [judge(claim, files) for files in machines.values()]
        for claims in groups.values() for claim in claims
    }
    decided = {
        group: [claim for claim in claims if any(verdict.finding for verdict in verdicts[claim.key])]
        for group, claims in groups.items()
    }
    claims = [claim for in_group in decided.values() for claim in in_group]
    sources = list(dict.fromkeys(claim.source for claim in claims if claim.source is not SAID))
    lines = [INTRODUCTION, f"| claim | {' | '.join(machines)} |", "|---" * (1 + len(machines)) + "|"]
    for claim in claims:
        lines.append(f"| [{claim.sentence}](#{claim.key}) | {' | '.join(map(_cell, verdicts[claim.key]))} |")
    lines.append("| hold, fail, cannot be told | " + " | ".join(
        _tally([verdicts[claim.key][at] for claim in claims]) for at in range(len(machines))
    ) + " |")
    lines.append(CHECKS)
    for name, (what, paths) in RECORDS.items():
        links = ", ".join(f"[{path}]({path})" for path in paths)
        revisions = {file.context.get("sectorbench.revision", "none") for file in machines[name]}
        lines.append(f"- **{name}**: {what}; {links}; revision {', '.join(sorted(revisions))}.")
    for group, in_group in decided.items():
        lines += ["", f"### {group}", ""]
        for claim in in_group:
            number = f" [{sources.index(claim.source) + 1}]" if claim.source in sources else ""
            note = f" {claim.note}" if claim.note else ""
            lines.append(_wrapped(f'- <a id="{claim.key}"></a>{claim.key}: {claim.check.text}{number}.{note}'))
    lines += ["", "## Sources", ""]
    for number, source in enumerate(sources, 1):
        looked_up = f" ({source.looked_up})" if source.looked_up else ""
        lines.append(_wrapped(f"{number}. {_cited(source)}{looked_up}"))
    return "\n".join(lines) + "\n"


INTRODUCTION = """\
# Claims about memory access

<!-- Written by bench/lessons/claims.py from recorded files; a test compares. Change bench/lessons/claims_table.py. -->

Sentences that people repeat, each checked against recorded files. A verdict is of one machine, with the figures
compared; a cell is empty where no file can tell.
"""

CHECKS = """
For your own GPU, and for one claim with its rows and figures:

```sh
build/release/benchmark --suite=bench/lessons/claims_rows.txt --benchmark_out=mine.json
bench/lessons/claims.py --check mine.json
```

```sh runnable
bench/lessons/claims.py --check docs/results/h200/full_claims.json --claim=misaligned_fifth
```

## Checks

`time(row)` is the median of its samples, or the mean if only that was published; `rate(row)` useful bytes per
second; `sectors(row)` counted sectors of a load request; other names are [keys](counters.md). `=` allows 1 %. Times
differ if they do by 2 %, as cards of one kind do ([results](results/README.md)); "costs nothing" allows 5 %. Rows
that fit in a cache say nothing about memory. A number names the [source](#sources) of a claim; others are often said.
A claim is decided by one file, a machine's first that can:
"""


def _wrapped(line: str) -> str:
    hanging = "  " if line.startswith("- ") else "   "
    return textwrap.fill(line, 110, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _cited(source: Source) -> str:
    return f"{source.kind}, {source.title}"


def _cell(verdict: Verdict) -> str:
    return f"{verdict.word} ({verdict.finding.figure})" if verdict.finding else ""


def _tally(verdicts: list[Verdict]) -> str:
    words = [verdict.word for verdict in verdicts]
    return ", ".join(str(words.count(word)) for word in ("holds", "fails", "cannot be told"))


def check(paths: list[str], only: str | None) -> int:
    """Prints the verdicts for the machines of the files. Exit status, as `main`."""
    claims = [claim for claim in all_claims() if only in (None, claim.key)]
    if not claims:
        keys = ", ".join(claim.key for claim in all_claims())
        return _error(f"--claim={only}: there is no such claim; known are: {keys}")
    machines: dict[str, list[results.ResultFile]] = {}
    for path in paths:
        file = results.read_file(path)
        if file.predicted:
            return _error(f"{path}: backend: a prediction of --predict, and no record of what a machine did")
        machines.setdefault(_machine(file), []).append(file)
    told = False
    for name, files in machines.items():
        verdicts = [judge(claim, files) for claim in claims]
        told = told or any(verdict.finding for verdict in verdicts)
        print(f"{name}: {', '.join(file.path for file in files)}")
        for claim, verdict in zip(claims, verdicts):
            print(f"  {verdict.word:14}  {claim.key:18}  {claim.sentence}")
            said = verdict.finding.figure if verdict.finding else verdict.reason
            print(f"  {'':14}  {'':18}  {said}")
            if only:
                _print_evidence(claim, verdict)
        print(f"  hold, fail, cannot be told: {_tally(verdicts)}")
    if not told:
        return _error(
            f"{', '.join(paths)}: decides none of the claims; record their rows with "
            "benchmark --suite=bench/lessons/claims_rows.txt --benchmark_out=FILE, on one GPU"
        )
    return 0


def _print_evidence(claim: Claim, verdict: Verdict) -> None:
    print(f"  holds if: {claim.check.text}")
    print(f"  source: {_cited(claim.source)}")
    for row, figures in verdict.evidence.items():
        print(f"  {row}: {', '.join(figures)} ({verdict.path})")
    if claim.note:
        print(f"  {claim.note}")


def _machine(file: results.ResultFile) -> str:
    """Files with this in common are of one machine."""
    if file.context.get("backend") == "host":
        return file.context.get("host.cpu_model", "CPU")
    return " ".join(file.context.get(key, "") for key in ("gpu.name", "gpu.uuid")).strip() or "unknown GPU"


def _error(text: str) -> int:
    say("claims.py", text)
    return WRONG


def _write(path: Path, text: str) -> None:
    """The file appears whole or not at all."""
    scratch = path.with_name(path.name + ".tmp")
    scratch.write_text(text, encoding="ascii")
    scratch.replace(path)


def main(arguments: list[str]) -> int:
    parser = Parser("claims.py", __doc__)
    parser.add_argument(
        "--check", nargs="+", metavar="FILE", help="JSON of --benchmark_out: print verdicts, write nothing"
    )
    parser.add_argument("--claim", metavar="KEY", help="with --check: this claim only, with its evidence")
    options = parser.parse_args(arguments)
    if options.check:
        return check(options.check, options.claim)
    if options.claim:
        return _error(f"--claim={options.claim} goes with --check FILE")
    text = document()
    try:
        _write(DOCS / "claims.md", text)
    except OSError as error:
        return _error(str(error))
    return 0


if __name__ == "__main__":
    run("claims.py", main)
