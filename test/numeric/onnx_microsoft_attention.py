"""Tests attention of the domain com.microsoft against NumPy in f64: merged, separate and packed
projections, masks, a past, caches of fixed size and rotary embeddings."""

import numpy as np
from onnx_graph import main
from onnx_microsoft import Contrib, f32, f64, near, rng, rotate

B, S, H, D = 2, 4, 3, 8  # batch, tokens, heads, elements of a head
W = H * D


def heads(x, count=H):
    """[B, S, heads * D] as [B, heads, S, D]."""
    return f64(x).reshape(*x.shape[:2], count, -1).swapaxes(1, 2)


def words(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def attend(q, k, v, hidden=0.0, scale=None, softcap=0, sink=None):
    scores = q @ k.swapaxes(-1, -2) * (scale or q.shape[-1] ** -0.5)
    if softcap:
        scores = np.tanh(scores / softcap) * softcap
    scores = scores + hidden
    most = scores.max(-1, keepdims=True)
    if sink is not None:
        most = np.maximum(most, sink)
    e = np.exp(scores - most)
    total = e.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - most)
    return words(e / total @ v)


def later(queries, keys):
    """Hides later tokens."""
    return np.where(np.tri(queries, keys, keys - queries), 0, -np.inf)


def off(seen, hidden=-10000.0):
    return np.where(seen, 0, hidden)


def merged():
    g = Contrib()
    x, w, bias = f32(B, S, 10), f32(10, 3 * W), f32(3 * W)
    q, k, v = (heads(part) for part in np.split(f64(x) @ w + bias, 3, -1))
    y = g.contrib("Attention", x, w, bias, num_heads=H)
    g.expect(y, attend(q, k, v), **near)
    y = g.contrib("Attention", x, w, bias, num_heads=H, unidirectional=1, scale=0.5)
    g.expect(y, attend(q, k, v, later(S, S), 0.5), **near)
    lengths = np.int32([3, 2])
    seen = np.arange(S) < lengths[:, None]
    y = g.contrib("Attention", x, w, bias, lengths, num_heads=H)
    g.expect(y, attend(q, k, v, off(seen)[:, None, None]), **near)
    ends = np.int32([4, 3, 1, 2])
    seen = (np.arange(S) < ends[:2, None]) & (np.arange(S) >= ends[2:, None])
    y = g.contrib("Attention", x, w, bias, ends, num_heads=H)
    g.expect(y, attend(q, k, v, off(seen)[:, None, None]), **near)
    seen = np.int32([[1, 1, 0, 1], [0, 1, 1, 1]])
    y = g.contrib("Attention", x, w, bias, seen, num_heads=H, mask_filter_value=-50.0)
    g.expect(y, attend(q, k, v, off(seen, -50)[:, None, None]), **near)
    # Numbers near -10000 have few digits left, so each query has a key.
    seen = np.int32(rng.integers(0, 2, (B, S, S))) | np.eye(S, dtype=np.int32)
    more = f32(1, H, S, S)
    y = g.contrib("Attention", x, w, None, seen, None, more, num_heads=H)
    plain = [heads(part) for part in np.split(f64(x) @ w, 3, -1)]
    g.expect(y, attend(*plain, off(seen)[:, None] + more), **near)
    return g


def past():
    g = Contrib()
    x, w, bias, old = f32(B, S, 10), f32(10, 3 * W), f32(3 * W), f32(2, B, H, 5, D)
    q, k, v = (heads(part) for part in np.split(f64(x) @ w + bias, 3, -1))
    k, v = np.concatenate([old[0], k], 2), np.concatenate([old[1], v], 2)
    y, present = g.contrib("Attention", x, w, bias, None, old, num_heads=H, unidirectional=1, outputs=2)
    g.expect(y, attend(q, k, v, later(S, 9)), **near)
    g.expect(present, np.stack([k, v]), **near)
    square = np.int32(rng.integers(0, 2, (B, 1, 12, 12)))
    square[..., 0] = 1
    y, _ = g.contrib("Attention", x, w, bias, square, old, num_heads=H, outputs=2)
    g.expect(y, attend(q, k, v, off(square[:, :, 5:9, :9])), **near)
    # Values with another size have no past.
    w, bias = f32(10, 2 * W + 2 * H), f32(2 * W + 2 * H)
    parts = np.split(f64(x) @ w + bias, [W, 2 * W], -1)
    y = g.contrib("Attention", x, w, bias, num_heads=H, qkv_hidden_sizes=[W, W, 2 * H])
    g.expect(y, attend(*map(heads, parts)), **near)
    return g


def quantized():
    g = Contrib()
    x, w = rng.integers(0, 256, (B, S, 10)).astype(np.uint8), rng.integers(-128, 128, (10, 3 * W)).astype(np.int8)
    bias, s, t = f32(3 * W), np.float32(0.02), np.float32(rng.uniform(0.001, 0.01, 3 * W))
    zx, zw = np.uint8(120), rng.integers(-9, 9, 3 * W).astype(np.int8)
    exact = (f64(x) - 120) * f64(s) @ ((f64(w) - zw) * t) + bias
    q, k, v = (heads(part) for part in np.split(exact, 3, -1))
    seen = np.int32([[1, 1, 0, 1], [0, 1, 1, 1]])
    y = g.contrib("QAttention", x, w, bias, s, t, seen, zx, zw, num_heads=H)
    g.expect(y, attend(q, k, v, off(seen)[:, None, None]), rtol=1e-4, atol=1e-4)
    old = f32(2, B, H, 5, D)
    y, present = g.contrib("QAttention", x, w, bias, s, t, None, zx, zw, old, num_heads=H, unidirectional=1, outputs=2)
    k, v = np.concatenate([old[0], k], 2), np.concatenate([old[1], v], 2)
    g.expect(y, attend(q, k, v, later(S, 9)), rtol=1e-4, atol=1e-4)
    g.expect(present, np.stack([k, v]), rtol=1e-4, atol=1e-4)
    return g


def separate():
    g = Contrib()
    T = 6
    q, k, v = f32(B, S, W), f32(B, T, W), f32(B, T, 2 * H)
    exact = [heads(x) for x in (q, k, v)]
    g.expect(g.contrib("MultiHeadAttention", q, k, v, num_heads=H), attend(*exact), **near)
    lengths, seen = np.int32([5, 3]), np.int32(rng.integers(0, 2, (B, T)))
    y = g.contrib("MultiHeadAttention", q, k, v, None, lengths, num_heads=H, scale=0.3)
    g.expect(y, attend(*exact, off(np.arange(T) < lengths[:, None])[:, None, None], 0.3), **near)
    more = f32(B, 1, S, T)
    y = g.contrib("MultiHeadAttention", q, k, v, None, seen, more, num_heads=H)
    g.expect(y, attend(*exact, off(seen)[:, None, None] + more), **near)
    bias = f32(2 * W + 2 * H)
    y = g.contrib("MultiHeadAttention", q, k, v, bias, num_heads=H)
    parts = np.split(bias, [W, 2 * W])
    g.expect(y, attend(*(heads(x + f64(b)) for x, b in zip((q, k, v), parts))), **near)
    crossed = [np.ascontiguousarray(np.float32(x)) for x in exact[1:]]
    g.expect(g.contrib("MultiHeadAttention", q, *crossed, num_heads=H), attend(*exact), **near)
    return g


def packed():
    g = Contrib()
    all = f32(B, S, H, 3, D)
    q, k, v = (f64(all[:, :, :, i]).swapaxes(1, 2) for i in range(3))
    y = g.contrib("MultiHeadAttention", all, num_heads=H, unidirectional=1)
    g.expect(y, attend(q, k, v, later(S, S)), **near)
    both, x = f32(B, 6, H, 2, D), f32(B, S, W)
    y = g.contrib("MultiHeadAttention", x, both, num_heads=H)
    g.expect(y, attend(heads(x), *(f64(both[:, :, :, i]).swapaxes(1, 2) for i in range(2))), **near)
    old = f32(B, H, 5, D), f32(B, H, 5, D)
    q, k, v = f32(B, S, W), f32(B, S, W), f32(B, S, W)
    y, keys, values = g.contrib("MultiHeadAttention", q, k, v, None, None, None, *old, num_heads=H, unidirectional=1,
                                outputs=3)  # fmt: skip
    whole = [np.concatenate([a, heads(b)], 2) for a, b in zip(old, (k, v))]
    g.expect(y, attend(heads(q), *whole, later(S, 9)), **near)
    g.expect(keys, whole[0], **near)
    g.expect(values, whole[1], **near)
    return g


class Cached:
    """A GroupQueryAttention of 4 heads, with 2 heads of keys."""

    def __init__(self, steps, past, befores, rotary=None, window=None):
        self.q, self.k, self.v = f32(B, steps, 4 * D), f32(B, steps, 2 * D), f32(B, steps, 2 * D)
        self.steps, self.past, self.befores = steps, past, befores
        self.old = (f32(B, 2, past, D), f32(B, 2, past, D)) if past else (None, None)
        angles = rng.uniform(0, 6, (32, (rotary or D) // 2))
        self.cos, self.sin = np.float32(np.cos(angles)), np.float32(np.sin(angles))
        self.lengths = np.int32([n + steps - 1 for n in befores])

    def feeds(self, total, rotary=False):
        angles = (self.cos, self.sin) if rotary else ()
        return [self.q, self.k, self.v, *self.old, self.lengths, np.int32(total), *angles]

    def exact(self, present, interleaved=None, window=None, more=0.0, **how):
        q, k, v = heads(self.q, 4), heads(self.k, 2), heads(self.v, 2)
        places = np.int64(self.befores)[:, None] + np.arange(self.steps)
        if interleaved is not None:
            c, s = self.cos[places][:, None], self.sin[places][:, None]
            q, k = rotate(q, c, s, interleaved), rotate(k, c, s, interleaved)
        keys, values = np.zeros((2, B, 2, present, D))
        for b, n in enumerate(self.befores):
            for whole, old, new in ((keys, self.old[0], k), (values, self.old[1], v)):
                if n:
                    whole[b, :, :n] = old[b, :, :n]
                whole[b, :, n : n + self.steps] = new[b]
        at = np.arange(present)
        seen = at <= places[..., None]
        if window is not None:
            seen &= at > places[..., None] - window
        hidden = np.where(seen, 0, -np.inf)[:, None] + more
        y = attend(q, np.repeat(keys, 2, 1), np.repeat(values, 2, 1), hidden, **how)
        return y, keys, values


def expect(g, made, exact):
    for a, b in zip(made, exact):
        g.expect(a, b, **near)


def prompts():
    """The tokens have no past."""
    g = Contrib()
    c = Cached(5, 0, [0, 0])
    c.lengths = np.int32([4, 2])  # the second batch has padding at its end
    for rotary, interleaved in ((False, None), (True, 0), (True, 1)):
        made = g.contrib("GroupQueryAttention", *c.feeds(5, rotary), num_heads=4, kv_num_heads=2, outputs=3,
                         do_rotary=int(rotary), rotary_interleaved=interleaved or 0)  # fmt: skip
        expect(g, made, c.exact(5, interleaved))
    named = dict(num_heads=4, kv_num_heads=2, outputs=3)
    made = g.contrib("GroupQueryAttention", *c.feeds(5), local_window_size=2, softcap=1.5, scale=0.7, **named)
    expect(g, made, c.exact(5, window=2, softcap=1.5, scale=0.7))
    made = g.contrib("GroupQueryAttention", *c.feeds(5), smooth_softmax=1, **named)
    expect(g, made, c.exact(5, sink=0.0))
    more, sink = f32(1, 4, 5, 5), f32(4)
    made = g.contrib("GroupQueryAttention", *c.feeds(5), None, None, None, more, sink, **named)
    expect(g, made, c.exact(5, more=more, sink=sink[None, :, None, None]))
    all = np.concatenate([c.q, c.k, c.v], -1)
    made = g.contrib("GroupQueryAttention", all, None, None, *c.feeds(5, True)[3:], do_rotary=1, **named)
    expect(g, made, c.exact(5, 0))
    return g


def decodes():
    """The past grows, or it is in a buffer of fixed size."""
    g = Contrib()
    named = dict(num_heads=4, kv_num_heads=2, outputs=3, do_rotary=1)
    for steps in (1, 3):
        c = Cached(steps, 6, [6, 4], rotary=4)
        made = g.contrib("GroupQueryAttention", *c.feeds(6 + steps, True), **named)
        expect(g, made, c.exact(6 + steps, 0))
    # The total is constant: the whole past is in the buffer.
    c = Cached(1, 8, [6, 4])
    feeds = c.feeds(7, True)
    feeds[6] = g.constant(feeds[6])
    made = g.contrib("GroupQueryAttention", *feeds, local_window_size=3, **named)
    expect(g, made, c.exact(8, 0, window=3))
    # The first tokens are written to an empty buffer.
    c = Cached(3, 8, [0, 0])
    feeds = c.feeds(3, True)
    feeds[6] = g.constant(feeds[6])
    made = g.contrib("GroupQueryAttention", *feeds, **named)
    expect(g, made, c.exact(8, 0))
    return g


if __name__ == "__main__":
    main(merged, past, quantized, separate, packed, prompts, decodes)
