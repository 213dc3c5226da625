"""check.py: calls the libraries of model.test and compares with NumPy."""

import gc
import os
import shutil
import subprocess
import weakref

import numpy as np
import weir
from refuses import refuses

rng = np.random.default_rng(1)
digits = weir.Model("digits.so", threads=2)
assert digits.functions == ["main"]
assert digits.inputs("main") == [("image", (1, 8, 8, 1), np.dtype("f4"))]
assert digits.outputs("main") == [("probabilities", (1, 10), np.dtype("f4"))]
image = rng.random((1, 8, 8, 1), np.float32)
probabilities = digits(image=image)["probabilities"]
assert abs(probabilities.sum() - 1) < 1e-6
np.save("image.npy", image)
subprocess.run(["weir-run", "./digits.so", "--input=image=@image.npy", "--output-dir=."], check=True)
assert np.array_equal(np.load("probabilities.npy"), probabilities)
# Arguments are given by position, not contiguous, as a list, or by the tensor's name.
turned = np.asfortranarray(image)
for given in (image, turned, image.tolist()):
    assert np.array_equal(digits.main(given)["probabilities"], probabilities)
assert np.array_equal(digits.run("main", **{"image:0": image})["probabilities"], probabilities)

refuses(TypeError, "input 'image' is missing", digits)
refuses(TypeError, "no input is called 'picture'; there are ['image']",
        lambda: digits(image=image, picture=image))
refuses(TypeError, "is given twice", lambda: digits(image, image=image))
refuses(TypeError, "2 arrays given for 1 inputs", lambda: digits(image, image))
refuses(TypeError, "input 'image' is of float32, not of float64",
        lambda: digits(image=image.astype(np.float64)))
refuses(ValueError, "input 'image' is (1, 8, 8, 1), not (8, 8)", lambda: digits(image[0, :, :, 0]))
refuses(AttributeError, "the model has no function 'predict'", lambda: digits.predict)
refuses(ValueError, "the model has no variables", lambda: digits.save("x"))
refuses(AttributeError, "the model has no function 'predict'", lambda: digits.inputs("predict"))
whole = open("digits.so", "rb").read()
for name, data in (("empty.so", b""), ("head.so", whole[:40]), ("half.so", whole[:len(whole) // 2])):
    open(name, "wb").write(data)
    refuses(ValueError, "is not a library that weir compiled", lambda: weir.Model(name))
refuses(ValueError, "is not a library that weir compiled", lambda: weir.Model("image.npy"))
# Other libraries export a function whose name ends in _info, or are damaged.
libc = next(line.split()[-1] for line in open("/proc/self/maps") if "libc.so" in line)
refuses(ValueError, "is not a library that weir compiled", lambda: weir.Model(libc))
open("damaged.so", "wb").write(whole[:40] + b"\xff" * 8 + whole[48:])
refuses(ValueError, "is not a library that weir compiled", lambda: weir.Model("damaged.so"))
refuses(FileNotFoundError, "absent.so", lambda: weir.Model("absent.so"))
assert digits.variables == {}
digits.close()
digits.close()
refuses(weir.Error, "not a live context", lambda: digits(image))

# The name of a folder is no valid text.
folder = os.fsdecode(b"\xff")
os.mkdir(folder)
for name in ("digits.so", "digits.weights"):
    shutil.copy(name, folder)
assert np.array_equal(weir.Model(f"{folder}/digits.so")(image)["probabilities"], probabilities)

# An input may have the name of a parameter here.
x = rng.standard_normal((8, 3)).astype(np.float32)
function = weir.Model("function.so")
for outputs in (function(function=x), function.main(function=x), function.run("main", function=x)):
    assert np.array_equal(outputs["y"], np.maximum(x, 0))

# A product and a softmax are compared with NumPy in f64.
x, w = (rng.standard_normal((16, 16)).astype(np.float32) for _ in range(2))
with weir.Model("wide.so") as model:
    y = model(x=x, w=w)["y"]
wanted = np.maximum(x.astype(np.float64) @ w, 0)
wanted = np.exp(wanted - wanted.max(1, keepdims=True))
assert np.allclose(y, wanted / wanted.sum(1, keepdims=True), 1e-5, 1e-7)

# Sizes are known only at run time.
rows = weir.Model("rows.so")
assert rows.inputs("main") == [("x", (8, 3), np.dtype("f4"))]
for count in (1, 5, 8):
    x = rng.standard_normal((count, 3)).astype(np.float32)
    assert np.array_equal(rows(x=x)["y"], np.maximum(x, 0))
assert rows.ranges("main") == {"x.0": (1, 8)}
for shape, why in (((9, 3), "dimension 0 is 9, not in [1, 8]"),
                   ((0, 3), "dimension 0 is 0, not in [1, 8]"), ((2, 4), "dimension 1 is 4, not 3")):
    refuses(ValueError, f"input 'x': {why}", lambda: rows(x=np.zeros(shape, np.float32)))
refuses(ValueError, "input 'x' is (8, 3) at most, not (3,)",
        lambda: rows(x=np.zeros(3, np.float32)))
whole, part = np.ones((8, 3), np.float32), np.ones((2, 3), np.float32)
assert np.array_equal(rows(whole)["y"], whole) and np.array_equal(rows(part)["y"], part)
# A result does not keep memory of more than twice its size.
assert rows(x=part)["y"].base is None
# A dimension has its name and its range, and the library refuses other sizes.
named = weir.Model("named.so")
assert named.ranges("main") == {"batch": (2, 8)}
refuses(ValueError, "input 'x': dimension 0 ('batch') is 1, not in [2, 8]",
        lambda: named(x=np.zeros((1, 3), np.float32)))
assert np.array_equal(named(x=part)["y"], part)

# Training has the numbers of the example; then it continues from a checkpoint.
line = weir.Model("line.so")
x = (np.arange(100) / 99).astype(np.float32)
t = (0.1 * x + 0.3).astype(np.float32)
(x_name, x_shape, _), (t_name, _, _) = line.inputs("train_step")
batch = {x_name: x.reshape(x_shape), t_name: t.reshape(x_shape)}
assert abs(line.train_step(**batch)["loss"] - 0.1233501684) < 1e-6
assert abs(line.variables["W"] - 0.1835016835) < 1e-6 and abs(line.variables["b"] - 0.35) < 1e-6
line.save("line.ckpt")
before = {name: value.copy() for name, value in line.variables.items()}
for _ in range(9):
    line.train_step(**batch)
assert abs(line.variables["W"] - 0.1235878) < 1e-6
line.restore("line.ckpt")
assert all(np.array_equal(line.variables[name], value) for name, value in before.items())
refuses(weir.Error, "cannot read checkpoint 'absent'", lambda: line.restore("absent"))

# Arrays of variables keep their memory alive, but not the model.
model = weir.Model("line.so")
model.train_step(**batch)
kept, values = weakref.ref(model), model.variables
wanted = {name: float(value) for name, value in values.items()}
del model
gc.collect()
assert not kept() and {name: float(value) for name, value in values.items()} == wanted
values["W"][...] = 3
variables = line.variables
line.close()
assert float(variables["W"]) == float(before["W"])
refuses(weir.Error, "not a live context", lambda: line.variables)
