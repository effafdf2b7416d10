"""Circles between rooms: folders that include each other, directly or by way of others."""

import functools
import re

from house_tree import Place, counted, folder_of

INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]')


@functools.cache
def includes(tree):
    """@return for each source of the product its includes of files that git lists: (line, path)"""
    known = frozenset(tree.files)
    found = {}
    for name in tree.product:
        found[name] = []
        for number, line in enumerate(tree.lines(name), 1):
            match = INCLUDE.match(line) if "include" in line else None
            paths = (match[1], f"{folder_of(name)}/{match[1]}") if match else ()
            found[name] += [(number, path) for path in paths if path in known]
    return found


def are_nested(one, other):
    """Whether one folder lies within the other."""
    return one.startswith(other + "/") or other.startswith(one + "/")


@functools.cache
def doors(tree):
    """@return for each room the rooms that it includes, and the first include of each"""
    rooms = {folder_of(name): {} for name in tree.product}
    for name, targets in includes(tree).items():
        for line, path in targets:
            here, there = folder_of(name), folder_of(path)
            if here != there and there in rooms and not are_nested(here, there):
                rooms[here].setdefault(there, Place(name, line, f"{here} -> {there}"))
    return rooms


def reachable(graph, start):
    """@return for each node that a way from `start` leads to, the node before it; nearest first"""
    before, queue = {}, [start]
    for node in queue:
        for following in graph[node]:
            if following not in before:
                before[following] = node
                queue.append(following)
    return before


def circles(graph):
    """@return the sets of several nodes that all reach each other"""
    ways = {node: reachable(graph, node) for node in graph}
    found, seen = [], set()
    for node in graph:
        circle = sorted(other for other in ways[node] if node in ways[other])
        if node not in seen and len(circle) > 1:
            found.append(circle)
        seen.update(circle)
    return found


def shortest_loop(graph, node):
    """@return the places of the includes that lead from a node of a circle back to it"""
    before = reachable(graph, node)
    loop, at = [], node
    while at != node or not loop:
        loop.append(graph[before[at]][at])
        at = before[at]
    return loop[::-1]


def circles_of_rooms(tree):
    """A circle is named by its rooms and by the shortest loop among them."""
    places = []
    for circle in circles(doors(tree)):
        loop = min((shortest_loop(doors(tree), room) for room in circle), key=len)
        steps = ", ".join(f"{place.text} ({place.file}:{place.line})" for place in loop)
        rooms = " ".join(circle)
        text = f"a circle of {len(circle)} rooms: {rooms}; its shortest loop: {steps}"
        places.append(Place(loop[0].file, loop[0].line, text))
    return counted(places)
