"""Functions in float64 that several tests compare with."""

import numpy as np


def softmax(x, axis=-1):
    """A slice in which all elements are -inf has NaN results."""
    x = np.float64(x)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)
