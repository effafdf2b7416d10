"""readme_figures.py ROOT: the figures of ROOT/README.md from the tables of the run that they show, without the program.

Ends with 1 if a number of the block is another than the CSV files give.
"""

import csv
import pathlib
import re
import statistics
import sys

root = pathlib.Path(sys.argv[1])
run = root / "results/reference/walltime_vs_temperature_cpu"


def rows(name):
    with open(run / name, newline="", encoding="utf-8") as file:
        return {(row["drafter"], row["temperature"]): row for row in csv.DictReader(file)}


def expected():
    """@return the numbers of the block, from its first drafter on"""
    numbers = []
    cells, ledger = rows("cells_pooled.csv"), rows("ledger.csv")
    for drafter in ["prompt_lookup", "small_transformer", "feature_transformer", "lookup_transformer"]:
        for temperature in ["0", "1"]:
            row = cells[drafter, temperature]
            numbers += [f"{float(row[column]):.2f}" for column in ["speedup", "speedup_low", "speedup_high"]]
    numbers += [row["n_prompts"] for row in cells.values()][:1] + ["95"]
    predicted = {key: float(row["predicted_walltime_ns"]) for key, row in ledger.items()}
    measured = {key: float(row["walltime_ns"]) for key, row in ledger.items()}
    drafting = [key for key in ledger if key[0] != "none"]
    walltime = [abs(predicted[key] - measured[key]) / measured[key] for key in drafting]
    speedup = []
    for drafter, temperature in drafting:
        foretold = predicted["none", temperature] / predicted[drafter, temperature]
        found = measured["none", temperature] / measured[drafter, temperature]
        speedup.append(abs(foretold - found) / found)
    too_low = sum(predicted[key] < measured[key] for key in drafting)
    shares = [f"{100 * value:.1f}" for errors in (walltime, speedup) for value in (statistics.median(errors), max(errors))]
    return [*numbers, str(len(drafting)), *shares[:2], str(too_low), *shares[2:]]


block = re.search(r"<!-- figures -->\n(.*?)<!-- end figures -->", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
found = re.findall(r"\d+(?:\.\d+)?", block[block.index("| `prompt_lookup` |"):])
if found != expected():
    print(f"README.md: the figures are\n  {found}\nbut the tables of {run.name} give\n  {expected()}\nrun speclab summary and put its lines there")
    sys.exit(1)
