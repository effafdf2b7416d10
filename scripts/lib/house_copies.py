"""Literal copies: six equal lines one after the other, in two places of the product."""

import collections
import re

from house_tree import Place, counted

WINDOW = 6  # lines
FRAME = re.compile(r"#\s*(include|pragma)\b|(inline |using )?namespace\b|[{}()\[\];,]*$")


def numbered_lines(tree, name, known):
    """@return (number of the line, number of its text) of the lines that count"""
    found = []
    for number, line in enumerate(tree.lines(name), 1):
        text = line.strip()
        if not FRAME.match(text):
            found.append((number, known.setdefault(text, len(known))))
    return found


def repeated_windows(sources):
    """@return for each window of lines that stands twice its places: (file, index of its line)"""
    windows = collections.defaultdict(list)
    for name, lines in sources.items():
        texts = [text for _, text in lines]
        for at in range(len(texts) - WINDOW + 1):
            windows[tuple(texts[at:at + WINDOW])].append((name, at))
    return [places for places in windows.values() if len(places) > 1]


def pairs_of(places):
    """Yields pairs of places that do not overlap."""
    for index, one in enumerate(places):
        for other in places[index + 1:]:
            if one[0] != other[0] or other[1] - one[1] >= WINDOW:
                yield one, other


def runs(numbers):
    """@return the first and the last number of each run without a gap"""
    found = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def merged_pairs(sources):
    """@return (file, index, other file, other index, lines) with windows that overlap as one"""
    starts = collections.defaultdict(set)
    for places in repeated_windows(sources):
        for (one, at), (other, there) in pairs_of(places):
            starts[one, other, there - at].add(at)
    return [(one, first, other, first + shift, last - first + WINDOW)
            for (one, other, shift), found in starts.items() for first, last in runs(found)]


def copies(tree):
    known = {}
    sources = {name: numbered_lines(tree, name, known) for name in tree.product}
    return counted(
        Place(one, sources[one][at][0],
              f"{length} lines stand also at {other}:{sources[other][there][0]}")
        for one, at, other, there, length in sorted(merged_pairs(sources)))
