"""Copies the sources that catalogue.toml names and seeds its defects into the copies, each behind a switch.

Usage: seed_defects.py CATALOGUE SOURCE_DIR OUTPUT_DIR [--list]
--list prints the files and touches nothing. Otherwise OUTPUT_DIR gets the copies under their own paths and defects.inc, the
catalogue as C++ values. White space does not matter to a text: a formatter may break its lines. A text that does not stand
exactly once in its file is an error: the catalogue is out of date.
"""
import json
import os
import re
import sys
import tomllib


def seeded(find, defects):
    """`find` with every defect of it behind its switch: a chain of conditions."""
    if defects[0].get("kind") == "statement":
        branches = "".join(f'if (SPECLAB_SEEDED("{d["name"]}")) {{ {d["put"]} }} else ' for d in defects)
        return f"{branches}{{ {find} }}"
    return "(" + "".join(f'SPECLAB_SEEDED("{d["name"]}") ? ({d["put"]}) : ' for d in defects) + f"({find}))"


def places_of(find, text):
    """Matches of `find` in `text`, whatever the white space between its words and signs."""
    words = re.findall(r"\w+|[^\w\s]", find)
    return list(re.finditer(r"\s*".join(map(re.escape, words)), text))


def seed(text, path, defects):
    by_find = {}
    for defect in defects:
        by_find.setdefault(defect["find"], []).append(defect)
    places = []
    for find, group in by_find.items():
        found = places_of(find, text)
        if len(found) != 1:
            sys.exit(f"{path}: the text of defect {group[0]['name']} stands there {len(found)} times; allowed: once; mend catalogue.toml")
        places.append((found[0].start(), found[0].end(), group))
    places.sort(key=lambda place: place[0], reverse=True)
    end_of_later = len(text)
    for begin, end, group in places:
        if end > end_of_later:
            sys.exit(f"{path}: the text of defect {group[0]['name']} overlaps with another's; mend catalogue.toml")
        text = text[:begin] + seeded(text[begin:end], group) + text[end:]
        end_of_later = begin
    include = '#include "tests/defects/seeded.h"\n'
    return text.replace("#pragma once\n", "#pragma once\n" + include, 1) if path.endswith(".h") else include + text


def write_if_changed(path, text):
    if os.path.exists(path) and open(path, encoding="utf-8").read() == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def as_values(defect):
    strings = [defect["name"], defect["wrong"], defect["wild"], defect["file"]]
    return "{" + ", ".join(json.dumps(s, ensure_ascii=False) for s in strings) + ", {" + ", ".join(map(json.dumps, defect["killed_by"])) + "}, " + json.dumps(defect.get("sampled", "")) + ", " + json.dumps(defect.get("suite", "")) + ", " + json.dumps(defect.get("part", "")) + "},\n"


def main():
    catalogue, source, output = sys.argv[1:4]
    defects = tomllib.load(open(catalogue, "rb"))["defect"]
    names = [defect["name"] for defect in defects]
    if len(set(names)) != len(names):
        sys.exit(f"{catalogue}: two defects have one name")
    files = sorted({defect["file"] for defect in defects})
    if "--list" in sys.argv:
        return print(";".join(files))
    for path in files:
        text = open(os.path.join(source, path), encoding="utf-8").read()
        write_if_changed(os.path.join(output, path), seed(text, path, [d for d in defects if d["file"] == path]))
    write_if_changed(os.path.join(output, "defects.inc"), "".join(map(as_values, defects)))


main()
