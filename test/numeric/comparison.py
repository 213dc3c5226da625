"""The element types of tests, and comparisons of arrays with references.

    compare("f32", got, np.float64([1.5]), ulps=2, rtol=None, atol=0, wanted_type=None)

returns None if `got` is within 2 ulp of the reference, and otherwise a text about the worst element.
"""

import os

import numpy as np

TYPES = {
    "f16": ("DT_HALF", np.float16, 11),
    "bf16": ("DT_BFLOAT16", np.uint16, 8),
    "f32": ("DT_FLOAT", np.float32, 24),
    "f64": ("DT_DOUBLE", np.float64, 53),
    "bool": ("DT_BOOL", np.bool_, 0),
    "i8": ("DT_INT8", np.int8, 0),
    "i16": ("DT_INT16", np.int16, 0),
    "i32": ("DT_INT32", np.int32, 0),
    "i64": ("DT_INT64", np.int64, 0),
    "u8": ("DT_UINT8", np.uint8, 0),
    "u16": ("DT_UINT16", np.uint16, 0),
    "u32": ("DT_UINT32", np.uint32, 0),
    "u64": ("DT_UINT64", np.uint64, 0),
}
# The last stage before the export of a graph as an ONNX model.
EXPORT = os.environ.get("WEIR_EXPORT")
REFERENCE = bool(os.environ.get("WEIR_REFERENCE"))
# The difference between one rounding and an expectation that NumPy computed in steps of f32.
REFERENCE_ULP = 2 if REFERENCE else 0
LEAST_EXPONENT = {"f16": -24, "bf16": -133, "f32": -149, "f64": -1074}


def type_name(dtype):
    """The name of a NumPy type (np.float32 -> "f32"); names stay."""
    if isinstance(dtype, str) and dtype in TYPES:
        return dtype
    dtype = np.dtype(dtype)
    for name, (_, numpy_type, _) in TYPES.items():
        if name != "bf16" and dtype == numpy_type:
            return name
    raise TypeError(f"no such element type: {dtype}")


class bf16:
    """Values of a bf16 tensor: `.value` is float32, rounded as bf16 is."""

    def __init__(self, array):
        bits = np.asarray(array, np.float32).reshape(-1).view(np.uint32)
        odd = (bits >> 16) & 1
        rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
        keep = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
        rounded = np.where(keep, bits & np.uint32(0xFFFF0000), rounded)
        self.bits = (rounded >> 16).astype(np.uint16).reshape(np.shape(array))
        self.value = rounded.view(np.float32).reshape(np.shape(array))


def ulp(reference, name):
    """The distance of two adjacent floats at `reference`, in type `name`."""
    digits = TYPES[name][2]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.abs(np.asarray(reference, np.float64)))
        least = LEAST_EXPONENT[name]
        return np.ldexp(1.0, np.maximum(exponent - digits, least))


def widened(reference, ulps, rtol, atol, type):
    """The tolerances of an expectation, which are wider for exported models."""
    if EXPORT:
        ulps, rtol = ulps + 16, rtol and 4 * rtol
    return reference, ulps, rtol, atol, type


def differences(type, run, folded):
    """The differences in the bits of two arrays; all NaNs are equal."""
    bits = run.dtype.str.replace("f", "u").replace("b", "u")
    bad = run.view(bits) != folded.view(bits)
    numbers = run, folded
    if type == "bf16":
        numbers = [(x.astype(np.uint32) << 16).view(np.float32) for x in numbers]
    if TYPES[type][2]:
        bad &= ~(np.isnan(numbers[0]) & np.isnan(numbers[1]))
    if not np.any(bad):
        return None
    at = tuple(np.argwhere(bad)[0])
    return (f"{np.sum(bad)} of {run.size} {type} elements have other bits folded than run,"
            f" as {numbers[1][at]!r} for {numbers[0][at]!r} at {list(map(int, at))}")


def compare(type, got, reference, ulps, rtol, atol, wanted_type):
    if wanted_type is not None and type != type_name(wanted_type):
        return f"is of {type}, not {type_name(wanted_type)}"
    if isinstance(reference, bf16):
        reference = reference.value
    reference = np.asarray(reference)
    if got.shape != reference.shape:
        return f"has shape {got.shape}, not {reference.shape}"
    if type == "bf16":
        got = (got.astype(np.uint32) << 16).view(np.float32)
    if not TYPES[type][2]:
        bad = got != reference.astype(got.dtype)
        distance = bad
    else:
        exact = np.asarray(reference, np.float64)
        value = got.astype(np.float64)
        with np.errstate(all="ignore"):
            # A number that rounds to infinity is infinite.
            narrow = round_to(exact, type)
            same = (value == narrow) | (np.isnan(value) & np.isnan(exact))
            error = np.abs(value - exact)
            ulps = max(ulps, 0) + REFERENCE_ULP if REFERENCE else ulps
            if rtol is None:
                allowed = (ulps + 0.5) * ulp(exact, type) + atol
            else:
                allowed = rtol * np.abs(exact) + atol + REFERENCE_ULP * ulp(exact, type)
            distance = error / ulp(exact, type)
            bad = ~(same | (error <= allowed))
    if not np.any(bad):
        return None
    where = np.argwhere(bad)
    worst = tuple(where[np.argmax(distance[bad])]) if len(where) else ()
    return (
        f"{len(where)} of {got.size} {type} elements are wrong, as {got[worst]!r}"
        f" for {reference[worst]!r} at {list(map(int, worst))}"
        f" ({distance[worst]:.3g} ulp)"
    )


def round_to(exact, type):
    if type == "bf16":
        return bf16(exact.astype(np.float32)).value.astype(np.float64)
    return exact.astype(TYPES[type][1]).astype(np.float64)
