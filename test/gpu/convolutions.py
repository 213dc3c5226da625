"""convolutions.py FILE [TYPE [back]]: writes a graph of convolutions: with windows,
strides, dilations and padding, along one dimension, of single pixels, in groups, with
what is behind them, and with filters that only the run knows. With `back`, writes one
of gradients by filters that the framework has made."""

import sys

import numpy as np

name_of_type = sys.argv[2] if len(sys.argv) > 2 else "DT_FLOAT"
rng = np.random.default_rng(3)
nodes = []


def node(name, op, inputs, **pairs):
    reads = "".join(f' input: "{i}"' for i in inputs)
    attributes = "".join(f' attr {{ key: "{k}" value {{ {v} }} }}' for k, v in pairs.items())
    nodes.append(f'node {{ name: "{name}" op: "{op}"{reads}{attributes} }}')


def dims(shape):
    return "".join(f" dim {{ size: {d} }}" for d in shape)


def placeholder(name, *shape):
    node(name, "Placeholder", [], dtype=f"type: {name_of_type}", shape=f"shape {{{dims(shape)} }}")


def constant(name, *shape):
    """Halves of small numbers, which all types have."""
    values = rng.integers(-4, 5, np.prod(shape)) / 8
    if name_of_type == "DT_FLOAT":
        text = "".join(f" float_val: {v}" for v in values)
    elif name_of_type == "DT_HALF":
        text = "".join(f" half_val: {v}" for v in values.astype(np.float16).view(np.uint16))
    else:
        text = "".join(f" half_val: {v}"
                       for v in values.astype(np.float32).view(np.uint32) >> 16)
    node(name, "Const", [], dtype=f"type: {name_of_type}",
         value=f"tensor {{ dtype: {name_of_type} tensor_shape {{{dims(shape)} }}{text} }}")


def convolve(name, x, w, padding, strides=(1, 1), dilations=(1, 1)):
    def four(pair):
        return f"list {{ i: 1 i: {pair[0]} i: {pair[1]} i: 1 }}"

    node(name, "Conv2D", [x, w], T=f"type: {name_of_type}", padding=f's: "{padding}"',
         strides=four(strides), dilations=four(dilations))


def filter_gradient(name, x, results, sizes, strides=(1, 1), dilations=(1, 1)):
    text = "".join(f" int_val: {size}" for size in sizes)
    node(f"{name}_sizes", "Const", [], dtype="type: DT_INT32",
         value=f"tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: 4 }} }}{text} }}")

    def four(pair):
        return f"list {{ i: 1 i: {pair[0]} i: {pair[1]} i: 1 }}"

    node(name, "Conv2DBackpropFilter", [x, f"{name}_sizes", results],
         T=f"type: {name_of_type}", padding='s: "SAME"', strides=four(strides),
         dilations=four(dilations))


def write():
    open(sys.argv[1], "w").write("\n".join(nodes) + "\n")


kind = {"T": f"type: {name_of_type}"}
placeholder("x", 2, 9, 11, 6)
if sys.argv[3:] == ["back"]:
    placeholder("results", 2, 9, 11, 10)
    placeholder("few", 2, 5, 6, 6)
    filter_gradient("all", "x", "results", (3, 3, 6, 10), dilations=(1, 2))
    filter_gradient("some", "x", "few", (3, 2, 3, 6), strides=(2, 2))
    for result in ("all", "some"):
        node(f"{result}_out", "Identity", [result], **kind)
    write()
    sys.exit()
placeholder("w", 3, 3, 6, 10)
placeholder("residual", 2, 9, 11, 10)
placeholder("bias", 10)
placeholder("bias2", 8)
constant("c", 3, 2, 10, 12)
constant("one", 1, 1, 12, 8)
constant("half", 1, 1, 12, 8)
constant("grouped", 3, 3, 4, 6)
constant("wide", 3, 3, 12, 7)
# All of an epilogue, on a filter of the run's.
convolve("y", "x", "w", "SAME")
node("biased", "BiasAdd", ["y", "bias"], **kind)
node("added", "AddV2", ["biased", "residual"], **kind)
node("relu", "Relu", ["added"], **kind)
convolve("z", "relu", "c", "SAME", strides=(2, 1))
node("z_relu", "Relu6", ["z"], **kind)
# Pixels, all of them and every other.
convolve("pixels", "z_relu", "one", "VALID")
node("pixels_biased", "BiasAdd", ["pixels", "bias2"], **kind)
convolve("chosen", "z_relu", "half", "SAME", strides=(2, 2))
convolve("groups", "z_relu", "grouped", "VALID")
convolve("dilated", "z_relu", "wide", "SAME", dilations=(1, 2))
for result in ("pixels_biased", "chosen", "groups", "dilated"):
    node(f"{result}_out", "Identity", [result], **kind)
write()
