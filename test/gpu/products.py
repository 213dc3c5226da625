"""products.py FILE: writes a graph of matrix products, plain, transposed, in batches, and with a
bias and a relu after them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from graphdef import Graph

g = Graph()
g.placeholder("a", (24, 60))
g.placeholder("b", (60, 40))
g.placeholder("bias", (40,))
g.placeholder("c", (30, 40))
g.placeholder("d", (2, 3, 24, 16))
g.placeholder("e", (2, 3, 24, 16))
g.op("ab", "MatMul", "a", "b")
g.op("biased", "BiasAdd", "ab", "bias")
g.op("relu", "Relu", "biased")
g.op("rc", "MatMul", "relu", "c", transpose_b=True)
g.op("de", "BatchMatMulV2", "d", "e", adj_y=True)
g.op("ed", "BatchMatMulV2", "e", "d", adj_x=True)
Path(sys.argv[1]).write_text(g.text())
