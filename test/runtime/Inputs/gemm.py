"""gemm.py LIBRARY [fail]: runs gemm.mlir on numbers from NumPy; with `fail`, tests create in
processes with one failing call each."""

import sys

import failing
import numpy as np
from library import Library


def run():
    library = Library(sys.argv[1])
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 4), np.float32)
    t = rng.standard_normal((2, 5, 8), np.float32)
    for _ in range(2):
        [y] = library.run([x, t])
        bias = np.float32([-10, 1, 2, 3, 4, 5, 6, 7])
        hidden = np.maximum(x @ np.full((4, 8), 0.5, np.float32) + bias, 0)
        print("error", np.abs(y - hidden @ t.swapaxes(1, 2)).max() < 1e-5)
    library.close()


failing.main(run, r".*failed")
