"""Tests ONNX models with a batch and a length that are known only at run time, at several sizes,
against NumPy. If only the batch is dynamic, or nothing is summed, the bits are those of a library
for these sizes."""

import numpy as np
from onnx_graph import Body
from onnx_ranged import Model, f64, main, near
from references import softmax


def elementwise(n, s):
    g = Model(n, s)
    x, y, z = g.x("n", 6), g.x("n", 1), g.x("n", "s", 6)
    w = g.weights(6)
    g.expect(g.op("Add", x, g.constant(w)), x.value + w)
    g.expect(g.op("Mul", x, y), x.value * y.value)
    g.expect(g.op("Sub", g.op("Unsqueeze", x, g.constant(np.int64([1]))), z), x.value[:, None] - z.value)
    g.expect(g.op("Where", g.op("Less", x, y), x, y), np.minimum(x.value, y.value))
    g.expect(g.op("Max", x, y, g.constant(np.float32(0))), np.maximum(np.maximum(x.value, y.value), 0))
    g.expect(g.op("Clip", z, None, g.constant(np.float32(0.5))), np.minimum(z.value, np.float32(0.5)))
    g.expect(g.op("PRelu", z, g.constant(w)), np.where(z.value < 0, z.value * w, z.value))
    g.expect(g.op("Cast", z, to=7), np.trunc(z.value).astype(np.int64))
    g.expect(g.op("Relu", g.op("Neg", z)), np.maximum(-z.value, 0))
    return g


def products(n, s):
    g = Model(n, s)
    g.sums = True
    x, y, v = g.x("n", 8), g.x("n", "s", 8), g.x("s")
    w, b, m = g.weights(8, 5), g.weights(5), g.weights(3, 8)
    f = f64
    g.expect(g.op("MatMul", x, g.constant(w)), f(x.value) @ w, **near)
    g.expect(g.op("Gemm", x, g.constant(m), g.constant(b[:3]), transB=1, alpha=0.5), 0.5 * (f(x.value) @ m.T) + b[:3], **near)
    g.expect(g.op("MatMul", y, g.constant(w)), f(y.value) @ w, **near)
    turned = g.op("Transpose", y, perm=[0, 2, 1])
    scores = g.op("MatMul", y, turned)
    g.expect(scores, f(y.value) @ f(y.value).transpose(0, 2, 1), **near)
    g.expect(g.op("MatMul", turned, y), f(y.value).transpose(0, 2, 1) @ f(y.value), **near)
    g.expect(g.op("MatMul", v, y), f(v.value) @ f(y.value), **near)
    g.expect(g.op("Einsum", y, y, equation="nsk,ntk->nst"), f(y.value) @ f(y.value).transpose(0, 2, 1), **near)
    return g


def attention(n, s):
    """The form of exporters: reshapes by sizes that the graph computes."""
    g = Model(n, s)
    g.sums = True
    ids, mask = g.x("n", "s", ids=(0, 11)), g.x("n", "s", ids=(0, 2))
    table, places = g.weights(11, 12), g.weights(40, 12)
    e = g.op("Gather", g.constant(table), ids)
    length = g.op("Gather", g.op("Shape", ids), g.constant(np.int64(1)), axis=0)
    count = g.op("Range", g.constant(np.int64(0)), length, g.constant(np.int64(1)))
    e = g.op("Add", e, g.op("Gather", g.constant(places), count))
    value = table[ids.value] + places[: g.s]
    gain, shift = g.weights(12), g.weights(12)
    e = g.op("LayerNormalization", e, g.constant(gain), g.constant(shift), axis=-1)
    f = f64(value)
    f = (f - f.mean(-1, keepdims=True)) / np.sqrt(f.var(-1, keepdims=True) + 1e-5) * gain + shift
    heads, parts = [], []
    for _ in range(3):
        w, b = g.weights(12, 12), g.weights(12)
        h = g.op("Add", g.op("MatMul", e, g.constant(w)), g.constant(b))
        h = g.op("Reshape", h, g.shape(ids, -1, -2, 3, 4))
        heads.append(g.op("Transpose", h, perm=[0, 2, 1, 3]))
        parts.append((f @ w + b).reshape(g.n, g.s, 3, 4).transpose(0, 2, 1, 3))
    q, k, v = heads
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    scores = g.op("Div", scores, g.constant(np.float32(2)))
    bias = g.op("Unsqueeze", g.op("Cast", mask, to=1), g.constant(np.int64([1, 2])))
    bias = g.op("Mul", g.op("Sub", bias, g.constant(np.float32(1))), g.constant(np.float32(9)))
    wide = g.op("Expand", bias, g.shape(scores, -1, 1, -3, -4))
    y = g.op("MatMul", g.op("Softmax", g.op("Add", scores, wide), axis=-1), v)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.shape(ids, -1, -2, 12))
    more = (f64(mask.value)[:, None, None] - 1) * 9
    z = softmax(parts[0] @ parts[1].transpose(0, 1, 3, 2) / 2 + more) @ parts[2]
    z = z.transpose(0, 2, 1, 3).reshape(g.n, g.s, 12)
    g.expect(y, z, **near)
    first = g.op("Gather", y, g.constant(np.int64(0)), axis=1)
    g.expect(g.op("Tanh", first), np.tanh(z[:, 0]), **near)
    last = g.op("Gather", y, g.constant(np.int64(-1)), axis=1)
    g.expect(last, z[:, -1], **near)
    return g


def shapes(n, s):
    g = Model(n, s)
    x = g.x("n", "s", 4)
    v = x.value
    i64 = lambda *values: g.constant(np.int64(values))
    g.expect(g.op("Shape", x), np.int64(v.shape))
    g.expect(g.op("Shape", x, start=-2, end=-1), np.int64([s]))
    g.expect(g.op("Size", x), np.int64(v.size))
    g.expect(g.op("Reshape", x, i64(0, -1)), v.reshape(n, -1))
    g.expect(g.op("Reshape", x, i64(-1, 4)), v.reshape(-1, 4))
    g.expect(g.op("Reshape", x, i64(0, 0, 2, 2)), v.reshape(n, s, 2, 2))
    g.expect(g.op("Reshape", x, i64(-1)), v.reshape(-1))
    both = g.op("Reshape", g.op("Reshape", x, i64(-1, 4)), g.shape(x, -1, -2, 4))
    g.expect(both, v)
    g.expect(g.op("Flatten", x), v.reshape(n, -1))
    g.expect(g.op("Flatten", x, axis=2), v.reshape(-1, 4))
    g.expect(g.op("Transpose", x, perm=[2, 1, 0]), v.transpose(2, 1, 0))
    g.expect(g.op("Squeeze", g.op("Unsqueeze", x, i64(0, 2)), i64(0)), v[:, None])
    g.expect(g.op("Tile", x, i64(2, 1, 2)), np.tile(v, (2, 1, 2)))
    g.expect(g.op("Expand", g.constant(np.float32([[[1], [2]]])), g.shape(x, -1, 2, -2)), np.broadcast_to(np.float32([[[1], [2]]]), (n, 2, s)))
    g.expect(g.op("ConstantOfShape", g.shape(x, -2, 3), value=np.float32([2.5])), np.full((s, 3), np.float32(2.5)))
    g.expect(g.op("Concat", x, x, axis=0), np.concatenate([v, v]))
    g.expect(g.op("Concat", x, g.op("Slice", x, i64(0), i64(1), i64(1)), axis=1), np.concatenate([v, v[:, :1]], 1))
    g.expect(g.op("Concat", x, x, axis=2), np.concatenate([v, v], 2))
    halves = g.op("Split", x, outputs=2, axis=2)
    g.expect(halves[1], v[:, :, 2:])
    return g


def parts(n, s):
    g = Model(n, s)
    x = g.x("n", "s", 5)
    v = x.value
    i64 = lambda *values: g.constant(np.int64(values))
    far = np.iinfo(np.int64).max
    g.expect(g.op("Slice", x, i64(0), i64(-1), i64(1)), v[:, :-1])
    g.expect(g.op("Slice", x, i64(-1), i64(far), i64(1)), v[:, -1:])
    g.expect(g.op("Slice", x, i64(0, 1), i64(far, 3), i64(1, 2), i64(2, 1)), v[:, ::2, 1:3])
    g.expect(g.op("Slice", x, i64(-1), i64(-far), i64(1), i64(-1)), v[:, ::-1])
    g.expect(g.op("Slice", x, i64(2), i64(far), i64(0)), v[2:])
    table = g.weights(40, 3)
    length = g.op("Slice", g.op("Shape", x), i64(1), i64(2))
    g.expect(g.op("Slice", g.constant(table), i64(0), length, i64(0)), table[:s])
    pads = i64(0, 1, 0, 0, 2, 1)
    g.expect(g.op("Pad", x, pads, g.constant(np.float32(3))), np.pad(v, ((0, 0), (1, 2), (0, 1)), constant_values=3))
    g.expect(g.op("Pad", x, i64(0, 2, 0, 0, 2, 0), mode="edge"), np.pad(v, ((0, 0), (2, 2), (0, 0)), mode="edge"))
    g.expect(g.op("Pad", x, i64(1, 1), None, i64(1), mode="wrap"), np.pad(v, ((0, 0), (1, 1), (0, 0)), mode="wrap"))
    g.expect(g.op("Pad", x, i64(0, 0, -1, 0, 0, 1)), np.pad(v[:, :, 1:], ((0, 0), (0, 0), (0, 1))))
    g.expect(g.op("Pad", x, i64(0, 1, 0, 0, -1, 0)), np.pad(v[:, :-1], ((0, 0), (1, 0), (0, 0))))
    g.expect(g.op("Pad", x, i64(0, -1, 0, 2, 0, -2)), np.pad(v[:, 1:, :3], ((0, 2), (0, 0), (0, 0))))
    g.expect(g.op("Pad", x, i64(0, 0, -2, 0, 0, 1), mode="edge"), np.pad(v[:, :, 2:], ((0, 0), (0, 0), (0, 1)), mode="edge"))
    for low, high in ((0, 2), (40, 100)):
        want = np.pad(v, ((0, 0), (low, high), (0, 0)), mode="reflect")
        g.expect(g.op("Pad", x, i64(0, low, 0, 0, high, 0), mode="reflect"), want)
    g.expect(g.op("Pad", x, i64(-1, 3), None, i64(2), mode="reflect"), v[:, :, [1, 2, 3, 4, 3, 2, 1]])
    g.expect(g.op("Gather", x, i64(-1, 0, 3), axis=2), v[:, :, [-1, 0, 3]])
    g.expect(g.op("Gather", x, g.constant(np.int64(-1)), axis=0), v[-1])
    g.expect(g.op("GatherND", x, g.constant(np.int64([[-1, 0], [0, -1]]))), v[[-1, 0], [0, -1]])
    values, places = g.op("TopK", x, i64(2), outputs=2, axis=2)
    g.expect(values, -np.sort(-v, axis=2)[:, :, :2])
    g.expect(g.op("OneHot", g.op("ArgMax", x, axis=2, keepdims=0), g.constant(np.int64(5)), g.constant(np.float32([0, 1]))), np.eye(5, dtype=np.float32)[v.argmax(2)])
    g.expect(g.op("Trilu", x, upper=0), np.tril(v))
    return g


def reductions(n, s):
    g = Model(n, s)
    g.sums = True
    x = g.x("n", "s", 5)
    v = f64(x.value)
    for axes in ([1], [0, 1], [0, 1, 2], [2], [0]):
        t = tuple(axes)
        g.expect(g.op("ReduceMean", x, axes=axes, keepdims=0), v.mean(t), **near)
        g.expect(g.op("ReduceMax", x, axes=axes), v.max(t, keepdims=True))
        g.expect(g.op("ReduceSum", x, g.constant(np.int64(axes))), v.sum(t, keepdims=True), **near)
    g.expect(g.op("ReduceMin", x, axes=[1], keepdims=0), v.min(1))
    g.expect(g.op("ReduceProd", x, axes=[1], keepdims=0), v.prod(1), **near)
    g.expect(g.op("ReduceL1", x, axes=[1]), np.abs(v).sum(1, keepdims=True), **near)
    g.expect(g.op("ReduceL2", x, axes=[1, 2]), np.sqrt((v**2).sum((1, 2), keepdims=True)), **near)
    g.expect(g.op("ReduceLogSumExp", x, axes=[1], keepdims=0), np.log(np.exp(v).sum(1)), **near)
    g.expect(g.op("ReduceSumSquare", x, axes=[0], keepdims=0), (v**2).sum(0), **near)
    g.expect(g.op("ArgMax", x, axis=1, keepdims=0), v.argmax(1))
    g.expect(g.op("ArgMin", x, axis=1), v.argmin(1)[:, None])
    # The last of equal elements, also if they are lower than any number.
    equal, signs = g.op("Sign", x), np.sign(v)
    lost = g.op("Add", x, g.constant(np.float32(-np.inf)))
    for axis in (0, 1):
        best = lambda a, f: a.shape[axis] - 1 - f(np.flip(a, axis), axis)
        g.expect(g.op("ArgMax", equal, axis=axis, keepdims=0, select_last_index=1), best(signs, np.argmax))
        g.expect(g.op("ArgMin", equal, axis=axis, select_last_index=1), np.expand_dims(best(signs, np.argmin), axis))
        g.expect(g.op("ArgMax", lost, axis=axis, keepdims=0, select_last_index=1), np.full_like(v.argmax(axis), v.shape[axis] - 1))
    g.expect(g.op("CumSum", x, g.constant(np.int64(1))), v.cumsum(1), **near)
    g.expect(g.op("CumSum", x, g.constant(np.int64(1)), reverse=1), v[:, ::-1].cumsum(1)[:, ::-1], **near)
    g.expect(g.op("Softmax", x, axis=1), softmax(v, 1), **near)
    g.expect(g.op("LogSoftmax", x, axis=-1), np.log(softmax(v)), **near)
    return g


def old(n, s):
    """Softmax of all dimensions from the axis on, and attributes for lists."""
    g = Model(n, s, opset=9)
    g.sums = True
    x = g.x("n", "s", 4)
    v = x.value
    flat = softmax(v.reshape(n * s, 4)).reshape(v.shape)
    g.expect(g.op("Softmax", x, axis=2), flat, **near)
    g.expect(g.op("Slice", x, axes=[1, 2], starts=[1, 0], ends=[1000, 3]), v[:, 1:, :3])
    g.expect(g.op("Unsqueeze", x, axes=[1]), v[:, None])
    g.expect(g.op("Squeeze", g.op("Unsqueeze", x, axes=[3]), axes=[3]), v)
    g.expect(g.op("Pad", x, pads=[0, 0, 1, 0, 0, 1], value=2.0), np.pad(v, ((0, 0), (0, 0), (1, 1)), constant_values=2))
    g.expect(g.op("ReduceSum", x, axes=[1], keepdims=0), f64(v).sum(1), **near)
    return g


def images(n, s):
    """A batch of images passes through the layers of classifiers."""
    g = Model(n, s)
    x = g.x("n", 4, 9, 8)
    w, b = g.weights(6, 4, 3, 3), g.weights(6)
    y = g.op("Conv", x, g.constant(w), g.constant(b), pads=[1, 1, 1, 1], strides=[2, 1])
    v = np.pad(f64(x.value), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(v, (3, 3), (2, 3))[:, :, ::2]
    r = np.einsum("nchwij,mcij->nmhw", seen, f64(w)) + b[:, None, None]
    g.expect(y, r, **near)
    m, d = g.weights(6), np.abs(g.weights(6)) + np.float32(0.5)
    y = g.op("BatchNormalization", y, *[g.constant(c) for c in (d, b, m, d)])
    c = lambda t: t[:, None, None]
    r = (r - c(m)) / np.sqrt(c(d) + 1e-5) * c(d) + c(b)
    g.expect(y, r, **near)
    y, r = g.op("Relu", y), np.maximum(r, 0)
    p = g.op("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    q = r[:, :, :4].reshape(n, 6, 2, 2, 4, 2).max((3, 5))
    g.expect(p, q, **near)
    g.expect(g.op("AveragePool", y, kernel_shape=[2, 2], strides=[2, 2]), r[:, :, :4].reshape(n, 6, 2, 2, 4, 2).mean((3, 5)), **near)
    g.expect(g.op("GlobalAveragePool", y), r.mean((2, 3), keepdims=True), **near)
    k = g.weights(6, 2, 2, 2)
    t = g.op("ConvTranspose", p, g.constant(k), strides=[2, 2])
    z = np.einsum("nchw,cmij->nmhiwj", q, f64(k)).reshape(n, 2, 4, 8)
    g.expect(t, z, **near)
    g.expect(g.op("InstanceNormalization", p, g.constant(d), g.constant(b)), (q - q.mean((2, 3), keepdims=True)) / np.sqrt(q.var((2, 3), keepdims=True) + 1e-5) * c(d) + c(b), rtol=1e-3, atol=1e-3)
    f = g.op("Flatten", p)
    l = g.weights(48, 10)
    g.expect(g.op("Gemm", f, g.constant(l)), q.reshape(n, -1) @ l, **near)
    scales = g.constant(np.float32([1, 1, 3, 3]))
    g.expect(g.op("Resize", p, None, scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"), q.repeat(3, 2).repeat(3, 3), **near)
    g.expect(g.op("DepthToSpace", g.op("Slice", p, g.constant(np.int64([0])), g.constant(np.int64([4])), g.constant(np.int64([1]))), blocksize=2, mode="CRD"), q[:, :4].reshape(n, 1, 2, 2, 2, 4).transpose(0, 1, 4, 2, 5, 3).reshape(n, 1, 4, 8), **near)
    return g


def wide(n, s):
    """The height of images is known only at run time."""
    g = Model(n, s)
    g.sums = True
    x = g.x("n", 3, "s", 6)
    w = g.weights(4, 3, 3, 3)
    y = g.op("Conv", x, g.constant(w), pads=[1, 1, 1, 1])
    v = np.pad(f64(x.value), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(v, (3, 3), (2, 3))
    r = np.einsum("nchwij,mcij->nmhw", seen, f64(w))
    g.expect(y, r, **near)
    y = g.op("Conv", y, g.constant(g.weights(2, 4, 3, 1)), pads=[1, 0, 1, 0], strides=[2, 1])
    g.expect(g.op("Shape", y), np.int64([n, 2, (s - 1) // 2 + 1, 6]))
    p = g.op("MaxPool", x, kernel_shape=[3, 2], pads=[1, 0, 1, 0], strides=[1, 2])
    v = np.pad(x.value, ((0, 0), (0, 0), (1, 1), (0, 0)), constant_values=-np.inf)
    seen = np.lib.stride_tricks.sliding_window_view(v, (3, 2), (2, 3))[:, :, :, ::2]
    g.expect(p, seen.max((4, 5)))
    g.expect(g.op("GlobalAveragePool", x), f64(x.value).mean((2, 3), keepdims=True), **near)
    g.expect(g.op("GlobalMaxPool", x), x.value.max((2, 3), keepdims=True))
    return g


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def recurrent(n, s):
    g = Model(n, s)
    g.sums = True
    x = g.x("s", "n", 3)
    h = 4
    w, r, b = g.weights(2, 4 * h, 3), g.weights(2, 4 * h, h), g.weights(2, 8 * h)
    y, last, cell = g.op("LSTM", x, g.constant(w), g.constant(r), g.constant(b), outputs=3, hidden_size=h, direction="bidirectional")
    out, ends, cells = np.zeros((s, 2, n, h)), np.zeros((2, n, h)), np.zeros((2, n, h))
    for d, steps in enumerate((range(s), reversed(range(s)))):
        state, c = np.zeros((n, h)), np.zeros((n, h))
        for t in steps:
            i, o, f, k = np.split(f64(x.value[t]) @ w[d].T + state @ r[d].T + b[d][: 4 * h] + b[d][4 * h :], 4, 1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(k)
            state = sigmoid(o) * np.tanh(c)
            out[t, d] = state
        ends[d], cells[d] = state, c
    g.expect(y, out, **near)
    g.expect(last, ends, **near)
    g.expect(cell, cells, **near)
    w, r = g.weights(1, 3 * h, 3), g.weights(1, 3 * h, h)
    y, last = g.op("GRU", x, g.constant(w), g.constant(r), outputs=2, hidden_size=h)
    state, out = np.zeros((n, h)), []
    for t in range(s):
        v, p = f64(x.value[t]) @ w[0].T, state @ r[0].T
        z, q = sigmoid(v[:, :h] + p[:, :h]), sigmoid(v[:, h : 2 * h] + p[:, h : 2 * h])
        state = (1 - z) * np.tanh(v[:, 2 * h :] + (q * state) @ r[0][2 * h :].T) + z * state
        out.append(state)
    g.expect(y, np.stack(out)[:, None], **near)
    g.expect(last, state[None], **near)
    g.expect(g.op("Squeeze", y, g.constant(np.int64([1]))), np.stack(out), **near)
    return g


def units(n, s):
    """The bound of the rows is the number of units, without a first state and with one."""
    g = Model(n, s, opset=14)
    g.ranges["n"], g.sizes = (1, 4), [(1, 1), (3, 4), (4, 33)]
    h, x = 4, g.x("n", "s", 3)
    w, r, first = g.weights(1, h, 3), g.weights(1, h, h), g.x("n", 1, h)
    for begin in (None, first):
        y, last = g.op("RNN", x, g.constant(w), g.constant(r), None, None, begin, outputs=2, hidden_size=h, layout=1)
        state, out = f64(begin.value[:, 0]) if begin else np.zeros((n, h)), []
        for t in range(s):
            state = np.tanh(x.value[:, t] @ w[0].T + state @ r[0].T)
            out.append(state)
        g.expect(y, np.stack(out, 1)[:, :, None], **near)
        g.expect(last, state[:, None], **near)
    g.sums = True
    return g


def layers(n, s):
    g = Model(n, s, opset=23)
    g.sums = True
    q, k = g.x("n", "s", 8), g.x("n", "s", 8)
    y = g.op("Attention", q, k, k, q_num_heads=2, kv_num_heads=2)
    split = lambda x: f64(x.value).reshape(n, s, 2, 4).transpose(0, 2, 1, 3)
    a, b = split(q), split(k)
    z = softmax(a @ b.transpose(0, 1, 3, 2) / 2) @ b
    g.expect(y, z.transpose(0, 2, 1, 3).reshape(n, s, 8), **near)
    g.expect(g.op("Gelu", q, approximate="tanh"), 0.5 * f64(q.value) * (1 + np.tanh(np.sqrt(2 / np.pi) * (f64(q.value) + 0.044715 * f64(q.value) ** 3))), **near)
    gain = g.weights(8)
    f = f64(q.value)
    g.expect(g.op("RMSNormalization", q, g.constant(gain)), f / np.sqrt((f**2).mean(-1, keepdims=True) + 1e-5) * gain, **near)
    g.expect(g.op("ReduceMean", q, g.constant(np.int64([1])), keepdims=0), f.mean(1), **near)
    g.expect(g.op("Reshape", g.op("QuantizeLinear", q, g.constant(np.float32(0.1)), g.constant(np.int8(0))), g.constant(np.int64([-1, 8]))), np.clip(np.rint(q.value / np.float32(0.1)), -128, 127).astype(np.int8).reshape(-1, 8))
    return g


def looks_back(n, s):
    """Attention to a past of any length."""
    g = Model(n, s, opset=24)
    g.sums = True
    q, k, v, past, before = g.x(2, 4, 3, 6), g.x(2, 2, 3, 6), g.x(2, 2, 3, 4), g.x(2, 2, "s", 6), g.x(2, 2, "s", 4)
    keys = np.concatenate([past.value, k.value], 2)
    values = np.repeat(np.concatenate([before.value, v.value], 2), 2, 1).astype(float)
    scores = np.einsum("bhqd,bhkd->bhqk", q.value.astype(float), np.repeat(keys, 2, 1)) / np.sqrt(6)
    hidden = np.arange(s + 3) > np.arange(3)[:, None] + s
    y, present, _, products = g.op("Attention", q, k, v, None, past, before, outputs=4, is_causal=1)
    g.expect(y, softmax(np.where(hidden, -np.inf, scores)) @ values, **near)
    g.expect(present, keys)
    g.expect(products, scores, **near)
    mask = np.random.default_rng(6).integers(0, 2, (3, 4)).astype(bool)
    mask[:, 0] = True
    hidden = ~np.pad(mask, ((0, 0), (0, max(0, s - 1))))[:, : s + 3]
    flat = [g.op("Reshape", g.op("Transpose", x, perm=[0, 2, 1, 3]), g.constant(np.int64([2, 3, -1]))) for x in (q, k, v)]
    want = (softmax(np.where(hidden, -np.inf, scores)) @ values).transpose(0, 2, 1, 3).reshape(2, 3, -1)
    for given in (mask, np.where(mask, 0, -np.inf).astype(np.float32)):
        y, _, present = g.op("Attention", *flat, g.constant(given), past, before, outputs=3, q_num_heads=4, kv_num_heads=2)
        g.expect(y, want, **near)
    g.expect(present, np.concatenate([before.value, v.value], 2))
    # Keys beyond the integer mask are excluded, too.
    numbers = g.x(3, "s", ids=(-3, 2))
    y = g.op("Attention", q, k, v, g.op("Cast", numbers, to=6), past, before)
    added = np.pad(numbers.value.astype(float), ((0, 0), (0, 3)), constant_values=-np.inf)
    g.expect(y, softmax(scores + added) @ values, **near)
    return g


def rows(n, s):
    """Layers on a batch of sequences of one length."""
    g = Model(n, s)
    x, v = g.x("n", 10, 16), g.x("n", 20)
    f = f64(x.value)
    w, b, m = g.weights(16, 48), g.weights(48), g.weights(20, 30)
    y = g.op("Add", g.op("MatMul", x, g.constant(w)), g.constant(b))
    parts = g.op("Split", y, g.constant(np.int64([16, 16, 16])), outputs=3, axis=-1)
    q, k, u = [g.op("Transpose", g.op("Reshape", p, g.constant(np.int64([0, 10, 2, 8]))), perm=[0, 2, 1, 3]) for p in parts]
    scores = g.op("Softmax", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])))
    z = g.op("Reshape", g.op("Transpose", g.op("MatMul", scores, u), perm=[0, 2, 1, 3]), g.constant(np.int64([-1, 10, 16])))
    a, c, d = np.moveaxis((f @ w + b).reshape(n, 10, 3, 2, 8), (2, 3), (0, 2))
    r = (softmax(a @ c.transpose(0, 1, 3, 2)) @ d).transpose(0, 2, 1, 3).reshape(n, 10, 16)
    g.expect(z, r, **near)
    gain = g.weights(16)
    z = g.op("LayerNormalization", z, g.constant(gain))
    r = (r - r.mean(-1, keepdims=True)) / np.sqrt(r.var(-1, keepdims=True) + 1e-5) * gain
    g.expect(z, r, rtol=1e-3, atol=1e-4)
    g.expect(g.op("ReduceMean", z, axes=[1]), r.mean(1, keepdims=True), rtol=1e-3, atol=1e-4)
    g.expect(g.op("Gemm", v, g.constant(m), alpha=2.0), 2 * f64(v.value) @ m, **near)
    h = 8
    w, r = g.weights(1, 4 * h, 16), g.weights(1, 4 * h, h)
    steps = g.op("Transpose", x, perm=[1, 0, 2])
    y, last, _ = g.op("LSTM", steps, g.constant(w), g.constant(r), outputs=3, hidden_size=h)
    state, cell = np.zeros((n, h)), np.zeros((n, h))
    for t in range(10):
        i, o, p, k = np.split(f[:, t] @ w[0].T + state @ r[0].T, 4, 1)
        cell = sigmoid(p) * cell + sigmoid(i) * np.tanh(k)
        state = sigmoid(o) * np.tanh(cell)
    g.expect(last, state[None], **near)
    g.expect(g.op("Gather", y, g.constant(np.int64(-1)), axis=0), state[None], **near)
    return g


def branches(n, s):
    """Results have different sizes in the two branches."""
    g = Model(n, s)
    x = g.x("n", 4)
    name, v = x.names[0], x.value
    body = 'name: "g" node {{ op_type: "{}" output: "y" {} }} output {{ name: "y" }}'
    once = Body(body.format("Neg", f'input: "{name}"'))
    axis = 'attribute { name: "axis" type: INT i: 0 }'
    twice = Body(body.format("Concat", f'input: "{name}" input: "{name}" {axis}'))
    total = g.op("ReduceSum", x, keepdims=0)
    holds = g.op("Greater", total, g.constant(np.float32(0)))
    y = g.op("If", holds, then_branch=once, else_branch=twice)
    g.expect(g.op("Abs", y), np.abs(v if v.sum() > 0 else np.concatenate([v, v])))
    z = g.op("If", holds, then_branch=twice, else_branch=once)
    g.expect(g.op("Abs", z), np.abs(np.concatenate([v, v]) if v.sum() > 0 else v))
    return g


main(elementwise, products, attention, shapes, parts, reductions, old, images, wide, recurrent, units, layers, looks_back, rows, branches)
