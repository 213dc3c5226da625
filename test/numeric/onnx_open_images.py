"""Tests ONNX nodes over images whose height and width are known only at run time."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from onnx_ranged import Model, f64, main, near
from resized import resized


def windows(x, size, strides, low, high, fill):
    """[n, c, rows, columns, *size] of an image with padding."""
    x = np.pad(x, [(0, 0), (0, 0), *zip(low, high)], constant_values=fill)
    seen = sliding_window_view(x, size, (2, 3))
    return seen[:, :, :: strides[0], :: strides[1]]


def margins(extents, size, strides, pads=None, ceil=0, lower=0):
    """The padding of SAME without pads, with the elements that ceil_mode adds."""
    low, high = [], []
    for i, n in enumerate(extents):
        if pads is None:
            total = max((-(-n // strides[i]) - 1) * strides[i] + size[i] - n, 0)
            low.append(total - total // 2 if lower else total // 2)
            high.append(total - low[-1])
            continue
        low.append(pads[i])
        high.append(pads[i + 2])
        left = n + low[i] + high[i] - size[i]
        count = left // strides[i] + 1
        if ceil and left % strides[i] and count * strides[i] < n + low[i]:
            high[i] += strides[i] - left % strides[i]
    return low, high


def pools(n, s):
    g = Model(n, s, opset=19)
    g.sums = True
    x = g.x(2, 3, "n", "s")
    v = f64(x.value)
    same, lower = dict(auto_pad="SAME_UPPER"), dict(auto_pad="SAME_LOWER")
    cases = [dict(pads=[1, 1, 1, 1]), dict(pads=[1, 1, 1, 1], ceil_mode=1), same, lower]
    for how in cases:
        for strides in ([1, 1], [2, 3]):
            attributes = dict(kernel_shape=[3, 2], strides=strides, **how)
            if attributes.get("pads"):
                attributes["pads"] = [1, 1, 1, 0]
            edges = margins((n, s), (3, 2), strides, attributes.get("pads"), how.get("ceil_mode"), how is lower)
            seen = lambda fill, value=v: windows(value, (3, 2), strides, *edges, fill)
            count = seen(0, np.ones_like(v)).sum((-2, -1))
            g.expect(g.op("MaxPool", x, **attributes), seen(-np.inf).max((-2, -1)))
            g.expect(g.op("AveragePool", x, **attributes), seen(0).sum((-2, -1)) / count, **near)
            norm = np.sqrt((seen(0) ** 2).sum((-2, -1)))
            g.expect(g.op("LpPool", x, **attributes), norm, **near)
            if "ceil_mode" not in how:
                y = g.op("AveragePool", x, count_include_pad=1, **attributes)
                g.expect(y, seen(0).mean((-2, -1)), **near)
    places = np.arange(v.size).reshape(v.shape)
    at = g.op("MaxPool", x, outputs=2, kernel_shape=[1, 1], strides=[2, 2])[1]
    g.expect(at, places[:, :, ::2, ::2])
    return g


def convolutions(n, s):
    g = Model(n, s)
    g.sums = True
    x, w, b = g.x(1, 2, "n", "s"), g.weights(4, 2, 3, 3), g.weights(4)
    for how in (dict(auto_pad="SAME_UPPER"), dict(auto_pad="SAME_LOWER"), dict(pads=[1, 1, 1, 2])):
        for strides in ([1, 1], [2, 3]):
            edges = margins((n, s), (3, 3), strides, how.get("pads"), lower=how.get("auto_pad") == "SAME_LOWER")
            seen = windows(f64(x.value), (3, 3), strides, *edges, 0)
            y = np.einsum("ncyxij,kcij->nkyx", seen, w) + b[:, None, None]
            g.expect(g.op("Conv", x, g.constant(w), g.constant(b), strides=strides, **how), y, **near)
    v = g.weights(2, 3, 4, 3)
    for strides, pads in (([1, 1], [0, 0, 0, 0]), ([2, 1], [1, 0, 1, 2]), ([3, 2], [0, 1, 0, 0])):
        y = np.zeros((1, 3, (n - 1) * strides[0] + 4, (s - 1) * strides[1] + 3))
        for i, j in np.ndindex(n, s):
            at = y[:, :, i * strides[0] : i * strides[0] + 4, j * strides[1] : j * strides[1] + 3]
            at += np.einsum("nc,ckij->nkij", f64(x.value)[:, :, i, j], v)
        y = y[:, :, pads[0] : y.shape[2] - pads[2], pads[1] : y.shape[3] - pads[3]]
        made = g.op("ConvTranspose", x, g.constant(v), strides=strides, pads=pads)
        g.expect(made, y, **near)
    return g


def norms(n, s):
    g = Model(n, s, opset=21)
    g.sums = True
    x = g.x(2, 4, "n", "s")
    v, gain, shift = f64(x.value), g.weights(4), g.weights(4)
    c = lambda a: a[:, None, None]
    operands = x, g.constant(gain), g.constant(shift)
    center = lambda v, dims: (v - v.mean(dims, keepdims=True)) / np.sqrt(v.var(dims, keepdims=True) + 1e-5)
    g.expect(g.op("InstanceNormalization", *operands), center(v, (2, 3)) * c(gain) + c(shift), **near)
    parts = center(v.reshape(2, 2, 2, n, s), (2, 3, 4)).reshape(v.shape)
    g.expect(g.op("GroupNormalization", *operands, num_groups=2), parts * c(gain) + c(shift), **near)
    own = g.x("s")
    g.expect(g.op("LayerNormalization", x, own), center(v, 3) * own.value, **near)
    wide = (v - v.mean((0, 2, 3), keepdims=True)) / (v.std((0, 2, 3), keepdims=True) + 1e-9)
    g.expect(g.op("MeanVarianceNormalization", x), wide, rtol=1e-3, atol=1e-3)
    return g


def flattened(n, s):
    """Before opset 13 all dimensions from the axis on are one."""
    g = Model(n, s, opset=11)
    g.sums = True
    x = g.x("n", "s", 4)
    for axis in (0, 1, 2):
        rows = f64(x.value).reshape(int(np.prod(x.value.shape[:axis])), -1)
        power = np.exp(rows - rows.max(1, keepdims=True))
        soft = power / power.sum(1, keepdims=True)
        g.expect(g.op("Softmax", x, axis=axis), soft.reshape(n, s, 4), **near)
        g.expect(g.op("LogSoftmax", x, axis=axis), np.log(soft).reshape(n, s, 4), **near)
        hard = np.eye(rows.shape[1])[rows.argmax(1)]
        g.expect(g.op("Hardmax", x, axis=axis), hard.reshape(n, s, 4))
    return g


def resizes(n, s):
    g = Model(n, s, opset=19)
    g.sums = True
    x = g.x(1, 1, "n", "s")
    two = g.constant(np.int64([1, 1, 2, 2]))
    for mode in ("nearest", "linear", "cubic"):
        for coordinates in ("half_pixel", "asymmetric", "align_corners"):
            how = dict(mode=mode, coordinate_transformation_mode=coordinates)
            scales = np.float32([1, 1, 2, 1.5])
            sizes = [1, 1, 2 * n, int(1.5 * s)]
            expected = resized(x.value, scales, sizes, mode=mode, coordinates=coordinates)
            g.expect(g.op("Resize", x, None, g.constant(scales), **how), expected, rtol=1e-4, atol=1e-4)
            sizes = [1, 1, 2 * n, 2 * s]
            expected = resized(x.value, [1, 1, 2, 2], sizes, mode=mode, coordinates=coordinates)
            y = g.op("Resize", x, None, None, g.op("Mul", g.op("Shape", x), two), **how)
            g.expect(y, expected, rtol=1e-4, atol=1e-4)
    return g


def blocks(n, s):
    g = Model(n, s)
    x = g.x(1, 4, "n", "s")
    v = x.value.reshape(1, 2, 2, 1, n, s).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 2 * n, 2 * s)
    wide = g.op("DepthToSpace", x, blocksize=2)
    g.expect(wide, v)
    g.expect(g.op("SpaceToDepth", wide, blocksize=2), x.value)
    return g


main(pools, convolutions, norms, flattened, resizes, blocks)
