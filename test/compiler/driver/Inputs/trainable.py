"""Writes the trained part of a Keras model with a batch normalization as a SavedModel:
trainable.py DIR objects|collection|neither. The object graph, the collection of TensorFlow 1, or
nothing marks the running mean as not trainable."""

import pathlib
import sys

folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]


def node(name, op, inputs=(), **attributes):
    text = f'node {{ name: "{name}" op: "{op}"' + "".join(f' input: "{i}"' for i in inputs)
    for key, value in attributes.items():
        text += f' attr {{ key: "{key}" value {{ {value} }} }}'
    return text + " }\n"


def variable(name):
    shape = "shape { dim { size: 4 } }"
    text = node(name, "VarHandleOp", dtype="type: DT_FLOAT", shape=shape,
                shared_name=f's: "{name}"')  # fmt: skip
    tensor = f"tensor {{ dtype: DT_FLOAT tensor_{shape} float_val: 1 }}"
    text += node(f"{name}/Initial", "Const", dtype="type: DT_FLOAT", value=tensor)
    text += node(f"{name}/Assign", "AssignVariableOp", [name, f"{name}/Initial"],
                 dtype="type: DT_FLOAT")  # fmt: skip
    return text + node(f"{name}/Read", "ReadVariableOp", [name], dtype="type: DT_FLOAT")


FLOAT = {"T": "type: DT_FLOAT"}
graph = node("x", "Placeholder", dtype="type: DT_FLOAT", shape="shape { dim { size: 4 } }")
graph += variable("norm/gamma") + variable("norm/moving_mean")
graph += node("centered", "Sub", ["x", "norm/moving_mean/Read"], **FLOAT)
graph += node("y", "Mul", ["centered", "norm/gamma/Read"], **FLOAT)
more = ""
if kind == "objects":
    more = """object_graph_def {
  nodes { children { node_id: 1 local_name: "norm" } }
  nodes { children { node_id: 2 local_name: "gamma" } children { node_id: 3 local_name: "moving_mean" } }
  nodes { variable { dtype: DT_FLOAT shape { dim { size: 4 } } trainable: true name: "norm/gamma" } }
  nodes { variable { dtype: DT_FLOAT shape { dim { size: 4 } } name: "norm/moving_mean" } }
}"""
elif kind == "collection":
    name = b"norm/gamma:0"
    message = "".join(f"\\{byte:03o}" for byte in bytes([10, len(name)]) + name)
    more = f'collection_def {{ key: "trainable_variables" value {{ bytes_list {{ value: "{message}" }} }} }}'
folder.mkdir(parents=True, exist_ok=True)
(folder / "saved_model.pbtxt").write_text(f"""saved_model_schema_version: 1
meta_graphs {{
meta_info_def {{ tags: "serve" }}
graph_def {{ {graph} }}
signature_def {{ key: "serving_default" value {{
  inputs {{ key: "x" value {{ name: "x:0" dtype: DT_FLOAT tensor_shape {{ dim {{ size: 4 }} }} }} }}
  outputs {{ key: "y" value {{ name: "y:0" dtype: DT_FLOAT tensor_shape {{ dim {{ size: 4 }} }} }} }}
}} }}
{more}
}}
""")
