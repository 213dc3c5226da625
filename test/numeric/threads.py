"""Tests kernels that threads share: each is large enough, and its result has the same bits for any
number of threads, including more than the library was compiled for."""

import math

import numpy as np

from harness import Graph, main
from levels import host_levels

random = np.random.default_rng(9)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def convolved(x, f, stride, padding):
    """The reference in float64; the filter's channels determine the number of groups."""
    sizes, pads = [], [(0, 0)]
    for n, k in zip(x.shape[1:3], f.shape):
        sizes.append(-(-n // stride) if padding == "SAME" else (n - k) // stride + 1)
        need = max((sizes[-1] - 1) * stride + k - n, 0) if padding == "SAME" else 0
        pads.append((need // 2, need - need // 2))
    x = np.pad(x.astype(np.float64), pads + [(0, 0)])
    groups = x.shape[3] // f.shape[2]
    y = np.zeros((x.shape[0], *sizes, groups, f.shape[3] // groups))
    for i, j in np.ndindex(f.shape[:2]):
        at = x[:, i : i + (sizes[0] - 1) * stride + 1 : stride]
        at = at[:, :, j : j + (sizes[1] - 1) * stride + 1 : stride]
        at = at.reshape(*at.shape[:3], groups, 1, -1)
        weights = f[i, j].reshape(f.shape[2], groups, -1).transpose(1, 0, 2)
        y += (at @ weights)[..., 0, :]
    return y.reshape(*y.shape[:3], -1)


def graph(threads, *options):
    options = [f"--threads={threads}", *options]
    return Graph(fold=False, options=options, threads=[1, 2, 3, 4, 7])


def products():
    """Panels, rows, a vector, batches, and a right operand known only at run time."""
    g = graph(3)
    for left, right, fed in [
        ((128, 512), (512, 200), False),
        ((37, 2500), (2500, 72), False),
        ((600, 256), (256, 40), False),
        ((700, 300), (300, 2), False),
        ((1, 768), (768, 1024), False),
        ((300, 144), (144, 160), True),
        ((12, 64, 96), (12, 96, 64), True),
        ((2, 200, 100), (2, 100, 130), True),
    ]:
        a, b = g.input(normal(*left)), normal(*right)
        b = g.input(b) if fed else g.constant(b)
        op = "MatMul" if len(left) == 2 else "BatchMatMulV2"
        g.expect(g.op(op, a, b), a.value.astype(np.float64) @ b.value, rtol=1e-4, atol=1e-3)
    return g


def convolutions():
    """Images with and without padding; rows of tiles, panels, groups, and several images."""
    g = graph(3)
    for image, window, stride, padding in [
        ((1, 28, 28, 32), (3, 3, 32, 48), 1, "SAME"),
        ((1, 7, 7, 128), (3, 3, 128, 160), 1, "SAME"),
        ((1, 40, 40, 16), (2, 2, 16, 40), 1, "VALID"),
        ((5, 12, 12, 24), (3, 3, 24, 40), 1, "SAME"),
        ((2, 20, 20, 24), (3, 3, 24, 40), 2, "SAME"),
        ((1, 14, 14, 64), (3, 3, 16, 64), 1, "SAME"),
        # One panel has rows of tiles; images of one and two dimensions have few channels.
        ((1, 1, 2503, 12), (1, 5, 12, 30), 1, "SAME"),
        ((1, 1, 3001, 24), (1, 3, 24, 16), 2, "VALID"),
        ((1, 50, 51, 64), (3, 3, 64, 3), 1, "SAME"),
        ((1, 1, 4000, 40), (1, 7, 40, 1), 1, "SAME"),
    ]:
        x, f = g.input(normal(*image)), g.constant(normal(*window))
        y = g.op("Conv2D", x, f, strides=[1, stride, stride, 1], padding=padding)
        g.expect(y, convolved(x.value, f.value, stride, padding), rtol=1e-4, atol=1e-3)
    x, f = g.input(normal(2, 56, 56, 48)), g.constant(normal(3, 3, 48, 1))
    y = g.op("DepthwiseConv2dNative", x, f, strides=[1, 1, 1, 1], padding="SAME")
    filter = f.value.reshape(3, 3, 1, 48)
    g.expect(y, convolved(x.value, filter, 1, "SAME"), rtol=1e-4, atol=1e-4)
    return g


def loops():
    """Elementwise, rows, columns, moves and windows."""
    g = graph(2)
    x = g.input(normal(300, 700))
    wide = x.value.astype(np.float64)
    g.expect(g.op("Tanh", x), np.tanh(wide), rtol=1e-5, atol=1e-6)
    e = np.exp(wide - wide.max(1, keepdims=True))
    g.expect(g.op("Softmax", x), e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-7)
    value = normal(300, 700)
    value[[3, 5, 7, 9], [0, 695, 99, 8]] = np.nan, -np.nan, np.inf, -np.inf
    holed = g.input(value)
    for axis in 0, 1:
        axes = g.constant(np.int32([axis]))
        g.expect(g.op("Sum", x, axes, keep_dims=False), wide.sum(axis), rtol=1e-4, atol=1e-3)
        g.expect(g.op("Max", x, axes, keep_dims=False), x.value.max(axis))
        g.expect(g.op("Max", holed, axes, keep_dims=False), holed.value.max(axis))
        g.expect(g.op("Min", holed, axes, keep_dims=False), holed.value.min(axis))
    g.expect(g.op("Transpose", x, g.constant(np.int32([1, 0]))), x.value.T)
    y = g.input(normal(200, 900).astype(np.float64))
    g.expect(g.op("Exp", y), np.exp(y.value), ulp=2)
    line = g.input(normal(500009))
    g.expect(g.op("Sqrt", g.op("Square", line)), np.abs(line.value), ulp=1)
    at = g.input(random.integers(0, 300, 2000).astype(np.int32))
    rows = g.op("GatherV2", x, at, g.constant(np.int32(0)))
    g.expect(rows, x.value[at.value])
    image = g.input(normal(1, 112, 112, 32))
    windows = image.value.reshape(1, 56, 2, 56, 2, 32)
    size = [1, 2, 2, 1]
    pooled = g.op("MaxPool", image, ksize=size, strides=size, padding="VALID")
    g.expect(pooled, windows.max((2, 4)))
    return g


def rows():
    """Softmax, with partial blocks of rows; rows with infinities and NaNs, and only rows with NaNs
    are NaN."""
    g = graph(3)
    for shape in (300, 700), (97, 1003), (3, 5, 101, 130), (257, 17), (2, 9000), (64, 3):
        value = normal(*shape) * 10
        lines = value.reshape(-1, shape[-1])
        lines[1, 0], lines[-1, -1], lines[0, 2] = np.nan, np.inf, -np.inf
        x = g.input(value)
        wide = value.astype(np.float64)
        with np.errstate(all="ignore"):
            distance = wide - wide.max(-1, keepdims=True)
            e = np.exp(distance)
            total = e.sum(-1, keepdims=True)
        # The rounded distance from the maximum is an exponent.
        g.expect(g.op("Softmax", x), e / total, ulp=32, atol=1e-12)
        g.expect(g.op("LogSoftmax", x), distance - np.log(total), ulp=5, atol=1e-6)
    for shape in (150, 768), (3, 67, 130), (2, 5, 12, 96):
        x, scale, offset = (g.input(normal(*s)) for s in (shape, shape[-1:], shape[-1:]))
        axis = g.constant(np.int32([-1]))
        mean = g.op("Mean", x, axis, keep_dims=True)
        variance = g.op("Mean", g.op("SquaredDifference", x, mean), axis, keep_dims=True)
        inverse = g.op("Rsqrt", g.op("AddV2", variance, g.constant(np.float32(1e-5))))
        y = g.op("Mul", g.op("Sub", x, mean), g.op("Mul", inverse, scale))
        wide = x.value.astype(np.float64)
        norm = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
        g.expect(g.op("AddV2", y, offset), norm * scale.value + offset.value, atol=1e-5)
    return g


def searches():
    """Searches of long rows, a sort and a scatter, which one thread computes, run beside each
    other and beside a product. Some need the results of others."""
    g = graph(3)
    for k in 10, 3000:
        for _ in range(2):
            x, other = g.input(normal(200000)), g.input(normal(200000))
            order = np.argsort(-x.value, kind="stable")[:k]
            top, at = g.op("TopKV2", x, g.constant(np.int32(k)), outputs=2)
            g.expect(at, order.astype(np.int32))
            g.expect(top, x.value[order])
            taken = g.op("GatherV2", other, at, g.constant(np.int32(0)))
            ranked, places = g.op("TopKV2", taken, g.constant(np.int32(k)), outputs=2)
            again = np.argsort(-other.value[order], kind="stable")
            g.expect(places, again.astype(np.int32))
            g.expect(ranked, other.value[order][again])
    a, b = g.input(normal(256, 300)), g.constant(normal(300, 256))
    product = g.op("MatMul", a, b)
    g.expect(product, a.value.astype(np.float64) @ b.value, rtol=1e-4, atol=1e-3)
    indices = random.integers(0, 500, (60000, 1)).astype(np.int32)
    updates = random.integers(-9, 9, 60000).astype(np.float32)
    total = np.zeros(500, np.float32)
    np.add.at(total, indices[:, 0], updates)
    shape = g.constant(np.int32([500]))
    g.expect(g.op("ScatterNd", g.input(indices), g.input(updates), shape), total)
    return g


def epilogues():
    """Ops after a product with a reshape are its epilogue."""
    g = graph(3)
    x, w, b = g.input(normal(96, 64)), g.constant(normal(64, 48) / 8), g.constant(normal(48))
    shape, other = g.constant(np.int32([8, 12, 48])), g.input(normal(8, 12, 48))
    y = g.op("AddV2", g.op("Reshape", g.op("MatMul", x, w), shape), b)
    gate = g.op("Erf", g.op("Mul", y, g.constant(np.float32(0.5**0.5))))
    half = g.op("Mul", y, g.constant(np.float32(0.5)))
    gelu = g.op("Mul", half, g.op("AddV2", gate, g.constant(np.float32(1))))
    wide = (x.value.astype(np.float64) @ w.value).reshape(8, 12, 48) + b.value
    erf = np.vectorize(math.erf)
    soft = wide / 2 * (1 + erf(wide / 2**0.5))
    g.expect(gelu, soft, atol=1e-5)
    g.expect(g.op("AddV2", other, gelu), soft + other.value, atol=1e-5)
    return g


def attention():
    """Heads are adjacent in rows: lengths and depths have every remainder."""
    g = graph(3)
    for batch, length, heads, depth in (1, 128, 2, 64), (2, 50, 3, 40), (1, 77, 4, 16):
        shape = g.constant(np.int32([batch, length, heads, depth]))
        order = g.constant(np.int32([0, 2, 1, 3]))
        lines = [g.input(normal(batch, length, heads * depth)) for _ in range(3)]
        q, k, v = (g.op("Transpose", g.op("Reshape", x, shape), order) for x in lines)
        scores = g.op("BatchMatMulV2", q, k, adj_y=True)
        scale = g.constant(np.float32(depth**-0.5))
        weights = g.op("Softmax", g.op("Mul", scores, scale))
        y = g.op("Transpose", g.op("BatchMatMulV2", weights, v), order)
        q, k, v = (x.value.astype(np.float64).reshape(batch, length, heads, depth)
                   .transpose(0, 2, 1, 3) for x in lines)
        e = np.exp(q @ k.swapaxes(2, 3) * depth**-0.5)
        expected = (e / e.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)
        g.expect(y, expected, rtol=1e-4, atol=1e-5)
    return g


def row_groups():
    """Ops that need only their own rows run without barriers: products, a normalization, a
    softmax, a sum of two. Then an op needs all rows. Rows have one dimension, two, or a joined
    batch."""
    g = graph(3)
    for shape in (96, 64), (2, 48, 64), (1, 192, 64):
        x = g.input(normal(*shape))
        rows = g.constant(np.int32([-1, 64]))
        axis = g.constant(np.int32([-1]))
        wide = x.value.astype(np.float64)

        def normalized(v, value):
            mean = g.op("Mean", v, axis, keep_dims=True)
            variance = g.op("Mean", g.op("SquaredDifference", v, mean), axis, keep_dims=True)
            inverse = g.op("Rsqrt", g.op("AddV2", variance, g.constant(np.float32(1e-5))))
            value = value - value.mean(-1, keepdims=True)
            value = value / np.sqrt((value**2).mean(-1, keepdims=True) + 1e-5)
            return g.op("Mul", g.op("Sub", v, mean), inverse), value

        def multiplied(v, value, inner, outer):
            w, b = g.constant(normal(inner, outer) / 8), g.constant(normal(outer))
            v = g.op("BiasAdd", g.op("MatMul", v, w), b)
            return v, value @ w.value.astype(np.float64) + b.value

        y, wide = normalized(x, wide)
        y, wide = g.op("Reshape", y, rows), wide.reshape(-1, 64)
        first, first_wide = multiplied(y, wide, 64, 64)
        up, up_wide = multiplied(first, first_wide, 64, 160)
        down, down_wide = multiplied(g.op("Relu", up), np.maximum(up_wide, 0), 160, 64)
        # The results are consecutive in memory, and each has its own rows.
        both = g.op("ConcatV2", down, first, g.constant(np.int32(0)))
        g.expect(both, np.concatenate([down_wide, first_wide]), rtol=1e-3, atol=1e-3)
        y, wide = g.op("AddV2", first, down), first_wide + down_wide
        y, wide = normalized(y, wide)
        e = np.exp(wide - wide.max(-1, keepdims=True))
        g.expect(g.op("Softmax", y), e / e.sum(-1, keepdims=True), rtol=1e-3, atol=1e-5)
        y, wide = multiplied(y, wide, 64, 64)
        # A gathered operand, and the right side of a product, may use any row.
        at = random.permutation(len(wide))
        picked = g.op("GatherV2", y, g.constant(np.int32(at)), g.constant(np.int32(0)))
        g.expect(picked, wide[at], rtol=1e-3, atol=1e-3)
        g.expect(g.op("MatMul", y, y, transpose_b=True), wide @ wide.T, rtol=1e-3, atol=1e-3)
        total = g.op("Mean", y, g.constant(np.int32([0])), keep_dims=False)
        g.expect(total, wide.mean(0), rtol=1e-3, atol=1e-4)
    return g


def copied_groups():
    """Rows that share a set of L1 are copied one work item at a time."""
    g = graph(2)
    y = g.input(normal(64, 64))
    wide = y.value.astype(np.float64)
    for columns in (1024, 16, 64):
        w = normal(wide.shape[1], columns) / 8
        y, wide = g.op("Relu", g.op("MatMul", y, g.constant(w))), np.maximum(wide @ w, 0)
    g.expect(y, wide, rtol=1e-3, atol=1e-3)
    return g


def copied_slabs():
    """Rows share sets of L2. With few registers, their part of a slab of the depth is copied. Each
    thread has several chunks."""
    few = "x86-64-v3"
    g = graph(2, *[f"-mcpu={few}"] * (few in host_levels()))
    a, b = g.input(normal(1012, 4096)), normal(4096, 1056)
    exact = a.value.astype(np.float64) @ b
    g.expect(g.op("MatMul", a, g.constant(b)), exact, rtol=1e-4, atol=1e-3)
    return g


def largest():
    """Rows have adjacent maxima, including equal ones."""
    g = graph(3)
    for shape, k in (((64, 1000), 5), ((1, 37, 700), 20), ((3, 50, 300), 40)):
        x = g.input(np.round(normal(*shape), 2))
        order = np.argsort(-x.value, axis=-1, kind="stable")[..., :k]
        top, at = g.op("TopKV2", x, g.constant(np.int32(k)), outputs=2)
        g.expect(at, order.astype(np.int32))
        g.expect(top, np.take_along_axis(x.value, order, -1))
    return g


def transposes():
    """Rows of results share one set of L1, with partial transpose blocks."""
    g = graph(3)
    for shape, order in (((2, 16, 64, 20), (0, 3, 1, 2)), ((1, 128, 72, 37), (0, 3, 1, 2)),
                         ((8, 32, 64, 48), (3, 2, 1, 0)), ((1024, 40), (1, 0)), ((999, 1024), (1, 0))):
        x = g.input(normal(*shape))
        y = g.op("Transpose", x, g.constant(np.int32(order)))
        g.expect(g.op("Neg", y), -x.value.transpose(order))
    return g


main(products, convolutions, loops, rows, searches, epilogues, attention, row_groups,
     copied_groups, copied_slabs, largest, transposes)
