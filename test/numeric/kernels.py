"""Tests matrix products and convolutions in all shapes that kernels distinguish: several blocks of
depth and of rows, copied rows, panels of few columns, packed constants, epilogues, and every
vector width."""

import math

import numpy as np
from harness import Graph, main
from levels import host_levels

random = np.random.default_rng(23)


def normal(*shape, type=np.float32):
    return type(random.standard_normal(shape))


def wide(tensor):
    return np.asarray(tensor.value, np.float64)


def dense(g, rows, depth, columns, type=np.float32, rtol=1e-5):
    """relu(x w + b) + r with a constant w, and x w without an epilogue."""
    x, w = g.input(normal(rows, depth, type=type)), g.constant(normal(depth, columns, type=type))
    b, r = g.constant(normal(columns, type=type)), g.input(normal(rows, columns, type=type))
    product = wide(x) @ wide(w)
    atol = rtol * depth**0.5
    y = g.op("MatMul", x, w)
    g.expect(y, product, rtol=rtol, atol=atol)
    z = g.op("AddV2", g.op("Relu", g.op("BiasAdd", g.op("MatMul", x, w), b)), r)
    g.expect(z, np.maximum(product + wide(b), 0) + wide(r), rtol=rtol, atol=atol)
    gelu = g.op("Erf", g.op("BiasAdd", g.op("MatMul", x, w), b))
    saturated = np.vectorize(math.erf)(product + wide(b))
    g.expect(gelu, saturated, rtol=rtol * 10, atol=atol)


def convolution(g, image, filter, stride, padding, dilation=1, groups=1):
    n, h, w, ci = image
    kh, kw, co = filter
    x = g.input(normal(*image))
    f = g.constant(normal(kh, kw, ci // groups, co))
    b = g.constant(normal(co))
    attributes = dict(strides=[1, stride, stride, 1], padding=padding)
    if dilation > 1:
        attributes["dilations"] = [1, dilation, dilation, 1]
    y = g.op("Relu", g.op("BiasAdd", g.op("Conv2D", x, f, **attributes), b))
    g.expect(y, reference(wide(x), wide(f), wide(b), stride, padding, dilation, groups),
             rtol=1e-5, atol=1e-5 * (kh * kw * ci // groups) ** 0.5)


def alike(g, rows, depth, columns, type=np.float32):
    """Equal columns have equal products, also among the last few: a softmax would amplify their
    differences."""
    x, one = g.input(normal(rows, depth, type=type)), normal(depth, 1, type=type)
    y = g.op("MatMul", x, g.constant(np.repeat(one, columns, 1)))
    first = g.op("Slice", y, g.constant(np.int32([0, 0])), g.constant(np.int32([rows, 1])))
    g.expect(g.op("Sub", y, first), np.zeros((rows, columns)))


def recurrence(g, steps, rows, inputs, states):
    """tanh([x h] w) step by step, as in unrolled networks: the products of the inputs are
    joined."""
    x = g.input(normal(steps, rows, inputs))
    w = g.constant(normal(inputs + states, states) / 4)
    h = g.input(normal(rows, states))
    expected = wide(h)
    parts = g.op("Unpack", x, num=steps, axis=0, outputs=steps)
    for t in range(steps):
        h = g.op("Tanh", g.op("MatMul", g.op("ConcatV2", parts[t], h, g.constant(np.int32(1))), w))
        expected = np.tanh(np.concatenate([wide(x)[t], expected], 1) @ wide(w))
    g.expect(h, expected, rtol=1e-4, atol=1e-5)


def reference(x, f, b, stride, padding, dilation, groups, depthwise=False):
    kh, kw = f.shape[:2]
    sizes, pads = [], [(0, 0)]
    for n, k in zip(x.shape[1:3], (kh, kw)):
        reach = (k - 1) * dilation + 1
        same = padding == "SAME"
        sizes.append(-(-n // stride) if same else (n - reach) // stride + 1)
        need = max((sizes[-1] - 1) * stride + reach - n, 0) if same else 0
        pads.append((need // 2, need - need // 2))
    x = np.pad(x, pads + [(0, 0)])
    y = np.zeros((x.shape[0], *sizes, f.shape[2] if depthwise else f.shape[3]))
    each = y.shape[3] // groups
    for i in range(kh):
        for j in range(kw):
            at = x[:, i * dilation :, j * dilation :]
            at = at[:, : (sizes[0] - 1) * stride + 1 : stride]
            at = at[:, :, : (sizes[1] - 1) * stride + 1 : stride]
            if depthwise:
                y += at * f[i, j, :, 0]
                continue
            for q in range(groups):
                inputs = at[..., q * f.shape[2] : (q + 1) * f.shape[2]]
                part = slice(q * each, (q + 1) * each)
                y[..., part] += inputs @ f[i, j, :, part]
    return np.maximum(y + b, 0)


def graph(level):
    g = Graph(fold=False, options=[f"-mcpu={level}"])
    for shape in [
        (1, 1, 1),
        (1, 300, 70),  # one row: several sets of sums
        (1, 300, 10),  # dot products
        (1, 2000, 16),
        (1, 131, 1),
        (2, 150, 1),  # of several rows
        (37, 70, 3),
        (35, 2000, 2),
        (100, 24, 1),
        (19, 33, 2),
        (3, 5, 100),
        (9, 70, 24),  # half vectors
        (64, 64, 48),  # rows a power of two apart
        (61, 129, 61),
        (30, 2600, 40),  # several blocks of the depth
        (300, 70, 3),
        (150, 1100, 33),
        # A tile has several panels, the last one fewer, or all panels for few rows.
        (1, 900, 603),
        (2, 900, 603),
        (4, 1200, 450),
        (6, 1200, 450),
    ]:
        dense(g, *shape)
    recurrence(g, 9, 2, 24, 40)
    for shape in ((1, 4096, 1000), (1, 4096, 13), (3, 200, 37), (23, 300, 5), (3, 1200, 450), (13, 999, 70)):
        alike(g, *shape)
    for rows, depth, columns in [(33, 40, 50), (9, 40, 11), (1, 140, 9), (9, 140, 2), (1, 600, 300)]:
        dense(g, rows, depth, columns, np.float64, 1e-13)
    for rows, depth, columns in [(18, 40, 50), (1, 140, 9), (11, 140, 2), (2, 1000, 600)]:
        dense(g, rows, depth, columns, np.float16, 2e-3)
    a, b = g.input(normal(3, 1, 150)), g.constant(normal(3, 150, 11))
    g.expect(g.op("BatchMatMulV2", a, b), wide(a) @ wide(b), rtol=1e-5, atol=1e-4)
    a, b = g.input(normal(3, 9, 150)), g.constant(normal(3, 150, 3))
    g.expect(g.op("BatchMatMulV2", a, b), wide(a) @ wide(b), rtol=1e-5, atol=1e-4)
    for a, b in [((7, 3, 40), (7, 40, 21)), ((2, 40, 16), (2, 16, 50))]:
        a, b = g.input(normal(*a)), g.input(normal(*b))
        y = g.op("BatchMatMulV2", a, b)
        g.expect(y, wide(a) @ wide(b), rtol=1e-5, atol=1e-5)
    # One column that is known only at run time is not packed.
    for rows, depth in [(17, 80), (40, 300), (3, 31)]:
        a, b, c = (g.input(normal(2, *shape)) for shape in ((rows, depth), (depth, 1), (1, depth)))
        g.expect(g.op("BatchMatMulV2", a, b), wide(a) @ wide(b), rtol=1e-5, atol=1e-4)
        g.expect(g.op("BatchMatMulV2", a, c, adj_y=True), wide(a) @ np.swapaxes(wide(c), 1, 2), rtol=1e-5, atol=1e-4)
    # A row is multiplied by a run-time operand: in place, few rows of what L2 does not
    # hold at a time, or transposed, in blocks of columns with a partial last one.
    for depth, columns in [(150, 11), (900, 1203)]:
        a, b = g.input(normal(2, 1, depth)), g.input(normal(2, depth, columns))
        g.expect(g.op("BatchMatMulV2", a, b), wide(a) @ wide(b), rtol=1e-5, atol=2e-4)
    # Chains of additions are as short as elsewhere.
    a, b = (g.input(random.random(shape).astype(np.float32)) for shape in ((1, 20000), (20000, 257)))
    g.expect(g.op("MatMul", a, b), wide(a) @ wide(b), rtol=1.5e-6)
    for depth, columns, type, close in [
        (64, 100, np.float32, 1e-4),
        (131, 16, np.float32, 1e-4),
        (40, 3, np.float64, 1e-12),
        (200, 37, np.float16, 0.1),
    ]:
        a, b = g.input(normal(3, 1, depth, type=type)), g.input(normal(3, columns, depth, type=type))
        exact = wide(a) @ np.swapaxes(wide(b), 1, 2)
        g.expect(g.op("BatchMatMulV2", a, b, adj_y=True), exact, rtol=2e-3 if type == np.float16 else 1e-5, atol=close)
    for type in (np.int32, np.int64):
        a, b = type(random.integers(-99, 99, (40, 33))), type(random.integers(-99, 99, (33, 37)))
        g.expect(g.op("MatMul", g.input(a), g.constant(b)), a.astype(np.int64) @ b)
    for arguments in [
        ((2, 9, 9, 3), (3, 3, 20), 1, "SAME"),
        ((1, 20, 31, 16), (3, 3, 70), 2, "SAME"),
        # Winograd convolutions have tiles of both sizes, with windows in one and more parts.
        ((1, 30, 25, 40), (3, 3, 33), 1, "SAME"),  # several blocks
        ((3, 31, 57, 32), (3, 3, 64), 1, "SAME"),
        ((2, 15, 13, 32), (5, 5, 48), 1, "SAME"),
        ((1, 14, 17, 20), (5, 5, 40), 1, "VALID"),
        ((3, 11, 12, 24), (7, 7, 40), 1, "VALID"),
        ((2, 17, 16, 16), (2, 2, 32), 1, "SAME"),
        ((1, 20, 21, 16), (4, 4, 33), 1, "SAME"),
        ((2, 29, 23, 32), (3, 3, 64), 2, "SAME"),
        ((1, 28, 30, 33), (3, 3, 64), 2, "VALID"),
        ((1, 24, 25, 32), (5, 3, 32), 2, "SAME"),
        ((1, 24, 25, 48), (1, 7, 32), 1, "SAME"),
        ((2, 12, 13, 32), (3, 3, 64), 1, "VALID"),
        ((1, 6, 6, 130), (3, 3, 40), 1, "SAME"),
        # Dilated Winograd convolutions have phases of equal and of unequal sizes.
        ((2, 16, 24, 40), (3, 3, 64), 1, "SAME", 2),
        ((1, 29, 33, 32), (3, 3, 48), 1, "SAME", 2),
        ((1, 30, 27, 32), (3, 3, 32), 1, "VALID", 3),
        ((1, 37, 35, 32), (5, 5, 32), 1, "SAME", 4),
        ((1, 14, 13, 256), (3, 3, 40), 1, "SAME"),  # high tiles
        ((1, 5, 5, 512), (3, 3, 8), 1, "VALID"),  # pixels a power of two apart
        ((1, 28, 28, 1), (5, 5, 32), 1, "VALID"),
        # The channels are no whole vector.
        ((2, 29, 53, 3), (7, 7, 64), 2, "SAME"),
        ((1, 17, 19, 5), (5, 5, 40), 1, "VALID"),
        ((1, 30, 33, 1), (11, 12, 32), 1, "SAME"),
        # A tile has two panels.
        ((2, 29, 53, 1), (7, 7, 64), 2, "SAME"),
        ((1, 11, 26, 8), (3, 3, 256), 1, "SAME", 2, 2),
        ((1, 9, 8, 12), (1, 1, 40), 1, "VALID"),
        ((1, 9, 8, 12), (1, 1, 40), 2, "VALID"),
        ((1, 30, 17, 4), (3, 2, 5), 1, "SAME", 3),
        # Taps are outside of the image for a tile, for a row of tiles, or for all.
        ((2, 14, 14, 40), (3, 3, 40), 1, "SAME", 12),
        ((1, 9, 15, 40), (3, 3, 16), 1, "SAME", 9),
        ((2, 7, 7, 33), (3, 3, 40), 1, "SAME", 24),
        ((1, 7, 40, 24), (5, 5, 33), 1, "SAME", 8),
        ((1, 5, 40, 40), (3, 3, 72), 1, "SAME", 15, 2),
        ((1, 9, 9, 24), (3, 3, 36), 1, "SAME", 1, 3),
        ((1, 9, 23, 8), (3, 3, 24), 2, "SAME"),  # half vectors
        # Few output channels use dot products, of whole and partial vectors.
        ((2, 13, 19, 32), (3, 3, 1), 1, "SAME"),
        ((1, 12, 21, 70), (3, 3, 3), 2, "SAME"),
        ((1, 11, 30, 24), (5, 7, 2), 1, "SAME", 3),
        ((1, 17, 18, 3), (7, 7, 1), 1, "VALID"),
        ((1, 1, 90, 16), (1, 9, 2), 1, "SAME"),
        ((3, 9, 8, 100), (1, 1, 2), 1, "VALID"),
        ((1, 5, 6, 1030), (3, 3, 1), 1, "SAME"),
        ((1, 1, 150, 20), (1, 80, 1), 1, "SAME"),  # too wide for it
        ((1, 9, 12, 40), (9, 16, 1), 1, "SAME"),  # long chains
        ((1, 9, 21, 24), (1, 1, 68), 1, "SAME", 1, 2),
        # A vector has several groups.
        ((2, 9, 21, 40), (3, 3, 40), 1, "SAME", 1, 10),
        ((1, 9, 17, 64), (3, 3, 64), 2, "SAME", 1, 16),
        ((1, 12, 13, 38), (5, 2, 38), 1, "VALID", 2, 19),
    ]:
        convolution(g, *arguments)
    for image, window, stride, padding in [
        ((2, 9, 9, 20), (3, 3), 1, "SAME"),
        ((1, 14, 30, 33), (3, 3), 2, "SAME"),
        ((1, 13, 31, 28), (5, 5), 2, "SAME"),
        ((1, 6, 6, 3), (5, 4), 1, "VALID"),
        ((1, 2, 2, 16), (7, 7), 1, "SAME"),
    ]:
        x, f = g.input(normal(*image)), g.constant(normal(*window, image[3], 1))
        b = g.constant(normal(image[3]))
        y = g.op("DepthwiseConv2dNative", x, f, strides=[1, stride, stride, 1], padding=padding)
        y = g.op("Relu", g.op("BiasAdd", y, b))
        expected = reference(wide(x), wide(f), wide(b), stride, padding, 1, 1, True)
        g.expect(y, expected, rtol=1e-5, atol=1e-5)
    return g


def images():
    """The layers of a batch exceed the caches, so images run one at a time; the end of the net
    does not."""
    level = host_levels()[0]
    g = Graph(fold=False, options=[f"-mcpu={level}"])
    first, second = normal(3, 3, 3, 32), normal(3, 3, 32, 32) / 8
    bias = normal(32)
    for n, h, w in ((6, 112, 113), (12, 80, 81)):
        x = g.input(normal(n, h, w, 3))
        how = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC"}
        y = g.op("Conv2D", x, g.constant(first), **how)
        y = g.op("Relu", g.op("BiasAdd", y, g.constant(bias)))
        z = g.op("AddV2", g.op("Conv2D", y, g.constant(second), **how), y)
        pool = g.op("MaxPool", z, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        layer = reference(wide(x), first, bias, 1, "SAME", 1, 1)
        # The residual is not the operand of relu: the sum may be negative.
        layer += convolved(layer, second)
        h, w = h // 2, w // 2
        most = layer[:, : 2 * h, : 2 * w].reshape(n, h, 2, w, 2, -1).max((2, 4))
        g.expect(pool, most, rtol=1e-5, atol=1e-4)
        g.expect(g.op("Mean", pool, g.constant(np.int32([0, 1, 2]))), most.mean((0, 1, 2)), rtol=1e-4)
    return g


def convolved(x, f):
    """A window of three by three over x, padded with zeros."""
    n, h, w, _ = x.shape
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return sum(x[:, i : i + h, j : j + w] @ f[i, j] for i in range(3) for j in range(3))


def named(level):
    def build():
        return graph(level)

    build.__name__ = level.replace("-", "_")
    return build


# The processor's own caches and tuning are used, too.
main(*[named(level) for level in [*host_levels(), "native"]], images)
