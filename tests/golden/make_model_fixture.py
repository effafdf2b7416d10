#!/usr/bin/env python3
"""Writes tests/golden/model_smollm2.json: what Hugging Face's LlamaForCausalLM computes in float32 with the default model's weights.

    pip install transformers==5.23.0 gguf==0.19.0 torch==2.11.0 llama-cpp-python==0.3.36
    python tests/golden/make_model_fixture.py MODEL.gguf

MODEL.gguf is the default model. Texts become ids through llama.cpp, because transformers loses the file's pre-tokenizer.
Per prompt: its ids, the logits after it at `vocabulary_sample`, their arg max and log-sum-exp over the whole vocabulary, and
the greedy continuation with the distance between the two best logits at every step. `held_out`: ids of a text and its mean
negative log-likelihood.
"""

import json
import os
import random
import sys
import tomllib

import torch
from llama_cpp import Llama

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path.insert(0, os.path.join(ROOT, "scripts", "peers"))

from gguf_llama import load_llama  # noqa: E402
from held_out_text import HELD_OUT  # noqa: E402

NEW_TOKENS = 64
VOCABULARY_SAMPLE = 200
PLAIN_TEXTS = [
    "T", "The", "1, 2, 3, 4,", "def add(a, b):\n    return", "Once upon a time there was a clockmaker who",
    "The capital of France is", "Water boils at 100 degrees", "0 1 1 2 3 5 8 13 21", "\n\n", "Dear Sir or Madam,\n\nI am writing to",
]

def prompt_texts():
    """The first two prompts of each category in the model's chat form, and short texts as they are."""
    folder = os.path.join(ROOT, "experiments", "prompts", "core")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            for prompt in tomllib.load(file)["prompt"][:2]:
                yield f"<|im_start|>user\n{prompt['text']}<|im_end|>\n<|im_start|>assistant\n"
    yield from PLAIN_TEXTS


def greedy(model, ids):
    """Logits after the prompt, the greedy continuation and its margins."""
    output, first, tokens, margins = None, None, [], []
    step = torch.tensor([ids])
    for _ in range(NEW_TOKENS):
        output = model(step, past_key_values=output.past_key_values if output else None, use_cache=True)
        logits = output.logits[0, -1]
        first = logits if first is None else first
        best = logits.topk(2)
        tokens.append(int(logits.argmax()))
        margins.append(round(float(best.values[0] - best.values[1]), 6))
        step = torch.tensor([[tokens[-1]]])
    return first, tokens, margins


def prompt_entry(model, ids, sample):
    logits, tokens, margins = greedy(model, ids)
    return {"ids": ids, "logits": [round(float(logits[i]), 6) for i in sample], "arg_max": int(logits.argmax()),
            "log_sum_exp": round(float(logits.double().logsumexp(0)), 6), "greedy": tokens, "margins": margins}


def mean_negative_log_likelihood(model, ids):
    laws = model(torch.tensor([ids])).logits[0, :-1].double().log_softmax(-1)
    return float(-laws[torch.arange(len(ids) - 1), torch.tensor(ids[1:])].mean())


def main():
    path = sys.argv[1]
    tokenizer = Llama(path, vocab_only=True, verbose=False)
    encode = lambda text: tokenizer.tokenize(text.encode(), add_bos=False, special=True)
    model = load_llama(path)
    sample = sorted(random.Random(20260102).sample(range(model.config.vocab_size), VOCABULARY_SAMPLE))
    held_out = encode(HELD_OUT)
    with torch.inference_mode():
        fixture = {"vocabulary_sample": sample, "prompts": [prompt_entry(model, encode(text), sample) for text in prompt_texts()],
                   "held_out": {"ids": held_out, "mean_negative_log_likelihood": mean_negative_log_likelihood(model, held_out)}}
    target = os.path.join(FOLDER, "model_smollm2.json")
    with open(target, "w", encoding="ascii") as out:
        json.dump(fixture, out, separators=(",", ":"))
        out.write("\n")
    print(f"{len(fixture['prompts'])} prompts, {len(held_out)} held-out tokens, {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
