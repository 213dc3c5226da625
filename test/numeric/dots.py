"""Tests products of integers with weights of bytes: AVX-512 VNNI uses dot-product instructions,
and other processors other integers. All sums wrap exactly. Products of bf16 use AVX-512 BF16, and
elsewhere f32."""

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(31)


def exact(x, w):
    return (x.astype(np.int64) @ w.astype(np.int64)).astype(np.int32)


def products(*shapes, low=-128, high=128):
    """Products of elements from low to below high, with an epilogue and without."""
    g = Graph(fold=False, threads=[2, 3])
    for rows, depth, columns in shapes:
        x = g.input(random.integers(low, high, (rows, depth)).astype(np.int32))
        w = g.constant(random.integers(-128, 128, (depth, columns)).astype(np.int32))
        y = g.op("MatMul", x, w)
        g.expect(y, exact(x.value, w.value))
        b = g.constant(random.integers(-1000, 1000, columns).astype(np.int32))
        g.expect(g.op("Relu", g.op("BiasAdd", y, b)), np.maximum(exact(x.value, w.value) + b.value, 0))
    return g


def signed_bytes():
    return products((1, 256, 64), (32, 64, 64), (61, 129, 61), (50, 2115, 70), (400, 63, 33), (12, 300, 8))


def unsigned_bytes():
    """With zero points from 0 to 255, the elements have 256 consecutive values."""
    return products((64, 256, 96), (33, 1100, 40), low=0, high=256)


def below_zero():
    return products((64, 256, 96), (29, 65, 17), low=-255, high=1)


def far_from_zero():
    """Bytes relative to another number, which wrap if sums exceed 32 bits."""
    return products((64, 256, 96), low=2**31 - 256, high=2**31)


def no_bytes():
    """A block with elements too far apart is multiplied like other integers."""
    return products((64, 256, 96), (35, 90, 40), low=-(2**31), high=2**31)


def types():
    """Bytes without an offset, and one block with a single element that is too large."""
    g = Graph(fold=False, threads=[2])
    for rows, depth, columns in [(32, 64, 64), (70, 200, 50)]:
        x = random.integers(-128, 128, (rows, depth)).astype(np.int8)
        w = random.integers(-128, 128, (depth, columns)).astype(np.int8)
        y = g.op("BatchMatMulV3", g.input(x), g.constant(w), Tout=np.int32)
        g.expect(y, exact(x, w))
        large = x.astype(np.int32)
        large[3, 5], large[rows - 1, depth - 1] = 128, -(2**31)
        y = g.op("MatMul", g.input(large), g.constant(w.astype(np.int32)))
        g.expect(y, exact(large, w))
    return g


def quantized():
    """Unsigned bytes minus their zero point, as in quantized layers."""
    g = Graph(fold=False, threads=[2])
    x = g.input(random.integers(0, 256, (49, 192)).astype(np.uint8))
    w = g.constant(random.integers(-127, 128, (192, 64)).astype(np.int32))
    for zero in (0, 7, 128, 255):
        shifted = g.op("Sub", g.op("Cast", x, SrcT=np.uint8, DstT=np.int32), g.constant(np.int32(zero)))
        y = g.op("MatMul", shifted, w)
        g.expect(y, exact(x.value.astype(np.int64) - zero, w.value))
    return g


def normal(*shape):
    return bf16(random.standard_normal(shape).astype(np.float32))


def half_floats():
    """One row and two, with several sets of sums; one tile of rows and many; depths of one block
    and several; columns of half a block."""
    g = Graph(fold=False, threads=[2, 3])
    for rows, depth, columns in [
        (1, 256, 96),
        (1, 2115, 33),
        (2, 300, 64),
        (3, 100, 48),
        (1, 64, 12),
        (4, 96, 16),
        (8, 70, 64),
        (13, 129, 61),
        (61, 1100, 40),
        (300, 96, 70),
    ]:
        x, w, b = g.input(normal(rows, depth)), g.constant(normal(depth, columns)), normal(columns)
        exact = x.value.astype(np.float64) @ w.value.astype(np.float64)
        y = g.op("MatMul", x, w)
        g.expect(y, exact, rtol=2**-8, atol=1e-4)
        # The result is rounded to bf16 between the ops.
        shifted = np.maximum(bf16(exact).value.astype(np.float64) + b.value, 0)
        g.expect(g.op("Relu", g.op("BiasAdd", y, g.constant(b))), shifted, rtol=2**-7, atol=2**-4)
    return g


def half_floats_at_the_ends():
    """Denormals and infinities, one in each block, as in sums of f32; and products that are
    denormal."""
    g = Graph(fold=False, threads=[2])
    for rows in (1, 96):
        x = random.standard_normal((rows, 64)).astype(np.float32)
        for row, value in ((0, 2.0**-130), (rows // 2, np.inf), (rows - 1, np.nan)):
            x[row, 5] = value
            if abs(value) < 1:
                x[row, :5] = x[row, 6:] = 0
        x, w = bf16(x), normal(64, 64)
        with np.errstate(all="ignore"):
            exact = x.value.astype(np.float64) @ w.value.astype(np.float64)
        g.expect(g.op("MatMul", g.input(x), g.constant(w)), exact, rtol=2**-7, atol=2e-3 if rows > 1 else 0)
    tiny = bf16(np.full((32, 64), 2.0**-120, np.float32))
    w = bf16(np.full((64, 64), 2.0**-10, np.float32))
    g.expect(g.op("MatMul", g.input(tiny), g.constant(w)), np.full((32, 64), 2.0**-124), rtol=2**-7)
    return g


main(
    signed_bytes,
    unsigned_bytes,
    below_zero,
    far_from_zero,
    no_bytes,
    types,
    quantized,
    half_floats,
    half_floats_at_the_ends,
)
