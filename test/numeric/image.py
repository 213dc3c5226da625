"""Tests resized images, crops and colors."""

import colorsys

import numpy as np
from harness import Graph, main

random = np.random.default_rng(9)


def uniform(*shape):
    return np.float32(random.uniform(0, 1, shape))


def places(n, out, align, half):
    scale = (n - 1) / (out - 1) if align and out > 1 else n / out
    return (np.arange(out) + 0.5) * scale - 0.5 if half else np.arange(out) * scale


def linear(x, axis, out, align, half):
    n = x.shape[axis]
    at = places(n, out, align, half)
    low = np.floor(at)
    shape = [1] * x.ndim
    shape[axis] = out
    part = (at - low).reshape(shape)
    lower = np.take(x, np.clip(low, 0, n - 1).astype(int), axis)
    upper = np.take(x, np.clip(np.ceil(at), 0, n - 1).astype(int), axis)
    return lower + (upper - lower) * part


def cubic(x, axis, out, align, half):
    n, a = x.shape[axis], -0.5 if half else -0.75
    at = places(n, out, align, half)
    matrix = np.zeros((out, n))
    for i, place in enumerate(at):
        for pixel in range(int(np.floor(place)) - 1, int(np.floor(place)) + 3):
            d = abs(place - pixel)
            near = ((a + 2) * d - (a + 3)) * d * d + 1
            weight = near if d <= 1 else ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
            if not half or 0 <= pixel < n:
                matrix[i, min(max(pixel, 0), n - 1)] += weight
    if half:
        matrix /= matrix.sum(1, keepdims=True)
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def area(x, axis, out, align, half):
    n = x.shape[axis]
    matrix, scale = np.zeros((out, n)), n / out
    for i in range(out):
        for pixel in range(n):
            covered = min((i + 1) * scale, pixel + 1) - max(i * scale, pixel)
            matrix[i, pixel] = max(covered, 0) / scale
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def resizing():
    g = Graph(fold=False)
    for size in ((8, 5), (3, 11), (4, 6), (1, 1)):
        x, sizes = g.input(uniform(2, 4, 6, 3)), g.constant(np.int32(size))
        exact = np.float64(x.value)
        for align, half in ((False, False), (True, False), (False, True)):
            how = {"align_corners": align, "half_pixel_centers": half}
            for op, along, atol in (("ResizeBilinear", linear, 1e-6), ("ResizeBicubic", cubic, 3e-3)):
                reference = exact
                for axis in (1, 2):
                    reference = along(reference, axis, size[axis - 1], align, half)
                g.expect(g.op(op, x, sizes, **how), reference, rtol=1e-5, atol=atol)
            reference = exact
            for axis in (1, 2):
                n, out = exact.shape[axis], size[axis - 1]
                at = places(n, out, align, False) + (0.5 * n / out if half else 0)
                pixel = np.floor(at + 0.5) if align else np.floor(at + 1e-9)
                reference = np.take(reference, np.minimum(pixel, n - 1).astype(int), axis)
            g.expect(g.op("ResizeNearestNeighbor", x, sizes, **how), reference)
        reference = area(area(exact, 1, size[0], False, False), 2, size[1], False, False)
        g.expect(g.op("ResizeArea", x, sizes), reference, rtol=1e-5, atol=1e-6)
    return g


def colors():
    g = Graph(fold=False)
    x = g.input(uniform(4, 5, 3))
    pixels = np.float64(x.value).reshape(-1, 3)

    def each(function):
        return np.array([function(*pixel) for pixel in pixels]).reshape(4, 5, 3)

    g.expect(g.op("RGBToHSV", x), each(colorsys.rgb_to_hsv), rtol=1e-5, atol=1e-6)
    g.expect(g.op("HSVToRGB", x), each(colorsys.hsv_to_rgb), rtol=1e-5, atol=1e-6)

    def changed(change):
        return each(lambda *rgb: colorsys.hsv_to_rgb(*change(*colorsys.rgb_to_hsv(*rgb))))

    turned = changed(lambda h, s, v: ((h + 0.3) % 1, s, v))
    g.expect(g.op("AdjustHue", x, g.input(np.float32(0.3))), turned, rtol=1e-5, atol=2e-6)
    stronger = changed(lambda h, s, v: (h, min(s * 1.7, 1), v))
    made = g.op("AdjustSaturation", x, g.input(np.float32(1.7)))
    g.expect(made, stronger, rtol=1e-5, atol=2e-6)
    mean = np.float64(x.value).mean((0, 1))
    made = g.op("AdjustContrastv2", x, g.input(np.float32(2)))
    g.expect(made, (x.value - mean) * 2 + mean, rtol=1e-5, atol=1e-6)
    return g


def crops():
    g = Graph(fold=False)
    x = g.input(uniform(2, 7, 9, 2))
    boxes = g.input(np.float32([[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9], [-0.3, 0.5, 0.4, 1.6], [1, 1, 0, 0]]))
    which = g.input(np.int32([0, 1, 1, 0]))
    for rows, columns in ((4, 5), (1, 3)):
        reference = np.full((4, rows, columns, 2), 9.0)
        for n, (y1, x1, y2, x2) in enumerate(np.float64(boxes.value)):
            image = np.float64(x.value[which.value[n]])
            ys = np.linspace(y1, y2, rows) if rows > 1 else np.array([(y1 + y2) / 2])
            xs = np.linspace(x1, x2, columns)
            for i, at in enumerate(ys * 6):
                for k, across in enumerate(xs * 8):
                    if 0 <= at <= 6 and 0 <= across <= 8:
                        a, b = int(np.floor(at)), int(np.floor(across))
                        c, d = int(np.ceil(at)), int(np.ceil(across))
                        top = image[a, b] + (image[a, d] - image[a, b]) * (across - b)
                        bottom = image[c, b] + (image[c, d] - image[c, b]) * (across - b)
                        reference[n, i, k] = top + (bottom - top) * (at - a)
        size = g.constant(np.int32([rows, columns]))
        made = g.op("CropAndResize", x, boxes, which, size, extrapolation_value=9.0)
        g.expect(made, reference, rtol=1e-5, atol=1e-5)
    return g


def no_such_image():
    g = Graph(fold=False)
    x, boxes = g.input(uniform(2, 7, 9, 2)), g.input(np.float32([[0, 0, 1, 1]]))
    size = g.constant(np.int32([2, 2]))
    made = g.op("CropAndResize", x, boxes, g.input(np.int32([2])), size)
    g.expect(made, np.zeros((1, 2, 2, 2)))
    g.fails(made.names[0] + "': a box is of no image")
    return g


if __name__ == "__main__":
    main(resizing, colors, crops, no_such_image)
