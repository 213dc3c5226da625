"""Tests quantization of floats to few-bit integers and back, against the formulas of TensorFlow's
documentation in f32."""

import itertools

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(11)
F = np.float32
CODES = {"DT_QUINT8": np.uint8, "DT_QINT8": np.int8, "DT_QUINT16": np.uint16,
         "DT_QINT16": np.int16}  # fmt: skip


def away(x):
    return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0)


def scaled(first, last, low, high):
    by_low = first / low if first * low > 0 else np.finfo(F).max
    by_high = last / high if last * high > 0 else np.finfo(F).max
    return F(min(by_low, by_high))


def quantized(x, low, high, type, mode, narrow, least=0.01, even=False):
    """QuantizeV2 with one range."""
    codes = np.iinfo(type)
    first, last = codes.min, codes.max
    widest = max(F(1), abs(F(low)), abs(F(high)))
    low = min(F(0), F(low))
    high = max(F(0), F(high), F(low + widest * F(least)))
    if mode == "MIN_COMBINED":
        scale = F(last - first) / F(high - low)
        offset = (np.clip(x, low, high) - low) * scale
        if first < 0:
            return away(offset - F((last - first + 1) / 2)), low, high
        return np.floor(offset + F(0.5)), low, high
    if mode == "MIN_FIRST":
        scale = F(last - first) / F(high - low)
        y = away(x * scale) - (away(low * scale) - first)
        return np.clip(y, first, last), low, high
    first += narrow
    scale = scaled(first, last, low, high)
    low, high = F(first / scale), F(last / scale)
    y = np.clip(x, low, high) * scale
    return (np.round(y) if even else away(y)), low, high


def quantize():
    g = Graph()
    x = F(random.standard_normal(40) * 3)
    for (kind, type), (low, high), mode in itertools.product(
        CODES.items(), [(-2, 5), (0.5, 3), (-4, -1), (0, 0)],
        ["MIN_COMBINED", "MIN_FIRST", "SCALED"],
    ):  # fmt: skip
        narrow = mode == "SCALED" and type == np.int8
        made = g.op("QuantizeV2", g.input(x), g.input(F(low)), g.input(F(high)), outputs=3,
                    T=kind, mode=mode, narrow_range=narrow)  # fmt: skip
        values, first, last = quantized(x, low, high, type, mode, narrow)
        g.expect(made[0], values, type=type)
        g.expect(made[1], first, rtol=1e-6)
        g.expect(made[2], last, rtol=1e-6)
    even = g.op("QuantizeV2", g.input(x), g.input(F(-3)), g.input(F(3)), outputs=3,
                T="DT_QINT8", mode="SCALED", round_mode="HALF_TO_EVEN")  # fmt: skip
    g.expect(even[0], quantized(x, -3, 3, np.int8, "SCALED", False, even=True)[0])
    # Each column has a range, and one tensor is empty.
    x = F(random.standard_normal((3, 2)))
    low, high = F([-1, -2]), F([1, 3])
    made = g.op("QuantizeV2", g.input(x), g.input(low), g.input(high), outputs=3,
                T="DT_QUINT8", mode="SCALED", axis=1)  # fmt: skip
    columns = [quantized(x[:, i], low[i], high[i], np.uint8, "SCALED", 0) for i in (0, 1)]
    g.expect(made[0], np.stack([c[0] for c in columns], 1))
    g.expect(made[1], np.float64([c[1] for c in columns]), rtol=1e-6)
    empty = g.op("QuantizeV2", g.input(np.zeros((0, 2), F)), g.input(F(0)), g.input(F(1)),
                 outputs=3, T="DT_QINT8")  # fmt: skip
    g.expect(empty[0], np.zeros((0, 2)))
    return g


def dequantize():
    g = Graph()
    for (kind, type), mode in itertools.product(
        CODES.items(), ["MIN_COMBINED", "MIN_FIRST", "SCALED"]
    ):
        codes = np.iinfo(type)
        steps = float(codes.max) - codes.min
        x = random.integers(codes.min, codes.max, 30, type, endpoint=True)
        low, high = F(-1.5), F(4.25)
        wide = x.astype(np.float64)
        if mode == "MIN_COMBINED":
            half = (steps + 1) / 2 if codes.min < 0 else 0
            y = (wide + half) * ((float(high) - low) / steps) + low
        elif mode == "MIN_FIRST":
            scale = (float(high) - low) / steps
            y = (wide - codes.min) * scale + away(low / scale) * scale
        else:
            scale = max(low / codes.min, high / codes.max) if codes.min else high / codes.max
            y = wide * scale
        made = g.op("Dequantize", g.input(x), g.input(low), g.input(high), T=kind, mode=mode,
                    dtype=F)  # fmt: skip
        g.expect(made, y, rtol=2e-6, atol=1e-6, type=F)
    x = np.int8([[-128, 0], [5, 127]])
    low, high = F([-1, -3]), F([2, 3])
    made = g.op("Dequantize", g.input(x), g.input(low), g.input(high), T="DT_QINT8",
                mode="SCALED", axis=1, narrow_range=True)  # fmt: skip
    g.expect(made, x * np.maximum(low / -127, high / 127), rtol=1e-6)
    short = g.op("Dequantize", g.input(np.uint8([0, 255])), g.input(F(0)), g.input(F(1)),
                 T="DT_QUINT8", dtype="bf16")  # fmt: skip
    g.expect(short, np.float64([0, 1]), type="bf16")
    return g


def back_and_forth(x, bits, signed, narrow, given, up, type):
    first = -(2 ** (bits - 1)) + narrow if signed else 0
    last = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    low, high = (type(v) for v in given) if given else (x.min(), x.max())
    most = np.finfo(type).max
    by_low = type(first / low) if first * low > 0 else most
    by_high = type(last / high) if last * high > 0 else most
    if by_low < by_high:
        scale, inverse = by_low, type(low / first)
        high = type(last * inverse)
    else:
        scale, inverse = by_high, type(high / last)
        low = type(first * inverse)
    y = (np.clip(x, low, high) if given else x) * scale
    return (np.floor(y + type(0.5)) if up else np.round(y)) * inverse


def quantize_and_back():
    g = Graph()
    for type, signed, given, up, bits in itertools.product(
        [F, np.float64], [True, False], [None, (-1, 2), (0.25, 3)], [False, True], [8, 3]
    ):
        x = type(random.standard_normal((4, 5)))
        low, high = (type(v) for v in given or (0, 0))
        narrow = signed and bits == 3
        y = back_and_forth(x, bits, signed, narrow, given, up, type)
        for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"):
            made = g.op(op, g.input(x), g.input(low), g.input(high), signed_input=signed,
                        num_bits=bits, range_given=given is not None, narrow_range=narrow,
                        round_mode="HALF_UP" if up else "HALF_TO_EVEN", T=type)  # fmt: skip
            g.expect(made, y, rtol=1e-6, atol=1e-6)
        if not up:
            made = g.op("QuantizeAndDequantizeV3", g.input(x), g.input(low), g.input(high),
                        g.constant(np.int32(bits)), signed_input=signed, T=type,
                        range_given=given is not None, narrow_range=narrow)  # fmt: skip
            g.expect(made, y, rtol=1e-6, atol=1e-6)
    # Each row has its own; then a scalar, and an empty tensor.
    x = F(random.standard_normal((3, 4)))
    none = g.input(F(0))
    rows = np.stack([back_and_forth(row, 8, True, 0, None, False, F) for row in x])
    made = g.op("QuantizeAndDequantizeV4", g.input(x), none, none, axis=0, num_bits=8)
    g.expect(made, rows, rtol=1e-6)
    g.expect(g.op("QuantizeAndDequantizeV2", g.input(F(3)), none, none), 3.0, rtol=1e-6)
    empty = g.op("QuantizeAndDequantizeV2", g.input(np.zeros((0, 3), F)), none, none)
    g.expect(empty, np.zeros((0, 3)))
    half = np.float16([1, -2, 0.3])
    made = g.op("QuantizeAndDequantizeV2", g.input(half), g.input(np.float16(0)),
                g.input(np.float16(0)), num_bits=8)  # fmt: skip
    g.expect(made, back_and_forth(half.astype(F), 8, True, 0, None, False, F), ulp=1)
    short = bf16([1, -2, 0.3])
    zero = g.input(bf16(0))
    made = g.op("QuantizeAndDequantizeV2", g.input(short), zero, zero, num_bits=8)
    g.expect(made, back_and_forth(short.value, 8, True, 0, None, False, F), ulp=1)
    dy = g.input(F(random.standard_normal((3, 4))))
    made = g.op("QuantizeAndDequantizeV4Grad", dy, g.input(x), g.input(F(-0.5)),
                g.input(F(1)), outputs=3)  # fmt: skip
    g.expect(made[0], np.where((x >= -0.5) & (x <= 1), dy.value, 0))
    g.expect(made[1], 0.0)
    g.expect(made[2], 0.0)
    return g


def upside_down():
    g = Graph(fold=False)
    made = g.op("QuantizeV2", g.input(F([1])), g.input(F(2)), g.input(F(1)), outputs=3,
                T="DT_QINT8")  # fmt: skip
    g.expect(made[0], [0])
    g.fails("the range's minimum is above its maximum")
    return g


if __name__ == "__main__":
    main(quantize, dequantize, quantize_and_back, upside_down)
