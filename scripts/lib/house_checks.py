"""The checks of the house, in the order of the table: those with a limit, then the totals."""

from house_copies import copies
from house_depth import include_depth, largest_room, widest_closure
from house_rooms import circles_of_rooms
from house_stairs import BLOCKS, includes_up
from house_tags import long_functions
from house_totals import (
    base_names_twice, headers, median_length, number_of_files, number_of_lines, small_files)
from house_tree import HouseError
from house_types import largest_class, setting_types, types_in_two_files
from house_words import column_lists, files_with


def up(block):
    return lambda tree: includes_up(tree, block)


def word(text):
    return lambda tree: files_with(tree, rf"\b{text}\b", f"the word {text}")


def literal(text):
    return lambda tree: files_with(tree, f'"{text}"', f'the text "{text}"')


LIMITED = {
    "circles": circles_of_rooms,
    **{f"up_{block}": up(block) for block in BLOCKS},
    "column_lists": column_lists,
    "word_atlas": word("atlas"),
    "word_top_p": word("top_p"),
    "text_top_p": literal("top_p"),
    "text_mlp_speculator": literal("mlp_speculator"),
    "settings": setting_types,
    "functions": long_functions,
    "copies": copies,
    "include_depth": include_depth,
    "include_closure": widest_closure,
    "largest_room": largest_room,
}

TOTALS = {
    "product_files": lambda tree: number_of_files(tree.product),
    "product_lines": lambda tree: number_of_lines(tree, tree.product),
    "test_files": lambda tree: number_of_files(tree.tests),
    "test_lines": lambda tree: number_of_lines(tree, tree.tests),
    "headers": headers,
    "small_files": small_files,
    "median_length": median_length,
    "base_names_twice": base_names_twice,
    "types_in_two_files": types_in_two_files,
    "largest_class": largest_class,
}


def result_of(tree, check):
    """@return the result of a check, or nothing where the tree has no stairs yet"""
    checks = LIMITED | TOTALS
    if check not in checks:
        raise HouseError(f"unknown check '{check}'; allowed: {', '.join(checks)}")
    return checks[check](tree)
