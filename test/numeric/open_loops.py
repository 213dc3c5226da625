"""Tests recurrent layers, lists, arrays and loops with a dynamic batch or length: one library
each, run at several sizes, against the same steps in NumPy."""

import numpy as np
from harness import main
from sized import Sized, frame, loop

F, I = np.float32, np.int32
FLOAT, INT, LIST = "DT_FLOAT", "DT_INT32", "DT_VARIANT"
near = dict(rtol=1e-5, atol=1e-5)
rng = np.random.default_rng(3)


def weights(*shape):
    return rng.standard_normal(shape).astype(F)


def sequence(batch, length, width):
    """The same values in every call."""
    return np.random.default_rng(batch * 100 + length).standard_normal((batch, length, width)).astype(F)


def size_of(g, x, dim):
    at = g.constant(I([dim]))
    return g.op("StridedSlice", g.op("Shape", x, T=F, out_type=I), at, g.constant(I([dim + 1])),
                g.constant(I([1])), shrink_axis_mask=1, T=I, Index=I)  # fmt: skip


def sigmoid(x):
    return 1 / (1 + np.exp(-np.float64(x)))


def steps(g, name, x, units, states, cell, length=None, reverse=False):
    """A recurrent layer in Keras's form: a While over lists of the steps of x, [length, batch,
    ...], from states of zeros. `cell` gets a Body, the step and the states. Returns all outputs,
    [length, batch, units], and the last states."""
    width, batch = x.width, size_of(g, x, 1)
    count = size_of(g, x, 0) if length is None else g.constant(I(length))
    zeros = g.op("Fill", g.op("Pack", batch, g.constant(I(units)), N=2, axis=0), g.constant(F(0)))
    if reverse:
        x = g.op("ReverseV2", x, g.constant(I([0])), Tidx=I)
    shape = g.constant(I([-1, units]))
    variables = {
        "t": (g.constant(I(0)), INT),
        "n": (count, INT),
        "y": (g.op("TensorListReserve", shape, count, element_dtype=F, shape_type=I), LIST),
        "x": (g.op("TensorListFromTensor", x, g.constant(I([-1, width])), element_dtype=F, shape_type=I), LIST),
    } | {f"h{i}": (zeros, FLOAT) for i in range(states)}

    def step(f, v):
        item = f.op("TensorListGetItem", v["x"], v["t"], I([-1, width]), result="item", element_dtype=F)
        after = cell(f, item, [v[f"h{i}"] for i in range(states)])
        y = f.op("TensorListSetItem", v["y"], v["t"], after[0], result="output_handle", element_dtype=F)
        return {"t": f.op("AddV2", v["t"], I(1)), "y": y} | {f"h{i}": h for i, h in enumerate(after)}

    made = loop(g, name, variables, lambda f, v: f.op("Less", v["t"], v["n"]), step)
    y = g.op("TensorListStack", made["y"], shape, element_dtype=F, num_elements=-1 if length is None else length)
    return y, [made[f"h{i}"] for i in range(states)]


def transposed(g, x, width=None):
    y = g.op("Transpose", x, g.constant(I([1, 0, 2])), Tperm=I)
    y.width = width
    return y


def simple(w, u):
    def cell(f, x, h):
        return [f.op("Tanh", f.op("AddV2", f.op("MatMul", x, w, T=F), f.op("MatMul", h[0], u, T=F)))]

    def reference(x, h):
        return [np.tanh(x @ np.float64(w) + h[0] @ np.float64(u))]

    return cell, reference


def lstm(w, u, b, units):
    def cell(f, x, h):
        z = f.op("BiasAdd", f.op("AddV2", f.op("MatMul", x, w, T=F), f.op("MatMul", h[0], u, T=F)), b)
        split = f.op("Split", I(1), z, result="output", num_split=4)
        i, forget, c, o = (split.removesuffix(":0") + f":{k}" for k in range(4))
        state = f.op("AddV2", f.op("Mul", f.op("Sigmoid", forget), h[1]),
                     f.op("Mul", f.op("Sigmoid", i), f.op("Tanh", c)))  # fmt: skip
        return [f.op("Mul", f.op("Sigmoid", o), f.op("Tanh", state)), state]

    def reference(x, h):
        i, forget, c, o = np.split(x @ np.float64(w) + h[0] @ np.float64(u) + b, 4, axis=1)
        state = sigmoid(forget) * h[1] + sigmoid(i) * np.tanh(c)
        return [sigmoid(o) * np.tanh(state), state]

    return cell, reference


def gru(w, u, b, units):
    def cell(f, x, h):
        split = lambda a: [f.op("Split", I(1), a, result="output", num_split=3).removesuffix(":0") + f":{k}" for k in range(3)]
        xz, xr, xh = split(f.op("BiasAdd", f.op("MatMul", x, w, T=F), b))
        hz, hr, hh = split(f.op("MatMul", h[0], u, T=F))
        z, r = f.op("Sigmoid", f.op("AddV2", xz, hz)), f.op("Sigmoid", f.op("AddV2", xr, hr))
        new = f.op("Tanh", f.op("AddV2", xh, f.op("Mul", r, hh)))
        return [f.op("AddV2", f.op("Mul", z, h[0]), f.op("Mul", f.op("Sub", F(1), z), new))]

    def reference(x, h):
        (xz, xr, xh), (hz, hr, hh) = np.split(x @ np.float64(w) + b, 3, axis=1), np.split(h[0] @ np.float64(u), 3, axis=1)
        z, r = sigmoid(xz + hz), sigmoid(xr + hr)
        return [z * h[0] + (1 - z) * np.tanh(xh + r * hh)]

    return cell, reference


def recurrent(cell, x, units, states, reverse=False):
    h = [np.zeros((len(x), units))] * states
    rows = []
    for t in reversed(range(x.shape[1])) if reverse else range(x.shape[1]):
        h = cell(np.float64(x[:, t]), h)
        rows.append(h[0])
    return np.stack(rows, 1), h


CELLS = {
    "simple": (simple(weights(3, 4), weights(4, 4)), 1),
    "lstm": (lstm(weights(3, 16), weights(4, 16), weights(16), 4), 2),
    "gru": (gru(weights(3, 12), weights(4, 12), weights(12), 4), 1),
}


def dynamic_batch():
    g = Sized([(1,), (2,), (5,), (32,)], batch=(1, 32))
    make = lambda batch: sequence(batch, 5, 3)
    x = transposed(g, g.open(make, ("batch", 5, 3)), 3)
    for name, ((cell, reference), states) in CELLS.items():
        for reverse in (False, True):
            y, last = steps(g, f"{name}{reverse}", x, 4, states, cell, 5, reverse)
            run = lambda n, reference=reference, states=states, reverse=reverse: recurrent(reference, make(n), 4, states, reverse)
            g.expect(transposed(g, y), lambda n, run=run: run(n)[0], **near)
            for i, h in enumerate(last):
                g.expect(g.op("Identity", h, T=F), lambda n, run=run, i=i: run(n)[1][i], **near)
    return g


def dynamic_length():
    """Batch and length are dynamic: the length of lists is known only at run time."""
    g = Sized([(1, 1), (2, 7), (5, 3), (8, 16)], batch=(1, 8), length=(1, 16))
    make = lambda batch, length: sequence(batch, length, 3)
    x = transposed(g, g.open(make, ("batch", "length", 3)), 3)
    for name, ((cell, reference), states) in CELLS.items():
        y, last = steps(g, name, x, 4, states, cell)
        run = lambda *n, reference=reference, states=states: recurrent(reference, make(*n), 4, states)
        g.expect(transposed(g, y), lambda *n, run=run: run(*n)[0], **near)
        g.expect(g.op("Identity", last[0], T=F), lambda *n, run=run: run(*n)[1][0], **near)
    return g


def bidirectional():
    """Two directions are joined, with a layer above them."""
    g = Sized([(1, 1), (3, 6), (4, 9)], batch=(1, 4), length=(1, 9))
    make = lambda batch, length: sequence(batch, length, 3)
    x = transposed(g, g.open(make, ("batch", "length", 3)), 3)
    (cell, reference), states = CELLS["lstm"]
    there, _ = steps(g, "there", x, 4, states, cell)
    back, _ = steps(g, "back", x, 4, states, cell, reverse=True)
    back = g.op("ReverseV2", back, g.constant(I([0])), Tidx=I)
    both = g.op("ConcatV2", there, back, g.constant(I(2)), N=2, Tidx=I)
    both.width = 8
    above, over = gru(weights(8, 12), weights(4, 12), weights(12), 4)
    y, _ = steps(g, "above", both, 4, 1, above)

    def wanted(*n):
        a, b = (recurrent(reference, make(*n), 4, states, way)[0] for way in (False, True))
        return recurrent(over, np.concatenate([a, b[:, ::-1]], 2), 4, 1)[0]

    g.expect(transposed(g, y), wanted, **near)
    return g


def masked():
    """A step with a masked row keeps its state."""
    g = Sized([(1, 1), (3, 6), (4, 9)], batch=(1, 4), length=(1, 9))
    make = lambda batch, length: np.where(np.arange(length)[:, None] % 3 == 2, 0, sequence(batch, length, 3)).astype(F)
    x = transposed(g, g.open(make, ("batch", "length", 3)), 3)
    (cell, reference), _ = CELLS["simple"]

    def keeping(f, item, h):
        seen = f.op("Any", f.op("NotEqual", item, F(0)), I([-1]), keep_dims=True)
        return [f.op("SelectV2", f.op("Tile", seen, I([1, 4])), cell(f, item, h)[0], h[0])]

    def over(item, h):
        return [np.where((item != 0).any(1, keepdims=True), reference(item, h)[0], h[0])]

    y, _ = steps(g, "masked", x, 4, 1, keeping)
    g.expect(transposed(g, y), lambda *n: recurrent(over, make(*n), 4, 1)[0], **near)
    return g


def grown():
    """A loop pushes to lists and pops from them, and their length is dynamic."""
    g = Sized([(1, 1), (5, 2), (8, 3)], length=(1, 8), batch=(1, 3))
    make = lambda length, batch: sequence(batch, length, 2)[:, :, 0].T
    x = g.open(make, ("length", "batch"))
    n, any = size_of(g, x, 0), g.constant(I([-1]))
    for name, most in (("unbounded", -1), ("bounded", 8)):
        empty = g.op("EmptyTensorList", any, g.constant(I(most)), element_dtype=F, shape_type=I)
        variables = {"t": (g.constant(I(0)), INT), "n": (n, INT), "x": (x, FLOAT), "l": (empty, LIST)}

        def push(f, v):
            row = f.op("GatherV2", v["x"], v["t"], I(0))
            pushed = f.op("TensorListPushBack", v["l"], f.op("Neg", row), result="output_handle", element_dtype=F)
            return {"t": f.op("AddV2", v["t"], I(1)), "l": pushed}

        made = loop(g, f"push{name}", variables, lambda f, v: f.op("Less", v["t"], v["n"]), push)
        g.expect(g.op("TensorListStack", made["l"], any, element_dtype=F), lambda *n: -make(*n))
        g.expect(g.op("AddV2", g.op("TensorListLength", made["l"]), g.input(I(0))), lambda length, _: length)
        variables = {"t": (g.constant(I(0)), INT), "n": (n, INT), "l": (made["l"], LIST),
                     "s": (g.op("ZerosLike", g.op("GatherV2", x, g.constant(I(0)), g.constant(I(0)))), FLOAT)}

        def pop(f, v):
            rest, row = f.op("TensorListPopBack", v["l"], I([-1]), result=("output_handle", "tensor"), element_dtype=F)
            return {"t": f.op("AddV2", v["t"], I(1)), "l": rest, "s": f.op("Sub", f.op("Mul", v["s"], F(2)), row)}

        made = loop(g, f"pop{name}", variables, lambda f, v: f.op("Less", v["t"], v["n"]), pop)
        wanted = lambda length, batch: sum(make(length, batch)[t] * 2.0**t for t in range(length))
        g.expect(g.op("Identity", made["s"], T=F), wanted, **near)
        g.expect(g.op("AddV2", g.op("TensorListLength", made["l"]), g.input(I(0))), 0)
    return g


def lists():
    """Every op of lists, outside of loops."""
    g = Sized([(1, 1), (5, 2), (8, 3)], length=(1, 8), batch=(1, 3))
    make = lambda length, batch: sequence(batch, length, 2).transpose(1, 0, 2)
    x = g.open(make, ("length", "batch", 2))
    n, any, shape = size_of(g, x, 0), g.constant(I([-1])), g.constant(I([-1, 2]))
    of, one = dict(element_dtype=F), g.constant(I(1))
    rows = g.op("TensorListFromTensor", x, shape, shape_type=I, **of)
    stack = lambda l: g.op("TensorListStack", l, shape, **of)
    zero = g.input(I(0))
    g.expect(stack(rows), make)
    g.expect(g.op("AddV2", g.op("TensorListLength", rows), zero), lambda length, _: length)
    g.expect(g.op("AddV2", g.op("TensorListElementShape", rows, shape_type=I), zero), lambda _, batch: [batch, 2])
    g.expect(g.op("TensorListGetItem", rows, zero, shape, **of), lambda *n: make(*n)[0])
    last = g.op("Sub", n, one)
    replaced = g.op("TensorListSetItem", rows, last, g.op("TensorListGetItem", rows, zero, shape, **of), **of)
    g.expect(stack(replaced), lambda *n: np.concatenate([make(*n)[:-1], make(*n)[:1]]))
    pushed = g.op("TensorListPushBack", rows, g.op("Neg", g.op("GatherV2", x, zero, g.constant(I(0)))), **of)
    g.expect(stack(pushed), lambda *n: np.concatenate([make(*n), -make(*n)[:1]]))
    rest, item = g.op("TensorListPopBack", pushed, shape, outputs=2, **of)
    g.expect(item, lambda *n: -make(*n)[0])
    g.expect(stack(rest), make)
    longer = g.op("TensorListResize", rest, g.op("AddV2", n, one))
    g.expect(stack(longer), lambda *n: np.concatenate([make(*n), 0 * make(*n)[:1]]))
    g.expect(stack(g.op("TensorListResize", longer, last)), lambda *n: make(*n)[:-1])
    joined, lengths = g.op("TensorListConcatV2", rows, shape, g.constant(np.int64([])), outputs=2, **of)
    g.expect(joined, lambda *n: make(*n).reshape(-1, 2))
    g.expect(lengths, lambda length, batch: [batch] * length)
    order = g.op("Range", last, g.constant(I(-1)), g.constant(I(-1)))
    g.expect(g.op("TensorListGather", rows, order, shape, **of), lambda *n: make(*n)[::-1])
    g.expect(g.op("TensorListGather", rows, g.constant(I([0, 0])), shape, **of), lambda *n: make(*n)[[0, 0]])
    for scattered in (g.op("TensorListScatter", x, order, shape, shape_type=I, **of),
                      g.op("TensorListScatterV2", x, order, shape, n, shape_type=I, **of),
                      g.op("TensorListScatterV2", x, order, shape, g.constant(I(-1)), shape_type=I, **of),
                      g.op("TensorListScatterIntoExistingList", rows, x, order, **of)):  # fmt: skip
        g.expect(stack(scattered), lambda *n: make(*n)[::-1])
    turned = g.op("Transpose", x, g.constant(I([1, 0, 2])), Tperm=I)
    flat = g.op("Reshape", g.op("Tile", x, g.constant(I([2, 1, 1]))), g.constant(I([-1, 2])))
    half = g.op("Mul", n, size_of(g, turned, 0))
    split = g.op("TensorListSplit", flat, shape, g.op("Pack", half, half, N=2, axis=0), shape_type=I, **of)
    g.expect(stack(split), lambda *n: np.stack([make(*n).reshape(-1, 2)] * 2))
    reserved = g.op("TensorListReserve", g.op("Pack", size_of(g, turned, 0), g.constant(I(2)), N=2, axis=0), n,
                    shape_type=I, **of)  # fmt: skip
    g.expect(stack(reserved), lambda *n: 0 * make(*n))
    return g


def arrays():
    """tf.map_fn of the first version: arrays and frames of a dynamic length."""
    g = Sized([(1, 1), (5, 2), (8, 3)], length=(1, 8), batch=(1, 3))
    make = lambda length, batch: sequence(batch, length, 2).transpose(1, 0, 2)
    x = g.open(make, ("length", "batch", 2))
    n, zero, one = size_of(g, x, 0), g.constant(I(0)), g.constant(I(1))
    for name, grows in (("fixed", False), ("grows", True)):
        count = zero if grows else n
        handle, flow = g.op("TensorArrayV3", n, outputs=2, dtype=F)
        flow = g.op("TensorArrayScatterV3", handle, g.op("Range", zero, n, one), x, flow, T=F)
        other, out = g.op("TensorArrayV3", count, outputs=2, dtype=F, dynamic_size=grows)

        def step(v):
            row = g.op("TensorArrayReadV3", v["handle"], v["i"], v["flow"], dtype=F)
            written = g.op("TensorArrayWriteV3", v["other"], v["i"], g.op("Square", row), v["out"], T=F)
            return {"i": g.op("AddV2", v["i"], v["one"]), "out": written}

        made = frame(g, name, {"i": zero, "out": out},
                     {"n": n, "one": one, "handle": handle, "flow": flow, "other": other},
                     lambda v: g.op("Less", v["i"], v["n"]), step)  # fmt: skip
        size = g.op("TensorArraySizeV3", other, made["out"])
        g.expect(g.op("AddV2", size, g.input(I(0))), lambda length, _: length)
        all = g.op("Range", zero, size, one)
        g.expect(g.op("TensorArrayGatherV3", other, all, made["out"], dtype=F), lambda *n: make(*n) ** 2)
        last = g.op("Sub", n, one)
        g.expect(g.op("TensorArrayReadV3", other, last, made["out"], dtype=F), lambda *n: make(*n)[-1] ** 2)
        joined, _ = g.op("TensorArrayConcatV3", other, made["out"], outputs=2, dtype=F)
        g.expect(joined, lambda *n: (make(*n) ** 2).reshape(-1, 2))
    return g


def scanned():
    """A prefix sum of the rows is written to a list of a dynamic length; another tensor grows by a
    row in each step."""
    g = Sized([(1, 1), (5, 2), (8, 3)], length=(1, 8), batch=(1, 3))
    make = lambda length, batch: sequence(batch, length, 2)[:, :, 0].T
    x = g.open(make, ("length", "batch"))
    n, any = size_of(g, x, 0), g.constant(I([-1]))
    first = g.op("ZerosLike", g.op("GatherV2", x, g.constant(I(0)), g.constant(I(0))))
    variables = {
        "t": (g.constant(I(0)), INT), "n": (n, INT), "x": (x, FLOAT), "s": (first, FLOAT),
        "l": (g.op("TensorListReserve", any, n, element_dtype=F, shape_type=I), LIST),
        "a": (g.op("ExpandDims", first, g.constant(I(0))), FLOAT),
    }  # fmt: skip

    def step(f, v):
        s = f.op("AddV2", v["s"], f.op("GatherV2", v["x"], v["t"], I(0)))
        l = f.op("TensorListSetItem", v["l"], v["t"], s, result="output_handle", element_dtype=F)
        a = f.op("ConcatV2", v["a"], f.op("ExpandDims", s, I(0)), I(0), N=2)
        return {"t": f.op("AddV2", v["t"], I(1)), "s": s, "l": l, "a": a}

    made = loop(g, "scan", variables, lambda f, v: f.op("Less", v["t"], v["n"]), step)
    sums = lambda *n: np.cumsum(make(*n).astype(np.float64), 0)
    g.expect(g.op("TensorListStack", made["l"], any, element_dtype=F), sums, **near)
    g.expect(g.op("Identity", made["a"], T=F), lambda *n: np.concatenate([0 * sums(*n)[:1], sums(*n)]), **near)
    return g


if __name__ == "__main__":
    main(dynamic_batch, dynamic_length, bidirectional, masked, grown, lists, arrays, scanned)
