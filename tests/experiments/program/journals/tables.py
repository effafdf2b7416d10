"""Tables as numbers to compare: files of a run, and the tables of a report's page."""

import csv
import hashlib
import html.parser
import json
import math
import tomllib

# Columns that a run measures anew when it goes on, whatever its journal holds.
MEASURED = {"ns", "ns_low", "ns_high", "n"}
FROM_HEADER = ("started_at", "read_bandwidth_bytes_per_s", "section", "generations")


def rows_of(path):
    """@return the rows of a CSV file, or the objects of a JSONL file; none where it is not there"""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        if path.suffix == ".csv":
            return list(csv.DictReader(file))
        objects = [json.loads(line) for line in file]
    return [{name: json.dumps(value, sort_keys=True) for name, value in entry.items()}
            for entry in objects]


def summary(columns):
    """@param columns  texts by name @return a number for each column of numbers, a digest for the
    others; both change when values change places"""
    return {name: summary_of(texts) for name, texts in columns.items()}


def summary_of(texts):
    try:
        return sum(((place + 1) * float(text) for place, text in enumerate(texts) if text), 0.0)
    except ValueError:
        return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:10]


def summary_of_rows(rows):
    names = dict.fromkeys(name for row in rows for name in row)
    return summary({name: [row.get(name, "") for row in rows] for name in names})


def table_summaries(folder):
    """@return the summary of each table of a folder"""
    paths = [path for path in sorted(folder.iterdir()) if path.suffix in (".csv", ".jsonl")]
    return {path.name: summary_of_rows(rows_of(path)) for path in paths}


def run_summaries(folder):
    """@return the same of a run, and what its manifest says of the measuring and of models"""
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))["provenance"]
    said = [manifest] + manifest.get("sections", [])
    measured = [{name: str(table.get(name, "")) for name in FROM_HEADER} for table in said]
    models = [{name: str(value) for name, value in model.items()} for model in manifest["models"]]
    return table_summaries(folder) | {
        "manifest": summary_of_rows(measured), "models": summary_of_rows(models)}


class Page(html.parser.HTMLParser):
    """The tables of a page that can be sorted: columns by name, with values as they are sorted."""

    def __init__(self):
        super().__init__()
        self.tables, self.names, self.values, self.is_head = [], [], [], False

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "table":
            self.names, self.values = [], []
        elif tag == "th" and "data-sortable" in given:
            self.is_head = True
            self.names.append("")
        elif tag == "td" and "data-value" in given:
            self.values.append(given["data-value"])

    def handle_data(self, text):
        if self.is_head:
            self.names[-1] += text

    def handle_endtag(self, tag):
        if tag == "th":
            self.is_head = False
        elif tag == "table" and self.names:
            width = len(self.names)
            self.tables.append({name: self.values[place::width]
                                for place, name in enumerate(self.names)})


def page_summaries(path):
    """@return the summary of each table of a page, in their order"""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return {f"table {place}": summary(table) for place, table in enumerate(page.tables, 1)}


def differences(expected, found):
    """@return a line for each value that was expected and is not found; more may be found"""
    lines = []
    for table, columns in expected.items():
        for name, value in columns.items():
            now = found.get(table, {}).get(name, "missing")
            is_same = (math.isclose(now, value, rel_tol=1e-6, abs_tol=1e-9)
                       if isinstance(now, float) and isinstance(value, float) else now == value)
            if not is_same:
                lines.append(f"{table}, {name}: {now}, expected {value}")
    return lines
