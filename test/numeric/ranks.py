"""ranks.py FOLDER: models that several ranks run together, against the same models on one machine.
The ranks are threads of weir-run."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import FLOAT, OUT, attr, bundle, compile, const, node, placeholder, variable  # noqa: E402

failures = 0
rng = np.random.default_rng(7)


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"{what}: does not hold")


def close(what, got, want, tolerance):
    got, want = np.float64(got), np.float64(want)
    scale = max(np.abs(want).max(initial=0), 1e-30)
    expect(f"{what}: {np.abs(got - want).max(initial=0) / scale:.2g} of {scale:.2g}",
           got.shape == want.shape and np.all(np.abs(got - want) <= tolerance * scale))


def uniform(*shape):
    return (rng.random(shape) - 0.5).astype(np.float32)


# The two-layer net of the slides.
N, D, H = 64, 100, 50
MLP = [placeholder("x", (N, D)), placeholder("y", (N, D)),
       *variable("w1", (D, H), uniform(D, H)), *variable("w2", (H, D), uniform(H, D)),
       node("a", "MatMul", ("x", "w1/Read"), FLOAT), node("h", "Relu", ("a",), FLOAT),
       node("p", "MatMul", ("h", "w2/Read"), FLOAT),
       node("d", "SquaredDifference", ("p", "y"), FLOAT),
       const("axes", np.int32([0, 1])),
       node("loss", "Mean", ("d", "axes"), FLOAT, attr("Tidx", "type: DT_INT32"))]  # fmt: skip


def run(library, function, *options, inputs):
    """The outputs of the function."""
    folder = pathlib.Path(library + ".out")
    given = []
    for key, value in inputs.items():
        np.save(f"{OUT}/{key}.npy", value)
        given.append(f"--input={key}=@{OUT}/{key}.npy")
    subprocess.run(["weir-run", library, f"--function={function}", f"--output-dir={folder}",
                    *given, *options], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return {p.stem: np.load(p) for p in folder.glob("*.npy")}


def ranks(count):
    return ["--comm=threads", f"--ranks={count}"]


def gradients():
    inputs = {"x": uniform(N, D), "y": uniform(N, D)}
    flags = ("--grad=loss:w1,w2",)
    whole = run(compile("mlp", MLP, *flags), "gradients", inputs=inputs)
    for count in (2, 4):
        library = compile(f"mlp{count}", MLP, *flags, f"--mesh=data={count}")
        parts = run(library, "gradients", *ranks(count), inputs=inputs)
        expect("the gradients have the names of one machine's", parts.keys() == whole.keys())
        for name, value in whole.items():
            close(f"{count} ranks, {name}", parts[name], value, 1e-6)


# A small image classifier: a convolution, a batch norm, a pool, and labels as numbers.
IMAGES, CLASSES = 16, 10
NET = [placeholder("image", (IMAGES, 8, 8, 1)),
       *variable("k", (3, 3, 1, 6), uniform(3, 3, 1, 6)),
       *variable("gamma", (6,), uniform(6) + np.float32(1)), *variable("beta", (6,), uniform(6)),
       *variable("w", (96, CLASSES), uniform(96, CLASSES)), *variable("wb", (CLASSES,), uniform(CLASSES)),
       node("c", "Conv2D", ("image", "k/Read"), FLOAT, attr("strides", "list { i: 1 i: 1 i: 1 i: 1 }"),
            attr("padding", 's: "SAME"')),
       const("image_axes", np.int32([0, 1, 2])),
       node("mean", "Mean", ("c", "image_axes"), FLOAT, attr("Tidx", "type: DT_INT32"), attr("keep_dims", "b: true")),
       node("away", "SquaredDifference", ("c", "mean"), FLOAT),
       node("variance", "Mean", ("away", "image_axes"), FLOAT, attr("Tidx", "type: DT_INT32"), attr("keep_dims", "b: true")),
       const("epsilon", np.float32(1e-3)),
       node("spread", "AddV2", ("variance", "epsilon"), FLOAT), node("scale", "Rsqrt", ("spread",), FLOAT),
       node("centred", "Sub", ("c", "mean"), FLOAT), node("normal", "Mul", ("centred", "scale"), FLOAT),
       node("stretched", "Mul", ("normal", "gamma/Read"), FLOAT),
       node("shifted", "AddV2", ("stretched", "beta/Read"), FLOAT),
       node("relu", "Relu", ("shifted",), FLOAT),
       node("pool", "MaxPool", ("relu",), FLOAT, attr("ksize", "list { i: 1 i: 2 i: 2 i: 1 }"),
            attr("strides", "list { i: 1 i: 2 i: 2 i: 1 }"), attr("padding", 's: "VALID"')),
       const("flat_shape", np.int32([IMAGES, 96])),
       node("flat", "Reshape", ("pool", "flat_shape"), FLOAT, attr("Tshape", "type: DT_INT32")),
       node("m", "MatMul", ("flat", "w/Read"), FLOAT), node("logits", "BiasAdd", ("m", "wb/Read"), FLOAT)]  # fmt: skip


def train(library, path, *options):
    """The losses of all steps, and the variables after them."""
    subprocess.run(["weir-run", library, "--train", f"--data=image={OUT}/images.npy,labels={OUT}/labels.npy",
                    "--epochs=3", f"--metrics={OUT}/{path}.jsonl", f"--save={OUT}/{path}", *options],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    lines = [json.loads(line) for line in open(f"{OUT}/{path}.jsonl")]
    tensors = bundle.read(f"{OUT}/{path}")
    return [line["loss"] for line in lines if "loss" in line], {
        k: np.frombuffer(d, {1: np.float32, 9: np.int64}[t]) for k, (t, s, d) in tensors.items()}


def training():
    np.save(f"{OUT}/images.npy", uniform(5 * IMAGES, 8, 8, 1))
    np.save(f"{OUT}/labels.npy", rng.integers(0, CLASSES, 5 * IMAGES, dtype=np.int32))
    flags = ("--loss=sparse_softmax_cross_entropy:logits,labels", "--optimizer=Adam:lr=0.01")
    losses, variables = train(compile("net", NET, *flags), "one")
    expect("there is a loss for each step", len(losses) == 15)
    for count in (2, 4):
        library = compile(f"net{count}", NET, *flags, f"--mesh=data={count}")
        got, kept = train(library, f"on{count}", *ranks(count))
        close(f"{count} ranks, losses", got, losses, 1e-5)
        for name, value in variables.items():
            close(f"{count} ranks, {name}", kept[name], value, 1e-4)
        again, bits = train(library, f"again{count}", *ranks(count), "--threads=2")
        expect("each run has the same bits, for any number of threads",
               got == again and all(np.array_equal(kept[k], bits[k]) for k in kept))
    wrong_label(f"{OUT}/net2.so")


def wrong_label(library):
    """A check that fails on one rank ends the step on all, and assigns nothing."""
    labels = np.zeros(IMAGES, np.int32)
    labels[IMAGES // 2] = CLASSES  # the first of rank 1
    np.save(f"{OUT}/bad.npy", labels)
    done = subprocess.run(
        ["weir-run", library, "--function=train_step", "--random=1", f"--input=labels=@{OUT}/bad.npy",
         *ranks(2)], capture_output=True, text=True)  # fmt: skip
    expect(f"rank 1 is named: {done.stderr}", done.returncode == 1 and "rank 1: a label is not in" in done.stderr)


def whole_ops():
    """Ops that no rule divides: each rank computes them on the whole tensor."""
    net = [placeholder("x", (8, 8)), node("inverse", "MatrixInverse", ("x",), FLOAT),
           const("axis", np.int32(0)), node("sums", "Cumsum", ("x", "axis"), FLOAT, attr("Tidx", "type: DT_INT32"))]  # fmt: skip
    inputs = {"x": uniform(8, 8) + 4 * np.eye(8, dtype=np.float32)}
    fetches = ("--fetch=inverse", "--fetch=sums")
    want = run(compile("whole", net, *fetches), "main", inputs=inputs)
    close("the inverse", want["inverse"], np.linalg.inv(np.float64(inputs["x"])), 1e-5)
    command = ["weir", "compile", f"{OUT}/whole.pbtxt", "-o", f"{OUT}/whole2.so", "--mesh=data=2", *fetches]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
    for name in ("inverse", "sums"):
        told = [line for line in lines if line.endswith(f"remark: node '{name}': is computed whole by each rank")]
        expect(f"one remark about {name}: {lines}", len(told) == 1)
    got = run(f"{OUT}/whole2.so", "main", *ranks(2), inputs=inputs)
    for name, value in want.items():
        expect(f"{name} has the bits of one machine", np.array_equal(got[name], value))


gradients()
training()
whole_ops()
print(f"{failures} failures")
sys.exit(failures != 0)
