#!/usr/bin/python3
"""packed.py [--size 4096] [--layers 12] [--bits 4] [--block 32] [--rows 1,8,128] [--threads 1,2] [--levels 0,4]
[--rounds 9] [--weir build/release/bin] [--onnxruntime FOLDER]: products with weights of few bits (MatMulNBits).

Writes a chain of products of one size, with more weights than caches hold, compiles it and runs it. Prints for each
number of threads and rows the time of a product. It also prints the packed bytes per microsecond, relative to those that
the threads read together in a plain loop (bandwidth.c) in the same turns. With --onnxruntime, the folder in
which `npm install onnxruntime-node` was run, ONNX Runtime runs the same model in the same turns at each accuracy_level:
the ratio is its time by weir's, the median of the turns; at the end their geometric mean.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

import numpy as np
import peer
from decoder import F, Onnx, message

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name, value in dict(size=4096, layers=12, bits=4, block=32, rounds=9).items():
    parser.add_argument(f"--{name}", type=int, default=value)
for name, value in dict(rows="1,8,128", threads="1,2", levels="0,4").items():
    parser.add_argument(f"--{name}", default=value)
parser.add_argument("--weir", default="build/release/bin")
parser.add_argument("--onnxruntime", metavar="FOLDER")
options = parser.parse_args()
here = os.path.dirname(os.path.abspath(__file__))


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


class Chain(Onnx):
    """Products of `rows` rows, each of the result of the one before."""

    codes = {**Onnx.codes, "uint8": 2}

    def __init__(self, rows, level):
        super().__init__()
        rng = np.random.default_rng(0)
        size, bits, block = options.size, options.bits, options.block
        x = self.input("x", [rows, size])
        for i in range(options.layers):
            codes = self.const(rng.integers(0, 256, (size, size // block, block * bits // 8)).astype(np.uint8))
            # This keeps results as large as operands.
            scale = 3.4 / 2**bits / size**0.5
            scales = self.const((rng.uniform(0.9, 1.1, size * size // block) * scale).astype(F))
            named = dict(K=size, N=size, bits=bits, block_size=block, accuracy_level=level)
            fields = [(5, message((1, key), (20, 2), (3, value))) for key, value in named.items()]
            fields = [(1, x), (1, codes), (1, scales), (2, f"y{i}"), (4, "MatMulNBits"), *fields, (7, "com.microsoft")]
            self.nodes.append(message(*fields))
            x = f"y{i}"
        self.output(x, "y", [rows, size])

    def serialize(self):
        return super().serialize() + message((8, message((1, "com.microsoft"), (2, 1))))


def main():
    size, layers = options.size, options.layers
    numbers = lambda text: [int(n) for n in text.split(",")]
    # Codes and scales.
    bytes_ = size * size * (options.bits / 8 + 4 / options.block)
    faster = []
    with tempfile.TemporaryDirectory() as folder:
        bandwidth = f"{folder}/bandwidth"
        run("cc", "-O3", "-march=native", f"{here}/bandwidth.c", "-pthread", "-o", bandwidth)
        levels = numbers(options.levels) if options.onnxruntime else [0]
        for rows in numbers(options.rows):
            np.random.default_rng(rows).standard_normal((rows, size)).astype(F).tofile(f"{folder}/x.bin")
            np.save(f"{folder}/x.npy", np.fromfile(f"{folder}/x.bin", F).reshape(rows, size))
            for level in levels:
                model = f"{folder}/{level}.onnx"
                open(model, "wb").write(Chain(rows, level).serialize())
                for threads in numbers(options.threads):
                    library = f"{folder}/{threads}.so"
                    run(f"{options.weir}/weir", "compile", model, "-o", library, f"--threads={threads}")
                    turns = []
                    for _ in range(options.rounds):
                        speed = float(run(bandwidth, str(threads), "128"))
                        ours = json.loads(run(f"{options.weir}/weir-run", library, f"--input=x=@{folder}/x.npy",
                                              "--repeat=5", "--warmup=1", "--json"))["min_us"]  # fmt: skip
                        other = 0
                        if options.onnxruntime:
                            given = f"x={folder}/x.bin:{rows}x{size}:float32"
                            other = peer.microseconds(options.onnxruntime, model, threads, 5, given)
                        turns.append((ours / layers, speed, bytes_ / (ours / layers) / speed, other / layers, other / ours))
                    time, speed, share, other, ratio = (statistics.median(t) for t in zip(*turns))
                    line = f"{rows:4} rows, {threads} threads: {time:9.1f} us, {share:5.0%} of {speed / 1e3:5.1f} GB/s"
                    if options.onnxruntime:
                        faster.append(ratio)
                        line += f"; ONNX Runtime at level {level} {other:9.1f} us, ratio {ratio:5.2f}"
                    print(line, flush=True)
    if faster:
        print(f"geometric mean {statistics.geometric_mean(faster):.2f}")


main()
