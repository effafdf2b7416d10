#!/usr/bin/env python3
"""Writes tests/golden/dequantise.gguf and dequantise_float32.bin: one small tensor of every element type that is read,
and the values that the Python package `gguf` gives them, one tensor after the other.

    pip install gguf==0.19.0
    python tests/golden/make_dequantise_fixture.py

The quantised bytes are random, scales included (finite halves), so that every bit of every block takes part.
"""

import os

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Type, GGUFWriter
from gguf.quants import dequantize

HERE = os.path.dirname(os.path.abspath(__file__))
HALVES = {  # byte offsets of the halves in a block: they must not be infinite or NaN
    Type.F16: [0], Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0],
    Type.Q4_K: [0, 2], Type.Q6_K: [208], Type.F32: [], Type.BF16: []}


def random_blocks(rng, kind, rows, blocks_per_row):
    _, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, size=(rows * blocks_per_row, size), dtype=np.uint8)
    for offset in HALVES[kind]:
        high = blocks[:, offset + 1]
        high[(high & 0x7C) == 0x7C] &= 0xBF
    if kind == Type.F32:
        blocks = rng.standard_normal(rows * blocks_per_row).astype(np.float32).view(np.uint8)
    if kind == Type.BF16:
        blocks = (rng.standard_normal(rows * blocks_per_row).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    return blocks.reshape(rows, -1)


def main():
    rng = np.random.default_rng(7)
    writer = GGUFWriter(os.path.join(HERE, "dequantise.gguf"), "fixture")
    values = []
    for kind in HALVES:
        elements, _ = GGML_QUANT_SIZES[kind]
        data = random_blocks(rng, kind, 3, max(2, 64 // elements))
        writer.add_tensor(kind.name, data, raw_dtype=kind)
        typed = data.view({Type.F32: np.float32, Type.F16: np.float16}.get(kind, np.uint8))
        values.append(dequantize(typed, kind).astype(np.float32).reshape(-1))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    np.concatenate(values).tofile(os.path.join(HERE, "dequantise_float32.bin"))


if __name__ == "__main__":
    main()
