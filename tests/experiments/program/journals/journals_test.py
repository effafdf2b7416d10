"""Journals of an earlier revision are read and gone on with: tests/golden/journals/README.md.

SPECLAB_PROGRAM names the program. A header gets the origin of that program, so that every kind goes
on; OtherProgram looks at headers that keep their own.
"""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from fixture import CUTS, GOLDEN, keys_of, place, provenance_in  # noqa: E402
from program import report, run  # noqa: E402
from tables import (MEASURED, differences, rows_of, run_summaries,  # noqa: E402
                    summary_of_rows)

EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
ANOTHER = {"revision": "another"}
TIMES = ("prefill_ns", "time_to_first_token_ns", "decode_ns")
# A new section times the memory of the machine, and less of it where weights are streamed.
STREAMED = ("--set", 'target.weights="streamed"', "--set", "target.resident_bytes=1000000")
KILLED = [(kind, state) for kind in CUTS for state in ("torn", "cut")]
KILLED.remove(("meters", "torn"))  # differs from `decoding` in what rows say
GONE_ON = {"times.csv", "predictions.csv", "rows.csv", "costs.csv", "atlas.csv", "acceptance.csv", "siblings.csv"}
FACTS = ("row_id", "cell_id", "repetition", "prompt_id", "category", "seed", "sequence_id",
         "prompt_tokens")


def setUpModule():
    """One run that another program has begun: its manifest tells what this program is."""
    global scratch, other_code, other_text, here
    scratch = tempfile.TemporaryDirectory()
    place("decoding", "torn", folder("other"), ANOTHER)
    other_code, other_text = run("decoding", folder("other"), "--allow-mixed", *STREAMED)
    here = provenance_in(folder("other"))
    for kind in CUTS:
        place(kind, "whole", folder(kind, "whole"), here)
        run(kind, folder(kind, "whole"))


def tearDownModule():
    scratch.cleanup()


def folder(*names):
    return pathlib.Path(scratch.name, *names)


def picked(rows, columns):
    return [[row[column] for column in columns] for row in rows]


def name_of(row):
    """@return cell and prompt of a row; a row of atlas.csv has no prompt"""
    return row["cell_id"], row.get("prompt_id", "")


def names_of(rows):
    return {name_of(row) for row in rows}


def held(rows, named):
    return [row for row in rows if name_of(row) in named]


class Journals(unittest.TestCase):
    """Journals of each kind: whole, with a torn last line, and cut between two entries."""

    def test_whole_ones_make_the_tables_again(self):
        """Defect: an entry loses a field or changes it when it is read again."""
        for kind in CUTS:
            with self.subTest(kind=kind):
                found = run_summaries(folder(kind, "whole"))
                self.assertEqual(differences(EXPECTED[kind]["run"], found), [])
                code, text = run(kind, folder(kind, "whole"))
                self.assertEqual((code, "is complete" in text), (0, True), text)

    def test_whole_ones_are_reported_on(self):
        """Defect: report draws other numbers from the tables of an old journal."""
        for kind in CUTS:
            with self.subTest(kind=kind):
                code, text, said = report(folder(kind, "whole"), folder(f"page_{kind}"))
                self.assertEqual(code, 0, text)
                self.assertEqual(differences(EXPECTED[kind]["whole"], said), [])

    def test_of_killed_runs_are_reported_on(self):
        """Defect: report refuses an old journal without tables, or draws other numbers from it."""
        for kind, state in KILLED:
            with self.subTest(kind=kind, state=state):
                place(kind, state, folder("reported", kind, state), here)
                code, text, said = report(folder("reported", kind, state),
                                          folder(f"page_{kind}_{state}"))
                if not EXPECTED[kind]["cut"]:  # nothing but pilots and costs were measured
                    self.assertEqual((code, "no measurement for a report" in text), (3, True), text)
                    continue
                self.assertEqual((code, "a partial report" in text), (0, True), text)
                self.assertEqual(differences(EXPECTED[kind]["cut"], said), [])

    def test_of_killed_runs_are_gone_on_with(self):
        """Defect: work that a journal holds is measured again or lost, or its run is refused."""
        for kind, state in KILLED:
            with self.subTest(kind=kind, state=state):
                at, whole = folder("resumed", kind, state), folder(kind, "whole")
                kept = keys_of(place(kind, state, at, here))
                code, text = run(kind, at)
                self.assertEqual((code, "resumed with" in text), (0, True), text)
                self.assertEqual("unfinished last line" in text, state == "torn", text)
                for name in GONE_ON.intersection(EXPECTED[kind]["run"]):
                    self.expect_gone_on(name, rows_of(whole / name), rows_of(at / name), kept)

    def expect_gone_on(self, name, before, after, kept):
        """@param before  the rows of the whole run @param after  those of the resumed one"""
        if name == "times.csv":
            same = sum(a == b for a, b in zip(picked(before, TIMES), picked(after, TIMES)))
            self.assertEqual(same, kept["rows"], "rows that were not measured again")
        elif name == "rows.csv":
            self.assertEqual(picked(after, FACTS), picked(before, FACTS))
        elif name == "predictions.csv":
            found = {name: summary_of_rows(after)}
            del found[name]["paced_walltime_ns"]
            self.assertEqual(differences(found, {name: summary_of_rows(before)}), [])
        elif name == "costs.csv":
            columns = before[0].keys() - (set() if kept["has_costs"] else MEASURED)
            self.assertEqual(picked(after, columns), picked(before, columns))
        else:
            self.assertEqual(held(after, kept["named"]), held(before, kept["named"]), name)
            self.assertEqual(names_of(after), names_of(before), name)


class OtherProgram(unittest.TestCase):
    """Journals whose header names another program."""

    def test_goes_on_in_a_section_of_its_own(self):
        """Defect: rows of two programs are mixed without their origin, or are not taken over."""
        self.assertEqual(other_code, 0, other_text)
        times = rows_of(folder("other", "times.csv"))
        whole = rows_of(folder("decoding", "whole", "times.csv"))
        old = [row["row_id"] for row in times if row["section"] == "1"]
        self.assertEqual(len(old), 3, "rows of `decoding` in front of its cut")
        self.assertEqual({row["section"] for row in times}, {"1", "2"})
        for row, first in zip(times, whole):
            is_same = picked([row], TIMES) == picked([first], TIMES)
            self.assertEqual(is_same, row["row_id"] in old)

    def test_is_refused_where_it_is_not_asked_for(self):
        """Defect: another program goes on in silence, or the refusal does not name what differs."""
        for kind in ("decoding", "rule_atlas"):
            with self.subTest(kind=kind):
                at = folder("refused", kind)
                place(kind, "cut", at, here | ANOTHER)
                code, text = run(kind, at)
                self.assertEqual(code, 5, text)
                self.assertIn("revision: was another, now", text)
        code, text = run("rule_atlas", folder("refused", "rule_atlas"), "--allow-mixed")
        self.assertEqual((code, "only its rows note their origin" in text), (2, True), text)


if __name__ == "__main__":
    unittest.main()
