"""The config.json that transformers 4 writes, and the logits that it computes with it from the weights of a folder."""

import json
import os
import shutil
import tempfile

import numpy as np
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

from family_recipe.reference import read_config


def write_old_config(folder, model_type, keys):
    config = AutoConfig.for_model(model_type, **keys)
    config.architectures = [AutoModelForCausalLM._model_mapping[type(config)].__name__]
    config.torch_dtype = torch.float32
    config.save_pretrained(folder)
    with_all_keys = read_config(folder) | keys  # files on the hub keep older spellings, such as rotary_pct and torch_dtype
    with_all_keys["torch_dtype"] = with_all_keys.pop("dtype")
    with open(os.path.join(folder, "config.json"), "w") as out:
        json.dump(with_all_keys, out)


def rows_of(model, ids, prompt_length):
    """Logits after each id: the prompt at once, then one id at a time, as the cache of a generation is filled."""
    rows, cache = [], None
    with torch.inference_mode():
        for begin, end in [(0, prompt_length)] + [(i, i + 1) for i in range(prompt_length, len(ids))]:
            output = model(torch.tensor([ids[begin:end]]), past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            rows.append(output.logits[0].float().numpy())
    return np.concatenate(rows)


def old_config(folder, model_type, keys, ids, prompt_length):
    """@return config.json as an object, logits [ids, vocabulary]"""
    if not transformers.__version__.startswith("4."):
        raise SystemExit("the step 'old' needs transformers 4")
    with tempfile.TemporaryDirectory() as scratch:
        write_old_config(scratch, model_type, keys)
        shutil.copy(os.path.join(folder, "model.safetensors"), scratch)
        model = AutoModelForCausalLM.from_pretrained(scratch, torch_dtype=torch.float32, attn_implementation="eager")
        return read_config(scratch), rows_of(model.eval(), ids, prompt_length)
