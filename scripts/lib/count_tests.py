"""Prints "passed failed skipped" for a ctest JUnit file: the cases inside each GoogleTest binary, or the ctest entry itself.

Every binary writes gtest-NAME.xml beside the file; one that crashed before writing counts as one failure.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def count_binary(path):
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None:
            failed += 1
        elif case.get("result") == "skipped" or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_entry(entry, folder):
    own = folder / f"gtest-{entry.get('name')}.xml"
    crashed = entry.get("status") == "fail"
    if own.exists():
        passed, failed, skipped = count_binary(own)
        return passed, failed + (1 if crashed and failed == 0 else 0), skipped
    if entry.find("skipped") is not None or entry.get("status") in ("notrun", "disabled"):
        return (0, 1, 0) if entry.get("status") == "fail" else (0, 0, 1)
    return (0, 1, 0) if crashed else (1, 0, 0)


def main():
    path = pathlib.Path(sys.argv[1])
    entries = list(ElementTree.parse(path).iter("testcase"))
    if not entries:
        sys.exit("no test ran")
    print(*(sum(column) for column in zip(*(count_entry(entry, path.parent) for entry in entries))))


main()
