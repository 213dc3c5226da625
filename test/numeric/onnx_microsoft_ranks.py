"""onnx_microsoft_ranks.py FOLDER: collective operators of the domain com.microsoft on two ranks, which
are threads of weir-run and have the same inputs. test/runtime/own-collectives.test has ranks with
different ones."""

import os
import pathlib
import subprocess
import sys

import numpy as np

OPS = {"AllReduce": "f32 f64", "AllGather": "i64 f32", "AllToAll": "f32"}
if record := os.environ.get("WEIR_RECORD"):  # For docs/ops.md.
    with open(record, "a") as file:
        for op, types in OPS.items():
            print(f"onnx:com.microsoft::{op}", "onnx_microsoft_ranks", types, file=file)
    sys.exit(0)

OUT = pathlib.Path(sys.argv[1])
NUMBERS = {"float32": 1, "int64": 7, "float64": 11}
failures = 0


def check(op, x, want, **attributes):
    global failures
    name = f"{op}-{x.dtype}"
    texts = "".join(f' attribute {{ name: "{k}" i: {v} type: INT }}' for k, v in attributes.items())
    declared = " ".join(f"dim {{ dim_value: {n} }}" for n in x.shape)
    model, library = OUT / f"{name}.onnx.txt", OUT / f"{name}.so"
    model.write_text(f"""ir_version: 8
opset_import {{ version: 17 }}
opset_import {{ domain: "com.microsoft" version: 1 }}
graph {{
  name: "{op}"
  node {{ input: "x" output: "y" name: "y" op_type: "{op}" domain: "com.microsoft"{texts} }}
  input {{ name: "x" type {{ tensor_type {{ elem_type: {NUMBERS[str(x.dtype)]} shape {{ {declared} }} }} }} }}
  output {{ name: "y" type {{ tensor_type {{ elem_type: {NUMBERS[str(x.dtype)]} }} }} }}
}}
""")
    np.save(OUT / "x.npy", x)
    subprocess.run(["weir", "compile", model, "-o", library, "--mesh=model=2"], check=True)
    subprocess.run(["weir-run", library, "--comm=threads", f"--input=x=@{OUT}/x.npy", f"--output-dir={OUT}"],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    if not np.array_equal(np.load(OUT / "y.npy"), want):
        failures += 1
        print(f"{name}: {np.load(OUT / 'y.npy')}")


for dtype in (np.float32, np.float64):
    values = np.arange(12, dtype=dtype).reshape(4, 3)
    check("AllReduce", values, 2 * values)
for dtype in (np.int64, np.float32):
    values = np.arange(12, dtype=dtype).reshape(4, 3)
    check("AllGather", values, np.concatenate([values, values], axis=1), group_size=2)
    check("AllGather", values, np.concatenate([values, values], axis=0), group_size=2, axis=-2)
# Ranks have different results unless both halves of the input are equal.
half = np.arange(6, dtype=np.float32).reshape(2, 3)
check("AllToAll", np.concatenate([half, half]), np.concatenate([half, half]), group_size=2)
print(f"{failures} failures")
sys.exit(failures != 0)
