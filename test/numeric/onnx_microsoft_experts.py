"""Tests MoE and QMoE of the domain com.microsoft, against NumPy in float64: a softmax over all
experts, its k largest elements, and the sum of these experts' results."""

import numpy as np
from harness import main
from onnx_microsoft import Contrib, f32, f64, gelu, near, rng, sigmoid
from onnx_microsoft_quantized import pack
from references import softmax


def activation(name, x):
    return {"relu": lambda: np.maximum(x, 0), "gelu": lambda: gelu(x),
            "silu": lambda: x * sigmoid(x), "identity": lambda: x}[name]()  # fmt: skip


def swiglu(gate, linear, alpha=1.0, beta=0.0, limit=np.inf):
    gate, linear = np.minimum(gate, limit), np.clip(linear, -limit, limit)
    return gate * sigmoid(alpha * gate) * (linear + beta)


def mixture(x, router, k, expert, normalized=False):
    """`expert(e, rows)` is the result of one expert."""
    flat = f64(x).reshape(-1, x.shape[-1])
    shares = softmax(router)
    y = np.zeros_like(flat)
    for row in range(len(flat)):
        best = np.argsort(-shares[row], kind="stable")[:k]
        total = shares[row, best].sum() if normalized else 1
        for e in best:
            y[row] += shares[row, e] / total * expert(e, flat[row : row + 1])[0]
    return y.reshape(x.shape)


def layers(experts, hidden, inner, fused=1):
    return {"w1": f32(experts, fused * inner, hidden), "b1": f32(experts, fused * inner),
            "w2": f32(experts, hidden, inner), "b2": f32(experts, hidden),
            "w3": f32(experts, inner, hidden), "b3": f32(experts, inner)}  # fmt: skip


def linear(v, n, e, x):
    bias = v.get(f"b{n}")
    return x @ f64(v[f"w{n}"][e]).T + (0 if bias is None else f64(bias[e]))


def plain():
    """Few tokens, which gather the weights of their experts, and many."""
    g = Contrib()
    for shape, experts, k in (((2, 6), 7, 3), ((2, 5, 6), 4, 2), ((3, 6), 3, 1)):
        tokens = int(np.prod(shape[:-1]))
        x, router, v = f32(*shape), f32(tokens, experts), layers(experts, 6, 5)
        for name in ("relu", "gelu", "silu", "identity"):
            for normalized in (0, 1):
                y = g.contrib("MoE", x, router, v["w1"], v["b1"], v["w2"], v["b2"], activation_type=name, k=k,
                              normalize_routing_weights=normalized)  # fmt: skip
                exact = mixture(x, router, k, lambda e, r, v=v, name=name: linear(
                    v, 2, e, activation(name, linear(v, 1, e, r))), normalized)  # fmt: skip
                g.expect(y, exact, **near)
    v = layers(4, 6, 5)
    x, router = f32(3, 6), f32(3, 4)
    bare = {"w1": v["w1"], "w2": v["w2"]}
    exact = mixture(x, router, 1, lambda e, r: linear(bare, 2, e, np.maximum(linear(bare, 1, e, r), 0)))
    g.expect(g.contrib("MoE", x, router, v["w1"], None, v["w2"]), exact, **near)
    # The input dimension is before the outputs, as in the first files of the operator.
    before = [v[w].swapaxes(1, 2).copy() for w in ("w1", "w2")]
    g.expect(g.contrib("MoE", x, router, before[0], None, before[1]), exact, **near)
    # The weights have another float type than the tokens.
    wide = [f64(v[w]) for w in ("w1", "b1", "w2", "b2")]
    exact = mixture(x, router, 1, lambda e, r: linear(v, 2, e, np.maximum(linear(v, 1, e, r), 0)))
    g.expect(g.contrib("MoE", x, router, *wide), exact, **near)
    # A second layer runs beside the first, as in Mixtral.
    y = g.contrib("MoE", x, router, v["w1"], None, v["w2"], None, v["w3"], v["b3"], activation_type="silu", k=2,
                  normalize_routing_weights=1)  # fmt: skip
    both = {**bare, "w3": v["w3"], "b3": v["b3"]}
    exact = mixture(x, router, 2, lambda e, r: linear(both, 2, e, activation(
        "silu", linear(both, 1, e, r)) * linear(both, 3, e, r)), True)  # fmt: skip
    g.expect(y, exact, **near)
    return g


def gated():
    """The two layers of SwiGLU are separate, interleaved or concatenated."""
    g = Contrib()
    x, router = f32(5, 6), f32(5, 4)
    how = dict(activation_alpha=1.702, activation_beta=1.0, swiglu_limit=1.5)
    said = dict(alpha=np.float32(1.702), beta=1.0, limit=1.5)
    for fusion in (0, 1, 2):
        for options, numbers in (({}, {}), (how, said)):
            v = layers(4, 6, 5, 1 if fusion == 0 else 2)

            def expert(e, r, v=v, fusion=fusion, numbers=numbers):
                a = linear(v, 1, e, r)
                gate, other = {0: lambda: (a, linear(v, 3, e, r)), 1: lambda: (a[:, ::2], a[:, 1::2]),
                               2: lambda: (a[:, :5], a[:, 5:])}[fusion]()  # fmt: skip
                return linear(v, 2, e, swiglu(gate, other, **numbers))

            third = (v["w3"], v["b3"]) if fusion == 0 else ()
            y = g.contrib("MoE", x, router, v["w1"], v["b1"], v["w2"], v["b2"], *third, activation_type="swiglu",
                          swiglu_fusion=fusion, k=2, **options)  # fmt: skip
            g.expect(y, mixture(x, router, 2, expert), **near)
    return g


def quantized():
    g = Contrib()
    for bits, block, tokens, zeros in ((4, 0, 2, False), (8, 0, 6, True), (4, 16, 6, False), (8, 16, 1, True),
                                       (4, 16, 2, True), (4, 0, 6, True), (2, 16, 3, True)):  # fmt: skip
        experts, hidden, inner = 5, 32, 64
        x, router = f32(tokens, hidden), f32(tokens, experts)
        v, given = {}, {}
        for n, (outputs, inputs) in {1: (2 * inner, hidden), 2: (hidden, inner)}.items():
            blocks = inputs // block if block else 1
            codes = rng.integers(0, 1 << bits, (experts, outputs, inputs))
            scales = np.float32(rng.uniform(0.5, 1.5, (experts, outputs, blocks)) / (1 << bits))
            points = rng.integers(0, 1 << bits, scales.shape) if zeros else np.full(scales.shape, 1 << (bits - 1))
            wide = [a.repeat(inputs // blocks, 2) for a in (points, f64(scales))]
            v[f"w{n}"] = (codes - wide[0]) * wide[1]
            v[f"b{n}"] = f32(experts, outputs)
            shape = scales.shape if block else scales.shape[:2]
            given[n] = (pack(codes, bits), scales.reshape(shape), v[f"b{n}"], pack(points.reshape(shape), bits))

        def expert(e, r, v=v):
            a = linear(v, 1, e, r)
            return linear(v, 2, e, swiglu(a[:, ::2], a[:, 1::2]))

        points = (None, None, None, given[1][3], given[2][3]) if zeros else ()
        more = dict(block_size=block) if block else {}
        y = g.contrib("QMoE", x, router, *given[1][:3], *given[2][:3], *points, activation_type="swiglu",
                      swiglu_fusion=1, k=2, normalize_routing_weights=1, expert_weight_bits=bits, **more)  # fmt: skip
        g.expect(y, mixture(x, router, 2, expert, True), rtol=2e-4, atol=2e-4)
    return g


main(plain, gated, quantized)
