"""Writes number_bounds.txt: which short texts are numbers between the bounds of a JSON schema.

Usage: number_bounds.py >number_bounds.txt

Each line has a schema, and "refused" if no number lies between its bounds; else one bit for each text of texts(), four to a hexadecimal digit. The texts are all of up to four of
the characters below, the shorter ones first. A text is allowed if Python's decimal arithmetic finds its value between the bounds and
if it has the one spelling that speclab gives a bounded number: no exponent, no -0, no zero at the beginning; an integer is digits alone.
"""
import itertools
import json
import random
import re
import sys
from decimal import Decimal

CHARACTERS = "0159.-"
KEYS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
VALUES = [-100, -95.5, -10, -9.5, -1, -0.5, 0, 0.05, 0.5, 1, 1.5, 9, 9.95, 10, 51, 95, 100]
SPELLINGS = {"integer": re.compile(r"-?(0|[1-9][0-9]*)"), "number": re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")}


def texts():
    return ["".join(text) for length in range(5) for text in itertools.product(CHARACTERS, repeat=length)]


def is_within(value, bounds):
    return (value >= Decimal(str(bounds.get("minimum", "-Infinity"))) and value <= Decimal(str(bounds.get("maximum", "Infinity")))
            and ("exclusiveMinimum" not in bounds or value > Decimal(str(bounds["exclusiveMinimum"])))
            and ("exclusiveMaximum" not in bounds or value < Decimal(str(bounds["exclusiveMaximum"]))))


def allows(kind, bounds, text):
    if not SPELLINGS[kind].fullmatch(text):
        return False
    value = Decimal(text)
    return not (text.startswith("-") and value == 0) and is_within(value, bounds)


def all_bounds():
    """@return one-sided bounds, two-sided ones of each kind, and both kinds on one side"""
    chance = random.Random(62)
    yield from ({key: value} for key in KEYS for value in VALUES)
    for low, high in itertools.product(KEYS[:2], KEYS[2:]):
        for _ in range(18):
            a, b = sorted(chance.sample(VALUES, 2))
            yield {low: a, high: b}
    for first, second in (KEYS[:2], KEYS[2:]):
        for _ in range(8):
            yield {first: chance.choice(VALUES), second: chance.choice(VALUES)}


def main():
    for kind in SPELLINGS:
        for bounds in all_bounds():
            bits = [allows(kind, bounds, text) for text in texts()]
            if kind == "integer" and not any(is_within(Decimal(value), bounds) for value in range(-2000, 2001)):
                sys.stdout.write(json.dumps({"type": kind, **bounds}) + " refused\n")
                continue
            bits += [False] * (-len(bits) % 4)
            digits = "".join(f"{8 * a + 4 * b + 2 * c + d:x}" for a, b, c, d in zip(*[iter(bits)] * 4))
            sys.stdout.write(json.dumps({"type": kind, **bounds}) + " " + digits + "\n")


main()
