#!/usr/bin/env python3
"""Decoding modes of speclab beside transformers 4.49, the last version that has them all. Called by scripts/compare_peers --modes.

First the ids and scores of both in float32 on the same weights, then tokens a second of whole calls, prompt by prompt in turns, and the
milliseconds of a step of four beams or candidates beside those of a forward of four rows.
"""

import argparse
import csv
import datetime
import os
import random
import statistics
import time

import torch
import transformers

from compare import ROOT, read_prompts, revision
from contestants import Speclab
from gguf_llama import load_llama

COLUMNS = ["date", "revision", "threads", "mode", "prompt", "system", "tokens_per_s", "step_ms"]
SUMMARY = ["date", "revision", "threads", "mode", "prompts", "speclab_tokens_per_s", "transformers_tokens_per_s", "ratio", "ratio_low",
           "ratio_high", "step_over_four_rows", "step_over_four_rows_low", "step_over_four_rows_high"]
DRAWS = 2000
BEAMS = {"num_beams": 4}
MODES = {
    "greedy_search": {"do_sample": False},
    "sample": {"do_sample": True, "temperature": 0.8},
    "assisted_generation": {"do_sample": False, "prompt_lookup_num_tokens": 5},
    "beam_search": BEAMS,
    "beam_sample": {**BEAMS, "do_sample": True, "temperature": 0.8},
    "group_beam_search": {**BEAMS, "num_beam_groups": 2, "diversity_penalty": 1.0},
    "contrastive_search": {"penalty_alpha": 0.6, "top_k": 4},
}
PARITY = [{**BEAMS, "early_stopping": early, "length_penalty": penalty, "num_return_sequences": 4}
          for early in (False, True, "never") for penalty in (0.5, 1.0, 2.0)]
PARITY += [{"penalty_alpha": alpha, "top_k": 4} for alpha in (0.3, 0.6, 0.9)]
PARITY += [{**BEAMS, "num_beam_groups": groups, "diversity_penalty": 1.0, "num_return_sequences": 2} for groups in (2, 4)]
PARITY += [MODES["greedy_search"], MODES["assisted_generation"]]
PARITY += [{**BEAMS, "no_repeat_ngram_size": 2, "num_return_sequences": 4}]


def as_option(key, value):
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return ["--" + key.replace("_", "-"), text]


class Program(Speclab):
    """`speclab generate` with keys of GenerationConfig."""

    def __init__(self, program, threads):
        super().__init__(program, threads, "", "cpu")
        self.command = [part for part in self.command if part not in ("--temperature", "0")]

    def call(self, keys, ids, new_tokens, *more):
        options = [part for key, value in keys.items() for part in as_option(key, value)]
        return self.run("--prompt-ids", ",".join(map(str, ids)), "--max-new-tokens", str(new_tokens), *options, *more)


def generate(model, keys, ids, new_tokens, scores=False):
    prompt = torch.tensor([ids])
    end = 2**31 - 1 if "prompt_lookup_num_tokens" in keys else None  # prompt lookup of 4.49 fails without any; this one never comes
    with torch.inference_mode():
        return model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=new_tokens, eos_token_id=end, pad_token_id=0,
                              return_dict_in_generate=True, output_scores=scores, **keys)


def compare_texts(program, model, prompts, new_tokens):
    """@return cases with equal ids, and the largest difference of scores among them"""
    equal, difference = 0, 0.0
    for i, keys in enumerate(PARITY):
        ids = prompts[i % len(prompts)][1]
        theirs = generate(model, keys, ids, new_tokens, scores=True)
        ours = program.call(keys, ids, new_tokens, "--dtype", "float32")
        texts = ours.get("sequences", [{"ids": ours["output_ids"]}])
        same = [one["ids"] for one in texts] == theirs.sequences[:, len(ids):].tolist()
        equal += same
        print("equal" if same else "other ids", keys, flush=True)
        scores = getattr(theirs, "sequences_scores", None)
        if same and scores is not None:
            difference = max(difference, max(abs(one["score"] - score) for one, score in zip(texts, scores.tolist())))
    return equal, difference


def timed_peer(model, keys, ids, new_tokens):
    start = time.perf_counter()
    generate(model, keys, ids, new_tokens)
    return new_tokens / (time.perf_counter() - start)


def timed_program(program, keys, ids, new_tokens):
    result = program.call(keys, ids, new_tokens)
    rate = new_tokens / (result["prefill_seconds"] + result["decode_seconds"])
    return rate, result["decode_seconds"] / result["steps"] * 1e3 if "steps" in result else ""


def four_rows_ms(program, ids, new_tokens):
    result = program.call({"temperature": 0}, ids, new_tokens, "--drafter", "prompt_lookup", "--speculation-length", "3")
    times = [one["target_seconds"] * 1e3 for one in result["rounds"] if one["rows"] == 4]
    return statistics.median(times) if times else ""


def measured_rows(program, models, prompts, new_tokens):
    for name, ids in prompts:
        for mode, keys in random.sample(list(MODES.items()), len(MODES)):
            rate, step = timed_program(program, keys, ids, new_tokens)
            yield mode, name, "speclab", rate, step
            if mode in ("beam_search", "contrastive_search"):
                yield "forward of four rows beside " + mode, name, "speclab", "", four_rows_ms(program, ids, new_tokens)
            for dtype, model in models.items():
                yield mode, name, f"transformers {dtype}", timed_peer(model, keys, ids, new_tokens), ""


def interval(values):
    """Median, with a 95 % interval of it from prompts drawn again."""
    draws = random.Random(1)
    medians = sorted(statistics.median(draws.choices(values, k=len(values))) for _ in range(DRAWS))
    return [statistics.median(values), medians[DRAWS // 40], medians[-DRAWS // 40]]


def summary_of(rows):
    """A row a mode: rates of both, ours over the faster of theirs prompt by prompt, and a step over a forward of four rows."""
    rates, steps = {}, {}
    for row in rows:
        if row["tokens_per_s"]:
            rates.setdefault((row["mode"], row["prompt"]), {})[row["system"]] = float(row["tokens_per_s"])
        if row["step_ms"]:
            steps[row["mode"], row["prompt"]] = float(row["step_ms"])
    for mode in MODES:
        pairs = [(each.pop("speclab"), max(each.values())) for (name, _), each in rates.items() if name == mode]
        over = [steps[mode, prompt] / four for (name, prompt), four in steps.items() if name == "forward of four rows beside " + mode]
        yield [mode, len(pairs), *(statistics.median(side) for side in zip(*pairs)), *interval([ours / theirs for ours, theirs in pairs]),
               *(interval(over) if over else ["", "", ""])]


def write_summary(source, target):
    with open(source, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(SUMMARY)
        for row in summary_of(rows):
            writer.writerow([rows[0]["date"], rows[0]["revision"], rows[0]["threads"],
                             *(f"{value:.4g}" if isinstance(value, float) else value for value in row)])


def main():
    parser = argparse.ArgumentParser(prog="compare_peers --modes")
    parser.add_argument("--model", required=True)
    parser.add_argument("--new-tokens", type=int, default=48)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--speclab", default=os.path.join(ROOT, "build", "release", "speclab"))
    parser.add_argument("--output", default=os.path.join(ROOT, "results", "runs", "generation_modes"))
    options = parser.parse_args()
    if not transformers.__version__.startswith("4.49."):
        raise SystemExit(f"transformers {transformers.__version__}; allowed: 4.49, the last one with all modes; "
                         "name an interpreter that has it in SPECLAB_PEERS_PYTHON")
    torch.set_num_threads(options.threads)
    program = Program(options.speclab, options.threads)
    options.prompts, options.categories = 1, None
    prompts = [(name, ids) for _, name, ids in read_prompts(options, program)]
    models = {name: load_llama(options.model, getattr(torch, name)) for name in ("float32", "bfloat16")}
    equal, difference = compare_texts(program, models["float32"], prompts, 24)
    print(f"{equal} of {len(PARITY)} cases have equal ids; their scores differ by {difference:.2g} at most")
    if equal < len(PARITY):
        raise SystemExit("texts differ, so no time is measured")
    os.makedirs(options.output, exist_ok=True)
    path = os.path.join(options.output, "modes.csv")
    stamp = [datetime.date.today().isoformat(), revision(options.speclab), options.threads]
    with open(path + ".part", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in measured_rows(program, models, prompts, options.new_tokens):
            writer.writerow([*stamp, *(f"{value:.5g}" if isinstance(value, float) else value for value in row)])
            file.flush()
    os.replace(path + ".part", path)
    write_summary(path, os.path.join(options.output, "summary.csv"))


if __name__ == "__main__":
    main()
