"""Words that few files should know, and column lists outside the room of tables."""

import re

from house_tree import Place, counted

COLUMN_LIST = re.compile(r"([\w:>*]+)\s+(k\w*Columns)\b\s*(?:\[\w*\])?\s*(?:=(?!=)|\{)")
NUMBERS = ("int", "size_t", "int32_t", "int64_t", "unsigned")
TABLES = "analysis/tables/"


def files_with(tree, pattern, what):
    """The first place of a pattern in each .h and .cpp of the product."""
    pattern = re.compile(pattern)
    places = []
    for name in tree.product:
        match = pattern.search(tree.text(name)) if name.endswith((".h", ".cpp")) else None
        if match:
            places.append(Place(name, line_of(tree.text(name), match), f"knows {what}"))
    return counted(places)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def column_lists(tree):
    """Definitions of a list of texts that is named k...Columns."""
    places = []
    for name in tree.product:
        text = tree.text(name)
        if name.startswith(TABLES) or "Columns" not in text:
            continue
        for match in COLUMN_LIST.finditer(text):
            if match[1].rpartition("::")[2] not in NUMBERS:
                line = line_of(text, match) + match[0][:match.start(2) - match.start()].count("\n")
                places.append(Place(name, line, f"the column list {match[2]} is not in {TABLES}"))
    return counted(places)
