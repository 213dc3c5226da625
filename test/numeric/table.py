"""Tests small ops, and ops that are other ops under an older name or with fewer operands. A table
has op, operands, attributes, and the reference of each result, for their element types and the
limits of their shapes."""

import itertools

import numpy as np
from harness import Graph, main

random = np.random.default_rng(18)
F, I = np.float32, np.int32
NUMBERS = [np.float16, F, np.float64, np.int8, np.int16, I, np.int64, np.uint8]
FLOATS = [np.float16, F, np.float64]


def numbers(*shape, type=F):
    """Small integers, whose sums and products are all exact."""
    low = 0 if np.dtype(type).kind == "u" else -4
    return random.integers(low, 5, shape).astype(type)


def rows(g, *table):
    """Adds a node for each row; operands that are tuples are constants."""
    for op, operands, attributes, *references in table:
        given = [g.constant(o[0]) if isinstance(o, tuple) else g.input(o) for o in operands]
        made = g.op(op, *given, outputs=len(references), **attributes)
        for tensor, reference in zip([made] if len(references) == 1 else made, references):
            g.expect(tensor, reference, rtol=1e-6, atol=1e-6)
    return g


def sums():
    g = Graph()
    for type in NUMBERS:
        x, y = numbers(2, 3, type=type), numbers(2, 3, type=type)
        none, one = np.zeros((0, 3), type), numbers(type=type)
        rows(g, ("AccumulateNV2", [x, y, x], {"N": 3, "T": type}, x + y + x),
             ("AccumulateNV2", [none, none], {"N": 2, "T": type}, none),
             ("AccumulateNV2", [one], {"N": 1, "T": type}, one),
             ("BiasAddV1", [x, y[0]], {"T": type}, x + y[0]),
             ("BiasAddGrad", [x], {"T": type}, x.sum(0, type)),
             ("BatchMatMul", [numbers(2, 3, 4, type=type) * 0, numbers(2, 4, 5, type=type)],
              {"T": type}, np.zeros((2, 3, 5))))  # fmt: skip
    x = numbers(2, 3, 4, 5)
    how = {"data_format": "NCHW"}
    rows(g, ("BiasAddGrad", [x], {}, x.sum((0, 1, 2))),
         ("BiasAddGrad", [x], how, x.sum((0, 2, 3))))  # fmt: skip
    for type, (a, b) in itertools.product(FLOATS + [I], itertools.product([0, 1], repeat=2)):
        x, y = numbers(2, 3, 4, type=type), numbers(2, 4, 2, type=type)
        left, right = (np.swapaxes(v, 1, 2) if t else v for v, t in ((x, a), (y, b)))
        operands = [np.ascontiguousarray(left), np.ascontiguousarray(right)]
        rows(g, ("BatchMatMul", operands, {"adj_x": bool(a), "adj_y": bool(b)}, x @ y))
    for type in FLOATS:
        x = numbers(4, type=type)
        rows(g, ("CheckNumericsV2", [x], {"T": type}, x), ("Snapshot", [x], {"T": type}, x))
    return g


def diagonals():
    g = Graph()
    for type in NUMBERS + [np.bool_]:
        x, v = numbers(2, 3, 4, type=type), numbers(2, 3, type=type)
        square = np.zeros((2, 3, 3), type)
        square[:, range(3), range(3)] = v
        part = x[:, range(3), range(3)]
        put = x.copy()
        put[:, range(3), range(3)] = v
        band = np.triu(np.tril(x, 1), -1)
        zero, minus = (np.int32(0),), (np.int32(-1),)
        fill = np.array(1).astype(type)
        filled = np.full((2, 3, 4), fill)
        filled[:, range(3), range(3)] = v
        rows(g, ("BatchMatrixDiag", [v], {"T": type}, square),
             ("MatrixDiag", [v[:, :0]], {"T": type}, square[:, :0, :0]),
             ("BatchMatrixDiagPart", [x], {"T": type}, part),
             ("BatchMatrixSetDiag", [x, v], {"T": type}, put),
             ("MatrixDiagV2", [v, zero, minus, (np.int32(4),), (fill,)], {"T": type}, filled),
             ("MatrixDiagPartV2", [x, zero, (fill,)], {"T": type}, part),
             ("MatrixDiagPartV2", [x, (np.int32(1),), (fill,)], {"T": type},
              x[:, range(3), range(1, 4)]),
             ("MatrixSetDiagV2", [x, v, zero], {"T": type}, put))  # fmt: skip
        if type != np.bool_:
            one = (np.int64(1),)
            rows(g, ("BatchMatrixBandPart", [x, one, one], {"T": type}, band))
        turned = np.swapaxes(x, 0, 2)
        rows(g, ("ConjugateTranspose", [x, (np.int32([2, 1, 0]),)], {"T": type}, turned))
    return g


def joins():
    g = Graph()
    for type in NUMBERS + [np.bool_]:
        x, y = numbers(2, 3, type=type), numbers(2, 2, type=type)
        wide = np.concatenate([x, y], 1)
        flip = x[:, ::-1]
        rows(g, ("Concat", [(np.int32(1),), x, y], {"N": 2, "T": type}, wide),
             ("Concat", [(np.int32(-1),), x, y[:, :0]], {"N": 2, "T": type}, x),
             ("ParallelConcat", [x[:1], x[1:]], {"N": 2, "T": type}, x),
             ("Reverse", [x, (np.bool_([0, 1]),)], {"T": type}, flip),
             ("Reverse", [x[0, 0], (np.zeros(0, np.bool_),)], {"T": type}, x[0, 0]))  # fmt: skip
        i, j = np.int32([3, 0]), np.int32([1, 2, 0])
        stitched = np.stack([y[0] * 0] * 4)
        stitched[i], stitched[j] = y, np.stack([y[1]] * 3)
        rows(g, ("ParallelDynamicStitch", [(i,), (j,), y, np.stack([y[1]] * 3)],
                 {"N": 2, "T": type}, stitched))  # fmt: skip
    shapes = [g.input(np.zeros(s, F)) for s in ((2, 3), (), (0, 4))]
    for kind in (np.int32, np.int64):
        for made, shape in zip(g.op("ShapeN", *shapes, outputs=3, N=3, out_type=kind),
                               ([2, 3], [], [0, 4])):  # fmt: skip
            g.expect(made, np.int64(shape), type=kind)
    parts = [(np.int32([2, 3]),), (np.int32([2, 4]),), (np.int32([2, 0]),)]
    rows(g, ("ConcatOffset", [(np.int32(1),), *parts], {"N": 3}, [0, 0], [0, 3], [0, 7]))
    empty = g.op("Empty", g.constant(np.int32([2, 3])), dtype=F, init=True)
    g.expect(empty, np.zeros((2, 3)))
    return g


def blocks():
    g = Graph()
    for type in NUMBERS:
        x = numbers(2, 4, 6, 3, type=type)
        cells = x.reshape(2, 2, 2, 3, 2, 3).transpose(2, 4, 0, 1, 3, 5).reshape(8, 2, 3, 3)
        none = (np.int32([[0, 0], [0, 0]]),)
        rows(g, ("SpaceToBatch", [x, none], {"block_size": 2, "T": type}, cells),
             ("BatchToSpace", [cells, none], {"block_size": 2, "T": type}, x))  # fmt: skip
        padded = np.pad(x, [(0, 0), (1, 1), (0, 2), (0, 0)])
        cells = padded.reshape(2, 3, 2, 4, 2, 3).transpose(2, 4, 0, 1, 3, 5).reshape(8, 3, 4, 3)
        margins = (np.int32([[1, 1], [0, 2]]),)
        rows(g, ("SpaceToBatch", [x, margins], {"block_size": 2, "T": type}, cells),
             ("BatchToSpace", [cells, margins], {"block_size": 2, "T": type}, x))  # fmt: skip
    return g


def scatters():
    g = Graph()
    ways = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide,
            "Min": np.minimum, "Max": np.maximum, "Update": lambda x, y: y}  # fmt: skip
    for type, index in itertools.product([F, np.float64, I], [np.int32, np.int64]):
        x, i = numbers(4, 2, type=type) * 8, index([2, 0])
        u = np.array([[1, 2], [4, 2]], type)
        vectors = i[:, None]
        for way, function in ways.items():
            y = x.copy()
            for k, row in zip(i, u):
                y[k] = function(y[k], row)
            if way != "Div" or type != I:
                rows(g, (f"Scatter{way}", [x, i, u], {"T": type, "Tindices": index}, y),
                     (f"Scatter{way}", [x, i[:0], u[:0]], {"T": type, "Tindices": index}, x))
            if way not in ("Mul", "Div"):
                rows(g, (f"ScatterNd{way}", [x, vectors, u], {"T": type}, y))
        total = x.copy()
        np.add.at(total, i, u)
        rows(g, ("ScatterNdNonAliasingAdd", [x, vectors, u], {"T": type}, total))
        for way in ("Add", "Sub", "Update"):
            y = x.copy()
            y[[2, 0]] = ways[way](y[[2, 0]], u)
            if index == np.int32:
                rows(g, (f"Inplace{way}", [x, i, u], {"T": type}, y))
    return g


def segments():
    g = Graph()
    ways = {"Sum": (np.add, 0), "Prod": (np.multiply, 1)}
    for type, index in itertools.product([F, np.float64, I], [np.int32, np.int64]):
        x, ids = numbers(5, 2, type=type), index([0, 0, 2, 2, 2])
        for way in ("Sum", "Prod", "Max", "Min"):
            y = np.zeros((4, 2), type)
            for k in range(4):
                own = x[ids == k]
                if way in ways:
                    y[k] = ways[way][0].reduce(own, 0, type, initial=ways[way][1])
                else:
                    ends = np.finfo(type) if np.dtype(type).kind == "f" else np.iinfo(type)
                    first = ends.min if way == "Max" else ends.max
                    y[k] = getattr(np, way.lower())(own, 0, initial=first)
            rows(g, (f"Segment{way}V2", [x, ids, (index(4),)], {"T": type, "Tindices": index}, y))
    for type in (F, np.float64):
        x, at, ids = numbers(6, 3, type=type), I([0, 5, 2, 2]), I([0, 0, 2, 2])
        for name, scale in (("Sum", lambda n: 1), ("Mean", lambda n: n), ("SqrtN", np.sqrt)):
            y = np.zeros((4, 3))
            for k in (0, 2):
                y[k] = x[at[ids == k]].sum(0) / scale(2)
            given = [x, at, (ids,)]
            rows(g, (f"SparseSegment{name}", given, {"T": type}, y[:3]),
                 (f"SparseSegment{name}WithNumSegments", [*given, (I(4),)], {"T": type}, y))
    return g


def searches():
    g = Graph()
    for type in FLOATS + [I, np.int64]:
        x = random.permutation(12).reshape(3, 4).astype(type)
        order = np.argsort(-x)[:, :2]
        rows(g, ("TopK", [x], {"k": 2, "T": type}, np.take_along_axis(x, order, 1), order))
        values = type([3, 1, 3, 3, 2])
        rows(g, ("UniqueWithCountsV2", [(values,), (np.int64([0]),)], {"T": type},
                 [3, 1, 2], [0, 1, 0, 0, 2], [3, 1, 1]))  # fmt: skip
    scores = F([[1, 5, 3], [2, 2, 9], [4, 1, 0]])
    rows(g, ("InTopK", [scores, I([2, 0, 2])], {"k": 2}, [True, True, False]))
    for type, index in itertools.product([F, np.float64, I], [I, np.int64]):
        x, w = index([1, 0, 1, 5]), numbers(4, type=type)
        counts, weighed = np.zeros(3, type), np.zeros(3, type)
        for k, v in zip(x, w):
            if k < 3:
                counts[k] += 1
                weighed[k] += v
        size = (index(3),)
        none = (np.zeros(0, type),)
        rows(g, ("DenseBincount", [x, size, none], {"T": type, "Tidx": index}, counts),
             ("DenseBincount", [x, size, w], {"T": type, "Tidx": index}, weighed),
             ("DenseBincount", [x, size, none], {"binary_output": True, "T": type,
              "Tidx": index}, counts > 0))  # fmt: skip
        batch = index([[0, 1, 1], [2, 2, 7]])
        rows(g, ("DenseBincount", [batch, size, none], {"T": type, "Tidx": index},
                 [[1, 2, 0], [0, 0, 2]]))  # fmt: skip
    return g


def fake_gradients():
    g = Graph()
    x, dy = F([[-7, -1.3, 0.2], [5.9, 6.5, 3]]), numbers(2, 3)
    low, high = -6.0, 6.0
    inside = (x >= low) & (x <= high)
    # The range is moved so that 0 is one of the values.
    step = 12 / 255
    zero = round(-low / step)
    first, last = -zero * step, (255 - zero) * step
    inside = (x >= first) & (x <= last)
    below, above = x < first, x > last
    rows(g, ("FakeQuantWithMinMaxArgsGradient", [dy, x], {"min": low, "max": high}, dy * inside))
    limits = [np.full(3, v, F) for v in (low, high)]
    rows(g, ("FakeQuantWithMinMaxVarsPerChannelGradient", [dy, x, *limits], {"num_bits": 8},
             dy * inside, (dy * below).sum(0), (dy * above).sum(0)))  # fmt: skip
    return g


def states():
    g = Graph()
    algorithm = g.op("StatelessRandomGetAlg")
    g.expect(g.op("AddV2", algorithm, g.input(I(1))), 2)
    key, counter, kind = g.op("StatelessRandomGetKeyCounterAlg", g.input(np.int64([1, 2])),
                              outputs=3, Tseed=np.int64)  # fmt: skip
    again, same = g.op("StatelessRandomGetKeyCounter", g.input(I([1, 2])), outputs=2, Tseed=I)
    g.expect(kind, 1)
    for a, b in ((key, again), (counter, same)):
        g.expect(g.op("All", g.op("Equal", a, b), g.constant(I([0]))), True)
    return g


def factors():
    g = Graph(fold=False)
    for type, close in ((F, 1e-3), (np.float64, 1e-9)):
        x = random.standard_normal((2, 3, 3))
        x = (x @ np.swapaxes(x, 1, 2) + np.eye(3)).astype(type)
        y = random.standard_normal((2, 3, 2)).astype(type)
        table = [
            ("BatchCholesky", [x], np.linalg.cholesky(x)),
            ("BatchMatrixDeterminant", [x], np.linalg.det(x)),
            ("BatchMatrixInverse", [x], np.linalg.inv(x)),
            ("BatchMatrixSolve", [x, y], np.linalg.solve(x, y)),
            ("BatchMatrixTriangularSolve", [x, y], np.linalg.solve(np.tril(x), y)),
        ]
        for op, operands, reference in table:
            made = g.op(op, *[g.input(v) for v in operands], T=type)
            g.expect(made, reference, rtol=close, atol=close)
        values = g.op("BatchSvd", g.input(x), outputs=3, compute_uv=False, T=type)[0]
        g.expect(values, np.linalg.svd(x, compute_uv=False), rtol=close)
    empty = g.op("BatchCholesky", g.input(np.zeros((0, 3, 3))))
    g.expect(empty, np.zeros((0, 3, 3)))
    return g


if __name__ == "__main__":
    main(factors, sums, diagonals, joins, blocks, scatters, segments, searches, fake_gradients, states)
