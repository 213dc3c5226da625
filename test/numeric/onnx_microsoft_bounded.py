"""Tests operators of the domain com.microsoft with a batch and a length that are known only at run
time, against NumPy."""

import numpy as np
from onnx_microsoft import fast_gelu, normal, rotate
from onnx_microsoft_attention import attend, heads, later, off
from onnx_microsoft_quantized import pack, quantized
from onnx_ranged import Model, f64, main, near

H, D = 2, 8
W = H * D


class Contrib(Model):
    def contrib(self, op, *operands, **more):
        made = [self.constant(o) if isinstance(o, (np.ndarray, np.generic)) else o for o in operands]
        return self.op(op, *made, domain="com.microsoft", **more)


def norms(n, s):
    g = Contrib(n, s)
    x, skip, gain, shift = g.x("n", "s", 8), g.x("n", "s", 8), g.weights(8), g.weights(8)
    y, total = g.contrib("SkipLayerNormalization", x, skip, gain, shift, outputs=4, epsilon=1e-5)[::3]
    whole = f64(x.value) + skip.value
    g.expect(y, normal(whole, 1e-5)[0] * gain + shift, **near)
    g.expect(total, whole, **near)
    g.expect(g.contrib("FastGelu", x, gain), fast_gelu(f64(x.value) + gain), **near)
    return g


def embeddings(n, s):
    g = Contrib(n, s)
    g.sums = True
    ids, mask = (g.x("n", "s", ids=limits) for limits in ((0, 11), (0, 2)))
    ids32, mask32 = g.op("Cast", ids, to=6), g.op("Cast", mask, to=6)
    words, places, gain, shift = g.weights(11, 6), g.weights(40, 6), g.weights(6), g.weights(6)
    y, count = g.contrib("EmbedLayerNormalization", ids32, None, words, places, None, gain, shift, mask32, outputs=2)
    whole = f64(words)[ids.value] + places[: g.s]
    g.expect(y, normal(whole)[0] * gain + shift, **near)
    g.expect(count, np.int32(mask.value.sum(1)))
    return g


def products(n, s):
    g = Contrib(n, s)
    g.sums = True
    x, w = g.x("n", "s", 32), g.weights(5, 32)
    g.expect(g.contrib("FusedMatMul", x, w, transB=1, alpha=0.5), 0.5 * (f64(x.value) @ w.T), **near)
    scores = g.contrib("FusedMatMul", x, x, transB=1)
    g.expect(scores, f64(x.value) @ f64(x.value).swapaxes(1, 2), rtol=1e-4, atol=1e-4)
    codes, scales = g.rng.integers(0, 16, (6, 2, 16)), g.rng.uniform(0.1, 1, (6, 2)).astype(np.float32)
    y = g.contrib("MatMulNBits", x, pack(codes, 4), scales, K=32, N=6, block_size=16)
    exact = ((codes - 8) * f64(scales)[..., None]).reshape(6, 32)
    g.expect(y, f64(x.value) @ exact.T, rtol=1e-4, atol=1e-3)
    ids = g.x("n", "s", ids=(0, 6))
    y = g.contrib("GatherBlockQuantized", pack(codes.reshape(6, 32), 4), ids, scales, block_size=16)
    g.expect(y, exact[ids.value], **near)
    b = g.rng.integers(0, 256, (32, 5)).astype(np.uint8)
    y = g.contrib("DynamicQuantizeMatMul", x, b, np.float32(0.01))
    g.expect(y, quantized(x.value) @ f64(b) * 0.01, rtol=3e-2, atol=0.2)
    return g


def packed(n, s):
    """Constant weights with enough columns stay packed."""
    g = Contrib(n, s)
    columns, rows, block = 40, 80, 32
    codes = g.rng.integers(0, 16, (columns, 3, block))
    scales = g.rng.uniform(0.1, 1, (columns, 3)).astype(np.float32)
    w = ((codes - 8) * f64(scales)[..., None]).reshape(columns, -1)[:, :rows]
    x, bias = g.x("n", "s", rows), g.weights(columns)
    named = dict(K=rows, N=columns, bits=4, block_size=block)
    y = g.contrib("MatMulNBits", x, pack(codes, 4), scales, None, None, bias, **named)
    g.expect(g.op("Relu", y), np.maximum(f64(x.value) @ w.T + bias, 0), rtol=1e-4, atol=1e-3)
    codes = g.rng.integers(-128, 128, (rows, columns)).astype(np.int8)
    scales = g.rng.uniform(0.01, 0.1, columns).astype(np.float32)
    y = g.op("DequantizeLinear", g.constant(codes), g.constant(scales), axis=1)
    g.expect(g.op("MatMul", x, y), f64(x.value) @ (codes * f64(scales)), rtol=1e-4, atol=1e-3)
    return g


def rotary(n, s):
    g = Contrib(n, s)
    g.sums = True
    angles = g.rng.uniform(0, 6, (40, D // 2))
    cos, sin = np.float32(np.cos(angles)), np.float32(np.sin(angles))
    x, places = g.x("n", "s", W), g.x("n", "s", ids=(0, 40))
    y = g.contrib("RotaryEmbedding", x, places, cos, sin)
    exact = rotate(heads(x.value, H), cos[places.value][:, None], sin[places.value][:, None])
    g.expect(y, exact.swapaxes(1, 2).reshape(g.n, g.s, W), **near)
    return g


def attention(n, s):
    g = Contrib(n, s)
    g.sums = True
    x, mask, w, bias = g.x("n", "s", 10), g.x("n", "s", ids=(0, 2)), g.weights(10, 3 * W), g.weights(3 * W)
    # A query without keys has few digits left.
    mask.value[:, 0] = 1
    mask32 = g.op("Cast", mask, to=6)
    y = g.contrib("Attention", x, w, bias, num_heads=H, unidirectional=1)
    parts = [heads(p, H) for p in np.split(f64(x.value) @ w + bias, 3, -1)]
    g.expect(y, attend(*parts, later(g.s, g.s)), **near)
    q, k, v = (g.x("n", "s", W) for _ in range(3))
    exact = [heads(x.value, H) for x in (q, k, v)]
    y = g.contrib("MultiHeadAttention", q, k, v, None, mask32, num_heads=H)
    g.expect(y, attend(*exact, off(mask.value)[:, None, None]), **near)
    return g


def cached(n, s):
    """A batch of tokens follows a past of any length."""
    g = Contrib(n, s)
    g.sums = True
    steps = 2
    angles = g.rng.uniform(0, 6, (40, D // 2))
    cos, sin = np.float32(np.cos(angles)), np.float32(np.sin(angles))
    q, k, v = g.x("n", steps, W), g.x("n", steps, D), g.x("n", steps, D)
    old = g.x("n", 1, "s", D), g.x("n", 1, "s", D)
    lengths = g.input(np.full(g.n, g.s + steps - 1, np.int32))
    g.dims[lengths.names[0]] = ("n",)
    total = g.input(np.int32(g.s + steps))
    made = g.contrib("GroupQueryAttention", q, k, v, *old, lengths, total, cos, sin, num_heads=H, kv_num_heads=1,
                     do_rotary=1, outputs=3)  # fmt: skip
    at = slice(g.s, g.s + steps)
    keys = np.concatenate([f64(old[0].value), rotate(heads(k.value, 1), cos[at], sin[at])], 2)
    values = np.concatenate([f64(old[1].value), heads(v.value, 1)], 2)
    turned = rotate(heads(q.value, H), cos[at], sin[at])
    y = attend(turned, keys.repeat(H, 1), values.repeat(H, 1), later(steps, g.s + steps))
    for a, b in zip(made, (y, keys, values)):
        g.expect(a, b, **near)
    return g


def prompts(n, s):
    """The number of tokens is arbitrary, without a past."""
    g = Contrib(n, s)
    g.sums = True
    q, k, v = g.x("n", "s", W), g.x("n", "s", D), g.x("n", "s", D)
    lengths = g.input(np.full(g.n, g.s - 1, np.int32))
    g.dims[lengths.names[0]] = ("n",)
    total = g.input(np.int32(g.s))
    made = g.contrib("GroupQueryAttention", q, k, v, None, None, lengths, total, num_heads=H, kv_num_heads=1, outputs=3)
    keys, values = heads(k.value, 1), heads(v.value, 1)
    y = attend(heads(q.value, H), keys.repeat(H, 1), values.repeat(H, 1), later(g.s, g.s))
    for a, b in zip(made, (y, keys, values)):
        g.expect(a, b, **near)
    return g


if __name__ == "__main__":
    main(norms, embeddings, products, packed, rotary, attention, cached, prompts)
