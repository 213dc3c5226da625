"""Tests operators of the domain com.microsoft: normalizations, activations, products, convolutions
and rotary embeddings, against NumPy in f64."""

import math

import numpy as np
from onnx_graph import OnnxGraph, main

rng = np.random.default_rng(42)
near = dict(rtol=2e-5, atol=2e-5)
erf = np.vectorize(math.erf)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def f64(x):
    return np.asarray(x, np.float64)


class Contrib(OnnxGraph):
    def contrib(self, op, *operands, **more):
        """Arrays become inputs."""
        made = [self.input(o) if isinstance(o, (np.ndarray, np.generic)) else o for o in operands]
        return self.op(op, *made, domain="com.microsoft", **more)


def normal(x, epsilon=1e-12):
    mean = x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(x.var(-1, keepdims=True) + epsilon)
    return (x - mean) * inverse, mean, inverse


def to_one(x, epsilon=1e-12):
    inverse = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
    return x * inverse, inverse


def gelu(x):
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


def fast_gelu(x):
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-f64(x)))


def skips():
    g = Contrib()
    for shape in ((2, 4, 8), (1, 4, 8), (4, 8)):
        x, skip, gain, shift, bias = f32(2, 4, 8), f32(*shape), f32(8), f32(8), f32(8)
        whole = f64(x) + skip + bias
        y, mean, inverse, total = g.contrib("SkipLayerNormalization", x, skip, gain, shift, bias, outputs=4, epsilon=0.01)
        normed = normal(whole, 0.01)
        g.expect(y, normed[0] * gain + shift, **near)
        g.expect(mean, normed[1], **near)
        g.expect(inverse, normed[2], **near)
        g.expect(total, whole, **near)
        y, _, inverse, total = g.contrib("SkipSimplifiedLayerNormalization", x, skip, gain, bias, outputs=4)
        g.expect(y, to_one(whole)[0] * gain, **near)
        g.expect(inverse, to_one(whole)[1], **near)
        g.expect(total, whole, **near)
    y = g.contrib("SkipLayerNormalization", x, x, gain)
    g.expect(y, normal(2 * f64(x))[0] * gain, **near)
    half = x.astype(np.float16)
    y = g.contrib("SkipLayerNormalization", half, half, np.float16(gain), np.float16(shift))
    g.expect(y, normal(2 * f64(half))[0] * np.float16(gain) + np.float16(shift), rtol=4e-3, atol=4e-3)
    return g


def simplified():
    g = Contrib()
    x, gain = f32(2, 3, 8), f32(8)
    for domain in ("", "com.microsoft"):
        y, inverse = g.op("SimplifiedLayerNormalization", g.input(x), g.input(gain), outputs=2, domain=domain, axis=-1, stash_type=1)
        g.expect(y, to_one(f64(x), 1e-5)[0] * gain, **near)
        g.expect(inverse, to_one(f64(x), 1e-5)[1], **near)
    y = g.op("SimplifiedLayerNormalization", g.input(x), g.input(f32(3, 8) * 0 + 1), axis=1, epsilon=0.5)
    flat = f64(x).reshape(2, 24)
    g.expect(y, to_one(flat, 0.5)[0].reshape(2, 3, 8), **near)
    return g


def embeddings():
    g = Contrib()
    ids, segments = np.int32(rng.integers(0, 11, (2, 4))), np.int32(rng.integers(0, 2, (2, 4)))
    words, places, kinds, gain, shift = f32(11, 6), f32(9, 6), f32(2, 6), f32(6), f32(6)
    mask = np.int32([[1, 1, 1, 0], [1, 0, 0, 0]])
    y, count, total = g.contrib("EmbedLayerNormalization", ids, segments, words, places, kinds, gain, shift, mask, outputs=3)
    whole = f64(words)[ids] + places[:4] + kinds[segments]
    g.expect(y, normal(whole)[0] * gain + shift, **near)
    g.expect(count, np.int32([3, 1]))
    g.expect(total, whole, **near)
    where = np.int32(rng.integers(0, 9, (2, 4)))
    y, count = g.contrib("EmbedLayerNormalization", ids, None, words, places, None, gain, shift, None, where, outputs=2, epsilon=0.1)
    g.expect(y, normal(f64(words)[ids] + places[where], 0.1)[0] * gain + shift, **near)
    g.expect(count, np.int32([0, 0]))
    return g


def activations():
    g = Contrib()
    x, bias = f32(2, 3, 8), f32(8)
    g.expect(g.contrib("Gelu", x), gelu(f64(x)), **near)
    g.expect(g.contrib("BiasGelu", x, bias), gelu(f64(x) + bias), **near)
    g.expect(g.contrib("FastGelu", x), fast_gelu(f64(x)), **near)
    g.expect(g.contrib("FastGelu", x, bias), fast_gelu(f64(x) + bias), **near)
    g.expect(g.contrib("QuickGelu", x), x * sigmoid(1.702 * x), **near)
    g.expect(g.contrib("QuickGelu", x, alpha=1.0), x * sigmoid(x), **near)
    skip = f32(2, 3, 8)
    g.expect(g.contrib("BiasAdd", x, bias, skip), f64(x) + bias + skip, **near)
    whole = f64(x) + bias
    g.expect(g.contrib("BiasSplitGelu", x, bias), whole[..., :4] * gelu(whole[..., 4:]), **near)
    half = x.astype(np.float16)
    g.expect(g.contrib("BiasGelu", half, np.float16(bias)), gelu(f64(half) + np.float16(bias)), rtol=2e-3, atol=2e-3)
    return g


def products():
    g = Contrib()
    a, b = f32(2, 3, 4, 5), f32(5, 6)
    g.expect(g.contrib("FusedMatMul", a, b, alpha=0.25), 0.25 * (f64(a) @ b), **near)
    g.expect(g.contrib("FusedMatMul", a, b.T.copy(), transB=1), f64(a) @ b, **near)
    g.expect(g.contrib("FusedMatMul", a.swapaxes(2, 3).copy(), b, transA=1, alpha=2.0), 2 * (f64(a) @ b), **near)
    g.expect(g.contrib("TransposeMatMul", a, b.T.copy(), transB=1, alpha=-1.0), -(f64(a) @ b), **near)
    moved = a.transpose(2, 0, 1, 3).copy()
    g.expect(g.contrib("FusedMatMul", moved, b, transBatchA=1), f64(a) @ b, **near)
    both = a.transpose(3, 0, 1, 2).copy()
    other = f32(2, 3, 5, 6)
    g.expect(g.contrib("FusedMatMul", both, other.transpose(3, 0, 1, 2).copy(), transA=1, transBatchA=1, transB=1, transBatchB=1),
             f64(a) @ other, **near)  # fmt: skip
    g.expect(g.contrib("FusedMatMul", f32(5) * 0 + 1, b), f64(b).sum(0), **near)
    m, c = f32(4, 5), f32(6)
    exact = 0.5 * (f64(m) @ b) + 2 * c
    named = dict(alpha=0.5, beta=2.0)
    g.expect(g.contrib("FusedGemm", m, b, c, activation="Relu", **named), np.maximum(exact, 0), **near)
    g.expect(g.contrib("FusedGemm", m.T.copy(), b, c, transA=1, activation="LeakyRelu", activation_alpha=0.3, **named),
             np.where(exact < 0, 0.3 * exact, exact), **near)  # fmt: skip
    g.expect(g.contrib("FusedGemm", m, b, activation="HardSigmoid", activation_alpha=0.1, activation_beta=0.4),
             np.clip(0.1 * (f64(m) @ b) + 0.4, 0, 1), **near)  # fmt: skip
    g.expect(g.contrib("GemmFastGelu", a, b, c), fast_gelu(f64(a) @ b + c), **near)
    return g


def convolve(x, w, stride, margin):
    """Images [N, C, H, W] in f64."""
    x = np.pad(f64(x), [(0, 0), (0, 0), (margin, margin), (margin, margin)])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("nchwij,ocij->nohw", windows, f64(w))


def convolutions():
    g = Contrib()
    x, w, bias = f32(2, 3, 6, 6), f32(4, 3, 3, 3), f32(4)
    exact = convolve(x, w, 2, 1) + bias[:, None, None]
    how = dict(strides=[2, 2], pads=[1, 1, 1, 1])
    g.expect(g.contrib("FusedConv", x, w, bias, activation="Relu", **how), np.maximum(exact, 0), **near)
    more = f32(*exact.shape)
    y = g.contrib("FusedConv", x, w, bias, more, activation="Clip", activation_params=[-1.0, 2.0], **how)
    g.expect(y, np.clip(exact + more, -1, 2), **near)
    y = g.contrib("FusedConv", x, w, activation="LeakyRelu", activation_params=[0.2], kernel_shape=[3, 3], auto_pad="VALID")
    plain = convolve(x, w, 1, 0)
    g.expect(y, np.where(plain < 0, 0.2 * plain, plain), **near)
    last = x.transpose(0, 2, 3, 1).copy()
    for filters in (w, w.transpose(0, 2, 3, 1).copy()):
        sizes = dict(kernel_shape=[3, 3]) if filters is w else {}
        y = g.contrib("NhwcConv", last, filters, bias, **how, **sizes)
        if filters is not w:
            exact = convolve(x, w, 2, 1) + bias[:, None, None]
        else:
            # If both orders are possible, channels are last.
            exact = convolve(x, w.transpose(0, 3, 1, 2), 2, 1) + bias[:, None, None]
        g.expect(y, exact.transpose(0, 2, 3, 1), **near)
    y = g.contrib("NhwcFusedConv", last, w.transpose(0, 2, 3, 1).copy(), bias, activation="Relu", **how)
    exact = convolve(x, w, 2, 1) + bias[:, None, None]
    g.expect(y, np.maximum(exact, 0).transpose(0, 2, 3, 1), **near)
    wide = f32(2, 5, 3, 3)
    y = g.contrib("NhwcConv", f32(1, 4, 4, 5) * 0 + 1, wide)
    g.expect(y, convolve(np.ones((1, 5, 4, 4)), wide, 1, 0).transpose(0, 2, 3, 1), **near)
    return g


def rotate(x, cosines, sines, interleaved=False):
    """Heads [..., S, D], whose first R elements the angles [..., S, R / 2] rotate."""
    half = cosines.shape[-1]
    moved, rest = f64(x)[..., : 2 * half], f64(x)[..., 2 * half :]
    a, b = (moved[..., ::2], moved[..., 1::2]) if interleaved else (moved[..., :half], moved[..., half:])
    re, im = a * cosines - b * sines, a * sines + b * cosines
    both = np.stack([re, im], -1).reshape(moved.shape) if interleaved else np.concatenate([re, im], -1)
    return np.concatenate([both, rest], -1)


def rotary():
    g = Contrib()
    angles = rng.uniform(0, 6, (10, 4))
    cosines, sines = np.float32(np.cos(angles)), np.float32(np.sin(angles))
    x = f32(2, 3, 5, 8)  # batch, heads, tokens, elements
    flat = x.swapaxes(1, 2).reshape(2, 5, 24).copy()
    where = np.int64(rng.integers(0, 10, (2, 5)))
    for places, rows in ((np.int64([3]), np.arange(3, 8)[None].repeat(2, 0)), (where, where)):
        for interleaved in (0, 1):
            exact = rotate(x, cosines[rows][:, None], sines[rows][:, None], interleaved)
            g.expect(g.contrib("RotaryEmbedding", x, places, cosines, sines, interleaved=interleaved), exact, **near)
            y = g.contrib("RotaryEmbedding", flat, places, cosines, sines, interleaved=interleaved)
            g.expect(y, exact.swapaxes(1, 2).reshape(2, 5, 24), **near)
    part = cosines[:, :2].copy(), sines[:, :2].copy()
    y = g.contrib("RotaryEmbedding", flat, where, *part, num_heads=3, rotary_embedding_dim=4)
    exact = rotate(x, part[0][where][:, None], part[1][where][:, None])
    g.expect(y, exact.swapaxes(1, 2).reshape(2, 5, 24), **near)
    return g


if __name__ == "__main__":
    main(skips, simplified, embeddings, activations, products, convolutions, rotary)
