"""A small tree with the real scripts/house, in which tests plant what it must find."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))

from house_checks import LIMITED, result_of  # noqa: E402
from house_tree import Tree  # noqa: E402

for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]  # a hook of git names the real tree there

MOST = {"include_depth": 9, "include_closure": 9, "largest_room": 9}  # the others: 0


class PlantedTree(unittest.TestCase):
    """Two rooms of sources, one test, and limits of 0 for all that counts faults."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "-q", "."], cwd=self.root, check=True)
        (self.root / "scripts/lib").mkdir(parents=True)
        shutil.copy(ROOT / "scripts/house", self.root / "scripts/house")
        for module in (ROOT / "scripts/lib").glob("house_*.py"):
            shutil.copy(module, self.root / "scripts/lib")
        self.write("sim/core/law.h", "struct Law {\n  double mass = 0;\n};\n")
        self.write("engines/models/model.cpp", '#include "sim/core/law.h"\n')
        self.write("tests/sim/law_test.cpp", "TEST(Law, HasMass) {}\n")
        self.write("tests/sim/CMakeLists.txt", "speclab_test(NAME law_test SOURCES law_test.cpp)\n")
        self.write("tests/house/test_names.txt", "Law.HasMass\n")
        self.write("tests/house/moved_tests.csv", "name,went_to\n")
        self.limit()

    def limit(self, **limits):
        numbers = {check: 0 for check in LIMITED} | MOST | limits
        lines = [f"{check} = {number}\n" for check, number in numbers.items()]
        self.write("tests/house/limits.toml", 'release = "0.1.0"\n[limits]\n' + "".join(lines) +
                   "\n[last_release]\ncopies = 3\nproduct_files = 7\nword_atlas = 8\n")

    def write(self, name, text):
        """Writes a file and adds it to git, without a commit."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        subprocess.run(["git", "add", name], cwd=self.root, check=True)

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def found(self, check):
        """@return file:line of the places behind the number of a check"""
        places = result_of(Tree(self.root), check).places
        return [f"{place.file}:{place.line}" for place in places]

    def number(self, check):
        return result_of(Tree(self.root), check).number

    def house(self, *arguments, **environment):
        """@return what a call of scripts/house printed and its exit code"""
        command = [sys.executable, "scripts/house", *arguments]
        return subprocess.run(command, cwd=self.root, env=environment or None,
                              capture_output=True, text=True, check=False)
