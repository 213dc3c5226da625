"""The further ops of random_graphs.py: nodes that move, gather, repeat and join elements."""

import numpy as np
from random_graphs import BOOL, FLOAT, INT, RandomGraph


class Graph(RandomGraph):
    def make_transpose(self):
        if x := self.pick(least=2):
            order = self.rng.sample(range(x.rank), x.rank)
            self.emit("Transpose", [x], (FLOAT, [x.dims[i] for i in order]), perm=order)

    def make_reshape(self):
        """Two adjacent dimensions become one, and two again."""
        if not (x := self.pick(least=2)):
            return
        at, shape = self.rng.randrange(x.rank - 1), self.shape(x)
        parts, merged = [], tuple(a * b for a, b in zip(x.dims[at], x.dims[at + 1]))
        for i in [*range(at), -1, *range(at + 2, x.rank)]:
            plain = i < 0 or i < at and self.rng.random() < 0.5
            parts.append(self.ints(min(i, 0) if i < 0 else 0) if plain else self.size(shape, i))
        dims = [*x.dims[:at], merged, *x.dims[at + 2 :]]
        target = self.emit("Concat", parts, (INT, [self.fixed(len(dims))]), axis=0)
        y = self.emit("Reshape", [x, target], (FLOAT, dims))
        self.values.remove(target)
        if self.rng.random() < 0.5:
            z = self.emit(self.rng.choice(["Relu", "Tanh"]), [y], (FLOAT, dims))
            self.emit("Reshape", [z, shape], (FLOAT, x.dims))

    make_merge = make_reshape

    def shape(self, x):
        shape = self.emit("Shape", [x], (INT, [self.fixed(x.rank)]))
        self.values.remove(shape)  # its elements must not be used in computations
        return shape

    def size(self, shape, i):
        size = self.emit("Gather", [shape, self.ints(i)], (INT, [self.fixed(1)]), axis=0)
        self.values.remove(size)
        return size

    def make_flatten(self):
        if x := self.pick():
            dims = [tuple(int(np.prod([d[r] for d in x.dims], initial=1)) for r in range(self.runs))]
            self.emit("Reshape", [x, self.ints(-1)], (FLOAT, dims))

    def make_unsqueeze(self):
        x = self.pick(where=lambda v: v.rank < 5)
        if x:
            at = self.rng.randint(0, x.rank)
            self.emit("Unsqueeze", [x, self.ints(at)], (FLOAT, [*x.dims[:at], self.fixed(1), *x.dims[at:]]))

    def make_squeeze(self):
        x = self.pick(where=lambda v: self.fixed(1) in v.dims)
        if x:
            at = x.dims.index(self.fixed(1))
            self.emit("Squeeze", [x, self.ints(at)], (FLOAT, [*x.dims[:at], *x.dims[at + 1 :]]))

    def make_concat(self):
        if not (x := self.pick(least=1)):
            return
        at, axis = self.axis(x)
        alike = lambda y: y.rank == x.rank and all(i == at or d == e for i, (d, e) in enumerate(zip(x.dims, y.dims)))
        y = self.pick(where=alike)
        dims = [tuple(a + b for a, b in zip(d, y.dims[i])) if i == at else d for i, d in enumerate(x.dims)]
        if self.small(dims):
            self.emit("Concat", [x, y], (FLOAT, dims), axis=axis)

    def make_split(self):
        if not (x := self.pick(least=1)):
            return
        fixed = [i for i, d in enumerate(x.dims) if len(set(d)) == 1 and d[0] >= 2]
        if fixed:
            at = self.rng.choice(fixed)
            first = self.rng.randint(1, x.dims[at][0] - 1)
            sizes = first, x.dims[at][0] - first
            dims = [[self.fixed(s) if i == at else d for i, d in enumerate(x.dims)] for s in sizes]
            self.emit("Split", [x, self.ints(*sizes)], *((FLOAT, d) for d in dims), axis=at)

    def make_slice(self):
        if not (x := self.pick(least=1)):
            return
        at, axis = self.axis(x)
        step = self.rng.choice([1, 1, 2, -1, -1, -2, 3])
        ends = [-1000, -60, -3, -2, -1, 0, 1, 2, 4, 30, 1 << 40]
        start, end = self.rng.choice(ends), self.rng.choice(ends)
        dim = tuple(len(range(n)[slice(start, end, step)]) for n in x.dims[at])
        if step < 0 or min(dim):
            # Python clamps an end below -n to before the first, as ONNX does; a start
            # below -n with a negative step is the first element in ONNX.
            dim = tuple(self.sliced(n, start, end, step) for n in x.dims[at])
        if min(dim) > 0:
            dims = [dim if i == at else d for i, d in enumerate(x.dims)]
            operands = [self.ints(v) for v in (start, end, axis, step)]
            self.emit("Slice", [x, *operands], (FLOAT, dims))

    make_part = make_slice

    def sliced(self, n, start, end, step):
        start, end = (v + n if v < 0 else v for v in (start, end))
        if step < 0:
            start, end = min(max(start, 0), n - 1), min(max(end, -1), n - 1)
        else:
            start, end = min(max(start, 0), n), min(max(end, 0), n)
        return max(0, -((start - end) // step))

    def make_gather(self):
        if not (x := self.pick(least=1)):
            return
        at, axis = self.axis(x)
        if (least := self.least(x.dims[at])) >= 1:
            shape = self.rng.choice([(), (2,), (3,), (2, 2)])
            places = np.random.default_rng(self.rng.randrange(1 << 30)).integers(-least, least, shape)
            dims = [*x.dims[:at], *map(self.fixed, shape), *x.dims[at + 1 :]]
            if len(dims) <= 5 and self.small(dims):
                self.emit("Gather", [x, self.const(places)], (FLOAT, dims), axis=axis)

    def make_places(self):
        """Elements are gathered or scattered at the indices of the maxima along an axis."""
        if not (x := self.pick(least=1)):
            return
        at, axis = self.axis(x)
        if self.least(x.dims[at]) < 1:
            return
        dims = [self.fixed(1) if i == at else d for i, d in enumerate(x.dims)]
        places = self.emit("ArgMax", [x], (INT, dims), axis=axis)
        if self.rng.random() < 0.5:
            self.emit("GatherElements", [self.same(x), places], (FLOAT, dims), axis=axis)
        else:
            y = self.emit("ReduceMax", [x], (FLOAT, dims), axes=[axis])
            self.emit("ScatterElements", [self.same(x), places, self.emit("Neg", [y], (FLOAT, dims))], (FLOAT, x.dims), axis=axis)

    def same(self, x):
        return self.pick(where=lambda v: v.dims == x.dims)

    def make_expand(self):
        x = self.pick()
        y = self.partner(x)
        dims = self.broadcast(x, y)
        self.emit("Expand", [x, self.shape(y)], (FLOAT, dims))

    def make_tile(self):
        if x := self.pick(least=1):
            times = [self.rng.choice([1, 1, 2, 3]) for _ in x.dims]
            dims = [tuple(n * t for n in d) for d, t in zip(x.dims, times)]
            if self.small(dims):
                self.emit("Tile", [x, self.ints(*times)], (FLOAT, dims))

    def make_pad(self):
        if not (x := self.pick(least=1)):
            return
        mode = self.rng.choice(["constant", "constant", "reflect", "edge"])
        most = [min(2, self.least(d) - 1) if mode == "reflect" else 2 for d in x.dims]
        before, after = ([self.rng.randint(0, m) if m > 0 else 0 for m in most] for _ in range(2))
        dims = [tuple(n + b + a for n in d) for d, b, a in zip(x.dims, before, after)]
        if self.small(dims) and all(self.least(d) > 0 for d in x.dims):
            operands = [x, self.ints(*before, *after)] + [self.const(np.float32(0.5))] * (mode == "constant")
            self.emit("Pad", operands, (FLOAT, dims), mode=mode)
