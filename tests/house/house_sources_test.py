"""Tests of scripts/house: long functions, copies, column lists, words and types."""

import shutil
import unittest

from planted_tree import PlantedTree


def function(lines):
    """A function of that many lines."""
    return "int sum(int x) {\n" + "  x += 1;\n" * (lines - 2) + "}\n"


def passage(lines, call="add"):
    return "".join(f"  {call}({number});\n" for number in range(lines))


class Functions(PlantedTree):
    def test_of_41_lines_are_found_and_of_40_are_not(self):
        """Defect: a function may have 41 lines, or 40 are too many."""
        for name, lines in (("short.cpp", 40), ("long.cpp", 41), ("long.cu", 41), ("long.cuh", 41)):
            self.write(f"engines/models/{name}", "\n" + function(lines))
        self.assertEqual(self.found("functions"), [
            "engines/models/long.cpp:2", "engines/models/long.cu:2", "engines/models/long.cuh:2"])
        result = self.house()
        self.assertEqual(result.returncode, 1)
        self.assertIn("engines/models/long.cpp:2: sum has 41 lines", result.stdout)

    def test_of_tests_are_not_looked_at(self):
        """Defect: a table in a test counts as a long function of the product."""
        self.write("tests/sim/long_test.cpp", function(90))
        self.assertEqual(self.found("functions"), [])

    def test_need_universal_ctags(self):
        """Defect: without ctags, or with that of an editor, no function is long and all is well."""
        (self.root / "bin").mkdir()
        (self.root / "bin/git").symlink_to(shutil.which("git"))
        for text, message in (("", "ctags is not here; install the package universal-ctags"),
                              ("#!/bin/sh\nexit 1\n", "this ctags is not universal-ctags; ")):
            if text:
                self.write("bin/ctags", text)
                (self.root / "bin/ctags").chmod(0o755)
            result = self.house(PATH=f"{self.root}/bin")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(message, result.stderr)


class Copies(PlantedTree):
    def test_of_six_lines_are_found_and_of_five_are_not(self):
        """Defect: a copy of six lines stays unseen, or five equal lines are a copy."""
        self.write("sim/core/one.cpp", "void f() {\n" + passage(6) + "  one();\n}\n")
        self.write("engines/models/other.cpp", passage(6) + "  other();\n")
        self.write("engines/models/third.cpp", passage(5) + "  third();\n")
        self.assertEqual(self.found("copies"), ["engines/models/other.cpp:1"])
        result = self.house()
        self.assertEqual(result.returncode, 1)
        self.assertIn("engines/models/other.cpp:1: 6 lines stand also at sim/core/one.cpp:2",
                      result.stdout)

    def test_are_found_through_blanks_frames_and_indents(self):
        """Defect: a blank line, a brace or another indent hides a copy."""
        self.write("sim/core/one.cpp", passage(6))
        self.write("sim/core/other.cpp", passage(6).replace("\n  ", "\n}\n\n\t  "))
        self.assertEqual(self.found("copies"), ["sim/core/one.cpp:1"])

    def test_need_lines_that_say_something(self):
        """Defect: two files with the same includes are copies of each other."""
        frame = "#pragma once\n" + "".join(f'#include "{x}.h"\n' for x in "abcdef") + \
            "namespace speclab {\n{\n}\n};\n"
        self.write("sim/core/one.cpp", frame)
        self.write("sim/core/other.cpp", frame)
        self.assertEqual(self.number("copies"), 0)

    def test_that_overlap_are_one_and_that_do_not_are_two(self):
        """Defect: a copy of nine lines counts four times, or two copies count once."""
        for name in ("one", "other"):
            text = passage(9) + f"  {name}();\n" + passage(7, "drop")
            self.write(f"sim/core/{name}.cpp", text)
        self.assertEqual(self.house("--list", "copies").stdout, (
            "sim/core/one.cpp:1: 9 lines stand also at sim/core/other.cpp:1\n"
            "sim/core/one.cpp:11: 7 lines stand also at sim/core/other.cpp:11\ncopies: 2\n"))

    def test_within_one_file_are_found(self):
        """Defect: a passage that stands twice in a file is none, or a row of equal lines is."""
        self.write("sim/core/one.cpp", passage(6) + "  one();\n" + passage(6))
        self.write("sim/core/row.cpp", "  row();\n" * 11)
        self.assertEqual(self.found("copies"), ["sim/core/one.cpp:1"])


class Columns(PlantedTree):
    def test_stand_in_the_room_of_tables(self):
        """Defect: a column list is defined where its table is written or read."""
        forms = ["constexpr std::array<std::string_view, 2> kPaceColumns = {",
                 "std::array kColumns{", "constexpr const char* kRowColumns[] = {",
                 "constexpr std::array<std::string_view,\n                     2> kCostColumns{"]
        for number, form in enumerate(forms):
            self.write(f"analysis/io/table_{number}.cpp", f'{form}"cell_id", "model"}};\n')
        self.write("analysis/tables/pace.h", forms[0] + '"cell_id", "model"};\n')
        self.assertEqual(self.found("column_lists"), [
            "analysis/io/table_0.cpp:1", "analysis/io/table_1.cpp:1", "analysis/io/table_2.cpp:1",
            "analysis/io/table_3.cpp:2"])
        self.assertEqual(self.house().returncode, 1)

    def test_are_no_numbers_and_no_uses(self):
        """Defect: a number of columns, or a use of a list, counts as a list."""
        self.write("engines/models/blocks.cpp", "constexpr int kBlockColumns = 32;\n"
                   "static constexpr std::size_t kMostColumns{9};\n"
                   "bool f() { return n % kBlockColumns == 0 && g(kPaceColumns); }\n"
                   "bool g(List x) {\n  return kPaceColumns == x;\n}\n")
        self.assertEqual(self.found("column_lists"), [])


class Words(PlantedTree):
    def test_count_once_a_file(self):
        """Defect: a file counts as often as it says a word, or parts of words count."""
        self.write("sim/core/one.h", "// atlas\nint top_p;  // atlas, \"top_p\"\n")
        self.write("sim/core/other.cpp", "int atlas_of, my_top_p;\nauto x = \"mlp_speculator_\";\n")
        self.write("sim/core/third.cpp", "\n\nauto x = \"mlp_speculator\";\n")
        self.write("sim/core/notes.md", "atlas top_p\n")
        self.write("sim/core/kernel.cu", "int atlas, top_p;\n")
        self.assertEqual(self.found("word_atlas"), ["sim/core/one.h:1"])
        self.assertEqual(self.found("word_top_p"), ["sim/core/one.h:2"])
        self.assertEqual(self.found("text_top_p"), ["sim/core/one.h:2"])
        self.assertEqual(self.found("text_mlp_speculator"), ["sim/core/third.cpp:3"])


class Types(PlantedTree):
    def test_with_three_settings_hold_a_setting(self):
        """Defect: a new copy of the decoding setting is not noticed."""
        self.write("sim/core/cell.h",
                   "\nstruct Cell {\n  int drafter, policy;\n  double temperature;\n};\n")
        self.write("sim/core/two.h", "struct Two {\n  int drafter, drafters, policy, count;\n};\n")
        self.write("sim/core/loop.h", "class Loop {\n  int drafter, policy, verifier;\n};\n")
        self.assertEqual(self.found("settings"), ["sim/core/cell.h:2"])
        self.assertIn("sim/core/cell.h:2: Cell holds drafter, policy, temperature",
                      self.house("--list", "settings").stdout)

    def test_of_one_name_and_the_largest_are_totals(self):
        """Defect: functions that stand in a source are not counted as those of their class."""
        self.write("sim/core/cell.h",
                   "namespace a {\nclass Cell {\n  void f();\n  int x, y, z;\n};\n}\n")
        self.write("sim/core/cell.cpp", "namespace a {\nvoid Cell::f() {}\n}\nstruct Law {};\n")
        self.assertEqual(self.number("largest_class"), 4)
        self.assertEqual(self.found("types_in_two_files"), ["sim/core/cell.cpp:4"])


class Totals(PlantedTree):
    def test_are_of_the_product_and_of_the_tests(self):
        """Defect: tests or pages count as sources, or a file of 30 lines as a small one."""
        self.write("engines/models/law.cpp", "\n" * 29)
        self.write("analysis/io/law.cpp", "\n" * 30)
        self.write("sim/core/law.cu", "\n" * 80)
        self.write("tests/sim/law.h", "\n" * 10)
        self.write("sim/README.md", "\n")
        totals = {"product_files": 5, "product_lines": 143, "test_files": 2, "test_lines": 11,
                  "headers": 1, "small_files": 3, "median_length": 29, "base_names_twice": 1}
        self.assertEqual({check: self.number(check) for check in totals}, totals)


if __name__ == "__main__":
    unittest.main()
