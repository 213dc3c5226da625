"""training.py: compares fit with weir-run and with explicit steps."""

import re
import subprocess

import numpy as np
import weir
from refuses import refuses

rng = np.random.default_rng(5)
x = rng.random(250, np.float32)
labels = (0.1 * x + 0.3).astype(np.float32)


def by_weir_run(library, *options):
    """The losses of the epochs, and the variables after training."""
    np.save("x.npy", x)
    np.save("labels.npy", labels)
    out = subprocess.run(["weir-run", library, "--train", "--data=x=x.npy,labels=labels.npy",
                          "--save=run.ckpt", *options], check=True, stdout=subprocess.PIPE, text=True)
    model = weir.load(library)
    model.restore("run.ckpt")
    return [float(loss) for loss in re.findall(r"loss ([\d.e-]+)", out.stdout)], model.variables


# Batches have a fixed size, in the order of the data and in a seeded order.
for options, arguments in ((["--epochs=3"], {"epochs": 3}),
                           (["--epochs=4", "--shuffle=7"], {"epochs": 4, "shuffle": 7})):
    losses, variables = by_weir_run("./line.so", *options)
    line = weir.load("line.so")
    found = line.fit({"x": x, "labels": labels}, **arguments)
    assert found.shape == (arguments["epochs"], 2) and found.dtype == np.float64
    assert np.allclose(found.mean(1), losses, 1e-4, 0)
    assert all(np.array_equal(line.variables[key], value) for key, value in variables.items())

# The steps are explicit, with the labels by the name of their tensor, twice with equal
# results.
by_hand = weir.load("line.so")
for _ in range(2):
    for at in (0, 100):
        by_hand.train_step(x[at:at + 100], labels[at:at + 100])
line = weir.load("line.so")
line.fit({"x": x, "labels": labels}, epochs=2)
assert np.array_equal(line.variables["W"], by_hand.variables["W"])

# A dynamic batch: its size is the caller's, and the last batch is smaller. The learning rate
# is an input that all steps share.
losses, variables = by_weir_run("./dynamic.so", "--epochs=2", "--batch=60",
                                "--input=learning_rate=0.25", "--shuffle=3")
dynamic = weir.load("dynamic.so")
found = dynamic.fit({"x": x, "labels": labels}, epochs=2, batch_size=60, shuffle=3,
                    learning_rate=0.25)
assert found.shape == (2, 5)
assert np.allclose(found @ [60, 60, 60, 60, 10] / 250, losses, 1e-4, 0)
assert all(np.array_equal(dynamic.variables[key], value) for key, value in variables.items())

# Integers become the type of the input.
whole = weir.load("line.so")
assert np.array_equal(whole.fit({"x": np.arange(100, dtype=np.uint8), "labels": labels[:100]}),
                      weir.load("line.so").fit({"x": np.arange(100, dtype=np.float32),
                                                "labels": labels[:100]}))
assert line.fit({"x": x, "labels": labels}, epochs=0).shape == (0, 2)

# bf16 as uint16 has bits; f16 and bool accept only integers that they represent.
bits, half, truth = (weir.load(f"{name}.so") for name in ("bits", "half", "truth"))
one = np.array([0x3f80, 0x4000], np.uint16)
assert np.array_equal(bits.fit({"x": one}, function="main"), [[0x3f80, 0x4000]])
assert np.array_equal(half.fit({"x": np.array([1, 2048])}, function="main"), [[1, 2048]])
assert np.array_equal(truth.fit({"x": np.array([0, 1])}, function="main"), [[1, 0]])
refuses(TypeError, "input 'x' is of bf16 (as uint16), not of int64",
        lambda: bits.fit({"x": np.array([1, 2])}, function="main"))
for model, value in ((half, 2049), (half, 70000), (truth, 2)):
    refuses(ValueError, "cannot hold all of the values",
            lambda: model.fit({"x": np.array([1, value])}, function="main"))

data = {"x": x, "labels": labels}
for changes, kind, why in (
        ({"data": {"x": x, "y": labels}}, TypeError, "no input is called 'y'; there are ['x', "),
        ({"data": {}}, ValueError, "data has no arrays"),
        ({"data": {"x": x}}, TypeError, "input 'labels' is missing"),
        ({"data": {"x": x, "labels": labels[:9]}}, ValueError, "different numbers of examples"),
        ({"data": {"x": x[:50], "labels": labels[:50]}}, ValueError, "50 examples, less than a batch"),
        ({"data": {"x": x, "labels": labels.astype(float)}}, TypeError, "of float32, not of float64"),
        ({"data": {"x": x, "labels": labels[:, None]}}, ValueError, "its data is (250, 1)"),
        ({"data": {"x": None, "labels": labels}}, TypeError, "not of object"),
        ({"batch_size": 60}, ValueError, "batch_size is 60, and the model accepts 100"),
        ({"batch_size": float("nan")}, TypeError, "float"),
        ({"epochs": -1}, ValueError, "epochs is -1"), ({"epochs": 1.5}, TypeError, "float"),
        ({"shuffle": "a"}, TypeError, "str"), ({"function": "step"}, AttributeError, "no function 'step'"),
        ({"learning_rate": 1}, TypeError, "no input is called 'learning_rate'")):
    refuses(kind, why, lambda: line.fit(**{"data": data, **changes}))
refuses(ValueError, "batch_size is 101, and the model accepts 1 to 100",
        lambda: dynamic.fit(data, batch_size=101))
refuses(TypeError, "given twice", lambda: weir.load("line.so").train_step(x[:100], x=x[:100]))
print("all right")
