"""The sources that scripts/house measures: git lists them, and each file is read once."""

import functools
import pathlib
import subprocess
import typing

PRODUCT = ("sim", "engines", "analysis", "experiments")
ENDINGS = (".h", ".cuh", ".cpp", ".cu")
HEADER_ENDINGS = (".h", ".cuh")


class HouseError(Exception):
    """The tree cannot be measured; the text says what to change."""


class Place(typing.NamedTuple):
    """Where a number comes from."""

    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


class Result(typing.NamedTuple):
    """A number, and the places behind it."""

    number: int
    places: list


def counted(places):
    """@return the result whose number is that of its places"""
    places = list(places)
    return Result(len(places), places)


def listed(root):
    """@return the paths that git knows below `root`, also those that are added and not committed"""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    try:
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise HouseError("git is not here; install the package git") from error
    if outcome.returncode != 0:
        raise HouseError(f"'{' '.join(command)}' failed: {outcome.stderr.strip()}")
    return sorted(name for name in outcome.stdout.split("\0") if name and (root / name).is_file())


class Tree:
    """A checkout. Paths are texts from its root, with `/`."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = listed(self.root)
        sources = [name for name in self.files if name.endswith(ENDINGS)]
        self.product = [name for name in sources if name.split("/")[0] in PRODUCT]
        self.tests = [name for name in sources if name.startswith("tests/")]

    @functools.cache
    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    @functools.cache
    def lines(self, name):
        """@return the lines of a file without their ends"""
        return self.text(name).split("\n")

    def num_lines(self, name):
        """@return what `wc -l` counts"""
        return self.text(name).count("\n")


def folder_of(name):
    return name.rpartition("/")[0]
