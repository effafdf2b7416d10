"""The built program that SPECLAB_PROGRAM names, over fixtures of journals."""

import os
import subprocess

from fixture import GOLDEN, number_texts
from tables import page_summaries, table_summaries


def called(*words):
    """@return exit code and all output of `speclab WORDS`"""
    process = subprocess.run(
        [os.environ["SPECLAB_PROGRAM"], *map(str, words)], stdin=subprocess.DEVNULL,
        env=dict(os.environ, OMP_NUM_THREADS="1"), capture_output=True, text=True, timeout=120)
    return process.returncode, process.stdout + process.stderr


def run(kind, folder, *options):
    return called("run", GOLDEN / kind / "config.toml", "--no-report", "--output", folder, *options)


def report(folder, output):
    """Makes the report of a run folder elsewhere.
    @return exit code, all output, and what its page, its tables and its answer say"""
    script = output.with_suffix(".js")
    script.write_text("// stands for plotly\n", encoding="utf-8")
    code, text = called("report", folder, "--output", output, "--no-static-figures",
                        "--plotly", script)
    if code:
        return code, text, {}
    answer = {f"number {place}": number for place, number
              in enumerate(number_texts(text.replace(str(output), "")), 1)}
    said = {"answer": answer} | table_summaries(output) | page_summaries(output / "report.html")
    return code, text, said
