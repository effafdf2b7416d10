#!/usr/bin/env python3
"""Writes tests/golden/sampling.jsonl: logits, settings and the law that Hugging Face's processors make of them.

    pip install transformers==5.23.0 torch==2.11.0
    python tests/golden/make_sampling_fixture.py

Processors run in generate()'s order and in double. Settings under which a token stands within 1e-5 of a threshold are left
out: there rounding decides. So are those that leave no token at all.
"""

import json
import math
import os
import random

import torch
from transformers.generation import logits_process as processors

CASES = 900
EDGE = 1e-5


def draw_case(rng):
    size = rng.choice([7, 16, 33, 48, 100])
    spread = rng.choice([0.3, 2.0, 6.0])
    logits = [float(torch.tensor(rng.gauss(0, spread)).float()) for _ in range(size)]
    if rng.random() < 0.3:
        logits[rng.randrange(size)] = logits[0]
    for _ in range(rng.choice([0, 0, 3])):
        logits[rng.randrange(size)] = None
    few = rng.choice([3, size])
    return {"logits": logits, "previous_ids": [rng.randrange(few) for _ in range(rng.choice([0, 1, 5, 30]))],
            "temperature": rng.choice([1.0, round(rng.uniform(0.1, 2.5), 3)]),
            "top_k": rng.choice([0, 0, 1, 2, rng.randint(1, size + 5)]),
            "top_p": rng.choice([1.0, 1.0, round(rng.uniform(0.05, 0.99), 3)]),
            "min_p": rng.choice([0.0, 0.0, round(rng.uniform(0.01, 0.9), 3)]),
            "repetition_penalty": rng.choice([1.0, round(rng.uniform(0.7, 1.6), 3)]),
            "no_repeat_ngram_size": rng.choice([0, 0, 1, 2, 3]),
            "min_length": rng.choice([0, 0, 1, 6, 40]),
            "eos_token_id": rng.sample(range(size), rng.choice([1, 2])),
            "suppress_tokens": rng.sample(range(size), rng.choice([0, 0, 1, 4])),
            "typical_p": rng.choice([1.0, 1.0, round(rng.uniform(0.05, 0.99), 3)]),
            "epsilon_cutoff": rng.choice([0.0, 0.0, round(rng.uniform(1e-3, 0.3), 4)]),
            "eta_cutoff": rng.choice([0.0, 0.0, round(rng.uniform(1e-3, 0.5), 4)])}


def entropy_of(law):
    return -sum(p * math.log(p) for p in law.tolist() if p > 0)


def near_threshold(name, law, case):
    """Whether a token of `law` [vocab] stands at the threshold of the cut `name`."""
    positive = law[law > 0]
    if name == "top_p":
        falling = positive.sort(descending=True).values
        ties = (falling[1:] == falling[:-1]).any()
        return bool(ties) or (falling.cumsum(-1) - case["top_p"]).abs().min() < EDGE
    if name == "min_p":
        return (positive / positive.max() - case["min_p"]).abs().min() < EDGE
    if name == "typical_p":
        shift = (-positive.log() - entropy_of(law)).abs()
        order = shift.argsort()
        ties = (shift[order][1:] - shift[order][:-1]).abs()
        return (len(ties) > 0 and ties.min() < EDGE) or (positive[order].cumsum(-1) - case["typical_p"]).abs().min() < EDGE
    if name == "epsilon_cutoff":
        return (positive - case["epsilon_cutoff"]).abs().min() < EDGE
    eta = min(case["eta_cutoff"], math.sqrt(case["eta_cutoff"]) * math.exp(-entropy_of(law)))
    return (positive - eta).abs().min() < EDGE


def cuts(case):
    """(name or None where nothing can stand at a threshold, processor), in order."""
    if case["top_k"] > 0:
        yield None, processors.TopKLogitsWarper(case["top_k"])
    if case["top_p"] < 1.0:
        yield "top_p", processors.TopPLogitsWarper(case["top_p"])
    if case["min_p"] > 0.0:
        yield "min_p", processors.MinPLogitsWarper(case["min_p"])
    if case["typical_p"] < 1.0:
        yield "typical_p", processors.TypicalLogitsWarper(case["typical_p"])
    if case["epsilon_cutoff"] > 0.0:
        yield "epsilon_cutoff", processors.EpsilonLogitsWarper(case["epsilon_cutoff"])
    if case["eta_cutoff"] > 0.0:
        yield "eta_cutoff", processors.EtaLogitsWarper(case["eta_cutoff"])


def score_processors(case):
    if case["repetition_penalty"] != 1.0 and case["previous_ids"]:
        yield processors.RepetitionPenaltyLogitsProcessor(case["repetition_penalty"])
    if case["no_repeat_ngram_size"] > 0:
        yield processors.NoRepeatNGramLogitsProcessor(case["no_repeat_ngram_size"])
    if case["min_length"] > 0:
        yield processors.MinLengthLogitsProcessor(case["min_length"], case["eos_token_id"])
    if case["suppress_tokens"]:
        yield processors.SuppressTokensLogitsProcessor(case["suppress_tokens"])
    if case["temperature"] != 1.0:
        yield processors.TemperatureLogitsWarper(case["temperature"])


def processed(case):
    """The law, or None if a token stands at a threshold or none is left."""
    scores = torch.tensor([[-math.inf if x is None else x for x in case["logits"]]], dtype=torch.double)
    previous = torch.tensor([case["previous_ids"]], dtype=torch.long)
    for processor in score_processors(case):
        scores = processor(previous, scores)
    if not scores.isfinite().any():
        return None
    for name, processor in cuts(case):
        if name and near_threshold(name, scores.softmax(-1)[0], case):
            return None
        scores = processor(previous, scores)
    return scores.softmax(-1)[0].tolist()


def main():
    rng = random.Random(20260103)
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sampling.jsonl")
    written = 0
    with open(target, "w", encoding="ascii") as out:
        while written < CASES:
            case = draw_case(rng)
            law = processed(case)
            if law is None:
                continue
            case["law"] = [float(f"{p:.17g}") for p in law]
            out.write(json.dumps(case, separators=(",", ":")) + "\n")
            written += 1
    print(f"{written} cases, {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
