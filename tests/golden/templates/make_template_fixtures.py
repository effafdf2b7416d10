#!/usr/bin/env python3
"""Writes snippets.jsonl and families.jsonl beside this file: what jinja2 makes of templates.

    pip install jinja2==3.1.6
    python tests/golden/templates/make_template_fixtures.py

snippets.jsonl has the templates of snippets.py. Its first line holds the variables of all, each other line a template and its
outcome. families.jsonl has the outcome of each template in families/ for each conversation of conversations.json.
"""

import glob
import json
import os

import environment
import snippets

HERE = os.path.dirname(os.path.abspath(__file__))


def line(value):
    return json.dumps(value, ensure_ascii=False) + "\n"


def variables_of(talk, conversations):
    """What apply_chat_template gives a template: tools and documents are None where there are none."""
    variables = {"tools": None, "documents": None, **conversations["special"], **talk}
    if talk.get("tools"):
        variables["tools"] = conversations["tools"][talk["tools"]]
    return variables


def write_families(env):
    with open(os.path.join(HERE, "conversations.json"), encoding="utf-8") as file:
        conversations = json.load(file)
    with open(os.path.join(HERE, "families.jsonl"), "w", encoding="utf-8") as file:
        for path in sorted(glob.glob(os.path.join(HERE, "families", "*.jinja"))):
            with open(path, encoding="utf-8", newline="") as source:
                text = source.read()
            for name, talk in conversations["conversations"].items():
                outcome = environment.outcome(env, text, variables_of(talk, conversations))
                file.write(line({"family": os.path.basename(path), "conversation": name, **outcome}))


def write_snippets(env):
    with open(os.path.join(HERE, "snippets.jsonl"), "w", encoding="utf-8") as file:
        file.write(line({"variables": snippets.V}))
        for feature, sources in snippets.ALL.items():
            for source in sources:
                file.write(line({"feature": feature, "template": source, **environment.outcome(env, source, snippets.V)}))


def main():
    env = environment.environment()
    write_snippets(env)
    write_families(env)


if __name__ == "__main__":
    main()
