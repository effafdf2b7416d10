"""Tests of the comparison itself: a table that is wrong in one number is found, and named."""

import pathlib
import shutil
import tempfile
import unittest

from compare import EXPECTED, differences, differs, recomputed
from intervals import student_quantile
from raw_tables import SWEEPS, read_table


def committed(table):
    return read_table(EXPECTED / table / "comparison.csv")


class OneWrongNumber(unittest.TestCase):
    """Defect: a wrong number of the committed table is taken for the recomputed one."""

    def expect_found(self, table, changed):
        ours = recomputed(table)
        for row in range(len(ours)):
            for column, old in committed(table)[row].items():
                if column not in ("ours", "ours_low", "ours_high", "prompts", "reference", "difference") or not old:
                    continue
                theirs = committed(table)
                theirs[row][column] = changed(float(old), column)
                with self.subTest(table=table, row=row, column=column):
                    [line] = differences(theirs, ours)
                    self.assertIn(f"{theirs[row]['quantity']}: {column} is", line)

    def test_is_found_in_every_cell(self):
        self.expect_found("chen_table_1", lambda value, column: str(value * (1 + 1e-6) if value else 1e-6))

    def test_is_found_where_a_cell_is_empty(self):
        self.expect_found("ntt_model_size", lambda value, column: "")

    def test_is_found_at_ends_with_an_error_of_their_own(self):
        factor = {"ours_low": 0.95, "ours_high": 1.05}  # a twentieth of a share, a third of an interval's reach
        self.expect_found("specinfer_table_1", lambda value, column: str(value * factor.get(column, 1 + 1e-6)))

    def test_is_none_in_the_committed_tables(self):
        for table in ("chen_table_1", "ntt_model_size", "specinfer_table_1"):
            self.assertEqual(differences(committed(table), recomputed(table)), [])


class Rows(unittest.TestCase):
    """Defect: a row that only one of the tables has is passed over."""

    def test_are_the_same_in_both(self):
        ours, theirs = recomputed("chen_table_1"), committed("chen_table_1")
        for found in (differences(theirs[1:], ours), differences(theirs, ours[1:])):
            self.assertRegex(found[0], "other rows: .*autoregressive.*mean_token_time_ms")


class RawTables(unittest.TestCase):
    """Defect: a recomputation takes counts of rows.csv, so that it agrees with the sums of the program."""

    def test_of_a_changed_round_give_another_table(self):
        with tempfile.TemporaryDirectory() as scratch:
            for sweep in ("nucleus_code", "nucleus_summaries"):
                shutil.copytree(SWEEPS / sweep, pathlib.Path(scratch) / sweep)
            rounds = pathlib.Path(scratch) / "nucleus_code/rounds.csv"
            text = rounds.read_text(encoding="utf-8")
            rounds.write_text(text.replace("8,0,275,4,5,4,0,1,1,", "8,0,275,4,5,4,0,2,1,"), encoding="utf-8")
            found = differences(committed("chen_table_1"), recomputed("chen_table_1", pathlib.Path(scratch)))
            self.assertTrue(found)
            for line in found:
                self.assertIn("task=humaneval;sampling=nucleus;method=speculative acceptance_rate", line)


class StudentQuantile(unittest.TestCase):
    """Defect: intervals of few prompts have another law's reach. The values are of printed tables."""

    def test_is_that_of_tables(self):
        for degrees, value in ((1, 12.7062), (2, 4.3027), (3, 3.1824), (30, 2.0423)):
            self.assertFalse(differs(value, student_quantile(degrees), 2e-5), degrees)


if __name__ == "__main__":
    unittest.main()
