"""Sentences that say what is faster, larger or better, against the intervals of the rows that they name.

`results_tables --help` explains the markers. `check(pages, root)` finds sentences of order without a marker, markers whose interval contains
equality, and exceptions that match nothing. A marker that cannot be read raises TableError.
"""

import math
import pathlib
import re
import shlex

import words
from result_rows import TableError, chosen, pairs, read_rows

ORDER = re.compile(
    r"\b(ahead|above all|above them|exceeds?|outweighs?|faster|fastest|slower|slowest|(?:more|fewer|less|longer|larger|smaller) than|(?<!at )most(?! of)|(?<!at )least|"
    r"gains?|gained|loses?|lost|wins?|best|worst|largest|smallest|better|worse|beats?|helps?|helped|higher|highest|lower|lowest|cheaper|cheapest|pays?|"
    r"(?:as|times as) fast|times the|speeds? \S+ up|grows?|rises?|falls?|worth)\b", re.IGNORECASE)
NOT_SHOWN = re.compile(r"\bnot shown\b|\b(no|nothing|none|neither|never)\b[^.;:]*\bshown\b|\bcannot tell\b", re.IGNORECASE)
MARKER = re.compile(r"\s*(?<!`)<!-- order: (.*?) -->")
WORDS = {"where", "value", "interval", "above", "below", "equals", "exact", "per"}
EXCEPTIONS = "scripts/lib/order_exceptions.txt"


class Sentence:
    def __init__(self, text, line, specs):
        self.text, self.line, self.specs = text, line, specs


def with_line(paragraph, raw, line):
    """Adds a line; @return its markers as (offset in the paragraph's text, specification)"""
    markers = []
    begin = 0
    for match in [*MARKER.finditer(raw), None]:
        text = words.plain_markdown(raw[begin:match.start() if match else len(raw)])
        if begin and text[:1].isspace():  # Paragraph.add parts texts by one blank
            text = text[1:]
        if text.strip() or not begin:
            paragraph.add(text, line)
        if match:
            markers.append((len(paragraph.text) - 1, match[1]))
            begin = match.end()
    return markers


def paragraphs(source):
    """Yields (paragraph, markers). Code, headings, images alone and generated blocks are no claims; a cell of a typed table is one."""
    current, markers = words.Paragraph(), []
    fenced = generated = False
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        fenced ^= text.startswith("```")
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
            yield Sentence(text.strip(), paragraph.line(offset), [spec for at, spec in markers if offset <= at < end])


def states_order(text):
    """A question states nothing, nor does a clause that says that nothing is shown."""
    if re.search(r"\?[*\"')]*$", text):
        return False
    return any(ORDER.search(clause) and not NOT_SHOWN.search(clause) for clause in re.split(r"[;:]|, (?:and|but|while|where|which)\b", text))


def number(row, column):
    if column not in row:
        raise TableError(f"no column '{column}'; there are {', '.join(key for key in row if key)}")
    try:
        return float(row[column])
    except (TypeError, ValueError):
        raise TableError(f"{column} = '{row[column]}' is no number") from None


def bounds(row, column, options):
    """@return the interval of a value; a counted whole number is its own"""
    if options.get("exact") == "yes":
        value = number(row, column)
        if not value.is_integer():
            raise TableError(f"{column} = {row[column]} is not counted; exact=yes is for whole numbers")
        return value, value
    low, high = options.get("interval", f"{column}_low,{column}_high").split(",")
    return number(row, low), number(row, high)


def rival_bounds(row, column, options):
    """@return the interval of a value beside which another stands; a prediction is one number"""
    is_predicted = column.startswith("predicted") or row.get("quantity", "").startswith("predicted")
    return (number(row, column),) * 2 if is_predicted else bounds(row, column, options)


def parse(spec):
    """@return the file and the words of a marker"""
    name, *parts = shlex.split(spec)
    if bad := [part for part in parts if "=" not in part or part.split("=")[0] not in WORDS]:
        raise TableError(f"unknown word '{bad[0]}'; allowed: {', '.join(sorted(WORDS))}, each with =")
    options = dict(part.split("=", 1) for part in parts)
    relations = [word for word in ("above", "below", "equals") if word in options]
    if "value" not in options or len(relations) != 1:
        raise TableError("a marker needs value= and one of above=, below=, equals=")
    if relations == ["equals"] and options.get("exact") != "yes":
        raise TableError("equals= needs exact=yes")
    return name, options, relations[0]


def rivals(row, lines, options, relation):
    """@return the intervals that a row is compared with"""
    against = options[relation]
    try:
        return [(float(against), float(against))]
    except ValueError:
        pass
    if ":" not in against:
        return [rival_bounds(row, against, {**options, "interval": f"{against}_low,{against}_high"})]
    must = {**dict(pairs(options.get("where"))), **dict(pairs(against))}
    for key in filter(None, options.get("per", "").split(",")):
        if key not in row:
            raise TableError(f"no column '{key}'; there are {', '.join(k for k in row if k)}")
        must[key] = row[key]
    found = chosen(lines, must.items())
    if not found:
        raise TableError(f"no line has {', '.join(f'{k} = {v}' for k, v in must.items())}")
    return [rival_bounds(x, options["value"], options) for x in found]


def refutation(spec, folder):
    """@return why the rows do not show the order of a marker; None if they do. @throws TableError"""
    name, options, relation = parse(spec)
    lines = [line for file in name.split("+") for line in read_rows(folder / file)]
    found = chosen(lines, pairs(options.get("where")))
    if not found:
        raise TableError(f"{name}: no line has {options['where']}")
    for row in found:
        low, high = bounds(row, options["value"], options)
        for under, over in rivals(row, lines, options, relation):
            holds = {"above": low > over, "below": high < under, "equals": low == under == over}[relation]
            if not holds or math.isnan(low + high + under + over):
                rival = f"{under:.4g}" if under == over else f"[{under:.4g}, {over:.4g}]"
                return f"{name}: {options['value']} [{low:.4g}, {high:.4g}] is not {relation} {rival}"
    return None


def exceptions(root):
    """@return [file, piece of a sentence, line] of the committed list; each line has its reason too"""
    rows = []
    for line, text in enumerate((root / EXCEPTIONS).read_text(encoding="utf-8").splitlines(), 1):
        parts = [part.strip() for part in text.split("|")]
        if not text or text.startswith("#"):
            continue
        if len(parts) != 3 or not all(parts):
            raise TableError(f"{EXCEPTIONS}:{line}: {len(parts)} parts; write FILE | piece of the sentence | reason")
        rows.append((parts[0], parts[1], line))
    return rows


def complaints_of(page, name, base, excused):
    """@return complaints about one page; adds what it needed to `excused`"""
    found = []
    for sentence in sentences(page.read_text(encoding="utf-8")):
        place = f"{name}:{sentence.line}: "
        for spec in sentence.specs:
            try:
                reason = refutation(spec, base)
            except (TableError, ValueError) as error:
                raise TableError(f"{place}order: {error}") from error
            if reason:
                found.append(f"{place}the order is not shown: {reason}; write \"not shown\", or mend the sentence: {sentence.text}")
        if sentence.specs or not states_order(sentence.text):
            continue
        matching = [key for key in excused if key[0] == name and key[1] in sentence.text]
        for key in matching:
            excused[key] = True
        if not matching:
            found.append(f"{place}a sentence of order without <!-- order: ... -->; name the rows, or write \"not shown\": {sentence.text}")
    return found


def check(pages, root):
    """@return complaints about pages, one text each. @throws TableError if a marker or the list cannot be read"""
    listed = exceptions(root)
    excused = {(file, piece): False for file, piece, _ in listed}
    found, names = [], set()
    for page in pages:
        name = str(page.relative_to(root)) if page.is_relative_to(root) else str(page)
        names.add(name)
        base = root / "results/reference" if page in (root / "README.md", root / "results/findings.md") else page.parent
        found += complaints_of(page, name, base, excused)
    return found + [f"{EXCEPTIONS}:{line}: matches no sentence of order of {file}; remove it"
                    for file, piece, line in listed if file in names and not excused[file, piece]]
