"""products.py FILE: writes a graph of products of matrices, plain, transposed, in
batches, and with a bias and a relu behind."""

import sys

nodes = []


def node(name, op, inputs, **pairs):
    reads = "".join(f' input: "{i}"' for i in inputs)
    attributes = "".join(f' attr {{ key: "{k}" value {{ {v} }} }}' for k, v in pairs.items())
    nodes.append(f'node {{ name: "{name}" op: "{op}"{reads}{attributes} }}')


def placeholder(name, *shape):
    dims = "".join(f" dim {{ size: {d} }}" for d in shape)
    node(name, "Placeholder", [], dtype="type: DT_FLOAT", shape=f"shape {{{dims} }}")


kind = {"T": "type: DT_FLOAT"}
placeholder("a", 24, 60)
placeholder("b", 60, 40)
placeholder("bias", 40)
placeholder("c", 30, 40)
placeholder("d", 2, 3, 24, 16)
placeholder("e", 2, 3, 24, 16)
node("ab", "MatMul", ["a", "b"], **kind)
node("biased", "BiasAdd", ["ab", "bias"], **kind)
node("relu", "Relu", ["biased"], **kind)
node("rc", "MatMul", ["relu", "c"], **kind, transpose_b="b: true")
node("de", "BatchMatMulV2", ["d", "e"], **kind, adj_y="b: true")
node("ed", "BatchMatMulV2", ["e", "d"], **kind, adj_x="b: true")
open(sys.argv[1], "w").write("\n".join(nodes) + "\n")
