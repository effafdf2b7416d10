#!/usr/bin/env python3
"""Writes tests/golden/sampling.jsonl: logits, settings and the law that Hugging Face's processors make of them.

    pip install transformers==5.23.0 torch==2.11.0
    python tests/golden/make_sampling_fixture.py

Processors run in generate()'s order and in double. Settings under which a token stands within 1e-5 of a threshold of top-p or
min-p are left out: there rounding decides.
"""

import json
import os
import random

import torch
from transformers.generation.logits_process import (MinPLogitsWarper, RepetitionPenaltyLogitsProcessor, TemperatureLogitsWarper,
                                                    TopKLogitsWarper, TopPLogitsWarper)

CASES = 400
EDGE = 1e-5


def draw_case(rng):
    size = rng.choice([7, 16, 33, 48, 100])
    spread = rng.choice([0.3, 2.0, 6.0])
    logits = [float(torch.tensor(rng.gauss(0, spread)).float()) for _ in range(size)]
    if rng.random() < 0.3:
        logits[rng.randrange(size)] = logits[0]
    return {"logits": logits, "history": [rng.randrange(size) for _ in range(rng.choice([0, 1, 5, 30]))],
            "temperature": rng.choice([1.0, round(rng.uniform(0.1, 2.5), 3)]),
            "top_k": rng.choice([0, 0, 1, 2, rng.randint(1, size + 5)]),
            "top_p": rng.choice([1.0, 1.0, round(rng.uniform(0.05, 0.99), 3)]),
            "min_p": rng.choice([0.0, 0.0, round(rng.uniform(0.01, 0.9), 3)]),
            "repetition_penalty": rng.choice([1.0, round(rng.uniform(0.7, 1.6), 3)])}


def processed(case):
    """The law, or None if a token stands at a threshold."""
    scores = torch.tensor([case["logits"]], dtype=torch.double)
    history = torch.tensor([case["history"]], dtype=torch.long)
    if case["repetition_penalty"] != 1.0 and case["history"]:
        scores = RepetitionPenaltyLogitsProcessor(case["repetition_penalty"])(history, scores)
    scores = TemperatureLogitsWarper(case["temperature"])(history, scores) if case["temperature"] != 1.0 else scores
    if case["top_k"] > 0:
        scores = TopKLogitsWarper(case["top_k"])(history, scores)
    if case["top_p"] < 1.0:
        falling = scores.softmax(-1).sort(descending=True).values
        reached = falling.cumsum(-1) - case["top_p"]
        ties = falling[..., :-1][falling[..., 1:] == falling[..., :-1]]
        if reached.abs().min() < EDGE or (ties > 0).any():
            return None
        scores = TopPLogitsWarper(case["top_p"])(history, scores)
    if case["min_p"] > 0.0:
        law = scores.softmax(-1)
        if (law / law.max() - case["min_p"]).abs().min() < EDGE:
            return None
        scores = MinPLogitsWarper(case["min_p"])(history, scores)
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
            case["law"] = [float(f"{p:.9g}") for p in law]
            case["logits"] = [float(f"{x:.9g}") for x in case["logits"]]
            out.write(json.dumps(case, separators=(",", ":")) + "\n")
            written += 1
    print(f"{written} cases, {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
