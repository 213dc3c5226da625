"""Tests moves of elements by offsets, sizes and padding that are fed values."""

import numpy as np
from harness import Graph, main


def values(shape):
    count = int(np.prod(shape))
    return (np.arange(count, dtype=np.float32) * 7 % 11 - 5).reshape(shape)


def i32(g, numbers):
    return g.input(np.int32(numbers))


def opened(g, array):
    """A tensor whose shape is known only at run time, in a padded buffer with gaps."""
    return g.op("Reshape", g.input(array.reshape(-1)), i32(g, array.shape))


def slices():
    g = Graph()
    x = values((5, 6))
    for begin, size in [([1, 2], [3, 2]), ([0, 0], [-1, 3]), ([4, 5], [0, 1]), ([2, 1], [-1, -1])]:
        end = [b + s if s >= 0 else None for b, s in zip(begin, size)]
        wanted = x[begin[0] : end[0], begin[1] : end[1]]
        g.expect(g.op("Slice", g.input(x), i32(g, begin), i32(g, size)), wanted)
        g.expect(g.op("Slice", opened(g, x), i32(g, begin), i32(g, size)), wanted)
    return g


def strided_slices():
    g = Graph()
    x = values((5, 6))
    one = g.constant(np.int32([1, 1]))
    for begin, end in [([1, 2], [4, 6]), ([-3, 0], [-1, 100]), ([3, 2], [1, 5])]:
        wanted = x[begin[0] : end[0], begin[1] : end[1]]
        g.expect(g.op("StridedSlice", g.input(x), i32(g, begin), i32(g, end), one), wanted)
        g.expect(g.op("StridedSlice", opened(g, x), i32(g, begin), i32(g, end), one), wanted)
    y, zero, two = opened(g, x), g.constant(np.int32([0, 0])), g.constant(np.int32([-2, 2]))
    g.expect(g.op("StridedSlice", y, zero, zero, two, begin_mask=3, end_mask=3), x[::-2, ::2])
    g.expect(g.op("StridedSlice", y, i32(g, [-1, 1]), zero, one, shrink_axis_mask=1, end_mask=2), x[-1, 1:])
    g.expect(g.op("StridedSlice", y, zero, zero, one, new_axis_mask=1, end_mask=2), x[None])
    return g


def beyond():
    g = Graph(fold=False)
    g.expect(g.op("Slice", opened(g, values((5, 6))), i32(g, [3, 0]), i32(g, [3, 1])), values((3, 1)))
    g.fails("a slice goes beyond dimension 0")
    return g


def joins():
    g = Graph()
    x, y, z = values((2, 3)), values((4, 3)) + 1, values((1, 3)) * 2
    a, b, c = opened(g, x), opened(g, y), g.input(z)
    zero, one = g.constant(np.int32(0)), g.constant(np.int32(1))
    g.expect(g.op("ConcatV2", a, c, b, zero, N=3), np.concatenate([x, z, y]))
    g.expect(g.op("ConcatV2", c, a, zero, N=2), np.concatenate([z, x]))
    g.expect(g.op("ConcatV2", a, opened(g, x + 7), one, N=2), np.concatenate([x, x + 7], 1))
    g.expect(g.op("Pack", a, opened(g, -x), N=2, axis=1), np.stack([x, -x], 1))
    w = g.op("ExpandDims", a, one)
    w = g.op("ConcatV2", w, w, one, N=2)
    first, second = g.op("Unpack", w, outputs=2, num=2, axis=1)
    g.expect(first, x)
    g.expect(second, x)
    halves = g.op("Split", one, w, outputs=2, num_split=2)
    g.expect(halves[1], x[:, None])
    return g


def gathers():
    g = Graph()
    x, index = values((4, 5)), np.int32([3, 0, 0])
    zero, one = g.constant(np.int32(0)), g.constant(np.int32(1))
    i = g.op("ExpandDims", opened(g, index), one)
    g.expect(g.op("GatherV2", g.input(x), i, zero), x[index][:, None])
    g.expect(g.op("GatherV2", opened(g, x), g.input(index), one), x[:, index])
    g.expect(g.op("GatherNd", opened(g, x), i), x[index])
    return g


def gather_beyond():
    # The buffer has more rows than the tensor: the count is that of the tensor.
    g = Graph(fold=False)
    x = opened(g, values((2, 3)))
    g.expect(g.op("GatherV2", x, i32(g, [2]), g.constant(np.int32(0))), values((1, 3)))
    g.fails("an index is out of range")
    return g


def pads():
    g = Graph()
    x = values((3, 4))
    for x_in in (g.input(x), opened(g, x)):
        margins = i32(g, [[1, 0], [2, 1]])
        g.expect(g.op("Pad", x_in, margins), np.pad(x, [(1, 0), (2, 1)]))
        g.expect(g.op("PadV2", x_in, margins, g.input(np.float32(9))), np.pad(x, [(1, 0), (2, 1)], constant_values=9))
        g.expect(g.op("MirrorPad", x_in, margins, mode="REFLECT"), np.pad(x, [(1, 0), (2, 1)], "reflect"))
        g.expect(g.op("MirrorPad", x_in, margins, mode="SYMMETRIC"), np.pad(x, [(1, 0), (2, 1)], "symmetric"))
        g.expect(g.op("Tile", x_in, i32(g, [2, 3])), np.tile(x, (2, 3)))
        g.expect(g.op("ReverseV2", x_in, g.constant(np.int32([0]))), x[::-1])
    return g


def negative_margin():
    g = Graph(fold=False)
    g.expect(g.op("Pad", g.input(values((3, 4))), i32(g, [[-1, 0], [0, 0]])), values((2, 4)))
    g.fails("a margin is negative")
    return g


def wide_margin():
    # Their sum would be -2 in 64 bits.
    g = Graph(fold=False)
    most = np.iinfo(np.int64).max
    g.expect(g.op("Pad", g.input(values((3, 4))), g.input(np.int64([[most, most], [0, 0]]))), values((1, 4)))
    g.fails("a margin is too wide")
    return g


def broadcasts():
    g = Graph()
    x = values((3, 1))
    g.expect(g.op("BroadcastTo", g.input(x), i32(g, [2, 3, 4])), np.broadcast_to(x, (2, 3, 4)))
    g.expect(g.op("BroadcastTo", opened(g, x), i32(g, [3, 4])), np.broadcast_to(x, (3, 4)))
    g.expect(g.op("BroadcastArgs", i32(g, [3, 1]), i32(g, [2, 1, 4])), np.int32([2, 3, 4]))
    return g


def rows_reversed():
    g = Graph()
    x, lengths = values((3, 4, 2)), np.int64([2, 4, 0])
    wanted = np.stack([np.concatenate([r[:n][::-1], r[n:]]) for r, n in zip(x, lengths)])
    g.expect(g.op("ReverseSequence", opened(g, x), opened(g, lengths), seq_dim=1, batch_dim=0), wanted)
    g.expect(g.op("ReverseSequence", opened(g, x), g.input(lengths), seq_dim=1, batch_dim=0), wanted)
    return g


def gradient_shapes():
    g = Graph(fold=False)
    y = opened(g, values((3, 4)))
    shape = g.op("Shape", y, T=np.float32, out_type=np.int32)
    a, b = g.op("BroadcastGradientArgs", shape, g.constant(np.int32([1])), outputs=2)
    g.expect(b, np.int32([0, 1]))
    a, b = g.op("BroadcastGradientArgs", shape, shape, outputs=2)
    g.expect(a, np.int32([]))
    return g


main(rows_reversed, gradient_shapes, slices, strided_slices, beyond, joins, gathers, gather_beyond, pads, negative_margin, wide_margin, broadcasts)
