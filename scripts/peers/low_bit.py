#!/usr/bin/env python3
"""speclab's low-bit arithmetics beside llama.cpp on the same file, and on its Q4_0, which llama.cpp runs fastest. Called by
scripts/compare_peers --low-bit, which describes the options.

Rows: tokens a second of decoding after the prompt, and milliseconds of a forward of eight rows. All contestants take turns, prompt by
prompt. A file in Q4_0 is made of the given one, for its time alone.
"""

import argparse
import csv
import datetime
import math
import os
import random
import statistics
import sys

import numpy

from compare import ROOT, read_prompts, revision
from contestants import Peer, Speclab

COLUMNS = ["date", "revision", "threads", "model", "system", "mode", "category", "prompt", "tokens_per_s", "forward_ms"]
CATEGORIES = ["chat", "code_editing", "extraction", "mathematics", "summarisation", "translation"]
COPYING = ["code_editing", "extraction", "summarisation"]
LOOKUP = ["--drafter", "prompt_lookup", "--speculation-length", "7"]
DRAWS = 2000


class LowBitSpeclab(Speclab):
    """`speclab generate` in several arithmetics; the rounds tell the time of forwards of eight rows."""

    options = {
        "plain bfloat16": ["--drafter", "plain", "--dtype", "bfloat16"],
        "plain auto": ["--drafter", "plain"],
        "plain int8": ["--drafter", "plain", "--activations", "int8"],
        "lookup int8": [*LOOKUP, "--activations", "int8"],
    }

    def __init__(self, program, threads, model):
        super().__init__(program, threads, "", "cpu")
        self.command += ["--model", model]
        self.modes = list(self.options)

    def generate(self, mode, ids, new_tokens):
        result = self.run("--prompt-ids", ",".join(map(str, ids)), "--max-new-tokens", str(new_tokens), *self.options[mode])
        eight = [r["target_seconds"] * 1e3 for r in result["rounds"] if r["rows"] == 8]
        return {"tokens_per_s": new_tokens / result["decode_seconds"], "forward_ms": statistics.median(eight) if eight else ""}


class LlamaCpp:
    """A worker on one file; `rows_8` times forwards."""

    def __init__(self, name, path, threads, logs):
        self.peer = Peer(name, "llama_cpp_worker.py", [path, threads], logs)
        self.name, self.modes = name, self.peer.modes

    def generate(self, mode, ids, new_tokens):
        answer = self.peer.generate(mode, ids, new_tokens)
        if mode == "rows_8":
            return {"tokens_per_s": "", "forward_ms": answer["total_seconds"] / new_tokens * 1e3}
        seconds = answer["total_seconds"] - answer["first_seconds"]
        return {"tokens_per_s": (new_tokens - answer["first_tokens"]) / seconds, "forward_ms": ""}


def parse_options():
    parser = argparse.ArgumentParser(prog="compare_peers --low-bit")
    parser.add_argument("--model", required=True, help="GGUF file")
    parser.add_argument("--name", default="smollm2-135m", help="name of the model in speclab's catalogue")
    parser.add_argument("--prompts", type=int, default=2, help="per category")
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--new-tokens", type=int, default=64)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--categories", default=",".join(CATEGORIES))
    parser.add_argument("--without-q4-0", action="store_true")
    parser.add_argument("--speclab", default=os.path.join(ROOT, "build", "release", "speclab"))
    parser.add_argument("--output", default=os.path.join(ROOT, "results", "runs", "peers_low_bit"))
    return parser.parse_args()


def in_q4_0(path, folder):
    """The model requantised to Q4_0 with its head in Q8_0, as llama.cpp's own tool leaves tied heads."""
    import llama_cpp
    made = os.path.join(folder, os.path.basename(path) + ".q4_0.gguf")
    if not os.path.exists(made):
        parameters = llama_cpp.llama_model_quantize_default_params()
        parameters.ftype = llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0
        parameters.allow_requantize = True
        if llama_cpp.llama_model_quantize(path.encode(), made.encode(), parameters) != 0:
            raise SystemExit(f"llama.cpp cannot requantise {path}")
    return made


def start_all(options):
    logs = os.path.join(options.output, "logs")
    os.makedirs(logs, exist_ok=True)
    contestants = [LowBitSpeclab(options.speclab, options.threads, options.name), LlamaCpp("llama.cpp", options.model, options.threads, logs)]
    if not options.without_q4_0:
        contestants.append(LlamaCpp("llama.cpp Q4_0", in_q4_0(options.model, logs), options.threads, logs))
    return contestants


def measure(options, contestants):
    prompts = read_prompts(options, contestants[0])
    pairs = [(contestant, mode) for contestant in contestants for mode in contestant.modes]
    order, rows = random.Random(1), []
    about = {"date": datetime.date.today().isoformat(), "revision": revision(options.speclab), "threads": options.threads, "model": options.name}
    for contestant, mode in pairs:
        contestant.generate(mode, prompts[0][2], 8)
    for repetition in range(options.repetitions):
        for number, (category, name, ids) in enumerate(prompts):
            for contestant, mode in order.sample(pairs, len(pairs)):
                rows.append(about | {"system": contestant.name, "mode": mode, "category": category, "prompt": name} | contestant.generate(mode, ids, options.new_tokens))
            print(f"repetition {repetition + 1}/{options.repetitions}, prompt {number + 1}/{len(prompts)}", file=sys.stderr)
    return rows


def values(rows, system, mode, column, categories):
    """{prompt: [value of each repetition]}"""
    found = {}
    for row in rows:
        if row["system"] == system and row["mode"] == mode and row["category"] in categories and row[column] != "":
            found.setdefault(row["prompt"], []).append(row[column])
    return found


def ratio(above, below):
    """Median over prompts of the ratio of medians, with its 95 % bootstrap interval over prompts."""
    ratios = numpy.array([statistics.median(above[prompt]) / statistics.median(below[prompt]) for prompt in above if prompt in below])
    if len(ratios) == 0:
        return "no data"
    draws = numpy.random.default_rng(1).choice(ratios, (DRAWS, len(ratios)))
    low, high = numpy.quantile(numpy.median(draws, axis=1), [0.025, 0.975])
    return f"{numpy.median(ratios):.2f} [{low:.2f}, {high:.2f}], {len(ratios)} prompts"


def best_mode(rows, systems, modes, categories):
    """The fastest of theirs over these prompts, by the geometric mean."""
    def speed(pair):
        of_prompts = values(rows, *pair, "tokens_per_s", categories).values()
        return math.exp(statistics.mean(math.log(statistics.median(each)) for each in of_prompts))
    return max(((system, mode) for system in systems for mode in modes), key=speed)


def table(rows, contestants):
    theirs, every = [c.name for c in contestants[1:]], list(dict.fromkeys(row["category"] for row in rows))
    copying = [category for category in COPYING if category in every]
    ours = lambda mode, column, categories: values(rows, "speclab", mode, column, categories)
    lines = ["| ours | theirs | ratio of medians |", "|---|---|---|"]
    for system in theirs:
        for mode in ("plain bfloat16", "plain auto", "plain int8"):
            lines.append(f"| {mode}, tokens a second | {system} plain | {ratio(ours(mode, 'tokens_per_s', every), values(rows, system, 'plain', 'tokens_per_s', every))} |")
        inverse = ratio(values(rows, system, "rows_8", "forward_ms", every), ours("lookup int8", "forward_ms", every))
        lines.append(f"| int8, forwards of eight rows a second | {system} | {inverse} |")
    system, mode = best_mode(rows, theirs, ["plain", "prompt_lookup_5", "prompt_lookup_10"], copying)
    lines.append(f"| lookup int8 on {', '.join(copying)} | {system} {mode}, their best | {ratio(ours('lookup int8', 'tokens_per_s', copying), values(rows, system, mode, 'tokens_per_s', copying))} |")
    for category in copying:
        lines.append(f"| lookup int8 on {category} | {theirs[0]} plain | {ratio(ours('lookup int8', 'tokens_per_s', [category]), values(rows, theirs[0], 'plain', 'tokens_per_s', [category]))} |")
    medians = ["", "| system | mode | median tokens a second | median ms of eight rows |", "|---|---|---|---|"]
    for contestant in contestants:
        for mode in contestant.modes:
            cells = [[v for each in values(rows, contestant.name, mode, column, every).values() for v in each] for column in ("tokens_per_s", "forward_ms")]
            medians.append(f"| {contestant.name} | {mode} | " + " | ".join(f"{statistics.median(cell):.1f}" if cell else "" for cell in cells) + " |")
    return "\n".join(lines + medians) + "\n"


def main():
    options = parse_options()
    os.makedirs(options.output, exist_ok=True)
    contestants = start_all(options)
    rows = measure(options, contestants)
    with open(os.path.join(options.output, f"{options.name}.csv"), "w", encoding="ascii", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    text = table(rows, contestants)
    with open(os.path.join(options.output, f"{options.name}.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
