"""Reads and writes checkpoints of tensors in slices, by the format alone.

    slices.py show PREFIX           prints each tensor: its shape, how it is
                                    sliced, its elements
    slices.py cut FROM TO [OPTION]  writes the tensors of FROM anew:
        --rows=3,1       each of more than one row in slices of so many rows
        --columns=1,1    in slices of so many columns
        --parts          each slice, and each other tensor, in a checkpoint of
                         its own, TO-00000-of-00002 and so on
        --copies         with --parts, tensors that are not sliced in each part
        --gap, --lost, --overlap, --shape, --type, --key, --data
                         of the sliced tensor the last slice is missing, is
                         listed but missing, begins a row too early, has another
                         shape or type, a key that is cut off, other bytes

A slice's key is TensorFlow's ordered code: a 0, the name, how many dimensions,
and a start and a length for each.
"""

import itertools
import struct
import sys

import numpy as np
from bundle import MAGIC, block, field, fields, masked_crc, to_varint, varint

UNSIGNED = (1 << 64) - 1
TYPES = {1: np.float32, 2: np.float64, 3: np.int32, 9: np.int64, 10: np.uint8}


def signed(n):
    """An encoding whose bytes sort like the numbers: as many high bits as there are bytes."""
    length = 1
    while not -(1 << (7 * length - 1)) <= n < 1 << (7 * length - 1):
        length += 1
    bits = n & ((1 << (8 * length)) - 1)
    return (bits ^ (((1 << length) - 1) << (7 * length))).to_bytes(length, "big")


def key_of(name, extents):
    text = name.encode().replace(b"\xff", b"\xff\0")
    key = b"\0" + text + b"\0\1" + bytes([1, len(extents)])
    for start, length in extents:
        key += signed(start) + signed(-1 if length is None else length)
    return key


def entries_of(prefix):
    index = open(prefix + ".index", "rb").read()
    assert struct.unpack("<Q", index[-8:])[0] == MAGIC, "magic"
    at, places = len(index) - 48, []
    for _ in range(4):
        place, at = varint(index, at)
        places.append(place)
    entries = []
    for _, handle in block(index, *places[2:]):
        offset, at = varint(handle, 0)
        size, _ = varint(handle, at)
        entries += block(index, offset, size)
    keys = [key for key, _ in entries]
    assert keys == sorted(set(keys)) and keys[0] == b"", "keys in order"
    return dict(entries)


def shape_of(entry):
    return [dict(fields(v)).get(1, 0) for n, v in fields(entry.get(2, b"")) if n == 2]


def read(prefix):
    """For each name, the whole tensor and its slices; [] if it is not sliced."""
    entries = entries_of(prefix)
    shards = dict(fields(entries.pop(b"")))[1]

    def array(key):
        entry = dict(fields(entries.pop(key)))
        path = f"{prefix}.data-{entry.get(3, 0):05}-of-{shards:05}"
        data = open(path, "rb").read()[entry.get(4, 0) :][: entry.get(5, 0)]
        assert len(data) == entry.get(5, 0) and masked_crc(data) == entry[6], key
        return np.frombuffer(data, TYPES[entry[1]]).reshape(shape_of(entry))

    tensors = {}
    for key in [k for k in entries if k[:1] != b"\0"]:
        slices = [v for n, v in fields(entries[key]) if n == 7]
        if not slices:
            tensors[key.decode()] = array(key), []
            continue
        entry = dict(fields(entries.pop(key)))
        whole, filled = np.zeros(shape_of(entry), TYPES[entry[1]]), []
        seen = np.zeros(whole.shape, int)
        for message in slices:
            extents = [dict(fields(v)) for n, v in fields(message) if n == 1]
            extents = [(e.get(1, 0), e.get(2)) for e in extents]
            box = tuple(slice(s, None if n is None else s + n) for s, n in extents)
            whole[box] = array(key_of(key.decode(), extents))
            seen[box] += 1
            filled.append(extents)
        assert (seen <= 1).all(), f"{key}: slices overlap"
        tensors[key.decode()] = whole, sorted(filled)
    assert not entries, f"slices of no tensor: {list(entries)}"
    return tensors


def spec(extents):
    return ":".join("-" if n is None else f"{s},{n}" for s, n in extents)


def show(prefix):
    for name, (whole, slices) in sorted(read(prefix).items()):
        text = " ".join(f"{e:g}" for e in whole.ravel())
        cut = " in " + " ".join(spec(e) for e in slices) if slices else ""
        print(f"{name}: {'x'.join(map(str, whole.shape))}{whole.dtype}{cut}: {text}")


def put(prefix, entries, data):
    """One block of entries, sorted, and one shard."""
    out, handles = b"", []
    header = (b"", field(1, 1) + field(3, field(1, 1)))
    for rows in ([header, *sorted(entries)], [], None):
        body = b""
        if rows is None:
            rows = [(max(k for k, _ in entries), handles[0])] if entries else [(b"a", handles[0])]
        for key, value in rows:
            body += b"\0" + to_varint(len(key)) + to_varint(len(value)) + key + value
        body += struct.pack("<II", 0, 1) + b"\0"
        handles.append(to_varint(len(out)) + to_varint(len(body) - 1))
        out += body + struct.pack("<I", masked_crc(body))
    out += (handles[1] + handles[2]).ljust(40, b"\0") + struct.pack("<Q", MAGIC)
    open(prefix + ".index", "wb").write(out)
    open(prefix + ".data-00000-of-00001", "wb").write(data)


class Writer:
    def __init__(self):
        self.entries, self.data = [], b""

    def add(self, key, array, dtype=None, shape=None, damage=False):
        dims = b"".join(field(2, field(1, n)) for n in (shape or array.shape))
        content = array.tobytes()
        number = dtype or next(n for n, t in TYPES.items() if t == array.dtype)
        self.entries.append((key, field(1, number) + field(2, dims) + field(4, len(self.data))
            + field(5, len(content)) + b"\x35" + struct.pack("<I", masked_crc(content))))  # fmt: skip
        self.data += content[:-1] + bytes([content[-1] ^ 1]) if damage else content

    def whole(self, name, array, slices):
        dims = b"".join(field(2, field(1, n)) for n in array.shape)
        number = next(n for n, t in TYPES.items() if t == array.dtype)
        text = field(1, number) + field(2, dims)
        for extents in slices:
            parts = [field(1, s & UNSIGNED) + (b"\x10" + to_varint(n) if n is not None else b"")
                     for s, n in extents]  # fmt: skip
            text += field(7, b"".join(field(1, part) for part in parts))
        self.entries.append((name.encode(), text))


def cut(source, target, options):
    given = dict(option.lstrip("-").partition("=")[::2] for option in options)
    axis = 1 if "columns" in given else 0
    sizes = [int(n) for n in (given.get("rows") or given.get("columns") or "").split(",") if n]
    writers = [Writer()]
    for name, (array, _) in sorted(read(source).items()):
        is_cut = sizes and array.ndim > axis and array.shape[axis] == sum(sizes)
        if not is_cut:
            for writer in writers if "copies" in given else writers[:1]:
                writer.add(name.encode(), array)
            continue
        starts = [0, *itertools.accumulate(sizes)][:-1]
        boxes = [[(s, n) if d == axis else (0, None) for d in range(array.ndim)]
                 for s, n in zip(starts, sizes)]  # fmt: skip
        if "overlap" in given:
            boxes[-1][axis] = boxes[-1][axis][0] - 1, boxes[-1][axis][1]
        if "gap" in given:
            boxes = boxes[:-1]
        while "parts" in given and len(writers) < len(boxes):
            writers.append(Writer())
            if "copies" in given:
                writers[-1].entries = list(writers[0].entries)
                writers[-1].data = writers[0].data
        groups = {}
        for i, box in enumerate(boxes):
            at = tuple(slice(s, None if n is None else s + n) for s, n in box)
            writer = writers[i % len(writers)]
            isLast = i == len(boxes) - 1
            key = key_of(name, box)
            if isLast and "key" in given:
                key = key[:-1] + b"\xff"
            shape = list(array[at].shape)
            if isLast and "shape" in given:
                shape = shape[::-1] + [1]
            groups.setdefault(i % len(writers), []).append(box)
            if isLast and "lost" in given:
                continue
            writer.add(key, array[at], 3 if isLast and "type" in given else None, shape, isLast and "data" in given)
        for i, own in groups.items():
            writers[i].whole(name, array, own)
    for i, writer in enumerate(writers):
        prefix = f"{target}-{i:05}-of-{len(writers):05}" if "parts" in given else target
        put(prefix, writer.entries, writer.data)


if __name__ == "__main__":
    if sys.argv[1] == "show":
        show(sys.argv[2])
    else:
        cut(sys.argv[2], sys.argv[3], sys.argv[4:])
