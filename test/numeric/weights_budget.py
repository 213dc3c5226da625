"""Tests convolutions and products whose weights fit a budget, against NumPy in f64: stored as f16
or bf16 and widened in registers, transformed at run time, and direct sums."""

import itertools

import numpy as np
from harness import STEP, Graph, bf16, excess_weights, main

random = np.random.default_rng(142)
near = dict(rtol=1e-4, atol=2e-3)


class Budget(Graph):
    def __init__(self, factor, most=None, **named):
        super().__init__(fold=False, **named)
        self.options.append(f"--weights-budget={factor}")
        self.most = most  # bytes of weights in the library

    def check(self, folder):
        wrong = super().check(folder)
        if self.most and not STEP:
            wrong += excess_weights(f"{folder}/graph.so", self.most)
        return wrong


def values(*shape):
    return random.standard_normal(shape).astype(np.float32)


def half(array):
    return array.astype(np.float16)


def convolved(x, w, stride=1, dilation=1):
    """The layouts are NHWC and HWIO, with padding SAME."""
    n, h, width, _ = x.shape
    taps = [dilation * (size - 1) + 1 for size in w.shape[:2]]
    out = [-(-size // stride) for size in (h, width)]
    pad = [max((o - 1) * stride + t - s, 0) for o, t, s in zip(out, taps, (h, width))]
    x = np.pad(x, ((0, 0), *((p // 2, p - p // 2) for p in pad), (0, 0)))
    y = np.zeros((n, *out, w.shape[3]))
    for i, j in itertools.product(range(w.shape[0]), range(w.shape[1])):
        part = x[:, i * dilation :, j * dilation :]
        part = part[:, : (out[0] - 1) * stride + 1 : stride, : (out[1] - 1) * stride + 1 : stride]
        y += part @ w[i, j]
    return y


# Image, filter, stride, dilation.
SHAPES = [
    ((1, 28, 28, 32), (3, 3, 32, 64), 1, 1),
    ((1, 28, 30, 32), (3, 3, 32, 40), 2, 1),
    ((2, 7, 7, 64), (3, 3, 64, 64), 1, 1),
    ((1, 21, 21, 16), (5, 5, 16, 32), 1, 1),
    ((1, 20, 20, 16), (3, 3, 16, 48), 1, 2),
    ((1, 32, 32, 3), (7, 7, 3, 64), 2, 1),
    ((1, 14, 14, 48), (1, 1, 48, 70), 1, 1),
    ((1, 9, 9, 160), (3, 3, 160, 6), 1, 1),
]


def of_f32(factor, **named):
    g = Budget(factor, **named)
    for shape, filter, stride, dilation in SHAPES:
        x, w = values(*shape), values(*filter)
        y = g.op("Conv2D", g.input(x), g.constant(w), strides=[1, stride, stride, 1],
                 dilations=[1, dilation, dilation, 1], padding="SAME")
        g.expect(y, convolved(np.float64(x), np.float64(w), stride, dilation), **near)
    return g


def free():
    return of_f32("none")


def smallest():
    return of_f32(1, most=1_000_000)


def smallest_threads():
    return of_f32(1, threads=(1, 2, 3))


def smallest_avx2():
    return of_f32(1, options=["-mcpu=x86-64-v3"])


def of_f16(options=()):
    """A net of f16 with batch norm and biases keeps filters of f16."""
    g = Budget(1, most=450_000, options=options)
    for shape, filter, stride, dilation in SHAPES:
        x, w = half(values(*shape)), half(values(*filter))
        scale = half(random.uniform(0.5, 2, filter[3]))
        bias = half(values(filter[3]))
        y = g.op("Conv2D", g.input(x), g.constant(w), strides=[1, stride, stride, 1],
                 dilations=[1, dilation, dilation, 1], padding="SAME")
        y = g.op("Relu", g.op("AddV2", g.op("Mul", y, g.constant(scale)), g.constant(bias)))
        exact = convolved(np.float64(x), np.float64(w), stride, dilation) * np.float64(scale) + np.float64(bias)
        g.expect(y, np.maximum(exact, 0), rtol=2**-10, atol=1e-2)
    return g


def of_f16_avx2():
    return of_f16(["-mcpu=x86-64-v3"])


def products():
    """Weights of f16, and of f32 with bf16 values, are multiplied by one row, by few and by
    many."""
    g = Budget(1, most=1_800_000)
    for rows, depth, columns in ((1, 300, 257), (5, 256, 200), (40, 513, 129), (200, 384, 384), (64, 200, 10)):
        a, w = half(values(rows, depth)), half(values(depth, columns))
        y = g.op("MatMul", g.input(a), g.constant(w))
        g.expect(y, np.float64(a) @ np.float64(w), rtol=2**-10, atol=1e-2)
        a, w = values(rows, depth), bf16(values(depth, columns) * np.float32(2**20))
        wide = g.op("Cast", g.constant(w), SrcT="DT_BFLOAT16", DstT=np.float32)
        y = g.op("MatMul", g.input(a), wide)
        exact = np.float64(a) @ np.float64(w.value)
        g.expect(y, exact, rtol=1e-4, atol=1e-4 * np.abs(exact).max())
    return g


main(free, smallest, smallest_threads, smallest_avx2, of_f16, of_f16_avx2, products)
