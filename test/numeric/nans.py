"""Tests NaN among operands of maxima, minima and their indices. The references are NumPy for ONNX,
and the CPU kernels with Eigen for TensorFlow.

Rows are shorter and longer than a vector, and each part of them has a NaN.
"""

import numpy as np
from harness import Graph, bf16, main
from onnx_graph import OnnxGraph

np.seterr(all="ignore")
rng = np.random.default_rng(3)
NAN, INF = np.nan, np.inf
TYPES = ["f16", "bf16", "f32", "f64"]
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def rows(columns):
    """Rows without NaN, with one at each index, with several, with only NaN, and with infinities
    beside it."""
    x = rng.integers(-9, 9, (columns + 9, columns)).astype(np.float64)
    for place in range(columns):
        x[place, place] = NAN
    x[columns, ::3] = NAN
    x[columns + 1] = NAN
    x[columns + 2], x[columns + 2, 0] = -INF, NAN
    x[columns + 3], x[columns + 3, -1] = INF, NAN
    x[columns + 4], x[columns + 5] = -INF, INF
    x[columns + 6, columns // 2 :] = -NAN
    return x


def typed(x, type):
    return bf16(x) if type == "bf16" else x.astype(DTYPES[type])


def eigens_index(x, sign):
    """A search from index 0 and the lowest finite number, with comparisons."""
    best, place = np.full(x.shape[0], -np.finfo(np.float32).max), np.zeros(x.shape[0], np.int64)
    for column in range(x.shape[1]):
        further = sign * x[:, column] > best
        best, place = np.where(further, sign * x[:, column], best), np.where(further, column, place)
    return place


def onnx_indices():
    g = OnnxGraph(opset=13)
    for type in TYPES:
        for columns in (1, 5, 8, 37):
            v = rows(columns)
            for x, axis in ((g.input(typed(v, type)), 1), (g.input(typed(v.T.copy(), type)), 0)):
                for op, search in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
                    first, last = search(v, 1), columns - 1 - search(v[:, ::-1], 1)
                    g.expect(g.op(op, x, axis=axis, keepdims=0), first, type=np.int64)
                    g.expect(g.op(op, x, axis=axis, keepdims=0, select_last_index=1), last, type=np.int64)
        v = rows(5)
        wanted = (np.arange(5) == np.argmax(v, 1)[:, None]).astype(np.float64)
        g.expect(g.op("Hardmax", g.input(typed(v, type)), axis=1), wanted)
    return g


def tensorflow_indices():
    g = Graph()
    for type in TYPES:
        for columns in (1, 5, 8, 37):
            v = rows(columns)
            for x, axis in ((g.input(typed(v, type)), 1), (g.input(typed(v.T.copy(), type)), 0)):
                for op, sign in (("ArgMax", 1), ("ArgMin", -1)):
                    place = g.op(op, x, g.constant(np.int32(axis)))
                    g.expect(place, eigens_index(v, sign), type=np.int64)
    return g


def onnx_extremes():
    """NaN wins in any operand."""
    g = OnnxGraph(opset=13)
    for type in TYPES:
        for columns in (1, 5, 8, 37):
            v = rows(columns)
            x, y = g.input(typed(v, type)), g.input(typed(v[::-1].copy(), type))
            for axis in (0, 1):
                g.expect(g.op("ReduceMax", x, axes=[axis], keepdims=0), v.max(axis))
                g.expect(g.op("ReduceMin", x, axes=[axis], keepdims=0), v.min(axis))
            g.expect(g.op("Max", x, y), np.maximum(v, v[::-1]))
            g.expect(g.op("Min", x, y), np.minimum(v, v[::-1]))
            g.expect(g.op("Relu", x), np.maximum(v, 0))
            low, high = g.constant(typed(np.array(-2.0), type)), g.constant(typed(np.array(3.0), type))
            g.expect(g.op("Clip", x, low, high), np.clip(v, -2, 3))
            g.expect(g.op("Clip", x, g.constant(typed(np.array(NAN), type))), np.full(v.shape, NAN))
            g.expect(g.op("LeakyRelu", x, alpha=0.5), np.where(v > 0, v, v * 0.5))
            g.expect(g.op("PRelu", x, low), np.where(v > 0, v, v * -2))
            g.expect(g.op("Sign", x), np.sign(v))
            # These compare, and comparisons with NaN are false.
            g.expect(g.op("ThresholdedRelu", x, alpha=1.0), np.where(v > 1, v, 0))
            g.expect(g.op("Shrink", x, lambd=1.0), np.where(v < -1, v, np.where(v > 1, v, 0)))
    return g


def tensorflow_extremes():
    g = Graph()
    for type in TYPES:
        for columns in (1, 5, 8, 37):
            v = rows(columns)
            x, y = g.input(typed(v, type)), g.input(typed(v[::-1].copy(), type))
            for axis in (0, 1):
                g.expect(g.op("Max", x, g.constant(np.int32([axis]))), v.max(axis))
                g.expect(g.op("Min", x, g.constant(np.int32([axis]))), v.min(axis))
            g.expect(g.op("Maximum", x, y), np.maximum(v, v[::-1]))
            g.expect(g.op("Minimum", x, y), np.minimum(v, v[::-1]))
            g.expect(g.op("Relu", x), np.maximum(v, 0))
            g.expect(g.op("Relu6", x), np.clip(v, 0, 6))
            g.expect(g.op("Sign", x), np.sign(v))
            low, high = g.constant(typed(np.array(-2.0), type)), g.constant(typed(np.array(3.0), type))
            g.expect(g.op("ClipByValue", x, low, high), np.clip(v, -2, 3))
            g.expect(g.op("LeakyRelu", x, alpha=0.5), np.where(v > 0, v, v * 0.5))
    return g


def images(type):
    x = rng.integers(-9, 9, (2, 6, 7, 19)).astype(np.float64)
    x[0, 2, 3, ::2] = x[0, 5, 6] = x[1, 0, 0, 18] = NAN
    x[1, 3] = -INF
    x[1, 3, 4] = NAN
    return x, typed(x, type)


def windows(x, size, stride):
    seen = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))
    return seen[:, ::stride, ::stride].max((-1, -2))


def pools():
    """A maximum of a window with NaN is NaN, in both."""
    g, h = Graph(), OnnxGraph(opset=13)
    for type in TYPES:
        v, x = images(type)
        first = np.moveaxis(v, 3, 1)
        a, b = g.input(x), h.input(typed(first.copy(), type))
        for size, stride in ((2, 2), (3, 1)):
            wanted = windows(v, size, stride)
            how = dict(ksize=[1, size, size, 1], strides=[1, stride, stride, 1], padding="VALID")
            g.expect(g.op("MaxPool", a, **how), wanted)
            y = h.op("MaxPool", b, kernel_shape=[size] * 2, strides=[stride] * 2)
            h.expect(y, np.moveaxis(wanted, 3, 1))
        h.expect(h.op("GlobalMaxPool", b), first.max((2, 3), keepdims=True))
    return g, h


def places_of_pools():
    """An ordered comparison finds NaN only if it is first."""
    g = OnnxGraph(opset=13)
    x = np.float32([[[1, NAN, 3, 2], [NAN, 5, 6, 7]]])
    _, at = g.op("MaxPool", g.input(x), outputs=2, kernel_shape=[4], strides=[4])
    g.expect(at, np.int64([[[2], [4]]]), type=np.int64)
    return g


def shares():
    """A NaN makes its row of a softmax NaN, and no other."""
    g, h = Graph(), OnnxGraph(opset=13)
    for type in TYPES:
        for columns in (5, 37):
            v = rows(columns)
            v = np.where(np.isinf(v), 1, v)
            e = np.exp(v - v.max(1, keepdims=True))
            wanted = e / e.sum(1, keepdims=True)
            g.expect(g.op("Softmax", g.input(typed(v, type))), wanted, rtol=2e-2)
            h.expect(h.op("Softmax", h.input(typed(v, type))), wanted, rtol=2e-2)
    return g, h


def ordered():
    """A NaN is greater than each number, and the first of several counts."""
    g, h = Graph(), OnnxGraph(opset=13)
    for type in TYPES:
        for columns in (5, 37):
            v = rows(columns)
            up = np.argsort(v, 1, kind="stable")
            key = np.where(np.isnan(v), 2.0**200, np.where(np.isinf(v), np.sign(v) * 2.0**100, v))
            down = np.argsort(-key, 1, kind="stable")
            x, k = h.input(typed(v, type)), h.constant(np.int64([4]))
            for largest, order in ((1, down), (0, up)):
                values, places = h.op("TopK", x, k, outputs=2, largest=largest)
                h.expect(values, np.take_along_axis(v, order, 1)[:, :4])
                h.expect(places, order[:, :4], type=np.int64)
            values, places = g.op("TopKV2", g.input(typed(v, type)), g.constant(np.int32(4)), outputs=2)
            g.expect(values, np.take_along_axis(v, down, 1)[:, :4])
            g.expect(places, down[:, :4], type=np.int32)
    return g, h


def choices():
    """A choice that drops NaN, after one by the same bounds that passes it on."""
    v = rows(37)
    byte = np.clip(np.nan_to_num(v, posinf=255, neginf=0), 0, 255)
    g = Graph()
    for type in ("f32", "f64"):
        x, zero, top = (g.input(typed(np.float64(n), type)) for n in (v, 0, 255))
        known = [g.constant(typed(np.float64(n), type)) for n in (0, 255)]
        for low, high in ((zero, top), known):
            clipped = g.op("ClipByValue", x, low, high)
            codes = g.op("Cast", clipped, SrcT=type, DstT="u8")
            g.expect(g.op("Cast", codes, SrcT="u8", DstT=type), byte)
            chosen = g.op("SelectV2", g.op("Greater", clipped, low), clipped, low)
            g.expect(chosen, np.where(v > 0, byte, 0))
            chosen = g.op("SelectV2", g.op("Less", clipped, high), clipped, high)
            g.expect(chosen, np.where(v < 255, byte, 255))
    return g


def first(of):
    case = lambda: of()[0]  # noqa: E731
    case.__name__ = f"tensorflow_{of.__name__}"
    return case


def second(of):
    case = lambda: of()[1]  # noqa: E731
    case.__name__ = f"onnx_{of.__name__}"
    return case


if __name__ == "__main__":
    main(onnx_indices, tensorflow_indices, onnx_extremes, tensorflow_extremes,
         first(pools), second(pools), places_of_pools, first(shares), second(shares),
         first(ordered), second(ordered), choices)  # fmt: skip
