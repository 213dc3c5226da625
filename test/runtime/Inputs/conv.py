"""conv.py LIBRARY [fail]: runs conv.mlir on numbers from NumPy; with `fail`, tests create in
processes with one failing call each."""

import sys

import failing
import numpy as np
from library import Library


def run():
    library = Library(sys.argv[1])
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 5, 6, 3), np.float32)
    r = rng.standard_normal((2, 5, 6, 4), np.float32)
    # All taps of the first filter are equal.
    padded = np.pad(x.sum(3), ((0, 0), (1, 1), (1, 1)))
    window = sum(padded[:, i:i + 5, j:j + 6] for i in range(3) for j in range(3)) * 0.25
    hidden = np.maximum(window[..., None] + np.float32([-3, 0, 0.5, 1]) + r, 0)
    wanted = hidden[:, ::2, ::2] @ np.arange(1, 9, dtype=np.float32).reshape(2, 4).T
    for _ in range(2):
        [y] = library.run([x, r])
        print("error", np.abs(y - wanted).max() < 1e-4)
    library.close()


# The runtime may find another plan, or the failed call released a resource.
failing.main(run, r".*failed|.*no way")
