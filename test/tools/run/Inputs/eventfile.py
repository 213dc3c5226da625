"""Reads event files of TensorBoard by their format alone, and checks each checksum."""

import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "runtime" / "Inputs"))
import bundle  # noqa: E402


def check(data, stored):
    assert bundle.masked_crc(data) == struct.unpack("<I", stored)[0], "wrong sum"


def records(data):
    while data:
        (size,) = struct.unpack("<Q", data[:8])
        check(data[:8], data[8:12])
        check(data[12 : 12 + size], data[12 + size : 16 + size])
        yield data[12 : 12 + size]
        data = data[16 + size :]


def number(form, bits):
    """A float of the file; the reader of fields returns its bits."""
    whole = {"<d": "<Q", "<f": "<I"}[form]
    return struct.unpack(form, struct.pack(whole, bits))[0]


def message(data):
    return dict(bundle.fields(data))


def histogram(data):
    """min, max, num, sum, sum of squares, limits and counts."""
    all = message(data)
    assert set(all) == set(range(1, 8)), all
    return [number("<d", all[field]) for field in range(1, 6)] + [
        np.frombuffer(all[field], "<f8") for field in (6, 7)]


def value_of(value):
    """A number, a histogram, or the plugin with its content and its tensor."""
    if 2 in value:
        assert set(value) == {1, 2}
        return number("<f", value[2])
    if 5 in value:
        assert set(value) == {1, 5}
        return histogram(value[5])
    assert set(value) == {1, 8, 9}, value
    metadata = message(value[9])
    plugin = message(metadata[1])
    assert metadata[4] == 2, metadata
    return plugin[1].decode(), plugin[2], message(value[8])


def read(folder):
    """The wall time, the step and the values by their tags, of each event of the only file."""
    (file,) = pathlib.Path(folder).iterdir()
    first, *rest = [message(record) for record in records(file.read_bytes())]
    assert first[3] == b"brain.Event:2" and set(first) == {1, 3}, first
    events = [(number("<d", first[1]), None, {})]
    for event in rest:
        assert set(event) == {1, 2, 5}, event
        values = {}
        for kind, value in bundle.fields(event[5]):
            value = message(value)
            tag = value[1].decode()
            assert kind == 1 and tag not in values, tag
            values[tag] = value_of(value)
        events.append((number("<d", event[1]), event[2], values))
    times = [time for time, _, _ in events]
    assert times == sorted(times) and times[0] > 1.6e9, times
    return events


def parameter(data):
    """A google.protobuf.Value."""
    ((kind, value),) = message(data).items()
    return {2: lambda: number("<d", value), 3: value.decode if kind == 3 else None,
            4: lambda: bool(value)}[kind]()


def session(events):
    """The hyperparameters, the text and whether the training has succeeded."""
    _, step, begin = events[1]
    assert step == 0
    plugin, content, tensor = begin["_hparams_/session_start_info"]
    assert plugin == "hparams" and tensor[1] == 1, tensor
    ((kind, start),) = bundle.fields(content)
    assert kind == 3
    parameters, time = {}, None
    for field, value in bundle.fields(start):
        if field == 1:
            entry = message(value)
            assert entry[1].decode() not in parameters
            parameters[entry[1].decode()] = parameter(entry[2])
        else:
            assert field == 5
            time = number("<d", value)
    plugin, content, tensor = begin["training"]
    assert plugin == "text" and content == b"" and tensor[1] == 7, tensor
    assert [message(size) for field, size in bundle.fields(tensor[2]) if field == 2] == [{1: 1}]
    _, step, ((tag, (plugin, content, _)),) = *events[-1][:2], events[-1][2].items()
    assert (tag, plugin, step) == ("_hparams_/session_end_info", "hparams", 0)
    ((kind, end),) = bundle.fields(content)
    end = message(end)
    assert kind == 4 and number("<d", end[2]) >= time > 1.6e9
    return parameters, tensor[8].decode(), {1: True, 2: False}[end[1]]
