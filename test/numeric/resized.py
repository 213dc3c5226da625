"""The results of ONNX's Resize, by the specification."""

import numpy as np


def place(i, n, m, scale, mode, roi):
    """The position of output i of m among n pixels."""
    whole = n * scale
    match mode:
        case "asymmetric":
            return i / scale
        case "align_corners":
            return i * (n - 1) / (whole - 1) if whole != 1 else 0
        case "pytorch_half_pixel":
            return (i + 0.5) / scale - 0.5 if m > 1 else 0
        case "half_pixel_symmetric":
            return n / 2 * (1 - m / whole) + (i + 0.5) / scale - 0.5
        case "tf_half_pixel_for_nn":
            return (i + 0.5) / scale
        case "tf_crop_and_resize":
            middle = 0.5 * (roi[0] + roi[1]) * (n - 1)
            return roi[0] * (n - 1) + i * (roi[1] - roi[0]) * (n - 1) / (m - 1) if m > 1 else middle
    return (i + 0.5) / scale - 0.5


def kernel(mode, a, x):
    x = abs(x)
    if mode == "linear":
        return max(0, 1 - x)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0


def weights(n, m, scale, mode, coordinates, roi=None, rounding="round_prefer_floor", a=-0.75, exclude=0, antialias=0):
    """The matrix [m, n] of one dimension; rows of positions outside are NaN."""
    matrix = np.zeros((m, n))
    for i in range(m):
        x = place(i, n, m, scale, coordinates, roi)
        if coordinates == "tf_crop_and_resize" and not 0 <= x <= n - 1:
            matrix[i] = np.nan
            continue
        if mode == "nearest":
            low = int(np.floor(x))
            up = {"floor": False, "ceil": x > low, "round_prefer_floor": x - low > 0.5, "round_prefer_ceil": x - low >= 0.5}
            matrix[i, min(max(low + up[rounding], 0), n - 1)] = 1
            continue
        shrink = min(scale, 1) if antialias else 1
        reach = int(np.ceil((2 if mode == "cubic" else 1) / shrink)) + 1
        for p in range(int(np.floor(x)) - reach, int(np.floor(x)) + reach + 2):
            if exclude and not 0 <= p < n:
                continue
            matrix[i, min(max(p, 0), n - 1)] += kernel(mode, a, (p - x) * shrink)
        if exclude or antialias:
            matrix[i] /= matrix[i].sum()
    return matrix


def resized(x, scales, sizes, roi=None, extrapolation=0, **how):
    y = np.asarray(x, np.float64)
    for d in range(x.ndim):
        w = weights(x.shape[d], sizes[d], float(scales[d]), roi=roi and roi[d], **how)
        outside = np.isnan(w).any(1).reshape([-1] + [1] * (x.ndim - 1 - d))
        y = np.moveaxis(np.tensordot(np.nan_to_num(w), y, (1, d)), 0, d)
        y = np.where(outside, extrapolation, y)
    return y
