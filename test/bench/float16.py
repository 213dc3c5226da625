#!/usr/bin/python3
"""float16.py [--threads N] [--rounds R] [--engine CMD]: products of bf16 by a constant, against PyTorch's and against f32.

Makes an ONNX model of one MatMul for each shape, serves it with the engine (test/bench/weir-engine; the protocol is that
of the benchmark harness) and lets it and PyTorch take turns: each has `--block-ms` milliseconds of a round. Prints a table
of medians, and of the medians over rounds of quotients."""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

# rows, depth, columns
SHAPES = [(1, 1024, 1024), (1, 4096, 4096), (8, 768, 768), (8, 4096, 4096), (32, 256, 256), (32, 4096, 4096)]
SHAPES += [(128, 768, 768), (128, 768, 3072), (512, 512, 512), (1024, 1024, 1024)]
HERE = pathlib.Path(__file__).resolve().parent


def weights(depth, columns):
    return (np.random.default_rng(1).standard_normal((depth, columns)) / depth**0.5).astype(np.float32)


def save(path, w, rows, element):
    raw = w.tobytes() if element == TensorProto.FLOAT else (w.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", element, [rows, w.shape[0]])],
        [helper.make_tensor_value_info("y", element, [rows, w.shape[1]])],
        [helper.make_tensor("w", element, w.shape, raw, raw=True)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


class Engine:
    def __init__(self, command, model, threads):
        self.process = subprocess.Popen(
            [command, str(model), "--threads", str(threads), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if not json.loads(self.process.stdout.readline()).get("ready"):
            raise SystemExit("the engine is not ready")

    def run(self, count):
        print("run", count, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())["us"]


class Torch:
    def __init__(self, w, rows, threads):
        torch.set_num_threads(threads)
        self.layer = torch.nn.Linear(*w.shape, bias=False).bfloat16().eval()
        self.layer.weight.data = torch.from_numpy(w.T.copy()).bfloat16()
        self.x = torch.rand(rows, w.shape[0]).bfloat16() - 0.5

    def run(self, count):
        times = []
        with torch.no_grad():
            for _ in range(count):
                begin = time.perf_counter()
                self.layer(self.x)
                times.append((time.perf_counter() - begin) * 1e6)
        return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--block-ms", type=float, default=100)
    parser.add_argument("--engine", default=str(HERE / "weir-engine"))
    options = parser.parse_args()
    print("| rows x depth x columns | bf16, us | f32, us | quotient | PyTorch, bf16, us | quotient |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            w = weights(*shape[1:])
            engines = []
            for name, element in (("bf16", TensorProto.BFLOAT16), ("f32", TensorProto.FLOAT)):
                path = pathlib.Path(folder, name + ".onnx")
                save(path, w, shape[0], element)
                engines.append(Engine(options.engine, path, options.threads))
            engines.append(Torch(w, shape[0], options.threads))
            counts = [max(1, int(options.block_ms * 1000 / min(e.run(5)))) for e in engines]
            rounds = [[statistics.median(e.run(n)) for e, n in zip(engines, counts)] for _ in range(options.rounds)]
            ours, floats, torchs = (statistics.median(column) for column in zip(*rounds))
            ratio = [statistics.median(r[i] / r[0] for r in rounds) for i in (1, 2)]
            for engine in engines[:2]:
                engine.process.stdin.close()
                engine.process.wait()
        size = " x ".join(map(str, shape))
        print(f"| {size} | {ours:.1f} | {floats:.1f} | {ratio[0]:.2f} | {torchs:.1f} | {ratio[1]:.2f} |", flush=True)


main()
