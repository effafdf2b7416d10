"""Shares of sentences that open badly or run long, in the texts that users and newcomers read."""

import pathlib
import re
import sys

OPENERS = re.compile(r"(what|of|by|whose|which|that|as|the same|where|whether)\b", re.IGNORECASE)
MOST_OPENERS = 0.04
MOST_LONG = 0.06
LONGEST = 30  # words
FEWEST = 3  # words of a sentence; fewer are a label

KINDS = ["README", "help", "key", "error", "report", "caption", "comment"]
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|Eq|Eqs|Sec|Fig|Figs|approx)\.\s")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_]*[A-Z0-9X`-])")
WORD = re.compile(r"[A-Za-z0-9]")


def sentences(text):
    """Yields (sentence, offset in the text)."""
    text = ABBREVIATIONS.sub(lambda match: match.group().replace(".", "\u2024"), text)
    begin = 0
    for end in list(SENTENCE_END.finditer(text)) + [None]:
        stop = end.start() if end else len(text)
        yield text[begin:stop], begin
        begin = end.end() if end else stop


def words(sentence):
    return [word for word in sentence.split() if WORD.search(word)]


class Paragraph:
    """Text whose every character knows its line."""

    def __init__(self):
        self.text, self.lines = "", []

    def add(self, text, line):
        text = (" " if self.text else "") + text.strip()
        self.text += text
        self.lines += [line] * len(text)

    def line(self, offset):
        while offset < len(self.text) - 1 and self.text[offset].isspace():
            offset += 1
        return self.lines[offset]


# Markdown

def plain_markdown(line):
    line = re.sub(r"\s*(?<!`)<!-- order: .*? -->", "", line)
    line = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", line)
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"``?[^`]*`?`", "Code", line)


def markdown_paragraphs(source):
    """Code blocks, tables, headings and generated blocks are no sentences."""
    paragraphs, current = [], Paragraph()
    fenced = generated = False

    def finish():
        nonlocal current
        if current.text:
            paragraphs.append(current)
        current = Paragraph()

    for number, line in enumerate(source.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        if stripped.startswith("<!--"):
            name = (stripped[4:].split() or [""])[0].rstrip(":")
            generated = name not in ("", "end") and "<!-- end " + name in source
        ends = not stripped or re.match(r"(```|\||#|<!--|!\[)", stripped)
        if fenced or generated or ends:
            finish()
            continue
        item = re.match(r"([-*+]|\d+\.)\s+", stripped)
        if item:
            finish()
            stripped = stripped[item.end():]
        current.add(plain_markdown(stripped), number)
    finish()
    return paragraphs


# C++

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|'(?:\\.|[^'\\\n])+'|[A-Za-z_]\w*|\d[\w.']*|::|->|.", re.DOTALL)
ESCAPES = {"n": "\n", "t": " ", '"': '"', "\\": "\\", "'": "'"}


def tokens(source):
    """Yields (kind, text, line); a literal's kind is 'literal', else 'code'."""
    source = re.sub(r"^#[^\n]*", "", source, flags=re.MULTILINE)
    line = 1
    for match in TOKEN.finditer(source):
        token = match.group()
        if match.group("text") is not None:
            text = re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), match.group("text"))
            yield "literal", text, line
        elif match.group("raw") is not None:
            yield "literal", match.group("raw"), line
        elif not token.isspace() and not token.startswith(("//", "/*")):
            yield "code", token, line
        line += token.count("\n")


OPEN, CLOSE = set("([{"), set(")]}")


def end_of_operand(stream, at):
    """Behind what stands between two + signs."""
    depth = 0
    while at < len(stream):
        token = stream[at][1] if stream[at][0] == "code" else ""
        if depth == 0 and token and (token in CLOSE or token in ("+", ",", ";", "?", ":")):
            break
        depth += (token in OPEN) - (token in CLOSE)
        at += 1
    return at


def expression_texts(stream, at):
    """The text that the expression at a literal makes, other operands as X, and where it ends."""
    parts = []
    while at < len(stream):
        kind, token, line = stream[at]
        if kind == "literal":
            parts.append((token, line))
            at += 1
        elif token == "+" and at + 1 < len(stream):
            at += 1
            if stream[at][0] != "literal":
                parts.append(("X", line))
                at = end_of_operand(stream, at)
        else:
            break
    return parts, at


def source_texts(stream):
    """Texts of literals joined by neighbourhood or +."""
    at = 0
    while at < len(stream):
        if stream[at][0] != "literal":
            at += 1
            continue
        opening = at > 0 and stream[at - 1][1] == "+"
        parts, at = expression_texts(stream, at)
        yield ([("X", parts[0][1])] if opening else []) + parts


def readable(text):
    text = re.sub(r"<[^<>]*>", " ", text)  # tags of the report
    text = re.sub(r"\{[^{}]*\}", "X", text)  # fields of fmt
    text = re.sub(r"`[^`]*`", "Code", text)
    return text


PLACE = re.compile(r"(\s*X\s*[:;,]\s*|\s*[:;,]\s*)*")  # "X: " names a file or a line


def prose_paragraphs(stream):
    """The texts that literals make; a line break parts them."""
    for parts in source_texts(stream):
        paragraph = Paragraph()
        for text, line in parts:
            text = readable(text)
            paragraph.text += text
            paragraph.lines += [line] * len(text)
        offset = 0
        for piece in paragraph.text.split("\n"):
            part = Paragraph()
            part.text, part.lines = piece, paragraph.lines[offset:offset + len(piece)]
            offset += len(piece) + 1
            cut = PLACE.match(piece).end()
            part.text, part.lines = part.text[cut:], part.lines[cut:]
            if part.text.strip():
                yield part


THROWERS = re.compile(r"(throw_\w+|fail_?|refuse\w*|\w*Error|SPECLAB_EXPECT|add_error|error)$")


def thrown(stream):
    """The tokens within the calls that throw."""
    at = 0
    while at < len(stream):
        kind, token, _ = stream[at]
        following = stream[at + 1][1] if at + 1 < len(stream) else ""
        if kind == "code" and THROWERS.match(token) and following in ("(", "{"):
            depth, begin = 0, at + 1
            at = begin
            while at < len(stream):
                if stream[at][0] == "code":
                    depth += (stream[at][1] in OPEN) - (stream[at][1] in CLOSE)
                at += 1
                if depth == 0:
                    break
            yield stream[begin:at]
        else:
            at += 1


def comment_paragraphs(source):
    current, paragraphs = Paragraph(), []

    def finish():
        nonlocal current
        if current.text:
            paragraphs.append(current)
        current = Paragraph()

    for number, line in enumerate(source.splitlines(), 1):
        trailing = re.match(r"[^\"]*[;,{)\w]\s*//[/!]*<?\s*(.*)", line)
        whole = re.match(r"\s*//[/!]*<?\s?(.*)", line)
        if not whole:
            finish()
            if trailing:
                current.add(trailing.group(1), number)
            continue
        text = whole.group(1).strip()
        if not text:
            finish()
            continue
        for piece in re.split(r"(?=@(?:param|return|throws|source|tparam)\b)", text):
            if piece.startswith("@"):
                finish()
            piece = re.sub(r"^@(param|tparam|throws)\s+\S+\s*|^@return\s*", "", piece)
            if piece.strip():
                current.add(re.sub(r"`[^`]*`", "Code", piece), number)
    finish()
    return [part for part in paragraphs if not part.text.startswith("@source")]


def paragraphs_of(kind, source):
    if kind == "README":
        return markdown_paragraphs(source)
    if kind == "comment":
        return comment_paragraphs(source)
    stream = list(tokens(source))
    if kind == "error":
        return [part for call in thrown(stream) for part in prose_paragraphs(call)]
    return prose_paragraphs(without_thrown(stream))


def without_thrown(stream):
    inside = {id(token) for call in thrown(stream) for token in call}
    return [token for token in stream if id(token) not in inside]


def is_source(path):
    return path.suffix in (".cpp", ".h", ".cu", ".cuh")


def kinds_of(path):
    """The kinds of text that a file of the tree holds."""
    name = path.as_posix()
    if path.suffix == ".md":
        return ["README"]
    if not is_source(path):
        return []
    kinds = ["error"]
    if path.suffix == ".h" and name.startswith(("engines/interface/", "sim/core/", "sim/policies/", "sim/rules/", "sim/system/")):
        kinds.append("comment")
    if re.fullmatch(r"experiments/drivers/cli/\w*\.cpp", name):
        kinds.append("help")
    if re.fullmatch(r"experiments/drivers/config/(run|train)_schema\.cpp|engines/interface/sampling_rows\.h", name):
        kinds.append("key")
    if name.startswith("analysis/report/"):
        kinds.append("report")
    if name.startswith("analysis/plots/") and "gnuplot" not in name:
        kinds.append("caption")
    return kinds


def files_of_tree(root):
    pages = {*root.glob("*.md"), *root.glob("*/*.md"), *root.glob("experiments/*/*.md")}
    pages.discard(root / "results/TABLES.md")  # names of columns, no text
    sources = [path for folder in ("sim", "engines", "analysis", "experiments")
               for path in root.glob(folder + "/**/*") if is_source(path)]
    return sorted(pages) + sorted(sources)


def kinds_of_planted(path):
    if path.suffix == ".md":
        return ["README"]
    return ["comment"] if path.suffix == ".h" else ["error"]


def offences(sentence):
    found = []
    is_question = sentence.rstrip(")*_\"' ").endswith("?")
    if not is_question and OPENERS.match(re.sub(r"^[\W_]+", "", sentence)):
        found.append("opens with '%s'" % " ".join(sentence.split()[:2]))
    count = len(words(sentence))
    if count > LONGEST:
        found.append("%d words" % count)
    return found


def count(files):
    """Per kind: sentences, bad openers, long ones; and the offenders as lines of text."""
    totals, offenders = {kind: [0, 0, 0] for kind in KINDS}, []
    for path, name, kinds in files:
        source = path.read_text(encoding="utf-8", errors="replace")
        for kind in kinds:
            for paragraph in paragraphs_of(kind, source):
                for sentence, offset in sentences(paragraph.text):
                    if len(words(sentence)) < FEWEST:
                        continue
                    found = offences(sentence)
                    totals[kind][0] += 1
                    totals[kind][1] += any(text.startswith("opens") for text in found)
                    totals[kind][2] += any(text.endswith("words") for text in found)
                    offenders += ["%s:%d: %s: %s: %s" % (
                        name, paragraph.line(offset), kind, text,
                        " ".join(sentence.split()).replace("\u2024", ".")) for text in found]
    return totals, offenders


def print_totals(totals):
    """Prints a line a kind; true where a share is above its limit."""
    print("%-9s %9s %12s %12s" % ("kind", "sentences", "bad openers", "long ones"))
    above = []
    everything = [sum(column) for column in zip(*totals.values())]
    for kind, (number, opened, long) in [*totals.items(), ("total", everything)]:
        if number == 0:
            continue
        print("%-9s %9d %6d %4.1f %% %5d %4.1f %%" % (
            kind, number, opened, 100 * opened / number, long, 100 * long / number))
        if opened > MOST_OPENERS * number:
            above.append("%s: more than %g %% open badly" % (kind, 100 * MOST_OPENERS))
        if long > MOST_LONG * number:
            above.append("%s: more than %g %% have over %d words" % (
                kind, 100 * MOST_LONG, LONGEST))
    for text in above:
        print(text + "; scripts/words --list names them")
    return bool(above)


def main(root, arguments):
    lists = "--list" in arguments
    names = [text for text in arguments if text != "--list"]
    unknown = [text for text in names if text.startswith("-")]
    if unknown:
        print("unknown option '%s'; allowed: --list" % unknown[0], file=sys.stderr)
        return 2
    for name in names:
        if not pathlib.Path(name).is_file():
            print("'%s' is no file" % name, file=sys.stderr)
            return 2
    files, root = [], root.resolve()
    for path in [pathlib.Path(name).resolve() for name in names] or files_of_tree(root):
        inside = path.is_relative_to(root)
        name = path.relative_to(root) if inside else path
        files.append((path, name, kinds_of(name) if inside else kinds_of_planted(path)))
    totals, offenders = count(files)
    for line in offenders if lists else []:
        print(line)
    if sum(number for number, _, _ in totals.values()) == 0:
        print("no sentence found; name a .md file or a source", file=sys.stderr)
        return 2
    return 1 if print_totals(totals) else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
