"""attentions.py FILE [TYPE]: writes a graph of attentions: of heads that lie apart or
row by row, with a mask for each column, for each row or none, and of heads with values
that are wider."""

import sys

name_of_type = sys.argv[2] if len(sys.argv) > 2 else "DT_HALF"
kind = f"type: {name_of_type}"
nodes = []


def node(name, op, inputs, **pairs):
    reads = "".join(f' input: "{i}"' for i in inputs)
    attributes = "".join(f' attr {{ key: "{k}" value {{ {v} }} }}' for k, v in pairs.items())
    nodes.append(f'node {{ name: "{name}" op: "{op}"{reads}{attributes} }}')
    return name


def placeholder(name, *shape):
    dims = "".join(f" dim {{ size: {d} }}" for d in shape)
    return node(name, "Placeholder", [], dtype=kind, shape=f"shape {{{dims} }}")


def constant(name, dtype, dims, text):
    shape = "".join(f" dim {{ size: {d} }}" for d in dims)
    return node(name, "Const", [], dtype=f"type: {dtype}",
                value=f"tensor {{ dtype: {dtype} tensor_shape {{{shape} }} {text} }}")


def turned(name, x):
    return node(name, "Transpose", [x, "turn"], T=kind, Tperm="type: DT_INT32")


def attend(name, q, k, v, scale, mask=None):
    scores = node(f"{name}_scores", "BatchMatMulV2", [q, k], T=kind, adj_y="b: true")
    if scale:
        scores = node(f"{name}_scaled", "Mul", [scores, scale], T=kind)
    if mask:
        scores = node(f"{name}_masked", "AddV2", [scores, mask], T=kind)
    weights = node(f"{name}_weights", "Softmax", [scores], T=kind)
    return node(f"{name}_sums", "BatchMatMulV2", [weights, v], T=kind)


def give(name, x):
    node(name, "Identity", [x], T=kind)


# An eighth, as the bits of each type.
constant("eighth", name_of_type, [],
         {"DT_HALF": "half_val: 12288", "DT_BFLOAT16": "half_val: 15872"}.get(
             name_of_type, "float_val: 0.125"))
constant("turn", "DT_INT32", [4], "int_val: 0 int_val: 2 int_val: 1 int_val: 3")
# Heads row by row, and a mask for each column, as in an encoder.
sides = [turned(f"{side}_turned", placeholder(side, 2, 40, 3, 16)) for side in "qkv"]
heads = attend("encoder", *sides, "eighth", placeholder("padding", 2, 1, 1, 40))
give("encoder_out", turned("encoder_turned", heads))
# Heads that lie apart, other columns than rows, and wider values.
give("wide_out", attend("wide", placeholder("q1", 3, 2, 37, 8), placeholder("k1", 3, 2, 50, 8),
                        placeholder("v1", 3, 2, 50, 24), None))
# One dimension of heads, and a mask for each row.
give("masked_out", attend("masked", placeholder("q2", 4, 33, 8), placeholder("k2", 4, 35, 8),
                          placeholder("v2", 4, 35, 8), "eighth", placeholder("seen", 33, 35)))
open(sys.argv[1], "w").write("\n".join(nodes) + "\n")
