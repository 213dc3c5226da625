"""Tests attention in the form of ONNX exporters, against its parts in f64. Each form is one launch
for a GPU, which never stores all scores in memory."""

import re
import subprocess

import numpy as np
from harness import STEP
from onnx_graph import OnnxGraph, main

random = np.random.default_rng(4)
B, H, S, T, D = 2, 3, 37, 45, 16  # batch, heads, rows, columns, elements of a head


def values(*shape, of=np.float32):
    return random.uniform(-2, 2, shape).astype(of)


def heads(x):
    """[B, S, H, D] as [B, H, S, D], in f64."""
    return np.float64(x).swapaxes(1, 2)


def attention(q, k, v, scale, hidden=0.0):
    with np.errstate(invalid="ignore"):
        scores = q @ k.swapaxes(-1, -2) * scale + hidden
        e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


class Export(OnnxGraph):
    """A model whose inputs are q, k and v in the layout of the projections of tokens."""

    tolerance = 2e-5
    device = ["--gpu=sim"]

    def __init__(self, of=np.float32, rows=S, columns=T, **how):
        super().__init__(fold=False, options=[*self.device], **how)
        self.of, self.rows, self.columns = of, rows, columns
        if of == np.float16:
            self.tolerance = 5e-3
        wide = [values(B, n, H * D, of=of) for n in (rows, columns, columns)]
        self.q, self.k, self.v = map(self.input, wide)
        self.exact = [heads(x.reshape(B, -1, H, D)) for x in wide]

    def ints(self, *numbers):
        return self.constant(np.int64(numbers))

    def number(self, x):
        return self.constant(self.of(x))

    def hide(self, *shape, share=0.3):
        """The summand of the scores in f32, which is very negative for some."""
        return np.where(random.random(shape) < share, np.float32(-1e4), np.float32(0))

    def turned(self, x, *order):
        """The tokens are divided into heads, in this order."""
        return self.op("Transpose", self.op("Reshape", x, self.ints(B, -1, H, D)), perm=[*order])

    def finish(self, made, exact, wide=D):
        """The heads are merged to tokens again."""
        words = self.op("Transpose", made, perm=[0, 2, 1, 3])
        words = self.op("Reshape", words, self.ints(B, -1, H * wide))
        exact = exact.swapaxes(1, 2).reshape(B, -1, H * wide)
        self.expect(words, exact, rtol=self.tolerance, atol=self.tolerance)
        return self

    def check(self, folder):
        problems = super().check(folder)
        if not self.options or STEP:
            return problems
        shown = subprocess.run(["weir", "compile", str(folder / "graph.txt"), "--gpu=sim", "--stop-after=plan"],
                               capture_output=True, text=True)  # fmt: skip
        if re.search(rf"memref<({B}x{H}|{B * H})x{self.rows}x{self.columns}xf", shown.stdout):
            problems.append("the scores are in memory")
        return problems


def bert():
    """Hugging Face's BERT: the transposes of k are one, and the scores are divided."""
    g = Export()
    q, k, v = g.turned(g.q, 0, 2, 1, 3), g.turned(g.k, 0, 2, 3, 1), g.turned(g.v, 0, 2, 1, 3)
    hidden = g.hide(B, 1, 1, T)
    scores = g.op("Div", g.op("MatMul", q, k), g.number(4))
    scores = g.op("Add", scores, g.input(hidden))
    return g.finish(g.op("MatMul", g.op("Softmax", scores, axis=-1), v),
                    attention(*g.exact, 0.25, hidden))  # fmt: skip


def sdpa():
    """PyTorch's scaled_dot_product_attention: the root of the scale is on both operands, and the
    mask is Boolean."""
    g = Export()
    q, k, v = (g.turned(x, 0, 2, 1, 3) for x in (g.q, g.k, g.v))
    root = g.number(0.5)
    q, k = g.op("Mul", q, root), g.op("Mul", g.op("Transpose", k, perm=[0, 1, 3, 2]), root)
    seen = random.random((1, 1, S, T)) < 0.7
    hidden = g.op("Where", g.input(seen), g.number(0), g.number(-np.inf))
    scores = g.op("Add", g.op("MatMul", q, k), hidden)
    return g.finish(g.op("MatMul", g.op("Softmax", scores, axis=-1), v),
                    attention(*g.exact, 0.25, np.where(seen, 0, -np.inf)))  # fmt: skip


def causal():
    """GPT-2: the scores of later tokens are replaced, and a mask hides other tokens."""
    g = Export(rows=T)
    q, k, v = g.turned(g.q, 0, 2, 1, 3), g.turned(g.k, 0, 2, 3, 1), g.turned(g.v, 0, 2, 1, 3)
    seen = np.tril(np.ones((1, 1, T, T), bool))
    hidden = g.hide(B, 1, 1, T, share=0.1)
    hidden[..., 0] = 0
    scores = g.op("Div", g.op("MatMul", q, k), g.number(4))
    scores = g.op("Where", g.constant(seen), scores, g.number(np.finfo(np.float32).min))
    scores = g.op("Add", scores, g.input(hidden))
    exact = attention(*g.exact, 0.25, np.where(seen, np.float64(hidden), -np.inf))
    return g.finish(g.op("MatMul", g.op("Softmax", scores, axis=-1), v), exact)


def merged():
    """BART, OPT and others: batches and heads are one dimension of the products, and two
    dimensions for the addition of the mask."""
    g = Export()

    def side(x, scale=None):
        x = g.turned(g.op("Mul", x, g.number(scale)) if scale else x, 0, 2, 1, 3)
        return g.op("Reshape", x, g.ints(B * H, -1, D))

    q, k, v = side(g.q, 0.25), side(g.k), side(g.v)
    hidden = g.hide(B, 1, S, T)
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
    scores = g.op("Add", g.op("Reshape", scores, g.ints(B, H, S, T)), g.input(hidden))
    weights = g.op("Softmax", g.op("Reshape", scores, g.ints(B * H, S, T)), axis=-1)
    made = g.op("Reshape", g.op("MatMul", weights, v), g.ints(B, H, S, D))
    return g.finish(made, attention(*g.exact, 0.25, hidden))


def plain_merged():
    """The same without a mask."""
    g = Export()

    def side(x):
        return g.op("Reshape", g.turned(x, 0, 2, 1, 3), g.ints(B * H, -1, D))

    q, k, v = side(g.q), side(g.k), side(g.v)
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
    made = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    return g.finish(g.op("Reshape", made, g.ints(B, H, S, D)), attention(*g.exact, 1))


def after_softmax():
    """Heads and batches are separated after the softmax."""
    g = Export()

    def side(x):
        return g.op("Reshape", g.turned(x, 0, 2, 1, 3), g.ints(B * H, -1, D))

    scores = g.op("MatMul", side(g.q), g.op("Transpose", side(g.k), perm=[0, 2, 1]))
    weights = g.op("Reshape", g.op("Softmax", scores, axis=-1), g.ints(B, H, S, T))
    return g.finish(g.op("MatMul", weights, g.turned(g.v, 0, 2, 1, 3)), attention(*g.exact, 1))


def widened():
    """Llama: the softmax of f16 is computed in f32."""
    g = Export(np.float16)
    q, k, v = (g.turned(x, 0, 2, 1, 3) for x in (g.q, g.k, g.v))
    scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.number(0.25))
    hidden = g.hide(B, 1, S, T).astype(np.float16)
    scores = g.op("Cast", g.op("Add", scores, g.input(hidden)), to=1)
    weights = g.op("Cast", g.op("Softmax", scores, axis=-1), to=10)
    return g.finish(g.op("MatMul", weights, v), attention(*g.exact, 0.25, np.float64(hidden)))


def wide_mask():
    """A mask of f32 is added to widened scores."""
    g = Export(np.float16)
    q, k, v = (g.turned(x, 0, 2, 1, 3) for x in (g.q, g.k, g.v))
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    hidden = g.hide(B, 1, S, T)
    scores = g.op("Add", g.op("Mul", g.op("Cast", scores, to=1), g.constant(np.float32(0.25))), g.input(hidden))
    weights = g.op("Cast", g.op("Softmax", scores, axis=-1), to=10)
    return g.finish(g.op("MatMul", weights, v), attention(*g.exact, 0.25, np.float64(hidden)))


def grouped():
    """The heads of k and v are fewer, and repeated for those of q."""
    g = Export()
    k, v = (values(B, T, 1, D) for _ in range(2))

    def repeated(x):
        x = g.op("Transpose", g.input(x), perm=[0, 2, 1, 3])
        x = g.op("Expand", g.op("Unsqueeze", x, g.ints(2)), g.ints(B, 1, H, T, D))
        return g.op("Reshape", x, g.ints(B, H, T, D))

    scores = g.op("MatMul", g.turned(g.q, 0, 2, 1, 3), g.op("Transpose", repeated(k), perm=[0, 1, 3, 2]))
    weights = g.op("Softmax", g.op("Mul", scores, g.number(0.25)), axis=-1)
    return g.finish(g.op("MatMul", weights, repeated(v)), attention(g.exact[0], heads(k), heads(v), 0.25))


def cached():
    """A decoder's step, with k stored in the layout of the product, [B, H, D, T]."""
    g = Export(rows=1, columns=345)
    past, before = values(B, H, D, 300), values(B, H, 300, D)
    newer, later = (g.op("Slice", x, g.ints(0), g.ints(45), g.ints(1)) for x in (g.k, g.v))
    k = g.op("Concat", g.input(past), g.turned(newer, 0, 2, 3, 1), axis=-1)
    v = g.op("Concat", g.input(before), g.turned(later, 0, 2, 1, 3), axis=2)
    scores = g.op("Div", g.op("MatMul", g.turned(g.q, 0, 2, 1, 3), k), g.number(4))
    q, newer, later = g.exact
    exact = attention(q, np.concatenate([past.swapaxes(2, 3), newer[:, :, :45]], 2),
                      np.concatenate([before, later[:, :, :45]], 2), 0.25)  # fmt: skip
    return g.finish(g.op("MatMul", g.op("Softmax", scores, axis=-1), v), exact)


def torch_heads():
    """nn.MultiheadAttention: tokens are the first dimension, and heads and batches are one."""
    g = Export()
    def side(x, *order):
        x = g.op("Transpose", x, perm=[1, 0, 2])
        return g.op("Transpose", g.op("Reshape", x, g.ints(-1, B * H, D)), perm=[*order])

    q, k, v = side(g.q, 1, 0, 2), side(g.k, 1, 2, 0), side(g.v, 1, 0, 2)
    scores = g.op("MatMul", g.op("Mul", q, g.number(0.25)), k)
    made = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    return g.finish(g.op("Reshape", made, g.ints(B, H, S, D)), attention(*g.exact, 0.25))


def no_nan():
    """Fully masked rows become zeros, as in newer exports of PyTorch."""
    g = Export()
    q, k, v = (g.turned(x, 0, 2, 1, 3) for x in (g.q, g.k, g.v))
    seen = random.random((1, 1, S, T)) < 0.7
    seen[0, 0, 3] = False
    hidden = g.op("Where", g.input(seen), g.number(0), g.number(-np.inf))
    scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), hidden)
    weights = g.op("Softmax", scores, axis=-1)
    weights = g.op("Where", g.op("IsNaN", weights), g.number(0), weights)
    exact = attention(*g.exact, 1, np.where(seen, 0, -np.inf))
    return g.finish(g.op("MatMul", weights, v), np.where(np.isnan(exact), 0, exact))


def masked_rows(kind, of=np.float32):
    """ONNX's Attention: a row without keys is zero, for any mask."""

    def build():
        g = Export(of=of, opset=24)
        q, k, v = (g.turned(x, 0, 2, 1, 3) for x in (g.q, g.k, g.v))
        seen = random.random((B, 1, S, T)) < 0.7
        seen[0, 0, 3], seen[1, 0, :5] = False, False
        mask, lengths, options = None, None, {}
        if kind == "bool":
            mask = g.input(seen)
        elif kind == "float":
            mask = g.input(np.where(seen, of(0), of(-np.inf)))
        else:  # fewer keys than queries, and none
            lengths, options = np.int64([30, 0]), dict(is_causal=1)
            last = np.arange(S)[:, None] + lengths[:, None, None, None] - S
            seen = np.broadcast_to(np.arange(T) <= last, (B, 1, S, T))
            lengths = g.input(lengths)
        made = g.op("Attention", q, k, v, mask, None, None, lengths, **options)
        exact = attention(*g.exact, 0.25, np.where(seen, 0, -np.inf))
        return g.finish(made, np.where(np.isnan(exact), 0, exact))

    build.__name__ = f"masked_rows_{kind}_{np.dtype(of).name}"
    return build


def position_bias():
    """T5: there is no scale, and each head has a bias."""
    g = Export()
    q, k, v = g.turned(g.q, 0, 2, 1, 3), g.turned(g.k, 0, 2, 3, 1), g.turned(g.v, 0, 2, 1, 3)
    bias = values(1, H, S, T)
    scores = g.op("Add", g.op("MatMul", q, k), g.input(bias))
    weights = g.op("Softmax", scores, axis=-1)
    return g.finish(g.op("MatMul", weights, v), attention(*g.exact, 1, bias))


def wide_values():
    """A head has values of 200 elements."""
    g = Export()
    v = values(B, T, H, 200)
    k = g.turned(g.k, 0, 2, 3, 1)
    scores = g.op("MatMul", g.turned(g.q, 0, 2, 1, 3), k)
    made = g.op("MatMul", g.op("Softmax", scores, axis=-1), g.op("Transpose", g.input(v), perm=[0, 2, 1, 3]))
    return g.finish(made, attention(*g.exact[:2], heads(v), 1), 200)


def on_processor(case):
    """The case without a GPU."""

    def build():
        Export.device = []
        try:
            return case()
        finally:
            Export.device = ["--gpu=sim"]

    build.__name__ = f"{case.__name__}_on_processor"
    return build


masked = [masked_rows("bool"), masked_rows("float"), masked_rows("float", np.float16), masked_rows("lengths")]

main(bert, sdpa, causal, merged, plain_merged, after_softmax, widened, wide_mask, grouped, cached, torch_heads,
     no_nan, position_bias, wide_values, *masked,
     *map(on_processor, (merged, after_softmax, widened, wide_mask, no_nan, *masked)))  # fmt: skip
