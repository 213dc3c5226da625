"""Random ONNX graphs with dynamic dimensions, for fuzz.py: those of numeric/random_graphs.py.

There the results of two libraries are compared; here a bound is known only for values that are
continuous in their operands. So ops that jump read exact values only, and what grows is limited.
"""

import pathlib
import re
import sys

import numpy as np
from batch import Batch
from graph import Skip, Value

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "numeric"))
from onnx_graph import value_info
from random_graphs import FLOAT
from random_moves import Graph

JUMPS = set("Floor Ceil Round Sign Less Greater LessOrEqual Equal ArgMax ArgMin Hardmax TopK IsNaN".split())
EXACT = JUMPS | set(
    "Relu Abs Neg Max Min Clip Where ReduceMax ReduceMin MaxPool GlobalMaxPool Transpose Reshape Flatten"
    " Unsqueeze Squeeze Concat Split Slice Gather GatherElements ScatterElements Expand Tile Pad Shape Not".split()
)
GROWS = set("Exp Pow ReduceProd ReduceSumSquare ReduceLogSumExp Reciprocal Div MatMul Gemm Conv".split())


class DynamicGraph(Graph):
    def __init__(self, seed, operations):
        self.inexact = set()  # names of values
        super().__init__(seed, operations)
        self.seed, self.run = seed, self.rng.randrange(self.runs)
        numbers = np.random.default_rng(seed)
        self.ops = [op for op, *_ in self.nodes]
        self.inputs = [(self.named(v), numbers.standard_normal(self.sizes_of(v)).astype(np.float32), texts)
                       for v, texts in self.inputs]  # fmt: skip

    def step(self, make):
        try:
            make()
        except Skip:
            pass

    def emit(self, op, operands, *results, **attributes):
        isExact = not any(getattr(o, "name", o) in self.inexact for o in operands)
        makes = results[0][0]
        if not isExact and (op in JUMPS or op == "Cast" and makes != FLOAT):
            raise Skip
        if op == "Sqrt":
            operands = [super().emit("Abs", operands, *results)]
        made = super().emit(op, operands, *results, **attributes)
        for value in made if isinstance(made, list) else [made]:
            if value.type == FLOAT and not (isExact and op in EXACT | {"Cast"}):
                self.inexact.add(value.name)
        if op not in GROWS or makes != FLOAT:
            return made
        small = super().emit("Tanh", [made], (FLOAT, made.dims))
        self.inexact.add(small.name)
        self.values.remove(made)
        return small

    def sizes_of(self, value):
        return [d[self.run] for d in value.dims]

    def named(self, value):
        type = {"bool": "i1"}.get(value.type, value.type)
        return Value(self.prefixed(value.name), type, self.sizes_of(value))

    def prefixed(self, name):
        return f"g{self.seed}_{name}"

    def rename(self, text):
        return re.sub(r'"([xvc]\d+)"', lambda m: f'"{self.prefixed(m[1])}"', text)

    def outputs(self):
        used = {name for _, operands, _, _ in self.nodes for name in operands}
        own = {v.name: v for v in self.values}
        made = [own[name] for *_, results, _ in self.nodes for name in results if name in own]
        return [self.named(v) for v in made if v.name not in used]


class DynamicBatch(Batch):
    file = "model.onnx.txt"

    def __init__(self, folder, graphs, flags):
        super().__init__(folder, graphs, flags)
        texts = [(g, t) for g in graphs for *_, ts in g.inputs for t in ts if isinstance(t, str)]
        self.inputs = [(v, array) for v, array, _ in self.inputs]
        ranges = {g.prefixed(t): g.ranges[t] for g, t in texts}
        self.model_flags = [f"--dim={n}={low}..{high}" for n, (low, high) in ranges.items()]

    def text(self):
        lines = ["ir_version: 8", "opset_import { version: 17 }", "graph {"]
        for g in self.graphs:
            for value, _, texts in g.inputs:
                dims = [g.prefixed(t) if isinstance(t, str) else t for t in texts]
                lines.append(f"input {{ {value_info(value.name, 'f32', dims)} }}")
            lines += [f"initializer {{ {g.rename(text)} }}" for text in g.graph.initializers]
            lines += [g.rename(text) for *_, text in g.nodes]
        lines += [f"output {{ {value_info(v.name)} }}" for _, v in self.outputs]
        return self.renamed("\n".join([*lines, "}"]) + "\n")

    def renamed(self, text):
        """The inputs and outputs have the names of their files."""
        names = {v.name: f"x{i}" for i, (v, _) in enumerate(self.inputs)}
        names |= {v.name: f"y{i}" for i, (_, v) in enumerate(self.outputs)}
        return re.sub(r'"(g\d+_[xv]\d+)"', lambda m: f'"{names.get(m[1], m[1])}"', text)
