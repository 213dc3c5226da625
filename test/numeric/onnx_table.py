"""Tests ONNX nodes that are one op each, and those of the smaller families: a table of NumPy's
functions, and loops over positions and trees."""

import math
import statistics

import numpy as np
from onnx_graph import Body, OnnxGraph, main

rng = np.random.default_rng(31)
near = dict(rtol=1e-5, atol=1e-6)
ml = dict(domain="ai.onnx.ml")


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def i64(*values):
    return np.int64(values)


def erf(x):
    return np.vectorize(math.erf)(x)


# Name, function of f64, and its arguments.
FUNCTIONS = [
    ("Abs", np.abs, -3, 3), ("Acos", np.arccos, -1, 1), ("Acosh", np.arccosh, 1, 9),
    ("Asin", np.arcsin, -1, 1), ("Asinh", np.arcsinh, -9, 9), ("Atan", np.arctan, -9, 9),
    ("Atanh", np.arctanh, -0.99, 0.99), ("Ceil", np.ceil, -3, 3), ("Cosh", np.cosh, -4, 4),
    ("Cos", np.cos, -9, 9), ("Erf", erf, -3, 3), ("Exp", np.exp, -9, 9), ("Floor", np.floor, -3, 3),
    ("Log", np.log, 0.01, 9), ("Neg", np.negative, -3, 3), ("Reciprocal", lambda x: 1 / x, 0.5, 4),
    ("Relu", lambda x: np.maximum(x, 0), -3, 3), ("Round", np.rint, -4, 4),
    ("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), -9, 9), ("Sign", np.sign, -3, 3), ("Sin", np.sin, -9, 9),
    ("Sinh", np.sinh, -4, 4), ("Softplus", lambda x: np.log1p(np.exp(x)), -9, 9),
    ("Softsign", lambda x: x / (1 + np.abs(x)), -3, 3), ("Sqrt", np.sqrt, 0, 9),
    ("Tan", np.tan, -1.4, 1.4), ("Tanh", np.tanh, -4, 4),
]  # fmt: skip


def functions():
    g = OnnxGraph(opset=22)
    for type, rtol in ((np.float32, 4e-6), (np.float64, 1e-14), (np.float16, 2e-3)):
        for name, function, low, high in FUNCTIONS:
            a = type(np.linspace(low, high, 29))
            g.expect(g.op(name, g.input(a)), function(a.astype(np.float64)), rtol=rtol, atol=rtol)
    odd = np.float32([1, np.nan, np.inf, -np.inf])
    g.expect(g.op("IsNaN", g.input(odd)), np.isnan(odd))
    return g


def pairs():
    """Ops of two operands, one of which is repeated along a dimension."""
    g = OnnxGraph(opset=18)
    integers = rng.integers(-9, 9, (3, 4)).astype(np.int32), rng.integers(1, 5, (4,)).astype(np.int32)
    floats = np.float32(integers[0] / 2), np.float32(integers[1])
    for a, b in (integers, floats):
        x, y = g.input(a), g.input(b)
        for name, function in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Min", np.minimum),
                               ("Sum", np.add), ("Equal", np.equal), ("Greater", np.greater), ("Less", np.less),
                               ("GreaterOrEqual", np.greater_equal), ("LessOrEqual", np.less_equal)):  # fmt: skip
            if name != "Sum" or a is floats[0]:
                g.expect(g.op(name, x, y), function(a, b))
    a, b = np.uint8([[1, 250, 7], [12, 0, 255]]), np.uint8([3, 170, 15])
    x, y = g.input(a), g.input(b)
    for name, function in (("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or), ("BitwiseXor", np.bitwise_xor)):
        g.expect(g.op(name, x, y), function(a, b))
    g.expect(g.op("BitwiseNot", x), ~a)
    p, q = np.array([[True, False], [False, True]]), np.array([True, False])
    u, v = g.input(p), g.input(q)
    for name, function in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
        g.expect(g.op(name, u, v), function(p, q))
    g.expect(g.op("Not", u), ~p)
    m = f32(2, 2)
    g.expect(g.op("Where", u, g.input(m), g.constant(np.float32(7))), np.where(p, m, 7))
    return g


def along():
    g = OnnxGraph(opset=26)
    a = f32(3, 4)
    x, d = g.input(a), a.astype(np.float64)
    g.expect(g.op("ArgMin", x, axis=1, keepdims=0), a.argmin(1))
    g.expect(g.op("ReduceLogSum", g.op("Exp", x), g.constant(i64(1)), keepdims=0), np.log(np.exp(d).sum(1)), **near)
    g.expect(g.op("CumProd", x, g.input(i64(1)[0]), exclusive=1), np.cumprod(np.pad(d, ((0, 0), (1, 0)), constant_values=1), 1)[:, :4], **near)
    g.expect(g.op("Constant", value_floats=[1.5, 2.5]), np.float32([1.5, 2.5]))
    g.expect(g.op("HammingWindow", g.constant(i64(9)[0]), periodic=0), 25 / 46 - 21 / 46 * np.cos(2 * np.pi * np.arange(9) / 8), **near)
    cache, update, first = f32(2, 5, 3), f32(2, 2, 3), i64(3, 4)
    for mode, starts in (("circular", first), ("linear", i64(0, 3))):
        wanted = cache.copy()
        for n, start in enumerate(starts):
            for k in range(2):
                wanted[n, (start + k) % 5] = update[n, k]
        g.expect(g.op("TensorScatter", g.input(cache), g.input(update), g.input(starts), mode=mode), wanted)
    return g


def of_old():
    """Later versions removed or renamed these ops."""
    g = OnnxGraph(opset=10)
    a = f32(3, 4)
    x = g.input(a)
    starts, ends, axes = (g.constant(i64(*v)) for v in ((1, 0), (3, -1), (0, 1)))
    g.expect(g.op("DynamicSlice", x, starts, ends, axes), a[1:3, 0:-1])
    at, rows = np.int64([[0, 2, 1, 0]]), f32(1, 4)
    wanted = a.copy()
    np.put_along_axis(wanted, at, rows, 0)
    g.expect(g.op("Scatter", x, g.input(at), g.input(rows), axis=0), wanted)
    return g


def masks(opset):
    """Dropout's mask in inference, which keeps all: of the input's type before opset 10."""

    def build():
        g = OnnxGraph(opset=opset)
        a = f32(3, 4)
        options = dict(ratio=0.25) if opset < 12 else {}
        y, mask = g.op("Dropout", g.input(a), outputs=2, **options)
        g.expect(y, a)
        g.expect(mask, np.ones((3, 4), np.float32 if opset < 10 else bool))
        return g

    build.__name__ = f"masks_of_{opset}"
    return build


def of_first():
    """Opsets before 6 had other definitions, and experimental ops."""
    g = OnnxGraph(opset=1)
    a = f32(1, 3, 4, 6)
    x, d = g.input(a), a.astype(np.float64)
    g.expect(g.op("Cast", x, to="INT32"), a.astype(np.int32), type=np.int32)
    g.expect(g.op("Tile", x, g.constant(i64(3)[0]), g.constant(i64(2)[0])), np.tile(a, (1, 1, 3, 1)))
    windows = np.abs(d).reshape(1, 3, 2, 2, 3, 2)
    g.expect(g.op("LpPool", x, kernel_shape=[2, 2], strides=[2, 2], p=3.0), (windows**3).sum((3, 5)) ** (1 / 3), **near)
    g.expect(g.op("GlobalLpPool", x, p=1.0), np.abs(d).sum((2, 3), keepdims=True), **near)
    channels, row = f32(3), f32(6)
    y = g.op("Add", x, g.input(channels), broadcast=1, axis=1)
    g.expect(y, a + channels[:, None, None], ulp=1)
    g.expect(g.op("Pow", g.op("Abs", x), g.input(np.abs(row)), broadcast=1), np.abs(d) ** np.abs(row), **near)
    g.expect(g.op("Concat", x, x), np.concatenate([a, a], 1))
    g.expect(g.op("Affine", x, alpha=2.0, beta=-0.5), 2 * d - 0.5, **near)
    g.expect(g.op("Scale", x, scale=0.25), d / 4, **near)
    g.expect(g.op("ScaledTanh", x, alpha=2.0, beta=0.5), 2 * np.tanh(d / 2), **near)
    g.expect(g.op("ParametricSoftplus", x, alpha=2.0, beta=0.5), 2 * np.log1p(np.exp(d / 2)), **near)
    y = g.op("ImageScaler", x, scale=2.0, bias=[0.5, 1.0, -1.0])
    g.expect(y, 2 * d + np.reshape([0.5, 1, -1], (3, 1, 1)), **near)
    g.expect(g.op("Crop", x, border=[1, 0, 2, 1]), a[:, :, 0:3, 1:4])
    g.expect(g.op("Crop", x, border=[1, 1, 0, 0], scale=[2, 3]), a[:, :, 1:3, 1:4])
    return g


def losses():
    g = OnnxGraph(opset=13)
    a, t, w = f32(2, 3, 4), np.int64([[0, 2, 1, 2], [1, 1, 0, 2]]), np.float32([0.5, 1, 2])
    x, target, weights = g.input(a), g.input(t), g.input(w)
    picked = -np.take_along_axis(a.astype(np.float64), t[:, None], 1)[:, 0]
    g.expect(g.op("NegativeLogLikelihoodLoss", x, target, reduction="none"), picked)
    y = g.op("NegativeLogLikelihoodLoss", x, target, weights, ignore_index=2)
    share = np.where(t == 2, 0, w[t])
    g.expect(y, (picked * share).sum() / share.sum(), **near)
    return g


def random():
    """Random numbers are in their range, with the requested mean and deviation."""
    g = OnnxGraph(fold=False)
    y = g.op("RandomUniform", shape=[4096], low=2.0, high=4.0, seed=3.0)
    inside = g.op("And", g.op("Less", y, g.constant(np.float32(4))), g.op("Less", g.constant(np.float32(1.999)), y))
    g.expect(inside, np.ones(4096, bool))
    g.expect(g.op("ReduceMean", y, keepdims=0), 3.0, atol=0.05)
    z = g.op("RandomNormalLike", y, mean=1.0, scale=2.0, seed=5.0)
    g.expect(g.op("ReduceMean", z, keepdims=0), 1.0, atol=0.15)
    g.expect(g.op("ReduceMean", g.op("Mul", z, z), keepdims=0), 5.0, atol=0.6)
    return g


def sequences():
    g = OnnxGraph(opset=17, fold=False)
    a, b, c = f32(2, 3), f32(2, 3), f32(2, 3)
    x, y, z = g.input(a), g.input(b), g.input(c)
    s = g.op("SequenceInsert", g.op("SequenceConstruct", x, y), z, g.constant(np.int64(1)))
    g.expect(g.op("SequenceLength", s), np.int64(3))
    g.expect(g.op("SequenceAt", s, g.input(np.int64(-2))), c)
    g.expect(g.op("ConcatFromSequence", s, axis=0, new_axis=1), np.stack([a, c, b]))
    left = g.op("SequenceErase", s, g.constant(np.int64(0)))
    g.expect(g.op("ConcatFromSequence", left, axis=1), np.concatenate([c, b], 1))
    one = g.op("SequenceInsert", g.op("SequenceEmpty", dtype=1), y)
    g.expect(g.op("SequenceAt", one, g.constant(np.int64(0))), b)
    parts = g.op("SplitToSequence", x, g.constant(i64(1, 2)), axis=1)
    g.expect(g.op("SequenceAt", parts, g.constant(np.int64(1))), a[:, 1:])
    body = Body('input { name: "e" } node { op_type: "Neg" input: "e" output: "n" } output { name: "n" }')
    g.expect(g.op("SequenceAt", g.op("SequenceMap", s, body=body), g.constant(np.int64(2))), -b)
    g.expect(g.op("SequenceLength", g.op("SplitToSequence", x, g.input(i64(2, 0, 1)), axis=1)), np.int64(3))
    some = g.op("Optional", x)
    g.expect(g.op("OptionalHasElement", some), np.array(True))
    g.expect(g.op("OptionalGetElement", some), a)
    return g


def bilinear(image, y, x):
    """A pixel is between four; pixels outside of the image are zero."""
    total = 0.0
    for i in (math.floor(y), math.floor(y) + 1):
        for j in (math.floor(x), math.floor(x) + 1):
            if 0 <= i < image.shape[-2] and 0 <= j < image.shape[-1]:
                total = total + image[..., i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


def roi_sample(image, y, x, mode):
    """Values between the pixels of [channels, rows, columns]; 0 outside. The maximum is that of
    the four weighted pixels."""
    _, height, width = image.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    parts = []
    for row, tall in (math.floor(y), 1 - y % 1), (min(math.floor(y) + 1, height - 1), y % 1):
        for col, broad in (math.floor(x), 1 - x % 1), (min(math.floor(x) + 1, width - 1), x % 1):
            parts.append(image[:, row, col] * tall * broad)
    return np.max(parts, 0) if mode == "max" else np.sum(parts, 0)


def regions():
    g = OnnxGraph(opset=19)
    a = f32(2, 3, 6, 7)
    boxes, which = np.float32([[0.5, 1, 5, 4.5], [2, 0, 6, 5]]), i64(1, 0)
    wanted = np.zeros((2, 3, 2, 3))
    for n, (x1, y1, x2, y2) in enumerate(boxes.astype(float) - 0.5):
        high, wide = (y2 - y1) / 2, (x2 - x1) / 3
        for i, j, k, l in np.ndindex(2, 3, 2, 2):
            y, x = y1 + (i + (k + 0.5) / 2) * high, x1 + (j + (l + 0.5) / 2) * wide
            y, x = np.clip(y, 0, 5), np.clip(x, 0, 6)
            wanted[n, :, i, j] += bilinear(a[which[n]].astype(float), y, x) / 4
    y = g.op("RoiAlign", g.input(a), g.input(boxes), g.input(which), output_height=2, output_width=3, sampling_ratio=2)
    g.expect(y, wanted, **near)

    # The number of samples is that of the pixels of a bin, for boxes of several sizes,
    # also beyond the image.
    boxes, which = np.float32([[0, 0, 4, 4], [1, 1, 7, 5], [-9, -2, 9, 2], [3, 3, 3, 3]]), i64(0, 1, 1, 0)
    for mode in "avg", "max":
        for where in "half_pixel", "output_half_pixel":
            wanted = np.zeros((4, 3, 2, 2))
            for n, box in enumerate(boxes.astype(float)):
                x1, y1, x2, y2 = box - (0.5 if where == "half_pixel" else 0)
                high, wide = y2 - y1, x2 - x1
                if where == "output_half_pixel":
                    high, wide = max(high, 1), max(wide, 1)
                high, wide = high / 2, wide / 2
                down, across = math.ceil(high), math.ceil(wide)
                for i, j in np.ndindex(2, 2):
                    seen = [roi_sample(a[which[n]].astype(float), y1 + i * high + (k + 0.5) * high / down,
                                       x1 + j * wide + (l + 0.5) * wide / across, mode)
                            for k, l in np.ndindex(down, across)]
                    if seen:
                        wanted[n, :, i, j] = np.max(seen, 0) if mode == "max" else np.mean(seen, 0)
            y = g.op("RoiAlign", g.input(a), g.input(boxes), g.input(which), output_height=2, output_width=2,
                     mode=mode, coordinate_transformation_mode=where)
            g.expect(y, wanted, **near)

    corners = np.float32([[1, 0, 1, 4, 5], [0, 2, 0, 6, 3]])
    wanted = np.zeros((2, 3, 2, 2))
    for n, (image, x1, y1, x2, y2) in enumerate(corners.astype(int)):
        high, wide = (y2 - y1 + 1) / 2, (x2 - x1 + 1) / 2
        for i, j in np.ndindex(2, 2):
            rows = slice(y1 + math.floor(i * high), y1 + math.ceil((i + 1) * high))
            columns = slice(x1 + math.floor(j * wide), x1 + math.ceil((j + 1) * wide))
            wanted[n, :, i, j] = a[image, :, rows, columns].max((1, 2))
    g.expect(g.op("MaxRoiPool", g.input(a), g.input(corners), pooled_shape=[2, 2]), wanted)

    w, offset, mask, bias = f32(4, 3, 2, 2), f32(2, 8, 5, 6), f32(2, 4, 5, 6), f32(4)
    wanted = np.zeros((2, 4, 5, 6)) + bias.reshape(1, 4, 1, 1)
    for n, i, j, k, l in np.ndindex(2, 5, 6, 2, 2):
        tap = 2 * k + l
        y, x = i + k + offset[n, 2 * tap, i, j], j + l + offset[n, 2 * tap + 1, i, j]
        seen = bilinear(a[n].astype(float), float(y), float(x)) * mask[n, tap, i, j]
        wanted[n, :, i, j] += w[:, :, k, l].astype(float) @ (seen * np.ones(3))
    y = g.op("DeformConv", g.input(a), g.input(w), g.input(offset), g.input(bias), g.input(mask))
    g.expect(y, wanted, rtol=1e-4, atol=1e-4)
    return g


def flex():
    """Graphs change the scores and the weights of this attention."""
    g = OnnxGraph(opset=24)
    q, k, v = f32(2, 3, 4, 8), f32(2, 3, 5, 8), f32(2, 3, 5, 6)
    body = Body('input { name: "p" } node { op_type: "Abs" input: "p" output: "r" } output { name: "r" }')
    y = g.op("FlexAttention", g.input(q), g.input(k), g.input(v), score_mod=body, domain="ai.onnx.preview")
    scores = np.abs(q.astype(float) @ k.astype(float).swapaxes(2, 3) / math.sqrt(8))
    shares = np.exp(scores)
    g.expect(y, shares / shares.sum(-1, keepdims=True) @ v, **near)
    # The result of a query without keys is zero.
    hidden = np.where(rng.random((4, 5)) < 0.5, np.float32(0), np.float32(-np.inf))
    hidden[1], hidden[2:, 0] = -np.inf, 0
    text = " ".join(f"float_data: {e}" for e in hidden.ravel())
    body = Body('input { name: "p" } node { op_type: "Add" input: "p" input: "m" output: "r" } output { name: "r" } '
                f'initializer {{ name: "m" data_type: 1 dims: 4 dims: 5 {text} }}')  # fmt: skip
    y = g.op("FlexAttention", g.input(q), g.input(k), g.input(v), mask_mod=body, domain="ai.onnx.preview")
    shares = np.exp(q.astype(float) @ k.astype(float).swapaxes(2, 3) / math.sqrt(8) + hidden)
    sums = shares.sum(-1, keepdims=True)
    g.expect(y, shares / np.where(sums == 0, 1, sums) @ v, **near)
    return g


def flex_of_scalars():
    """The graphs of the draft have one score and its index, or only the index."""
    g = OnnxGraph(opset=24)
    q, k, v = f32(2, 6, 4, 8), f32(2, 3, 5, 8), f32(2, 3, 5, 6)
    places = "".join(f'input {{ name: "{name}" }} ' for name in "bhqk")
    node = lambda op, to, *of: (  # noqa: E731
        f'node {{ op_type: "{op}" output: "{to}" ' + "".join(f'input: "{name}" ' for name in of))
    slopes = [0.5, 0.25, 0.125, 1.0, 2.0, 4.0]
    # Each head's slope times the distance.
    score = Body('input { name: "s" } ' + places
        + 'initializer { name: "m" data_type: 1 dims: 6 ' + "".join(f"float_data: {m} " for m in slopes) + "} "
        + node("Sub", "d", "q", "k") + "} " + node("Cast", "f", "d") + 'attribute { name: "to" type: INT i: 1 } } '
        + node("Gather", "own", "m", "h") + "} " + node("Mul", "p", "own", "f") + "} "
        + node("Sub", "r", "s", "p") + '} output { name: "r" }')  # fmt: skip
    # The keys end at the query; the second batch has none for query 0.
    mask = Body(places + 'initializer { name: "one" data_type: 7 int64_data: 1 } '
        + node("LessOrEqual", "a", "k", "q") + "} " + node("Less", "c", "b", "one") + "} "
        + node("GreaterOrEqual", "e", "q", "one") + "} " + node("Or", "o", "c", "e") + "} "
        + node("And", "r", "a", "o") + '} output { name: "r" }')  # fmt: skip
    half = Body('input { name: "s" } ' + places + 'initializer { name: "x" data_type: 1 float_data: 0.5 } '
                + node("Mul", "r", "s", "x") + '} output { name: "r" }')  # fmt: skip
    y = g.op("FlexAttention", g.input(q), g.input(k), g.input(v), score_mod=score, mask_mod=mask, prob_mod=half,
             enable_gqa=1, domain="ai.onnx.preview")  # fmt: skip
    keys, values = (np.repeat(x.astype(float), 2, 1) for x in (k, v))
    rows, columns = np.arange(4)[:, None], np.arange(5)
    scores = q.astype(float) @ keys.swapaxes(2, 3) / math.sqrt(8)
    scores = scores - np.array(slopes)[:, None, None] * (rows - columns)
    seen = (columns <= rows) & ((np.arange(2) < 1)[:, None, None, None] | (rows >= 1))
    shares = np.where(seen, np.exp(scores), 0)
    sums = shares.sum(-1, keepdims=True)
    g.expect(y, 0.5 * (shares / np.where(sums == 0, 1, sums)) @ values, **near)
    return g


def gradients():
    """The graph uses other values than its own."""
    g = OnnxGraph(opset=13, fold=False)
    a, b, c = f32(3), f32(3), f32(3)
    x, y, other = g.input(a), g.input(b), g.input(c)
    product = g.op("Mul", g.op("Add", x, y), g.op("Mul", x, x))
    domain = dict(domain="ai.onnx.preview.training", outputs=2)
    names = dict(xs=[x.names[0], y.names[0]], y=product.names[0])
    for own, value in ((x, a), (other, c)):
        dx, dy = g.op("Gradient", own, y, **names, **domain)
        u, v = value.astype(float), b.astype(float)
        g.expect(dx, 3 * u * u + 2 * u * v, **near)
        g.expect(dy, u * u, **near)
    dx = g.op("Gradient", x, other, xs=[x.names[0]], zs=[y.names[0]], y=product.names[0], domain=domain["domain"])
    g.expect(dx, 3 * a.astype(float) ** 2 + 2 * a.astype(float) * c, **near)
    return g


def features():
    g = OnnxGraph()
    a = f32(5, 3)
    x = g.input(a)
    g.expect(g.op("Binarizer", x, threshold=0.25, **ml), (a > 0.25).astype(np.float32))
    g.expect(g.op("ArrayFeatureExtractor", x, g.input(i64(2, 0)), **ml), a[:, [2, 0]])
    b = f32(5, 2)
    y = g.op("FeatureVectorizer", x, g.input(b), inputdimensions=[3, 2], **ml)
    g.expect(y, np.concatenate([a, b], 1))
    holes = a.copy()
    holes[1, 2] = holes[3, 0] = -7
    y = g.op("Imputer", g.input(holes), imputed_value_floats=[1.0, 2.0, 3.0], replaced_value_float=-7.0, **ml)
    g.expect(y, np.where(holes == -7, np.float32([1, 2, 3]), holes))
    return g


def models():
    g = OnnxGraph()
    a = f32(5, 3)
    x, d = g.input(a), a.astype(float)
    w, shift = f32(3, 3), [0.5, -0.25, 0.0]
    label, score = g.op("LinearClassifier", x, coefficients=[float(c) for c in w.reshape(-1)], intercepts=shift,
                        classlabels_ints=[4, 2, 9], post_transform="SOFTMAX", outputs=2, **ml)  # fmt: skip
    scores = d @ w.astype(float).T + shift
    g.expect(label, i64(4, 2, 9)[scores.argmax(1)])
    g.expect(score, np.exp(scores) / np.exp(scores).sum(1, keepdims=True), **near)
    vectors, weights = f32(4, 3), f32(4)
    y = g.op("SVMRegressor", x, kernel_type="RBF", kernel_params=[0.5, 0.0, 0.0], n_supports=4, rho=[0.75],
             support_vectors=[float(v) for v in vectors.reshape(-1)], coefficients=[float(c) for c in weights], **ml)  # fmt: skip
    distance = ((d[:, None] - vectors) ** 2).sum(2)
    g.expect(y, (np.exp(-0.5 * distance) @ weights.astype(float) + 0.75)[:, None], **near)
    return g


def transformed(scores, how):
    """Scores [rows, classes] after ai.onnx.ml's post_transform."""
    if how == "LOGISTIC":
        return 1 / (1 + np.exp(-scores))
    if how in ("SOFTMAX", "SOFTMAX_ZERO"):
        powers = np.exp(scores - scores.max(1, keepdims=True))
        if how == "SOFTMAX_ZERO":
            powers = np.where(scores == 0, 0, powers)
        return powers / powers.sum(1, keepdims=True)
    if how == "PROBIT":
        return np.vectorize(statistics.NormalDist().inv_cdf)(scores)
    return scores


def trees():
    g = OnnxGraph(opset=17)
    a = f32(9, 3)
    x = g.input(a)
    label, score = g.op(
        "TreeEnsembleClassifier", x, outputs=2, classlabels_int64s=[3, 5, 8], post_transform="NONE",
        nodes_treeids=[0, 0, 0, 0, 0], nodes_nodeids=[0, 1, 2, 3, 4], nodes_featureids=[1, 0, 2, 0, 0],
        nodes_values=[0.0, 0.0, 0.5, 0.0, 0.0], nodes_modes=["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
        nodes_truenodeids=[1, 0, 3, 0, 0], nodes_falsenodeids=[2, 0, 4, 0, 0],
        class_treeids=[0, 0, 0, 0], class_nodeids=[1, 3, 4, 4], class_ids=[0, 1, 2, 0], class_weights=[1.0, 1.0, 0.75, 0.25],
        **ml,
    )  # fmt: skip
    leaves = np.where(a[:, 1] <= 0, 0, np.where(a[:, 2] > 0.5, 1, 2))
    g.expect(score, np.float64([[1, 0, 0], [0, 1, 0], [0.25, 0, 0.75]])[leaves])
    g.expect(label, i64(3, 5, 8)[leaves])
    # Two classes have one score: a probability, or a number with a sign.
    for weights, how in (
        ([0.25, 0.75], "NONE"), ([0.25, 0.75], "LOGISTIC"), ([-1.5, 0.5], "LOGISTIC"), ([-1.5, 0.5], "NONE"),
        ([0.25, 0.75], "SOFTMAX"), ([0.25, 0.75], "SOFTMAX_ZERO"), ([0.25, 0.75], "PROBIT"),
    ):  # fmt: skip
        label, score = g.op(
            "TreeEnsembleClassifier", x, outputs=2, classlabels_int64s=[4, 7], post_transform=how, base_values=[0.125],
            nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_values=[0.0, 0.0, 0.0],
            nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
            class_treeids=[0, 0], class_nodeids=[1, 2], class_ids=[0, 0], class_weights=weights, **ml,
        )  # fmt: skip
        s = np.float64(weights)[np.where(a[:, 1] <= 0, 0, 1)] + 0.125
        share = weights[0] >= 0 and how in ("NONE", "PROBIT")
        g.expect(label, np.where(s > (0.5 if share else 0), 7, 4))
        g.expect(score, transformed(np.stack([1 - s if share else -s, s], 1), how), **near)
    y = g.op(
        "TreeEnsemble", x, aggregate_function=1, n_targets=2, post_transform=0, tree_roots=[0, 2],
        nodes_featureids=[0, 2, 1], nodes_splits=np.float32([0.25, -0.5, 0.0]), nodes_modes=np.uint8([0, 3, 1]),
        nodes_truenodeids=[1, 0, 3], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 1, 4], nodes_falseleafs=[1, 1, 1],
        leaf_targetids=[0, 1, 0, 1, 0], leaf_weights=np.float32([1, 2, 4, 8, 16]), **ml,
    )  # fmt: skip
    wanted = np.zeros((9, 2))
    first = np.where(a[:, 0] <= 0.25, np.where(a[:, 2] > -0.5, 0, 1), 2)
    for n, leaf in enumerate(first):
        wanted[n, [0, 1, 0][leaf]] += [1, 2, 4][leaf]
    for n, leaf in enumerate(np.where(a[:, 1] < 0, 3, 4)):
        wanted[n, [0, 0, 0, 1, 0][leaf]] += [0, 0, 0, 8, 16][leaf]
    g.expect(y, wanted)
    # The trees have one root, with the other transforms, from probabilities on.
    for code, how in enumerate(("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")):
        y = g.op(
            "TreeEnsemble", x, n_targets=2, post_transform=code, tree_roots=[0, 1],
            nodes_featureids=[0, 1], nodes_splits=np.float32([0.25, 0]), nodes_modes=np.uint8([0, 1]),
            nodes_truenodeids=[0, 2], nodes_trueleafs=[1, 1], nodes_falsenodeids=[1, 3], nodes_falseleafs=[1, 1],
            leaf_targetids=[0, 0, 1, 1], leaf_weights=np.float32([0.25, 0.75, 0.375, 0.5]), **ml,
        )  # fmt: skip
        pair = np.stack([np.where(a[:, 0] <= 0.25, 0.25, 0.75), np.where(a[:, 1] < 0, 0.375, 0.5)], 1)
        g.expect(y, transformed(pair, how), **near)
    # Members of sets: of node 1 of {1.5, 8}, of node 2 of {12}.
    b = np.float32([[1.5], [3.4], [-0.5], [np.nan], [12], [7], [8]])
    y = g.op(
        "TreeEnsemble", g.input(b), aggregate_function=1, n_targets=4, post_transform=0, tree_roots=[0],
        nodes_featureids=[0, 0, 0], nodes_splits=np.float32([11, 0, 0]), nodes_modes=np.uint8([0, 6, 6]),
        nodes_truenodeids=[1, 0, 1], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 2, 3], nodes_falseleafs=[0, 1, 1],
        membership_values=np.float32([1.5, 8, np.nan, 12, np.nan]),
        leaf_targetids=[0, 1, 2, 3], leaf_weights=np.float32([1, 10, 100, 1000]), **ml,
    )  # fmt: skip
    leaves = [0, 2, 2, 3, 1, 2, 0]
    g.expect(y, np.eye(4)[leaves] * [1, 10, 100, 1000])
    return g


main(
    functions, pairs, along, of_old, of_first, losses, random, sequences, regions, flex, flex_of_scalars, gradients, features, models, trees,
    *map(masks, (7, 10, 12, 13, 22)),
)  # fmt: skip
