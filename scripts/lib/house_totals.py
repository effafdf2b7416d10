"""Totals of the house, which have no limit: files, lines, headers, names that stand twice."""

import collections
import pathlib
import statistics

from house_tree import HEADER_ENDINGS, Place, Result, counted

SMALL = 30  # lines


def number_of_files(files):
    return Result(len(files), [])


def number_of_lines(tree, files):
    return Result(sum(tree.num_lines(name) for name in files), [])


def headers(tree):
    return number_of_files([name for name in tree.product if name.endswith(HEADER_ENDINGS)])


def small_files(tree):
    """Files of the product under 30 lines."""
    lengths = ((name, tree.num_lines(name)) for name in tree.product)
    return counted(Place(name, 1, f"{length} lines") for name, length in lengths if length < SMALL)


def median_length(tree):
    """Lines of the file in the middle, rounded down."""
    lengths = [tree.num_lines(name) for name in tree.product]
    return Result(int(statistics.median(lengths)) if lengths else 0, [])


def base_names_twice(tree):
    """Names without ending that files of several folders have."""
    folders = collections.defaultdict(dict)
    for name in tree.product:
        path = pathlib.PurePosixPath(name)
        folders[path.stem].setdefault(path.parent, name)
    return counted(Place(first, 1, f"also {', '.join(others)}")
                   for names in folders.values() for first, *others in [names.values()] if others)
