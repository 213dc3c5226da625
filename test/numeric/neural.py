"""Tests matrix products, convolutions, pools, norms and recurrent cells."""

import itertools
import os

import numpy as np
from harness import Graph, bf16, main
from references import softmax

random = np.random.default_rng(11)


def normal(*shape, type=np.float32):
    return type(random.standard_normal(shape))


def wide(tensor):
    return np.asarray(tensor.value, np.float64)


def products():
    g = Graph()
    for ta, tb in itertools.product([False, True], repeat=2):
        a = g.input(normal(*((7, 5) if ta else (5, 7))))
        b = g.input(normal(*((3, 7) if tb else (7, 3))))
        y = (wide(a).T if ta else wide(a)) @ (wide(b).T if tb else wide(b))
        g.expect(g.op("MatMul", a, b, transpose_a=ta, transpose_b=tb), y, rtol=1e-5, atol=1e-6)
    a, b = g.input(normal(2, 1, 4, 6)), g.input(normal(3, 6, 5))
    g.expect(g.op("BatchMatMulV2", a, b), wide(a) @ wide(b), rtol=1e-5, atol=1e-6)
    b = g.input(normal(3, 5, 6))
    y = wide(a) @ np.swapaxes(wide(b), 1, 2)
    g.expect(g.op("BatchMatMulV2", a, b, adj_y=True), y, rtol=1e-5, atol=1e-6)
    for value in (np.int32, np.int64, np.float64, np.float16):
        a, b = value(random.integers(-9, 9, (3, 4))), value(random.integers(-9, 9, (4, 2)))
        g.expect(g.op("MatMul", g.input(a), g.input(b)), wide_product(a, b))
    # f16 and bf16 are added in f32: no partial sum is rounded.
    a, b = g.input(bf16(normal(3, 300))), g.input(bf16(normal(300, 2)))
    g.expect(g.op("MatMul", a, b), wide(a) @ wide(b), ulp=1, atol=1e-2)
    a, b = (g.input(np.float16(normal(64, columns))) for columns in (32, 48))
    y = g.op("MatMul", a, b, transpose_a=True)
    g.expect(y, wide(a).T @ wide(b), rtol=2**-10, atol=1e-5)
    # Panels and tiles have several widths and heights, with remainders.
    for rows, columns, depth in itertools.product((1, 2, 7, 50), (24, 100), (9, 300)):
        for type, small in ((np.float32, 1e-5), (np.float64, 1e-13)):
            a = g.input(normal(rows, depth, type=type))
            b = g.constant(normal(depth, columns, type=type))
            g.expect(g.op("MatMul", a, b), wide(a) @ wide(b), rtol=small, atol=10 * small)
    a, b = g.input(normal(0, 4)), g.input(normal(4, 3))
    g.expect(g.op("MatMul", a, b), np.zeros((0, 3)))
    a, b = g.input(normal(2, 0)), g.input(normal(0, 3))
    g.expect(g.op("MatMul", a, b), np.zeros((2, 3)))
    return g


def wide_product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def einsums():
    g = Graph(fold=False)
    for equation, *shapes in [
        ("ij,jk->ik", (3, 4), (4, 5)),
        ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
        ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
        ("abc,cde->abde", (2, 3, 4), (4, 2, 5)),
        ("...ij,jk->...ik", (2, 3, 4), (4, 5)),
        ("ij->j", (3, 4)),
        ("ij->ji", (3, 4)),
        ("i,j->ij", (3,), (4,)),
        ("ij,ij->", (3, 4), (3, 4)),
        ("ijk,ik,k->j", (2, 3, 4), (2, 4), (4,)),
        # A letter that occurs twice in a term selects its diagonal.
        ("...ii->...i", (2, 3, 3)),
        ("iji,jk->ik", (3, 4, 3), (4, 2)),
        ("iii->", (3, 3, 3)),
    ]:
        inputs = [g.input(normal(*shape)) for shape in shapes]
        y = np.einsum(equation, *map(wide, inputs))
        g.expect(g.op("Einsum", *inputs, equation=equation), y, rtol=1e-5, atol=1e-5)
    return g


def paddings(extents, window, strides, dilations, padding):
    pads = []
    for n, k, s, d in zip(extents, window, strides, dilations):
        if padding == "SAME":
            need = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            pads.append((need // 2, need - need // 2))
        else:
            pads.append((0, 0))
    return pads


def windows(x, window, strides, dilations, pads, value=0.0):
    """N, positions..., window..., C of a padded x with channels last."""
    x = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations)]
    axes = tuple(range(1, 1 + len(window)))
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axes)
    view = view[(slice(None), *[slice(None, None, s) for s in strides])]
    view = view[(..., *[slice(None, None, d) for d in dilations])]
    return np.moveaxis(view, 1 + len(window), -1)


def convolved(x, w, strides, dilations, pads, groups=1):
    spatial = w.ndim - 2
    view = windows(x, w.shape[:spatial], strides, dilations, pads)
    inner, outer = w.shape[-2], w.shape[-1] // groups
    parts = []
    for i in range(groups):
        part = view[..., i * inner : (i + 1) * inner]
        filter = w[..., i * outer : (i + 1) * outer]
        axes = list(range(part.ndim - spatial - 1, part.ndim))
        parts.append(np.tensordot(part, filter, (axes, list(range(spatial + 1)))))
    return np.concatenate(parts, -1)


def convolutions():
    g = Graph(fold=False)
    for padding, stride, dilation in [
        ("SAME", 1, 1), ("SAME", 2, 1), ("VALID", 1, 1), ("VALID", 2, 1),
        ("SAME", 1, 2), ("VALID", 1, 3),
    ]:  # fmt: skip
        x, w = g.input(normal(2, 9, 8, 3)), g.input(normal(3, 2, 3, 5))
        how = [stride] * 2, [dilation] * 2
        pads = paddings((9, 8), (3, 2), *how, padding)
        y = convolved(wide(x), wide(w), *how, pads)
        given = {"strides": [1, stride, stride, 1], "dilations": [1, dilation, dilation, 1]}
        g.expect(g.op("Conv2D", x, w, padding=padding, **given), y, rtol=1e-5, atol=1e-5)
        gradients(g, "Conv2DBackprop", x, w, y, how, pads, padding, given)
    # The layout is channels first, with explicit padding and groups.
    x, w = g.input(normal(2, 4, 7, 6)), g.input(normal(3, 3, 2, 6))
    pads = [(1, 2), (0, 1)]
    y = convolved(np.moveaxis(wide(x), 1, 3), wide(w), [1, 2], [1, 1], pads, 2)
    made = g.op("Conv2D", x, w, strides=[1, 1, 1, 2], padding="EXPLICIT", data_format="NCHW",
                explicit_paddings=[0, 0, 0, 0, 1, 2, 0, 1])  # fmt: skip
    g.expect(made, np.moveaxis(y, 3, 1), rtol=1e-5, atol=1e-5)
    return g


def gradients(g, prefix, x, w, y, how, pads, padding, given):
    """The gradients are the adjoints of a linear map: <dy, conv> by x and w."""
    dy = g.input(normal(*y.shape))
    dx, dw = np.zeros(wide(x).shape), np.zeros(wide(w).shape)
    for place in np.ndindex(dw.shape):
        unit = np.zeros(dw.shape)
        unit[place] = 1
        share = convolved(wide(x), unit, *how, pads)
        dw[place] = np.sum(share * wide(dy))
        # The contribution of the same coefficient to the images.
        window = place[: dw.ndim - 2]
        padded = np.zeros([n + a + b for n, (a, b) in zip(dx.shape[1:-1], pads)])
        total = np.zeros((dx.shape[0], *padded.shape))
        at = tuple(slice(k * d, k * d + (n - 1) * s + 1, s)
                   for k, d, s, n in zip(window, how[1], how[0], y.shape[1:-1]))  # fmt: skip
        total[(slice(None), *at)] = wide(dy)[..., place[-1]] * wide(w)[place]
        inside = tuple(slice(a, a + n) for (a, _), n in zip(pads, dx.shape[1:-1]))
        dx[..., place[-2]] += total[(slice(None), *inside)]
    sizes = g.constant(np.int32(dx.shape))
    back = g.op(prefix + "Input", sizes, w, dy, padding=padding, **given)
    g.expect(back, dx, rtol=1e-5, atol=1e-5)
    sizes = g.constant(np.int32(dw.shape))
    back = g.op(prefix + "Filter", x, sizes, dy, padding=padding, **given)
    g.expect(back, dw, rtol=1e-5, atol=1e-4)


def other_convolutions():
    g = Graph(fold=False)
    # Depthwise: each channel has its own filters.
    x, w = g.input(normal(2, 7, 6, 3)), g.input(normal(3, 3, 3, 2))
    for stride in (1, 2):
        how = [stride] * 2, [1, 1]
        pads = paddings((7, 6), (3, 3), *how, "SAME")
        y = convolved(wide(x), wide(w).reshape(3, 3, 1, 6), *how, pads, 3)
        given = {"strides": [1, stride, stride, 1], "padding": "SAME"}
        g.expect(g.op("DepthwiseConv2dNative", x, w, **given), y, rtol=1e-5, atol=1e-5)
    # The convolution has three dimensions, and its transpose.
    x, w = g.input(normal(1, 5, 4, 6, 2)), g.input(normal(2, 3, 2, 2, 3))
    how = [2, 1, 2], [1, 1, 1]
    pads = paddings((5, 4, 6), (2, 3, 2), *how, "SAME")
    y = convolved(wide(x), wide(w), *how, pads)
    given = {"strides": [1, 2, 1, 2, 1]}
    g.expect(g.op("Conv3D", x, w, padding="SAME", **given), y, rtol=1e-5, atol=1e-5)
    dy = g.input(normal(*y.shape))
    sizes = g.constant(np.int32(x.value.shape))
    back = g.op("Conv3DBackpropInputV2", sizes, w, dy, padding="SAME", **given)
    loss = g.op("Sum", g.op("Mul", back, x), g.constant(np.int32([0, 1, 2, 3, 4])))
    g.expect(loss, np.sum(y * wide(dy)), rtol=1e-4, atol=1e-3)
    # f16 and bf16 are added in f32.
    x, w = g.input(bf16(normal(1, 6, 6, 40))), g.input(bf16(normal(3, 3, 40, 2)))
    y = convolved(wide(x), wide(w), [1, 1], [1, 1], [(0, 0)] * 2)
    g.expect(g.op("Conv2D", x, w, strides=[1, 1, 1, 1], padding="VALID"), y, ulp=1, atol=2e-2)
    return g


def pools():
    g = Graph(fold=False)
    for padding, stride in itertools.product(["SAME", "VALID"], [1, 2]):
        x = g.input(normal(2, 7, 6, 3))
        pads = paddings((7, 6), (3, 2), [stride] * 2, [1, 1], padding)
        how = (3, 2), [stride] * 2, [1, 1], pads
        given = {"ksize": [1, 3, 2, 1], "strides": [1, stride, stride, 1], "padding": padding}
        top = windows(wide(x), *how, value=-np.inf).max((3, 4))
        g.expect(g.op("MaxPool", x, **given), top)
        nan = windows(wide(x), *how, value=np.nan)
        g.expect(g.op("AvgPool", x, **given), np.nanmean(nan, (3, 4)), ulp=4, atol=1e-6)
        value, place = g.op("MaxPoolWithArgmax", x, outputs=2, Targmax=np.int64, **given)
        numbers = np.arange(7 * 6 * 3).reshape(1, 7, 6, 3) + np.zeros((2, 1, 1, 1))
        at = windows(numbers, *how, value=-1)
        hit = windows(wide(x), *how, value=-np.inf) == top[:, :, :, None, None]
        g.expect(value, top)
        g.expect(place, np.where(hit, at, -1).max((3, 4)))
        dy = g.input(normal(*top.shape))
        dx, share = np.zeros(x.value.shape), np.zeros(x.value.shape)
        flat = np.where(hit, at, -1).max((3, 4)).astype(int)
        count = np.sum(~np.isnan(nan), (3, 4))
        for n, i, j, c in np.ndindex(top.shape):
            dx[n].reshape(-1)[flat[n, i, j, c]] += wide(dy)[n, i, j, c]
            a, b = i * stride - pads[0][0], j * stride - pads[1][0]
            rows, columns = slice(max(a, 0), a + 3), slice(max(b, 0), b + 2)
            share[n, rows, columns, c] += wide(dy)[n, i, j, c] / count[n, i, j, c]
        y = g.op("MaxPool", x, **given)
        g.expect(g.op("MaxPoolGrad", x, y, dy, **given), dx, rtol=1e-6, atol=1e-6)
        sizes = g.constant(np.int32(x.value.shape))
        g.expect(g.op("AvgPoolGrad", sizes, dy, **given), share, rtol=1e-5, atol=1e-5)
    x = g.input(normal(2, 3, 5, 4, 6))
    y = windows(np.moveaxis(wide(x), 1, 4), (2, 2, 3), [2, 1, 2], [1, 1, 1], [(0, 0)] * 3)
    how = {"ksize": [1, 1, 2, 2, 3], "strides": [1, 1, 2, 1, 2]}
    made = g.op("MaxPool3D", x, padding="VALID", data_format="NCDHW", **how)
    g.expect(made, np.moveaxis(y.max((4, 5, 6)), 4, 1))
    return g


def pools_by_tiles():
    """Tiles of results are at both borders and between, with one vector of channels and parts of
    one. Some windows are pooled row by row."""
    g = Graph(fold=False, threads=[2, 3])
    for (height, width, channels), (kh, kw), (sy, sx) in [
        ((9, 40, 70), (3, 3), (2, 2)),
        ((9, 17, 3), (3, 3), (1, 1)),
        ((11, 23, 33), (5, 7), (1, 2)),
        ((13, 13, 16), (13, 13), (1, 1)),
        ((8, 30, 1), (2, 2), (2, 2)),
        ((1, 60, 20), (1, 4), (1, 3)),
    ]:
        pads = paddings((height, width), (kh, kw), [sy, sx], [1, 1], "SAME")
        how = (kh, kw), [sy, sx], [1, 1], pads
        given = {"ksize": [1, kh, kw, 1], "strides": [1, sy, sx, 1], "padding": "SAME"}
        for round_to in (lambda a: a, lambda a: a.astype(np.float16), bf16):
            x = g.input(round_to(normal(2, height, width, channels)))
            g.expect(g.op("MaxPool", x, **given), windows(wide(x), *how, value=-np.inf).max((3, 4)))
            mean = np.nanmean(windows(wide(x), *how, value=np.nan), (3, 4))
            g.expect(g.op("AvgPool", x, **given), mean, ulp=8, atol=2e-6)
    return g


def pools_of_denormals():
    """The maximum keeps its bits, however small it is; a wide window has loops."""
    g = Graph(fold=False)
    x = (normal(1, 4, 30, 20) * 2.0**-130).astype(np.float32)
    # The simulator of a GPU narrows floats like its host, which may flush them.
    simulated = "--gpu" in os.environ.get("WEIR_TEST_OPTIONS", "")
    for given in (x,) if simulated else (x, bf16(x)):
        tensor = g.input(given)
        seen = windows(wide(tensor), (2, 2), [2, 2], [1, 1], [(0, 0)] * 2)
        how = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
        g.expect(g.op("MaxPool", tensor, **how), seen.max((3, 4)))
    x = g.input(normal(1, 2, 70, 5))
    for name, take in (("MaxPool", np.max), ("AvgPool", np.mean)):
        seen = windows(wide(x), (1, 40), [1, 1], [1, 1], [(0, 0)] * 2)
        how = {"ksize": [1, 1, 40, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
        g.expect(g.op(name, x, **how), take(seen, axis=(3, 4)), rtol=1e-5, atol=1e-6)
    return g


def pools_of_margins():
    """Padding that is never the maximum becomes part of the pool's own, and other padding does
    not."""
    g = Graph(fold=False)
    x = g.input(normal(2, 9, 8, 20))
    relu = np.maximum(wide(x), 0)
    how = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    sides = g.constant(np.int32([[0, 0], [1, 1], [1, 0], [0, 0]]))
    for padded, elements, value in (
        (g.op("Relu", x), relu, 0),
        (x, wide(x), 0),
        (x, wide(x), -np.inf),
        (g.op("Relu", x), relu, 1),
    ):
        padded = g.op("PadV2", padded, sides, g.constant(np.float32(value)))
        seen = windows(elements, (3, 3), [2, 2], [1, 1], [(1, 1), (1, 0)], value=value)
        g.expect(g.op("MaxPool", padded, **how), seen.max((3, 4)))
    return g


def pools_of_no_numbers():
    """A NaN is in the result of each window that contains it, at any position, and in no other;
    infinities are numbers."""
    g = Graph(fold=False)
    x = normal(1, 12, 25, 20)
    for place, value in (((2, 3, 4), np.nan), ((7, 20, 19), np.nan), ((5, 10, 0), np.inf), ((9, 9, 9), -np.inf)):
        x[(0, *place)] = value
    x[0, :3, 21:, 7] = -np.inf
    x[0, 4, 24, 3] = -np.float32(np.nan)
    for (kh, kw), (sy, sx) in (((3, 3), (2, 2)), ((2, 3), (1, 1)), ((5, 5), (1, 1))):
        pads = paddings((12, 25), (kh, kw), [sy, sx], [1, 1], "SAME")
        seen = windows(x.astype(np.float64), (kh, kw), [sy, sx], [1, 1], pads, value=-np.inf)
        given = {"ksize": [1, kh, kw, 1], "strides": [1, sy, sx, 1], "padding": "SAME"}
        g.expect(g.op("MaxPool", g.input(x), **given), seen.max((3, 4)))
    return g


def norms():
    g = Graph(fold=False)
    x = normal(4, 9) * 30
    for value, ulp in ((x, 8), (x.astype(np.float64), 8), (x.astype(np.float16), 1)):
        x = g.input(value)
        g.expect(g.op("Softmax", x), softmax(wide(x)), ulp=ulp, atol=1e-7)
        g.expect(g.op("LogSoftmax", x), np.log(softmax(wide(x))), ulp=ulp, atol=1e-6)
    x, labels = g.input(normal(3, 5)), g.input(np.int32([4, 0, 2]))
    p = softmax(wide(x))
    one = np.eye(5)[labels.value]
    name = "SparseSoftmaxCrossEntropyWithLogits"
    loss, gradient = g.op(name, x, labels, outputs=2)
    g.expect(loss, -np.sum(one * np.log(p), 1), ulp=8, atol=1e-6)
    g.expect(gradient, p - one, ulp=8, atol=1e-6)
    images, scale, offset = g.input(normal(3, 4, 5, 2)), normal(2), normal(2)
    means, variances = normal(2), np.abs(normal(2)) + 1
    vectors = [g.input(v) for v in (scale, offset, means, variances)]
    y = g.op("FusedBatchNormV3", images, *vectors, is_training=False, epsilon=1e-3, outputs=6)
    x = wide(images)
    normalized = (x - means) / np.sqrt(variances + 1e-3) * scale + offset
    g.expect(y[0], normalized, rtol=1e-5, atol=1e-5)
    empty = [g.input(np.zeros(0, np.float32)) for _ in range(2)]
    y = g.op("FusedBatchNormV3", images, *vectors[:2], *empty, epsilon=1e-3, outputs=6)
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    normalized = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    g.expect(y[0], normalized, rtol=1e-5, atol=1e-5)
    g.expect(y[1], mean, rtol=1e-5, atol=1e-6)
    g.expect(y[2], variance * 60 / 59, rtol=1e-5, atol=1e-6)
    squares = np.stack([np.sum(x[..., max(c - 1, 0) : c + 2] ** 2, -1) for c in range(2)], -1)
    y = g.op("LRN", images, depth_radius=1, bias=1.5, alpha=0.25, beta=0.75)
    g.expect(y, x / (1.5 + 0.25 * squares) ** 0.75, rtol=1e-5, atol=1e-6)
    y = g.op("LRN", images, depth_radius=1, bias=1.5, alpha=0.25, beta=0.5)
    g.expect(y, x / (1.5 + 0.25 * squares) ** 0.5, rtol=1e-5, atol=1e-6)
    y = g.op("LRN", images, depth_radius=1, bias=1.5, alpha=0.25, beta=0.4)
    g.expect(y, x / (1.5 + 0.25 * squares) ** 0.4, rtol=1e-5, atol=1e-6)
    y = g.op("LRN", images, bias=1.5, alpha=0.25, beta=0.75)
    g.expect(y, x / (1.5 + 0.25 * np.sum(x**2, -1, keepdims=True)) ** 0.75, rtol=1e-5, atol=1e-6)
    return g


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cells():
    g = Graph(fold=False)
    x, state, hidden = g.input(normal(2, 3)), g.input(normal(2, 4)), g.input(normal(2, 4))
    w, b = g.input(normal(7, 16)), g.input(normal(16))
    peeps = [g.input(normal(4)) for _ in range(3)]
    made = g.op("LSTMBlockCell", x, state, hidden, w, *peeps, b, outputs=7,
                use_peephole=True, cell_clip=0.5, forget_bias=0.5)  # fmt: skip
    i, c, f, o = np.split(np.hstack([wide(x), wide(hidden)]) @ wide(w) + wide(b), 4, 1)
    s = wide(state)
    i, f = sigmoid(i + s * wide(peeps[0])), sigmoid(f + s * wide(peeps[1]) + 0.5)
    c = np.tanh(c)
    s = np.clip(c * i + s * f, -0.5, 0.5)
    o = sigmoid(o + s * wide(peeps[2]))
    for result, reference in zip(made, (i, s, f, o, c, np.tanh(s), np.tanh(s) * o)):
        g.expect(result, reference, rtol=1e-5, atol=1e-6)
    w, v = g.input(normal(7, 8)), g.input(normal(7, 4))
    b, d = g.input(normal(8)), g.input(normal(4))
    made = g.op("GRUBlockCell", x, hidden, w, v, b, d, outputs=4)
    h = wide(hidden)
    r, u = np.split(sigmoid(np.hstack([wide(x), h]) @ wide(w) + wide(b)), 2, 1)
    c = np.tanh(np.hstack([wide(x), h * r]) @ wide(v) + wide(d))
    for result, reference in zip(made, (r, u, c, u * h + (1 - u) * c)):
        g.expect(result, reference, rtol=1e-5, atol=1e-6)
    return g


if __name__ == "__main__":
    main(products, einsums, convolutions, other_convolutions, pools, pools_by_tiles,
         pools_of_denormals, pools_of_margins, pools_of_no_numbers, norms, cells)  # fmt: skip
