"""Text graphs with variables are compiled to training libraries, and weir-run runs them: the
common code of the training tests. The first argument of the script is the folder for files."""

import pathlib
import subprocess
import sys

import numpy as np

OUT = sys.argv[1] if len(sys.argv) > 1 else "."
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "runtime" / "Inputs"))
import bundle  # noqa: E402

KINDS = {"float32": "DT_FLOAT", "int32": "DT_INT32"}


def attr(key, text):
    return f' attr {{ key: "{key}" value {{ {text} }} }}'


def dims(shape):
    return " ".join(f"dim {{ size: {n} }}" for n in shape)


def node(name, op, inputs, *attrs):
    edges = " ".join(f'input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}" {edges}{"".join(attrs)} }}'


FLOAT = attr("T", "type: DT_FLOAT")


def const(name, value):
    value = np.asarray(value)
    kind = KINDS[str(value.dtype)]
    field = {"DT_FLOAT": "float_val", "DT_INT32": "int_val"}[kind]
    values = " ".join(f"{field}: {v!r}" for v in value.ravel().tolist())
    return node(name, "Const", (), attr("dtype", f"type: {kind}"), attr("value",
        f"tensor {{ dtype: {kind} tensor_shape {{ {dims(value.shape)} }} {values} }}"))  # fmt: skip


def variable(name, shape, first=None):
    kind, form = attr("dtype", "type: DT_FLOAT"), attr("shape", f"shape {{ {dims(shape)} }}")
    text = [node(name, "VarHandleOp", (), kind, form),
            node(name + "/Read", "ReadVariableOp", (name,), kind)]
    if first is not None:
        text += [const(name + "/first", first),
                 node(name + "/Assign", "AssignVariableOp", (name, name + "/first"), kind)]
    return text


def placeholder(name, shape):
    return node(name, "Placeholder", (), attr("dtype", "type: DT_FLOAT"),
                attr("shape", f"shape {{ {dims(shape)} }}"))  # fmt: skip


def compile(name, text, *options, ending="pbtxt"):
    path, library = f"{OUT}/{name}.{ending}", f"{OUT}/{name}.so"
    pathlib.Path(path).write_text("\n".join(text) + "\n")
    subprocess.run(["weir", "compile", path, "-o", library, *options], check=True)
    return library


def run(library, function, *options, inputs=None):
    """The results of the function, and the variables after it."""
    given = []
    for key, value in (inputs or {}).items():
        np.save(f"{OUT}/{key}.npy", value)
        given.append(f"--input={key}=@{OUT}/{key}.npy")
    folder = pathlib.Path(OUT) / "out"
    folder.mkdir(exist_ok=True)
    subprocess.run(["weir-run", library, f"--function={function}", f"--output-dir={folder}",
                    f"--save={OUT}/kept", *given, *options], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    kinds = {1: np.float32, 9: np.int64}
    tensors = bundle.read(f"{OUT}/kept")
    kept = {k: np.frombuffer(d, kinds[t]).reshape(s) for k, (t, s, d) in tensors.items()}
    return {p.stem: np.load(p) for p in folder.glob("*.npy")}, kept
