"""nets.py FOLDER: trains nets until they classify: logistic regression, and two convolutions with
pools and a dropout."""

import json
import os
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import FLOAT, OUT, attr, compile, const, node, placeholder, run, variable  # noqa: E402

failures = 0
rng = np.random.default_rng(11)


def check(what, holds, said):
    global failures
    if not holds:
        failures += 1
        print(f"{what}: {said}")


def check_logistic():
    """After 200 steps, training separates the points on two sides of a line."""
    rows = 64
    x = rng.standard_normal((rows, 2)).astype(np.float32)
    x += np.where(x @ [1.5, -1] > 0, 0.3, -0.3)[:, None] * np.float32([1.5, -1])
    t = (x @ [1.5, -1] > 0).astype(np.float32)[:, None]
    zeros = np.zeros((2, 1), np.float32)
    graph = [placeholder("x", (rows, 2)), *variable("W", (2, 1), zeros), *variable("b", (1,), zeros[0]),
             node("product", "MatMul", ("x", "W/Read"), FLOAT),
             node("score", "BiasAdd", ("product", "b/Read"), FLOAT),
             node("y", "Sigmoid", ("score",), FLOAT)]  # fmt: skip
    library = compile("logistic", graph, "--loss=sigmoid_cross_entropy:y,t", "--optimizer=sgd:lr=1")
    _, kept = run(library, "train_step", "--repeat=200", inputs={"x": x, "t": t})
    right = np.mean((x @ kept["W"] + kept["b"] > 0) == (t > 0))
    check("logistic regression", right == 1, f"{right:.3f} right after 200 steps")

    # The first step is the gradient, compared with differences of the loss.
    _, kept = run(library, "train_step", inputs={"x": x, "t": t})

    def loss(w, b):
        s = np.float64(x) @ w + b
        return np.mean(np.maximum(s, 0) - s * t + np.log1p(np.exp(-abs(s))))

    h = 1e-5
    for i in range(2):
        e = np.zeros((2, 1))
        e[i] = h
        slope = (loss(e, 0) - loss(-e, 0)) / (2 * h)
        check("its gradient", abs(-kept["W"][i, 0] - slope) <= 1e-3 * abs(slope), (kept["W"][i], slope))


def window(size):
    return attr(size[0], f"list {{ i: 1 i: {size[1]} i: {size[1]} i: 1 }}")


def convolution_net(rows):
    """conv, pool, conv, pool, dense, relu; then scores, and scores after a dropout."""
    text = [placeholder("x", (rows, 12, 12, 1))]

    def layer(name, below, channels, to):
        filters = (rng.standard_normal((5, 5, channels, to)) * (2 / (25 * channels)) ** 0.5).astype(np.float32)
        same = attr("padding", 's: "SAME"')
        text.extend([*variable(name, filters.shape, filters),
                     node(name + "/conv", "Conv2D", (below, name + "/Read"), FLOAT, same, window(("strides", 1))),
                     node(name + "/relu", "Relu", (name + "/conv",), FLOAT),
                     node(name + "/pool", "MaxPool", (name + "/relu",), FLOAT, same,
                          window(("ksize", 2)), window(("strides", 2)))])  # fmt: skip
        return name + "/pool"

    def dense(name, below, size, weights):
        first = (rng.standard_normal(size) * (2 / size[0]) ** 0.5).astype(np.float32)
        if f"{name}/Read" not in weights:
            weights.add(f"{name}/Read")
            text.extend([*variable(name, size, first), *variable(name + "_b", size[1:], np.zeros(size[1:], np.float32))])
        product = f"{name}/of_{below.replace('/', '_')}"
        text.extend([node(product, "MatMul", (below, name + "/Read"), FLOAT),
                     node(product + "_b", "BiasAdd", (product, name + "_b/Read"), FLOAT)])  # fmt: skip
        return product + "_b"

    pooled = layer("two", layer("one", "x", 1, 8), 8, 16)
    made = set()
    text += [const("rows", np.int32([rows, 144])), node("flat", "Reshape", (pooled, "rows"), FLOAT)]
    text.append(node("dense_relu", "Relu", (dense("dense", "flat", (144, 32), made),), FLOAT))
    text.append(node("scores", "Identity", (dense("last", "dense_relu", (32, 4), made),), FLOAT))
    text += [const("shape", np.int32([rows, 32])), const("half", np.float32(0.5)), const("two_", np.float32(2)),
             node("chance", "RandomUniform", ("shape",), attr("dtype", "type: DT_FLOAT"), attr("seed", "i: 3")),
             node("keep", "GreaterEqual", ("chance", "half"), FLOAT),
             node("mask", "Cast", ("keep",), attr("SrcT", "type: DT_BOOL"), attr("DstT", "type: DT_FLOAT")),
             node("kept", "Mul", ("dense_relu", "mask"), FLOAT), node("dropped", "Mul", ("kept", "two_"), FLOAT)]
    text.append(node("dropped_scores", "Identity", (dense("last", "dropped", (32, 4), made),), FLOAT))
    return text


def bars(rows):
    """Pictures of a bar: upright, horizontal, and the two diagonals."""
    labels = rng.integers(0, 4, rows)
    pictures = rng.normal(0, 0.2, (rows, 12, 12, 1))
    for picture, label in zip(pictures, labels):
        at = rng.integers(-2, 3)
        for i in range(2, 10):
            y, x = [(i, 6 + at), (6 + at, i), (i, (i + at) % 12), (i, (11 - i + at) % 12)][label]
            picture[y, x, 0] += 1
    return np.float32(pictures), np.int32(labels)


def check_convolutions():
    """Only the step has dropout; a second training has the same bits."""
    rows = 64
    x, labels = bars(rows * 16)
    np.save(f"{OUT}/pictures.npy", x)
    np.save(f"{OUT}/kinds.npy", labels)
    library = compile("convolutions", convolution_net(rows), "--fetch=scores", "--optimizer=Adam:lr=0.003",
                      "--loss=sparse_softmax_cross_entropy:dropped_scores,labels")  # fmt: skip
    losses = []
    for k in range(2):
        subprocess.run(["weir-run", library, "--function=train_step", "--train", "--epochs=6", "--shuffle=1",
                        f"--data={OUT}/pictures.npy,{OUT}/kinds.npy", f"--metrics={OUT}/loss.jsonl",
                        f"--save={OUT}/trained"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        losses.append([json.loads(line)["loss"] for line in open(f"{OUT}/loss.jsonl")])
    check("losses", len(losses[0]) == 96 and losses[0] == losses[1], "differ from training to training")
    test, wanted = bars(rows)
    given, _ = run(library, "predict", f"--restore={OUT}/trained", inputs={"x": test})
    right = np.mean(given["scores"].argmax(1) == wanted)
    check("convolutions", right >= 0.95, f"{right:.3f} right")


check_logistic()
check_convolutions()
sys.exit(failures != 0)
