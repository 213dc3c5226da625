"""Tests ONNX nodes with sizes of results that depend on values, and operands with sizes known only
at run time."""

import numpy as np
from onnx_graph import Body
from onnx_ranged import Model, main


def chosen(n, s):
    g = Model(n, s)
    g.sums = True
    x = g.x("n", "s")
    y = x.value
    holds = g.op("Greater", x, g.constant(np.float32(0)))
    where = g.op("NonZero", holds)
    g.expect(where, np.array(np.nonzero(y > 0)))
    g.expect(g.op("GatherND", x, g.op("Transpose", where)), y[y > 0])
    row = g.op("Gather", holds, g.constant(np.int64(0)), axis=0)
    g.expect(g.op("Compress", x, row, axis=1), y[:, y[0] > 0])
    g.expect(g.op("Compress", x, row), y.reshape(-1)[:s][y[0] > 0])
    return g


def mirrored(n, s):
    """Margins wider than what they mirror: one column, and all columns."""
    g = Model(n, s, opset=18)
    g.sums = True
    x = g.x("n", "s")
    first = g.op("Gather", x, g.constant(np.int64(0)), axis=0)
    pads = g.constant(np.int64([0, 5, 0, 7]))
    for limit, kept in (("ReduceMax", [x.value[0].argmax()]), ("ReduceMin", np.arange(s))):
        holds = g.op("GreaterOrEqual", first, g.op(limit, first, keepdims=0))
        y = g.op("Compress", x, holds, axis=1)
        want = np.pad(x.value[:, kept], ((0, 0), (5, 7)), mode="reflect")
        g.expect(g.op("Pad", y, pads, mode="reflect"), want)
    return g


def largest(n, s):
    g = Model(n, s)
    g.sums = True
    x = g.x("n", "s", 3)
    size = g.op("Slice", g.op("Shape", x), g.constant(np.int64([1])), g.constant(np.int64([2])))
    k = g.op("ReduceMin", g.op("Concat", size, g.constant(np.int64([5])), axis=0), keepdims=1)
    for sign in (1, -1):
        values, places = g.op("TopK", x, k, outputs=2, axis=1, largest=int(sign > 0))
        order = np.argsort(-sign * x.value, 1, kind="stable")[:, :5]
        g.expect(values, np.take_along_axis(x.value, order, 1))
        g.expect(places, order)
    at = g.op("ArgMax", x, axis=1, keepdims=0)
    depth, values = g.op("Squeeze", size), g.constant(np.float32([0, 2]))
    expected = 2 * np.eye(s)[x.value.argmax(1)]
    g.expect(g.op("OneHot", at, depth, values), expected)
    g.expect(g.op("OneHot", g.op("Sub", at, depth), depth, values, axis=1), expected.transpose(0, 2, 1))
    return g


def unique(n, s):
    g = Model(n, s)
    g.sums = True
    x = g.x("n", "s", ids=(0, 9))
    for sorted in (1, 0):
        y, first, inverse, counts = np.unique(x.value, return_index=True, return_inverse=True, return_counts=True)
        order = np.arange(len(y)) if sorted else np.argsort(first)
        made = g.op("Unique", x, outputs=4, sorted=sorted)
        expected = [y[order], first[order], np.argsort(order)[inverse.reshape(-1)], counts[order]]
        for tensor, value in zip(made, expected):
            g.expect(tensor, value)
    bits = g.op("Mod", x, g.constant(np.int64(2)))
    z = np.unique(x.value % 2, axis=0, return_index=True)
    rows, first = g.op("Unique", bits, outputs=2, axis=0)
    g.expect(rows, z[0])
    g.expect(first, z[1])
    return g


def suppressed(boxes, scores, most, overlap, least):
    """The corners of the boxes are in order."""
    taken = []
    for i, c in np.ndindex(scores.shape[:2]):
        kept, b = [], boxes[i].astype(np.float64)
        for k in np.argsort(-scores[i, c], kind="stable"):
            if len(kept) == most or scores[i, c, k] <= least:
                continue
            for j in kept:
                sides = np.minimum(b[k, 2:], b[j, 2:]) - np.maximum(b[k, :2], b[j, :2])
                both = np.prod(np.maximum(sides, 0))
                area = sum(np.prod(b[m, 2:] - b[m, :2]) for m in (j, k))
                if both / (area - both) > overlap:
                    break
            else:
                kept.append(k)
        taken += [(i, c, k) for k in kept]
    return np.int64(taken).reshape(-1, 3)


def boxes(n, s):
    g = Model(n, s)
    g.sums = True
    corner, scores = np.random.default_rng(3).random((n, s, 2)) * 4, g.x("n", 2, "s")
    b = g.input(np.concatenate([corner, corner + 1], -1).astype(np.float32))
    g.dims[b.names[0]] = ("n", "s", 4)
    g.expect(g.op("NonMaxSuppression", b, scores), np.zeros((0, 3), np.int64))
    for most, overlap, least in ((3, 0.3, 0.1), (100, 0.5, -0.5)):
        operands = [g.constant(np.int64([most])), g.constant(np.float32([overlap])), g.constant(np.float32([least]))]
        y = g.op("NonMaxSuppression", b, scores, *operands)
        g.expect(y, suppressed(b.value, scores.value, most, overlap, np.float32(least)))
    return g


BODY = """name: "b"
node { op_type: "Gather" input: "%s" input: "i" output: "e" attribute { name: "axis" type: INT i: 1 } }
node { op_type: "Add" input: "a" input: "e" output: "next" }
node { op_type: "Identity" input: "c" output: "on" } node { op_type: "Identity" input: "next" output: "part" }
input { name: "i" } input { name: "c" } input { name: "a" }
output { name: "on" } output { name: "next" } output { name: "part" }"""
STEP = """name: "b"
node { op_type: "Add" input: "a" input: "e" output: "next" }
node { op_type: "Identity" input: "next" output: "part" }
input { name: "a" } input { name: "e" } output { name: "next" } output { name: "part" }"""


def loops(n, s):
    """The number of steps is known only at run time."""
    g = Model(n, s)
    x, start = g.x("n", "s", 4), g.x("n", 4)
    steps = g.op("Gather", g.op("Shape", x), g.constant(np.int64(1)), axis=0)
    sums = [start.value]
    for step in range(s):
        sums.append(sums[-1] + x.value[:, step])
    last, parts = g.op("Loop", steps, None, start, outputs=2, body=Body(BODY % x.names[0]))
    g.expect(last, sums[-1])
    g.expect(parts, np.stack(sums[1:]))
    last, parts = g.op("Scan", start, x, outputs=2, body=Body(STEP), num_scan_inputs=1,
                       scan_input_axes=[1], scan_output_axes=[1])  # fmt: skip
    g.expect(last, sums[-1])
    g.expect(parts, np.stack(sums[1:], 1))
    sums = [start.value]
    for step in reversed(range(s)):
        sums.append(sums[-1] + x.value[:, step])
    last, parts = g.op("Scan", start, x, outputs=2, body=Body(STEP), num_scan_inputs=1,
                       scan_input_axes=[1], scan_input_directions=[1], scan_output_directions=[1])  # fmt: skip
    g.expect(last, sums[-1])
    g.expect(parts, np.stack(sums[:0:-1]))
    return g


BRANCH = '''name: "b"
node { op_type: "Constant" output: "k" attribute { name: "value_ints" type: INTS ints: -1 ints: %d ints: 3 } }
node { op_type: "%s" input: "%s" input: "%s" output: "y" } output { name: "y" }'''


def misfits(n, s):
    """A branch that contradicts its operands is an error if it is taken."""
    g = Model(n, s)
    x = g.x("n", 6)
    least, most = (g.op(op, x, keepdims=0) for op in ("ReduceMin", "ReduceMax"))
    holds = g.op("LessOrEqual", least, most)
    fits = Body(BRANCH % (2, "Reshape", x.names[0], "k"))
    fixed = g.constant(np.float32([[1, 2]]))
    none = Body(BRANCH % (2, "MatMul", x.names[0], fixed.names[0]))
    g.expect(g.op("If", holds, then_branch=fits, else_branch=none), x.value.reshape(-1, 2, 3))
    return g


main(chosen, mirrored, largest, unique, boxes, loops, misfits)
