"""kernels_digest.py ROOT: 16 hexadecimal digits that name the kernels of engines/cuda/kernels and the headers of engines/cuda that they include.

Comments and white space are left out and string literals side by side are joined, so a formatter does not change the
digest. Nearly any other edit does.
"""

import hashlib
import pathlib
import re
import sys

# Names, numbers and literals are matched first: a quote in a number or two slashes in a string begin nothing.
TOKEN = re.compile(r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | (?P<kept> (?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)" | [A-Za-z_]\w* | \.?[0-9](?:'?[\w.])* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
""", re.VERBOSE | re.DOTALL)


def without_comments(text):
    return TOKEN.sub(lambda match: " " if match["comment"] else match[0], text)


def joined_strings(text):
    """`"a" "b"` becomes `"ab"`, as the compiler reads it. `text` has no comments."""
    joined, end, end_of_string = "", 0, None
    for match in TOKEN.finditer(text):
        is_string = match[0].startswith('"')
        between = text[end:match.start()]
        if is_string and end == end_of_string and not between.strip():
            joined = joined[:-1] + match[0][1:]
        else:
            joined += between + match[0]
        end = match.end()
        end_of_string = end if is_string else None
    return joined + text[end:]


INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(engines/cuda/[^"\n]+)"', re.MULTILINE)


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def files_of(root):
    """Text of each file by its path below the root: the kernels' folder, and what its files include, directly or not."""
    folder = root / "engines" / "cuda" / "kernels"
    wanted = sorted(path.relative_to(root).as_posix() for pattern in ("*.cu", "*.cuh", "*.h") for path in folder.glob(pattern))
    if not wanted:
        fail(f"{folder}: no file *.cu, *.cuh or *.h")
    texts = {}
    while wanted:
        name = wanted.pop()
        if name in texts:
            continue
        try:
            texts[name] = without_comments((root / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{root / name}: {error}")
        wanted += INCLUDED.findall(texts[name])
    return texts


def digest(root):
    total = hashlib.sha256()
    for name, text in sorted(files_of(root).items()):
        total.update(f"{name}\0{''.join(joined_strings(text).split())}\0".encode())
    return total.hexdigest()[:16]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: kernels_digest.py ROOT", file=sys.stderr)
        sys.exit(2)
    print(digest(pathlib.Path(sys.argv[1])))
