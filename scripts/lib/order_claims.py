"""Sentences that say what is faster, larger or better, against the intervals of the rows that they name.

`results_tables --help` explains the markers. `check(pages, root)` finds sentences with fewer markers than clauses of order, markers whose
interval contains equality, and exceptions that match nothing. A marker that cannot be read raises TableError.
"""

import math
import shlex

from order_sentences import MARKER, num_orders, sentences
from result_rows import TableError, chosen, pairs, read_rows

WORDS = {"where", "value", "interval", "above", "below", "equals", "exact", "per"}
EXCEPTIONS = "scripts/lib/order_exceptions.txt"


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
    names = options.get("interval", f"{column}_low,{column}_high").split(",")
    if len(names) != 2:
        raise TableError(f"interval={options['interval']} names {len(names)} columns; allowed: two, the low end and the high one")
    low, high = (number(row, name) for name in names)
    if not low <= number(row, column) <= high:
        raise TableError(f"{column} = {row[column]} is not within its interval [{low:g}, {high:g}]")
    return low, high


def rival_bounds(row, column, options):
    """@return the interval of a value beside which another stands; a prediction is one number"""
    is_predicted = column.startswith("predicted") or row.get("quantity", "").startswith("predicted")
    return (number(row, column),) * 2 if is_predicted else bounds(row, column, options)


def parse(spec):
    """@return the file and the words of a marker"""
    name, *parts = shlex.split(spec) or [""]
    if bad := [part for part in parts if "=" not in part or part.split("=")[0] not in WORDS]:
        raise TableError(f"unknown word '{bad[0]}'; allowed: {', '.join(sorted(WORDS))}, each with =")
    options = dict(part.split("=", 1) for part in parts)
    if len(options) != len(parts):
        raise TableError("a word stands twice; allowed: once")
    relations = [word for word in ("above", "below", "equals") if word in options]
    if "value" not in options or len(relations) != 1:
        raise TableError("a marker needs value= and one of above=, below=, equals=")
    if (relations == ["equals"]) != (options.get("exact") == "yes"):
        raise TableError("equals= and exact=yes need each other; above= and below= compare intervals")
    if "per" in options and ":" not in options[relations[0]]:
        raise TableError(f"per= needs lines to compare with; {relations[0]}= names none")
    return name, options, relations[0]


def rivals(row, lines, options, relation):
    """@return the intervals that a row is compared with"""
    against = options[relation]
    try:
        bound = float(against)
        if not math.isfinite(bound):
            raise TableError(f"{relation}={against}; allowed: finite numbers, a column or lines")
        return [(bound, bound)]
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


def refused_order(sentence, name, base):
    """@return complaints about the markers of a sentence. @throws TableError with file and line"""
    found = []
    for line, spec in sentence.markers:
        try:
            reason = refutation(spec, base)
        except (TableError, ValueError) as error:
            raise TableError(f"{name}:{line}: order: {error}") from error
        if reason:
            found.append(f"{name}:{line}: the order is not shown: {reason}; write \"not shown\", or mend the sentence: {sentence.text}")
    return found


def expect_markers_behind_sentences(source, stated, name):
    """@throws TableError if a marker stands in a heading, in code, in a generated block or before any sentence"""
    attached = {marker for sentence in stated for marker in sentence.markers}
    for number, line in enumerate(source.splitlines(), 1):
        for match in MARKER.finditer(line):
            if (number, match[1]) not in attached:
                raise TableError(f"{name}:{number}: order: a comment that follows no sentence; put it behind one, in the same line")


def complaints_of(page, name, base, excused):
    """@return complaints about one page; marks what it needed of `excused`"""
    source, found = page.read_text(encoding="utf-8"), []
    stated = list(sentences(source))
    expect_markers_behind_sentences(source, stated, name)
    for sentence in stated:
        found += refused_order(sentence, name, base)
        claims, markers = num_orders(sentence.text), len(sentence.markers)
        if claims <= markers:
            continue
        matching = [key for key in excused if key[0] == name and key[1] in sentence.text]
        for key in matching:
            excused[key] = True
        if not matching:
            found.append(f"{name}:{sentence.line}: an order without rows (clauses of order: {claims}, <!-- order: ... --> behind them: {markers}); "
                         f"name the rows of each clause, or write \"not shown\": {sentence.text}")
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
