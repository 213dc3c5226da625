"""Tests random ops that draw until a number is accepted, that have their state as an operand, or
whose shape is known only at run time. Each number is known."""

import math

import numpy as np
from harness import Graph, main

LOW = 0xFFFFFFFF


def block(key, counter):
    """Four 32-bit numbers of Philox 4x32-10, on Python's integers."""
    x = [counter >> (32 * i) & LOW for i in range(4)]
    key = [key & LOW, key >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ key[0], b & LOW, (a >> 32) ^ x[3] ^ key[1], a & LOW]
        key = [(key[0] + 0x9E3779B9) & LOW, (key[1] + 0xBB67AE85) & LOW]
    return x


def words(key, counter, count):
    made = [block(key, counter + i) for i in range((count + 3) // 4)]
    return np.uint32(made).ravel()[:count]


def floats(words):
    return ((words & 0x7FFFFF) | 0x3F800000).view(np.float32) - np.float32(1)


def doubles(words):
    bits = np.uint64(words[0::2] & 0xFFFFF) << np.uint64(32) | np.uint64(words[1::2])
    return (bits | np.uint64(1023) << np.uint64(52)).view(np.float64) - 1


def normals(u, v):
    r, v = np.sqrt(-2 * np.log(np.maximum(np.float64(u), 1e-7))), 2 * np.pi * np.float64(v)
    return np.stack([np.sin(v) * r, np.cos(v) * r], -1).reshape(-1)


class Draws:
    """The draws of one number: pairs, with the second one first."""

    def __init__(self, seeds, number):
        self.key, self.at = seeds[0], (seeds[1] << 64) + 256 * number
        self.waiting = {"unit": [], "normal": []}

    def draw(self, kind):
        if not self.waiting[kind]:
            pair = doubles(np.uint32(block(self.key, self.at)))
            self.at += 1
            self.waiting[kind] = list(normals(*pair) if kind == "normal" else pair)
        return self.waiting[kind].pop()


def poisson(rate, draws):
    if rate < 10:
        product, events = draws.draw("unit"), 0
        while product > math.exp(-rate):
            product, events = product * draws.draw("unit"), events + 1
        return events
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = 0.02483 * b - 0.059
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    while True:
        u, v = draws.draw("unit") - 0.5, draws.draw("unit")
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + rate + 0.43)
        if edge >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (edge < 0.013 and v > edge):
            continue
        if math.log(v * inverse / (a / edge**2 + b)) <= k * math.log(rate) - rate - math.lgamma(k + 1):
            return k


def gamma(alpha, draws):
    if alpha == 1:
        return -math.log1p(-draws.draw("unit"))
    d = alpha + (2 / 3 if alpha < 1 else -1 / 3)
    while True:
        x = draws.draw("normal")
        v = 1 + x / 3 / math.sqrt(d)
        if v <= 0:
            continue
        v, u = v**3, draws.draw("unit")
        if u < 1 - 0.0331 * x**4 or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return d * v * (draws.draw("unit") ** (1 / alpha) if alpha < 1 else 1)


def sampled(sample, shape, parameters, seeds):
    """The numbers of one parameter are consecutive."""
    count, flat = int(np.prod(shape)), np.ravel(parameters)
    made = [[sample(p, Draws(seeds, a * count + i)) for i in range(count)]
            for a, p in enumerate(flat)]  # fmt: skip
    return np.float64(made).T.reshape(*shape, *np.shape(parameters))


SEEDS = (87654321, 5)


def samples():
    g = Graph(fold=False, options=["--bound=100000"])
    how = {"seed": SEEDS[0], "seed2": SEEDS[1]}
    rates = g.input(np.float32([[0.5, 4, 9.5], [10, 30, 1000]]))
    alphas = g.input(np.float32([0.1, 0.7, 1, 1.5, 20]))
    shape = [5, 7]
    events = sampled(poisson, shape, rates.value, SEEDS)
    amounts = sampled(gamma, shape, alphas.value, SEEDS)
    for dims in (g.constant(np.int32(shape)), g.input(np.int32(shape))):
        made = g.op("RandomPoissonV2", dims, rates, R=np.float32, dtype=np.int64, **how)
        g.expect(made, events)
        g.expect(g.op("RandomPoisson", dims, rates, dtype=np.float32, **how), events)
        g.expect(g.op("RandomGamma", dims, alphas, T=np.float32, **how), amounts, rtol=1e-5)
    none = g.op("RandomGamma", g.input(np.int32([0, 3])), alphas, T=np.float32, **how)
    g.expect(none, np.zeros((0, 3, 5)))
    return g


def many_samples():
    """There are more numbers than are computed at once."""
    g = Graph(fold=False, options=["--bound=20000"])
    rates = g.input(np.float32([3, 12]))
    made = g.op("RandomPoisson", g.input(np.int32([3000])), rates, dtype=np.float32, seed=SEEDS[0],
                seed2=SEEDS[1])  # fmt: skip
    g.expect(made, sampled(poisson, [3000], rates.value, SEEDS))
    return g


def truncated(key, counter, count):
    kept = []
    for group in range((count + 3) // 4):
        w = words(key, counter + 256 * group, 40)
        f = normals(floats(w[0::2]), floats(w[1::2]))
        kept += list(f[abs(f) < 2][:4])
    return np.float64(kept[:count])


def truncated_normal():
    g = Graph(fold=False)
    shape = [30, 11]
    want = truncated(SEEDS[0], SEEDS[1] << 64, 330).reshape(shape)
    for dims in (g.constant(np.int32(shape)), g.input(np.int32(shape))):
        made = g.op("TruncatedNormal", dims, dtype=np.float32, seed=SEEDS[0], seed2=SEEDS[1])
        g.expect(made, want, rtol=1e-4, atol=1e-5)
    return g


def mixed(seeds):
    """Key and counter of a generator with two seeds."""
    mask = (1 << 64) - 1
    w = block(0x02461E29 << 32 | 0x3EC8F720, (seeds[0] & mask) | (seeds[1] & mask) << 64)
    return w[0] | w[1] << 32, (w[2] | w[3] << 32) << 64


def stateless():
    g = Graph(fold=False)
    dims, wanted = g.constant(np.int32([2, 3])), g.input(np.int32([2, 3]))
    for seeds in (np.int32([1, 2]), np.int64([-5, 1 << 40])):
        key, counter = mixed([int(s) for s in seeds])
        w = words(key, counter, 16)
        units, normal = floats(w[:6]), normals(floats(w[0:6:2]), floats(w[1:6:2]))
        s = g.input(seeds)
        state = g.op("StatelessRandomGetKeyCounter", s, outputs=2, Tseed=seeds.dtype)
        g.expect(state[0], np.uint64([key]))
        g.expect(state[1], np.uint64([0, counter >> 64]))
        algorithm = g.constant(np.int32(1))
        for shape in (dims, wanted):
            for suffix, given in (("", [s]), ("V2", [*state, algorithm])):
                def op(name, *rest):
                    return g.op(name + suffix, shape, *given, *rest, dtype=np.float32)

                g.expect(op("StatelessRandomUniform"), units.reshape(2, 3))
                g.expect(op("StatelessRandomNormal"), normal.reshape(2, 3), rtol=1e-5, atol=1e-6)
                g.expect(op("StatelessTruncatedNormal"),
                         truncated(key, counter, 6).reshape(2, 3), rtol=1e-4, atol=1e-5)
                whole = g.op("StatelessRandomUniformFullInt" + suffix, shape, *given, dtype=np.int32)
                g.expect(whole, w[:6].view(np.int32).reshape(2, 3))
                low, high = g.input(np.int32(-3)), g.input(np.int32(9))
                made = g.op("StatelessRandomUniformInt" + suffix, shape, *given, low, high,
                            dtype=np.int32)  # fmt: skip
                g.expect(made, (np.int64(w[:6]) % 12 - 3).reshape(2, 3))
    # TensorFlow's guide shows these numbers for seeds 1 and 2.
    shown = g.op("StatelessRandomNormal", dims, g.constant(np.int32([1, 2])), dtype=np.float32)
    g.expect(shown, [[0.5441101, 0.20738031, 0.07356433], [0.04643455, -1.30159, -0.95385665]],
             rtol=1e-5)  # fmt: skip
    # A counter whose lower half overflows.
    full = (1 << 64) - 1
    made = g.op("StatelessRandomUniformV2", dims, g.input(np.uint64([7])),
                g.input(np.uint64([full, 3])), g.constant(np.int32(1)), dtype=np.float32)
    g.expect(made, floats(words(7, full | 3 << 64, 8))[:6].reshape(2, 3))
    return g


def dynamic_shapes():
    """The numbers depend on their indices in the run-time shape."""
    g = Graph(fold=False)
    how = {"seed": SEEDS[0], "seed2": SEEDS[1], "T": np.int32}
    w = words(SEEDS[0], SEEDS[1] << 64, 40)
    dims = g.input(np.int32([4, 3]))
    made = g.op("RandomUniform", dims, dtype=np.float32, **how)
    g.expect(made, floats(w[:12]).reshape(4, 3))
    low, high = g.input(np.int64(0)), g.input(np.int64(10))
    made = g.op("RandomUniformInt", dims, low, high, Tout=np.int64, **how)
    wide = np.uint64(w[0:24:2]) | np.uint64(w[1:24:2]) << np.uint64(32)
    g.expect(made, (wide % np.uint64(10)).reshape(4, 3))
    made = g.op("RandomStandardNormal", dims, dtype=np.float32, **how)
    g.expect(made, normals(floats(w[0:12:2]), floats(w[1:12:2])).reshape(4, 3), rtol=1e-5, atol=1e-5)
    # All rows, in some order.
    rows = g.op("Range", *(g.input(np.int32(n)) for n in (0, 50, 1)), Tidx=np.int32)
    shuffled = g.op("RandomShuffle", rows, T=np.int32, seed=3)
    places = g.op("Unique", g.op("Mul", shuffled, shuffled, T=np.int32), outputs=2, T=np.int32,
                  out_idx=np.int32)  # fmt: skip
    g.expect(g.op("Shape", places[0], T=np.int32, out_type=np.int32), [50])
    return g


def classes():
    g = Graph(fold=False)
    logits = np.float32([[0, 1, -np.inf, 2], [5, 5, 5, 5]])
    u = doubles(words(SEEDS[0], SEEDS[1] << 64, 24)).reshape(2, 6)
    weights = np.exp(np.float64(logits) - logits.max(1, keepdims=True))
    sums = np.cumsum(weights, 1)
    want = [np.searchsorted(s, n * s[-1], side="right") for s, n in zip(sums, u)]
    for count in (g.constant(np.int32(6)), g.input(np.int32(6))):
        made = g.op("Multinomial", g.input(logits), count, T=np.float32, output_dtype=np.int64,
                    seed=SEEDS[0], seed2=SEEDS[1])  # fmt: skip
        g.expect(made, want)
    return g


main(samples, many_samples, truncated_normal, stateless, dynamic_shapes, classes)
