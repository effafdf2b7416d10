"""Counts copies that came true in an own text of speclab train (engines/training/own_text_file.cpp)."""

import collections
import struct
import sys

MAGIC = b"speclab own text 3\n"
DIGEST_LINE = 65        # 64 hexadecimal digits, end of line
BLOCK_HEADER = 8 + 80   # length, then digests
LAW_BYTES = 4 * 32 * 2 + 4
LONGEST = 10


def blocks(data):
    """The payloads of a file of blocks."""
    at = len(MAGIC) + DIGEST_LINE
    while at + BLOCK_HEADER <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        at += BLOCK_HEADER
        if at + length > len(data):
            return
        yield data[at : at + length]
        at += length


def texts(block):
    """(temperature, prompt length, tokens) of every text of a block."""
    at = 0
    while at < len(block):
        prompt_length, num_tokens, temperature, state_size = struct.unpack_from("<iifi", block, at)
        tokens = struct.unpack_from(f"<{num_tokens}i", block, at + 16)
        at += 16 + 4 * num_tokens + LAW_BYTES * (num_tokens - prompt_length) + 2 * state_size * (num_tokens - 1)
        yield round(temperature, 3), prompt_length, tokens


def count_copies(prompt_length, tokens, places, came_true):
    """Adds to the counters, by length of the longest suffix of at most LONGEST tokens that occurred before."""
    ends = {}
    for i, token in enumerate(tokens):
        suffixes = [tokens[i - n : i] for n in range(min(LONGEST, i), 0, -1)]
        found = next((suffix for suffix in suffixes if suffix in ends), None)
        if found and i >= prompt_length:
            places[len(found)] += 1
            came_true[len(found)] += tokens[ends[found]] == token
        ends.update((suffix, i) for suffix in suffixes)


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(MAGIC):
        sys.exit(f"copy_record: {path}: no own text of speclab train; run it with a config that has [own_text]")
    counts = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for block in blocks(data):
        for temperature, prompt_length, tokens in texts(block):
            count_copies(prompt_length, tokens, *counts[temperature])
    print("temperature,suffix,places,came_true")
    for temperature in sorted(counts):
        places, came_true = counts[temperature]
        for suffix in range(1, LONGEST + 1):
            print(f"{temperature:g},{suffix},{places[suffix]},{came_true[suffix]}")


main(sys.argv[1])
