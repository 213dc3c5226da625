"""Tests products by AMX tiles, on a processor with them or under test/emulate/amx.c, which is
inactive there. The cases have the accuracy against plain sums of f32, values that tiles cannot
multiply, and all shapes and epilogues that the kernel distinguishes."""

import ctypes
import math

import numpy as np
from harness import bf16, main
from products import FixedParameters, Products, convolution, convolved, dense, normal, plain, random, wide

TILES = "-mattr=+amx-tile,+amx-bf16,+amx-int8"


def products():
    """The number of tile products; -1 without a counter."""
    counter = getattr(ctypes.CDLL(None), "amx_products", None)
    if counter is None:
        return -1
    counter.restype = ctypes.c_long
    return counter()


class Tiled(Products):
    """A graph whose run must use tiles, or must not use them."""

    def __init__(self, *options, tiles=True, threads=()):
        super().__init__(TILES, *options, threads=threads)
        self.tiles = tiles

    def run(self, library, threads=0, level=None, pool=None):
        before = products()
        status, message, outputs = super().run(library, threads, level, pool)
        if before >= 0 and (products() > before) != self.tiles:
            raise RuntimeError(f"{products() - before} products of tiles")
        return status, message, outputs


class Scheduled(FixedParameters, Tiled):
    """A graph whose products and convolutions by tiles have fixed parameters."""

    def __init__(self, **parameters):
        super().__init__("--threads=3", threads=[1, 2])
        self.fix("tiles", **parameters)


def accuracy():
    g = Tiled()
    uniform = random.uniform(-0.5, 0.5, (64, 768)).astype(np.float32)
    positive = np.abs(normal(64, 768))
    spread = np.ldexp(normal(64, 768), random.integers(-12, 12, (64, 768)))
    w = normal(768, 96)
    weights = g.constant(w)
    for x in (uniform, positive, spread.astype(np.float32)):
        y = g.op("MatMul", g.input(x), weights)
        g.closer_than(y, wide(x) @ wide(w), plain(x, w))
    return g


def three_products():
    g = Tiled("--precision=bf16x3")
    x, w = normal(64, 512), normal(512, 64)
    exact = wide(x) @ wide(w)
    rounded = bf16(x).value @ bf16(w).value
    y = g.op("MatMul", g.input(x), g.constant(w))
    g.closer_than(y, exact, exact + 0.01 * (rounded - exact))
    g.expect(g.op("Neg", y), -exact, atol=2e-5 * math.sqrt(512), rtol=0)
    return g


def shapes():
    g = Tiled("--threads=3", threads=[1, 2])
    for shape in [
        (32, 64, 64),
        (16, 61, 40),
        (61, 129, 61),
        (64, 2090, 40),  # two blocks of the depth
        (96, 4200, 33),  # four blocks
        (33, 96, 400),  # fewer blocks of rows than threads, which share panels
        (300, 70, 96),
        (48, 31, 128),
    ]:
        dense(g, *shape)
    # An element cannot be split, in the second block of the depth.
    x, w = normal(64, 2090), normal(2090, 40)
    x[40, 2000] = np.inf
    g.expect(g.op("MatMul", g.input(x), g.constant(w)), wide(x) @ wide(w), rtol=1e-6, atol=4e-4)
    # Pixels are multiplied by a filter, and rows of a batch by a matrix.
    x, f = g.input(normal(2, 9, 8, 44)), g.constant(normal(1, 1, 44, 70))
    y = g.op("Conv2D", x, f, strides=[1, 1, 1, 1], padding="VALID")
    exact = np.einsum("nhwc,cd->nhwd", wide(x), wide(f)[0, 0])
    g.expect(g.op("Relu", y), np.maximum(exact, 0), rtol=1e-6, atol=1e-5)
    strided = g.op("Conv2D", x, f, strides=[1, 2, 2, 1], padding="VALID")
    g.expect(strided, exact[:, ::2, ::2], rtol=1e-6, atol=1e-5)
    return g


def panels():
    """Caches do not hold the weights of the model, so weights with few rows are split at run
    time."""
    g = Tiled("--threads=3", threads=[1, 2])
    table = g.constant(normal(10 << 10, 1 << 10))
    some = np.int32([3, 77])
    g.expect(g.op("GatherV2", table, g.input(some), g.constant(np.int32(0))), table.value[some])
    for shape in [
        (32, 64, 64),
        (61, 129, 61),
        (64, 2090, 40),  # blocks of the depth
        (96, 4224, 24),  # whole steps, with a shorter last block
        (128, 70, 96),
        (16, 1056, 200),
    ]:
        dense(g, *shape)
    for image, filter, how in [
        ((1, 7, 9, 320), (3, 3, 320, 96), dict(dilation=(2, 1))),
        ((1, 14, 15, 96), (5, 3, 96, 40), dict(stride=(2, 2))),
        ((2, 5, 5, 45), (3, 3, 45, 70), dict(stride=(1, 2))),
    ]:
        y, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        g.expect(y, exact, rtol=1e-6, atol=atol)
    x, w = normal(64, 2112), normal(2112, 70)
    x[40, 2000], x[3, 1] = np.inf, 2.0**-130
    with np.errstate(all="ignore"):
        exact, size = wide(x) @ wide(w), np.abs(wide(x)) @ np.abs(wide(w))
    atol = np.where(np.isfinite(size), size * 4e-6, 0)
    g.expect(g.op("MatMul", g.input(x), g.constant(w)), exact, rtol=0, atol=atol)
    return g


def many_slabs():
    """The slabs of rows are more and fewer than the threads."""
    g = Tiled("--threads=3", threads=[1, 2])
    for rows, depth, columns in [(2100, 320, 96), (220, 1010, 40), (1100, 1000, 40)]:
        x, w = g.input(normal(rows, depth)), g.constant(normal(depth, columns))
        g.expect(g.op("MatMul", x, w), wide(x) @ wide(w), rtol=1e-6, atol=1e-4)
    return g


def half_floats():
    g = Tiled(threads=[2])
    for rows, depth, columns in [(64, 96, 64), (45, 6000, 50)]:
        x, w = g.input(bf16(normal(rows, depth))), g.constant(bf16(normal(depth, columns)))
        product = g.op("MatMul", x, w)
        exact = wide(x) @ wide(w)
        g.expect(product, exact, rtol=2**-8, atol=1e-4)
    # There are denormals and infinities, as in sums of f32.
    x = normal(32, 64)
    x[3, 5], x[4, 6], x[5, 7] = np.inf, np.nan, 2.0**-130
    x[5, :7] = x[5, 8:] = 0
    x, w = bf16(x), bf16(normal(64, 64))
    with np.errstate(all="ignore"):
        exact = wide(x) @ wide(w)
    g.expect(g.op("MatMul", g.input(x), g.constant(w)), exact, rtol=2**-7, atol=2e-3)
    return g


def integers():
    """Bytes are multiplied in tiles; larger numbers as usual, and their sums wrap."""
    g = Tiled(threads=[2, 3])
    for rows, depth, columns in [(32, 64, 64), (61, 129, 61), (50, 11000, 70), (400, 63, 33)]:
        x = random.integers(-128, 128, (rows, depth)).astype(np.int8)
        w = random.integers(-128, 128, (depth, columns)).astype(np.int8)
        exact = (x.astype(np.int64) @ w).astype(np.int32)
        y = g.op("BatchMatMulV3", g.input(x), g.constant(w), Tout=np.int32)
        g.expect(y, exact)
        g.expect(g.op("MatMul", g.input(x.astype(np.int32)), g.constant(w.astype(np.int32))), exact)
        large = x.astype(np.int32)
        large[3, 5], large[rows - 1, depth - 1] = 128, -(2**31)
        wrapped = (large.astype(np.int64) @ w).astype(np.int32)
        product = g.op("MatMul", g.input(large), g.constant(w.astype(np.int32)))
        g.expect(g.op("Relu", product), np.maximum(wrapped, 0))
    return g


def large_integers():
    g = Tiled(tiles=False)
    x = random.integers(-128, 128, (64, 64)).astype(np.int32)
    w = random.integers(-129, 129, (64, 64)).astype(np.int32)
    w[3, 4] = 128
    g.expect(g.op("MatMul", g.input(x), g.constant(w)), x @ w)
    return g


def ends_of_the_range():
    """Any result that f32 can represent is right, for any elements of the row."""
    g = Tiled(threads=[2])
    x, w = normal(224, 95), normal(95, 160)
    x[1, 3], x[2, 94], x[3, 5] = np.inf, -np.inf, np.nan
    x[33] *= np.float32(2.0**-110)
    x[34] *= np.float32(2.0**-140)
    x[35] *= np.float32(2.0**120)
    x[65, 0], x[65, 1:] = 2.0**-149, 0
    x[97, 9] = 3e38
    x[130] = 0
    x[160:192] = np.ldexp(x[160:192], random.integers(-120, -90, (32, 95)))
    w[:, 7] = 0
    with np.errstate(all="ignore"):
        exact, size = wide(x) @ wide(w), np.abs(wide(x)) @ np.abs(wide(w))
    y = g.op("MatMul", g.input(x), g.constant(w))
    g.expect(y, exact, rtol=0, atol=np.where(np.isfinite(size), size * 4e-6 + 2.0**-145, 0))
    return g


def weights_out_of_range():
    """Weights that cannot be split into bf16 are multiplied as f32."""
    g = Tiled(tiles=False)
    for value in (np.inf, np.nan, 1e-40, 1e-20, 3e38):
        x, w = normal(32, 64), normal(64, 64)
        w[3, 4] = value
        with np.errstate(all="ignore"):
            exact, size = wide(x) @ wide(w), np.abs(wide(x)) @ np.abs(wide(w))
        atol = np.where(np.isfinite(size), size * 4e-6, 0)
        g.expect(g.op("MatMul", g.input(x), g.constant(w)), exact, rtol=0, atol=atol)
    return g


def few_rows():
    """Vector registers are faster with few rows."""
    g = Tiled(tiles=False)
    for rows in (1, 4):
        x, w = g.input(normal(rows, 256)), g.constant(normal(256, 64))
        g.expect(g.op("MatMul", x, w), wide(x) @ wide(w), rtol=1e-5, atol=1e-4)
    # Operands that are known only at run time are not packed into tiles, either.
    x, w = g.input(normal(64, 64)), g.input(normal(64, 64))
    g.expect(g.op("MatMul", x, w), wide(x) @ wide(w), rtol=1e-5, atol=1e-4)
    return g


def convolutions():
    """Tiles are parts of image rows, positions of all rows, and strips."""
    g = Tiled("--threads=3", threads=[1, 2])
    for image, filter, how in [
        ((1, 14, 14, 64), (3, 3, 64, 64), {}),
        ((1, 14, 15, 64), (3, 3, 64, 64), dict(stride=(2, 2))),
        ((2, 7, 7, 96), (3, 3, 96, 40), {}),
        ((1, 9, 23, 45), (5, 3, 45, 33), dict(stride=(1, 2))),
        ((3, 20, 13, 33), (3, 3, 33, 70), dict(stride=(3, 1))),
        ((1, 12, 40, 40), (3, 2, 40, 16), dict(dilation=(2, 3))),
        ((1, 15, 17, 64), (2, 3, 64, 48), dict(stride=(2, 3), dilation=(3, 2))),
        ((1, 10, 12, 64), (3, 3, 64, 64), dict(padding=((0, 3), (4, 0)))),
        ((1, 60, 56, 128), (3, 3, 128, 64), dict(stride=(2, 2))),
        ((1, 7, 9, 320), (3, 3, 320, 224), {}),
    ]:
        y, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        bias = normal(filter[-1])
        z = g.op("Relu", g.op("BiasAdd", y, g.constant(bias)))
        g.expect(z, np.maximum(exact + wide(bias), 0), rtol=1e-6, atol=atol)
    # Numbers that tiles cannot represent are inside and at a border.
    x = normal(1, 30, 14, 64)
    x[0, 0, 0, 3], x[0, 17, 5, 63], x[0, 29, 3, 9] = np.inf, np.nan, 2.0**-120
    for stride in (1, 2):
        y, exact, atol = convolution(g, x, normal(3, 3, 64, 48), stride=(stride, stride))
        g.expect(y, exact, rtol=0, atol=atol)
    x = normal(1, 9, 9, 61)
    x[0, 4, 4, 60] = -np.inf
    y, exact, atol = convolution(g, x, normal(3, 3, 61, 32))
    g.expect(y, exact, rtol=0, atol=atol)
    return g


def half_convolutions():
    g = Tiled(threads=[2])
    for stride in (1, 2):
        x, w = bf16(normal(2, 13, 14, 40)), bf16(normal(3, 3, 40, 50))
        of = dict(strides=[1, stride, stride, 1], padding="SAME")
        exact = convolved(wide(x), wide(w), (stride, stride))
        g.expect(g.op("Conv2D", g.input(x), g.constant(w), **of), exact, rtol=2**-8, atol=1e-3)
    return g


def direct_sums():
    """A convolution by tiles is as accurate as sums of f32."""
    g = Tiled()
    x, w = normal(1, 14, 14, 256), normal(3, 3, 256, 96)
    y, exact, _ = convolution(g, x, w)
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    windows = [padded[:, i : i + 14, j : j + 14] for i in range(3) for j in range(3)]
    rows = np.concatenate(windows, -1).reshape(196, -1)
    g.closer_than(y, exact, plain(rows, w.reshape(-1, 96)).reshape(1, 14, 14, 96))
    return g


def fixed_products():
    """Results are right for tiles, blocks of the depth and slabs that weir does not choose."""
    g = Scheduled(tile_rows=5, block_rows=5, depth_block=3, slabs=4, coarse=False, prefetch=False)
    for shape in [(61, 705, 96), (64, 2090, 128), (290, 520, 93)]:
        dense(g, *shape)
    return g


def fixed_rows():
    """The same for tiles of one image row, some of which end beyond it."""
    g = Scheduled(tile_rows=4, block_rows=8, by_line=True, depth_block=2, slabs=3, share="panels")
    for image, filter, how in [
        ((2, 7, 7, 96), (3, 3, 96, 70), {}),
        ((1, 14, 15, 64), (3, 3, 64, 64), dict(stride=(2, 2))),
    ]:
        y, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        g.expect(y, exact, rtol=1e-6, atol=atol)
    return g


def fixed_positions():
    """The same for positions of all rows."""
    g = Scheduled(tile_rows=13, block_rows=13, by_line=False, slabs=2, prefetch_result=False)
    for image, filter, how in [
        ((1, 14, 14, 64), (3, 3, 64, 64), {}),
        ((1, 12, 40, 40), (3, 2, 40, 16), dict(dilation=(2, 3))),
    ]:
        y, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        g.expect(y, exact, rtol=1e-6, atol=atol)
    return g


main(
    convolutions,
    half_convolutions,
    direct_sums,
    accuracy,
    three_products,
    shapes,
    panels,
    many_slabs,
    half_floats,
    integers,
    large_integers,
    ends_of_the_range,
    weights_out_of_range,
    few_rows,
    fixed_products,
    fixed_rows,
    fixed_positions,
)
