"""Tests ONNX nodes that gather, scatter, split and join elements, along and across dimensions that
are known only at run time."""

import numpy as np
from onnx_ranged import Model, main


def spread(own, n, counts, size):
    """For each of n rows, `counts` different indices below `size`."""
    return np.stack([own.permutation(size)[:counts] for _ in range(n)])


def gathers(n, s):
    g = Model(n, s, opset=16)
    x, own = g.x("n", "s", 4), np.random.default_rng(1)
    last = g.input(own.integers(-4, 4, (n, s, 2)))
    g.dims[last.names[0]] = ("n", "s", 2)
    g.expect(g.op("GatherElements", x, last, axis=2), np.take_along_axis(x.value, last.value, 2))
    open = g.input(own.integers(-s, s, (n, 3, 4)))
    g.dims[open.names[0]] = ("n", 3, 4)
    g.expect(g.op("GatherElements", x, open, axis=1), np.take_along_axis(x.value, open.value, 1))
    vectors = g.input(own.integers(-s, s, (n, 2, 1)))
    g.dims[vectors.names[0]] = ("n", 2, 1)
    rows = x.value[np.arange(n)[:, None], vectors.value[..., 0]]
    g.expect(g.op("GatherND", x, vectors, batch_dims=1), rows)
    pairs = g.input(own.integers(0, 4, (n, s, 1)))
    g.dims[pairs.names[0]] = ("n", "s", 1)
    g.expect(g.op("GatherND", x, pairs, batch_dims=2), np.take_along_axis(x.value, pairs.value, 2)[..., 0])
    return g


COMBINE = {
    "none": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b,
    "max": np.maximum, "min": np.minimum,
}  # fmt: skip


def scatters(n, s):
    g = Model(n, s, opset=18)
    x, own, count = g.x("n", "s", 4), np.random.default_rng(2), min(s, 2)
    where = np.stack([spread(own, n, count, s) for _ in range(4)], -1)
    where[:, ::2] -= s
    at, updates = g.input(where), g.input(own.standard_normal((n, count, 4)).astype(np.float32))
    for tensor in (at, updates):
        g.dims[tensor.names[0]] = ("n", "k", 4)
    vectors = np.stack(np.unravel_index(own.permutation(n * s)[: n], (n, s)), -1)
    rows, news = g.input(vectors), g.input(own.standard_normal((n, 4)).astype(np.float32))
    g.dims[rows.names[0]], g.dims[news.names[0]] = ("n", 2), ("n", 4)
    g.ranges["k"] = (0, 2)
    for name, combine in COMBINE.items():
        z = x.value.copy()
        old = np.take_along_axis(z, where % s, 1)
        np.put_along_axis(z, where % s, combine(old, updates.value), 1)
        g.expect(g.op("ScatterElements", x, at, updates, axis=1, reduction=name), z)
        z = x.value.copy()
        z[tuple(vectors.T)] = combine(z[tuple(vectors.T)], news.value)
        g.expect(g.op("ScatterND", x, rows, news, reduction=name), z)
    return g


def splits(n, s):
    g = Model(n, s, opset=18)
    x = g.x("n", "s", 4)
    each = -(-s // 3)
    parts = g.op("Split", x, outputs=3, axis=1, num_outputs=3)
    for i, part in enumerate(parts):
        g.expect(part, x.value[:, i * each : (i + 1) * each])
    length = g.op("Slice", g.op("Shape", x), g.constant(np.int64([1])), g.constant(np.int64([2])))
    one = g.constant(np.int64([1]))
    sizes = g.op("Concat", one, g.op("Sub", length, one), axis=0)
    first, rest = g.op("Split", x, sizes, outputs=2, axis=1)
    g.expect(first, x.value[:, :1])
    g.expect(rest, x.value[:, 1:])
    halves = g.op("Split", x, outputs=2, axis=2, num_outputs=2)
    g.expect(g.op("Mul", *halves), x.value[..., :2] * x.value[..., 2:])
    return g


def sequences(n, s):
    g = Model(n, s, opset=18)
    x = g.x("n", "s", 4)
    y = x.value
    two, last = g.constant(np.int64(2)), g.constant(np.int64(-1))
    pairs = g.op("SplitToSequence", x, two, axis=2)
    g.expect(g.op("SequenceAt", pairs, g.constant(np.int64(1))), y[..., 2:])
    pairs = g.op("SplitToSequence", x, two, axis=1)
    g.expect(g.op("SequenceLength", pairs), np.int64(-(-s // 2)))
    g.expect(g.op("SequenceAt", pairs, last), y[:, (s - 1) // 2 * 2 :])
    g.expect(g.op("ConcatFromSequence", pairs, axis=1), y)
    steps = g.op("SplitToSequence", x, axis=1, keepdims=0)
    g.expect(g.op("SequenceAt", steps, last), y[:, -1])
    g.expect(g.op("ConcatFromSequence", steps, axis=2, new_axis=1), y.transpose(0, 2, 1))
    made = g.op("SequenceConstruct", x, g.op("Neg", x))
    g.expect(g.op("ConcatFromSequence", made, axis=1), np.concatenate([y, -y], 1))
    g.expect(g.op("ConcatFromSequence", made, axis=0, new_axis=1), np.stack([y, -y]))
    return g


def slices(n, s):
    """The steps are negative, and the start may be before the first element."""
    g = Model(n, s)
    x = g.x("n", "s")
    axis, back = g.constant(np.int64([1])), g.constant(np.int64([-1]))
    for start, end in ((-100, -1000), (-3, -1000), (2, -9), (50, 0), (-1, -4)):
        bounds = [g.constant(np.int64([place])) for place in (start, end)]
        first = min(max(start + s if start < 0 else start, 0), s - 1)
        stop = min(max(end + s if end < 0 else end, -1), s - 1)
        kept = list(range(first, stop, -1))
        g.expect(g.op("Slice", x, *bounds, axis, back), x.value[:, kept])
    return g


main(gathers, scatters, splits, sequences, slices)
