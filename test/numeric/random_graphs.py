"""Random ONNX graphs over sizes known only at run time, for metamorphic.py.

The generator never computes a value. A dimension is the tuple of its sizes in the runs of the
test: (4, 4, 4) is static, (1, 8, 3) is dynamic. So two dimensions are equal for the test if their
tuples are.
"""

import random

import numpy as np
from onnx_graph import OnnxGraph

FLOAT, INT, BOOL = "f32", "i64", "bool"
MOST = 6000  # elements of a tensor
UNARY = "Relu Sigmoid Tanh Abs Neg Exp Sqrt Erf Floor Ceil Round Sin Softplus HardSigmoid Elu LeakyRelu Sign Reciprocal Softsign".split()
BINARY = "Add Sub Mul Div Max Min PRelu".split()
REDUCE = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp".split()


class Value:
    def __init__(self, name, type, dims):
        self.name, self.type, self.dims = name, type, tuple(dims)
        self.rank = len(self.dims)


class RandomGraph:
    def __init__(self, seed, operations):
        self.rng = random.Random(seed)
        self.graph = OnnxGraph(opset=17, fold=False)
        self.values, self.nodes, self.count = [], [], 0  # a node: its op, operands, results, text
        self.ranges, self.sizes, self.inputs = {}, {}, []
        self.dynamic_dims()
        for count in range(self.rng.randint(2, 3)):
            while len(self.inputs) <= count:
                self.add_input()
        steps = [getattr(self, name) for name in dir(self) if name.startswith("make_")]
        while len(self.nodes) < operations:
            self.step(self.rng.choice(steps))

    def step(self, make):
        make()

    def dynamic_dims(self):
        for name in self.rng.sample(["n", "t", "h", "w"], self.rng.randint(1, 3)):
            low, high = self.rng.choice([1, 1, 2, 3]), self.rng.choice([5, 8, 17, 26, 40])
            middle = [self.rng.randint(low, high) for _ in range(3)]
            self.ranges[name], self.sizes[name] = (low, high), (low, high, *middle)
        self.runs = 5

    def fixed(self, size):
        return (size,) * self.runs

    def add_input(self):
        """An input has each dynamic dimension once at most."""
        rank = self.rng.choice([1, 2, 2, 3, 3, 4, 4, 5])
        texts = [self.rng.choice([1, 2, 3, 4, 7]) for _ in range(rank)]
        places = self.rng.sample(range(rank), min(rank, len(self.ranges)))
        names = self.rng.sample(sorted(self.ranges), len(places))
        for at, name in zip(places, names):
            texts[at] = name
        dims = [self.sizes[t] if isinstance(t, str) else self.fixed(t) for t in texts]
        if not self.small(dims):
            return
        value = Value(f"x{len(self.inputs)}", FLOAT, dims)
        self.inputs.append((value, texts))
        self.values.append(value)

    def small(self, dims):
        return all(np.prod([d[run] for d in dims], initial=1) <= MOST for run in range(self.runs))

    def const(self, array):
        self.count += 1
        name = f"c{self.count}"
        array = np.asarray(array)
        self.graph.const_node(name, {"f": FLOAT, "i": INT, "b": BOOL}[array.dtype.kind], array)
        return name

    def floats(self, *shape):
        own = np.random.default_rng(self.rng.randrange(1 << 30))
        return self.const(own.standard_normal(shape).astype(np.float32))

    def ints(self, *values):
        return self.const(np.int64(values))

    def emit(self, op, operands, *results, **attributes):
        """Results are pairs of a type and dimensions; None if there are no dimensions."""
        made = []
        for type, dims in results:
            self.count += 1
            made.append(Value(f"v{self.count}", type, dims))
        names = [o.name if isinstance(o, Value) else o for o in operands]
        text = f'node {{ name: "{op}_{made[0].name}" op_type: "{op}"'
        text += "".join(f' input: "{name}"' for name in names)
        text += "".join(f' output: "{v.name}"' for v in made)
        text += "".join(self.graph.onnx_attribute(k, v) for k, v in attributes.items()) + " }"
        self.nodes.append((op, names, [v.name for v in made], text))
        self.values += made
        return made[0] if len(made) == 1 else made

    def pick(self, type=FLOAT, least=0, where=lambda v: True):
        fit = [v for v in self.values if v.type == type and v.rank >= least and where(v)]
        if not fit:
            return None
        # Later values are more frequent, so that graphs are deep.
        return fit[max(self.rng.randrange(len(fit)), self.rng.randrange(len(fit)))]

    def axis(self, value):
        axis = self.rng.randrange(value.rank)
        return axis, axis - self.rng.choice([0, value.rank])

    def least(self, dim):
        return min(dim)

    def make_unary(self):
        if x := self.pick():
            self.emit(self.rng.choice(UNARY), [x], (FLOAT, x.dims))

    make_function = make_activation = make_unary

    def broadcast(self, x, y):
        rank, one = max(x.rank, y.rank), self.fixed(1)
        a = (one,) * (rank - x.rank) + x.dims
        b = (one,) * (rank - y.rank) + y.dims
        if any(p != q and one not in (p, q) for p, q in zip(a, b)):
            return None
        dims = [q if p == one else p for p, q in zip(a, b)]
        return dims if self.small(dims) else None

    def partner(self, x, type=FLOAT):
        return self.pick(type, where=lambda y: y is not x and self.broadcast(x, y) is not None) or x

    def make_binary(self):
        x = self.pick()
        y, op = self.partner(x), self.rng.choice(BINARY)
        if op == "PRelu" and self.broadcast(x, y) != list(x.dims):
            op = "Mul"
        self.emit(op, [x, y], (FLOAT, self.broadcast(x, y)))

    make_more = make_binary

    def make_pow(self):
        x = self.pick()
        self.emit("Pow", [x, self.const(np.float32(self.rng.choice([2, 3, 0.5, -1])))], (FLOAT, x.dims))

    def make_clip(self):
        x = self.pick()
        self.emit("Clip", [x, self.const(np.float32(-1.5)), self.const(np.float32(2.5))], (FLOAT, x.dims))

    def make_compare(self):
        x = self.pick()
        y = self.partner(x)
        dims = self.broadcast(x, y)
        c = self.emit(self.rng.choice(["Less", "Greater", "LessOrEqual", "Equal"]), [x, y], (BOOL, dims))
        z = self.partner(c)
        if self.broadcast(c, z) == list(c.dims):
            self.emit("Where", [c, x, z], (FLOAT, dims))

    def make_logic(self):
        if c := self.pick(BOOL):
            self.emit("Cast", [self.emit("Not", [c], (BOOL, c.dims))], (FLOAT, c.dims), to=1)

    def make_cast(self):
        x = self.pick()
        low, high = self.const(np.float32(-100)), self.const(np.float32(100))
        known = self.emit("Where", [self.emit("IsNaN", [x], (BOOL, x.dims)), low, x], (FLOAT, x.dims))
        i = self.emit("Cast", [self.emit("Clip", [known, low, high], (FLOAT, x.dims))], (INT, x.dims), to=7)
        self.emit("Cast", [i], (FLOAT, x.dims), to=1)

    def make_matmul(self):
        """x times x, transposed: both operands and the depth may be dynamic."""
        if not (x := self.pick(least=2)):
            return
        order = list(range(x.rank))
        order[-2:] = order[:-3:-1]
        if self.small([*x.dims[:-1], x.dims[-2]]):
            y = self.emit("Transpose", [x], (FLOAT, [x.dims[i] for i in order]), perm=order)
            pair = self.emit("MatMul", [x, y], (FLOAT, [*x.dims[:-1], x.dims[-2]]))
            if self.rng.random() < 0.6:
                self.emit("MatMul", [pair, x], (FLOAT, x.dims))

    def make_dense(self):
        x = self.pick(least=1, where=lambda v: len(set(v.dims[-1])) == 1 and v.dims[-1][0])
        if x:
            depth, width = x.dims[-1][0], self.rng.choice([1, 3, 8, 17, 33])
            dims = [*x.dims[:-1], self.fixed(width)]
            if self.small(dims) and x.rank == 2 and self.rng.random() < 0.5:
                w, b = self.floats(width, depth), self.floats(width)
                self.emit("Gemm", [x, w, b], (FLOAT, dims), alpha=0.5, transB=1)
            elif self.small(dims):
                self.emit("MatMul", [x, self.floats(depth, width)], (FLOAT, dims))

    def make_gemm(self):
        if x := self.pick(least=2, where=lambda v: v.rank == 2):
            a, b = self.rng.choice([(0, 1), (1, 0)])
            side = x.dims[1 if a else 0]
            if self.small([side, side]):
                self.emit("Gemm", [x, x], (FLOAT, [side, side]), transA=a, transB=b)

    def image(self):
        spatial = lambda v: v.rank in (3, 4) and len(set(v.dims[1])) == 1 and 0 < v.dims[1][0] <= 12
        return self.pick(where=lambda v: spatial(v) and all(self.least(d) >= 1 for d in v.dims))

    def window(self, x):
        """The attributes of a window, and the sizes of its result."""
        attributes, dims, count = {}, [], x.rank - 2
        kernel = [self.rng.choice([1, 2, 3, 3]) for _ in range(count)]
        strides = [self.rng.choice([1, 1, 2]) for _ in range(count)]
        pads = [k // 2 for k in kernel]
        for size, k, s, p in zip(x.dims[2:], kernel, strides, pads):
            dims.append(tuple((n + 2 * p - k) // s + 1 for n in size))
        return dict(kernel_shape=kernel, strides=strides, pads=pads + pads), dims

    def make_conv(self):
        if x := self.image():
            window, dims = self.window(x)
            channels, depthwise = x.dims[1][0], self.rng.random() < 0.4
            out = channels if depthwise else self.rng.choice([1, 3, 8])
            w = self.floats(out, 1 if depthwise else channels, *window["kernel_shape"])
            if self.small([x.dims[0], self.fixed(out), *dims]):
                self.emit("Conv", [x, w, self.floats(out)], (FLOAT, [x.dims[0], self.fixed(out), *dims]),
                          group=channels if depthwise else 1, **window)  # fmt: skip

    def make_pool(self):
        if x := self.image():
            window, dims = self.window(x)
            if self.rng.random() < 0.3:
                op = self.rng.choice(["GlobalAveragePool", "GlobalMaxPool"])
                self.emit(op, [x], (FLOAT, [*x.dims[:2], *[self.fixed(1)] * (x.rank - 2)]))
                return
            op = self.rng.choice(["MaxPool", "AveragePool"])
            more = dict(count_include_pad=self.rng.randint(0, 1)) if op == "AveragePool" else {}
            self.emit(op, [x], (FLOAT, [*x.dims[:2], *dims]), **window, **more)

    def make_resize(self):
        x = self.pick(where=lambda v: v.rank == 4)
        if x:
            dims = [*x.dims[:2], *(tuple(2 * n for n in d) for d in x.dims[2:])]
            if self.small(dims):
                scales = self.const(np.float32([1, 1, 2, 2]))
                self.emit("Resize", [x, "", scales], (FLOAT, dims), mode=self.rng.choice(["nearest", "linear"]))

    def make_softmax(self):
        if x := self.pick(least=1):
            op = self.rng.choice(["Softmax", "Softmax", "LogSoftmax", "Hardmax"])
            self.emit(op, [x], (FLOAT, x.dims), axis=self.axis(x)[1])

    def make_reduce(self):
        if x := self.pick(least=1):
            axes = sorted(self.rng.sample(range(x.rank), self.rng.choice([1, 1, min(2, x.rank), x.rank])))
            keep, op = self.rng.randint(0, 1), self.rng.choice(REDUCE)
            dims = [self.fixed(1) if i in axes else d for i, d in enumerate(x.dims) if keep or i not in axes]
            if op == "ReduceSum":
                self.emit(op, [x, self.ints(*axes)], (FLOAT, dims), keepdims=keep)
            else:
                self.emit(op, [x], (FLOAT, dims), axes=axes, keepdims=keep)

    make_reduction = make_reduce

    def make_normal(self):
        """The parts of a layer normalization, along any axis."""
        if x := self.pick(least=1):
            at, axis = self.axis(x)
            dims = [self.fixed(1) if i == at else d for i, d in enumerate(x.dims)]
            mean = self.emit("ReduceMean", [x], (FLOAT, dims), axes=[axis])
            y = self.emit("Sub", [x, mean], (FLOAT, x.dims))
            square = self.emit("Mul", [y, y], (FLOAT, x.dims))
            variance = self.emit("ReduceMean", [square], (FLOAT, dims), axes=[axis])
            shifted = self.emit("Add", [variance, self.const(np.float32(1e-5))], (FLOAT, dims))
            self.emit("Div", [y, self.emit("Sqrt", [shifted], (FLOAT, dims))], (FLOAT, x.dims))

    def make_argmax(self):
        if x := self.pick(least=1):
            at, axis = self.axis(x)
            dims = [d for i, d in enumerate(x.dims) if i != at]
            op, last = self.rng.choice(["ArgMax", "ArgMin"]), self.rng.randint(0, 1)
            i = self.emit(op, [x], (INT, dims), axis=axis, keepdims=0, select_last_index=last)
            self.emit("Cast", [i], (FLOAT, dims), to=1)

    def make_cumsum(self):
        if x := self.pick(least=1):
            flags = dict(exclusive=self.rng.randint(0, 1), reverse=self.rng.randint(0, 1))
            self.emit("CumSum", [x, self.const(np.int64(self.axis(x)[1]))], (FLOAT, x.dims), **flags)

    def make_topk(self):
        if x := self.pick(least=1):
            at, axis = self.axis(x)
            k = self.rng.randint(1, max(1, min(3, self.least(x.dims[at]))))
            if self.least(x.dims[at]) >= k:
                dims = [self.fixed(k) if i == at else d for i, d in enumerate(x.dims)]
                largest = self.rng.randint(0, 1)
                self.emit("TopK", [x, self.ints(k)], (FLOAT, dims), (INT, dims), axis=axis, largest=largest)
