"""train.py FOLDER: forward graphs become training steps; the variables and the optimizer state
after ten steps are compared with NumPy in float64."""

import os
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from references import softmax  # noqa: E402
from steps import FLOAT, OUT, attr, compile, const, node, placeholder, run, variable  # noqa: E402

STEPS = 10
failures = 0
rng = np.random.default_rng(5)


def linear(W, b, rows):
    """y = x W + b."""
    return [placeholder("x", (rows, W.shape[0])), *variable("W", W.shape, W),
            *variable("b", b.shape, b),
            node("product", "MatMul", ("x", "W/Read"), FLOAT),
            node("y", "BiasAdd", ("product", "b/Read"), FLOAT)]  # fmt: skip


def compare(what, got, want, rtol=2e-6, atol=2e-6):
    global failures
    if isinstance(want, list) and got == want:
        return
    if isinstance(want, list) or np.shape(got) != np.shape(want) or not np.allclose(got, want, rtol=rtol, atol=atol):
        failures += 1
        print(f"{what}: {got} instead of {want}")


# Each has the arguments variable, gradient, optimizer state, step number, weight decay.


def gradient_descent(x, g, k, t, decay):
    return x - 0.1 * g


def momentum(x, g, k, t, decay, nesterov=False):
    k[0] = 0.8 * k[0] + g
    return x - 0.1 * (g + 0.8 * k[0] if nesterov else k[0])


def rmsprop(x, g, k, t, decay, centered=False):
    k[0] = 0.8 * k[0] + 0.2 * g * g
    if centered:
        k[1] = 0.8 * k[1] + 0.2 * g
    mean = k[1] if centered else 0
    k[-1] = 0.5 * k[-1] + 0.01 * g / np.sqrt(k[0] - mean**2 + 1e-3)
    return x - k[-1]


def adagrad(x, g, k, t, decay):
    k[0] = k[0] + g * g
    return x - 0.1 * g / np.sqrt(k[0])


def adagrad_da(x, g, k, t, decay):
    k[0], k[1] = k[0] + g, k[1] + g * g
    shrunk = np.sign(k[0]) * np.maximum(abs(k[0]) - 0.01 * t, 0)
    return -0.1 * shrunk / (0.02 * t * 0.1 + np.sqrt(k[1]))


def adadelta(x, g, k, t, decay):
    k[0] = 0.9 * k[0] + 0.1 * g * g
    by = np.sqrt(k[1] + 1e-4) / np.sqrt(k[0] + 1e-4) * g
    k[1] = 0.9 * k[1] + 0.1 * by * by
    return x - 0.5 * by


def means(g, k):
    k[0] = 0.9 * k[0] + 0.1 * g
    k[1] = 0.99 * k[1] + 0.01 * g * g


def adam(x, g, k, t, decay):
    means(g, k)
    rate = 0.01 * np.sqrt(1 - 0.99**t) / (1 - 0.9**t)
    return x - rate * k[0] / (np.sqrt(k[1]) + 1e-5)


def adamw(x, g, k, t, decay):
    return adam(x - 0.01 * decay * x, g, k, t, 0)


def adamax(x, g, k, t, decay):
    k[0] = 0.9 * k[0] + 0.1 * g
    k[1] = np.maximum(0.99 * k[1], abs(g))
    return x - 0.01 / (1 - 0.9**t) * k[0] / (k[1] + 1e-5)


def ftrl(x, g, k, t, decay):
    new = k[0] + g * g
    shrunk = g + 2 * 0.03 * x
    k[1] = k[1] + shrunk - (new**0.6 - k[0] ** 0.6) / 0.1 * x
    k[0] = new
    away = np.clip(k[1], -0.01, 0.01) - k[1]
    return away / (new**0.6 / 0.1 + 2 * 0.02)


def lamb(x, g, k, t, decay):
    means(g, k)
    by = k[0] / (1 - 0.9**t) / (np.sqrt(k[1] / (1 - 0.99**t)) + 1e-5) + decay * x
    a, b = np.linalg.norm(x), np.linalg.norm(by)
    return x - 0.01 * (a / b if a * b > 0 else 1) * by


ADAM = "lr=0.01,beta1=0.9,beta2=0.99,epsilon=1e-5"
# Options, the first optimizer state, the step, and the weight decay.
OPTIMIZERS = [
    ("GradientDescent:lr=0.1", [], gradient_descent, 0),
    ("Momentum:lr=0.1,momentum=0.8", [0], momentum, 0),
    ("Momentum:lr=0.1,momentum=0.8,nesterov=1", [0],
     lambda *a: momentum(*a, nesterov=True), 0),
    ("RMSProp:lr=0.01,decay=0.8,momentum=0.5,epsilon=1e-3", [1, 0], rmsprop, 0),
    ("RMSProp:lr=0.01,decay=0.8,momentum=0.5,epsilon=1e-3,centered=1", [1, 0, 0],
     lambda *a: rmsprop(*a, centered=True), 0),
    ("Adagrad:lr=0.1,initial=0.2", [0.2], adagrad, 0),
    ("AdagradDA:lr=0.1,initial=0.2,l1=0.01,l2=0.02", [0, 0.2], adagrad_da, 0),
    ("Adadelta:lr=0.5,rho=0.9,epsilon=1e-4", [0, 0], adadelta, 0),
    (f"Adam:{ADAM}", [0, 0], adam, 0),
    (f"AdamW:{ADAM}", [0, 0], adamw, 0.3),
    (f"AdaMax:{ADAM}", [0, 0], adamax, 0),
    ("Ftrl:lr=0.1,initial=0.2,l1=0.01,l2=0.02,shrinkage=0.03,power=-0.6", [0.2, 0], ftrl, 0),
    (f"LAMB:{ADAM}", [0, 0], lamb, 0.3),
]  # fmt: skip

W = np.float32(rng.normal(size=(3, 4)))
B = np.float32(rng.normal(size=4))
X = np.float32(rng.normal(size=(6, 3)))
T = np.float32(rng.normal(size=(6, 4)))


def mean_squared(w, b):
    """The loss and its gradients, in float64."""
    e = np.float64(X) @ w + b - T
    return np.mean(e * e), 2 * X.T @ e / e.size, 2 * e.sum(0) / e.size


def check_optimizers():
    for i, (options, first, step, decay) in enumerate(OPTIMIZERS):
        name = options.split(":")[0]
        more = [f"--weight-decay={decay}"] if decay else []
        library = compile(f"optimizer{i}", linear(W, B, 6),
                          "--loss=mean_squared_error:y,t", f"--optimizer={options}", *more)  # fmt: skip
        given, kept = run(library, "train_step", f"--repeat={STEPS}", inputs={"x": X, "t": T})
        state = {"W": np.float64(W), "b": np.float64(B)}
        slots = {v: [np.full(state[v].shape, s, np.float64) for s in first] for v in state}
        for t in range(1, STEPS + 1):
            loss, *slopes = mean_squared(**{"w": state["W"], "b": state["b"]})
            for v, g in zip(state, slopes):
                state[v] = step(state[v], g, slots[v], t, decay)
        compare(f"{options}: loss", given["loss"], loss)
        for v in state:
            compare(f"{options}: {v}", kept[v], state[v])
            for s, value in enumerate(slots[v]):
                key = f"{v}/{name}" + (f"_{s}" if s else "")
                compare(f"{options}: {key}", kept[key], value)
        wanted = {v for v in state} | {
            f"{v}/{name}" + (f"_{s}" if s else "") for v in state for s in range(len(first))}
        if name in ("Adam", "AdamW", "AdaMax", "LAMB"):
            wanted |= {"beta1_power", "beta2_power"}
            compare(f"{options}: power", kept["beta1_power"], 0.9 ** (STEPS + 1))
        if name == "AdagradDA":
            wanted |= {"global_step"}
            compare(f"{options}: steps", kept["global_step"], STEPS)
        if set(kept) != wanted:
            compare(f"{options}: variables", sorted(kept), sorted(wanted))


def check_losses():
    """Losses and their gradients by the output, which is a variable."""
    x = np.float32(rng.normal(size=(5, 4)) * 3)
    dense = np.float32(softmax(rng.normal(size=(5, 4))))
    sparse = np.int32(rng.integers(0, 4, 5))
    binary = np.float32(rng.integers(0, 2, (5, 4)))
    hot, y = np.eye(4)[sparse], np.float64(x)
    e, n, p = y - dense, x.size, softmax(y)
    sigmoid = 1 / (1 + np.exp(-y))
    side = 2 * binary - 1
    logs = np.log(p)
    cases = [
        ("mean_squared_error", dense, np.mean(e * e), 2 * e / n),
        ("softmax_cross_entropy", dense, -np.sum(dense * logs) / 5, (p - dense) / 5),
        ("sparse_softmax_cross_entropy", sparse, -np.sum(hot * logs) / 5, (p - hot) / 5),
        ("sigmoid_cross_entropy", binary,
         -np.mean(binary * np.log(sigmoid) + (1 - binary) * np.log(1 - sigmoid)),
         (sigmoid - binary) / n),
        ("huber[delta=0.7]", dense,
         np.mean(np.where(abs(e) <= 0.7, e * e / 2, 0.7 * abs(e) - 0.245)),
         np.clip(e, -0.7, 0.7) / n),
        ("hinge", binary, np.mean(np.maximum(1 - side * y, 0)),
         np.where(side * y < 1, -side, 0) / n),
        ("log_cosh", dense, np.mean(np.log(np.cosh(e))), np.tanh(e) / n),
    ]  # fmt: skip
    for kind, labels, loss, slope in cases:
        text = [*variable("v", x.shape, x), node("y", "Identity", ("v/Read",), FLOAT)]
        library = compile("loss", text, f"--loss={kind}:y", "--optimizer=sgd:lr=1")
        given, kept = run(library, "loss", inputs={"labels": labels})
        compare(f"{kind}: loss", given["loss"], loss)
        compare(f"{kind}: variable after its loss", kept["v"], x)
        given, kept = run(library, "train_step", inputs={"labels": labels})
        compare(f"{kind}: loss of a step", given["loss"], loss)
        compare(f"{kind}: gradient", x - kept["v"], slope)


def check_options():
    """Clipping, decay, a learning rate as input, and frozen variables."""
    _, dw, db = mean_squared(np.float64(W), np.float64(B))
    length = np.sqrt((dw**2).sum() + (db**2).sum())

    def norm(g):
        return g * 0.1 / max(np.linalg.norm(g), 0.1)

    cases = [
        (["--clip=value=0.05"], W - np.clip(dw, -0.05, 0.05), B - np.clip(db, -0.05, 0.05)),
        (["--clip=norm=0.1"], W - norm(dw), B - norm(db)),
        (["--clip=global_norm=0.2"], W - dw * 0.2 / length, B - db * 0.2 / length),
        (["--clip=global_norm=200"], W - dw, B - db),
        (["--weight-decay=0.25:^W$"], W - dw - W * 0.25, B - db),
        (["--freeze=^W"], None, B - db),
        (["--train-vars=W"], W - dw, None),
    ]
    for options, w, b in cases:
        library = compile("options", linear(W, B, 6), "--loss=mean_squared_error:y,t",
                          "--optimizer=sgd:lr=1", *options)  # fmt: skip
        _, kept = run(library, "train_step", inputs={"x": X, "t": T})
        for key, want in (("W", w), ("b", b)):
            if want is not None:
                compare(f"{options}: {key}", kept[key], want)
            elif key in kept:
                compare(f"{options}: {key} is kept", sorted(kept), [])
    library = compile("rate", linear(W, B, 6), "--loss=mean_squared_error:y,t",
                      "--optimizer=momentum:lr=input,momentum=0")  # fmt: skip
    rate = {"learning_rate": np.float32(0.25)}
    _, kept = run(library, "train_step", inputs={"x": X, "t": T, **rate})
    compare("rate: W", kept["W"], W - 0.25 * dw)


def check_first_values():
    """Variables without first values: their spread is known, and a second library has the same."""
    text = [placeholder("x", (2, 300)), *variable("W", (300, 200)), *variable("b", (200,)),
            *variable("scale", (200,)),
            node("product", "MatMul", ("x", "W/Read"), FLOAT),
            node("biased", "BiasAdd", ("product", "b/Read"), FLOAT),
            node("y", "Mul", ("biased", "scale/Read"), FLOAT)]  # fmt: skip
    spreads = {"": 2 / 500, "glorot_normal:seed=3": 2 / 500, "he_uniform:seed=3": 2 / 300,
               "he_normal": 2 / 300}  # fmt: skip
    seen = []
    for kind, variance in spreads.items():
        more = [f"--init={kind}"] if kind else []
        library = compile("first", text, "--loss=mean_squared_error:y", "--init=ones:scale", *more)
        kept = [run(library, "predict", inputs={"x": np.zeros((2, 300), np.float32)})[1]
                for _ in range(2)]  # fmt: skip
        w = kept[0]["W"]
        compare(f"{kind}: W again", kept[1]["W"], w, 0, 0)
        compare(f"{kind}: variance of W", w.var() / variance, 1, 0.02)
        compare(f"{kind}: mean of W", w.mean(), 0, 0, 2e-3)
        if "uniform" in kind or not kind:
            compare(f"{kind}: largest of W", abs(w).max(), np.sqrt(3 * variance), 1e-2)
        compare(f"{kind}: b", kept[0]["b"], np.zeros(200))
        compare(f"{kind}: scale", kept[0]["scale"], np.ones(200))
        seen.append(w)
    if any(np.array_equal(a, b) for i, a in enumerate(seen) for b in seen[:i]):
        compare("first values", ["equal"], ["different"])


def check_restored():
    """Ten steps equal five, a checkpoint, and five more."""
    library = compile("restored", linear(W, B, 6), "--loss=mean_squared_error:y,t",
                      "--optimizer=adam:lr=0.1")  # fmt: skip
    inputs = {"x": X, "t": T}
    _, whole = run(library, "train_step", "--repeat=10", inputs=inputs)
    run(library, "train_step", "--repeat=5", inputs=inputs)
    _, parts = run(library, "train_step", "--repeat=5", f"--restore={OUT}/kept", inputs=inputs)
    for key, value in whole.items():
        compare(f"restored: {key}", parts[key], value, 0, 0)


def check_accumulated():
    """Three steps of a third of the batch equal one of the whole, with clipping, decay and
    optimizer state. The checkpoint contains the gradients that are not applied yet."""
    more = ["--loss=mean_squared_error:y,t", "--clip=global_norm=0.2", "--weight-decay=0.25:^W$",
            "--optimizer=Adam:lr=0.01,beta1=0.9,beta2=0.99,epsilon=1e-5"]  # fmt: skip
    parts = compile("parts", linear(W, B, 2), *more, "--accumulate=3")
    state = {"W": np.float64(W), "b": np.float64(B)}
    slots = {v: [0, 0] for v in state}
    sums = {v: 0 for v in state}
    restore = []
    for step in range(9):
        rows = slice(step % 3 * 2, step % 3 * 2 + 2)
        x, t = X[rows], T[rows]
        e = np.float64(x) @ state["W"] + state["b"] - t
        slopes = {"W": 2 * x.T @ e / e.size, "b": 2 * e.sum(0) / e.size}
        given, kept = run(parts, "train_step", *restore, inputs={"x": x, "t": t})
        restore = [f"--restore={OUT}/kept"]
        compare(f"accumulated {step}: loss", given["loss"], np.mean(e * e))
        for v in state:
            sums[v] = slopes[v] + (sums[v] if step % 3 else 0)
            compare(f"accumulated {step}: sum of {v}", kept[v + "/gradient_sum"], sums[v])
        if step % 3 == 2:
            means = {"W": sums["W"] / 3 + 0.25 * state["W"], "b": sums["b"] / 3}
            length = np.sqrt(sum((g**2).sum() for g in means.values()))
            for v, g in means.items():
                state[v] = adam(state[v], g * 0.2 / max(length, 0.2), slots[v], step // 3 + 1, 0)
        for v in state:
            compare(f"accumulated {step}: {v}", kept[v], state[v])
            compare(f"accumulated {step}: {v}/Adam", kept[v + "/Adam"], slots[v][0] + np.zeros(state[v].shape))
        compare(f"accumulated {step}: power", kept["beta1_power"], 0.9 ** ((step + 1) // 3 + 1))
        compare(f"accumulated {step}: steps", kept["accumulated_steps"], (step + 1) % 3)
    whole = compile("whole", linear(W, B, 6), *more)
    _, at_once = run(whole, "train_step", "--repeat=3", inputs={"x": X, "t": T})
    for v in ("W", "b", "W/Adam", "W/Adam_1", "b/Adam_1", "beta2_power"):
        compare(f"accumulated: {v} as of whole batches", kept[v], at_once[v])


def check_frozen():
    """Constants that --train-vars names are variables; the others stay."""
    text = [placeholder("x", (6, 3)), const("W", W), const("b", B),
            node("product", "MatMul", ("x", "W"), FLOAT),
            node("y", "BiasAdd", ("product", "b"), FLOAT)]  # fmt: skip
    library = compile("frozen", text, "--loss=mean_squared_error:y,t", "--train-vars=^W$",
                      "--optimizer=sgd:lr=1")  # fmt: skip
    _, kept = run(library, "train_step", inputs={"x": X, "t": T})
    compare("frozen: W", kept["W"], W - mean_squared(np.float64(W), np.float64(B))[1])
    compare("frozen: variables", sorted(kept), ["W"])
    given, _ = run(library, "predict", inputs={"x": X})
    compare("frozen: prediction", given["y"], X @ W + B)


def onnx_tensor(name, value):
    numbers = " ".join(f"float_data: {v!r}" for v in np.ravel(value).tolist())
    sizes = " ".join(f"dims: {d}" for d in np.shape(value))
    return f'initializer {{ name: "{name}" data_type: 1 {sizes} {numbers} }}'


def onnx_info(kind, name, shape):
    sizes = " ".join(f"dim {{ dim_value: {d} }}" for d in shape)
    return f'{kind} {{ name: "{name}" type {{ tensor_type {{ elem_type: 1 shape {{ {sizes} }} }} }} }}'


def check_onnx():
    """The same holds for initializers of an ONNX model, which keep their names."""
    text = ['ir_version: 8 opset_import { version: 17 } graph { name: "line"',
            'node { op_type: "Gemm" input: "x" input: "W" input: "b" output: "y" }',
            onnx_tensor("W", W), onnx_tensor("b", B), onnx_info("input", "x", (6, 3)),
            onnx_info("output", "y", (6, 4)), "}"]  # fmt: skip
    library = compile("line", text, "--loss=mean_squared_error:y,t", "--train-vars=.",
                      "--optimizer=adam:lr=0.01,beta1=0.9,beta2=0.99,epsilon=1e-5", ending="onnx")  # fmt: skip
    given, kept = run(library, "train_step", f"--repeat={STEPS}", inputs={"x": X, "t": T})
    state = {"W": np.float64(W), "b": np.float64(B)}
    slots = {v: [0, 0] for v in state}
    for t in range(1, STEPS + 1):
        _, *slopes = mean_squared(state["W"], state["b"])
        for v, g in zip(state, slopes):
            state[v] = adam(state[v], g, slots[v], t, 0)
    for v in state:
        compare(f"onnx: {v}", kept[v], state[v])
        compare(f"onnx: {v}/Adam", kept[v + "/Adam"], slots[v][0])
    given, _ = run(library, "predict", f"--restore={OUT}/kept", inputs={"x": X})
    compare("onnx: prediction", given["y"], X @ state["W"] + state["b"], 1e-5, 1e-5)


def check_onnx_statistics():
    """A batch is normalized by its own statistics, and updates those of the model."""
    scale, shift = np.float32([1.5, 0.5, -1, 2]), np.float32([0.1, 0, -0.2, 0.3])
    center, spread = np.float32([0, 1, 2, 3]), np.float32([1, 2, 1, 0.5])
    text = ['ir_version: 8 opset_import { version: 17 } graph { name: "norm"',
            'node { op_type: "MatMul" input: "x" input: "W" output: "p" }',
            'node { op_type: "BatchNormalization" input: "p" input: "s" input: "b" input: "m" '
            'input: "v" output: "y" output: "m1" output: "v1" '
            'attribute { name: "training_mode" type: INT i: 1 } '
            'attribute { name: "momentum" type: FLOAT f: 0.75 } }',
            onnx_tensor("W", W), onnx_tensor("s", scale), onnx_tensor("b", shift),
            onnx_tensor("m", center), onnx_tensor("v", spread),
            onnx_info("input", "x", (6, 3)), onnx_info("output", "y", (6, 4)), "}"]  # fmt: skip
    w, s, b, m, v = (np.float64(a) for a in (W, scale, shift, center, spread))
    for _ in range(3):
        p = X @ w
        mean, variance = p.mean(0), p.var(0)
        root = np.sqrt(variance + 1e-5)
        normal = (p - mean) / root
        dy = 2 * (normal * s + b - T) / T.size
        dn = dy * s
        dp = (dn - dn.mean(0) - normal * (dn * normal).mean(0)) / root
        w, s, b = w - 0.1 * X.T @ dp, s - 0.1 * (dy * normal).sum(0), b - 0.1 * dy.sum(0)
        m, v = 0.75 * m + 0.25 * mean, 0.75 * v + 0.25 * variance
    for names in (".", "^[Wsb]$"):
        library = compile("norm", text, "--loss=mean_squared_error:y,t", f"--train-vars={names}",
                          "--optimizer=sgd:lr=0.1", ending="onnx")  # fmt: skip
        _, kept = run(library, "train_step", "--repeat=3", inputs={"x": X, "t": T})
        for key, want in zip("Wsbmv", (w, s, b, m, v)):
            compare(f"statistics: {key}", kept[key], want, 1e-4, 1e-5)
        before = {key: value.copy() for key, value in kept.items()}
        _, kept = run(library, "loss", f"--restore={OUT}/kept", inputs={"x": X, "t": T})
        for key in before:
            compare(f"statistics: {key} after a loss", kept[key], before[key], 0, 0)


def check_random():
    """Random numbers differ from step to step, and are the same in each training."""
    count = 4000
    ones = np.ones(count, np.float32)
    drop = ['ir_version: 8 opset_import { version: 17 } graph { name: "drop"',
            'node { op_type: "Dropout" input: "x" input: "r" input: "yes" output: "d" '
            'attribute { name: "seed" type: INT i: 3 } }',
            'node { op_type: "Mul" input: "d" input: "w" output: "y" }',
            'node { op_type: "ReduceSum" input: "y" output: "loss" '
            'attribute { name: "keepdims" type: INT i: 0 } }',
            onnx_tensor("w", ones), onnx_tensor("r", np.float32(0.5)),
            'initializer { name: "yes" data_type: 9 int32_data: 1 }',
            onnx_info("input", "x", (count,)), 'output { name: "loss" } }']  # fmt: skip
    uniform = [placeholder("x", (count,)), *variable("w", (count,), ones),
               const("shape", np.int32([count])), const("dims", np.int32([0])),
               const("half", np.float32(0.5)),
               node("u", "RandomUniform", ("shape",), attr("dtype", "type: DT_FLOAT"),
                    attr("seed", "i: 3")),
               node("k", "GreaterEqual", ("u", "half")),
               node("f", "Cast", ("k",), attr("DstT", "type: DT_FLOAT")),
               node("z", "Mul", ("f", "x")), node("d", "Mul", ("z", "two")),
               const("two", np.float32(2)), node("y", "Mul", ("d", "w/Read")),
               node("loss", "Sum", ("y", "dims"))]  # fmt: skip
    for ending, text in (("onnx", drop), ("pbtxt", uniform)):
        library = compile("drop", text, "--loss=loss", "--train-vars=^w$", "--optimizer=sgd:lr=1",
                          ending=ending)  # fmt: skip
        w = [ones]
        for steps in (1, 2, 3, 3):
            _, kept = run(library, "train_step", f"--repeat={steps}", inputs={"x": ones})
            w.append(kept["w"].copy())
        compare(f"{ending}: again", w[3], w[4], 0, 0)
        masks = [(a - b) / 2 for a, b in zip(w, w[1:4])]
        for k, mask in enumerate(masks):
            compare(f"{ending}: mask {k}", mask * (1 - mask), np.zeros(count))
            compare(f"{ending}: share of mask {k}", mask.mean(), 0.5, 0, 0.05)
            compare(f"{ending}: share of two", (mask * masks[k - 1]).mean(), 0.25, 0, 0.05)


def check_served():
    """A graph has the values of a checkpoint, which become constants."""
    library = compile("served", linear(W, B, 6), "--loss=mean_squared_error:y,t")
    _, kept = run(library, "train_step", "--repeat=5", inputs={"x": X, "t": T})
    path = f"{OUT}/served.pbtxt"
    subprocess.run(["weir", "compile", path, "-o", f"{OUT}/serve.so", f"--checkpoint={OUT}/kept"],
                   check=True)  # fmt: skip
    want = X @ np.float64(kept["W"]) + kept["b"]
    np.save(f"{OUT}/want.npy", np.float32(want))
    subprocess.run(["weir-run", f"{OUT}/serve.so", f"--input=x=@{OUT}/x.npy",
                    f"--expect=y=@{OUT}/want.npy"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip


check_optimizers()
check_losses()
check_options()
check_first_values()
check_restored()
check_accumulated()
check_frozen()
check_onnx()
check_onnx_statistics()
check_random()
check_served()
sys.exit(failures != 0)
