"""Tests mathematical functions over all floats, with a stride, against those of f64: no error
exceeds the bound in docs/math.md, and all special values are right."""

import math
import os
import pathlib
import re
import sys

import numpy as np
from comparison import ulp
from harness import Graph
from levels import host_levels

np.seterr(all="ignore")
STRIDE = int(os.environ.get("STRIDE", 8009))
SPECIAL = np.float32([0, 1, 2, 3, 0.5, 9.02, 88.72284, 103.97208, 1e-45, 1.1754942e-38,
                      1.17549435e-38, 3.4028235e38, np.inf, np.nan])  # fmt: skip


def each(function):
    return np.vectorize(function, otypes=[np.float64])


FUNCTIONS = {
    "exp": ("Exp", np.exp),
    "expm1": ("Expm1", np.expm1),
    "log": ("Log", np.log),
    "log1p": ("Log1p", np.log1p),
    "sinh": ("Sinh", np.sinh),
    "cosh": ("Cosh", np.cosh),
    "tanh": ("Tanh", np.tanh),
    "sigmoid": ("Sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    "softmax": ("Softmax", lambda x: np.where(x == np.inf, np.nan, 1 / (1 + np.exp(-x)))),
    "asinh": ("Asinh", np.arcsinh),
    "acosh": ("Acosh", np.arccosh),
    "atanh": ("Atanh", np.arctanh),
    "sin": ("Sin", np.sin),
    "cos": ("Cos", np.cos),
    "tan": ("Tan", np.tan),
    "asin": ("Asin", np.arcsin),
    "acos": ("Acos", np.arccos),
    "atan": ("Atan", np.arctan),
    "erf": ("Erf", each(math.erf)),
    "atan2": ("Atan2", np.arctan2),
    "pow": ("Pow", np.power),
}
# The page also has functions that no op of a model uses.
OTHERS = {"exp2", "log2", "log10", "cbrt"}


def documented():
    """For each function: the ranges and bounds with and without fused multiply-add."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "math.md"
    rows = {}
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 5 or not re.fullmatch(r"[\d.]+", cells[2]):
            continue
        reach = [np.inf if c == "all" else float(c) for c in cells[1].split(", ")]
        rows[cells[0]] = (reach[0], float(cells[2])), (reach[-1], float(cells[3]))
    return rows


def arguments():
    bits = np.arange(0, 2**32, STRIDE, dtype=np.uint64).astype(np.uint32)
    return np.concatenate([bits.view(np.float32), SPECIAL, -SPECIAL])


def pairs(count=100000):
    random = np.random.default_rng(3)
    x = np.exp(random.normal(0, 4, count)) * random.choice([-1, 1], count)
    y = np.where(random.random(count) < 0.3, np.round(random.normal(0, 6, count)),
                 random.normal(0, 5, count))
    edges = np.concatenate([SPECIAL, -SPECIAL])
    some = [np.ravel(side) for side in np.meshgrid(edges, edges)]
    return [np.float32(np.concatenate(side)) for side in ((x, some[0]), (y, some[1]))]


def worst(result, exact):
    """The largest distance in ulp, its argument, and wrong special values."""
    narrow = exact.astype(np.float32)
    plain = np.isfinite(exact) & (np.abs(exact) < 2.0**128) & np.isfinite(result)
    distance = np.where(plain, np.abs(np.float64(result) - exact) / ulp(exact, "f32"), 0)
    same = (result == narrow) | (np.isnan(result) & np.isnan(exact))
    # Near the largest float, an error of an ulp may round to infinity.
    edge = np.abs(np.abs(exact) - 2.0**128) < 2.0**106
    wrong = ~(plain | same | edge)
    wrong |= (exact == 0) & (np.signbit(result) != np.signbit(exact))
    return distance, wrong


def check(level, folder):
    graph = Graph(fold=False, options=[f"-mcpu={level}"])
    x = graph.input(arguments())
    # Rows of a whole vector contain one number and zeros, which add nothing to its
    # sums.
    rows = np.full((len(arguments()), 16), -np.inf, np.float32)
    rows[:, 0], rows[:, 1] = arguments(), 0
    beside = graph.input(rows)
    first, second = (graph.input(side) for side in pairs())
    results = {}
    for name, (op, reference) in FUNCTIONS.items():
        sides = {"atan2": (first, second), "pow": (first, second), "softmax": (beside,)}
        given = sides.get(name, (x,))
        results[name] = graph.op(op, *given)
        graph.expect(results[name], 0)
    status, message, outputs = graph.run(graph.compile(folder))
    assert status == 0, message
    failed = False
    bounds = documented()
    assert set(bounds) == set(FUNCTIONS) | OTHERS, set(bounds) ^ set(FUNCTIONS)
    for name, (_, reference) in FUNCTIONS.items():
        reach, bound = bounds[name][level == "x86-64-v2"]
        given = pairs() if name in ("atan2", "pow") else [arguments()]
        exact = reference(*(np.float64(side) for side in given))
        result = outputs[results[name].names[0] + ":0"][1]
        result = result[:, 0] if name == "softmax" else result
        distance, wrong = worst(result, exact)
        outside = np.isfinite(given[0]) & (np.abs(given[0]) > reach)
        distance[outside] = wrong[outside] = 0
        at = np.argmax(distance)
        print(f"{level} {name}: {distance[at]:.2f} ulp at {[side[at] for side in given]}")
        if distance[at] > bound:
            failed = True
            print(f"{level} {name}: more than {bound}")
        for i in np.flatnonzero(wrong)[:5]:
            failed = True
            print(f"{level} {name}: {result[i]} for {exact[i]} at {[s[i] for s in given]}")
    return failed


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "numeric.tmp")
    sys.exit(any([check(level, root / level) for level in host_levels()]))
