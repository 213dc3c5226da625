#!/usr/bin/python3
"""Compares gradients with the recorded ones of a corpus of TensorFlow graphs.

  gradients.py [--corpus DIR] [--unpacked DIR] [--bin DIR] [--case REGEX]
               [--sample N] [--jobs N] [--out FILE.jsonl] [--least PERCENT]

The corpus is outside of the repository: DIR (or WEIR_CORPUS) has its runner, run.py. A case with
`gradients` in its meta.json is compiled with a loss: the sum over all float outputs of sum(output
* cos(0.7 i + 0.3)) with i the flat index, by --grad for the tensors of `wrt`. A variant with
constants as arguments is compiled, too. The script writes a line of JSON for each case: id, group,
outcome, variant, reason. It fails if none pass, or fewer than PERCENT of the cases.
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

import conformance
import numpy as np

FLOATS = {"float16": 19, "bfloat16": 14, "float32": 1, "float64": 2}


def options(description):
    """A parser of the common options of this script and differences.py."""
    parser = conformance.options(description)
    parser.add_argument("--unpacked")
    parser.add_argument("--case", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit-s", type=float, default=120)
    parser.add_argument("--least", type=float, default=0)
    return parser


def judged(args, groups, is_one, judge):
    """The selected cases, each with the result of `judge`."""
    root = Path(args.unpacked or conformance.unpacked(args.corpus))
    cases = [case for group in sorted(root.iterdir()) if re.fullmatch(groups, group.name)
             for case in sorted(group.iterdir())
             if re.search(args.case, case.name) and is_one(case)]
    if args.sample:
        cases = cases[::max(1, len(cases) // args.sample)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return list(zip(cases, pool.map(lambda case: judge(args, case), cases)))


def is_enough(outcomes, least):
    """Prints the number of each outcome, and returns whether some pass, and PERCENT of the cases
    that are not left out."""
    counts = collections.Counter(outcomes)
    share = 100 * counts["pass"] / max(1, len(outcomes) - counts["left out"])
    print(f"{counts['pass']} of {len(outcomes)} pass ({share:.1f} %); {dict(counts)}")
    return counts["pass"] and share >= least


# The part of the wire format of protocol buffers that a few nodes need.


def varint(number):
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes(data + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(name, op, inputs=(), **attributes):
    data = field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs)
    for key, value in attributes.items():
        data += field(5, field(1, key) + field(2, value))
    return field(1, data)


def constant(name, array, code):
    shape = b"".join(field(2, field(1, size)) for size in array.shape)
    tensor = field(1, code) + field(2, shape) + field(4, array.tobytes())
    return node(name, "Const", dtype=field(6, code), value=field(8, tensor))


def loss_of(outputs):
    """The nodes after the outputs; the last one, `weir_loss`, is the case's loss: in f32 at least,
    so that it rounds less than its operands."""
    data, before = b"", None
    kind = max(["float32", *(o["dtype"] for o in outputs)], key=lambda name: int(name[5:]))
    typed = field(6, FLOATS[kind])
    for k, output in enumerate(outputs):
        name, given = f"weir_loss_{k}", output.get("tf_dtype")
        source = FLOATS[given if given in FLOATS else output["dtype"]]
        weights = np.cos(0.7 * np.arange(int(np.prod(output["shape"]))) + 0.3)
        weights = weights.reshape(tuple(output["shape"])).astype(kind)
        dims = np.arange(weights.ndim, dtype=np.int32)
        data += constant(name + "/weights", weights, FLOATS[kind]) + constant(name + "/dims", dims, 3)
        data += node(name + "/cast", "Cast", [output["tensor"]], SrcT=field(6, source), DstT=typed)
        data += node(name + "/product", "Mul", [name + "/cast", name + "/weights"], T=typed)
        data += node(name, "Sum", [name + "/product", name + "/dims"], T=typed, Tidx=field(6, 3),
                     keep_dims=field(5, 0))
        if before:
            data += node(name + "/total", "AddV2", [before, name], T=typed)
            name += "/total"
        before = name
    return data + node("weir_loss", "Identity", [before], T=typed)


def variants(case, meta):
    yield "", meta.get("model", "model.pb"), meta.get("inputs", [])
    if "arg_variant" in meta:
        feeds = meta["arg_variant"].get("inputs") or []
        named = {feed["tensor"] for feed in feeds}
        feeds = feeds + [f for f in meta.get("inputs", []) if f["tensor"] not in named]
        yield "args", meta["arg_variant"]["model"], feeds


def ran(command, limit):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "over the time limit"
    text = done.stdout.decode("utf-8", "replace")
    said = next((line for line in text.splitlines() if "error" in line.lower()), text)
    return done.returncode, said.strip()[:200]


def differs(case, entry, found):
    """The error of a gradient, or nothing."""
    want = np.load(case / entry["file"]).astype(np.float64)
    if not found.exists():
        return "is missing"
    have = np.load(found).astype(np.float64)
    if have.shape != want.shape:
        return f"has the shape {have.shape}, not {want.shape}"
    close = np.isclose(have, want, rtol=entry.get("rtol", 1e-3), atol=entry.get("atol", 1e-5),
                       equal_nan=True)
    if close.all():
        return ""
    worst = np.nanmax(np.abs(have - want)) if np.isfinite(have).any() else np.nan
    return f"differs in {int((~close).sum())} of {close.size} elements, by up to {worst:.3g}"


def run_variant(args, case, meta, model, feeds, folder):
    types = conformance.runner_of(args.corpus).TYPES
    outputs = [o for o in meta["outputs"] if o.get("dtype") in FLOATS]
    source, library = folder / "model.pb", folder / "lib.so"
    source.write_bytes((case / model).read_bytes() + loss_of(outputs))
    wanted = [entry["tensor"].removesuffix(":0") for entry in meta["gradients"]["wrt"]]
    command = [f"{args.bin}/weir", "compile", str(source), "-o", str(library), "-O1",
               f"--grad=weir_loss:{','.join(wanted)}", "--fetch=weir_loss"]
    for feed in feeds:
        dims = "".join(f"{size}x" for size in feed["shape"])
        command.append(f"--feed={feed['tensor']}:{dims}{types[feed['dtype']]}")
    status, text = ran(command, args.limit_s)
    if status is None:
        return "hang", text
    if status:
        kinds = {1: "refused", 2: "refused", 3: "unsupported", 74: "refused", 75: "refused"}
        return kinds.get(status, "crash"), text
    command = [f"{args.bin}/weir-run", str(library), "--function=gradients",
               f"--output-dir={folder}"]
    command += [f"--input={feed['tensor']}=@{case / feed['file']}" for feed in feeds]
    status, text = ran(command, args.limit_s)
    if status:
        return ("norun" if status > 0 else "crash"), text
    for entry, name in zip(meta["gradients"]["wrt"], wanted):
        why = differs(case, entry, folder / (re.sub("[/:]", "_", "gradients/" + name) + ".npy"))
        if why:
            return "wrong", f"{name}: {why}"
    return "pass", ""


def run_case(args, case):
    meta = json.loads((case / "meta.json").read_text())
    outcome = variant = reason = ""
    for variant, model, feeds in variants(case, meta):
        with tempfile.TemporaryDirectory() as folder:
            outcome, reason = run_variant(args, case, meta, model, feeds, Path(folder))
        if outcome != "pass":
            break
    return {"id": meta["id"], "group": meta["group"], "outcome": outcome,
            "variant": variant, "reason": reason}


def has_gradients(case):
    meta = json.loads((case / "meta.json").read_text())
    return meta["kind"] == "tf_graphdef" and "gradients" in meta


def main():
    parser = options(__doc__)
    parser.add_argument("--out")
    args = parser.parse_args()
    if not args.corpus:
        parser.error("no corpus: give --corpus or WEIR_CORPUS")
    rows = [row for _, row in judged(args, "tf_.*", has_gradients, run_case)]
    if args.out:
        Path(args.out).write_text("".join(json.dumps(row) + "\n" for row in rows))
    for row in rows:
        if row["outcome"] != "pass":
            print(f"{row['outcome']}: {row['id']} ({row['variant']}): {row['reason']}")
    sys.exit(not is_enough([row["outcome"] for row in rows], args.least))


if __name__ == "__main__":
    main()
