#!/usr/bin/python3
"""check.py PACK OUT: runs every model of PACK/suite and every script of PACK/numeric and
compares; a line each.

Writes OUT/suite.json and exits with 1 if one differs or fails.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from pathlib import Path

import numpy as np


def run_one(folder):
    """Runs it in its own process: a crash does not end the others."""
    from library import Library
    case = json.loads((folder / "case.json").read_text())
    library = Library(folder / "model.so")

    def plain(name):
        return name.removesuffix(":0")

    def loaded(kind):
        return {plain(t["tensor"]): np.load(folder / t["file"]) for t in case[kind]}
    function, given, expected = library.function, loaded("inputs"), loaded("outputs")
    inputs = []
    for i in range(function.num_inputs):
        names = [plain(n.decode()) for n in (function.inputs[i].tensor, function.inputs[i].name)]
        inputs.append(next(given[n] for n in names if n in given))
    worst = 0.0
    for _ in range(2):  # the second run uses the memory after the first
        outputs = library.run(inputs)
        for i, output in enumerate(outputs):
            names = [plain(n.decode())
                     for n in (function.outputs[i].tensor, function.outputs[i].name)]
            wanted = next((expected[n] for n in names if n in expected), None)
            if wanted is None:
                continue
            if output.size != wanted.size:
                raise RuntimeError(f"{names[0]} has {output.shape}, not {wanted.shape}")
            near = np.isclose(output.reshape(wanted.shape).astype(np.float64),
                              wanted.astype(np.float64), case["rtol"], case["atol"],
                              equal_nan=True)
            if not near.all():
                raise RuntimeError(f"{names[0]}: {(~near).sum()} of {near.size} differ")
            if wanted.dtype.kind == "f" and wanted.size:
                gap = np.abs(output.reshape(wanted.shape).astype(np.float64) - wanted)
                worst = max(worst, float(np.nanmax(gap)) if np.isfinite(gap).any() else 0.0)
    library.close()
    print(json.dumps({"worst": worst}))


def run_in_process(folder):
    result = {"name": json.loads((folder / "case.json").read_text())["name"]}
    env = dict(os.environ)
    if (folder / "kernels.so").exists():  # for the stand-in for the driver
        env["WEIR_CUDA_KERNELS"] = str(folder / "kernels.so")
    try:
        done = subprocess.run([sys.executable, __file__, "--one", folder], timeout=120,
                              capture_output=True, text=True, env=env)
    except subprocess.TimeoutExpired:
        return {**result, "why": "no end after 120 s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        return {**result, "why": lines[-1][:300]}
    return {**result, **json.loads(done.stdout.splitlines()[-1])}


def run_script(folder, flags):
    """A script of test/numeric whose cases must all be right; `flags` are those of the compilation
    of its libraries."""
    result = {"name": f"numeric/{folder.name}"}
    script = Path(__file__).resolve().parents[1] / f"numeric/{folder.name}.py"
    # The packing listed the cases that weir refused.
    cases = sorted(p.parent.name for p in folder.glob("*/graph.so"))
    if not cases:
        return result
    try:
        done = subprocess.run([sys.executable, script, folder, *cases], timeout=200,
                              capture_output=True, text=True,
                              env={**os.environ, "WEIR_STEP": "run",
                                   "WEIR_TEST_OPTIONS": " ".join(flags)})
    except subprocess.TimeoutExpired:
        return {**result, "why": "no end after 200 s"}
    lines = (done.stdout + done.stderr).splitlines() or [f"exit {done.returncode}"]
    return {**result, "why": "; ".join(lines[-40:])[:4000]} if done.returncode else result


def main():
    if sys.argv[1] == "--one":
        return run_one(Path(sys.argv[2]))
    pack, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    folders = sorted(p.parent for p in pack.glob("suite/*/case.json"))
    scripts = sorted(pack.glob("numeric/*"))
    flags = json.loads((pack / "pack.json").read_text())["flags"]
    results = []
    # A process mostly waits for the driver, which compiles its kernels.
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        for result in chain(pool.map(run_in_process, folders),
                            pool.map(run_script, scripts, repeat(flags))):
            results.append(result)
            print(f"{'FAIL' if 'why' in result else 'ok  '} {result['name']} "
                  f"{result.get('why', '')}", flush=True)
    (out / "suite.json").write_text(json.dumps(results, indent=1))
    failed = sum("why" in r for r in results)
    print(f"{len(results) - failed} of {len(results)} models and scripts are right")
    return failed != 0


sys.exit(main())
