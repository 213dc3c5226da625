#!/usr/bin/python3
"""record.py TABLE.json ROWS.jsonl...: puts the rows of a benchmark run into a table of results.

Each line of ROWS has model, threads, engine, median_us, ref and ratio_to_ref (the median over
rounds of this engine's time by the reference's) or, of a cold run, cold_ms and peak_rss_mb. The
engine `off` is weir without AMX. TABLE keeps its title, machine, command and columns,
and gets the rows, the date and the commit. Then page.py writes the pages of results.
"""

import datetime
import json
import subprocess
import sys
from pathlib import Path

NAMES = {"ort": "ONNX Runtime", "dnnl": "oneDNN", "dnnl-chain": "oneDNN", "torch": "PyTorch",
         "openblas": "OpenBLAS", "xnnpack": "XNNPACK", "off": None}


def rounded(value):
    return round(value, 2 if value < 100 else 1)


def warm(by):
    # Times by the reference's, whichever engine that was; of the reference itself 1.
    to_ref = {name: one.get("ratio_to_ref", 1) for name, one in by.items() if "median_us" in one}
    if not {"weir", "ort"} <= set(to_ref):
        return None
    row = {"weir": round(by["weir"]["median_us"], 1), "ort": round(by["ort"]["median_us"], 1),
           "ratio": rounded(to_ref["ort"] / to_ref["weir"])}
    if "off" in to_ref:
        row["without_amx"] = rounded(to_ref["ort"] / to_ref["off"])
    best = min((name for name in to_ref if NAMES.get(name)), key=to_ref.get)
    return row | {"best": NAMES[best], "best_ratio": rounded(to_ref[best] / to_ref["weir"])}


def cold(by):
    if not {"weir", "ort"} <= set(by):
        return None
    own, peer = by["weir"], by["ort"]
    return {"weir": round(own["cold_ms"], 2), "ort": round(peer["cold_ms"], 1),
            "ratio": round(peer["cold_ms"] / own["cold_ms"], 1),
            "peak_mb": own["peak_rss_mb"], "ort_peak_mb": peer["peak_rss_mb"]}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    file = Path(sys.argv[1]).resolve()
    cases = {}
    for path in sys.argv[2:]:
        for line in Path(path).read_text().splitlines():
            row = json.loads(line)
            cases.setdefault((row["model"], row["threads"]), {})[row["engine"]] = row
    lines = []
    for (model, threads), by in cases.items():
        row = (cold if any("cold_ms" in one for one in by.values()) else warm)(by)
        if row is None:
            print(f"{model}, {threads} threads: not measured", file=sys.stderr)
        else:
            lines.append("    " + json.dumps({"case": model, "threads": threads} | row))
    if not lines:
        sys.exit("no row has a time of weir and of a peer")
    table = json.loads(file.read_text())
    commit = subprocess.run(["git", "-C", Path(__file__).parent, "rev-parse", "--short=8", "HEAD"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    table["commit"] = commit or "unknown"
    table["date"] = datetime.date.today().isoformat()
    del table["rows"]
    head = json.dumps(table, indent=2, ensure_ascii=False)[:-2]
    file.write_text(head + ',\n  "rows": [\n' + ",\n".join(lines) + "\n  ]\n}\n")
    subprocess.run([sys.executable, file.parent / "page.py"], check=True)


if __name__ == "__main__":
    main()
