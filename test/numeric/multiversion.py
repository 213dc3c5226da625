"""Tests one library for several instruction sets against NumPy: each variant that this machine can
run, and that for Intel AMX under test/emulate/amx.c. Weights are packed once for all vector
widths."""

import ctypes

import numpy as np
from harness import Graph, main
from levels import host_flags, host_levels

random = np.random.default_rng(31)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def levels():
    # The AMX variant also has these vectors, which the emulation does not cover.
    return host_levels() + (["amx"] if "avx512_bf16" in host_flags() else [])


def products():
    counter = ctypes.CDLL(None).amx_products
    counter.restype = ctypes.c_long
    return counter()


class Multiversion(Graph):
    def run(self, library, threads=0, level=None, pool=None):
        before = products()
        result = super().run(library, threads, level, pool)
        # Without a name the best variant is selected. The emulation does not count the
        # processor's own tiles.
        if before >= 0 and (products() > before) != ((level or levels()[-1]) == "amx"):
            raise RuntimeError(f"{level}: {products() - before} products of tiles")
        return result


def network():
    g = Multiversion(
        fold=False,
        options=["--multiversion=x86-64-v2,x86-64-v3,x86-64-v4,amx"],
        threads=[2],
        levels=levels(),
    )
    wide = np.float64
    for rows, depth, columns in [(48, 160, 128), (3, 70, 50), (1, 64, 9)]:
        x, w = normal(rows, depth), normal(depth, columns)
        b = normal(columns)
        y = g.op("BiasAdd", g.op("MatMul", g.input(x), g.constant(w)), g.constant(b))
        exact = wide(x) @ wide(w) + b
        g.expect(g.op("Relu", y), np.maximum(exact, 0), rtol=1e-5, atol=1e-4)
    for channels, window, outputs in [(3, 3, 20), (32, 3, 40), (24, 5, 33), (48, 1, 70)]:
        x, f = normal(1, 12, 11, channels), normal(window, window, channels, outputs)
        y = g.op("Conv2D", g.input(x), g.constant(f), strides=[1, 1, 1, 1], padding="VALID")
        views = np.lib.stride_tricks.sliding_window_view(wide(x), (window, window), (1, 2))
        exact = np.einsum("nyxcij,ijco->nyxo", views, wide(f))
        g.expect(g.op("Relu", y), np.maximum(exact, 0), rtol=1e-5, atol=1e-3)
    x = normal(5, 77)
    e = np.exp(wide(x) - x.max(1, keepdims=True))
    g.expect(g.op("Softmax", g.input(x)), e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)
    return g


main(network)
