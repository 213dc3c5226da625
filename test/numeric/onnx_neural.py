"""Tests ONNX layers against NumPy, as sums over positions."""

import itertools

import numpy as np
from onnx_graph import OnnxGraph, main
from onnx_windows import conv, places
from references import softmax

rng = np.random.default_rng(11)
near = dict(rtol=2e-5, atol=2e-5)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def quantized():
    g = OnnxGraph(opset=21)
    a, w = rng.integers(0, 256, (1, 2, 5, 5), np.uint8), rng.integers(-9, 9, (3, 2, 3, 3), np.int8)
    zero, shift = np.uint8(120), np.int8([1, 0, -2])
    exact = conv(a - 120.0, w - shift.reshape(3, 1, 1, 1).astype(float), np.zeros(3), (1, 1), (1, 1), (1, 1), 1, (5, 5))
    x, f, z, s = g.input(a), g.input(w), g.input(zero), g.input(shift)
    y = g.op("ConvInteger", x, f, z, s, pads=[1, 1, 1, 1])
    g.expect(y, exact.astype(np.int32))
    scales = [np.float32(0.5), np.float32([0.25, 0.5, 1]), np.float32(8)]
    bias = np.int32([3, -4, 5])
    q = g.op("QLinearConv", x, g.input(scales[0]), z, f, g.input(scales[1]), s, g.input(scales[2]),
             g.input(np.uint8(100)), g.input(bias), pads=[1, 1, 1, 1])  # fmt: skip
    factor = (0.5 * scales[1] / 8).reshape(1, 3, 1, 1)
    full = (exact + bias.reshape(1, 3, 1, 1)) * factor
    g.expect(q, np.clip(np.rint(full) + 100, 0, 255).astype(np.uint8))
    p, r = rng.integers(0, 9, (2, 3, 4), np.uint8), rng.integers(-9, 9, (4, 2), np.int8)
    sums = (p.astype(int) - 5) @ (r.astype(int) - 2)
    u, v = g.input(p), g.input(r)
    g.expect(g.op("MatMulInteger", u, v, g.input(np.uint8(5)), g.input(np.int8(2))), sums.astype(np.int32))
    one = g.input(np.float32(0.5))
    m = g.op("QLinearMatMul", u, one, g.input(np.uint8(5)), v, one, g.input(np.int8(2)), one, g.input(np.int8(-3)))
    g.expect(m, np.clip(np.rint(sums * 0.5) - 3, -128, 127).astype(np.int8))

    h = np.float32([[0.5, 1.5, -2.5, 300], [7, -9, 1e9, -1e9]])
    t = g.input(h)
    step = np.float32([1, 2])
    y = g.op("QuantizeLinear", t, g.input(step), g.input(np.int8([0, 3])), axis=0)
    g.expect(y, np.clip(np.rint(h / step[:, None]) + [[0], [3]], -128, 127).astype(np.int8))
    blocks = np.float32([[1, 2], [3, 4]])
    y = g.op("QuantizeLinear", t, g.input(blocks), axis=1, block_size=2, output_dtype=5)
    g.expect(y, np.clip(np.rint(h / np.repeat(blocks, 2, 1)), -32768, 32767).astype(np.int16))
    i = rng.integers(0, 99, (2, 3, 2), np.uint16)
    y = g.op("DequantizeLinear", g.input(i), g.input(np.float32([1, 0.5, 2])), g.input(np.uint16([1, 2, 3])))
    g.expect(y, (i.astype(float) - [[[1], [2], [3]]]) * [[[1], [0.5], [2]]])
    d = f32(3, 5)
    q, scale, point = g.op("DynamicQuantizeLinear", g.input(d), outputs=3)
    size = np.float32(max(d.max(), 0) - min(d.min(), 0)) / np.float32(255)
    middle = np.clip(np.rint(-d.min() / size), 0, 255)
    g.expect(scale, size.astype(np.float64), ulp=1)
    g.expect(point, middle.astype(np.uint8))
    g.expect(q, np.clip(np.rint(d / size) + middle, 0, 255).astype(np.uint8))
    return g


def pools():
    g = OnnxGraph(opset=22)
    a = f32(2, 3, 8, 7)
    x = g.input(a)
    p = dict(kernel_shape=[3, 2], strides=[2, 3])
    seen = places(a, (3, 2), (2, 3), (1, 0), (1, 1), np.nan, (4, 2))
    y, at = g.op("MaxPool", x, outputs=2, pads=[1, 0, 0, 0], **p)
    g.expect(y, np.nanmax(seen, -1))
    index = np.arange(a.size).reshape(a.shape)
    where = places(index, (3, 2), (2, 3), (1, 0), (1, 1), -1, (4, 2))
    best = np.nanargmax(seen, -1)[..., None]
    g.expect(at, np.take_along_axis(where, best, -1)[..., 0].astype(np.int64))
    wide = places(a, (2, 2), (2, 3), (0, 1), (3, 2), np.nan, (3, 3))
    y, at = g.op("MaxPool", x, outputs=2, kernel_shape=[2, 2], strides=[2, 3], dilations=[3, 2],
                 pads=[0, 1, 0, 1], ceil_mode=1)  # fmt: skip
    g.expect(y, np.nanmax(wide, -1))
    where = places(index, (2, 2), (2, 3), (0, 1), (3, 2), -1, (3, 3))
    best = np.nanargmax(wide, -1)[..., None]
    g.expect(at, np.take_along_axis(where, best, -1)[..., 0].astype(np.int64))
    g.expect(g.op("AveragePool", x, pads=[1, 0, 0, 0], **p), np.nanmean(seen, -1), **near)
    y = g.op("AveragePool", x, pads=[1, 0, 0, 0], count_include_pad=1, **p)
    g.expect(y, np.nansum(seen, -1) / 6, **near)
    framed = g.op("Pad", x, g.constant(np.array([0, 0, 1, 0, 0, 0, 0, 0])))
    g.expect(g.op("AveragePool", framed, **p), np.nansum(seen, -1) / 6, **near)
    # The last row of windows reaches beyond the padding; elements there do not count.
    y = g.op("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
             count_include_pad=1, ceil_mode=1)  # fmt: skip
    sums = np.nansum(places(a, (3, 3), (2, 2), (1, 1), (1, 1), np.nan, (5, 4)), -1)
    g.expect(y, sums / np.array([9, 9, 9, 9, 6])[:, None], **near)
    y = g.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 3], dilations=[3, 2], pads=[0, 1, 0, 1])
    g.expect(y, np.nanmean(wide, -1), **near)
    g.expect(g.op("LpPool", x, p=3, **p), np.sum(np.abs(places(a, (3, 2), (2, 3), (0, 0), (1, 1), 0, (3, 2))) ** 3, -1) ** (1 / 3), **near)
    # The sums exceed f16, but their means and roots do not.
    tall = g.input(np.full((1, 1, 4, 4), 30000, np.float16))
    margin = np.pad(np.full((4, 4), 30000.0), 1)
    around = np.array([[margin[i : i + 3, j : j + 3].mean() for j in range(4)] for i in range(4)])
    g.expect(g.op("AveragePool", tall, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1), around[None, None], rtol=1e-3)
    steep = g.input(np.full((1, 1, 4, 4), 300, np.float16))
    g.expect(g.op("LpPool", steep, kernel_shape=[2, 2]), np.full((1, 1, 3, 3), 600), rtol=1e-3)
    g.expect(g.op("GlobalAveragePool", x), a.astype(float).mean((2, 3), keepdims=True), **near)
    g.expect(g.op("GlobalMaxPool", x), a.max((2, 3), keepdims=True))
    g.expect(g.op("GlobalLpPool", x), np.sqrt((a.astype(float) ** 2).sum((2, 3), keepdims=True)), **near)
    e = f32(1, 2, 4, 6)
    top, at = g.op("MaxPool", g.input(e), outputs=2, kernel_shape=[2, 2], strides=[2, 2])
    best = places(e, (2, 2), (2, 2), (0, 0), (1, 1), 0, (2, 3)).max(-1)
    y = g.op("MaxUnpool", top, at, kernel_shape=[2, 2], strides=[2, 2])
    spread = np.repeat(np.repeat(best, 2, 2), 2, 3)
    g.expect(y, np.where(e == spread, e, 0))
    wide = g.op("MaxUnpool", top, at, g.constant(np.int64([1, 2, 5, 6])), kernel_shape=[2, 2], strides=[2, 2])
    g.expect(wide, np.pad(np.where(e == spread, e, 0), ((0, 0), (0, 0), (0, 1), (0, 0))))
    return g


def norms():
    g = OnnxGraph(opset=23)
    a, s, b, m, v = f32(2, 4, 3, 5), f32(4), f32(4), f32(4), np.abs(f32(4)) + 0.5
    d, across = a.astype(float), lambda e: e.reshape(1, 4, 1, 1).astype(float)
    x, operands = g.input(a), [g.input(e) for e in (s, b, m, v)]
    y = (d - across(m)) / np.sqrt(across(v) + 1e-3) * across(s) + across(b)
    g.expect(g.op("BatchNormalization", x, *operands, epsilon=1e-3), y, **near)
    mean, var = d.mean((0, 2, 3)), d.var((0, 2, 3))
    results = g.op("BatchNormalization", x, *operands, outputs=3, training_mode=1, momentum=0.75)
    g.expect(results[0], (d - across(mean)) / np.sqrt(across(var) + 1e-5) * across(s) + across(b), **near)
    g.expect(results[1], m * 0.75 + mean * 0.25, **near)
    g.expect(results[2], v * 0.75 + var * 0.25, **near)

    def normal(e, dims, epsilon=1e-5):
        return (e - e.mean(dims, keepdims=True)) / np.sqrt(e.var(dims, keepdims=True) + epsilon)

    y = normal(d, (2, 3)) * across(s) + across(b)
    g.expect(g.op("InstanceNormalization", x, *operands[:2]), y, **near)
    parts = normal(d.reshape(2, 2, 2, 3, 5), (2, 3, 4)).reshape(a.shape)
    y = parts * across(s) + across(b)
    g.expect(g.op("GroupNormalization", x, *operands[:2], num_groups=2), y, **near)
    scale, shift = f32(3, 5), f32(3, 5)
    y, center, inverse = g.op("LayerNormalization", x, g.input(scale), g.input(shift), outputs=3, axis=-2)
    g.expect(y, normal(d, (2, 3)) * scale + shift, **near)
    g.expect(center, d.mean((2, 3), keepdims=True), **near)
    g.expect(inverse, 1 / np.sqrt(d.var((2, 3), keepdims=True) + 1e-5), **near)
    root = np.sqrt((d**2).mean(-1, keepdims=True) + 1e-5)
    g.expect(g.op("RMSNormalization", x, g.input(scale[0])), d / root * scale[0], **near)
    y = normal(d, (0, 2, 3), 0)
    g.expect(g.op("MeanVarianceNormalization", x), y, **near)
    g.expect(g.op("LpNormalization", x, axis=1, p=1), d / np.abs(d).sum(1, keepdims=True), **near)
    squares = np.pad(d**2, ((0, 0), (1, 2), (0, 0), (0, 0)))
    sums = sum(squares[:, i : i + 4] for i in range(4))
    y = d / (2 + 0.5 / 4 * sums) ** 0.75
    g.expect(g.op("LRN", x, size=4, alpha=0.5, beta=0.75, bias=2.0), y, **near)
    return g


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def recurrent(kind, x, w, r, b, lengths, backwards, h, c, linear=False):
    """One direction of [steps, batch, inputs]; gates as ONNX orders them."""
    h, c = h.astype(float), c.astype(float)
    n, size = h.shape[1], len(x)
    wb, rb = np.split(b.astype(float), 2)
    ys = np.zeros((size, *h.shape))
    for t in reversed(range(size)) if backwards else range(size):
        u = x[t].astype(float) @ w.T + wb
        if kind == "RNN":
            state, cell = np.tanh(u + h @ r.T + rb), c
        elif kind == "GRU":
            z, q = np.split(sigmoid((u + h @ r.T + rb)[:, : 2 * n]), 2, 1)
            inner = (q * (h @ r[2 * n :].T + rb[2 * n :])) if linear else ((q * h) @ r[2 * n :].T + rb[2 * n :])
            state, cell = (1 - z) * np.tanh(u[:, 2 * n :] + inner) + z * h, c
        else:
            i, o, f, g = np.split(u + h @ r.T + rb, 4, 1)
            cell = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            state = sigmoid(o) * np.tanh(cell)
        inside = (t < lengths)[:, None]
        h, c = np.where(inside, state, h), np.where(inside, cell, c)
        ys[t] = np.where(inside, state, 0)
    return ys, h, c


def layers():
    g = OnnxGraph(opset=14)
    lengths = np.int32([4, 2, 3])
    for kind, gates, linear in (("RNN", 1, 0), ("GRU", 3, 0), ("GRU", 3, 1), ("LSTM", 4, 0)):
        x, w, r, b = f32(4, 3, 2), f32(2, gates * 5, 2), f32(2, gates * 5, 5), f32(2, gates * 10)
        h, c = f32(2, 3, 5), f32(2, 3, 5)
        states = [g.input(h)] + ([g.input(c)] if kind == "LSTM" else [])
        more = {"linear_before_reset": linear} if kind == "GRU" else {}
        results = g.op(kind, g.input(x), g.input(w), g.input(r), g.input(b), g.input(lengths), *states,
                       outputs=1 + len(states), hidden_size=5, direction="bidirectional", **more)  # fmt: skip
        both = [recurrent(kind, x, w[d], r[d], b[d], lengths, d == 1, h[d], c[d], linear) for d in (0, 1)]
        g.expect(results[0], np.stack([both[0][0], both[1][0]], 1), **near)
        for k, result in enumerate(results[1:]):
            g.expect(result, np.stack([both[0][k + 1], both[1][k + 1]]), **near)
    return g


def long_layer():
    # With this number of steps there is a loop.
    g = OnnxGraph(opset=14, fold=False)
    x, w, r = f32(2, 40, 3), f32(1, 16, 3), f32(1, 16, 4)
    y, last = g.op("LSTM", g.input(x), g.input(w), g.input(r), outputs=2, hidden_size=4, layout=1, direction="reverse")
    zeros = np.zeros((2, 4))
    ys, h, _ = recurrent("LSTM", x.transpose(1, 0, 2), w[0], r[0], np.zeros(32), np.int32([40, 40]), True, zeros, zeros)
    g.expect(y, ys.transpose(1, 0, 2)[:, :, None], **near)
    g.expect(last, h[:, None], **near)
    return g


def directions():
    # The steps of both directions share parallel regions, in a loop or unrolled.
    g = OnnxGraph(opset=14, fold=False, options=["--threads=2"], threads=[1, 2, 3])
    for kind, gates, steps, batch, size in (("LSTM", 4, 40, 3, 60), ("LSTM", 4, 12, 5, 70), ("GRU", 3, 50, 2, 64)):
        x, w = f32(steps, batch, 9), f32(2, gates * size, 9)
        r, b = f32(2, gates * size, size) / 8, f32(2, gates * size * 2)
        weights = [g.constant(e) for e in (w, r, b)]
        y, last = g.op(kind, g.input(x), *weights, outputs=2, hidden_size=size, direction="bidirectional")
        zeros, lengths = np.zeros((batch, size)), np.full(batch, steps)
        both = [recurrent(kind, x, w[d], r[d], b[d], lengths, d == 1, zeros, zeros) for d in (0, 1)]
        g.expect(y, np.stack([both[0][0], both[1][0]], 1), rtol=1e-4, atol=1e-5)
        g.expect(last, np.stack([both[0][1], both[1][1]]), rtol=1e-4, atol=1e-5)
    return g


def attention():
    g = OnnxGraph(opset=24)
    q, k, v, past, before = f32(2, 4, 3, 6), f32(2, 2, 5, 6), f32(2, 2, 5, 3), f32(2, 2, 2, 6), f32(2, 2, 2, 3)
    keys = np.concatenate([past, k], 2)
    mask = rng.integers(0, 2, (3, 7)).astype(bool)
    mask[:, 0] = True
    inputs = [g.input(e) for e in (q, k, v)]
    y, present, _ = g.op("Attention", *inputs, g.input(mask), g.input(past), g.input(before), outputs=3, softcap=2.0, is_causal=1)
    scores = np.einsum("bhqd,bhkd->bhqk", q.astype(float), np.repeat(keys, 2, 1)) / np.sqrt(6)
    hidden = ~mask | (np.arange(7) > np.arange(3)[:, None] + 2)
    scores = np.where(hidden, -np.inf, 2 * np.tanh(scores / 2))
    g.expect(y, softmax(scores) @ np.repeat(np.concatenate([before, v], 2), 2, 1), **near)
    g.expect(present, keys)
    for mode in range(3):
        *_, stages = g.op("Attention", *inputs, g.input(mask), g.input(past), g.input(before), outputs=4, softcap=2.0,
                          is_causal=1, qk_matmul_output_mode=mode)  # fmt: skip
        products = np.einsum("bhqd,bhkd->bhqk", q.astype(float), np.repeat(keys, 2, 1)) / np.sqrt(6)
        g.expect(stages, [products, 2 * np.tanh(products / 2), scores][mode], **near)
    flat = [g.input(e.transpose(0, 2, 1, 3).reshape(e.shape[0], e.shape[2], -1)) for e in (q, k, v)]
    y = g.op("Attention", *flat, q_num_heads=4, kv_num_heads=2, scale=0.5)
    plain = softmax(np.einsum("bhqd,bhkd->bhqk", q.astype(float), np.repeat(k, 2, 1)) * 0.5) @ np.repeat(v, 2, 1)
    g.expect(y, plain.transpose(0, 2, 1, 3).reshape(2, 3, -1), **near)

    x, angles = f32(2, 3, 4, 8), f32(9, 2)
    at = np.int64([[0, 8, 3, 3], [1, 2, 5, 7]])
    y = g.op("RotaryEmbedding", g.input(x), g.input(np.cos(angles)), g.input(np.sin(angles)), g.input(at), rotary_embedding_dim=4)
    z = x[..., :2] + 1j * x[..., 2:4]
    z = z * np.exp(1j * angles[at][:, None])
    g.expect(y, np.concatenate([z.real, z.imag, x[..., 4:]], -1), **near)
    return g


def states():
    g = OnnxGraph(opset=27)
    b, t, h, dk, dv = 2, 3, 2, 4, 3
    q, k, v = f32(b, t, 2 * h * dk), f32(b, t, h * dk), f32(b, t, h * dv)
    decay, rate, state = -np.abs(f32(b, t, h * dk)), sigmoid(f32(b, t, h)), f32(b, h, dk, dv)
    y, last = g.op("LinearAttention", *[g.input(e) for e in (q, k, v, state, decay, rate)], outputs=2, q_num_heads=4, kv_num_heads=2)
    s, ys = state.astype(float), np.zeros((b, t, 2 * h, dv))
    for i in range(t):
        key, value = k[:, i].reshape(b, h, dk), v[:, i].reshape(b, h, dv)
        s = s * np.exp(decay[:, i].reshape(b, h, dk, 1))
        value = rate[:, i, :, None] * (value - np.einsum("bhd,bhdm->bhm", key, s))
        s = s + key[..., None] * value[:, :, None]
        ys[:, i] = np.einsum("bhd,bhdm->bhm", q[:, i].reshape(b, 2 * h, dk), np.repeat(s, 2, 1)) / 2
    g.expect(y, ys.reshape(b, t, -1), **near)
    g.expect(last, s, **near)

    x, w, c, past = f32(2, 3, 5), f32(3, 1, 3), f32(3), f32(2, 3, 2)
    y, last = g.op("CausalConvWithState", *[g.input(e) for e in (x, w, c, past)], outputs=2, activation="silu")
    whole = np.concatenate([past, x], 2).astype(float)
    z = sum(whole[:, :, i : i + 5] * w[:, 0, i, None] for i in range(3)) + c[:, None]
    g.expect(y, z * sigmoid(z), **near)
    g.expect(last, whole[:, :, -2:].astype(np.float32))
    return g


def images():
    g = OnnxGraph(opset=20)
    a = f32(1, 2, 4, 5)
    d, x = a.astype(float), g.input(a)
    none = None

    def resized(e, out, scale, axis):
        at = (np.arange(out) + 0.5) / scale - 0.5
        low = np.floor(at).astype(int)
        n = e.shape[axis]
        take = lambda i: np.take(e, np.clip(i, 0, n - 1), axis)
        w = (at - low).reshape([-1 if i == axis else 1 for i in range(4)])
        return take(low) * (1 - w) + take(low + 1) * w

    y = g.op("Resize", x, none, g.constant(np.float32([1, 1, 2, 0.6])), mode="linear")
    g.expect(y, resized(resized(d, 8, 2, 2), 3, 0.6, 3), **near)
    # Vectors of indices are close together or not, and rows may be shorter than a
    # vector.
    for columns, scale in ((37, 1.7), (40, 2), (9, 4), (7, 8), (60, 0.4)):
        wide, scale = f32(1, 3, 6, columns), float(np.float32(scale))
        y = g.op("Resize", g.input(wide), none, g.constant(np.float32([1, 1, 3, scale])), mode="linear")
        g.expect(y, resized(resized(wide.astype(float), 18, 3, 2), int(columns * scale), scale, 3), **near)
    y = g.op("Resize", x, none, none, g.constant(np.int64([8, 3])), axes=[2, 3], mode="nearest",
             coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
    rows, columns = np.arange(8) // 2, np.floor(np.arange(3) * 5 / 3).astype(int)
    g.expect(y, a[:, :, rows][:, :, :, columns])

    grid = rng.uniform(-1.2, 1.2, (1, 3, 2, 2)).astype(np.float32)
    y = g.op("GridSample", x, g.input(grid), align_corners=1)
    expected = np.zeros((1, 2, 3, 2))
    for i, j in np.ndindex(3, 2):
        px, py = (grid[0, i, j].astype(float) + 1) / 2 * [4, 3]
        for r, c in itertools.product((0, 1), (0, 1)):
            u, v = int(np.floor(py)) + r, int(np.floor(px)) + c
            if 0 <= u < 4 and 0 <= v < 5:
                expected[0, :, i, j] += d[0, :, u, v] * (1 - abs(py - u)) * (1 - abs(px - v))
    g.expect(y, expected, **near)

    theta = f32(1, 2, 3)
    y = g.op("AffineGrid", g.input(theta), g.constant(np.int64([1, 1, 2, 3])))
    v, u = np.meshgrid([-0.5, 0.5], [-2 / 3, 0, 2 / 3], indexing="ij")
    base = np.stack([u, v, np.ones_like(u)], -1)
    g.expect(y, (base @ theta[0].astype(float).T)[None], **near)

    boxes = np.float32([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11], [0, 10.1, 1, 11.1]]])
    scores = np.float32([[[0.9, 0.75, 0.6, 0.95]]])
    y = g.op("NonMaxSuppression", g.input(boxes), g.input(scores), g.constant(np.int64([3])),
             g.constant(np.float32([0.5])), g.constant(np.float32([0])), promise=[2, 3])  # fmt: skip
    g.expect(y, np.int64([[0, 0, 3], [0, 0, 0]]))
    columns = f32(1, 2 * 4, 6)
    y = g.op("Col2Im", g.input(columns), g.constant(np.int64([3, 4])), g.constant(np.int64([2, 2])))
    image = np.zeros((1, 2, 3, 4))
    for c, i, j, p, q in np.ndindex(2, 2, 2, 2, 3):
        image[0, c, i + p, j + q] += columns[0, c * 4 + i * 2 + j, p * 3 + q]
    g.expect(y, image, **near)
    return g


def signals():
    g = OnnxGraph(opset=20)
    a = f32(2, 12, 1)
    x = g.input(a)
    pair = lambda z: np.stack([z.real, z.imag], -1)
    g.expect(g.op("DFT", x), pair(np.fft.fft(a[..., 0])), **near)
    y = g.op("DFT", x, g.constant(np.int64(16)), g.constant(np.int64(1)), onesided=1)
    g.expect(y, pair(np.fft.rfft(a[..., 0], 16)), **near)
    z = f32(3, 10, 2)
    y = g.op("DFT", g.input(z), None, g.constant(np.int64(0)), inverse=1)
    g.expect(y, pair(np.fft.ifft(z[..., 0] + 1j * z[..., 1], axis=0)), **near)
    window = f32(8)
    y = g.op("STFT", x, g.constant(np.int64(2)), g.input(window))
    frames = np.stack([a[:, i : i + 8, 0] * window for i in (0, 2, 4)], 1)
    g.expect(y, pair(np.fft.rfft(frames)), **near)
    n = g.constant(np.int64(10))
    angle = 2 * np.pi * np.arange(10) / 10
    g.expect(g.op("HannWindow", n), 0.5 - 0.5 * np.cos(angle), **near)
    g.expect(g.op("BlackmanWindow", n, periodic=0), np.blackman(10), **near)
    m = f32(3, 4, 4)
    g.expect(g.op("Det", g.input(m)), np.linalg.det(m.astype(float)), **near)
    return g


def learned():
    g = OnnxGraph()
    a = f32(5, 3)
    x = g.input(a)
    ml = dict(domain="ai.onnx.ml")
    g.expect(g.op("Scaler", x, offset=[1.0, 2.0, 3.0], scale=[0.5], **ml), (a.astype(float) - [1, 2, 3]) * 0.5, **near)
    g.expect(g.op("Normalizer", x, norm="L2", **ml), a / np.sqrt((a.astype(float) ** 2).sum(1, keepdims=True)), **near)
    weights = f32(2, 3)
    y = g.op("LinearRegressor", x, coefficients=[float(w) for w in weights.reshape(-1)], intercepts=[0.5, -1.0], targets=2, **ml)
    g.expect(y, a.astype(float) @ weights.T + [0.5, -1], **near)
    keys = g.input(np.int64([3, 7, 4]))
    y = g.op("LabelEncoder", keys, keys_int64s=[3, 4], values_floats=[0.5, 1.5], default_float=-2.0, **ml)
    g.expect(y, np.float64([0.5, -2, 1.5]))
    g.expect(g.op("OneHotEncoder", keys, cats_int64s=[7, 3], **ml), np.float64([[0, 1], [1, 0], [0, 0]]))
    tree = dict(
        nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2],
        nodes_featureids=[1, 0, 0, 2, 0, 0], nodes_values=[0.25, 0.0, 0.0, -0.5, 0.0, 0.0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
        nodes_truenodeids=[1, 0, 0, 1, 0, 0], nodes_falsenodeids=[2, 0, 0, 2, 0, 0],
        target_treeids=[0, 0, 1, 1], target_nodeids=[1, 2, 1, 2], target_ids=[0, 0, 0, 0],
        target_weights=[1.0, 2.0, 4.0, 8.0], n_targets=1, base_values=[0.5],
    )  # fmt: skip
    y = g.op("TreeEnsembleRegressor", x, **tree, **ml)
    g.expect(y, (np.where(a[:, 1] <= 0.25, 1.0, 2) + np.where(a[:, 2] > -0.5, 4, 8) + 0.5)[:, None])
    return g


def promises():
    # The model declares run-time shapes, and other ones are an error of the run.
    g = OnnxGraph(opset=20, fold=False)
    a = f32(1, 1, 2, 3)
    x = g.input(a)
    scales = g.input(np.float32([1, 1, 2, 2]))
    y = g.op("Resize", x, None, scales, mode="nearest", promise=[1, 1, 4, 6])
    g.expect(y, np.repeat(np.repeat(a, 2, 2), 2, 3))
    theta = f32(1, 2, 3)
    y = g.op("AffineGrid", g.input(theta), g.input(np.int64([1, 7, 2, 3])), promise=[1, 2, 3, 2])
    v, u = np.meshgrid([-0.5, 0.5], [-2 / 3, 0, 2 / 3], indexing="ij")
    base = np.stack([u, v, np.ones_like(u)], -1)
    g.expect(y, (base @ theta[0].astype(float).T)[None], **near)
    g.expect(g.op("HannWindow", g.input(np.int32(9)), periodic=0, promise=[9]), np.hanning(9), **near)
    return g


def wrong_scale():
    g = OnnxGraph(opset=20, fold=False)
    x, scales = g.input(f32(1, 1, 2, 3)), g.input(np.float32([1, 1, 2, 2.5]))
    g.expect(g.op("Resize", x, None, scales, promise=[1, 1, 4, 6]), np.zeros((1, 1, 4, 6)))
    g.fails("it is resized to other sizes than the model says")
    return g


def wrong_count():
    g = OnnxGraph(opset=20, fold=False)
    boxes, scores = np.float32([[[0, 0, 1, 1]]]), np.float32([[[0.5]]])
    y = g.op("NonMaxSuppression", g.input(boxes), g.input(scores), g.constant(np.int64([1])), promise=[0, 3])
    g.expect(y, np.zeros((0, 3), np.int64))
    g.fails("it takes other than the 0 boxes that the model says")
    return g


main(
    quantized, pools, norms, layers, long_layer, directions, attention, states,
    images, signals, learned, promises, wrong_scale, wrong_count,
)  # fmt: skip
