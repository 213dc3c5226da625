"""Tests the joint work of the threads of a GPU block, on the simulator: long rows, and tiles of
products and convolutions, in sizes that no tile divides."""

import numpy as np

from harness import Graph, bf16, main

random = np.random.default_rng(7)


def values(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def gpu(*options):
    return Graph(fold=False, options=["--gpu=sim", *options])


def rows():
    g = gpu()
    for length in (64, 500, 1024, 5000):
        x = g.input(values(3, length))
        wide = np.float64(x.value)
        axis = g.constant(np.int32([1]))
        g.expect(g.op("Sum", x, axis), wide.sum(1), rtol=0, atol=1e-4)
        g.expect(g.op("Max", x, axis), wide.max(1))
        g.expect(g.op("Min", x, axis), wide.min(1))
        e = np.exp(wide - wide.max(1, keepdims=True))
        g.expect(g.op("Softmax", x), e / e.sum(1, keepdims=True), rtol=2e-6)
    i = g.input(random.integers(-1000, 1000, (5, 3, 700)).astype(np.int32))
    g.expect(g.op("Sum", i, g.constant(np.int32([0, 2]))), i.value.sum((0, 2)))
    n = values(4, 2000)
    n[2, 1234] = np.nan
    g.expect(g.op("Max", g.input(n), g.constant(np.int32([1]))), n.max(1))
    return g


def fused():
    """One block computes a row in its registers."""
    g = gpu()
    for length in (3, 8, 33, 600, 5000, 8192, 8200, 12288, 70000):
        x = g.input(values(3, length) * 4)
        wide = np.float64(x.value)
        e = np.exp(wide - wide.max(1, keepdims=True))
        # A thread adds its part of a long row sequentially.
        exact = e / e.sum(1, keepdims=True)
        g.expect(g.op("Softmax", x), exact, rtol=3e-6 if length < 20000 else 1e-5)
        g.expect(g.op("LogSoftmax", x), wide - wide.max(1, keepdims=True)
                 - np.log(e.sum(1, keepdims=True)), rtol=1e-6, atol=3e-6)  # fmt: skip
        axis = g.constant(np.int32([1]))
        mean = g.op("Mean", x, axis, keep_dims=True)
        off = g.op("Sub", x, mean)
        spread = g.op("Mean", g.op("Square", off), axis, keep_dims=True)
        scale = g.op("Rsqrt", g.op("AddV2", spread, g.constant(np.float32(1e-5))))
        w, b = values(length), values(length)
        y = g.op("AddV2", g.op("Mul", g.op("Mul", off, scale), g.constant(w)), g.constant(b))
        centred = wide - wide.mean(1, keepdims=True)
        # The reductions of rows are outputs, too.
        g.expect(mean, wide.mean(1, keepdims=True), rtol=0, atol=1e-6)
        g.expect(spread, (centred**2).mean(1, keepdims=True), rtol=2e-6)
        exact = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
        g.expect(y, exact * w + b, rtol=0, atol=1e-5)
    i = g.input(random.integers(-1000, 1000, (2, 5, 70)).astype(np.int32))
    most = g.op("Max", i, g.constant(np.int32([1, 2])), keep_dims=True)
    g.expect(g.op("Sub", i, most), i.value - i.value.max((1, 2), keepdims=True))
    return g


def transposes():
    """Transposes use square tiles in shared memory, in sizes that no tile divides."""
    g = gpu()
    x = g.input(values(70, 100))
    turn = g.constant(np.int32([1, 0]))
    bias = values(70)
    y = g.op("Transpose", x, turn)
    g.expect(y, x.value.T)
    y = g.op("AddV2", g.op("Exp", y), g.constant(bias))
    g.expect(y, np.exp(np.float64(x.value.T)) + bias, rtol=0, atol=1e-6)
    i = g.input(random.integers(-9, 9, (2, 17, 3, 50)).astype(np.int16))
    for order in ((0, 3, 1, 2), (3, 2, 1, 0), (0, 3, 2, 1), (2, 0, 3, 1)):
        turn = g.constant(np.int32(order))
        g.expect(g.op("Transpose", i, turn), i.value.transpose(order))
    return g


def wide():
    """Four adjacent elements are computed at once. Rows are divisible by four or not, operands are
    broadcast, elements have several sizes, and tensors have any alignment."""
    g = gpu()
    for columns in (260, 257):
        x = g.input(values(260, columns))
        row, column = values(columns), values(260, 1)
        y = g.op("Mul", g.op("AddV2", x, g.constant(row)), g.constant(column))
        g.expect(y, (np.float64(x.value) + row) * column, rtol=0, atol=1e-6)
        y = g.op("Greater", y, g.constant(np.float32(0.25)))
        g.expect(y, (x.value + row) * column > 0.25)
    x = g.input(values(2 * 66000 + 1))
    for start in (0, 1, 66001):
        begin, size = (g.constant(np.int32([n])) for n in (start, 66000))
        part = g.op("Slice", x, begin, size)
        g.expect(g.op("Neg", part), -x.value[start : start + 66000])
    i = g.input(random.integers(-99, 99, (70, 1000)).astype(np.int8))
    g.expect(g.op("Cast", i, SrcT=np.int8, DstT=np.int64), np.int64(i.value))
    return g


def products():
    g = gpu()
    for m, k, n in ((64, 64, 64), (100, 40, 70), (17, 300, 33), (128, 16, 64)):
        a, b = g.input(values(m, k)), g.input(values(k, n))
        bias = g.constant(values(n))
        c = g.op("Relu", g.op("BiasAdd", g.op("MatMul", a, b), bias))
        exact = np.float64(a.value) @ np.float64(b.value) + np.float64(bias.value)
        g.expect(c, np.maximum(exact, 0), rtol=0, atol=1e-5 * k**0.5)
        w = g.constant(values(n, k))
        c = g.op("MatMul", a, w, transpose_b=True)
        g.expect(c, np.float64(a.value) @ np.float64(w.value).T, rtol=0, atol=1e-4)
    a, b = g.input(values(2, 3, 40, 50)), g.input(values(2, 3, 50, 60))
    c = g.op("BatchMatMulV2", a, b)
    g.expect(c, np.float64(a.value) @ np.float64(b.value), rtol=0, atol=1e-5)
    # Operands that are known only at run time are not packed.
    a, b = g.input(values(2, 50, 40)), g.input(values(2, 60, 50))
    exact = np.float64(a.value).swapaxes(1, 2) @ np.float64(b.value).swapaxes(1, 2)
    g.expect(g.op("BatchMatMulV2", a, b, adj_x=True, adj_y=True), exact, rtol=0, atol=1e-5)
    a, b = g.input(values(3, 50)), g.input(values(7, 50))
    exact = np.float64(a.value) @ np.float64(b.value).T
    g.expect(g.op("MatMul", a, b, transpose_b=True), exact, rtol=0, atol=1e-5)
    return g


def float16():
    """Matrix units multiply 16-bit floats."""
    g = gpu()
    for make in (lambda v: v.astype(np.float16), bf16):
        for m, k, n in ((64, 64, 64), (100, 40, 70), (17, 300, 65)):
            a, b = g.input(make(values(m, k))), g.input(make(values(k, n)))
            exact = np.float64(a.value) @ np.float64(b.value)
            g.expect(g.op("MatMul", a, b), exact, rtol=2**-8, atol=1e-4)
            b = g.constant(make(values(n, k)))
            exact = np.float64(a.value) @ np.float64(b.value).T
            g.expect(g.op("MatMul", a, b, transpose_b=True), exact, rtol=2**-8, atol=1e-4)
    a, b = (g.input(values(2, 50, 40).astype(np.float16)) for _ in range(2))
    exact = np.float64(a.value).swapaxes(1, 2) @ np.float64(b.value)
    g.expect(g.op("BatchMatMulV2", a, b, adj_x=True), exact, rtol=2**-10, atol=1e-4)
    x = g.input(values(1, 9, 9, 24).astype(np.float16))
    w = g.constant(values(1, 1, 24, 40).astype(np.float16))
    y = g.op("Conv2D", x, w, strides=[1, 1, 1, 1], padding="SAME")
    exact = np.float64(x.value) @ np.float64(w.value[0, 0])
    g.expect(y, exact, rtol=2**-10, atol=1e-4)
    return g


def rounded():
    """Products of f32 whose factors are rounded to tf32: to 10 bits, ties away from 0."""
    g = gpu("--precision=tf32")

    def tf32(x):
        bits = (x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
        return np.where(np.isnan(x), np.nan, np.float64(bits.view(np.float32)))

    for m, k, n in ((64, 64, 64), (100, 40, 70), (17, 300, 65)):
        left, right = values(m, k), values(k, n)
        left[0, :2] = np.uint32([0x3F801000, 0xBF803000]).view(np.float32)  # ties
        a, b = g.input(left), g.input(right)
        g.expect(g.op("MatMul", a, b), tf32(left) @ tf32(right), rtol=0, atol=2e-5)
        w = values(n, k)
        exact = tf32(left) @ tf32(w).T
        g.expect(g.op("MatMul", a, g.constant(w), transpose_b=True), exact, rtol=0, atol=2e-5)
    left, right = values(2, 50, 40), values(2, 50, 60)
    exact = tf32(left).swapaxes(1, 2) @ tf32(right)
    y = g.op("BatchMatMulV2", g.input(left), g.input(right), adj_x=True)
    g.expect(y, exact, rtol=0, atol=2e-5)
    left, right = np.ones((32, 32), np.float32), np.ones((32, 40), np.float32)
    left[:4, 5] = np.inf, -np.inf, np.nan, np.finfo(np.float32).max
    right[7, 9] = np.uint32(0x7FFFFFFF).view(np.float32)
    exact = tf32(left) @ tf32(right)  # the largest f32 rounds to infinity
    g.expect(g.op("MatMul", g.input(left), g.input(right)), exact, rtol=1e-6)
    # Few rows are no tile, and stay f32.
    a, b = g.input(values(3, 50)), g.input(values(50, 7))
    g.expect(g.op("MatMul", a, b), np.float64(a.value) @ np.float64(b.value), rtol=0, atol=1e-5)
    return g


def parts():
    """Blocks share the depth of few tiles with a great depth. The number of a GPU's processors
    determines the sizes of tiles, and operands have any alignment."""
    g = gpu()
    for make in (np.float32, lambda v: v.astype(np.float16)):
        for m, k, n in ((64, 2000, 64), (40, 3001, 36), (33, 1100, 47), (1, 1024, 1000),
                        (5, 700, 70), (300, 257, 3)):  # fmt: skip
            a, b = g.input(make(values(m, k))), g.input(make(values(k, n)))
            bias = make(values(n))
            y = g.op("BiasAdd", g.op("MatMul", a, b), g.constant(bias))
            exact = np.float64(a.value) @ np.float64(b.value) + np.float64(bias)
            g.expect(y, exact, rtol=2**-10, atol=6e-2 if make is not np.float32 else 1e-4)
    x = g.input(values(1 + 64 * 66))
    for start in (0, 1, 2, 4):
        begin, size = (g.constant(np.int32([i])) for i in (start, 64 * 64))
        a = g.op("Reshape", g.op("Slice", x, begin, size), g.constant(np.int32([64, 64])))
        exact = np.float64(x.value[start : start + 4096].reshape(64, 64))
        g.expect(g.op("MatMul", a, a), exact @ exact, rtol=0, atol=1e-4)
    return g


def begins():
    """An operand of 16-bit elements has an odd offset in the arena."""
    g = gpu()
    x = g.input(values(4097).astype(np.float16))
    y = g.op("Neg", x)
    for start in (1, 2, 4):
        size = g.constant(np.int32([4000]))
        part = g.op("Slice", y, g.constant(np.int32([start])), size)
        a = g.op("Reshape", part, g.constant(np.int32([50, 80])))
        exact = -np.float64(x.value[start : start + 4000].reshape(50, 80))
        z = g.op("MatMul", a, a, transpose_b=True)
        g.expect(z, exact @ exact.T, rtol=2**-10, atol=1e-3)
    return g


def large():
    g = gpu("--gpu-arch=sm_87")
    for make in (lambda v: v, lambda v: v.astype(np.float16)):
        for m, k, n in ((512, 48, 512), (300, 33, 520), (16, 40, 1000), (32, 64, 2048)):
            a, b = g.input(make(values(m, k))), g.input(make(values(k, n)))
            exact = np.float64(a.value) @ np.float64(b.value)
            g.expect(g.op("MatMul", a, b), exact, rtol=2**-10, atol=1e-4)
            b = g.constant(make(values(n, k)))
            exact = np.float64(a.value) @ np.float64(b.value).T
            g.expect(g.op("MatMul", a, b, transpose_b=True), exact, rtol=2**-10, atol=1e-4)
    return g


def convolutions():
    g = gpu()
    for size, inputs, outputs, stride, put in (
        (14, 16, 33, 1, g.constant), (15, 5, 64, 2, g.constant), (16, 24, 40, 1, g.input)
    ):
        x = g.input(values(2, size, size, inputs))
        w = put(values(3, 3, inputs, outputs))
        y = g.op("Conv2D", x, w, strides=[1, stride, stride, 1], padding="SAME")
        out = -(-size // stride)
        before = max((out - 1) * stride + 3 - size, 0) // 2
        padded = np.pad(np.float64(x.value), [(0, 0), (before, 3), (before, 3), (0, 0)])
        exact = sum(
            padded[:, i : i + out * stride : stride, j : j + out * stride : stride][:, :out, :out]
            @ np.float64(w.value[i, j])
            for i in range(3)
            for j in range(3)
        )
        g.expect(y, exact, rtol=0, atol=1e-4)
    # The kernel computes the weights itself, and blocks share a depth.
    x = g.input(values(1, 28, 28, 448))
    w = g.constant(np.full((1, 1, 448, 128), 0.02, np.float32))
    y = g.op("Conv2D", x, w, strides=[1, 1, 1, 1], padding="SAME")
    g.expect(y, np.float64(x.value) @ np.float64(w.value[0, 0]), rtol=0, atol=1e-4)
    return g


def doubles():
    """On a GPU weir has its own functions of f64."""
    g = gpu()
    x = np.concatenate([random.uniform(-3, 3, 500), [0.0, -0.0, 1, -1, 1e-300, 20]])
    big = np.concatenate([random.uniform(-1e5, 1e5, 200), [1e22, -1e300, 700]])
    unit, positive = np.clip(x / 3, -1, 1), np.abs(x) + 1e-9
    for name, function, at in (
        ("Exp", np.exp, x), ("Expm1", np.expm1, x), ("Log", np.log, positive),
        ("Log1p", np.log1p, positive), ("Sin", np.sin, big), ("Cos", np.cos, big),
        ("Tan", np.tan, x), ("Asin", np.arcsin, unit), ("Acos", np.arccos, unit),
        ("Atan", np.arctan, big), ("Sinh", np.sinh, x), ("Cosh", np.cosh, x),
        ("Tanh", np.tanh, x), ("Asinh", np.arcsinh, big), ("Atanh", np.arctanh, unit * 0.99),
        ("Acosh", np.arccosh, positive + 1),
    ):
        g.expect(g.op(name, g.input(at)), function(at), ulp=5)
    y = g.input(random.uniform(-40, 40, positive.shape))
    g.expect(g.op("Pow", g.input(positive), y), positive**y.value, ulp=3)
    g.expect(g.op("Atan2", y, g.input(x)), np.arctan2(y.value, x), ulp=4)
    m = g.input(random.uniform(0.1, 7, big.shape))
    g.expect(g.op("Mod", g.input(big), m), np.fmod(big, m.value))
    return g


main(rows, fused, transposes, wide, products, float16, rounded, parts, begins, large, convolutions, doubles)
