"""Tests attention, whose rows are computed in blocks, against its parts in f64."""

import numpy as np
from harness import Graph, bf16, main
from references import softmax

random = np.random.default_rng(21)


def values(*shape):
    return random.uniform(-2, 2, shape).astype(np.float32)


def attend(g, batch, rows, columns, depth, wide=None, of=np.float32, mask=None, extra=False,
           moved=False, tolerance=2e-5):  # fmt: skip
    """softmax(q k^T / sqrt(depth) + mask) v, with optional further operands. With `moved` the last
    dimension of the batch is after the rows in memory."""
    wide = wide or depth

    def side(*shape):
        x = values(*batch, *shape)
        node = g.input(of(x.swapaxes(-3, -2).copy() if moved else x))
        if not moved:
            return node, np.float64(node.value)
        turn = [*range(len(batch) - 1), len(batch), len(batch) - 1, len(batch) + 1]
        return (g.op("Transpose", node, g.constant(np.int32(turn))),
                np.float64(node.value.swapaxes(-3, -2)))  # fmt: skip

    (q, wide_q), (k, wide_k), (v, wide_v) = side(rows, depth), side(columns, depth), side(columns, wide)
    scale = g.constant(of(np.float32(1 / np.sqrt(depth))))
    scores = g.op("Mul", g.op("BatchMatMulV2", q, k, adj_y=True), scale)
    exact = wide_q @ wide_k.swapaxes(-1, -2) * np.float64(scale.value)
    if mask == "added":
        hidden = np.where(random.random((*batch[:1], *[1] * len(batch), columns)) < 0.3, -1e4, 0)
        hidden = g.input(of(hidden.astype(np.float32)))
        scores = g.op("AddV2", scores, hidden)
        exact = exact + np.float64(hidden.value)
    elif mask == "hidden":
        # One batch has a row that -inf masks entirely: its softmax is NaN.
        seen = random.random((*batch[:-1], rows, columns)) < 0.5
        seen[..., :2, columns // 2:] = False
        seen[0, 1] = False
        hidden = g.input(of(np.where(seen, 0, -np.inf).astype(np.float32)))
        scores = g.op("AddV2", scores, hidden)
        exact = exact + np.float64(hidden.value)
    elif mask == "causal":
        seen = np.tril(np.ones((rows, columns), bool))
        scores = g.op("SelectV2", g.constant(seen), scores, g.constant(of(np.float32(-1e4))))
        exact = np.where(seen, exact, -1e4)
    made = g.op("BatchMatMulV2", g.op("Softmax", scores), v)
    exact = softmax(exact) @ wide_v
    if extra:
        beside = g.input(of(values(*batch, rows, wide)))
        made = g.op("AddV2", made, beside)
        exact = exact + np.float64(beside.value)
    g.expect(made, exact, rtol=tolerance, atol=tolerance)


def blocks(largest=600, **how):
    g = Graph(fold=False, **how)
    # A batch has one block, several, or a last one with fewer rows.
    attend(g, (1, 8), 16, 16, 8)
    attend(g, (2, 4), largest, largest // 2 + 3, 16)
    attend(g, (9,), 37, largest + 400, 5, wide=33)
    # There are few batches, so threads share blocks.
    attend(g, (), largest + 7, 129, 32)
    attend(g, (2,), 131, largest, 64)
    # There is one row, and one column.
    attend(g, (3,), 1, 77, 8)
    attend(g, (12,), 50, 1, 8)
    return g


def shared():
    return blocks(threads=(1, 2, 3))


def beside(**how):
    g = Graph(fold=False, **how)
    attend(g, (2, 5), 65, 65, 16, mask="added", moved=True)
    attend(g, (1, 2), 300, 300, 16, mask="causal")
    attend(g, (8,), 40, 70, 16, mask="added", extra=True)
    attend(g, (2, 2), 33, 33, 8, moved=True, extra=True)
    return g


def types(**how):
    g = Graph(fold=False, **how)
    attend(g, (8,), 70, 70, 16, of=np.float64, tolerance=1e-12)
    attend(g, (2,), 70, 70, 16, of=np.float16, tolerance=5e-3)
    attend(g, (8,), 70, 70, 16, of=bf16, tolerance=4e-2)
    return g


def used_twice():
    """Weights that are an output stay, and the attention with them is right."""
    g = Graph(fold=False)
    q, k, v = g.input(values(8, 40, 16)), g.input(values(8, 50, 16)), g.input(values(8, 50, 16))
    weights = g.op("Softmax", g.op("BatchMatMulV2", q, k, adj_y=True))
    exact = softmax(np.float64(q.value) @ np.float64(k.value).swapaxes(-1, -2))
    g.expect(weights, exact, rtol=2e-5, atol=1e-6)
    g.expect(g.op("BatchMatMulV2", weights, v), exact @ v.value, rtol=2e-5, atol=2e-5)
    return g


def blocks_on_gpu():
    return blocks(90, options=["--gpu=sim"])


def beside_on_gpu():
    return beside(options=["--gpu=sim"])


def types_on_gpu():
    return types(options=["--gpu=sim"])


def heads(element, tolerance, *widths, options=()):
    """Heads have several widths; rows and columns fill no tile; masks are tested, too."""
    g = Graph(fold=False, options=["--gpu=sim", *options])
    for depth, wide in widths:
        attend(g, (1,), 65, 70, depth, wide=wide, of=element, mask="added", tolerance=tolerance)
    attend(g, (1, 2), 40, 150, 24, of=element, mask="hidden", moved=True, tolerance=tolerance)
    return g


def f16_on_gpu():
    # Loops copy heads that are deep and have no whole chunks.
    return heads(np.float16, 5e-3, (64, 64), (40, 100), (136, 16), (131, 67))


def wide_f16_on_gpu():
    return heads(bf16, 4e-2, (256, 128))


def tf32_on_gpu():
    return heads(np.float32, 1e-2, (64, 64), (130, 8), (32, 72), options=["--precision=tf32"])


def floats_on_gpu():
    return heads(np.float32, 2e-5, (64, 128), (200, 64), (32, 160), (300, 16))


def few_rows(element, tolerance, options=()):
    """Several blocks share the columns of a decoder step: full ones, a last partial one, and one
    that is masked entirely."""
    g = Graph(fold=False, options=["--gpu=sim", *options])
    attend(g, (1, 4), 1, 777, 64, of=element, mask="added", tolerance=tolerance)
    attend(g, (2,), 3, 1024, 32, wide=132, of=element, tolerance=tolerance)
    attend(g, (2,), 3, 300, 33, wide=35, of=element, mask="added", tolerance=tolerance)
    attend(g, (1, 2), 2, 640, 40, of=element, mask="hidden", tolerance=tolerance)
    attend(g, (1, 2), 80, 650, 16, wide=9, of=element, moved=True, extra=True, tolerance=tolerance)
    return g


def few_f16_on_gpu():
    return few_rows(np.float16, 5e-3)


def few_tf32_on_gpu():
    return few_rows(np.float32, 1e-2, ["--precision=tf32"])


def few_floats_on_gpu():
    return few_rows(np.float32, 2e-5)


main(shared, beside, types, used_twice, blocks_on_gpu, beside_on_gpu, types_on_gpu, f16_on_gpu,
     wide_f16_on_gpu, tf32_on_gpu, floats_on_gpu, few_f16_on_gpu, few_tf32_on_gpu, few_floats_on_gpu)  # fmt: skip
