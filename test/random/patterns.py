"""Random parts of models: normalization, attention, quantization, control flow, variables."""

import math

import numpy as np
from graph import Skip, dense, tensor
from moves import results


def over(g, x, row, text=None):
    """A row statistic, repeated along the last dimension of x."""
    return g.broadcast(row, range(x.rank - 1), x.shape)


def unary(g, op, x, most=1.0):
    return g.emit(op, [x], x.type, x.shape, most=most)


def binary(g, op, x, y, most=1.0):
    return g.emit(op, [x, y], x.type, x.shape, most=most)


def last(g, op, x, most):
    return g.emit(op, [x], x.type, x.shape[:-1], most=most, text=f"{x.name} [{x.rank - 1}] : {x.text}")


def normalization(g):
    x = g.floats(lambda v: v.rank >= 1 and v.shape[-1] >= 2)
    n = x.shape[-1]
    parts = g.full(x, 1.0 / n)
    scaled = binary(g, "mul", x, parts, x.most)
    centred = x
    if g.chance(0.7):
        centred = binary(g, "sub", x, over(g, x, last(g, "reduce_sum", scaled, x.most)), x.most)
    square = unary(g, "square", centred, x.most**2)
    variance = last(g, "reduce_sum", binary(g, "mul", square, parts, x.most**2), x.most**2)
    shifted = binary(g, "add", variance, g.full(variance, 0.125), x.most**2)
    y = binary(g, "mul", centred, over(g, x, unary(g, "rsqrt", shifted, 3)), 4)
    gain, bias = (g.broadcast(g.fresh(x.type, (n,)), [x.rank - 1], x.shape) for _ in range(2))
    binary(g, "add", binary(g, "mul", y, gain, 8), bias, 10)


def attention(g):
    type = g.float
    batch, queries, keys, depth = (g.rng.choice(c) for c in ([(), (2,), (1, 3)], [1, 3, 8, 17], [2, 5, 16, 33], [4, 8, 16]))
    q, k, v = (g.input(type, (*batch, n, depth)) for n in (queries, keys, keys))
    turned = f"{q.name}, {k.name} transpose_b : {q.text}, {k.text}"
    s = g.emit("matmul", [q, k], type, (*batch, queries, keys), most=depth, text=turned)
    s = binary(g, "mul", s, g.full(s, 1.0 / math.sqrt(depth)), 4)
    if g.chance(0.5):
        p = g.fresh("i1", s.shape)
        low = g.full(s, -100.0)
        s = g.emit("select", [p, s, low], type, s.shape, most=100, text=f"{p.name}, {s.name}, {low.name} : {p.text}, {s.text}")
    w = g.emit("softmax", [s], type, s.shape)
    g.emit("matmul", [w, v], type, (*batch, queries, depth), most=4, text=f"{w.name}, {v.name} : {w.text}, {v.text}")


def gelu(g):
    x = g.floats()
    y = unary(g, "erf", binary(g, "mul", x, g.full(x, 0.70710678), x.most))
    if g.chance(0.3):
        cube = binary(g, "mul", unary(g, "square", x, 99), g.full(x, 0.044715), x.most**2)
        y = unary(g, "tanh", binary(g, "mul", binary(g, "add", cube, g.full(x, 1.0)), x, 99))
    half = binary(g, "mul", binary(g, "add", y, g.full(x, 1.0), 2), g.full(x, 0.5))
    binary(g, "mul", x, half, x.most)


def quantization(g):
    """Codes of exact numbers, and back."""
    x = g.exact(lambda v: v.type == "f32" and v.step is not None and v.most <= 64)
    scale = g.rng.choice([0, -1, -2, -4])
    y = g.emit("mul", [x, g.full(x, 2.0**-scale)], "f32", x.shape, True, x.step - scale, x.most * 2.0**-scale)
    y = g.emit("round", [y], "f32", x.shape, True, max(0, y.step), y.most + 1)
    zero = g.full(x, float(g.rng.choice([0, 3, 128])))
    y = g.emit("add", [y, zero], "f32", x.shape, True, 0, y.most + 128)
    type, low, high = g.rng.choice([("i8", -128, 127), ("ui8", 0, 255)])
    y = g.emit("clamp", [y, g.full(x, float(low)), g.full(x, float(high))], "f32", x.shape, True, 0, 255)
    q = g.emit("cast", [y], type, x.shape, most=255, text=f"{y.name} : {y.text} to {tensor(x.shape, type)}")
    y = g.emit("cast", [q], "f32", x.shape, True, 0, 255, f"{q.name} : {q.text} to {x.text}")
    y = g.emit("sub", [y, zero], "f32", x.shape, True, 0, 383)
    g.emit("mul", [y, g.full(x, 2.0**scale)], "f32", x.shape, True, scale, 383 * 2.0**scale)


def packed(g):
    """A product with constant weights of few bits. A number that is not finite makes its row NaN."""
    if g.special:
        raise Skip
    rows, depth, columns = g.rng.choice([1, 2, 5, 17]), g.rng.choice([32, 64, 96]), g.rng.choice([1, 8, 24, 40])
    bits, block = g.rng.choice([2, 4, 8]), g.rng.choice([16, 32])
    across = 8 // bits
    if columns % across:
        raise Skip
    signed = g.chance(0.5)
    codes = g.const("ui8", (depth, columns // across), (g.numpy.integers(0, 256, (depth, columns // across)), 0, 255))
    scales = g.const("f32", (depth // block, columns), (2.0 ** g.numpy.integers(-6, -2, (depth // block, columns)), -6, 0.25))
    flags = " signed" if signed else ""
    operands, names = [codes, scales], f"{codes.name}, {scales.name}"
    types = f"{codes.text}, {scales.text}"
    w = g.emit("dequantize", operands, "f32", (depth, columns), most=32, keep=False,
               text=f"{names} axis 0 block {block} bits {bits}{flags} : {types} -> {tensor((depth, columns), 'f32')}")  # fmt: skip
    x = g.input("f32", (rows, depth))
    g.emit("matmul", [x, w], "f32", (rows, columns), most=4 * depth, text=f"{x.name}, {w.name} : {x.text}, {w.text}")


def branch(g):
    x = g.tamed(g.number())
    y = g.partner(x)
    p = g.input("i1", ())
    first, second = g.rng.sample(["add", "sub", "mul", "maximum"], 2)
    a, b = g.name(), g.name()
    step = None if None in (x.step, y.step) else 2 * min(x.step, y.step, 0)
    text = (f"{p.name} : tensor<i1> -> ({x.text}) {{\n  {a} = graph.{first} {x.name}, {y.name} : {x.text}\n"
            f"  graph.yield {a} : {x.text}\n}} else {{\n  {b} = graph.{second} {x.name}, {y.name} : {x.text}\n"
            f"  graph.yield {b} : {x.text}\n}}")  # fmt: skip
    g.ops += [first, second, "yield", "yield"]
    most = max(x.most * y.most, x.most + y.most)
    g.emit("if", [p, x, y], x.type, x.shape, step is not None, step, most, text)


def loop(g):
    """A counted loop over a value that stays small."""
    x = g.tamed(g.pick(lambda v: v.is_float() or v.type in ("i32", "i64")))
    y = g.partner(x)
    rounds = g.rng.randint(0, 5)
    bound = g.fresh("i32", (), (rounds, 0, 5))
    zero, one = g.scalar("i32", 0), g.scalar("i32", 1)
    n = [g.name() for _ in range(9)]
    body = g.rng.choice(["tanh", "minimum"]) if x.is_float() else "minimum"
    t = x.text
    last = f"graph.tanh {n[6]} : {t}" if body == "tanh" else f"graph.minimum {n[6]}, {y.name} : {t}"
    text = (f"({zero.name}, {x.name}) : (tensor<i32>, {t}) -> (tensor<i32>, {t}) {{\n"
            f"^bb0({n[0]}: tensor<i32>, {n[1]}: {t}):\n  {n[2]} = graph.less {n[0]}, {bound.name} : tensor<i32>\n"
            f"  graph.yield {n[2]} : tensor<i1>\n}} do {{\n^bb0({n[3]}: tensor<i32>, {n[4]}: {t}):\n"
            f"  {n[5]} = graph.add {n[3]}, {one.name} : tensor<i32>\n  {n[6]} = graph.sub {n[4]}, {y.name} : {t}\n"
            f"  {n[7]} = {last}\n  graph.yield {n[5]}, {n[7]} : tensor<i32>, {t}\n}}")  # fmt: skip
    g.ops += ["less", "add", "sub", body, "yield", "yield"]
    step = None if None in (x.step, y.step) or body == "tanh" else min(x.step, y.step)
    first = g.emit("while", [x, y, bound], "i32", (), text=text, keep=False)
    results(g, first, [("i32", (), 0, 5), (x.type, x.shape, step, x.most + 5 * y.most)], [x, y], step is not None)


def check(g):
    """A condition that holds."""
    x = g.exact(lambda v: not v.is_float() and v.rank >= 1)
    p = g.emit("less_equal", [x, x], "i1", x.shape, text=f"{x.name}, {x.name} : {x.text}", keep=False)
    dims = list(range(x.rank))
    q = g.emit("reduce_and", [p], "i1", (), text=f"{p.name} {dims} : {p.text}", keep=False)
    g.line("check", f'graph.check {q.name}, "must not fail" : tensor<i1>')


def variable(g):
    x = g.tamed(g.number())
    array, step, most = g.known(x.type, x.shape)
    symbol = f"@v{g.seed}_{len(g.globals)}"
    g.globals.append(f"graph.variable {symbol} : {x.text} = {dense(array, x.type)} : {x.text}")
    g.ops.append("variable")
    first = g.emit("read_variable", [], x.type, x.shape, True, step, most, f"{symbol} : {x.text}")
    steps = None if None in (x.step, step) else min(x.step, step)
    sum = g.emit("add", [first, x], x.type, x.shape, steps is not None, steps, x.most + most)
    g.line("write_variable", f"graph.write_variable {symbol}, {sum.name} : {x.text}")
    g.emit("read_variable", [], x.type, x.shape, sum.exact, sum.step, sum.most, f"{symbol} : {x.text}")


STEPS = [
    (normalization, 2), (attention, 1), (gelu, 1), (quantization, 1), (packed, 0.5), (branch, 0.7),
    (loop, 0.6), (check, 0.3), (variable, 0.3),
]  # fmt: skip
