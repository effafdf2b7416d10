"""Tests of scripts/lib/count_tests.py: skips are of a listed kind, and kinds are skipped whole for a reason."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))

from skip_kinds import Case, Kind, judged, read_kinds  # noqa: E402

DEVICE = Kind("gpu", "^no device", r"^cuda_test ", "an emulation runs in its place")
TOOL = Kind("tool", "^no tool", r"^cost_test ", "")


def skipped(name, reason):
    return Case(name, "skipped", reason)


class Kinds(unittest.TestCase):
    """Defect: a build in which all cases of a kind are skipped passes, whatever the kind."""

    def test_are_whole_for_a_reason_only(self):
        device, tool = skipped("cuda_test A.a", "no device"), skipped("cost_test A.a", "no tool here")
        lines, failures = judged([device, tool], [DEVICE, TOOL])
        self.assertEqual(failures, 1)
        self.assertEqual(lines[0], "skipped 1, the whole kind gpu: an emulation runs in its place")
        self.assertIn("skipped 1, the whole kind tool: no tool here; skipped_kinds.csv gives no reason", lines[1])

    def test_may_be_skipped_in_part(self):
        cases = [skipped("cost_test A.a", "no tool here"), Case("cost_test A.b", "passed"), Case("x_test A.a", "passed")]
        self.assertEqual(judged(cases, [TOOL]), (["skipped 1 of the kind tool: no tool here"], 0))

    def test_may_be_cut_where_tests_are_chosen_by_name(self):
        lines, failures = judged([skipped("cost_test A.a", "no tool here")], [TOOL], is_part=True)
        self.assertEqual((lines, failures), (["skipped 1, the whole kind tool: no tool here"], 0))

    def test_that_nobody_listed_fail(self):
        for case in (skipped("cuda_test A.a", "too tired"), skipped("x_test A.a", "no device")):
            lines, failures = judged([case, Case("cuda_test A.b", "passed")], [DEVICE])
            self.assertEqual(failures, 1)
            self.assertIn(f"skipped {case.name}: '{case.reason}' is of no kind", lines[0])


class SkippedKinds(unittest.TestCase):
    """Defect: a test learns a new reason for a skip, and the list does not."""

    def test_know_every_reason_in_the_sources(self):
        reasons = set()
        for path in (*ROOT.glob("tests/**/*.cpp"), *ROOT.glob("tests/**/*.h")):
            reasons |= set(re.findall(r'GTEST_SKIP\(\)\s*<<\s*"([^"]*)"', path.read_text(encoding="utf-8")))
        self.assertGreater(len(reasons), 8)
        for reason in reasons:
            self.assertEqual(sum(bool(re.search(kind.reason, reason)) for kind in read_kinds()), 1, reason)

    def test_name_suites_that_exist(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/*.cpp"))
        for kind in read_kinds():
            for suite in re.findall(r"(\w+)\\\.", kind.cases.replace(r"\b", "")):
                self.assertTrue(re.search(rf"TEST(_F|_P)?\({suite},", sources), f"{kind.kind}: {suite}")


class CountTests(unittest.TestCase):
    """Defect: a case of a binary, a crash or an entry that did not run is counted as another one."""

    def count(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                pathlib.Path(folder, name).write_text(content, encoding="utf-8")
            command = [sys.executable, "-B", ROOT / "scripts/lib/count_tests.py", f"{folder}/results.xml"]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    def test_counts_the_cases_of_each_binary(self):
        lines = self.count({
            "results.xml": '<s><testcase name="kernels_cuda_test" status="run"/><testcase name="b" status="fail"/>'
                           '<testcase name="c" status="run"/></s>',
            "gtest-kernels_cuda_test.xml":
                '<s><testcase name="x" classname="A" status="run" result="completed"/>'
                '<testcase name="y" classname="A" status="run" result="skipped">'
                '<skipped message="a/b.cpp:7&#x0A;no CUDA device is here"/></testcase>'
                '<testcase name="z" classname="A" status="run"><failure/></testcase></s>',
        })
        self.assertEqual(lines, ["2 2 1", "skipped 1 of the kind gpu: no CUDA device is here"])

    def test_counts_a_crash_behind_passed_cases(self):
        lines = self.count({
            "results.xml": '<s><testcase name="a" status="fail"/></s>',
            "gtest-a.xml": '<s><testcase name="x" classname="A" status="run" result="completed"/></s>',
        })
        self.assertEqual(lines, ["1 1 0"])

    def test_fails_an_entry_that_did_not_run(self):
        lines = self.count({"results.xml": '<s><testcase name="a" status="notrun"><skipped message="Not Run"/></testcase></s>'})
        self.assertEqual(lines[0], "0 1 1")
        self.assertIn("skipped a: 'Not Run' is of no kind", lines[1])


if __name__ == "__main__":
    unittest.main()
