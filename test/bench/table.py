#!/usr/bin/python3
"""table.py ROWS.jsonl [ENGINE]: the rows of a benchmark run as a table of docs/performance.md.

Each row is an object with model, threads, engine, median_us and ratio_to_ref (the median over rounds of this
engine's time by the reference's) or, of a cold run, cold_ms and peak_rss_mb. ENGINE (default: weir) is compared
with the others; a speed-up above 1 means that it is faster. GFLOP/s count the operations in the definition of the
model, even if a kernel does fewer.
"""
import json
import math
import sys


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    engine = sys.argv[2] if len(sys.argv) > 2 else "weir"
    rows = [json.loads(line) for line in open(sys.argv[1])]
    cases = {}
    for row in rows:
        cases.setdefault((row["model"], row["threads"]), {})[row["engine"]] = row
    if any("cold_ms" in row for row in rows):
        print("| model | engine | process start to first output, ms | peak memory, MB |\n| --- | --- | ---: | ---: |")
        for (model, _), by in cases.items():
            for name, row in by.items():
                if "cold_ms" in row:
                    print(f"| {model} | {name} | {row['cold_ms']} | {row['peak_rss_mb']} |")
        return
    print(f"| model | threads | {engine}, us | GFLOP/s | reference | reference, us | speed-up |\n"
          "| --- | ---: | ---: | ---: | --- | ---: | ---: |")
    speedups = []
    for (model, threads), by in cases.items():
        own = by.get(engine, {})
        if "ratio_to_ref" not in own:
            print(f"| {model} | {threads} | {own.get('error', 'no result')[:60]} | | | | |")
            continue
        reference = by[own["ref"]]
        speedups.append(1 / own["ratio_to_ref"])
        rate = f"{own['gflops']:.0f}" if own.get("gflops", 0) >= 1 else ""
        print(f"| {model} | {threads} | {own['median_us']:.1f} | {rate} | {own['ref']} | {reference['median_us']:.1f} "
              f"| {speedups[-1]:.2f} |")
    if speedups:
        print(f"\nGeometric mean {geomean(speedups):.2f}, lowest {min(speedups):.2f}.")


main()
