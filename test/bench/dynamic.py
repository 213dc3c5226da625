#!/usr/bin/python3
"""dynamic.py [--layers 4] [--width 256] [--heads 4] [--inner 1024] [--batch 8] [--sequence 256] [--threads 1]
[--rounds 9] [--sizes 1x16,1x128,4x77,8x256] [--weir build/release/bin] [--onnxruntime FOLDER]: what a dynamic batch and
sequence cost.

Writes a transformer encoder as exporters do, with shapes made of Shape, Gather and Concat, compiles it once with
`--dim=batch=1..B --dim=sequence=1..S` and once for each of the sizes, and runs the two libraries in turns. Prints for
each size the two times, the median of their ratios, whether the results have the same bits, and the resident memory of
the two; then the arena and the library of the dynamic one as ratios of those fixed at the bounds. Nothing of ONNX is
needed. With --onnxruntime, the folder in which `npm install onnxruntime-node` was run, ONNX Runtime runs the dynamic
file in the same turns; the ratio then printed is its time by that of the dynamic library, and at the end the geometric
mean of these.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile

import numpy as np
import peer
from decoder import F, Onnx, message

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name, value in dict(layers=4, width=256, heads=4, inner=1024, batch=8, sequence=256, threads=1, rounds=9).items():
    parser.add_argument(f"--{name}", type=int, default=value)
parser.add_argument("--sizes", default="1x16,1x128,4x77,8x256")
parser.add_argument("--weir", default="build/release/bin")
parser.add_argument("--onnxruntime", metavar="FOLDER")
options = parser.parse_args()
vocabulary = 5000


class Encoder(Onnx):
    """The model with these sizes: numbers, or names of dimensions."""

    def info(self, name, shape, kind):
        dims = message(*((1, message((2 if isinstance(d, str) else 1, d))) for d in shape))
        return message((1, name), (2, message((1, message((1, self.codes[kind]), (2, dims))))))

    def __init__(self, sizes):
        super().__init__()
        rng = np.random.default_rng(0)
        width, heads, inner = options.width, options.heads, options.inner
        self.opset = 13
        weight = lambda *shape: self.const((rng.standard_normal(shape) * 0.05).astype(F))
        one = lambda *values: self.const(np.int64(values))
        ids, mask = self.input("ids", sizes, "int64"), self.input("mask", sizes, "int64")
        shape = self.node("Shape", ids)
        each = [
            self.node("Unsqueeze", self.node("Gather", shape, self.const(np.int64(i)), axis=0), one(0)) for i in (0, 1)
        ]
        place = self.node("Slice", self.const(np.arange(512, dtype=np.int64)[None]), one(0), each[1], one(1), one(1))
        x = self.node(
            "Add",
            self.node("Gather", weight(vocabulary, width), ids),
            self.node("Gather", weight(512, width), place),
        )
        x = self.layer_norm(x)
        far = self.node("Unsqueeze", self.node("Cast", mask, to=1), one(1, 2))
        far = self.node("Mul", self.node("Sub", self.const(F(1)), far), self.const(F(-1e4)))
        apart = self.node("Concat", *each, one(heads), one(width // heads), axis=0)
        joined = self.node("Concat", *each, one(width), axis=0)
        linear = lambda x, n, m: self.node("Add", self.node("MatMul", x, weight(n, m)), weight(m))
        for _ in range(options.layers):
            q, k, v = (
                self.node("Transpose", self.node("Reshape", linear(x, width, width), apart), perm=order)
                for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
            )
            scale = self.const(F((width // heads) ** 0.5))
            scores = self.node("Add", self.node("Div", self.node("MatMul", q, k), scale), far)
            mixed = self.node("MatMul", self.softmax(scores), v)
            mixed = self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), joined)
            x = self.layer_norm(self.node("Add", x, linear(mixed, width, width)))
            x = self.layer_norm(self.node("Add", x, linear(self.gelu(linear(x, width, inner)), inner, width)))
        self.output(x, "hidden", [*sizes, width])

    def layer_norm(self, x):
        """The form before there was an op of that name."""
        far = self.node("Sub", x, self.node("ReduceMean", x, axes=[-1]))
        variance = self.node("ReduceMean", self.node("Mul", far, far), axes=[-1])
        root = self.node("Sqrt", self.node("Add", variance, self.const(F(1e-5))))
        scaled = self.node("Mul", self.node("Div", far, root), self.const(np.ones(options.width, F)))
        return self.node("Add", scaled, self.const(np.zeros(options.width, F)))


def weir(*arguments):
    run = subprocess.run(arguments, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    return run.stdout


def compiled(folder, name, sizes, *dims):
    model, library = f"{folder}/{name}.onnx", f"{folder}/{name}.so"
    open(model, "wb").write(Encoder(sizes).serialize())
    weir(f"{options.weir}/weir", "compile", model, "-o", library, f"--threads={options.threads}", *dims)
    arena = int(re.search(r"(\d+) bytes of arena", weir(f"{options.weir}/weir", "inspect", library))[1])
    return library, arena


def once(folder, library, repeat):
    """Microseconds of the best of some runs, resident MB, and the result."""
    timed = f"{folder}/resident"
    printed = weir("/usr/bin/env", "python3", "-c", RESIDENT, timed, f"{options.weir}/weir-run", library,
                   f"--input=ids=@{folder}/ids.npy", f"--input=mask=@{folder}/mask.npy", f"--output-dir={folder}",
                   f"--repeat={repeat}", "--warmup=2", "--json")  # fmt: skip
    return json.loads(printed)["min_us"], int(open(timed).read()) / 1024, np.load(f"{folder}/hidden.npy")


# Runs the command of its arguments and writes its largest resident size in KB.
RESIDENT = """import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)"""


def onnxruntime(folder, model, shape, repeat):
    """Microseconds of the best of some runs of ONNX Runtime."""
    inputs = [f"{name}={folder}/{name}.bin:{shape}" for name in ("ids", "mask")]
    return peer.microseconds(options.onnxruntime, model, options.threads, repeat, *inputs)


def main():
    faster = []
    with tempfile.TemporaryDirectory() as folder:
        dims = [f"--dim=batch=1..{options.batch}", f"--dim=sequence=1..{options.sequence}"]
        dynamic, arena = compiled(folder, "dynamic", ["batch", "sequence"], *dims)
        print(f"{'size':>8} {'fixed us':>10} {'dynamic us':>10} {'ratio':>6}  {'bits':9} {'MB':>11}")
        for size in options.sizes.split(","):
            batch, sequence = map(int, size.split("x"))
            fixed, _ = compiled(folder, "fixed", [batch, sequence])
            rng = np.random.default_rng(batch * 1000 + sequence)
            ids = rng.integers(0, vocabulary, (batch, sequence))
            mask = np.ones((batch, sequence), np.int64)
            mask[:, sequence - sequence // 4 :] = 0
            for name, numbers in dict(ids=ids, mask=mask).items():
                np.save(f"{folder}/{name}.npy", numbers)
                numbers.tofile(f"{folder}/{name}.bin")
            times, memory, same = [], (0, 0), True
            for _ in range(options.rounds):
                a, a_memory, wanted = once(folder, fixed, 3)
                b, b_memory, got = once(folder, dynamic, 3)
                peer = onnxruntime(folder, f"{folder}/dynamic.onnx", size, 3) if options.onnxruntime else 0
                times.append((a, b, peer))
                memory = (max(memory[0], a_memory), max(memory[1], b_memory))
                same &= wanted.shape == got.shape and wanted.tobytes() == got.tobytes()
            ratio = statistics.median(b / a for a, b, _ in times)
            best = [min(each) for each in zip(*times)]
            print(f"{size:>8} {best[0]:10.0f} {best[1]:10.0f} {ratio:6.2f}  {'same' if same else 'DIFFERENT':9} "
                  f"{memory[0]:5.1f} {memory[1]:5.1f}", end="")  # fmt: skip
            if options.onnxruntime:
                faster.append(statistics.median(peer / b for _, b, peer in times))
                print(f"  ONNX Runtime {best[2]:.0f} us, x {faster[-1]:.2f}", end="")
            print(flush=True)
        bound, room = compiled(folder, "bound", [options.batch, options.sequence])
        library = os.path.getsize(dynamic) / os.path.getsize(bound)
        print(f"arena {arena / room:.2f}, library {library:.2f} of those fixed at the bounds")
    if faster:
        print(f"{statistics.geometric_mean(faster):.2f} times as fast as ONNX Runtime")


main()
