"""Writes a TensorFlow graph as text (.pbtxt): the nodes of a GraphDef, with variables."""

import numpy as np

TYPES = {"float32": "DT_FLOAT", "int32": "DT_INT32", "bool": "DT_BOOL"}
VALUES = {"float32": "float_val", "int32": "int_val", "bool": "bool_val"}


def _shape(sizes):
    return " ".join(f"dim {{ size: {size} }}" for size in sizes)


def _tensor(array):
    numbers = " ".join(f"{VALUES[array.dtype.name]}: {str(v).lower()}" for v in array.ravel())
    kind, shape = TYPES[array.dtype.name], _shape(array.shape)
    return f"tensor {{ dtype: {kind} tensor_shape {{ {shape} }} {numbers} }}"


def _value(value):
    """An attribute. A name of a data type begins with DT_."""
    if isinstance(value, bool):
        return f"b: {str(value).lower()}"
    if isinstance(value, int):
        return f"i: {value}"
    if isinstance(value, float):
        return f"f: {value}"
    if isinstance(value, tuple):
        return f"shape {{ {_shape(value)} }}"
    if isinstance(value, list):
        return "list { " + " ".join(f"i: {i}" for i in value) + " }"
    if isinstance(value, np.ndarray):
        return _tensor(value)
    return f"type: {value}" if value.startswith("DT_") else f's: "{value}"'


class Graph:
    """Each method adds nodes and returns the name of their result."""

    def __init__(self, seed=1):
        self.text, self.rng = [], np.random.default_rng(seed)

    def node(self, name, op, *inputs, **attributes):
        lines = [f'  name: "{name}"', f'  op: "{op}"', *(f'  input: "{i}"' for i in inputs)]
        for key, value in attributes.items():
            lines.append(f'  attr {{ key: "{key}" value {{ {_value(value)} }} }}')
        self.text.append("\n".join(["node {", *lines, "}"]))
        return name

    def op(self, name, op, *inputs, **attributes):
        """A node that computes f32."""
        return self.node(name, op, *inputs, T="DT_FLOAT", **attributes)

    def placeholder(self, name, *shape, dtype="DT_FLOAT"):
        return self.node(name, "Placeholder", dtype=dtype, shape=shape)

    def constant(self, name, array):
        array = np.asarray(array)
        return self.node(name, "Const", dtype=TYPES[array.dtype.name], value=array)

    def variable(self, name, first):
        """A variable that begins with the values of `first`."""
        first = np.asarray(first, np.float32)
        self.node(name, "VariableV2", dtype="DT_FLOAT", shape=first.shape)
        self.constant(f"{name}/first", first)
        self.op(f"{name}/Assign", "Assign", name, f"{name}/first")
        return name

    def weight(self, name, *shape, inputs):
        """A variable of normal numbers, scaled for sums of `inputs` terms before a relu."""
        return self.variable(name, self.rng.normal(0, np.sqrt(2 / inputs), shape))

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(self.text) + "\n")
