"""Compiles small ONNX models, runs them and compares like harness.py.

    from onnx_graph import OnnxGraph, main

    def softmax():
        g = OnnxGraph(opset=13)
        x = g.input(np.float32([[1, 2]]))
        y = g.op("Softmax", x, axis=-1)
        g.expect(y, reference, ulp=4)
        return g

An operand that is None is left out. An attribute that is an int, float or str, or a list of one of
these, becomes such; a NumPy array becomes a tensor, and a Body (the text of a GraphProto) a graph.
With `promise=shape` the model declares the shape of the node's result, which is necessary if
run-time operands determine it. With `domain="com.microsoft"` the node is of that domain, and the
model imports it.
"""

import re

import harness
import numpy as np
from harness import Tensor, main  # noqa: F401

NUMBERS = {
    "f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9,
    "f16": 10, "f64": 11, "u32": 12, "u64": 13, "bf16": 16,
}  # fmt: skip

# The versions of other domains than ONNX's own, if not 1.
VERSIONS = {"ai.onnx.ml": 5}


class Body(str):
    """The text of a graph, for an attribute."""


def value_info(name, type=None, shape=None):
    text = f'name: "{name}"'
    if shape is not None:
        dims = "".join(
            f' dim {{ dim_param: "{d}" }}' if isinstance(d, str) else f" dim {{ dim_value: {d} }}"
            for d in shape
        )
        element = f"elem_type: {NUMBERS[type]} " if type else ""
        text += f" type {{ tensor_type {{ {element}shape {{{dims} }} }} }}"
    return text


class OnnxGraph(harness.Graph):
    def __init__(self, opset=17, **options):
        super().__init__(**options)
        self.opset = opset
        self.initializers = []
        self.promised = []
        self.dims = {}  # by input, its sizes: names if they are dynamic

    def tensor(self, name, type, array):
        content = "".join(f"\\{byte:03o}" for byte in array.tobytes())
        dims = "".join(f" dims: {d}" for d in array.shape)
        return f'name: "{name}"{dims} data_type: {NUMBERS[type]} raw_data: "{content}"'

    def const_node(self, name, type, array):
        self.initializers.append(self.tensor(name, type, array))

    def input(self, value):
        type, array, value = self.raw(value)
        name = self.name("x")
        self.inputs.append((name, type, array))
        names = [name]
        if self.fold:
            self.const_node(name + "c", type, array)
            names.append(name + "c")
        return Tensor(names, value, type)

    def onnx_attribute(self, key, value):
        if isinstance(value, np.ndarray):
            tensor = self.tensor("", harness.type_name(value.dtype), value)
            content = f"type: TENSOR t {{ {tensor} }}"
        elif isinstance(value, Body):
            content = f"type: GRAPH g {{ {value} }}"
        elif isinstance(value, (list, tuple)):
            kind, field = ("FLOATS", "floats")
            if all(isinstance(v, int) for v in value):
                kind, field = ("INTS", "ints")
            elif isinstance(value[0], str):
                kind, field = ("STRINGS", "strings")
            content = f"type: {kind}" + "".join(f" {field}: {v!r}" for v in value)
        elif isinstance(value, int):
            content = f"type: INT i: {value}"
        elif isinstance(value, float):
            content = f"type: FLOAT f: {value!r}"
        else:
            content = f'type: STRING s: "{value}"'
        return f' attribute {{ name: "{key}" {content} }}'

    def op(self, op, *operands, outputs=1, promise=None, domain="", **attributes):
        base = self.name(op)
        kinds = {o.type for o in operands if o and o.type}
        called = "onnx:" + (f"{domain}::{op}" if domain else op)
        self.used.append((called, kinds))
        shared = "".join(self.onnx_attribute(k, v) for k, v in attributes.items())
        variants = ["", "c"][: 2 if self.fold else 1]
        made = [
            Tensor([f"{base}{v}_{i}" if i else base + v for v in variants])
            for i in range(outputs)
        ]
        self.calls.append((called, [o for o in operands if o], made))
        for variant in range(len(variants)):
            text = f'node {{ op_type: "{op}" domain: "{domain}"'
            for operand in operands:
                text += f' input: "{operand.names[variant] if operand else ""}"'
            text += "".join(f' output: "{t.names[variant]}"' for t in made)
            self.nodes.append(text + shared + " }")
            if promise is not None:
                self.promised.append((made[0].names[variant], promise))
        return made[0] if outputs == 1 else made

    def text(self, nodes, outputs):
        """The model with these nodes instead of its own, and these outputs."""
        lines = ["ir_version: 8", f"opset_import {{ version: {self.opset} }}"]
        domains = sorted(set(re.findall(r'domain: "([^"]+)"', "".join(nodes))))
        lines += [f'opset_import {{ domain: "{d}" version: {VERSIONS.get(d, 1)} }}' for d in domains]
        lines.append("graph {")
        for name, type, array in self.inputs:
            lines.append(f"input {{ {value_info(name, type, self.dims.get(name, array.shape))} }}")
        lines += [f"initializer {{ {text} }}" for text in self.initializers]
        lines += nodes
        for name, shape in self.promised:
            lines.append(f"value_info {{ {value_info(name, None, shape)} }}")
        for name in outputs:
            lines.append(f"output {{ {value_info(name)} }}")
        return "\n".join(lines + ["}"]) + "\n"

    def signature(self):
        return []

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "graph.txt"
        source.write_text(self.text(self.nodes, dict.fromkeys(name for name, *_ in self.expected)))
        return source

    def key(self, name):
        return name
