"""journal.py METRICS FOLDER PICTURE: the events in the folder equal the metrics, by the reader of
checkpoints, and the picture has their curve."""

import json
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "runtime" / "Inputs"))
import bundle  # noqa: E402


def check(data, stored):
    assert bundle.masked_crc(data) == stored, "wrong sum"


def records(data):
    while data:
        (size,) = struct.unpack("<Q", data[:8])
        check(data[:8], struct.unpack("<I", data[8:12])[0])
        check(data[12 : 12 + size], struct.unpack("<I", data[12 + size : 16 + size])[0])
        yield data[12 : 12 + size]
        data = data[16 + size :]


def number(form, bits):
    """A float of the file; the reader returns its bits."""
    whole = {"<d": "<Q", "<f": "<I"}[form]
    return struct.unpack(form, struct.pack(whole, bits))[0]


metrics = [json.loads(line) for line in open(sys.argv[1])]
files = list(pathlib.Path(sys.argv[2]).iterdir())
assert len(files) == 1 and re.fullmatch(r"events\.out\.tfevents\.\d{10}\..*", files[0].name), files
events = [dict(bundle.fields(record)) for record in records(files[0].read_bytes())]
assert events[0][3] == b"brain.Event:2" and 2 not in events[0], events[0]
assert len(events) == len(metrics) + 1
times = [number("<d", event[1]) for event in events]
assert times == sorted(times) and times[0] > 1.6e9, times
for event, line in zip(events[1:], metrics):
    assert event[2] == line["step"], (event, line)
    values = {}
    for kind, value in bundle.fields(event[5]):
        value = dict(bundle.fields(value))
        assert kind == 1 and set(value) == {1, 2}
        values[value[1].decode()] = number("<f", value[2])
    assert set(values) == {"loss", "steps_per_second"}, values
    assert abs(values["loss"] - line["loss"]) <= 1e-6 * abs(line["loss"]), (values, line)
    assert values["steps_per_second"] > 0

# The smallest loss is drawn lowest, and all are within the frame.
root = xml.parse(sys.argv[3]).getroot()
space = "{http://www.w3.org/2000/svg}"
(curve,) = [line for line in root.iter(space + "polyline") if line.get("class") == "curve"]
points = [tuple(map(float, p.split(","))) for p in curve.get("points").split()]
losses = [line["loss"] for line in metrics]
assert len(points) == len(losses)
assert [x for x, _ in points] == sorted(x for x, _ in points)
assert sorted(range(len(losses)), key=lambda i: losses[i]) == sorted(
    range(len(points)), key=lambda i: -points[i][1])  # fmt: skip
assert all(84 <= x <= 776 and 48 <= y <= 420 for x, y in points), points
texts = [text.text for text in root.iter(space + "text")]
assert "step" in texts and any(text.startswith("loss") for text in texts), texts
