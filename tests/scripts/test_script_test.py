"""Tests of scripts/test: kinds of skips, folders that are kept, counts of fuzzing, rows; programs that take long are stand-ins."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CTEST = """#!/bin/bash
# One passed case and one without a device; the folder `late` ends the call if LATE says so.
while [ $# -gt 0 ]; do
  case $1 in --test-dir) folder=$2 ;; --output-junit) results=$2 ;; esac
  shift
done
echo "$folder" >>ran
[[ $folder != */late || -z "$LATE" ]] || { kill "$(cat pid)"; sleep 0.5; }
[[ $folder != */bad ]] && status=run || status=fail
echo "<s><testcase name='${CASE:-llama_cuda_test x}' status='notrun'><skipped message='${REASON:-no CUDA device is here}'/></testcase>" >"$results"
echo "<testcase name='one' status='$status'/></s>" >>"$results"
"""

FUZZER = """#!/bin/bash
[ "$1" != seeds ] || { mkdir -p "$2"; exit 0; }
echo "stat::number_of_executed_units: 70"
[[ $0 != */canary_* && $0 != */fuzz_$FAULTY ]] || { touch crash-0a; exit 1; }
"""


class Tree(unittest.TestCase):
    """A tree with the real scripts, and stand-ins for set-up, builds and programs."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name, "tree")
        shutil.copytree(ROOT / "scripts", self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("tests/fuzz/CMakeLists.txt", "tests/skipped_kinds.csv", "tests/left_out_when_quick.txt"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.program("scripts/setup", "#!/bin/sh\n")
        self.program("scripts/build", "#!/bin/sh\n")
        self.write(".gitignore", "/build/\n/bin/\n/ran\n/pid\n__pycache__/\n")
        self.program("bin/ctest", CTEST)
        self.program("bin/clang++-19", "#!/bin/sh\n")
        for command in ("init -q .", "add .", "-c user.name=n -c user.email=e commit -q -m m"):
            subprocess.run(["git", *command.split()], cwd=self.root, check=True)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def program(self, name, text):
        self.write(name, text)
        (self.root / name).chmod(0o755)

    def run_script(self, command, **settings):
        """Lines of its output. The process id of the script stands in the file `pid`."""
        environment = os.environ | {"PATH": f"{self.root}/bin:{os.environ['PATH']}"} | settings
        return subprocess.run(["bash", "-c", f"echo $$ >pid; exec {command}"], cwd=self.root, env=environment,
                              capture_output=True, text=True).stdout.splitlines()

    def rows(self, table):
        """Rows without date and revision."""
        text = (self.root / "results/reference/long_tests" / table).read_text(encoding="utf-8")
        return [line.split(",", 2)[2] for line in text.splitlines()[1:]]

    def ran(self):
        """Folders that ran since the last call of this."""
        path = self.root / "ran"
        folders = [line.rsplit("/", 1)[1] for line in path.read_text().splitlines()] if path.exists() else []
        path.unlink(missing_ok=True)
        return folders


class Sanitizers(Tree):
    def folders(self, *names):
        for name in names:
            self.write(f"build/sanitizers/{name}/CTestTestfile.cmake", "add_test(x)\n")

    def test_go_on_behind_the_folders_that_were_finished(self):
        """Defect: an interruption loses an hour of finished folders, or their counts."""
        self.folders("tests/early", "tests/early/inner", "tests/late")
        self.assertNotRegex(self.run_script("scripts/test --long=sanitizers", LATE="1")[-1], r"^\d+ passed")
        self.assertEqual(self.ran(), ["early", "late"])
        lines = self.run_script("scripts/test --long=sanitizers")
        self.assertEqual(self.ran(), ["late"])
        self.assertEqual(lines[-1], "2 passed, 0 failed, 2 skipped")
        [row] = self.rows("long_tests.csv")
        self.assertRegex(row, r"^sanitizers,2,0,2,\d+,$")
        self.run_script("scripts/test --long=sanitizers")
        self.assertEqual(self.ran(), ["early", "late"], "a part that is whole begins anew")

    def test_repeat_folders_that_failed_and_all_where_the_tree_changed(self):
        """Defect: a folder that failed counts as finished, or folders of another tree do."""
        self.folders("tests/bad", "tests/good")
        for expected in (["bad", "good"], ["bad"]):
            self.assertEqual(self.run_script("scripts/test --long=sanitizers")[-1], "1 passed, 1 failed, 2 skipped")
            self.assertEqual(self.ran(), expected)
        self.write("scripts/new_file", "")
        self.run_script("scripts/test --long=sanitizers")
        self.assertEqual(self.ran(), ["bad", "good"])

    def test_run_entries_outside_the_folder_of_tests(self):
        """Defect: the sanitizers never see the benchmarks that ctest runs."""
        self.folders("experiments/bench", "tests/good")
        self.assertEqual(self.run_script("scripts/test --long=sanitizers")[-1], "2 passed, 0 failed, 2 skipped")
        self.assertEqual(self.ran(), ["bench", "good"])

    def test_run_one_folder_alone_with_a_row_of_its_own(self):
        """Defect: a room cannot be looked at alone, or its row stands for all rooms."""
        self.folders("tests/early", "tests/late")
        self.write("tests/late/a_test.cpp", "")
        self.assertEqual(self.run_script("scripts/test --long=sanitizers:tests/late")[-1], "1 passed, 0 failed, 1 skipped")
        self.assertEqual(self.ran(), ["late"])
        self.assertRegex(self.rows("long_tests.csv")[0], r"^sanitizers:tests/late,1,0,1,\d+,$")
        for part in ("sanitizers:tests/none", "sanitizers:scripts", "sanitizers:", "clang-tidy:none", "fuzz:regex"):
            outcome = subprocess.run(["scripts/test", f"--long={part}"], cwd=self.root, capture_output=True, text=True)
            self.assertEqual(outcome.returncode, 2, part)


class EmptyParts(Tree):
    """Defect: a part that found no folder, or whose list failed, passes with a row of zeros."""

    def test_fail_and_leave_no_row(self):
        self.program("scripts/tidy", "#!/bin/sh\nexit 1\n")
        self.write("build/sanitizers/CTestTestfile.cmake", "subdirs(tests)\n")
        for part in ("sanitizers", "clang-tidy"):
            outcome = subprocess.run(["scripts/test", f"--long={part}"], cwd=self.root, capture_output=True, text=True)
            self.assertNotEqual(outcome.returncode, 0, part)
            self.assertIn(f"no folders for {part}", outcome.stderr)
        self.assertFalse((self.root / "results/reference/long_tests").exists())


class Parts(Tree):
    """Defect: of two options that name what runs the last one counts, in silence."""

    def test_contradict_each_other(self):
        for first, second in (("--quick", "--long=fuzz"), ("--models", "--quick"), ("--long=fuzz", "--long=kills")):
            outcome = subprocess.run(["scripts/test", first, second], cwd=self.root, capture_output=True, text=True)
            self.assertEqual(outcome.returncode, 2)
            self.assertIn(f"{first} and {second} contradict each other", outcome.stderr)


class Skips(Tree):
    """Defect: all cases of a kind are skipped, and the end of the output does not say so, or nothing fails."""

    def test_are_named_by_kind_before_the_last_line(self):
        self.write("build/release/build.ninja", "")
        *_, kind, last = self.run_script("scripts/test --quick")
        self.assertRegex(kind, "^quick: skipped 1, the whole kind gpu: ")
        self.assertEqual(last, "1 passed, 0 failed, 1 skipped")

    def test_fail_as_a_whole_kind_without_a_reason(self):
        self.write("build/release/build.ninja", "")
        settings = {"CASE": "cost_test CostSlope.x", "REASON": "valgrind is not here"}
        *_, kind, last = self.run_script("scripts/test --quick", **settings)
        self.assertRegex(kind, "^quick: skipped 1, the whole kind valgrind: .* fails$")
        self.assertEqual(last, "1 passed, 1 failed, 1 skipped")
        self.assertEqual(self.run_script("scripts/test --quick -R x", **settings)[-1], "1 passed, 0 failed, 1 skipped")


class ClangTidy(Tree):
    """Defect: a source is in no folder, or in two."""

    def test_looks_at_every_source_in_one_folder(self):
        for name in ("sim/core/a.cpp", "engines/models/b.cpp", "engines/models/cpu/c.cpp", "experiments/drivers/run/d/e.cpp"):
            self.write(name, "")
        subprocess.run(["git", "add", "."], cwd=self.root, check=True)
        self.program("bin/cmake", "#!/bin/sh\n")
        self.program("bin/clang-tidy-19", "#!/bin/sh\nfor file; do case $file in *.cpp) echo $file >>ran ;; esac; done\n")
        self.assertEqual(self.run_script("scripts/test --long=clang-tidy")[-1], "4 passed, 0 failed, 0 skipped")
        looked_at = (self.root / "ran").read_text().split()
        self.assertEqual(sorted(looked_at), ["engines/models/b.cpp", "engines/models/cpu/c.cpp",
                                             "experiments/drivers/run/d/e.cpp", "sim/core/a.cpp"])


class Fuzz(Tree):
    def setUp(self):
        super().setUp()
        text = (self.root / "tests/fuzz/CMakeLists.txt").read_text(encoding="utf-8")
        self.targets = re.search(r"^foreach\(target IN ITEMS (.*)\)$", text, re.M)[1].split()
        canaries = re.findall(r"^speclab_canary\(NAME (\w+)", text, re.M)
        for program in [f"fuzz_{name}" for name in self.targets] + [f"canary_{name}" for name in canaries]:
            self.program(f"build/fuzz/{program}", FUZZER)

    def test_tries_every_target_of_the_sources(self):
        """Defect: a target is added and nobody fuzzes it."""
        names = re.findall(r'\{"(\w+)", read_', (ROOT / "tests/fuzz/targets.cpp").read_text(encoding="utf-8"))
        self.assertEqual(sorted(names), sorted(self.targets))

    def test_leaves_counts_of_inputs(self):
        """Defect: a row says that fuzzing passed, and not how many inputs that were."""
        lines = self.run_script("scripts/test --long=fuzz", FAULTY="none")
        self.assertEqual(lines[-1], f"{len(self.targets) + 5} passed, 0 failed, 0 skipped")
        self.assertRegex(self.rows("long_tests.csv")[0], rf",{70 * (len(self.targets) + 5)}$")
        self.assertRegex(self.rows("fuzz.csv")[0], r"^gguf,70,\d+,nothing$")
        self.assertRegex(self.rows("fuzz.csv")[-1], r"^canary_huge_id,70,\d+,planted$")

    def test_counts_a_finding_as_a_failure(self):
        """Defect: a finding in one target is lost among the others."""
        lines = self.run_script("scripts/test --long=fuzz", FAULTY="regex")
        self.assertEqual(lines[-1], f"{len(self.targets) + 4} passed, 1 failed, 0 skipped")
        self.assertRegex("\n".join(self.rows("fuzz.csv")), r"(?m)^regex,70,\d+,finding$")


if __name__ == "__main__":
    unittest.main()
