"""Tests of scripts/house: its limits, its table and its words, and its checks of this tree."""

import resource
import subprocess
import sys
import unittest

from planted_tree import ROOT, PlantedTree

SECONDS = 10  # of a processor, for all checks of the real tree


class Limits(PlantedTree):
    def plant(self):
        self.write("sim/core/atlas.cpp", "int atlas;\n")

    def test_pass_what_they_allow(self):
        """Defect: a number at its limit fails, or one above it passes."""
        self.assertEqual(self.house().returncode, 0)
        self.plant()
        self.assertEqual(self.house().returncode, 1)
        self.limit(word_atlas=1)
        self.assertEqual(self.house().returncode, 0)

    def test_stand_in_the_table_beside_numbers_of_the_release(self):
        """Defect: the table shows the limit of another check, or a total fails."""
        self.limit(word_atlas=1)
        result = self.house()
        rows = {row[0]: row[1:] for row in map(str.split, result.stdout.splitlines())}
        self.assertEqual(rows["word_atlas"], ["0", "1", "8"])
        self.assertEqual(rows["copies"], ["0", "0", "3"])
        self.assertEqual(rows["product_files"], ["2", "-", "7"])
        self.assertEqual(rows["product_lines"], ["4", "-", "-"])
        self.assertEqual(result.returncode, 0)

    def test_are_to_be_lowered_where_they_are_loose(self):
        """Defect: what was gained may be lost again, and nobody is told."""
        self.limit(word_atlas=3)
        self.plant()
        result = self.house()
        self.assertEqual(result.returncode, 0)
        self.assertIn("word_atlas: 1 is below the limit of 3; scripts/house --tighten lowers it",
                      result.stdout)

    def test_are_tightened_and_never_raised(self):
        """Defect: --tighten raises a limit that is exceeded, or drops other lines of the file."""
        self.limit(word_atlas=3, settings=2)
        self.write("sim/core/top_p.cpp", "int top_p;\n")
        self.plant()
        before = self.read("tests/house/limits.toml")
        result = self.house("--tighten")
        self.assertEqual(result.returncode, 1, "top_p is above its limit still")
        self.assertIn("lower limits: word_atlas settings include_depth include_closure "
                      "largest_room\n", result.stdout)
        after = self.read("tests/house/limits.toml")
        self.assertIn("\nword_atlas = 1\nword_top_p = 0\n", after)
        self.assertIn("\nsettings = 0\n", after)
        self.assertEqual(before.partition("[last")[1:], after.partition("[last")[1:])
        self.assertIn("lower limits: none\n", self.house("--tighten").stdout)

    def test_are_read_or_refused(self):
        """Defect: a misspelt check or a limit of no number limits nothing."""
        good = self.read("tests/house/limits.toml")
        for old, new, message in (
                ("copies = 0\n", "copys = 0\n", "[limits] has the unknown check 'copys'"),
                ("copies = 0\n", "", "[limits] lacks 'copies'"),
                ("copies = 0\n", "copies = '0'\n", "[limits] copies is '0'"),
                ("copies = 3\n", "stairs = 3\n", "[last_release] has the unknown check 'stairs'"),
                ("release =", "of =", "the line 'release ="),
                ("[limits]", "[limits", "tests/house/limits.toml: ")):
            self.write("tests/house/limits.toml", good.replace(old, new, 1))
            result = self.house()
            self.assertEqual(result.returncode, 2, new)
            self.assertIn(message, result.stderr)


class Use(PlantedTree):
    """Defect: a wrong call measures something else, or ends as if all were well."""

    def test_is_explained(self):
        result = self.house("--help")
        self.assertEqual(result.returncode, 0)
        for text in ("Exit codes: 0 all is well; 1 ", ";\n2 wrong use", "--tighten"):
            self.assertIn(text, result.stdout)

    def test_is_refused_where_it_is_wrong(self):
        for words in (["--limits"], ["all"], ["--write"], ["--names", "--tighten"], ["--list"],
                      ["--list", "lines"]):
            result = self.house(*words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
        self.assertIn("unknown check 'lines'; allowed: circles, ", result.stderr)

    def test_needs_git(self):
        subprocess.run(["rm", "-rf", ".git"], cwd=self.root, check=True)
        result = self.house()
        self.assertEqual(result.returncode, 2)
        self.assertIn("ls-files", result.stderr)

    def test_sees_files_that_are_added_and_no_others(self):
        (self.root / "sim/core/scratch.h").write_text("int atlas;\n", encoding="utf-8")
        self.assertEqual(self.number("word_atlas"), 0)
        self.write("sim/core/scratch.h", "int atlas;\n")
        self.assertEqual(self.found("word_atlas"), ["sim/core/scratch.h:1"])
        (self.root / "sim/core/scratch.h").unlink()
        self.assertEqual(self.number("word_atlas"), 0)


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        begin, script = seconds_of_children(), [sys.executable, "-B", ROOT / "scripts/house"]
        cls.limits, cls.names = (
            subprocess.run([*script, *words], capture_output=True, text=True, check=False)
            for words in ([], ["--names"]))
        cls.seconds = seconds_of_children() - begin

    def expect_success(self, result):
        self.assertEqual(result.returncode, 0, "\n" + result.stdout + result.stderr)

    def test_keeps_its_limits(self):
        """Defect: a commit makes a circle, an include up, a copy or a long function."""
        self.expect_success(self.limits)

    def test_keeps_the_names_of_its_tests(self):
        """Defect: a commit loses a test."""
        self.expect_success(self.names)

    def test_is_measured_within_seconds(self):
        """Defect: the measure grows so slow that nobody calls it."""
        self.assertLess(self.seconds, SECONDS)


if __name__ == "__main__":
    unittest.main()
