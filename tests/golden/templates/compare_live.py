#!/usr/bin/env python3
"""Compares damaged templates: what this project renders against the jinja2 of this machine.

    python3 tests/golden/templates/compare_live.py build/release/render_template_lines COUNT

Each of COUNT templates is a family's with a piece lost, doubled or moved, and many are still templates. Both must give the same
text, or both an error. A damaged template may print something that only Python has (an address, a type's name), meet a bound, or
name a filter that is not there in a branch that is not taken; those are left out. The last line counts.
"""

import glob
import json
import os
import random
import subprocess
import sys

import environment
import make_template_fixtures as recipe

HERE = recipe.HERE
PIECES = ["{%- ", " -%}", "| trim", ".strip()", "['role']", " + ", " ~ ", "loop.first", "loop.last", "not ", " and ", " or ", "messages", "messages[1:]", "[::-1]", "|tojson", "|length",
          " is string", " is defined", "== 'user'", "\n", "  ", "{# c #}", "{{ loop.index }}", "{% continue %}", "{% break %}", "|upper", "|list", "|join(', ')", "content", "none", "1"]


def damaged(rng, source):
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(source) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            source = source[:at] + source[at + rng.randint(1, 6):]
        elif kind == 1:
            source = source[:at] + rng.choice(PIECES) + source[at:]
        else:
            old = rng.choice(PIECES)
            found = source.find(old, at)
            if found >= 0:
                source = source[:found] + (rng.choice(PIECES) if kind == 2 else "") + source[found + len(old):]
    return source


def ours(program, cases):
    lines = "".join(json.dumps({"template": source, "variables": variables}) + "\n" for source, variables in cases)
    done = subprocess.run([program], input=lines.encode(), capture_output=True, timeout=3000, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def is_python_only(theirs, found):
    return any(mark in theirs.get("text", "") for mark in (" at 0x", "<built-in", "<bound method", "<class", "<function")) or found.get("error") == "limit" or theirs.get("error") in ("limit", "assertion")


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    env = environment.environment()
    with open(os.path.join(HERE, "conversations.json"), encoding="utf-8") as file:
        conversations = json.load(file)
    sources = []
    for path in sorted(glob.glob(os.path.join(HERE, "families", "*.jinja"))):
        with open(path, encoding="utf-8", newline="") as file:
            sources.append(file.read())
    talks = list(conversations["conversations"].values())
    cases = []
    for i in range(count):
        rng = random.Random(i)
        cases.append((damaged(rng, rng.choice(sources)), recipe.variables_of(rng.choice(talks), conversations)))
    texts = left_out = 0
    differ = []
    for i, (case, found) in enumerate(zip(cases, ours(program, cases), strict=True)):
        theirs = environment.outcome(env, *case)
        texts += "text" in theirs
        if is_python_only(theirs, found):
            left_out += 1
        elif theirs.get("text") != found.get("text"):
            differ.append((i, theirs, found))
    for i, theirs, found in differ[:10]:
        print(f"template {i}: jinja2 {json.dumps(theirs)[:600]}\n  speclab {json.dumps(found)[:600]}")
    print(f"{count} templates, {texts} of them rendered by jinja2, {left_out} left out, {len(differ)} different")
    return 1 if differ or texts < count // 5 else 0


if __name__ == "__main__":
    sys.exit(main())
