"""Tests reductions, products, windows and diagonals of tensors with sizes known only at run time.
Elements beyond the sizes are NaN if their type has one."""

import numpy as np
from harness import Graph, main
from opened import opened, values
from references import softmax


def reductions():
    g = Graph()
    x = values((3, 5))
    for open in [(0,), (1,), (0, 1)]:
        a = opened(g, x, open)
        for axes, keep in [((0,), False), ((1,), True), ((0, 1), False), ((-1, 0), True), ((), False)]:
            axis = g.constant(np.int32(axes).reshape(-1))
            of = dict(axis=axes, keepdims=keep)
            g.expect(g.op("Sum", a, axis, keep_dims=keep), np.sum(x, **of), ulp=2)
            g.expect(g.op("Prod", a, axis, keep_dims=keep), np.prod(x, **of), ulp=2)
            g.expect(g.op("Max", a, axis, keep_dims=keep), np.max(x, **of))
            g.expect(g.op("Min", a, axis, keep_dims=keep), np.min(x, **of))
            g.expect(g.op("Mean", a, axis, keep_dims=keep), np.mean(np.float64(x), **of), ulp=2)
        axis = g.constant(np.int32([1]))
        norms = np.sqrt(np.sum(np.float64(x) ** 2, axis=1))
        g.expect(g.op("EuclideanNorm", a, axis), norms, ulp=2)
        g.expect(g.op("L2Loss", a), np.sum(np.float64(x) ** 2) / 2, ulp=2)
    return g


def other_reductions():
    g = Graph()
    x = np.int32([[5, -3, 7], [2, 9, -8]])
    a, b = opened(g, x, (0, 1)), opened(g, x > 0, (0, 1))
    axis = g.constant(np.int32([1]))
    g.expect(g.op("Max", a, axis), np.max(x, 1))
    g.expect(g.op("Min", a, axis), np.min(x, 1))
    g.expect(g.op("Prod", a, axis), np.prod(x, 1))
    g.expect(g.op("Mean", a, axis), np.int32([3, 1]))
    g.expect(g.op("All", b, axis), np.all(x > 0, 1))
    g.expect(g.op("Any", b, axis), np.any(x > 0, 1))
    # There are means of f16 and bf16, and of no elements.
    h = np.float16([[1, 2, 4]])
    g.expect(g.op("Mean", opened(g, h, (1,)), axis), np.float64([7 / 3]), ulp=0)
    none = g.op("Fill", g.op("Pack", g.constant(np.int32(2)), g.input(np.int32(0))), g.input(np.float32(1)))
    g.expect(g.op("Sum", none, axis), np.zeros(2))
    g.expect(g.op("Max", none, axis), np.full(2, -np.inf))
    g.expect(g.op("Mean", none, axis), np.full(2, np.nan))
    return g


def places():
    g = Graph()
    x = values((3, 5))
    for open in [(0,), (1,), (0, 1)]:
        a = opened(g, x, open)
        for axis in (0, 1):
            at = g.constant(np.int32(axis))
            g.expect(g.op("ArgMax", a, at), np.argmax(x, axis))
            g.expect(g.op("ArgMin", a, at, output_type=np.int32), np.int32(np.argmin(x, axis)))
    # A NaN is at no index.
    none = opened(g, np.full((1, 2), np.nan, np.float32), (1,))
    g.expect(g.op("ArgMax", none, g.constant(np.int32(1))), np.int64([0]))
    return g


def nowhere():
    g = Graph(fold=False)
    none = g.op("Fill", g.op("Pack", g.constant(np.int32(2)), g.input(np.int32(0))), g.input(np.float32(1)))
    g.expect(g.op("ArgMax", none, g.constant(np.int32(1))), np.int64([0, 0]))
    g.fails("finds no element along axis 1")
    return g


def cumulative():
    g = Graph()
    x = values((3, 5))
    for open in [(0,), (0, 1)]:
        a = opened(g, x, open)
        for axis in (0, 1):
            at = g.constant(np.int32(axis))
            g.expect(g.op("Cumsum", a, at), np.cumsum(x, axis), ulp=2)
            g.expect(g.op("Cumprod", a, at), np.cumprod(x, axis), ulp=2)
            back = np.flip(np.cumsum(np.flip(x, axis), axis), axis)
            g.expect(g.op("Cumsum", a, at, reverse=True), back, ulp=2)
            g.expect(g.op("Cumsum", a, at, reverse=True, exclusive=True), back - x, ulp=2)
            logs = np.log(np.cumsum(np.exp(np.float64(x)), axis))
            g.expect(g.op("CumulativeLogsumexp", a, at), logs, atol=1e-6, rtol=1e-6)
    return g


def probabilities():
    g = Graph()
    x = values((3, 5))
    y = softmax(x)
    for open in [(0,), (1,), (0, 1)]:
        a = opened(g, x, open)
        g.expect(g.op("Softmax", a), y, rtol=1e-5)
        g.expect(g.op("LogSoftmax", a), np.log(y), rtol=1e-5)
    labels = np.float32([[0, 1, 0, 0, 0], [0, 0, 0.5, 0.5, 0], [1, 0, 0, 0, 0]])
    a = opened(g, x, (0,))
    loss = -np.sum(labels * np.log(y), 1)
    for b in (opened(g, labels, (0,)), g.input(labels)):
        got = g.op("SoftmaxCrossEntropyWithLogits", a, b, outputs=2)
        g.expect(got[0], loss, rtol=1e-5)
        g.expect(got[1], y - labels, rtol=1e-5, atol=1e-6)
    picked = opened(g, np.int32([1, 4, 0]), (0,))
    got = g.op("SparseSoftmaxCrossEntropyWithLogits", a, picked, outputs=2)
    g.expect(got[0], -np.log(y)[[0, 1, 2], [1, 4, 0]], rtol=1e-5)
    return g


def products():
    g = Graph()
    x, y = values((3, 5)), values((5, 4)) + 1
    z = np.float64(x) @ y
    for left in [(0,), (1,), (0, 1)]:
        for right in [(), (0,), (1,), (0, 1)]:
            a, b = opened(g, x, left), opened(g, y, right)
            g.expect(g.op("MatMul", a, b), z, rtol=1e-5)
    a, b = opened(g, x.T, (0, 1)), opened(g, y.T, (0, 1))
    g.expect(g.op("MatMul", a, b, transpose_a=True, transpose_b=True), z, rtol=1e-5)
    x, y = values((2, 3, 5)), values((2, 5, 4)) + 1
    z = np.float64(x) @ y
    for left, right in [((0,), (0,)), ((0, 1), ()), ((2,), (0, 1)), ((0, 1, 2), (0, 1, 2))]:
        a, b = opened(g, x, left), opened(g, y, right)
        g.expect(g.op("BatchMatMulV2", a, b), z, rtol=1e-5)
    a = opened(g, x, (0, 2))
    g.expect(g.op("BatchMatMulV2", a, g.input(y[0])), np.float64(x) @ y[0], rtol=1e-5)
    return g


def sums_of_products():
    g = Graph()
    x, y = values((2, 3, 5)), values((5, 4, 2)) + 1
    for equation, left, right in [
        ("abc,cde->abde", (0, 1), (1,)),
        ("abc,cde->abde", (2,), (0, 2)),
        ("abc,cda->bd", (0, 1, 2), (0, 1, 2)),
        ("abc,cda->dca", (0,), (2,)),
    ]:
        a, b = opened(g, x, left), opened(g, y, right)
        z = np.einsum(equation, np.float64(x), y)
        g.expect(g.op("Einsum", a, b, equation=equation), z, rtol=1e-5, atol=1e-4)
    return g


def products_differ():
    g = Graph(fold=False)
    a, b = opened(g, values((3, 5)), (1,)), opened(g, values((4, 2)), (0,))
    g.expect(g.op("MatMul", a, b), values((3, 2)))
    g.fails("rows and columns differ in size")
    return g


def norms():
    g = Graph()
    x = values((2, 3, 4, 5))
    scale, offset, mean, variance = (np.float32([1, 2, 3, 4, 5]) / k for k in (1, 2, 3, 4))
    a = opened(g, x, (0, 1, 2))
    y = g.op("FusedBatchNormV3", a, *(g.input(v) for v in (scale, offset, mean, variance)),
             outputs=6, is_training=False, epsilon=0.001)
    ours = (np.float64(x) - mean) / np.sqrt(variance + 0.001) * scale + offset
    g.expect(y[0], ours, rtol=1e-4, atol=1e-4)
    g.expect(y[1], mean)
    return g


def crops():
    g = Graph()
    images = values((2, 5, 6, 2))
    boxes = np.float32([[0, 0, 1, 1], [0.5, 0, 1, 0.4]])
    # The corners of the image and of its lower left part were computed by hand.
    first = images[1][np.ix_([0, 4], [0, 5])]
    second = images[0][np.ix_([2, 4], [0, 2])]
    a, b = opened(g, boxes, (0,)), opened(g, np.int32([1, 0]), (0,))
    y = g.op("CropAndResize", g.input(images), a, b, g.constant(np.int32([2, 2])))
    g.expect(y, np.stack([first, second]), rtol=1e-5, atol=1e-5)
    return g


def colors():
    g = Graph()
    x = (values((2, 3, 4, 3)) + 5) / 16
    center = np.mean(np.float64(x), axis=(1, 2), keepdims=True)
    for open in [(0,), (1,), (0, 1, 2)]:
        a = opened(g, x, open)
        y = g.op("AdjustContrastv2", a, g.input(np.float32(1.5)))
        g.expect(y, (x - center) * 1.5 + center, rtol=1e-5, atol=1e-5)
        g.expect(g.op("HSVToRGB", g.op("RGBToHSV", a)), x, rtol=1e-5, atol=1e-5)
    return g


def marks():
    g = Graph()
    x = np.int32([2, 0, 5])
    y = np.float32([[0, 0, 3, 0], [3, 0, 0, 0], [0, 0, 0, 0]])
    on, off = g.input(np.float32(3)), g.input(np.float32(0))
    for a, depth in [
        (opened(g, x, (0,)), g.constant(np.int32(4))),
        (opened(g, x, (0,)), g.input(np.int32(4))),
        (g.input(x), g.input(np.int32(4))),
    ]:
        g.expect(g.op("OneHot", a, depth, on, off), y)
        g.expect(g.op("OneHot", a, depth, on, off, axis=0), y.T)
    return g


def largest():
    g = Graph()
    x = values((3, 5))
    order = np.argsort(-x, axis=1, kind="stable")
    for open, k in [((0,), 2), ((1,), 5), ((0, 1), 3)]:
        a = opened(g, x, open)
        for count in (g.constant(np.int32(k)), g.input(np.int32(k))):
            top = g.op("TopKV2", a, count, outputs=2)
            g.expect(top[0], np.take_along_axis(x, order, 1)[:, :k])
            g.expect(top[1], np.int32(order[:, :k]))
    a, b = opened(g, x, (0,)), opened(g, np.int32([2, 1, 0]), (0,))
    above = np.sum(x > x[[0, 1, 2], [2, 1, 0]][:, None], 1)
    g.expect(g.op("InTopKV2", a, b, g.input(np.int32(2))), above < 2)
    return g


def too_many():
    g = Graph(fold=False)
    top = g.op("TopKV2", opened(g, values((2, 3)), (1,)), g.input(np.int32(4)), outputs=2)
    g.expect(top[0], values((2, 4)))
    g.fails("takes more than there are in a row")
    return g


def diagonals():
    g = Graph()
    x, d = values((2, 3, 4)), values((2, 3)) + 20
    batch = np.arange(2)[:, None]
    i = np.arange(3)[None]
    y = x.copy()
    y[batch, i, i] = d
    for open, of in [((0,), (0,)), ((1,), ()), ((1, 2), (1,)), ((0, 1, 2), (0, 1))]:
        a, b = opened(g, x, open), opened(g, d, of)
        g.expect(g.op("MatrixSetDiag", a, b), y)
        g.expect(g.op("MatrixDiagPart", a), x[batch, i, i])
        g.expect(g.op("MatrixBandPart", a, g.constant(np.int32(0)), g.constant(np.int32(1))),
                 np.triu(np.tril(x, 1)))
    for of in [(0,), (1,), (0, 1)]:
        b = opened(g, d, of)
        square = np.zeros((2, 3, 3), np.float32)
        square[batch, i, i] = d
        g.expect(g.op("MatrixDiag", b), square)
        wide = np.zeros((2, 4, 4), np.float32)
        wide[batch, i, i + 1] = d
        rest = [g.constant(np.int32(v)) for v in (1, -1, -1)] + [g.constant(np.float32(0))]
        g.expect(g.op("MatrixDiagV3", b, *rest, align="RIGHT_LEFT"), wide)
    a, b = opened(g, x, (0, 1, 2)), opened(g, d, (0, 1))
    y = x.copy()
    y[batch, i, i + 1] = d
    g.expect(g.op("MatrixSetDiagV3", a, b, g.constant(np.int32(1)), align="RIGHT_LEFT"), y)
    return g


main(reductions, other_reductions, places, nowhere, cumulative, probabilities, products,
     sums_of_products, products_differ, norms, crops, colors, marks, largest, too_many, diagonals)  # fmt: skip
