"""faults.py FAULTS.so FOLDER [--all] [CASE...]: runs `weir compile`, `weir inspect`, `weir-opt`
and `weir-translate` with failing system calls."""

import pathlib
import shutil
import subprocess
import sys

TEST = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TEST / "emulate"))
from faults import CALLS, Case, main  # noqa: E402

library, folder = sys.argv[1], pathlib.Path(sys.argv[2])
tensorflow = TEST / "compiler" / "import" / "tensorflow"
onnx = TEST / "compiler" / "import" / "onnx"


def field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload


def node(name, op, *rest):
    return field(1, field(1, name) + field(2, op) + b"".join(rest))


def attribute(key, value):
    return field(5, field(1, key) + field(2, value))


FLOAT = b"\x30\x01"
graph = (node(b"x", b"Placeholder", attribute(b"dtype", FLOAT),
              attribute(b"shape", field(7, field(2, b"\x08\x04"))))
         + node(b"y", b"Exp", field(3, b"x"), attribute(b"T", FLOAT)))
text = (TEST / "compiler" / "driver" / "Inputs" / "product.pbtxt").read_bytes()


def write_inputs():
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "saved" / "variables").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "m.pbtxt").write_bytes(text)
    (folder / "g.pb").write_bytes(graph)
    shutil.copy(tensorflow / "checkpoint.test", folder / "saved" / "saved_model.pbtxt")
    subprocess.run([sys.executable, tensorflow / "checkpoint.py",
                    folder / "saved" / "variables" / "variables"], check=True)
    shutil.copy(onnx / "external.test", folder / "data" / "m.onnx")
    (folder / "data" / "w.bin").write_bytes(b"\0\0\0\0\0\0\x80\x3f")
    for command in (["weir", "compile", "m.pbtxt", "-O0", "-o", "have.so"],
                    ["weir", "compile", "m.pbtxt", "--emit=graph", "-o", "have.mlir"]):
        subprocess.run(command, cwd=folder, check=True)


def compiles(name, source, product, *options, varying=(), **more):
    """A compilation to `product` and to the files that options name."""
    products = {product, *(option.split("=")[1] for option in options if "." in option)}
    if "--weights=file" in options:
        products.add(product.replace(".so", ".weights"))
    varying = {path for path in products if path.endswith((".json", ".html")) or path in varying}
    return Case(name, ["weir", "compile", source, "-O0", "-o", product, *options], products,
                varying, **more)


MEMORY = {"malloc": CALLS["malloc"]}
# An executable takes the longest time, so only the calls that a library does not have
# fail.
EXECUTABLE = {call: CALLS[call] for call in ("open", "close", "stat", "fork", "wait", "chmod",
                                             "rename", "fsync")}
LINKER = {call: (CALLS[call][0], 4) for call in ("malloc", "open", "write", "close", "stat")}
cases = [
    compiles("shared", "m.pbtxt", "libm.so", "--weights=file", "--header=m.h",
             "--report=m.json"),
    compiles("static", "saved", "libs.a", "--header=s.h", "--report=s.html"),
    compiles("object", "data/m.onnx", "o.o", "--header=o.h"),
    compiles("executable", "g.pb", "g", "--emit=exe", calls=EXECUTABLE),
    compiles("linker", "g.pb", "l", "--emit=exe", program="ld", calls=LINKER,
             varying={"l"}),
    compiles("stdin", "-", "i.so", stdin=text),
    compiles("module", "have.mlir", "o.a"),
    compiles("llvm", "g.pb", "g.ll", "--emit=llvm"),
    Case("inspect", ["weir", "inspect", "m.pbtxt"]),
    Case("inspect-saved", ["weir", "inspect", "saved", "--json"]),
    Case("inspect-onnx", ["weir", "inspect", "data/m.onnx"]),
    Case("inspect-library", ["weir", "inspect", "have.so"]),
    Case("opt", ["weir-opt", "have.mlir", "-weir-stage-fuse", "-o", "o.mlir"], {"o.mlir"},
         has_old=False, calls=MEMORY),
    Case("translate", ["weir-translate", "--import-onnx", "data/m.onnx"], calls=MEMORY),
]

write_inputs()
main(library, folder, cases)
