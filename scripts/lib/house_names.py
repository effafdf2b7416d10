"""The names of all tests, as their sources give them: a name for each case, not for each run."""

import collections
import re

from house_tree import Place

CASE = re.compile(
    r"^[ \t]*(?:TYPED_TEST|TEST(?:_[FP])?)\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_CASE = re.compile(r"^(?:class (\w+)|(?:    )?def (test_\w+))", re.MULTILINE)
ENTRY = re.compile(r"\badd_test\(\s*NAME\s+(\S+)")
LIST = re.compile(r"\bset\(\s*(\w+)\s+([^()]*)\)")
LOOP = re.compile(r"\bforeach\(\s*(\w+)\s+(?:IN\s+(ITEMS|LISTS)\s+)?([^()]*)\)(.*?)\bendforeach\(",
                  re.DOTALL)
CMAKE_ENDINGS = ("CMakeLists.txt", ".cmake")


def cases(text):
    return [f"{match[1]}.{match[2]}" for match in CASE.finditer(text)]


def python_cases(text):
    """@return `Class.test_x`, or `test_x` outside of a class"""
    found, owner = [], ""
    for match in PYTHON_CASE.finditer(text):
        owner = match[1] or (owner if match[0].startswith(" ") else "")
        found += [f"{owner}.{match[2]}" if owner else match[2]] if match[2] else []
    return found


def entries(text):
    """@return the names of add_test, those of a loop once for each of its values; a name that is
    all variable is that of a function, whose calls have cases of their own"""
    text = re.sub(r"#[^\n]*", "", text)
    lists = {match[1]: match[2] for match in LIST.finditer(text)}

    def unrolled(match):
        variable, kind, words, body = match.groups()
        if kind == "LISTS":
            words = " ".join(lists.get(name, "") for name in words.split())
        return "\n".join(body.replace(f"${{{variable}}}", word) for word in words.split())

    return [name for name in ENTRY.findall(LOOP.sub(unrolled, text)) if not name.startswith("${")]


READERS = {".cpp": cases, ".h": cases, ".cu": cases, ".cuh": cases, ".py": python_cases,
           ".cmake": entries, "CMakeLists.txt": entries}


def test_names(tree):
    """@return for each name of a test the places that have it"""
    places = collections.defaultdict(list)
    for file in (name for name in tree.files if name.startswith("tests/")):
        reader = next((READERS[ending] for ending in READERS if file.endswith(ending)), None)
        for name in reader(tree.text(file)) if reader else ():
            places[name].append(file)
    return places


def unbuilt_files(tree):
    """Sources with cases that no list of CMake names, so that nobody runs them."""
    lists = "".join(tree.text(name) for name in tree.files if name.endswith(CMAKE_ENDINGS))
    built = frozenset(re.findall(r"[\w.]+\.(?:cpp|cu)\b", lists))
    return [Place(name, 1, "no CMakeLists.txt names this source, so its cases never run")
            for name in tree.tests if name.endswith((".cpp", ".cu"))
            and name.rpartition("/")[2] not in built and cases(tree.text(name))]
