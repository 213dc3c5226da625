"""remat.py FOLDER: trains nets with less and less memory for their arena. The losses and all state
have the same bits as without a limit, and the losses are those of NumPy in float64."""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import FLOAT, OUT, attr, bundle, const, node, placeholder, variable  # noqa: E402

STEPS, ROWS, WIDTH, LAYERS = 3, 64, 32, 12
failures = 0
rng = np.random.default_rng(6)


def layers(normalized):
    """x = tanh(x W) in each layer, optionally with rows normalized to a mean of zero and a
    variance of one."""
    text = [placeholder("x", (ROWS, WIDTH)), const("axis", np.int32([1])),
            const("epsilon", np.float32(0.01))]  # fmt: skip
    keep = attr("keep_dims", "b: true")
    last = "x"
    for i in range(LAYERS):
        text += [*variable(f"W{i}", (WIDTH, WIDTH)),
                 node(f"product{i}", "MatMul", (last, f"W{i}/Read"), FLOAT),
                 node(f"tanh{i}", "Tanh", (f"product{i}",), FLOAT)]  # fmt: skip
        last = f"tanh{i}"
        if normalized:
            text += [node(f"mean{i}", "Mean", (last, "axis"), FLOAT, keep),
                     node(f"off{i}", "Sub", (last, f"mean{i}"), FLOAT),
                     node(f"square{i}", "Square", (f"off{i}",), FLOAT),
                     node(f"variance{i}", "Mean", (f"square{i}", "axis"), FLOAT, keep),
                     node(f"more{i}", "AddV2", (f"variance{i}", "epsilon"), FLOAT),
                     node(f"by{i}", "Rsqrt", (f"more{i}",), FLOAT),
                     node(f"normal{i}", "Mul", (f"off{i}", f"by{i}"), FLOAT)]  # fmt: skip
            last = f"normal{i}"
    return [*text, node("y", "Identity", (last,), FLOAT)]


def loss_of(x, t, weights, normalized):
    for w in weights:
        x = np.tanh(x @ np.float64(w))
        if normalized:
            x = x - x.mean(1, keepdims=True)
            x = x / np.sqrt((x**2).mean(1, keepdims=True) + 0.01)
    return np.mean((x - t) ** 2)


def fail(what):
    global failures
    failures += 1
    print(what)


def compile(name, *options):
    """The library and its arena, or the error message without a library."""
    library = f"{OUT}/{name}.so"
    done = subprocess.run(["weir", "compile", f"{OUT}/net.pbtxt", "-o", library,
                           "--loss=mean_squared_error:y,t", "--init=glorot_normal:seed=4",
                           "--optimizer=Momentum:lr=0.5", *options], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return None, done.stderr
    told = subprocess.run(["weir", "inspect", "--json", library], check=True, capture_output=True)
    return library, json.loads(told.stdout)["plan"]["arena_bytes"]


def run(library, name, function="train_step", steps=STEPS):
    subprocess.run(["weir-run", library, f"--function={function}", f"--repeat={steps}",
                    f"--output-dir={OUT}", f"--input=x=@{OUT}/x.npy", f"--input=t=@{OUT}/t.npy",
                    f"--save={OUT}/{name}"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return np.load(f"{OUT}/loss.npy")


def check(normalized, parts):
    what = "normalized" if normalized else "plain"
    (pathlib.Path(OUT) / "net.pbtxt").write_text("\n".join(layers(normalized)) + "\n")
    x, t = (np.float32(rng.normal(size=(ROWS, WIDTH))) for _ in range(2))
    np.save(f"{OUT}/x.npy", x)
    np.save(f"{OUT}/t.npy", t)
    library, whole = compile("whole")
    first = run(library, "first", "loss", 1)
    kept = bundle.read(f"{OUT}/first")
    weights = [np.frombuffer(kept[f"W{i}"][2], np.float32).reshape(WIDTH, WIDTH) for i in range(LAYERS)]
    if not np.allclose(first, loss_of(x, t, weights, normalized), rtol=1e-5):
        fail(f"{what}: a first loss of {first}, not of {loss_of(x, t, weights, normalized)}")
    want = run(library, "whole")
    for part in parts:
        limit = int(whole * part)
        library, arena = compile("part", f"--remat={limit}")
        if library is None or arena > limit:
            fail(f"{what}, {limit} of {whole} bytes: {arena}")
            continue
        got = run(library, "part")
        if got.tobytes() != want.tobytes():
            fail(f"{what}, {limit} of {whole} bytes: a loss of {got}, not of {want}")
        if bundle.read(f"{OUT}/whole") != bundle.read(f"{OUT}/part"):
            fail(f"{what}, {limit} of {whole} bytes: other variables")
    library, said = compile("least", "--remat=1K")
    least = re.search(r"the arena has at least (\d+) bytes", str(said))
    if library or not least:
        fail(f"{what}: 1K of memory: {said}")
    else:
        library, arena = compile("least", f"--remat={least.group(1)}")
        if library is None or arena > int(least.group(1)):
            fail(f"{what}: the least, {least.group(1)} of {whole}: {arena}")
        elif run(library, "part").tobytes() != want.tobytes():
            fail(f"{what}: the least: another loss")
        print(f"{what}: {whole} bytes, or {least.group(1)} at least")
        if int(least.group(1)) > whole * min(parts):
            fail(f"{what}: less was enough")


check(False, (0.8, 0.5))
check(True, (0.4,))
sys.exit(failures != 0)
