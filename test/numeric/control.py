"""Tests branches, loops and calls of both versions, with their lists and arrays, against the same
steps in NumPy."""

import itertools

import numpy as np
from harness import Graph, Tensor, Text, main

F, I = np.float32, np.int32
KIND = 'attr { key: "T" value { type: DT_FLOAT } }'


def after(tensor):
    """A control edge."""
    return Tensor(["^" + name.split(":")[0] for name in tensor.names])


def unary(g, name, op):
    node = f'name: "f" op: "{op}" input: "x" {KIND}'
    return g.function(name, ["x: DT_FLOAT"], "f:y:0", node)


def functions():
    g = Graph()
    x = F([0.5, -2, 3])
    ways = {"neg": ("Neg", -x), "abs": ("Abs", np.abs(x)), "square": ("Square", x * x)}
    made = {name: unary(g, name, op) for name, (op, _) in ways.items()}
    for op, choice in itertools.product(("If", "StatelessIf"), (True, False)):
        for condition in (np.bool_(choice), I(7 * choice), F(choice)):
            y = g.op(op, g.input(condition), g.input(x), then_branch=made["neg"],
                     else_branch=made["abs"], Tin=[F], Tout=[F])  # fmt: skip
            g.expect(y, -x if choice else np.abs(x))
    branches = Text('list { func { name: "neg" } func { name: "abs" } func { name: "square" } }')
    for op, index in itertools.product(("Case", "StatelessCase"), (-1, 0, 1, 2, 3)):
        y = g.op(op, g.input(I(index)), g.input(x), branches=branches, Tin=[F], Tout=[F])
        g.expect(y, ways[list(ways)[index if 0 <= index < 3 else 2]][1])
    for op in ("PartitionedCall", "StatefulPartitionedCall"):
        y = g.op(op, g.input(x), f=made["square"], Tin=[F], Tout=[F])
        g.expect(y, x * x)
        y = g.op(op, g.input(np.zeros((0, 2), F)), f=made["neg"], Tin=[F], Tout=[F])
        g.expect(y, np.zeros((0, 2)))
    ten = 'name: "c" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT ' \
          'tensor_shape { } float_val: 10 } } } attr { key: "dtype" value { type: DT_FLOAT } }'
    less = g.function("less", ["x: DT_FLOAT"], "f:z:0", ten,
                      f'name: "f" op: "Less" input: "x" input: "c:output:0" {KIND}',
                      out="DT_BOOL")  # fmt: skip
    twice = g.function("twice", ["x: DT_FLOAT"], "f:z:0",
                       f'name: "f" op: "Add" input: "x" input: "x" {KIND}')  # fmt: skip
    for op, start in itertools.product(("While", "StatelessWhile"), (0.75, 10, 64)):
        y = g.op(op, g.input(F(start)), cond=less, body=twice, T=[F])
        while start < 10:
            start *= 2
        g.expect(y, start)
    return g


def switches():
    g = Graph()
    x = F([1, -2, 3])
    for prefix, choice in itertools.product(("", "Ref"), (True, False)):
        no, yes = g.op(prefix + "Switch", g.input(x), g.input(np.bool_(choice)), outputs=2, T=F)
        y = g.op(prefix + "Merge", g.op("Neg", no), g.op("Square", yes), outputs=2, N=2, T=F)
        g.expect(y[0], x * x if choice else -x)
        g.expect(y[1], int(choice))
    return g


def frames():
    """The sum of x^k for k below n, as a loop of the first version."""
    g = Graph()
    for prefix, n in itertools.product(("", "Ref"), (0, 1, 5)):
        frame = f"{prefix}frame{n}"
        enter = dict(frame_name=frame, is_constant=False)
        # Each variant has a frame of its own; loops are closed after them.
        names = [g.name("loop") for _ in range(6)]
        x, limit, zero, one = (g.input(v) for v in (F([0.5, 2]), I(n), I(0), I(1)))
        for v, suffix in enumerate(("", "c")):
            k, total, power, m, by, step = (name + suffix for name in names)
            a = {key: Graph.attribute(value) for key, value in enter.items()}
            a["frame_name"] = f's: "{frame}{suffix}"'
            fixed = {**a, "is_constant": "b: true"}
            kinds = {"k": (zero.names[v], a), "t": (None, a), "p": (None, a),
                     "m": (limit.names[v], fixed), "x": (x.names[v], fixed),
                     "o": (one.names[v], fixed)}  # fmt: skip
            g.node(f"{k}zeros", "ZerosLike", [x.names[v]], {"T": "type: DT_FLOAT"})
            g.node(f"{k}ones", "OnesLike", [x.names[v]], {"T": "type: DT_FLOAT"})
            for letter, (name, how) in kinds.items():
                name = name or (f"{k}zeros" if letter == "t" else f"{k}ones")
                g.node(f"{k}in{letter}", prefix + "Enter", [name], how)
            for letter in "ktp":
                g.node(f"{k}merge{letter}", prefix + "Merge",
                       [f"{k}in{letter}", f"{k}next{letter}"], {"N": "i: 2"})  # fmt: skip
            g.node(f"{k}less", "Less", [f"{k}mergek", f"{k}inm"], {})
            g.node(f"{k}again", "LoopCond", [f"{k}less"], {})
            for letter in "ktp":
                g.node(f"{k}sw{letter}", prefix + "Switch", [f"{k}merge{letter}", f"{k}again"], {})
            g.node(f"{k}addk", "Add", [f"{k}swk:1", f"{k}ino"], {})
            g.node(f"{k}addt", "Add", [f"{k}swt:1", f"{k}swp:1"], {})
            g.node(f"{k}addp", "Mul", [f"{k}swp:1", f"{k}inx"], {})
            for letter in "ktp":
                g.node(f"{k}next{letter}", prefix + "NextIteration", [f"{k}add{letter}"], {})
                g.node(f"{k}exit{letter}", prefix + "Exit", [f"{k}sw{letter}"], {})
        made = Tensor([names[0] + s + "exitt" for s in ("", "c")])
        g.used += [(prefix + op, {"f32", "i32"})
                   for op in ("Enter", "Merge", "Switch", "NextIteration", "Exit")]  # fmt: skip
        g.used.append(("LoopCond", {"bool"}))
        g.expect(made, sum((F([0.5, 2]) ** k for k in range(n)), np.zeros(2)), ulp=1)
    return g


def lists():
    g = Graph()
    x = F(np.arange(12).reshape(4, 3))
    rows, shape, any = g.input(x), g.constant(I([3])), g.constant(I([-1]))
    at = [g.constant(I(i)) for i in range(5)]
    made = g.op("TensorListReserve", shape, at[4], element_dtype=F, shape_type=I)
    for i in range(4):
        row = g.op("GatherV2", rows, at[i], at[0])
        made = g.op("TensorListSetItem", made, at[i], row, element_dtype=F)
    g.expect(g.op("TensorListStack", made, shape, element_dtype=F, num_elements=4), x)
    g.expect(g.op("TensorListGetItem", made, g.input(I(2)), shape, element_dtype=F), x[2])
    picked = g.op("TensorListGather", made, g.input(I([3, 0])), shape, element_dtype=F)
    g.expect(picked, x[[3, 0]])
    length = g.op("TensorListLength", made)
    g.expect(g.op("AddV2", length, g.input(I(0))), 4)
    size = g.op("TensorListElementShape", made, shape_type=I)
    g.expect(g.op("AddV2", size, g.input(I(0))), [3])
    for count in (2, 6):
        other = g.op("TensorListResize", made, g.constant(I(count)))
        wanted = np.zeros((count, 3))
        wanted[: min(4, count)] = x[: min(4, count)]
        g.expect(g.op("TensorListStack", other, any, element_dtype=F), wanted)
    empty = g.op("EmptyTensorList", any, at[4], element_dtype=F, shape_type=I)
    one = g.op("TensorListPushBack", empty, rows, element_dtype=F)
    two = g.op("TensorListPushBack", one, g.input(x + 1), element_dtype=F)
    rest, last = g.op("TensorListPopBack", two, any, outputs=2, element_dtype=F)
    g.expect(last, x + 1)
    g.expect(g.op("TensorListStack", rest, any, element_dtype=F), x[None])
    leading = g.constant(np.int64([]))
    joined = np.concatenate([x, x + 1])
    for op, more in (("TensorListConcat", ()), ("TensorListConcatV2", (any, leading))):
        made, lengths = g.op(op, two, *more, outputs=2, element_dtype=F)
        g.expect(made, joined)
        g.expect(lengths, [4, 4])
    back = g.op("TensorListFromTensor", rows, shape, element_dtype=F)
    g.expect(g.op("TensorListStack", back, any, element_dtype=F), x)
    return g


def arrays():
    g = Graph()
    x = F(np.arange(12).reshape(4, 3))
    rows = g.input(x)
    at = [g.constant(I(i)) for i in range(5)]
    all = g.constant(I([0, 1, 2, 3]))
    handle, flow = g.op("TensorArrayV3", at[4], outputs=2, dtype=F)
    for i in range(4):
        row = g.op("GatherV2", rows, at[3 - i], at[0])
        flow = g.op("TensorArrayWriteV3", handle, at[i], row, flow, T=F)
    g.expect(g.op("TensorArrayGatherV3", handle, all, flow, dtype=F), x[::-1])
    g.expect(g.op("TensorArrayReadV3", handle, g.input(I(1)), flow, dtype=F), x[2])
    size = g.op("TensorArraySizeV3", handle, flow)
    g.expect(g.op("AddV2", size, g.input(I(0))), 4)
    handle, flow = g.op("TensorArrayV3", at[4], outputs=2, dtype=F)
    flow = g.op("TensorArrayScatterV3", handle, all, rows, flow, T=F)
    g.expect(g.op("TensorArrayGatherV3", handle, g.constant(I([2, 0])), flow, dtype=F), x[[2, 0]])
    g.op("TensorArrayCloseV3", handle)
    handle, flow = g.op("TensorArrayV3", at[2], outputs=2, dtype=F)
    flow = g.op("TensorArraySplitV3", handle, rows, g.constant(np.int64([2, 2])), flow, T=F)
    g.expect(g.op("TensorArrayReadV3", handle, at[1], flow, dtype=F), x[2:])
    whole, lengths = g.op("TensorArrayConcatV3", handle, flow, outputs=2, dtype=F)
    g.expect(whole, x)
    g.expect(lengths, [2, 2])
    return g


def handed_on():
    g = Graph()
    shape = Text("shape { dim { size: -1 } dim { size: 2 } }")
    for value in (F([[1, 2]]), np.int64([[3, 4]]), np.bool_([[1, 0]]), np.zeros((0, 2), F)):
        type = value.dtype.type
        for op in ("Identity", "StopGradient", "PreventGradient", "Snapshot", "DeepCopy",
                   "PlaceholderWithDefault", "RefIdentity", "DebugGradientIdentity",
                   "Print"):  # fmt: skip
            g.expect(g.op(op, g.input(value), T=type), value)
        g.expect(g.op("EnsureShape", g.input(value), shape=shape, T=type), value)
        for made in g.op("IdentityN", g.input(value), g.input(value), outputs=2):
            g.expect(made, value)
    sure = g.op("Assert", g.input(np.bool_(1)), g.constant(F(1)))
    quiet = [after(g.op(op)) for op in ("NoOp", "ControlTrigger")]
    x = g.input(F([5]))
    quiet.append(after(g.op("PrintV2", x)))
    g.expect(g.op("Neg", x, after(sure), *quiet), [-5.0])
    for op in ("PlaceholderV2", "_Arg"):
        x = g.input(F([7, -2]))
        at = next(i for i, node in enumerate(g.nodes) if f'name: "{x.names[0]}"' in node)
        g.nodes[at] = g.nodes[at].replace('"Placeholder"', f'"{op}"')
        g.used.append((op, {"f32"}))
        g.expect(g.op("_Retval", x, T=F), x.value)
    return g


def variables():
    g = Graph(fold=False)
    shape = Text("shape { dim { size: 2 } }")
    for type in (F, np.float64, I, np.int64, np.bool_):
        x = np.array([3, 0]).astype(type)
        value = g.constant(x)
        handle = g.op("VarHandleOp", dtype=type, shape=shape, shared_name=f"h{type.__name__}")
        first = after(g.op("AssignVariableOp", handle, value, dtype=type))
        read = g.op("ReadVariableOp", handle, first, dtype=type)
        g.expect(g.op("Identity", read), x)
        size = g.op("VariableShape", handle, first, out_type=I)
        g.expect(g.op("AddV2", size, g.input(I(0))), [2])
        for op in ("Variable", "VariableV2"):
            old = g.op(op, dtype=type, shape=shape, shared_name=f"{op}{type.__name__}")
            g.expect(g.op("Identity", g.op("Assign", old, value, T=type)), x)
    return g


def not_sure():
    g = Graph(fold=False)
    sure = g.op("Assert", g.input(np.bool_(0)), g.constant(F(1)))
    g.expect(g.op("Neg", g.input(F([5])), after(sure)), [-5.0])
    g.fails("assertion failed")
    return g


if __name__ == "__main__":
    main(functions, switches, frames, lists, arrays, handed_on, variables, not_sure)
