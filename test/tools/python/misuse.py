"""misuse.py: tests arguments that a call must refuse, and arrays of other types that it reads."""

import array
import ctypes
import gc
import pickle
import sys
import threading
import tracemalloc

import numpy as np
import weir
from refuses import refuses

digits, rows, line = (weir.load(f"{name}.so") for name in ("digits", "rows", "line"))
image = np.random.default_rng(2).random((1, 8, 8, 1), np.float32)
wanted = digits(image)["probabilities"]

# This is no array, and these are numbers that the type cannot represent.
for value, why in ((None, "not of NoneType"), ("text", "not of str"), (object(), "not of object"),
                   (b"bytes", "not of uint8"), ([1j], "not of list"), ({}, "not of dict"),
                   ([2**80], "not of list")):
    refuses(TypeError, f"input 'image' is of float32, {why}", lambda: digits(image=value))
# Arrays of another element type, which are not NumPy's.
doubles = (ctypes.c_double * 1 * 8 * 8 * 1)()
for value, why in ((memoryview(image.astype(np.float64)), "not of float64"),
                   (doubles, "not of float64"), (array.array("i", [1, 2]), "not of int32")):
    refuses(TypeError, f"input 'image' is of float32, {why}", lambda: digits(image=value))
refuses(ValueError, "inhomogeneous", lambda: digits([[1, 2], [3]]))
refuses(TypeError, "not of >f4", lambda: digits(image.astype(">f4")))
refuses(TypeError, "not of int32", lambda: digits(image.astype(np.int32)))
refuses(ValueError, "(1, 8, 8, 1), not (64,)", lambda: digits(memoryview(image).cast("B").cast("f")))
refuses(ValueError, "not (0,)", lambda: digits(np.empty(0, np.float32)))
refuses(ValueError, "not ()", lambda: digits(float("nan")))
refuses(TypeError, "no input is called 1", lambda: digits({1: image}))
refuses(TypeError, "is given twice", lambda: digits({"image": image}, image=image))
refuses(TypeError, "is given twice", lambda: digits({"image": image, "image:0": image}))
refuses(TypeError, "needs the name of a function", lambda: digits.run())
refuses(AttributeError, "no function 0; it has ['main']", lambda: digits.run(0, image))


class Changing(str):
    """A name whose comparison changes the dictionary that it is in."""

    def __hash__(self):
        return hash("image")

    def __eq__(self, other):
        named.clear()
        return str.__eq__(self, other)


named = {Changing("image"): image.copy()}
assert np.array_equal(digits(named)["probabilities"], wanted) and not named

# The arrays have the right type, but are not contiguous NumPy arrays.
wide = np.zeros((1, 8, 8, 2), np.float32)
wide[..., :1] = image
unaligned = np.frombuffer(b"x" + image.tobytes(), np.float32, 64, 1).reshape(image.shape)
locked = image.copy()
locked.flags.writeable = False
for given in (wide[..., :1], unaligned, locked, image[:, ::-1][:, ::-1], memoryview(image),
              (ctypes.c_float * 1 * 8 * 8 * 1).from_buffer(image), image.astype(np.float64).tolist()):
    assert np.array_equal(digits(given)["probabilities"], wanted)
numbers = array.array("f", [1, -2, 3])
assert np.array_equal(rows(memoryview(numbers).cast("B").cast("f", (1, 3)))["y"], [[1, 0, 3]])

# The arrays of `out`, which the call returns.
room = np.full((1, 10), 7, np.float32)
for out in (room, {"probabilities": room}, [room], (room,)):
    room[...] = 7
    assert digits(image, out=out)["probabilities"] is room and np.array_equal(room, wanted)
assert np.array_equal(digits({"image": image}, out=room)["probabilities"], wanted)
for out in (None, {}, {"probabilities": None}, [None]):
    assert np.array_equal(digits(image, out=out)["probabilities"], wanted)
memory = bytearray(40)
digits(image, out=memoryview(memory).cast("f", (1, 10)))
assert np.array_equal(np.frombuffer(memory, np.float32), wanted[0])
narrow = np.empty((1, 20), np.float32)
unaligned = np.frombuffer(bytearray(41), np.float32, 10, 1).reshape(1, 10)
locked = room.copy()
locked.flags.writeable = False
for out, kind, why in (
        (room.astype(np.float64), TypeError, "output 'probabilities' is of float32, not of float64"),
        (room[0], ValueError, "output 'probabilities' is (1, 10), not (10,)"),
        (narrow[:, ::2], ValueError, "out is not contiguous"),
        (unaligned, ValueError, "out is not aligned"), (locked, ValueError, "out is read-only"),
        (1.5, TypeError, "out is float and has no buffer protocol"),
        ([room, room], TypeError, "2 arrays for 1 outputs"),
        ({"p": room}, TypeError, "no output is called 'p'"), ([], TypeError, "0 arrays")):
    refuses(kind, why, lambda: digits(image, out=out))
# An input may have the name out; a dictionary of inputs then leaves the keyword to the
# outputs.
named_out = weir.load("out.so")
x = np.arange(-12, 12, dtype=np.float32).reshape(8, 3)
room = np.empty((8, 3), np.float32)
assert np.array_equal(named_out(out=x)["y"], np.maximum(x, 0))
assert named_out({"out": x}, out=room)["y"] is room and np.array_equal(room, np.maximum(x, 0))

# A call would both read and write this memory.
both = np.zeros(128, np.float32)
for at in (0, 40, 60):
    refuses(ValueError, "output 'probabilities' overlaps input 'image'", lambda: digits(
        both[at:at + 64].reshape(image.shape), out=both[60:70].reshape(1, 10)))
x = np.zeros((4, 3), np.float32)
refuses(ValueError, "output 'y' overlaps input 'x'", lambda: rows(x, out=x))
batch = [np.ones(shape, dtype) for _, shape, dtype in line.inputs("train_step")]
refuses(weir.Error, "overlaps the variables",
        lambda: line.train_step(*batch, out=line.variables["W"]))

# The caller's array is used for an output of dynamic shape if it has the actual shape.
for count, other in ((1, 2), (5, 8), (8, 5)):
    x = np.random.default_rng(count).standard_normal((count, 3)).astype(np.float32)
    room = np.full((count, 3), 9, np.float32)
    assert rows(x, out=room)["y"] is room and np.array_equal(room, np.maximum(x, 0))
    refuses(ValueError, f"output 'y' is ({count}, 3), and the shape of out is another",
            lambda: rows(x, out=np.empty((other, 3), np.float32)))
refuses(ValueError, "output 'y': dimension 0 ('x.0') is 9, not in [1, 8]",
        lambda: rows(x, out=np.empty((9, 3), np.float32)))

# A large contiguous array is read in place, and the results are written to out.
large = weir.load("large.so")
x = np.ones((1024, 1024), np.float32)
room = np.empty_like(x)
large(x, out=room)
tracemalloc.start()
for _ in range(3):
    large(x=x, out=room)
assert tracemalloc.get_traced_memory()[1] < 100_000
tracemalloc.stop()
assert np.array_equal(room, x)

# Models that are not opened yet, are open, are closed, or are closed during other
# calls.
empty = weir.Model.__new__(weir.Model)
for call in (lambda: empty(image), lambda: empty.run("main"), lambda: empty._memory(),
             lambda: empty._save(b"x"), lambda: empty.main, lambda: empty.functions,
             lambda: empty.inputs(), lambda: repr(empty), lambda: empty.clone()):
    refuses(RuntimeError, "never opened", call)
empty.close()
# A failed open does not change the model.
refuses(weir.Error, "absent", lambda: empty.__init__("digits.so", weights="absent"))
refuses(RuntimeError, "never opened", lambda: empty(image))
empty.__init__("digits.so")
assert np.array_equal(empty(image)["probabilities"], wanted)
refuses(RuntimeError, "open already", lambda: digits.__init__("digits.so"))
refuses(TypeError, "cannot pickle", lambda: pickle.dumps(digits))
for threads in (-1, 2**40):
    refuses(ValueError, f"threads is {threads}", lambda: weir.load("digits.so", threads=threads))
refuses(TypeError, "float", lambda: weir.load("digits.so", threads=float("nan")))
refuses(TypeError, "", lambda: weir.load(None))
refuses(ValueError, "null", lambda: line.save("a\0b"))
error = pickle.loads(pickle.dumps(weir.Error(5, "why")))
assert error.status == 5 and str(error) == "why"

refused = []


def call_until_closed(model):
    try:
        while True:
            assert np.array_equal(model(image)["probabilities"], wanted)
    except weir.Error as error:
        refused.append(error.status)


shared = digits.clone(threads=2)
callers = [threading.Thread(target=call_until_closed, args=(shared,)) for _ in range(4)]
for caller in callers:
    caller.start()
while shared(image) is None:
    pass
shared.close()
for caller in callers:
    caller.join(60)
assert refused == [6] * 4

# Calls keep no references: not to their arrays, and not to those of failed calls.
counts = [sys.getrefcount(value) for value in (image, room, None)]
for _ in range(1000):
    digits(image)
    large({"x": x}, out=room)
    for bad in (lambda: digits(image, image), lambda: digits(image, out=room),
                lambda: digits(image=image, other=1), lambda: digits([None])):
        try:
            bad()
        except (TypeError, ValueError):
            pass
gc.collect()
after = [sys.getrefcount(value) for value in (image, room, None)]
assert after[:2] == counts[:2] and abs(after[2] - counts[2]) < 100, (counts, after)
print("all right")
