"""What transformers computes with made weights: a folder in Hugging Face's layout, logits and a greedy continuation."""

import json
import os
import shutil

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModelForCausalLM

from family_recipe.scales import scale_and_offset
from family_recipe.values import values_of


def saved_tensors(folder):
    """Name and shape of each tensor that save_pretrained wrote, in alphabetical order."""
    with safe_open(os.path.join(folder, "model.safetensors"), "np") as file:
        return sorted((name, list(file.get_slice(name).get_shape())) for name in file.keys())


def write_config(folder, model_type, keys):
    config = AutoConfig.for_model(model_type, **keys)
    config.architectures = [AutoModelForCausalLM._model_mapping[type(config)].__name__]
    config.dtype = "float32"
    config.save_pretrained(folder)


def read_config(folder):
    with open(os.path.join(folder, "config.json")) as file:
        return json.load(file)


def described_tensors(folder, config):
    tensors = []
    for name, shape in saved_tensors(folder):
        scale, offset = scale_and_offset(name, shape, config)
        tensors.append({"name": name, "shape": shape, "scale": scale, "offset": offset})
    return tensors


def write_weights(folder, tensors, seed, noise):
    values = {tensor["name"]: values_of(tensor, seed, noise) for tensor in tensors}
    save_file(values, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})


def prepare_folder(folder, model_type, keys):
    """A folder as save_pretrained writes it, with the weights of its seed still to come. @return its tensors"""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    write_config(folder, model_type, keys)
    AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder)).save_pretrained(folder)
    return described_tensors(folder, read_config(folder))


def load_model(folder):
    model, report = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager",
                                                         output_loading_info=True)
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        if report[kind]:
            raise SystemExit(f"{folder}: {kind}: {report[kind]}")
    return model.eval()


def continued(model, prompt, steps):
    """Feeds the prompt at once and then the best token each time, `steps` in all.

    @return logits [prompt + steps - 1, vocabulary] after each token that was fed, and the best tokens
    """
    rows, tokens, cache, feed = [], [], None, list(prompt)
    with torch.inference_mode():
        for _ in range(steps):
            output = model(torch.tensor([feed]), past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            rows.append(output.logits[0].float().numpy())
            tokens.append(int(rows[-1][-1].argmax()))
            feed = [tokens[-1]]
    return np.concatenate(rows), tokens


def forced(model, ids):
    """Logits of one forward over all ids, [ids, vocabulary]."""
    with torch.inference_mode():
        return model(torch.tensor([ids]), use_cache=False).logits[0].float().numpy()
