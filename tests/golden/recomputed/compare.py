"""Compares a committed measured table with the same table recomputed from the raw tables of its sweep.

Usage: compare.py TABLE    as in: compare.py chen_table_1
It imports nothing of the project. It ends with 1 and a line for each number that differs.
"""

import math
import sys

import own_text_tables
import sweep_tables
from raw_tables import ROOT, read_table

EXPECTED = ROOT / "tests/golden/runs/papers_expected"
ROUNDING = 1e-9  # relative: the sums are the same, in another order
# Standard deviations of an end between batches of resamples. Correct programs exceed it in one of some
# 60 seeds: 30 ends, Student's t with 15 degrees of freedom. The seeds are fixed.
FARTHEST = 4.5


def number(text):
    return float(text) if text != "" else None


def differs(expected, found, tolerance=ROUNDING):
    if expected is None or found is None:
        return expected is not found
    return abs(expected - found) > tolerance * max(abs(expected), abs(found), 1e-3)


def end_differs(expected, found, spread):
    """Whether an end of an interval is farther from ours than rounding or its Monte-Carlo error allows."""
    if spread == 0 or expected is None or found is None:
        return differs(expected, found, 1e-8)
    return abs(math.log(expected / found)) > FARTHEST * spread


def differences(expected, found):
    """Lines that say where two tables of one experiment differ. @param expected  rows of comparison.csv"""
    names = [[(row["setting"], row["quantity"]) for row in table] for table in (expected, found)]
    if names[0] != names[1]:
        lost, added = set(names[0]) - set(names[1]), set(names[1]) - set(names[0])
        return [f"other rows: {sorted(lost)} are not recomputed, {sorted(added)} are not in the table"]
    lines = []
    for theirs, ours in zip(expected, found):
        ratio, reference = ours["ours"], ours["reference"]
        difference = None if reference is None else ratio.value - reference
        for column, value, is_other in (
            ("ours", ratio.value, differs(number(theirs["ours"]), ratio.value)),
            ("ours_low", ratio.low, end_differs(number(theirs["ours_low"]), ratio.low, ratio.spread[0])),
            ("ours_high", ratio.high, end_differs(number(theirs["ours_high"]), ratio.high, ratio.spread[1])),
            ("prompts", ratio.prompts, number(theirs["prompts"]) != ratio.prompts),
            ("reference", reference, differs(number(theirs["reference"]), reference)),
            ("difference", difference, differs(number(theirs["difference"]), difference)),
        ):
            if is_other:
                lines.append(f"{ours['setting']} {ours['quantity']}: {column} is {theirs[column] or 'empty'}, "
                             f"recomputed {value}")
    return lines


def recomputed(table, *root):
    for module in (sweep_tables, own_text_tables):
        if hasattr(module, table):
            return list(getattr(module, table)(*root))
    raise SystemExit(f"no recomputation of '{table}'; see the functions of sweep_tables.py and own_text_tables.py")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    table = sys.argv[1]
    lines = differences(read_table(EXPECTED / table / "comparison.csv"), recomputed(table))
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
