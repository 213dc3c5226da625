"""Tests sparse and ragged tensors, and the labels of sequences, against dense ones."""

import itertools

import numpy as np
from bounded_data import opened
from harness import Graph, bf16, main

random = np.random.default_rng(15)
F = np.float32


def normal(*shape, type=F):
    return random.standard_normal(shape).astype(type)


def products():
    g = Graph()
    places = np.int64([[0, 3], [2, 1], [2, 1], [0, 0]])
    for type, turned, right, index in itertools.product(
        [F, np.float64, np.int32], [False, True], [False, True], [np.int64, np.int32]
    ):
        values = (normal(4) * 5).astype(type)
        a = np.zeros((3, 4), type)
        np.add.at(a, tuple(places.T), values)
        a = a.T if turned else a
        b = (normal(a.shape[1], 5) * 5).astype(type)
        made = g.op("SparseTensorDenseMatMul", g.input(places.astype(index)), g.input(values),
                    g.constant(np.int64([3, 4])), g.input(b.T.copy() if right else b),
                    adjoint_a=turned, adjoint_b=right, T=type, Tindices=index)  # fmt: skip
        g.expect(made, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)
    none = g.op("SparseTensorDenseMatMul", g.input(np.zeros((0, 2), np.int64)),
                g.input(np.zeros(0, F)), g.constant(np.int64([2, 3])), g.input(normal(3, 4)))
    g.expect(none, np.zeros((2, 4)))
    a, b = normal(3, 4), normal(5, 4)
    made = g.op("SparseMatMul", g.input(a), g.input(b), transpose_b=True, a_is_sparse=True)
    g.expect(made, a.astype(np.float64) @ b.T, rtol=1e-5, atol=1e-5)
    short = bf16(a)
    made = g.op("SparseMatMul", g.input(short), g.input(b.T.copy()), Ta="bf16")
    g.expect(made, short.value.astype(np.float64) @ b.T, rtol=1e-5, atol=1e-5, type=F)
    return g


def far_place():
    g = Graph(fold=False)
    made = g.op("SparseTensorDenseMatMul", g.input(np.int64([[0, 4]])), g.input(F([1])),
                g.constant(np.int64([3, 4])), g.input(normal(4, 2)))  # fmt: skip
    g.expect(made, np.zeros((3, 2)))
    g.fails("an index is not in [0, 4)")
    return g


def reshapes():
    g = Graph()
    places = np.int64([[0, 0, 0], [1, 2, 3], [0, 2, 1]])
    for to in ([6, 4], [-1], [2, -1, 2], [24], [2, 3, 4, 1]):
        whole = [24 // -np.prod(to) if n < 0 else n for n in to]
        flat = np.ravel_multi_index(tuple(places.T), (2, 3, 4))
        made = g.op("SparseReshape", g.input(places), g.constant(np.int64([2, 3, 4])),
                    g.constant(np.int64(to)), outputs=2)  # fmt: skip
        g.expect(made[0], np.stack(np.unravel_index(flat, whole), 1))
        g.expect(made[1], whole)
    none = g.op("SparseReshape", g.input(np.zeros((0, 2), np.int64)),
                g.constant(np.int64([0, 3])), g.constant(np.int64([3, 0])), outputs=2)  # fmt: skip
    g.expect(none[0], np.zeros((0, 2)))
    return g


def filled(places, values, rows, default):
    """All rows are in order, and so are the values of each."""
    made, new, back = [], [], np.zeros(len(places), np.int64)
    for row in range(rows):
        own = [i for i in range(len(places)) if places[i][0] == row]
        for i in own:
            back[i] = len(made)
            made.append(places[i])
            new.append(values[i])
        if not own:
            made.append([row] + [0] * (places.shape[1] - 1))
            new.append(default)
    return np.int64(made).reshape(-1, places.shape[1]), np.array(new, values.dtype), back


def empty_rows():
    g = Graph()
    for type, places, rows in itertools.product(
        [F, np.int64],
        [[[0, 1], [2, 0], [2, 3]], [[3, 1], [0, 0], [3, 0]], np.zeros((0, 2)), [[0, 0]]],
        [4, 5],
    ):
        places = np.int64(places).reshape(-1, 2)
        values = (normal(len(places)) * 9).astype(type)
        made = g.op("SparseFillEmptyRows", g.input(places), g.input(values),
                    g.constant(np.int64([rows, 4])), g.input(type(-7)), outputs=4)  # fmt: skip
        new, all, back = filled(places, values, rows, -7)
        g.expect(made[0], new)
        g.expect(made[1], all)
        g.expect(made[2], [r not in places[:, 0] for r in range(rows)])
        g.expect(made[3], back)
        gradient = normal(len(all))
        made = g.op("SparseFillEmptyRowsGrad", g.input(back), g.input(gradient), outputs=2)
        g.expect(made[0], gradient[back])
        rest = np.delete(gradient.astype(np.float64), back)
        g.expect(made[1], rest.sum(), rtol=1e-5, atol=1e-6)
    return g


def some_rows():
    """The number of values is known only at run time."""
    g = Graph()
    places, values = np.int64([[2, 1], [0, 0]]), F([5, 6])
    made = g.op("SparseFillEmptyRows", opened(g, places, 9), opened(g, values, 9),
                g.constant(np.int64([3, 2])), g.input(F(1)), outputs=4)  # fmt: skip
    new, all, back = filled(places, values, 3, 1)
    for got, wanted in zip(made, (new, all, [False, True, False], back)):
        g.expect(got, wanted)
    shape = g.op("SparseReshape", opened(g, places, 1), g.constant(np.int64([3, 2])),
                 g.constant(np.int64([6])), outputs=2)  # fmt: skip
    g.expect(shape[0], [[5], [0]])
    return g


def ragged():
    g = Graph()
    rows = [[1.5, 2], [], [3, 4, 5], [6]]
    values = F(sum(rows, []))
    splits = np.cumsum([0] + [len(r) for r in rows])
    ids = np.repeat(np.arange(4), [len(r) for r in rows])
    for index, shape in itertools.product([np.int64, np.int32], [[-1, -1], [4, 2], [3, 5], -1]):
        height, width = (4, 3) if shape == -1 else (n if n >= 0 else d
                                                    for n, d in zip(shape, (4, 3)))
        wanted = np.full((height, width), -1.0)
        for i, row in enumerate(rows[:height]):
            wanted[i, : len(row)] = row[:width]
        given = g.constant(np.int64(shape)), g.input(values), g.input(F(-1))
        made = g.op("RaggedTensorToTensor", *given, g.input(splits.astype(index)),
                    row_partition_types=["ROW_SPLITS"], Tindex=index, T=F)  # fmt: skip
        g.expect(made, wanted)
        made = g.op("RaggedTensorToTensor", *given, g.constant(index(4)),
                    g.input(ids.astype(index)), Tindex=index, T=F,
                    row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])  # fmt: skip
        g.expect(made, wanted)
    # There are two levels of rows of numbers: [[[a, b], []], [], [[c]]].
    inner = np.int32([[1, 2], [3, 4], [5, 6]])
    wanted = np.full((3, 2, 2, 2), 9)
    wanted[0, 0], wanted[2, 0, 0] = inner[:2], inner[2]
    made = g.op("RaggedTensorToTensor", g.constant(np.int64([-1, -1, -1, -1])), g.input(inner),
                g.input(np.int32(9)), g.input(np.int64([0, 2, 2, 3])),
                g.input(np.int64([0, 2, 2, 3])), T=np.int32,
                row_partition_types=["ROW_SPLITS", "ROW_SPLITS"])  # fmt: skip
    g.expect(made, wanted)
    none = g.op("RaggedTensorToTensor", g.constant(np.int64([-1, 2])),
                g.input(np.zeros(0, F)), g.input(F(3)), g.input(np.int64([0, 0])),
                row_partition_types=["ROW_SPLITS"])  # fmt: skip
    g.expect(none, [[3.0, 3.0]])
    return g


def decoded(logits, lengths, merge, blank):
    places, values, longest = [], [], 0
    for b, length in enumerate(lengths):
        best, rank, before = logits[:length, b].argmax(-1), 0, -1
        for c in best:
            if c != blank and not (merge and c == before):
                places.append([b, rank])
                values.append(c)
                rank += 1
            before = c
        longest = max(longest, rank)
    scores = [-logits[:n, b].max(-1).astype(np.float64).sum() for b, n in enumerate(lengths)]
    return np.int64(places).reshape(-1, 2), values, [len(lengths), longest], np.c_[scores]


def labels():
    g = Graph()
    for type, merge, blank in itertools.product([F, np.float64], [False, True], [-1, 0]):
        logits, lengths = normal(9, 3, 3, type=type), np.int32([9, 0, 4])
        made = g.op("CTCGreedyDecoder", g.input(logits), g.input(lengths), outputs=4,
                    merge_repeated=merge, blank_index=blank, T=type)  # fmt: skip
        wanted = decoded(logits, lengths, merge, blank % 3)
        for got, value in zip(made, wanted):
            g.expect(got, value, rtol=1e-6)
    return g


def too_long():
    g = Graph(fold=False)
    made = g.op("CTCGreedyDecoder", g.input(normal(2, 1, 3)), g.input(np.int32([3])), outputs=4)
    g.expect(made[3], [[0]])
    g.fails("a sequence is longer than its 2 steps")
    return g


if __name__ == "__main__":
    main(products, far_place, reshapes, empty_rows, some_rows, ragged, labels, too_long)
