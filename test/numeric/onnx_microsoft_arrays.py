"""Tests operators on images and arrays of the domain com.microsoft against NumPy."""

import numpy as np
from onnx_graph import main
from onnx_microsoft import Contrib, f32, f64, near, sigmoid


def grouped(x, groups, epsilon=1e-5):
    """Images [N, ..., C] in f64, normalized in each group of channels."""
    x = f64(x)
    parts = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean, spread = parts.mean((1, 3), keepdims=True), parts.var((1, 3), keepdims=True)
    return ((parts - mean) / np.sqrt(spread + epsilon)).reshape(x.shape)


def groups():
    g = Contrib()
    x, gain, shift = f32(2, 3, 4, 6), f32(6), f32(6)
    exact = grouped(x, 3) * gain + shift
    y = g.contrib("GroupNorm", x, gain, shift, groups=3, activation=0)
    g.expect(y, exact, **near)
    first = x.transpose(0, 3, 1, 2).copy()
    y = g.contrib("GroupNorm", first, gain, shift, groups=3, activation=1, channels_last=0)
    g.expect(y, (exact * sigmoid(exact)).transpose(0, 3, 1, 2), **near)
    bias = f32(6)
    for skip in (f32(2, 3, 4, 6), f32(2, 1, 1, 6), f32(2, 6)):
        whole = f64(x) + (skip.reshape(2, 1, 1, 6) if skip.ndim == 2 else skip) + bias
        y, total = g.contrib("SkipGroupNorm", x, gain, shift, skip, bias, groups=2, activation=0, epsilon=0.1, outputs=2)
        g.expect(y, grouped(whole, 2, 0.1) * gain + shift, **near)
        g.expect(total, whole, **near)
    return g


def arrays():
    g = Contrib()
    x = f32(4, 5)
    g.expect(g.contrib("Trilu", x, np.int64(1), upper=1), np.triu(x, 1))
    g.expect(g.contrib("Trilu", x, upper=0), np.tril(x))
    pads = g.constant(np.int64([1, 0, 2, 3]))
    g.expect(g.contrib("Pad", x, pads, np.float32(7)), np.pad(x, [(1, 2), (0, 3)], constant_values=7))
    g.expect(g.contrib("Pad", x, pads, mode="reflect"), np.pad(x, [(1, 2), (0, 3)], mode="reflect"))
    ends = g.constant(np.int64(2)), g.constant(np.int64(9))
    g.expect(g.contrib("Range", *ends), np.arange(2, 9))
    g.expect(g.contrib("Range", *ends, g.constant(np.int64(3))), np.arange(2, 9, 3))
    a, b = f32(6, 3), f32(4, 3)
    squares = ((f64(a)[:, None] - b) ** 2).sum(-1)
    g.expect(g.contrib("CDist", a, b), squares, **near)
    g.expect(g.contrib("CDist", a, b, metric="euclidean"), np.sqrt(squares), **near)
    return g


def inverses():
    g = Contrib()
    x = f32(3, 4, 4) + 4 * np.eye(4, dtype=np.float32)
    g.expect(g.contrib("Inverse", x), np.linalg.inv(f64(x)), **near)
    return g


def uniques():
    g = Contrib()
    x = np.float32([2, 1, 1, 3, 4, 3])
    y, places, counts = g.contrib("Unique", x, outputs=3, promise=[4])
    g.expect(y, np.float32([2, 1, 3, 4]))
    g.expect(places, np.int64([0, 1, 1, 2, 3, 2]))
    g.expect(counts, np.int64([1, 2, 2, 1]))
    return g


def samples():
    g = Contrib()
    x = f32(1, 2, 3, 3)
    rows, columns = np.mgrid[-1:1:3j, -1:1:3j]
    grid = np.float32(np.stack([columns, rows], -1)[None])
    g.expect(g.contrib("GridSample", x, grid, align_corners=1, mode="bilinear"), x, **near)
    g.expect(g.contrib("GridSample", x, -grid, align_corners=1, mode="nearest"), x[..., ::-1, ::-1], **near)
    return g


if __name__ == "__main__":
    main(groups, arrays, inverses, uniques, samples)
