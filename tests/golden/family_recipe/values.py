"""Values of weights from a counter, so that a fixture needs no weights: tests/support/made_values.cpp makes the same ones.

Value number i of a tensor is offset + scale * k / 128, where k in [-128, 127] comes from the tensor's name, i and a seed.
All of them are exact in float32, float16 and bfloat16, so one fixture serves the three types. A twin adds noise to k.
"""

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(numbers):
    """The finaliser of SplitMix64 (Steele, Lea & Flood 2014), for an array of uint64."""
    with np.errstate(over="ignore"):
        z = numbers + GOLDEN
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def hash_of(name):
    """FNV-1a of 64 bits."""
    state = 0xCBF29CE484222325
    for byte in name.encode():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return np.uint64(state)


def bits_of(name, count, seed):
    start = hash_of(name) ^ mixed(np.array([seed], dtype=np.uint64))[0]
    with np.errstate(over="ignore"):
        return mixed(start + np.arange(count, dtype=np.uint64) * GOLDEN)


def steps_of(name, count, seed, noise=0):
    """k of each value; `noise` moves it by up to that many steps, within the same 256."""
    bits = bits_of(name, count, seed)
    steps = (bits >> np.uint64(56)).astype(np.int64) - 128
    if noise:
        steps += ((bits >> np.uint64(16)) % np.uint64(2 * noise + 1)).astype(np.int64) - noise
    return steps.clip(-128, 127)


def values_of(tensor, seed, noise=0):
    """@param tensor  name, shape, scale and offset   @return float32 of that shape"""
    count = int(np.prod(tensor["shape"], dtype=np.int64))
    steps = steps_of(tensor["name"], count, seed, noise).astype(np.float32)
    values = np.float32(tensor["offset"]) + steps * np.float32(tensor["scale"] / 128)
    return values.reshape(tensor["shape"])
