"""Tests 16-bit floats: wide between ops, and f16 after an explicit Cast, against NumPy."""

import numpy as np
from levels import host_levels
from onnx import TensorProto
from onnx_graph import OnnxGraph, main
from onnx_windows import conv

rng = np.random.default_rng(17)
HALF, BFLOAT, FLOAT = TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.FLOAT


def half(*shape):
    return rng.standard_normal(shape).astype(np.float16)


def net():
    """Only the result is rounded: several ops have the error of one rounding."""
    g = OnnxGraph()
    a, f, c = half(2, 16, 9, 9), half(24, 16, 3, 3) / np.float16(8), half(24)
    w = half(24 * 81, 12) / np.float16(32)
    x = g.input(a)
    y = g.op("Conv", x, g.constant(f), g.constant(c), pads=[1, 1, 1, 1])
    y = g.op("Mul", g.op("Relu", y), g.op("Sigmoid", y))
    z = g.op("Softmax", g.op("MatMul", g.op("Flatten", y), g.constant(w)))
    wide = [v.astype(np.float64) for v in (a, f, c, w)]
    exact = conv(*wide[:3], (1, 1), (1, 1), (1, 1), 1, (9, 9))
    exact = np.maximum(exact, 0) / (1 + np.exp(-exact))
    g.expect(y, exact, rtol=2**-11 + 1e-5, atol=1e-6)
    sums = exact.reshape(2, -1) @ wide[3]
    powers = np.exp(sums - sums.max(1, keepdims=True))
    g.expect(z, powers / powers.sum(1, keepdims=True), rtol=2**-11 + 1e-4, atol=1e-7)
    return g


def rows():
    """One row is multiplied by f16 weights, with remainders of depth and columns, and several
    rows."""
    g = OnnxGraph()
    for m, k, n in ((1, 300, 65), (1, 33, 200), (1, 1000, 1), (3, 40, 70), (33, 130, 40)):
        a, w = half(m, k), half(k, n) / np.float16(16)
        y = g.op("MatMul", g.input(a), g.constant(w))
        exact = a.astype(np.float64) @ w.astype(np.float64)
        g.expect(y, exact, rtol=2**-11 + 1e-5, atol=2e-6)
    # An operand such as a cache of keys is known only at run time.
    q, keys = half(2, 1, 64), half(2, 90, 64)
    scores = g.op("MatMul", g.input(q), g.op("Transpose", g.input(keys), perm=[0, 2, 1]))
    exact = q.astype(np.float64) @ keys.astype(np.float64).swapaxes(1, 2)
    g.expect(scores, exact, rtol=2**-11 + 1e-5, atol=1e-5)
    return g


def overflow():
    """Values exceed the largest f16 between ops, and return."""
    g = OnnxGraph(fold=False)
    b = g.input(np.float16([60000, -60000, 3]))
    double = g.op("Add", b, b)
    g.expect(g.op("Sub", double, b), b.value, rtol=0, atol=0)
    g.expect(double, np.float16([np.inf, -np.inf, 6]), rtol=0, atol=0)
    return g


def casts(level):
    """A Cast rounds, with any computation around it and any number of elements."""
    g = OnnxGraph(options=[f"-mcpu={level}"])
    special = [0, -0.0, 1e-8, -3e-8, 6e-8, 5.96e-8, 65504, 65519.99, 65520, 1e9, np.inf, -np.inf, np.nan]
    ties = np.arange(1, 40) * np.float32(2**-11) + 1
    for size in (1, 7, 16, 37, 300):
        v = np.resize(np.concatenate([np.float32(special), ties]), size).astype(np.float32)
        x = g.input(v)
        h = g.op("Cast", x, to=HALF)
        with np.errstate(over="ignore"):
            rounded = v.astype(np.float16)
        g.expect(h, rounded, rtol=0, atol=0)
        g.expect(g.op("Cast", h, to=FLOAT), rounded.astype(np.float32), rtol=0, atol=0)
        g.expect(g.op("Relu", h), np.where(rounded < 0, np.float16(0), rounded), rtol=0, atol=0)
        g.expect(g.op("Sub", g.op("Cast", h, to=FLOAT), x), lost(rounded, v), rtol=0, atol=0)
        below = g.op("Less", h, g.constant(np.float16(1.005)))
        g.expect(below, rounded < np.float16(1.005), rtol=0, atol=0)
        b = g.op("Cast", x, to=BFLOAT)
        shorter = brain(v)
        g.expect(g.op("Cast", b, to=FLOAT), shorter, rtol=0, atol=0)
        twice = g.op("Cast", g.op("Add", b, b), to=FLOAT)
        g.expect(twice, brain(shorter + shorter), rtol=0, atol=2.0**-126)
    # Rows of f16 become columns of f32.
    m = half(33, 21)
    y = g.op("Cast", g.op("Transpose", g.input(m), perm=[1, 0]), to=FLOAT)
    g.expect(y, m.T.astype(np.float32), rtol=0, atol=0)
    return g


def brain(v):
    """f32 is rounded to bf16: to nearest, ties to even, by the low half of the bits."""
    bits = v.view(np.uint32).astype(np.uint64)
    near = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(v), v, near)


def lost(rounded, v):
    with np.errstate(invalid="ignore"):
        return rounded.astype(np.float32) - v


def named(level):
    def case():
        return casts(level)

    case.__name__ = f"casts_{level}"
    return case


main(net, rows, overflow, *[named(level) for level in [*host_levels(), "native"]])
