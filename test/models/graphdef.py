"""Writes TensorFlow graphs as text, without an installation of TensorFlow."""

import numpy as np

TYPES = {
    "DT_FLOAT": ("float32", "float_val"),
    "DT_DOUBLE": ("float64", "double_val"),
    "DT_INT32": ("int32", "int_val"),
    "DT_INT64": ("int64", "int64_val"),
    "DT_BOOL": ("bool", "bool_val"),
    "DT_HALF": ("float16", "half_val"),
    "DT_BFLOAT16": ("float32", "half_val"),  # NumPy has no such type
}


def type_name(dtype):
    """TensorFlow's name of a NumPy type; its own names stay."""
    if str(dtype) in TYPES:
        return dtype
    return next(name for name, (known, _) in TYPES.items() if np.dtype(known) == np.dtype(dtype))


def bits(values, kind):
    """The bits of 16-bit floats."""
    return values.view(np.uint16) if kind == "DT_HALF" else values.view(np.uint32) >> 16


def shape_text(shape):
    return " ".join(f"dim {{ size: {n} }}" for n in shape)


def attribute(value):
    """A Python value as the text of an AttrValue."""
    if isinstance(value, bool):
        return f"b: {str(value).lower()}"
    if isinstance(value, int):
        return f"i: {value}"
    if isinstance(value, float):
        return f"f: {value!r}"
    if isinstance(value, str):
        return f"type: {value}" if value.startswith("DT_") else f's: "{value}"'
    if isinstance(value, list) and value and isinstance(value[0], str):
        return "list { " + " ".join(f"type: {v}" for v in value) + " }"
    if isinstance(value, list):
        return "list { " + " ".join(f"i: {v}" for v in value) + " }"
    if isinstance(value, tuple):  # a function by name
        return f'func {{ name: "{value[0]}" }}'
    raise TypeError(value)


class Graph:
    """Nodes of a graph or, with `add_function`, of its functions."""

    def __init__(self):
        self.nodes = []
        self.functions = []

    def node(self, name, op, inputs=(), **attributes):
        lines = [f'  name: "{name}"', f'  op: "{op}"']
        lines += [f'  input: "{i}"' for i in inputs]
        lines += [f'  attr {{ key: "{k}" value {{ {attribute(v)} }} }}'
                  for k, v in attributes.items()]
        self.nodes.append("{\n" + "\n".join(lines) + "\n}")
        return name

    def op(self, name, op, *inputs, **attributes):
        """A node whose only type is f32, unless T says otherwise."""
        attributes.setdefault("T", "DT_FLOAT")
        return self.node(name, op, inputs, **attributes)

    def placeholder(self, name, shape, dtype="float32"):
        self.nodes.append(
            f'{{\n  name: "{name}"\n  op: "Placeholder"\n'
            f'  attr {{ key: "dtype" value {{ type: {type_name(dtype)} }} }}\n'
            f'  attr {{ key: "shape" value {{ shape {{ {shape_text(shape)} }} }} }}\n}}')
        return name

    def const(self, name, values, dtype="float32"):
        kind = type_name(dtype)
        known, field = TYPES[kind]
        values = np.asarray(values, known)
        if field == "half_val":
            values = bits(values, kind)
        numbers = ", ".join(str(v).lower() if values.dtype == bool else repr(v.item())
                            for v in values.ravel())
        self.nodes.append(
            f'{{\n  name: "{name}"\n  op: "Const"\n'
            f'  attr {{ key: "dtype" value {{ type: {kind} }} }}\n'
            f'  attr {{ key: "value" value {{ tensor {{ dtype: {kind} '
            f'tensor_shape {{ {shape_text(values.shape)} }} {field}: [{numbers}] }} }} }}\n}}')
        return name

    def ints(self, name, values):
        return self.const(name, values, "int32")

    def add_function(self, name, inputs, outputs, body):
        """`inputs` and `outputs`: pairs of name and type; outputs also the edge."""
        arguments = "".join(f'input_arg {{ name: "{n}" type: {t} }} ' for n, t in inputs)
        results = "".join(f'output_arg {{ name: "{n}" type: {t} }} ' for n, t, _ in outputs)
        returns = "".join(f'ret {{ key: "{n}" value: "{edge}" }} ' for n, _, edge in outputs)
        nodes = "\n".join(f"node_def {n}" for n in body.nodes)
        self.functions.append(
            f'function {{\nsignature {{ name: "{name}" {arguments}{results}}}\n'
            f"{nodes}\n{returns}\n}}")

    def text(self):
        nodes = "\n".join(f"node {n}" for n in self.nodes)
        library = "\n".join(self.functions)
        return nodes + (f"\nlibrary {{\n{library}\n}}" if library else "") + "\n"
