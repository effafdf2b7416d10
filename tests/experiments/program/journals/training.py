"""The killed training of tests/golden/journals/train: its texts, its checkpoint and its command."""

import os
import shutil
import subprocess
import time

from fixture import GOLDEN
from program import called
from tables import rows_of, summary_of_rows


def place_texts(folder):
    """The config in a folder, and beside it the texts that it names."""
    text = "".join(f"abc d{line % 10}\n" for line in range(1600))
    (folder / "drafter").mkdir(parents=True)
    shutil.copy(GOLDEN / "train/config.toml", folder)
    (folder / "text.txt").write_text(text, encoding="utf-8")
    (folder / "held_out.txt").write_text(text[:3200], encoding="utf-8")


def place_training(folder, share):
    """@param share  of the checkpoint's bytes; less than 1 is a torn file"""
    place_texts(folder)
    content = (GOLDEN / "train/checkpoint.bin").read_bytes()
    (folder / "drafter/checkpoint.bin").write_bytes(content[:int(share * len(content))])


def train(folder):
    return called("train", folder / "config.toml", "--output", folder / "drafter")


def kill_training(folder):
    """Trains until the first checkpoint is there, which is then the fixture's."""
    checkpoint = folder / "drafter/checkpoint.bin"
    place_texts(folder)
    process = subprocess.Popen(
        [os.environ["SPECLAB_PROGRAM"], "train", folder / "config.toml", "--output",
         folder / "drafter"], env=dict(os.environ, OMP_NUM_THREADS="1"), stdout=subprocess.DEVNULL)
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.wait()
    shutil.copy(checkpoint, GOLDEN / "train/checkpoint.bin")


def first_point(folder):
    """@return the point of the training's curve that the checkpoint holds"""
    return summary_of_rows(rows_of(folder / "drafter/training.csv")[:1])
