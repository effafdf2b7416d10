#!/usr/bin/env python3
"""Writes snippets.jsonl beside this file: what jinja2 makes of the templates of snippets.py.

    pip install jinja2==3.1.6
    python tests/golden/templates/make_template_fixtures.py

The first line holds the variables of all snippets, each other line a template and its outcome.
"""

import json
import os

import environment
import snippets

HERE = os.path.dirname(os.path.abspath(__file__))


def line(value):
    return json.dumps(value, ensure_ascii=False) + "\n"


def main():
    env = environment.environment()
    with open(os.path.join(HERE, "snippets.jsonl"), "w", encoding="utf-8") as file:
        file.write(line({"variables": snippets.V}))
        for feature, sources in snippets.ALL.items():
            for source in sources:
                file.write(line({"feature": feature, "template": source, **environment.outcome(env, source, snippets.V)}))


if __name__ == "__main__":
    main()
