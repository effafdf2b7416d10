"""kernel_resources.py NVCC ROOT OUTPUT.csv: what ptxas says of each kernel of engines/cuda/kernels."""

import csv
import os
import pathlib
import re
import subprocess
import sys

HOPPER_ONLY = {"ladder.cu"}
ARCHITECTURES = {"sm_80": "arch=compute_80,code=sm_80", "sm_90a": "arch=compute_90a,code=sm_90a"}
PATTERN = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers(.*?)\n", re.S)


def report(nvcc, root, source, code):
    command = [nvcc, "-std=c++17", "-O3", "-gencode=" + code, "-Xptxas", "-v", f"-I{root}", "-c", str(source), "-o", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {result.returncode}:\n{result.stderr}")
    return result.stderr


def without_arguments(name):
    """name<parameters>(arguments) without the arguments; parameters may hold parentheses too."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0:
            return name[:at]
    raise SystemExit(f"'{name}' is no kernel's name")


def readable(names):
    """C++ names without the namespaces that all share."""
    plain = subprocess.run(["c++filt", *names], capture_output=True, text=True, check=True).stdout.splitlines()
    return [without_arguments(name).replace("(anonymous namespace)::", "").replace("speclab::engines::cuda::", "").removeprefix("void ") for name in plain]


def rows_of(nvcc, root, source):
    for architecture, code in ARCHITECTURES.items():
        if source.name in HOPPER_ONLY and architecture != "sm_90a":
            continue
        found = PATTERN.findall(report(nvcc, root, source, code))
        if not found:
            raise SystemExit(f"{source}: the compiler's report names no kernel")
        names = readable([match[0] for match in found])
        if len(set(names)) < len(names):
            raise SystemExit(f"{source}: two kernels of one name among {sorted(names)}")
        for name, (_, stack, stores, loads, registers, rest) in sorted(zip(names, found)):
            shared = re.search(r"(\d+) bytes smem", rest)
            yield [source.name, architecture, name, registers, stack, stores, loads, shared.group(1) if shared else 0]


def main():
    nvcc, root, output = sys.argv[1:]
    rows = [row for source in sorted(pathlib.Path(root, "engines", "cuda", "kernels").glob("*.cu")) for row in rows_of(nvcc, root, source)]
    try:
        with open(output + ".part", "w", encoding="ascii", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["source", "architecture", "kernel", "registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "static_shared_bytes"])
            writer.writerows(rows)
        os.replace(output + ".part", output)
    except OSError as error:
        print(f"{output}: {error.strerror}", file=sys.stderr)
        sys.exit(8)


if __name__ == "__main__":
    main()
