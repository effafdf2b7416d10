"""Prompts of the texts that closed-world models are not trained on: held_out_prompts.py CORPORA OUTPUT.

Writes OUTPUT/prose.toml and OUTPUT/code.toml, twelve prompts of 200 bytes each, evenly spread over Persuasion and networkx.
"""
import json
import pathlib
import sys

SOURCES = {"prose": "prose/austen_persuasion.txt", "code": "code/networkx.txt"}
PROMPTS, BYTES = 12, 200


def prompts_of(text):
    """Stretches from the beginning of a line on, printable and without what TOML would have escaped."""
    for i in range(PROMPTS):
        begin = text.index("\n", (i + 1) * len(text) // (PROMPTS + 2)) + 1
        yield "".join(c for c in text[begin:begin + BYTES] if c.isascii() and (c.isprintable() or c == "\n"))


def main(corpora, output):
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    for category, file in SOURCES.items():
        text = (pathlib.Path(corpora) / file).read_text(encoding="utf-8")
        entries = (f'[[prompt]]\nid = "{category}_{i:02}"\ntext = {json.dumps(p)}\n' for i, p in enumerate(prompts_of(text), 1))
        (output / f"{category}.toml").write_text(f'category = "{category}"\n\n' + "\n".join(entries))


main(*sys.argv[1:])
