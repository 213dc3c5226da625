"""Tests ONNX nodes of the elementwise, shape and control families against NumPy."""

import numpy as np
from onnx_graph import Body, OnnxGraph, main

rng = np.random.default_rng(7)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def i64(*values):
    return np.array(values, np.int64)


def arithmetic():
    g = OnnxGraph()
    a, b = np.int32([[7, -7, 7, -7]]), np.int32([3, 3, -3, -3])
    x, y = g.input(a), g.input(b)
    g.expect(g.op("Mod", x, y), np.mod(a, b))
    g.expect(g.op("Mod", x, y, fmod=1), np.fmod(a, b))
    g.expect(g.op("Div", x, y), np.trunc(a / b).astype(np.int32))
    p, q = np.float32([2, 3, 4]), np.int64([3, 2, -1])
    u, v = g.input(p), g.input(q)
    g.expect(g.op("Pow", u, v), p ** q.astype(np.float64), ulp=2)
    z = f32(2, 3)
    w = g.input(z)
    g.expect(g.op("Max", w, u), np.maximum(z, p))
    g.expect(g.op("Mean", w, u), (z.astype(np.float64) + p) / 2, ulp=1)
    g.expect(g.op("Clip", w, g.constant(np.float32(-0.5))), np.maximum(z, -0.5))
    g.expect(g.op("Cast", u, to=6), p.astype(np.int32), type=np.int32)
    g.expect(g.op("Cast", u, to=11), p.astype(np.float64), type=np.float64)
    g.expect(g.op("CastLike", v, u), q.astype(np.float32), type=np.float32)
    g.expect(g.op("BitCast", u, to=6), p.view(np.int32))
    bits = np.uint8([1, 2, 128])
    s = g.input(bits)
    two = g.constant(np.uint8([2]))
    g.expect(g.op("BitShift", s, two, direction="LEFT"), (bits << 2).astype(np.uint8))
    g.expect(g.op("BitShift", s, two, direction="RIGHT"), bits >> 2)
    # A shift by the width or more is zero.
    far = g.input(np.uint8([7, 8, 200]))
    g.expect(g.op("BitShift", s, far, direction="LEFT"), np.uint8([128, 0, 0]))
    g.expect(g.op("BitShift", g.input(np.uint8([255, 255, 255])), far, direction="RIGHT"), np.uint8([1, 0, 0]))
    # The last bit of an exponent determines the sign of the power.
    odd = np.int64([2**24 + 1, 2**24, 3])
    minus = g.input(np.float32([-1, -1, -2]))
    g.expect(g.op("Pow", minus, g.input(odd)), np.float32([-1, 1, -8]))
    g.expect(g.op("Pow", g.input(np.int32([1, 2, -1])), g.input(np.int64([2**32, 3, 2**32 + 1]))), np.int32([1, 8, -1]))
    # Small integer powers are products, with the same special values.
    edges = np.float32([-np.inf, -3e38, -1.7, -1e-20, -0.0, 0.0, 1e-20, 1.7, np.inf, np.nan])
    edge = g.input(edges)
    with np.errstate(all="ignore"):
        for power in (-1, 1, 2, 3):
            exact = np.power(edges.astype(np.float64), power)
            g.expect(g.op("Pow", edge, g.constant(np.float32(power))), exact, ulp=1.5)
    inf = np.float32([np.inf, -np.inf, 1, np.nan])
    i = g.input(inf)
    g.expect(g.op("IsInf", i, detect_negative=0), inf == np.inf)
    slope = g.constant(np.float32([[0.5], [0.25]]))
    g.expect(g.op("PRelu", w, slope), np.where(z < 0, z * [[0.5], [0.25]], z), ulp=1)
    return g


def activations():
    g = OnnxGraph(opset=24)
    a = np.linspace(-4, 4, 33, dtype=np.float32)
    x, d = g.input(a), a.astype(np.float64)
    sigmoid = 1 / (1 + np.exp(-d))
    softplus = np.log1p(np.exp(d))
    near = dict(rtol=2e-6, atol=1e-6)
    g.expect(g.op("Celu", x, alpha=2.0), np.maximum(d, 0) + np.minimum(0, 2 * np.expm1(d / 2)), **near)
    g.expect(g.op("Elu", x, alpha=1.5), np.where(d < 0, 1.5 * np.expm1(d), d), **near)
    g.expect(g.op("Selu", x), 1.0507009873554805 * np.where(d > 0, d, 1.6732632423543772 * np.expm1(d)), **near)
    cubic = np.sqrt(2 / np.pi) * (d + 0.044715 * d**3)
    g.expect(g.op("Gelu", x, approximate="tanh"), 0.5 * d * (1 + np.tanh(cubic)), **near)
    g.expect(g.op("HardSigmoid", x, alpha=0.25, beta=0.5), np.clip(0.25 * d + 0.5, 0, 1), **near)
    g.expect(g.op("HardSwish", x), d * np.clip(d / 6 + 0.5, 0, 1), **near)
    g.expect(g.op("Mish", x), d * np.tanh(softplus), **near)
    g.expect(g.op("Swish", x), d * sigmoid, **near)
    g.expect(g.op("Shrink", x, bias=0.5, lambd=1.0), np.where(d < -1, d + 0.5, np.where(d > 1, d - 0.5, 0)), **near)
    g.expect(g.op("ThresholdedRelu", x, alpha=1.5), np.where(d > 1.5, d, 0), **near)
    g.expect(g.op("LeakyRelu", x, alpha=0.125), np.where(d < 0, d / 8, d), **near)
    return g


def gated():
    g = OnnxGraph(opset=28)
    for shape in ((), (0, 3), (7,), (2, 5, 16)):
        for type, near in ((np.float32, dict(rtol=2e-6, atol=1e-6)), (np.float64, dict(rtol=1e-12, atol=1e-13)),
                           (np.float16, dict(rtol=4e-3, atol=4e-3))):  # fmt: skip
            a, b = ((4 * rng.standard_normal(shape)).astype(type) for _ in range(2))
            x, y, d = g.input(a), g.input(b), a.astype(np.float64)
            for alpha in ({}, {"alpha": 1.75}):
                gate = d / (1 + np.exp(-alpha.get("alpha", 1) * d))
                g.expect(g.op("SwiGLU", x, y, **alpha), gate * b, **near)
    return g


def reductions():
    g = OnnxGraph(opset=18)
    a = f32(2, 3, 4)
    x, d = g.input(a), a.astype(np.float64)
    axes = g.constant(i64(-1, 0))
    near = dict(rtol=1e-5, atol=1e-6)
    both = dict(axis=(0, 2), keepdims=True)
    g.expect(g.op("ReduceSum", x, axes), d.sum(**both), **near)
    g.expect(g.op("ReduceMean", x, axes, keepdims=0), d.mean(axis=(0, 2)), **near)
    g.expect(g.op("ReduceL1", x), np.abs(d).sum(keepdims=True), **near)
    g.expect(g.op("ReduceL2", x, axes), np.sqrt((d * d).sum(**both)), **near)
    g.expect(g.op("ReduceSumSquare", x, axes), (d * d).sum(**both), **near)
    g.expect(g.op("ReduceLogSumExp", x, axes), np.log(np.exp(d).sum(**both)), **near)
    g.expect(g.op("ReduceMax", x, axes), d.max(**both))
    g.expect(g.op("ReduceProd", x, axes), d.prod(**both), **near)
    g.expect(g.op("ReduceSum", x, noop_with_empty_axes=1), a)
    # Axes are known only at run time. The declared shape determines them, or the run
    # does if several have that shape.
    one = g.input(i64(1))
    g.expect(g.op("ReduceSum", x, one, promise=[2, 1, 4]), d.sum(axis=1, keepdims=True), **near)
    square = f32(3, 3)
    y = g.input(square)
    g.expect(g.op("ReduceMin", y, one, keepdims=0, promise=[3]), square.min(axis=1))
    g.expect(g.op("ArgMax", x, axis=1), a.argmax(axis=1)[:, None])
    # The sum of integers may overflow their type; their mean does not.
    large = np.int32([[-1, -2, 2**31 - 1, 2**31 - 1], [3, 0, -5, -5]])
    whole = lambda row: np.trunc(row.astype(np.float64).mean())
    g.expect(g.op("ReduceMean", g.input(large), g.constant(i64(1)), keepdims=0), np.int32([whole(row) for row in large]))
    huge = np.int64([[2**62, 2**62, 2**62 + 5], [-(2**63), 2**63 - 1, 0], [-7, -1, -3], [7, 1, 3], [-6, -3, 0]])
    exact = [int(abs(total) // 3) * (1 if total > 0 else -1) for total in (sum(map(int, row)) for row in huge)]
    g.expect(g.op("ReduceMean", g.input(huge), g.constant(i64(1)), keepdims=0), i64(*exact))
    ties = g.input(np.float32([1, 3, 3]))
    g.expect(g.op("ArgMax", ties, select_last_index=1, keepdims=0), np.int64(2))
    g.expect(g.op("CumSum", y, one, reverse=1), np.cumsum(square.astype(np.float64)[:, ::-1], 1)[:, ::-1], **near)
    return g


def softmax():
    g = OnnxGraph(opset=13)
    a = f32(2, 3, 4)
    x, d = g.input(a), a.astype(np.float64)
    e = np.exp(d)
    near = dict(rtol=1e-5, atol=1e-6)
    g.expect(g.op("Softmax", x, axis=1), e / e.sum(1, keepdims=True), **near)
    g.expect(g.op("LogSoftmax", x), d - np.log(e.sum(-1, keepdims=True)), **near)
    hard = np.zeros_like(a)
    np.put_along_axis(hard, a.argmax(1)[:, None], 1, 1)
    g.expect(g.op("Hardmax", x, axis=1), hard)
    t = np.int64([[0, 2, 1, 2], [1, 1, 0, 2]])
    w = np.float32([0.5, 1, 2])
    logs = d - np.log(e.sum(1, keepdims=True))
    picked = -np.take_along_axis(logs, t[:, None], 1)[:, 0]
    target, weights = g.input(t), g.input(w)
    loss = g.op("SoftmaxCrossEntropyLoss", x, target, weights)
    g.expect(loss, (picked * w[t]).sum() / w[t].sum(), **near)
    kept = np.where(t == 1, 0, picked)
    g.expect(g.op("SoftmaxCrossEntropyLoss", x, target, reduction="none", ignore_index=1), kept, **near)
    return g


def softmax_of_old():
    """Before opset 13 the dimensions from the axis on count as one."""
    g = OnnxGraph(opset=11)
    a = f32(2, 3, 4)
    e = np.exp(a.astype(np.float64))
    g.expect(g.op("Softmax", g.input(a)), e / e.sum((1, 2), keepdims=True), rtol=1e-5, atol=1e-6)
    return g


def shapes():
    g = OnnxGraph()
    a = f32(2, 3, 4)
    x = g.input(a)
    g.expect(g.op("Reshape", x, g.constant(i64(0, -1))), a.reshape(2, 12))
    g.expect(g.op("Reshape", x, g.input(i64(4, 6)), promise=[4, 6]), a.reshape(4, 6))
    g.expect(g.op("Flatten", x, axis=2), a.reshape(6, 4))
    wide = g.op("Unsqueeze", x, g.constant(i64(0, -1)))
    g.expect(wide, a[None, ..., None])
    g.expect(g.op("Squeeze", wide), a)
    g.expect(g.op("Shape", x, start=1), i64(3, 4))
    g.expect(g.op("Size", x), np.int64(24))
    g.expect(g.op("Transpose", x, perm=[2, 0, 1]), a.transpose(2, 0, 1))
    g.expect(g.op("Transpose", x), a.T)
    g.expect(g.op("Expand", x, g.constant(i64(5, 1, 1, 1))), np.broadcast_to(a, (5, 2, 3, 4)))
    g.expect(g.op("Tile", x, g.constant(i64(1, 2, 3))), np.tile(a, (1, 2, 3)))
    g.expect(g.op("ConstantOfShape", g.constant(i64(2, 2)), value=np.int32([7])), np.full((2, 2), 7))
    g.expect(g.op("Concat", x, x, axis=1), np.concatenate([a, a], 1))
    first, second = g.op("Split", x, g.constant(i64(1, 3)), axis=2, outputs=2)
    g.expect(first, a[..., :1])
    g.expect(second, a[..., 1:])
    image = f32(1, 8, 2, 3)
    y = g.input(image)
    dcr = image.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6)
    g.expect(g.op("DepthToSpace", y, blocksize=2), dcr)
    crd = image.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)
    deep = g.op("DepthToSpace", y, blocksize=2, mode="CRD")
    g.expect(deep, crd)
    space = crd.reshape(1, 2, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 3)
    g.expect(g.op("SpaceToDepth", deep, blocksize=2), space)
    return g


def slices():
    g = OnnxGraph(opset=18)
    a = f32(5, 6)
    x = g.input(a)

    def take(starts, ends, axes, steps, make, **more):
        return g.op("Slice", x, *(make(i64(*v)) for v in (starts, ends, axes, steps)), **more)

    for make in (g.constant, g.input):
        more = {"promise": [3, 3]} if make == g.input else {}
        g.expect(take((-1, 1), (0, 9), (0, 1), (-2, 2), make, **{**more, **({"promise": [2, 3]} if more else {})}), a[-1:0:-2, 1:9:2])
        g.expect(take((4, 0), (-9, 3), (-2, 1), (-2, 1), make, **more), a[4::-2, :3])
    margins = i64(1, 2, 0, 1)
    for mode, name in (("constant", "constant"), ("reflect", "reflect"), ("edge", "edge"), ("wrap", "wrap")):
        want = np.pad(a, ((1, 0), (2, 1)), mode=name)
        g.expect(g.op("Pad", x, g.constant(margins), mode=mode), want)
        g.expect(g.op("Pad", x, g.input(margins), mode=mode, promise=[6, 9]), want)
    # Long padding consists of slices of its source.
    long = f32(3, 40)
    y = g.input(long)
    for mode in ("reflect", "edge", "wrap"):
        want = np.pad(long, ((0, 0), (3, 2)), mode=mode)
        g.expect(g.op("Pad", y, g.constant(i64(0, 3, 0, 2)), mode=mode), want)
    many = np.arange(100000) * 7 % 40
    for places in (np.arange(2, 39, 3), np.arange(35, 3, -4), np.r_[0:9, 20:8:-1, [7] * 5, 6], many):
        g.expect(g.op("Gather", y, g.constant(np.int64(places)), axis=1), long[:, places])
    g.expect(g.op("Pad", x, g.constant(i64(-1, 1, 0, -2)), g.constant(np.float32(3))), np.pad(a[1:, :-2], ((0, 0), (1, 0)), constant_values=3))
    g.expect(g.op("CenterCropPad", x, g.constant(i64(3, 9))), np.pad(a[1:4], ((0, 0), (1, 2))))
    lengths = g.input(i64(1, 2, 3, 4, 5, 0))
    want = a.copy()
    for column, n in enumerate([1, 2, 3, 4, 5, 0]):
        want[:n, column] = want[:n, column][::-1]
    g.expect(g.op("ReverseSequence", x, lengths), want)
    return g


def gathers():
    g = OnnxGraph(opset=18)
    a = f32(3, 4)
    x = g.input(a)
    g.expect(g.op("Gather", x, g.input(i64(-1, 0)), axis=1), a[:, [-1, 0]])
    places = np.int64([[0, -1, 2], [1, 1, 0]])
    p = g.input(places)
    g.expect(g.op("GatherElements", x, p, axis=0), np.take_along_axis(a[:, :3], places, 0))
    b, deep = f32(2, 3, 5), np.int64(rng.integers(-3, 3, (2, 4, 5)))
    for at in (g.input(deep), g.constant(deep)):
        g.expect(g.op("GatherElements", g.input(b), at, axis=1), np.take_along_axis(b, deep, 1))
    vectors = np.int64([[0, 1], [-1, -1]])
    g.expect(g.op("GatherND", x, g.input(vectors)), a[[0, -1], [1, -1]])
    updates = f32(2, 3)
    u = g.input(updates)
    want = a.copy()
    for i in range(2):
        for j in range(3):
            want[places[i, j], j] += updates[i, j]
    g.expect(g.op("ScatterElements", x, p, u, reduction="add"), want, ulp=1)
    row = f32(1, 4)
    want = a.copy()
    want[-2] = row[0]
    g.expect(g.op("ScatterND", x, g.input(np.int64([[-2]])), g.input(row)), want)
    g.expect(g.op("Compress", x, g.input(np.array([True, False, True])), axis=0, promise=[2, 4]), a[[0, 2]])
    holes = np.where(np.abs(a) < 0.7, 0, a).astype(np.float32)
    found = np.array(np.nonzero(holes))
    g.expect(g.op("NonZero", g.input(holes), promise=list(found.shape)), found)
    g.expect(g.op("NonZero", g.constant(holes)), found)
    values, where = g.op("TopK", x, g.constant(i64(2)), outputs=2, largest=0)
    g.expect(values, np.sort(a, 1)[:, :2])
    g.expect(where, np.argsort(a, 1)[:, :2])
    doubled = np.float32([2, 1, 1, 3, 4, 3])
    made = g.op("Unique", g.input(doubled), outputs=4, sorted=0, promise=[4])
    for got, want in zip(made, ([2, 1, 3, 4], [0, 1, 3, 4], [0, 1, 1, 2, 3, 2], [1, 2, 2, 1])):
        g.expect(got, np.array(want))
    return g


def ranges():
    g = OnnxGraph()
    limits = [np.float32(v) for v in (1, 5, 1.5)]
    g.expect(g.op("Range", *(g.constant(v) for v in limits)), np.arange(*limits))
    back = [np.int32(v) for v in (10, 3, -3)]
    g.expect(g.op("Range", *(g.input(v) for v in back), promise=[3]), np.arange(*back))
    a = f32(3, 4)
    x = g.input(a)
    g.expect(g.op("EyeLike", x, k=1, dtype=7), np.eye(3, 4, 1))
    g.expect(g.op("Trilu", x, g.input(np.int64(-1)), upper=0), np.tril(a, -1))
    g.expect(g.op("Trilu", x), np.triu(a))
    for k in (2**63 - 1, -(2**63)):
        g.expect(g.op("Trilu", x, g.input(np.int64(k))), np.triu(a, np.sign(k) * 99))
        g.expect(g.op("Trilu", x, g.input(np.int64(k)), upper=0), np.tril(a, np.sign(k) * 99))
    places = g.input(i64(0, -1, 5))
    values = g.constant(np.float32([2, 7]))
    hot = np.full((3, 4), 2.0)
    hot[0, 0] = hot[1, 3] = 7
    g.expect(g.op("OneHot", places, g.constant(i64(4)), values), hot)
    return g


def products():
    g = OnnxGraph()
    a, b, c = f32(2, 3, 4), f32(4, 5), f32(5)
    x, y, z = g.input(a), g.input(b), g.input(c)
    near = dict(rtol=1e-5, atol=1e-5)
    g.expect(g.op("MatMul", x, y), a.astype(np.float64) @ b, **near)
    g.expect(g.op("MatMul", g.op("MatMul", x, y), z), (a.astype(np.float64) @ b) @ c, **near)
    left = f32(4, 3)
    half = g.input(np.full((2, 100), 100, np.float16))
    g.expect(g.op("Gemm", half, half, transB=1, alpha=0.001), np.full((2, 2), 1000), rtol=1e-3)
    got = g.op("Gemm", g.input(left), y, z, transA=1, alpha=0.5, beta=2.0)
    g.expect(got, 0.5 * (left.T.astype(np.float64) @ b) + 2 * c, **near)
    g.expect(g.op("Einsum", x, y, equation="bij,jk->bki"), np.einsum("bij,jk->bki", a.astype(np.float64), b), **near)
    return g


def optimizers():
    g = OnnxGraph()
    domain = "ai.onnx.preview.training"
    r, t = np.float32(0.1), np.int64(3)
    a, s, m, v = f32(4), f32(4), f32(4), np.abs(f32(4))
    rate, step = g.input(r), g.input(t)
    x, slope, mean, square = (g.input(k) for k in (a, s, m, v))
    near = dict(rtol=1e-5, atol=1e-6)
    d, e, w, q = (k.astype(np.float64) for k in (a, s, m, v))
    made = g.op("Momentum", rate, step, x, slope, mean, outputs=2, domain=domain,
                alpha=0.9, beta=0.5, mode="nesterov", norm_coefficient=0.01)
    reg = e + 0.01 * d
    speed = 0.9 * w + 0.5 * reg
    g.expect(made[0], d - 0.1 * (reg + 0.9 * speed), **near)
    g.expect(made[1], speed, **near)
    made = g.op("Adam", rate, step, x, slope, mean, square, outputs=3, domain=domain,
                alpha=0.9, beta=0.99, epsilon=1e-3)
    w1, q1 = 0.9 * w + 0.1 * e, 0.99 * q + 0.01 * e * e
    scale = 0.1 * np.sqrt(1 - 0.99**3) / (1 - 0.9**3)
    g.expect(made[0], d - scale * w1 / (np.sqrt(q1) + 1e-3), **near)
    g.expect(made[2], q1, **near)
    made = g.op("Adagrad", rate, step, x, slope, square, outputs=2, domain=domain,
                decay_factor=0.5, epsilon=1e-3)
    sums = q + e * e
    g.expect(made[0], d - 0.1 / 2.5 * e / (np.sqrt(sums) + 1e-3), **near)
    return g


def control():
    """Loops with and without a known number of steps, and a backward scan."""
    g = OnnxGraph()
    a = f32(4)
    x = g.input(a)
    d = a.astype(np.float64)
    doubled = Body(
        'input { name: "i" } input { name: "go" } input { name: "v" }'
        ' node { op_type: "Add" input: "v" input: "v" output: "w" }'
        ' node { op_type: "Identity" input: "v" output: "old" }'
        ' output { name: "go" } output { name: "w" } output { name: "old" }'
    )
    steps = np.stack([d, 2 * d, 4 * d])
    last, each = g.op("Loop", g.constant(np.int64(3)), None, x, outputs=2, body=doubled)
    g.expect(last, 8 * d)
    g.expect(each, steps)
    go = g.input(np.array(True))
    last = g.op("Loop", g.input(np.int64(3)), go, x, body=Body(doubled.replace(' output { name: "old" }', "")))
    g.expect(last, 8 * d)
    rows = f32(3, 2)
    start = g.constant(np.float32([0, 0]))
    body = Body(
        'input { name: "s" } input { name: "row" }'
        ' node { op_type: "Add" input: "s" input: "row" output: "t" }'
        ' node { op_type: "Identity" input: "t" output: "u" }'
        ' output { name: "t" } output { name: "u" }'
    )
    total, sums = g.op(
        "Scan", start, g.input(rows), outputs=2, num_scan_inputs=1, body=body,
        scan_input_directions=[1], scan_output_directions=[1],
    )  # fmt: skip
    back = np.cumsum(rows.astype(np.float64)[::-1], 0)[::-1]
    g.expect(total, back[0], ulp=2)
    g.expect(sums, back, ulp=2)
    branch = 'node {{ op_type: "{}" input: "x1" output: "r" }} output {{ name: "r" }}'
    yes, no = (Body(branch.format(op)) for op in ("Neg", "Abs"))
    g.expect(g.op("If", g.input(np.array(False)), then_branch=yes, else_branch=no), np.abs(a))
    return g


def random():
    """Random numbers have the right distribution; every run has the same ones."""
    g = OnnxGraph(fold=False)
    ones = g.constant(np.ones((64, 64), np.float32))
    uniform = g.op("RandomUniformLike", ones, low=2.0, high=4.0, seed=1.0)
    near = dict(rtol=0.02)
    g.expect(g.op("ReduceMean", uniform, keepdims=0), 3.0, **near)
    g.expect(g.op("ReduceMax", uniform, keepdims=0), 4.0, **near)
    normal = g.op("RandomNormal", shape=[64, 64], mean=5.0, scale=2.0)
    g.expect(g.op("ReduceMean", normal, keepdims=0), 5.0, **near)
    square = g.op("ReduceL2", g.op("Sub", normal, g.constant(np.float32(5))), keepdims=0)
    g.expect(square, 128.0, rtol=0.04)
    third = g.constant(np.full((64, 64), 1 / 3, np.float32))
    g.expect(g.op("ReduceSum", g.op("Bernoulli", third), keepdims=0), 4096 / 3, rtol=0.05)
    ratio, trains = g.constant(np.float32(0.25)), g.input(np.array(True))
    kept = g.op("Dropout", ones, ratio, trains)
    g.expect(g.op("ReduceSum", kept, keepdims=0), 4096, rtol=0.03)
    g.expect(g.op("ReduceMax", kept, keepdims=0), 4 / 3, ulp=1)
    logs = g.constant(np.log(np.float32([[0.1, 0.6, 0.3]])))
    drawn = g.op("Multinomial", logs, sample_size=4096)
    first = g.op("Cast", g.op("Equal", drawn, g.constant(np.int32(1))), to=1)
    g.expect(g.op("ReduceMean", first, keepdims=0), 0.6, rtol=0.05)
    return g


def runs():
    """The number of n-grams of one and two numbers, with a gap or without."""
    g = OnnxGraph(fold=False)
    x = g.input(np.int32([[1, 2, 1, 2], [2, 1, 1, 3]]))
    more = dict(
        mode="TF", min_gram_length=1, max_gram_length=2, max_skip_count=1,
        ngram_counts=[0, 2], ngram_indexes=[2, 0, 1], pool_int64s=[1, 3, 1, 2],
    )  # fmt: skip
    g.expect(g.op("TfIdfVectorizer", x, **more), np.float32([[0, 2, 2], [1, 0, 2]]))
    return g


def broken_promise():
    g = OnnxGraph(fold=False)
    x = g.input(f32(2, 3))
    g.expect(g.op("Reshape", x, g.input(i64(6, 1)), promise=[3, 2]), np.zeros((3, 2)))
    g.fails("asks for another shape than the model says")
    return g


def far_place():
    g = OnnxGraph(fold=False)
    x = g.input(f32(2, 3))
    g.expect(g.op("Gather", x, g.input(i64(2))), np.zeros((1, 3)))
    g.fails("names a place outside of its operand")
    return g


main(
    arithmetic, activations, gated, reductions, softmax, softmax_of_old, shapes, slices,
    gathers, ranges, products, optimizers, control, random, runs, broken_promise, far_place,
)  # fmt: skip
