"""folded_libm.py FOLDER LIBM.so: tests the dependence on the compiling machine. f64 constants of
some ops fold by its libm. With another libm no run and no other constant has other bits."""

import os
import pathlib
import sys

import numpy as np
from folded import BINARY, BINARY_OF_LIBM, POSITIVE, UNARY, UNARY_OF_LIBM, WIDE
from harness import Graph

OPS = {*UNARY_OF_LIBM, *BINARY_OF_LIBM}
COUNT = 50
folder, libm = pathlib.Path(sys.argv[1]), sys.argv[2]


def functions(type):
    """A graph of all functions, and the op of each pair of outputs."""
    graph, ops = Graph(), []
    for name, values in UNARY.items():
        graph.same(graph.op(name, graph.input(type(values[-COUNT:]))))
        ops.append(name)
    x, y = graph.input(type(WIDE[-COUNT:])), graph.input(type(np.roll(WIDE, 5)[-COUNT:]))
    z = graph.input(type(POSITIVE[-COUNT:]))
    for name in BINARY:
        graph.same(graph.op(name, z if name == "Pow" else x, y))
        ops.append(name)
    return graph, ops


def outputs(graph, name, preload):
    if preload:
        os.environ["LD_PRELOAD"] = preload
    library = graph.compile(folder / name)
    os.environ.pop("LD_PRELOAD", None)
    status, message, found = graph.run(library)
    assert not status, message
    return {key: array.tobytes() for key, (_, array) in found.items()}


def differing(type):
    graph, ops = functions(type)
    here = outputs(graph, f"{type.__name__}-here", None)
    there = outputs(graph, f"{type.__name__}-there", libm)
    found = set()
    for name, (run, folded) in zip(ops, graph.alike):
        run, folded = graph.key(run), graph.key(folded)
        assert here[run] == there[run], f"{name}: the run has other bits"
        if here[folded] != there[folded]:
            found.add(name)
    return found


found = differing(np.float64)
assert found == OPS, f"beside: {sorted(found - OPS)}; not: {sorted(OPS - found)}"
found = differing(np.float32)
assert not found, sorted(found)
