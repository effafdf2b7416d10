"""The sentences of a Markdown page that say what is faster, larger or better, with the comments behind them."""

import re

import words

ORDER = re.compile(
    r"\b(ahead|above all|above them|exceeds?|outweighs?|outperform\w*|faster|fastest|slower|slowest|quicker|quickest|"
    r"(?:more|fewer|less|longer|shorter)(?: [^\s.;:,]+){0,3}(?<! rather)(?<! other) than|(?:larger|smaller) than|(?<!at )most(?! of)|(?<!at )least|"
    r"gains?|gained|loses?|lost|wins?|best|worst|largest|smallest|better|worse|beats?|helps?|helped|higher|highest|lower|lowest|cheaper|cheapest|pays?|"
    r"(?:as|times as) (?:fast|quick|quickly)|times as (?:long|many|much|large)|twice|doubl(?:es?|ed|ing)|half the|saves?|saved|saving|brings?|brought|"
    r"improv\w*|times the|speeds? \S+ up|grows?|rises?|falls?|worth)\b", re.IGNORECASE)
NOT_SHOWN = re.compile(r"\bnot shown\b|\b(no|nothing|none|neither|never)\b[^.;:]*\bshown\b|\bcannot tell\b", re.IGNORECASE)
MARKER = re.compile(r"\s*(?<!`)<!-- order: (.*?) -->")


class Sentence:
    def __init__(self, text, line, markers):
        self.text, self.line, self.markers = text, line, markers  # markers: (line, specification)


def with_line(paragraph, raw, line):
    """Adds a line; @return its markers as (offset in the paragraph's text, line, specification)"""
    markers = []
    begin = 0
    for match in [*MARKER.finditer(raw), None]:
        text = words.plain_markdown(raw[begin:match.start() if match else len(raw)])
        if begin and text[:1].isspace():  # Paragraph.add parts texts by one blank
            text = text[1:]
        if text.strip() or not begin:
            paragraph.add(text, line)
        if match:
            markers.append((len(paragraph.text) - 1, line, match[1]))
            begin = match.end()
    return markers


def paragraphs(source):
    """Yields (paragraph, markers). Code, headings, images alone and generated blocks are no claims; a cell of a typed table is one."""
    current, markers = words.Paragraph(), []
    fenced = generated = False
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        fenced ^= text.startswith("```") and "`" not in text[3:]
        comment = text.startswith("<!--") and not text.startswith("<!-- order:")
        if comment:
            name = (text[4:].split() or [""])[0].rstrip(":")
            generated = name not in ("", "end") and "<!-- end " + name in source
        if fenced or generated or comment or not text or re.match(r"(```|\||#|[-*+] |\d+\. )", text):
            if current.text:
                yield current, markers
            current, markers = words.Paragraph(), []
        if fenced or generated or comment or not text or text.startswith(("```", "#")):
            continue
        cells = re.split(r"(?<!\\)\|", text.strip("|")) if text.startswith("|") else [re.sub(r"^([-*+]|\d+\.)\s+", "", text)]
        for cell in cells:
            markers += with_line(current, cell.strip(), number)
            if len(cells) > 1:
                yield current, markers
                current, markers = words.Paragraph(), []
    if current.text:
        yield current, markers


def sentences(source):
    for paragraph, markers in paragraphs(source):
        for text, offset in words.sentences(paragraph.text):
            end = offset + len(text)
            yield Sentence(text.strip(), paragraph.line(offset), [(line, spec) for at, line, spec in markers if offset <= at < end])


def num_orders(text):
    """@return how many clauses state an order; a question states none, nor does a clause that says that nothing is shown"""
    if re.search(r"\?[*\"')]*$", text):
        return 0
    clauses = re.split(r"[;:]|, (?:and|but|while|where|which)\b", text)
    return sum(1 for clause in clauses if ORDER.search(clause) and not NOT_SHOWN.search(clause))
