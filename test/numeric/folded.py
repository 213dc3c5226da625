"""The folder and the run compute the same bits: each elementwise function of each type on
constants and on inputs, at each vector width, for whole and partial vectors."""

import pathlib
import re

import numpy as np
from harness import Graph, bf16, main
from levels import host_levels

INF, NAN = np.inf, np.nan
np.seterr(all="ignore")
FLOATS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": bf16}
INTEGERS = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, INF, -INF, NAN, 1e-40, 88.8, -104.0, 1e9]
random = np.random.default_rng(11)
WIDE = np.concatenate([SPECIAL, random.normal(0, 3, 188)])
UNIT = np.concatenate([[0.0, 1.0, -1.0, NAN], random.uniform(-1, 1, 196)])
POSITIVE = np.concatenate([[0.0, 1.0, INF, NAN, -1.0, 1e-40], random.gamma(2, 3, 194)])
COUNTS = [200, 7, 1]

# For f64 the folder computes these with the libm of the compiling machine, and all
# others itself.
UNARY_OF_LIBM = ["Exp", "Expm1", "Log", "Log1p", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan",
                 "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Erf", "Erfc", "Sigmoid",
                 "Softplus", "Elu", "Selu", "Lgamma", "Digamma"]  # fmt: skip
BINARY_OF_LIBM = ["Atan2", "Xlogy", "Xlog1py", "Pow"]
UNARY = {
    name: {"Asin": UNIT, "Acos": UNIT, "Atanh": UNIT, "Log": POSITIVE, "Sqrt": POSITIVE,
           "Rsqrt": POSITIVE, "Lgamma": POSITIVE, "Digamma": POSITIVE,
           "Acosh": POSITIVE + 1, "Log1p": POSITIVE - 0.5}.get(name, WIDE)
    for name in [
        *UNARY_OF_LIBM, "Sqrt", "Rsqrt", "Softsign", "Abs", "Neg", "Sign", "Square",
        "Reciprocal", "Floor", "Ceil", "Round", "Relu", "Relu6", "IsNan", "IsInf", "IsFinite",
    ]
}  # fmt: skip
BINARY = [*BINARY_OF_LIBM, "Xdivy", "AddV2", "Sub", "Mul", "RealDiv", "Mod", "FloorMod",
          "FloorDiv", "Maximum", "Minimum", "SquaredDifference", "DivNoNan", "MulNoNan",
          "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]  # fmt: skip
WHOLE = ["AddV2", "Sub", "Mul", "Div", "FloorDiv", "Mod", "FloorMod", "Maximum", "Minimum",
         "SquaredDifference", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "NotEqual",
         "Less", "LessEqual", "Greater", "GreaterEqual"]  # fmt: skip
TRUTHS = ["LogicalAnd", "LogicalOr", "Equal", "NotEqual"]
# Iterations do not fold; the indices of bits are in integers().
ELSEWHERE = {"Igamma", "Igammac", "Zeta", "Polygamma", "Betainc", "Inv", "Add", "Rint",
             "LeftShift", "RightShift", "PopulationCount", "Invert", "LogicalNot",
             "NextAfter"}  # fmt: skip


def listed():
    """The elementwise ops that are in no table."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "dialects" / "graph"
    names = set()
    for path in [*folder.glob("ElementwiseOps.td"), *folder.glob("elementwise/*Ops.td")]:
        for found in re.findall(r"let tensorflow = \[(.*?)\]", path.read_text(), re.S):
            names |= set(re.findall(r'"(\w+)"', found))
    return names - set(UNARY) - set(BINARY) - set(WHOLE) - set(TRUTHS) - ELSEWHERE


def functions(type, level):
    graph = Graph(options=[f"-mcpu={level}"])
    for count in COUNTS:
        for name, values in UNARY.items():
            x = graph.input(FLOATS[type](values[-count:]))
            graph.same(graph.op(name, x))
        x = graph.input(FLOATS[type](WIDE[-count:]))
        graph.same(graph.op("LeakyRelu", x, alpha=0.3))
        y = graph.input(FLOATS[type](np.roll(WIDE, 5)[-count:]))
        z = graph.input(FLOATS[type](POSITIVE[-count:]))
        for name in BINARY:
            graph.same(graph.op(name, z if name == "Pow" else x, y))
        if type in ("f32", "f64"):
            graph.same(graph.op("NextAfter", x, y))
    return graph


def case(type, level):
    made = lambda: functions(type, level)
    made.__name__ = f"{type}_{level.replace('-', '_')}"
    return made


def integers():
    graph = Graph()
    for dtype in INTEGERS + UNSIGNED:
        info = np.iinfo(dtype)
        values = random.integers(info.min, info.max, 50, dtype, endpoint=True)
        x = graph.input(values)
        y = graph.input(np.where(np.roll(values, 3) == 0, dtype(1), np.roll(values, 3)))
        for name in WHOLE:
            if name != "SquaredDifference" or dtype in (np.int32, np.int64):
                graph.same(graph.op(name, x, y))
        for name in ["Invert", "PopulationCount", "Square"]:
            graph.same(graph.op(name, x))
        places = graph.input((values % dtype(8)).astype(dtype))
        for name in ["LeftShift", "RightShift"]:
            graph.same(graph.op(name, x, places))
    x, y = graph.input(random.random(50) < 0.5), graph.input(random.random(50) < 0.5)
    for name in TRUTHS:
        graph.same(graph.op(name, x, y))
    graph.same(graph.op("LogicalNot", x))
    return graph


def casts():
    graph = Graph()
    for source in FLOATS:
        x = graph.input(FLOATS[source](WIDE * 100))
        for dtype in [*FLOATS, *INTEGERS, *UNSIGNED]:
            graph.same(graph.op("Cast", x, DstT=dtype))
    for source in INTEGERS + UNSIGNED:
        info = np.iinfo(source)
        x = graph.input(random.integers(info.min, info.max, 50, source, endpoint=True))
        for dtype in [*FLOATS, *INTEGERS, *UNSIGNED]:
            graph.same(graph.op("Cast", x, DstT=dtype))
    return graph


if __name__ == "__main__":
    assert not listed(), f"no case of {sorted(listed())}"
    main(*[case(type, level) for type in FLOATS for level in host_levels()],
         integers, casts)
