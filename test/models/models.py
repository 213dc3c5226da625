"""Small whole graphs, each with its inputs and NumPy's results in f64.

A model returns its graph, its feeds and its fetches, both by tensor.
"""

import numpy as np

from graphdef import Graph


def numbers(*shape, seed=1, scale=1.0):
    values = np.random.default_rng(seed).normal(0, scale, shape)
    return values.astype(np.float32)


def wide(*arrays):
    return [a.astype(np.float64) for a in arrays]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def convolution(x, w, stride=1):
    """NHWC, padding SAME, with an odd filter."""
    kh, kw = w.shape[:2]
    n, h, width, _ = x.shape
    oh, ow = -(-h // stride), -(-width // stride)
    ph = max((oh - 1) * stride + kh - h, 0)
    pw = max((ow - 1) * stride + kw - width, 0)
    x = np.pad(x, ((0, 0), (ph // 2, ph - ph // 2), (pw // 2, pw - pw // 2), (0, 0)))
    y = np.zeros((n, oh, ow, w.shape[3]))
    for dy in range(kh):
        for dx in range(kw):
            part = x[:, dy:dy + stride * (oh - 1) + 1:stride,
                     dx:dx + stride * (ow - 1) + 1:stride]
            y += part @ w[dy, dx]
    return y


def mlp():
    """Two layers and a softmax; three rows at once."""
    x, w1, b1, w2, b2 = (numbers(3, 20), numbers(20, 33, seed=2, scale=0.3),
                         numbers(33, seed=3), numbers(33, 5, seed=4, scale=0.3),
                         numbers(5, seed=5))
    g = Graph()
    g.placeholder("x", x.shape)
    for name, value in (("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2)):
        g.const(name, value)
    g.op("product", "MatMul", "x", "w1")
    g.op("biased", "BiasAdd", "product", "b1")
    g.op("hidden", "Relu", "biased")
    g.op("product2", "MatMul", "hidden", "w2")
    g.op("scores", "BiasAdd", "product2", "b2")
    g.op("y", "Softmax", "scores")
    X, W1, B1, W2, B2 = wide(x, w1, b1, w2, b2)
    return g, {"x": x}, {"y": softmax(np.maximum(X @ W1 + B1, 0) @ W2 + B2)}


def _normalized(g, name, x, channels, seed, form):
    """A batch normalization; returns its edge and its function in NumPy."""
    values = [np.abs(numbers(channels, seed=seed)) + 0.5, numbers(channels, seed=seed + 1),
              numbers(channels, seed=seed + 2), np.abs(numbers(channels, seed=seed + 3)) + 0.5]
    inputs = [g.const(f"{name}/{i}", v) for i, v in enumerate(values)]
    g.node(name, "FusedBatchNormV3", [x, *inputs], T="DT_FLOAT", U="DT_FLOAT",
           epsilon=0.001, is_training=False, data_format=form)
    scale, offset, mean, variance = wide(*values)
    return name, lambda v: (v - mean) / np.sqrt(variance + np.float32(0.001)) * scale + offset


def residual(form="NHWC"):
    """Convolutions with batch norm, a stride, a residual sum, a mean, a dense layer."""
    x = numbers(2, 9, 9, 3)
    w1, w2, w3 = (numbers(3, 3, 3, 8, seed=2, scale=0.3), numbers(3, 3, 8, 8, seed=3, scale=0.2),
                  numbers(1, 1, 3, 8, seed=4, scale=0.5))
    dense = numbers(8, 4, seed=5)
    first = form == "NCHW"
    g = Graph()
    g.placeholder("x", (2, 3, 9, 9) if first else x.shape)
    for name, value in (("w1", w1), ("w2", w2), ("w3", w3), ("dense", dense)):
        g.const(name, value)
    one, two = [1, 1, 1, 1], [1, 1, 2, 2] if first else [1, 2, 2, 1]
    options = {"padding": "SAME", "data_format": form}
    g.op("c1", "Conv2D", "x", "w1", strides=two, **options)
    n1, norm1 = _normalized(g, "n1", "c1", 8, 10, form)
    g.op("r1", "Relu", n1)
    g.op("c2", "Conv2D", "r1", "w2", strides=one, **options)
    n2, norm2 = _normalized(g, "n2", "c2", 8, 20, form)
    g.op("c3", "Conv2D", "x", "w3", strides=two, **options)
    g.op("sum", "AddV2", n2, "c3")
    g.op("r2", "Relu", "sum")
    g.ints("spatial", [2, 3] if first else [1, 2])
    g.op("mean", "Mean", "r2", "spatial", Tidx="DT_INT32", keep_dims=False)
    g.op("y", "MatMul", "mean", "dense")
    X, W1, W2, W3, D = wide(x, w1, w2, w3, dense)
    h = norm2(convolution(np.maximum(norm1(convolution(X, W1, 2)), 0), W2))
    y = np.maximum(h + convolution(X, W3, 2), 0).mean((1, 2)) @ D
    return g, {"x": x.transpose(0, 3, 1, 2) if first else x}, {"y": y}


def residual_channels_first():
    return residual("NCHW")


def attention():
    """One block of a transformer: layer norm, two heads, a gelu with erf."""
    x = numbers(2, 6, 8)
    weights = {n: numbers(8, 8, seed=i + 2, scale=0.4) for i, n in enumerate("qkvo")}
    up, down = numbers(8, 16, seed=8, scale=0.3), numbers(16, 8, seed=9, scale=0.3)
    g = Graph()
    g.placeholder("x", x.shape)
    for name, value in [*weights.items(), ("up", up), ("down", down)]:
        g.const(name, value)
    g.ints("last", [-1])
    g.const("epsilon", 1e-5)
    g.op("mean", "Mean", "x", "last", Tidx="DT_INT32", keep_dims=True)
    g.op("spread", "SquaredDifference", "x", "mean")
    g.op("variance", "Mean", "spread", "last", Tidx="DT_INT32", keep_dims=True)
    g.op("shifted", "AddV2", "variance", "epsilon")
    g.op("factor", "Rsqrt", "shifted")
    g.op("centred", "Sub", "x", "mean")
    g.op("normal", "Mul", "centred", "factor")
    g.ints("heads", [2, 6, 2, 4])
    g.ints("order", [0, 2, 1, 3])
    for n in "qkv":
        g.op(n + "p", "BatchMatMulV2", "normal", n)
        g.op(n + "r", "Reshape", n + "p", "heads", Tshape="DT_INT32")
        g.op(n + "t", "Transpose", n + "r", "order", Tperm="DT_INT32")
    g.op("dots", "BatchMatMulV2", "qt", "kt", adj_y=True)
    g.const("half", 0.5)
    g.op("scaled", "Mul", "dots", "half")
    g.op("weights", "Softmax", "scaled")
    g.op("mixed", "BatchMatMulV2", "weights", "vt")
    g.op("back", "Transpose", "mixed", "order", Tperm="DT_INT32")
    g.ints("flat", [2, 6, 8])
    g.op("joined", "Reshape", "back", "flat", Tshape="DT_INT32")
    g.op("projected", "BatchMatMulV2", "joined", "o")
    g.op("residual", "AddV2", "projected", "x")
    g.op("wide", "BatchMatMulV2", "residual", "up")
    g.const("root", np.sqrt(0.5))
    g.const("one", 1.0)
    g.op("inner", "Mul", "wide", "root")
    g.op("erf", "Erf", "inner")
    g.op("plus", "AddV2", "erf", "one")
    g.op("scaled2", "Mul", "wide", "half")
    g.op("gelu", "Mul", "scaled2", "plus")
    g.op("narrow", "BatchMatMulV2", "gelu", "down")
    g.op("y", "AddV2", "narrow", "residual")
    X, Q, K, V, O, U, D = wide(x, *weights.values(), up, down)
    normal = (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    q, k, v = ((normal @ w).reshape(2, 6, 2, 4).transpose(0, 2, 1, 3) for w in (Q, K, V))
    mixed = softmax(q @ k.swapaxes(-1, -2) / 2) @ v
    residual = mixed.transpose(0, 2, 1, 3).reshape(2, 6, 8) @ O + X
    h = residual @ U
    erf = np.vectorize(__import__("math").erf)
    return g, {"x": x}, {"y": h / 2 * (1 + erf(h * np.sqrt(0.5))) @ D + residual}


def loop():
    """A recurrence: h = tanh(h @ w + x) until the counter of the feed is reached."""
    x, w = numbers(1, 6), numbers(6, 6, seed=2, scale=0.5)
    g = Graph()
    g.placeholder("x", x.shape)
    g.placeholder("steps", (), "int32")
    g.ints("zero", 0)
    g.const("start", np.zeros((1, 6)))
    g.const("w", w)
    types = ["DT_INT32", "DT_INT32", "DT_FLOAT", "DT_FLOAT", "DT_FLOAT"]
    names = [("i", types[0]), ("n", types[1]), ("h", types[2]), ("x", types[3]), ("w", types[4])]
    condition = Graph()
    condition.op("less", "Less", "i", "n", T="DT_INT32")
    g.add_function("again", names, [("p", "DT_BOOL", "less:z:0")], condition)
    body = Graph()
    body.ints("one", 1)
    body.op("next", "AddV2", "i", "one:output:0", T="DT_INT32")
    body.op("product", "MatMul", "h", "w")
    body.op("sum", "AddV2", "product:product:0", "x")
    body.op("tanh", "Tanh", "sum:z:0")
    edges = ["next:z:0", "n", "tanh:y:0", "x", "w"]
    g.add_function("step", names,
                   [(n + "_out", t, e) for (n, t), e in zip(names, edges)], body)
    g.node("while", "StatelessWhile", ["zero", "steps", "start", "x", "w"],
           T=types, cond=("again",), body=("step",))
    g.op("y", "Identity", "while:2")
    X, W = wide(x, w)
    h = np.zeros((1, 6))
    for _ in range(7):
        h = np.tanh(h @ W + X)
    return g, {"x": x, "steps": np.int32(7)}, {"y": h}


def embedding():
    """Rows of a table by index, their mean, and the likeliest of four classes."""
    table, dense = numbers(10, 6), numbers(6, 4, seed=2)
    ids = np.array([[1, 9, 3], [0, 0, 7]], np.int32)
    g = Graph()
    g.placeholder("ids", ids.shape, "int32")
    g.const("table", table)
    g.const("dense", dense)
    g.ints("axis", 0)
    g.node("rows", "GatherV2", ["table", "ids", "axis"], Tparams="DT_FLOAT",
           Tindices="DT_INT32", Taxis="DT_INT32")
    g.ints("words", [1])
    g.op("mean", "Mean", "rows", "words", Tidx="DT_INT32", keep_dims=False)
    g.op("scores", "MatMul", "mean", "dense")
    g.ints("last", -1)
    g.node("best", "ArgMax", ["scores", "last"], T="DT_FLOAT", Tidx="DT_INT32",
           output_type="DT_INT64")
    scores = table.astype(np.float64)[ids].mean(1) @ dense
    return g, {"ids": ids}, {"scores": scores, "best": scores.argmax(-1).astype(np.int64)}


def cut():
    """Partial execution: the graph of `mlp` from a tensor in its middle."""
    g, _, _ = mlp()
    hidden = np.maximum(numbers(3, 33, seed=9), 0)
    w2, b2 = wide(numbers(33, 5, seed=4, scale=0.3), numbers(5, seed=5))
    return g, {"hidden:0": hidden}, {"scores:0": hidden.astype(np.float64) @ w2 + b2}
