"""Text of an unpacked Debian package: corpora.py READER SCRATCH OUTPUT NAME PACKAGE VERSION.

SCRATCH holds the .deb and its files below unpacked/; OUTPUT gets NAME.txt, or NAME_PART.txt for each part, with their sources and licences.
"""
import hashlib
import html.parser
import json
import pathlib
import re
import shutil
import struct
import sys
import zlib


def is_prose(paragraph):
    """Sentences of letters, not tables, listings or headings."""
    letters = sum(c.isalpha() or c == " " for c in paragraph)
    return len(paragraph) >= 60 and letters >= 0.86 * len(paragraph) and paragraph[-1] in ".!?\"'"


def joined(paragraphs):
    """One paragraph after the other, none twice."""
    return "\n\n".join(dict.fromkeys(paragraphs)) + "\n"


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


class Paragraphs(html.parser.HTMLParser):
    BLOCKS = {"p", "li", "dd", "td", "div", "blockquote"}

    def __init__(self):
        super().__init__()
        self.paragraphs, self.words, self.skipped = [], [], 0

    def end_paragraph(self):
        self.paragraphs.append(flat("".join(self.words)))
        self.words = []

    def handle_starttag(self, tag, attrs):
        self.skipped += tag in ("script", "style", "pre")
        if tag in self.BLOCKS:
            self.end_paragraph()

    def handle_endtag(self, tag):
        self.skipped -= tag in ("script", "style", "pre") and self.skipped > 0
        if tag in self.BLOCKS:
            self.end_paragraph()

    def handle_data(self, data):
        if not self.skipped:
            self.words.append(data)


def paragraphs_of(markup):
    parser = Paragraphs()
    parser.feed(markup)
    parser.end_paragraph()
    return [p for p in parser.paragraphs if is_prose(p)]


def texts_of(root, pattern):
    for path in sorted(p for p in root.rglob(pattern) if p.is_file() and not p.is_symlink()):
        yield path.read_text(encoding="utf-8", errors="ignore")


def html_paragraphs(root):
    return {"": joined(p for text in texts_of(root, "*.html") for p in paragraphs_of(text))}


def pod_paragraphs(root):
    """Ordinary paragraphs of Perl's documentation; formatting codes as C<x> and E<gt> are taken off."""
    def plain(paragraph):
        for _ in range(3):  # codes stand in codes
            paragraph = re.sub(r"[BCFILSX](?:<<+\s([^<>]*?)\s>>+|<([^<>]*?)>)", lambda code: code[1] or code[2] or "", paragraph)
        return flat(re.sub(r"E<\w+>", "", paragraph))

    blocks = (b for pattern in ("*.pod", "*.pm") for text in texts_of(root, pattern) for b in text.split("\n\n"))
    return {"": joined(p for p in (plain(b) for b in blocks if b[:1] not in ("=", " ", "\t")) if is_prose(p))}


def wordnet_glosses(root):
    lines = (line for text in texts_of(root, "data.*") for line in text.splitlines())
    return {"": joined(flat(line.split(" | ", 1)[1]) for line in lines if " | " in line)}


def fortunes(root):
    files = (p for p in sorted(root.rglob("games/fortunes/*")) if p.is_file() and not p.is_symlink() and p.suffix == "")
    texts = (p.read_text(encoding="utf-8", errors="ignore") for p in files)
    return {"": joined(f.strip() for text in texts for f in text.split("\n%\n") if f.strip())}


def sword_comments(root):
    """Blocks of a compressed SWORD module: offset, size, unpacked size in the index, each block zlib, its text with markup."""
    paragraphs = []
    for index in sorted(root.rglob("*.?zs")):
        data = index.with_suffix("." + index.suffix[1] + "zz").read_bytes()
        for offset, size, _ in struct.iter_unpack("<III", index.read_bytes()):
            block = zlib.decompress(data[offset:offset + size]).decode("utf-8", errors="ignore") if size else ""
            paragraphs += paragraphs_of(re.sub(r"<(/?)(p|lb|div|chapter|verse|title|lg|l)\b[^>]*>", r"<\1p>", block))
    return {"": joined(paragraphs)}


def serialized_strings(data):
    """The strings of a serialized R character vector (XDR): each a tag of type 9, its length, its bytes."""
    strings, at = [], data.index(b"\x00\x00\x00\x10") + 8  # the vector's tag and length
    while at + 8 <= len(data) and data[at + 3] == 9:
        length = max(0, struct.unpack(">i", data[at + 4:at + 8])[0])
        strings.append(data[at + 8:at + 8 + length].decode("utf-8", errors="ignore"))
        at += 8 + length
    return strings


def records(data):
    """Those of R's lazy-load data base, one behind the other: the unpacked length in 4 bytes, then a zlib stream."""
    while len(data) > 4:
        stream = zlib.decompressobj()
        yield stream.decompress(data[4:])
        data = stream.unused_data


def austen_novels(root):
    """A novel is a long vector of its printed lines."""
    novels = {}
    for record in records(next(root.rglob("data/Rdata.rdb")).read_bytes()):
        lines = serialized_strings(record) if b"\x00\x00\x00\x10" in record else []
        if len(lines) > 1000:
            title = flat(next(line for line in lines if line.strip())).lower()
            novels[re.sub(r"\W+", "_", title)] = "\n".join(lines) + "\n"
    return novels


def python_sources(root):
    files = (p for p in sorted(root.rglob("*.py")) if not p.is_symlink() and not {"test", "tests", "idlelib", "lib2to3"} & set(p.parts))
    texts = (p.read_text(encoding="utf-8", errors="ignore").strip() for p in files)
    return {"": "\n\n\n".join(text for text in texts if text) + "\n"}


READERS = {f.__name__: f for f in (html_paragraphs, pod_paragraphs, wordnet_glosses, fortunes, sword_comments, austen_novels, python_sources)}


def licences_of(copyright_file):
    """Short names of a machine-readable copyright file; older ones are named as such."""
    names = re.findall(r"^License:[ \t]*(\S.*)$", copyright_file.read_text(encoding="utf-8", errors="ignore"), re.M)
    return list(dict.fromkeys(flat(n) for n in names)) or ["as the package's copyright file says"]


def main(reader, scratch, output, name, package, version):
    scratch, output = pathlib.Path(scratch), pathlib.Path(output)
    output.mkdir()
    deb = next(scratch.glob(f"{package}_*.deb"))
    copyright_file = scratch / "unpacked/usr/share/doc" / package / "copyright"
    if not copyright_file.exists():
        sys.exit(f"{package} {version}: no copyright file; its layout must have changed")
    source = {"package": package, "version": version, "licences": licences_of(copyright_file), "package_sha256": hashlib.sha256(deb.read_bytes()).hexdigest()}
    texts = READERS[reader](scratch / "unpacked")
    if not texts or min(map(len, texts.values())) < 10000:
        sys.exit(f"{package} {version}: hardly any text read by {reader}; its layout must have changed")
    for part, text in texts.items():
        file = output / (f"{name}_{part}.txt" if part else f"{name}.txt")
        file.write_text(text, encoding="utf-8")
        file.with_name(file.name + ".source.json").write_text(json.dumps(source, indent=1) + "\n")
        shutil.copy(copyright_file, file.with_name(file.name + ".copyright"))


if __name__ == "__main__":
    main(*sys.argv[1:])
