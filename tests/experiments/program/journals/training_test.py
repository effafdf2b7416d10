"""A killed training of an earlier revision goes on: tests/golden/journals/README.md."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from fixture import GOLDEN  # noqa: E402
from program import called  # noqa: E402
from tables import differences, rows_of  # noqa: E402
from training import first_point, place_training, train  # noqa: E402

EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))["train"]


class KilledTraining(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name, "training")

    def test_goes_on_from_its_checkpoint(self):
        """Defect: an old checkpoint is refused, or passed over, or its curve is lost."""
        place_training(self.folder, share=1)
        code, text = called("report", self.folder / "drafter")
        self.assertEqual((code, "training that has not ended" in text), (3, True), text)
        code, text = train(self.folder)
        self.assertEqual((code, "train  10 %" in text), (0, False), text)
        self.assertEqual(differences({"curve": EXPECTED}, {"curve": first_point(self.folder)}), [])
        self.assertEqual(len(rows_of(self.folder / "drafter/training.csv")), 10)
        self.assertFalse((self.folder / "drafter/checkpoint.bin").exists())

    def test_is_refused_where_its_checkpoint_is_torn(self):
        """Defect: a torn checkpoint is taken for the whole, or overwritten without a word."""
        place_training(self.folder, share=0.5)
        code, text = train(self.folder)
        self.assertEqual((code, "damaged, or no checkpoint" in text), (3, True), text)
        self.assertTrue((self.folder / "drafter/checkpoint.bin").exists())


if __name__ == "__main__":
    unittest.main()
