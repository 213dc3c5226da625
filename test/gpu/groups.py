"""groups.py FILE: writes a graph of products of 16-bit floats and of convolutions, of
sizes for which a Hopper has tiles of each kind, plain, transposed and with edges."""

import sys

nodes = []


def node(name, op, inputs, **pairs):
    reads = "".join(f' input: "{i}"' for i in inputs)
    attributes = "".join(f' attr {{ key: "{k}" value {{ {v} }} }}' for k, v in pairs.items())
    nodes.append(f'node {{ name: "{name}" op: "{op}"{reads}{attributes} }}')
    return name


def placeholder(name, kind, *shape):
    dims = "".join(f" dim {{ size: {d} }}" for d in shape)
    return node(name, "Placeholder", [], dtype=f"type: {kind}", shape=f"shape {{{dims} }}")


def product(name, kind, rows, depth, columns, turn_a=False, turn_b=False):
    a = placeholder(name + "_a", kind, *((depth, rows) if turn_a else (rows, depth)))
    b = placeholder(name + "_b", kind, *((columns, depth) if turn_b else (depth, columns)))
    bias = placeholder(name + "_bias", kind, columns)
    y = node(name, "MatMul", [a, b], T=f"type: {kind}", transpose_a=f"b: {str(turn_a).lower()}",
             transpose_b=f"b: {str(turn_b).lower()}")  # fmt: skip
    y = node(name + "_biased", "BiasAdd", [y, bias], T=f"type: {kind}")
    node(name + "_relu", "Relu", [y], T=f"type: {kind}")


sizes = ((4096, 4096, 4096), (65536, 256, 128), (2048, 1024, 1024), (16384, 256, 64),
         (512, 512, 512), (4097, 1001, 4095), (128, 8192, 64))  # fmt: skip
for i, size in enumerate(sizes):
    product(f"p{i}", "DT_HALF", *size)
product("b0", "DT_BFLOAT16", *sizes[0])
for i, turns in enumerate(((False, True), (True, False), (True, True))):
    product(f"t{i}", "DT_HALF", 4096, 4096, 4096, *turns)
for i, (inputs, stride) in enumerate(((64, 1), (64, 2), (5, 1))):
    x = placeholder(f"x{i}", "DT_HALF", 32, 56, 56, inputs)
    w = placeholder(f"w{i}", "DT_HALF", 3, 3, inputs, 128)
    node(f"c{i}", "Conv2D", [x, w], T="type: DT_HALF", padding='s: "SAME"',
         strides=f"list {{ i: 1 i: {stride} i: {stride} i: 1 }}")  # fmt: skip
open(sys.argv[1], "w").write("\n".join(nodes) + "\n")
