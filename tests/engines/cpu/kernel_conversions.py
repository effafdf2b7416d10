"""kernel_conversions OBJDUMP LIBRARY: no product of low-bit weights converts numbers one by one, in any table of kernels.

Defect: a conversion of vectors that the compiler has no instruction for becomes some 200 scalar ones a group of weights.
"""

import re
import subprocess
import sys

PRODUCT = re.compile(r"^[0-9a-f]+ <.*(multiply_low_bit_as|expand_as|expand_block|multiply_low_bit).*>:$")
SCALAR = re.compile(r"\tv?cvtu?si2s[sd]l?q?\b|\tv?cvtusi2s[sd]")
TABLES = ("portable", "avx2", "avx_vnni", "avx512", "avx512_vnni", "avx512_bf16")


def found_in(lines):
    """@return {symbol of a product: its scalar conversions}"""
    found, symbol = {}, None
    for line in lines:
        if line.endswith(">:"):
            symbol = line if PRODUCT.match(line) else None
            if symbol:
                found.setdefault(symbol, 0)
        elif symbol and SCALAR.search(line):
            found[symbol] += 1
    return found


def main():
    objdump, library = sys.argv[1:]
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
    found = found_in(text.splitlines())
    missing = [table for table in TABLES if not any(f"{table}" in symbol for symbol in found)]
    bad = {symbol: count for symbol, count in found.items() if count > 0}
    for symbol, count in bad.items():
        print(f"{symbol} {count} scalar conversions")
    if missing:
        print(f"no product of {missing}")
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main())
