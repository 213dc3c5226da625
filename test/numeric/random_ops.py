"""Random ops with seeds: each number is known."""

import numpy as np
from harness import Graph, main

LOW = 0xFFFFFFFF


def philox(seed, seed2, count):
    """Philox 4x32-10, on Python's integers."""
    words = []
    for group in range((count + 3) // 4):
        key = [seed & LOW, seed >> 32]
        x = [group & LOW, group >> 32, seed2 & LOW, seed2 >> 32]
        for _ in range(10):
            a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
            x = [(b >> 32) ^ x[1] ^ key[0], b & LOW, (a >> 32) ^ x[3] ^ key[1], a & LOW]
            key = [(key[0] + 0x9E3779B9) & LOW, (key[1] + 0xBB67AE85) & LOW]
        words += x
    return np.uint32(words)


def uniform32(words):
    return ((words & 0x7FFFFF) | 0x3F800000).view(np.float32) - np.float32(1)


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
    u = np.float64(np.maximum(uniform32(words[0::2]), np.float32(1e-7)))
    v = 2 * np.pi * np.float64(uniform32(words[1::2]))
    r = np.sqrt(-2 * np.log(u))
    normal = np.stack([np.sin(v) * r, np.cos(v) * r], 1).ravel()[:n].reshape(shape)
    g.expect(g.op("RandomStandardNormal", dims, dtype=np.float32, T=np.int32, **seeds), normal,
             rtol=1e-5, atol=1e-5)
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


main(few, many, shuffled)
