"""Rows of the tables of committed runs, and the words that choose among them."""

import csv
import re


class TableError(Exception):
    pass


def markdown_rows(text):
    """Yields the rows of all tables of a page: `section` is the heading above, `value [low, high]` gives three columns, a blank of a title is _."""
    section, titles = "", []
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells and not titles:
            titles = [cell.replace(" ", "_") or "row" for cell in cells]
        elif cells and not set(cells[-1]) <= set("-: "):
            row = {"section": section, **dict(zip(titles, cells))}
            for title, cell in zip(titles, cells):
                if match := re.match(r"([-\d.]+) \[([-\d.]+), ([-\d.]+)\]", cell):
                    row |= dict(zip((title, title + "_low", title + "_high"), match.groups()))
            yield row
        titles = titles if cells else []


def read_rows(path):
    """@return the rows of a CSV file, or of a page of tables; each key of a column `setting` of `key=value;key=value` is a column too"""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(markdown_rows(file.read()) if path.suffix == ".md" else csv.DictReader(file))
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise TableError(f"{path}: no table in UTF-8: {error}") from error
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
