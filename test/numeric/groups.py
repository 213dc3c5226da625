"""Tests products of 16-bit floats by groups of warps (wgmma), on the simulator. The cases have
tiles of every size, edges that no tile divides, operands along and across the depth, epilogues,
depths that blocks share, and convolutions."""

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(41)


def half(array):
    return array.astype(np.float16)


def values(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def gpu():
    return Graph(fold=False, options=["--gpu=sim", "--gpu-arch=sm_90a"])


def wide(tensor):
    return np.float64(tensor.value)


def sides():
    """Both operands are along and across the depth, in batches of several tiles."""
    g = gpu()
    for make, rtol in ((half, 2**-10), (bf16, 2**-8)):
        for m, k, n in ((192, 256, 128), (100, 200, 136), (130, 70, 250), (65, 129, 67)):
            for turn_a in (False, True):
                for turn_b in (False, True):
                    a = g.input(make(values(2, *((k, m) if turn_a else (m, k)))))
                    b = g.input(make(values(2, *((n, k) if turn_b else (k, n)))))
                    x = wide(a).swapaxes(1, 2) if turn_a else wide(a)
                    y = wide(b).swapaxes(1, 2) if turn_b else wide(b)
                    c = g.op("BatchMatMulV2", a, b, adj_x=turn_a, adj_y=turn_b)
                    g.expect(c, x @ y, rtol=rtol, atol=1e-3)
    return g


def epilogues():
    g = gpu()
    for m, k, n in ((128, 320, 256), (90, 260, 200)):
        a, w = g.input(half(values(m, k))), g.constant(half(values(k, n)))
        bias, rest = g.constant(half(values(n))), g.input(half(values(m, n)))
        y = g.op("Relu", g.op("BiasAdd", g.op("MatMul", a, w), bias))
        y = g.op("AddV2", y, rest)
        exact = np.maximum(wide(a) @ wide(w) + wide(bias), 0) + wide(rest)
        g.expect(y, exact, rtol=2**-8, atol=2e-2)
    return g


def parts():
    """Blocks share the depth of a few tiles."""
    g = gpu()
    for m, k, n in ((128, 8192, 64), (70, 5003, 90)):
        a, b = g.input(half(values(m, k))), g.input(half(values(k, n)))
        bias = half(values(n))
        y = g.op("BiasAdd", g.op("MatMul", a, b), g.constant(bias))
        g.expect(y, wide(a) @ wide(b) + np.float64(bias), rtol=2**-9, atol=8e-2)
    return g


def large():
    """Tiles of 256 columns and of 256 rows, with edges."""
    g = gpu()
    for m, k, n in ((2100, 72, 2040), (33700, 72, 120)):
        a, b = g.input(half(values(m, k))), g.input(half(values(k, n)))
        g.expect(g.op("MatMul", a, b), wide(a) @ wide(b), rtol=2**-10, atol=1e-3)
    return g


def numbers():
    """NaN, infinities and denormals stay in their row or column."""
    g = gpu()
    for make, rtol in ((half, 2**-10), (bf16, 2**-8)):
        x, y = values(128, 256), values(256, 128)
        x[3, 5], x[4, 6], x[70, 7] = np.inf, np.nan, -np.inf
        x[5, :] = 2.0**-24
        a, b = g.input(make(x)), g.input(make(y))
        with np.errstate(all="ignore"):
            exact = wide(a) @ wide(b)
        g.expect(g.op("MatMul", a, b), exact, rtol=rtol, atol=1e-3)
    return g


def places():
    """Operands begin at addresses where copies of 16 bytes are impossible."""
    g = gpu()
    x = g.input(half(values(40001)))
    y = g.op("Neg", x)
    for start in (1, 2, 4):
        size = g.constant(np.int32([128 * 256]))
        part = g.op("Slice", y, g.constant(np.int32([start])), size)
        a = g.op("Reshape", part, g.constant(np.int32([128, 256])))
        exact = -wide(x)[start : start + 128 * 256].reshape(128, 256)
        g.expect(g.op("MatMul", a, a, transpose_b=True), exact @ exact.T, rtol=2**-10, atol=2e-3)
    return g


def convolutions():
    g = gpu()
    for size, inputs, outputs, stride in ((16, 64, 128, 1), (15, 40, 72, 2)):
        x = g.input(half(values(4, size, size, inputs)))
        w = g.constant(half(values(3, 3, inputs, outputs)))
        y = g.op("Conv2D", x, w, strides=[1, stride, stride, 1], padding="SAME")
        out = -(-size // stride)
        before = max((out - 1) * stride + 3 - size, 0) // 2
        padded = np.pad(wide(x), [(0, 0), (before, 3), (before, 3), (0, 0)])
        exact = sum(
            padded[:, i : i + out * stride : stride, j : j + out * stride : stride][:, :out, :out]
            @ wide(w)[i, j]
            for i in range(3)
            for j in range(3)
        )
        g.expect(y, exact, rtol=2**-10, atol=4e-3)
    return g


main(sides, epilogues, parts, large, numbers, places, convolutions)
