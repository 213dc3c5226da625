"""Tests ONNX nodes whose sizes, axes, scales and regions are operands. At run time the model
declares the shape, and folded it follows from the constants."""

import itertools

import numpy as np
from onnx_graph import Body, OnnxGraph, main
from resized import resized

rng = np.random.default_rng(19)
near = dict(rtol=2e-5, atol=2e-5)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def i64(*values):
    return np.int64(values)


def resizes():
    g = OnnxGraph(opset=19)
    a = f32(1, 2, 5, 8)
    x = g.input(a)
    modes = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners"]
    cases = [(mode, c, {}) for mode, c in itertools.product(["nearest", "linear", "cubic"], modes)]
    cases += [("nearest", "half_pixel", dict(nearest_mode=r)) for r in ("floor", "ceil", "round_prefer_ceil")]
    cases += [("cubic", "half_pixel", dict(exclude_outside=1, cubic_coeff_a=-0.5))]
    cases += [(mode, "half_pixel", dict(antialias=1)) for mode in ("linear", "cubic")]
    for k, (mode, coordinates, more) in enumerate(cases):
        scales = np.float32([1, 1, 0.61, 0.4] if k % 2 else [1, 1, 1.7, 2.3])
        sizes = [1, 2, *(int(n * s) for n, s in zip((5, 8), scales[2:].astype(float)))]
        y = g.op("Resize", x, None, g.input(scales), mode=mode, promise=sizes,
                 coordinate_transformation_mode=coordinates, **more)  # fmt: skip
        how = dict(exclude=more.get("exclude_outside", 0), antialias=more.get("antialias", 0))
        how |= dict(rounding=more.get("nearest_mode", "round_prefer_floor"), a=more.get("cubic_coeff_a", -0.75))
        g.expect(y, resized(a, scales, sizes, mode=mode, coordinates=coordinates, **how), rtol=1e-4, atol=1e-4)
    return g


def aspects():
    """Sizes keep the aspect ratio of the image, and regions are cropped."""
    g = OnnxGraph(opset=19)
    a = f32(1, 1, 4, 6)
    x = g.input(a)
    for policy, scale in (("not_larger", 7 / 6), ("not_smaller", 7 / 4)):
        sizes = [1, 1, *(int(np.floor(n * scale + 0.5)) for n in (4, 6))]
        y = g.op("Resize", x, None, None, g.input(i64(7, 7)), axes=[2, 3], mode="linear",
                 keep_aspect_ratio_policy=policy, promise=sizes)  # fmt: skip
        g.expect(y, resized(a, [1, 1, scale, scale], sizes, mode="linear", coordinates="half_pixel"), **near)
    roi = np.float32([0.25, -0.1, 0.75, 1.3])
    for size in (3, 1):
        y = g.op("Resize", x, g.input(roi), None, g.input(i64(size, 5)), axes=[2, 3], mode="linear",
                 coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=10.0,
                 promise=[1, 1, size, 5])  # fmt: skip
        regions = [(0, 1), (0, 1), (roi[0], roi[2]), (roi[1], roi[3])]
        g.expect(y, resized(a, [1, 1, size / 4, 5 / 6], [1, 1, size, 5], regions, 10, mode="linear",
                            coordinates="tf_crop_and_resize"), **near)  # fmt: skip
    return g


def upsamples():
    """Before version 11 positions are rounded up if an image shrinks."""
    g = OnnxGraph(opset=9)
    a = f32(1, 1, 2, 3)
    y = g.op("Upsample", g.input(a), g.input(np.float32([1, 1, 2, 1.5])), promise=[1, 1, 4, 4])
    g.expect(y, a[:, :, [0, 0, 1, 1]][..., [0, 0, 1, 2]])
    return g


def shrinks():
    g = OnnxGraph(opset=10)
    a = f32(1, 1, 2, 4)
    y = g.op("Resize", g.input(a), g.input(np.float32([1, 1, 0.6, 0.6])), promise=[1, 1, 1, 2])
    g.expect(y, a[:, :, :1, [0, 2]])
    return g


def transforms():
    g = OnnxGraph(opset=20)
    pair = lambda z: np.stack([z.real, z.imag], -1)
    a, c = f32(2, 6, 5, 1), f32(2, 6, 5, 2)
    x, z, complex = g.input(a), g.input(c), c[..., 0] + 1j * c[..., 1]
    for axis in (1, -2):
        y = g.op("DFT", x, None, g.input(np.int64(axis)), promise=[2, 6, 5, 2])
        g.expect(y, pair(np.fft.fft(a[..., 0], axis=axis % 4)), **near)
    y = g.op("DFT", x, g.input(np.int64(7)), g.input(np.int64(1)), onesided=1, promise=[2, 4, 5, 2])
    g.expect(y, pair(np.fft.rfft(a[..., 0], 7, axis=1)), **near)
    y = g.op("DFT", z, None, g.input(np.int64(1)), inverse=1, onesided=1, promise=[2, 10, 5, 1])
    g.expect(y, np.fft.irfft(complex, 10, axis=1)[..., None], **near)
    signal, window = f32(2, 30, 1), f32(8)
    frames = np.stack([signal[:, i : i + 8, 0] for i in range(0, 23, 5)], 1)
    s, step = g.input(signal), g.input(np.int64(5))
    y = g.op("STFT", s, step, g.input(window), promise=[2, 5, 5, 2])
    g.expect(y, pair(np.fft.rfft(frames * window)), **near)
    y = g.op("STFT", s, step, None, g.input(np.int64(8)), promise=[2, 5, 5, 2])
    g.expect(y, pair(np.fft.rfft(frames)), **near)
    return g


def bands():
    """HTK's mel scale; a bin belongs to the bands that rise or fall at it."""
    g = OnnxGraph(opset=17)
    count, length, rate, low, high = 6, 64, 8000, 100.0, 3500.0
    mel = lambda hertz: 2595 * np.log10(1 + hertz / 700)
    ends = mel(low) + np.arange(count + 2) * (mel(high) - mel(low)) / (count + 2)
    peaks = np.floor((length + 1) * 700 * (10 ** (ends / 2595) - 1) / rate).astype(int)
    expected = np.zeros((length // 2 + 1, count))
    for k in range(count):
        first, top, last = peaks[k : k + 3]
        for bin in range(first, top):
            expected[bin, k] = (bin - first) / (top - first)
        for bin in range(top, last):
            expected[bin, k] = (last - bin) / (last - top)
        if first == top:
            expected[top, k] = 1
    numbers = [g.input(np.int32(n)) for n in (count, length, rate)]
    numbers += [g.input(np.float32(f)) for f in (low, high)]
    g.expect(g.op("MelWeightMatrix", *numbers, promise=expected.shape), expected, **near)
    return g


def patches():
    """Columns of patches, with a size that is ambiguous."""
    g = OnnxGraph(opset=18)
    columns = f32(2, 3 * 6, 12)
    for patch in ((2, 3), (3, 2)):
        counts = [5 - k + 1 for k in patch]
        expected = np.zeros((2, 3, 5, 5))
        parts = columns.reshape(2, 3, *patch, *counts).astype(float)
        for i, j in np.ndindex(*patch):
            expected[:, :, i : i + counts[0], j : j + counts[1]] += parts[:, :, i, j]
        y = g.op("Col2Im", g.input(columns), g.input(i64(5, 5)), g.input(i64(*patch)), promise=expected.shape)
        g.expect(y, expected, **near)
    a, at = f32(1, 1, 2, 2), np.int64([5, 7, 13, 15]).reshape(1, 1, 2, 2)
    y = g.op("MaxUnpool", g.input(a), g.input(at), g.input(i64(1, 1, 5, 5)), kernel_shape=[2, 2], strides=[2, 2],
             promise=[1, 1, 5, 5])  # fmt: skip
    wide = np.zeros((1, 1, 5, 5))
    wide[0, 0, [1, 1, 3, 3], [1, 3, 1, 3]] = a.reshape(-1)
    g.expect(y, wide)
    x, w = f32(1, 1, 3, 3), f32(1, 2, 3, 3)
    y = g.op("ConvTranspose", g.input(x), g.input(w), strides=[3, 2], output_shape=[10, 8])
    wide = np.zeros((1, 2, 10, 8))
    for i, j in np.ndindex(3, 3):
        wide[0, :, 3 * i : 3 * i + 3, 2 * j : 2 * j + 3] += float(x[0, 0, i, j]) * w[0]
    g.expect(y, wide, **near)
    return g


def between():
    """Shapes follow from the declared shape of a later node."""
    g = OnnxGraph(opset=18)
    a = f32(3, 2, 4)
    x = g.input(a)
    sums = g.op("ReduceSum", g.op("Mul", x, x), g.input(i64(-2)), keepdims=0)
    g.expect(g.op("CastLike", g.op("Sqrt", sums), x, promise=[3, 4]), np.sqrt((a.astype(float) ** 2).sum(1)), **near)
    size = g.op("Cast", g.input(np.int32(9)), to=1)
    count = g.op("Range", g.constant(np.float32(0)), size, g.constant(np.float32(1)))
    angle = g.op("Mul", count, g.op("Div", g.constant(np.float32(2 * np.pi)), size))
    y = g.op("Sub", g.constant(np.float32(0.5)), g.op("Mul", g.op("Cos", angle), g.constant(np.float32(0.5))), promise=[9])
    g.expect(y, 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(9) / 9), **near)
    target = g.input(i64(5, 1, 4))
    missing = g.op("Max", g.op("Sub", target, g.constant(i64(3, 2, 4))), g.constant(i64(0, 0, 0)))
    wide = g.op("Pad", x, g.op("Concat", g.constant(i64(0, 0, 0)), missing, axis=0))
    y = g.op("Slice", wide, g.constant(i64(0, 0, 0)), target, promise=[5, 1, 4])
    g.expect(y, np.pad(a, ((0, 2), (0, 0), (0, 0)))[:, :1])
    return g


def steps():
    """A slice from one step to the next, and a loop whose constants determine the number of
    iterations."""
    g = OnnxGraph(opset=13, fold=False)
    a = f32(5)
    table = g.input(a)
    body = Body(
        'input { name: "i" } input { name: "go" } input { name: "v" }'
        ' node { op_type: "Constant" output: "one" attribute { name: "value_ints" type: INTS ints: 1 } }'
        ' node { op_type: "Reshape" input: "i" input: "one" output: "from" }'
        ' node { op_type: "Add" input: "from" input: "one" output: "to" }'
        f' node {{ op_type: "Slice" input: "{table.names[0]}" input: "from" input: "to" output: "part" }}'
        ' node { op_type: "Add" input: "v" input: "part" output: "w" }'
        ' output { name: "go" } output { name: "w" }'
    )
    y = g.op("Loop", g.constant(np.int64(5)), None, g.constant(np.float32([0])), body=body)
    g.expect(y, [a.astype(float).sum()], **near)
    down = Body(
        'input { name: "i" } input { name: "go" } input { name: "v" }'
        ' node { op_type: "Constant" output: "one" attribute { name: "value_float" type: FLOAT f: 1 } }'
        ' node { op_type: "Sub" input: "v" input: "one" output: "w" }'
        ' node { op_type: "Cast" input: "w" output: "more" attribute { name: "to" type: INT i: 9 } }'
        ' node { op_type: "Identity" input: "v" output: "old" }'
        ' output { name: "more" } output { name: "w" } output { name: "old" }'
    )
    last, each = g.op("Loop", g.constant(np.int64(9)), None, g.constant(np.float32(4)), outputs=2, body=down)
    g.expect(last, 0.0)
    g.expect(each, [4.0, 3, 2, 1])
    return g


def wrong_axis():
    g = OnnxGraph(opset=20, fold=False)
    x = g.input(f32(1, 6, 5, 1))
    g.expect(g.op("DFT", x, None, g.input(np.int64(3)), promise=[1, 6, 5, 2]), np.zeros((1, 6, 5, 2)))
    g.fails("its axis or length gives another shape than the model says")
    return g


main(
    resizes, aspects, upsamples, shrinks, transforms, bands, patches, between, steps, wrong_axis,
)  # fmt: skip
