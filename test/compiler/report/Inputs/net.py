"""net.py FILE: writes an ONNX model with scopes, and a node whose name is markup."""

import sys

HOSTILE = "</script><script>window.hostile = 1</script><b>"
SIZE, BLOCKS = 32, 4
lines = []


def value(kind, name, *dims):
    shape = " ".join(f"dim {{ dim_value: {dim} }}" for dim in dims)
    lines.append(f'{kind} {{ name: "{name}" type {{ tensor_type {{ elem_type: 1 shape {{ {shape} }} }} }} }}')
    return name


def weight(name, first, *dims):
    count = 1
    for dim in dims:
        count *= dim
    numbers = " ".join(f"float_data: {first + i % 7 / 100}" for i in range(count))
    lines.append(f'initializer {{ name: "{name}" data_type: 1 {" ".join(f"dims: {dim}" for dim in dims)} {numbers} }}')
    return name


def node(op, name, *inputs):
    operands = " ".join(f'input: "{each}"' for each in inputs)
    result = "y" if name == HOSTILE else name
    lines.append(f'node {{ op_type: "{op}" name: "{name}" {operands} output: "{result}" }}')
    return result


last = value("input", "image", SIZE, SIZE)
for i in range(BLOCKS):
    scope = f"stage{i // 2}/block{i}"
    weights = weight(f"{scope}/weights", 0.01 * i, SIZE, SIZE)
    offset = weight(f"{scope}/offset", 0.1 * i, SIZE, SIZE)
    product = node("MatMul", f"{scope}/product", last, weights)
    biased = node("Add", f"{scope}/bias", product, offset)
    added = node("Add", f"{scope}/add", biased, last)
    last = node("Relu", f"{scope}/relu", added)
node("Softmax", HOSTILE, last)
value("output", "y", SIZE, SIZE)
with open(sys.argv[1], "w") as file:
    file.write("ir_version: 8\nopset_import { version: 17 }\ngraph {\n  name: \"g\"\n")
    file.writelines(f"  {line}\n" for line in lines)
    file.write("}\n")
