"""gpu_tables.py ROWS_FOLDER PREDICTIONS.csv OUTPUT_FOLDER: tables to commit out of the rows of a run on a device.

passes.csv    every pass with its prediction, written before the run, beside it
host_layers.csv  the same of passes whose layers come from host memory, and the rate of their copy
ladder.csv    rates of the variants of the product: a column a product, a row a variant and number of rows
kernels.csv   what each kernel of a layer takes, alone and as the difference that leaving it out makes
profile.csv   few of the profiler's metrics, a row a kernel
ceilings.csv  as they were measured
Tables whose rows are not there are left out, and said so.
"""

import csv
import os
import re
import sys

PROFILED = {"gpu__time_duration.sum": "duration_ns", "dram__bytes_read.sum": "bytes_read", "sm__warps_active.avg.pct_of_peak_sustained_active": "active_warps_percent",
            "launch__registers_per_thread": "registers", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": "stalled_on_memory_per_issue",
            "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": "stalled_on_barrier_per_issue"}


BENCH_COLUMNS = ["revision", "device", "what", "shape", "rows", "unit", "value", "low", "high", "n", "ideal"]
PROFILE_COLUMNS = ["launch", "kernel", "metric", "unit", "value"]


def fail(message, code=3):
    print(message, file=sys.stderr)
    sys.exit(code)


def rows_of(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames not in (BENCH_COLUMNS, PROFILE_COLUMNS):
                fail(f"{path}:1: the columns are {','.join(reader.fieldnames or [])}; allowed: {','.join(BENCH_COLUMNS)}")
            return list(reader)
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: {error}", 2)


def write(folder, name, columns, rows):
    path = os.path.join(folder, name)
    with open(path + ".part", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    os.replace(path + ".part", path)


def passes(rows, predictions):
    """Predictions name a pass as gpu_bench does, behind the word predicted."""
    predicted = {(p["device"], p["what"].removeprefix("predicted "), p["shape"], p["rows"]): p for p in predictions if p["what"].startswith("predicted pass")}
    for row in rows:
        p = predicted.get((row["device"], row["what"], row["shape"], row["rows"]), {"value": "", "low": "", "high": ""})
        yield [row["revision"], row["device"], row["what"], row["shape"], row["rows"], row["value"], row["low"], row["high"], row["n"], row["ideal"], p["value"], p["low"], p["high"]]


def ladder(rows):
    rates, products = {}, []
    for row in rows:
        if not row["what"].startswith("ladder "):
            continue
        variant = (row["device"], row["rows"], row["what"].removeprefix("ladder "))
        rates.setdefault(variant, {})[row["shape"]] = row["value"]
        if row["shape"] not in products:
            products.append(row["shape"])
    yield ["device", "rows", "variant", *(product.removeprefix("shape-") for product in products)]
    for variant, found in sorted(rates.items(), key=lambda item: (int(item[0][1]), item[0][2])):
        yield [*variant, *(found.get(product, "") for product in products)]


def kernels(rows):
    """Microseconds of a pass that belong to one kernel in all layers."""
    whole = {}
    for line, row in enumerate(rows, 2):
        found = re.fullmatch(r"kernels at context (\d+): (.*)", row["what"])
        if not found:
            fail(f"gpu_bench_kernels.csv:{line}: '{row['what']}'; allowed: kernels at context N: ...")
        context, what = found.groups()
        key = (row["device"], row["shape"], context, row["rows"])
        value = float(row["value"])
        if what == "all":
            whole[key] = value
        elif what.startswith("without "):
            kernel, left_out_ms = what.removeprefix("without "), value
        else:
            yield [*key, kernel, f"{1e3 * value:.4g}", f"{1e3 * (whole[key] - left_out_ms):.4g}", f"{1e3 * whole[key]:.5g}"]


def profile(rows):
    launches = {}
    for row in rows:
        launches.setdefault((int(row["launch"]), row["kernel"]), {})[row["metric"]] = row["value"]
    for (launch, kernel), metrics in sorted(launches.items()):
        yield [launch, kernel, *(metrics.get(metric, "") for metric in PROFILED)]


def main():
    if len(sys.argv) != 4:
        fail("usage: gpu_tables.py ROWS_FOLDER PREDICTIONS.csv OUTPUT_FOLDER", 2)
    source, predictions, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)

    def found(name):
        path = os.path.join(source, name)
        if os.path.exists(path):
            return rows_of(path)
        print(f"no {name}, so no table of it")
        return []

    if rows := found("gpu_bench_passes.csv"):
        columns = ["revision", "device", "what", "shape", "rows", "ms", "low", "high", "n", "ideal_ms", "predicted_ms", "predicted_low", "predicted_high"]
        write(output, "passes.csv", columns, passes(rows, rows_of(predictions)))
    if rows := found("gpu_bench_host_layers.csv"):
        columns = ["revision", "device", "what", "shape", "rows", "value", "low", "high", "n", "ideal", "predicted", "predicted_low", "predicted_high", "unit"]
        write(output, "host_layers.csv", columns, ([*row, measured["unit"]] for measured, row in zip(rows, passes(rows, rows_of(predictions)))))
    if rows := found("gpu_bench_ladder.csv"):
        columns, *table = ladder(rows)
        write(output, "ladder.csv", columns, table)
    if rows := found("gpu_bench_kernels.csv"):
        write(output, "kernels.csv", ["device", "shape", "context", "rows", "kernel", "alone_us", "left_out_us", "pass_us"], kernels(rows))
    if rows := found("ncu_metrics.csv"):
        write(output, "profile.csv", ["launch", "kernel", *PROFILED.values()], profile(rows))
    if rows := found("gpu_bench_ceilings.csv"):
        write(output, "ceilings.csv", list(rows[0]), [list(row.values()) for row in rows])


main()
