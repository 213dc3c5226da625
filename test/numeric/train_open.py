"""train_open.py FOLDER: training and gradients with a batch, or a length, that is known only at
run time. Losses and gradients are compared with NumPy in float64, along random directions of the
variables. A library for these sizes has the same bits if the order of sums is the same."""

import os
import pathlib
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from onnx_graph import value_info  # noqa: E402
from references import softmax  # noqa: E402
from steps import FLOAT, OUT, attr, bundle, const, node, placeholder, variable  # noqa: E402

failures = 0
rng = np.random.default_rng(23)
SIZES = (1, 5, 16, 17, 32)
MOST = SIZES[-1]


def fail(what, said):
    global failures
    failures += 1
    print(f"{what}: {said}")


def f32(*shape, scale=1.0):
    return np.float32(rng.standard_normal(shape) * scale)


def compile(name, text, ending, *options):
    path, library = f"{OUT}/{name}.{ending}", f"{OUT}/{name}.so"
    pathlib.Path(path).write_text("\n".join(text) + "\n")
    subprocess.run(["weir", "compile", path, "-o", library, *options], check=True)
    return library


def run(library, function, inputs, *options):
    """The results of the function; with its state, the variables after it."""
    folder = pathlib.Path(OUT) / "out"
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    folder.mkdir()
    given = []
    for key, value in inputs.items():
        np.save(f"{OUT}/{key}.npy", value)
        given.append(f"--input={key}=@{OUT}/{key}.npy")
    if function != "gradients":
        options = (f"--save={OUT}/kept", *options)
    subprocess.run(["weir-run", library, f"--function={function}", f"--output-dir={folder}",
                    *given, *options], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    results = {str(p.relative_to(folder))[:-4]: np.load(p) for p in folder.rglob("*.npy")}
    if function == "gradients":
        return results
    kinds = {1: np.float32, 9: np.int64}
    tensors = bundle.read(f"{OUT}/kept")
    return results, {k: np.frombuffer(d, kinds[t]).reshape(s) for k, (t, s, d) in tensors.items()}


def same_bits(what, got, want):
    if got.shape != want.shape or got.tobytes() != want.tobytes():
        fail(what, f"{(got != want).sum()} of {got.size} are off by up to {abs(got - want).max()}")


def close(what, got, want, tolerance=2e-4):
    if np.shape(got) != np.shape(want) or not np.allclose(got, want, tolerance, tolerance):
        fail(what, f"{got} instead of {want}")


def slopes_agree(what, loss, variables, gradients):
    """The gradients' products with directions are differences of the loss."""
    at = {k: np.float64(v) for k, v in variables.items()}
    for _ in range(3):
        by = {k: rng.choice([-1.0, 1.0], v.shape) for k, v in at.items()}
        h = 1e-5
        up, down = (loss(**{k: at[k] + s * h * by[k] for k in at}) for s in (1, -1))
        close(f"{what}: slope", sum((gradients[k] * by[k]).sum() for k in at), (up - down) / (2 * h))


def check(name, graph, kind, data, loss, variables, ending="onnx.txt", dims=(), names=(), exact=()):
    """Trains `graph(n)` for one step of sizes n; -1 is the dynamic one, named in `names`.
    `data(n)` returns inputs, and `loss` depends on them and on the variables. A library of fixed
    sizes has the same bits for the sizes `exact`; for others the order of its sums differs. None:
    the bits are not compared."""
    options = [f"--loss={kind}", "--optimizer=sgd:lr=1"]
    if names:
        options.append(f"--train-vars=^({'|'.join(names)})$")
    # With AVX-512, the bound decides if products use inner-product pairing.
    processor = ["-mcpu=x86-64-v3"] if exact else []
    opened = compile(f"{name}-open", graph(-1), ending, *options, *processor,
                     *(f"--dim={dim}=1..{MOST}" for dim in dims))  # fmt: skip
    for n in SIZES:
        what = f"{name} of {n}"
        inputs = data(n)
        given, kept = run(opened, "train_step", inputs)
        gradients = {k: np.float64(variables[k]) - kept[k] for k in variables}
        close(f"{what}: loss", given["loss"], loss(inputs, **{k: np.float64(v) for k, v in variables.items()}))
        slopes_agree(what, lambda inputs=inputs, **v: loss(inputs, **v), variables, gradients)
        alone, unmoved = run(opened, "loss", inputs)
        close(f"{what}: loss alone", alone["loss"], given["loss"], 1e-6)
        same_bits(f"{what}: variables after a loss", *(np.concatenate(
            [np.ravel(v[k]) for k in variables]) for v in (unmoved, variables)))  # fmt: skip
        if exact is None:
            continue
        fixed = compile(f"{name}-fixed", graph(n), ending, *options, *processor)
        wanted, after = run(fixed, "train_step", inputs)
        compare = same_bits if n in exact else lambda *a: close(*a, 4e-6)
        compare(f"{what}: loss of a fixed one", given["loss"], wanted["loss"])
        for k in variables:
            compare(f"{what}: {k} of a fixed one", kept[k], after[k])


def dense(name, x, rows, columns, values):
    return [*variable(f"{name}W", (rows, columns), values[f"{name}W"]),
            *variable(f"{name}b", (columns,), values[f"{name}b"]),
            node(f"{name}p", "MatMul", (x, f"{name}W/Read"), FLOAT),
            node(f"{name}y", "BiasAdd", (f"{name}p", f"{name}b/Read"), FLOAT)]  # fmt: skip


def check_dense():
    """Two dense layers, and classes."""
    values = {"aW": f32(10, 24, scale=0.4), "ab": f32(24), "bW": f32(24, 5, scale=0.4), "bb": f32(5)}

    def graph(n):
        return [placeholder("x", (n, 10)), *dense("a", "x", 10, 24, values),
                node("h", "Tanh", ("ay",), FLOAT), *dense("b", "h", 24, 5, values),
                node("y", "Softmax", ("by",), FLOAT)]  # fmt: skip

    def data(n):
        return {"x": f32(n, 10), "labels": np.int32(rng.integers(0, 5, n))}

    def loss(inputs, aW, ab, bW, bb):
        p = softmax(np.tanh(np.float64(inputs["x"]) @ aW + ab) @ bW + bb)
        return -np.mean(np.log(p[np.arange(len(p)), inputs["labels"]]))

    check("dense", graph, "sparse_softmax_cross_entropy:y", data, loss, values, "pbtxt", ["x.0"],
          exact=SIZES[1:])


def check_poles():
    """Quotients, roots, logarithms and powers are NaN at zero."""
    values = {"v": np.float32([1.5, 2, 3, 0.5]), "w": np.float32([0.5, 1.5, 2.5, 1])}

    def graph(n):
        return [placeholder("x", (n, 4)), *variable("v", (4,), values["v"]),
                *variable("w", (4,), values["w"]),
                node("quotient", "RealDiv", ("v/Read", "x"), FLOAT),
                node("power", "Pow", ("x", "w/Read"), FLOAT),
                node("log", "Log", ("quotient",), FLOAT), node("root", "Sqrt", ("power",), FLOAT),
                node("inverse", "Reciprocal", ("root",), FLOAT),
                node("sum", "AddV2", ("log", "inverse"), FLOAT),
                node("y", "RealDiv", ("sum", "power"), FLOAT)]  # fmt: skip

    def data(n):
        return {"x": np.float32(rng.uniform(0.5, 2, (n, 4))), "t": f32(n, 4)}

    def loss(inputs, v, w):
        x = np.float64(inputs["x"])
        y = (np.log(v / x) + 1 / np.sqrt(x**w)) / x**w
        return np.mean((y - inputs["t"]) ** 2)

    check("poles", graph, "mean_squared_error:y,t", data, loss, values, "pbtxt", ["x.0"])


def check_losses():
    """All losses depend only on the actual rows."""
    W = f32(3, 4)

    def product(inputs, W):
        return np.float64(inputs["x"]) @ W

    def crossed(t, y):
        return -np.sum(t * np.log(softmax(y))) / len(y)

    kinds = {
        "mean_squared_error": (f32, lambda t, y: np.mean((y - t) ** 2)),
        "softmax_cross_entropy": (lambda *s: np.float32(softmax(f32(*s))), crossed),
        "sparse_softmax_cross_entropy": (lambda n, k: np.int32(rng.integers(0, k, n)),
                                         lambda t, y: crossed(np.eye(4)[t], y)),
        "sigmoid_cross_entropy": (lambda *s: np.float32(rng.integers(0, 2, s)),
                                  lambda t, y: np.mean(np.logaddexp(0, y) - t * y)),
        "huber[delta=0.7]": (f32, lambda t, y: np.mean(np.where(
            abs(y - t) <= 0.7, (y - t) ** 2 / 2, 0.7 * abs(y - t) - 0.245))),
        "hinge": (lambda *s: np.float32(rng.integers(0, 2, s)),
                  lambda t, y: np.mean(np.maximum(1 - (2 * t - 1) * y, 0))),
        "log_cosh": (f32, lambda t, y: np.mean(np.log(np.cosh(y - t)))),
    }  # fmt: skip

    def graph(n):
        return [placeholder("x", (n, 3)), *variable("W", W.shape, W),
                node("y", "MatMul", ("x", "W/Read"), FLOAT)]  # fmt: skip

    for i, (kind, (labels, formula)) in enumerate(kinds.items()):
        check(f"loss{i}", graph, f"{kind}:y", lambda n, labels=labels: {"x": f32(n, 3), "labels": labels(n, 4)},
              lambda inputs, W, formula=formula: formula(inputs["labels"], product(inputs, W)),
              {"W": W}, "pbtxt", ["x.0"], exact=None)  # fmt: skip


def tensor(name, value):
    kind, field = (1, "float_data") if value.dtype == np.float32 else (7, "int64_data")
    numbers = " ".join(f"{field}: {v!r}" for v in value.ravel().tolist())
    dims = " ".join(f"dims: {n}" for n in value.shape)
    return f'initializer {{ name: "{name}" {dims} data_type: {kind} {numbers} }}'


def onnx_node(op, inputs, outputs, **attributes):
    text = "".join(f' input: "{i}"' for i in inputs) + "".join(f' output: "{o}"' for o in outputs)
    for key, value in attributes.items():
        if isinstance(value, list):
            content = "type: INTS" + "".join(f" ints: {v}" for v in value)
        elif isinstance(value, float):
            content = f"type: FLOAT f: {value}"
        else:
            content = f"type: INT i: {value}"
        text += f' attribute {{ name: "{key}" {content} }}'
    return f'node {{ op_type: "{op}"{text} }}'


def onnx_model(inputs, values, *nodes):
    """`inputs` have an element type and a shape each; -1 is the dimension n."""
    return ["ir_version: 8", "opset_import { version: 17 }", "graph {",
            *("input { " + value_info(k, t, ["n" if d == -1 else d for d in s]) + " }"
              for k, (t, s) in inputs.items()),
            *(tensor(k, v) for k, v in values.items()), *nodes,
            "output { " + value_info("y") + " }", "}"]  # fmt: skip


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def check_images():
    """Convolutions, pools, and a dense layer are trained by classes."""
    values = {"F": f32(4, 2, 3, 3, scale=0.3), "c": f32(4), "W": f32(16, 3, scale=0.3), "b": f32(3)}

    def graph(n):
        return onnx_model({"x": ("f32", (n, 2, 4, 4))}, {**values, "s": np.int64([-1, 16])},
                          onnx_node("Conv", ("x", "F", "c"), ("p",), pads=[1, 1, 1, 1]),
                          onnx_node("Relu", ("p",), ("h",)),
                          onnx_node("MaxPool", ("h",), ("m",), kernel_shape=[2, 2], strides=[2, 2]),
                          onnx_node("Reshape", ("m", "s"), ("f",)),
                          onnx_node("Gemm", ("f", "W", "b"), ("g",)),
                          onnx_node("Softmax", ("g",), ("y",)))  # fmt: skip

    def data(n):
        return {"x": f32(n, 2, 4, 4), "labels": np.int32(rng.integers(0, 3, n))}

    def loss(inputs, F, c, W, b):
        x = np.pad(np.float64(inputs["x"]), ((0, 0), (0, 0), (1, 1), (1, 1)))
        p = np.zeros((len(x), 4, 4, 4)) + c[:, None, None]
        for i in range(3):
            for k in range(3):
                p += np.einsum("nchw,oc->nohw", x[:, :, i : i + 4, k : k + 4], F[:, :, i, k])
        m = np.maximum(p, 0).reshape(-1, 4, 2, 2, 2, 2).max((3, 5)).reshape(-1, 16)
        y = softmax(m @ W + b)
        return -np.mean(np.log(y[np.arange(len(y)), inputs["labels"]]))

    check("images", graph, "sparse_softmax_cross_entropy:y", data, loss, values, dims=["n"], names=values,
          exact=(MOST,))


def check_lstm():
    """A recurrent layer has a dynamic batch, and a dynamic length."""
    values = {"W": f32(1, 12, 4, scale=0.5), "R": f32(1, 12, 3, scale=0.5), "B": f32(1, 24, scale=0.5)}

    def loss(inputs, W, R, B):
        x = np.float64(inputs["x"])
        h = c = np.zeros((x.shape[1], 3))
        states = []
        for step in x:
            i, o, f, g = np.split(step @ W[0].T + h @ R[0].T + B[0, :12] + B[0, 12:], 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            states.append(h)
        return np.mean((np.array(states)[:, None] - inputs["t"]) ** 2)

    for name, shape in (("batch", (3, -1)), ("length", (-1, 2))):

        def sizes(n, shape=shape):
            return [n if size == -1 else size for size in shape]

        def graph(n, sizes=sizes):
            return onnx_model({"x": ("f32", (*sizes(n), 4))}, values,
                              onnx_node("LSTM", ("x", "W", "R", "B"), ("y",), hidden_size=3))  # fmt: skip

        def data(n, sizes=sizes):
            steps, rows = sizes(n)
            return {"x": f32(steps, rows, 4), "t": f32(steps, 1, rows, 3)}

        check(f"lstm-{name}", graph, "mean_squared_error:y,t", data, loss, values, dims=["n"], names=values)


def check_tokens():
    """Tokens of sentences gather the rows of a table, and their mean is normalized."""
    values = {"E": f32(7, 6), "g": f32(6), "d": f32(6), "W": f32(6, 3)}

    def graph(n):
        return onnx_model({"x": ("i64", (n, 4))}, {**values, "one": np.int64([1])},
                          onnx_node("Gather", ("E", "x"), ("e",)),
                          onnx_node("ReduceMean", ("e",), ("m",), axes=[1], keepdims=0),
                          onnx_node("LayerNormalization", ("m", "g", "d"), ("l",), epsilon=1e-5),
                          onnx_node("MatMul", ("l", "W"), ("y",)))  # fmt: skip

    def data(n):
        return {"x": rng.integers(0, 7, (n, 4)), "t": f32(n, 3)}

    def loss(inputs, E, g, d, W):
        m = E[inputs["x"]].mean(1)
        e = m - m.mean(1, keepdims=True)
        y = (e / np.sqrt((e**2).mean(1, keepdims=True) + 1e-5) * g + d) @ W
        return np.mean((y - inputs["t"]) ** 2)

    check("words", graph, "mean_squared_error:y,t", data, loss, values, dims=["n"], names=values)


def check_norm():
    """Batch normalization uses the actual rows."""
    values = {"g": f32(3), "d": f32(3)}
    kept = {"m": f32(3), "v": np.float32([1, 2, 3])}

    def graph(n):
        return onnx_model({"x": ("f32", (n, 3))}, {**values, **kept},
                          onnx_node("BatchNormalization", ("x", "g", "d", "m", "v"), ("y", "mm", "vv"),
                                    training_mode=1, momentum=0.75, epsilon=0.1))  # fmt: skip

    def data(n):
        return {"x": f32(n, 3), "t": f32(n, 3)}

    def loss(inputs, g, d):
        x = np.float64(inputs["x"])
        y = (x - x.mean(0)) / np.sqrt(x.var(0) + 0.1) * g + d
        return np.mean((y - inputs["t"]) ** 2)

    check("norm", graph, "mean_squared_error:y,t", data, loss, values, dims=["n"], names=values)
    for n in SIZES:
        inputs = data(n)
        _, after = run(f"{OUT}/norm-open.so", "train_step", inputs)
        x = np.float64(inputs["x"])
        close(f"norm of {n}: mean", after["m"], 0.75 * kept["m"] + 0.25 * x.mean(0))
        close(f"norm of {n}: variance", after["v"], 0.75 * kept["v"] + 0.25 * x.var(0))


def check_gradients():
    """Gradients by an input with dynamic sizes, and by inner tensors."""
    W = f32(4, 3)
    model = onnx_model({"x": ("f32", (-1, 4))}, {"W": W},
                       onnx_node("MatMul", ("x", "W"), ("h",)), onnx_node("Exp", ("h",), ("e",)),
                       onnx_node("ReduceLogSumExp", ("h",), ("y",), axes=[1], keepdims=0))  # fmt: skip
    library = compile("gradients", model, "onnx.txt", "--grad=y:x,h,W", "--dim=n=1..32")
    for n in SIZES:
        x = f32(n, 4)
        given = run(library, "gradients", {"x": x})
        p = softmax(np.float64(x) @ W)
        close(f"gradients of {n}: h", given["gradients_h"], p)
        close(f"gradients of {n}: x", given["gradients_x"], p @ W.T)
        close(f"gradients of {n}: W", given["gradients_W"], np.float64(x).T @ p)


def check_epochs():
    """The last batch of an epoch is trained, too, and counts by its rows."""
    W = np.zeros((3, 2), np.float32)
    text = [placeholder("x", (-1, 3)), *variable("W", W.shape, W),
            node("y", "MatMul", ("x", "W/Read"), FLOAT)]  # fmt: skip
    library = compile("epochs", text, "pbtxt", "--loss=mean_squared_error:y,t", "--dim=x.0=1..8",
                      "--optimizer=sgd:lr=0.1")  # fmt: skip
    x, t = f32(19, 3), f32(19, 2)
    np.save(f"{OUT}/x.npy", x)
    np.save(f"{OUT}/t.npy", t)
    for batch, more in ((8, []), (5, ["--batch=5"])):
        ran = subprocess.run(["weir-run", library, "--train", f"--data={OUT}/x.npy,{OUT}/t.npy", "--epochs=2",
                              f"--save={OUT}/kept", *more], check=True, capture_output=True, text=True)  # fmt: skip
        w = np.float64(W)
        for epoch in (1, 2):
            sum = 0
            for i in range(0, 19, batch):
                rows = np.float64(x[i : i + batch])
                e = rows @ w - t[i : i + batch]
                sum += np.mean(e * e) * len(rows)
                w = w - 0.1 * 2 * rows.T @ e / e.size
            said = float(ran.stdout.split("loss ")[epoch].split(",")[0])
            close(f"batches of {batch}: loss of epoch {epoch}", said, sum / 19)
        (kind, shape, content) = bundle.read(f"{OUT}/kept")["W"]
        close(f"batches of {batch}: W", np.frombuffer(content, np.float32).reshape(shape), w)
        if f"of {batch}, the last of {19 % batch}," not in ran.stdout:
            fail(f"batches of {batch}", ran.stdout)


CHECKS = [check_dense, check_poles, check_losses, check_images, check_lstm, check_tokens, check_norm,
          check_gradients, check_epochs]  # fmt: skip
if __name__ == "__main__":
    for each in CHECKS:
        if len(sys.argv) < 3 or each.__name__[6:] in sys.argv[2:]:
            each()
    print(f"{failures} failures")
    sys.exit(failures > 0)
