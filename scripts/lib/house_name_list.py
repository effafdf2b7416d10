"""The list of test names: a name may go only where a line says where its case went."""

import collections
import csv

from house_names import test_names, unbuilt_files
from house_tree import HouseError

LIST = "tests/house/test_names.txt"
MOVED = "tests/house/moved_tests.csv"
COLUMNS = ["name", "went_to"]


def read_list(root):
    """@return the names of the list, in its order"""
    try:
        return (root / LIST).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise HouseError(f"{LIST}: {error.strerror}") from error


def read_moved(root):
    """@return how often each name has gone"""
    try:
        with open(root / MOVED, newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file)
            if rows.fieldnames != COLUMNS:
                raise HouseError(f"{MOVED}:1: the columns are {rows.fieldnames}; write "
                                 f"{','.join(COLUMNS)}")
            return collections.Counter(moved_name(row, rows.line_num) for row in rows)
    except OSError as error:
        raise HouseError(f"{MOVED}: {error.strerror}") from error


def moved_name(row, line):
    if not row["name"] or not row["went_to"] or None in row:
        raise HouseError(f"{MOVED}:{line}: a line has a name and where its case went")
    return row["name"]


def names_now(places):
    return collections.Counter({name: len(files) for name, files in places.items()})


def complaints(tree):
    """@return a line for each name that is lost or new, and for each source that nobody builds"""
    names, places = read_list(tree.root), test_names(tree)
    listed, now = collections.Counter(names), names_now(places)
    lost, new = listed - now - read_moved(tree.root), now - listed
    return [
        *(f"{LIST}:{names.index(name) + 1}: the test {name} is gone; bring it back, or say in "
          f"{MOVED} where its case went" for name in sorted(lost)),
        *(f"{places[name][-1]}: the test {name} is new; scripts/house --names --write lists it"
          for name in sorted(new)),
        *map(str, unbuilt_files(tree))]


def write(tree):
    """Adds the new names, and drops those that have gone with a line in moved_tests.csv.
    @return the numbers of names that came and went"""
    listed, now = collections.Counter(read_list(tree.root)), names_now(test_names(tree))
    new, gone = now - listed, (listed - now) & read_moved(tree.root)
    names = sorted((listed + new - gone).elements())
    (tree.root / LIST).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return new.total(), gone.total()
