#!/usr/bin/env python3
"""Writes tests/golden/generation_modes.jsonl: the mode or the refusal that transformers gives to GenerationConfigs.

    pip install transformers==4.49.0 torch==2.6.0
    python tests/golden/make_generation_modes.py

A line: config, assistant (true: an assistant model is given), then mode, or error: true with those keys of the config that
the message names. A refusal comes from validate() or get_generation_mode().
"""

import json
import os
import re
import warnings

from transformers import GenerationConfig
from transformers.utils import logging

BEAMS = {"num_beams": 4}
GROUPS = {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5}
CONTRAST = {"penalty_alpha": 0.6, "top_k": 4}
FORCED = {"force_words_ids": [[5, 6]], "num_beams": 4}
PLAIN_CASES = [
    {}, {"do_sample": False}, {"do_sample": True}, {"do_sample": True, "top_k": 0}, {"temperature": 0.7},
    {"do_sample": True, "temperature": 0.7, "top_p": 0.9}, {"do_sample": True, "temperature": 0.0}, {"top_k": 1},
    {"do_sample": True, "penalty_alpha": 0.6}, {"penalty_alpha": 0.6}, CONTRAST, {"penalty_alpha": 0.6, "top_k": 1},
    {"penalty_alpha": 0.6, "top_k": 0}, {"penalty_alpha": 0.6, "top_k": None}, {"penalty_alpha": 0.0, "top_k": 4},
    {**CONTRAST, "num_beams": 4}, BEAMS, {"num_beams": None}, {**BEAMS, "do_sample": True},
    {**BEAMS, "early_stopping": True}, {**BEAMS, "early_stopping": "never"}, {**BEAMS, "early_stopping": "maybe"},
    {"early_stopping": True}, {"length_penalty": 2.0}, {"num_beam_groups": 2}, {"diversity_penalty": 0.5},
    GROUPS, {**GROUPS, "do_sample": True}, {**GROUPS, "num_beams": 5}, {**GROUPS, "diversity_penalty": 0.0},
    {**BEAMS, "num_beam_groups": 2}, {**BEAMS, "diversity_penalty": 0.5},
    {**BEAMS, "diversity_penalty": 0.5, "do_sample": True}, {"num_beams": 2, "num_beam_groups": 4, "diversity_penalty": 1.0},
    {**GROUPS, "num_beam_groups": 4}, FORCED, {"force_words_ids": [[5, 6]]}, {**FORCED, "do_sample": True},
    {**FORCED, "num_beam_groups": 2}, {**FORCED, "num_return_sequences": 4}, {**FORCED, "num_return_sequences": 5},
    {"num_return_sequences": 2}, {"num_return_sequences": 2, "do_sample": True}, {**BEAMS, "num_return_sequences": 4},
    {**BEAMS, "num_return_sequences": 5}, {**CONTRAST, "num_return_sequences": 2}, {**GROUPS, "num_return_sequences": 3},
    {"max_new_tokens": 0}, {"max_new_tokens": 5, "max_length": 3}, {"max_new_tokens": None},
    {"prompt_lookup_num_tokens": 5}, {"prompt_lookup_num_tokens": 5, "do_sample": True},
    {**BEAMS, "prompt_lookup_num_tokens": 5}, {**BEAMS, "do_sample": True, "prompt_lookup_num_tokens": 5},
    {**GROUPS, "prompt_lookup_num_tokens": 5}, {**CONTRAST, "prompt_lookup_num_tokens": 5},
    {**FORCED, "prompt_lookup_num_tokens": 5}, {"assistant_early_exit": 4}, {"dola_layers": "low"},
    {**BEAMS, "dola_layers": "low"}, {"cache_implementation": "static"}, {"cache_implementation": "quick"},
    {"cache_config": {"nbits": 4}}, {"use_cache": False}, {"guidance_scale": 1.5}, {"guidance_scale": 1.0},
    {"constraints": [1], "num_beams": 4}, {"compile_config": {}}, {"assistant_model": "x"}, {"streamer": 1},
    {"logits_processor": [1]}, {"output_scores": True}, {"pad_token_id": -1}, {"no_such_key": 1},
]
ASSISTED_CASES = [{}, {"do_sample": True}, BEAMS, {**BEAMS, "do_sample": True}, GROUPS, CONTRAST, FORCED,
                  {"num_return_sequences": 2}]


def outcome(config, assistant):
    try:
        mode = GenerationConfig(**config).get_generation_mode(object() if assistant else None)
        return {"mode": mode.value}
    except ValueError as error:
        named = set(re.findall(r"`(\w+)(?:=\w+)?`", str(error))) | set(re.findall(r"\w+", str(error))) & set(config)
        return {"error": True, "keys": [key for key in config if key in named]}


def main():
    warnings.simplefilter("ignore")
    logging.set_verbosity_error()
    cases = [(config, False) for config in PLAIN_CASES] + [(config, True) for config in ASSISTED_CASES]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generation_modes.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for config, assistant in cases:
            file.write(json.dumps({"config": config, "assistant": assistant, **outcome(config, assistant)}) + "\n")


if __name__ == "__main__":
    main()
