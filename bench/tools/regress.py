#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges whether NEW runs are slower than BASE runs, or access memory otherwise.

    bench/tools/collect.sh 9 --binary=old/benchmark --binary=new/benchmark --folder=runs -- --suite=reference
    bench/tools/regress.py runs/a_*.json -- runs/b_*.json

Each file is the JSON of one process (--benchmark_out). Nine a side are enough for 26 rows; one a side
is enough for requests and sectors (--counters-only). First stands what the runs differ in: another GPU,
clock, buffer size, cache mode or protocol is refused, as it would be another measurement; another driver
or revision is named.

A row's change is that of its medians over processes. It counts if it is larger than its floor, larger
than k times the noise of the change (the standard error of the two medians, from the row's own spread
over processes), and significant (exact permutation test over processes, corrected over rows by Holm's
method). A row that could not show a change of its floor is "insufficient", with the number of processes
that it would take; it is never "no change". Requests and sectors, of loads and stores, are compared
exactly: they do not depend on clocks or neighbours.

    bench/tools/regress.py --calibrate --policy-out=policy.toml earlier/*.json -- later/*.json   # of one build
    bench/tools/regress.py --policy=policy.toml base/*.json -- new/*.json

Exit status: 0 fine, improvements included; 1 a regression, another access pattern, or a row that is
missing, failed, skipped or interrupted though base has it; 2 cannot compare: a broken file, runs of
different kinds, nothing in common, an insufficient or implausible row. docs/comparing.md explains it all.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

try:
    import regress_statistics as arithmetic
except ModuleNotFoundError as lacking:
    print(
        f"regress.py: needs python3-numpy and python3-scipy ({lacking}): call /usr/bin/python3 {sys.argv[0]}",
        file=sys.stderr,
    )
    sys.exit(2)
import regress_report
from command_line import Parser, run
from regress_compare import CannotCompare, NotOneKind, chosen_metric, compare, direction
from regress_policy import Policy, policy_text, read_policy
from sectorbench_results import ResultFile, read_file, refuse_mixture, refuse_repeated

SEPARATOR = "\0"  # stands for "--", which argparse would drop
OUTPUTS = ("policy_out", "markdown", "json", "github_action_benchmark", "bencher", "otava_csv")
MARGIN = 2  # a proposed floor is this many times what the calibration saw: its noise is itself uncertain
LEAST_CALIBRATION = 5  # processes
HEAVY = 3  # a standard deviation so many times the robust one is made by few processes


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, and as `groups` the files of base and new, or those to calibrate from."""
    parser = Parser(
        "regress.py",
        __doc__,
        usage="regress.py [options] BASE... -- NEW...\n       regress.py --calibrate [options] FILE...",
    )
    flag = parser.add_argument
    flag("files", nargs="*", metavar="FILE", help="JSON of one process; base and new are parted by --")
    flag("--policy", metavar="FILE", help="TOML file with the seven values below; flags go before it")
    flag("--floor-percent", type=float, metavar="P", help="smallest change that counts (1.5)")
    flag("--k", type=float, metavar="K", help="times its noise that a change must exceed (5)")
    flag(
        "--alpha",
        type=float,
        metavar="A",
        help="chance that a comparison without any change reports one, over all rows (0.01)",
    )
    flag(
        "--metric",
        metavar="KEY",
        help="time_s, cpu_time, or a counter such as useful_bytes_per_second; KEY:higher or KEY:lower where "
        "nobody knows which way is better",
    )
    flag(
        "--require-same",
        metavar="KEY,...",
        help="refuse runs that differ in these context keys too; driver means cuda.driver and "
        "cuda.driver_release",
    )
    flag(
        "--allow-different",
        metavar="KEY,...",
        help="only name differences in these context keys, instead of refusing them",
    )
    flag(
        "--allow-insufficient",
        action="store_true",
        default=None,
        help="rows that cannot be judged do not make the exit status 2",
    )
    flag(
        "--counters-only",
        action="store_true",
        help="compare requests and sectors alone, measured and the model's: one process a side will do",
    )
    flag(
        "--calibrate",
        action="store_true",
        help="from runs of one build print each row's noise and propose floors for as many processes a side; "
        "earlier and later ones parted by --, or all together",
    )
    flag("--policy-out", metavar="FILE", help="with --calibrate: write them as a policy")
    flag("--markdown", metavar="FILE", help="write the report for a CI summary ($GITHUB_STEP_SUMMARY)")
    flag("--json", metavar="FILE", help="write the report for machines")
    flag(
        "--github-action-benchmark", metavar="FILE", help="write NEW for that action's customBiggerIsBetter"
    )
    flag("--bencher", metavar="FILE", help="write NEW in Bencher Metric Format")
    flag("--otava-csv", metavar="FILE", help="append NEW as one line to a CSV that Apache Otava reads")
    flag("--commit", metavar="TEXT", help="what that line is of (else the revision that the runs name)")
    options = parser.parse_intermixed_args([SEPARATOR if one == "--" else one for one in arguments])
    options.groups = [[]]
    for one in options.files:
        if one == SEPARATOR:
            options.groups.append([])
        else:
            options.groups[-1].append(one)
    if len(options.groups) > 2:
        parser.error("-- stands more than once: BASE... -- NEW...")
    if len(options.groups) < 2 and not options.calibrate:
        parser.error("say which files are base and which are new: BASE... -- NEW...")
    for name, group in zip(("base", "new"), options.groups):
        if not group:
            parser.error(f"no {name} files given" if len(options.groups) == 2 else "no files given")
    if options.policy_out and not options.calibrate:
        parser.error("--policy-out is --calibrate's")
    for key in ("markdown", "json", "github_action_benchmark", "bencher", "otava_csv", "counters_only"):
        if options.calibrate and getattr(options, key):
            parser.error(f"--{key.replace('_', '-')} goes with a comparison, not with --calibrate")
    inputs = {os.path.realpath(one) for group in options.groups for one in group}
    if options.policy and options.policy_out is None:
        inputs.add(os.path.realpath(options.policy))
    written: set[str] = set()
    for key in ("policy", *OUTPUTS):
        path = getattr(options, key)
        if path in ("", SEPARATOR):
            parser.error(f"--{key.replace('_', '-')} has no file's name")
        if not path or key == "policy":
            continue
        file = os.path.realpath(path)
        if file in inputs:
            parser.error(f"{path} is read, and would be written")
        if file in written and not (os.path.exists(file) and not os.path.isfile(file)):
            parser.error(f"--{key.replace('_', '-')}={path} would be written twice")
        written.add(file)
    return options


def policy_of(options: argparse.Namespace) -> Policy:
    policy = read_policy(options.policy) if options.policy is not None else Policy()
    values: dict[str, Any] = {
        key: getattr(options, key)
        for key in ("floor_percent", "k", "alpha", "metric", "allow_insufficient")
        if getattr(options, key) is not None
    }
    for key in ("require_same", "allow_different"):
        if getattr(options, key):
            values[key] = (*getattr(policy, key), *getattr(options, key).split(","))
    return policy.with_values("flags", values)


def read_groups(groups: Sequence[Sequence[str]]) -> list[list[ResultFile]]:
    """@raises ResultError for a file that stands twice, too: it would pass for a process of its own"""
    read = [[read_file(path) for path in group] for group in groups]
    refuse_repeated(file for group in read for file in group)
    return read


def gate(options: argparse.Namespace, policy: Policy) -> int:
    base, new = read_groups(options.groups)
    try:
        report = compare(base, new, policy, options.counters_only)
    except NotOneKind as refusal:
        print("\n".join(regress_report.head(refusal.differences, [], len(base), len(new))))
        raise
    print("\n".join(regress_report.head(report.differences, report.notes, len(base), len(new))))
    print("\n" + regress_report.table(report) + "\n\n" + regress_report.summary(report))
    if options.markdown:
        regress_report.write_file(options.markdown, regress_report.markdown(report))
    if options.json:
        regress_report.write_file(options.json, regress_report.as_json(report))
    if options.github_action_benchmark:
        text = regress_report.github_action_benchmark(new, report.metric, report.lower_is_better)
        regress_report.write_file(options.github_action_benchmark, text)
    if options.bencher:
        regress_report.write_file(options.bencher, regress_report.bencher(new, report.metric))
    if options.otava_csv:
        text = regress_report.otava_csv(new, report.metric, options.otava_csv, options.commit)
        regress_report.write_file(options.otava_csv, text)
    return report.exit_code


def calibrate(options: argparse.Namespace, policy: Policy) -> int:
    """Each row's noise over the processes of one build, and the floors that follow from it."""
    groups = read_groups(options.groups)
    files = [file for group in groups for file in group]
    processes = min(map(len, groups))
    if len(files) < LEAST_CALIBRATION:
        raise CannotCompare(f"a noise needs {LEAST_CALIBRATION} processes at least, not {len(files)}")
    refuse_mixture(files)
    metric, _ = direction(chosen_metric(policy.metric, files))
    measured = [regress_report.values_by_row(group, metric) for group in groups]
    names = [
        name
        for name in measured[0]
        if all(len(side.get(name, [])) == len(group) for side, group in zip(measured, groups))
    ]
    if not names:
        raise CannotCompare(f"no row has {metric} in all files: nothing to calibrate")
    default = policy.floor_percent
    least_processes = arithmetic.processes_for_p(policy.alpha, len(names))
    floors: dict[str, float] = {}
    width = max(map(len, names))
    hopeless = []
    print(f"{len(files)} processes, {len(names)} rows; floors for {processes} processes a side, of {metric}")
    print(f"{'row':{width}}  {'noise':>8}  {'A/A change':>10}  {'floor':>7}  a side for {default:g} %")
    for name in names:
        sides = [side[name] for side in measured]
        noise = arithmetic.robust_noise(*sides)
        heavy = arithmetic.noise(*sides) > HEAVY * noise
        shift = arithmetic.change(*sides) if len(sides) == 2 else math.nan
        seen = policy.k * arithmetic.noise_of_change(noise, processes, processes)
        if len(sides) == 2:
            seen = max(seen, abs(shift))
        floor = max(default, math.ceil(1000 * MARGIN * seen) / 10)
        if floor >= 100:
            hopeless.append(name)
        elif floor > default:
            floors[name] = floor
        needed = arithmetic.processes_for_floor(noise, default / 100, policy.k)
        remark = "  no floor will do" if floor >= 100 else "  some processes lie far off" if heavy else ""
        print(
            f"{name:{width}}  {regress_report.percent(noise, 3):>8}  "
            f"{regress_report.percent(shift, 2, '+'):>10}  {floor:5.1f} %  "
            f"{max(needed, least_processes)}{remark}"
        )
    if len(hopeless) == len(names):
        raise CannotCompare(
            f"no floor will do for any of {len(names)} rows; measure on a quieter machine or with more processes"
        )
    for name in hopeless:
        print(f"without a floor, as the machine is too noisy for it: {name}")
    for name in sorted({row.name for file in files for row in file.rows} - set(names)):
        print(f"left out, as not every file has it measured: {name}")
    if options.policy_out:
        context = files[0].context
        machine = context.get("gpu.name") or context.get("host.cpu_model", "an unnamed CPU")
        comments = (
            f"Policy of bench/tools/regress.py, from {len(files)} processes on {machine},",
            f"{context.get('date', '')}; for comparisons of {processes} processes a side. A floor is",
            f"{MARGIN} times what these runs could have shown at best, and at least floor_percent.",
        )
        calibrated = policy.with_values("--calibrate", {"floor_percent_of": floors})
        regress_report.write_file(options.policy_out, policy_text(calibrated, comments))
        print(f"wrote {options.policy_out}: {len(floors)} rows with a floor of their own")
    return 0


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    policy = policy_of(options)
    return calibrate(options, policy) if options.calibrate else gate(options, policy)


if __name__ == "__main__":
    run("regress.py", main)
