"""Tests quantized operators of the domain com.microsoft against NumPy: floats in f64, and integers
with an error of at most one."""

import numpy as np
from onnx_graph import main
from onnx_microsoft import Contrib, f32, f64, near, rng, sigmoid


def close(g, made, exact):
    """Integers differ by one if another order of the sum rounds differently."""
    g.expect(g.op("Cast", made, to=1), f64(exact), rtol=0, atol=1)


def u8(*shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def scale(value):
    return np.float32(value)


def floats(x, s, zero):
    return (f64(x) - zero) * f64(s)


def integers(y, s, zero):
    info = np.iinfo(zero.dtype)
    return np.clip(np.rint(y / s) + zero, info.min, info.max).astype(zero.dtype)


def binary():
    g = Contrib()
    for kind in (np.uint8, np.int8):
        a, b = u8(2, 3, 4).astype(kind), u8(4).astype(kind)
        sa, sb, sy = scale(0.02), scale(0.03), scale(0.05)
        za, zb, zy = kind(7), kind(100), kind(3)
        x, y = floats(a, sa, za), floats(b, sb, zb)
        close(g, g.contrib("QLinearAdd", a, sa, za, b, sb, zb, sy, zy), integers(x + y, sy, zy))
        close(g, g.contrib("QLinearMul", a, sa, za, b, sb, zb, sy, zy), integers(x * y, sy, zy))
        y = g.contrib("QLinearAdd", a, sa, None, b, sb, None, sy)
        close(g, y, integers(floats(a, sa, 0) + floats(b, sb, 0), sy, kind(0)))
        left = np.array([[[True], [False], [True]]])
        y = g.contrib("QLinearWhere", left, a, sa, za, b, sb, zb, sy, zy)
        close(g, y, integers(np.where(left, x, floats(b, sb, zb)), sy, zy))
    return g


def unary():
    g = Contrib()
    a, s, z = u8(2, 3, 8), scale(0.05), np.uint8(120)
    t, u = scale(0.01), np.uint8(5)
    x = floats(a, s, z)
    close(g, g.contrib("QLinearSigmoid", a, s, z, t, u), integers(sigmoid(x), t, u))
    y = g.contrib("QLinearLeakyRelu", a, s, z, s, z, alpha=0.25)
    close(g, y, integers(np.where(x < 0, 0.25 * x, x), s, z))
    e = np.exp(x)
    y = g.contrib("QLinearSoftmax", a, s, z, t, u, axis=1, opset=13)
    close(g, y, integers(e / e.sum(1, keepdims=True), t, u))
    y = g.contrib("QLinearSoftmax", a, s, z, t, u, axis=1, opset=11)
    close(g, y, integers(e / e.sum((1, 2), keepdims=True), t, u))
    y = g.contrib("QLinearReduceMean", a, s, z, t, u, axes=[-1, 0], keepdims=0)
    close(g, y, integers(x.mean((0, 2)), t, u))
    return g


def images():
    g = Contrib()
    a, s, z = u8(2, 3, 4, 6), scale(0.05), np.uint8(120)
    t, u = scale(0.04), np.uint8(100)
    x = floats(a, s, z)
    pooled = x.reshape(2, 3, 2, 2, 3, 2).mean((3, 5))
    how = dict(kernel_shape=[2, 2], strides=[2, 2])
    y = g.contrib("QLinearAveragePool", a, s, z, t, u, **how)
    close(g, y, integers(pooled, t, u))
    last = a.transpose(0, 2, 3, 1).copy()
    y = g.contrib("QLinearAveragePool", last, s, z, t, u, channels_last=1, **how)
    close(g, y, integers(pooled.transpose(0, 2, 3, 1), t, u))
    whole = x.mean((2, 3), keepdims=True)
    close(g, g.contrib("QLinearGlobalAveragePool", a, s, z, t, u), integers(whole, t, u))
    y = g.contrib("QLinearGlobalAveragePool", last, s, z, t, u, channels_last=1)
    close(g, y, integers(whole.transpose(0, 2, 3, 1), t, u))
    b, r = u8(2, 1, 4, 6), scale(0.02)
    y = g.contrib("QLinearConcat", t, u, a, s, z, b, r, u, axis=1)
    close(g, y, integers(np.concatenate([x, floats(b, r, u)], 1), t, u))
    w, v, q = u8(5, 3, 1, 1).astype(np.int8), scale(0.01), np.int8(0)
    exact = np.einsum("nchw,oc->nohw", x, floats(w, v, q)[:, :, 0, 0])
    t = scale(0.2)
    y = g.contrib("QLinearConv", last, s, z, w, v, q, t, u, channels_last=1)
    close(g, y, integers(exact.transpose(0, 2, 3, 1), t, u))
    return g


def linear():
    g = Contrib()
    x = f32(3, 4)
    for kind, zero in ((np.uint8, 128), (np.int8, 3), (np.int16, -5), (np.uint16, 300)):
        s, z = np.float32([0.05, 0.1, 0.02, 0.3]), np.full(4, zero, kind)
        q = g.contrib("QuantizeLinear", x, s, z, axis=1)
        close(g, q, integers(f64(x), f64(s), z))
        a = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, (3, 4)).astype(kind)
        g.expect(g.contrib("DequantizeLinear", a, s, z, axis=1), floats(a, s, z), **near)
        g.expect(g.contrib("DequantizeLinear", a, s[0], z[0]), floats(a, s[0], z[0]), **near)
    return g


def quantized(x):
    """The result of DynamicQuantizeLinear, as floats."""
    low, high = min(x.min(), 0), max(x.max(), 0)
    s = np.float32(high - low) / np.float32(255)
    zero = np.clip(np.rint(-low / s), 0, 255)
    return (np.clip(np.rint(x / s) + zero, 0, 255) - zero) * f64(s)


def products():
    g = Contrib()
    x, b = f32(2, 3, 8), u8(8, 5)
    s, z, bias = np.float32(rng.uniform(0.01, 0.1, 5)), u8(5), f32(5)
    w = floats(b, s, z)
    step = dict(rtol=2e-2, atol=2e-2)
    g.expect(g.contrib("DynamicQuantizeMatMul", x, b, s, z, bias), quantized(x) @ w + bias, **step)
    signed = b.astype(np.int8)
    y = g.contrib("DynamicQuantizeMatMul", x, signed, scale(0.1))
    g.expect(y, quantized(x) @ floats(signed, 0.1, 0), **step)
    a, t, q = u8(2, 3, 8), scale(0.03), np.uint8(99)
    y = g.contrib("MatMulIntegerToFloat", a, b, t, s, q, z, bias)
    g.expect(y, floats(a, t, q) @ w + bias, rtol=2e-4, atol=2e-3)
    y = g.contrib("MatMulIntegerToFloat", a, signed, t, scale(0.1))
    g.expect(y, floats(a, t, 0) @ floats(signed, 0.1, 0), rtol=2e-4, atol=2e-3)
    m, c = u8(3, 8), rng.integers(-500, 500, 5).astype(np.int32)
    exact = 0.5 * f64(t) * ((f64(m) - 99) @ (f64(b) - 7) + c) * 0.25
    y = g.contrib("QGemm", m, t, q, b, scale(0.25), np.uint8(7), c, alpha=0.5)
    g.expect(y, exact, rtol=2e-4, atol=2e-3)
    y = g.contrib("QGemm", m.T.copy(), t, q, b.T.copy(), scale(0.25), np.uint8(7), c, scale(3), np.uint8(128),
                  transA=1, transB=1, alpha=0.5)  # fmt: skip
    close(g, y, integers(exact, 3, np.uint8(128)))
    return g


def pack(codes, bits):
    """Codes along the last dimension, the first in the lowest bits of a byte."""
    per = 8 // bits
    codes = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, -codes.shape[-1] % per)])
    parts = codes.reshape(*codes.shape[:-1], -1, per) << (np.arange(per) * bits)
    return parts.sum(-1).astype(np.uint8)


def blocks():
    g = Contrib()
    for bits, rows, block in ((4, 40, 16), (8, 32, 16), (2, 48, 32)):
        columns, count = 6, -(-rows // block)
        named = dict(K=rows, N=columns, bits=bits, block_size=block)
        codes = rng.integers(0, 2**bits, (columns, count, block))
        s = rng.uniform(0.1, 1, (columns, count)).astype(np.float32)
        x, bias = f32(2, 3, rows), f32(columns)
        packed = pack(codes, bits)

        def weights(zero, of=s):
            return ((codes - np.asarray(zero)) * f64(of)[..., None]).reshape(columns, -1)[:, :rows].T

        y = g.contrib("MatMulNBits", x, packed, s, accuracy_level=4, **named)
        g.expect(y, f64(x) @ weights(2 ** (bits - 1)), rtol=1e-4, atol=1e-4)
        y = g.contrib("MatMulNBits", x, packed, s.reshape(-1), None, None, bias, **named)
        g.expect(y, f64(x) @ weights(2 ** (bits - 1)) + bias, rtol=1e-4, atol=1e-4)
        zero = rng.integers(0, 2**bits, (columns, count))
        for packs in (pack(zero, bits), pack(zero, bits).reshape(-1)):
            y = g.contrib("MatMulNBits", x[0, 0], packed, s, packs, **named)
            g.expect(y, f64(x)[0, 0] @ weights(zero[..., None]), rtol=1e-4, atol=1e-4)
        real = np.float32(zero + 0.25)
        y = g.contrib("MatMulNBits", x, packed, s, real, **named)
        g.expect(y, f64(x) @ weights(f64(real)[..., None]), rtol=1e-4, atol=1e-4)
        places = np.int32(rng.integers(0, count, rows))
        y = g.contrib("MatMulNBits", x, packed, s, pack(zero, bits), places, **named)
        flat = codes.reshape(columns, -1)[:, :rows]
        exact = (flat - zero[:, places]) * f64(s)[:, places]
        g.expect(y, f64(x) @ exact.T, rtol=1e-4, atol=1e-4)
        half = x.astype(np.float16)
        y = g.contrib("MatMulNBits", half, packed, np.float16(s), **named)
        exact = f64(half) @ weights(2 ** (bits - 1), np.float16(s))
        g.expect(y, exact, rtol=4e-3, atol=0.1)
    return g


def rows():
    g = Contrib()
    indices = np.int64([[1, 4, 0], [6, 2, 2]])
    for bits, block in ((4, 16), (8, 16), (4, 32)):
        codes = rng.integers(0, 2**bits, (7, 40))
        count = -(-40 // block)
        s = rng.uniform(0.1, 1, (7, count)).astype(np.float32)
        zero = rng.integers(0, 2**bits, (7, count))
        named = dict(bits=bits, block_size=block, gather_axis=0, quantize_axis=1)

        def wide(x):
            return np.repeat(x, block, 1)[:, :40]

        y = g.contrib("GatherBlockQuantized", pack(codes, bits), indices, s, **named)
        exact = (codes - 2 ** (bits - 1)) * wide(f64(s))
        g.expect(y, exact[indices], **near)
        y = g.contrib("GatherBlockQuantized", pack(codes, bits), indices, s, pack(zero, bits), **named)
        g.expect(y, ((codes - wide(zero)) * wide(f64(s)))[indices], **near)
    return g


if __name__ == "__main__":
    main(binary, unary, images, linear, products, blocks, rows)
