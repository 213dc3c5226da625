"""Tests reductions, indices of extremes and cumulative ops."""

import numpy as np
from harness import Graph, bf16, main

np.seterr(all="ignore")
random = np.random.default_rng(11)
SHAPES = [(), (7,), (3, 5), (2, 3, 4), (1, 17), (5, 0), (0, 3), (2, 1, 3, 2), (33, 3)]
REDUCE = {"Sum": np.sum, "Prod": np.prod, "Max": np.max, "Min": np.min}


def axes_of(rank):
    some = [[], list(range(rank))]
    if rank:
        some += [[-1], [0]]
    if rank > 2:
        some += [[0, 2], [1]]
    return some


def values(shape, type):
    made = random.uniform(-2, 2, shape)
    return bf16(made) if type == "bf16" else made.astype(type)


def floats(type, ulp):
    graph = Graph()
    for shape in SHAPES:
        x = graph.input(values(shape, type))
        exact = np.float64(x.value)
        count = max(1, exact.size)
        for axes in axes_of(len(shape)):
            axis = graph.constant(np.int32(axes))
            for keep in (False, True):
                how = {"axis": tuple(axes), "keepdims": keep}
                for op, reference in REDUCE.items():
                    extra = {}
                    if op in ("Max", "Min"):
                        extra = {"initial": -np.inf if op == "Max" else np.inf}
                    # The error of a sum is relative to its terms.
                    bound = ulp * (1 if op in ("Max", "Min") else count ** 0.5)
                    graph.expect(graph.op(op, x, axis, keep_dims=keep),
                                 reference(exact, **how, **extra),
                                 ulp=bound, atol=0 if op != "Sum" else
                                 (2.0 ** -23 if type != np.float64 else 2.0 ** -51) * 4)
                graph.expect(graph.op("Mean", x, axis, keep_dims=keep),
                             np.sum(exact, **how) / (exact.size / max(1, np.sum(exact, **how).size)
                                                     if exact.size else 0.0),
                             ulp=ulp * 4, atol=1e-6 if type != np.float64 else 1e-15)
                graph.expect(graph.op("EuclideanNorm", x, axis, keep_dims=keep),
                             np.sqrt(np.sum(exact * exact, **how)), ulp=ulp * 4)
    return graph


def floats_f32():
    return floats(np.float32, 2)


def floats_f64():
    return floats(np.float64, 2)


def float16():
    graph = Graph()
    for type in (np.float16, "bf16"):
        x = graph.input(values((3, 50), type))
        exact = np.float64(x.value)
        axis = graph.constant(np.int32(1))
        # The sum is computed in f32 and rounded once.
        for op in ("Sum", "Max", "Min"):
            graph.expect(graph.op(op, x, axis), REDUCE[op](exact, axis=1), ulp=0.02, atol=1e-5)
        graph.expect(graph.op("Mean", x, axis), np.mean(exact, axis=1), ulp=0.02, atol=1e-6)
    large = graph.input(np.full((4,), 40000, np.float16))
    graph.expect(graph.op("Mean", large, graph.constant(np.int32([0]))), 40000)
    return graph


def special():
    graph = Graph()
    x = graph.input(np.float32([[np.nan, 1, 2], [np.inf, 0, -np.inf], [-0.0, 0.0, -1]]))
    axis = graph.constant(np.int32([1]))
    graph.expect(graph.op("Max", x, axis), [np.nan, np.inf, 0])
    graph.expect(graph.op("Min", x, axis), [np.nan, -np.inf, -1])
    graph.expect(graph.op("Sum", x, axis), [np.nan, np.nan, -1])
    one = graph.constant(np.int32(1))
    graph.expect(graph.op("ArgMax", x, one), [2, 0, 0], type=np.int64)
    graph.expect(graph.op("ArgMin", x, one), [1, 2, 2], type=np.int64)
    # A number that is not above the lowest finite number is never found; here there is
    # none.
    low = graph.input(np.float32([[np.nan, -np.inf, -np.inf], [np.nan] * 3]))
    graph.expect(graph.op("ArgMax", low, one), [0, 0], type=np.int64)
    graph.expect(graph.op("ArgMin", graph.op("Neg", low), one), [0, 0], type=np.int64)
    return graph


def places_in_rows():
    """Rows are longer than a vector: ties, of which the first counts, zeros of both signs, NaNs,
    and the limits of a type's range."""
    graph = Graph()
    one = graph.constant(np.int32(1))
    for columns in (8, 37, 200):
        xs = random.integers(-9, 9, (12, columns)).astype(np.float32)
        xs[1] = 0.0
        xs[1, 1::2] = -0.0
        xs[2, ::3] = np.nan
        xs[3] = np.nan
        xs[4] = -np.inf
        xs[4, :2] = np.nan
        xs[5] = np.inf
        whole = np.where(random.random((12, columns)) < 0.5, random.integers(-3, 3, (12, columns)), -(2**31))
        whole[3, 5], whole[4] = 2**31 - 1, -(2**31)
        whole = whole.astype(np.int32)
        # NumPy propagates NaNs.
        most, least = np.where(np.isnan(xs), -np.inf, xs), np.where(np.isnan(xs), np.inf, xs)
        for op, rows, exact in (
            ("ArgMax", xs, np.argmax(most, 1)),
            ("ArgMin", xs, np.argmin(least, 1)),
            ("ArgMax", whole, np.argmax(whole, 1)),
            ("ArgMin", whole, np.argmin(whole, 1)),
        ):
            if rows is xs:
                first = {3: 0, 4: 0 if op == "ArgMax" else 2}
                exact = [first.get(row, at) for row, at in enumerate(exact)]
            x = graph.input(rows)
            graph.expect(graph.op(op, x, one), np.int64(exact), type=np.int64)
            graph.expect(graph.op(op, x, one, output_type=np.int32), np.int32(exact), type=np.int32)
    return graph


def computed():
    """Extremes of no elements, for NaNs and other numbers."""
    graph = Graph()
    for columns in (3, 21, 40):
        x, y = (graph.input(values((8, columns), np.float32) + 5) for _ in range(2))
        axis = graph.constant(np.int32(1))
        quotient = graph.op("RealDiv", x, y)
        exact = np.float64(x.value) / np.float64(y.value)
        graph.expect(graph.op("Max", quotient, axis), exact.max(1), ulp=1)
        graph.expect(graph.op("Min", quotient, axis), exact.min(1), ulp=1)
    return graph


def integers():
    graph = Graph()
    for type in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        info = np.iinfo(type)
        xs = random.integers(info.min, info.max, (3, 6), dtype=type, endpoint=True)
        x = graph.input(xs)
        axis = graph.constant(np.int32([1]))
        for op, reference in REDUCE.items():
            how = {"dtype": type} if op in ("Sum", "Prod") else {}
            graph.expect(graph.op(op, x, axis), reference(xs, axis=1, **how), type=type)
        small = (xs % 5).astype(type)
        y = graph.input(small)
        graph.expect(graph.op("Mean", y, axis), np.sum(small, axis=1) // 6)
        for op, reference in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
            for at in (0, -1):
                axis_at = graph.constant(np.int32(at))
                graph.expect(graph.op(op, y, axis_at, output_type=np.int32),
                             reference(small, axis=at), type=np.int32)
        for op, reference in (("Cumsum", np.cumsum), ("Cumprod", np.cumprod)):
            graph.expect(graph.op(op, x, graph.constant(np.int32(1))),
                         reference(xs, axis=1, dtype=type))
    boolean = graph.input(random.random((4, 5)) < 0.7)
    for axes in ([0], [1], [0, 1], []):
        axis = graph.constant(np.int64(axes))
        graph.expect(graph.op("All", boolean, axis), np.all(boolean.value, axis=tuple(axes)))
        graph.expect(graph.op("Any", boolean, axis, keep_dims=True),
                     np.any(boolean.value, axis=tuple(axes), keepdims=True))
    return graph


def running(x, axis, exclusive, reverse, reference, identity):
    x = np.flip(x, axis) if reverse else x
    y = reference(x, axis=axis)
    if exclusive:
        first = np.full_like(np.take(y, [0], axis), identity) if y.shape[axis] else y
        y = np.concatenate([first, np.delete(y, -1, axis)], axis) if y.shape[axis] else y
    return np.flip(y, axis) if reverse else y


def cumulative():
    graph = Graph()
    for type, ulp in ((np.float32, 4), (np.float64, 4)):
        for shape in [(7,), (3, 5), (2, 3, 4), (0, 3), (3, 0)]:
            x = graph.input(values(shape, type))
            exact = np.float64(x.value)
            for axis in range(len(shape)):
                at = graph.constant(np.int32(axis))
                for exclusive in (False, True):
                    for reverse in (False, True):
                        how = {"exclusive": exclusive, "reverse": reverse}
                        for op, reference, identity in [
                            ("Cumsum", np.cumsum, 0), ("Cumprod", np.cumprod, 1),
                            ("CumulativeLogsumexp", np.logaddexp.accumulate, -np.inf),
                        ]:  # fmt: skip
                            graph.expect(
                                graph.op(op, x, at, **how),
                                running(exact, axis, exclusive, reverse, reference, identity),
                                ulp=ulp, atol=1e-6 if type == np.float32 else 1e-15)
    return graph


def long():
    """Threads share the reduction, although few elements remain, with the same bits."""
    graph = Graph(fold=False, threads=[1, 2, 3])
    x, y = (graph.input(values((301, 1037), np.float32)) for _ in range(2))
    exact = np.float64(x.value)
    every = graph.constant(np.int32([0, 1]))
    # Terms are at most 2, in sums of some thousands.
    graph.expect(graph.op("Sum", x, every), exact.sum(), rtol=0, atol=2e-3)
    graph.expect(graph.op("Mean", x, every), exact.mean(), rtol=0, atol=1e-8)
    graph.expect(graph.op("Max", x, every), exact.max())
    graph.expect(graph.op("Min", x, every), exact.min())
    off = graph.op("Square", graph.op("Sub", x, y))
    graph.expect(graph.op("Sum", off, every, keep_dims=True),
                 ((exact - np.float64(y.value)) ** 2).sum(keepdims=True), rtol=1e-6)
    near = graph.input(np.float32(np.exp(random.uniform(-0.01, 0.01, (2, 3, 90001)))))
    for axes in ([2], [1, 2], [0, 2]):
        axis = graph.constant(np.int32(axes))
        wide = np.float64(near.value)
        graph.expect(graph.op("Prod", near, axis), wide.prod(tuple(axes)), rtol=1e-4)
        graph.expect(graph.op("Sum", near, axis), wide.sum(tuple(axes)), rtol=1e-6)
    # Rows are added: the error does not grow with their number alone.
    for shape, axes in (((4000, 40), [0]), ((3000, 1, 7, 300), [0, 2]), ((2, 700, 20), [1])):
        rows = graph.input(np.float32(random.random(shape)))
        exact = np.float64(rows.value).sum(tuple(axes))
        graph.expect(graph.op("Sum", rows, graph.constant(np.int32(axes))), exact, rtol=2e-6)
    hole = values((700, 300), np.float32)
    hole[123, 45] = np.nan
    hole = graph.input(hole)
    graph.expect(graph.op("Max", hole, every), np.nan)
    wide = graph.input(values((200003,), np.float64))
    graph.expect(graph.op("Sum", wide, graph.constant(np.int32([0]))), wide.value.sum(),
                 rtol=0, atol=1e-10)
    half = graph.input(values((600, 500), np.float16))
    graph.expect(graph.op("Mean", half, every), np.float64(half.value).mean(), ulp=1, atol=1e-6)
    whole = graph.input(random.integers(-9, 9, (400, 1000)).astype(np.int32))
    graph.expect(graph.op("Sum", whole, every), whole.value.sum(), type=np.int32)
    boolean = np.ones((1000, 1000), bool)
    boolean[999, 998] = False
    boolean = graph.input(boolean)
    graph.expect(graph.op("All", boolean, every), False)
    for last in (False, True):
        few = np.zeros((1000, 1000), bool)
        few[999, 998] = last
        graph.expect(graph.op("Any", graph.input(few), every), last)
    return graph


def gradients():
    graph = Graph()
    a, b = graph.constant(np.int32([2, 1, 3])), graph.constant(np.int32([5, 3]))
    x, y = graph.op("BroadcastGradientArgs", a, b, outputs=2)
    graph.expect(x, [1], type=np.int32)
    graph.expect(y, [0], type=np.int32)
    return graph


if __name__ == "__main__":
    main(floats_f32, floats_f64, float16, special, places_in_rows, computed, integers, cumulative, long, gradients)
