"""gpu_profile.py RAW.csv OUTPUT.csv: a row for each kernel and metric of interest out of what `ncu --csv --page raw` wrote.

At most 40 metrics a kernel, in the order of PATTERNS: names differ between versions of ncu, so each pattern takes what it finds.
"""

import csv
import os
import re
import sys

MOST_METRICS = 40
PATTERNS = [
    r"gpu__time_duration\.sum", r"dram__throughput\.avg\.pct_of_peak_sustained_elapsed", r"dram__bytes_read\.sum(\.per_second)?", r"dram__bytes_write\.sum",
    r"sm__warps_active\.avg\.pct_of_peak_sustained_active", r"sm__maximum_warps_per_active_cycle_pct", r"l1tex__t_sector_hit_rate\.pct", r"lts__t_sector_hit_rate\.pct",
    r"lts__t_bytes\.sum", r"l1tex__t_bytes\.sum", r"launch__registers_per_thread", r"launch__shared_mem_per_block_(static|dynamic)", r"launch__(grid|block)_size",
    r"launch__waves_per_multiprocessor", r"sm__throughput\.avg\.pct_of_peak_sustained_elapsed", r"smsp__issue_active\.avg\.pct_of_peak_sustained_active", r"smsp__inst_executed\.sum",
    r"smsp__average_warps_issue_stalled_\w+_per_issue_active\.ratio", r"smsp__average_warps_issue_stalled_\w+\.ratio", r"sm__cycles_active\.avg", r"launch__occupancy_limit_\w+",
]


def table_of(path):
    """Column names, units and rows; lines of ncu before the table are passed over."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.readlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        sys.exit(f"{path}: no table of ncu; its last lines:\n{''.join(lines[-5:])}")
    rows = [row for row in csv.reader(lines[begin:]) if row]
    if len(rows) < 3:
        sys.exit(f"{path}: ncu captured no kernel")
    return rows[0], rows[1], [row for row in rows[2:] if len(row) == len(rows[0])]


def chosen(columns):
    found = []
    for pattern in PATTERNS:
        found += [i for i, name in enumerate(columns) if re.fullmatch(pattern, name) and i not in found]
    return found[:MOST_METRICS]


def main():
    raw, output = sys.argv[1:]
    columns, units, rows = table_of(raw)
    identity = [columns.index(name) for name in ("ID", "Kernel Name")]
    metrics = chosen(columns)
    if not metrics:
        sys.exit(f"{raw}: none of the metrics that are looked for; it has {len(columns)} columns")
    with open(output + ".part", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["launch", "kernel", "metric", "unit", "value"])
        for row in rows:
            writer.writerows([row[identity[0]], row[identity[1]], columns[i], units[i], row[i].replace(",", "")] for i in metrics)
    os.replace(output + ".part", output)
    print(f"{len(rows)} kernels, {len(metrics)} metrics each")


main()
