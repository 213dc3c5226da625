"""tensorboard.py FILE...: prints the nodes of the graphs in event files, with their inputs and
types, by the reader of checkpoints. Each checksum must be right."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "run" / "Inputs"))
from eventfile import bundle, records  # noqa: E402


def show(node):
    inputs, types = [], ""
    for field, value in node:
        if field == 1:
            name = value.decode()
        elif field == 2:
            op = value.decode()
        elif field == 3:
            inputs.append(value.decode())
        elif field == 5:
            pair = dict(bundle.fields(value))
            if pair[1] == b"types":
                types = dict(bundle.fields(pair[2]))[2].decode()
    print(f"{name} = {op}({', '.join(inputs)})" + f" : {types}" * bool(types))


for path in sys.argv[1:]:
    version, graph = (dict(bundle.fields(event)) for event in records(pathlib.Path(path).read_bytes()))
    assert version == {3: b"brain.Event:2"}, version
    assert set(graph) == {4}, graph
    for field, value in bundle.fields(graph[4]):
        if field == 1:
            show(bundle.fields(value))
