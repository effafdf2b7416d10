"""Prompts of the texts that closed-world models are not trained on: held_out_prompts.py CORPORA OUTPUT.

Writes prose.toml and code.toml, of Persuasion and networkx, into OUTPUT/prompts (twelve prompts each) and OUTPUT/pilot (two each): stretches of
200 bytes, evenly spread, pilots between the others.
"""
import json
import pathlib
import sys

SOURCES = {"prose": "prose/austen_persuasion.txt", "code": "code/networkx.txt"}
SETS = {"prompts": [i / 14 for i in range(1, 13)], "pilot": [2.5 / 14, 7.5 / 14]}
BYTES = 200


def prompt_at(text, share):
    """From the beginning of a line on, printable and without what TOML would have escaped."""
    begin = text.index("\n", int(share * len(text))) + 1
    return "".join(c for c in text[begin:begin + BYTES] if c.isascii() and (c.isprintable() or c == "\n"))


def main(corpora, output):
    for name, shares in SETS.items():
        folder = pathlib.Path(output) / name
        folder.mkdir(parents=True, exist_ok=True)
        for category, file in SOURCES.items():
            text = (pathlib.Path(corpora) / file).read_text(encoding="utf-8")
            entries = (f'[[prompt]]\nid = "{category}_{name}_{i:02}"\ntext = {json.dumps(prompt_at(text, share))}\n' for i, share in enumerate(shares, 1))
            (folder / f"{category}.toml").write_text(f'category = "{category}"\n\n' + "\n".join(entries))


main(*sys.argv[1:])
