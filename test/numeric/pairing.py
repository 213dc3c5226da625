"""Tests inner-product pairing (dialects/kernel/PairingScheme.h) as for an AMD core, by default a
Zen 4, on any processor with AVX-512. The cases have its accuracy against plain sums of f32, rows
and weights that are not eligible, and all shapes and epilogues that the kernel distinguishes."""

import os
import subprocess

import numpy as np
from harness import main
from products import Products, convolution, dense, normal, plain, random, wide
from references import softmax


class Paired(Products):
    """A graph with `pairs` products by inner-product pairing; by default all."""

    def __init__(self, *options, threads=(), pairs=None):
        features = os.environ.get("MATTR", "+sse4a")
        super().__init__("-mcpu=x86-64-v4", f"-mattr={features}", *options, threads=threads)
        self.pairs = pairs

    def compile(self, folder):
        library = super().compile(folder)
        command = [*self.command(folder / "graph.pbtxt", "-"), "--stop-after=lower"]
        lowered = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        kernels = [f" = kernel.{name} " for name in ("matmul", "convolution", "winograd", "attention")]
        products = [line for line in lowered.splitlines() if any(kernel in line for kernel in kernels)]
        pairs = sum("layout <pairing" in line for line in products)
        if not products or pairs != (len(products) if self.pairs is None else self.pairs):
            raise RuntimeError(f"{pairs} of {len(products)} products use pairing")
        return library


def bounded(g, x, w, moves=False):
    """The product of x by w, with an error that is small compared with its terms."""
    with np.errstate(all="ignore"):
        exact, size = wide(x) @ wide(w), np.abs(wide(x)) @ np.abs(wide(w))
    y = g.op("MatMul", g.input(x), g.input(w) if moves else g.constant(w))
    g.expect(y, exact, rtol=0, atol=np.where(np.isfinite(size), size * 2e-6 + 2.0**-145, 0))


def accuracy():
    g = Paired()
    uniform = random.uniform(-0.5, 0.5, (64, 768)).astype(np.float32)
    positive = np.abs(normal(64, 768))
    spread = np.ldexp(normal(64, 768), random.integers(-12, 12, (64, 768)))
    scaled = normal(64, 768) * np.ldexp(1.0, np.arange(-32, 32))[:, None]
    w = normal(768, 96)
    for weights in (w, np.abs(w), (w * np.ldexp(1.0, np.arange(96) - 48)).astype(np.float32)):
        constant = g.constant(weights)
        for x in (uniform, positive, spread.astype(np.float32), scaled.astype(np.float32)):
            y = g.op("MatMul", g.input(x), constant)
            exact, other = wide(x) @ wide(weights), plain(x, weights)
            # Rows and columns have different magnitudes.
            sizes = np.sqrt((exact**2).mean(1, keepdims=True)) * np.sqrt((exact**2).mean(0))
            sizes /= np.sqrt((exact**2).mean())
            g.closer_than(y, exact, other, sizes)
    return g


def shapes():
    g = Paired("--threads=3", threads=[1, 2])
    for shape in [
        (8, 64, 128),
        (32, 48, 200),
        (9, 47, 100),  # two tiles of rows, with a partial step of a row
        (61, 49, 161),
        (14, 97, 112),
        (33, 130, 80),  # terms after the last group
        (64, 600, 97),  # chains of sums; one column in the last panel
        (300, 126, 96),
        (1000, 700, 64),  # slabs
        (40, 4100, 80),
        (150, 2105, 110),  # parts of the depth
        (500, 1200, 110),  # of several slabs
    ]:
        dense(g, *shape)
    return g


def with_epilogue(g, x, w, **how):
    """relu(x w + b) * s, of a convolution."""
    y, exact, atol = convolution(g, x, w, **how)
    bias, scale = normal(w.shape[-1]), g.input(normal(*exact.shape))
    z = g.op("Relu", g.op("BiasAdd", y, g.constant(bias)))
    g.expect(g.op("Mul", z, scale), np.maximum(exact + wide(bias), 0) * wide(scale), rtol=1e-6, atol=4 * atol)


def pixels():
    """Convolutions have windows of one element, for all pixels or some."""
    g = Paired("--threads=2", threads=[1, 3])
    for image, filter, how in [
        ((1, 14, 14, 64), (1, 1, 64, 160), {}),
        ((2, 9, 7, 100), (1, 1, 100, 78), {}),
        ((1, 15, 13, 80), (1, 1, 80, 96), dict(stride=(2, 2))),
        ((3, 8, 9, 60), (1, 1, 60, 128), dict(stride=(1, 3))),
        # A row and a column of windows are beyond the image.
        ((1, 14, 14, 256), (1, 1, 256, 256), dict(padding=[(0, 1), (0, 1)])),
    ]:
        with_epilogue(g, normal(*image), normal(*filter), **how)
    return g


def windows():
    """Other windows are copied side by side as rows of a product."""
    g = Paired("--threads=2", threads=[1, 3])
    for image, filter, how in [
        ((1, 17, 17, 128), (3, 3, 128, 288), dict(stride=(3, 3))),
        ((2, 16, 12, 33), (4, 4, 33, 128), dict(stride=(4, 4), padding=[(0, 0), (0, 0)])),
        ((1, 9, 11, 50), (2, 3, 50, 255), dict(stride=(3, 2), padding=[(0, 1), (1, 0)])),
        ((1, 40, 1, 64), (4, 1, 64, 256), dict(stride=(4, 1))),
        ((1, 30, 30, 48), (3, 3, 48, 256), dict(stride=(3, 4), padding=[(0, 0), (0, 0)])),
    ]:
        with_epilogue(g, normal(*image), normal(*filter), **how)
    return g


def rows_apart():
    """The rows of results, and of the addend, are not contiguous."""
    g = Paired("--threads=2", threads=[1, 3])
    for image, filter, how, crop in [
        ((2, 13, 13, 64), (1, 1, 64, 128), {}, (2, 2)),
        ((4, 100, 1, 64), (1, 1, 64, 128), {}, (2, 0)),
        ((3, 9, 9, 96), (1, 1, 96, 128), {}, (0, 1)),
        ((2, 17, 17, 128), (3, 3, 128, 288), dict(stride=(3, 3)), (1, 2)),
    ]:
        y, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        n, h, w, c = exact.shape
        other = normal(n, h + crop[0], w + crop[1], c)
        begin, size = g.constant(np.int32([0, *crop, 0])), g.constant(np.int32(exact.shape))
        skip = g.op("Slice", g.input(other), begin, size)
        z = exact + wide(other)[:, crop[0] :, crop[1] :]
        g.expect(g.op("Relu", g.op("Add", y, skip)), np.maximum(z, 0), rtol=1e-6, atol=2 * atol)
        turned, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        turned = g.op("Transpose", g.op("Relu", turned), g.constant(np.int32([0, 2, 1, 3])))
        g.expect(turned, np.maximum(exact, 0).transpose(0, 2, 1, 3), rtol=1e-6, atol=2 * atol)
    return g


def windows_ends_of_the_range():
    """Infinities stay in the windows that contain them."""
    g = Paired("--threads=2", threads=[1, 3])
    x, w = normal(1, 15, 15, 96), normal(3, 3, 96, 288)
    x[0, 0, 0, 5], x[0, 14, 7, 0], x[0, 7, 7, 1], x[0, 9:12, 2:5] = np.inf, np.nan, 3e38, 0
    y, exact, atol = convolution(g, x, w, stride=(3, 3), padding=[(1, 1), (1, 1)])
    g.expect(y, exact, rtol=0, atol=atol)
    return g


def attention():
    """Products whose rows are computed in blocks do not use pairing."""
    g = Paired(pairs=0)
    q, k, v = g.input(normal(512, 64) / 8), g.input(normal(512, 64)), g.input(normal(512, 64))
    scores = g.op("MatMul", q, k, transpose_b=True)
    exact = softmax(wide(q.value) @ wide(k.value).T)
    g.expect(g.op("MatMul", g.op("Softmax", scores), v), exact @ wide(v.value), rtol=1e-5, atol=1e-5)
    x, w1, w2 = normal(512, 64) / 8, normal(64, 512), normal(512, 64)
    scores = g.op("MatMul", g.input(x), g.constant(w1))
    exact = softmax(wide(x) @ wide(w1)) @ wide(w2)
    g.expect(g.op("MatMul", g.op("Softmax", scores), g.constant(w2)), exact, rtol=1e-5, atol=1e-5)
    return g


def batches():
    g = Paired("--threads=2", threads=[1, 3])
    x, w = normal(3, 21, 96), normal(96, 80)
    y = g.op("BatchMatMulV2", g.input(x), g.constant(w))
    g.expect(y, wide(x) @ wide(w), rtol=1e-6, atol=1e-4)
    return g


def ends_of_the_range():
    """Any result that f32 can represent is right, for any elements of the row, and a row does not
    change other rows."""
    g = Paired("--threads=2", threads=[1, 3])
    x, w = normal(224, 95), normal(95, 160)
    x[1, 3], x[2, 94], x[3, 5] = np.inf, -np.inf, np.nan
    x[33] *= np.float32(2.0**-110)
    x[34] *= np.float32(2.0**-140)
    x[35] *= np.float32(2.0**120)
    x[36] *= np.float32(2.0**58)
    x[37] *= np.float32(2.0**-57)
    x[65, 0], x[65, 1:] = 2.0**-149, 0
    x[97, 9] = 3e38
    x[130] = 0
    x[160:192] = np.ldexp(x[160:192], random.integers(-120, -90, (32, 95)))
    w[:, 7] = 0
    w[:, 8] *= np.float32(2.0**-57)
    bounded(g, x, w)
    return g


def uneven_rows():
    """Adjacent elements are much larger than the others of their row: their product alone would be
    larger than all sums."""
    g = Paired("--threads=2", threads=[1, 3])
    x, w = normal(70, 384), normal(384, 96)
    x[3, 6:8], x[17, 9:11], x[40] = 3000, -500, np.arange(384) == 5
    x[50], x[51, 100:] = 1, 0
    bounded(g, x, w)
    return g


def neighbours():
    """A row has the same sums beside rows that are not eligible for pairing."""
    g = Paired()
    x, w = normal(40, 384), g.constant(normal(384, 96))
    other, alike = x.copy(), np.full((40, 1), True)
    for row, value in ((2, np.inf), (9, np.nan), (10, 0), (21, 1e30), (39, 2.0**-140)):
        other[row], alike[row] = value, False
    other[14:28], alike[14:28] = np.arange(384) == 3, False
    difference = g.op("Sub", g.op("MatMul", g.input(x), w), g.op("MatMul", g.input(other), w))
    zero = g.constant(np.float32(0))
    g.expect(g.op("SelectV2", g.constant(alike), difference, zero), np.zeros((40, 96)))
    return g


def parts_of_the_depth():
    """A long sum has spilled partial sums in memory. Rows that are not eligible, and whole tiles
    of such rows, have none."""
    g = Paired("--threads=3", threads=[1, 2])
    x, w = normal(150, 2105), normal(2105, 70)
    for row, value in ((2, np.inf), (9, np.nan), (10, 0), (121, 1e30), (139, 2.0**70)):
        x[row] = value
    x[56:84] = np.arange(2105) == 3
    bounded(g, x, w)
    return g


def exact_sums():
    """If plain sums are exact, the results are exact: rows that select weights, and integers."""
    g = Paired(pairs=1)
    x, w = np.zeros((40, 300), np.float32), normal(300, 96)
    x[np.arange(40), np.arange(40) * 7] = 1
    g.expect(g.op("MatMul", g.input(x), g.constant(w)), x @ w)
    x, w = random.integers(-9, 10, (40, 310)), random.integers(-2000, 2001, (310, 96))
    y = g.op("MatMul", g.input(x.astype(np.float32)), g.constant(w.astype(np.float32)))
    g.expect(y, (x @ w).astype(np.float32))
    return g


def exact_panels():
    """Panels have integers, and columns that select from a row, beside other columns."""
    g = Paired("--threads=2", threads=[1, 3])
    x, w = random.integers(-9, 10, (40, 310)).astype(np.float32), normal(310, 96)
    w[:, 32:64] = random.integers(-2000, 2001, (310, 32))
    y = g.op("MatMul", g.input(x), g.constant(w))
    g.expect(g.op("Slice", y, g.constant(np.int32([0, 32])), g.constant(np.int32([40, 32]))), x @ w[:, 32:64])
    w[:, 64:] = np.eye(310)[:, 7:39]
    x = normal(40, 310) * np.ldexp(np.float32(1), random.integers(-30, 9, (40, 310)))
    y = g.op("MatMul", g.input(x.astype(np.float32)), g.constant(w))
    g.expect(g.op("Slice", y, g.constant(np.int32([0, 64])), g.constant(np.int32([40, 32]))), x[:, 7:39].astype(np.float32))
    return g


def weights_without_pairing():
    g = Paired(pairs=0)
    for value in (np.inf, np.nan, 3e38, 1e25):
        x, w = normal(32, 96), normal(96, 96)
        w[3, 4] = value
        bounded(g, x, w)
    x, w = normal(32, 384), normal(384, 96)
    w[12:14, 5] = 2000
    bounded(g, x, w)
    w = normal(96, 96)
    w[:, 9] *= np.float32(2.0**-100)
    bounded(g, normal(32, 96), w)
    return g


def two_inputs():
    """Each run packs and scales the panels."""
    g = Paired("--threads=3", threads=[1, 2])
    for rows, depth, columns, turned in [
        (150, 96, 128, {}),
        (300, 131, 123, dict(transpose_b=True)),
        (129, 300, 244, {}),
        (260, 258, 446, dict(transpose_a=True)),
        (300, 205, 510, dict(transpose_a=True, transpose_b=True)),
        (700, 1100, 160, dict(transpose_b=True)),  # parts of the depth
    ]:
        x, w = normal(rows, depth), normal(depth, columns)
        w[:, 3] = 0
        left, right = (x.T if "transpose_a" in turned else x), (w.T if "transpose_b" in turned else w)
        y = g.op("MatMul", g.input(left.copy()), g.input(right.copy()), **turned)
        r, exact = g.input(normal(rows, columns)), wide(x) @ wide(w)
        g.expect(g.op("Relu", g.op("AddV2", y, r)), np.maximum(exact + wide(r), 0), rtol=1e-6, atol=8e-6 * depth**0.5)
    return g


def two_inputs_accuracy():
    g = Paired()
    x, w = normal(256, 768), normal(768, 96)
    for right in (w, np.abs(w), w * np.ldexp(1.0, np.arange(96) - 48)):
        right = right.astype(np.float32)
        for left in (x, np.abs(x)):
            exact, other = wide(left) @ wide(right), plain(left, right)
            sizes = np.sqrt((exact**2).mean(0))
            g.closer_than(g.op("MatMul", g.input(left), g.input(right)), exact, other, sizes)
    return g


def two_inputs_ends_of_the_range():
    """A number beyond the range of a panel stays in its column. The other columns of that panel
    are also right for all that f32 can represent."""
    g = Paired("--threads=2", threads=[1, 3])
    x, w = normal(256, 192), normal(192, 256)
    x[1, 3], x[200, 7], x[40] = np.inf, np.nan, 1e30
    w[3, 1], w[7, 33], w[9, 65] = np.inf, np.nan, 3e38
    w[:, 100] *= np.float32(2.0**-100)
    w[:, 140], w[:, 141] = 0, np.ldexp(w[:, 141], -130)
    w[:, 170] = w[:, 170] * (np.arange(192) == 5)
    w[12:14, 200] = 2000
    # The products of unscaled rows and columns stay in their range.
    x[50], x[51] = x[50] / 64, np.ldexp(x[51], 40)
    x[50, 5], w[5, 221] = 1 / 32, -3e38
    w[:, 224:] = 0
    bounded(g, x, w, moves=True)
    return g


def two_inputs_exact_sums():
    """A panel of integers has exact sums, and panels beside it use pairing."""
    g = Paired()
    x = random.integers(-9, 10, (256, 310))
    w = random.integers(-2000, 2001, (310, 128))
    real = np.float32(w)
    real[:, :32] = normal(310, 32)
    got = g.op("MatMul", g.input(np.float32(x)), g.input(real))
    exact = np.float32(x @ w)
    exact[:, :32] = x @ wide(real[:, :32])
    # Integers are small enough to leave no error.
    g.expect(got, exact, rtol=0, atol=np.where(np.arange(128) < 32, 1e-3, 0))
    x, chosen = normal(256, 310), np.ldexp(np.float32(np.eye(310)[:, :128]), 5)
    g.expect(g.op("MatMul", g.input(x), g.input(chosen)), x[:, :128] * 32, rtol=0, atol=0)
    return g


main(
    two_inputs,
    two_inputs_accuracy,
    two_inputs_ends_of_the_range,
    two_inputs_exact_sums,
    accuracy,
    shapes,
    pixels,
    windows,
    rows_apart,
    windows_ends_of_the_range,
    attention,
    batches,
    ends_of_the_range,
    uneven_rows,
    neighbours,
    parts_of_the_depth,
    exact_sums,
    exact_panels,
    weights_without_pairing,
)
