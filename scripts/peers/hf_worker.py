"""Hugging Face transformers as a worker: hf_worker.py MODEL.gguf DTYPE THREADS DRAFTER_FOLDER DEVICE. See worker.py."""

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


def main():
    path, dtype, threads, drafter, device = sys.argv[1], getattr(torch, sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    torch.set_num_threads(threads)
    model = without_end(load_llama(path, dtype)).to(device)
    modes = dict(CUDA_MODES if device == "cuda" else MODES)
    if os.path.exists(os.path.join(drafter, "config.json")):
        modes["assisted"] = {"assistant_model": without_end(AutoModelForCausalLM.from_pretrained(drafter, dtype=dtype).eval()).to(device)}

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
