"""The common code of tests of f32 products that use special kernels: graphs with limits on errors,
layers, and references in float64."""

import json
import math

import numpy as np
from harness import Graph

random = np.random.default_rng(29)


class Products(Graph):
    """A graph whose errors are not larger than those of others."""

    def __init__(self, *options, threads=()):
        super().__init__(fold=False, options=options, threads=threads)
        self.closer = []

    def closer_than(self, tensor, exact, other, sizes=1):
        """Its error, relative to `sizes`, is no larger than that of `other`."""
        self.expect(tensor, exact, rtol=np.inf)
        self.closer.append((tensor.names[0], exact, other, sizes))

    def run(self, library, threads=0, level=None, pool=None):
        status, message, outputs = super().run(library, threads, level, pool)
        for name, exact, other, sizes in self.closer:
            got = outputs[name + ":0"][1]
            for norm in (lambda e: np.abs(e).max(), lambda e: np.sqrt((e * e).mean())):
                ours, theirs = norm((got - exact) / sizes), norm((other - exact) / sizes)
                if not ours <= theirs:
                    raise RuntimeError(f"{name}: error {ours:.3g}, more than {theirs:.3g}")
        return status, message, outputs


class FixedParameters:
    """Fixes parameters of the schedules of an algorithm, in front of a class of graphs."""

    def fix(self, algorithm, **parameters):
        self.fixed = dict(algorithm=algorithm, **parameters)

    def compile(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        path, report = folder / "schedule.json", folder / "report.json"
        path.write_text(json.dumps([dict(node=".*", **self.fixed)]))
        self.options += [f"--schedule={path}", f"--report={report}"]
        library = super().compile(folder)
        schedules = json.loads(report.read_text())["schedules"]
        schedules = [s for s in schedules if s["algorithm"] == self.fixed["algorithm"]]
        for schedule in schedules:
            got = {name: schedule.get(name) for name in self.fixed}
            if got != self.fixed:
                raise RuntimeError(f"the schedule of {schedule['node']} has {got}, not {self.fixed}")
        if not schedules:
            raise RuntimeError("no kernel has the algorithm")
        return library


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def wide(array):
    return np.asarray(getattr(array, "value", array), np.float64)


def plain(x, w):
    """The sum in f32, one product after another."""
    sum = np.zeros((x.shape[0], w.shape[1]), np.float32)
    for k in range(w.shape[0]):
        sum += x[:, k, None] * w[k]
    return sum


def dense(g, rows, depth, columns):
    """relu(x w + b) + r, erf(x w + b), and x w without an epilogue."""
    x, w = g.input(normal(rows, depth)), g.constant(normal(depth, columns))
    b, r = g.constant(normal(columns)), g.input(normal(rows, columns))
    exact = wide(x) @ wide(w)
    close = dict(rtol=1e-6, atol=8e-6 * depth**0.5)
    g.expect(g.op("MatMul", x, w), exact, **close)
    z = g.op("AddV2", g.op("Relu", g.op("BiasAdd", g.op("MatMul", x, w), b)), r)
    g.expect(z, np.maximum(exact + wide(b), 0) + wide(r), **close)
    turned = g.op("MatMul", x, g.constant(w.value.T.copy()), transpose_b=True)
    saturated = np.vectorize(math.erf)(exact + wide(b))
    g.expect(g.op("Erf", g.op("BiasAdd", turned, b)), saturated, rtol=1e-5, atol=8e-6 * depth**0.5)


def convolved(x, w, stride=(1, 1), dilation=(1, 1), padding=None):
    """`padding` for each side of both axes; None: that of SAME."""
    taps = [(n - 1) * d + 1 for n, d in zip(w.shape, dilation)]
    if padding is None:
        padding = []
        for size, tap, s in zip(x.shape[1:], taps, stride):
            most = max((-(-size // s) - 1) * s + tap - size, 0)
            padding.append((most // 2, most - most // 2))
    x = np.pad(x, [(0, 0), *padding, (0, 0)])
    height, width = ((n - t) // s + 1 for n, t, s in zip(x.shape[1:], taps, stride))
    sum = 0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            y, z = i * dilation[0], j * dilation[1]
            window = x[:, y : y + height * stride[0] : stride[0]][:, :height]
            sum = sum + window[:, :, z : z + width * stride[1] : stride[1]][:, :, :width] @ w[i, j]
    return sum


def convolution(g, x, w, stride=(1, 1), dilation=(1, 1), padding=None):
    how = dict(strides=[1, *stride, 1], dilations=[1, *dilation, 1], padding="SAME")
    if padding:
        sides = [side for axis in padding for side in axis]
        how.update(padding="EXPLICIT", explicit_paddings=[0, 0, *sides, 0, 0])
    y = g.op("Conv2D", g.input(x), g.constant(w), **how)
    of = (stride, dilation, padding)
    with np.errstate(all="ignore"):
        exact = convolved(wide(x), wide(w), *of)
        size = convolved(np.abs(wide(x)), np.abs(wide(w)), *of)
    return y, exact, np.where(np.isfinite(size), size * 2e-6, 0)
