"""loss_gradients.py FOLDER: tests functions of both frontends that return the loss, its gradients
and other outputs, against NumPy in float64."""

import os
import re
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
import train_open as t  # noqa: E402
from references import softmax  # noqa: E402
from steps import FLOAT, OUT, attr, const, node, placeholder, variable  # noqa: E402
from train_open import close, dense, f32, onnx_model, onnx_node  # noqa: E402


def run(library, function, inputs):
    folder = f"{OUT}/out"
    subprocess.run(["rm", "-rf", folder], check=True)
    os.mkdir(folder)
    given = []
    for key, value in inputs.items():
        np.save(f"{OUT}/{key}.npy", value)
        given.append(f"--input={key}=@{OUT}/{key}.npy")
    subprocess.run(["weir-run", library, f"--function={function}", f"--output-dir={folder}", *given],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return {name[:-4]: np.load(f"{folder}/{name}") for name in os.listdir(folder)}


def layers(N=64, D=1000, H=100):
    """A net of two layers, whose weights the caller keeps."""
    return [placeholder("x", (N, D)), placeholder("y", (N, D)), placeholder("w1", (D, H)),
            placeholder("w2", (H, D)), node("a", "MatMul", ("x", "w1"), FLOAT), node("h", "Relu", ("a",), FLOAT),
            node("p", "MatMul", ("h", "w2"), FLOAT), node("d", "Sub", ("p", "y"), FLOAT),
            node("s", "Square", ("d",), FLOAT), const("dims", np.int32([0, 1])),
            node("l", "Mean", ("s", "dims"), FLOAT, attr("Tidx", "type: DT_INT32"))]  # fmt: skip


def check_layers():
    inputs = {"x": f32(64, 1000), "y": f32(64, 1000), "w1": f32(1000, 100, scale=0.03), "w2": f32(100, 1000, scale=0.1)}
    x, y, w1, w2 = (np.float64(v) for v in inputs.values())
    h = np.maximum(x @ w1, 0)
    e = h @ w2 - y
    slope = 2 * e / e.size
    want = {"loss": np.mean(e**2), "l": np.mean(e**2), "gradients_w2": h.T @ slope,
            "gradients_w1": x.T @ (slope @ w2.T * (h > 0))}  # fmt: skip
    ways = {
        "kind": (["--loss=mean_squared_error:p,y", "--grad=loss:w1,w2"], "gradients"),
        "tensor": (["--loss=l", "--grad=loss:w1,w2"], "gradients"),
        "fetch": (["--grad=l:w1,w2", "--fetch=l", "--fetch=gradients/w1", "--fetch=gradients/w2"], "main"),
        "entry": (["--loss=l", "--grad=loss:w1,w2", "--entry=both:gradients/w1,p,loss,gradients/w2"], "both"),
    }  # fmt: skip
    for name, (options, function) in ways.items():
        # With AVX-512, products use inner-product pairing, and run-time weights are packed in the
        # arena.
        library = t.compile(f"layers-{name}", layers(), "pbtxt", f"--header={OUT}/{name}.h", "--prefix=net",
                            "-mcpu=x86-64-v3", *options)  # fmt: skip
        given = run(library, function, inputs)
        wanted = ["l" if name == "fetch" else "loss", "gradients_w1", "gradients_w2"]
        if set(given) - {"p"} != set(wanted):
            t.fail(name, f"returns {sorted(given)}")
        for key in set(wanted) & set(given):
            scale = np.abs(want[key]).max()
            close(f"layers by {name}: {key}", given[key] / scale, want[key] / scale, 1e-5)
        arena = int(re.search(r"NET_ARENA_BYTES (\d+)", open(f"{OUT}/{name}.h").read())[1])
        # The gradient of the output (256000 bytes), h and the gradient of h.
        if name != "entry" and arena > 307200:
            t.fail(name, f"the arena has {arena} bytes")


def check_state():
    """Gradients by variables that a step of the library itself updates."""
    values = {"aW": f32(6, 5), "ab": f32(5)}
    text = [placeholder("x", (4, 6)), *dense("a", "x", 6, 5, values), node("q", "Softmax", ("ay",), FLOAT)]
    library = t.compile("state", text, "pbtxt", "--loss=sparse_softmax_cross_entropy:q", "--optimizer=sgd:lr=1",
                        "--grad=loss:aW,ab")  # fmt: skip
    inputs = {"x": f32(4, 6), "labels": np.int32([0, 4, 2, 2])}
    given = run(library, "gradients", inputs)
    p = softmax(np.float64(inputs["x"]) @ values["aW"] + values["ab"])
    hot = np.eye(5)[inputs["labels"]]
    close("state: loss", given["loss"], -np.mean(np.log(p[hot == 1])))
    close("state: W", given["gradients_aW"], np.float64(inputs["x"]).T @ (p - hot) / 4)
    close("state: b", given["gradients_ab"], (p - hot).sum(0) / 4)
    stepped, kept = t.run(library, "train_step", inputs)
    close("state: step", kept["aW"], values["aW"] - given["gradients_aW"], 1e-6)
    close("state: the step's loss", stepped["loss"], given["loss"], 1e-6)


def check_onnx():
    """An ONNX model has a batch that is known only at run time: labels are an input of the
    function, and entries return the outputs that they name."""
    values = {"W": f32(3, 4), "V": f32(4, 2)}

    def graph(n):
        return onnx_model({"x": ("f32", (n, 3))}, values, onnx_node("MatMul", ("x", "W"), ("a",)),
                          onnx_node("Tanh", ("a",), ("h",)), onnx_node("MatMul", ("h", "V"), ("y",)))  # fmt: skip

    options = ["--loss=mean_squared_error:y,t", "--grad=loss:W,V,x", "--grad=y:h"]
    opened = t.compile("onnx-open", graph(-1), "onnx.txt", "--dim=n=1..32", *options)
    chosen = t.compile("onnx-entries", graph(5), "onnx.txt", *options, "--entry=step:gradients/W,h,loss",
                       "--entry=inner:gradients_1/h")  # fmt: skip
    for n in (1, 5, 32):
        inputs = {"x": f32(n, 3), "t": f32(n, 2)}
        x = np.float64(inputs["x"])
        h = np.tanh(x @ values["W"])
        e = h @ values["V"] - inputs["t"]
        slope = 2 * e / e.size
        inner = slope @ values["V"].T * (1 - h**2)
        want = {"loss": np.mean(e**2), "gradients_V": h.T @ slope, "gradients_W": x.T @ inner, "h": h,
                "gradients_x": inner @ values["W"].T, "gradients_1_h": np.ones((n, 2)) @ values["V"].T}  # fmt: skip
        given = run(opened, "gradients", inputs)
        for key in set(want) - {"h"}:
            close(f"onnx of {n}: {key}", given[key], want[key])
        close(f"onnx of {n}: loss alone", run(opened, "loss", inputs)["loss"], want["loss"])
        if n == 5:
            given = run(chosen, "step", inputs) | run(chosen, "inner", {"x": inputs["x"]})
            if set(given) != {"gradients_W", "h", "loss", "gradients_1_h"}:
                t.fail("entries", f"return {sorted(given)}")
            for key, value in given.items():
                close(f"entries: {key}", value, want[key])


for each in (check_layers, check_state, check_onnx):
    if len(sys.argv) < 3 or each.__name__[6:] in sys.argv[2:]:
        each()
print(f"{t.failures} failures")
sys.exit(t.failures > 0)
