#!/usr/bin/python3
"""Compares libraries with the f64 reference, `weir reference`.

  reference.py [--corpus DIR] [--bin DIR] [--sample N] [--jobs N] [--least PERCENT]
               [--limit SECONDS] [MODEL...]

Each MODEL runs on random inputs; each graph of the corpus (DIR or WEIR_CORPUS; see
conformance.py) on its own. A graph that does not compile is left out: conformance.py
judges that. An element of f32 or f64 may differ by 1e-3 of itself and 1e-4 of the largest
one, and of f16 and bf16 by 2e-2 of both. Bytes may be quantized values and differ by one
step; other integers are equal. A graph of which a command takes longer than SECONDS
(default: 600) counts as one that differs. Fails where fewer than PERCENT (default: 100) of the
graphs agree, or where nothing ran.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import conformance
from samebits import call, corpus_jobs

LEFT_OUT, AGREES = "left out", "agrees"


def arguments():
    parser = conformance.options(__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=float, default=100)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    if not args.corpus and not args.models:
        parser.error("no models: give some, --corpus or WEIR_CORPUS")
    return args


def difference(name, got, want, type):
    """None, or how the output of a library differs from the reference."""
    if got.shape != want.shape:
        return f"{name}: shape {got.shape}, not {want.shape}"
    if not type.endswith(("f16", "f32", "f64")):
        apart = got != want
        if type.endswith("i8"):
            apart = np.abs(got.astype(np.int64) - want.astype(np.int64)) > 1
        count = int(np.sum(apart))
        return f"{name}: {count} of {want.size} integers differ" if count else None
    rtol, atol = (2e-2, 2e-2) if type.endswith("f16") else (1e-3, 1e-4)
    a, b = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        finite = np.abs(b[np.isfinite(b)])
        allowed = rtol * np.abs(b) + atol * max(finite.max(initial=0.0), 1e-3)
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= allowed)
    if same.all():
        return None
    at = tuple(np.argwhere(~same)[0])
    return f"{name}: {int(np.sum(~same))} of {want.size} elements differ, as {a[at]!r} for {b[at]!r}"


def compared(limit, *job):
    """LEFT_OUT, AGREES or what differs, as text."""
    try:
        return compared_in_time(limit, *job)
    except subprocess.TimeoutExpired as late:
        return f"{' '.join(late.cmd[:2])} takes longer than {limit:g} s"


def compared_in_time(limit, bin_dir, model, compile_flags, run_flags):
    with tempfile.TemporaryDirectory() as folder:
        library, one, two = f"{folder}/model.so", Path(folder, "one"), Path(folder, "two")
        one.mkdir()
        two.mkdir()
        made = call(f"{bin_dir}/weir", "compile", model, "-o", library, *compile_flags,
                    limit=limit)
        if made.returncode:
            return LEFT_OUT
        ran = call(f"{bin_dir}/weir-run", library, f"--output-dir={one}", *run_flags,
                   limit=limit)
        if ran.returncode:
            return LEFT_OUT
        known = call(f"{bin_dir}/weir", "reference", model, "--json", f"--output-dir={two}",
                     *compile_flags, *run_flags, limit=limit)
        if known.returncode:
            return f"status {known.returncode}: {known.stderr.strip()[-200:]}"
        for output in json.loads(known.stdout)["outputs"]:
            file = output["name"].replace("/", "_").replace(":", "_") + ".npy"
            wrong = difference(output["name"], np.load(one / file), np.load(two / file),
                               output["type"])
            if wrong:
                return wrong
    return AGREES


def main():
    args = arguments()
    jobs = [(model, model, [], ["--random=1"]) for model in args.models]
    agree, left, bad = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if args.corpus:
            jobs += corpus_jobs(args, folder)
        results = pool.map(lambda job: compared(args.limit, args.bin, *job[1:]), jobs)
        for (name, *_), result in zip(jobs, results):
            agree += result == AGREES
            left += result == LEFT_OUT
            if result not in (AGREES, LEFT_OUT):
                bad += 1
                print(f"{name}: {result}")
    print(f"{agree} agree with the reference, {left} left out, {bad} differ")
    sys.exit(not agree or 100 * agree < args.least * (agree + bad))


if __name__ == "__main__":
    main()
