"""Writes a GGUF model's first layers as a model of their own: as slow as the layers it keeps, for rehearsals.

Usage: first_layers.py MODEL LAYERS COPY
"""
import re
import struct
import sys

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a value by its type
STRING, ARRAY = 8, 9
ALIGNMENT = 32


class Cursor:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def number(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def text(self):
        size = self.number("Q")
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def skip(self, kind):
        if kind == STRING:
            self.text()
        elif kind == ARRAY:
            of, count = self.number("I"), self.number("Q")
            for _ in range(count if of in (STRING, ARRAY) else 0):
                self.skip(of)
            self.at += 0 if of in (STRING, ARRAY) else count * SIZES[of]
        else:
            self.at += SIZES[kind]


def padded(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


def layer_of(name):
    """Of a tensor; -1 for those of no layer."""
    found = re.match(r"blk\.(\d+)\.", name)
    return int(found.group(1)) if found else -1


def main():
    data, layers = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[2])
    cursor = Cursor(data, 8)
    num_tensors, num_values = cursor.number("Q"), cursor.number("Q")
    for _ in range(num_values):
        key, kind = cursor.text(), cursor.number("I")
        if key.endswith(".block_count"):
            struct.pack_into("<I", data, cursor.at, layers)
        cursor.skip(kind)
    end_of_values, tensors = cursor.at, []  # of the name, what describes it, where its weights begin
    for _ in range(num_tensors):
        begin, name, dimensions = cursor.at, cursor.text(), cursor.number("I")
        cursor.at += 8 * dimensions + 4
        tensors.append((name, bytes(data[begin:cursor.at]), cursor.number("Q")))
    begin_of_data = padded(cursor.at)
    ends = sorted(offset for _, _, offset in tensors) + [len(data) - begin_of_data]
    table, weights = b"", b""
    kept = [tensor for tensor in tensors if layer_of(tensor[0]) < layers]
    for _, head, offset in kept:
        table += head + struct.pack("<Q", len(weights))
        end = min(e for e in ends if e > offset)
        weights += bytes(data[begin_of_data + offset:begin_of_data + end]).ljust(padded(end - offset), b"\0")
    head = data[:8] + struct.pack("<QQ", len(kept), num_values) + data[24:end_of_values] + table
    open(sys.argv[3], "wb").write(bytes(head).ljust(padded(len(head)), b"\0") + weights)


main()
