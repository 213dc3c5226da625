"""Tests results whose sizes depend on data. Elements beyond the sizes of an operand are garbage,
which a result must not show."""

import numpy as np
from harness import Graph, Tensor, main


def i32(g, numbers):
    return g.input(np.int32(numbers))


def opened(g, values, garbage):
    """The values as a tensor whose first size is known only at run time."""
    values = np.asarray(values)
    before = np.full((3, *values.shape[1:]), garbage, values.dtype)
    rows = g.input(np.concatenate([before, values]))
    parts = i32(g, [1] * 3 + [0] * len(values))
    part = g.op("DynamicPartition", rows, parts, outputs=2, num_partitions=2,
                T=values.dtype)[0]  # fmt: skip
    return Tensor(part.names, values)


def where():
    g = Graph()
    x = np.float32([[0, 2, np.nan], [0, 0, -1]])
    g.expect(g.op("Where", g.input(x), T=np.float32), np.argwhere(x != 0), type=np.int64)
    booleans = np.bool_([1, 0, 0, 1, 1])
    g.expect(g.op("Where", g.input(booleans), T=np.bool_), np.argwhere(booleans))
    g.expect(g.op("Where", g.input(np.zeros((2, 2), np.int32)), T=np.int32), np.zeros((0, 2)))
    g.expect(g.op("Where", g.input(np.bool_(1)), T=np.bool_), np.zeros((1, 0)))
    y = opened(g, np.int64([[0, 3], [4, 0]]), 9)
    g.expect(g.op("Where", y, T=np.int64), np.argwhere(y.value))
    return g


def partitions():
    g = Graph()
    x, p = np.float32(np.arange(12).reshape(2, 3, 2)), np.int32([[2, 0, 2], [0, 0, 3]])
    data, parts = g.input(x), i32(g, p)
    made = g.op("DynamicPartition", data, parts, outputs=4, num_partitions=4, T=np.float32)
    for i, part in enumerate(made):
        g.expect(part, x[p == i])
    # The parts are joined again; the indices are divided like the rows.
    places = g.op("DynamicPartition", i32(g, np.arange(6).reshape(2, 3)), parts, outputs=4,
                  num_partitions=4, T=np.int32)  # fmt: skip
    g.expect(g.op("DynamicStitch", *places, *made, N=4, T=np.float32), x.reshape(6, 2))
    first, second = i32(g, [2, 0]), i32(g, [1, 2])
    rows = g.input(np.float32([[1, 2], [3, 4]])), g.input(np.float32([[5, 6], [7, 8]]))
    g.expect(g.op("DynamicStitch", first, second, *rows, N=2, T=np.float32),
             [[3, 4], [5, 6], [7, 8]])  # fmt: skip
    # Only the last of many indices is not constant.
    many = [g.constant(np.int32([9 - i])) for i in range(9)] + [i32(g, [0])]
    rows = [g.input(np.float32([i])) for i in range(10)]
    g.expect(g.op("DynamicStitch", *many, *rows, N=10, T=np.float32), np.arange(10)[::-1])
    return g


def stray_row():
    g = Graph(fold=False)
    g.expect(g.op("DynamicStitch", i32(g, [0, 5]), g.input(np.float32([1, 2])), N=1, T=np.float32),
             np.float32([1, 2]))  # fmt: skip
    g.fails("an index is above the number of all indices")
    return g


def no_such_partition():
    g = Graph(fold=False)
    parts = g.op("DynamicPartition", g.input(np.float32([1, 2])), i32(g, [0, 2]), outputs=2,
                 num_partitions=2, T=np.float32)  # fmt: skip
    g.expect(parts[0], np.float32([1]))
    g.fails("an index is not in [0, 2)")
    return g


def unique(x):
    _, first, which = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    ranks = np.argsort(order)[which]
    return x[np.sort(first)], ranks, np.bincount(ranks, minlength=len(first))


def sets():
    g = Graph()
    x = np.float32([3, -0.0, 3, 7, 0.0, 7, 7, 1])
    for operand in (g.input(x), opened(g, x, 7), opened(g, x, np.nan)):
        made = g.op("UniqueWithCounts", operand, outputs=3, T=np.float32, out_idx=np.int64)
        for got, want in zip(made, unique(x)):
            g.expect(got, want)
    y = np.int64([5, 5, 4])
    got = g.op("Unique", g.input(y), outputs=2, T=np.int64, out_idx=np.int32)
    g.expect(got[0], [5, 4])
    g.expect(got[1], [0, 0, 1], type=np.int32)
    # A NaN equals no other one.
    nans = np.float32([np.nan, 1, np.nan])
    g.expect(g.op("UniqueV2", g.input(nans), g.constant(np.int64([0])), outputs=2, T=np.float32)[1],
             [0, 1, 2])  # fmt: skip
    z, w = np.int32([4, 1, 2, 4, 9, 1]), np.int32([1, 2, 7])
    for a in (g.input(z), opened(g, z, 4)):
        for b in (g.input(w), opened(g, w, 9)):
            left = g.op("ListDiff", a, b, outputs=2, T=np.int32, out_idx=np.int32)
            g.expect(left[0], [4, 4, 9])
            g.expect(left[1], [0, 3, 4])
    return g


def segments():
    g = Graph()
    x, ids = np.float32([[1, -2], [3, 4], [5, 6], [-7, 8]]), np.int32([0, 0, 2, 2])
    rows = [x[:2], x[:0], x[2:]]
    of = {"Sum": (np.sum, 0), "Prod": (np.prod, 1), "Mean": (np.mean, 0), "Min": (np.min, 0),
          "Max": (np.max, 0)}  # fmt: skip
    for kind, (f, empty) in of.items():
        want = np.float32([f(r, axis=0) if len(r) else [empty] * 2 for r in rows])
        for data, where in ((g.input(x), i32(g, ids)),
                            (opened(g, x, np.nan), opened(g, ids, 1))):  # fmt: skip
            made = g.op("Segment" + kind, data, where, T=np.float32, Tindices=np.int32)
            g.expect(made, want)
    picked, order = np.int32([3, 0, 3, 1]), np.int32([0, 1, 1, 4])
    wide = np.zeros((5, 2), np.float32)
    np.add.at(wide, order, x[picked])
    data = g.input(x)
    for suffix, index, where in (("", i32(g, picked), i32(g, order)),
                                 ("", opened(g, picked, -9), opened(g, order, 3))):  # fmt: skip
        g.expect(g.op("SparseSegmentSum" + suffix, data, index, where, T=np.float32), wide)
        mean = wide / np.maximum(np.bincount(order), 1)[:, None]
        g.expect(g.op("SparseSegmentMean", data, index, where, T=np.float32), mean)
        longer = g.op("SparseSegmentSumWithNumSegments", data, index, where, i32(g, 7),
                      T=np.float32)  # fmt: skip
        g.expect(longer, np.vstack([wide, np.zeros((2, 2))]))
    return g


def unsorted_segments():
    g = Graph()
    x, ids = np.float32([1, -2, 3, 4, 5]), np.int32([2, 0, 2, -1, 0])
    kept = ids >= 0
    for kind, f, empty in (("Sum", np.add, 0), ("Prod", np.multiply, 1)):
        want = np.full(4, empty, np.float32)
        f.at(want, ids[kept], x[kept])
        for data, where in ((g.input(x), i32(g, ids)),
                            (opened(g, x, np.inf), opened(g, ids, 3))):  # fmt: skip
            for count in (i32(g, 4), g.constant(np.int32(4))):
                g.expect(g.op("UnsortedSegment" + kind, data, where, count, T=np.float32), want)
    v = np.int32([3, 0, 3, 9])
    for values in (i32(g, v), opened(g, v, 1)):
        none = g.constant(np.zeros(0, np.float32))
        g.expect(g.op("Bincount", values, i32(g, 5), none, T=np.float32), [1, 0, 0, 2, 0])
    weights = opened(g, np.float32([1, 2, 4, 8]), np.nan)
    g.expect(g.op("Bincount", opened(g, v, 1), i32(g, 10), weights, T=np.float32),
             np.bincount(v, weights.value))  # fmt: skip
    return g


def unordered():
    g = Graph(fold=False)
    g.expect(g.op("SegmentSum", g.input(np.float32([1, 2])), i32(g, [1, 0]), T=np.float32),
             np.float32([2, 1]))  # fmt: skip
    g.fails("the segments are not in order")
    return g


def above_their_number():
    g = Graph(fold=False)
    g.expect(g.op("UnsortedSegmentSum", g.input(np.float32([1, 2])), i32(g, [1, 3]), i32(g, 3),
                  T=np.float32), np.float32([2, 1]))  # fmt: skip
    g.fails("a segment is above their number")
    return g


def scatters():
    g = Graph()
    at, rows = np.int32([[2], [0], [2]]), np.float32([[1, 2], [3, 4], [5, 6]])
    want = np.zeros((4, 2), np.float32)
    np.add.at(want, at[:, 0], rows)
    for index, updates in ((i32(g, at), g.input(rows)),
                           (opened(g, at, 1), opened(g, rows, np.nan))):  # fmt: skip
        zeros = g.op("ScatterNd", index, updates, i32(g, [4, 2]), T=np.float32)
        g.expect(zeros, want)
        g.expect(g.op("TensorScatterAdd", zeros, index, updates, T=np.float32), 2 * want)
    dense = np.full((2, 3), np.float32(9))
    dense[1, 2], dense[0, 1] = 5, 7
    for index, updates in ((i32(g, [[1, 2], [0, 1]]), g.input(np.float32([5, 7]))),
                           (opened(g, np.int32([[1, 2], [0, 1]]), 0),
                            opened(g, np.float32([5, 7]), 3))):  # fmt: skip
        g.expect(g.op("SparseToDense", index, i32(g, [2, 3]), updates, g.input(np.float32(9)),
                      T=np.float32, Tindices=np.int32), dense)  # fmt: skip
    filled = g.op("Fill", i32(g, [2, 2]), g.input(np.float32(1)))
    added = g.op("SparseTensorDenseAdd", i32(g, [[1, 0], [1, 0]]), g.input(np.float32([2, 3])),
                 g.constant(np.int32([2, 2])), filled, T=np.float32)  # fmt: skip
    g.expect(added, [[1, 1], [6, 1]])
    return g


def outside():
    g = Graph(fold=False)
    g.expect(g.op("ScatterNd", i32(g, [[4]]), g.input(np.float32([1])), i32(g, [4]), T=np.float32),
             np.zeros(4))  # fmt: skip
    g.fails("an index is not below the size of dimension 0")
    return g


def series():
    g = Graph()
    on, off = g.input(np.float32(5)), g.input(np.float32(-1))
    hot = np.where(np.eye(4) > 0, np.float32(5), np.float32(-1))
    for indices in (i32(g, [2, 0, 7]), opened(g, np.int32([2, 0, 7]), 1)):
        want = np.stack([hot[2], hot[0], np.full(4, -1, np.float32)])
        g.expect(g.op("OneHot", indices, i32(g, 4), on, off, T=np.float32), want)
        g.expect(g.op("OneHot", indices, i32(g, 4), on, off, T=np.float32, axis=0), want.T)
    for count in (5, 1):
        line = g.op("LinSpace", g.input(np.float32(2)), g.input(np.float32(3)), i32(g, count),
                    T=np.float32)  # fmt: skip
        g.expect(line, np.linspace(2, 3, count))
    x = np.float32([3, -np.inf, 8, 3])
    for row in (g.input(x), opened(g, x, np.inf), opened(g, x, np.nan)):
        for k in (i32(g, 3), g.constant(np.int32(3))):
            top = g.op("TopKV2", row, k, outputs=2, T=np.float32)
            g.expect(top[0], [8, 3, 3])
            g.expect(top[1], [2, 0, 3])
    return g


def blocks():
    g = Graph()
    x = np.float32(np.arange(2 * 4 * 6 * 1).reshape(2, 4, 6, 1)) + 1
    sizes = g.constant(np.int32([2, 3]))
    padded = np.pad(x, [(0, 0), (1, 3), (2, 1), (0, 0)])
    want = padded.reshape(2, 4, 2, 3, 3, 1).transpose(2, 4, 0, 1, 3, 5).reshape(12, 4, 3, 1)
    made = g.op("SpaceToBatchND", g.input(x), sizes, i32(g, [[1, 3], [2, 1]]), T=np.float32)
    g.expect(made, want)
    back = want.reshape(2, 3, 2, 4, 3, 1).transpose(2, 3, 0, 4, 1, 5).reshape(2, 8, 9, 1)
    for whole in (g.input(want), made):
        cut = g.op("BatchToSpaceND", whole, sizes, i32(g, [[1, 2], [0, 4]]), T=np.float32)
        g.expect(cut, back[:, 1:6, 0:5])
    return g


def odd_blocks():
    g = Graph(fold=False)
    sizes = g.constant(np.int32([2]))
    made = g.op("SpaceToBatchND", g.input(np.float32([[1, 2]])), sizes, i32(g, [[0, 1]]), T=np.float32)
    g.expect(made, np.zeros((2, 1)))
    g.fails("dimension 1 with its margins is no multiple of its blocks")
    return g


def too_few():
    g = Graph(fold=False)
    row = opened(g, np.float32([1, 2]), 0)
    g.expect(g.op("TopKV2", row, i32(g, 3), outputs=2, T=np.float32)[0], np.float32([2, 1]))
    g.fails("takes more than there are in a row")
    return g


if __name__ == "__main__":
    main(where, partitions, stray_row, no_such_partition, sets, segments, unsorted_segments, unordered,
         above_their_number, scatters, outside, series, blocks, odd_blocks, too_few)  # fmt: skip
