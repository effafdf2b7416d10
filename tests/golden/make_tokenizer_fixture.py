#!/usr/bin/env python3
"""Writes tests/golden/tokenizer_smollm2.jsonl: strings and the ids that Hugging Face's tokenizer gives them.

    pip install transformers==5.23.0 gguf==0.19.0 torch llama-cpp-python==0.3.36
    python tests/golden/make_tokenizer_fixture.py MODEL.gguf

MODEL.gguf is the default model. transformers' conversion of a GGUF file drops the step that makes every digit its own
piece; it is put back here. Strings on which llama.cpp gives other ids are left out and counted.
"""

import json
import os
import random
import sys
import unicodedata

from llama_cpp import Llama
from tokenizers import pre_tokenizers
from transformers import AutoTokenizer

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<file_sep>", "<filename>", "<jupyter_code>"]
BLANKS = [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\r", "\v", "\f", "\u00a0", "\u0085", "\u1680", "\u180e", "\u2003",
          "\u200b", "\u2028", "\u202f", "\u205f", "\u3000", "\ufeff"]
WORDS = """the of and to in is that it was for on are as with his they at be this from have or by one had not but what all
were when we there can an your which their said if do will each about how up out them then she many some so these would
other into has more her two like him see time could no make than first been its who now people my made over did down only
way find use may water long little very after words called just where most know naive cafe schools running decoders
speculative Acceptance HTTP JSON Philox camelCase snake_case don't we're I've he'll she'd it's I'm 'S 'Re isn't""".split()
CODE = ["def f(x):\n    return x**2 + 1\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n", "#include <vector>\n",
        "SELECT * FROM t WHERE id = 42;", "x = {'a': [1, 2.5e-3], \"b\": None}", "if err != nil {\n\t\treturn err\n\t}\n",
        "git commit -m 'fix: #123'", "https://example.org/a?b=c&d=%20e", "\\frac{\\alpha}{1-\\alpha}", "0x7fFF_u64 >> 3",
        "lambda *args, **kw: (yield)", "<div class=\"row\">&nbsp;</div>", "#!/bin/sh\nset -eu\n", "a->b::c<int>(d...)", "// ======\n"]


def planes(rng):
    """Strings of assigned characters from every block of 256 code points, and of private ones from the upper planes."""
    for begin in range(0, 0x110000, 0x100):
        block = [chr(c) for c in range(begin, begin + 0x100) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
        if not block or (begin >= 0x20000 and begin % 0x1000):
            continue
        if 0x3400 <= begin < 0xD800 and begin % 0x400:
            continue
        yield "".join(rng.choices(block, k=12))
        yield " ".join("".join(rng.choices(block, k=rng.randint(1, 3))) + rng.choice(["", "a", "1", ".", "\n"]) for _ in range(4))


def mixed(rng):
    """Words, digits, blanks, code and special tokens side by side."""
    pools = [WORDS, WORDS, [str(rng.randint(0, 10**rng.randint(1, 8))) for _ in range(50)], BLANKS, SPECIAL, CODE,
             list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"), ["é", "ß", "Ωμέγα", "привет", "中文字", "日本語", "한국어", "हिन्दी", "עברית",
             "العربية", "ไทย", "👩‍👩‍👧", "🇩🇪", "e\u0301", "½", "²", "Ⅷ", "٣", "①", "…", "—", "“x”", "ﬁ"]]
    for _ in range(1100):
        parts = [rng.choice(rng.choice(pools)) for _ in range(rng.randint(1, 10))]
        yield rng.choice(["", " "]).join(parts)


def runs(rng):
    """One thing many times, and every blank before and after words and digits."""
    for text in ["a", "e", " ", "\n", "\t", "=", "-", "0", "!", "é", "中", "<", "ha", "\r\n", " .", "'"]:
        for count in (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 100):
            yield text * count
    for blank in BLANKS:
        for before, after in (("a", "b"), ("", "x"), ("x", ""), ("1", "2"), ("a", "1"), (".", "'s"), ("\n", "b"), ("中", " d")):
            yield before + blank + after
            yield before + blank * 3 + after
    for text in SPECIAL:
        yield from (text, text * 2, "a" + text, text + " b", " " + text + "\n", text[:-1], text[1:], "<" + text)


def sentences(rng):
    for _ in range(250):
        words = rng.choices(WORDS, k=rng.randint(3, 14))
        yield " ".join(words).capitalize() + rng.choice([".", "?", "!", "...", ":\n", ";"])


def main():
    path = sys.argv[1]
    fast = AutoTokenizer.from_pretrained(os.path.dirname(path), gguf_file=os.path.basename(path))
    backend = fast.backend_tokenizer
    backend.normalizer = None
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    peer = Llama(path, vocab_only=True, verbose=False)
    rng = random.Random(20260101)
    texts = dict.fromkeys(t for make in (planes, mixed, runs, sentences) for t in make(rng))
    left_out = 0
    written = 0
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tokenizer_smollm2.jsonl")
    with open(target, "w", encoding="ascii") as out:
        for text in texts:
            ids = backend.encode(text, add_special_tokens=False).ids
            if ids != peer.tokenize(text.encode(), add_bos=False, special=True):
                left_out += 1
                continue
            out.write(json.dumps({"text": text, "ids": ids}, separators=(",", ":")) + "\n")
            written += 1
    print(f"{written} strings written, {left_out} left out, {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
