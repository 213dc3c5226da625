"""The cases for GPU measurements: single operations, and models of a few megabytes.

A case is a function of (ops, inputs, parameters) for the classes of ops.py, and the functions for
its inputs and parameters, as f32 arrays from fixed seeds. `tiny` sizes are for machines without a
GPU.
"""

import numpy as np


def numbers(seed, *shape, scale=1.0):
    values = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    return values * np.float32(scale)


class Case:
    def __init__(self, name, function, make, flops=0, traffic=0, half=False):
        """`flops` and `traffic` (bytes to and from memory) by definition; 0: unknown. `half`:
        computed in f16, from and to f32."""
        self.name, self.function, self.make = name, function, make
        self.flops, self.traffic, self.half = flops, traffic, half


def dense(ops, x, p, name):
    return ops.add(ops.matmul(x, p[name + "/w"]), p[name + "/b"])


def dense_parameters(seed, p, name, rows, columns):
    p[name + "/w"] = numbers(seed, rows, columns, scale=(2 / rows) ** 0.5)
    p[name + "/b"] = numbers(seed + 1, columns, scale=0.1)


def mlp(ops, x, p):
    h = ops.relu(dense(ops, x[0], p, "0"))
    h = ops.relu(dense(ops, h, p, "1"))
    return dense(ops, h, p, "2")


def make_mlp(rows, sizes):
    p = {}
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        dense_parameters(10 + 2 * i, p, str(i), a, b)
    return [numbers(1, rows, sizes[0])], p


def transformer(layers, heads):
    def function(ops, x, p):
        h = x[0]
        batch, words, width = h.shape
        split = (batch, words, heads, width // heads)
        for i in range(layers):
            q, k, v = (ops.reshape(dense(ops, h, p, f"{i}/{n}"), split) for n in "qkv")
            q, v = ops.transpose(q, (0, 2, 1, 3)), ops.transpose(v, (0, 2, 1, 3))
            k = ops.transpose(k, (0, 2, 3, 1))
            dots = ops.mul(ops.matmul(q, k), float((width // heads) ** -0.5))
            mixed = ops.transpose(ops.matmul(ops.softmax(dots), v), (0, 2, 1, 3))
            mixed = ops.reshape(mixed, (batch, words, width))
            h = ops.add(h, dense(ops, mixed, p, f"{i}/o"))
            h = ops.layernorm(h, p[f"{i}/g1"], p[f"{i}/b1"])
            wide = ops.gelu(dense(ops, h, p, f"{i}/up"))
            h = ops.add(h, dense(ops, wide, p, f"{i}/down"))
            h = ops.layernorm(h, p[f"{i}/g2"], p[f"{i}/b2"])
        return h
    return function


def make_transformer(batch, words, width, layers):
    p = {}
    for i in range(layers):
        for j, n in enumerate(["q", "k", "v", "o"]):
            dense_parameters(100 * i + 2 * j, p, f"{i}/{n}", width, width)
        dense_parameters(100 * i + 20, p, f"{i}/up", width, 4 * width)
        dense_parameters(100 * i + 30, p, f"{i}/down", 4 * width, width)
        for j in (1, 2):
            p[f"{i}/g{j}"] = 1 + numbers(100 * i + 40 + j, width, scale=0.05)
            p[f"{i}/b{j}"] = numbers(100 * i + 50 + j, width, scale=0.05)
    return [numbers(2, batch, words, width)], p


def residual(stages):
    def function(ops, x, p):
        def conv(h, name, stride=1):
            return ops.add(ops.conv(h, p[name + "/w"], stride), p[name + "/b"])
        h = ops.relu(conv(x[0], "stem"))
        for i in range(stages):
            if i:
                h = ops.relu(conv(h, f"{i}/down", 2))
            for j in range(2):
                y = ops.relu(conv(h, f"{i}/{j}/1"))
                h = ops.relu(ops.add(conv(y, f"{i}/{j}/2"), h))
        return dense(ops, ops.mean_of_places(h), p, "classes")
    return function


def make_residual(batch, size, width, stages):
    p = {}

    def conv(seed, name, k, rows, columns, gain=1.0):
        p[name + "/w"] = numbers(seed, k, k, rows, columns, scale=gain * (2 / (k * k * rows)) ** 0.5)
        p[name + "/b"] = numbers(seed + 1, columns, scale=0.05)
    conv(300, "stem", 3, 3, width)
    for i in range(stages):
        if i:
            conv(400 + 20 * i, f"{i}/down", 2, width, 2 * width)
            width *= 2
        for j in range(2):
            conv(402 + 20 * i + 4 * j, f"{i}/{j}/1", 3, width, width)
            conv(404 + 20 * i + 4 * j, f"{i}/{j}/2", 3, width, width, 0.3)
    dense_parameters(390, p, "classes", width, 100)
    return [numbers(3, batch, size, size, 3)], p


def softmax(rows, columns):
    return Case(f"softmax {rows}x{columns}", lambda o, x, p: o.softmax(x[0]),
                lambda: ([numbers(4, rows, columns, scale=3)], {}), 0, 8 * rows * columns)


def layer_norm(rows, columns):
    return Case(f"layer norm {rows}x{columns}", lambda o, x, p: o.layernorm(x[0], p["g"], p["b"]),
                lambda: ([numbers(5, rows, columns)],
                         {"g": 1 + numbers(6, columns, scale=0.1), "b": numbers(7, columns)}),
                0, 8 * rows * columns)


def elementwise(count):
    return Case(f"gelu(x + y) * 0.5 + z, {count}",
                lambda o, x, p: o.add(o.mul(o.gelu(o.add(x[0], x[1])), 0.5), x[2]),
                lambda: ([numbers(8 + i, count) for i in range(3)], {}), 0, 16 * count)


def transpose(side):
    return Case(f"transpose {side}x{side}", lambda o, x, p: o.transpose(x[0], (1, 0)),
                lambda: ([numbers(11, side, side)], {}), 0, 8 * side * side)


def product(side):
    return Case(f"product {side}^3", lambda o, x, p: o.matmul(x[0], x[1]),
                lambda: ([numbers(12 + i, side, side) for i in range(2)], {}), 2 * side**3)


def product_and_gelu(side):
    return Case(f"product, bias, gelu {side}^3",
                lambda o, x, p: o.gelu(o.add(o.matmul(x[0], x[1]), x[2])),
                lambda: ([numbers(12 + i, side, side, scale=0.2) for i in range(2)]
                         + [numbers(14, side)], {}), 2 * side**3)


def product_of_f16(side):
    return Case(f"product {side}^3, f16", lambda o, x, p: o.matmul_of_f16(*x),
                lambda: ([numbers(24 + i, side, side) for i in range(2)], {}), 2 * side**3,
                half=True)


def convolution(batch, image, channels):
    return Case(f"convolution 3x3, bias, relu {batch}x{image}x{image}x{channels}",
                lambda o, x, p: o.relu(o.add(o.conv(x[0], p["w"]), p["b"])),
                lambda: ([numbers(15, batch, image, image, channels)],
                         {"w": numbers(16, 3, 3, channels, channels, scale=0.06),
                          "b": numbers(17, channels)}),
                2 * batch * image**2 * 9 * channels**2)


def attention(heads, words, width, half):
    return Case(f"attention {heads}x{words}x{width}" + ", f16" * half,
                lambda o, x, p: o.attention(*x, half=half),
                lambda: ([numbers(18 + i, 1, heads, words, width) for i in range(3)], {}),
                4 * heads * words**2 * width, half=half)


def mlp_net(batch, sizes):
    return Case(f"mlp {'-'.join(map(str, sizes))}, batch {batch}", mlp,
                lambda: make_mlp(batch, sizes),
                2 * batch * sum(a * b for a, b in zip(sizes, sizes[1:])))


def transformer_net(batch, words, width, layers, heads):
    return Case(f"transformer {layers}x{width}, {words} words, batch {batch}",
                transformer(layers, heads),
                lambda: make_transformer(batch, words, width, layers),
                batch * layers * (24 * words * width**2 + 4 * words**2 * width))


def residual_net(batch, size, width, stages):
    return Case(f"residual net {size}x{size}, batch {batch}", residual(stages),
                lambda: make_residual(batch, size, width, stages))


def cases(tiny):
    def of(full, small):
        return small if tiny else full
    found = [
        softmax(*of((16384, 4096), (24, 64))), layer_norm(*of((65536, 1024), (32, 48))),
        elementwise(of(1 << 24, 1 << 10)), transpose(of(8192, 64)), product(of(2048, 32)),
        product_and_gelu(of(2048, 32)), product_of_f16(of(4096, 48)),
        convolution(*of((16, 56, 64), (2, 8, 8)))]
    for words in of((128, 1024, 4096), (70,)):
        for half in (False, True):
            found.append(attention(of(12, 2), words, of(64, 24), half))
    for batch in (1, of(64, 3)):
        found.append(mlp_net(batch, of([784, 1024, 1024, 10], [16, 32, 24, 10])))
    for batch in (1, of(32, 2)):
        found.append(transformer_net(batch, *of((128, 256, 4, 4), (6, 16, 2, 2))))
    for batch in (1, of(32, 2)):
        found.append(residual_net(batch, *of((64, 64, 3), (8, 8, 2))))
    return found
