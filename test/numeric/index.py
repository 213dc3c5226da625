"""Tests gathers, scatters, segments, sorts and counts."""

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(6)
TYPES = [np.float32, np.float64, np.float16, np.int32, np.uint8, "bf16"]


def values(shape, type=np.float32, high=50):
    made = random.integers(0, high, shape)
    return bf16(made) if type == "bf16" else made.astype(type)


def gathers():
    g = Graph()
    i = lambda numbers: g.constant(np.int32(numbers))
    for type in TYPES:
        x = g.input(values((4, 5, 3), type))
        at = g.input(np.int64([[3, 0], [1, 1]]))
        g.expect(g.op("Gather", x, at), x.value[at.value])
        g.expect(g.op("GatherV2", x, at, i(1)), np.take(x.value, at.value, 1))
        g.expect(g.op("GatherV2", x, i(2), i(-1)), x.value[..., 2])
        rows = g.input(np.int32([[0, 4], [1, 1], [2, 0], [3, 3]]))
        want = np.stack([x.value[b][rows.value[b]] for b in range(4)])
        g.expect(g.op("GatherV2", x, rows, i(1), batch_dims=1), want)
        # Each row has enough indices for vectors; those of the first are in order.
        many, v = random.integers(0, 33, (40, 70)), g.input(values((40, 33), type))
        many[0] = np.arange(70) * 33 // 70
        y = g.op("GatherV2", v, g.input(np.int32(many)), i(1), batch_dims=1)
        g.expect(y, np.take_along_axis(v.value, many, 1))
        pairs = g.input(np.int32([[3, 4], [0, 1]]))
        g.expect(g.op("GatherNd", x, pairs), x.value[[3, 0], [4, 1]])
    x, lengths = g.input(values((3, 4, 2))), g.input(np.int64([4, 0, 2]))
    want = x.value.copy()
    want[0], want[2, :2] = want[0, ::-1], want[2, 1::-1]
    g.expect(g.op("ReverseSequence", x, lengths, seq_dim=1, batch_dim=0), want)
    order = g.input(np.int32([2, 0, 3, 1]))
    g.expect(g.op("InvertPermutation", order), np.argsort(order.value).astype(np.int32))
    return g


def replaced():
    """A select that changes one part of an input, or none; and others that change more."""
    g = Graph()
    x, u = g.input(values((2, 4, 3))), g.input(values((2, 1, 3)))
    row = g.constant(np.int64([0, 1, 2, 3]))
    column = g.constant(np.int32([[0], [1], [2], [3]]))
    for at in (0, 3, -1, 4):
        here = g.op("Equal", column, g.input(np.int32([at])))
        want = np.where(np.arange(4)[:, None] == at, u.value, x.value)
        g.expect(g.op("SelectV2", here, u, x), want)
        kept = np.where(np.arange(4)[:, None] == at, x.value, u.value)
        g.expect(g.op("SelectV2", here, x, u), kept)
    m, v = g.input(values((4, 4))), g.input(values((4,)))
    here = g.op("Equal", g.input(np.int64(2)), row)
    g.expect(g.op("SelectV2", here, g.constant(np.float32(-1)), v), np.where(np.arange(4) == 2, -1, v.value).astype(np.float32))
    g.expect(g.op("SelectV2", here, g.constant(np.float32(-1)), m), np.where(np.arange(4) == 2, -1, m.value).astype(np.float32))
    g.expect(g.op("SelectV2", here, v, m), np.where(np.arange(4) == 2, v.value, m.value))
    several = g.op("Equal", row, g.input(np.int64([0, 2, 2, 3])))
    g.expect(g.op("SelectV2", several, g.constant(np.float32(-1)), v), np.where([1, 0, 1, 1], -1, v.value).astype(np.float32))
    back = g.op("Equal", g.constant(np.int64([3, 2, 1, 0])), g.input(np.int64([1])))
    g.expect(g.op("SelectV2", back, g.constant(np.float32(-1)), v), np.where([0, 0, 1, 0], -1, v.value).astype(np.float32))
    return g


def index_out_of_range():
    g = Graph(fold=False)
    x, at = g.input(values((4, 5))), g.input(np.int32([1, 4]))
    g.expect(g.op("GatherV2", x, at, g.constant(np.int32(0))), x.value[:2])
    g.fails("index is not in [0, 4)")
    return g


def one_hot():
    g = Graph()
    x = g.input(np.int32([[0, 2], [5, -1]]))
    on, off = g.input(np.float32(2)), g.input(np.float32(-1))
    for axis in (-1, 0, 1):
        want = np.where(np.arange(3) == x.value[..., None], np.float32(2), np.float32(-1))
        g.expect(g.op("OneHot", x, g.constant(np.int32(3)), on, off, axis=axis),
                 np.moveaxis(want, -1, axis))
    return g


def scatters():
    g = Graph()
    ops = {"Update": None, "Add": np.add, "Sub": np.subtract, "Min": np.minimum, "Max": np.maximum}
    for type in TYPES:
        x, u = g.input(values((4, 3), type)), g.input(values((3, 3), type))
        at = g.input(np.int32([[2], [0], [2]]))
        for name, function in ops.items():
            want = np.array(x.value)
            for row, update in zip(at.value[:, 0], u.value):
                want[row] = update if function is None else function(want[row], update)
            g.expect(g.op("TensorScatter" + name, x, at, u), want)
        zeros = np.zeros((4, 3), u.value.dtype)
        np.add.at(zeros, at.value[:, 0], u.value)
        g.expect(g.op("ScatterNd", at, u, g.constant(np.int32([4, 3]))), zeros)
    return g


def segments():
    g = Graph()
    for type in [np.float32, np.float64, np.int32]:
        x = g.input(values((6, 2), type, high=5))
        ids = g.input(np.int32([3, 0, -1, 3, 1, 0]))
        n = g.constant(np.int32(5))
        info = np.finfo(type) if type is not np.int32 else np.iinfo(type)
        starts = {"Sum": 0, "Prod": 1, "Min": info.max, "Max": info.min}
        functions = {"Sum": np.add, "Prod": np.multiply, "Min": np.minimum, "Max": np.maximum}
        for name, function in functions.items():
            want = np.full((5, 2), starts[name], type)
            for row, id in zip(x.value, ids.value):
                if id >= 0:
                    want[id] = function(want[id], row)
            g.expect(g.op("UnsortedSegment" + name, x, ids, n), want)
        sorted_ids = g.constant(np.int64([0, 0, 2, 2, 2, 3]))
        for name, function in functions.items():
            want = np.full((4, 2), 1 if name == "Prod" else 0, type)
            for id in (0, 2, 3):
                want[id] = function.reduce(x.value[sorted_ids.value == id], axis=0)
            g.expect(g.op("Segment" + name, x, sorted_ids), want)
    x, ids = g.input(values((6, 2))), g.constant(np.int32([0, 0, 2, 2, 2, 3]))
    want = [x.value[ids.value == id].mean(0) if id != 1 else [0, 0] for id in range(4)]
    g.expect(g.op("SegmentMean", x, ids), np.float32(want), ulp=1)
    return g


def sorts():
    g = Graph()
    i = lambda numbers: g.constant(np.int32(numbers))
    for type in TYPES:
        for n in (1, 2, 7, 100, 300):
            x = g.input(values((3, n), type, high=20))
            order = np.argsort(-np.float64(x.value), axis=-1, kind="stable")
            # With 300 elements the search uses block maxima for k up to 9.
            for k in sorted({1, min(n, 5), n} | ({9, 10, 75} if n == 300 else set())):
                top, at = g.op("TopKV2", x, i(k), outputs=2)
                g.expect(at, order[:, :k].astype(np.int32))
                g.expect(top, np.take_along_axis(x.value, order[:, :k], -1))
            nth = g.input(np.int32(n // 2))
            g.expect(g.op("NthElement", x, nth), np.sort(x.value, -1)[:, n // 2])
            g.expect(g.op("NthElement", x, nth, reverse=True),
                     np.sort(x.value, -1)[:, ::-1][:, n // 2])
    for n in (1, 2, 7, 100):
        x = g.input(values((2, 3, n), np.float32, high=20))
        for k in sorted({1, n // 2 + 1, n}):
            g.expect(g.op("KthOrderStatistic", x, k=k), np.sort(x.value, -1)[..., n - k])
    x = g.input(np.float32([0.1, 0.9, 0.5]))
    g.expect(g.op("KthOrderStatistic", x, k=2), np.float32(0.5))
    x = g.input(np.float32([[0.1, 0.9, 0.5, 0.9], [1, np.inf, 0, 0], [3, 2, 1, 0]]))
    target = g.input(np.int32([2, 0, 7]))
    for k, want in ((2, [False, False, False]), (3, [True, False, False])):
        g.expect(g.op("InTopKV2", x, target, i(k)), np.array(want))
    return g


def not_numbers():
    g = Graph(fold=False)
    x = g.input(np.float32([1, np.nan, 3, np.nan, 2]))
    top, at = g.op("TopKV2", x, g.constant(np.int32(4)), outputs=2)
    g.expect(at, np.int32([1, 3, 2, 4]))
    g.expect(top, np.float32([np.nan, np.nan, 3, 2]))
    x = random.random((2, 400)).astype(np.float32)
    x[:, 7::20] = np.nan
    x[1, ::3] = -x[1, ::3]
    x[1, 5], x[1, 6], x[1, 8], x[1, 9] = 0.0, -0.0, 3e38, -np.inf
    order = np.argsort(-np.where(np.isnan(x), np.inf, x), axis=-1, kind="stable")
    for k in (1, 10, 60, 400):
        top, at = g.op("TopKV2", g.input(x), g.constant(np.int32(k)), outputs=2)
        g.expect(at, order[:, :k].astype(np.int32))
        g.expect(top, np.take_along_axis(x, order[:, :k], -1))
    return g


def order_of_bits():
    """Any float is less or greater than any other, and keeps its bits."""
    g = Graph()
    bits = [0x7FC00001, 0x7F800000, 0x3F800000, 0x00000001, 0, 0x80000000, 0x80000001, 0xBF800000, 0xFF800000,
            0xFFC00001]  # fmt: skip
    x = g.input(np.uint32(bits)[[3, 9, 0, 5, 7, 2, 8, 4, 1, 6]].view(np.float32))
    for k, want in enumerate(bits):
        got = g.op("KthOrderStatistic", x, k=k + 1)
        g.expect(g.op("Bitcast", got, T=np.float32, type=np.int32), np.uint32(want).view(np.int32))
    return g


def searches():
    g = Graph()
    rows = g.input(np.sort(values((2, 9)), -1))
    x = g.input(values((2, 20)))
    for op, side in (("LowerBound", "left"), ("UpperBound", "right")):
        want = [np.searchsorted(r, v, side) for r, v in zip(rows.value, x.value)]
        g.expect(g.op(op, rows, x), np.int32(want))
    g.expect(g.op("Bucketize", x, boundaries=[3.0, 10.0, 40.0]),
             np.digitize(x.value, [3, 10, 40]).astype(np.int32))
    n = g.input(np.int32([1, 5, 1, 0, 9, 5, 1]))
    none = g.constant(np.float32([]))
    g.expect(g.op("Bincount", n, g.constant(np.int32(6)), none),
             np.float32([1, 3, 0, 0, 0, 2]))
    w = g.input(values((7,)))
    g.expect(g.op("Bincount", n, g.constant(np.int32(10)), w),
             np.bincount(n.value, w.value, 10).astype(np.float32))
    v = g.input(np.float32([-1, 0, 1.5, 2, 5, 15]))
    g.expect(g.op("HistogramFixedWidth", v, g.constant(np.float32([0, 5])), g.constant(np.int32(5))),
             np.int32([2, 1, 1, 0, 2]))
    c = g.input(values((2, 16)))
    want = np.packbits(c.value > 25, axis=-1)
    g.expect(g.op("CompareAndBitpack", c, g.input(np.float32(25))), want)
    flags = np.array([1, 1, 1, 0, 1, 0, 1, 1] * 2, bool).reshape(2, 8)
    for limit in (True, False):
        g.expect(g.op("CompareAndBitpack", g.input(flags), g.input(np.bool_(limit))), np.packbits(flags, -1))
    return g


def sparse():
    g = Graph()
    i = lambda numbers: g.constant(np.int32(numbers))
    at, v = g.input(np.int32([[0, 1], [2, 0]])), g.input(np.float32([5, 7]))
    want = np.full((3, 2), np.float32(-1))
    want[0, 1], want[2, 0] = 5, 7
    g.expect(g.op("SparseToDense", at, i([3, 2]), v, g.constant(np.float32(-1))), want)
    d = g.input(values((3, 2)))
    sum = d.value.copy()
    sum[0, 1] += 5
    sum[2, 0] += 7
    g.expect(g.op("SparseTensorDenseAdd", at, v, i([3, 2]), d), sum)
    flat = g.input(np.int32([0, 5, 3]))
    g.expect(g.op("UnravelIndex", flat, i([2, 3])), np.int32(np.unravel_index(flat.value, (2, 3))))
    g.expect(g.op("DataFormatDimMap", i([0, 1, 2, 3, -1])), np.int32([0, 2, 3, 1, 1]))
    g.expect(g.op("DataFormatVecPermute", flat, src_format="NWC", dst_format="NCW"),
             np.int32([0, 3, 5]))
    return g


def of_constants():
    g = Graph()
    x = g.input(values((4, 2)))
    c = g.constant
    g.expect(g.op("Where", c(np.float32([[0, 2], [1, 0]]))), np.int64([[0, 1], [1, 0]]))
    values_, which = g.op("Unique", c(np.int32([5, 3, 5, 7, 3])), outputs=2)
    g.expect(values_, np.int32([5, 3, 7]))
    g.expect(which, np.int32([0, 1, 0, 2, 1]))
    rest, places = g.op("ListDiff", c(np.float32([1, 2, 3, 4])), c(np.float32([3, 1])), outputs=2)
    g.expect(rest, np.float32([2, 4]))
    g.expect(places, np.int32([1, 3]))
    parts = g.op("DynamicPartition", x, c(np.int32([1, 0, 1, 1])), outputs=2, num_partitions=2)
    g.expect(parts[0], x.value[[1]])
    g.expect(parts[1], x.value[[0, 2, 3]])
    g.expect(g.op("DynamicStitch", c(np.int32([1])), c(np.int32([0, 2, 3])), *parts, N=2), x.value)
    splits, all = g.op("RaggedRange", c(np.int32([0, 5])), c(np.int32([3, 5])), c(np.int32(1)),
                       outputs=2, Tsplits=np.int64)
    g.expect(splits, np.int64([0, 3, 3]))
    g.expect(all, np.int32([0, 1, 2]))
    return g


main(gathers, replaced, index_out_of_range, one_hot, scatters, segments, sorts, not_numbers, order_of_bits, searches,
     sparse, of_constants)
