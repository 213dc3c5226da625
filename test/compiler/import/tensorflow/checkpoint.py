"""Writes a checkpoint of two tensors: checkpoint.py PREFIX [what to damage].

The index is a table of sorted keys with shared prefixes; the tensors lie in one
shard. Written from the format's description, with nothing of TensorFlow.
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
data = block([
    (b"", b"\x08\x01"),
    (b"dense/bias", entry([2], 0, bias)),
    (b"dense/kernel", entry([2, 2], len(bias), kernel)),
])
table, handles = b"", []
for contents in (data, block([])):
    handles.append(varint(len(table)) + varint(len(contents)))
    table += contents + b"\0" + struct.pack("<I", crc32c(contents + b"\0"))
index = block([(b"dense/z", handles[0])])
handles.append(varint(len(table)) + varint(len(index)))
table += index + b"\0" + struct.pack("<I", crc32c(index + b"\0"))
footer = handles[1] + handles[2]
table += footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
shard = bias + kernel
if damage == "index":
    table = table[:3] + bytes([table[3] ^ 1]) + table[4:]
if damage == "data":
    shard = shard[:-1] + bytes([shard[-1] ^ 1])
open(prefix + ".index", "wb").write(table)
open(prefix + ".data-00000-of-00001", "wb").write(shard)
