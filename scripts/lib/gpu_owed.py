"""gpu_owed.py ROOT RESULTS KERNELS STEP...: the steps, one a line, that no run of RESULTS/reference/gpu_*/steps.csv paid at these kernels.

A row pays its step if its outcome is done, its kernels are KERNELS, a device wrote it and its file is committed as it stands. RESULTS is where results/ of the tree lies now.
"""

import csv
import pathlib
import subprocess
import sys

COLUMNS = ["step", "kernels", "revision", "device", "date", "seconds", "outcome"]
OUTCOMES = ["done", "failed", "limit"]


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(3)


def rows_of(path):
    """@return the rows; a damaged table ends the program, since it would hide what was done"""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, strict=True)) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        fail(f"{path}: {error}")
    if header != COLUMNS:
        fail(f"{path}:1: the columns are {','.join(header)}; allowed: {','.join(COLUMNS)}")
    for line, row in enumerate(rows, 2):
        if len(row) != len(COLUMNS) or row[-1] not in OUTCOMES:
            fail(f"{path}:{line}: {','.join(row)!r}; allowed: {len(COLUMNS)} columns, the last one of {', '.join(OUTCOMES)}")
    return [dict(zip(COLUMNS, row)) for row in rows]


def is_committed(root, name, path):
    """Whether the last commit holds the file as it stands; true where git does not answer."""
    try:
        committed = subprocess.run(["git", "-C", root, "show", f"HEAD:{name}"], capture_output=True, check=False)
        has_history = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, check=False).returncode == 0
    except OSError:
        return True
    return not has_history or (committed.returncode == 0 and committed.stdout == path.read_bytes())


def main():
    root, results, kernels, *steps = sys.argv[1:]
    paid = set()
    for path in sorted(pathlib.Path(results).glob("reference/gpu_*/steps.csv")):
        counted = {row["step"] for row in rows_of(path) if row["outcome"] == "done" and row["kernels"] == kernels and row["device"] != "emulated"}
        name = "results/" + path.relative_to(results).as_posix()
        if counted and not is_committed(root, name, path):
            print(f"{name} does not count: it is not committed as it stands", file=sys.stderr)
            continue
        paid |= counted
    for step in steps:
        if step not in paid:
            print(step)


main()
