"""Tensors with fed sizes, for graphs of the harness."""

import numpy as np


def values(shape):
    count = int(np.prod(shape))
    return (np.arange(count, dtype=np.float32) * 7 % 11 - 5).reshape(shape)


def opened(g, value, dims):
    """`value`, whose dimensions `dims` have sizes known only at run time.

    Elements beyond the sizes are NaN, if the type has one."""
    if not dims:
        return g.input(value)
    sizes = {dim: g.input(np.int32(value.shape[dim])) for dim in dims}
    shape = [
        sizes.get(dim) or g.constant(np.int32(size)) for dim, size in enumerate(value.shape)
    ]
    x = g.op("Reshape", g.input(value.reshape(-1)), g.op("Pack", *shape))
    if value.dtype.kind != "f":
        return x
    for dim, size in sizes.items():
        # The root of the distance of each index from the last one, times zero.
        one = g.constant(np.int32(1))
        index = g.op("Range", g.constant(np.int32(0)), size, one)
        far = g.op("Cast", g.op("Sub", g.op("Sub", size, one), index), DstT=value.dtype)
        poison = g.op("Mul", g.op("Sqrt", far), g.constant(value.dtype.type(0)))
        for _ in range(value.ndim - 1 - dim):
            poison = g.op("ExpandDims", poison, g.constant(np.int32(-1)))
        x = g.op("AddV2", x, poison)
    return x
