#!/usr/bin/env python3
"""Writes tests/golden/families: what transformers computes with tiny made checkpoints of every family. families/README.md has the recipe.

    make_family_fixtures.py reference WORK           with transformers 5: folders, logits, continuations
    make_family_fixtures.py old WORK                 with transformers 4: the older config.json, which must give the same logits
    make_family_fixtures.py gguf WORK LLAMA_CPP      with llama.cpp's converter: metadata and where each tensor comes from
    make_family_fixtures.py write WORK               puts the fixtures into the repository
WORK is a folder for what lies between the steps.
"""

import argparse
import json
import os
import sys

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from family_recipe.values import values_of  # noqa: E402
from family_recipe.variants import VARIANTS, WITHOUT_GGUF, keys_of  # noqa: E402

SEED = 20261127
NOISE = 8
PROMPT_LENGTH = 24
NEW_TOKENS = 40


def store(work, name, part, value):
    with open(os.path.join(work, f"{name}.{part}.json"), "w") as out:
        json.dump(value, out)


def stored(work, name, part):
    path = os.path.join(work, f"{name}.{part}.json")
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return json.load(file)


def prompt_of(vocabulary):
    """The same for all vocabularies of a size, with repetitions that an attention can find."""
    ids = np.random.default_rng(SEED).integers(3, vocabulary, PROMPT_LENGTH)
    ids[16:20] = ids[4:8]
    return [1] + ids[1:].tolist()


def two_values(tensors, noise):
    """The first value of the first tensor and the last of the last: C++ must make the same."""
    ends = [(tensors[0], 0), (tensors[-1], -1)]
    return [float(values_of(tensor, SEED, noise).ravel()[i]) for tensor, i in ends]


def reference(work, name):
    from family_recipe.reference import continued, forced, load_model, prepare_folder, read_config, write_weights

    folder = os.path.join(work, name)
    tensors = prepare_folder(folder, *keys_of(name))
    write_weights(folder, tensors, SEED, 0)
    prompt = prompt_of(keys_of(name)[1]["vocab_size"])
    logits, greedy = continued(load_model(folder), prompt, NEW_TOKENS)
    best = np.sort(logits[PROMPT_LENGTH - 1:], axis=1)
    margins = best[:, -1] - best[:, -2]
    write_weights(folder, tensors, SEED, NOISE)
    guesses = forced(load_model(folder), prompt + greedy[:-1])[PROMPT_LENGTH - 1:].argmax(1)
    write_weights(folder, tensors, SEED, 0)
    np.save(os.path.join(work, f"{name}.npy"), logits)
    store(work, name, "reference", {
        "config": read_config(folder), "tensors": tensors, "prompt": prompt, "greedy": greedy,
        "margins": [round(float(margin), 6) for margin in margins], "twin_agrees": int((guesses == greedy).sum()),
        "values": two_values(tensors, 0), "twin_values": two_values(tensors, NOISE)})
    print(f"{name:20} spread {logits.std():.2f} least margin {margins.min():.4f} "
          f"different ids {len(set(greedy))} twin agrees {(guesses == greedy).mean():.2f}")


def old(work, name):
    from family_recipe.old_config import old_config

    made = stored(work, name, "reference")
    config, logits = old_config(os.path.join(work, name), *keys_of(name), made["prompt"] + made["greedy"][:-1], PROMPT_LENGTH)
    error = np.abs(logits - np.load(os.path.join(work, f"{name}.npy"))).max()
    print(f"{name:20} largest difference between transformers 4 and 5: {error:.2g}")
    if error > 1e-4:
        raise SystemExit(f"{name}: transformers 4 and 5 disagree")
    store(work, name, "old", config)


def gguf(work, name, llama_cpp):
    from family_recipe.gguf_sources import gguf_sources

    if name not in WITHOUT_GGUF:
        tensors = stored(work, name, "reference")["tensors"]
        values = {tensor["name"]: values_of(tensor, SEED) for tensor in tensors}
        store(work, name, "gguf", gguf_sources(stored(work, name, "old"), tensors, values, llama_cpp))


def lines(fixture):
    """JSON with a line for each key, and for each tensor."""
    def value(item):
        if isinstance(item, list) and item and isinstance(item[0], dict):
            return "[\n" + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in item) + "]"
        return json.dumps(item, separators=(",", ":"))
    return "{" + ",\n".join(f"{json.dumps(key)}:{value(item)}" for key, item in fixture.items()) + "}\n"


def write(work, name):
    made, config_4, from_gguf = stored(work, name, "reference"), stored(work, name, "old"), stored(work, name, "gguf")
    fixture = {"config": made["config"]}
    if config_4 and config_4 != made["config"]:
        fixture["config_4"] = config_4
    fixture |= {"seed": SEED, "twin_noise": NOISE, "values": made["values"], "twin_values": made["twin_values"],
                "prompt": made["prompt"], "greedy": made["greedy"], "margins": made["margins"],
                "twin_agrees": made["twin_agrees"], "tensors": made["tensors"]}
    if from_gguf:
        fixture |= {"gguf_sum": from_gguf["sum"], "gguf_metadata": from_gguf["metadata"], "gguf_tensors": from_gguf["tensors"]}
    families = os.path.join(FOLDER, "families")
    os.makedirs(families, exist_ok=True)
    with open(os.path.join(families, f"{name}.json"), "w", encoding="ascii") as out:
        out.write(lines(fixture))
    np.load(os.path.join(work, f"{name}.npy")).astype("<f4").tofile(os.path.join(families, f"{name}.logits"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["reference", "old", "gguf", "write"])
    parser.add_argument("work")
    parser.add_argument("llama_cpp", nargs="?")
    parser.add_argument("--only", nargs="*", default=list(VARIANTS))
    call = parser.parse_args()
    os.makedirs(call.work, exist_ok=True)
    more = [call.llama_cpp] if call.step == "gguf" else []
    for name in call.only:
        globals()[call.step](call.work, name, *more)


if __name__ == "__main__":
    main()
