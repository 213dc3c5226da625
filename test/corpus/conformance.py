#!/usr/bin/python3
"""Runs a corpus of TensorFlow and ONNX graphs through weir and writes
docs/conformance.md.

  conformance.py [--corpus DIR] [--bin DIR] [--kind tf|onnx] [--save FILE.jsonl]
                 [--results FILE.jsonl] [--out FILE] [--sample N] [--least PERCENT]

The corpus is outside of the repository: DIR (or WEIR_CORPUS) has its runner, run.py, which writes
a line of JSON for each case: id, group, outcome, reason. --save keeps these lines, and --results
reads such a file instead of a run. The script fails if fewer than PERCENT of the possible cases
pass. Each FLAG is an option for the compiler: `-- --gpu=sim` computes the cases by the kernels of
a GPU.

A case may have a variant whose constants are arguments. If it names only the new inputs, the
model's own are added to them: a placeholder without a value is an error.
"""

import argparse
import collections
import fcntl
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRAMEWORKS = {"tf": "TensorFlow graphs", "onnx": "ONNX models"}
# The runner's outcome for cases without files for their inputs or results.
NOT_RUN = ["input dtype", "sequence, optional or string tensor"]
# The length at which the runner truncates a reason.
CUT = 200
# The contents of the groups of cases.
GROUPS = {
    "onnx_glow": "models of the tests of the Glow compiler",
    "onnx_light": "the graphs of trained image classifiers, with synthetic weights",
    "onnx_models": "trained models",
    "onnx_node": "ONNX's conformance tests of single ops, as of its version 1.22",
    "onnx_node_old": "the same, as of version 1.12",
    "onnx_pytorch_converted": "layers that PyTorch exported",
    "onnx_pytorch_operator": "ops that PyTorch exported",
    "onnx_simple": "ONNX's tests of small graphs",
    "tf_dl4j": "single ops and small nets with the results that TensorFlow computed",
    "tf_import": "graphs for the importer alone: valid ones, and ones to refuse",
    "tf_models": "trained models",
    "tf_train": "training, compared step by step",
}
MEANING = {
    "wrong": "compiles, but a result differs",
    "unsupported": "refused with the nodes that weir does not support",
    "refused": "refused as faulty",
    "norun": "compiles, but the run reports an error",
    "crash": "internal error",
    "hang": "over the time limit",
}


def options(description):
    """A parser of the options that all scripts of the corpus have."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=os.environ.get("WEIR_CORPUS"))
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--sample", type=int, default=0, help="about so many cases only")
    return parser


def arguments():
    parser = options(__doc__)
    parser.add_argument("--kind", choices=FRAMEWORKS)
    parser.add_argument("--save")
    parser.add_argument("--results")
    parser.add_argument("--out", default=str(ROOT / "docs/conformance.md"))
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("flags", nargs="*", metavar="FLAG")
    args = parser.parse_args()
    if not args.corpus and not args.results:
        parser.error("no corpus: give --corpus, --results or WEIR_CORPUS")
    return args


def completed(root, folder):
    """A copy of the corpus by links, with variants that feed every input."""
    # A stopped run may have left a folder tmp... with unpacked files.
    groups = [p for p in Path(root).iterdir() if p.is_dir() and not p.name.startswith("tmp")]
    for group in sorted(groups):
        there = Path(folder) / group.name
        there.mkdir()
        for case in group.iterdir():
            meta = json.loads((case / "meta.json").read_text())
            variant = meta.get("arg_variant", {})
            named = {feed["tensor"] for feed in variant.get("inputs") or []}
            missing = [f for f in meta.get("inputs", []) if f["tensor"] not in named]
            if not named or not missing:
                (there / case.name).symlink_to(case)
                continue
            variant["inputs"] += missing
            (there / case.name).mkdir()
            for part in case.iterdir():
                if part.name != "meta.json":
                    (there / case.name / part.name).symlink_to(part)
            (there / case.name / "meta.json").write_text(json.dumps(meta))


def runner_of(corpus):
    """The corpus' runner as a module."""
    spec = importlib.util.spec_from_file_location("run", Path(corpus) / "run.py")
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    return runner


def unpacked(corpus):
    """The folder to which the runner unpacks the corpus. Parallel tests do so one after another:
    of two at once, one would fail to rename its folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "weir-corpus.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return runner_of(corpus).unpack(argparse.Namespace(corpus=corpus, unpacked=None))


def run(args):
    """The lines of the corpus' runner."""
    if args.results:
        text = Path(args.results).read_text()
    else:
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.jsonl"
            cases = Path(folder) / "cases"
            cases.mkdir()
            completed(unpacked(args.corpus), cases)
            subprocess.run(
                [sys.executable, str(Path(args.corpus) / "run.py"), "--bin", args.bin,
                 "--out", str(results), "--unpacked", str(cases),
                 *(["--kind", args.kind] if args.kind else []),
                 *(["--sample", str(args.sample)] if args.sample else []), "--", *args.flags],
                check=True)
            text = results.read_text()
    if args.save:
        Path(args.save).write_text(text)
    return [json.loads(line) for line in text.splitlines()]


def told(reason):
    """A reason without the paths of the machine that ran it; a truncated one ends with a whole
    word."""
    if len(reason) >= CUT:
        reason = reason.rsplit(None, 1)[0] + " ..."
    reason = re.sub(r"^.*?error: ", "", reason)
    reason = re.sub(r"(?<!\w)/\S+/", "", reason)
    return reason.replace("|", "\\|").replace("`", "'") or "no text"


def runs(row):
    return row["outcome"] != "unsupported" or row["reason"] not in NOT_RUN


def counted(rows):
    """The number of graphs of each framework that pass."""
    lines, passed = [], 0
    for kind, name in FRAMEWORKS.items():
        own = [row for row in rows if row["group"].startswith(kind + "_")]
        run = [row for row in own if runs(row)]
        good = sum(row["outcome"] == "pass" for row in run)
        passed += good
        if not own:
            continue
        left = len(own) - len(run)
        lines.append(f"- {name}: of {len(run)}, {good} ({100 * good / max(1, len(run)):.1f} %)"
                     + (f"; {left} more the runner cannot feed" if left else ""))
    return lines, 100 * passed / max(1, sum(map(runs, rows)))


def page(rows):
    groups = collections.defaultdict(collections.Counter)
    for row in rows:
        groups[row["group"]][row["outcome"]] += 1
    total = sum(groups.values(), collections.Counter())
    counts, share = counted(rows)
    lines = ["# Conformance", "",
             "For people who want to know how much of TensorFlow and ONNX weir supports.",
             "Written by `test/corpus/conformance.py`: do not edit.", "",
             "Third-party models that compile and match the results that a reference recorded:", "", *counts, ""]
    kinds = ["pass", *MEANING]
    lines += ["| group | cases | " + " | ".join(kinds) + " |",
              "| --- |" + " ---: |" * (len(kinds) + 1)]
    for name, counts in [*sorted(groups.items()), ("all", total)]:
        lines.append(f"| {name} | {sum(counts.values())} | "
                     + " | ".join(str(counts[kind]) for kind in kinds) + " |")
    named = [f"- `{name}`: {GROUPS[name]}" for name in sorted(groups) if name in GROUPS]
    if named:
        lines += ["", *named]
    for kind, meaning in MEANING.items():
        failing = sorted((r for r in rows if r["outcome"] == kind and runs(r)),
                         key=lambda r: r["id"])
        if not failing:
            continue
        lines += ["", f"## {kind}: {meaning}", "", "| case | reason |", "| --- | --- |"]
        for row in failing:
            variant = f" ({row['variant']})" if row.get("variant") else ""
            lines.append(f"| {row['id']}{variant} | {told(row['reason'])} |")
    left = sorted((r for r in rows if not runs(r)), key=lambda r: (r["reason"], r["id"]))
    if left:
        lines += ["", "## Left out by the runner", "", "| case | reason |", "| --- | --- |",
                  *(f"| {row['id']} | {row['reason']} |" for row in left)]
    return "\n".join(lines) + "\n", share


def main():
    args = arguments()
    text, share = page(run(args))
    Path(args.out).write_text(text)
    print(f"{args.out}: {share:.1f} % pass")
    sys.exit(share < args.least)


if __name__ == "__main__":
    main()
