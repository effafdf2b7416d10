"""Chains of includes: the longest one, and the source that sees most headers; the largest room."""

import collections
import functools

from house_rooms import includes
from house_tree import HouseError, Place, Result, folder_of

DRIVERS = "experiments/drivers/"


@functools.cache
def chains(tree):
    """@return for each source its longest chain of includes, the source first"""
    longest, open_files = {}, []

    def chain(name):
        if name in open_files:
            loop = " -> ".join([*open_files[open_files.index(name):], name])
            raise HouseError(f"{name}:1: headers include each other: {loop}")
        if name not in longest:
            open_files.append(name)
            below = [chain(path) for _, path in includes(tree).get(name, ())]
            open_files.pop()
            longest[name] = [name, *max(below, key=len, default=[])]
        return longest[name]

    for name in tree.product:
        chain(name)
    return longest


def include_depth(tree):
    """The files of the longest chain."""
    longest = max(chains(tree).values(), key=len, default=[])
    places = [Place(longest[0], 1, "chain: " + " -> ".join(longest))] if longest else []
    return Result(len(longest), places)


def widest_closure(tree):
    """The most files that one source includes, directly or through others."""
    seen = {}
    for name in sorted(chains(tree), key=lambda name: len(chains(tree)[name])):
        paths = [path for _, path in includes(tree).get(name, ())]
        seen[name] = frozenset(paths).union(*(seen[path] for path in paths))
    if not seen:
        return Result(0, [])
    widest = max(seen, key=lambda name: len(seen[name]))
    number = len(seen[widest])
    return Result(number, [Place(widest, 1, f"{number} files are included")])


def largest_room(tree):
    """The most files in a folder of the drivers, without those of its subfolders."""
    rooms = collections.Counter(folder_of(name) for name in tree.product
                                if name.startswith(DRIVERS))
    if not rooms:
        return Result(0, [])
    room, number = rooms.most_common(1)[0]
    first = next(name for name in tree.product if folder_of(name) == room)
    return Result(number, [Place(first, 1, f"{number} files are in {room}")])
