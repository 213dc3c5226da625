"""bundle.py FROM TO: reads a checkpoint bundle, by the format alone, checks
every checksum in it, and writes it again.

--drop=KEY omits a tensor, --dtype=KEY and --reshape=KEY change its entry; --foreign writes in
TensorFlow's form: keys with shared prefixes, a compressed block, a block for every few keys, two
shards; --again refers to its only block twice.
"""

import struct
import sys

MAGIC = 0xDB4775248B80FB57
TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def to_varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def block(data, offset, size):
    kind = data[offset + size]
    (stored,) = struct.unpack_from("<I", data, offset + size + 1)
    assert stored == masked_crc(data[offset : offset + size + 1]), "block checksum"
    assert kind == 0
    body = data[offset : offset + size]
    (restarts,) = struct.unpack_from("<I", body, size - 4)
    end, at, key = size - 4 - 4 * restarts, 0, b""
    while at < end:
        shared, at = varint(body, at)
        fresh, at = varint(body, at)
        length, at = varint(body, at)
        key = key[:shared] + body[at : at + fresh]
        yield key, body[at + fresh : at + fresh + length]
        at += fresh + length


def fields(message):
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        if tag & 7 == 0:
            value, at = varint(message, at)
        elif tag & 7 == 2:
            size, at = varint(message, at)
            value, at = message[at : at + size], at + size
        else:
            form = {1: "<Q", 5: "<I"}[tag & 7]
            (value,) = struct.unpack_from(form, message, at)
            at += struct.calcsize(form)
        yield tag >> 3, value


def read(prefix):
    index = open(prefix + ".index", "rb").read()
    assert struct.unpack("<Q", index[-8:])[0] == MAGIC, "magic"
    at = len(index) - 48
    places = []
    for _ in range(4):
        place, at = varint(index, at)
        places.append(place)
    assert list(block(index, *places[:2])) == []
    entries = []
    for _, handle in block(index, *places[2:]):
        offset, at = varint(handle, 0)
        size, _ = varint(handle, at)
        entries += block(index, offset, size)
    keys = [key for key, _ in entries]
    assert keys == sorted(set(keys)) and keys[0] == b"", "keys in order"
    header = dict(fields(entries[0][1]))
    tensors = {}
    for key, message in entries[1:]:
        entry = dict(fields(message))
        shape = [dict(fields(v)).get(1, 0) for n, v in fields(entry.get(2, b"")) if n == 2]
        shard = open(f"{prefix}.data-{entry.get(3, 0):05}-of-{header[1]:05}", "rb").read()
        data = shard[entry.get(4, 0) :][: entry.get(5, 0)]
        assert len(data) == entry.get(5, 0) and masked_crc(data) == entry[6], key
        tensors[key.decode()] = (entry[1], shape, data)
    return tensors


def field(number, value):
    if isinstance(value, bytes):
        return to_varint(number << 3 | 2) + to_varint(len(value)) + value
    return to_varint(number << 3) + to_varint(value) if value else b""


def snappy(data):
    """Literals, and a copy of the four bytes before, whenever it is right."""
    out, at = to_varint(len(data)), 0
    while at < len(data):
        if at >= 4 and data[at - 4 : at] == data[at : at + 4]:
            out += bytes([(4 - 4) << 2 | 1, 4])
            at += 4
            continue
        out += bytes([0]) + data[at : at + 1]
        at += 1
    return out


def write(prefix, tensors, foreign, times=1):
    shards = 2 if foreign else 1
    data = [b""] * shards
    entries = [(b"", field(1, shards) + field(3, field(1, 1)))]
    if foreign:
        tensors = {**tensors, "_other/a": (1, [1], b"abcd"), "zz": (1, [1], b"wxyz")}
    for i, (key, (dtype, shape, content)) in enumerate(sorted(tensors.items())):
        dims = b"".join(field(2, field(1, size)) for size in shape)
        shard = i % shards
        entries.append((key.encode(), field(1, dtype) + field(2, dims) + field(3, shard)
            + field(4, len(data[shard])) + field(5, len(content))
            + b"\x35" + struct.pack("<I", masked_crc(content))))  # fmt: skip
        data[shard] += content
    out = b""

    def put(entries, compress=False):
        nonlocal out
        body, last = b"", b""
        for key, value in entries:
            shared = 0
            while foreign and shared < min(len(last), len(key)) and last[shared] == key[shared]:
                shared += 1
            body += to_varint(shared) + to_varint(len(key) - shared) + to_varint(len(value))
            body += key[shared:] + value
            last = key
        body += struct.pack("<II", 0, 1)
        body = (snappy(body) + b"\1") if compress else body + b"\0"
        handle = to_varint(len(out)) + to_varint(len(body) - 1)
        out += body + struct.pack("<I", masked_crc(body))
        return handle

    step = 3 if foreign else len(entries)
    handles = [(entries[i : i + step][-1][0], put(entries[i : i + step], foreign and i))
        for i in range(0, len(entries), step)]  # fmt: skip
    footer = put([])
    footer += put(handles * times)
    out += footer.ljust(40, b"\0") + struct.pack("<Q", MAGIC)
    open(prefix + ".index", "wb").write(out)
    for i, content in enumerate(data):
        open(f"{prefix}.data-{i:05}-of-{shards:05}", "wb").write(content)


def main():
    source, target = sys.argv[1:3]
    tensors = read(source)
    for option in sys.argv[3:]:
        name, _, key = option.partition("=")
        if name == "--drop":
            del tensors[key]
        elif name == "--dtype":
            tensors[key] = (2, *tensors[key][1:])
        elif name == "--reshape":
            dtype, shape, data = tensors[key]
            tensors[key] = (dtype, shape[::-1], data)
    write(target, tensors, "--foreign" in sys.argv, 2 if "--again" in sys.argv else 1)


if __name__ == "__main__":
    main()
