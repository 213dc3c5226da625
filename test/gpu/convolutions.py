"""convolutions.py FILE [TYPE [back]]: writes a graph of convolutions: with windows, strides,
dilations and padding, along one dimension, of single pixels, in groups, with epilogues, and with
run-time filters. With `back`, writes a graph of gradients by filters in the form of the
framework."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from graphdef import Graph

kind = sys.argv[2] if len(sys.argv) > 2 else "DT_FLOAT"
rng = np.random.default_rng(3)
g = Graph()


def op(name, called, *inputs, **attributes):
    g.op(name, called, *inputs, T=kind, **attributes)


def placeholder(name, *shape):
    g.placeholder(name, shape, kind)


def constant(name, *shape):
    """Small multiples of one half, which all types represent."""
    g.const(name, rng.integers(-4, 5, shape) / 8, kind)


def convolve(name, x, w, padding, strides=(1, 1), dilations=(1, 1)):
    op(name, "Conv2D", x, w, padding=padding, strides=[1, *strides, 1],
       dilations=[1, *dilations, 1])  # fmt: skip


def filter_gradient(name, x, results, sizes, strides=(1, 1), dilations=(1, 1)):
    op(name, "Conv2DBackpropFilter", x, g.ints(f"{name}_sizes", sizes), results, padding="SAME",
       strides=[1, *strides, 1], dilations=[1, *dilations, 1])  # fmt: skip


def forward():
    placeholder("w", 3, 3, 6, 10)
    placeholder("residual", 2, 9, 11, 10)
    placeholder("bias", 10)
    placeholder("bias2", 8)
    constant("c", 3, 2, 10, 12)
    constant("one", 1, 1, 12, 8)
    constant("half", 1, 1, 12, 8)
    constant("grouped", 3, 3, 4, 6)
    constant("wide", 3, 3, 12, 7)
    # The epilogue is complete, and the filter is a run-time operand.
    convolve("y", "x", "w", "SAME")
    op("biased", "BiasAdd", "y", "bias")
    op("added", "AddV2", "biased", "residual")
    op("relu", "Relu", "added")
    convolve("z", "relu", "c", "SAME", strides=(2, 1))
    op("z_relu", "Relu6", "z")
    # The cases have all pixels, and every other one.
    convolve("pixels", "z_relu", "one", "VALID")
    op("pixels_biased", "BiasAdd", "pixels", "bias2")
    convolve("chosen", "z_relu", "half", "SAME", strides=(2, 2))
    convolve("groups", "z_relu", "grouped", "VALID")
    convolve("dilated", "z_relu", "wide", "SAME", dilations=(1, 2))
    return "pixels_biased", "chosen", "groups", "dilated"


def back():
    placeholder("results", 2, 9, 11, 10)
    placeholder("few", 2, 5, 6, 6)
    filter_gradient("all", "x", "results", (3, 3, 6, 10), dilations=(1, 2))
    filter_gradient("some", "x", "few", (3, 2, 3, 6), strides=(2, 2))
    return "all", "some"


placeholder("x", 2, 9, 11, 6)
for result in back() if sys.argv[3:] == ["back"] else forward():
    op(f"{result}_out", "Identity", result)
Path(sys.argv[1]).write_text(g.text())
