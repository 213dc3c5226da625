"""Tests convolutions, pools and resizes of images with odd and even sizes known only at run time,
against NumPy."""

import numpy as np
from harness import Graph, main
from opened import opened, values


def margins(n, k, s, padding):
    """The number of windows, and the begin of the first one."""
    if padding == "VALID":
        return max((n - k + s) // s, 0), 0
    count = -(-n // s)
    return count, max((count - 1) * s + k - n, 0) // 2


def windows(x, k, s, padding, dilation=1):
    """The elements of each window, and NaN outside of the images."""
    reach = [(size - 1) * dilation + 1 for size in k]
    counts, low = zip(*(margins(x.shape[i + 1], reach[i], s[i], padding) for i in (0, 1)))
    wide = np.pad(np.float64(x), [(0, 0), (low[0], reach[0] + s[0]), (low[1], reach[1] + s[1]), (0, 0)],
                  constant_values=np.nan)
    rows = np.arange(counts[0])[:, None] * s[0] + np.arange(k[0]) * dilation
    columns = np.arange(counts[1])[:, None] * s[1] + np.arange(k[1]) * dilation
    # n, rows, columns, window's rows, window's columns, channels
    return wide[:, rows[:, None, :, None], columns[None, :, None, :]]


SIZES = [(1, 1), (3, 4), (8, 5), (7, 7)]


def strided(k, s, padding, open=(1, 2)):
    g = Graph()
    for height, width in SIZES:
        if padding == "VALID" and (height < k[0] or width < k[1]):
            continue
        x = values((2, height, width, 2))
        filter = values((*k, 2, 3)) / 4
        a = opened(g, x, open)
        of = dict(strides=[1, *s, 1], padding=padding)
        w = windows(x, k, s, padding)
        zeros = np.where(np.isnan(w), 0, w)
        g.expect(g.op("Conv2D", a, g.constant(filter), **of),
                 np.einsum("nhwijc,ijcd->nhwd", zeros, filter), rtol=1e-5, atol=1e-4)
        pool = dict(ksize=[1, *k, 1], **of)
        g.expect(g.op("MaxPool", a, **pool), np.nanmax(w, axis=(3, 4)))
        g.expect(g.op("AvgPool", a, **pool), np.nanmean(w, axis=(3, 4)), rtol=1e-5, atol=1e-5)
    return g


def same_3_1():
    return strided((3, 3), (1, 1), "SAME")


def same_3_2():
    return strided((3, 3), (2, 2), "SAME")


def same_2_2():
    return strided((2, 2), (2, 2), "SAME")


def same_5_3():
    return strided((5, 4), (3, 2), "SAME", open=(0, 1, 2))


def same_rows():
    return strided((3, 2), (2, 1), "SAME", open=(1,))


def valid_3_2():
    return strided((3, 3), (2, 2), "VALID")


def valid_images():
    return strided((2, 3), (1, 2), "VALID", open=(0,))


def many_channels():
    """Kernels that compute several windows together."""
    g = Graph()
    x, filter = values((1, 9, 10, 32)), values((3, 3, 32, 32)) / 64
    a = opened(g, x, (1, 2))
    for padding in ("VALID", "SAME"):
        w = windows(x, (3, 3), (1, 1), padding)
        y = np.einsum("nhwijc,ijcd->nhwd", np.where(np.isnan(w), 0, w), filter)
        g.expect(g.op("Conv2D", a, g.constant(filter), strides=[1, 1, 1, 1], padding=padding), y,
                 rtol=1e-4, atol=1e-3)
    return g


def others():
    g = Graph()
    x, filter = values((1, 6, 5, 2)), values((3, 2, 2, 2)) / 4
    a = opened(g, x, (1, 2))
    # These cases have depthwise convolutions, dilations and explicit padding.
    w = windows(x, (3, 2), (2, 2), "SAME")
    zeros = np.where(np.isnan(w), 0, w)
    depthwise = np.einsum("nhwijc,ijcd->nhwcd", zeros, filter).reshape(*w.shape[:3], 4)
    g.expect(g.op("DepthwiseConv2dNative", a, g.constant(filter), strides=[1, 2, 2, 1], padding="SAME"),
             depthwise, rtol=1e-5, atol=1e-4)
    w = windows(x, (3, 2), (1, 1), "SAME", dilation=2)
    zeros = np.where(np.isnan(w), 0, w)
    g.expect(g.op("Conv2D", a, g.constant(filter), strides=[1, 1, 1, 1], dilations=[1, 2, 2, 1],
                  padding="SAME"),
             np.einsum("nhwijc,ijcd->nhwd", zeros, filter), rtol=1e-5, atol=1e-4)
    w = windows(np.pad(x, [(0, 0), (2, 1), (0, 1), (0, 0)]), (3, 2), (2, 1), "VALID")
    g.expect(g.op("Conv2D", a, g.constant(filter), strides=[1, 2, 1, 1], padding="EXPLICIT",
                  explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0]),
             np.einsum("nhwijc,ijcd->nhwd", w, filter), rtol=1e-5, atol=1e-4)
    return g


def convolved_back(results, filter, images, s, padding):
    """The contribution of each result to its window, cut to the images."""
    k = filter.shape[:2]
    low = [margins(n, k[i], s[i], padding)[1] for i, n in enumerate(images)]
    wide = np.zeros((results.shape[0], images[0] + 20, images[1] + 20, filter.shape[2]))
    for i in range(results.shape[1]):
        for j in range(results.shape[2]):
            rows, columns = i * s[0], j * s[1]
            wide[:, rows : rows + k[0], columns : columns + k[1]] += np.einsum(
                "nd,ijcd->nijc", results[:, i, j], filter)
    return wide[:, low[0] : low[0] + images[0], low[1] : low[1] + images[1]]


def back():
    g = Graph()
    filter = values((3, 3, 2, 3)) / 4
    for padding, s in [("SAME", (2, 2)), ("VALID", (2, 1)), ("SAME", (1, 3))]:
        for images in [(6, 5), (7, 8)]:
            counts = [margins(n, 3, s[i], padding)[0] for i, n in enumerate(images)]
            results = values((2, *counts, 3))
            y = convolved_back(results, filter, images, s, padding)
            for open in [(0,), (1, 2), (0, 2), ()]:
                full = (2, *images, 2)
                sizes = g.op("Pack", *(
                    (g.input if dim in open else g.constant)(np.int32(size))
                    for dim, size in enumerate(full)))
                a = opened(g, results, open)
                z = g.op("Conv2DBackpropInput", sizes, g.constant(filter), a,
                         strides=[1, *s, 1], padding=padding)
                g.expect(z, y, rtol=1e-5, atol=1e-4)
    return g


def back_differs():
    g = Graph(fold=False)
    a, n = opened(g, values((1, 3, 3, 2)), (1,)), g.input(np.int32(4))
    sizes = g.op("Pack", g.constant(np.int32(1)), n, *(g.constant(np.int32(v)) for v in (6, 1)))
    y = g.op("Conv2DBackpropInput", sizes, g.constant(values((2, 2, 1, 2))), a,
             strides=[1, 2, 2, 1], padding="SAME")
    g.expect(y, values((1, 4, 6, 1)))
    g.fails("the sizes of the results do not fit to those of the images")
    return g


def places(n, m, align, half):
    """TensorFlow computes them in single precision."""
    f = np.float32
    factor = f(n - 1) / f(m - 1) if align and m > 1 else f(n) / f(m)
    at = np.arange(m, dtype=f)
    return ((at + f(0.5)) * factor - f(0.5) if half else at * factor), factor


def weights(method, n, m, align, half):
    """The matrix that resizes n elements to m."""
    at, factor = places(n, m, align, half)
    matrix = np.zeros((m, n))
    for o in range(m):
        def add(i, weight):
            matrix[o, min(max(int(i), 0), n - 1)] += weight

        floor = np.floor(at[o])
        if method == "Bilinear":
            add(floor, 1 - (at[o] - floor))
            add(np.ceil(at[o]), at[o] - floor)
        elif method == "NearestNeighbor":
            place = np.float32(o + 0.5 * half) * factor
            add(np.floor(place + np.float32(0.5)) if align else np.floor(place), 1)
        elif method == "Area":
            for i in range(n):
                add(i, max(min(i + 1, (o + 1) * factor) - max(i, o * factor), 0) / factor)
        else:
            a = -0.5 if half else -0.75
            d = np.round((at[o] - floor) * 1024) / 1024
            t = np.float64([d + 1, d, 1 - d, 2 - d])
            w = np.where(t <= 1, ((a + 2) * t - (a + 3)) * t * t + 1,
                         ((a * t - 5 * a) * t + 8 * a) * t - 4 * a)
            inside = [0 <= floor - 1 + k < n for k in range(4)]
            if half:
                w = np.where(inside, w, 0) / w[inside].sum()
            for k in range(4):
                add(floor - 1 + k, w[k])
    return matrix


def resized(method, *modes):
    g = Graph()
    for from_, to in [((4, 5), (7, 8)), ((6, 7), (3, 4)), ((5, 3), (1, 3))]:
        x = values((2, *from_, 2))
        for align, half in modes:
            of = dict(align_corners=align, half_pixel_centers=half) if method != "Area" else {}
            rows, columns = (weights(method, n, m, align, half) for n, m in zip(from_, to))
            y = np.einsum("oh,pw,nhwc->nopc", rows, columns, x)
            for open, size in [((), g.input), ((1, 2), g.input), ((0, 2), g.constant)]:
                z = g.op("Resize" + method, opened(g, x, open), size(np.int32(to)), **of)
                g.expect(z, y, rtol=1e-4, atol=1e-4)
    return g


def nearest():
    return resized("NearestNeighbor", (False, False), (True, False), (False, True))


def bilinear():
    return resized("Bilinear", (False, False), (True, False), (False, True))


def bicubic():
    return resized("Bicubic", (False, False), (True, False), (False, True))


def area():
    return resized("Area", (False, False))


def no_pixels():
    g = Graph(fold=False)
    y = g.op("ResizeBilinear", g.input(values((1, 3, 3, 1))), g.input(np.int32([0, 2])))
    g.expect(y, values((1, 1, 2, 1)))
    g.fails("resizes from or to images without pixels")
    return g


main(same_3_1, same_3_2, same_2_2, same_5_3, same_rows, valid_3_2, valid_images, many_channels, others, back, back_differs,
     nearest, bilinear, bicubic, area, no_pixels)  # fmt: skip
