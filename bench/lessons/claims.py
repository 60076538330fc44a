#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ledger of claims: what people repeat about memory access, held against recorded files.

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

import os
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
import sectorbench_results as results
from command_line import WRONG, Parser, run, say
from claims_record import CannotTell, Finding, Record
from claims_table import CLAIMS, Claim, Source

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


def document() -> str:
    """docs/claims.md."""
    machines = {
        name: [results.read_file(DOCS / path) for path in paths] for name, (_, paths) in RECORDS.items()
    }
    verdicts = {
        claim.key: {name: judge(claim, files) for name, files in machines.items()} for claim in all_claims()
    }
    lines = [INTRODUCTION, "## Verdicts", "", f"| claim | {' | '.join(machines)} |"]
    lines.append("|---" * (1 + len(machines)) + "|")
    for claim in all_claims():
        words = [_marked(verdict) for verdict in verdicts[claim.key].values()]
        lines.append(f"| [{claim.sentence}](#{claim.key}) | {' | '.join(words)} |")
    lines.append("| **hold, fail, cannot be told** | " + " | ".join(
        _tally([by_name[name] for by_name in verdicts.values()]) for name in machines
    ) + " |")
    lines += ["", "Records:", ""]
    for name, (what, paths) in RECORDS.items():
        links = ", ".join(f"[{path}]({path})" for path in paths)
        revisions = {file.context.get("sectorbench.revision", "none") for file in machines[name]}
        lines.append(f"- **{name}**: {what}; {links}; revision {', '.join(sorted(revisions))}.")
    for group, claims in CLAIMS.items():
        lines += ["", f"## {group}"]
        for claim in claims:
            lines += ["", *_section(claim, verdicts[claim.key])]
    lines += ["", "## Sources", "", "| kind | title | looked up |", "|---|---|---|"]
    for source in dict.fromkeys(claim.source for claim in all_claims()):
        lines.append(f"| {source.kind} | {source.title} | {source.looked_up or '-'} |")
    return "\n".join(lines) + "\n"


INTRODUCTION = """\
# The ledger of claims

<!-- Written by bench/lessons/claims.py from recorded files; a test compares. Change bench/lessons/claims_table.py. -->

What people repeat about memory access, each sentence as a check over recorded files. A verdict is of one
machine: *holds*, *fails*, or *cannot be told* from the record, which then lacks what the line names. Each
claim is decided within one file, so that no two cards or runs are mixed. Two times differ where they do so by
2 %, as cards of one kind do ([results](results/README.md)); "costs nothing" means up to 5 %. A time is the
median of a row's samples, or the mean where that is all that was published. Sectors are counted by the
hardware, never predicted. A row that fits in a cache is no evidence about memory.

For your own GPU:

```sh
build/release/benchmark --suite=bench/lessons/claims_rows.txt --benchmark_out=mine.json
bench/lessons/claims.py --check mine.json
```

One claim with its threshold and its evidence:

```sh runnable
bench/lessons/claims.py --check docs/results/h200/full_claims.json --claim=misaligned_fifth
```

A verdict about one GPU is no law: the columns differ, and that is what the ledger is for.
"""


def _section(claim: Claim, verdicts: dict[str, Verdict]) -> list[str]:
    lines = [f"### {claim.key}", "", f"> {claim.sentence}", ""]
    lines.append(f"Source: {_cited(claim.source)}. Holds if: {claim.check.text}.")
    if claim.note:
        lines[-1] += f" {claim.note}"
    lines.append("")
    for name, verdict in verdicts.items():
        if verdict.finding is None:
            lines.append(f"- **{name}**: cannot be told: {verdict.reason}.")
            continue
        path = os.path.relpath(verdict.path, DOCS)
        rows = "; ".join(f"`{row}` {', '.join(figures)}" for row, figures in verdict.evidence.items())
        found = f"**{verdict.word}**: {verdict.finding.figure}"
        lines.append(f"- **{name}**: {found}. {rows} ([{path}]({path})).")
    return [line if line.startswith(("#", ">")) else _wrapped(line) for line in lines]


def _wrapped(line: str) -> str:
    hanging = "  " if line.startswith("- ") else ""
    return textwrap.fill(line, 110, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _cited(source: Source) -> str:
    return f"{source.kind}, {source.title}"


def _marked(verdict: Verdict) -> str:
    return "-" if verdict.finding is None else f"**{verdict.word}** ({_short(verdict.finding.figure)})"


def _short(figure: str) -> str:
    """A figure that is a sentence stands in its section only."""
    return figure if len(figure) <= 40 else "see there"


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
