#!/usr/bin/python3
"""report.py OUT PAGE: the results that run.sh measured, as a page, or in the place of those
between two marks of a page that there is (docs/performance-gpu.md)."""

import json
import math
import sys
from pathlib import Path

# The norm of the difference from f64 over that of the result, above which a result is wrong.
MOST_ERROR, MOST_ERROR_OF_HALVES = 1e-4, 2e-3
PEERS = {"eager": "PyTorch", "compiled": "torch.compile", "jax": "JAX"}


BEGIN, END = "<!-- Results, by test/gpu/report.py -->", "<!-- End of results -->"


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
    results = "\n".join([BEGIN, *text, END])
    old = page.read_text() if page.exists() else ""
    if BEGIN in old and END in old:
        before, after = old.split(BEGIN)[0], old.split(END)[1]
        page.write_text(before + results + after)
    else:
        page.write_text(f"# Speed on a GPU\n\n{results}\n")
    print("\n".join(text))


main()
