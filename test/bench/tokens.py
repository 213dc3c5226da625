#!/usr/bin/python3
"""tokens.py [--layers 12] [--width 768] [--heads 12] [--shared 4] [--inner 2048] [--vocabulary 4096] [--room 1024]
[--bits 32] [--level 0] [--pasts 16,256,1000] [--prefill 512] [--threads 1] [--rounds 5] [--weir build/release/bin] [--onnxruntime FOLDER]: what a
token of a decoder costs.

Writes a Llama as ONNX Runtime GenAI exports it (GroupQueryAttention with rotary positions, norms by
SimplifiedLayerNormalization, SwiGLU; `--shared` heads of keys; with `--bits 4` products by MatMulNBits in blocks of 32, of
accuracy level `--level`), compiles it once with its cache as state, one function
for prompts and one for single tokens (--variant), and times a token behind each of `--pasts` tokens and a prompt of
`--prefill`. With --onnxruntime, the folder in which `npm install onnxruntime-node` was run, ONNX Runtime runs the same
file in turns; its caches are its inputs and outputs, as that package has no binding of memory. Prints least times, and
the median of their ratios. Needs the Python package onnx.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import peer
from onnx import helper, numpy_helper

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
sizes = dict(layers=12, width=768, heads=12, shared=4, inner=2048, vocabulary=4096, room=1024, prefill=512, threads=1, rounds=5)
for name, value in sizes.items():
    parser.add_argument(f"--{name}", type=int, default=value)
parser.add_argument("--bits", type=int, default=32, choices=[4, 32])
parser.add_argument("--level", type=int, default=0)
parser.add_argument("--pasts", default="16,256,1000")
parser.add_argument("--weir", default="build/release/bin")
parser.add_argument("--onnxruntime", metavar="FOLDER")
options = parser.parse_args()
here = pathlib.Path(__file__).resolve().parent
sys.path.append(str(here.parents[1] / "tools" / "python"))
size = options.width // options.heads


def llama(path):
    rng, nodes, weights = np.random.default_rng(0), [], []
    F, I = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64

    def constant(array):
        weights.append(numpy_helper.from_array(np.asarray(array), f"c{len(weights)}"))
        return weights[-1].name

    def weight(*shape):
        return constant((rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32))

    def op(op, *inputs, outputs=None, domain="", **attributes):
        outputs = outputs or [f"{op}_{len(nodes)}"]
        nodes.append(helper.make_node(op, list(inputs), outputs, name=f"{op}_{len(nodes)}", domain=domain, **attributes))
        return outputs[0]

    def product(x, rows, columns, **result):
        if options.bits == 32:
            return op("MatMul", x, weight(rows, columns), **result)
        blocks = rows // 32
        packed = constant(rng.integers(0, 256, (columns, blocks, 16), np.uint8))
        scales = constant((rng.standard_normal(columns * blocks) / 8 / np.sqrt(rows)).astype(np.float32))
        how = dict(K=rows, N=columns, bits=4, block_size=32, accuracy_level=options.level)
        return op("MatMulNBits", x, packed, scales, domain="com.microsoft", **how, **result)

    def norm(x):
        return op("SimplifiedLayerNormalization", x, constant(np.ones(options.width, np.float32)), axis=-1, epsilon=1e-6)

    tensor = helper.make_tensor_value_info
    inputs = [tensor("input_ids", I, ["batch", "length"]), tensor("attention_mask", I, ["batch", "total"])]
    outputs = [tensor("logits", F, ["batch", "length", options.vocabulary])]
    count = op("ReduceSum", "attention_mask", constant(np.int64([1])), keepdims=0)
    last = op("Cast", op("Sub", count, constant(np.int64([1]))), to=6)
    total = op("Cast", op("Gather", op("Shape", "attention_mask"), constant(np.int64(1)), axis=0), to=6)
    angles = np.arange(2 * options.room)[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    turns = constant(np.cos(angles).astype(np.float32)), constant(np.sin(angles).astype(np.float32))
    x = op("Gather", weight(options.vocabulary, options.width), "input_ids", axis=0)
    width, keys, inner = options.width, options.shared * size, options.inner
    for i in range(options.layers):
        past, present = ([f"{when}.{i}.{kind}" for kind in ("key", "value")] for when in ("past", "present"))
        cached = ["batch", options.shared, "past", size]
        inputs += [tensor(name, F, cached) for name in past]
        outputs += [tensor(name, F, [*cached[:2], "total", size]) for name in present]
        y = norm(x)
        q, k, v = product(y, width, width), product(y, width, keys), product(y, width, keys)
        heads = dict(num_heads=options.heads, kv_num_heads=options.shared, do_rotary=1)
        given = [q, k, v, *past, last, total, *turns]
        y = op("GroupQueryAttention", *given, outputs=[f"attended.{i}", *present], domain="com.microsoft", **heads)
        x = op("Add", x, product(y, width, width))
        y = norm(x)
        gate, up = product(y, width, inner), product(y, width, inner)
        gate = op("Mul", op("Mul", gate, op("Sigmoid", gate)), up)
        x = op("Add", x, product(gate, inner, width))
    product(norm(x), width, options.vocabulary, outputs=["logits"])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph(nodes, "llama", inputs, outputs, weights), opset_imports=opsets)
    model.ir_version = 8
    onnx.save(model, path)


def weir_times(library, pasts):
    """Milliseconds: a token behind each past, and a prompt."""
    import weir

    model, best = weir.Model(library), {}

    def run(function, begin, end):
        ids = np.arange(begin, end)[None] % options.vocabulary
        start = time.perf_counter()
        model.run(function, input_ids=ids, attention_mask=np.ones((1, end), np.int64))
        return 1e3 * (time.perf_counter() - start)

    for past in pasts:
        model.run("init")
        for begin in range(0, past, options.prefill):
            run("main", begin, min(begin + options.prefill, past))
        best[past] = min(run("step", past + i, past + i + 1) for i in range(8))
    for _ in range(2):
        model.run("init")
        took = run("main", 0, options.prefill)
        best["prefill"] = min(best.get("prefill", took), took)
    return best


def main():
    pasts = [int(past) for past in options.pasts.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        path, library = os.path.join(folder, "llama.onnx"), os.path.join(folder, "llama.so")
        llama(path)
        names = [f"{i}.{kind}" for i in range(options.layers) for kind in ("key", "value")]
        states = [f"--state=past.{name}=present.{name}" for name in names]
        longest = options.room - options.prefill
        ranges = [f"--dim=length=1..{options.prefill}", f"--dim=past=0..{longest}", f"--dim=total=1..{options.room}"]
        step = f"--variant=step:length=1,past=0..{options.room - 1}"
        command = [f"{options.weir}/weir", "compile", path, "-o", library, f"--threads={options.threads}", "--dim=batch=1"]
        subprocess.run([*command, *ranges, step, *states], check=True)
        print(f"model {os.path.getsize(path) / 1e6:.1f} MB, library {os.path.getsize(library) / 1e6:.1f} MB")
        shape = [options.layers, options.shared, size, options.prefill, *pasts]
        own, others = [], []
        for _ in range(options.rounds):
            own.append(weir_times(library, pasts))
            if options.onnxruntime:
                others.append(peer.answer(options.onnxruntime, "tokens.js", path, options.threads, *shape))
        for key in [*pasts, "prefill"]:
            what = f"prompt of {options.prefill}" if key == "prefill" else f"token behind {key}"
            line = f"{what:>20} {min(each[key] for each in own):9.2f} ms"
            if others:
                ratios = [other[str(key)] / mine[key] for mine, other in zip(own, others)]
                line += f"  ONNX Runtime {min(other[str(key)] for other in others):9.2f} ms, x {statistics.median(ratios):.2f}"
            print(line)


main()
