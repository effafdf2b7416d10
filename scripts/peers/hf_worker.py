"""Hugging Face transformers as a worker: hf_worker.py MODEL.gguf DTYPE THREADS DRAFTER_FOLDER DEVICE. See worker.py."""

import json
import os
import sys
import time

import torch
from transformers import AutoModelForCausalLM

import worker
from gguf_llama import load_llama

MODES = {"plain": {}, "prompt_lookup_5": {"prompt_lookup_num_tokens": 5}, "prompt_lookup_10": {"prompt_lookup_num_tokens": 10}}
CUDA_MODES = {"plain": {}, "static_compiled": {"cache_implementation": "static"}}  # a static cache is compiled by itself on CUDA


class FirstToken:
    """A streamer that notes when the first new tokens came, and how many."""

    def __init__(self):
        self.puts, self.seconds, self.tokens = 0, 0.0, 0

    def put(self, value):
        self.puts += 1
        if self.puts == 2:
            self.seconds, self.tokens = time.perf_counter(), value.numel()

    def end(self):
        pass


def without_end(model):
    """Generation of exactly as many tokens as asked for."""
    model.generation_config.eos_token_id = None
    model.generation_config.pad_token_id = 0
    return model


class DraftHead(torch.nn.Module):
    """Rows of a head for the tokens that a small transformer of speclab drafts: the logits of others are minus infinity."""

    def __init__(self, head, tokens):
        super().__init__()
        self.rows = torch.nn.Parameter(head.weight[tokens].clone(), requires_grad=False)
        self.register_buffer("tokens", tokens)
        self.vocab = head.weight.shape[0]

    def forward(self, hidden):
        logits = hidden.new_full((*hidden.shape[:-1], self.vocab), -torch.inf)
        logits[..., self.tokens] = torch.nn.functional.linear(hidden, self.rows)
        return logits


def load_drafter(folder, dtype):
    """As speclab drafts from it: a draft vocabulary, which transformers does not know, holds."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        tokens = json.load(file).get("draft_vocabulary")
    if tokens:
        model.lm_head = DraftHead(model.lm_head, torch.tensor(tokens))
    return model


def drafting_always(model, num_tokens):
    """As many drafts in every round, however sure the drafter is."""
    model.generation_config.num_assistant_tokens = num_tokens
    model.generation_config.num_assistant_tokens_schedule = "constant"
    model.generation_config.assistant_confidence_threshold = 0.0
    return model


def main():
    path, dtype, threads, drafter, device = sys.argv[1], getattr(torch, sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    torch.set_num_threads(threads)
    model = without_end(load_llama(path, dtype)).to(device)
    modes = dict(CUDA_MODES if device == "cuda" else MODES)
    if os.path.exists(os.path.join(drafter, "config.json")):
        modes["assisted"] = {"assistant_model": without_end(load_drafter(drafter, dtype)).to(device)}
        if device == "cuda":
            modes["assisted_4"] = {"assistant_model": drafting_always(without_end(load_drafter(drafter, dtype)).to(device), 4)}

    compiled = set()

    def generate(mode, ids, new_tokens):
        if mode == "static_compiled" and (len(ids), new_tokens) not in compiled:
            compiled.add((len(ids), new_tokens))
            generate(mode, ids, new_tokens)  # compilation is no generation
        prompt = torch.tensor([ids], device=device)
        first = FirstToken()
        start = time.perf_counter()
        with torch.inference_mode():
            output = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=new_tokens, do_sample=False,
                                    streamer=first, **modes[mode])
        end = time.perf_counter()
        return worker.answer(output[0, len(ids):].tolist(), first.tokens, first.seconds - start, end - start)

    worker.serve(list(modes), generate)


if __name__ == "__main__":
    main()
