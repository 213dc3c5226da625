"""Tests sizes known only at run time: each graph gets them as fed values."""

import numpy as np
from harness import Graph, Text, main
from opened import opened, values


def i32(g, numbers):
    return g.input(np.int32(numbers))


def made():
    g = Graph()
    g.expect(g.op("Fill", i32(g, [2, 3]), g.input(np.float32(4))), np.full((2, 3), np.float32(4)))
    g.expect(g.op("Fill", i32(g, [0, 3]), g.input(np.float32(4))), np.zeros((0, 3), np.float32))
    g.expect(g.op("Range", i32(g, 3), i32(g, -8), i32(g, -2)), np.int32([3, 1, -1, -3, -5, -7]))
    g.expect(g.op("Range", *(g.input(np.float32(x)) for x in (0, 1, 0.25))), np.float32([0, 0.25, 0.5, 0.75]))
    return g


def too_large():
    g = Graph(fold=False)
    g.expect(g.op("Fill", i32(g, [1 << 11, 3]), g.input(np.float32(4))), values((1,)))
    g.fails("a size is negative or above 1024")
    return g


def negative():
    g = Graph(fold=False)
    g.expect(g.op("Fill", i32(g, [-1]), g.input(np.float32(4))), values((1,)))
    g.fails("a size is negative")
    return g


def reshaped():
    g = Graph()
    x = g.input(values((4, 6)))
    for shape in [[8, 3], [-1, 2], [2, 2, 6], [24], [1, 4, -1]]:
        g.expect(g.op("Reshape", x, i32(g, shape)), x.value.reshape(shape))
    filled = g.op("Fill", i32(g, [2, 3]), g.input(np.float32(4)))
    g.expect(g.op("Reshape", filled, i32(g, [3, -1])), np.full((3, 2), np.float32(4)))
    # These ops follow a shape with gaps in its padded buffer.
    y = g.op("Reshape", x, i32(g, [3, 8]))
    g.expect(g.op("Reshape", y, i32(g, [-1, 2, 6])), x.value.reshape(-1, 2, 6))
    g.expect(g.op("Transpose", y, g.constant(np.int32([1, 0]))), x.value.reshape(3, 8).T)
    g.expect(g.op("ExpandDims", y, g.constant(np.int32(1))), x.value.reshape(3, 1, 8))
    g.expect(g.op("Shape", y, T=np.float32, out_type=np.int64), np.int64([3, 8]))
    g.expect(g.op("Size", y, T=np.float32, out_type=np.int32), np.int32(24))
    return g


def wrong_count():
    g = Graph(fold=False)
    g.expect(g.op("Reshape", g.input(values((4, 6))), i32(g, [5, 5])), values((5, 5)))
    g.fails("the new shape has another number of elements")
    return g


def elementwise():
    g = Graph()
    x, y = values((3, 4)), values((3, 1)) + 20
    a = g.op("Reshape", g.input(values((12,))), i32(g, [3, 4]))
    b = g.op("Reshape", g.input(y), i32(g, [3, 1]))
    g.expect(g.op("AddV2", a, g.input(np.float32(2))), x + 2)
    g.expect(g.op("Relu", a), np.maximum(x, 0))
    g.expect(g.op("Mul", a, a), x * x)
    # One size is compared with another, and with a constant one.
    g.expect(g.op("Sub", a, g.op("Reshape", g.input(x), i32(g, [3, 4]))), 0 * x)
    g.expect(g.op("Sub", a, g.input(np.float32([1, 2, 3, 4]))), x - np.float32([1, 2, 3, 4]))
    # Elements beyond the sizes are not divided.
    n = g.op("Reshape", g.input(np.int32([8, 9])), i32(g, [2]))
    g.expect(g.op("FloorDiv", n, n), np.int32([1, 1]))
    return g


def rows_selected():
    # Version 1 accepts a Boolean for each row, for each element, or for all.
    g = Graph()
    x, y, rows = values((3, 4)), values((3, 4)) + 20, np.bool_([True, False, True])
    a, b = opened(g, x, [0]), opened(g, y, [0])
    wanted = np.where(rows[:, None], x, y)
    g.expect(g.op("Select", opened(g, rows, [0]), a, b), wanted)
    g.expect(g.op("Select", g.input(rows), a, b), wanted)
    g.expect(g.op("Select", g.input(rows), g.input(x), opened(g, y, [0, 1])), wanted)
    square, other = opened(g, x[:, :3], [0, 1]), opened(g, y[:, :3], [0, 1])
    g.expect(g.op("Select", opened(g, rows, [0]), square, other), wanted[:, :3])
    g.expect(g.op("Select", g.op("Less", a, b), a, b), x)
    g.expect(g.op("Select", g.input(np.bool_(False)), a, b), y)
    return g


def rows_and_booleans_differ():
    g = Graph(fold=False)
    x = opened(g, values((3, 4)), [0])
    g.expect(g.op("Select", opened(g, np.bool_([True, False]), [0]), x, x), values((3, 4)))
    g.fails("operands along dimension 0 differ in size")
    return g


def ones_repeated():
    # The bound is smaller than the other size, so only a size of 1 fits.
    g = Graph()
    x, y = values((1, 3)), values((4, 3)) + 20
    a, b = opened(g, x, [0]), g.input(y)
    g.expect(g.op("AddV2", a, b), x + y)
    g.expect(g.op("FloorDiv", b, a), y // x)
    g.expect(g.op("SelectV2", g.op("Less", b, a), a, b), np.where(y < x, x, y))
    z = g.op("Mul", opened(g, x.reshape(1, 1, 3), [0, 1]), b)
    g.expect(z, x[None] * y)
    m = values((1, 2, 3))
    products = g.op("BatchMatMulV2", opened(g, m, [0]), g.input(values((7, 3, 2))))
    g.expect(products, m @ values((7, 3, 2)))
    return g


def sizes_differ(x=(3, 4), y=(4, 3), dim=0):
    g = Graph(fold=False)
    a, b = (opened(g, values(shape), [0, 1]) for shape in (x, y))
    g.expect(g.op("AddV2", a, b), values((3, 4)))
    g.fails(f"operands along dimension {dim} differ in size, and one of size 1 is repeated")
    return g


def first_is_one():
    return sizes_differ((1, 4), (3, 4), 0)


def second_is_one():
    return sizes_differ((3, 4), (3, 1), 1)


def without_rules():
    """Handlers without rules for such sizes use the whole padded buffers."""
    g = Graph()
    x = np.float32([[1, -2, 3], [4, 5, -6]])
    d = np.float32([[7, 8, 9], [1, 2, 3]])
    for open in [(0,), (1,), (0, 1)]:
        a, b = opened(g, x, open), opened(g, d, open)
        g.expect(g.op("TanhGrad", a, b), d * (1 - x * x))
        g.expect(g.op("ReluGrad", b, a), d * (x > 0))
        g.expect(g.op("Relu6", a), np.clip(x, 0, 6))
    rows = opened(g, x, (0,))
    g.expect(g.op("Cross", rows, opened(g, d, (0,))), np.cross(x, d))
    g.expect(g.op("EnsureShape", rows, shape=Text("shape { dim { size: -1 } dim { size: 3 } }")), x)
    return g


def ensured():
    g = Graph(fold=False)
    x = opened(g, np.ones((2, 3), np.float32), (0,))
    g.expect(g.op("EnsureShape", x, shape=Text("shape { dim { size: 4 } dim { size: 3 } }")), np.ones((2, 3)))
    g.fails("differ in size")
    return g


main(made, too_large, negative, reshaped, wrong_count, elementwise, rows_selected, rows_and_booleans_differ, ones_repeated, sizes_differ, first_is_one, second_is_one,
     without_rules, ensured)
