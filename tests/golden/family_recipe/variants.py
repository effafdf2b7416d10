"""The tiny checkpoints: for each the model type of transformers and the keys of its config.json, as transformers 4 spells them."""

COMMON = {"vocab_size": 96, "pad_token_id": None, "bos_token_id": 1, "eos_token_id": 2}
DECODER = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
           "num_key_value_heads": 2, "max_position_embeddings": 128}
NEOX = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 128, "rotary_pct": 0.25, "use_cache": True}
ROPE_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}


def longrope(pairs):
    return {"type": "longrope", "short_factor": [1.0 + 0.125 * i for i in range(pairs)],
            "long_factor": [1.5 + 0.5 * i for i in range(pairs)]}


def llama(**keys):
    return "llama", {**DECODER, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, **keys}


def opt(**keys):
    return "opt", {"hidden_size": 64, "ffn_dim": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
                   "max_position_embeddings": 128, "word_embed_proj_dim": 64, "pad_token_id": 1, "bos_token_id": 2,
                   "dropout": 0.0, "attention_dropout": 0.0, "layerdrop": 0.0, **keys}


def gpt2(**keys):
    return "gpt2", {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128, "n_ctx": 128, "resid_pdrop": 0.0, "embd_pdrop": 0.0,
                    "attn_pdrop": 0.0, **keys}


def mistral(**keys):
    return "mistral", {**DECODER, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "head_dim": 16, "tie_word_embeddings": False,
                       **keys}


def gemma2(**keys):
    return "gemma2", {**DECODER, "num_hidden_layers": 3, "head_dim": 16, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
                      "sliding_window": 8, "attn_logit_softcapping": 3.0, "final_logit_softcapping": 2.0,
                      "hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True, **keys}


def gemma3(layers, pattern, **keys):
    """Every layer whose number is a multiple of `pattern` sees all positions, the others a window."""
    kinds = ["full_attention" if layer % pattern == 0 else "sliding_attention" for layer in range(1, layers + 1)]
    return "gemma3_text", {**DECODER, "num_hidden_layers": layers, "num_key_value_heads": 1, "head_dim": 32,
                           "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
                           "sliding_window": 8, "sliding_window_pattern": pattern, "layer_types": kinds,
                           "hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True, **keys}


def qwen3_moe(**keys):
    return "qwen3_moe", {**DECODER, "head_dim": 32, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "moe_intermediate_size": 32,
                         "num_experts": 8, "num_experts_per_tok": 3, "decoder_sparse_step": 1, "mlp_only_layers": [],
                         "use_sliding_window": False, "tie_word_embeddings": False, **keys}


VARIANTS = {
    "llama": llama(tie_word_embeddings=False),
    "llama_odd": llama(hidden_size=40, num_attention_heads=2, num_key_value_heads=1, intermediate_size=52, vocab_size=97,
                       tie_word_embeddings=False),
    "llama_wide_heads": llama(head_dim=32, tie_word_embeddings=False),
    "llama_biases": llama(attention_bias=True, mlp_bias=True, tie_word_embeddings=False),
    "llama_3": llama(rope_theta=500000.0, rope_scaling=ROPE_3, tie_word_embeddings=False),
    "llama_linear": llama(rope_scaling={"rope_type": "linear", "factor": 2.0}, tie_word_embeddings=False),
    "llama_dynamic": llama(rope_scaling={"rope_type": "dynamic", "factor": 4.0}, max_position_embeddings=32,
                           tie_word_embeddings=False),
    "llama_yarn": llama(rope_scaling=YARN, tie_word_embeddings=False),
    "smollm": llama(num_hidden_layers=3, num_attention_heads=3, num_key_value_heads=1, hidden_size=48, rope_theta=100000.0,
                    tie_word_embeddings=True),
    "mistral": mistral(sliding_window=None),
    "mistral_window": mistral(sliding_window=8),
    "granite": ("granite", {**DECODER, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "embedding_multiplier": 12.0,
                            "attention_multiplier": 0.1, "residual_multiplier": 0.5, "logits_scaling": 0.125,
                            "tie_word_embeddings": True}),
    "qwen2": ("qwen2", {**DECODER, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "use_sliding_window": False,
                        "tie_word_embeddings": True}),
    "qwen2_window": ("qwen2", {**DECODER, "num_hidden_layers": 3, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0,
                               "use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1,
                               "tie_word_embeddings": False}),
    "qwen3": ("qwen3", {**DECODER, "head_dim": 32, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "use_sliding_window": False,
                        "tie_word_embeddings": True}),
    "gemma": ("gemma", {**DECODER, "num_key_value_heads": 1, "head_dim": 32, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
                        "hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True}),
    "gemma2": gemma2(query_pre_attn_scalar=16),
    "gemma2_scalar": gemma2(query_pre_attn_scalar=24),
    "gemma3": gemma3(7, 6, query_pre_attn_scalar=32),
    "gemma3_pattern": gemma3(3, 3, query_pre_attn_scalar=24),
    "phi3": ("phi3", {**DECODER, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "original_max_position_embeddings": 128,
                      "sliding_window": 8, "resid_pdrop": 0.0, "tie_word_embeddings": False}),
    "phi3_longrope": ("phi3", {**DECODER, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 256,
                               "original_max_position_embeddings": 128, "rope_scaling": longrope(8), "sliding_window": None,
                               "resid_pdrop": 0.0, "tie_word_embeddings": False}),
    "phi": ("phi", {**DECODER, "num_key_value_heads": 4, "intermediate_size": 256, "layer_norm_eps": 1e-5,
                    "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "hidden_act": "gelu_new", "resid_pdrop": 0.0,
                    "embd_pdrop": 0.0, "attention_dropout": 0.0, "qk_layernorm": False, "tie_word_embeddings": False}),
    "stablelm": ("stablelm", {**DECODER, "num_key_value_heads": 4, "layer_norm_eps": 1e-5, "rope_theta": 10000.0,
                              "partial_rotary_factor": 0.25, "use_qkv_bias": True, "qk_layernorm": False,
                              "use_parallel_residual": False, "tie_word_embeddings": False}),
    "stablelm_parallel": ("stablelm", {**DECODER, "layer_norm_eps": 1e-5, "rope_theta": 10000.0,
                                       "partial_rotary_factor": 0.25, "use_qkv_bias": False, "qk_layernorm": True,
                                       "use_parallel_residual": True, "tie_word_embeddings": False}),
    "gpt2": gpt2(activation_function="gelu_new"),
    "gpt2_odd": gpt2(n_embd=40, n_head=2, vocab_size=97, activation_function="gelu_new"),
    "opt": opt(do_layer_norm_before=True),
    "opt_350m": opt(do_layer_norm_before=False, word_embed_proj_dim=32),
    "gpt_neox": ("gpt_neox", {**NEOX, "use_parallel_residual": True, "hidden_act": "gelu", "rotary_emb_base": 10000,
                              "tie_word_embeddings": False}),
    "gpt_neox_sequential": ("gpt_neox", {**NEOX, "hidden_size": 72, "num_attention_heads": 3, "vocab_size": 97,
                                         "intermediate_size": 100, "use_parallel_residual": False, "hidden_act": "gelu_new",
                                         "rotary_emb_base": 10000, "tie_word_embeddings": False}),
    "olmo2": ("olmo2", {**DECODER, "rms_norm_eps": 1e-6, "rope_theta": 500000.0, "tie_word_embeddings": False}),
    "mixtral": ("mixtral", {**DECODER, "intermediate_size": 48, "rms_norm_eps": 1e-5, "rope_theta": 1000000.0,
                            "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None, "head_dim": 16,
                            "tie_word_embeddings": False}),
    "qwen3_moe": qwen3_moe(num_hidden_layers=2, norm_topk_prob=True),
    "qwen3_moe_mixed": qwen3_moe(num_hidden_layers=3, norm_topk_prob=False, mlp_only_layers=[1]),
}

# llama.cpp has no OPT. Its files have no place for a dynamic scaling, for the window of these, for another pattern or attention
# scale than Gemma's own, and for layers without experts among Qwen's.
WITHOUT_GGUF = {"opt", "opt_350m", "llama_dynamic", "mistral_window", "qwen2_window", "gemma2_scalar", "gemma3_pattern",
                "qwen3_moe_mixed"}


def keys_of(name):
    model_type, keys = VARIANTS[name]
    return model_type, {**COMMON, **keys}
