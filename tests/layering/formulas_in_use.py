"""No function of sim/analytic is used by tests alone, and FORMULAS.md names the command that answers by it.

Usage: formulas_in_use.py ROOT. A function counts as used if it is named in a file of engines,
experiments, analysis or sim outside sim/analytic that includes its header, in a class of
sim/analytic, or in another function of sim/analytic that is used.
"""

import pathlib
import re
import sys
import tempfile

DECLARED = re.compile(
    r"^(?!return|using|struct|class|enum|namespace|template|#|\}|\s)"
    r"(?:[\w:<>,&*\[\]]+\s+)+?[&*]?([a-z_]\w*)\(", re.M)
FOLDERS = ("sim", "engines", "experiments", "analysis")
SHARED = {"arguments", "bisection"}  # checks and searches that other files are made of


def code_of(path):
    text = re.sub(r"//[^\n]*", "", path.read_text())
    return re.sub(r'(?<!include )"(\\.|[^"\\\n])*"', '""', text)


def words(text):
    return set(re.findall(r"\w+", text))


def bodies(text):
    """(name, body) of the functions defined at the left margin, and the text between them."""
    found, between, position = [], [], 0
    for match in DECLARED.finditer(text):
        opening = re.compile(r"\{\n|\{ [^\n]*\}\n|;").search(text, match.end())
        if match.start() < position or not opening or opening.group() == ";":
            continue
        end = opening.end() if opening.group() != "{\n" else text.index("\n}", opening.end()) + 2
        found.append((match.group(1), text[opening.start():end]))
        between.append(text[position:match.start()])
        position = end
    return found, "".join(between) + text[position:]


def includes(files):
    """File -> all that it includes, directly or not."""
    direct = {name: re.findall(r'#include "([^"]+)"', text) for name, text in files.items()}

    def closure(name):
        seen, left = set(), [name]
        while left:
            new = [other for other in direct.get(left.pop(), ()) if other not in seen]
            seen.update(new)
            left += new
        return seen

    return {name: closure(name) for name in files}


def unused(root):
    """Functions that sim/analytic declares and nothing but tests uses."""
    files = {str(path.relative_to(root)): code_of(path)
             for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp", ".cu", ".cuh")}
    included = includes(files)
    headers = {}  # function -> headers that declare it
    for name, text in files.items():
        if name.startswith("sim/analytic/") and name.endswith(".h"):
            for match in DECLARED.finditer(text):
                headers.setdefault(match.group(1), set()).add(name)
    used, calls = set(), {}
    for name, text in files.items():
        if not name.startswith("sim/analytic/"):
            used |= {function for function in words(text) & headers.keys()
                     if headers[function] & included[name]}
            continue
        functions, between = bodies(text)
        for function, body in functions:
            calls.setdefault(function, set()).update(words(body))
        used |= words(DECLARED.sub("", between))
    left = list(used)
    while left:
        new = calls.get(left.pop(), set()) - used
        used |= new
        left += new
    return len(headers), sorted(f"{function} ({', '.join(sorted(headers[function]))})"
                                for function in headers.keys() - used)


def table_mistakes(root):
    """@return mistakes of FORMULAS.md: files of formulas, commands and tables that it lacks or invents"""
    rows = [line.split("|") for line in (root / "sim/FORMULAS.md").read_text().splitlines()
            if line.startswith("|")][2:]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    files = {path.stem for path in (root / "sim/analytic").glob("*.h")} - SHARED
    policies = {path.stem for path in (root / "sim/policies").glob("*.h")}
    mistakes = [f"sim/FORMULAS.md lacks `{name}`" for name in sorted(files - listed)]
    mistakes += [f"sim/FORMULAS.md: `{name}` is no file of sim/analytic or sim/policies"
                 for name in sorted(listed - files - policies - SHARED)]
    reproduce = root / "experiments/drivers/reproduce"
    tables = set(re.findall(r'\{\s*"(\w+)",', (reproduce / "experiments.cpp").read_text() +
                            (reproduce / "measured/measured_table.cpp").read_text()))
    options = (root / "experiments/drivers/cli/cli_analytic.cpp").read_text()
    for row in rows:
        question, command = row[1].strip(), row[4].strip()
        if "`" not in command:
            mistakes.append(f"sim/FORMULAS.md: no command answers '{question}'")
        for names in re.findall(r"`reproduce ([\w ]+)`", command):
            mistakes += [f"sim/FORMULAS.md: `reproduce {name}` is no table"
                         for name in names.split() if name not in tables]
        mistakes += [f"sim/FORMULAS.md: predict has no {option}"
                     for call in re.findall(r"`predict ([^`]*)`", command)
                     for option in re.findall(r"--[\w-]+", call) if f'{option}"' not in options
                     and f"{option}," not in options]
    return mistakes


def check_that_it_finds():
    """A planted function that only itself and a comment name, and one that a class names."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in FOLDERS:
            (root / name).mkdir()
        (root / "sim/analytic").mkdir()
        (root / "sim/analytic/a.h").write_text(
            "namespace sim {\ndouble planted(double x);\ndouble reached(double x);\n"
            "double helper(double x);\ndouble of_class(double x);\n}\n")
        (root / "sim/analytic/a.cpp").write_text(
            '#include "sim/analytic/a.h"\nnamespace sim {\ndouble planted(double x) {\n'
            "  return planted(x);\n}\ndouble helper(double x) { return x; }\n"
            "double reached(double x) {\n  return helper(x);\n}\n"
            "double Class::value() const {\n  return of_class(1);\n}\n}\n")
        (root / "experiments/b.cpp").write_text(
            '#include "sim/analytic/a.h"\n// planted(1)\nauto x = reached(1);\n')
        (root / "engines/c.cpp").write_text("double planted(int);\n")  # without the header
        assert unused(root)[1] == ["planted (sim/analytic/a.h)"], unused(root)


def main():
    root = pathlib.Path(sys.argv[1])
    check_that_it_finds()
    count, found = unused(root)
    assert count > 100, f"{count} functions in sim/analytic; the pattern reads too few"
    mistakes = [f"only tests use {name}; let a command answer by it, or delete it"
                for name in found] + table_mistakes(root)
    print("\n".join(mistakes) or f"{count} functions of sim/analytic are in use")
    sys.exit(bool(mistakes))


main()
