"""Random functions of elements: arithmetic, mathematics, logic, conversions."""

import numpy as np
from graph import DIGITS, NARROW, NUMPY, SIGNED, UNSIGNED, Skip, is_float

# Functions of a float, and the range of their results.
MATH = {
    "exp": None, "expm1": None, "sin": 1, "cos": 1, "tan": None, "atan": 2, "tanh": 1, "asinh": 5,
    "erf": 1, "erfc": 2, "sigmoid": 1, "softplus": 25, "softsign": 1, "elu": 24, "selu": 26,
    "sinh": None, "cosh": None,
}  # fmt: skip
POSITIVE = {"log": 5, "log1p": 5, "sqrt": 6, "rsqrt": 2, "lgamma": 60, "digamma": 5}
UNIT = {"asin": 2, "acos": 4, "atanh": None}
COMPARE = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


def functions(g):
    x = g.floats()
    op = g.rng.choice([*MATH, "exp", "tanh", "sigmoid"])
    most = MATH[op]
    if most is None:
        x, most = g.emit("tanh", [x], x.type, x.shape), 3
    g.emit(op, [x], x.type, x.shape, most=most)


def leaky(g):
    x = g.floats()
    alpha = g.rng.choice([0.2, 0.01, 0.25])
    text = f"{x.name} {{alpha = {alpha:e} : f64}} : {x.text}"
    g.emit("leaky_relu", [x], x.type, x.shape, most=x.most, text=text)


def away(g, x):
    """x + 0.5 or more, for functions of positive numbers."""
    size = g.emit("abs", [x], x.type, x.shape, True, x.step, x.most)
    step = None if x.step is None else min(x.step, -1)
    return g.emit("add", [size, g.full(x, 0.5)], x.type, x.shape, step is not None, step, x.most + 0.5)


def positive(g):
    x = g.floats()
    op = g.rng.choice(list(POSITIVE))
    if not g.chance(0.05):
        x = away(g, x)
    g.emit(op, [x], x.type, x.shape, most=POSITIVE[op])


def of_unit(g):
    x = g.floats()
    op = g.rng.choice([*UNIT, "acosh"])
    if op == "acosh":
        one = away(g, away(g, x))
        g.emit(op, [one], x.type, x.shape, most=5)
        return
    small = g.emit("clamp", [x, g.full(x, -0.75), g.full(x, 0.75)], x.type, x.shape, True,
                   None if x.step is None else min(x.step, -2), 0.75)  # fmt: skip
    g.emit(op, [small], x.type, x.shape, most=4)


def special(g):
    x = g.floats(lambda v: v.size <= 300)
    a = away(g, x)
    op = g.rng.choice(["igamma", "igammac", "zeta", "polygamma", "betainc", "xlogy", "xlog1py", "pow"])
    if op == "betainc":
        unit = g.emit("sigmoid", [g.partner(x)], x.type, x.shape)
        g.emit(op, [a, away(g, g.partner(x)), unit], x.type, x.shape)
    elif op == "zeta":
        g.emit(op, [g.emit("add", [a, g.full(x, 1.0)], x.type, x.shape), away(g, g.partner(x))],
               x.type, x.shape, most=30)  # fmt: skip
    elif op == "polygamma":
        g.emit(op, [g.full(x, float(g.rng.randint(0, 3))), away(g, g.partner(x))], x.type, x.shape, most=100)
    elif op == "pow":
        g.emit(op, [a, g.emit("tanh", [g.partner(x)], x.type, x.shape)], x.type, x.shape, most=x.most)
    else:
        first = g.partner(x) if op.startswith("x") else a
        g.emit(op, [first, away(g, g.partner(x))], x.type, x.shape, most=100)


def signs(g):
    x = g.tamed(g.number())
    op = g.rng.choice(["abs", "neg", "relu", "relu", "relu6"])
    if op == "relu6" and x.type in ("i8", "ui8"):
        op = "relu"
    if not x.is_float() or op != "relu6":
        g.emit(op, [x], x.type, x.shape, True, x.step, x.most)
    else:
        g.emit(op, [x], x.type, x.shape, x.exact, None if x.step is None else min(0, x.step), 6)


def rounding(g):
    x = g.tamed(g.exact())
    op = g.rng.choice(["floor", "ceil", "round", "trunc", "sign"])
    step = x.step if not x.is_float() else max(0, x.step or 0)
    g.emit(op, [x], x.type, x.shape, True, step, x.most + 1)


def sums(g):
    x = g.tamed(g.number())
    y = g.partner(x)
    op = g.rng.choice(["add", "add", "sub"])
    if not x.is_float():
        g.emit(op, [x, y], x.type, x.shape)
        return
    step = None if x.step is None or y.step is None else min(x.step, y.step)
    g.emit(op, [x, y], x.type, x.shape, step is not None, step, x.most + y.most)


def products(g):
    x = g.tamed(g.number())
    y = g.partner(x)
    op = g.rng.choice(["mul", "mul", "square", "squared_difference", "mul_no_nan"])
    if not x.is_float():
        op = "mul" if op == "mul_no_nan" else op
        g.emit(op, [x] if op == "square" else [x, y], x.type, x.shape)
        return
    y = x if op == "square" else y
    step = None if x.step is None or y.step is None else x.step + y.step
    most = x.most * y.most
    if op == "squared_difference" and step is not None:
        step, most = 2 * min(x.step, y.step), (x.most + y.most) ** 2
        if x.most + y.most > 2.0 ** (DIGITS[x.type] + min(x.step, y.step)):
            step = None
    g.emit(op, [x] if op == "square" else [x, y], x.type, x.shape, step is not None, step, most)


def quotients(g):
    x = g.tamed(g.number())
    if not x.is_float():
        op = g.rng.choice(["div", "floor_div", "mod", "floor_mod", "reciprocal", "pow"])
        operands = [x] if op == "reciprocal" else [x, g.partner(x)]
        g.emit(op, operands, x.type, x.shape)
        return
    op = g.rng.choice(["div", "div", "div_no_nan", "xdivy", "reciprocal", "atan2"])
    y = away(g, g.partner(x))
    if op == "div_no_nan" and g.chance(0.5):
        y = g.partner(x, lambda v: v.exact)
        if not y.exact or y.step is None:
            raise Skip
    most = 4 if op == "atan2" else 2 * x.most / 2.0 ** (y.step if y.step is not None else -1)
    g.emit(op, [y] if op == "reciprocal" else [x, y], x.type, x.shape, most=most)


def remainders(g):
    """Of floats: the quotient of exact numbers is rounded to an integer."""
    x = g.exact(lambda v: v.is_float() and v.step is not None and v.most <= 64)
    y = g.partner(x, lambda v: v.step is not None)
    if y.step is None or x.type in NARROW:
        raise Skip
    op = g.rng.choice(["mod", "floor_mod", "floor_div"])
    size = g.emit("abs", [y], x.type, x.shape, True, y.step, y.most)
    divisor = g.emit("add", [size, g.full(x, 0.5)], x.type, x.shape, True, min(y.step, -1), y.most + 0.5)
    step = 0 if op == "floor_div" else min(x.step, divisor.step)
    most = 2 * x.most + 1 if op == "floor_div" else divisor.most
    g.emit(op, [x, divisor], x.type, x.shape, True, step, most)


def extrema(g):
    x = g.tamed(g.number())
    y = g.partner(x)
    op = g.rng.choice(["maximum", "minimum", "clamp", "select"])
    step = None if x.step is None or y.step is None else min(x.step, y.step)
    operands, text = [x, y], None
    if op == "clamp":
        operands = [x, *sorted((g.full(x, n) for n in g.rng.sample([0, 1, 2, 3, 5], 2)), key=lambda v: v.most)]
        step = None if x.step is None else min(x.step, 0)
    if op == "select":
        p = predicate(g, x.shape)
        operands = [p, x, y]
        text = f"{p.name}, {x.name}, {y.name} : {p.text}, {x.text}"
    g.emit(op, operands, x.type, x.shape, True, step, max(o.most for o in operands), text)


def predicate(g, shape):
    fit = [v for v in g.values if v.type == "i1" and v.shape == tuple(shape)]
    return g.rng.choice(fit) if fit and g.chance(0.7) else g.fresh("i1", shape)


def comparisons(g):
    x = g.exact()
    y = g.partner(x, lambda v: v.exact)
    if not y.exact or not x.exact:
        raise Skip
    op = g.rng.choice(COMPARE)
    g.emit(op, [x, y], "i1", x.shape, text=f"{x.name}, {y.name} : {x.text}")


def tests(g):
    x = g.pick(lambda v: v.is_float() and v.exact)
    op = g.rng.choice(["is_nan", "is_inf", "is_finite"])
    g.emit(op, [x], "i1", x.shape, text=f"{x.name} : {x.text}")


def logic(g):
    x = g.pick(types=["i1"])
    op = g.rng.choice(["logical_not", "logical_and", "logical_or", "logical_xor", "select", "equal"])
    y = predicate(g, x.shape)
    operands = [x] if op == "logical_not" else [x, y]
    text = f"{x.name}, {y.name} : {x.text}" if op == "equal" else None
    if op == "select":
        p = predicate(g, x.shape)
        operands, text = [p, x, y], f"{p.name}, {x.name}, {y.name} : {p.text}, {x.text}"
    g.emit(op, operands, "i1", x.shape, text=text)


def bits(g):
    x = g.pick(types=SIGNED + UNSIGNED)
    op = g.rng.choice(["not", "and", "or", "xor", "shift_left", "shift_right", "population_count", "bitcast"])
    if op == "population_count":
        g.emit(op, [x], "ui8", x.shape, most=64, text=f"{x.name} : {x.text}")
    elif op == "bitcast":
        kind = ("ui" if x.type.startswith("i") else "i") + x.type.strip("ui")
        conversion(g, op, x, kind)
    elif op.startswith("shift"):
        g.emit(op, [x, g.partner(x)], x.type, x.shape)
    else:
        g.emit(f"bitwise_{op}", [x] if op == "not" else [x, g.partner(x)], x.type, x.shape)


def conversion(g, op, x, type, **how):
    text = f"{x.name} : {x.text} to {x.text.replace(x.type + '>', type + '>')}"
    return g.emit(op, [x], type, x.shape, text=text, **how)


def casts(g):
    x = g.tamed(g.pick())
    type = g.rng.choice([g.float, g.float, "f32", "f64", "f16", "bf16", "i8", "ui8", "i32", "i64", "ui16", "i1"])
    if type == x.type or (not x.exact and not is_float(type)):
        raise Skip
    if not is_float(type):
        conversion(g, "cast", x, type, most=float(np.iinfo(NUMPY[type]).max) if type != "i1" else 1)
        return
    step = x.step if x.is_float() else 0 if x.most <= 256 else None
    most = min(x.most, 1e9)
    conversion(g, "cast", x, type, exact=step is not None, step=step, most=most)


def float_bits(g):
    x = g.pick(lambda v: v.is_float() and v.exact)
    if x.type in ("f32", "f64") and g.chance(0.3):
        # The neighbour of a neighbour is the number again.
        y = g.emit("next_after", [x, g.partner(x)], x.type, x.shape, True, None, x.most)
        g.emit("next_after", [y, x], x.type, x.shape, True, x.step, x.most)
        return
    width = x.type.strip("bf")
    i = conversion(g, "bitcast", x, f"i{width}")
    if g.chance(0.5):
        conversion(g, "bitcast", i, x.type, exact=True, step=x.step, most=x.most)


STEPS = [
    (functions, 6), (leaky, 1), (positive, 2), (of_unit, 1), (special, 1), (signs, 3), (rounding, 2),
    (sums, 6), (products, 5), (quotients, 3), (remainders, 1), (extrema, 4), (comparisons, 2),
    (tests, 1), (logic, 2), (bits, 1), (casts, 3), (float_bits, 1),
]  # fmt: skip
