#!/usr/bin/python3
"""measure.py ENGINE PACK OUT SECONDS: times the cases of PACK/bench with one engine.

ENGINE is weir, eager (PyTorch, replayed as a CUDA graph), compiled (torch.compile, likewise) or
jax. Inputs and outputs stay on the GPU. OUT/ENGINE.jsonl gets a line of JSON per case: `us`, the
median time of consecutive calls; `latency_us`, the median of one call with a wait; `error`, the
norm of the difference from f64 over the norm of the result.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

import numpy as np

import cases
import ops

ENGINES = ("weir", "eager", "compiled", "jax")


def median_of_calls(issue, wait, budget=1.0, rounds=15):
    """Microseconds per call, of consecutive calls and of single ones."""
    for _ in range(3):
        issue()
    wait()
    begin = time.perf_counter()
    issue()
    wait()
    once = max(time.perf_counter() - begin, 1e-7)
    calls = int(max(1, min(200, budget / rounds / once)))
    us, latency = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            issue()
        wait()
        us.append((time.perf_counter() - begin) / calls * 1e6)
    for _ in range(max(3, min(50, int(budget / once)))):
        begin = time.perf_counter()
        issue()
        wait()
        latency.append((time.perf_counter() - begin) * 1e6)
    return float(np.median(us)), float(np.median(latency))


class Weir:
    def __init__(self, pack):
        self.pack, self.driver = pack, None
        self.version = "weir 0.1.0"

    def prepare(self, case, inputs, parameters):
        from library import Driver, Library
        folder = self.pack / "bench" / re.sub(r"\W+", "-", case.name)
        if not (folder / "model.so").exists():
            raise RuntimeError("not compiled: see pack.json")
        library = Library(folder / "model.so")
        order = [library.function.inputs[i].tensor.decode() for i in range(len(inputs))]
        given = [inputs[int(name.removesuffix(":0")[1:])] for name in order]
        if library.gpu:
            self.driver = self.driver or Driver()
            self.version = f"weir 0.1.0, {self.driver.name}, driver {self.driver.version}"
            issue, wait, fetch = library.on_device(self.driver, given)
            return issue, wait, lambda: fetch()[0], library.close
        # On the CPU this shows that the scripts work.
        return (lambda: library.run(given), lambda: None, lambda: library.run(given)[0],
                library.close)


class Eager:
    def __init__(self, pack):
        self.ops = ops.Torch()
        torch = self.ops.torch
        self.version = f"PyTorch {torch.__version__}"

    def callable(self, case):
        return lambda x, p: case.function(self.ops, x, p)

    def prepare(self, case, inputs, parameters):
        torch = self.ops.torch
        x = [self.ops.put(a) for a in inputs]
        p = {n: self.ops.put(a) for n, a in parameters.items()}
        function = self.callable(case)
        result = function(x, p)
        if self.ops.device == "cpu":
            return (lambda: function(x, p), lambda: None, lambda: self.ops.get(function(x, p)),
                    lambda: None)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                function(x, p)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = function(x, p)
        return graph.replay, torch.cuda.synchronize, lambda: self.ops.get(result), lambda: None


class Compiled(Eager):
    def callable(self, case):
        self.ops.torch.compiler.reset()
        return self.ops.torch.compile(super().callable(case), dynamic=False)


class Jax:
    def __init__(self, pack):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.ops = ops.Jax()
        self.version = f"JAX {self.ops.jax.__version__}"

    def prepare(self, case, inputs, parameters):
        x = [self.ops.put(a) for a in inputs]
        p = {n: self.ops.put(a) for n, a in parameters.items()}
        function = self.ops.jax.jit(lambda x, p: case.function(self.ops, x, p)).lower(x, p).compile()
        last = [function(x, p)]

        def issue():
            last[0] = function(x, p)
        return issue, lambda: last[0].block_until_ready(), lambda: self.ops.get(last[0]), \
            lambda: None


def reference(case, inputs, parameters):
    """The reference in f64; PyTorch is faster by seconds if it is installed."""
    try:
        exact = ops.Torch()
        torch = exact.torch
        x = [exact.put(a).to(torch.float64) for a in inputs]
        p = {n: exact.put(a).to(torch.float64) for n, a in parameters.items()}
    except ImportError:
        exact = ops.Numpy()
        x, p = [exact.put(a) for a in inputs], {n: exact.put(a) for n, a in parameters.items()}
    return exact.get(case.function(exact, x, p))


def main():
    name, pack, out, seconds = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    deadline = time.time() + float(seconds)
    tiny = json.loads((pack / "pack.json").read_text())["tiny"]
    out.mkdir(parents=True, exist_ok=True)
    with open(out / f"{name}.jsonl", "w") as file:
        try:
            engine = dict(zip(ENGINES, (Weir, Eager, Compiled, Jax)))[name](pack)
        except Exception as error:  # the engine is not installed
            print(json.dumps({"engine": name, "why": str(error)[:200]}), file=file)
            print(f"{name}: {error}")
            return
        for case in cases.cases(tiny):
            row = {"engine": name, "case": case.name, "flops": case.flops,
                   "traffic": case.traffic, "half": case.half}
            try:
                if time.time() > deadline:
                    raise RuntimeError("no time left")
                inputs, parameters = case.make()
                begin = time.perf_counter()
                issue, wait, fetch, close = engine.prepare(case, inputs, parameters)
                row["prepare_s"] = time.perf_counter() - begin
                row["us"], row["latency_us"] = median_of_calls(issue, wait,
                                                               0.05 if tiny else 0.5)
                kept = out / f"reference-{re.sub(r'[^0-9A-Za-z]+', '-', case.name)}.npy"
                result = np.asarray(fetch(), np.float64)
                if not kept.exists():
                    np.save(kept, reference(case, inputs, parameters))
                wanted = np.load(kept)
                row["error"] = float(np.linalg.norm(result.reshape(wanted.shape) - wanted)
                                     / np.linalg.norm(wanted))
                close()
            except Exception as error:  # this case is not measured, the others are
                row["why"] = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
            row["version"] = engine.version
            print(json.dumps(row), file=file, flush=True)
            told = row.get("why") or f"{row['us']:.1f} us, error {row['error']:.1e}"
            print(f"{name}: {case.name}: {told}", flush=True)


main()
