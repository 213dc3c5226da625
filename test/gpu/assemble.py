#!/usr/bin/python3
"""Assembles the kernels of models that are compiled for a GPU with ptxas.

  assemble.py [--bin DIR] [--archs LIST] [--tiny] [--corpus DIR] [--only RE] [--sample N]
              [--jobs N] [--save FILE.jsonl] [--flags FLAGS] [MODEL...]

For each architecture (default: sm_80,sm_90,sm_90a; with an empty LIST the models are only
compiled) ptxas must accept the PTX, and no kernel may spill registers to memory. But ptxas may
choose to spill some if this lets another block fit on a processor. Code for one GPU alone (sm_90a)
is compiled for it, other code once. The models are those of the arguments, compiled with the
flags. Without arguments they are those of a corpus (DIR, or WEIR_CORPUS; see
test/corpus/conformance.py) whose names RE matches, or about N of them. Without a corpus they are
the cases of cases.py, of tiny sizes with --tiny, and the small ones of test/models. A model that
does not compile for a processor is left out. A model that compiles for one and not for a GPU is a
failure. --save writes a line for each model, and a later call compiles only those that failed or
are missing.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/corpus"))
import pack
import samebits

LIMIT = 120
# A later call need not compile these again.
FINE = ("right", "left out")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/release/bin")
    parser.add_argument("--archs", default="sm_80,sm_90,sm_90a")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--corpus", default=os.environ.get("WEIR_CORPUS"))
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", type=Path)
    parser.add_argument("--flags", default="")
    parser.add_argument("models", nargs="*")
    return parser.parse_args()


def call(*command):
    """The exit status, or None if it takes too long, and the output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, f"takes more than {LIMIT} s"
    return done.returncode, done.stdout + done.stderr


def first_error(text):
    lines = text.strip().splitlines() or ["no reason"]
    return next((line for line in lines if "error" in line), lines[0])[:300]


def spills(text):
    """The largest number of bytes of a kernel in the output of ptxas."""
    return max(map(int, re.findall(r"(\d+) bytes spill", text)), default=0)


def assembled(args, model, flags):
    """The outcome of a model: `kernels` and `outcome`, and `why` if it is not "right"."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = f"{folder}/model.ptx"
        weir = (f"{args.bin}/weir", "compile", model)

        def compiled(to, *more):
            return call(*weir, "--gpu=cuda", "--emit=ptx", "-o", to, *flags, *more)

        def assemble(arch, text):
            return call("ptxas", "-v", f"-arch={arch}", text, "-o", f"{folder}/code")
        status, text = compiled(ptx)
        if status != 0:
            alone, _ = call(*weir, "-o", f"{folder}/model.o", *flags)
            outcome = "refused" if alone == 0 else "late" if status is None else "left out"
            return {"kernels": 0, "outcome": outcome, "why": first_error(text)}
        # A model without kernels has no PTX.
        code = Path(ptx).read_text() if Path(ptx).exists() else ""
        kernels = len(re.findall(r"^\.visible \.entry|^\s*\.entry", code, flags=re.M))
        for arch in args.archs.split(",") if kernels and args.archs else []:
            who, its, status = "weir", ptx, 0
            if arch.endswith("a"):
                its = f"{folder}/{arch}.ptx"
                status, text = compiled(its, f"--gpu-arch={arch}")
            if status == 0:
                who = "ptxas"
                status, text = assemble(arch, its)
            if status != 0:
                return {"kernels": kernels, "outcome": "late" if status is None else "refused",
                        "why": f"{who} for {arch}: {first_error(text)}"}
            if spills(text):
                # The second attempt has all registers that a thread of one block can have.
                roomy = f"{folder}/roomy.ptx"
                Path(roomy).write_text(re.sub(r"^\.reqntid.*", r"\g<0>\n.minnctapersm 1",
                                              Path(its).read_text(), flags=re.M))
                status, text = assemble(arch, roomy)
                if status != 0 or spills(text):
                    return {"kernels": kernels, "outcome": "spills",
                            "why": f"{spills(text)} bytes of registers for {arch}"}
    return {"kernels": kernels, "outcome": "right"}


class Models(pack.Packer):
    """The models that pack.py compiles, as files."""

    def __init__(self, args):
        super().__init__(args)
        self.found = []

    def compile(self, model, folder, extra, output=None):
        kept = self.args.out / f"{folder.name}.pbtxt"
        Path(model).rename(kept)
        self.found.append((folder.name, str(kept), extra))
        return False


def own_models(args, folder):
    args.out = Path(folder)
    models = Models(args)
    for case in pack.cases.cases(args.tiny):
        models.bench(case)
    models.zoo()
    return models.found


def saved(path):
    """The lines of models that are done, by name."""
    if not path or not path.exists():
        return {}
    rows = map(json.loads, path.read_text().splitlines())
    return {row["name"]: row for row in rows if row["outcome"] in FINE}


def main():
    args = arguments()
    known = saved(args.save)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [(model, model, args.flags.split()) for model in args.models]
        if not jobs and not args.corpus:
            jobs = own_models(args, folder)
        elif not jobs:
            links = Path(folder) / "corpus"
            links.mkdir()
            kinds = ("tf_graphdef", "tf_savedmodel", "tf_import", "onnx")
            jobs = [job[:3] for job in samebits.corpus_jobs(args, links, kinds)
                    if re.search(args.only, job[0])]
        rows = []
        for (name, *_), row in zip(jobs, pool.map(
                lambda job: known.get(job[0]) or assembled(args, *job[1:]), jobs)):
            rows.append({"name": name, **row})
            if row["outcome"] not in FINE:
                print(f"{name}: {row['outcome']}: {row['why']}", flush=True)
            if args.save and name not in known:
                with args.save.open("a") as lines:
                    lines.write(json.dumps(rows[-1]) + "\n")
    counts = {k: sum(r["outcome"] == k for r in rows)
              for k in ("right", "refused", "spills", "late", "left out")}
    print(f"{sum(r['kernels'] for r in rows)} kernels of {sum(r['kernels'] > 0 for r in rows)} "
          f"models for {args.archs}; models: "
          + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    sys.exit(bool(counts["refused"] or counts["spills"] or not counts["right"]))


if __name__ == "__main__":
    main()
