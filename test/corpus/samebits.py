#!/usr/bin/python3
"""Checks that a model's results have the same bits for 1, 2, 3 and 4 threads.

  samebits.py [--corpus DIR] [--bin DIR] [--sample N] [--jobs N] [MODEL...]

Each MODEL runs on random inputs, and each graph of the corpus (DIR or WEIR_CORPUS; see
conformance.py) on its own. A graph that does not compile is left out: conformance.py tests it. The
script fails if a result differs, or if nothing runs.
"""

import concurrent.futures
import filecmp
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import conformance

THREADS = (1, 2, 3, 4)
LIMIT = 120


def arguments():
    parser = conformance.options(__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    if not args.corpus and not args.models:
        parser.error("no models: give some, --corpus or WEIR_CORPUS")
    return args


def call(*command, limit=LIMIT):
    return subprocess.run(command, capture_output=True, text=True, timeout=limit)


def differing(bin_dir, model, compile_flags, run_flags):
    """None if the model does not compile, else the difference, as text."""
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/model.so"
        made = call(f"{bin_dir}/weir", "compile", model, "-o", library,
                    f"--threads={max(THREADS)}", *compile_flags)
        if made.returncode:
            return None
        outputs = []
        for threads in THREADS:
            out = Path(folder) / str(threads)
            out.mkdir()
            ran = call(f"{bin_dir}/weir-run", library, f"--threads={threads}",
                       f"--output-dir={out}", *run_flags)
            if ran.returncode and threads == THREADS[0]:
                return None
            if ran.returncode:
                return f"{threads} threads: {ran.stderr.strip()[:200]}"
            outputs.append(out)
        names = sorted(p.name for p in outputs[0].iterdir())
        for threads, out in zip(THREADS[1:], outputs[1:]):
            _, unequal, missing = filecmp.cmpfiles(outputs[0], out, names, shallow=False)
            if unequal or missing:
                return f"{threads} threads: {', '.join(unequal + missing)}"
    return ""


def flags_of(runner, meta, feeds, fetches):
    """The compiler's options for inputs and outputs."""
    dims = ["x".join(map(str, f["shape"])) for f in feeds]
    shapes = [f"--shape={f['tensor']}={d}" for f, d in zip(feeds, dims)]
    if meta["kind"] == "onnx":
        return shapes
    if meta["kind"] == "tf_savedmodel":
        return [f"--signature={meta.get('signature', 'serving_default')}", *shapes]
    return [*(f"--feed={f['tensor']}:{d}{'x' if d else ''}{runner.TYPES[f['dtype']]}"
              for f, d in zip(feeds, dims)),
            *(f"--fetch={o['tensor']}" for o in fetches if o.get("tensor"))]


def corpus_jobs(args, folder, kinds=("tf_graphdef", "tf_savedmodel", "onnx")):
    """(name, model, flags to compile, flags to run) of the corpus' graphs."""
    runner = conformance.runner_of(args.corpus)
    conformance.completed(conformance.unpacked(args.corpus), folder)
    index = [e for e in json.loads((Path(args.corpus) / "index.json").read_text())
             if e["kind"] in kinds
             and (Path(folder) / e["group"] / e["id"]).exists()]
    if args.sample:
        index = index[::max(1, len(index) // args.sample)]
    for entry in index:
        case = Path(folder) / entry["group"] / entry["id"]
        meta = json.loads((case / "meta.json").read_text())
        for variant, model, feeds, fetches in runner.steps(str(case), meta):
            if not all("file" in f and f.get("dtype") in runner.TYPES for f in feeds):
                continue
            yield (f"{entry['id']} {variant}", model, flags_of(runner, meta, feeds, fetches),
                   [f"--input={f['tensor']}=@{case / f['file']}" for f in feeds])


def main():
    args = arguments()
    jobs = [(model, model, [], ["--random=1"]) for model in args.models]
    same, left, bad = 0, 0, []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if args.corpus:
            jobs += corpus_jobs(args, folder)
        results = pool.map(lambda job: differing(args.bin, *job[1:]), jobs)
        for (name, *_), result in zip(jobs, results):
            same += result == ""
            left += result is None
            if result:
                bad.append(name)
                print(f"{name}: {result}")
    print(f"{same} with the same bits, {left} left out, {len(bad)} differ")
    sys.exit(bool(bad) or not same)


if __name__ == "__main__":
    main()
