"""Rows of the CSV files of committed runs, and the words that choose among them."""

import csv
import re


class TableError(Exception):
    pass


def read_csv(path):
    """@return the rows; each key of a column `setting` of `key=value;key=value` is a column too"""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}") from error
    if not rows:
        raise TableError(f"{path}: no lines")
    for row in rows:
        for key, equals, value in (part.partition("=") for part in (row.get("setting") or "").split(";")):
            if equals:
                row.setdefault(key, value)
    return rows


def pairs(text):
    """@return [(key, value)] of `key:value,key:value`; a value may have commas if no `key:` follows them"""
    parts = re.split(r",(?=\w*[A-Za-z_]\w*:)", text) if text else []
    if bad := [part for part in parts if ":" not in part]:
        raise TableError(f"'{bad[0]}' is no condition; write column:value")
    return [tuple(part.split(":", 1)) for part in parts]


def chosen(lines, must, must_not=()):
    """@return the lines whose columns have the values of `must`, or one of v|w, and not those of `must_not`"""
    if missing := {k for k, _ in [*must, *must_not]}.difference(*lines):
        raise TableError(f"no column '{missing.pop()}'; there are {', '.join(key for key in lines[0] if key)}")
    return [x for x in lines if all(x.get(k) in v.split("|") for k, v in must) and all(x.get(k) not in v.split("|") for k, v in must_not)]
