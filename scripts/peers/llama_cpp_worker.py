"""llama.cpp on the 4-bit file as a worker: llama_cpp_worker.py MODEL.gguf THREADS. See worker.py."""

import sys
import time

from llama_cpp import Llama
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

import worker

CONTEXT = 2048


def main():
    path, threads = sys.argv[1], int(sys.argv[2])

    def load(**options):
        return Llama(path, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False, **options)

    # logits_all: without it the wrapper's lookup fails beyond 512 tokens.
    models = {"plain": load()}
    for length in (5, 10):
        lookup = LlamaPromptLookupDecoding(num_pred_tokens=length, max_ngram_size=2)
        models[f"prompt_lookup_{length}"] = load(draft_model=lookup, logits_all=True)

    def forwards_of_eight(ids, repetitions):
        """Behind the prompt, again and again from the same place, with the logits of all rows, as verification needs them."""
        model = models["prompt_lookup_5"]
        model.reset()
        model.eval(ids)
        length, start = model.n_tokens, time.perf_counter()
        for _ in range(repetitions):
            model.n_tokens = length
            model.eval(ids[:8])
        return worker.answer(ids[:1] * repetitions, 0, 0.0, time.perf_counter() - start)

    def generate(mode, ids, new_tokens):
        if mode == "rows_8":
            return forwards_of_eight(ids, new_tokens)
        model = models[mode]
        model.reset()
        tokens = []
        start = time.perf_counter()
        for token in model.generate(ids, temp=0.0, repeat_penalty=1.0):
            if not tokens:
                first = time.perf_counter()
            tokens.append(token)
            if len(tokens) == new_tokens:
                break
        return worker.answer(tokens, 1, first - start, time.perf_counter() - start)

    worker.serve([*models, "rows_8"], generate)


if __name__ == "__main__":
    main()
