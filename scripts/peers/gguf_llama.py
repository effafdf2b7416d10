"""The default model as a Hugging Face LlamaForCausalLM, its weights dequantised from the GGUF file."""

import gguf
import torch
from transformers import LlamaConfig, LlamaForCausalLM

NAMES = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
    "attn_norm.weight": "input_layernorm.weight",
    "attn_q.weight": "self_attn.q_proj.weight",
    "attn_k.weight": "self_attn.k_proj.weight",
    "attn_v.weight": "self_attn.v_proj.weight",
    "attn_output.weight": "self_attn.o_proj.weight",
    "ffn_norm.weight": "post_attention_layernorm.weight",
    "ffn_gate.weight": "mlp.gate_proj.weight",
    "ffn_up.weight": "mlp.up_proj.weight",
    "ffn_down.weight": "mlp.down_proj.weight",
}


def checkpoint_name(name):
    """Hugging Face's name of a tensor: "blk.3.attn_q.weight" is "model.layers.3.self_attn.q_proj.weight"."""
    if not name.startswith("blk."):
        return NAMES[name]
    _, layer, role = name.split(".", 2)
    return f"model.layers.{layer}.{NAMES[role]}"


def halves_from_pairs(weight, num_heads):
    """GGUF keeps the two rows of a rotary pair side by side; Hugging Face keeps the first rows of all pairs, then the second."""
    rows, columns = weight.shape
    return weight.view(num_heads, rows // num_heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns)


def read_config(reader):
    value = lambda key: reader.fields[key].contents()
    tensors = {tensor.name for tensor in reader.tensors}
    config = LlamaConfig(
        vocab_size=len(value("tokenizer.ggml.tokens")),
        hidden_size=value("llama.embedding_length"),
        intermediate_size=value("llama.feed_forward_length"),
        num_hidden_layers=value("llama.block_count"),
        num_attention_heads=value("llama.attention.head_count"),
        num_key_value_heads=value("llama.attention.head_count_kv"),
        max_position_embeddings=value("llama.context_length"),
        rms_norm_eps=value("llama.attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": value("llama.rope.freq_base")},
        tie_word_embeddings="output.weight" not in tensors,
        eos_token_id=value("tokenizer.ggml.eos_token_id"),
    )
    config.rope_theta = value("llama.rope.freq_base")  # as transformers 4 names it
    return config


def load_llama(path, dtype=torch.float32):
    """LlamaForCausalLM with the weights of the GGUF file at `path`, dequantised in float32 and then cast."""
    reader = gguf.GGUFReader(path)
    config = read_config(reader)
    weights = {}
    for tensor in reader.tensors:
        weight = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy()).float()
        if ".attn_q." in tensor.name:
            weight = halves_from_pairs(weight, config.num_attention_heads)
        if ".attn_k." in tensor.name:
            weight = halves_from_pairs(weight, config.num_key_value_heads)
        weights[checkpoint_name(tensor.name)] = weight
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    if config.tie_word_embeddings:
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    model.to_empty(device="cpu")
    model.load_state_dict(weights, strict=True, assign=False)
    model.model.rotary_emb.__init__(config)
    return model.to(dtype).eval()
