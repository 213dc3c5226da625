"""large.py FOLDER: a chain of products of many sizes, `large.pbtxt`, of small integers, with its
input, `x.npy`, and NumPy's result, `y.npy`."""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
F32 = 'attr { key: "T" value { type: DT_FLOAT } }'
x = y = np.arange(7 * 20, dtype=np.float32).reshape(7, 20) % 5 - 2
np.save(folder / "x.npy", x)
nodes = [
    'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr {'
    ' key: "shape" value { shape { dim { size: 7 } dim { size: 20 } } } } }'
]
before = "x"
for i in range(14):
    rows, columns = y.shape[1], 20 + (i * 7) % 31
    weights = (np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) * (i + 3)) % 7 - 3
    y = (y @ weights) % 5 - 2
    content = "".join(f"\\{byte:03o}" for byte in weights.tobytes())
    nodes.append(
        f'node {{ name: "w{i}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}'
        f' attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ dim {{ size: {rows} }}'
        f' dim {{ size: {columns} }} }} tensor_content: "{content}" }} }} }} }}'
    )
    nodes.append(f'node {{ name: "p{i}" op: "MatMul" input: "{before}" input: "w{i}" {F32} }}')
    nodes.append(f'node {{ name: "m{i}" op: "FloorMod" input: "p{i}" input: "five" {F32} }}')
    before = f"y{i}"
    nodes.append(f'node {{ name: "{before}" op: "Sub" input: "m{i}" input: "two" {F32} }}')
for name, value in (("five", 5), ("two", 2)):
    nodes.append(
        f'node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{'
        f' key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ }} float_val: {value} }} }} }} }}'
    )
np.save(folder / "y.npy", y)
(folder / "large.pbtxt").write_text("\n".join(nodes))
