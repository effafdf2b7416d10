"""Kinds of skipped test cases, as tests/skipped_kinds.csv lists them.

A kind has a pattern of its reason, a pattern of all cases that can be skipped for it, and why none of them
may run. A kind without that last cell must run at least one of its cases.
"""

import csv
import dataclasses
import pathlib
import re

LIST = pathlib.Path(__file__).resolve().parents[2] / "tests/skipped_kinds.csv"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # "BINARY Suite.Case", or the ctest entry
    result: str  # passed, failed, skipped
    reason: str = ""  # of a skip


@dataclasses.dataclass(frozen=True)
class Kind:
    kind: str
    reason: str
    cases: str
    may_be_whole: str

    def is_of(self, case):
        return bool(re.search(self.reason, case.reason) and re.search(self.cases, case.name))


def read_kinds(path=LIST):
    with open(path, newline="", encoding="utf-8") as file:
        return [Kind(**row) for row in csv.DictReader(file)]


def of_kind(kind, cases, is_part):
    """The line of a kind, and whether it fails. @param is_part  some tests were chosen by name, so a kind may be cut"""
    skipped = [case for case in cases if case.result == "skipped" and kind.is_of(case)]
    if not skipped:
        return None, False
    others = [case for case in cases if case.result != "skipped" and re.search(kind.cases, case.name)]
    if others:
        return f"skipped {len(skipped)} of the kind {kind.kind}: {skipped[0].reason}", False
    if kind.may_be_whole:
        return f"skipped {len(skipped)}, the whole kind {kind.kind}: {kind.may_be_whole}", False
    line = f"skipped {len(skipped)}, the whole kind {kind.kind}: {skipped[0].reason}"
    return line + ("" if is_part else f"; {LIST.name} gives no reason, so this fails"), not is_part


def judged(cases, kinds, is_part=False):
    """Lines about the skipped cases, and the number of failures among them."""
    lines, failures = [], 0
    for kind in kinds:
        line, fails = of_kind(kind, cases, is_part)
        lines += [line] if line else []
        failures += fails
    for case in cases:
        if case.result == "skipped" and not any(kind.is_of(case) for kind in kinds):
            lines.append(f"skipped {case.name}: '{case.reason}' is of no kind of {LIST.name}, so this fails; "
                         "add the kind, or the case to its pattern")
            failures += 1
    return lines, failures
