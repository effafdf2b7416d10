#!/usr/bin/env python3
"""Writes tests/golden/generation/cases.jsonl: what generate() of transformers 4.49 gives on the tiny models of families.

    pip install transformers==4.49.0 tokenizers==0.21.4 torch==2.6.0 numpy==2.2.6 safetensors==0.8.0 huggingface_hub==0.36.2
    python tests/golden/make_generation_fixtures.py WORK

WORK is a folder for the checkpoints. A slot of the plan is tried with other prompts, ends and lengths until a case of it is
stable, that is until small noise on the logits leaves its ids as they are. generation/README.md describes the file.
"""

import argparse
import itertools
import json
import math
import os
import sys
import warnings
from collections import Counter

import numpy as np
import torch
import transformers
from transformers import AutoModelForCausalLM, GenerationConfig

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from family_recipe.reference import write_weights  # noqa: E402

FAMILIES = os.path.join(FOLDER, "families")
PAD = 0
SHORT_PROMPT = 5
NOISE = 1e-4
NOISE_SEEDS = (1, 2, 3)
TRIES = 24
MOST_UNSTABLE = 20
WORDS = [[[5]], [[5, 6]], [[[5, 6], [9]]], [[60], [11, 13]], [[7, 8, 9]], [[[40], [41, 42]], [70]]]
USED_WORDS = {5, 6, 7, 8, 9, 11, 13, 40, 41, 42, 60, 70}
BEAMS = list(itertools.product([2, 4, 5], [False, True, "never"], [0.5, 1.0, 2.0, 0.0, -1.0]))
PROCESSORS = ["repetition_penalty", "no_repeat_ngram_size", "min_new_tokens", "min_length", "bad_words_ids", "sequence_bias",
              "exponential_decay_length_penalty", "suppress_tokens", "begin_suppress_tokens", "forced_eos_token_id",
              "renormalize_logits"]
MIN_LENGTHS = {"min_new_tokens", "min_length"}
NEED_AN_END = MIN_LENGTHS | {"exponential_decay_length_penalty"}


# Models

def load_model(work, name, fixture):
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as out:
        json.dump(fixture.get("config_4", fixture["config"]), out)
    write_weights(folder, fixture["tensors"], fixture["seed"], 0)
    model = AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float32, attn_implementation="eager").eval()
    model.generation_config = GenerationConfig()  # nothing of the checkpoint's: neither its end nor its kind of cache
    return model


def reason_against(model, name, fixture):
    """Why the model's texts cannot serve as a reference, or None."""
    logits = np.fromfile(os.path.join(FAMILIES, f"{name}.logits"), "<f4").reshape(-1, model.config.vocab_size)
    prompt, ids = fixture["prompt"], fixture["prompt"] + fixture["greedy"][:-1]
    with torch.inference_mode():
        error = np.abs(model(torch.tensor([prompt])).logits[0].numpy() - logits[:len(prompt)]).max()
        if error > 1e-4:
            return f"its logits after the prompt are {error:.2g} away from the fixture's"
        error = np.abs(model(torch.tensor([ids]), use_cache=False).logits[0].numpy() - logits).max()
    return f"its logits depend on the cache, by {error:.2g}" if error > 1e-3 else None


def takes_a_cache(model, prompt):
    try:
        generated(model, prompt, {"max_new_tokens": 4})
        return True
    except RuntimeError:
        return False


class Noise:
    """Moves logits and last hidden states of every forward by up to NOISE times their largest magnitude, while `seed` is set."""

    def __init__(self, model):
        self.seed = None
        model.register_forward_hook(self.moved)

    def begin(self, seed):
        self.seed = seed
        self.random = torch.Generator().manual_seed(seed or 0)

    def of(self, values):
        return values + NOISE * values.abs().max() * (2 * torch.rand(values.shape, generator=self.random) - 1)

    def moved(self, module, inputs, output):
        if self.seed is None:
            return output
        output.logits = self.of(output.logits)
        if output.hidden_states is not None:
            output.hidden_states = output.hidden_states[:-1] + (self.of(output.hidden_states[-1]),)
        return output


# Running generate()

def generated(model, prompt, options, use_cache=True):
    """@return new ids of each sequence without padding, and the scores; ValueError where a processor made logits that are none"""
    ids = torch.tensor([prompt])
    result = model.generate(ids, attention_mask=torch.ones_like(ids), pad_token_id=PAD, use_cache=use_cache, output_scores=True,
                            return_dict_in_generate=True, **options)
    if any(torch.isnan(scores).any() for scores in result.scores):
        raise ValueError("processed logits that are not a number")
    rows = result.sequences[:, len(prompt):].tolist()
    scores = getattr(result, "sequences_scores", None)
    scores = [None] * len(rows) if scores is None else scores.tolist()
    return [without_padding(row, options.get("eos_token_id")) for row in rows], scores


def without_padding(row, end):
    """Padding follows an end only, so zeros that follow another id belong to the text."""
    shorter = list(row)
    while shorter and shorter[-1] == PAD:
        shorter.pop()
    return shorter if shorter and shorter[-1] == end else row


def is_stable(model, noise, prompt, options, use_cache, sequences):
    try:
        for seed in NOISE_SEEDS:
            noise.begin(seed)
            if generated(model, prompt, options, use_cache)[0] != sequences:
                return False
        return True
    finally:
        noise.begin(None)


# Options

def text_of(model, prompt):
    """Greedy ids after a prompt, and ids that may end texts: late and early ones of it, and those most often near the top."""
    greedy, tops = [], Counter()
    for _ in range(20):
        with torch.inference_mode():
            row = model(torch.tensor([prompt + greedy]), use_cache=False).logits[0, -1]
        tops.update(row.topk(4).indices.tolist())
        greedy.append(int(row.argmax()))
    free = [token for token in dict.fromkeys(greedy) if token != PAD and token not in USED_WORDS]
    late = [token for token in free if 4 <= greedy.index(token) <= 11] or free[-1:]
    early = [token for token in free if 1 <= greedy.index(token) <= 4] or free[:1]
    often = [token for token, _ in tops.most_common() if token != PAD and token not in USED_WORDS][:2]
    return {"prompt": prompt, "greedy": greedy, "late": late, "early": early, "often": often}


def end_of(text, turn, attempt, needed=False):
    """An end of early, late or frequent kind; without one in every fourth turn."""
    kinds = [text["often"], text["late"], text["early"], [None] if not needed else text["often"]]
    kind = kinds[turn % 4]
    return kind[attempt // 2 % len(kind)]


def base_options(text, turn, attempt, needed=False):
    return {"max_new_tokens": 12 + (5 * turn + attempt) % 9, "eos_token_id": end_of(text, turn, attempt, needed)}


def beam_options(text, turn, attempt):
    beams, early_stopping, penalty = BEAMS[turn * 17 % len(BEAMS)]
    return base_options(text, turn // 2 + turn, attempt) | {
        "num_beams": beams, "early_stopping": early_stopping, "length_penalty": penalty,
        "num_return_sequences": 1 + (turn + attempt) % beams}


def processor_value(name, text, attempt, end):
    greedy = [token for token in text["greedy"] if token != end] + [14, 15, 16, 18, 19, 21, 22]
    at = attempt % 4
    return {"repetition_penalty": 1.3, "no_repeat_ngram_size": 2, "min_new_tokens": 6,
            "min_length": len(text["prompt"]) + 6,
            "bad_words_ids": [[greedy[at]], [greedy[at + 2], greedy[at + 3]]],
            "sequence_bias": [[[greedy[at]], -1.5], [[greedy[at + 1], greedy[at + 2]], -4.0], [[20 + attempt], 2.5]],
            "exponential_decay_length_penalty": [3, 1.4], "suppress_tokens": sorted({greedy[at], greedy[at + 3]}),
            "begin_suppress_tokens": [greedy[0]], "forced_eos_token_id": end if end and attempt % 2 else 17,
            "renormalize_logits": True}[name]


def processor_options(text, turn, attempt):
    """One processor; a second one in every second round, and always with the normalisation, which alone changes nothing."""
    round_, place = divmod(turn, len(PROCESSORS))
    names = [PROCESSORS[place]]
    if names[0] == "renormalize_logits" or round_ % 2:
        names.append(PROCESSORS[(place + 1 + round_) % (len(PROCESSORS) - 1)])
    if "exponential_decay_length_penalty" in names and MIN_LENGTHS & set(names):
        names = ["exponential_decay_length_penalty", "suppress_tokens"]  # 4.49 adds infinities of both signs there
    needed = bool(NEED_AN_END & set(names))
    options = base_options(text, 2 if MIN_LENGTHS & set(names) else turn + round_, attempt, needed)
    return options | {name: processor_value(name, text, attempt, options["eos_token_id"]) for name in names}


def processed_beam_options(text, turn, attempt):
    beams = [4, 2, 5][turn % 3]
    return processor_options(text, turn, attempt) | {"num_beams": beams, "num_return_sequences": 1 + (turn + attempt) % beams}


def group_options(text, turn, attempt):
    more = {} if turn % 3 else {"length_penalty": [2.0, 0.0, 0.5][turn // 3 % 3]}
    return base_options(text, turn, attempt) | {"num_beams": 4, "num_beam_groups": [2, 4][turn % 2],
                                                "diversity_penalty": [0.5, 2.0][turn // 2 % 2], "num_return_sequences": 2} | more


def constrained_options(text, turn, attempt):
    words = WORDS + [[[text["prompt"][2]]]]  # the last stands in the prompt already
    return base_options(text, turn, attempt) | {"num_beams": 4, "force_words_ids": words[turn % len(words)],
                                                "num_return_sequences": 1 + turn // 2 % 2}


def contrastive_options(text, turn, attempt):
    return base_options(text, turn, attempt) | {"penalty_alpha": [0.3, 0.6, 0.9][turn % 3], "top_k": [2, 4, 6][turn // 3 % 3]}


def processed_contrastive_options(text, turn, attempt):
    return processor_options(text, turn, attempt) | {"penalty_alpha": [0.6, 0.3][turn % 2], "top_k": [4, 3][turn // 2 % 2]}


PLAN = [("beam_search", beam_options, 4), ("beam_search", processed_beam_options, 2), ("greedy_search", processor_options, 2),
        ("group_beam_search", group_options, 1), ("constrained_beam_search", constrained_options, 1),
        ("contrastive_search", contrastive_options, 1), ("contrastive_search", processed_contrastive_options, 1)]


# Cases

def without_processors(options):
    return {key: value for key, value in options.items() if key not in PROCESSORS}


def made_case(model, noise, name, mode, text, options, use_cache, must_matter):
    """@return a case, or the reason why this one is none"""
    prompt = text["prompt"]
    try:
        sequences, scores = generated(model, prompt, options, use_cache)
    except (ValueError, TypeError, IndexError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:90]}"
    if any(score is not None and not math.isfinite(score) for score in scores):
        return "a score is not finite"
    if must_matter and generated(model, prompt, without_processors(options), use_cache) == (sequences, scores):
        return "the processors change nothing"
    if use_cache and mode != "contrastive_search" and generated(model, prompt, options, False)[0] != sequences:
        return "the ids differ without a cache"
    return {"family": name, "prompt": prompt, "options": {"pad_token_id": PAD} | options, "mode": mode, "sequences": sequences,
            "scores": [None if score is None else float(f"{score:.8g}") for score in scores],
            "stable": is_stable(model, noise, prompt, options, use_cache, sequences)}


def filled_slot(model, noise, name, mode, make_options, texts, turn, use_cache, refusals):
    """@return the first stable case of a slot or None, and an unstable one or None"""
    unstable = None
    must_matter = make_options in (processor_options, processed_beam_options, processed_contrastive_options)
    for attempt in range(TRIES):
        text = texts[(turn + attempt) % 2]
        case = made_case(model, noise, name, mode, text, make_options(text, turn, attempt), use_cache,
                         must_matter and attempt < TRIES // 2)
        if isinstance(case, str):
            refusals[mode, case] += 1
        elif case["stable"]:
            return case, unstable
        else:
            unstable = unstable or case
    return None, unstable


def spread(cases, most):
    """At most so many of the cases, the modes in turn."""
    modes = {}
    for case in cases:
        modes.setdefault(case["mode"], []).append(case)
    in_turn = [case for row in itertools.zip_longest(*modes.values()) for case in row if case]
    return in_turn[:most]


def report(cases, refusals):
    for (mode, reason), count in sorted(refusals.items()):
        print(f"tries refused: {count:4} {mode}: {reason}")
    print("modes", dict(Counter(case["mode"] for case in cases)))
    print("unstable by mode", dict(Counter(case["mode"] for case in cases if not case["stable"])))
    print("families", dict(Counter(case["family"] for case in cases)))
    print("option keys", dict(Counter(key for case in cases for key in case["options"])))
    ends = [case for case in cases if case["options"]["eos_token_id"] is not None]
    early = [case for case in ends if any(ids[-1] == case["options"]["eos_token_id"] for ids in case["sequences"])]
    print(f"{len(cases)} cases, {sum(case['stable'] for case in cases)} stable; {len(ends)} with an end, met in {len(early)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    work = parser.parse_args().work
    if not transformers.__version__.startswith("4.49."):
        raise SystemExit("the cases are those of transformers 4.49")
    transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cases, unstable, refusals, turns = [], [], Counter(), Counter()
    for name in sorted(file[:-5] for file in os.listdir(FAMILIES) if file.endswith(".json")):
        with open(os.path.join(FAMILIES, f"{name}.json")) as file:
            fixture = json.load(file)
        try:
            model = load_model(work, name, fixture)
        except ValueError as error:
            print(f"{name}: left out: {str(error).splitlines()[0][:110]}")
            continue
        reason = reason_against(model, name, fixture)
        if reason:
            print(f"{name}: left out: {reason}")
            continue
        use_cache = takes_a_cache(model, fixture["prompt"])
        if not use_cache:
            print(f"{name}: without a cache and without contrastive search, because 4.49 fails with one")
        noise = Noise(model)
        texts = [text_of(model, prompt) for prompt in (fixture["prompt"], fixture["prompt"][:SHORT_PROMPT])]
        before = len(cases)
        for mode, make_options, count in PLAN:
            for _ in range(count if use_cache or mode != "contrastive_search" else 0):
                case, other = filled_slot(model, noise, name, mode, make_options, texts, turns[make_options], use_cache, refusals)
                turns[make_options] += 1
                cases += [case] if case else []
                unstable += [other] if other else []
        print(f"{name}: {len(cases) - before} stable cases", flush=True)
    cases += spread(unstable, MOST_UNSTABLE)
    cases.sort(key=lambda case: case["family"])
    os.makedirs(os.path.join(FOLDER, "generation"), exist_ok=True)
    with open(os.path.join(FOLDER, "generation", "cases.jsonl"), "w", encoding="ascii") as out:
        out.writelines(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
    report(cases, refusals)


if __name__ == "__main__":
    main()
