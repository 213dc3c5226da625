"""ONNX models with sizes n and s that are known only at run time, at several values, against
NumPy. If only n is dynamic, or nothing is summed, the bits are those of a library for these sizes.

    from onnx_ranged import Model, main

    def relu(n, s):
        g = Model(n, s)
        x = g.x("n", "s", 4)
        g.expect(g.op("Relu", x), np.maximum(x.value, 0))
        return g

    main(relu)

A model whose result's size depends on values has no library for these sizes: `g.sums = True`.
"""

import pathlib
import sys

import numpy as np
from onnx_graph import OnnxGraph

BATCH, LENGTH = 64, 33
SIZES = [(1, 1), (1, 33), (3, 4), (7, 12), (64, 33)]
near = dict(rtol=3e-5, atol=3e-5)


def f64(x):
    return np.asarray(x, np.float64)


class Model(OnnxGraph):
    """A model for sizes n and s; `x(n, 4)` is an input of such a shape."""

    def __init__(self, n, s, opset=17):
        super().__init__(opset=opset, fold=False)
        self.n, self.s = n, s
        self.sums = False  # the order of the sum depends on several sizes
        self.ranges = {"n": (1, BATCH), "s": (1, LENGTH)}
        self.sizes = SIZES
        self.rng = np.random.default_rng(5)

    def weights(self, *shape):
        return (self.rng.standard_normal(shape) / 2).astype(np.float32)

    def x(self, *shape, ids=None):
        """`shape` has "n" and "s" for the sizes."""
        sizes = [{"n": self.n, "s": self.s}.get(d, d) for d in shape]
        # The same weights follow, for any sizes.
        own = np.random.default_rng(len(self.inputs))
        value = own.standard_normal(sizes).astype(np.float32) if ids is None else own.integers(*ids, sizes)
        tensor = self.input(value)
        self.dims[tensor.names[0]] = shape
        return tensor

    def shape(self, x, *dims):
        """The sizes of dimensions in the form of exporters: numbers stay."""
        shape, parts = self.op("Shape", x), []
        for dim in dims:
            if dim < 0:
                at = self.constant(np.int64(-1 - dim))
                one = self.op("Gather", shape, at, axis=0)
                parts.append(self.op("Unsqueeze", one, self.constant(np.int64([0]))))
            else:
                parts.append(self.constant(np.int64([dim])))
        return self.op("Concat", *parts, axis=0)


def check(case, folder):
    wrong = []
    ranged = case(5, 6)
    used = {dim for dims in ranged.dims.values() for dim in dims}
    ranged.options += [f"--dim={d}={a}..{b}" for d, (a, b) in ranged.ranges.items() if d in used]
    library = ranged.compile(folder / "ranged")
    for n, s in ranged.sizes:
        model = case(n, s)
        status, message, have = model.run(library)
        if status:
            wrong.append(f"n={n} s={s}: {message}")
            continue
        wrong += [f"n={n} s={s}: {line}" for line in model.compare_all(have)]
        if model.sums:
            continue
        model.dims = {}
        _, _, same = model.run(model.compile(folder / f"fixed-{n}-{s}"))
        for key, (_, array) in same.items():
            if array.tobytes() != have[key][1].tobytes():
                wrong.append(f"n={n} s={s}: {key}: other bits than a library for these sizes")
    return wrong


def main(*cases):
    root, failed = pathlib.Path(sys.argv[1]), False
    wanted = sys.argv[2:]
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        try:
            wrong = check(case, root / case.__name__)
        except RuntimeError as error:
            wrong = [str(error)]
        for line in wrong:
            print(f"{case.__name__}: {line}")
        failed |= bool(wrong)
    sys.exit(failed)
