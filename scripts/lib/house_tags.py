"""Functions and types of the product, as universal-ctags reads them."""

import functools
import re
import subprocess
import typing

from house_tree import HouseError, Place, counted

LONGEST = 40  # lines of a function
INSTALL = "install the package universal-ctags, or call scripts/setup --tests"
COMMAND = ["ctags", "--options=NONE", "--fields=neKsZ", "--kinds-C++=fcsm", "--language-force=C++",
           "--sort=no", "-f", "-", "-L", "-"]
FIELD = re.compile(r"\t(line|end|scope):([^\t]*)")


class Tag(typing.NamedTuple):
    name: str
    file: str
    kind: str  # function, class, struct, member
    line: int
    end: int  # the last line; that of the beginning where ctags sees no end
    scope: str  # "struct:a::B", or empty


def output_of_ctags(tree):
    try:
        outcome = subprocess.run(COMMAND, cwd=tree.root, input="\n".join(tree.product),
                                 capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError as error:
        raise HouseError(f"ctags is not here; {INSTALL}") from error
    if outcome.returncode != 0:
        raise HouseError(f"this ctags is not universal-ctags; {INSTALL}: {outcome.stderr.strip()}")
    return outcome.stdout


def tag_of(line):
    name, file, rest = line.split("\t", 2)
    kind, _, fields = rest.rpartition(';"\t')[2].partition("\t")
    found = dict(FIELD.findall("\t" + fields))
    begin = int(found["line"])
    return Tag(name, file, kind, begin, int(found.get("end", begin)), found.get("scope", ""))


@functools.cache
def tags(tree):
    """@return the tags of all sources of the product"""
    return [tag_of(line) for line in output_of_ctags(tree).splitlines()] if tree.product else []


def long_functions(tree):
    """Functions above 40 lines, from the line of the name to the closing brace."""
    long = [tag for tag in tags(tree) if tag.kind == "function" and tag.end - tag.line >= LONGEST]
    return counted(Place(tag.file, tag.line, f"{tag.name} has {tag.end - tag.line + 1} lines")
                   for tag in long)
