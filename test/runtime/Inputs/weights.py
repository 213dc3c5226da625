"""weights.py: swaps the weights files of libraries."""

import re
import shutil
import subprocess

import numpy as np
import weir

rng = np.random.default_rng(11)


def initializer(name, value):
    dims = " ".join(f"dims: {n}" for n in value.shape)
    numbers = " ".join(f"float_data: {v}" for v in value.ravel())
    return f'initializer {{ name: "{name}" {dims} data_type: 1 {numbers} }}'


def net(name, hidden=48):
    """Compiles a net of two layers; its weights, with two biases."""
    values = {"W": (32, hidden), "b": (hidden,), "V": (hidden, 16), "d": (16,)}
    values = {k: np.float32(rng.standard_normal(s)) for k, s in values.items()}
    text = f"""ir_version: 8 opset_import {{ version: 17 }} graph {{
      input {{ name: "x" type {{ tensor_type {{ elem_type: 1 shape {{ dim {{ dim_value: 4 }} dim {{ dim_value: 32 }} }} }} }} }}
      {" ".join(initializer(k, v) for k, v in values.items())}
      node {{ op_type: "Gemm" input: "x" input: "W" input: "b" output: "a" }}
      node {{ op_type: "Relu" input: "a" output: "h" }}
      node {{ op_type: "Gemm" input: "h" input: "V" input: "d" output: "y" }}
      output {{ name: "y" type {{ tensor_type {{ elem_type: 1 }} }} }} }}"""
    with open(f"{name}.onnx.txt", "w") as file:
        file.write(text)
    subprocess.run(["weir", "compile", f"{name}.onnx.txt", "-o", f"{name}.so", "--weights=file"], check=True)
    return values


def reference(v, x):
    return np.maximum(np.float64(x) @ v["W"] + v["b"], 0) @ v["V"] + v["d"]


first, tuned, _ = net("first"), net("tuned"), net("wide", hidden=64)
x = np.float32(rng.standard_normal((4, 32)))


def check(what, model, values):
    np.testing.assert_allclose(model(x=x)["y"], reference(values, x), 1e-4, 1e-4, err_msg=what)


check("its own weights", weir.Model("first.so"), first)
swapped = weir.Model("first.so", weights="tuned.weights")
check("those of the tuned net", swapped, tuned)
clone = swapped.clone()
check("a clone with them", clone, tuned)
shutil.copy("first.so", "again.so")
again = weir.Model("again.so", weights="tuned.weights")
check("another library with the same file", again, tuned)
# The contexts map the pages of one file and hold no copy.
with open("/proc/self/maps") as maps:
    mapped = [line for line in maps if "tuned.weights" in line]
assert len(mapped) == 3 and all(re.search(r" r--s ", line) for line in mapped), mapped
try:
    weir.Model("first.so", weights="wide.weights")
    raise AssertionError("another layout is accepted")
except weir.Error as error:
    assert "has another layout" in str(error), error
subprocess.run(["weir", "compile", "first.onnx.txt", "-o", "inside.so"], check=True)
try:
    weir.Model("inside.so", weights="first.weights")
    raise AssertionError("a file is accepted for weights that are inside")
except weir.Error as error:
    assert "this library has its weights inside" in str(error), error
