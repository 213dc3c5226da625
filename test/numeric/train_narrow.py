"""train_narrow.py FOLDER: trains 16-bit models with f32 master copies and with scaled losses.
Variables and optimizer state are compared with NumPy in float64, for numbers that 16 bits
represent exactly or not at all."""

import os
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import OUT, attr, bundle, compile, node  # noqa: E402

checks = failures = 0


def bits(value, kind):
    """The format of half_val."""
    if kind == "DT_HALF":
        return np.float16(value).view(np.uint16).ravel().tolist()
    return (np.float32(value).view(np.uint32) >> 16).ravel().tolist()


def product(kind, first, factor=1.0):
    """y = (x * W) * factor, of four elements, and their sum."""
    of, shape = attr("dtype", f"type: {kind}"), attr("shape", "shape { dim { size: 4 } }")
    T = attr("T", f"type: {kind}")
    whole = attr("dtype", "type: DT_INT32")

    def const(name, value):
        values = " ".join(f"half_val: {v}" for v in bits(value, kind))
        return node(name, "Const", (), of, attr(
            "value", f"tensor {{ dtype: {kind} tensor_shape {{ dim {{ size: {np.size(value)} }} }} {values} }}"))  # fmt: skip

    return [node("x", "Placeholder", (), of, shape), node("W", "VarHandleOp", (), of, shape),
            const("first", first), node("W/Assign", "AssignVariableOp", ("W", "first"), of),
            node("W/Read", "ReadVariableOp", ("W",), of), node("xW", "Mul", ("x", "W/Read"), T),
            const("factor", [factor]), node("y", "Mul", ("xW", "factor"), T),
            node("axis", "Const", (), whole, attr(
                "value", "tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 0 }")),
            node("sum", "Sum", ("y", "axis"), T)]  # fmt: skip


def run(library, x, *options):
    """The loss of a step, and the variables after it."""
    np.save(f"{OUT}/x.npy", np.asarray(x))
    subprocess.run(["weir-run", library, "--function=train_step", f"--output-dir={OUT}",
                    f"--input=x=@{OUT}/x.npy", f"--save={OUT}/kept", *options], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    kept = {}
    for key, (kind, shape, data) in bundle.read(f"{OUT}/kept").items():
        if kind == 14:
            words = np.frombuffer(data, np.uint16).astype(np.uint32) << 16
            kept[key] = words.view(np.float32).reshape(shape)
        else:
            of = {1: np.float32, 9: np.int64, 19: np.float16}[kind]
            kept[key] = np.frombuffer(data, of).reshape(shape)
    return np.load(f"{OUT}/loss.npy"), kept


def compare(what, got, want, rtol=1e-6, atol=0.0):
    global checks, failures
    checks += 1
    if np.shape(got) != np.shape(want) or not np.allclose(got, want, rtol=rtol, atol=atol):
        failures += 1
        print(f"{what}: {got} instead of {want}")


X = np.float16([1, -0.5, 0.25, 2])
FIRST = np.array([1, -1, 0.5, 2])


def check_masters():
    """Updates far below a variable's last bit accumulate in its master copy, by each optimizer's
    own formula; without a copy they are lost."""
    for kind, given in (("DT_HALF", X), ("DT_BFLOAT16", np.float32(X))):
        g = np.float64(X)
        text = product(kind, FIRST)
        library = compile("master", text, "--loss=sum:0", "--optimizer=Momentum:lr=1e-5,momentum=0.5")
        loss, kept = run(library, given, "--repeat=10")
        speed, x = 0, np.float64(FIRST)
        for _ in range(10):
            before = x
            speed = 0.5 * speed + g
            x = x - 1e-5 * speed
        if loss.dtype != np.float32:
            compare(f"{kind}: bytes of the loss", loss.dtype.itemsize, 4)
        compare(f"{kind}: loss", loss, np.sum(FIRST * X))
        compare(f"{kind}: copy", kept["W/master"], x)
        compare(f"{kind}: what is kept", kept["W/Momentum"], speed)
        compare(f"{kind}: variable", kept["W"], FIRST, 1e-3)
        # As many further steps, from a checkpoint, change the variable.
        _, kept = run(library, given, "--repeat=400", f"--restore={OUT}/kept")
        for _ in range(400):
            speed = 0.5 * speed + g
            x = x - 1e-5 * speed
        compare(f"{kind}: copy later", kept["W/master"], x, 2e-5)
        last = 2.0**-11 if kind == "DT_HALF" else 2.0**-8
        compare(f"{kind}: variable later", kept["W"], kept["W/master"], last)
        library = compile("none", text, "--loss=sum:0", "--optimizer=sgd:lr=1e-5", "--master-weights=none")
        _, kept = run(library, given, "--repeat=10")
        compare(f"{kind}: alone", kept["W"], FIRST, 0)
        if set(kept) != {"W"}:
            compare(f"{kind}: kept alone", sorted(kept), ["W"])


def check_static():
    """A scale of 2^12 preserves gradients of 2^-28, which f16 cannot represent."""
    small = np.float16([2.0**-14] * 4)
    text = product("DT_HALF", FIRST, 2.0**-14)
    step = ["--loss=sum:0", f"--optimizer=sgd:lr={2.0**20}"]
    for options, g in (([], 0), (["--loss-scale=4096"], 2.0**-28)):
        _, kept = run(compile("static", text, *step, *options), small)
        compare(f"{options}: copy", kept["W/master"], FIRST - 2.0**20 * g)
    _, kept = run(compile("static", text, *step, "--loss-scale=4096", "--clip=norm=1e-9"), small)
    compare("static: clipped", kept["W/master"], FIRST - 2.0**20 * 0.5e-9)


def check_dynamic(more, name):
    """Steps that overflow are skipped and halve the scale; two good ones double it. Adam counts
    the steps that were not skipped."""
    library = compile(name, product("DT_HALF", FIRST), "--loss=sum:0", "--loss-scale=dynamic:8192,2",
                      "--optimizer=Adam:lr=0.01,beta1=0.9,beta2=0.99,epsilon=1e-5", *more)  # fmt: skip
    together = 2 if more else 1
    inputs = [1, 16, 1, 1, 4, 0.5, 0.5, 8, 1, 1, 2, 2]
    if more:
        inputs = [v for v in inputs for _ in range(2)]
    x, m, v = np.float64(FIRST), 0, 0
    scale, good, power, total = 8192.0, 0, 0, 0
    restore = []
    for i, size in enumerate(inputs):
        given = X * np.float16(size)
        # The arithmetic of the model has 16 bits, so its overflow does, too.
        with np.errstate(over="ignore"):
            slope = np.float64(np.float16(scale) * given) / scale
        total = slope + (total if i % together else 0)
        if i % together == together - 1:
            g = total / together
            if np.isfinite(g).all():
                power += 1
                m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
                x = x - 0.01 * np.sqrt(1 - 0.99**power) / (1 - 0.9**power) * m / (np.sqrt(v) + 1e-5)
                good += 1
                if good == 2:
                    scale, good = scale * 2, 0
            else:
                scale, good = scale / 2, 0
        _, kept = run(library, given, *restore)
        restore = [f"--restore={OUT}/kept"]
        compare(f"{name} {i}: scale", kept["loss_scale"], scale)
        compare(f"{name} {i}: good steps", kept["good_steps"], good)
        compare(f"{name} {i}: copy", kept["W/master"], x, 2e-6)
        compare(f"{name} {i}: variable", kept["W"], x, 1e-3)
        compare(f"{name} {i}: mean", kept["W/Adam"], m + np.zeros(4), 2e-6)
        compare(f"{name} {i}: power", kept["beta1_power"], 0.9 ** (power + 1))
    if not 0 < power < len(inputs) // together:
        compare(f"{name}: steps left out", 0, 1)


check_masters()
check_static()
check_dynamic([], "dynamic")
check_dynamic(["--accumulate=2"], "dynamic_sums")
print(f"{checks - failures} of {checks} comparisons hold")
sys.exit(failures != 0)
