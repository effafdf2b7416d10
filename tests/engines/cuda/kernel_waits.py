#!/usr/bin/env python3
"""Checks that every kernel waits for the kernel in front of it, on all paths and in its own body.

A kernel that ends without `wait_for_previous_kernel()` lets the kernel behind it begin before the one in front has ended. So the wait stands at
the outermost level of the body, and no `return` before it. Helper functions that wait do not count.

Usage: kernel_waits.py FOLDER, whose .cu and .cuh files are read. Exit status 1 if a kernel does not wait.
"""
import pathlib
import re
import sys

WAIT = re.compile(r"\bwait_for_previous_kernel\s*\(\s*\)\s*;")
EARLY_END = re.compile(r"\b(return|goto|throw|__trap|__exit)\b")

PLANTED = {
    "good": ("__global__ void __launch_bounds__(32) good(int* a) { let_next(); wait_for_previous_kernel(); if (a == nullptr) return; { *a = 1; } }", None),
    "template": ("template <int N> __global__ void template_kernel() { if (N > 1) { start(); } wait_for_previous_kernel(); }", None),
    "declared": ("__global__ void declared_only(int* a); void f() { g(); }", None),
    "without": ("__global__ void without(int* a) { *a = 1; /* wait_for_previous_kernel(); */ }", "does not wait"),
    "early_return": ("__global__ void early_return(int* a) { if (a == nullptr) return; wait_for_previous_kernel(); }", "'return' before its wait"),
    "in_a_branch": ("__global__ void in_a_branch(int* a) { if (a != nullptr) { wait_for_previous_kernel(); } }", "does not wait"),
    "behind_a_condition": ("__global__ void behind_a_condition(int* a) { if (a != nullptr) wait_for_previous_kernel(); }", "does not wait"),
    "behind_an_else": ("__global__ void behind_an_else(int* a) { if (a) f(); else wait_for_previous_kernel(); }", "does not wait"),
    "by_a_helper": ("__device__ void helper() { wait_for_previous_kernel(); } __global__ void by_a_helper() { helper(); }", "does not wait"),
}


def without_comments_and_strings(text):
    """The same text with blanks instead, so that offsets keep their lines."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def end_of(text, begin, opening, closing):
    """Behind the bracket that closes the one at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i + 1
    raise SystemExit(f"no '{closing}' for the '{opening}' at offset {begin}")


def kernels(text):
    """Offset, name and body of every kernel that is defined."""
    for match in re.finditer(r"\b__global__\b", text):
        at, name = match.end(), "?"
        while text[at] not in "{;":
            if text[at] != "(":
                at += 1
                continue
            word = re.search(r"(\w+)\s*$", text[:at]).group(1)
            name = name if word == "__launch_bounds__" else word
            at = end_of(text, at, "(", ")")
        if text[at] == "{":
            yield match.start(), name, text[at + 1:end_of(text, at, "{", "}") - 1]


def is_a_statement_of_its_own(before):
    """Whether what follows `before` in a body stands at the outermost level, behind no condition."""
    return before.count("{") == before.count("}") and before.rstrip()[-1:] in ("", ";", "}")


def lack_of(body):
    """What is wrong with a kernel of this body, or None."""
    wait = next((found for found in WAIT.finditer(body) if is_a_statement_of_its_own(body[:found.start()])), None)
    if wait is None:
        return "does not wait for the kernel in front on every path; put 'wait_for_previous_kernel();' at the outermost level of its body"
    early = EARLY_END.search(body[:wait.start()])
    return f"has '{early.group()}' before its wait; wait first" if early else None


def check_itself():
    for name, (source, expected) in PLANTED.items():
        found = [lack_of(body) for _, _, body in kernels(without_comments_and_strings(source))]
        is_right = all(lack is None for lack in found) if expected is None else len(found) == 1 and expected in str(found[0])
        if not is_right:
            raise SystemExit(f"kernel_waits.py finds {found} in the planted '{name}'; expected: {expected}")


def main(folder):
    check_itself()
    count, lacks = 0, []
    for path in sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".cu", ".cuh")):
        text = without_comments_and_strings(path.read_text())
        for offset, name, body in kernels(text):
            count += 1
            if lack := lack_of(body):
                lacks.append(f"{path}:{text.count(chr(10), 0, offset) + 1}: kernel '{name}' {lack}")
    print("\n".join(lacks) or f"{count} kernels wait")
    if count == 0:
        raise SystemExit(f"no kernel in {folder}")
    return 1 if lacks else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1]))
