"""Products of integers whose weights are bytes: on a processor with AVX-512 VNNI
by its dot products, elsewhere as other integers. All sums wrap exactly."""

import numpy as np
from harness import Graph, main

random = np.random.default_rng(31)


def exact(x, w):
    return (x.astype(np.int64) @ w.astype(np.int64)).astype(np.int32)


def products(*shapes, low=-128, high=128):
    """Products of elements from low to before high, with an epilogue and none."""
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
    """With zero points from 0 to 255 elements are some 256 values in a row."""
    return products((64, 256, 96), (33, 1100, 40), low=0, high=256)


def below_zero():
    return products((64, 256, 96), (29, 65, 17), low=-255, high=1)


def far_from_zero():
    """Bytes about another number, which wrap where sums leave 32 bits."""
    return products((64, 256, 96), low=2**31 - 256, high=2**31)


def no_bytes():
    """A block with elements too far apart is multiplied as other integers are."""
    return products((64, 256, 96), (35, 90, 40), low=-(2**31), high=2**31)


def types():
    """Bytes as they are given, and one block in which only one is too large."""
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
    """Unsigned bytes less their zero point, as quantized layers have them."""
    g = Graph(fold=False, threads=[2])
    x = g.input(random.integers(0, 256, (49, 192)).astype(np.uint8))
    w = g.constant(random.integers(-127, 128, (192, 64)).astype(np.int32))
    for zero in (0, 7, 128, 255):
        shifted = g.op("Sub", g.op("Cast", x, SrcT=np.uint8, DstT=np.int32), g.constant(np.int32(zero)))
        y = g.op("MatMul", shifted, w)
        g.expect(y, exact(x.value.astype(np.int64) - zero, w.value))
    return g


main(
    signed_bytes,
    unsigned_bytes,
    below_zero,
    far_from_zero,
    no_bytes,
    types,
    quantized,
)
