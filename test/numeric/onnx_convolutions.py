"""Tests convolutions of ONNX and their transposes against NumPy, as sums over positions."""

import numpy as np
from onnx_graph import OnnxGraph, main
from onnx_windows import conv

rng = np.random.default_rng(11)
near = dict(rtol=2e-5, atol=2e-5)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def convolutions():
    g = OnnxGraph()
    a, f, c = f32(2, 4, 7, 6), f32(6, 2, 3, 2), f32(6)
    x, w, b = g.input(a), g.input(f), g.input(c)
    y = g.op("Conv", x, w, b, strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2], group=2)
    g.expect(y, conv(a, f, c, (2, 1), (1, 0), (1, 2), 2, (4, 5)), **near)
    y = g.op("Conv", x, w, b, auto_pad="SAME_LOWER", group=2, kernel_shape=[3, 2])
    g.expect(y, conv(a, f, c, (1, 1), (1, 1), (1, 1), 2, (7, 6)), **near)
    line, taps = f32(1, 2, 9), f32(3, 2, 4)
    y = g.op("Conv", g.input(line), g.input(taps), strides=[2])
    g.expect(y, conv(line, taps, np.zeros(3), (2,), (0,), (1,), 1, (3,)), **near)

    # Large padding on one side makes taps of tiles outside.
    long, short = f32(1, 40, 70), f32(24, 40, 3)
    y = g.op("Conv", g.input(long), g.input(short), pads=[64, 0], dilations=[32])
    g.expect(y, conv(long, short, np.zeros(24), (1,), (64,), (32,), 1, (70,)), rtol=1e-5, atol=1e-4)
    tall, few = f32(1, 40, 12, 9), f32(24, 40, 3, 3)
    y = g.op("Conv", g.input(tall), g.input(few), pads=[9, 8, 0, 8], dilations=[4, 8], strides=[2, 1])
    g.expect(y, conv(tall, few, np.zeros(24), (2, 1), (9, 8), (4, 8), 1, (7, 9)), rtol=1e-5, atol=1e-4)

    # Convolutions of one dimension become Winograd convolutions of images with one row.
    for taps, dilation, size in ((3, 1, 90), (5, 1, 61), (3, 4, 77), (7, 2, 64)):
        line, filter = f32(2, 32, size), f32(40, 32, taps) / 8
        pad = taps // 2 * dilation
        y = g.op("Conv", g.input(line), g.constant(filter), pads=[pad, pad], dilations=[dilation])
        expected = conv(line, filter, np.zeros(40), (1,), (pad,), (dilation,), 1, (size,))
        g.expect(y, expected, rtol=1e-5, atol=1e-4)

    # The layers of volumes are rows of an image, with strides along rows and without.
    volume, filter = f32(2, 16, 9, 5, 6), f32(40, 16, 3, 1, 1) / 4
    for stride, counts in ((1, (9, 5, 6)), (2, (9, 3, 3))):
        y = g.op("Conv", g.input(volume), g.constant(filter), pads=[1, 0, 0, 1, 0, 0], strides=[1, stride, stride])
        expected = conv(volume, filter, np.zeros(40), (1, stride, stride), (1, 0, 0), (1, 1, 1), 1, counts)
        g.expect(y, expected, rtol=1e-5, atol=1e-4)

    # The transpose of a convolution with the same filter.
    small, back = f32(2, 6, 3, 4), f32(6, 2, 3, 3)
    p = dict(strides=[2, 2], group=2)
    wide = np.zeros((2, 4, 8, 10))
    for n, m, i, j in np.ndindex(small.shape):
        own = slice(m // 3 * 2, m // 3 * 2 + 2)
        wide[n, own, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += float(small[n, m, i, j]) * back[m]
    s, k = g.input(small), g.input(back)
    g.expect(g.op("ConvTranspose", s, k, **p), wide[:, :, :7, :9], **near)
    y = g.op("ConvTranspose", s, k, pads=[1, 0, 0, 2], output_padding=[1, 1], **p)
    g.expect(y, wide[:, :, 1:8, :8], **near)
    y = g.op("ConvTranspose", s, k, output_shape=[6, 8], auto_pad="SAME_UPPER", **p)
    g.expect(y, wide[:, :, :6, :8], **near)

    # With few output channels, all phases of the strides are one convolution.
    for taps, strides, low, high in [
        ((4, 4), (2, 2), (1, 1), (1, 1)),
        ((3, 3), (2, 2), (1, 1), (0, 0)),
        ((5, 4), (3, 1), (2, 0), (0, 3)),
        ((2, 3), (3, 4), (0, 1), (0, 0)),
        ((9, 9), (2, 3), (4, 8), (4, 0)),
        ((32, 5), (16, 9), (8, 0), (8, 1)),  # many phases
        ((2, 2), (9, 1), (0, 0), (1, 0)),  # gaps wider than windows
    ]:
        image, filter = f32(2, 8, 5, 6), f32(8, 3, *taps)
        whole = transposed(image, filter, strides)
        end = [size - after for size, after in zip(whole.shape[2:], high)]
        y = g.op("ConvTranspose", g.input(image), g.constant(filter), strides=list(strides), pads=[*low, *high])
        g.expect(y, whole[:, :, low[0] : end[0], low[1] : end[1]], rtol=1e-5, atol=1e-4)
    # With one output channel and many input channels, each phase is a convolution.
    image, filter = f32(2, 40, 6, 7), f32(40, 1, 4, 4) / 8
    whole = transposed(image, filter, (2, 2))
    y = g.op("ConvTranspose", g.input(image), g.constant(filter), strides=[2, 2], pads=[1, 1, 1, 1])
    g.expect(y, whole[:, :, 1:-1, 1:-1], rtol=1e-5, atol=1e-4)
    line, filter = f32(1, 32, 20), f32(32, 1, 16)
    whole = transposed(line[:, :, None], filter[:, :, None], (1, 8))[:, :, 0]
    y = g.op("ConvTranspose", g.input(line), g.input(filter), strides=[8])
    g.expect(y, whole, rtol=1e-5, atol=1e-4)
    return g


def transposed(x, w, strides):
    """The sums of filters at the positions of pixels, for one group, without padding."""
    size = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], strides, w.shape[2:])]
    y = np.zeros((x.shape[0], w.shape[1], *size))
    for i, j in np.ndindex(x.shape[2:]):
        a, b = i * strides[0], j * strides[1]
        pixel = np.einsum("nc,cmyx->nmyx", x[:, :, i, j].astype(np.float64), w.astype(np.float64))
        y[:, :, a : a + w.shape[2], b : b + w.shape[3]] += pixel
    return y


main(convolutions)
