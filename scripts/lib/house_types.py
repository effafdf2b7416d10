"""Types: those that hold a decoding setting, the largest one, and names that two files define."""

import collections
import functools

from house_tags import tags
from house_tree import Place, Result, counted

# Members that say how a text is decoded; the words of a line mean one thing.
SETTINGS = [
    ("model", "models"), ("weights",), ("activations",), ("drafter", "drafters", "drafting"),
    ("tree", "trees"), ("verifier", "verifiers"), ("policy", "policies"),
    ("temperature", "temperatures"), ("sampling",), ("speculation_length", "draft_length"),
    ("decoder",), ("search",)]
FEWEST_SETTINGS = 3


@functools.cache
def parts(tree):
    """@return the members and functions of each type, by the name with its namespaces"""
    found = collections.defaultdict(list)
    for tag in tags(tree):
        kind, _, scope = tag.scope.partition(":")
        if tag.kind in ("member", "function") and kind in ("class", "struct"):
            found[scope].append(tag)
    return found


@functools.cache
def types(tree):
    """@return the tags of classes and structs that have a name"""
    return [tag for tag in tags(tree)
            if tag.kind in ("class", "struct") and not tag.name.startswith("__anon")]


def full_name(tag):
    scope = tag.scope.partition(":")[2]
    return f"{scope}::{tag.name}" if scope else tag.name


def settings_of(members):
    return [words[0] for words in SETTINGS if members.intersection(words)]


def setting_types(tree):
    """Structs with members for at least three of SETTINGS."""
    places = []
    for tag in types(tree):
        members = {part.name for part in parts(tree)[full_name(tag)]
                   if part.kind == "member" and part.file == tag.file}
        found = settings_of(members) if tag.kind == "struct" else []
        if len(found) >= FEWEST_SETTINGS:
            places.append(Place(tag.file, tag.line, f"{tag.name} holds {', '.join(found)}"))
    return counted(places)


def largest_class(tree):
    """The most members and functions of one type."""
    largest = max(types(tree), key=lambda tag: len(parts(tree)[full_name(tag)]), default=None)
    if largest is None:
        return Result(0, [])
    found = parts(tree)[full_name(largest)]
    members = sum(part.kind == "member" for part in found)
    text = f"{largest.name} has {members} members and {len(found) - members} functions"
    return Result(len(found), [Place(largest.file, largest.line, text)])


def types_in_two_files(tree):
    """Names of types that several files define."""
    places = collections.defaultdict(dict)
    for tag in types(tree):
        places[tag.name].setdefault(tag.file, tag)
    return counted(
        Place(first, files[first].line, f"{name} also in {', '.join(others)}")
        for name, files in sorted(places.items()) for first, *others in [files] if others)
