"""Tests functions composed of others, against series and quadrature, and also eigenvalues and
tridiagonal systems."""

import itertools
import math

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(14)
F = np.float32
INF, NAN = np.inf, np.nan


def bessel(order, x):
    """exp(-|x|) I(x): the mean of a smooth periodic function, which the trapezoidal rule computes
    to the last digit."""
    x = np.asarray(x, np.float64)[..., None]
    t = (np.arange(4000) + 0.5) * np.pi / 4000
    # cos(t) - 1 would cancel for large x, so the exponent has a square of the sine. Order 1
    # uses integration by parts, because the mean of a cosine would cancel for small x.
    weights = np.exp(-2 * np.abs(x) * np.sin(t / 2) ** 2)
    if order == 0:
        return np.mean(weights, -1)
    return x[..., 0] * np.mean(weights * np.sin(t) ** 2, -1)


def bisected(function, target, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < target else (low, middle)
    return (low + high) / 2


def erf_inverse(x):
    if not -1 < x < 1:
        return INF if x == 1 else -INF if x == -1 else NAN
    if x == 0:
        return 0.0
    if abs(x) < 0.5:
        return math.copysign(bisected(math.erf, abs(x), 0, 1), x)
    rest = 1 - abs(x)
    return math.copysign(bisected(lambda y: -math.erfc(y), -rest, 0, 27), x)


def normal_quantile(p):
    if not 0 < p < 1:
        return INF if p == 1 else -INF if p == 0 else NAN
    if 0.25 < p < 0.75:
        return math.sqrt(2) * erf_inverse(2 * (p - 0.5))
    rest = 2 * min(p, 1 - p)
    y = math.sqrt(2) * bisected(lambda y: -math.erfc(y), -rest, 0, 27)
    return y if p > 0.5 else -y


FUNCTIONS = {
    "BesselI0e": (lambda x: bessel(0, x), [-700, -9, -8, -1, 0, 1e-9, 3.5, 7.99, 8.01, 20, 3e3]),
    "BesselI1e": (lambda x: bessel(1, x), [-700, -9, -8, -1, 0, 1e-9, 3.5, 7.99, 8.01, 20, 3e3]),
    "BesselI0": (lambda x: bessel(0, x) * np.exp(np.abs(x)), [-9, -8, -1, 0, 3.5, 8.01, 50]),
    "BesselI1": (lambda x: bessel(1, x) * np.exp(np.abs(x)), [-9, -8, -1, 0, 3.5, 8.01, 50]),
    "Erfinv": (np.vectorize(erf_inverse, otypes=[np.float64]),
               [-1, -0.999999, -0.6, -0.5, -1e-8, 0, 0.3, 0.4999, 0.75, 1 - 2**-24, 1, 1.5, NAN]),
    "Ndtri": (np.vectorize(normal_quantile, otypes=[np.float64]),
              [0, 1e-30, 1e-7, 0.01, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 0.99, 1 - 2**-24, 1, -1, NAN]),
}  # fmt: skip


def functions():
    g = Graph()
    for op, (function, points) in FUNCTIONS.items():
        for type in (np.float64, F, np.float16):
            x = type(points)
            if type == np.float16:
                x = x[np.abs(x) < 10]
            y = function(x.astype(np.float64))
            close = {"rtol": 2e-14, "atol": 1e-300} if type == np.float64 else {"ulp": 1}
            g.expect(g.op(op, g.input(x), T=type), y, **close, type=type)
        short = bf16(points[3:6])
        g.expect(g.op(op, g.input(short)), function(short.value.astype(np.float64)), ulp=1)
        g.expect(g.op(op, g.input(F(0.5))), function(0.5), ulp=1)
        g.expect(g.op(op, g.input(np.zeros((0, 2), F))), np.zeros((0, 2)))
    tail = np.float64([1e-300, 1e-200, 1e-17])
    g.expect(g.op("Ndtri", g.input(tail)), FUNCTIONS["Ndtri"][0](tail), rtol=1e-13)
    return g


def symmetric(*shape, type=np.float64):
    x = random.standard_normal(shape).astype(type)
    return x + np.swapaxes(x, -1, -2)


def eigenvalues():
    g = Graph(fold=False)
    cases = [symmetric(2, 4, 4), symmetric(5, 5, type=F), np.zeros((3, 3)), np.float64([[-2]])]
    cases += [np.diag([3.0, -1.0, 3.0]), symmetric(2, 3, 6, 6)]
    for x in cases:
        small = 1e-4 if x.dtype == F else 1e-11
        # Only the lower triangle is read.
        n = x.shape[-1]
        given = g.input(np.tril(x) + np.triu(np.full((n, n), 99, x.dtype), 1))
        upper = g.input(np.triu(x) + np.tril(np.full((n, n), 99, x.dtype), -1))
        w = np.linalg.eigvalsh(x)
        joined = g.op("SelfAdjointEig", given)
        more = g.op("BatchSelfAdjointEigV2", given, outputs=2, compute_v=False)
        g.expect(more[0], w, atol=small)
        g.expect(more[1], np.zeros(0))
        other = g.op("BatchSelfAdjointEig", given)
        both = [g.op("SelfAdjointEigV2", given, outputs=2, compute_v=True, T=x.dtype),
                g.op("XlaSelfAdjointEig", upper, outputs=2, lower=False, max_iter=9, epsilon=0.0)]
        for values, vectors in both:
            g.expect(values, w, atol=small)
            whole = g.input(x)
            left = g.op("BatchMatMulV2", whole, vectors)
            row = g.op("ExpandDims", values, g.constant(np.int32(-2)))
            g.expect(g.op("Sub", left, g.op("Mul", vectors, row)), np.zeros(x.shape),
                     atol=10 * small)  # fmt: skip
            unit = np.broadcast_to(np.eye(n), x.shape)
            g.expect(g.op("BatchMatMulV2", vectors, vectors, adj_x=True), unit, atol=10 * small)
        starts, rest = [0] * x.ndim, [*x.shape[:-2], 1, n]
        for eig in (joined, other):
            first = g.op("Slice", eig, g.constant(np.int32(starts)), g.constant(np.int32(rest)))
            g.expect(first, w[..., None, :], atol=small)
    half = symmetric(3, 3).astype(np.float16)
    made = g.op("SelfAdjointEigV2", g.input(half), outputs=2)
    g.expect(made[0], np.linalg.eigvalsh(half.astype(F)), atol=1e-2, type=np.float16)
    empty = g.op("SelfAdjointEigV2", g.input(np.zeros((2, 0, 0))), outputs=2)
    g.expect(empty[0], np.zeros((2, 0)))
    return g


def all_singular():
    g = Graph(fold=False)
    x = random.standard_normal((2, 5, 3))
    s, u, v = g.op("XlaSvd", g.input(x), outputs=3, max_iter=9, epsilon=0.0)
    g.expect(s, np.linalg.svd(x, compute_uv=False), atol=1e-11)
    for side, n in ((u, 5), (v, 3)):
        unit = np.broadcast_to(np.eye(n), (2, n, n))
        g.expect(g.op("BatchMatMulV2", side, side, adj_x=True), unit, atol=1e-11)
    return g


def dense(bands):
    above, on, below = bands[..., 0, :], bands[..., 1, :], bands[..., 2, :]
    n = on.shape[-1]
    x = np.zeros((*on.shape, n))
    i = np.arange(n)
    x[..., i, i] = on
    x[..., i[:-1], i[1:]] = above[..., :-1]
    x[..., i[1:], i[:-1]] = below[..., 1:]
    return x


def systems():
    g = Graph(fold=False)
    for shape, columns in itertools.product([(5,), (2, 3, 4), (1,), (3, 2)], [1, 3]):
        bands = random.standard_normal((*shape[:-1], 3, shape[-1]))
        # Only an exchange of rows avoids this pivot.
        if shape[-1] > 2:
            bands[..., 1, 0] = 0
        right = random.standard_normal((*shape, columns))
        x = np.linalg.solve(dense(bands), right)
        for type, small in ((np.float64, 1e-9), (F, 2e-3)):
            made = g.op("TridiagonalSolve", g.input(bands.astype(type)),
                        g.input(right.astype(type)), partial_pivoting=True, T=type)  # fmt: skip
            g.expect(made, x, rtol=small, atol=small * np.abs(x).max())
            parts = [bands[..., i : i + 1, :].astype(type) for i in range(3)]
            parts[0][..., -1] = parts[2][..., 0] = NAN
            made = g.op("TridiagonalMatMul", *[g.input(p) for p in parts],
                        g.input(right.astype(type)), T=type)  # fmt: skip
            g.expect(made, dense(bands) @ right, rtol=1e-4, atol=1e-5)
    empty = g.op("TridiagonalSolve", g.input(np.zeros((3, 4))), g.input(np.zeros((4, 0))))
    g.expect(empty, np.zeros((4, 0)))
    return g


def no_system():
    g = Graph(fold=False)
    made = g.op("TridiagonalSolve", g.input(np.zeros((3, 3))), g.input(np.ones((3, 1))))
    g.expect(made, np.zeros((3, 1)))
    g.fails("the matrix is not invertible")
    return g


if __name__ == "__main__":
    main(functions, eigenvalues, all_singular, systems, no_system)
