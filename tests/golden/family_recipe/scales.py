"""How large the made weights of a tensor are.

Norms stand around their neutral value and other weights keep the size of a state, so that every part of a layer matters.
Where the head is the embedding table, the table is small and the last norm large: otherwise a model only repeats the last token.
Scale and offset are such that every value has at most eight significant bits.
"""

import math

ONE_PLUS_WEIGHT = {"gemma", "gemma2", "gemma3_text"}  # their norms multiply by 1 + weight
LAST_NORMS = ("model.norm.weight", "transformer.ln_f.weight", "model.decoder.final_layer_norm.weight")
NORM_WORDS = ("norm", "ln_")
EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "embed_in.weight")
GAINS = {"lm_head": 2.0, "embed_out": 2.0, "project_out": 6.0, "q_proj": 1.5, "k_proj": 1.5, "qkv": 1.5, "c_attn": 2.5, "c_proj": 2.0, "out_proj": 2.0, "fc2": 2.0,
         "query_key_value": 1.5, "gate.weight": 1.5}


def power_of_two_near(size):
    return 2.0 ** round(math.log2(size))


def is_tied(config):
    return config.get("tie_word_embeddings", True)


def norm_scale_and_offset(name, config):
    if name.endswith("bias"):
        return 0.25, 0.0
    if is_tied(config) and name in LAST_NORMS:
        return 4.0, 4.0
    return 1.0, 0.0 if config["model_type"] in ONE_PLUS_WEIGHT else 1.0


def embedding_scale(config):
    multiplier = config.get("embedding_multiplier", 1.0)
    if config["model_type"] in ONE_PLUS_WEIGHT:
        multiplier = math.sqrt(config["hidden_size"]) / 4
    return power_of_two_near((0.125 if is_tied(config) else 1.0) / multiplier)


def gain_of(name):
    return next((gain for word, gain in GAINS.items() if word in name), 1.0)


def scale_and_offset(name, shape, config):
    """@return scale, a power of two, and offset"""
    if any(word in name for word in NORM_WORDS):
        return norm_scale_and_offset(name, config)
    if name.endswith("bias"):
        return 0.25, 0.0
    if "embed_positions" in name or "wpe" in name:
        return 0.5, 0.0
    if name.endswith(EMBEDDINGS):
        return embedding_scale(config), 0.0
    inputs = shape[0] if ".c_" in name else shape[-1]  # gpt2 stores [inputs, outputs]
    return power_of_two_near(gain_of(name) * math.sqrt(3.0 / inputs)), 0.0
