"""Prints "passed failed skipped" for a ctest JUnit file, then a line for each kind of skips.

Usage: count_tests.py RESULTS [--part]
The cases inside each GoogleTest binary are counted, or the ctest entry itself. Every binary writes
gtest-NAME.xml beside the file; one that crashed before writing counts as one failure. A skip of no kind of
tests/skipped_kinds.csv is a failure, and so is a kind that is skipped whole without a reason there. With
--part, where tests were chosen by name, a whole kind does not fail.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from skip_kinds import Case, judged, read_kinds


def reason_of(case):
    """@return the text of a skip in one line, without the place of the source"""
    skipped = case.find("skipped")
    text = "not run" if skipped is None else skipped.get("message", "")
    place, _, rest = text.partition("\n")
    return " ".join((rest or place).split())


def cases_of_binary(path, binary):
    for case in ElementTree.parse(path).iter("testcase"):
        name = f"{binary} {case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            yield Case(name, "failed")
        elif case.get("result") == "skipped" or case.get("status") == "notrun":
            yield Case(name, "skipped", reason_of(case))
        else:
            yield Case(name, "passed")


def cases_of_entry(entry, folder):
    name = entry.get("name")
    own = folder / f"gtest-{name}.xml"
    crashed = entry.get("status") == "fail"
    if own.exists():
        cases = list(cases_of_binary(own, name))
        if crashed and all(case.result != "failed" for case in cases):
            cases.append(Case(name, "failed"))
        return cases
    if crashed:
        return [Case(name, "failed")]
    if entry.find("skipped") is not None or entry.get("status") in ("notrun", "disabled"):
        return [Case(name, "skipped", reason_of(entry))]
    return [Case(name, "passed")]


def main():
    path = pathlib.Path(sys.argv[1])
    entries = list(ElementTree.parse(path).iter("testcase"))
    if not entries:
        sys.exit("no test ran")
    cases = [case for entry in entries for case in cases_of_entry(entry, path.parent)]
    counts = collections.Counter(case.result for case in cases)
    lines, failures = judged(cases, read_kinds(), "--part" in sys.argv[2:])
    print(counts["passed"], counts["failed"] + failures, counts["skipped"])
    for line in lines:
        print(line)


if __name__ == "__main__":
    main()
