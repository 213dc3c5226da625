"""Random moves of elements: shapes, slices, indices, orders."""

import math

import numpy as np
from graph import Skip, tensor


def moved(g, op, x, shape, text, operands=(), **how):
    how = {"exact": True, "step": x.step, "most": x.most, **how}
    return g.emit(op, [x, *operands], x.type, shape, text=text, **how)


def reshape(g):
    x = g.pick()
    factors = [x.size]
    for _ in range(g.rng.randint(0, 3)):
        n = factors.pop(g.rng.randrange(len(factors)))
        divisor = g.rng.choice([d for d in range(1, n + 1) if n % d == 0][:12])
        factors += [divisor, n // divisor]
    shape = [] if x.size == 1 and g.chance(0.5) else factors
    moved(g, "reshape", x, shape, f"{x.name} : {x.text} to {tensor(shape, x.type)}")


def transpose(g):
    x = g.pick(lambda v: v.rank >= 2)
    order = g.rng.sample(range(x.rank), x.rank)
    moved(g, "transpose", x, [x.shape[d] for d in order], f"{x.name} {order} : {x.text}")


def broadcast(g):
    x = g.pick(lambda v: v.rank <= 4 and v.size <= 200)
    shape = list(x.shape)
    dims = list(range(x.rank))
    for _ in range(g.rng.randint(0, 2)):
        at = g.rng.randint(0, len(shape))
        shape.insert(at, g.rng.choice([1, 2, 3, 5, 8]))
        dims = [d + (d >= at) for d in dims]
    shape = [g.rng.choice([1, 2, 4, 7]) if n == 1 else n for n in shape]
    if len(shape) > 5:
        raise Skip
    g.broadcast(x, dims, shape)


def slices(g):
    x = g.pick(lambda v: v.rank >= 1)
    starts, limits, strides, shape = [], [], [], []
    for n in x.shape:
        start, stride = (0, 1) if g.chance(0.4) else (g.rng.randrange(n), g.rng.choice([1, 1, 2, 3]))
        limit = n if g.chance(0.5) else g.rng.randint(start + 1, n)
        starts, limits, strides = starts + [start], limits + [limit], strides + [stride]
        shape.append(-((start - limit) // stride))
    moved(g, "slice", x, shape, f"{x.name} {starts} to {limits} by {strides} : {x.text}")


def pad(g):
    x = g.pick(lambda v: v.rank >= 1)
    value = g.fresh(x.type, ())
    low, high, gaps = ([g.rng.choice([0, 0, 1, 2]) for _ in x.shape] for _ in range(3))
    gaps = gaps if g.chance(0.3) else [0] * x.rank
    shape = [n + a + b + i * (n - 1) for n, a, b, i in zip(x.shape, low, high, gaps)]
    step = None if None in (x.step, value.step) else min(x.step, value.step)
    text = f"{x.name}, {value.name} low {low} high {high} interior {gaps} : {x.text}"
    moved(g, "pad", x, shape, text, [value], step=step, most=max(x.most, value.most))


def concat(g):
    x = g.pick(lambda v: v.rank >= 1)
    axis = g.rng.randrange(x.rank)
    all = [x]
    for _ in range(g.rng.randint(0, 3)):
        fit = [v for v in g.values if v.type == x.type and v.rank == x.rank
               and all_but(v.shape, axis) == all_but(x.shape, axis)]  # fmt: skip
        if g.chance(0.6):
            all.append(g.rng.choice(fit))
        else:
            shape = list(x.shape)
            shape[axis] = g.rng.choice([1, 2, 5])
            all.append(g.fresh(x.type, shape))
    shape = list(x.shape)
    shape[axis] = sum(v.shape[axis] for v in all)
    steps = [v.step for v in all]
    text = f"{', '.join(v.name for v in all)} axis {axis} : {', '.join(v.text for v in all)}"
    g.emit("concat", all, x.type, shape, True, None if None in steps else min(steps),
           max(v.most for v in all), text)  # fmt: skip


def all_but(shape, axis):
    return [n for i, n in enumerate(shape) if i != axis]


def reverse(g):
    x = g.pick(lambda v: v.rank >= 1)
    dims = sorted(g.rng.sample(range(x.rank), g.rng.randint(1, x.rank)))
    g.same("reverse", x, f" {dims}")


def iota(g):
    type, shape = g.rng.choice([g.float, "i32", "i64", "ui8"]), g.shape(g.rng.randint(1, 3))
    axis = g.rng.randrange(len(shape))
    g.emit("iota", [], type, shape, True, 0, shape[axis], f"axis {axis} : {tensor(shape, type)}")


def empty(g):
    """The elements of an empty tensor are cut off."""
    x = g.pick(lambda v: v.rank >= 1)
    shape = (g.rng.randint(1, 4), *x.shape[1:])
    e = g.emit("empty", [], x.type, shape, text=f": {tensor(shape, x.type)}", keep=False)
    rows = x.shape[0] + shape[0]
    whole = (rows, *x.shape[1:])
    c = g.emit("concat", [x, e], x.type, whole, True, x.step, x.most,
               f"{x.name}, {e.name} axis 0 : {x.text}, {e.text}", keep=False)  # fmt: skip
    limits, zeros, ones = list(x.shape), [0] * x.rank, [1] * x.rank
    moved(g, "slice", c, x.shape, f"{c.name} {zeros} to {limits} by {ones} : {c.text}")


def gather(g):
    x = g.pick(lambda v: v.rank >= 1)
    axis = g.rng.randrange(x.rank)
    batch = g.rng.randint(0, axis) if g.chance(0.3) else 0
    shape = [*x.shape[:batch], *g.rng.choice([(), (1,), (3,), (5,), (2, 3)])]
    n = x.shape[axis]
    i = g.index(shape, -1 if g.chance(0.2) else 0, n if g.chance(0.2) else n - 1)
    result = [*x.shape[:axis], *shape[batch:], *x.shape[axis + 1 :]]
    moved(g, "gather", x, result, f"{x.name}, {i.name} axis {axis} batch_dims {batch} : {x.text}, {i.text}", [i])


def gather_nd(g):
    x = g.pick(lambda v: v.rank >= 1)
    depth = g.rng.randint(1, min(3, x.rank))
    shape = [*g.rng.choice([(), (1,), (4,), (2, 3)]), depth]
    i = g.index(shape, 0, max(x.shape[:depth]))
    text = f"{x.name}, {i.name} batch_dims 0 : {x.text}, {i.text}"
    moved(g, "gather_nd", x, [*shape[:-1], *x.shape[depth:]], text, [i])


def scatter(g):
    x = g.tamed(g.pick(lambda v: v.rank >= 1))
    depth = g.rng.randint(1, min(3, x.rank))
    shape = [*g.rng.choice([(1,), (4,), (2, 3)]), depth]
    i = g.index(shape, -1 if g.chance(0.2) else 0, max(x.shape[:depth]))
    u = g.fresh(x.type, [*shape[:-1], *x.shape[depth:]])
    how = g.rng.choice(["update", "min", "max"] if x.type == "i1" else ["update", "add", "sub", "mul", "min", "max"])
    count = math.prod(shape[:-1])
    step = None if None in (x.step, u.step) else min(x.step, u.step)
    most = x.most + count * u.most if how in ("add", "sub") else max(x.most, u.most)
    if how == "mul":
        step, most = None, x.most * u.most**count
    exact = step is not None or how in ("update", "min", "max")
    text = f"{how} {x.name}, {i.name}, {u.name} : {x.text}, {i.text}, {u.text}"
    g.emit("scatter", [x, i, u], x.type, x.shape, exact, step, most, text)


def starts(g, x, box):
    type = g.rng.choice(["i32", "i64"])
    return [g.index((), -1, n - b + 1, [type]) for n, b in zip(x.shape, box)]


def dynamic_slice(g):
    x = g.pick(lambda v: v.rank >= 1)
    box = [g.rng.randint(1, n) for n in x.shape]
    at = starts(g, x, box)
    types = ", ".join(v.text for v in (x, *at))
    text = (f"{x.name} [{', '.join(v.name for v in at)}] sizes {box} : ({types}) -> {tensor(box, x.type)}")
    moved(g, "dynamic_slice", x, box, text, at)


def dynamic_update_slice(g):
    x = g.pick(lambda v: v.rank >= 1)
    u = g.fresh(x.type, [g.rng.randint(1, n) for n in x.shape])
    at = starts(g, x, u.shape)
    step = None if None in (x.step, u.step) else min(x.step, u.step)
    types = ", ".join(v.text for v in (x, u, *at))
    text = f"{x.name}, {u.name} [{', '.join(v.name for v in at)}] : ({types}) -> {x.text}"
    moved(g, "dynamic_update_slice", x, x.shape, text, [u, *at], step=step, most=max(x.most, u.most))


def compact(g):
    """Into a row and back again, by other sizes: elements beyond them are zeros."""
    x = g.pick(lambda v: v.rank >= 1)
    dims = sorted(g.rng.sample(range(x.rank), g.rng.randint(1, min(2, x.rank))))
    sizes = [g.index((), 0, x.shape[d], ["i64"]) for d in dims]
    names = ", ".join(s.name for s in sizes)
    types = ", ".join(["tensor<i64>"] * len(dims))
    row = moved(g, "compact", x, [x.size], f"{x.name} [{names}] along {dims} zeros : ({x.text}, {types})"
                f" -> {tensor([x.size], x.type)}", sizes, keep=g.chance(0.5))  # fmt: skip
    text = f"{row.name} [{names}] along {dims} to {list(x.shape)} zeros : ({row.text}, {types}) -> {x.text}"
    y = moved(g, "spread", row, x.shape, text, sizes)
    d = dims[0]
    v = g.fresh(x.type, ())
    step = None if None in (x.step, v.step) else min(x.step, v.step)
    text = (f"{y.name}, {sizes[0].name}, {v.name} along {d} reach {x.shape[d]} :"
            f" ({y.text}, tensor<i64>, {v.text}) -> {y.text}")  # fmt: skip
    moved(g, "fill_beyond", y, x.shape, text, [sizes[0], v], step=step, most=max(x.most, v.most))


def one_hot(g):
    depth = g.rng.randint(1, 9)
    i = g.index(g.shape(g.rng.randint(0, 2)), -1, depth, ["i32", "i64", "i8", "ui8"][: 2 + 1])
    type = g.rng.choice([g.float, "i32", "i1"])
    on, off = g.fresh(type, ()), g.fresh(type, ())
    axis = g.rng.randint(0, i.rank)
    shape = [*i.shape[:axis], depth, *i.shape[axis:]]
    step = None if None in (on.step, off.step) else min(on.step, off.step)
    text = f"{i.name}, {on.name}, {off.name} depth {depth} axis {axis} : {i.text}, {on.text}"
    g.emit("one_hot", [i, on, off], type, shape, True, step, max(on.most, off.most), text)


def sort(g):
    x = g.exact(lambda v: v.rank >= 1)
    g.same("sort", x, " descending" if g.chance(0.4) else "")


def sort_pairs(g):
    x = g.exact(lambda v: v.rank >= 1)
    own = [v for v in g.values if v.shape == x.shape and v is not x]
    y = g.rng.choice(own) if own else g.fresh(g.float, x.shape)
    a = g.emit("sort", [x, y], y.type, x.shape, True, y.step, y.most, keep=False,
               text=f"{x.name}, {y.name}{' descending' if g.chance(0.4) else ''} : {x.text}, {y.text}")  # fmt: skip
    results(g, a, [(x.type, x.shape, x.step, x.most), (y.type, y.shape, y.step, y.most)], [x, y])


def results(g, first, all, operands, exact=True):
    """Makes the values of an op with several results."""
    from graph import Value

    g.lines[-1] = g.lines[-1].replace(f"{first.name} =", f"{first.name}:{len(all)} =", 1)
    made = []
    for i, (type, shape, step, most) in enumerate(all):
        known = all_exact(operands) and exact
        value = Value(f"{first.name}#{i}", type, shape, known or not _float(type), step, most)
        g.values.append(value)
        made.append(value)
    return made


def all_exact(operands):
    return all(o.exact for o in operands)


def _float(type):
    return type in ("f16", "bf16", "f32", "f64")


def top_k(g):
    x = g.exact(lambda v: v.rank >= 1)
    k = g.rng.randint(1, x.shape[-1])
    shape = [*x.shape[:-1], k]
    first = g.emit("top_k", [x], x.type, shape, text=f"{x.name} k {k} : {x.text}", keep=False)
    results(g, first, [(x.type, shape, x.step, x.most), ("i32", shape, 0, x.shape[-1])], [x])


def search(g):
    x = g.exact(lambda v: v.rank >= 1)
    s = g.same("sort", x)
    v = g.fresh(x.type, [*x.shape[:-1], g.rng.choice([1, 3, 8])])
    right = " right" if g.chance(0.5) else ""
    text = f"{s.name}, {v.name}{right} : {s.text}, {v.text}"
    g.emit("search_sorted", [s, v], "i32", v.shape, most=x.shape[-1], text=text)


def kept(g):
    x = g.pick()
    g.same(g.rng.choice(["barrier", "stop_gradient"]), x)


def suppress(g):
    n = g.rng.randint(1, 12)
    corner = g.numpy.integers(0, 16, (n, 2)) / 4
    boxes = np.concatenate([corner, corner + g.numpy.integers(1, 9, (n, 2)) / 4], 1)
    b = g.fresh("f32", (n, 4), (boxes, -2, 8))
    c = g.fresh("f32", (n,))
    soft = g.scalar("f32", 0.0)
    overlap, lowest = g.scalar("f32", 0.37), g.scalar("f32", g.rng.choice([-10.0, 0.11]))
    most = g.index((), 0, n, ["i32"])
    limit = g.rng.randint(1, n + 1)
    operands = [b, c, overlap, lowest, soft, most]
    text = f"{', '.join(o.name for o in operands)} limit {limit} : {', '.join(o.text for o in operands)}"
    first = g.emit("suppress", operands, "i32", (limit,), text=text, keep=False)
    results(g, first, [("i32", (limit,), 0, n), ("f32", (limit,), c.step, c.most), ("i32", (), 0, n)], [b, c])


STEPS = [
    (reshape, 4), (transpose, 4), (broadcast, 3), (slices, 4), (pad, 3), (concat, 3), (reverse, 1),
    (iota, 1), (empty, 0.5), (gather, 3), (gather_nd, 1), (scatter, 2), (dynamic_slice, 1),
    (dynamic_update_slice, 1), (compact, 1), (one_hot, 1), (sort, 1), (sort_pairs, 1), (top_k, 1),
    (search, 1), (kept, 0.3), (suppress, 0.2),
]  # fmt: skip
