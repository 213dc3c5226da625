"""groups.py FILE: writes a graph of products of 16-bit floats and of convolutions, in sizes with
each kind of tile for Hopper, plain, transposed and with edges."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from graphdef import Graph

g = Graph()


def product(name, kind, rows, depth, columns, turn_a=False, turn_b=False):
    a = g.placeholder(name + "_a", (depth, rows) if turn_a else (rows, depth), kind)
    b = g.placeholder(name + "_b", (columns, depth) if turn_b else (depth, columns), kind)
    bias = g.placeholder(name + "_bias", (columns,), kind)
    y = g.op(name, "MatMul", a, b, T=kind, transpose_a=turn_a, transpose_b=turn_b)
    y = g.op(name + "_biased", "BiasAdd", y, bias, T=kind)
    g.op(name + "_relu", "Relu", y, T=kind)


sizes = ((4096, 4096, 4096), (65536, 256, 128), (2048, 1024, 1024), (16384, 256, 64),
         (512, 512, 512), (4097, 1001, 4095), (128, 8192, 64))  # fmt: skip
for i, size in enumerate(sizes):
    product(f"p{i}", "DT_HALF", *size)
product("b0", "DT_BFLOAT16", *sizes[0])
for i, turns in enumerate(((False, True), (True, False), (True, True))):
    product(f"t{i}", "DT_HALF", 4096, 4096, 4096, *turns)
for i, (inputs, stride) in enumerate(((64, 1), (64, 2), (5, 1))):
    x = g.placeholder(f"x{i}", (32, 56, 56, inputs), "DT_HALF")
    w = g.placeholder(f"w{i}", (3, 3, inputs, 128), "DT_HALF")
    g.op(f"c{i}", "Conv2D", x, w, T="DT_HALF", padding="SAME", strides=[1, stride, stride, 1])
Path(sys.argv[1]).write_text(g.text())
