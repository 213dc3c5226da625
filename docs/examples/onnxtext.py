"""Writes an ONNX model as text: a ModelProto of opset 17."""

from pathlib import Path

import numpy as np

TYPES = {"float32": 1, "bool": 9, "int32": 6, "int64": 7}


class Model:
    """Each method adds a part of the graph and returns the name of its tensor. Weights begin
    with random numbers, or have the values of `learned`, arrays by name."""

    def __init__(self, learned=None):
        self.lines, self.count, self.learned = [], 0, learned
        self.rng = np.random.default_rng(1)

    def value(self, kind, name, type, dims):
        """An input or an output; a dimension that is a string is symbolic."""
        dims = [f'dim_param: "{d}"' if isinstance(d, str) else f"dim_value: {d}" for d in dims]
        shape = "".join(f" dim {{ {d} }}" for d in dims)
        tensor = f"tensor_type {{ elem_type: {TYPES[type]} shape {{{shape} }} }}"
        self.lines.append(f'{kind} {{ name: "{name}" type {{ {tensor} }} }}')
        return name

    def constant(self, array, name=None):
        array, self.count = np.asarray(array), self.count + 1
        name = name or f"c{self.count}"
        raw = "".join(f"\\{byte:03o}" for byte in array.tobytes())
        kind, dims = TYPES[array.dtype.name], "".join(f" dims: {d}" for d in array.shape)
        tensor = f'name: "{name}" data_type: {kind}{dims} raw_data: "{raw}"'
        self.lines.append(f"initializer {{ {tensor} }}")
        return name

    def whole(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def weight(self, name, *shape, scale=None):
        """Normal numbers for sums of shape[0] terms, or `scale` everywhere."""
        if self.learned:
            array = self.learned[name]
        elif scale is None:
            array = self.rng.normal(0, 1 / np.sqrt(shape[0]), shape)
        else:
            array = np.full(shape, scale)
        return self.constant(np.asarray(array, np.float32), name)

    def op(self, op, *inputs, out=None, **attributes):
        """A node. `out` names its result, or is a list of the names of its results."""
        self.count += 1
        out = out or f"{op}_{self.count}"
        text = "".join(f' input: "{i}"' for i in inputs)
        for key, value in attributes.items():
            if isinstance(value, list):
                value = "INTS" + "".join(f" ints: {v}" for v in value)
            else:
                value = f'STRING s: "{value}"' if isinstance(value, str) else f"INT i: {value}"
            text += f' attribute {{ name: "{key}" type: {value} }}'
        results = out if isinstance(out, list) else [out]
        text += "".join(f' output: "{result}"' for result in results)
        self.lines.append(f'node {{ op_type: "{op}"{text} }}')
        return out

    def product(self, x, name, rows, columns):
        return self.op("MatMul", x, self.weight(name, rows, columns))

    def write(self, path):
        lines = ["ir_version: 8", "opset_import { version: 17 }", "graph {", *self.lines, "}"]
        Path(path).write_text("\n".join(lines) + "\n")
