#!/usr/bin/python3
"""Compiles the graphs of the corpus for several ranks, without running them.

  meshes.py [--corpus DIR] [--bin DIR] [--sample N] [--jobs N] [--ranks N,...] [--save FILE.jsonl]
            [MODEL...]

Each MODEL, and each graph of the corpus (DIR or WEIR_CORPUS; see conformance.py), is compiled with
--mesh=data=N for each number of ranks until the plan, whose last pass, weir-check-transfers, executes
the transfers of all ranks. A graph is taken if it compiles for one rank and for N. It is refused if
the diagnostic is one of a mesh: a batch that N does not divide, or dynamic dimensions. The script
prints how many graphs are taken, refused, and have ops that each rank computes whole. It fails if a
compiler crashes, if the diagnostic is another one, or if no graph is taken.
"""

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import conformance
import samebits

LIMIT = 300
# The reasons for which a graph may be refused.
REFUSED = {
    "uneven": re.compile(r"which \d+ ranks \(.*\) cannot divide into equal parts"),
    "dynamic": re.compile(r"has dynamic dimensions, which --mesh does not divide"),
}


def arguments():
    parser = conformance.options(__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--ranks", default="2,3,4,8")
    parser.add_argument("--save")
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    if not args.corpus and not args.models:
        parser.error("no models: give some, --corpus or WEIR_CORPUS")
    return args


def compiled(bin_dir, model, flags, *more):
    """The exit status, and its diagnostic."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([f"{bin_dir}/weir", "compile", model, "-o", f"{folder}/plan.mlir", "--stop-after=plan",
                                   *flags, *more], capture_output=True, text=True, timeout=LIMIT)  # fmt: skip
        except subprocess.TimeoutExpired:
            return "hang", ""
    return done.returncode, done.stderr


def outcome(bin_dir, model, flags, ranks):
    """`taken`, `whole` (taken, with ops that each rank computes whole), a reason of REFUSED, or `bad`
    with its diagnostic."""
    status, said = compiled(bin_dir, model, flags, f"--mesh=data={ranks}")
    if status == 0:
        return ("whole" if "computed whole by each rank" in said else "taken"), ""
    for name, pattern in REFUSED.items():
        if status == 2 and pattern.search(said):
            return name, ""
    return "bad", f"status {status}: {said.strip()[-300:]}"


def main():
    args = arguments()
    counts = [int(n) for n in args.ranks.split(",")]
    jobs = [(model, model, []) for model in args.models]
    totals = {n: collections.Counter() for n in counts}
    lines = []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if args.corpus:
            jobs += [job[:3] for job in samebits.corpus_jobs(args, folder)]

        def outcomes(job):
            if compiled(args.bin, *job[1:])[0]:
                return None
            return {n: outcome(args.bin, *job[1:], n) for n in counts}

        for (name, *_), found in zip(jobs, pool.map(outcomes, jobs)):
            for ranks, (kind, said) in (found or {}).items():
                totals[ranks][kind] += 1
                lines.append({"case": name, "ranks": ranks, "outcome": kind})
                if kind == "bad":
                    print(f"{name}, {ranks} ranks: {said}", flush=True)
    if args.save:
        Path(args.save).write_text("".join(json.dumps(line) + "\n" for line in lines))
    for ranks, total in totals.items():
        print(f"{ranks} ranks: {total['taken'] + total['whole']} taken, {total['whole']} of them with ops that "
              f"each rank computes whole, {total['uneven']} with an uneven batch, "
              f"{total['dynamic']} with dynamic dimensions, {total['bad']} bad")  # fmt: skip
    taken = sum(total["taken"] + total["whole"] for total in totals.values())
    sys.exit(bool(sum(total["bad"] for total in totals.values())) or not taken)


if __name__ == "__main__":
    main()
