"""Tests ONNX's types with fewer than 16 bits: casts and quantization. The reference decodes each
code from its bits, and searches the codes for the closest."""

import numpy as np
from onnx_graph import OnnxGraph, Tensor, main

rng = np.random.default_rng(29)

# By ONNX's number: bits of the code, of its mantissa, bias, and the codes of NaN.
FLOATS = {
    17: (8, 3, 7, {0x7F: np.nan}),
    18: (8, 3, 8, {}),
    19: (8, 2, 15, {0x7C: np.inf, 0x7D: np.nan, 0x7E: np.nan, 0x7F: np.nan}),
    20: (8, 2, 16, {}),
    23: (4, 1, 1, {}),
}
NO_NEGATIVE_ZERO = (18, 20)
INTEGERS = {21: (4, False), 22: (4, True), 25: (2, False), 26: (2, True)}


def numbers(type):
    """The numbers of all codes."""
    if type in INTEGERS:
        bits, signed = INTEGERS[type]
        codes = np.arange(1 << bits)
        return np.where(signed & (codes >= 1 << (bits - 1)), codes - (1 << bits), codes).astype(float)
    if type == 24:
        return np.append(2.0 ** (np.arange(255) - 127), np.nan)
    bits, mantissa, bias, special = FLOATS[type]
    half = []
    for code in range(1 << (bits - 1)):
        exponent, part = code >> mantissa, code & ((1 << mantissa) - 1)
        whole = part + (1 << mantissa if exponent else 0)
        half.append(special.get(code, whole * 2.0 ** (max(exponent, 1) - bias - mantissa)))
    half = np.array(half)
    both = np.concatenate([half, -half])
    if type in NO_NEGATIVE_ZERO:
        both[0x80] = np.nan
    return both


def code_of(x, type, saturate=True):
    """The code of the closest number; a tie selects an even mantissa."""
    bits, _, _, special = FLOATS[type]
    sign = (1 << (bits - 1)) * int(np.signbit(x))
    table = numbers(type)[: 1 << (bits - 1)]
    finite = np.flatnonzero(np.isfinite(table))
    top = finite[-1]
    if np.isnan(x):
        nan = {17: 0x7F, 19: 0x7E}.get(type)
        return nan + sign if nan else 1 << (bits - 1)
    # One additional code is for numbers that round up from the largest.
    step = table[top] - table[top - 1]
    values = np.append(table[finite], table[top] + step)
    distance = np.abs(values - min(abs(x), values[-1]))
    closest = np.flatnonzero(distance == distance.min())
    code = next((c for c in closest if c % 2 == 0), closest[0])
    if code > top or np.isinf(x):
        if saturate or bits < 8:
            code = top
        else:
            code = {17: 0x7F, 19: 0x7C}.get(type, 0x80)
            if type in NO_NEGATIVE_ZERO:
                return 0x80
    return int(code) + (sign if code or type not in NO_NEGATIVE_ZERO else 0)


def in_bytes(codes, bits):
    codes, per = np.asarray(codes, np.uint8).reshape(-1), 8 // bits
    row = np.pad(codes, (0, -codes.size % per)).reshape(-1, per)
    return (row << (bits * np.arange(per, dtype=np.uint8))).sum(1, dtype=np.uint8)


def samples(type):
    """All numbers, their midpoints, and numbers beyond them."""
    table = numbers(type)
    table = np.unique(table[np.isfinite(table)])
    middle = (table[1:] + table[:-1]) / 2
    top = table[-1]
    rest = [np.nan, np.inf, -np.inf, -0.0, 1e-30, -1e-30, top * 1.02, top * 1.1, top * 4, -top * 1.1]
    off = middle * rng.uniform(0.99, 1.01, middle.size)
    return np.float32(np.concatenate([table, middle, off, rest]))


def stored(g, codes, type):
    """A constant of such a type."""
    name = g.name("narrow")
    bits = 8 if type == 24 else (FLOATS | INTEGERS)[type][0]
    content = "".join(f"\\{b:03o}" for b in in_bytes(codes, bits).tobytes())
    dims = "".join(f" dims: {d}" for d in np.shape(codes))
    g.initializers.append(f'name: "{name}"{dims} data_type: {type} raw_data: "{content}"')
    return Tensor([name, name])


def floats():
    g = OnnxGraph(opset=24)
    for type, (bits, *_) in FLOATS.items():
        a = samples(type)
        x = g.input(a)
        for saturate in (True, False):
            y = g.op("Cast", x, to=type, saturate=int(saturate))
            codes = [code_of(v, type, saturate) for v in a.astype(float)]
            g.expect(y, np.uint8(codes) if bits == 8 else in_bytes(codes, bits))
        back = numbers(type)[[code_of(v, type) for v in a.astype(float)]]
        g.expect(g.op("Cast", g.op("CastLike", x, stored(g, [0], type)), to=1), back)
        all = np.arange(1 << bits)
        g.expect(g.op("Cast", stored(g, all, type), to=11), numbers(type))
    return g


def exponents():
    g = OnnxGraph(opset=24)
    powers = numbers(24)[:-1]
    a = np.float32(np.concatenate([powers[1:], powers[1:-1] * 1.25, powers[1:-1] * 1.5, powers[1:-1] * 1.75]))
    x = g.input(a)
    low = np.floor(np.log2(a.astype(float))).astype(int) + 127
    part = a.astype(float) / 2.0 ** (low - 127)
    for mode, more in (("up", part > 1), ("down", part < 0), ("nearest", part >= 1.5)):
        g.expect(g.op("Cast", x, to=24, round_mode=mode), np.uint8(np.minimum(low + more, 254)))
    odd = g.input(np.float32([0, np.nan, np.inf]))
    g.expect(g.op("Cast", odd, to=24), np.uint8([0, 255, 255]))
    g.expect(g.op("Cast", stored(g, [0, 100, 127, 254, 255], 24), to=1), numbers(24)[[0, 100, 127, 254, 255]])
    return g


def integers():
    g = OnnxGraph(opset=25)
    for type, (bits, _) in INTEGERS.items():
        a = np.arange(-9, 16, dtype=np.float32).reshape(5, 5)
        y = g.op("Cast", g.input(a), to=type)
        g.expect(y, in_bytes(a.astype(int) & ((1 << bits) - 1), bits))
        table = numbers(type)
        codes = rng.integers(0, 1 << bits, (3, 5))
        x = stored(g, codes, type)
        g.expect(g.op("Cast", x, to=3), table[codes].astype(np.int8))
        g.expect(g.op("Cast", g.op("Identity", x), to=16), table[codes])
    return g


def quantization():
    g = OnnxGraph(opset=25)
    a = rng.uniform(-9, 9, (3, 5)).astype(np.float32)
    x = g.input(a)
    for type, (bits, _) in INTEGERS.items():
        table = numbers(type)
        zero = rng.integers(0, 1 << bits, 5)
        scale = rng.choice([0.25, 0.5, 1, 2], 5).astype(np.float32)
        y = g.op("QuantizeLinear", x, g.input(scale), stored(g, zero, type), axis=1)
        exact = np.clip(np.rint(a / scale) + table[zero], table.min(), table.max()).astype(int)
        g.expect(y, in_bytes(exact & ((1 << bits) - 1), bits))
        z = g.op("DequantizeLinear", y, g.input(scale), stored(g, zero, type), axis=1)
        g.expect(z, (exact - table[zero]) * scale)
    for type, (bits, *_) in FLOATS.items():
        codes = np.array([code_of(v, type) for v in a.reshape(-1).astype(float) / 0.5]).reshape(a.shape)
        half = g.input(np.float32(0.5))
        y = g.op("QuantizeLinear", x, half, output_dtype=type)
        g.expect(y, codes.astype(np.uint8) if bits == 8 else in_bytes(codes, bits))
        g.expect(g.op("DequantizeLinear", y, half), numbers(type)[codes] * 0.5)
    return g


main(floats, exponents, integers, quantization)
