"""gpu_travel.py ROOT PACK: what each call to the machine with the device carries, a line a call.

A call carries the tree without results/ (tracked files, and untracked ones that git does not ignore) and some of the folders in PACK.
Each folder goes into the first call that has room; there are as many calls as the folders need. Ends with 2 if one carries too much.
"""

import os
import re
import subprocess
import sys

MIB = 1 << 20
MOST_BYTES = 60 * MIB  # of a call; a machine that takes 64 MiB still takes what its transfer adds
MOST_FOLDERS = 8  # of a call, beside the tree
AFTER_THE_MODEL = ["programs", "drafter", "feature", "ngram", "text"]


def size_text(size):
    return f"{size / MIB:.1f} MiB"


def files_of_tree(root):
    """{path: bytes} of what travels in every call."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False)
    if listed.returncode != 0:
        fail(f"git does not list the files of {root}: {os.fsdecode(listed.stderr).strip()}")
    sizes = {}
    for name in set(os.fsdecode(listed.stdout).split("\0")):
        path = os.path.join(root, name)
        if name and not name.startswith("results/") and os.path.lexists(path) and (os.path.islink(path) or os.path.isfile(path)):
            sizes[name] = os.lstat(path).st_size
    return sizes


def size_of_folder(folder):
    return sum(os.lstat(os.path.join(path, name)).st_size for path, _, names in os.walk(folder) for name in names)


def models_of_pack(pack):
    """Names of the models, the project's own first."""
    path = os.path.join(pack, "first", "models")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.strip().removesuffix(".gguf") for line in file]


def places(models):
    """A key that sorts folders by their value: first, the parts of the first model, what drafts from it, then further models."""
    ranks = {"first": 0} | {name: 2 + rank for rank, name in enumerate(AFTER_THE_MODEL)}
    ranks |= {model: 1 if rank == 0 else 100 + rank for rank, model in enumerate(models)}

    def place(name):
        kind, number = re.fullmatch(r"(.*?)(?:_(\d+))?", name).groups()
        return (ranks.get(kind, ranks.get(name, 99)), int(number or 0), name)
    return place


def folders_of_pack(root, pack):
    """[(path below root, bytes)] in the order of their value."""
    names = sorted((name for name in os.listdir(pack) if os.path.isdir(os.path.join(pack, name))), key=places(models_of_pack(pack))) if os.path.isdir(pack) else []
    paths = [os.path.join(pack, name) for name in names]
    return [(os.path.relpath(path, root), size_of_folder(path)) for path in paths]


def calls_for(folders, room):
    calls = []
    for folder in folders:
        fitting = [call for call in calls if len(call) < MOST_FOLDERS and sum(size for _, size in call) + folder[1] <= room]
        if fitting:
            fitting[0].append(folder)
        else:
            calls.append([folder])
    return calls or [[]]


def largest(sizes):
    """The five largest files, and the three largest folders of the top, as text."""
    folders = {}
    for name, size in sizes.items():
        top = name.split("/", 1)[0] + "/" if "/" in name else None
        if top:
            folders[top] = folders.get(top, 0) + size
    ranked = sorted(sizes.items(), key=lambda item: -item[1])[:5] + sorted(folders.items(), key=lambda item: -item[1])[:3]
    return "\n".join(f"  {size_text(size):>10}  {name}" for name, size in ranked)


def fail(message):
    print(f"measure_gpu: {message}", file=sys.stderr)
    sys.exit(2)


def main():
    root, pack = sys.argv[1:]
    sizes = files_of_tree(root)
    tree = sum(sizes.values())
    folders = folders_of_pack(root, pack)
    calls = calls_for(folders, MOST_BYTES - tree)
    totals = [tree + sum(size for _, size in call) for call in calls]
    for number, (call, total) in enumerate(zip(calls, totals), 1):
        print(f"call {number}: {size_text(total)}: {' '.join(path for path, _ in call) or 'the tree alone, nothing is packed'}", flush=True)
    if max(totals) > MOST_BYTES:
        number = totals.index(max(totals)) + 1
        fail(f"call {number} carries {size_text(max(totals))}; allowed: {size_text(MOST_BYTES)}, the tree's {size_text(tree)} included. The largest files and folders:\n"
             f"{largest(sizes | dict(calls[number - 1]))}\n"
             "Move what no step needs out of the tree, or name it in .gitignore; of a packed folder, make its programs smaller.")


main()
