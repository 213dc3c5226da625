"""Tests gathers of elements at indices that are close together, and at others, exactly."""

import numpy as np
from levels import host_levels
from onnx_graph import OnnxGraph, main

rng = np.random.default_rng(37)


def tables(size, count):
    """The given number of indices in rows of the given size."""
    evenly = np.arange(count) * size // count
    apart = evenly.copy()
    apart[count // 2 :] = size - 1  # the distance between them is more than a vector
    once = evenly.copy()
    once[-1] = once[-2] - 1
    return [evenly, np.maximum(evenly, size // 2), apart, once, evenly[::-1].copy(),
            rng.integers(0, size, count)]  # fmt: skip


def rows(level):
    g = OnnxGraph(fold=False, threads=[2, 3], options=[f"-mcpu={level}"])
    for size, count in ((5, 24), (16, 16), (17, 50), (40, 41), (100, 333)):
        for dtype in (np.float32, np.int32):
            v = rng.integers(-1000, 1000, (5, 7, size)).astype(dtype)
            x = g.input(v)
            for places in tables(size, count):
                at = g.constant(places.astype(np.int64))
                y = g.op("Add", g.op("Gather", x, at, axis=2), g.op("Gather", x, at, axis=2))
                g.expect(y, 2 * v[:, :, places])
                # Along another dimension, adjacent elements stay adjacent.
                y = g.op("Gather", g.op("Transpose", x, perm=[0, 2, 1]), at, axis=1)
                g.expect(g.op("Add", y, y), 2 * v.transpose(0, 2, 1)[:, places])
    return g


def given(level):
    """The indices are known only at run time."""
    g = OnnxGraph(fold=False, options=[f"-mcpu={level}"])
    v = rng.standard_normal((30, 33)).astype(np.float32)
    for places in tables(33, 70):
        y = g.op("Gather", g.input(v), g.input(places.astype(np.int32)), axis=1)
        g.expect(g.op("Neg", y), -v[:, places])
    return g


def of_each_row(level):
    """Each row has its own indices, of which only the first are in order."""
    g = OnnxGraph(fold=False, threads=[2, 3], options=[f"-mcpu={level}"])
    v = rng.standard_normal((40, 33)).astype(np.float32)
    places = rng.integers(0, 33, (40, 70))
    places[0] = tables(33, 70)[0]
    for dtype in (np.int32, np.int64):
        y = g.op("GatherElements", g.input(v), g.input(places.astype(dtype)), axis=1)
        g.expect(g.op("Neg", y), -np.take_along_axis(v, places, 1))
        y = g.op("GatherElements", g.input(v), g.constant(places.astype(dtype)), axis=1)
        g.expect(g.op("Neg", y), -np.take_along_axis(v, places, 1))
    return g


def named(case, level):
    def build():
        return case(level)

    build.__name__ = case.__name__ + "_" + level.replace("-", "_")
    return build


main(*[named(case, level) for case in (rows, given, of_each_row) for level in [*host_levels(), "native"]])
