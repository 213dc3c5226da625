"""Tests fused nodes against their parts in f64, and dilation of images with its gradients."""

import itertools
import math

import numpy as np
from harness import Graph, main

random = np.random.default_rng(12)
F = np.float32


def normal(*shape, type=F):
    return random.standard_normal(shape).astype(type)


ACTIVATIONS = {
    "Relu": lambda x: np.maximum(x, 0),
    "Relu6": lambda x: np.clip(x, 0, 6),
    "Elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "LeakyRelu": lambda x: np.where(x > 0, x, F(0.3) * x),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
GELUS = {
    "GeluExact": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
    "GeluApproximate": lambda x: x
    * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    / 2,
}


def convolved(x, w):
    """These have unit strides, no padding, and images with channels last."""
    h, v = x.shape[1] - w.shape[0] + 1, x.shape[2] - w.shape[1] + 1
    y = np.zeros((x.shape[0], h, v, w.shape[3]))
    for i, j in itertools.product(range(w.shape[0]), range(w.shape[1])):
        y += x[:, i : i + h, j : j + v].astype(np.float64) @ w[i, j]
    return y


def products():
    g = Graph()
    for type, tolerance in ((F, 1e-5), (np.float64, 1e-12)):
        a, b, bias = normal(3, 4, type=type), normal(4, 5, type=type), normal(5, type=type)
        y = a.astype(np.float64) @ b + bias
        for turned in (False, True):
            left = g.input(a.T.copy() if turned else a)
            made = g.op("_FusedMatMul", left, g.input(b), g.input(bias), transpose_a=turned,
                        fused_ops=["BiasAdd"], num_args=1, T=type)  # fmt: skip
            g.expect(made, y, rtol=tolerance, atol=tolerance)
        for name, function in (ACTIVATIONS | GELUS).items():
            made = g.op("_FusedMatMul", g.input(a), g.input(b), g.input(bias), num_args=1,
                        fused_ops=["BiasAdd", name], leakyrelu_alpha=0.3, T=type)  # fmt: skip
            g.expect(made, function(y), rtol=tolerance, atol=tolerance)
    empty = g.op("_FusedMatMul", g.input(np.zeros((0, 4), F)), g.input(normal(4, 2)),
                 g.input(normal(2)), fused_ops=["BiasAdd", "Relu"], num_args=1)  # fmt: skip
    g.expect(empty, np.zeros((0, 2)))
    return g


def convolutions():
    g = Graph()
    x, w, bias = normal(2, 5, 6, 3), normal(3, 2, 3, 4), normal(4)
    y = convolved(x, w)
    how = {"strides": [1, 1, 1, 1], "padding": "VALID", "T": F}
    for name, function in ACTIVATIONS.items():
        made = g.op("_FusedConv2D", g.input(x), g.input(w), g.input(bias), num_args=1,
                    fused_ops=["BiasAdd", name], leakyrelu_alpha=0.3, **how)  # fmt: skip
        g.expect(made, function(y + bias), rtol=1e-5, atol=1e-5)
    scale, offset, mean, variance = normal(4), normal(4), normal(4), np.abs(normal(4))
    vectors = [g.input(v) for v in (scale, offset, mean, variance)]
    normed = (y - mean) / np.sqrt(variance + 1e-3) * scale + offset
    made = g.op("_FusedConv2D", g.input(x), g.input(w), *vectors, num_args=4, epsilon=1e-3,
                fused_ops=["FusedBatchNorm", "Relu"], **how)  # fmt: skip
    g.expect(made, np.maximum(normed, 0), rtol=1e-4, atol=1e-4)
    side = normal(*y.shape)
    made = g.op("_FusedConv2D", g.input(x), g.input(w), g.input(bias), g.input(side), num_args=2,
                fused_ops=["BiasAdd", "Add", "Relu"], **how)  # fmt: skip
    g.expect(made, np.maximum(y + bias + side, 0), rtol=1e-5, atol=1e-5)
    first = g.input(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))
    made = g.op("_FusedConv2D", first, g.input(w), g.input(bias), num_args=1,
                fused_ops=["BiasAdd"], data_format="NCHW", **how)  # fmt: skip
    g.expect(made, (y + bias).transpose(0, 3, 1, 2), rtol=1e-5, atol=1e-5)
    deep, bias = normal(3, 2, 3, 2), normal(6)
    parts = [convolved(x[..., i : i + 1], deep[:, :, i : i + 1]) for i in range(3)]
    made = g.op("_FusedDepthwiseConv2dNative", g.input(x), g.input(deep), g.input(bias),
                num_args=1, fused_ops=["BiasAdd", "Relu6"], **how)  # fmt: skip
    g.expect(made, np.clip(np.concatenate(parts, -1) + bias, 0, 6), rtol=1e-5, atol=1e-5)
    return g


def normalizations():
    g = Graph()
    x, side = normal(2, 3, 4, 5), normal(2, 3, 4, 5)
    scale, offset, mean, variance = normal(5), normal(5), normal(5), np.abs(normal(5))
    vectors = [g.input(v) for v in (scale, offset, mean, variance)]
    y = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    for sides, mode in itertools.product([0, 1], ["Identity", "Relu"]):
        more = [g.input(side)] * sides
        made = g.op("_FusedBatchNormEx", g.input(x), *vectors, *more, outputs=6, T=F, U=F,
                    epsilon=1e-3, is_training=False, num_side_inputs=sides,
                    activation_mode=mode)  # fmt: skip
        z = y + side * sides
        g.expect(made[0], np.maximum(z, 0) if mode == "Relu" else z, rtol=1e-4, atol=1e-4)
        g.expect(made[1], mean, rtol=1e-6)
    return g


def compositions():
    g = Graph()
    for type, tolerance in ((np.float16, 1e-2), (F, 1e-5), (np.float64, 1e-12)):
        x = type([0.25, 1, 2.5])
        made = g.op("_UnaryOpsComposition", g.input(x), op_names=["Sqrt", "Neg", "Exp"], T=type)
        g.expect(made, np.exp(-np.sqrt(np.float64(x))), rtol=tolerance)
        made = g.op("_UnaryOpsComposition", g.input(type(2)), op_names=["Log", "Tanh"], T=type)
        g.expect(made, np.tanh(np.log(2.0)), rtol=tolerance)
    empty = g.op("_UnaryOpsComposition", g.input(np.zeros(0, F)), op_names=["Relu"], T=F)
    g.expect(empty, np.zeros(0))
    return g


def dilated(x, f, stride, rate, same):
    """The values, and the pixel and the element of the shape that each comes from."""
    n, height, width, channels = x.shape
    reach = [(f.shape[i] - 1) * rate[i] + 1 for i in (0, 1)]
    sizes, lows = [], []
    for i, size in enumerate((height, width)):
        count = -(-size // stride[i]) if same else (size - reach[i]) // stride[i] + 1
        pad = max((count - 1) * stride[i] + reach[i] - size, 0) if same else 0
        sizes.append(count)
        lows.append(pad // 2)
    y = np.zeros((n, *sizes, channels), x.dtype)
    to_x, to_f = {}, {}
    for at in np.ndindex(*y.shape):
        best = None
        for i, j in np.ndindex(*f.shape[:2]):
            r = at[1] * stride[0] - lows[0] + i * rate[0]
            c = at[2] * stride[1] - lows[1] + j * rate[1]
            if 0 <= r < height and 0 <= c < width:
                value = x[at[0], r, c, at[3]] + f[i, j, at[3]]
                if best is None or value > best:
                    best = value
                    to_x[at], to_f[at] = (at[0], r, c, at[3]), (i, j, at[3])
        y[at] = best
    return y, to_x, to_f


def dilations():
    g = Graph()
    for type, stride, rate, same in itertools.product(
        [F, np.float64, np.int32], [(1, 1), (2, 3)], [(1, 1), (2, 1)], [False, True]
    ):
        x = (normal(2, 6, 7, 2) * 9).astype(type)
        f = (normal(2, 3, 2) * 9).astype(type)
        y, to_x, to_f = dilated(x, f, stride, rate, same)
        how = {"strides": [1, *stride, 1], "rates": [1, *rate, 1], "T": type,
               "padding": "SAME" if same else "VALID"}  # fmt: skip
        g.expect(g.op("Dilation2D", g.input(x), g.input(f), **how), y)
        dy = (normal(*y.shape) * 4).round().astype(type)
        dx, df = np.zeros_like(x), np.zeros_like(f)
        for at, value in np.ndenumerate(dy):
            dx[to_x[at]] += value
            df[to_f[at]] += value
        made = g.op("Dilation2DBackpropInput", g.input(x), g.input(f), g.input(dy), **how)
        g.expect(made, dx)
        made = g.op("Dilation2DBackpropFilter", g.input(x), g.input(f), g.input(dy), **how)
        g.expect(made, df)
    return g


if __name__ == "__main__":
    main(products, convolutions, normalizations, compositions, dilations)
