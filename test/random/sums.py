"""Random sums: reductions, matrix products, convolutions, pools, linear algebra."""

import math

import numpy as np
from graph import NARROW, Skip, tensor
from moves import results

SOLVED = ("f32", "f64")


def reduce(g):
    x = g.tamed(g.number(lambda v: v.rank >= 1))
    dims = sorted(g.rng.sample(range(x.rank), g.rng.choice([1, 1, min(2, x.rank), x.rank])))
    shape = [n for i, n in enumerate(x.shape) if i not in dims]
    count = math.prod(x.shape[d] for d in dims)
    op = g.rng.choice(["sum", "sum", "sum", "max", "min", "prod"])
    if op == "prod":
        if x.is_float() and count > 16:
            raise Skip
        x = g.emit("tanh", [x], x.type, x.shape) if x.is_float() else x
    step, most = x.step, x.most * count if op == "sum" else x.most
    exact = op in ("max", "min") or (op == "sum" and step is not None)
    g.emit(f"reduce_{op}", [x], x.type, shape, exact, step, most, f"{x.name} {dims} : {x.text}")


def reduce_bools(g):
    x = g.pick(lambda v: v.rank >= 1, ["i1"])
    dims = sorted(g.rng.sample(range(x.rank), g.rng.randint(1, x.rank)))
    shape = [n for i, n in enumerate(x.shape) if i not in dims]
    g.emit(g.rng.choice(["reduce_and", "reduce_or"]), [x], "i1", shape, text=f"{x.name} {dims} : {x.text}")


def arg(g):
    x = g.exact(lambda v: v.rank >= 1)
    axis = g.rng.randrange(x.rank)
    type = g.rng.choice(["i64", "i32", "i16", "ui16"])
    shape = [n for i, n in enumerate(x.shape) if i != axis]
    op = g.rng.choice(["arg_max", "arg_min"])
    g.emit(op, [x], type, shape, most=x.shape[axis], text=f"{x.name} axis {axis} : {x.text} to {tensor(shape, type)}")


def cumulative(g):
    x = g.tamed(g.number(lambda v: v.rank >= 1))
    axis = g.rng.randrange(x.rank)
    op = g.rng.choice(["sum", "sum", "prod", "log_sum_exp"])
    if op == "log_sum_exp" and not x.is_float():
        op = "sum"
    if op == "prod" and x.is_float():
        x = g.emit("tanh", [x], x.type, x.shape)
    text = f" axis {axis}" + " exclusive" * g.chance(0.3) + " reverse" * g.chance(0.3)
    most = x.most * x.shape[axis] if op == "sum" else x.most + 5
    exact = op == "sum" and x.step is not None
    g.same(f"cumulative_{op}", x, text, exact=exact, step=x.step, most=most)


def softmax(g):
    x = g.floats(lambda v: v.rank >= 1)
    op = g.rng.choice(["softmax", "softmax", "softmax masked", "log_softmax"])
    name, *flag = op.split()
    g.same(name, x, "".join(f" {f}" for f in flag), exact=False, most=1 if name == "softmax" else x.most * 2)


def product(g, x, y, terms):
    """Step and magnitude of a sum of products, if it is exact."""
    if None in (x.step, y.step):
        return False, None, x.most * y.most * math.sqrt(terms)
    return True, x.step + y.step, x.most * y.most * terms


def matmul(g):
    x = g.tamed(g.number(lambda v: v.rank >= 2 and v.type not in ("i8", "ui8")))
    across = g.chance(0.3)
    rows, depth = x.shape[-2:][::-1] if across else x.shape[-2:]
    columns = g.rng.choice([1, 2, 3, 4, 8, 15, 16, 17, 32, 33, 64])
    turned = g.chance(0.3)
    batch = x.shape[:-2]
    shape = (*batch, columns, depth) if turned else (*batch, depth, columns)
    if math.prod(shape) > 4 * g.most:
        raise Skip
    fit = [v for v in g.values if v.type == x.type and v.shape == shape]
    type = x.type
    if x.type == "f32" and g.chance(0.06):
        type = g.rng.choice(NARROW)
        fit = []
    y = g.tamed(g.rng.choice(fit)) if fit and g.chance(0.6) else g.fresh(type, shape)
    text = f"{x.name}, {y.name}" + " transpose_a" * across + " transpose_b" * turned
    operands = [x, y]
    if type == x.type and type in SOLVED and g.chance(0.04):
        n = g.index((), 0, depth, ["i64"])
        operands.append(n)
        text += f" depth {n.name}"
    exact, step, most = product(g, x, y, depth)
    g.emit("matmul", operands, x.type, (*batch, rows, columns), exact, step, most, f"{text} : {x.text}, {y.text}")


def bytes_matmul(g):
    rows, depth, columns = (g.rng.choice([1, 3, 4, 8, 17, 32, 64]) for _ in range(3))
    a, b = g.fresh("ui8", (rows, depth)), g.fresh("i8", (depth, columns))
    g.emit("matmul", [a, b], "i32", (rows, columns), text=f"{a.name}, {b.name} : {a.text}, {b.text}")


def windows(g, sizes, least=1):
    """A window, strides, paddings and dilations, and the sizes of the result."""
    while True:
        same = g.rng.choice([None, None, 1, 3])
        window = [same or g.rng.choice([1, 2, 3, 3, 5]) for _ in sizes]
        strides = [g.rng.choice([1, 1, 1, 2, 3]) for _ in sizes]
        if g.chance(0.5):
            strides = [1] * len(sizes)
        low, high = ([g.rng.randint(0, w - 1) for w in window] for _ in range(2))
        dilations = [1 if g.chance(0.85) else 2 for _ in sizes] if least == 1 else [1] * len(sizes)
        spans = [d * (w - 1) + 1 for w, d in zip(window, dilations)]
        result = [(n + a + b - s) // t + 1 for n, a, b, s, t in zip(sizes, low, high, spans, strides)]
        if all(n + a + b >= s for n, a, b, s in zip(sizes, low, high, spans)):
            return window, strides, low, high, dilations, result


def image(g, types=None):
    """A batch of images: one of the graph, or a new input."""
    fit = lambda v: 3 <= v.rank <= 5 and v.type != "i1" and min(v.shape[1:-1]) >= 2 and v.shape[-1] <= 64
    try:
        return g.tamed(g.pick(fit, types))
    except Skip:
        pass
    rank = g.rng.choice([1, 2, 2, 2, 3])
    sizes = [g.rng.choice([2, 3, 4, 5, 7, 8, 12, 16]) for _ in range(rank)]
    shape = (g.rng.choice([1, 1, 2]), *sizes, g.rng.choice([1, 2, 3, 4, 8, 16, 17, 32]))
    if math.prod(shape) > g.most:
        raise Skip
    return g.input(types[0] if types else g.float, shape)


def may_be_transformed(x, window, strides):
    """Winograd convolutions are exact for no numbers."""
    return x.is_float() and len(window) == 2 and min(window) > 1 and max(strides) == 1


def convolution(g):
    # Whether a number that is not finite meets the padding depends on the kernel.
    if g.special:
        raise Skip
    mixed = g.chance(0.06)
    x = image(g, ["ui8"] if mixed else None)
    if x.type in ("i8", "ui8") and not mixed:
        raise Skip
    window, strides, low, high, dilations, sizes = windows(g, x.shape[1:-1])
    inputs = x.shape[-1]
    groups = g.rng.choice([1, 1, inputs, *(d for d in (2, 4) if inputs % d == 0)])
    outputs = groups * g.rng.choice([1, 1, 2, 3, 4, 8, 16])
    shape = (*window, inputs // groups, outputs)
    if outputs > 64 or math.prod(sizes) * outputs * math.prod(shape[:-1]) * x.shape[0] > 400 * g.most:
        raise Skip
    f = g.fresh("i8" if mixed else x.type, shape)
    exact, step, most = product(g, x, f, math.prod(shape[:-1]))
    if may_be_transformed(x, window, strides):
        exact, step, most = False, None, x.most * f.most * math.sqrt(math.prod(shape[:-1]))
    text = (f"{x.name}, {f.name} strides {strides} padding_low {low} padding_high {high}"
            f" dilations {dilations} groups {groups} : {x.text}, {f.text}")  # fmt: skip
    y = g.emit("convolution", [x, f], "i32" if mixed else x.type, (x.shape[0], *sizes, outputs), exact, step, most, text)
    if y.is_float() and g.chance(0.5):
        bias = g.fresh(y.type, (outputs,))
        full = g.broadcast(bias, [y.rank - 1], y.shape)
        step = None if None in (y.step, bias.step) else min(y.step, bias.step)
        z = g.emit("add", [y, full], y.type, y.shape, step is not None, step, y.most + bias.most)
        if g.chance(0.6):
            g.emit("relu", [z], y.type, y.shape, True, z.step, z.most)


def filter_gradient(g):
    x = image(g)
    if x.type in ("i8", "ui8") or g.special:
        raise Skip
    window, strides, low, high, dilations, sizes = windows(g, x.shape[1:-1])
    inputs = x.shape[-1]
    groups = g.rng.choice([1, inputs])
    outputs = groups * g.rng.choice([1, 2, 4])
    r = g.fresh(x.type, (x.shape[0], *sizes, outputs))
    if outputs > 32 or r.size > g.most:
        raise Skip
    exact, step, most = product(g, x, r, x.shape[0] * math.prod(sizes))
    text = (f"{x.name}, {r.name} window {window} strides {strides} padding_low {low}"
            f" dilations {dilations} groups {groups} : {x.text}, {r.text}")  # fmt: skip
    g.emit("filter_gradient", [x, r], x.type, (outputs, *window, inputs // groups), exact, step, most, text)


def pool(g):
    x = image(g)
    window, strides, low, high, _, sizes = windows(g, x.shape[1:-1], least=0)
    op = g.rng.choice(["max", "max", "average", "arg_max"])
    if op == "average" and not x.is_float() or op == "arg_max" and not x.exact:
        op = "max"
    text = (f"{x.name} window {window} strides {strides} padding_low {low} padding_high {high}")
    exact, step, most, type = True, x.step, x.most, x.type
    if op == "max" and low + high != [0] * 2 * len(low) and not x.is_float():
        most = x.most
    if op == "average":
        count = math.prod(window)
        whole = max(low + high) == 0 and count & count - 1 == 0 and step is not None
        exact, step = whole, step - int(math.log2(count)) if whole else None
        text += " {counts_padding}" if g.chance(0.4) else ""
    if op == "arg_max":
        type, step, most = "i64", 0, x.size
    g.emit(f"pool_{op}", [x], type, (x.shape[0], *sizes, x.shape[-1]), exact, step, most, f"{text} : {x.text}")


def matrix(g):
    """Well-conditioned symmetric matrices, and their size."""
    type = g.float if g.float in SOLVED else "f32"
    batch, n = g.rng.choice([(), (), (2,), (5,)]), g.rng.choice([1, 2, 3, 4, 5, 8, 13])
    a = g.fresh(type, (*batch, n, n))
    a = g.emit("tanh", [a], type, a.shape, keep=False) if g.special or a.step is None else a
    square = g.emit("matmul", [a, a], type, a.shape, text=f"{a.name}, {a.name} transpose_b : {a.text}, {a.text}", keep=False)
    eye = np.broadcast_to(np.eye(n) * (n + 1.0), a.shape)
    shift = g.const(type, a.shape, (eye, 0, n + 1))
    return g.emit("add", [square, shift], type, a.shape, most=4 * n + n + 1, keep=False), n


def linear(g):
    if g.special:
        raise Skip
    x, n = matrix(g)
    op = g.rng.choice(["cholesky", "triangular_solve", "lu", "qr", "svd"])
    if op == "cholesky":
        g.same(op, x, exact=False)
    elif op == "triangular_solve":
        l = g.same("cholesky", x, exact=False)
        b = g.fresh(x.type, (*x.shape[:-1], g.rng.choice([1, 2, 7])))
        flags = " lower" + " adjoint" * g.chance(0.4)
        g.emit(op, [l, b], x.type, b.shape, most=b.most, text=f"{l.name}, {b.name}{flags} : {l.text}, {b.text}")
    elif op == "lu":
        first = g.emit(op, [x], x.type, x.shape, text=f"{x.name} : {x.text}", keep=False)
        results(g, first, [(x.type, x.shape, None, x.most), ("i32", x.shape[:-1], 0, n),
                           (x.type, x.shape[:-2], None, 1)], [x])  # fmt: skip
    elif op == "qr":
        m = g.rng.randint(1, n)
        y = g.emit("slice", [x], x.type, (*x.shape[:-1], m), most=x.most, keep=False,
                   text=f"{x.name} {[0] * x.rank} to {[*x.shape[:-1], m]} by {[1] * x.rank} : {x.text}")  # fmt: skip
        first = g.emit(op, [y], x.type, y.shape, text=f"{y.name} : {y.text}", keep=False)
        results(g, first, [(x.type, y.shape, None, 1), (x.type, (*x.shape[:-2], m, m), None, x.most)], [y], False)
    else:
        first = g.emit(op, [x], x.type, x.shape[:-1], text=f"{x.name} : {x.text}", keep=False)
        made = results(g, first, [(x.type, x.shape[:-1], None, x.most), (x.type, x.shape, None, 1),
                                  (x.type, x.shape, None, 1)], [x], False)  # fmt: skip
        # The signs of singular vectors are free: only their product is unique.
        s, u, v = made
        g.values.remove(u)
        g.values.remove(v)
        rows = g.emit("broadcast", [s], x.type, x.shape, most=x.most, keep=False,
                      text=f"{s.name} {[*range(x.rank - 2), x.rank - 1]} : {s.text} to {x.text}")  # fmt: skip
        scaled = g.emit("mul", [u, rows], x.type, x.shape, keep=False)
        g.emit("matmul", [scaled, v], x.type, x.shape, most=x.most,
               text=f"{scaled.name}, {v.name} transpose_b : {x.text}, {x.text}")  # fmt: skip


STEPS = [
    (reduce, 6), (reduce_bools, 1), (arg, 2), (cumulative, 2), (softmax, 3), (matmul, 6),
    (bytes_matmul, 0.5), (convolution, 4), (filter_gradient, 0.6), (pool, 2), (linear, 0.5),
]  # fmt: skip
