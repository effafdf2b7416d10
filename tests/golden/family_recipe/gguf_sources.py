"""Where llama.cpp's converter takes each tensor of a GGUF file from, found by sending numbered values through it.

Every value of the checkpoint is four times its place in the row of all values, so that the converted file tells, value by
value, which one came from where and whether 1 was added to it. The finding is stored as rows of tensors.
"""

import json
import logging
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file


def numbered(tensors):
    """@return the values by name, and where each tensor begins"""
    values, begins, begin = {}, {}, 0
    for tensor in tensors:
        count = int(np.prod(tensor["shape"]))
        values[tensor["name"]] = (4.0 * np.arange(begin, begin + count)).astype(np.float32).reshape(tensor["shape"])
        begins[tensor["name"]], begin = begin, begin + count
    if 4 * begin + 1 >= 2**24:
        raise SystemExit("too many values for exact float32 numbers")
    return values, begins


def convert(folder, llama_cpp, out):
    """Runs llama.cpp's converter on a folder without a tokenizer. @return the opened file"""
    sys.path.insert(1, os.path.join(llama_cpp, "gguf-py"))
    sys.path.insert(1, llama_cpp)
    import gguf
    import torch
    from conversion import ModelBase, ModelType, get_model_architecture, get_model_class

    logging.disable(logging.WARNING)
    hparams = ModelBase.load_hparams(Path(folder), False)
    base = get_model_class(get_model_architecture(hparams, ModelType.TEXT))

    class Untokenized(base):
        model_arch = base.model_arch

        def set_vocab(self):
            self._set_vocab_none()

        def modify_tensors(self, data_torch, name, bid):
            stacked = yield from super().modify_tensors(data_torch, name, bid)
            if stacked is not None:  # StableLM's converter returns the tensors that it stacks
                yield from stacked

    with torch.inference_mode():
        Untokenized(Path(folder), gguf.LlamaFileType.ALL_F32, Path(out), eager=True).write()
    return gguf.GGUFReader(out)


def metadata_of(reader):
    """Keys with their GGUF value type, without what names the file and its tensors."""
    entries = []
    for key, field in reader.fields.items():
        if key.startswith(("GGUF.", "general.")) and key != "general.architecture":
            continue
        value = field.contents()
        kinds = [int(kind) for kind in field.types]
        entries.append({"key": key, "type": kinds[0], "value": value} |
                       ({"of": kinds[1]} if len(kinds) > 1 and kinds[0] == 9 else {}))
    return entries


class Sources:
    """Finds the checkpoint's tensors behind numbered values."""

    def __init__(self, tensors, begins):
        self.tensors = tensors
        self.begins = np.array([begins[tensor["name"]] for tensor in tensors])

    def owners(self, places):
        """The tensors of these places, each once, in the order of their first place."""
        found = np.searchsorted(self.begins, places.ravel(), side="right") - 1
        _, first = np.unique(found, return_index=True)
        return [self.tensors[found[i]] for i in sorted(first)]

    def concatenated(self, owners, transposed):
        """Places of the owners' values as rows one behind the other."""
        tables = []
        for tensor in owners:
            begin = self.begins[self.tensors.index(tensor)]
            table = begin + np.arange(int(np.prod(tensor["shape"]))).reshape(tensor["shape"])
            tables.append(table.T if transposed else table.reshape(-1, tensor["shape"][-1]) if table.ndim > 1 else table[:, None])
        return np.concatenate(tables)

    def entry(self, name, data):
        if not (data % 1 == 0).all() or name.startswith("rope_"):
            return {"name": name, "shape": list(data.shape), "values": [float(value) for value in data.ravel()]}
        added = int(data.ravel()[0]) % 4
        places = ((data - added) / 4).astype(np.int64)
        owners = self.owners(places)
        for transposed in (False, True):
            found = self.rows(places, owners, transposed)
            if found is not None:
                entry = {"name": name, "shape": list(data.shape), "from": [tensor["name"] for tensor in owners]}
                if transposed:
                    entry["transposed"] = True
                if added:
                    entry["add"] = added
                if found != list(range(len(found))):
                    entry["rows"] = found
                return entry
        raise SystemExit(f"{name}: no rows of {[tensor['name'] for tensor in owners]}")

    def rows(self, places, owners, transposed):
        """Which row of the owners each row of the tensor is, or None where rows do not explain it."""
        if transposed and any(len(tensor["shape"]) != 2 for tensor in owners):
            return None
        table = self.concatenated(owners, transposed)
        wanted = places.reshape(-1, table.shape[1]) if places.size % table.shape[1] == 0 else None
        if wanted is None:
            return None
        by_first = {row[0]: i for i, row in enumerate(table.tolist())}
        rows = [by_first.get(row[0]) for row in wanted.tolist()]
        if None in rows or not np.array_equal(table[rows], wanted):
            return None
        return rows


def shaped(tensor):
    return np.array(tensor.data, dtype=np.float32).reshape([int(size) for size in tensor.shape[::-1]])


def converted(config, values, llama_cpp):
    """@return the metadata and the tensors that llama.cpp makes of these values, by name"""
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "config.json"), "w") as out:
            json.dump(config, out)
        with open(os.path.join(scratch, "tokenizer.json"), "w") as out:
            json.dump({"model": {"vocab": {f"t{i}": i for i in range(config["vocab_size"])}}, "added_tokens": []}, out)
        save_file(values, os.path.join(scratch, "model.safetensors"), metadata={"format": "pt"})
        reader = convert(scratch, llama_cpp, os.path.join(scratch, "made.gguf"))
        return metadata_of(reader), {tensor.name: shaped(tensor) for tensor in reader.tensors}


def weighted_sum(entries, tensors):
    """Of the values that come from the checkpoint, each times 1 to 7 by its place: exact, whatever the order of adding."""
    total = 0.0
    for entry in entries:
        if "from" in entry:
            values = tensors[entry["name"]].astype(np.float64).ravel()
            total += float((values * (np.arange(len(values)) % 7 + 1)).sum())
    return total


def gguf_sources(config, tensors, values, llama_cpp):
    """What llama.cpp makes of a checkpoint with that config.json.

    @return metadata entries, tensor entries, and the weighted sum of the tensors made of `values`
    """
    places, begins = numbered(tensors)
    metadata, from_places = converted(config, places, llama_cpp)
    sources = Sources(tensors, begins)
    entries = [sources.entry(name, data) for name, data in from_places.items()]
    return {"metadata": metadata, "tensors": entries, "sum": weighted_sum(entries, converted(config, values, llama_cpp)[1])}
