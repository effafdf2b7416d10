"""kernels_digest.py FOLDER: 16 hexadecimal digits that name the kernels in a folder (*.cu, *.cuh, *.h).

Comments and white space are left out, so a formatter does not change the digest. Any other edit does.
"""

import hashlib
import pathlib
import re
import sys

# Names, numbers and literals are matched first: a quote in a number or two slashes in a string begin nothing.
TOKEN = re.compile(r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | (?P<kept> R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)" | [A-Za-z_]\w* | \.?[0-9](?:'?[\w.])* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
""", re.VERBOSE | re.DOTALL)


def without_comments(text):
    return TOKEN.sub(lambda match: " " if match["comment"] else match[0], text)


def digest(folder):
    files = sorted(path for pattern in ("*.cu", "*.cuh", "*.h") for path in folder.glob(pattern))
    if not files:
        sys.exit(f"{folder}: no file *.cu, *.cuh or *.h")
    total = hashlib.sha256()
    for path in files:
        code = "".join(without_comments(path.read_text(encoding="utf-8")).split())
        total.update(f"{path.name}\0{code}\0".encode())
    return total.hexdigest()[:16]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: kernels_digest.py FOLDER", file=sys.stderr)
        sys.exit(2)
    print(digest(pathlib.Path(sys.argv[1])))
