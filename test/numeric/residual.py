"""Tests kernels whose results overwrite their addends, which are not used later. Each net has one
kernel of a different kind."""

import numpy as np
from harness import Graph, bf16, main
from levels import host_levels

random = np.random.default_rng(31)


def normal(*shape):
    return np.float32(random.standard_normal(shape))


def wide(tensor):
    return np.asarray(tensor.value, np.float64)


def relu(x):
    return np.maximum(x, 0)


def rows(g, count, depth, columns, round_to=lambda a: a, **close):
    """c = relu(tanh(a w) v + a); a = x u has no other user."""
    x = g.input(round_to(normal(count, 24)))
    u, w, v, last = (g.constant(round_to(normal(*shape) / shape[0] ** 0.5)) for shape in (
        (24, columns), (columns, depth), (depth, columns), (columns, 3)))  # fmt: skip
    a = g.op("MatMul", x, u)
    c = g.op("Relu", g.op("AddV2", g.op("MatMul", g.op("Tanh", g.op("MatMul", a, w)), v), a))
    # Another kernel overwrites the same buffer again.
    d = g.op("Sub", c, g.op("MatMul", g.op("Tanh", g.op("MatMul", c, w)), v))
    first = wide(x) @ wide(u)
    second = relu(np.tanh(first @ wide(w)) @ wide(v) + first)
    third = second - np.tanh(second @ wide(w)) @ wide(v)
    g.expect(g.op("MatMul", d, last), third @ wide(last), **close)


def images(g, size, channels, window, depthwise=False):
    """Like `rows`, with a convolution that adds."""
    x = g.input(normal(1, *size, 8))
    u, last = g.constant(normal(1, 1, 8, channels) / 3), g.constant(normal(1, 1, channels, 2))
    count = window * window * (1 if depthwise else channels)
    f = g.constant(normal(window, window, channels, 1 if depthwise else channels) / count**0.5)
    how = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    name = "DepthwiseConv2dNative" if depthwise else "Conv2D"
    a = g.op("Conv2D", x, u, **how)
    c = g.op("Relu", g.op("AddV2", g.op(name, g.op("Relu", a), f, **how), a))
    first = wide(x) @ wide(u)[0, 0]
    low = (window - 1) // 2
    sides = [(0, 0), (low, window // 2), (low, window // 2), (0, 0)]
    padded, second = np.pad(relu(first), sides), first.copy()
    for i, j in np.ndindex(window, window):
        part = padded[:, i : i + size[0], j : j + size[1]]
        second += part * wide(f)[i, j, :, 0] if depthwise else part @ wide(f)[i, j]
    expected = relu(second) @ wide(last)[0, 0]
    g.expect(g.op("Conv2D", c, last, **how), expected, rtol=2e-5, atol=2e-5 * channels**0.5)


def elements():
    """Loops over elements, and updates in a copy, run in place."""
    g = Graph(fold=False, threads=[2, 3])
    x, w = g.input(normal(40, 32)), g.constant(normal(32, 100) / 6)
    a = g.op("MatMul", x, w)
    first = wide(x) @ wide(w)
    # One sum has two users, and the second is its last.
    most = g.op("Max", a, g.constant(np.int32([1])), keep_dims=True)
    b = g.op("Exp", g.op("Sub", a, most))
    second = np.exp(first - first.max(1, keepdims=True))
    at, new = np.int32([[3], [17], [39]]), g.input(normal(3, 100))
    c = g.op("TensorScatterUpdate", b, g.constant(at), new)
    third = second.copy()
    third[at[:, 0]] = wide(new)
    v = g.constant(normal(100, 5) / 10)
    g.expect(g.op("MatMul", c, v), third @ wide(v), rtol=2e-5, atol=2e-5)
    return g


def kinds(level):
    options = [] if level == "native" else [f"-mcpu={level}"]
    g = Graph(fold=False, threads=[2, 3], options=options)
    close = {"rtol": 2e-5, "atol": 2e-5}
    for count, depth, columns in ((1, 64, 64), (5, 40, 33), (50, 96, 80), (200, 5000, 100)):
        rows(g, count, depth, columns, **close)
    rows(g, 40, 64, 64, bf16, rtol=2**-5, atol=2**-4)
    for size, channels, window in (
        ((14, 14), 64, 3),
        ((9, 21), 24, 3),
        ((12, 13), 32, 5),
        ((11, 10), 20, 1),
    ):
        images(g, size, channels, window)
    images(g, (13, 14), 40, 3, depthwise=True)
    return g


def named(level):
    make = lambda: kinds(level)
    make.__name__ = level.replace("-", "_")
    return make


if __name__ == "__main__":
    main(elements, *[named(level) for level in [*host_levels(), "native"]])
