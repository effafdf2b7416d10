"""Includes that run up the stairs: tests/layering/stairs.txt names the rooms, lowest first."""

import functools

from house_rooms import includes
from house_tree import HouseError, Place, counted, folder_of

STAIRS = "tests/layering/stairs.txt"
# The first beginning that fits a path names its block.
BLOCKS = {"sim": "sim/", "engines": "engines/", "analysis": "analysis/",
          "drivers": "experiments/drivers/", "bench": "experiments/"}


@functools.cache
def stairs(tree):
    """@return the step of each room, or nothing where the tree has no stairs yet"""
    path = tree.root / STAIRS
    if not path.is_file():
        return None
    steps = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        room = line.partition("#")[0].strip().rstrip("/")
        if room in steps:
            raise HouseError(f"{STAIRS}:{number}: the room '{room}' has a line already")
        if room:
            steps[room] = len(steps)
    check_rooms(tree, steps)
    return steps


def check_rooms(tree, steps):
    """@throws HouseError where stairs and folders are not the same"""
    rooms = {folder_of(name): name for name in reversed(tree.product)}
    for room, name in sorted(rooms.items()):
        if room not in steps:
            raise HouseError(f"{name}:1: the room '{room}' has no line in {STAIRS}; add it above "
                             "all rooms that it includes")
    for room in steps:
        if room not in rooms:
            raise HouseError(f"{STAIRS}: the room '{room}' has no sources; remove its line")


def block_of(name):
    return next(block for block, beginning in BLOCKS.items() if name.startswith(beginning))


def includes_up(tree, block):
    """@return the includes of a block that run up, or nothing where the tree has no stairs yet"""
    steps = stairs(tree)
    if steps is None:
        return None
    places = []
    for name, targets in includes(tree).items():
        here = folder_of(name)
        for line, path in targets if block_of(name) == block else ():
            there = folder_of(path)
            if there in steps and steps[there] > steps[here]:
                text = f"'{path}' stands higher: {there} is above {here} in {STAIRS}"
                places.append(Place(name, line, text))
    return counted(places)
