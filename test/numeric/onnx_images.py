"""Tests ONNX's GridSample and Resize at the edges of images, against their definitions in f64."""

import itertools
import math

import numpy as np
from onnx_graph import OnnxGraph, main

rng = np.random.default_rng(8)
near = dict(rtol=2e-5, atol=2e-5)


def f32(*shape):
    return rng.uniform(-2, 2, shape).astype(np.float32)


def cubic(t, a=-0.75):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0


def mirrored(at, low, high):
    while not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return at


def sampled(image, grid, mode, padding, align):
    """Images [N, C, spatial...] at positions [N, positions..., dimensions]."""
    sizes = image.shape[2:]
    y = np.zeros((*image.shape[:2], *grid.shape[1:-1]))
    ends = [(0, n - 1) if align else (-0.5, n - 0.5) for n in sizes]

    def pixel(i, d):
        if padding == "reflection":
            i = int(mirrored(i, *ends[d]))
        if padding == "zeros" and not 0 <= i < sizes[d]:
            return None
        return min(max(i, 0), sizes[d] - 1)

    for index in np.ndindex(*grid.shape[:-1]):
        taps = []  # for each dimension, pixels and weights
        for d, (unit, n) in enumerate(zip(grid[index][::-1].astype(float), sizes)):
            at = (unit + 1) / 2 * (n - 1) if align else ((unit + 1) * n - 1) / 2
            if mode == "nearest":
                at = np.rint(at)
            if not ends[d][0] <= at <= ends[d][1]:
                if padding == "border":
                    at = min(max(at, 0), n - 1)
                elif padding == "reflection":
                    at = mirrored(at, *ends[d])
            low = math.floor(at)
            if mode == "nearest":
                taps.append([(pixel(int(at), d), 1)])
            elif mode == "linear":
                taps.append([(pixel(low, d), 1 - at + low), (pixel(low + 1, d), at - low)])
            else:
                taps.append([(pixel(i, d), cubic(at - i)) for i in range(low - 1, low + 3)])
        for several in itertools.product(*taps):
            at, weights = zip(*several)
            if None not in at:
                y[(index[0], slice(None), *index[1:])] += image[(index[0], slice(None), *at)] * math.prod(weights)
    return y


def samples(spatial):
    """All modes and paddings, within half a pixel of an edge and far outside."""

    def build():
        g = OnnxGraph(opset=20)
        image = f32(2, 2, *spatial)
        count = 6
        places = rng.uniform(-2.2, 2.2, (2, *[1] * (len(spatial) - 1), count, len(spatial)))
        places[0, ..., 0, :], places[0, ..., 1, :] = -0.95, 0.95
        places[0, ..., 2, :] = [2 / n - 1 for n in spatial[::-1]]  # between two pixels
        x, places = g.input(image), places.astype(np.float32)
        grid = g.input(places)
        for mode, padding, align in itertools.product(("nearest", "linear", "cubic"), ("zeros", "border", "reflection"), (0, 1)):
            y = g.op("GridSample", x, grid, mode=mode, padding_mode=padding, align_corners=align)
            g.expect(y, sampled(image, places, mode, padding, align), **near)
        return g

    build.__name__ = f"samples_{len(spatial)}d"
    return build


def symmetric():
    """half_pixel_symmetric with a product of size and scale that is no integer."""
    g = OnnxGraph(opset=19)
    for size, scale in ((15, 0.5), (7, 1.5), (9, 0.25), (5, 2.5)):
        x = f32(1, 1, size, 2)
        out = math.floor(size * scale)
        for how in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
            at = size / 2 + (np.arange(out) + 0.5 - out / 2) / scale - 0.5
            whole = {"floor": np.floor, "ceil": np.ceil, "round_prefer_ceil": lambda at: np.floor(at + 0.5),
                     "round_prefer_floor": lambda at: np.ceil(at - 0.5)}[how](at)  # fmt: skip
            for known in (True, False):
                scales = np.float32([1, 1, scale, 1])
                y = g.op("Resize", g.input(x), None, g.constant(scales) if known else g.input(scales), mode="nearest",
                         coordinate_transformation_mode="half_pixel_symmetric", nearest_mode=how, promise=[1, 1, out, 2])  # fmt: skip
                g.expect(y, x[:, :, np.clip(whole, 0, size - 1).astype(int)])
    return g


def scaled():
    """Sizes are products of f32, as in ONNX's shape inference: 30 * 0.7 is 21."""
    g = OnnxGraph(opset=13)
    for size, scale in ((30, 0.7), (10, 0.7), (100, 0.29), (7, 0.6)):
        x = f32(1, 1, size, 1)
        scales = np.float32([1, 1, scale, 1])
        out = int(np.floor(np.float32(size) * scales[2]))
        at = np.floor(np.arange(out) / float(scales[2])).astype(int)
        for known in (True, False):
            y = g.op("Resize", g.input(x), None, g.constant(scales) if known else g.input(scales), mode="nearest",
                     coordinate_transformation_mode="asymmetric", nearest_mode="floor", promise=[1, 1, out, 1])  # fmt: skip
            g.expect(y, x[:, :, at])
    return g


main(samples((5,)), samples((4, 5)), samples((2, 3, 4)), symmetric, scaled)
