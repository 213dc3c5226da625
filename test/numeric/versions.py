"""One library for batches of 1 to 64 and one for each of several batches have the same bits, and
NumPy's results."""

import pathlib
import subprocess
import sys

import numpy as np
from levels import host_flags

# The number of rows decides if tiles multiply them, which have other bits.
OPTIONS = ["-mattr=-amx-tile"] if "amx_tile" in host_flags() else []
LAYERS = [300, 200, 40, 10]
BATCHES = [1, 3, 7, 8, 20, 64]


def octal(array):
    return "".join(f"\\{byte:03o}" for byte in array.tobytes())


def node(name, op, *inputs, **attributes):
    wires = " ".join(f'input: "{i}"' for i in inputs)
    text = " ".join(f'attr {{ key: "{k}" value {{ {v} }} }}' for k, v in attributes.items())
    return f'node {{ name: "{name}" op: "{op}" {wires} {text} }}\n'


def constant(name, array):
    dims = " ".join(f"dim {{ size: {d} }}" for d in array.shape)
    value = (f"tensor {{ dtype: DT_FLOAT tensor_shape {{ {dims} }} "
             f'tensor_content: "{octal(array)}" }}')
    return node(name, "Const", dtype="type: DT_FLOAT", value=value)


def model(random):
    weights = [(random.normal(size=(n, m)) / np.sqrt(n)).astype(np.float32)
               for n, m in zip(LAYERS, LAYERS[1:])]
    text = node("x", "Placeholder", dtype="type: DT_FLOAT",
                shape="shape { dim { size: -1 name: \"batch\" } dim { size: 300 } }")
    last = "x"
    for i, w in enumerate(weights):
        text += constant(f"w{i}", w) + node(f"p{i}", "MatMul", last, f"w{i}")
        text += node(f"r{i}", "Tanh", f"p{i}")
        last = f"r{i}"
    return text + node("y", "Softmax", last), weights


def onnx_model(weights):
    """The same model in ONNX."""
    text = "ir_version: 8\nopset_import { version: 17 }\ngraph {\n"
    text += ('input { name: "x" type { tensor_type { elem_type: 1 shape { '
             'dim { dim_param: "batch" } dim { dim_value: 300 } } } } }\n'
             'output { name: "y" }\n')
    last = "x"
    for i, w in enumerate(weights):
        dims = " ".join(f"dims: {d}" for d in w.shape)
        text += f'initializer {{ name: "w{i}" {dims} data_type: 1 raw_data: "{octal(w)}" }}\n'
        text += f'node {{ op_type: "MatMul" input: "{last}" input: "w{i}" output: "p{i}" }}\n'
        text += f'node {{ op_type: "Tanh" input: "p{i}" output: "r{i}" }}\n'
        last = f"r{i}"
    return text + f'node {{ op_type: "Softmax" input: "{last}" output: "y" }}\n}}\n'


def reference(x, weights):
    for w in weights:
        x = np.tanh(x.astype(np.float64) @ w)
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def run(library, x, root):
    np.save(root / "x.npy", x)
    subprocess.run(["weir-run", library, f"--input=x=@{root / 'x.npy'}",
                    f"--output-dir={root}"], check=True, stdout=subprocess.DEVNULL)
    return np.load(next(root.glob("y*.npy")))


def check(graph, weights, random, root):
    """The number of batches for which the general library is wrong."""
    root.mkdir(exist_ok=True)
    ranged = root / "ranged.so"
    command = ["weir", "compile", graph, *OPTIONS]
    subprocess.run([*command, "--dim=batch=1..64", "-o", ranged], check=True)
    failed = 0
    for batch in BATCHES:
        fixed = root / f"fixed{batch}.so"
        subprocess.run([*command, f"--shape=x={batch}x300", "-o", fixed], check=True)
        x = random.normal(size=(batch, 300)).astype(np.float32)
        have, same = run(ranged, x, root), run(fixed, x, root)
        if have.shape != (batch, 10) or have.tobytes() != same.tobytes():
            print(f"{graph.name}: batch {batch}: other bits than those of a library for it")
            failed += 1
        if np.abs(have - reference(x, weights)).max() > 1e-6:
            print(f"{graph.name}: batch {batch}: wrong")
            failed += 1
    return failed


def main():
    root = pathlib.Path(sys.argv[1])
    root.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    text, weights = model(random)
    failed = 0
    for name, content in (("tensorflow", text), ("onnx", onnx_model(weights))):
        graph = root / f"{name}.txt"
        graph.write_text(content)
        failed += check(graph, weights, random, root / name)
    sys.exit(failed != 0)


main()
