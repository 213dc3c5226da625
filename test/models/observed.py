"""observed.py BIN OUT: the values and messages of debugging libraries of small nets.

Each node that --keep keeps has the value that --fetch gives, also a node that the
compiler folds into another. --check=nan names the node of a net of inverted residual
blocks that takes the logarithm of a negative number, and the first such element.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

import models
from graphdef import Graph

BIN, OUT = Path(sys.argv[1]), Path(sys.argv[2])


def compiled(graph, name, *options):
    (OUT / "model.pbtxt").write_text(graph.text())
    subprocess.run([BIN / "weir", "compile", OUT / "model.pbtxt", "-o", OUT / name, *options],
                   check=True)
    return OUT / name


def outputs(library, feeds, folder):
    """The outputs of a run by their names in files."""
    given = []
    for name, values in feeds.items():
        np.save(OUT / f"{name}.npy", values)
        given.append(f"--input={name}=@{OUT / name}.npy")
    subprocess.run([BIN / "weir-run", library, *given, f"--output-dir={OUT / folder}"],
                   check=True, stdout=subprocess.DEVNULL)
    return {path.stem: np.load(path) for path in (OUT / folder).iterdir()}


def check_kept():
    graph, feeds, fetches = models.residual()
    fetched = [f"--fetch={name}" for name in fetches]
    kept = outputs(compiled(graph, "kept.so", "--keep=.*", *fetched), feeds, "kept")
    # Batch norms are folded into filters, and relus are epilogues.
    assert {"c1", "n1", "r1", "c2", "sum", "mean", "y"} <= set(kept), sorted(kept)
    # A batch norm has further results, n1:1 to n1:5, whose files are n1_1 and so on.
    names = sorted(name for name in set(kept) - set(fetches) if "_" not in name)
    wanted = outputs(compiled(graph, "fetched.so", *(f"--fetch={n}" for n in names)), feeds,
                     "fetched")
    for name in names:
        np.testing.assert_allclose(kept[name], wanted[name], rtol=1e-5, atol=1e-5, err_msg=name)
    print(f"{len(names)} kept results are those of --fetch")


def inverted_residuals(blocks):
    """A net like MobileNetV2's, in whose block 2 a logarithm is planted."""
    g = Graph()
    x = models.numbers(1, 8, 8, 8)
    g.placeholder("x", x.shape)
    g.const("limit", 1.0)
    options = {"padding": "SAME", "data_format": "NHWC", "strides": [1, 1, 1, 1]}
    last = "x"
    for i in range(blocks):
        name = f"block{i}/"
        for part, shape in (("expand", (1, 1, 8, 16)), ("depth", (3, 3, 16, 1)),
                            ("project", (1, 1, 16, 8))):
            g.const(name + part + "/w", models.numbers(*shape, seed=10 * i + len(part), scale=0.3))
        g.op(name + "expand", "Conv2D", last, name + "expand/w", **options)
        g.op(name + "relu6", "Relu6", name + "expand")
        g.op(name + "depth", "DepthwiseConv2dNative", name + "relu6", name + "depth/w", **options)
        g.op(name + "project", "Conv2D", name + "depth", name + "project/w", **options)
        inner = name + "project"
        if i == 2:
            g.op(name + "below", "Sub", "limit", inner)
            inner = g.op(name + "log", "Log", name + "below")
        last = g.op(name + "add", "AddV2", last, inner)
    return g, {"x": x}, last


def check_numbers():
    graph, feeds, last = inverted_residuals(5)
    kept = outputs(compiled(graph, "below.so", "--keep=block2/below", f"--fetch={last}"), feeds,
                   "below")
    with np.errstate(all="ignore"):
        bad = ~np.isfinite(np.log(kept["block2_below"].ravel()))
    index = int(np.argmax(bad))
    assert bad.any() and index > 0, "the net has no such element, or only those"
    library = compiled(graph, "checked.so", "--check=nan", f"--fetch={last}")
    done = subprocess.run([BIN / "weir-run", library, f"--input=x=@{OUT / 'x.npy'}"],
                          capture_output=True, text=True)
    wanted = f"node 'block2/log' (Log): its operands are finite, and its result 'block2/log:0' " \
             f"is not: element {index} is NaN"
    assert done.returncode == 1 and wanted in done.stderr, (done, wanted)
    print(f"found: {wanted}")


OUT.mkdir(parents=True, exist_ok=True)
check_kept()
check_numbers()
