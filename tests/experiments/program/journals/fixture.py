"""The journals of tests/golden/journals, put into folders as if this machine had measured them."""

import hashlib
import json
import pathlib
import re
import tomllib

GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "golden/journals"
ORIGIN = "/tmp/speclab_journals"  # the folder that `make` measured in
DIGEST = 16

# Whole lines that a killed run has in each of its journals; None is all.
CUTS = {
    "decoding": {"journal": 12},
    "cost_surface": {"journal": 1},
    "rule_atlas": {"journal": 3},
    "drafter_acceptance": {"journal": 5},
    "edited_config": {"journal": 19},
    "meters": {"journal": 4},  # costs and no predictions
    "workers": {"journal": 4, "shards/0/journal": None, "shards/1/journal": 3},
}


def payloads_in(journal):
    """@return the entries of a journal, whose digests are checked"""
    lines = journal.read_text(encoding="utf-8").splitlines()
    entries = [line[DIGEST + 1:] for line in lines]
    if chained(entries) != lines:
        raise ValueError(f"{journal}: a line is damaged; restore the file")
    return entries


def chained(entries):
    """@return the lines of a journal: before each entry the digest over the first line's digest,
    the previous one's and the entry"""
    lines, first, previous = [], "", ""
    for entry in entries:
        previous = hashlib.sha256((first + previous + entry).encode()).hexdigest()[:DIGEST]
        first = first or previous
        lines.append(f"{previous} {entry}")
    return lines


def moved(entry, provenance):
    """A header that names the files of this tree, and `provenance` in place of its own. A drafter
    keeps its path: the keys of work have it, and a run knows a drafter that has moved."""
    kind, section, key, text = entry.split(" ", 3)
    if kind != "header":
        return entry
    header = json.loads(text)
    for name in ("target", "prompts.jsonl"):
        header["config"] = header["config"].replace(f"{ORIGIN}/{name}", f"{GOLDEN}/{name}")
    header["provenance"] = [[name, provenance.get(name, value)]
                            for name, value in header["provenance"]]
    return f"{kind} {section} {key} {json.dumps(header, ensure_ascii=False)}"


def place(kind, state, folder, provenance):
    """Makes a run folder that has nothing but the journals of a kind.
    @param state  whole, cut between two entries, or torn: half of the next entry is there, too
    @return the entries that are whole there"""
    kept = []
    for journal, count in CUTS[kind].items():
        stored = payloads_in(GOLDEN / kind / journal)
        entries = [moved(entry, provenance) for entry in stored]
        lines = chained(entries)
        whole = lines if state == "whole" else lines[:count]
        text = "".join(line + "\n" for line in whole)
        if state == "torn" and count is not None:
            text += lines[count][:len(lines[count]) // 2]
        (folder / journal).parent.mkdir(parents=True, exist_ok=True)
        (folder / journal).write_text(text, encoding="utf-8")
        kept += entries[:len(whole)]
    return kept


def provenance_in(folder):
    """@return what the manifest of a run says of its program and machine"""
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    return {name: str(value) for name, value in manifest["provenance"].items()
            if name not in ("config_sha256", "prompts_sha256")}


def keys_of(entries):
    """@return what the entries measured: numbers of rows are counted, cells and prompts named"""
    texts = [entry.split(" ", 3) for entry in entries]
    named = [json.loads(text) for kind, _, _, text in texts if kind in ("atlas", "acceptance")]
    return {
        "rows": len({key for kind, _, key, _ in texts if kind == "row"}),
        "has_costs": [section for kind, section, _, _ in texts if kind == "costs"],
        "named": {(entry["cell"], entry.get("prompt", "")) for entry in named},
    }


def number_texts(text):
    """@return the numbers of a sentence"""
    return [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]
