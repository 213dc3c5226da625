"""Tests products of quantized operands with constant weights: sums of products of bytes are exact,
against NumPy's int64. Scales are powers of two, so the scaled sums are exact, too. AVX-512 VNNI
uses dot-product instructions, but other instruction sets and some shapes do not."""

import numpy as np
from onnx_graph import OnnxGraph, main

rng = np.random.default_rng(41)
I, F = np.int64, np.float32
OPTIONS = []


def graph():
    return OnnxGraph(opset=21, fold=False, threads=[2, 3], options=OPTIONS)


def images(x, w, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1, zero=0):
    """Sums of a convolution of x minus its zero point, images NCHW and filters OIHW."""
    x = np.pad(x.astype(I) - zero, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    (n, c, h, v), (o, i, kh, kw) = x.shape, w.shape
    oh = (h - (kh - 1) * dilations[0] - 1) // strides[0] + 1
    ow = (v - (kw - 1) * dilations[1] - 1) // strides[1] + 1
    y = np.zeros((n, o, oh, ow), I)
    each = o // group
    for ky in range(kh):
        for kx in range(kw):
            top, left = ky * dilations[0], kx * dilations[1]
            part = x[:, :, top : top + strides[0] * (oh - 1) + 1 : strides[0], left : left + strides[1] * (ow - 1) + 1 : strides[1]]
            for g in range(group):
                w_g = w[g * each : (g + 1) * each, :, ky, kx].astype(I)
                y[:, g * each : (g + 1) * each] += np.einsum("nihw,oi->nohw", part[:, g * i : (g + 1) * i], w_g)
    return y


def bytes_of(shape, type):
    range = np.iinfo(type)
    return rng.integers(range.min, range.max, shape, type, endpoint=True)


def quantized(sums, factor, zero, type=np.uint8):
    range = np.iinfo(type)
    return np.clip(np.rint(sums * factor) + zero, range.min, range.max).astype(type)


def scales_of(count):
    return F(2.0 ** -rng.integers(5, 8, count))


def dequantized(g, x, zero, scale):
    """x is an input of bytes."""
    return g.op("DequantizeLinear", x, g.constant(F(scale)), g.constant(zero))


def matmuls(type, zero, shapes):
    """QuantizeLinear(Relu(x w + b)), from bytes to bytes."""
    g = graph()
    for rows, depth, columns in shapes:
        x, w = bytes_of((rows, depth), type), bytes_of((depth, columns), np.int8)
        scales = scales_of(columns)
        f = dequantized(g, g.input(x), type(zero), 0.5)
        v = g.op("DequantizeLinear", g.constant(w), g.constant(scales), g.constant(np.zeros(columns, np.int8)), axis=1)
        sums = (x.astype(I) - zero) @ w.astype(I)
        y = g.op("MatMul", f, v)
        g.expect(y, F(sums * (scales * 0.5)))
        b = np.int32(rng.integers(-3000, 3000, columns))
        bias = g.op("DequantizeLinear", g.constant(b), g.constant(scales * F(0.5)), g.constant(np.zeros(columns, np.int32)), axis=0)
        r = g.op("Relu", g.op("Add", y, bias))
        q = g.op("QuantizeLinear", r, g.constant(F(2)), g.constant(np.uint8(3)))
        g.expect(q, quantized(np.maximum(sums + b, 0), scales * 0.25, 3))
    return g


def unsigned_rows():
    return matmuls(np.uint8, 131, [(1, 256, 64), (7, 61, 33), (49, 192, 40), (200, 70, 100), (16, 1024, 32), (13, 3, 5)])


def signed_rows():
    return matmuls(np.int8, -5, [(1, 40, 16), (33, 128, 96)])


def signed_chain(shows=False):
    """Floats are quantized to signed bytes, which two products and a sum use; the sums of one
    become signed bytes, too."""
    g = graph()
    x = rng.normal(0, 30, (21, 48)).astype(F)
    q = np.clip(np.rint(x * 2) - 7, -128, 127).astype(np.int8)
    at = g.op("QuantizeLinear", g.input(x), g.constant(F(0.5)), g.constant(np.int8(-7)))
    f = dequantized(g, at, np.int8(-7), 0.5)
    sums = []
    for columns in (48, 33):
        w, scales = bytes_of((48, columns), np.int8), scales_of(columns)
        v = g.op("DequantizeLinear", g.constant(w), g.constant(scales), g.constant(np.zeros(columns, np.int8)), axis=1)
        sums.append((g.op("MatMul", f, v), ((q.astype(I) + 7) @ w.astype(I)) * (scales * 0.5)))
    g.expect(sums[1][0], F(sums[1][1]))
    y = g.op("QuantizeLinear", sums[0][0], g.constant(F(8)), g.constant(np.int8(20)))
    bytes = np.clip(np.rint(sums[0][1] / 8) + 20, -128, 127).astype(np.int8)
    w = bytes_of((48, 16), np.int8)
    v = g.op("DequantizeLinear", g.constant(w), g.constant(F(0.25)))
    g.expect(g.op("MatMul", dequantized(g, y, np.int8(20), 1), v), F((bytes.astype(I) - 20) @ w.astype(I) * 0.25))
    both = g.op("Add", f, dequantized(g, y, np.int8(20), 1))
    g.expect(both, F((q.astype(I) + 7) * 0.5 + (bytes.astype(I) - 20)))
    if shows:
        g.expect(at, q)
        g.expect(y, bytes)
    return g


def shown_chain():
    return signed_chain(shows=True)


def convolutions(cases, zero=0, type=np.uint8):
    g = graph()
    for shape, (o, kh, kw), options in cases:
        group = options.get("group", 1)
        x, w = bytes_of(shape, type), bytes_of((o, shape[1] // group, kh, kw), np.int8)
        scales = scales_of(o)
        f = dequantized(g, g.input(x), type(zero), 0.5)
        v = g.op("DequantizeLinear", g.constant(w), g.constant(scales), axis=0)
        listed = {k: list(n) if isinstance(n, tuple) else n for k, n in options.items()}
        y = g.op("Conv", f, v, **listed)
        q = g.op("QuantizeLinear", y, g.constant(F(16)), g.constant(np.uint8(100)))
        sums = images(x, w, zero=zero, **options)
        g.expect(q, quantized(sums, (scales / 32).reshape(1, o, 1, 1), 100))
    return g


def pixels():
    return convolutions([((1, 16, 14, 14), (96, 1, 1), {}), ((2, 24, 9, 7), (40, 1, 1), {}),
                         ((1, 32, 15, 15), (64, 1, 1), {"strides": (2, 2)}), ((1, 10, 5, 5), (8, 1, 1), {})])  # fmt: skip


def windows():
    return convolutions([
        ((1, 3, 21, 20), (32, 3, 3), {"strides": (2, 2), "pads": (1, 1, 1, 1)}),
        ((1, 16, 12, 12), (40, 3, 3), {"pads": (1, 1, 1, 1)}),
        ((2, 64, 8, 8), (32, 3, 3), {"pads": (0, 1, 1, 0)}),
        ((1, 8, 14, 14), (20, 5, 3), {}),
        ((1, 16, 15, 15), (16, 3, 3), {"dilations": (2, 3)}),
        ((1, 16, 9, 9), (32, 3, 3), {"group": 2, "pads": (1, 1, 1, 1)}),
        ((1, 6, 9, 9), (9, 3, 3), {"group": 3}),
    ])  # fmt: skip


def margins():
    """Padding has the value of the zero point."""
    cases = [((1, 16, 12, 12), (40, 3, 3), {"pads": (1, 2, 1, 0)}),
             ((1, 64, 9, 9), (64, 3, 3), {"group": 64, "pads": (1, 1, 1, 1)})]  # fmt: skip
    return convolutions(cases, zero=77)


def signed_images():
    return convolutions([((1, 16, 12, 12), (40, 3, 3), {"pads": (1, 1, 1, 1)})], zero=-9, type=np.int8)


def channels():
    """Each channel has its own filter."""
    def case(c, h, w, kh, kw, n=1, **options):
        return (n, c, h, w), (c, kh, kw), {"group": c, **options}

    return convolutions([
        case(64, 14, 14, 3, 3, pads=(1, 1, 1, 1)),
        case(96, 15, 13, 3, 3, pads=(1, 1, 1, 1), strides=(2, 2)),
        case(144, 7, 7, 3, 3, pads=(1, 1, 1, 1), n=2),
        case(20, 11, 9, 5, 5, pads=(2, 2, 2, 2)),
        case(70, 12, 12, 7, 7),
        case(32, 12, 12, 3, 3, dilations=(2, 2), pads=(2, 2, 2, 2)),
        case(16, 3, 3, 3, 3, pads=(1, 1, 1, 1)),
        case(65, 6, 5, 2, 4, pads=(0, 1, 1, 2)),
    ])  # fmt: skip


def integers():
    """MatMulInteger, ConvInteger and QLinearConv have constant weights; zero points are known at
    run time."""
    g = graph()
    x, w = bytes_of((33, 120), np.uint8), bytes_of((120, 48), np.int8)
    zero = np.uint8(99)
    y = g.op("MatMulInteger", g.input(x), g.constant(w), g.input(zero), g.constant(np.int8(0)))
    g.expect(y, ((x.astype(I) - 99) @ w.astype(I)).astype(np.int32))
    w = rng.integers(0, 128, (120, 20), np.uint8)
    y = g.op("MatMulInteger", g.input(x), g.constant(w), g.constant(zero), g.constant(np.uint8(64)))
    g.expect(y, ((x.astype(I) - 99) @ (w.astype(I) - 64)).astype(np.int32))
    # These weights do not fit in signed bytes.
    w = bytes_of((120, 20), np.uint8)
    y = g.op("MatMulInteger", g.input(x), g.constant(w), g.constant(zero), g.constant(np.uint8(3)))
    g.expect(y, ((x.astype(I) - 99) @ (w.astype(I) - 3)).astype(np.int32))
    x, w = bytes_of((1, 32, 9, 9), np.uint8), bytes_of((24, 32, 3, 3), np.int8)
    y = g.op("ConvInteger", g.input(x), g.constant(w), g.input(zero), pads=[1, 1, 1, 1])
    sums = images(x, w, pads=(1, 1, 1, 1), zero=99)
    g.expect(y, sums.astype(np.int32))
    scales, bias = scales_of(24), np.int32(rng.integers(-9000, 9000, 24))
    y = g.op("QLinearConv", g.input(x), g.constant(F(0.5)), g.constant(zero), g.constant(w), g.constant(scales),
             g.constant(np.zeros(24, np.int8)), g.constant(F(16)), g.constant(np.uint8(5)), g.constant(bias),
             pads=[1, 1, 1, 1])  # fmt: skip
    each = (1, 24, 1, 1)
    g.expect(y, quantized(sums + bias.reshape(each), (scales / 32).reshape(each), 5))
    return g


def rows_of_columns():
    """Operands transposed, weights in batches, and one row of weights."""
    g = graph()
    x, w = bytes_of((2, 12, 64), np.uint8), bytes_of((30, 64), np.int8)
    f = dequantized(g, g.input(x), np.uint8(20), 0.25)
    v = g.op("DequantizeLinear", g.constant(w), g.constant(F(0.5)), g.constant(np.int8(1)))
    y = g.op("MatMul", f, g.op("Transpose", v, perm=[1, 0]))
    g.expect(y, F((x.astype(I) - 20) @ (w.astype(I) - 1).T * 0.125))
    w = bytes_of((2, 64, 5), np.int8)
    v = g.op("DequantizeLinear", g.constant(w), g.constant(F(0.5)))
    g.expect(g.op("MatMul", f, v), F((x.astype(I) - 20) @ w.astype(I) * 0.125))
    w = bytes_of((64, 1), np.int8)
    v = g.op("DequantizeLinear", g.constant(w), g.constant(F(0.5)))
    g.expect(g.op("MatMul", f, v), F((x.astype(I) - 20) @ w.astype(I) * 0.125))
    return g


def quotients():
    """Floats are quantized and dequantized by any scale: at and near ties, far beyond the range,
    and NaN."""
    g = graph()
    for scale, zero in [(F(0.3), 0), (F(0.0078968387), 129), (F(1e-30), 7), (F(3e38), 200), (F(1e-42), 3)]:
        with np.errstate(over="ignore", invalid="ignore"):
            ties = np.repeat(F(np.arange(-300, 300) + 0.5) * scale, 3)
            ties[0::3] = np.nextafter(ties[0::3], F(np.inf))
            ties[2::3] = np.nextafter(ties[2::3], F(-np.inf))
            rest = F([0, -0.0, np.inf, -np.inf, 3e38, -3e38, 1e-40, -1e-40])
            x = np.concatenate([ties, rest, rng.normal(0, 100, 500).astype(F) * scale])
            q = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8)
        x, q = np.append(x, F(np.nan)), np.append(q, np.uint8(0))
        y = g.op("QuantizeLinear", g.input(x), g.constant(scale), g.constant(np.uint8(zero)))
        g.expect(y, q)
        z = g.op("DequantizeLinear", y, g.constant(scale), g.constant(np.uint8(zero)))
        with np.errstate(over="ignore"):
            g.expect(z, F(q.astype(I) - zero) * scale)
    return g


def turned():
    """Channels last becomes channels first, and back, for bytes and their numbers; the transpose
    blocks are partial."""
    g = graph()
    for shape in ((2, 19, 37), (1, 96, 50), (3, 5, 16), (2, 64, 4), (1, 300, 3)):
        back = [0, 2, 1]
        x, f = bytes_of(shape, np.uint8), F(rng.integers(-300, 300, shape) / 8)
        half, zero = g.constant(F(0.5)), g.constant(np.uint8(7))
        y = g.op("Transpose", g.input(x), perm=back)
        g.expect(y, x.transpose(back), rtol=0, atol=0)
        y = g.op("Transpose", g.op("DequantizeLinear", g.input(x), half, zero), perm=back)
        g.expect(y, (x.astype(F) - 7).transpose(back) / 2, rtol=0, atol=0)
        y = g.op("QuantizeLinear", g.op("Transpose", g.input(f), perm=back), half, zero)
        g.expect(y, quantized(f.transpose(back), 2, 7), rtol=0, atol=0)
        y = g.op("QuantizeLinear", g.op("Transpose", g.input(f), perm=back), half, g.constant(np.int8(-7)))
        g.expect(y, quantized(f.transpose(back), 2, -7, np.int8), rtol=0, atol=0)
    return g


def without():
    """The processor has no dot-product instructions for bytes."""
    OPTIONS.append("-mcpu=x86-64-v3")
    return convolutions([
        ((1, 3, 9, 9), (20, 3, 3), {"pads": (1, 1, 1, 1)}), ((1, 40, 7, 7), (40, 3, 3), {"group": 40}),
        ((1, 12, 6, 6), (18, 1, 1), {}), ((1, 16, 9, 9), (32, 3, 3), {"group": 2}),
    ], zero=3)  # fmt: skip


main(unsigned_rows, signed_rows, signed_chain, shown_chain, pixels, windows, margins, signed_images, channels, integers,
     rows_of_columns, quotients, turned, without)  # fmt: skip
