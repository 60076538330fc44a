# SPDX-License-Identifier: Apache-2.0
"""What counts as a change for a project: the policy file of bench/tools/regress.py, in TOML.

    floor_percent = 1.5            # a smaller change of a row never counts
    k = 5                          # nor does one within k times the noise of the row's change
    alpha = 0.01                   # chance that a comparison without any change reports one, over all rows
    metric = "default"             # the device's, or a key: "time_s", "cpu_time", "my_counter:higher"
    require_same = ["driver"]      # context keys whose difference is refused though it need not be
    allow_different = []           # context keys whose difference is only named though it would be refused
    allow_insufficient = false     # rows that cannot be judged do not fail the comparison

    [floor_percent_of]             # other floors, by row; the first pattern that fits counts
    "stride/copy/*/stride:32" = 3  # * and ? as in a shell

Every key may be left out. `regress.py --calibrate=FILE` writes such a file from runs without a change.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any

from command_line import Failure, printable, read_text


class PolicyError(Failure):
    """A policy file that does not say what it should, in one line with file and place."""


@dataclass(frozen=True)
class Policy:
    floor_percent: float = 1.5
    k: float = 5
    alpha: float = 0.01
    metric: str = "default"
    require_same: tuple[str, ...] = ()
    allow_different: tuple[str, ...] = ()
    allow_insufficient: bool = False
    floor_percent_of: dict[str, float] = field(default_factory=dict)

    def floor(self, row: str) -> float:
        """Smallest change of the row that counts, as a share."""
        return (
            next(
                (percent for glob, percent in self.floor_percent_of.items() if fnmatchcase(row, glob)),
                self.floor_percent,
            )
            / 100
        )

    def unused(self, rows: Iterable[str]) -> list[str]:
        """Patterns of floors that fit none of the rows."""
        names = list(rows)
        return [
            glob for glob in self.floor_percent_of if not any(fnmatchcase(name, glob) for name in names)
        ]

    def with_values(self, place: str, values: dict[str, Any]) -> Policy:
        """This policy with other values, which are checked. @raises PolicyError, beginning with `place`"""
        known = [one.name for one in fields(self)]
        checked: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                raise PolicyError(f"{place}: {printable(key)[:80]}: unknown; known are {', '.join(known)}")
            checked[key] = _checked(f"{place}: {key}", key, value)
        return replace(self, **checked)


def read_policy(path: str) -> Policy:
    """@raises Failure"""
    text = read_text(path)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise PolicyError(f"{path}: not TOML: {what[:200]}") from None
    return Policy().with_values(path, values)


def policy_text(policy: Policy, comments: Iterable[str]) -> str:
    """The policy as TOML, after the comments."""
    lines = [f"# {one}" for one in comments] + [""]
    for one in fields(policy):
        value = getattr(policy, one.name)
        if not isinstance(value, dict):
            lines.append(f"{one.name} = {json.dumps(list(value) if isinstance(value, tuple) else value)}")
    if policy.floor_percent_of:
        lines += ["", "[floor_percent_of]"]
        lines += [f"{json.dumps(glob)} = {percent:g}" for glob, percent in policy.floor_percent_of.items()]
    return "\n".join(lines) + "\n"


def _checked(place: str, key: str, value: Any) -> Any:
    if key in ("require_same", "allow_different"):
        if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) and one for one in value):
            raise PolicyError(
                f'{place}: {_shown(value)} is no list of keys such as ["driver"]'
            )
        return tuple(value)
    if key == "metric":
        if not isinstance(value, str) or not value:
            raise PolicyError(f'{place}: {_shown(value)} is no name such as "time_s"')
        return value
    if key == "allow_insufficient":
        if not isinstance(value, bool):
            raise PolicyError(f"{place}: {_shown(value)} is neither true nor false")
        return value
    if key == "floor_percent_of":
        if not isinstance(value, dict):
            raise PolicyError(
                f'{place}: {_shown(value)} is no table of lines such as "stride/*" = 3'
            )
        return {
            glob: _number(f"{place}: {_shown(glob)}", percent, 0, 100)
            for glob, percent in value.items()
        }
    return _number(place, value, 0, {"floor_percent": 100, "k": 100, "alpha": 1}[key])


def _shown(value: Any) -> str:
    """A value of a file in a message: not all of it."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _number(place: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low < value < high:
        raise PolicyError(
            f"{place}: {_shown(value)} is no number between {low:g} and {high:g}"
        )
    return value
