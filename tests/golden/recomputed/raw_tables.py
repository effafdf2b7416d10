"""Generations of a frozen sweep, counted from its rounds, and numbers of papers."""

import collections
import csv
import pathlib
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
SWEEPS = ROOT / "tests/golden/runs/papers"
PAPERS = ROOT / "experiments/papers"

# A generation is compared with plain decoding of the same prompt under the same law.
LAW = ("model", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "prompt_id", "repetition")


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def count_rounds(path):
    """{row_id: counts} of rounds.csv."""
    counts = collections.defaultdict(collections.Counter)
    for row in read_table(path):
        of_row = counts[row["row_id"]]
        of_row["rounds"] += 1
        of_row["hits"] += int(row["accepted"]) > 0
        for name in ("drafted", "accepted", "tested", "emitted"):
            of_row[name] += int(row[name])
        of_row["depth"] = max(of_row["depth"], int(row["depth"]))
    return counts


def generation(row, times, counts):
    """One generation. Plain decoding has no row of rounds: each of its tokens is one."""
    number = {name: int(value) for name, value in times.items() if name.endswith("_ns")}
    if row["drafter"] == "none":
        counts = collections.Counter(rounds=int(row["output_tokens"]), emitted=int(row["output_tokens"]))
    if counts["emitted"] != int(row["output_tokens"]):
        raise ValueError(f"row_id {row['row_id']}: its rounds emit {counts['emitted']} tokens, not {row['output_tokens']}")
    return types.SimpleNamespace(
        **row | {"temperature": float(row["temperature"])},
        counts=counts,
        tokens=counts["emitted"],
        walltime=number["prefill_ns"] + number["decode_ns"],
        decode=number["decode_ns"],
        steps=sum(number[f"{part}_ns"] for part in ("draft", "target", "verify", "other")),
        law=tuple(row[name] for name in LAW),
    )


def read_sweep(name, root=SWEEPS):
    """Generations in the order of rows.csv; `plain` is plain decoding of the same prompt, if it was measured."""
    folder = pathlib.Path(root) / name
    times = {row["row_id"]: row for row in read_table(folder / "times.csv")}
    counts = count_rounds(folder / "rounds.csv")
    found = [generation(row, times[row["row_id"]], counts[row["row_id"]]) for row in read_table(folder / "rows.csv")]
    plain = {each.law: each for each in found if each.drafter == "none"}
    for each in found:
        each.plain = plain.get(each.law)
    return found


def paper_mean(table, column, **keys):
    """Mean over the rows of a paper's table that have these values."""
    rows = [row for row in read_table(PAPERS / f"{table}.csv") if all(row[key] == str(value) for key, value in keys.items())]
    return sum(float(row[column]) for row in rows) / len(rows)


def row(setting, quantity, ours, reference=None):
    """A row of a measured table, as compare.py takes it. @param ours  a Ratio"""
    return {"setting": setting, "quantity": quantity, "ours": ours, "reference": reference}
