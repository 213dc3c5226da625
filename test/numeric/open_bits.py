"""open_bits.py FOLDER: nets with sizes known only at run time have the bits of libraries for these
sizes.

Nets have layers that read the padded buffers of other layers: convolutions by all three
algorithms, pools, transposes at the edges, an attention. They run at the largest size, and at
sizes that fill no vector, tile or block of the kernels, with one thread and with two. A library
for a much smaller image may select another algorithm for a convolution with other rounding: such
sizes are left out. On a processor that begins two multiply-adds in a cycle, products of few rows
have two sets of sums and those of many rows one. So the attention is compiled for another one.
"""

import pathlib
import shutil
import subprocess
import sys

import numpy as np
from onnx_graph import OnnxGraph


class Net(OnnxGraph):
    def __init__(self, **ranges):
        super().__init__(opset=17)
        self.fold = False
        self.ranges = ranges
        self.rng = np.random.default_rng(1)

    def image(self, *dims):
        x = self.input(np.zeros([d if isinstance(d, int) else self.ranges[d][1] for d in dims], np.float32))
        self.dims[x.names[0]] = dims
        return x

    def weight(self, *shape):
        scale = np.sqrt(np.prod(shape[1:]))
        return self.constant((self.rng.standard_normal(shape) / scale).astype(np.float32))

    def conv(self, x, filters, channels, size=3, groups=1, **attributes):
        pads = [size // 2] * 4
        w = self.weight(filters, channels // groups, size, size)
        return self.op("Conv", x, w, self.weight(filters), group=groups, pads=pads, **attributes)


def layers():
    """A stem, a depthwise and a pointwise convolution, a residual, a pool and a Winograd convolution."""
    g = Net(h=(16, 48), w=(16, 80))
    x = g.op("Relu", g.conv(g.image(1, 3, "h", "w"), 16, 3, strides=[2, 2]))
    y = g.op("Relu", g.conv(x, 16, 16, groups=16))
    y = g.op("Add", g.conv(y, 16, 16, size=1), x)
    y = g.op("MaxPool", y, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    y = g.op("Relu", g.conv(y, 32, 16))
    return g, g.op("Sigmoid", g.conv(y, 8, 32, dilations=[1, 1])), [(33, 50), (40, 71), (48, 79), (48, 80)]


def wide():
    """One layer has its input and output in the other order."""
    g = Net(w=(32, 320))
    x = g.image(1, 32, 12, "w")
    return g, g.op("Add", g.conv(x, 32, 32), g.conv(x, 32, 32, groups=32)), [(32,), (33,), (201,), (255,), (320,)]


def attention():
    g = Net(n=(1, 96))
    x = g.image(2, "n", 64)
    q = g.op("MatMul", x, g.weight(64, 64))
    scores = g.op("MatMul", q, g.op("Transpose", q, perm=[0, 2, 1]))
    return g, g.op("MatMul", g.op("Softmax", scores, axis=-1), q), [(1,), (7,), (33,), (65,), (95,), (96,)]


def compiled(folder, name, model, *options):
    library = folder / f"{name}.so"
    command = ["weir", "compile", str(model), "-o", str(library), "--prefix=graph", *options]
    subprocess.run(command, check=True)
    return library


def outcome(library, x, path):
    made = library.with_suffix(".out")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    subprocess.run(["weir-run", str(library), f"--output-dir={made}", f"--input={x}=@{path}"], check=True)
    (result,) = made.iterdir()
    return np.load(result)


def main(folder):
    folder, failed = pathlib.Path(folder), False
    folder.mkdir(parents=True, exist_ok=True)
    for make in layers, wide, attention:
        g, y, runs = make()
        model = folder / f"{make.__name__}.txt"
        model.write_text(g.text(g.nodes, [y.names[0]]))
        ((x, dims),) = g.dims.items()
        for threads in 1, 2:
            shared = [f"--threads={threads}", *(["-mcpu=x86-64-v3"] if make is attention else [])]
            ranges = [f"--dim={n}={low}..{high}" for n, (low, high) in g.ranges.items()]
            dynamic = compiled(folder, "dynamic", model, *shared, *ranges)
            for sizes in runs:
                named = dict(zip(g.ranges, sizes))
                shape = [named.get(d, d) for d in dims]
                path = folder / "x.npy"
                np.save(path, np.random.default_rng(2).standard_normal(shape).astype(np.float32))
                fixed = compiled(folder, "fixed", model, *shared, f"--shape={x}={'x'.join(map(str, shape))}")
                a, b = outcome(fixed, x, path), outcome(dynamic, x, path)
                if a.shape != b.shape or a.tobytes() != b.tobytes():
                    far = abs(a - b).max() if a.shape == b.shape else f"{b.shape} for {a.shape}"
                    print(f"{make.__name__} at {named}, {threads} threads: differs by {far}")
                    failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
