"""Tests of scripts/house --names: no test is lost, and none is new without a line of the list."""

import unittest

from planted_tree import PlantedTree

from house_names import test_names, unbuilt_files
from house_tree import Tree

LIST, MOVED = "tests/house/test_names.txt", "tests/house/moved_tests.csv"


class Names(PlantedTree):
    def names(self):
        return sorted(test_names(Tree(self.root)))

    def test_are_those_of_every_macro(self):
        """Defect: cases of a fixture, of parameters, of types or over two lines have no name."""
        self.write("tests/sim/law_test.cpp", "TEST(Law, A) {}\n  TEST_F(Law, B) {}\n"
                   "TEST_P(Law,\n       C) {}\nTYPED_TEST(Law, D) {}\n// TEST(Law, E)\n"
                   "TYPED_TEST_SUITE(Law, F);\n")
        self.write("sim/core/no_test.cpp", "TEST(Law, G) {}\n")
        self.assertEqual(self.names(), ["Law.A", "Law.B", "Law.C", "Law.D"])

    def test_are_those_of_python(self):
        """Defect: a case of Python is named without its class, or with the class before it."""
        self.write("tests/scripts/x_test.py",
                   "class A(Case):\n    def test_a(self):\n        pass\n\n"
                   "    def helper(self):\n        pass\n\n\ndef test_b():\n    pass\n")
        self.assertEqual(self.names(), ["A.test_a", "Law.HasMass", "test_b"])

    def test_are_those_of_ctest(self):
        """Defect: a table that falls out of a loop of CMake is no longer compared."""
        self.write("tests/golden/CMakeLists.txt",
                   "add_test(NAME waits COMMAND x)\nset(tables a\n  b)\n"
                   "foreach(table IN LISTS tables)\n  add_test(NAME table_${table} COMMAND x)\n"
                   "endforeach()\nforeach(test IN ITEMS c d)\n  add_test(NAME ${test} COMMAND x)\n"
                   "endforeach()\nforeach(e f)\n  add_test(NAME ${e} COMMAND x)\nendforeach()\n"
                   "function(speclab_test)\n  add_test(NAME ${arg_NAME} COMMAND x)\nendfunction()\n"
                   "# add_test(NAME comment COMMAND x)\n")
        self.assertEqual(self.names(),
                         ["Law.HasMass", "c", "d", "f", "table_a", "table_b", "waits"])

    def test_are_of_sources_that_are_built(self):
        """Defect: a source of tests falls out of its list, and its cases count though none runs."""
        self.write("tests/sim/CMakeLists.txt", "speclab_test(NAME x SOURCES old_law_test.cpp)\n")
        self.assertEqual([place.file for place in unbuilt_files(Tree(self.root))],
                         ["tests/sim/law_test.cpp"])
        result = self.house("--names")
        self.assertEqual(result.returncode, 1)
        self.assertIn("tests/sim/law_test.cpp:1: no CMakeLists.txt names this source",
                      result.stdout)


class NameList(PlantedTree):
    def test_passes_what_is_listed(self):
        """Defect: a tree whose names are all listed fails."""
        result = self.house("--names")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_finds_a_lost_name(self):
        """Defect: a test is dropped on the way to another file."""
        self.write("tests/sim/law_test.cpp", "TEST(Law, HasMore) {}\n")
        result = self.house("--names")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{LIST}:1: the test Law.HasMass is gone; bring it back", result.stdout)

    def test_finds_one_of_two_of_a_name(self):
        """Defect: of two cases with one name the second is lost unseen."""
        self.write(LIST, "Law.HasMass\nLaw.HasMass\n")
        self.assertIn("Law.HasMass is gone", self.house("--names").stdout)
        self.write("tests/sim/other_test.cpp", "TEST(Law, HasMass) {}\n")
        self.write("tests/sim/other.cmake", "other_test.cpp\n")
        self.assertEqual(self.house("--names").returncode, 0)

    def test_excuses_a_name_once_if_its_place_is_told(self):
        """Defect: a name may go without a word, or a line excuses two cases."""
        self.write("tests/sim/law_test.cpp", "")
        self.write(MOVED, "name,went_to\nLaw.HasMass,\n")
        result = self.house("--names")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{MOVED}:2: a line has a name and where its case went", result.stderr)
        self.write(MOVED, "name,went_to\nLaw.HasMass,\"Law.Sums, its first line\"\n")
        self.assertEqual(self.house("--names").returncode, 0)
        self.write(LIST, "Law.HasMass\nLaw.HasMass\n")
        self.assertEqual(self.house("--names").returncode, 1)

    def test_asks_for_a_new_name(self):
        """Defect: a new test is not listed, so that it may go again unseen."""
        self.write("tests/sim/law_test.cpp", "TEST(Law, HasMass) {}\nTEST(Law, A) {}\n")
        result = self.house("--names")
        self.assertEqual(result.returncode, 1)
        self.assertIn("tests/sim/law_test.cpp: the test Law.A is new; scripts/house --names "
                      "--write lists it", result.stdout)

    def test_is_written_without_a_loss(self):
        """Defect: --write drops a lost name, so that the next call passes."""
        self.write(LIST, "Law.Gone\nLaw.HasMass\nLaw.Moved\n")
        self.write("tests/sim/law_test.cpp", "TEST(Law, HasMass) {}\nTEST(Law, A) {}\n")
        self.write(MOVED, "name,went_to\nLaw.Moved,Law.A\n")
        result = self.house("--names", "--write")
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 names came, 1 went\n", result.stdout)
        self.assertIn("Law.Gone is gone", result.stdout)
        self.assertEqual(self.read(LIST), "Law.A\nLaw.Gone\nLaw.HasMass\n")


if __name__ == "__main__":
    unittest.main()
