"""many.py N: an ONNX model as text with N matrix products of different sizes, so N kernels."""

import sys

count = int(sys.argv[1])
sizes = [16 + 8 * (i % 5) + 4 * i for i in range(count + 1)]


def tensor(name, *dims):
    shape = " ".join(f"dim {{ dim_value: {dim} }}" for dim in dims)
    return f'{{ name: "{name}" type {{ tensor_type {{ elem_type: 1 shape {{ {shape} }} }} }} }}'


print("ir_version: 8\nopset_import { version: 17 }\ngraph {")
print(f'  input {tensor("x0", 7, sizes[0])}')
for i in range(count):
    print(f'  input {tensor(f"w{i}", sizes[i], sizes[i + 1])}')
    print(f'  node {{ op_type: "MatMul" input: "x{i}" input: "w{i}" output: "m{i}" }}')
    print(f'  node {{ op_type: "Softmax" input: "m{i}" output: "x{i + 1}" }}')
print(f'  output {{ name: "x{count}" }}\n}}')
