#!/usr/bin/python3
"""report.py OUT PAGE: writes the results of run.sh as a page. If PAGE ends in .json, they replace
the rows of that file (docs/results/gpu-h100.json), which docs/results/page.py uses for
docs/performance-gpu.md."""

import datetime
import json
import math
import subprocess
import sys
from pathlib import Path

# A result is wrong if the norm of the difference from f64 over that of the result
# exceeds this.
MOST_ERROR, MOST_ERROR_OF_HALVES = 1e-4, 2e-3
PEERS = {"eager": "PyTorch", "compiled": "torch.compile", "jax": "JAX"}


def number(value, form):
    return float(format(value, form))


def record(file, rows, versions):
    """Puts the rows into a file of results, and writes the pages of results."""
    table = json.loads(file.read_text())
    commit = subprocess.run(["git", "-C", file.parent, "rev-parse", "--short=8", "HEAD"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    table |= {"commit": commit or "unknown", "date": datetime.date.today().isoformat(),
              "measured": "; ".join(dict.fromkeys(v for v in versions.values() if v))}
    fields = {"weir": "weir", "eager": "pytorch", "compiled": "torch_compile", "jax": "jax"}
    lines = []
    for case, by in rows.items():
        line = {"case": case} | {field: number(by[engine]["us"], ".1f") for engine, field in fields.items()
                                 if "us" in by.get(engine, {})}
        own = by.get("weir", {})
        peers = [by[p]["us"] for p in PEERS if "us" in by.get(p, {})]
        if peers and "us" in own:
            line["ratio"] = number(min(peers) / own["us"], ".2f")
        if "latency_us" in own:
            line["latency"] = number(own["latency_us"], ".1f")
        if "error" in own:
            line["error"] = number(own["error"], ".0e")
        work = own.get("traffic") or own.get("flops", 0)
        if work and "us" in own:
            line["rate"] = number(work / own["us"] / 1e6, ".2f")
        lines.append("    " + json.dumps(line))
    del table["rows"]
    head = json.dumps(table, indent=2)[:-2]
    file.write_text(head + ',\n  "rows": [\n' + ",\n".join(lines) + "\n  ]\n}\n")
    subprocess.run([sys.executable, file.parent / "page.py"], check=True)


def cell(row):
    return f"{row['us']:.1f}" if row and "us" in row else ""


def main():
    out, page = Path(sys.argv[1]), Path(sys.argv[2])
    rows, why, versions = {}, [], {}
    for engine in ("weir", *PEERS):
        file = out / f"{engine}.jsonl"
        for line in file.read_text().splitlines() if file.exists() else []:
            row = json.loads(line)
            versions[engine] = row.get("version", versions.get(engine))
            if "why" in row:
                why.append(f"{engine}, {row.get('case', 'all')}: {row['why']}")
            most = MOST_ERROR_OF_HALVES if row.get("half") else MOST_ERROR
            if "error" in row and not row["error"] <= most:
                why.append(f"{engine}, {row['case']}: the result is wrong, by {row['error']:.0e}")
            elif "case" in row:
                rows.setdefault(row["case"], {})[engine] = row
    text = ["Measured by `test/gpu/run.sh`: "
            + "; ".join(dict.fromkeys(v for v in versions.values() if v)) + ".", "",
            "Microseconds of a call when calls follow each other, inputs and outputs on the "
            "GPU, in f32 without TF32 products. The peers are replayed as CUDA graphs; JAX is "
            "called. Speed-up is the fastest peer's time by weir's, the error the norm of the "
            "difference from f64 over the norm of the result.", "",
            "| case | weir | PyTorch | torch.compile | JAX | speed-up | one call that is waited "
            "for | error | TB/s or TFLOP/s |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    ups = []
    for case, by in rows.items():
        own = by.get("weir", {})
        peers = [by[p]["us"] for p in PEERS if "us" in by.get(p, {})]
        up = min(peers) / own["us"] if peers and "us" in own else None
        if up:
            ups.append(up)
        work = own.get("traffic") or own.get("flops", 0)
        text.append("| " + " | ".join([
            case, cell(own), *(cell(by.get(p)) for p in PEERS),
            f"{up:.2f}" if up else "",
            f"{own['latency_us']:.1f}" if "latency_us" in own else "",
            f"{own['error']:.0e}" if "error" in own else "",
            f"{work / own['us'] / 1e6:.2f}" if work and "us" in own else ""]) + " |")
    if ups:
        mean = math.exp(sum(map(math.log, ups)) / len(ups))
        text += ["", f"Geometric mean of the speed-ups {mean:.2f}, lowest {min(ups):.2f}."]
    suite = out / "suite.json"
    if suite.exists():
        results = json.loads(suite.read_text())
        wrong = [r for r in results if "why" in r]
        text += ["", f"{len(results) - len(wrong)} of {len(results)} models of the suite "
                 "give what they should."]
        text += [f"- {r['name']}: {r['why']}" for r in wrong]
    if why:
        text += ["", "Not measured:", ""] + [f"- {w}" for w in why]
    if page.suffix == ".json":
        record(page, rows, versions)
    else:
        page.write_text("\n".join(["# Speed on a GPU", "", *text, ""]))
    print("\n".join(text))


main()
