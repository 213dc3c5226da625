"""Windows over images, and convolutions as sums over them: references for tests."""

import itertools

import numpy as np


def places(x, size, strides, low, dilations, fill, counts):
    """The elements in each window over x [N, C, spatial...], with `fill` outside: [N, C,
    counts..., window]."""
    x = np.asarray(x, np.float64)
    views = np.full((*x.shape[:2], *counts, int(np.prod(size))), fill, np.float64)
    for at in itertools.product(*map(range, counts)):
        for k, step in enumerate(itertools.product(*map(range, size))):
            p = [i * s + j * d - l for i, s, j, d, l in zip(at, strides, step, dilations, low)]
            if all(0 <= v < n for v, n in zip(p, x.shape[2:])):
                views[(slice(None), slice(None), *at, k)] = x[(slice(None), slice(None), *p)]
    return views


def conv(x, w, b, strides, low, dilations, groups, counts):
    views = places(x, w.shape[2:], strides, low, dilations, 0, counts)
    parts = []
    for g in range(groups):
        c, m = w.shape[1], w.shape[0] // groups
        own = views[:, g * c : (g + 1) * c]
        filter = w[g * m : (g + 1) * m].reshape(m, c, -1).astype(np.float64)
        parts.append(np.einsum("nc...k,mck->nm...", own, filter))
    return np.concatenate(parts, 1) + b.reshape(1, -1, *[1] * len(counts))
