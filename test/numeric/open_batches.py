"""Tests ops that mix or traverse a dynamic batch: gathers of each row, blocks of space, and crops.
Each library runs at several sizes."""

import numpy as np
from harness import main
from sized import Sized

F, I = np.float32, np.int32


def numbers(*shape):
    return np.random.default_rng(shape).standard_normal(shape).astype(F)


def gathered():
    """Each element of the batch has its own indices of rows."""
    g = Sized([(1, 1), (3, 4), (5, 7)], batch=(1, 5), length=(1, 7))
    x = lambda n, m: numbers(n, m, 2)
    at = lambda n, m: I(np.arange(n * 3).reshape(n, 3) * 5 % m)
    data, indices = g.open(x, ("batch", "length", 2)), g.open(at, ("batch", 3))
    of = dict(Tparams=F, Tindices=I, Taxis=I)
    rows = lambda n, m: np.stack([x(n, m)[i, at(n, m)[i]] for i in range(n)])
    for batch in (1, -1):
        y = g.op("GatherV2", data, indices, g.constant(I(1)), batch_dims=batch, **of)
        g.expect(y, rows)
    columns = g.op("Transpose", data, g.constant(I([0, 2, 1])), Tperm=I)
    y = g.op("GatherV2", columns, indices, g.constant(I(2)), batch_dims=1, **of)
    g.expect(y, lambda n, m: rows(n, m).transpose(0, 2, 1))
    places = lambda n, m: I(np.arange(n * m).reshape(n, m) * 3 % m)
    y = g.op("GatherV2", data, g.open(places, ("batch", "length")), g.constant(I(1)), batch_dims=1, **of)
    g.expect(y, lambda n, m: np.stack([x(n, m)[i, places(n, m)[i]] for i in range(n)]))
    return g


def out_of_range():
    g = Sized([(2,)], batch=(1, 4))
    data = g.open(lambda n: numbers(n, 3), ("batch", 3))
    at = g.open(lambda n: I(np.full((n, 1), 3)), ("batch", 1))
    g.expect(g.op("GatherV2", data, at, g.constant(I(1)), batch_dims=1), lambda n: np.zeros((n, 1)))
    g.fails("an index is out of range")
    return g


def to_batch(x, block, margins):
    x = np.pad(x, [(0, 0), *margins, (0, 0)])
    n, h, w, c = x.shape
    y = x.reshape(n, h // block, block, w // block, block, c).transpose(2, 4, 0, 1, 3, 5)
    return y.reshape(block * block * n, h // block, w // block, c)


def to_space(x, block, crops):
    n, h, w, c = x.shape
    y = x.reshape(block, block, n // block**2, h, w, c).transpose(2, 3, 0, 4, 1, 5)
    y = y.reshape(n // block**2, h * block, w * block, c)
    (top, bottom), (left, right) = crops
    return y[:, top : h * block - bottom, left : w * block - right]


def blocks():
    """A dilated convolution in the form of TensorFlow 1, and each op."""
    g = Sized([(1,), (2,), (5,)], batch=(1, 5))
    make = lambda n: numbers(n, 5, 6, 2)
    x = g.open(make, ("batch", 5, 6, 2))
    block, margins, crops = (g.constant(I(v)) for v in ([2, 2], [[1, 2], [2, 0]], [[1, 2], [2, 0]]))
    apart = g.op("SpaceToBatchND", x, block, margins, T=F, Tblock_shape=I, Tpaddings=I)
    moved = lambda n: to_batch(make(n), 2, [(1, 2), (2, 0)])
    g.expect(apart, moved)
    weights = numbers(1, 1, 2, 3)
    conv = g.op("Conv2D", apart, g.constant(weights), strides=[1, 1, 1, 1], padding="VALID", T=F)
    back = g.op("BatchToSpaceND", conv, block, crops, T=F, Tblock_shape=I, Tcrops=I)
    g.expect(back, lambda n: np.float64(make(n)) @ weights[0, 0], rtol=1e-5, atol=1e-6)
    old = g.op("SpaceToBatch", x, margins, block_size=2, T=F)
    g.expect(old, moved)
    g.expect(g.op("BatchToSpace", old, crops, block_size=2, T=F), make)
    # The batch is no multiple of the blocks.
    four = g.op("ConcatV2", x, x, x, x, g.constant(I(0)), N=4)
    none = g.constant(I([[0, 0], [0, 0]]))
    g.expect(g.op("BatchToSpace", four, none, block_size=2, T=F),
             lambda n: to_space(np.concatenate([make(n)] * 4), 2, [(0, 0), (0, 0)]))  # fmt: skip
    return g


def not_whole():
    g = Sized([(3,)], batch=(1, 5))
    x = g.open(lambda n: numbers(n, 2, 2, 1), ("batch", 2, 2, 1))
    y = g.op("BatchToSpace", x, g.constant(I([[0, 0], [0, 0]])), block_size=2, T=F)
    g.expect(y, lambda n: np.zeros((0, 4, 4, 1)))
    g.fails("the batch is no multiple of its blocks")
    return g


def crops(inside=True):
    g = Sized([(1, 2), (4, 7)] if inside else [(3, 2)], images=(1, 4), boxes=(1, 7))
    make = lambda n, m: numbers(n, 3, 4, 2)
    x = g.open(make, ("images", 3, 4, 2))
    boxes = g.open(lambda n, m: F([[0, 0, 1, 1]] * m), ("boxes", 4))
    which = lambda n, m: I(np.arange(m) % n) if inside else I([n] * m)
    y = g.op("CropAndResize", x, boxes, g.open(which, ("boxes",)), g.constant(I([3, 4])), T=F)
    g.expect(y, lambda n, m: make(n, m)[which(n, m) % n], rtol=1e-6)
    return g


def crops_of_no_image():
    g = crops(inside=False)
    g.fails("a box is of an image that is not there")
    return g


if __name__ == "__main__":
    main(gathered, out_of_range, blocks, not_whole, crops, crops_of_no_image)
