"""Tests XLA's own ops, against NumPy and loops over elements."""

import itertools

import numpy as np
from harness import Graph, Text, main

random = np.random.default_rng(16)
F = np.float32


def normal(*shape, type=F):
    return random.standard_normal(shape).astype(type)


def message(**fields):
    """A protocol buffer of integers and lists of them, by field number, as the text of a string
    attribute."""
    data = b""
    for key, value in fields.items():
        number = int(key[1:])
        if isinstance(value, int):
            data += bytes([number << 3, value])
        else:
            data += bytes([number << 3 | 2, len(value), *value])
    return "".join(f"\\{byte:03o}" for byte in data)


def i64(g, *values):
    return g.constant(np.int64(values))


def binary(g, name, op, kind="DT_FLOAT", out=None, order=("x", "y")):
    """A function of two scalars."""
    node = f'name: "f" op: "{op}" input: "{order[0]}" input: "{order[1]}" '
    node += f'attr {{ key: "T" value {{ type: {kind} }} }}'
    return g.function(name, [f"x: {kind}", f"y: {kind}"], "f:z:0", node, out=out or kind)


def dots():
    g = Graph()
    for op in ("XlaDot", "XlaDotV2"):
        a, b = normal(2, 3, 4, 5), normal(5, 2, 6, 3)
        wanted = np.einsum("bmcn,nbkm->bck", a.astype(np.float64), b)
        made = g.op(op, g.input(a), g.input(b), precision_config="",
                    dimension_numbers=message(f1=[1, 3], f2=[3, 0], f3=[0], f4=[1]))  # fmt: skip
        g.expect(made, wanted, rtol=1e-5, atol=1e-4)
        a, b = normal(3), normal(3)
        made = g.op(op, g.input(a), g.input(b), dimension_numbers=message(f1=[0], f2=[0]))
        g.expect(made, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)
        outer = g.op(op, g.input(a), g.input(b), dimension_numbers="")
        g.expect(outer, np.outer(a, b), ulp=1)
    wide = g.op("XlaDotV2", g.input(np.int8([[100, 100]])), g.input(np.int8([[100], [100]])),
                dimension_numbers=message(f1=[1], f2=[0]), preferred_element_type=np.int32)
    g.expect(wide, [[20000]], type=np.int32)
    x, y = normal(2, 3), normal(3, 4)
    made = g.op("XlaEinsum", g.input(x), g.input(y), equation="ab,bc->ca")
    g.expect(made, (x.astype(np.float64) @ y).T, rtol=1e-5, atol=1e-5)
    return g


def convolved(x, w, stride, low, high, inner, dilation, groups):
    """[n, h, w, c] and [h, w, c / groups, o], by definition."""
    n, _, _, c = x.shape
    shape = [(s - 1) * d + 1 for s, d in zip(x.shape[1:3], inner)]
    padded = np.zeros((n, shape[0] + low[0] + high[0], shape[1] + low[1] + high[1], c))
    padded[:, low[0] : low[0] + shape[0] : inner[0], low[1] : low[1] + shape[1] : inner[1]] = x
    out = [(padded.shape[1 + i] - (w.shape[i] - 1) * dilation[i] - 1) // stride[i] + 1
           for i in (0, 1)]  # fmt: skip
    y = np.zeros((n, *out, w.shape[3]))
    per, each = w.shape[2], w.shape[3] // groups
    for i, j, k in itertools.product(range(out[0]), range(out[1]), range(w.shape[3])):
        first = k // each * per
        rows = i * stride[0] + np.arange(w.shape[0]) * dilation[0]
        columns = j * stride[1] + np.arange(w.shape[1]) * dilation[1]
        part = padded[:, rows][:, :, columns, first : first + per]
        y[:, i, j, k] = np.einsum("nhwc,hwc->n", part, w[..., k])
    return y


LAST = dict(f3=2, f4=3, f6=[0, 1], f7=0, f8=3, f9=0, f10=3, f11=[1, 2], f12=[1, 2])
FIRST = dict(f3=1, f4=0, f6=[2, 3], f7=0, f8=1, f9=0, f10=1, f11=[2, 3], f12=[2, 3])


def convolutions():
    g = Graph()
    x = normal(2, 6, 5, 4)
    for groups, stride, low, high, inner, dilation in [
        (1, (1, 1), (0, 0), (0, 0), (1, 1), (1, 1)),
        (2, (2, 1), (1, 0), (1, 2), (1, 1), (1, 2)),
        (4, (1, 2), (2, 1), (0, 1), (2, 3), (1, 1)),
    ]:
        w = normal(3, 2, 4 // groups, 8)
        y = convolved(x, w, stride, low, high, inner, dilation, groups)
        numbers = [i64(g, *stride), g.constant(np.int64(list(zip(low, high)))), i64(g, *inner),
                   i64(g, *dilation), g.constant(np.int64(groups))]  # fmt: skip
        for op in ("XlaConv", "XlaConvV2"):
            made = g.op(op, g.input(x), g.input(w), *numbers, dimension_numbers=message(**LAST))
            g.expect(made, y, rtol=1e-4, atol=1e-4)
        first = g.input(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))
        filter = g.input(np.ascontiguousarray(w.transpose(3, 2, 0, 1)))
        made = g.op("XlaConv", first, filter, *numbers, dimension_numbers=message(**FIRST))
        g.expect(made, y.transpose(0, 3, 1, 2), rtol=1e-4, atol=1e-4)
    # Two halves of the batch have separate filters, and negative padding removes
    # elements.
    w = normal(2, 2, 4, 6)
    ones = (1, 1)
    halves = [convolved(x[i : i + 1, 1:], w[..., 3 * i : 3 * i + 3], ones, (0, 0), (0, 0), ones,
                        ones, 1) for i in (0, 1)]  # fmt: skip
    made = g.op("XlaConvV2", g.input(x), g.input(w), i64(g, 1, 1),
                g.constant(np.int64([[-1, 0], [0, 0]])), i64(g, 1, 1), i64(g, 1, 1),
                g.constant(np.int64(1)), batch_group_count=2,
                dimension_numbers=message(**LAST))  # fmt: skip
    g.expect(made, np.concatenate(halves, -1), rtol=1e-4, atol=1e-4)
    return g


def moves():
    g = Graph()
    x = normal(3, 4)
    for low, high, inner in [((1, 0), (2, 3), (0, 2)), ((-1, 2), (0, -3), (1, 0))]:
        whole = np.full((3 + 2 * inner[0], 4 + 3 * inner[1]), 7.0)
        whole[:: inner[0] + 1, :: inner[1] + 1] = x
        margins = [(max(a, 0), max(b, 0)) for a, b in zip(low, high)]
        whole = np.pad(whole, margins, constant_values=7)
        cut = tuple(slice(max(-a, 0), n - max(-b, 0))
                    for a, b, n in zip(low, high, whole.shape))  # fmt: skip
        made = g.op("XlaPad", g.input(x), g.input(F(7)), i64(g, *low), i64(g, *high),
                    i64(g, *inner))  # fmt: skip
        g.expect(made, whole[cut])
    for type in (np.int32, np.int64):
        made = g.op("XlaDynamicSlice", g.input(x), g.input(type([1, 9])), i64(g, 2, 3))
        g.expect(made, x[1:3, 1:4])
        made = g.op("XlaDynamicUpdateSlice", g.input(x), g.input(F([[5, 6]])),
                    g.input(type([-4, 2])))  # fmt: skip
        wanted = x.copy()
        wanted[0, 2:4] = 5, 6
        g.expect(made, wanted)
    row = normal(3)
    made = g.op("XlaBroadcastHelper", g.input(x), g.input(row), i64(g, 0), outputs=2)
    g.expect(g.op("Add", *made), x + row[:, None], ulp=1)
    made = g.op("XlaBroadcastHelper", g.input(F(2)), g.input(x), i64(g), outputs=2)
    g.expect(g.op("Mul", *made), 2 * x)
    same = [g.op("XlaSharding", g.input(x), sharding=""),
            g.op("XlaOptimizationBarrier", g.input(x))]  # fmt: skip
    for made in same:
        g.expect(made, x)
    g.expect(g.op("XlaSetBound", g.input(np.int32(5)), g.constant(np.int32(9))), 5)
    part = g.op("XlaSetDynamicDimensionSize", g.input(x), g.constant(np.int32(1)),
                g.input(np.int32(2)))  # fmt: skip
    g.expect(part, x[:, :2])
    g.expect(g.op("Sum", part, g.constant(np.int32([0, 1]))), x[:, :2].sum(), rtol=1e-5)
    whole = g.op("XlaRemoveDynamicDimensionSize", part, g.constant(np.int32(1)))
    g.expect(g.op("Shape", whole), [3, 4])
    replica = g.op("AddV2", g.op("XlaReplicaId"), g.input(np.int32(1)))
    g.expect(replica, 1)
    return g


def sorts():
    g = Graph()
    x, y = random.permutation(24).reshape(4, 6).astype(F), np.arange(24).reshape(4, 6)
    g.expect(g.op("XlaSort", g.input(x)), np.sort(x))
    keys, values = g.op("XlaKeyValueSort", g.input(x), g.input(y), outputs=2)
    g.expect(keys, np.sort(x))
    g.expect(values, np.take_along_axis(y, np.argsort(x), 1))
    for op, dim, order in itertools.product(["Less", "Greater"], [0, 1], [(0, 1), (3, 2)]):
        names = ["a", "b", "c", "d"]
        node = f'name: "f" op: "{op}" input: "{names[order[0]]}" input: "{names[order[1]]}"'
        kinds = ["DT_FLOAT", "DT_FLOAT", "DT_INT64", "DT_INT64"]
        function = g.function(f"sort{op}{dim}{order[0]}",
                              [f"{n}: {k}" for n, k in zip(names, kinds)], "f:z:0", node,
                              out="DT_BOOL")  # fmt: skip
        made = g.op("XlaVariadicSort", g.input(x), g.input(y), g.constant(np.int32(dim)),
                    outputs=2, comparator=function, is_stable=True, T=[F, np.int64])  # fmt: skip
        key = y if order[0] == 3 else x
        descends = (op == "Greater") != (order[0] == 3)
        at = np.argsort(-key if descends else key, dim, kind="stable")
        g.expect(made[0], np.take_along_axis(x, at, dim))
        g.expect(made[1], np.take_along_axis(y, at, dim))
    return g


def gathered(x, starts, sizes, offsets, collapsed, map, dim):
    batch = np.moveaxis(starts, dim, -1) if dim < starts.ndim else starts[..., None]
    kept = [d for d in range(x.ndim) if d not in collapsed]
    rank = batch.ndim - 1 + len(offsets)
    order = [i for i in range(rank) if i not in offsets]
    shape = [0] * rank
    for i, d in zip(offsets, kept):
        shape[i] = sizes[d]
    for i, n in zip(order, batch.shape):
        shape[i] = n
    y = np.zeros(shape, x.dtype)
    for at in np.ndindex(*shape):
        start = np.zeros(x.ndim, int)
        for k, d in enumerate(map):
            vector = batch[tuple(at[i] for i in order)]
            start[d] = np.clip(vector[k], 0, x.shape[d] - sizes[d])
        for i, d in zip(offsets, kept):
            start[d] += at[i]
        y[at] = x[tuple(start)]
    return y


def gathers():
    g = Graph()
    cases = [
        ((5, 4), np.int32([3, 0, 9]), (1, 4), [1], [0], [0], 1),
        ((5, 4), np.int64([[1, 2], [4, 3]]), (2, 2), [1, 2], [], [0, 1], 1),
        ((3, 4, 5), np.int32([[0, 2, -1], [1, 3, 0]]), (1, 2, 5), [1, 2], [0], [1, 0], 0),
        ((3, 4, 5), np.int32([[0], [2]]), (3, 1, 2), [0, 2], [1], [2], 1),
        ((4,), np.int32(2), (2,), [0], [], [0], 0),
        ((2, 3), np.zeros((2, 0), np.int32), (2, 2), [1, 2], [], [], 1),
    ]
    for shape, starts, sizes, offsets, collapsed, map, dim in cases:
        x = normal(*shape)
        y = gathered(x, starts, sizes, offsets, collapsed, map, dim)
        made = g.op("XlaGather", g.input(x), g.input(starts), i64(g, *sizes),
                    dimension_numbers=message(f1=offsets, f2=collapsed, f3=map, f4=dim))  # fmt: skip
        g.expect(made, y)
    return g


FUNCTIONS = {"AddV2": np.add, "Mul": np.multiply, "Maximum": np.maximum, "Minimum": np.minimum}


def scatters():
    g = Graph()
    functions = {op: binary(g, f"scatter{op}", op) for op in FUNCTIONS}
    functions[""] = g.function("second", ["x: DT_FLOAT", "y: DT_FLOAT"], "y")
    cases = [
        ((5, 4), np.int32([3, 0, 9]), (3, 4), [1], [0], [0], 1),
        ((5, 4), np.int64([[1, 2], [4, 3], [0, 0]]), (3, 2, 2), [1, 2], [], [0, 1], 1),
        ((3, 4, 5), np.int32([[2, -1], [3, 0]]), (2, 2, 5), [1, 2], [0], [1, 0], 0),
        ((4,), np.int32([1, 1, 2]), (3,), [], [0], [0], 1),
    ]
    for (shape, starts, updates, windows, inserted, map, dim), op in itertools.product(
        cases, functions
    ):
        x, u = normal(*shape), normal(*updates)
        batch = np.moveaxis(starts, dim, -1) if dim < starts.ndim else starts[..., None]
        others = [i for i in range(u.ndim) if i not in windows]
        kept = [d for d in range(x.ndim) if d not in inserted]
        y = x.copy()
        for at in np.ndindex(*u.shape):
            vector = batch[tuple(at[i] for i in others)]
            first, place = np.zeros(x.ndim, int), np.zeros(x.ndim, int)
            size = np.ones(x.ndim, int)
            for k, d in enumerate(map):
                first[d] = vector[k]
            for i, d in zip(windows, kept):
                place[d], size[d] = at[i], u.shape[i]
            if np.all(first >= 0) and np.all(first + size <= x.shape):
                to = tuple(first + place)
                y[to] = FUNCTIONS[op](y[to], u[at]) if op else u[at]
        made = g.op("XlaScatter", g.input(x), g.input(starts), g.input(u),
                    update_computation=functions[op],
                    dimension_numbers=message(f1=windows, f2=inserted, f3=map, f4=dim))  # fmt: skip
        g.expect(made, y, ulp=1)
    return g


def reductions():
    g = Graph()
    # One function is one op, one is two, and one is of pairs.
    functions = {op: binary(g, f"reduce{op}", op) for op in FUNCTIONS}
    kind = 'attr { key: "T" value { type: DT_FLOAT } }'
    functions["far"] = g.function(
        "far", ["x: DT_FLOAT", "y: DT_FLOAT"], "m:z:0",
        f'name: "a" op: "Abs" input: "x" {kind}', f'name: "b" op: "Abs" input: "y" {kind}',
        f'name: "m" op: "Maximum" input: "a:y:0" input: "b:y:0" {kind}',
    )  # fmt: skip
    for (op, function), dims in itertools.product(functions.items(), [[0], [1, 2], [2, 0], []]):
        x, init = normal(3, 4, 5), F(0.5)
        x.flat[0] = 1.25
        axes = tuple(dims)
        if op == "far":
            y = np.maximum(np.abs(x).max(axes) if dims else x, init)
            y = np.abs(y) if dims else np.maximum(np.abs(x), init)
        else:
            y = FUNCTIONS[op](FUNCTIONS[op].reduce(x.astype(np.float64), axes or ()), init)
        made = g.op("XlaReduce", g.input(x), g.input(init), dimensions_to_reduce=dims,
                    reducer=function)  # fmt: skip
        g.expect(made, y, rtol=1e-5, atol=1e-5)
    empty = g.op("XlaReduce", g.input(np.zeros((2, 0), F)), g.input(F(3)),
                 dimensions_to_reduce=[1], reducer=functions["AddV2"])  # fmt: skip
    g.expect(empty, [3.0, 3.0])
    every = binary(g, "every", "LogicalAnd", "DT_BOOL")
    booleans = np.bool_([[1, 1, 0], [1, 1, 1]])
    made = g.op("XlaReduce", g.input(booleans), g.input(np.bool_(1)), dimensions_to_reduce=[1],
                reducer=every)  # fmt: skip
    g.expect(made, [False, True])
    return g


def pairs():
    """The maximum and its index; both operands move together."""
    g = Graph()
    node = 'name: "{}" op: "{}" {} attr {{ key: "T" value {{ type: {} }} }}'
    more = node.format("c", "GreaterEqual", 'input: "x" input: "z"', "DT_FLOAT")
    value = node.format("v", "SelectV2", 'input: "c:z:0" input: "x" input: "z"', "DT_FLOAT")
    place = node.format("p", "SelectV2", 'input: "c:z:0" input: "i" input: "j"', "DT_INT32")
    arguments = [("x", "DT_FLOAT"), ("i", "DT_INT32"), ("z", "DT_FLOAT"), ("j", "DT_INT32")]
    signature = " ".join(f'input_arg {{ name: "{n}" type: {k} }}' for n, k in arguments)
    g.functions.append(
        f'signature {{ name: "best" {signature}'
        ' output_arg { name: "v" type: DT_FLOAT } output_arg { name: "p" type: DT_INT32 } }'
        + " ".join(f"node_def {{ {n} }}" for n in (more, value, place))
        + ' ret { key: "v" value: "v:output:0" } ret { key: "p" value: "p:output:0" }'
    )
    best = Text('func { name: "best" }')
    x = random.permutation(35).reshape(5, 7).astype(F)
    places = np.int32(np.broadcast_to(np.arange(7), (5, 7)))
    for op in ("XlaVariadicReduce", "XlaVariadicReduceV2"):
        made = g.op(op, g.input(x), g.input(places), g.input(F(-1)), g.input(np.int32(-1)),
                    outputs=2, dimensions_to_reduce=[1], reducer=best)  # fmt: skip
        g.expect(made[0], x.max(1))
        g.expect(made[1], x.argmax(1))
    return g


def windows():
    g = Graph()
    functions = {op: binary(g, f"window{op}", op) for op in FUNCTIONS}
    for op, (size, stride, gaps, dilation, low, high) in itertools.product(
        functions,
        [((3, 2), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),
         ((2, 7), (2, 3), (1, 1), (1, 1), (1, 5), (0, 2)),
         ((2, 3), (1, 2), (2, 1), (2, 2), (0, -1), (1, 1))],
    ):  # fmt: skip
        x, init = normal(5, 8), F(FUNCTIONS[op].identity or {"Maximum": -9, "Minimum": 9}.get(op, 0))
        shape = [(n - 1) * d + 1 for n, d in zip(x.shape, gaps)]
        whole = np.full(shape, init, np.float64)
        whole[:: gaps[0], :: gaps[1]] = x
        whole = np.pad(whole, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)],
                       constant_values=init)[max(-low[0], 0) :, max(-low[1], 0) :]  # fmt: skip
        out = [(n - (s - 1) * d - 1) // t + 1
               for n, s, d, t in zip(whole.shape, size, dilation, stride)]  # fmt: skip
        y = np.zeros(out)
        for i, j in np.ndindex(*out):
            rows = i * stride[0] + np.arange(size[0]) * dilation[0]
            columns = j * stride[1] + np.arange(size[1]) * dilation[1]
            y[i, j] = FUNCTIONS[op].reduce(whole[np.ix_(rows, columns)], None)
        made = g.op("XlaReduceWindow", g.input(x), g.input(init), i64(g, *size),
                    i64(g, *stride), i64(g, *gaps), i64(g, *dilation),
                    g.constant(np.int64(list(zip(low, high)))), computation=functions[op])
        g.expect(made, FUNCTIONS[op](y, init), rtol=1e-4, atol=1e-4)
    return g


def selections():
    g = Graph()
    select = binary(g, "select", "GreaterEqual", out="DT_BOOL")
    add = binary(g, "scatter", "AddV2")
    x = random.permutation(48).reshape(1, 6, 8, 1).astype(F) - 60
    low, high, size, stride = (1, 0), (0, 1), (3, 2), (2, 3)
    out = [(x.shape[1 + i] + low[i] + high[i] - size[i]) // stride[i] + 1 for i in (0, 1)]
    source, y = normal(1, *out, 1), np.full(x.shape, 0.5)
    for i, j in np.ndindex(*out):
        places = [(0, r, c, 0) for r in range(i * stride[0] - low[0], i * stride[0] - low[0] + 3)
                  for c in range(j * stride[1] - low[1], j * stride[1] - low[1] + 2)
                  if 0 <= r < 6 and 0 <= c < 8]  # fmt: skip
        y[max(places, key=lambda p: x[p])] += source[0, i, j, 0]
    made = g.op("XlaSelectAndScatter", g.input(x), i64(g, 1, *size, 1), i64(g, 1, *stride, 1),
                g.constant(np.int64([[0, 0], [1, 0], [0, 1], [0, 0]])), g.input(source),
                g.input(F(0.5)), select=select, scatter=add)  # fmt: skip
    g.expect(made, y, rtol=1e-5)
    return g


def branches():
    g = Graph()
    kind = 'attr { key: "T" value { type: DT_FLOAT } }'
    up = g.function("up", ["x: DT_FLOAT"], "f:y:0", f'name: "f" op: "Exp" input: "x" {kind}')
    down = g.function("down", ["x: DT_FLOAT"], "f:y:0", f'name: "f" op: "Neg" input: "x" {kind}')
    x = normal(3)
    for choice in (True, False):
        made = g.op("XlaIf", g.input(np.bool_(choice)), g.input(x), then_branch=up,
                    else_branch=down, Tin=[F], Tout=[F])  # fmt: skip
        g.expect(made, np.exp(x.astype(np.float64)) if choice else -x, ulp=2)
    ten = 'name: "c" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT ' \
          'tensor_shape { } float_val: 10 } } } attr { key: "dtype" value { type: DT_FLOAT } }'
    less = g.function("less", ["x: DT_FLOAT"], "f:z:0", ten,
                      f'name: "f" op: "Less" input: "x" input: "c:output:0" {kind}',
                      out="DT_BOOL")  # fmt: skip
    twice = g.function("twice", ["x: DT_FLOAT"], "f:z:0",
                       f'name: "f" op: "Add" input: "x" input: "x" {kind}')  # fmt: skip
    made = g.op("XlaWhile", g.input(F(0.75)), cond=less, body=twice, T=[F])
    g.expect(made, 12.0)
    return g


if __name__ == "__main__":
    main(dots, convolutions, moves, sorts, gathers, scatters, reductions, pairs, windows,
         selections, branches)  # fmt: skip
