#!/usr/bin/env python3
"""Writes tests/golden/streamed_text.jsonl: the pieces that TextStreamer of transformers prints for sequences of tokens.

    pip install transformers==4.49.0 tokenizers==0.21.4 torch==2.6.0
    python tests/golden/make_streamed_text.py

A line: tokenizer (a folder of tests/golden/tokenizers), ids, prompt (the number of ids that are put at once before the
others), skip_prompt, skip_special_tokens, and pieces: what is printed at the prompt, at every token and at the end.

TextStreamer decodes anew behind a newline, so that tokenizers which drop a blank at the begin of a text lose one there.
Texts of such a tokenizer have no newline before a blank. Those of llama2 have no "word": tokenizers 0.21 loses the blank
before an added token, which 0.23 and speclab keep.
"""

import json
import os
import random

import torch
from transformers import PreTrainedTokenizerFast, TextStreamer

CJK_EDGES = [0x33FF, 0x3400, 0x4DBF, 0x4DC0, 0x4DFF, 0x4E00, 0x9FFF, 0xA000, 0xF8FF, 0xF900, 0xFAFF, 0xFB00, 0x1FFFF, 0x20000, 0x2A6DF,
             0x2A6E0, 0x2A6FF, 0x2A700, 0x2B73F, 0x2B740, 0x2B81F, 0x2B820, 0x2CEAF, 0x2CEB0, 0x2F7FF, 0x2F800, 0x2FA1F, 0x2FA20]
HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = {
    "byte_level_o200k": [
        "The text of words,  two blanks and a tail", "lines\nand\n\n lines\n", "中文字 and 日本語 words 中a", "a 😀 in 👩‍👩‍👧 and 🇩🇪😀",
        "<|im_start|>user\nHello 中文<|im_end|>\n<s>tail", "naïve café привет мир 한국어 हिन्दी"],
    "byte_level_prefix": ["<s>one [MASK] two</s>", "".join(map(chr, CJK_EDGES)), "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}"],
    "gemma": ["<s>The 中 text 😀 of words", "a  b   c 中文字 d<pad>e", "line\nline"],
    "llama2": ["<s> The 中 text 😀 of blanks</s>", "a<extra_0>b e\u0301 中文 字"],
}
NUM_RANDOM, LONGEST = 4, 24


class RecordingStreamer(TextStreamer):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.pieces = []

    def on_finalized_text(self, text, stream_end=False):
        self.pieces.append(text)


def streamed(tokenizer, case):
    streamer = RecordingStreamer(tokenizer, skip_prompt=case["skip_prompt"], clean_up_tokenization_spaces=False,
                                 skip_special_tokens=case["skip_special_tokens"])
    streamer.put(torch.tensor([case["ids"][:case["prompt"]]], dtype=torch.long))
    for token in case["ids"][case["prompt"]:]:
        streamer.put(torch.tensor([token]))
    streamer.end()
    return streamer.pieces


def cases_of(name, tokenizer, draw):
    sequences = [tokenizer.encode(text, add_special_tokens=False) for text in TEXTS[name]]
    if name.startswith("byte_level"):
        sequences += [[draw.randrange(len(tokenizer)) for _ in range(draw.randint(1, LONGEST))] for _ in range(NUM_RANDOM)]
    for number, ids in enumerate(sequences):
        prompt = min(number % 3, len(ids))
        yield {"tokenizer": name, "ids": ids, "prompt": prompt, "skip_prompt": number % 2 == 0 or prompt == 0,
               "skip_special_tokens": number % 4 < 2}


def main():
    draw = random.Random(50)
    with open(os.path.join(HERE, "streamed_text.jsonl"), "w", encoding="ascii") as out:
        for name in TEXTS:
            path = os.path.join(HERE, "tokenizers", name, "tokenizer.json")
            tokenizer = PreTrainedTokenizerFast(tokenizer_file=path)
            for case in cases_of(name, tokenizer, draw):
                out.write(json.dumps({**case, "pieces": streamed(tokenizer, case)}) + "\n")


if __name__ == "__main__":
    main()
