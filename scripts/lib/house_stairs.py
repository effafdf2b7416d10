"""Includes that run up the stairs: tests/layering/stairs.txt names the rooms, lowest first.

A folder belongs to the room of the nearest folder over it that has a line, or to its own."""

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


def room_of(steps, folder):
    """@return the nearest folder over `folder`, itself included, that has a line; or nothing"""
    while folder and folder not in steps:
        folder = folder_of(folder)
    return folder or None


def check_rooms(tree, steps):
    """@throws HouseError where a folder has no room, or a room no sources"""
    used = set()
    for name in tree.product:
        room = room_of(steps, folder_of(name))
        if room is None:
            raise HouseError(f"{name}:1: no room of {STAIRS} holds '{folder_of(name)}'; add a line "
                             "for it above all rooms that include it")
        used.add(room)
    for room in steps:
        if room not in used:
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
        here = room_of(steps, folder_of(name))
        for line, path in targets if block_of(name) == block else ():
            there = room_of(steps, folder_of(path))
            if there and steps[there] > steps[here]:
                text = f"'{path}' stands higher: {there} is above {here} in {STAIRS}"
                places.append(Place(name, line, text))
    return counted(places)
