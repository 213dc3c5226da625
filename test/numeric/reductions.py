"""Tests reductions and prefix sums along any dimensions of shapes with dimensions shorter and
longer than vectors."""

import itertools

import numpy as np
from levels import host_levels
from onnx_graph import OnnxGraph, main

rng = np.random.default_rng(23)
SHAPES = [(2, 40, 7, 5), (3, 5, 14, 14), (1, 70, 3, 33), (2, 3, 1, 300), (6, 1, 17, 2), (20, 600)]


def values(shape):
    v = rng.standard_normal(shape).astype(np.float32)
    spots = rng.random(shape)
    v[spots < 0.003] = np.nan
    v[(spots > 0.003) & (spots < 0.006)] = -np.nan
    v[(spots > 0.006) & (spots < 0.009)] = np.inf
    v[(spots > 0.009) & (spots < 0.012)] = -np.inf
    return v


def axes_of(shape):
    rank = len(shape)
    return [list(a) for n in range(1, rank + 1) for a in itertools.combinations(range(rank), n)]


def extremes(level):
    g = OnnxGraph(fold=False, threads=[2, 3], options=[f"-mcpu={level}"])
    for shape in SHAPES:
        v = values(shape)
        x = g.input(v)
        for axes in axes_of(shape):
            for op, of in (("ReduceMax", np.max), ("ReduceMin", np.min)):
                g.expect(g.op(op, x, axes=axes, keepdims=0), of(v, axis=tuple(axes)), rtol=0, atol=0)
    return g


def sums():
    g = OnnxGraph(fold=False, threads=[2, 3])
    for shape in SHAPES:
        v = rng.standard_normal(shape).astype(np.float32)
        x = g.input(v)
        for axes in axes_of(shape):
            exact = v.astype(np.float64).mean(axis=tuple(axes))
            g.expect(g.op("ReduceMean", x, axes=axes, keepdims=0), exact, rtol=1e-6, atol=1e-6)
            exact = np.abs(v.astype(np.float64)).sum(axis=tuple(axes))
            g.expect(g.op("ReduceL1", x, axes=axes, keepdims=1), exact.reshape(kept(shape, axes)), rtol=1e-6, atol=1e-6)
    return g


def kept(shape, axes):
    return [1 if d in axes else size for d, size in enumerate(shape)]


def running():
    g = OnnxGraph(fold=False)
    for shape in SHAPES:
        v = rng.standard_normal(shape).astype(np.float32)
        x = g.input(v)
        for axis in range(len(shape)):
            along = g.constant(np.int64(axis))
            wide = v.astype(np.float64)
            g.expect(g.op("CumSum", x, along), wide.cumsum(axis), rtol=1e-5, atol=1e-4)
            down = np.flip(np.flip(wide, axis).cumsum(axis), axis)
            g.expect(g.op("CumSum", x, along, reverse=1), down, rtol=1e-5, atol=1e-4)
            g.expect(g.op("CumSum", x, along, exclusive=1), wide.cumsum(axis) - wide, rtol=1e-5, atol=1e-4)
    return g


def named(level):
    def case():
        return extremes(level)

    case.__name__ = "extremes_" + level.replace("-", "_")
    return case


main(sums, running, *[named(level) for level in [*host_levels(), "native"]])
