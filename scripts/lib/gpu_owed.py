"""gpu_owed.py ROOT RESULTS KERNELS STEP...: the steps, one a line, that no run of RESULTS/reference/gpu_*/steps.csv paid at these kernels.

A row pays its step if its outcome is done, its kernels are KERNELS and a device wrote it. RESULTS is where results/ of the tree lies now.
"""

import csv
import pathlib
import subprocess
import sys

COLUMNS = ["step", "kernels", "revision", "device", "date", "seconds", "outcome"]


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            print(f"{path}:1: the columns are {','.join(reader.fieldnames or [])}; allowed: {','.join(COLUMNS)}", file=sys.stderr)
            sys.exit(3)
        return list(reader)


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
            print(f"{name} counts, but is not committed as it stands", file=sys.stderr)
        paid |= counted
    for step in steps:
        if step not in paid:
            print(step)


main()
