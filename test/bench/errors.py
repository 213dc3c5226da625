#!/usr/bin/python3
"""errors.py --zoo DIR --models DIR --engine 'NAME=CMD' ... MODEL...: errors against float64 as a table of docs/performance.md.

DIR of --zoo has the harness's definitions of the models (graph.py, models.py), from which PyTorch computes in float64;
--models has their files. CMD runs a model once, where {pb}, {onnx} and {dump} stand for its file and that of the raw
results. Errors are relative to the root mean square of the results: the largest, and their root mean square.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch


def reference(name):
    from graph import fill, to_torch
    from models import ALL

    graph = ALL[name](name)
    inputs = [torch.from_numpy(fill(int(np.prod(t.shape))).reshape(t.shape).astype(np.float64)) for t in graph.inputs]
    results = to_torch(graph).double()(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    return np.concatenate([y.contiguous().numpy().ravel() for y in results])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="+")
    parser.add_argument("--zoo", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--engine", action="append", required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.zoo)
    engines = [engine.split("=", 1) for engine in options.engine]
    print("| model | " + " | ".join(name for name, _ in engines) + " |")
    print("| --- |" + " --- |" * len(engines))
    for model in options.model:
        with torch.no_grad():
            expected = reference(model)
        scale = np.sqrt(np.mean(expected**2))
        cells = []
        for _, command in engines:
            with tempfile.NamedTemporaryFile() as dump:
                stem = os.path.join(options.models, model)
                subprocess.run(
                    command.format(pb=stem + ".pb", onnx=stem + ".onnx", dump=dump.name),
                    shell=True, check=True, stdout=subprocess.DEVNULL)
                error = (np.fromfile(dump.name, np.float32) - expected) / scale
            cells.append(f"{np.abs(error).max():.1e}, {np.sqrt(np.mean(error**2)):.1e}".replace("e-0", "e-"))
        print(f"| {model} | " + " | ".join(cells) + " |", flush=True)


main()
