"""Tests elementwise ops: every type, special values, broadcasting, odd shapes."""

import math

import numpy as np
from harness import Graph, bf16, main

INF, NAN = np.inf, np.nan
np.seterr(all="ignore")
FLOATS = ["f32", "f64", "f16", "bf16"]
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
INTEGERS = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]


def made(values, type):
    return bf16(values) if type == "bf16" else NUMPY[type](values)


def exact(tensor):
    return np.asarray(tensor.value, np.float64)


def each(function):
    return np.vectorize(function, otypes=[np.float64])


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, INF, -INF, NAN, 3.7, -2.25, 1e-3]
random = np.random.default_rng(7)
WIDE = np.concatenate([SPECIAL, random.uniform(-9, 9, 37), [60.0, -60.0]])
UNIT = np.concatenate([[0.0, 1.0, -1.0, 0.5, NAN], random.uniform(-1, 1, 32)])
POSITIVE = np.concatenate([[0.0, 1.0, INF, NAN, -1.0, 1e-6], random.gamma(2, 3, 31)])
ABOVE_ONE = np.concatenate([[1.0, INF, 1.5, 0.5], 1 + random.gamma(1, 3, 31)])
SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def selu(x):
    low = SELU_SCALE * SELU_ALPHA * np.expm1(x)
    return np.where(x < 0, low, SELU_SCALE * x)


# op, reference, values, bound in ulp of f32 and of f64
UNARY = [
    ("Abs", np.abs, WIDE, 0, 0),
    ("Neg", np.negative, WIDE, 0, 0),
    ("Sign", np.sign, WIDE, 0, 0),
    ("Square", np.square, WIDE, 0, 0),
    ("Reciprocal", np.reciprocal, WIDE, 0, 0),
    ("Inv", np.reciprocal, WIDE, 0, 0),
    ("Floor", np.floor, WIDE, 0, 0),
    ("Ceil", np.ceil, WIDE, 0, 0),
    ("Round", np.round, np.concatenate([WIDE, [1.5, 2.5, -1.5, -3.5]]), 0, 0),
    ("Rint", np.rint, np.concatenate([WIDE, [1.5, 2.5, -1.5, -3.5]]), 0, 0),
    ("Exp", np.exp, np.concatenate([WIDE, [88.0, -87.0]]), 2, 2),
    ("Expm1", np.expm1, np.concatenate([WIDE, [1e-7, -1e-7]]), 4, 4),
    ("Log", np.log, POSITIVE, 2, 2),
    ("Log1p", np.log1p, np.concatenate([POSITIVE, [-0.5, 1e-7]]), 4, 4),
    ("Sqrt", np.sqrt, POSITIVE, 0, 0),
    ("Rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE, 1, 1),
    ("Sin", np.sin, WIDE, 2, 2),
    ("Cos", np.cos, WIDE, 2, 2),
    ("Tan", np.tan, WIDE, 4, 4),
    ("Asin", np.arcsin, UNIT, 4, 4),
    ("Acos", np.arccos, UNIT, 4, 4),
    ("Atan", np.arctan, WIDE, 4, 4),
    ("Sinh", np.sinh, WIDE, 4, 4),
    ("Cosh", np.cosh, WIDE, 4, 4),
    ("Tanh", np.tanh, WIDE, 5, 5),
    ("Asinh", np.arcsinh, WIDE, 4, 4),
    ("Acosh", np.arccosh, ABOVE_ONE, 4, 4),
    ("Atanh", np.arctanh, UNIT, 4, 4),
    ("Erf", each(math.erf), WIDE, 4, 4),
    ("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), WIDE, 4, 4),
    ("Softplus", lambda x: np.where(np.isnan(x), x, np.logaddexp(x, 0)), WIDE, 4, 4),
    ("Softsign", lambda x: x / (1 + np.abs(x)), WIDE, 2, 2),
    ("Relu", lambda x: np.where(x < 0, 0, x), WIDE, 0, 0),
    ("Relu6", lambda x: np.where(x < 0, 0, np.where(x > 6, 6, x)), WIDE, 0, 0),
    ("Elu", lambda x: np.where(x < 0, np.expm1(x), x), WIDE, 4, 4),
    ("Selu", selu, WIDE, 6, 6),
]


def unary(type):
    graph = Graph()
    for op, reference, values, ulp32, ulp64 in UNARY:
        x = graph.input(made(values, type))
        # f16 and bf16 are computed in f32 and rounded once.
        ulp = {"f32": ulp32, "f64": ulp64}.get(type, 0.02)
        graph.expect(graph.op(op, x), reference(exact(x)), ulp=ulp)
    x = graph.input(made(WIDE, type))
    slope = np.float32(0.3)
    graph.expect(graph.op("LeakyRelu", x, alpha=0.3),
                 np.where(exact(x) < 0, exact(x) * slope, exact(x)), ulp=0.51)
    for op, test in [("IsNan", np.isnan), ("IsInf", np.isinf), ("IsFinite", np.isfinite)]:
        graph.expect(graph.op(op, x), test(exact(x)), type=np.bool_)
    return graph


def unary_f32():
    return unary("f32")


def unary_f64():
    return unary("f64")


def unary_f16():
    return unary("f16")


def unary_bf16():
    return unary("bf16")


def floor_mod(x, y):
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def no_nan(x, y):
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


# op, reference, bound in ulp
BINARY = [
    ("AddV2", np.add, 0),
    ("Sub", np.subtract, 0),
    ("Mul", np.multiply, 0),
    ("RealDiv", np.divide, 0),
    ("Div", np.divide, 0),
    ("Maximum", np.maximum, 0),
    ("Minimum", np.minimum, 0),
    ("SquaredDifference", lambda x, y: np.square(x - y), 2),
    ("Mod", np.fmod, 0),
    ("FloorMod", floor_mod, 0),
    ("DivNoNan", no_nan, 0),
    ("MulNoNan", lambda x, y: np.where(y == 0, 0, x * y), 0),
    ("Atan2", np.arctan2, 4),
    ("Xdivy", lambda x, y: np.where(x == 0, 0, x / y), 0),
]
COMPARE = [
    ("Equal", np.equal),
    ("NotEqual", np.not_equal),
    ("Less", np.less),
    ("LessEqual", np.less_equal),
    ("Greater", np.greater),
    ("GreaterEqual", np.greater_equal),
]


def binary():
    graph = Graph()
    pairs = np.array([(a, b) for a in SPECIAL for b in SPECIAL])
    pairs = np.concatenate([pairs, random.uniform(-9, 9, (37, 2))])
    for type in FLOATS:
        x, y = graph.input(made(pairs[:, 0], type)), graph.input(made(pairs[:, 1], type))
        a, b = exact(x), exact(y)
        for op, reference, ulp in BINARY:
            ulp = ulp if type in ("f32", "f64") else 0.02
            graph.expect(graph.op(op, x, y), reference(a, b), ulp=ulp)
        for op, reference in COMPARE:
            graph.expect(graph.op(op, x, y), reference(a, b), type=np.bool_)
        graph.expect(graph.op("ApproximateEqual", x, y, tolerance=0.5),
                     np.abs(a - b) < 0.5)
    base = np.concatenate([[0.0, 1.0, 2.0, 0.5, 10.0, INF], random.gamma(2, 2, 25)])
    power = np.concatenate([[0.0, -1.0, 0.5, 2.0, 3.0, -INF], random.uniform(-4, 4, 25)])
    for type in ("f32", "f64"):
        x, y = graph.input(made(base, type)), graph.input(made(power, type))
        a, b = exact(x), exact(y)
        graph.expect(graph.op("Pow", x, y), np.power(a, b), ulp=2)
        graph.expect(graph.op("Xlogy", y, x), np.where(b == 0, 0, b * np.log(a)), ulp=4)
        graph.expect(graph.op("Xlog1py", y, x), np.where(b == 0, 0, b * np.log1p(a)), ulp=4)
        graph.expect(graph.op("NextAfter", x, y),
                     np.nextafter(x.value, y.value), ulp=-0.5)
    return graph


def divided(x, y, quotient):
    """An integer op on Python's unbounded integers, converted back to the type."""
    info = np.iinfo(x.dtype)
    results = [quotient(int(a), int(b)) for a, b in zip(x, y)]
    span = info.max - info.min + 1
    return np.array([(r - info.min) % span + info.min for r in results], x.dtype)


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer_pairs(dtype):
    info = np.iinfo(dtype)
    some = sorted({info.min, info.min + 1, 0, 1, 3, 7, 100, info.max, info.max - 1}
                  | ({-1, -3, -7, -100} if info.min else set()))
    pairs = np.array([(a, b) for a in some for b in some], object)
    return pairs[:, 0].astype(dtype), pairs[:, 1].astype(dtype)


def integers():
    graph = Graph()
    for dtype in INTEGERS + UNSIGNED:
        xs, ys = integer_pairs(dtype)
        x, y = graph.input(xs), graph.input(ys)
        for op, reference in [
            ("AddV2", np.add), ("Sub", np.subtract), ("Mul", np.multiply),
            ("Maximum", np.maximum), ("Minimum", np.minimum),
            ("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or),
            ("BitwiseXor", np.bitwise_xor), *COMPARE,
        ]:  # fmt: skip
            graph.expect(graph.op(op, x, y), reference(xs, ys))
        graph.expect(graph.op("Invert", x), ~xs)
        graph.expect(graph.op("Square", x), xs * xs)
        graph.expect(graph.op("PopulationCount", x),
                     [bin(int(v) & ((1 << xs.itemsize * 8) - 1)).count("1") for v in xs],
                     type=np.uint8)
        keep = ys != 0
        dx, dy = xs[keep], ys[keep]
        x, y = graph.input(dx), graph.input(dy)
        for op, reference in [
            ("Div", truncated), ("TruncateDiv", truncated),
            ("FloorDiv", lambda a, b: a // b), ("FloorMod", lambda a, b: a % b),
            ("Mod", lambda a, b: a - b * truncated(a, b)),
            ("TruncateMod", lambda a, b: a - b * truncated(a, b)),
        ]:  # fmt: skip
            graph.expect(graph.op(op, x, y), divided(dx, dy, reference))
        places = np.abs(ys.astype(object)) % (xs.itemsize * 8)
        shift = graph.input(places.astype(dtype))
        x = graph.input(xs)
        left = [int(a) << int(s) for a, s in zip(xs, places)]
        span = 1 << xs.itemsize * 8
        wrapped = np.array([v % span for v in left], object)
        wrapped = np.where(wrapped > np.iinfo(dtype).max, wrapped - span, wrapped)
        graph.expect(graph.op("LeftShift", x, shift), wrapped.astype(dtype))
        graph.expect(graph.op("RightShift", x, shift),
                     np.array([int(a) >> int(s) for a, s in zip(xs, places)], dtype))
        graph.expect(graph.op("Pow", graph.input(dtype([2, 3, 0, 1, 7])),
                              graph.input(dtype([5, 4, 0, 9, 1]))), dtype([32, 81, 1, 1, 7]))
        if dtype in INTEGERS:
            graph.expect(graph.op("Abs", x), np.abs(xs))
            graph.expect(graph.op("Neg", x), np.negative(xs))
            graph.expect(graph.op("Sign", x), np.sign(xs))
    x, y = graph.input(np.array([True, True, False, False])), graph.input(
        np.array([True, False, True, False]))
    for op, reference in [("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or),
                          ("Equal", np.equal), ("NotEqual", np.not_equal)]:
        graph.expect(graph.op(op, x, y), reference(x.value, y.value), type=np.bool_)
    graph.expect(graph.op("LogicalNot", x), ~x.value, type=np.bool_)
    return graph


def casts():
    graph = Graph()
    values = [0.0, -0.0, 1.9, -1.9, 100.5, 255.0, 256.0, -128.9, 3e9, -3e9, 2e19, INF, -INF, NAN]
    for source in FLOATS:
        x = graph.input(made(np.float32(values), source))
        a = exact(x)
        for dtype in INTEGERS + UNSIGNED:
            info = np.iinfo(dtype)
            saturated = [
                0 if np.isnan(v) else info.max if v >= info.max else
                info.min if v <= info.min else int(v) for v in a]
            graph.expect(graph.op("Cast", x, DstT=dtype), np.array(saturated, object).astype(dtype),
                         type=dtype)
        for to in FLOATS:
            graph.expect(graph.op("Cast", x, DstT=to), a, type=to)
        graph.expect(graph.op("Cast", x, DstT=np.bool_), a != 0, type=np.bool_)
    for source in INTEGERS + UNSIGNED:
        xs = integer_pairs(source)[0]
        x = graph.input(xs)
        for dtype in INTEGERS + UNSIGNED:
            graph.expect(graph.op("Cast", x, DstT=dtype), xs.astype(dtype), type=dtype)
        for to in ("f32", "f64", "f16", "bf16"):
            # Narrower types are computed in f32, as in TensorFlow.
            wide = xs.astype(np.float64 if to == "f64" else np.float32)
            graph.expect(graph.op("Cast", x, DstT=to), wide.astype(np.float64), type=to)
        graph.expect(graph.op("Cast", x, DstT=np.bool_), xs != 0, type=np.bool_)
    x = graph.input(np.array([True, False]))
    for to in [*FLOATS, *INTEGERS, *UNSIGNED]:
        graph.expect(graph.op("Cast", x, DstT=to), [1, 0], type=to)
    bits = random.integers(-(2**62), 2**62, (3, 2))
    for dtype in (np.float64, np.uint64):
        graph.expect(graph.op("Bitcast", graph.input(bits), type=dtype), bits.view(dtype), ulp=-0.5)
    for dtype in (np.float32, np.int16, np.uint8, np.float16):
        parts = bits.view(dtype).reshape(3, 2, -1)
        graph.expect(graph.op("Bitcast", graph.input(bits), type=dtype), parts, ulp=-0.5)
        graph.expect(graph.op("Bitcast", graph.input(parts), type=np.int64), bits)
    return graph


def broadcasts():
    graph = Graph()
    shapes = [((), ()), ((3,), ()), ((2, 1), (1, 3)), ((2, 3), (3,)), ((1,), (4, 1, 5)),
              ((0, 3), (3,)), ((2, 0), (1, 1)), ((17,), (17,)), ((3, 1, 2), (1, 5, 1))]
    for a, b in shapes:
        x = graph.input(random.normal(size=a).astype(np.float32))
        y = graph.input(random.normal(size=b).astype(np.float32))
        graph.expect(graph.op("AddV2", x, y), x.value + y.value)
        graph.expect(graph.op("Less", x, y), x.value < y.value)
        graph.expect(graph.op("FloorDiv", x, y), np.floor(x.value / y.value))
        p = graph.input(random.random(a) < 0.5)
        graph.expect(graph.op("SelectV2", p, x, y), np.where(p.value, x.value, y.value))
    x, y = (graph.input(random.normal(size=(3, 2)).astype(np.float32)) for _ in range(2))
    rows = graph.input(np.array([True, False, True]))
    graph.expect(graph.op("Select", rows, x, y), np.where(rows.value[:, None], x.value, y.value))
    graph.expect(graph.op("Select", graph.input(np.array(True)), x, y), x.value)
    low, high = graph.constant(np.float32(-0.5)), graph.constant(np.float32(0.25))
    graph.expect(graph.op("ClipByValue", x, low, high), np.clip(x.value, -0.5, 0.25))
    z = graph.op("AddN", x, y, x, N=3)
    graph.expect(z, x.value + y.value + x.value)
    square = np.sum(np.square(np.float64(x.value))) / 2
    graph.expect(graph.op("L2Loss", x), square, ulp=3)
    boundaries = [-1.0, 0.0, 0.5]
    graph.expect(graph.op("Bucketize", x, boundaries=boundaries),
                 np.digitize(x.value, boundaries), type=np.int32)
    graph.expect(graph.op("CheckNumerics", x, message="never"), x.value)
    return graph


def division_by_zero():
    graph = Graph(fold=False)
    x, y = graph.input(np.int32([4, 2])), graph.input(np.int32([2, 0]))
    graph.expect(graph.op("FloorDiv", x, y), [2, 0])
    graph.fails("node 'floordiv3': integer division by zero")
    return graph


def negative_power():
    graph = Graph(fold=False)
    x, y = graph.input(np.int32([4, 2])), graph.input(np.int32([2, -1]))
    graph.expect(graph.op("Pow", x, y), [16, 0])
    graph.fails("node 'pow3': an integer to a negative integer power")
    return graph


def not_finite():
    graph = Graph(fold=False)
    x = graph.input(np.float32([4, INF]))
    graph.expect(graph.op("CheckNumerics", x, message="loss"), [4, 2])
    graph.fails("node 'checknumerics2': loss: an element is not a finite number")
    return graph


if __name__ == "__main__":
    main(unary_f32, unary_f64, unary_f16, unary_bf16, binary, integers, casts,
         broadcasts, division_by_zero, negative_power, not_finite)
