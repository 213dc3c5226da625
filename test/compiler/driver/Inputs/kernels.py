"""Writes a graph with a kernel of each kind: products and convolutions in tiles and by element,
rows, normalized rows, transposes, elementwise, f64."""

import sys

nodes = []


def attributes(pairs):
    return "".join(f' attr {{ key: "{k}" value {{ {v} }} }}' for k, v in pairs.items())


def node(name, op, inputs, **pairs):
    reads = "".join(f' input: "{i}"' for i in inputs)
    nodes.append(f'node {{ name: "{name}" op: "{op}"{reads}{attributes(pairs)} }}')


def placeholder(name, shape, type="DT_FLOAT"):
    dims = "".join(f" dim {{ size: {d} }}" for d in shape)
    node(name, "Placeholder", [], dtype=f"type: {type}", shape=f"shape {{{dims} }}")


placeholder("a", [100, 70])
placeholder("b", [70, 90])
placeholder("x", [1, 16, 16, 24])
placeholder("w", [3, 3, 24, 40])
placeholder("d", [3, 3, 24, 1])
placeholder("f", [50], "DT_DOUBLE")
placeholder("long", [3, 5000])
placeholder("longer", [3, 9001])
placeholder("many", [256, 300])
node("axis", "Const", [], dtype="type: DT_INT32",
     value="tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 1 }")
node("turn", "Const", [], dtype="type: DT_INT32",
     value="tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 0 }")
kind = {"T": "type: DT_FLOAT"}
one = "list { i: 1 i: 1 i: 1 i: 1 }"
node("product", "MatMul", ["a", "b"], **kind)
node("softmax", "Softmax", ["product"], **kind)
node("rows", "Sum", ["a", "axis"], **kind, Tidx="type: DT_INT32")
node("window", "Conv2D", ["x", "w"], **kind, strides=one, padding='s: "SAME"')
node("relu", "Relu", ["window"], **kind)
node("depthwise", "DepthwiseConv2dNative", ["x", "d"], **kind, strides=one, padding='s: "SAME"')
node("tanh", "Tanh", ["depthwise"], **kind)
node("wide", "LogSoftmax", ["long"], **kind)
node("wider", "Softmax", ["longer"], **kind)
for side in "ab":
    node(f"half_{side}", "Cast", [side], SrcT="type: DT_FLOAT", DstT="type: DT_HALF")
node("halves", "MatMul", ["half_a", "half_b"], T="type: DT_HALF")
node("negative", "Neg", ["many"], **kind)
node("turned", "Transpose", ["b", "turn"], **kind, Tperm="type: DT_INT32")
node("sine", "Sin", ["f"], T="type: DT_DOUBLE")
open(sys.argv[1], "w").write("\n".join(nodes) + "\n")
