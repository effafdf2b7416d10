"""gpu_archive.py FOLDER ARCHIVE MOST_BYTES: packs a folder of rows into one archive (.tar.gz) that is never larger than MOST_BYTES.

If all of it would be larger, the largest logs stay out, then the largest other files; standard output names them. Tables come last.
The archive is written under another name first.
"""

import os
import sys
import tarfile
import zlib

LEFT_OUT = {"site", "pycache", ".lock", "checkpoint.bin"}  # Python's packages and caches; a checkpoint comes back in parts
HEADER_BYTES = 1024  # of a file in an archive, at most


def files_of(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - LEFT_OUT)
        yield from (os.path.join(path, name) for name in sorted(names) if name not in LEFT_OUT and not name.endswith(".gguf"))


def packed_bytes(path):
    packer, total = zlib.compressobj(6), HEADER_BYTES
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total += len(packer.compress(block))
    return total + len(packer.flush())


def is_table(path):
    return any(ending in os.path.basename(path) for ending in (".csv", ".json", ".toml"))


def choose(files, most):
    """(files to pack, files to leave out): the largest log goes first."""
    sizes = {path: packed_bytes(path) for path in files}
    by_size = sorted(files, key=lambda path: (is_table(path), -sizes[path]))
    total, left_out = sum(sizes.values()), []
    while total > most and by_size:
        left_out.append(by_size.pop(0))
        total -= sizes[left_out[-1]]
    return [path for path in files if path not in left_out], left_out


def main():
    folder, archive, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
    scratch = archive.removesuffix(".tar.gz") + ".part"
    kept, left_out = choose(list(files_of(folder)), most)
    try:
        with tarfile.open(scratch, "w:gz", compresslevel=6) as file:
            for path in kept:
                file.add(path, os.path.join(".", os.path.relpath(path, folder)))
        os.replace(scratch, archive)
    except OSError as error:
        print(f"{archive}: {error.strerror}", file=sys.stderr)
        sys.exit(8)
    for path in left_out:
        print(f"{os.path.relpath(path, folder)}: left out of the archive, which may have {most} bytes")


main()
