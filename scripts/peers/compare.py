#!/usr/bin/env python3
"""Runs all contestants over the same prompts in an order shuffled anew for each, and appends a row a generation. Called by
scripts/compare_peers, which describes the options."""

import argparse
import csv
import datetime
import glob
import hashlib
import os
import random
import subprocess
import sys
import tomllib

import table
from contestants import start_all
from measuring_order import in_turn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ["date", "revision", "threads", "system", "mode", "category", "prompt", "repetition", "prompt_tokens", "new_tokens",
           "first_tokens", "first_seconds", "total_seconds", "output_sha256"]


def parse_options():
    parser = argparse.ArgumentParser(prog="compare_peers")
    parser.add_argument("--model", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--prompts", type=int, help="per category (3; quick 1)")
    parser.add_argument("--repetitions", type=int, help="(3; quick 2)")
    parser.add_argument("--new-tokens", type=int, help="(128; quick 64)")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--categories", help="some of them, parted by commas")
    parser.add_argument("--speclab", default=os.path.join(ROOT, "build", "release", "speclab"))
    parser.add_argument("--output", help="(results/runs/peers_DEVICE)")
    parser.add_argument("--prefill-tokens", type=int, default=400)
    parser.add_argument("--prefill-repetitions", type=int, help="(10; quick 4)")
    parser.add_argument("--in-turn", help="modes, parted by commas: one after the other in this order, and no others")
    parser.add_argument("--table-only", action="store_true")
    options = parser.parse_args()
    options.output = options.output or os.path.join(ROOT, "results", "runs", "peers_" + options.device)
    usual = (1, 2, 64, 4) if options.quick else (3, 3, 128, 10)
    for name, value in zip(("prompts", "repetitions", "new_tokens", "prefill_repetitions"), usual):
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def read_prompts(options, speclab):
    """[(category, id, ids)], the first `options.prompts` of each category."""
    folder = os.path.join(ROOT, "experiments", "prompts", "core")
    wanted = options.categories.split(",") if options.categories else [name[:-5] for name in sorted(os.listdir(folder))]
    prompts = []
    for category in wanted:
        with open(os.path.join(folder, category + ".toml"), "rb") as file:
            for prompt in tomllib.load(file)["prompt"][:options.prompts]:
                prompts.append((category, prompt["id"], speclab.prompt_ids(prompt["text"])))
    return prompts


def append_rows(path, rows):
    new = not os.path.exists(path)
    with open(path, "a", encoding="ascii", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def revision(program):
    """Of the speclab that takes part."""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return version.split("revision ")[1].strip(")\n")


def prefill_prompts(prompts, num_tokens):
    """The longest prompt of each category, repeated and cut to `num_tokens`; all in one category of their own."""
    longest = {category: (name, ids) for category, name, ids in sorted(prompts, key=lambda prompt: len(prompt[2]))}
    return [(f"prefill_{num_tokens}", name, (ids * (num_tokens // len(ids) + 1))[:num_tokens]) for name, ids in longest.values()]


def row(answer, new_tokens, contestant, mode, name):
    """The answer as columns. Ends the program if it is not the work that was asked for."""
    output = answer.pop("output_ids")
    if len(output) != new_tokens:
        raise SystemExit(f"{contestant.name} {mode} gave {len(output)} tokens instead of {new_tokens} on {name}: not the same work")
    return answer | {"system": contestant.name, "mode": mode, "prompt": name, "output_sha256": hashlib.sha256(",".join(map(str, output)).encode()).hexdigest()[:16]}


def measure(pairs, prompts, repetitions, new_tokens, about, path):
    order = random.Random(1)
    for contestant, mode in pairs:
        contestant.generate(mode, prompts[0][2], 8)
    for repetition in range(repetitions):
        for number, (category, name, ids) in enumerate(prompts):
            for contestant, mode in order.sample(pairs, len(pairs)):
                answer = row(contestant.generate(mode, ids, new_tokens), new_tokens, contestant, mode, name)
                append_rows(path, [about | answer | {"category": category, "repetition": repetition, "prompt_tokens": len(ids), "new_tokens": new_tokens}])
            print(f"repetition {repetition + 1}/{repetitions}, prompt {number + 1}/{len(prompts)}", file=sys.stderr)


def measure_all(options, contestants, path, prefill_path):
    """Prompts of one length, read by plain decoding; then whole generations of every mode. In turn, generations come first."""
    about = {"date": datetime.date.today().isoformat(), "revision": revision(options.speclab), "threads": options.threads}
    prompts = read_prompts(options, contestants[0])
    pairs = [(contestant, mode) for contestant in contestants for mode in contestant.modes]
    groups = in_turn(pairs, options.in_turn.split(",")) if options.in_turn else [pairs]

    def prefill():
        plain = [pair for pair in pairs if pair[1] == "plain"]
        measure(plain, prefill_prompts(prompts, options.prefill_tokens), options.prefill_repetitions, 2, about, prefill_path)

    if not options.in_turn:
        prefill()
    for group in groups:
        measure(group, prompts, options.repetitions, options.new_tokens, about, path)
    if options.in_turn:
        prefill()


def note_loads(contestants, path):
    """Seconds until each contestant that stays loaded was ready."""
    with open(path, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["system", "load_seconds"])
        for contestant in contestants:
            if contestant.load_seconds is not None:
                writer.writerow([contestant.name, f"{contestant.load_seconds:.2f}"])
                print(f"{contestant.name} loaded in {contestant.load_seconds:.1f} s", file=sys.stderr)


def newest_drafter():
    """The folder of its newest version with weights, or that of all versions."""
    folder = os.path.join(ROOT, "results", "models", "smollm2-drafter")
    versions = [os.path.dirname(path) for path in glob.glob(os.path.join(folder, "v*", "model.safetensors"))]
    return max(versions, key=lambda version: int(os.path.basename(version)[1:]), default=folder)


def main():
    options = parse_options()
    os.makedirs(options.output, exist_ok=True)
    path, prefill_path = (os.path.join(options.output, name) for name in ("rows.csv", "prefill.csv"))
    if not options.table_only:
        cache = os.environ.get("SPECLAB_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "speclab")
        contestants = start_all(options, newest_drafter(), os.path.join(cache, "logs"))
        note_loads(contestants, os.path.join(options.output, "loads.csv"))
        measure_all(options, contestants, path, prefill_path)
        for contestant in contestants:
            contestant.close()
    parts = ((path, table.markdown), (prefill_path, table.prefill_markdown))
    text = "".join(markdown(table.read_rows(rows)) for rows, markdown in parts if os.path.exists(rows))
    with open(os.path.join(options.output, "table.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
