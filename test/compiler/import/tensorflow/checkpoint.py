"""Writes a checkpoint of two tensors: checkpoint.py PREFIX [what is special].

The cases index and data have a changed bit. slices stores one tensor in two parts, and gap omits
one of them. huge has 8 GiB, and shared has the same bytes in each of many parts. restarts refers
many times to a block of restarts only.

The index is a table of sorted keys with shared prefixes, and the tensors are in one shard. The
script follows the format's description, without TensorFlow.
"""

import struct
import sys

prefix, damage = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def entry(shape, offset, data):
    dims = b"".join(field(2, b"\x08" + varint(n)) for n in shape)
    return (
        b"\x08\x01" + field(2, dims) + b"\x20" + varint(offset)
        + b"\x28" + varint(len(data)) + b"\x35" + struct.pack("<I", crc32c(data))
    )


def ordered(n):
    """A number in an encoding whose keys sort like the numbers: as many high bits are set as there
    are bytes."""
    length = 1
    while n >> (7 * length - 1):
        length += 1
    head = 0xFFFF & ~(0xFFFF >> length)
    out = bytearray(n.to_bytes(length, "big"))
    out[0] ^= head >> 8
    if length > 1:
        out[1] ^= head & 255
    return bytes(out)


def slices(name, shape, parts):
    """Entries of a tensor that is stored by rows: (first, count, offset, data)."""
    dims = b"".join(field(2, b"\x08" + varint(n)) for n in shape)
    whole, entries = b"\x08\x01" + field(2, dims), []
    for first, count, offset, data in parts:
        extents = b"\x08" + varint(first) + b"\x10" + varint(count)
        whole += field(7, field(1, extents) + field(1, b""))
        key = b"\0" + name + b"\0\1" + bytes([1, len(shape)])
        key += ordered(first) + ordered(count) + ordered(0) + b"\x7f"
        entries.append((key, entry([count, shape[1]], offset, data)))
    return [*sorted(entries), (name, whole)]


def block(entries):
    out, before = b"", b""
    for key, value in entries:
        shared = 0
        while shared < min(len(key), len(before)) and key[shared] == before[shared]:
            shared += 1
        out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        out += key[shared:] + value
        before = key
    out += struct.pack("<II", 0, 1)
    return out


bias = struct.pack("<2f", 10, 20)
kernel = struct.pack("<4f", 1, 2, 3, 4)
shard, name = bias + kernel, b"dense/kernel"
stored = [(name, entry([2, 2], len(bias), kernel))]
if damage in ("slices", "gap"):
    rows = [(i, 1, 8 + 8 * i, kernel[8 * i:8 * i + 8]) for i in (0, 1)]
    stored = slices(name, [2, 2], rows[:1] if damage == "gap" else rows)
if damage == "huge":
    stored = slices(name, [1 << 30, 2], [(0, 1, 8, kernel[:8])])
if damage == "shared":
    shard = bytes(1 << 16)
    rows = [(i, 1, 0, shard) for i in range(24)]
    stored = slices(name, [24, 1 << 14], rows)
    bias = bytes(8)
data = block([
    (b"", b"\x08\x01"),
    *sorted([(b"dense/bias", entry([2], 0, bias)), *stored]),
])
table, handles = b"", []
for contents in (data, block([])):
    handles.append(varint(len(table)) + varint(len(contents)))
    table += contents + b"\0" + struct.pack("<I", crc32c(contents + b"\0"))
leads = [(b"dense/z", handles[0])]
if damage == "restarts":
    contents = bytes(1 << 16) + struct.pack("<I", 1 << 14)
    leads += [(b"dense/z", varint(len(table)) + varint(len(contents)))] * 2000
    table += contents + b"\0" + struct.pack("<I", crc32c(contents + b"\0"))
index = block(leads)
handles.append(varint(len(table)) + varint(len(index)))
table += index + b"\0" + struct.pack("<I", crc32c(index + b"\0"))
footer = handles[1] + handles[2]
table += footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
if damage == "index":
    table = table[:3] + bytes([table[3] ^ 1]) + table[4:]
if damage == "data":
    shard = shard[:-1] + bytes([shard[-1] ^ 1])
open(prefix + ".index", "wb").write(table)
open(prefix + ".data-00000-of-00001", "wb").write(shard)
