"""The order in which scripts/compare_peers measures. Each test names the defect that it catches."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "peers"))
from measuring_order import in_turn


class InTurn(unittest.TestCase):
    """Modes of two contestants."""

    PAIRS = [("ours", "drafts"), ("ours", "plain"), ("theirs", "plain"), ("theirs", "assisted")]

    def test_modes_come_in_the_order_that_was_asked_for(self):
        """Defect: the time ends before plain decoding is measured, or a mode that nobody asked for takes it."""
        self.assertEqual(in_turn(self.PAIRS, ["plain", "assisted"]), [[("ours", "plain"), ("theirs", "plain")], [("theirs", "assisted")]])

    def test_a_mode_that_nobody_has_is_refused(self):
        """Defect: a mode without its drafter is left out in silence."""
        with self.assertRaisesRegex(SystemExit, "--in-turn tree; allowed: assisted, drafts, plain"):
            in_turn(self.PAIRS, ["plain", "tree"])


if __name__ == "__main__":
    unittest.main()
