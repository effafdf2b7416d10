#!/usr/bin/env python3
"""Writes tests/golden/real_models/NAME.json: what Hugging Face's transformers computes in float32 with the weights of a model of scripts/fetch_model.

    pip install torch==2.11.0 transformers==5.23.0 gguf==0.19.0 sentencepiece accelerate
    python tests/golden/make_real_model_fixtures.py NAME MODEL.gguf

`strings`, `string_ids`: 200 texts and the ids of the tokenizer that transformers makes of the file. `prompts`: ids of 12 prompts, 40 greedy ids
after each, whatever ends a text, and the distance between the two best logits at every step. `held_out`: ids of a text and its mean negative
log-likelihood.
"""

import json
import os
import random
import sys
import tomllib

import torch
from held_out_text import HELD_OUT
from transformers import AutoModelForCausalLM, AutoTokenizer

NEW_TOKENS, NUM_PROMPTS, NUM_STRINGS, LONGEST_PROMPT = 40, 12, 200, 96
FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
PIECES = [
    "the", "of", "schools", "don't", "I've", "HTTP", "camelCase", "snake_case", "naïve", "Ωμέγα", "привет", "中文字", "日本語", "한국어", "हिन्दी",
    "العربية", "👩‍👩‍👧", "🇩🇪", "e\u0301", "½", "²", "٣", "…", "—", "“x”", "ﬁ", "0", "12", "2024", "3.14159", "0x7fFF", "!", "?!", "...", "(", ")", "{}", "->", "==",
    "//", "#", "\t", "\n", "\n\n", "  ", "    ", "\u00a0", "\u200b", "\u3000", "def f(x):\n    return x**2\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n",
    "SELECT * FROM t;", "https://example.org/a?b=c", "\\frac{1}{2}",
]


def prompt_texts():
    """The first two prompts of each category."""
    folder = os.path.join(ROOT, "experiments", "prompts", "core")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            for prompt in tomllib.load(file)["prompt"][:2]:
                yield prompt["text"]


def strings(rng):
    """Words, numbers, blanks, code and scripts side by side."""
    for _ in range(NUM_STRINGS):
        yield rng.choice(["", " "]).join(rng.choice(PIECES) for _ in range(rng.randint(1, 12)))


def greedy(model, ids):
    """Ids and margins of the continuation, with a cache."""
    out, margins, past = [], [], None
    step = torch.tensor([ids])
    for _ in range(NEW_TOKENS):
        result = model(step, past_key_values=past, use_cache=True)
        past = result.past_key_values
        best = torch.topk(result.logits[0, -1].double(), 2)
        out.append(int(best.indices[0]))
        margins.append(round(float(best.values[0] - best.values[1]), 5))
        step = torch.tensor([[out[-1]]])
    return {"ids": ids, "greedy": out, "margins": margins}


def mean_negative_log_likelihood(model, ids):
    logits = model(torch.tensor([ids])).logits[0, :-1].double()
    return float(-torch.log_softmax(logits, -1)[torch.arange(len(ids) - 1), torch.tensor(ids[1:])].mean())


def main():
    name, path = sys.argv[1:]
    folder, file = os.path.split(os.path.abspath(path))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    texts = list(strings(random.Random(47)))
    fixture = {"strings": texts, "string_ids": [tokenizer.encode(text, add_special_tokens=False) for text in texts]}
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32, attn_implementation="eager").eval()
    with torch.inference_mode():
        prompts = [tokenizer.encode(text)[:LONGEST_PROMPT] for text in list(prompt_texts())[:NUM_PROMPTS]]
        fixture["prompts"] = [greedy(model, ids) for ids in prompts]
        ids = tokenizer.encode(HELD_OUT)
        fixture["held_out"] = {"ids": ids, "mean_negative_log_likelihood": mean_negative_log_likelihood(model, ids)}
    os.makedirs(os.path.join(FOLDER, "real_models"), exist_ok=True)
    with open(os.path.join(FOLDER, "real_models", name + ".json"), "w", encoding="utf-8") as out:
        json.dump(fixture, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")


main()
