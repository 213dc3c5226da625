"""Functions in float64 that several tests compare with."""

import numpy as np


def softmax(x, axis=-1):
    """A slice all of whose elements are -inf has no number."""
    x = np.float64(x)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)
