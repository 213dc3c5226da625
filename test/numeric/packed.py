"""Tests products with few-bit weights, which stay packed, against NumPy in f64: all widths,
blocks, zero points, shapes and rows, in all forms of the model."""


import numpy as np
from harness import STEP, excess_weights
from onnx_graph import OnnxGraph, Tensor, main
from onnx_microsoft_quantized import pack

rng = np.random.default_rng(77)
near = dict(rtol=1e-4, atol=1e-3)


class Packed(OnnxGraph):
    def __init__(self, threads=(), options=(), most=None):
        super().__init__(opset=21, fold=False, threads=threads, options=options)
        self.most = most  # bytes of weights in the library

    def check(self, folder):
        wrong = super().check(folder)
        if self.most and not STEP:
            wrong += excess_weights(f"{folder}/graph.so", self.most)
        return wrong

    def product(self, rows, depth, columns, bits=4, block=32, zero="none", half=False, bias=False, places=False, level=0):
        """A MatMulNBits of `rows`, a number or a shape, with these operands."""
        blocks = -(-depth // block)
        x = rng.standard_normal((*np.atleast_1d(rows), depth)).astype(np.float32)
        codes = rng.integers(0, 2**bits, (columns, blocks, block))
        scales = rng.uniform(0.01, 0.1, (columns, blocks)).astype(np.float16 if half else np.float32)
        operands = [self.input(x.astype(np.float16) if half else x)]
        operands += [self.constant(pack(codes, bits)), self.constant(scales.reshape(-1))]
        points, of_row = np.full((columns, blocks), 2 ** (bits - 1)), np.arange(depth) // block
        if zero == "bytes":
            points = rng.integers(0, 2**bits, (columns, blocks))
        elif zero == "floats":
            points = rng.uniform(0, 2**bits, (columns, blocks)).astype(np.float32)
        elif zero == "same":
            points = np.full((columns, blocks), 3 % 2**bits)
        real = points.astype(scales.dtype) if zero == "floats" else pack(points, bits)
        operands.append(None if zero == "none" else self.constant(real))
        if places:
            of_row = rng.integers(0, blocks, depth)
        operands.append(self.constant(np.int32(of_row)) if places else None)
        shift = rng.standard_normal(columns).astype(scales.dtype)
        operands.append(self.constant(shift) if bias else None)
        w = codes.reshape(columns, -1)[:, :depth] - np.float64(points)[:, of_row]
        w = w * np.float64(scales)[:, of_row]
        named = dict(K=depth, N=columns, bits=bits, block_size=block, accuracy_level=level)
        y = self.op("MatMulNBits", *operands, domain="com.microsoft", **named)
        a = x.astype(scales.dtype).astype(np.float64)
        exact = a @ w.T + (np.float64(shift) if bias else 0)
        # The error of an element of A is at most half of its block's scale.
        step = np.abs(x).max() / 254 * np.abs(w).sum(1).max() if level == 4 else 0
        self.expect(y, exact, **(dict(rtol=4e-3, atol=2e-2) if half else dict(near, atol=max(near["atol"], step))))

    def narrow(self, codes, type):
        """A constant of ONNX's type with this number of bits."""
        bits = {21: 4, 22: 4, 25: 2, 26: 2}[type]
        name = self.name("narrow")
        content = "".join(f"\\{b:03o}" for b in pack(codes.reshape(-1) & (2**bits - 1), bits).tobytes())
        dims = "".join(f" dims: {d}" for d in codes.shape)
        self.initializers.append(f'name: "{name}"{dims} data_type: {type} raw_data: "{content}"')
        return Tensor([name, name])


def widths():
    g = Packed()
    for bits in (2, 4, 8):
        for zero in ("none", "bytes", "same", "floats"):
            g.product(2, 64, 40, bits=bits, zero=zero)
        g.product(1, 256, 48, bits=bits, zero="bytes", half=True)
    return g


def blocks():
    g = Packed()
    for block in (16, 32, 64, 128, 256):
        g.product(1, 2 * block, 33, block=block, zero="bytes")
        g.product(3, 3 * block + 5, 64, block=block)
        g.product(2, block - 3, 40, block=block, zero="bytes")
    g.product(2, 100, 40, bits=2, block=16, zero="bytes")
    g.product(2, 130, 40, bits=8, block=16, zero="bytes")
    return g


def shapes():
    g = Packed()
    for columns in (1, 8, 16, 31, 32, 35, 50, 64, 96, 130):
        g.product(1, 96, columns, zero="bytes")
        g.product(5, 96, columns)
    for rows in (1, 2, 3, 4, 5, 7, 8, 9, 13, 32, 67):
        g.product(rows, 70, 48, zero="bytes", bias=True)
    g.product((2, 3), 64, 40, bias=True)
    g.product((), 64, 40, bias=True)
    g.product((2, 1, 3), 64, 40, half=True)
    g.product(3, 64, 40, zero="bytes", places=True)
    return g


def dequantized():
    """DequantizeLinear by columns, blocks or one scale, before products."""
    g = Packed()
    depth, columns = 70, 40
    for type, low, high in ((21, 0, 16), (22, -8, 8)):
        codes = rng.integers(low, high, (depth, columns))
        x = rng.standard_normal((3, depth)).astype(np.float32)
        for block in (0, 16, 32, None):
            shape = {0: (columns,), None: ()}.get(block, (-(-depth // (block or 1)), columns))
            scales = rng.uniform(0.01, 0.1, shape).astype(np.float32)
            zeros = rng.integers(low, high, shape)
            wide = lambda a: np.repeat(a, block, 0)[:depth] if block else a
            w = (codes - wide(np.float64(zeros))) * wide(np.float64(scales))
            named = dict(axis=0, block_size=block) if block else dict(axis=1)
            operands = [g.narrow(codes, type), g.constant(scales), g.narrow(zeros, type)]
            y = g.op("DequantizeLinear", *operands, **named)
            g.expect(g.op("MatMul", g.input(x), y), x @ w, **near)
            y = g.op("DequantizeLinear", *operands[:2], **named)
            g.expect(g.op("MatMul", g.input(x), y), x @ (codes * wide(np.float64(scales))), **near)
            turned = [g.narrow(codes.T, type), g.constant(scales.T), g.narrow(zeros.T, type)]
            named = dict(axis=1, block_size=block) if block else dict(axis=0)
            y = g.op("DequantizeLinear", *turned, **named)
            bias = rng.standard_normal(columns).astype(np.float32)
            y = g.op("Gemm", g.input(x), y, g.constant(bias), transB=1)
            g.expect(y, x @ w + bias, **near)
    return g


def dequantized_bytes():
    g = Packed()
    depth, columns = 70, 40
    for kind in (np.int8, np.uint8):
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        codes = rng.integers(low, high, (depth, columns)).astype(kind)
        x = rng.standard_normal((3, depth)).astype(np.float32)
        for block in (0, 32, None):
            shape = {0: (columns,), None: ()}.get(block, (-(-depth // (block or 1)), columns))
            scales = rng.uniform(0.001, 0.01, shape).astype(np.float32)
            zeros = rng.integers(low, high, shape).astype(kind)
            wide = lambda a: np.repeat(a, block, 0)[:depth] if block else a
            w = (codes - wide(np.float64(zeros))) * wide(np.float64(scales))
            named = dict(axis=0, block_size=block) if block else dict(axis=1)
            operands = [g.constant(codes), g.constant(scales), g.constant(zeros)]
            y = g.op("DequantizeLinear", *operands, **named)
            g.expect(g.op("MatMul", g.input(x), y), x @ w, **near)
    return g


def shared():
    """The product is large enough for threads, with the same bits for any number of them."""
    g = Packed(threads=[1, 2, 3, 4, 7], options=["--threads=3"])
    for rows in (1, 3, 40):
        g.product(rows, 512, 1000, zero="bytes", bias=True)
        g.product(rows, 520, 700, bits=8, block=64)
    return g


def quantized():
    """accuracy_level 4: the other operand may be quantized by blocks."""
    g = Packed(threads=[1, 2, 3], options=["--threads=2"])
    for bits in (2, 4, 8):
        for block in (16, 32, 128, 256):
            g.product(3, 2 * block + 20, 50, bits=bits, block=block, zero="bytes", level=4)
            g.product(1, 2 * block, 64, bits=bits, block=block, level=4, bias=True)
    g.product(9, 1024, 600, zero="bytes", level=4)
    # A row of zeros has a scale of zero.
    codes = np.full((32, 1, 16), 0x77, np.uint8)
    operands = [g.input(np.zeros((2, 32), np.float32)), g.constant(codes), g.constant(np.ones((32, 1), np.float32))]
    y = g.op("MatMulNBits", *operands, domain="com.microsoft", K=32, N=32, block_size=32, accuracy_level=4)
    g.expect(y, np.zeros((2, 32)))
    return g


def not_finite(inputs, columns=40, bits=4, block=32, level=0, options=()):
    """Rows that have an element that is not finite are NaN, the other rows are right."""
    g = Packed(threads=[1], options=options)
    for x in inputs:
        depth = x.shape[1]
        codes = rng.integers(0, 2**bits, (columns, -(-depth // block), block))
        scales = rng.uniform(0.01, 0.1, codes.shape[:2]).astype(np.float32)
        operands = [g.input(x), g.constant(pack(codes, bits)), g.constant(scales)]
        named = dict(K=depth, N=columns, bits=bits, block_size=block, accuracy_level=level)
        y = g.op("MatMulNBits", *operands, domain="com.microsoft", **named)
        w = (codes - 2.0 ** (bits - 1)) * np.float64(scales)[..., None]
        finite = np.isfinite(x).all(1, keepdims=True)
        exact = np.where(finite, x, 0) @ w.reshape(columns, -1)[:, :depth].T
        step = np.abs(w).sum() / columns / 127 if level == 4 else 0
        g.expect(y, np.where(finite, exact, np.nan), **dict(near, atol=near["atol"] + 2 * step))
    return g


def infinities(level, options):
    x = [rng.standard_normal((3, 70)).astype(np.float32) for _ in range(3)]
    for rows, number in zip(x, (np.inf, -np.inf, np.nan)):
        rows[1, 37] = number
    return not_finite(x, level=level, options=options)


def infinities_0():
    return infinities(0, [])


def infinities_0_avx2():
    return infinities(0, ["-mcpu=x86-64-v3"])


def infinities_4():
    return infinities(4, [])


def infinities_4_avx2():
    return infinities(4, ["-mcpu=x86-64-v3"])


def scratch_of_another():
    """The results of one product in scratch memory do not change the next one's sums."""
    x = [np.full((1, 112), np.nan, np.float32), np.ones((1, 100), np.float32)]
    return not_finite(x, bits=2, block=16, options=["-mcpu=x86-64-v3"])


def kept(bits, of_weight, **more):
    """The library has this number of bits per weight, including scales."""
    depth, columns = 1024, 512
    g = Packed(most=depth * columns * of_weight // 8 + 4096)
    g.product(2, depth, columns, bits=bits, **more)
    return g


def kept_2():
    return kept(2, 3)


def kept_4():
    return kept(4, 5)


def kept_4_zeros():
    return kept(4, 5, zero="bytes", block=64)


def kept_4_f16():
    return kept(4, 4.5, half=True)


def kept_8():
    return kept(8, 9)


def kept_dequantized():
    g = Packed(most=1024 * 512 * 9 // 8 + 1024 * 512 * 5 // 8 + 8192)
    x = rng.standard_normal((2, 1024)).astype(np.float32)
    narrow, bytes_ = rng.integers(-8, 8, (1024, 512)), rng.integers(-128, 128, (1024, 512)).astype(np.int8)
    scales = rng.uniform(0.01, 0.1, 512).astype(np.float32)
    for codes, made in ((narrow, g.narrow(narrow, 22)), (bytes_, g.constant(bytes_))):
        w = g.op("DequantizeLinear", made, g.constant(scales), axis=1)
        g.expect(g.op("MatMul", g.input(x), w), x @ (codes * np.float64(scales)), **dict(near, atol=1e-2))
    return g


def kept_rows():
    """Rows of tables are gathered: of bytes, and of ONNX's type."""
    g = Packed(most=2 * (1000 * 512 * 5 // 8) + 8192)
    codes, indices = rng.integers(0, 16, (1000, 512)), np.int64([[3, 999], [0, 7]])
    scales = rng.uniform(0.1, 1, (1000, 16)).astype(np.float32)
    named = dict(domain="com.microsoft", block_size=32, gather_axis=0, quantize_axis=1)
    wide = np.repeat(np.float64(scales), 32, 1)
    y = g.op("GatherBlockQuantized", g.constant(pack(codes, 4)), g.input(indices), g.constant(scales), bits=4, **named)
    g.expect(y, ((codes - 8) * wide)[indices], **near)
    y = g.op("GatherBlockQuantized", g.narrow(codes - 8, 22), g.input(indices), g.constant(scales), **named)
    g.expect(y, ((codes - 8) * wide)[indices], **near)
    return g


def kept_zeros_of_rows():
    g = Packed(most=1000 * 512 * 5 // 8 + 1000 * 512 // 32 + 8192)
    codes, indices = rng.integers(0, 16, (1000, 512)), np.int64([3, 999])
    scales, zeros = rng.uniform(0.1, 1, (1000, 16)).astype(np.float32), rng.integers(0, 16, (1000, 16))
    named = dict(domain="com.microsoft", bits=4, block_size=32, gather_axis=0, quantize_axis=1)
    operands = [g.constant(pack(codes, 4)), g.input(indices), g.constant(scales), g.constant(pack(zeros, 4))]
    exact = (codes - np.repeat(zeros, 32, 1)) * np.repeat(np.float64(scales), 32, 1)
    g.expect(g.op("GatherBlockQuantized", *operands, **named), exact[indices], **near)
    return g


main(widths, blocks, shapes, dequantized, dequantized_bytes, shared, quantized, infinities_0,
     infinities_0_avx2, infinities_4, infinities_4_avx2, scratch_of_another, kept_2, kept_4, kept_4_zeros, kept_4_f16,
     kept_8, kept_dequantized, kept_rows, kept_zeros_of_rows)  # fmt: skip
