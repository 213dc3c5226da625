"""Random programs of the graph dialect: values, constants, inputs, and the choice of operands.

A value is `exact` if a library computes it without rounding error. Its elements are then equal to
those of the reference, so that ops which jump (comparisons, indices, rounding) may read it. If also
`step` is known, its elements are multiples of 2^step, and sums and products of it stay exact as long
as their digits fit into the type. `most` bounds its magnitude; for other values it is an estimate.
"""

import math
import random

import numpy as np

DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
NARROW = ("f16", "bf16")
SIGNED, UNSIGNED = ("i8", "i16", "i32", "i64"), ("ui8", "ui16", "ui32", "ui64")
NUMPY = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_,
    **{t: np.dtype(f"int{t[1:]}") for t in SIGNED},
    **{t: np.dtype(f"uint{t[2:]}") for t in UNSIGNED},
}  # fmt: skip
# Floats with larger magnitudes are made smaller before they are used again.
TAME = 24


class Skip(Exception):
    """A step does not find the operands that it needs."""


def is_float(type):
    return type in DIGITS


def tensor(shape, type):
    return "tensor<" + "".join(f"{n}x" for n in shape) + type + ">"


def stored(array, type):
    """The array as a file has it: bf16 as its bits."""
    if type != "bf16":
        return np.asarray(array).astype(NUMPY[type])
    bits = np.asarray(array, np.float32).reshape(-1).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).reshape(np.shape(array))


class Value:
    def __init__(self, name, type, shape, exact=False, step=None, most=1.0):
        self.name, self.type, self.shape = name, type, tuple(map(int, shape))
        self.exact, self.step, self.most = exact, step if exact else None, most
        self.rank, self.size = len(self.shape), math.prod(self.shape)
        self.text = tensor(self.shape, type)

    def is_float(self):
        return is_float(self.type)


class Graph:
    """`steps` are functions that add ops; `most` bounds the elements of a tensor."""

    def __init__(self, seed, steps, most):
        self.seed, self.most = seed, most
        self.rng, self.numpy = random.Random(seed), np.random.default_rng(seed)
        self.lines, self.globals, self.ops = [], [], []
        self.values, self.inputs, self.used, self.fetched = [], [], set(), set()
        self.special = self.rng.random() < 0.04
        self.float = self.rng.choice(["f32"] * 12 + ["f16", "bf16"] * 2 + ["f64"] * 2)
        for _ in range(self.rng.randint(1, 3)):
            self.input(self.float, self.shape())
        if self.rng.random() < 0.3:
            self.input(self.rng.choice(SIGNED + UNSIGNED + ("i1",)), self.shape())
        functions, weights = zip(*steps)
        rounds = self.rng.choice([2, 3, 4, 5, 6, 8, 12, 18])
        while rounds > 0 or not self.outputs():
            rounds -= 1
            try:
                self.rng.choices(functions, weights)[0](self)
            except Skip:
                continue

    # Names, constants and inputs.

    def name(self):
        self.count = getattr(self, "count", 0) + 1
        return f"%g{self.seed}_{self.count}"

    def chance(self, probability):
        return self.rng.random() < probability

    def numbers(self, type, shape, unit=False):
        """Random elements, and whether they are multiples of a power of two."""
        if type == "i1":
            return self.numpy.random(shape) < 0.5, 0, 1
        if not is_float(type):
            info = np.iinfo(NUMPY[type])
            if self.chance(0.25):
                array = self.numpy.integers(info.min, info.max, shape, NUMPY[type], endpoint=True)
                return array, 0, float(info.max)
            return self.numpy.integers(max(info.min, -8), 9, shape).astype(NUMPY[type]), 0, 8
        if self.chance(0.6):
            step = self.rng.choice([0, -1, -2, -3])
            array = self.numpy.integers(-(2 << -step), (2 << -step) + 1, shape) * 2.0**step
            return array, step, 2
        return self.numpy.standard_normal(shape).clip(-4, 4), None, 4

    def known(self, type, shape, numbers=None):
        """Elements rounded to the type, as NumPy has them, with step and magnitude."""
        array, step, most = numbers or self.numbers(type, shape)
        array = np.asarray(array)
        if is_float(type) and self.special and array.size > 2 and not numbers:
            where = self.numpy.integers(0, array.size, 2)
            array = array.astype(np.float64)
            array.reshape(-1)[where] = self.rng.choice([np.nan, np.inf, -np.inf])
        return stored(array, type), step, most

    def input(self, type, shape, numbers=None):
        array, step, most = self.known(type, shape, numbers)
        value = Value(self.name(), type, shape, True, step, most)
        self.inputs.append((value, array))
        self.values.append(value)
        return value

    def const(self, type, shape, numbers=None):
        array, step, most = self.known(type, shape, numbers)
        value = Value(self.name(), type, shape, True, step, most)
        self.line("constant", f"{value.name} = graph.constant {dense(array, type)} : {value.text}")
        return value

    def scalar(self, type, number):
        exact = not is_float(type) or float(number).is_integer()
        return self.const(type, (), (number, 0 if exact else None, abs(float(number))))

    def fresh(self, type, shape, numbers=None):
        """A constant or an input."""
        make = self.const if self.chance(0.5) else self.input
        return make(type, shape, numbers)

    # Ops.

    def line(self, op, text):
        self.ops.append(op)
        self.lines.append(text)

    def emit(self, op, operands, type, shape, exact=False, step=None, most=1.0, text=None, keep=True):
        """Adds an op. `text` follows its name; else the operands and the type of the result do."""
        if math.prod(shape) > self.most or math.prod(shape) == 0:
            raise Skip
        if is_float(type) and step is not None and most > 2.0 ** (DIGITS[type] + step):
            exact, step = False, None
        exact = exact and all(o.exact for o in operands)
        value = Value(self.name(), type, shape, exact or not is_float(type), step, most)
        names = ", ".join(o.name for o in operands)
        self.line(op, f"{value.name} = graph.{op} {text or f'{names} : {value.text}'}")
        self.used.update(o.name for o in operands)
        if keep:
            self.values.append(value)
        if keep and self.chance(0.05):
            self.fetched.add(value.name)
        return value

    def same(self, op, x, text="", **how):
        """An op whose result has the type and the range of its operand."""
        how = {"exact": True, "step": x.step, "most": x.most, **how}
        return self.emit(op, [x], x.type, x.shape, text=f"{x.name}{text} : {x.text}", **how)

    def shape(self, rank=None):
        rank = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5]) if rank is None else rank
        sizes = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 64, 65, 100]
        while True:
            shape = tuple(self.rng.choice(sizes[: 18 - 3 * max(0, rank - 1)]) for _ in range(rank))
            if math.prod(shape) <= self.most / 2:
                return shape

    def pick(self, where=lambda v: True, types=None):
        """Later values are more frequent, so that graphs are deep."""
        fit = [v for v in self.values if (types is None or v.type in types) and where(v)]
        if not fit:
            raise Skip
        return fit[max(self.rng.randrange(len(fit)), self.rng.randrange(len(fit)))]

    def number(self, where=lambda v: True):
        return self.pick(lambda v: v.type != "i1" and where(v))

    def floats(self, where=lambda v: True):
        return self.tamed(self.pick(lambda v: v.is_float() and where(v)))

    def exact(self, where=lambda v: True):
        return self.pick(lambda v: v.exact and v.type != "i1" and where(v))

    def index(self, shape, low, high, types=("i32", "i64")):
        """Indices that the graph knows, or that only the run knows."""
        array = self.numpy.integers(low, high, shape, endpoint=True)
        return self.fresh(self.rng.choice(types), shape, (array, 0, max(abs(low), abs(high))))

    def tamed(self, x):
        """x, or something smaller that it determines."""
        if not x.is_float() or x.most <= TAME:
            return x
        way = self.rng.choice(["clamp", "scale", "tanh"])
        if way == "tanh":
            return self.emit("tanh", [x], x.type, x.shape, most=1)
        if way == "scale":
            power = -math.ceil(math.log2(x.most / 2))
            factor = self.full(x, 2.0**power)
            step = None if x.step is None else x.step + power
            return self.emit("mul", [x, factor], x.type, x.shape, True, step, x.most * 2.0**power)
        low, high = self.full(x, -4.0), self.full(x, 4.0)
        return self.emit("clamp", [x, low, high], x.type, x.shape, True, x.step, 4)

    def full(self, x, number):
        """A constant tensor of one number, like x."""
        step = math.frexp(number)[1] - 1 if math.frexp(abs(number))[0] == 0.5 else None
        step = 0 if step is not None and number == int(number) else step
        value = Value(self.name(), x.type, x.shape, True, step, abs(number))
        content = dense(stored(np.float64(number) if x.is_float() else number, x.type), x.type)
        self.line("constant", f"{value.name} = graph.constant {content} : {value.text}")
        return value

    def partner(self, x, where=lambda v: True):
        """Another operand of the type and shape of x."""
        fit = [v for v in self.values if v.type == x.type and v.shape == x.shape and where(v)]
        if fit and self.chance(0.6):
            return self.tamed(self.rng.choice(fit))
        if self.chance(0.5) or x.rank == 0:
            return self.fresh(x.type, x.shape)
        # A new operand, repeated along some dimensions.
        dims = sorted(self.rng.sample(range(x.rank), self.rng.randint(0, x.rank)))
        shape = [1 if self.chance(0.2) else x.shape[d] for d in dims]
        own = self.fresh(x.type, shape)
        return self.broadcast(own, dims, x.shape)

    def broadcast(self, x, dims, shape):
        text = f"{x.name} {list(dims)} : {x.text} to {tensor(shape, x.type)}"
        return self.emit("broadcast", [x], x.type, shape, True, x.step, x.most, text)

    # The program.

    def outputs(self):
        """The values that nothing uses, and some others."""
        own = {v.name for v, _ in self.inputs}
        made = [v for v in self.values if v.name not in own]
        return [v for v in made if v.name not in self.used or v.name in self.fetched]


def dense(array, type):
    array = np.asarray(array)
    if type == "i1":
        if array.ndim == 0:
            return f"dense<{str(bool(array)).lower()}>"
        return f"dense<{str(array.tolist()).lower()}>"
    return f'dense<"0x{array.tobytes().hex().upper()}">'
