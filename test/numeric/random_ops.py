"""Tests random ops with seeds: each number is known."""

import numpy as np
from harness import Graph, Tensor, main

LOW = 0xFFFFFFFF


def philox(seed, seed2, count):
    """Philox 4x32-10, on Python's integers."""
    return words_from(seed2 << 64, seed, count)


def words_from(counter, seed, count):
    """The same, from a counter of 128 bits."""
    words = []
    for group in range((count + 3) // 4):
        key = [seed & LOW, seed >> 32]
        x = [(counter + group) >> shift & LOW for shift in (0, 32, 64, 96)]
        for _ in range(10):
            a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
            x = [(b >> 32) ^ x[1] ^ key[0], b & LOW, (a >> 32) ^ x[3] ^ key[1], a & LOW]
            key = [(key[0] + 0x9E3779B9) & LOW, (key[1] + 0xBB67AE85) & LOW]
        words += x
    return np.uint32(words)


def uniform32(words):
    return ((words & 0x7FFFFF) | 0x3F800000).view(np.float32) - np.float32(1)


def normal32(words):
    u = np.float64(np.maximum(uniform32(words[0::2]), np.float32(1e-7)))
    v = 2 * np.pi * np.float64(uniform32(words[1::2]))
    r = np.sqrt(-2 * np.log(u))
    return np.stack([np.sin(v) * r, np.cos(v) * r], 1).ravel()


def of_seeds(seed, seed2, shape):
    g = Graph(fold=False)
    n = int(np.prod(shape))
    words = philox(seed, seed2, 2 * n + 8)
    dims = g.constant(np.int32(shape))
    seeds = {"seed": seed, "seed2": seed2}
    g.expect(g.op("RandomUniform", dims, dtype=np.float32, T=np.int32, **seeds),
             uniform32(words[:n]).reshape(shape))
    half = ((words[:n] & 0x3FF) | 0x3C00).astype(np.uint16).view(np.float16) - np.float16(1)
    g.expect(g.op("RandomUniform", dims, dtype=np.float16, T=np.int32, **seeds),
             half.reshape(shape))
    wide = np.uint64(words[0::2] & 0xFFFFF) << np.uint64(32) | np.uint64(words[1::2])
    double = (wide | np.uint64(1023) << np.uint64(52)).view(np.float64) - 1
    g.expect(g.op("RandomUniform", dims, dtype=np.float64, T=np.int32, **seeds),
             double[:n].reshape(shape))
    for type, bits in ((np.int32, np.int64(words)),
                       (np.int64, np.int64(words[0::2]) | np.int64(words[1::2]) << 32)):
        low, high = g.input(type(-3)), g.input(type(97))
        want = np.uint64(bits[:n].view(np.uint64)) % np.uint64(100)
        g.expect(g.op("RandomUniformInt", dims, low, high, Tout=type, T=np.int32, **seeds),
                 (np.int64(want) - 3).astype(type).reshape(shape))
    g.expect(g.op("RandomStandardNormal", dims, dtype=np.float32, T=np.int32, **seeds),
             normal32(words)[:n].reshape(shape), rtol=1e-5, atol=1e-5)
    return g


def few():
    return of_seeds(87654321, 5, (3,))


def many():
    return of_seeds((1 << 40) + 7, (1 << 33) + 1, (30, 50))


def shuffled():
    g = Graph(fold=False)
    x = g.input(np.float32(np.arange(12).reshape(6, 2)))
    words, order = philox(3, 4, 8), list(range(6))
    for i in range(5):
        j = i + int(words[i]) % (6 - i)
        order[i], order[j] = order[j], order[i]
    g.expect(g.op("RandomShuffle", x, seed=3, seed2=4), x.value[order])
    return g


class Generator:
    """A variable that contains a generator, with its required state."""

    def __init__(self, graph, counter, key, rest=()):
        self.g, self.counter, self.key, self.rest = graph, counter, key, list(rest)
        kind = {"dtype": "type: DT_INT64"}
        shape = f"shape {{ dim {{ size: {3 + len(self.rest)} }} }}"
        graph.node("state", "VarHandleOp", [], kind | {"shape": shape})
        first = graph.constant(self.state())
        graph.node("first", "AssignVariableOp", ["state", first.names[0]], kind)
        self.last = []
        self.algorithm = graph.constant(np.int64(1))

    def state(self):
        words = [self.counter & (1 << 64) - 1, self.counter >> 64, self.key, *self.rest]
        return np.uint64(words).view(np.int64)

    def op(self, op, *operands, **attributes):
        """A node that runs after those before it."""
        made = self.g.op(op, Tensor(["state"]), *operands, *self.last, **attributes)
        self.last = [Tensor(["^" + made.names[0]])]
        return made

    def draw(self, op, shape, make, *parameters, rtol=None, **attributes):
        count = int(np.prod(shape))
        words = words_from(self.counter, self.key, 2 * count + 8)
        dims = self.g.constant(np.array(shape, np.int32))
        made = self.op(op, self.algorithm, dims, *parameters, shape_dtype=np.int32, **attributes)
        self.g.expect(made, make(words)[:count].reshape(shape), rtol=rtol, atol=rtol or 0)
        self.move(count)

    def move(self, count):
        self.counter = (self.counter + 256 * count) % (1 << 128)

    def skip(self, delta, algorithm=1):
        """RngReadAndSkip returns three 32-bit numbers."""
        before = self.op("RngReadAndSkip", self.g.constant(np.int32(algorithm)), delta)
        self.g.expect(before, self.state()[:3])
        self.move(int(delta.value))

    def truncated(self, count):
        """Each of four numbers is the first accepted one of its own 256 draws."""
        rows = []
        for group in range((count + 3) // 4):
            numbers = normal32(words_from(self.counter + 256 * group, self.key, 256))
            rows.append(numbers[abs(numbers) < 2][:4])
        return np.concatenate(rows)

    def check(self):
        now = self.g.op("ReadVariableOp", Tensor(["state"]), *self.last, dtype=np.int64)
        self.g.expect(now, self.state())


def of_state(counter, key, rest=()):
    g = Graph(fold=False)
    stored = Generator(g, counter, key, rest)
    stored.skip(g.input(np.uint64(3)), algorithm=3)
    stored.draw("StatefulUniform", (3, 7), uniform32, dtype=np.float32)
    half = lambda words: ((words & 0x3FF) | 0x3C00).astype(np.uint16).view(np.float16) - np.float16(1)
    stored.draw("StatefulUniform", (5,), half, dtype=np.float16)
    stored.draw("StatefulUniform", (0, 4), uniform32, dtype=np.float32)
    stored.draw("StatefulStandardNormalV2", (6,), normal32, dtype=np.float32, rtol=1e-5)
    want = stored.truncated(10)
    stored.draw("StatefulTruncatedNormal", (10,), lambda words: want, dtype=np.float32, rtol=1e-5)
    low, high = g.input(np.int32(-3)), g.input(np.int32(97))
    stored.draw("StatefulUniformInt", (4, 2), lambda words: np.int32(words % np.uint32(100)) - 3, low, high,
              dtype=np.int32)
    double = lambda words: np.uint64(words[0::2]) | np.uint64(words[1::2]) << np.uint64(32)
    stored.draw("StatefulUniformFullInt", (), double, dtype=np.uint64)
    stored.draw("StatefulUniformFullInt", (9,), lambda words: words.view(np.int32), dtype=np.int32)
    stored.skip(g.constant(np.uint64(1 << 54)))
    stored.skip(g.constant(np.uint64(0)))
    g.node("skipped", "RngSkip", ["state", stored.algorithm.names[0], g.constant(np.int64(5)).names[0],
                                  stored.last[0].names[0]], {})
    g.used.append(("RngSkip", {"i64"}))
    stored.last = [Tensor(["^skipped"])]
    stored.move(5)
    stored.check()
    return g


def stored_from_zero():
    return of_state(0, 0)


def stored_with_carry():
    return of_state((7 << 64) + (1 << 64) - 1000, (1 << 63) + 12345)


def stored_at_the_end():
    """The counter begins again; the rest of the state after the key stays."""
    return of_state((1 << 128) - 700, 77, rest=(5, 6))


def drawn_without_state():
    """The form of tf.random.Generator: a stateless op draws from the state that is read."""
    g = Graph(fold=False)
    counter, key = (3 << 64) + 5, (1 << 63) + 9
    stored = Generator(g, counter, key)
    for shape in ((3, 5), (2,)):
        count, counter = int(np.prod(shape)), stored.counter
        algorithm, delta = g.constant(np.int32(1)), g.constant(np.uint64(count))
        state = stored.op("RngReadAndSkip", algorithm, delta)
        stored.move(count)
        words = {}
        for name, begin, end in (("counter", 0, 2), ("key", 2, 3)):
            part = g.op("StridedSlice", state, *(g.constant(np.int32([i])) for i in (begin, end, 1)),
                        T=np.int64, Index=np.int32)  # fmt: skip
            words[name] = g.op("Bitcast", part, T=np.int64, type=np.uint64)
        made = g.op("StatelessRandomUniformV2", g.constant(np.int32(shape)), words["key"], words["counter"],
                    algorithm, dtype=np.float32, Tshape=np.int32)  # fmt: skip
        g.expect(made, uniform32(words_from(counter, key, count))[:count].reshape(shape))
    stored.check()
    return g


def drawn_by_run():
    """A shape that is known only at run time has the same numbers."""
    g = Graph(fold=False)
    stored = Generator(g, 11, 13)
    dims = g.input(np.int32([5]))
    made = stored.op("StatefulUniform", stored.algorithm, dims, dtype=np.float32, shape_dtype=np.int32)
    g.expect(made, uniform32(words_from(11, 13, 5))[:5])
    stored.move(5)
    stored.check()
    return g


main(few, many, shuffled, stored_from_zero, stored_with_carry, stored_at_the_end, drawn_without_state,
     drawn_by_run)  # fmt: skip
