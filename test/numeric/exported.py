"""Ops whose results ONNX does not define for all integers, and outputs of sizes that only a run
knows. onnx-export.test computes them by exported models, too."""

import numpy as np
from harness import Graph, main

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
rng = np.random.default_rng(7)


def numbers(kind, count):
    """Extreme and small numbers of the type, and some between them."""
    info = np.iinfo(kind)
    some = rng.integers(info.min, info.max, count - 6, kind, endpoint=True)
    return np.concatenate([np.array([info.min, info.max, 0, 1, 2, 3], kind), some])


def wrapped(values, kind):
    """Integers of Python, modulo the width of the type."""
    bits = np.iinfo(kind).bits
    array = np.array([int(v) % (1 << bits) for v in values], object).astype(f"u{bits // 8}")
    return array.view(kind)


def shifts():
    g = Graph()
    for kind in INTEGERS:
        bits, x = np.iinfo(kind).bits, numbers(kind, 24)
        places = np.arange(24) * (bits + 8) // 23
        if np.issubdtype(kind, np.signedinteger):
            places = places - 3
        places = places.astype(kind)
        limited = [min(max(int(p), 0), bits - 1) for p in places]
        a, n = g.input(x), g.input(places)
        g.expect(g.op("LeftShift", a, n), wrapped([int(v) << p for v, p in zip(x, limited)], kind))
        g.expect(g.op("RightShift", a, n), np.array([int(v) >> p for v, p in zip(x, limited)], kind))
        few = g.constant(np.array(2, kind))
        g.expect(g.op("RightShift", a, few), x >> np.array(2, kind))
    return g


def powers():
    g = Graph()
    for kind in INTEGERS:
        x = numbers(kind, 16)
        a = g.input(x)
        for exponent in 0, 5, 12:
            n = g.constant(np.array(exponent, kind))
            g.expect(g.op("Pow", a, n), wrapped([int(v) ** exponent for v in x], kind))
    # For 32 and 64 bits ONNX has an op, which does not state how it overflows.
    for kind in np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64:
        x, y = numbers(kind, 20), (np.arange(20) * 7 % 23).astype(kind)
        g.expect(g.op("Pow", g.input(x), g.input(y)), wrapped([int(v) ** int(p) for v, p in zip(x, y)], kind))
    for kind in np.int32, np.int64:
        x, y = np.arange(-6, 6).astype(kind), (np.arange(12) % 7).astype(kind)
        g.expect(g.op("Pow", g.input(x), g.input(y)), x**y)
    return g


def signs():
    g = Graph()
    for kind in INTEGERS:
        x = numbers(kind, 16)
        a = g.input(x)
        g.expect(g.op("Neg", a), wrapped([-int(v) for v in x], kind))
        g.expect(g.op("Sign", a), np.sign(x))
        g.expect(g.op("Reciprocal", a), np.where(np.abs(x.astype(object)) == 1, x, 0).astype(kind))
    return g


def casts():
    g = Graph()
    x = np.float32([-1e30, -40000, -32768.5, -300, -128.5, -1, -0.5, 0, 0.9, 127.9, 255.9, 256, 32767.9, 65535.9, 1e9])
    a = g.input(x)
    for kind in np.int8, np.int16, np.uint8, np.uint16:
        info = np.iinfo(kind)
        g.expect(g.op("Cast", a, DstT=kind), np.trunc(np.clip(x, info.min, info.max)).astype(kind))
    h = np.float16([-np.inf, -40000, -3, 0, 5.5, 60000, np.inf])
    for kind in np.int16, np.uint16, np.uint8:
        info = np.iinfo(kind)
        expected = np.trunc(np.clip(h.astype(np.float32), info.min, info.max)).astype(kind)
        g.expect(g.op("Cast", g.input(h), DstT=kind), expected)
    return g


def updates():
    g = Graph()
    for kind in np.int32, np.uint32:
        x, indices = numbers(kind, 8), np.int32([[1], [5], [1]])
        expected = [int(v) for v in x]
        for index in 1, 5, 1:
            expected[index] -= 7
        change = g.constant(np.array([7, 7, 7], kind))
        g.expect(g.op("TensorScatterSub", g.input(x), g.constant(indices), change), wrapped(expected, kind))
    return g


def masks():
    """Booleans that are no small constant."""
    g = Graph()
    mask, x = rng.random((70, 90)) < 0.5, rng.random((70, 90), np.float32)
    rows = np.arange(70) % 3 == 0
    a = g.input(x)
    g.expect(g.op("SelectV2", g.constant(mask), a, g.constant(np.float32(0))), np.where(mask, x, 0))
    g.expect(g.op("LogicalNot", g.input(mask)), ~mask)
    g.expect(g.op("Select", g.constant(rows), a, g.op("Neg", a)), np.where(rows[:, None], x, -x))
    return g


def sizes():
    """Outputs of sizes that only the run knows."""
    g = Graph(fold=False, options=["--bound=64"])
    n, x = np.int32(5), np.float32(rng.random((4, 3)))
    count = g.input(n)
    zero, one = g.constant(np.int32(0)), g.constant(np.int32(1))
    g.expect(g.op("Range", zero, count, one), np.arange(5, dtype=np.int32))
    shape = g.op("Pack", count, g.constant(np.int32(2)))
    g.expect(g.op("Fill", shape, g.input(np.float32(2.5))), np.full((5, 2), np.float32(2.5)))
    rows = g.op("Pack", g.input(np.int32(6)), g.constant(np.int32(-1)))
    g.expect(g.op("Reshape", g.input(x), rows), x.reshape(6, 2))
    return g


main(shifts, powers, signs, casts, updates, masks, sizes)
