"""Tests layers and gradients that other tests leave out. Gradients are checked as adjoints of
linear maps, and normalizations and cells by their formulas."""

import itertools

import numpy as np
from harness import Graph, main

random = np.random.default_rng(19)
F = np.float32


def normal(*shape, type=F):
    return random.standard_normal(shape).astype(type)


def adjoint(forward, x, dy):
    """The gradient of sum(dy * forward(x)) by x, for a linear forward."""
    dx = np.zeros(x.shape)
    for at in np.ndindex(*x.shape):
        one = np.zeros(x.shape)
        one[at] = 1
        dx[at] = (forward(one) * dy).sum()
    return dx


def convolved(x, w, stride, low, high):
    """Any number of spatial dimensions; channels last; w is [..., inner, outer]."""
    spatial = w.ndim - 2
    x = np.pad(x, [(0, 0), *zip(low, high), (0, 0)])
    counts = [(x.shape[1 + d] - w.shape[d]) // stride[d] + 1 for d in range(spatial)]
    y = np.zeros((x.shape[0], *counts, w.shape[-1]))
    for at in np.ndindex(*counts):
        window = tuple(slice(i * s, i * s + k) for i, s, k in zip(at, stride, w.shape))
        part = x[(slice(None), *window)]
        y[(slice(None), *at)] = np.tensordot(part, w, spatial + 1)
    return y


def same(extents, window, stride):
    low, high = [], []
    for n, k, s in zip(extents, window, stride):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        low.append(total // 2)
        high.append(total - total // 2)
    return low, high


def deep_gradients():
    g = Graph()
    x, w, stride = normal(1, 3, 4, 3, 2), normal(2, 2, 3, 2, 2), (1, 2, 1)
    for padding in ("SAME", "VALID"):
        low, high = same(x.shape[1:4], w.shape, stride) if padding == "SAME" else ([0] * 3,) * 2
        y = convolved(x, w, stride, low, high)
        dy = normal(*y.shape)
        dx = adjoint(lambda v: convolved(v, w, stride, low, high), x, dy)
        dw = adjoint(lambda v: convolved(x, v, stride, low, high), w, dy)
        how = {"strides": [1, *stride, 1], "padding": padding, "T": F}
        close = {"rtol": 1e-4, "atol": 1e-4}
        images, filter, gradient = (g.input(v) for v in (x, w, dy))
        g.expect(g.op("Conv3DBackpropInput", images, filter, gradient, **how), dx, **close)
        g.expect(g.op("Conv3DBackpropFilter", images, filter, gradient, **how), dw, **close)
        sizes = g.constant(np.int32(w.shape))
        g.expect(g.op("Conv3DBackpropFilterV2", images, sizes, gradient, **how), dw, **close)
    return g


def depthwise_gradients():
    g = Graph()
    x, w, stride = normal(2, 4, 5, 3), normal(2, 3, 3, 2), (2, 2)

    def forward(x, w):
        parts = [convolved(x[..., c : c + 1], w[:, :, c : c + 1], stride, low, high)
                 for c in range(3)]  # fmt: skip
        return np.concatenate(parts, -1)

    for padding in ("SAME", "VALID"):
        low, high = same(x.shape[1:3], w.shape, stride) if padding == "SAME" else ([0] * 2,) * 2
        dy = normal(*forward(x, w).shape)
        how = {"strides": [1, *stride, 1], "padding": padding, "T": F}
        made = g.op("DepthwiseConv2dNativeBackpropInput", g.constant(np.int32(x.shape)),
                    g.input(w), g.input(dy), **how)  # fmt: skip
        g.expect(made, adjoint(lambda v: forward(v, w), x, dy), rtol=1e-4, atol=1e-4)
        made = g.op("DepthwiseConv2dNativeBackpropFilter", g.input(x),
                    g.constant(np.int32(w.shape)), g.input(dy), **how)  # fmt: skip
        g.expect(made, adjoint(lambda v: forward(x, v), w, dy), rtol=1e-4, atol=1e-4)
    return g


def deep_pools():
    g = Graph()
    x = random.permutation(2 * 3 * 4 * 5 * 2).reshape(2, 3, 4, 5, 2).astype(F)
    window, stride = (2, 2, 3), (1, 2, 2)
    how = {"ksize": [1, *window, 1], "strides": [1, *stride, 1], "T": F}
    for padding in ("SAME", "VALID"):
        low, high = same(x.shape[1:4], window, stride) if padding == "SAME" else ([0] * 3,) * 2

        def spans(at):
            return tuple(slice(max(i * s - a, 0), i * s - a + k)
                         for i, s, a, k in zip(at, stride, low, window))  # fmt: skip

        counts = [(n + a + b - k) // s + 1
                  for n, a, b, k, s in zip(x.shape[1:4], low, high, window, stride)]  # fmt: skip
        mean, top = np.zeros((2, *counts, 2)), np.zeros((2, *counts, 2), F)
        dy = normal(2, *counts, 2)
        shared, placed = np.zeros(x.shape), np.zeros(x.shape)
        for at in np.ndindex(*counts):
            here = (slice(None), *spans(at))
            place = (slice(None), *at)
            size = np.prod(x[here].shape[1:4])
            mean[place] = x[here].mean((1, 2, 3))
            shared[here] += dy[place][:, None, None, None] / size
            top[place] = x[here].max((1, 2, 3))
            placed[here] += (x[here] == top[place][:, None, None, None]) * dy[place][:, None, None, None]
        close = {"rtol": 1e-5, "atol": 1e-5}
        more = {**how, "padding": padding}
        g.expect(g.op("AvgPool3D", g.input(x), **more), mean, **close)
        sizes = g.constant(np.int32(x.shape))
        g.expect(g.op("AvgPool3DGrad", sizes, g.input(dy), **more), shared, **close)
        made = g.op("MaxPool3DGrad", g.input(x), g.input(top), g.input(dy), **more)
        g.expect(made, placed, **close)
    return g


def norms():
    g = Graph()
    x, dy = normal(2, 3, 4, 5), normal(2, 3, 4, 5)
    scale, offset, mean, variance = normal(5), normal(5), normal(5), np.abs(normal(5)) + 0.5
    vectors = [g.input(v) for v in (scale, offset, mean, variance)]
    axes = (0, 1, 2)
    count = x.size / 5
    wide = x.astype(np.float64)
    close = {"rtol": 1e-4, "atol": 1e-4}
    for op, first in itertools.product(("FusedBatchNorm", "FusedBatchNormV2"), (False, True)):
        turn = (lambda v: np.ascontiguousarray(np.moveaxis(v, -1, 1))) if first else (lambda v: v)
        how = {"epsilon": 1e-3, "data_format": "NCHW" if first else "NHWC", "T": F}
        y = (wide - mean) / np.sqrt(variance + 1e-3) * scale + offset
        made = g.op(op, g.input(turn(x)), *vectors, outputs=5, is_training=False, **how)
        g.expect(made[0], turn(y), **close)
        own, spread = wide.mean(axes), wide.var(axes)
        y = (wide - own) / np.sqrt(spread + 1e-3) * scale + offset
        made = g.op(op, g.input(turn(x)), *vectors, outputs=5, is_training=True, **how)
        g.expect(made[0], turn(y), **close)
        g.expect(made[1], own, **close)
        g.expect(made[2], spread * count / (count - 1), **close)
    for op, training in itertools.product(
        ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"), (False, True)
    ):
        own = wide.mean(axes) if training else mean
        spread = wide.var(axes) if training else variance
        unit = (wide - own) / np.sqrt(spread + 1e-3)
        ds, db = (dy * unit).sum(axes), dy.astype(np.float64).sum(axes)
        dx = dy - (db + unit * ds) / count if training else dy
        dx = dx * scale / np.sqrt(spread + 1e-3)
        more = [g.input(F(own)), g.input(F(spread))]
        more += [g.input(F(own))] if op.endswith("V3") else []
        made = g.op(op, g.input(dy), g.input(x), g.input(scale), *more, outputs=5,
                    is_training=training, epsilon=1e-3, T=F)  # fmt: skip
        for tensor, wanted in zip(made, (dx, ds, db)):
            g.expect(tensor, wanted, **close)
    y = (wide - mean) / np.sqrt(variance + 1e-3) * scale + offset
    order = [g.input(v) for v in (mean, variance, offset, scale)]
    made = g.op("BatchNormWithGlobalNormalization", g.input(x), *order, variance_epsilon=1e-3,
                scale_after_normalization=True, T=F)  # fmt: skip
    g.expect(made, y, **close)
    return g


def responses():
    g = Graph()
    x, dy = normal(1, 2, 3, 7), normal(1, 2, 3, 7)
    radius, bias, alpha, beta = 2, 1.5, 0.25, 0.75
    band = np.abs(np.subtract.outer(np.arange(7), np.arange(7))) <= radius

    def forward(x):
        return x * (bias + alpha * (x * x) @ band) ** -beta

    wide, step = x.astype(np.float64), 1e-6
    dx = np.zeros(x.shape)
    for at in np.ndindex(*x.shape):
        one = np.zeros(x.shape)
        one[at] = step
        dx[at] = ((forward(wide + one) - forward(wide - one)) * dy).sum() / (2 * step)
    made = g.op("LRNGrad", g.input(dy), g.input(x), g.input(F(forward(wide))), T=F,
                depth_radius=radius, bias=bias, alpha=alpha, beta=beta)  # fmt: skip
    g.expect(made, dx, rtol=1e-3, atol=1e-4)
    return g


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def recurrences():
    """Gates in the order input, cell, forget, output; of version 2 input,
    forget, cell, output."""
    g = Graph()
    steps, batch, inputs, units = 4, 2, 3, 5
    for op, peeps, length in itertools.product(
        ("BlockLSTM", "BlockLSTMV2"), (False, True), (4, 2)
    ):
        x, w, b = normal(steps, batch, inputs), normal(inputs + units, 4 * units), normal(4 * units)
        c, h = normal(batch, units), normal(batch, units)
        p = [normal(units) for _ in range(3)]
        bias = 1.0 if op == "BlockLSTM" else 0.0
        how = {"use_peephole": peeps, "cell_clip": -1.0, "T": F}
        if op == "BlockLSTM":
            how["forget_bias"] = 1.0
        made = g.op(op, g.constant(np.int64(length)), g.input(x), g.input(c), g.input(h),
                    g.input(w), *[g.input(v) for v in p], g.input(b), outputs=7, **how)
        wanted = np.zeros((steps, batch, units)), np.zeros((steps, batch, units))
        state, hidden = c.astype(np.float64), h.astype(np.float64)
        for t in range(length):
            gates = np.concatenate([x[t], hidden], 1) @ w + b
            i, j, k, o = np.split(gates, 4, 1)
            j, k = (j, k) if op == "BlockLSTM" else (k, j)
            add = [v * state if peeps else 0 for v in p[:2]]
            new = sigmoid(k + bias + add[1]) * state + sigmoid(i + add[0]) * np.tanh(j)
            state = new
            hidden = sigmoid(o + (p[2] * state if peeps else 0)) * np.tanh(state)
            wanted[0][t], wanted[1][t] = state, hidden
        g.expect(made[1], wanted[0], rtol=1e-4, atol=1e-5)
        g.expect(made[6], wanted[1], rtol=1e-4, atol=1e-5)
    return g


def transforms():
    g = Graph(fold=False)
    parts = normal(2, 3, 4, 5), normal(2, 3, 4, 5)
    exact = parts[0] + 1j * parts[1].astype(np.float64)
    z = g.op("Complex", *[g.input(p) for p in parts])
    for op, dims in (("FFT2D", (2, 3)), ("FFT3D", (1, 2, 3))):
        for name, made in ((op, np.fft.fftn(exact, axes=dims)), ("I" + op, np.fft.ifftn(exact, axes=dims))):
            y = g.op(name, z, Tcomplex="DT_COMPLEX64")
            g.expect(g.op("Real", y, Tout=F), made.real, rtol=1e-5, atol=1e-4)
            g.expect(g.op("Imag", y, Tout=F), made.imag, rtol=1e-5, atol=1e-4)
    size = g.constant(np.int32([3, 4, 5]))
    y = g.op("RFFT3D", g.input(parts[0]), size, Treal=F)
    made = np.fft.rfftn(parts[0].astype(np.float64), axes=(1, 2, 3))
    g.expect(g.op("Real", y, Tout=F), made.real, rtol=1e-5, atol=1e-4)
    g.expect(g.op("Imag", y, Tout=F), made.imag, rtol=1e-5, atol=1e-4)
    g.expect(g.op("IRFFT3D", y, size, Treal=F), parts[0], rtol=1e-5, atol=1e-5)
    return g


if __name__ == "__main__":
    main(deep_gradients, depthwise_gradients, deep_pools, norms, responses, recurrences, transforms)
