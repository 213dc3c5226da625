"""Tests factorizations, determinants and solvers."""

import itertools

import numpy as np
from harness import Graph, main

random = np.random.default_rng(5)


def normal(*shape, type=np.float64):
    return type(random.standard_normal(shape))


def both(x):
    return np.swapaxes(x, -1, -2)


def matrices(n=4):
    x = normal(2, n, n)
    return x @ both(x) + np.eye(n)


def solvers():
    g = Graph(fold=False)
    for type, rtol in ((np.float64, 1e-10), (np.float32, 1e-3)):
        a, b = matrices().astype(type), normal(2, 4, 3, type=type)
        x, y = g.input(a), g.input(b)
        g.expect(g.op("Cholesky", x), np.linalg.cholesky(a), rtol=rtol, atol=rtol)
        g.expect(g.op("MatrixInverse", x), np.linalg.inv(a), rtol=rtol, atol=rtol)
        g.expect(g.op("MatrixSolve", x, y), np.linalg.solve(a, b), rtol=rtol, atol=rtol)
        for lower, adjoint in itertools.product([False, True], repeat=2):
            t = np.tril(a) if lower else np.triu(a)
            t = both(t) if adjoint else t
            made = g.op("MatrixTriangularSolve", x, y, lower=lower, adjoint=adjoint)
            g.expect(made, np.linalg.solve(t, b), rtol=rtol, atol=rtol)
    # One matrix is used for the whole batch, and rows must be exchanged.
    a, b = g.input(np.float64([[0, 2], [3, 1]])), g.input(normal(5, 2, 1))
    g.expect(g.op("MatrixSolve", a, b), np.linalg.solve(a.value, b.value), rtol=1e-12)
    adjoint = np.linalg.solve(a.value.T, b.value)
    g.expect(g.op("MatrixSolve", a, b, adjoint=True), adjoint, rtol=1e-12)
    empty = g.input(np.zeros((0, 0)))
    g.expect(g.op("Cholesky", empty), np.zeros((0, 0)))
    g.expect(g.op("MatrixDeterminant", empty), 1.0)
    return g


def determinants():
    g = Graph(fold=False)
    for n in (1, 2, 5):
        a = g.input(normal(3, n, n))
        sign, size = np.linalg.slogdet(a.value)
        g.expect(g.op("MatrixDeterminant", a), np.linalg.det(a.value), rtol=1e-10, atol=1e-12)
        made = g.op("LogMatrixDeterminant", a, outputs=2)
        g.expect(made[0], sign)
        g.expect(made[1], size, rtol=1e-10, atol=1e-10)
    # A singular matrix has a determinant; it has no inverse.
    g.expect(g.op("MatrixDeterminant", g.input(np.ones((3, 3)))), 0.0)
    return g


def singular():
    g = Graph(fold=False)
    inverse = g.op("MatrixInverse", g.input(np.ones((3, 3))))
    g.expect(inverse, np.zeros((3, 3)))
    g.fails(inverse.names[0] + "': the matrix is not invertible")
    return g


def indefinite():
    g = Graph(fold=False)
    factor = g.op("Cholesky", g.input(-np.eye(3)))
    g.expect(factor, np.zeros((3, 3)))
    g.fails("the matrix is not positive definite")
    return g


def factors():
    g = Graph(fold=False)
    multiply = lambda a, b, **how: g.op("BatchMatMulV2", a, b, **how)  # noqa: E731
    a = g.input(normal(3, 4, 4))
    lu, places = g.op("Lu", a, outputs=2, output_idx_type=np.int64)
    lower = g.op("MatrixBandPart", lu, g.constant(np.int64(-1)), g.constant(np.int64(0)))
    upper = g.op("MatrixBandPart", lu, g.constant(np.int64(0)), g.constant(np.int64(-1)))
    ones = g.op("MatrixSetDiag", lower, g.constant(np.ones((3, 4))))
    rows = g.op("GatherV2", a, places, g.constant(np.int32(1)), batch_dims=1)
    g.expect(g.op("Sub", multiply(ones, upper), rows), np.zeros((3, 4, 4)), atol=1e-12)
    for (m, n), full in itertools.product([(4, 4), (5, 3), (3, 5)], [False, True]):
        a = g.input(normal(2, m, n))
        q, r = g.op("Qr", a, outputs=2, full_matrices=full)
        inner = m if full else min(m, n)
        g.expect(multiply(q, r), a.value, atol=1e-12)
        unit = np.broadcast_to(np.eye(inner), (2, inner, inner))
        g.expect(multiply(q, q, adj_x=True), unit, atol=1e-12)
    # The squares of the elements overflow in their type, or are zero.
    for size in (1e-23, 1e20):
        a = g.input(np.float32(size) * normal(3, 3, type=np.float32))
        q, r = g.op("Qr", a, outputs=2)
        g.expect(multiply(q, r), a.value, atol=1e-5 * size)
        g.expect(multiply(q, q, adj_x=True), np.eye(3), atol=1e-5)
    return g


def singular_values():
    g = Graph(fold=False)
    multiply = lambda a, b, **how: g.op("BatchMatMulV2", a, b, **how)  # noqa: E731
    cases = [normal(2, 4, 4), normal(1, 5, 3), normal(3, 5, type=np.float32)]
    cases += [normal(5, 2) @ normal(2, 4), np.zeros((3, 4)), 1e200 * normal(3, 3)]
    for value, full in itertools.product(cases, [False, True]):
        small = 1e-4 if value.dtype == np.float32 else 1e-12
        scale = max(np.abs(value).max(), 1.0)
        a, k = g.input(value), min(value.shape[-2:])
        s, u, v = g.op("Svd", a, outputs=3, full_matrices=full)
        g.expect(s, np.linalg.svd(value, compute_uv=False), atol=small * scale)
        for side, size in ((u, value.shape[-2]), (v, value.shape[-1])):
            inner = size if full else k
            unit = np.broadcast_to(np.eye(inner), (*value.shape[:-2], inner, inner))
            g.expect(multiply(side, side, adj_x=True), unit, atol=10 * small)
        if not full:
            scaled = g.op("Mul", u, g.op("ExpandDims", s, g.constant(np.int32(-2))))
            g.expect(multiply(scaled, v, adj_y=True), value, atol=10 * small * scale)
    return g


def crosses():
    g = Graph()
    a, b = g.input(normal(4, 3)), g.input(normal(4, 3))
    g.expect(g.op("Cross", a, b), np.cross(a.value, b.value), rtol=1e-12, atol=1e-12)
    return g


if __name__ == "__main__":
    main(solvers, determinants, singular, indefinite, factors, singular_values, crosses)
