"""The workflow of continuous integration calls scripts that exist, with options that their --help lists."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github/workflows/ci.yml"
PAGE = ROOT / ".ci/README.md"
OTHER_PROGRAMS = {"apt-get", "git"}


def commands_of(workflow):
    """Commands of the `run:` lines, each as its words. @throws ValueError for one that is not a line"""
    for line in re.findall(r"^\s*(?:- )?run:(.*)$", workflow, re.M):
        if line.strip() in ("", "|", ">", "|-", ">-"):
            raise ValueError("a `run:` of several lines; allowed: one command, or several with &&")
        for command in re.sub(r"\$\{\{.*?\}\}", "main", line).split("&&"):
            yield shlex.split(command)


def help_of(script):
    return subprocess.run([script, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def faults_of(words):
    """Why a command cannot run in a fresh checkout."""
    program, *arguments = words
    if program in OTHER_PROGRAMS:
        return []
    script = ROOT / program
    if not script.is_file() or not os.access(script, os.X_OK):
        return [f"{program} is no script of this repository"]
    known = set(re.findall(r"--[a-z][a-z-]*", help_of(script)))
    options = {word.split("=")[0] for word in arguments if word.startswith("--")}
    return [f"{program} --help does not list {option}" for option in sorted(options - known)]


class Workflow(unittest.TestCase):
    """Defect: a script or an option is renamed, and the first to notice is a host that runs the workflow."""

    def test_calls_scripts_with_options_that_they_list(self):
        commands = list(commands_of(WORKFLOW.read_text(encoding="utf-8")))
        self.assertEqual([fault for words in commands for fault in faults_of(words)], [])
        called = {words[0] for words in commands}
        self.assertLessEqual({"scripts/setup", "scripts/build", ".ci/run", ".ci/report", ".ci/gate"}, called)

    def test_has_a_page_for_other_hosts_that_calls_the_same(self):
        named = [shlex.split(text) for text in re.findall(r"`((?:scripts|\.ci)/[^`]*)`", PAGE.read_text(encoding="utf-8"))]
        self.assertEqual([fault for words in named for fault in faults_of(words)], [])
        self.assertGreaterEqual(len(named), 5)

    def test_keeps_downloads_and_compiled_files_in_each_job(self):
        jobs = re.split(r"^  (?=\w+:$)", WORKFLOW.read_text(encoding="utf-8"), flags=re.M)[1:]
        kept = re.findall(r"~/\.cache/\w+", PAGE.read_text(encoding="utf-8"))
        self.assertEqual(len(kept), 2)
        for job in jobs:
            self.assertEqual(re.findall(r"^ +path: (.*)$", job, re.M)[:2], kept, job)

    def test_does_not_stand_at_its_old_place(self):
        self.assertEqual(list((ROOT / ".ci").glob("*.yml")), [])


class Faults(unittest.TestCase):
    """Defect: the check passes whatever the workflow says."""

    def test_are_found(self):
        for line, fault in (("scripts/bild release", "scripts/bild is no script"),
                            ("scripts/README.md", "scripts/README.md is no script"),
                            (".ci/run --quik", ".ci/run --help does not list --quik"),
                            (".ci/gate origin/${{ github.base_ref }} --outptu=x", "does not list --outptu")):
            [words] = commands_of(f"      - run: {line}\n")
            self.assertIn(fault, " ".join(faults_of(words)))

    def test_hide_in_no_second_line(self):
        with self.assertRaises(ValueError):
            list(commands_of("      - run: |\n          scripts/bild\n"))


@unittest.skipUnless("SPECLAB_BUILD" in os.environ, "no built program; ctest gives one")
class Report(unittest.TestCase):
    """Defect: the artefact of a pull request is empty."""

    def test_is_a_page_with_figures_and_test_results(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / ".ci/report", f"{folder}/review"], capture_output=True, check=True)
            found = {path.name for path in pathlib.Path(folder, "review").rglob("*")}
            self.assertLessEqual({"report.html", "speedup.svg"}, found)

    def test_says_that_results_of_tests_are_missing(self):
        """Defect: an artefact without test results looks like one of a run that had none."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "speclab")
            program.write_text('#!/bin/sh\nmkdir -p "$4"\n', encoding="utf-8")
            program.chmod(0o755)
            for written in (False, True):
                outcome = subprocess.run([ROOT / ".ci/report", f"{folder}/review"], capture_output=True, text=True, check=True,
                                         env=os.environ | {"SPECLAB_BUILD": folder})
                self.assertEqual("no tests.xml" in outcome.stderr, not written)
                self.assertEqual(pathlib.Path(folder, "review/tests.xml").exists(), written)
                pathlib.Path(folder, "results.xml").write_text("<s/>", encoding="utf-8")

    def test_names_what_is_not_built(self):
        outcome = subprocess.run([ROOT / ".ci/report", "x"], env=os.environ | {"SPECLAB_BUILD": "/nowhere"},
                                 capture_output=True, text=True)
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("/nowhere/speclab is not built", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
