"""Runs every example of the pages as examples.toml says.

Usage: examples_test.py SOURCE_DIR BUILD_DIR [PART]. With PART only examples that contain it run.
The examples run in a folder that looks like the root of the repository, with a home of its own; the
models are those of the user cache.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True
from pages import PAGES, block_of, commands_of

HERE = pathlib.Path(__file__).parent
LONGEST_S = 600


def mistakes_of_table(table, shown):
    """Examples of the pages that the table lacks, and the other way round."""
    kinds = [table["as_they_are"], table["shortened"], table["instead"], table["checked"]]
    known = [command for kind in kinds for command in kind]
    twice = {command for command in known if known.count(command) > 1}
    return ([f"examples.toml lacks: {command}" for command in shown if command not in known]
            + [f"no page shows: {command}" for command in known + list(table["drafted"])
               if command not in shown]
            + [f"examples.toml has twice: {command}" for command in sorted(twice)])


def make_root(folder, source, build, table):
    """A folder with links to the sources, to the program and to what results hold."""
    for entry in source.iterdir():
        if entry.name not in ("build", "results", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "results/runs").mkdir(parents=True)
    for entry in (source / "results").iterdir():
        if entry.name != "runs":
            (folder / "results" / entry.name).symlink_to(entry)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(build)
    (folder / "home").mkdir()
    for name, content in table["files"].items():
        (folder / name).write_text(content + "\n")
    (folder / "mine.toml").write_text(block_of((source / "README.md").read_text(), "toml"))


def surroundings(folder, build):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return dict(os.environ, HOME=str(folder / "home"), XDG_CACHE_HOME=cache,
                PATH=f"{build}:{os.environ['PATH']}", OMP_NUM_THREADS="1")


def called(command, folder, environment):
    return subprocess.run(["bash", "-c", f"set -o pipefail\n{command}"], cwd=folder,
                          env=environment, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=LONGEST_S)


def run_in_place(command, table):
    """What the test runs for an example."""
    if command in table["shortened"]:
        return f"{command} {table['shortened'][command]}"
    return table["instead"].get(command, command)


def mistake_of_run(command, table, folder, environment):
    run = run_in_place(command, table)
    outcome = called(run, folder, environment)
    if outcome.returncode != 0:
        return f"ended with {outcome.returncode}: {run}\n{outcome.stderr.strip()[-600:]}"
    if command not in table["drafted"]:
        return None
    text = outcome.stdout + outcome.stderr
    found = (re.findall(r"([\d.]+) tokens a round", text)
             + re.findall(r"and ([\d.]+) steps, with drafts", text)
             + re.findall(r'"tokens_per_round":([\d.]+)', text))
    if not found or float(found[-1]) <= table["drafted"][command]:
        return f"keeps too few drafts ({found}, allowed: above " \
               f"{table['drafted'][command]}): {run}"
    return None


def mistake_of_options(command, folder, environment):
    """Whether the command and its options are in the program's help."""
    name = re.search(r"speclab (\w+)", command).group(1)
    page = called(f"speclab {name} --help", folder, environment)
    if page.returncode != 0:
        return f"no command '{name}': {command}"
    unknown = [option for option in re.findall(r" (--[\w-]+)", command)
               if not re.search(rf"{option}\b(?!-)", page.stdout)]
    return f"no option {' '.join(unknown)}: {command}" if unknown else None


def mistakes_of_examples(commands, table, source, build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_root(folder, source, build, table)
        environment = surroundings(folder, build)
        for command in commands:
            before = os.times().children_user
            mistake = (mistake_of_options(command, folder, environment)
                       if command in table["checked"]
                       else mistake_of_run(command, table, folder, environment))
            print(f"{os.times().children_user - before:5.1f} s  {command.splitlines()[0]}")
            if mistake:
                yield mistake


def check_that_it_finds():
    """A page with an example that the table lacks, and a table with one that no page has."""
    table = {"as_they_are": ["speclab models"], "shortened": {}, "instead": {},
             "checked": {"speclab law": "long"}, "drafted": {}}
    page = "```\nspeclab models   # all\nspeclab score --file x\n```\n| `speclab law` |\n"
    assert mistakes_of_table(table, commands_of(page)) == \
        ["examples.toml lacks: speclab score --file x"]
    assert mistakes_of_table(table, ["speclab models"]) == ["no page shows: speclab law"]


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    check_that_it_finds()
    table = tomllib.loads((HERE / "examples.toml").read_text())
    pages = [commands_of((source / page).read_text()) for page in PAGES]
    shown = list(dict.fromkeys(command for page in pages for command in page))
    mistakes = mistakes_of_table(table, shown)
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    mistakes += mistakes_of_examples([command for command in shown if part in command], table,
                                     source, build)
    times = os.times()
    print(f"{len(shown)} examples, {times.children_user + times.children_system:.0f} s of "
          "processors")
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    sys.exit(bool(mistakes))


main()
