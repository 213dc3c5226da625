"""journal.py METRICS FOLDER PICTURE: the events in the folder equal the metrics, and the picture
has their curve."""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
import eventfile  # noqa: E402

metrics = [json.loads(line) for line in open(sys.argv[1])]
(file,) = pathlib.Path(sys.argv[2]).iterdir()
assert re.fullmatch(r"events\.out\.tfevents\.\d{10}\..*", file.name), file
events = eventfile.read(sys.argv[2])
steps = events[2:-1]
assert len(steps) == len(metrics)
for (_, step, values), line in zip(steps, metrics):
    assert step == line["step"], (step, line)
    assert set(values) == {"loss", "steps_per_second", "examples_per_second"}, values
    assert abs(values["loss"] - line["loss"]) <= 1e-6 * abs(line["loss"]), (values, line)
    speed = line["examples_per_second"]
    assert abs(values["examples_per_second"] - speed) <= 1e-5 * speed, (values, line)
    assert abs(values["steps_per_second"] * 4 - speed) <= 1e-5 * speed, (values, line)
parameters, text, has_succeeded = eventfile.session(events)
assert has_succeeded and parameters["epochs"] == 2 and parameters["batch"] == 4, parameters
assert "weir-run" in text and "--epochs=2" in text, text

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
