"""partitioner.py PREFIX [CASE]: the checkpoint of a variable `w` of 10x4 that TensorFlow's
fixed_size_partitioner(3) has cut, with the elements 0, 1, 2, ... The bytes of the keys stand here as
the rules of TensorFlow's EncodeTensorNameSlice and OrderedCode give them.

The cases: missing, the second slice has no entry; overlap, it begins a row too early; gap, it is not
listed either; outside, the last one has a row too many; rank, it has one dimension; huge, it has
2^62 rows; negative, it begins before the tensor; size, it has the bytes of another shape; sum, a bit
of it is changed; cut, its key ends early.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3] / "runtime/Inputs"))
from slices import Writer, key_of, put, signed  # noqa: E402

# Pairs that the C++ implementation of OrderedCode::WriteSignedNumIncreasing has produced.
VECTORS = {
    -1 << 63: "003f8000000000000000", (-1 << 63) + 1: "003f8000000000000001", (-1 << 31) - 1: "077fffffff",
    -1 << 31: "0780000000", -65: "3fbf", -64: "40", -63: "41", -3: "7d", -2: "7e", -1: "7f", 0: "80", 1: "81",
    63: "bf", 64: "c040", 65: "c041", (1 << 31) - 1: "f87fffffff", 1 << 31: "f880000000",
    (1 << 63) - 2: "ffc07ffffffffffffffe", (1 << 63) - 1: "ffc07fffffffffffffff"}  # fmt: skip
for number, code in VECTORS.items():
    assert signed(number).hex() == code, number
# 0, the name and its end, two dimensions, and each one's start and length.
KEYS = ["007700010102" + code for code in ("80848084", "84838084", "87838084")]

prefix, case = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
w = np.arange(40, dtype=np.float32).reshape(10, 4)
boxes = [[(0, 4), (0, 4)], [(4, 3), (0, 4)], [(7, 3), (0, 4)]]
assert [key_of("w", box).hex() for box in boxes] == KEYS
writer = Writer()
listed = [list(box) for box in boxes]
listed[1][0] = {"overlap": (3, 3)}.get(case, listed[1][0])
listed[2][0] = {"outside": (7, 4), "huge": (7, 1 << 62), "negative": (-1, 3)}.get(case, listed[2][0])
if case == "rank":
    listed[2] = listed[2][:1]
for i, (box, said) in enumerate(zip(boxes, listed)):
    if case in ("missing", "gap") and i == 1:
        continue
    (start, count), _ = box
    key = key_of("w", said)[: -1 if case == "cut" and i == 2 else None]
    writer.add(key, w[start : start + count], shape=[count, 2] if case == "size" and i == 2 else None,
               damage=case == "sum" and i == 2)  # fmt: skip
writer.whole("w", w, [said for i, said in enumerate(listed) if case != "gap" or i != 1])
put(prefix, writer.entries, writer.data)
