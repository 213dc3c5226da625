"""dlpack.py: tests arrays that have only DLPack, as those of other frameworks."""

import ctypes

import numpy as np
import weir
from refuses import refuses


class Lent(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("number", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
                ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


class Array:
    """An array of any element type; `change` sets fields of its capsule."""

    def __init__(self, array, **change):
        self.array, self.lends = array, 0
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        self.lent = Lent(array.ctypes.data, change.pop("device", 1), 0, array.ndim,
                         change.pop("code", CODES[array.dtype.kind]), array.itemsize * 8, 1,
                         self.shape, None if change.pop("no_strides", False) else self.strides)
        self.name = change.pop("name", b"dltensor")
        for field, value in change.items():
            setattr(self.lent, field, value)

    def __dlpack_device__(self):
        return self.lent.device, 0

    def __dlpack__(self, stream=None):
        self.lends += 1
        return new_capsule(ctypes.addressof(self.lent), self.name, None)


class Lender:
    """Exports a NumPy array; its capsule counts the exports."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


digits, rows, bits = (weir.load(f"{name}.so") for name in ("digits", "rows", "bits"))
image = np.random.default_rng(4).random((1, 8, 8, 1), np.float32)
wanted = digits(image)["probabilities"]
for given in (Lender(image), Array(image), Array(image, no_strides=True),
              Lender(np.asfortranarray(image.repeat(2, 1)[:, ::2]))):
    assert np.array_equal(digits(given)["probabilities"], wanted)
# There is one export, which reads the memory in place.
given = Array(image.copy())
digits(given)
given.array[...] = 0
assert given.lends == 1
assert np.array_equal(digits(given)["probabilities"], digits(np.zeros_like(image))["probabilities"])
# The cases have a part of a larger block, and dynamic shapes.
block = np.arange(-12, 12, dtype=np.float32).reshape(8, 3)
assert np.array_equal(rows(Array(block[:3], offset=12))["y"], np.maximum(block[1:4], 0))

# NumPy has no bf16, so the test uses its bits.
x = np.array([1.5, -2, 0.25, 3], np.float32)
upper = (x.view(np.uint32) >> 16).astype(np.uint16)
for given in (upper, Array(upper, code=4)):
    y = bits(x=given)["y"]
    assert y.dtype == np.uint16 and np.array_equal(y, upper & np.where(upper >> 15, 0, 0xffff))
refuses(TypeError, "is of bf16 (as uint16), not of float32", lambda: bits(x))
# Numbers are rounded to bf16: ties to even, and a NaN stays one.
assert np.array_equal(bits([1.5, -2, 0.25, 3])["y"], [0x3fc0, 0, 0x3e80, 0x4040])
assert np.array_equal(bits([1 + 2**-8, 1 + 3 * 2**-8, 3e38, 0])["y"], [0x3f80, 0x3f82, 0x7f62, 0])
assert bits([float("nan"), 0, 0, 0])["y"][0] & 0x7fff > 0x7f80
assert repr(bits).endswith("main(x: bf16[4]) -> y: bf16[4]>")

for change, kind, why in (
        ({"device": 2}, ValueError, "device of DLPack's type 2"),
        ({"code": 0}, TypeError, "is of float32, not of int32"),
        ({"lanes": 2}, Exception, ""), ({"bits": 64, "ndim": 0}, Exception, ""),
        ({"ndim": -1}, Exception, ""), ({"name": b"used_dltensor"}, ValueError, "")):
    refuses(kind, why, lambda: digits(Array(image, **change)))
refuses(ValueError, "(1, 8, 8, 1), not (8, 8, 1)", lambda: digits(Array(image[0])))


class Broken:
    def __dlpack__(self):
        raise KeyError("broken")

    def __dlpack_device__(self):
        return "cpu"


refuses(TypeError, "", lambda: digits(Broken()))
refuses(TypeError, "", lambda: digits(Array))
refuses(TypeError, "out is Array and has no buffer protocol",
        lambda: digits(image, out=Array(np.empty((1, 10), np.float32))))
print("all right")
