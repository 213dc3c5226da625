"""Tests gradients of pools and of resized images. They are adjoints of the forward ops, which are
linear for known maxima or weights."""

import itertools

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(13)
F = np.float32


def normal(*shape, type=F):
    return random.standard_normal(shape).astype(type)


def largest(x, size, stride, same):
    """For each window over the dimensions between batch and channels, the index of its first
    maximum."""
    counts, lows = [], []
    for extent, s, k in zip(x.shape[1:-1], stride, size):
        count = -(-extent // s) if same else (extent - k) // s + 1
        pad = max((count - 1) * s + k - extent, 0) if same else 0
        counts.append(count)
        lows.append(pad // 2)
    shape = (x.shape[0], *counts, x.shape[-1])
    places = {}
    for at in np.ndindex(*shape):
        best = None
        for step in np.ndindex(*size):
            here = [at[1 + d] * stride[d] - lows[d] + step[d] for d in range(len(size))]
            if all(0 <= i < n for i, n in zip(here, x.shape[1:-1])):
                place = (at[0], *here, at[-1])
                if best is None or x[place] > x[best]:
                    best = place
        places[at] = best
    return shape, places


def pools():
    g = Graph()
    for type, same, stride in itertools.product(
        [F, np.float64, np.float16, np.int32], [False, True], [(1, 1), (2, 3)]
    ):
        x = random.permutation(2 * 5 * 6 * 2).reshape(2, 5, 6, 2).astype(type)
        shape, places = largest(x, (2, 3), stride, same)
        y = np.zeros(shape, type)
        dy = random.integers(-4, 5, shape).astype(type)
        second = random.integers(-4, 5, x.shape).astype(type)
        dx, picked = np.zeros_like(x), np.zeros_like(y)
        for at, place in places.items():
            y[at] = x[place]
            dx[place] += dy[at]
            picked[at] = second[place]
        padding = "SAME" if same else "VALID"
        how = {"ksize": [1, 2, 3, 1], "strides": [1, *stride, 1], "padding": padding, "T": type}
        more = {"padding": padding, "T": type}
        images, result, gradient, again = (g.input(v) for v in (x, y, dy, second))
        size = g.constant(np.int32([1, 2, 3, 1]))
        steps = g.constant(np.int32([1, *stride, 1]))
        g.expect(g.op("MaxPool", images, **how), y)
        g.expect(g.op("MaxPoolV2", images, size, steps, **more), y)
        g.expect(g.op("MaxPoolGrad", images, result, gradient, **how), dx)
        g.expect(g.op("MaxPoolGradV2", images, result, gradient, size, steps, **more), dx)
        g.expect(g.op("MaxPoolGradGrad", images, result, again, **how), picked)
        g.expect(g.op("MaxPoolGradGradV2", images, result, again, size, steps, **more), picked)
        flat = np.zeros(shape, np.int64)
        for at, place in places.items():
            flat[at] = np.ravel_multi_index(place, x.shape)
        for whole in (True, False):
            argmax = flat if whole else flat % (5 * 6 * 2)
            made = g.op("MaxPoolGradWithArgmax", images, gradient, g.input(argmax),
                        include_batch_in_index=whole, Targmax=np.int64, **how)  # fmt: skip
            g.expect(made, dx)
            made = g.op("MaxPoolGradGradWithArgmax", images, again, g.input(argmax),
                        include_batch_in_index=whole, Targmax=np.int64, **how)  # fmt: skip
            g.expect(made, picked)
    return g


def deep_pools():
    g = Graph()
    x = random.permutation(3 * 4 * 5 * 2).reshape(1, 3, 4, 5, 2).astype(F)
    shape, places = largest(x, (2, 2, 2), (1, 2, 2), True)
    y, again = np.zeros(shape, F), normal(*x.shape)
    picked = np.zeros_like(y)
    for at, place in places.items():
        y[at], picked[at] = x[place], again[place]
    how = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "SAME", "T": F}
    g.expect(g.op("MaxPool3D", g.input(x), **how), y)
    made = g.op("MaxPool3DGradGrad", g.input(x), g.input(y), g.input(again), **how)
    g.expect(made, picked)
    first = {**how, "ksize": [1, 1, 2, 2, 2], "strides": [1, 1, 1, 2, 2], "data_format": "NCDHW"}
    turned = [g.input(np.ascontiguousarray(np.moveaxis(v, -1, 1))) for v in (x, y, again)]
    g.expect(g.op("MaxPool3DGradGrad", *turned, **first), np.moveaxis(picked, -1, 1))
    return g


def far_places():
    g = Graph(fold=False)
    how = {"ksize": [1, 1, 1, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    x = normal(1, 2, 2, 1)
    places = g.input(np.int64([0, 1, 2, 4]).reshape(1, 2, 2, 1))
    made = g.op("MaxPoolGradWithArgmax", g.input(x), g.input(x), places, **how)
    g.expect(made, x)
    g.fails("a place lies outside of the images")
    return g


def source(out, size, align, half):
    """The position of each result pixel in the image."""
    at = np.arange(out, dtype=F)
    scale = F(size - 1) / F(out - 1) if align and out > 1 else F(size) / F(out)
    return (at + F(0.5)) * scale - F(0.5) if half else at * scale


def nearest_rows(out, size, align, half):
    at = np.arange(out, dtype=F)
    scale = F(size - 1) / F(out - 1) if align and out > 1 else F(size) / F(out)
    at = (at + F(0.5 if half else 0)) * scale
    whole = np.floor(at) + (at - np.floor(at) >= 0.5 if align else 0)
    return np.eye(size)[np.clip(whole, 0, size - 1).astype(int)]


def linear_rows(out, size, align, half):
    at = source(out, size, align, half)
    weight = (at - np.floor(at)).astype(np.float64)[:, None]
    low = np.clip(np.floor(at), 0, size - 1).astype(int)
    high = np.clip(np.ceil(at), 0, size - 1).astype(int)
    return np.eye(size)[low] * (1 - weight) + np.eye(size)[high] * weight


def cubic_rows(out, size, align, half):
    a = -0.5 if half else -0.75
    at = source(out, size, align, half)
    first = np.floor(at).astype(int)
    x = np.round((at - np.floor(at)).astype(np.float64) * 1024) / 1024

    def inner(t):
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def outer(t):
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a

    weights = np.stack([outer(x + 1), inner(x), inner(1 - x), outer(2 - x)], 1)
    places = first[:, None] + np.arange(-1, 3)
    if half:
        weights = np.where((places < 0) | (places >= size), 0, weights)
        weights /= weights.sum(1, keepdims=True)
    rows = np.zeros((out, size))
    for k in range(4):
        np.add.at(rows, (np.arange(out), np.clip(places[:, k], 0, size - 1)), weights[:, k])
    return rows


def back(dy, rows):
    return np.einsum("nhwc,hy,wx->nyxc", dy.astype(np.float64), *rows)


def resizes():
    g = Graph()
    modes = [(False, False), (True, False), (False, True)]
    for (align, half), out in itertools.product(modes, [(7, 4), (2, 3), (1, 1)]):
        how = {"align_corners": align, "half_pixel_centers": half}
        size, dy = (4, 5), normal(2, *out, 3)
        rows = [[f(o, s, align, half) for o, s in zip(out, size)]
                for f in (nearest_rows, linear_rows, cubic_rows)]  # fmt: skip
        for type, tolerance in ((F, 1e-5), (np.float64, 1e-6), (np.float16, 1e-2)):
            images, gradient = g.input(np.zeros((2, *size, 3), type)), g.input(dy)
            made = g.op("ResizeBilinearGrad", gradient, images, T=type, **how)
            g.expect(made, back(dy, rows[1]), rtol=tolerance, atol=tolerance, type=type)
            if type != np.float16:
                made = g.op("ResizeBicubicGrad", gradient, images, T=type, **how)
                g.expect(made, back(dy, rows[2]), rtol=tolerance, atol=1e-5, type=type)
        whole = g.constant(np.int32(size))
        for type in (F, np.float64, np.int32, np.uint8, np.int8):
            dx = random.integers(0, 4, dy.shape).astype(type)
            made = g.op("ResizeNearestNeighborGrad", g.input(dx), whole, T=type, **how)
            g.expect(made, back(dx, rows[0]))
    short = bf16(np.ones((1, 4, 4, 1)))
    made = g.op("ResizeBilinearGrad", g.input(np.ones((1, 4, 4, 1), F)), g.input(short))
    g.expect(made, np.ones((1, 4, 4, 1)), type="bf16")
    none = g.op("ResizeNearestNeighborGrad", g.input(np.zeros((0, 2, 2, 1), F)),
                g.constant(np.int32([4, 4])))  # fmt: skip
    g.expect(none, np.zeros((0, 4, 4, 1)))
    return g


if __name__ == "__main__":
    main(pools, deep_pools, far_places, resizes)
