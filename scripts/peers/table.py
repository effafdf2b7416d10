"""Rows of compare.py as tables: medians by category, geometric means over categories, ratios of speclab to each peer.

Intervals are 95 %, by bootstrap: prompts are drawn again within each category, then repetitions within each prompt. A
category's value is the median over its generations; a ratio is paired by prompt and repetition before the median is taken.
Fewer than LEAST_PROMPTS prompts a category say nothing about other prompts: then there is no interval.
"""

import csv
import math
from collections import defaultdict

import numpy

DRAWS = 1000
LEAST_PROMPTS = 3
METRICS = {
    "in all": lambda row: row["new_tokens"] / row["total_seconds"],
    "prompt (tokens until the first new one)": lambda row: row["prompt_tokens"] / row["first_seconds"],
    "decoding (after the first round)": lambda row: (row["new_tokens"] - row["first_tokens"]) / max(row["total_seconds"] - row["first_seconds"], 1e-9),
}
NUMBERS = ("threads", "repetition", "prompt_tokens", "new_tokens", "first_tokens", "first_seconds", "total_seconds")


def read_rows(path):
    with open(path, encoding="ascii", newline="") as file:
        return [row | {name: float(row[name]) for name in NUMBERS} for row in csv.DictReader(file)]


def run_of(row):
    """What a generation of one contestant shares with those that it is compared with."""
    return row["date"], row["revision"], row["threads"], row["prompt"], row["repetition"], row["new_tokens"]


def complete(rows):
    """The rows of those runs in which every contestant took part: a run that was broken off leaves some out."""
    contestants = {(row["system"], row["mode"]) for row in rows}
    present = defaultdict(set)
    for row in rows:
        present[run_of(row)].add((row["system"], row["mode"]))
    return [row for row in rows if present[run_of(row)] == contestants]


def samples_of(rows, system, mode, value):
    """{category: {prompt: {run: value}}}"""
    samples = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["system"] == system and row["mode"] == mode:
            samples[row["category"]][row["prompt"]][run_of(row)] = value(row)
    return samples


def ratios(above, below):
    """Paired quotients, in the same shape."""
    return {category: {prompt: {key: x / below[category][prompt][key] for key, x in values.items() if key in below[category][prompt]}
                       for prompt, values in prompts.items()} for category, prompts in above.items()}


def category_draws(prompts, random):
    """The median, and DRAWS medians of prompts and repetitions drawn again."""
    values = [numpy.array(list(of_prompt.values())) for of_prompt in prompts.values() if of_prompt]
    drawn = [numpy.median(numpy.concatenate([random.choice(values[i], len(values[i])) for i in random.integers(0, len(values), len(values))]))
             for _ in range(DRAWS)]
    return numpy.median(numpy.concatenate(values)), numpy.array(drawn)


def cells(samples, categories):
    """Per category, then for the geometric mean: (value, low, high)."""
    random = numpy.random.default_rng(1)
    drawn = [category_draws(samples[category], random) for category in categories]
    values = [value for value, _ in drawn] + [math.exp(numpy.mean([math.log(value) for value, _ in drawn]))]
    draws = [draw for _, draw in drawn] + [numpy.exp(numpy.mean([numpy.log(draw) for _, draw in drawn], axis=0))]
    return [(value, *numpy.quantile(draw, [0.025, 0.975])) for value, draw in zip(values, draws)]


def shown(cell, digits, num_prompts):
    value, low, high = cell
    return f"{value:.{digits}f}" + (f" [{low:.{digits}f}, {high:.{digits}f}]" if num_prompts >= LEAST_PROMPTS else "")


def table(title, named_samples, categories, digits):
    lines = [f"### {title}", "", "| | " + " | ".join(categories) + " | geometric mean |", "|---" * (len(categories) + 2) + "|"]
    for name, samples in named_samples:
        prompts = [len(samples[category]) for category in categories]
        texts = [shown(cell, digits, n) for cell, n in zip(cells(samples, categories), prompts + [min(prompts)])]
        lines.append(f"| {name} | " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n"


def over_own_plain(rows, modes, value):
    """speclab's modes over its plain decoding."""
    plain = samples_of(rows, "speclab", "plain", value)
    return [(f"{mode} / plain", ratios(samples_of(rows, "speclab", mode, value), plain)) for mode in modes if mode != "plain"]


def counts(rows):
    """What was run: prompts, generations, lengths, threads, dates and revisions."""
    def all_of(name):
        return ", ".join(str(int(value) if isinstance(value, float) else value) for value in sorted({row[name] for row in rows}))
    return f"{len({row['prompt'] for row in rows})} prompts, {len(rows)} generations of {all_of('new_tokens')} tokens, {all_of('threads')} threads, " \
           f"{all_of('date')}, revision {all_of('revision')}"


def prefill_markdown(all_rows):
    """Reading prompts of one length."""
    rows = complete(all_rows)
    categories = sorted({row["category"] for row in rows})
    value = METRICS["prompt (tokens until the first new one)"]
    systems = sorted({row["system"] for row in rows})
    ours = samples_of(rows, "speclab", "plain", value)
    named = [(system, samples_of(rows, system, "plain", value)) for system in systems]
    quotients = [(f"speclab / {system}", ratios(ours, samples)) for system, samples in named if system != "speclab"]
    return f"\nReading a prompt: {counts(rows)}.\n\n" + table("Reading a prompt, tokens per second", named, categories, 1) + "\n" + table("Reading a prompt, ratios", quotients, categories, 2)


def markdown(all_rows):
    rows = complete(all_rows)
    if not rows:
        raise SystemExit("no run in which every contestant took part")
    categories = sorted({row["category"] for row in rows})
    contestants = list(dict.fromkeys((row["system"], row["mode"]) for row in sorted(rows, key=lambda row: (row["system"], row["mode"]))))
    left_out = len(all_rows) - len(rows)
    parts = ["# speclab and its peers", "", f"Greedy, the same weights, prompts and lengths, interleaved: {counts(rows)}; {left_out} generations of unfinished runs left out. "
             f"Median [95 % interval, where a category has at least {LEAST_PROMPTS} prompts].", ""]
    for metric, value in METRICS.items():
        named = [(f"{system} {mode}", samples_of(rows, system, mode, value)) for system, mode in contestants]
        parts.append(table(f"Tokens per second, {metric}", named, categories, 1))
        quotients = [(f"{mode} / {system} {other}", ratios(samples_of(rows, "speclab", mode, value), samples_of(rows, system, other, value)))
                     for ours, mode in contestants if ours == "speclab" for system, other in contestants if system != "speclab"]
        parts.append(table(f"speclab over its peers, {metric}", quotients, categories, 2))
        modes = [mode for system, mode in contestants if system == "speclab"]
        parts.append(table(f"speclab over its own plain decoding, {metric}", over_own_plain(rows, modes, value), categories, 2))
    return "\n".join(parts)
