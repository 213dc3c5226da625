"""Tests special functions, gradients of activations, complex numbers, and rounding to the values
of a small integer."""

import math

import numpy as np
from harness import Graph, bf16, main

np.seterr(all="ignore")
random = np.random.default_rng(5)
INF, NAN = np.inf, np.nan


def each(function):
    return np.vectorize(function, otypes=[np.float64])


def lgamma(x):
    if math.isnan(x) or x == INF:
        return x
    if x == -INF or (x <= 0 and x == math.floor(x)):
        return INF
    return math.lgamma(x)


def digamma(x):
    """The recurrence up to 20, then the asymptotic series."""
    if x <= 0 and x == math.floor(x):
        return NAN
    if x == INF:
        return INF
    if x < 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    steps = []
    while x < 20:
        steps.append(-1 / x)
        x += 1
    series = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760]
    tail = [-c / x ** (2 * n + 2) for n, c in enumerate(series)]
    return math.fsum(steps + [math.log(x), -0.5 / x] + tail)


def integral(function, low, high, pieces=400):
    """Gauss and Legendre's rule of 20 points on each of many pieces."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(low, high, pieces + 1)
    half = np.diff(edges)[:, None] / 2
    points = edges[:-1, None] + half * (nodes + 1)
    return math.fsum((half * weights * function(points)).ravel())


def igammac(a, x):
    """1 - P(a, x): the tail of the density of gamma, which is smooth."""
    density = lambda t: np.exp((a - 1) * np.log(t) - t - math.lgamma(a))
    return integral(density, x, x + 60 + 20 * math.sqrt(a))


def igamma(a, x):
    """The series, until the sum does not change."""
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    terms, n = [term], 0
    while term > 1e-20 * terms[0] or n < x:
        n += 1
        term *= x / (a + n)
        terms.append(term)
    return math.fsum(terms)


def zeta(x, q):
    """Many terms, then the first three of Euler and Maclaurin's remainder."""
    count = 20000
    head = math.fsum((q + n) ** -x for n in range(count))
    a = q + count
    return head + a ** (1 - x) / (x - 1) + a**-x / 2 + x * a ** (-x - 1) / 12


def betainc(a, b, x):
    """Its integral, with a substitution that removes the singularities at the ends."""
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    # t = sin(s)^2
    density = lambda s: 2 * np.exp(scale) * np.sin(s) ** (2 * a - 1) * np.cos(s) ** (2 * b - 1)
    return integral(density, 0, math.asin(math.sqrt(x)))


def functions():
    graph = Graph()
    points = np.concatenate([[0.0, 1.0, 2.0, 3.0, -1.0, -2.0, INF, NAN, 0.5, -0.5, 1e-8, 40.0],
                             random.uniform(-6, 12, 50), random.uniform(0.9, 2.1, 20)])
    for type, far in ((np.float32, 8.0), (np.float64, 24.0)):
        x = graph.input(type(points))
        exact = np.float64(x.value)
        bound = {"ulp": 0.01} if type == np.float32 else {"rtol": 3e-14, "atol": 2e-15}
        graph.expect(graph.op("Lgamma", x), each(lgamma)(exact), **bound)
        # Left of its zeros, the error of lgamma is relative to its terms.
        graph.expect(graph.op("Digamma", x), each(digamma)(exact),
                     rtol=bound.get("rtol", 1e-7), atol=bound.get("atol", 1e-7))
        z = graph.input(type(np.concatenate([[0.0, -0.0, INF, -INF, NAN, far],
                                             random.uniform(-5, far, 50)])))
        exact = np.float64(z.value)
        graph.expect(graph.op("Erfc", z), each(math.erfc)(exact),
                     **({"ulp": 0.01} if type == np.float32 else {"rtol": 5e-16 * 8}))
    return graph


def loops():
    graph = Graph(fold=False)
    a = np.array([0.3, 1.0, 2.5, 5.0, 20.0, 80.0, 300.0, 0.7, 1.0, 10.0])
    x = np.array([0.2, 3.0, 2.0, 9.0, 18.0, 95.0, 290.0, 6.0, 1e-3, 40.0])
    for type in (np.float32, np.float64):
        order, at = graph.input(type(a)), graph.input(type(x))
        pairs = np.float64(order.value), np.float64(at.value)
        bound = {"ulp": 0.05} if type == np.float32 else {"rtol": 2e-12}
        graph.expect(graph.op("Igamma", order, at), each(igamma)(*pairs), **bound)
        graph.expect(graph.op("Igammac", order, at), each(igammac)(*pairs), **bound)
        edge = graph.input(type([1.0, 1.0, -1.0, 2.0, 0.0, NAN]))
        end = graph.input(type([0.0, INF, 1.0, -1.0, 1.0, 1.0]))
        graph.expect(graph.op("Igamma", edge, end), [0, 1, NAN, NAN, NAN, NAN])
        graph.expect(graph.op("Igammac", edge, end), [1, 0, NAN, NAN, NAN, NAN])
        power = graph.input(type([1.5, 2.0, 3.0, 8.0, 30.0, 2.0, 4.5]))
        shift = graph.input(type([1.0, 0.25, 7.5, 2.0, 1.5, 100.0, 0.5]))
        sums = each(zeta)(np.float64(power.value), np.float64(shift.value))
        graph.expect(graph.op("Zeta", power, shift), sums, **bound)
        edge = graph.input(type([1.0, 0.5, 2.0, 2.0, 1.5]))
        end = graph.input(type([2.0, 2.0, 0.0, -3.0, -0.5]))
        graph.expect(graph.op("Zeta", edge, end), [INF, NAN, INF, INF, NAN])
        count = graph.input(type([0.0, 1.0, 2.0, 3.0, 5.0, 1.5]))
        where = graph.input(type([2.5, 2.5, 0.5, 4.0, 1.25, 1.0]))
        given = np.float64(count.value), np.float64(where.value)
        expected = [digamma(float(where.value[0]))]
        for n, q in list(zip(*given))[1:5]:
            expected.append((-1) ** (n + 1) * math.factorial(int(n)) * zeta(n + 1, q))
        graph.expect(graph.op("Polygamma", count, where), expected + [NAN], **bound)
        p = graph.input(type([0.5, 1.0, 2.5, 20.0, 3.0, 50.0]))
        q = graph.input(type([0.5, 3.0, 1.5, 10.0, 0.75, 60.0]))
        t = graph.input(type([0.1, 0.9, 0.5, 0.7, 0.999, 0.45]))
        triples = [np.float64(v.value) for v in (p, q, t)]
        graph.expect(graph.op("Betainc", p, q, t), each(betainc)(*triples), **bound)
        p = graph.input(type([1.0, 1.0, 0.0, 1.0]))
        graph.expect(graph.op("Betainc", p, graph.input(type([2.0, 2.0, 1.0, 1.0])),
                              graph.input(type([0.0, 1.0, 0.5, 1.5]))), [0, 1, NAN, NAN])
    return graph


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
# These depend on the gradient and on the operand, or the result, of the function.
GRADIENTS = {
    "ReluGrad": lambda g, x: np.where(x > 0, g, 0),
    "Relu6Grad": lambda g, x: np.where((x > 0) & (x < 6), g, 0),
    "LeakyReluGrad": lambda g, x: np.where(x > 0, g, g * np.float32(0.2)),
    "SoftplusGrad": lambda g, x: g / (1 + np.exp(-x)),
    "SoftsignGrad": lambda g, x: g / (1 + np.abs(x)) ** 2,
    "EluGrad": lambda g, y: np.where(y < 0, g * (y + 1), g),
    "SeluGrad": lambda g, y: np.where(y < 0, g * (y + SCALE * ALPHA), g * SCALE),
}
# These depend on the result and the gradient.
RESULTS = {
    "SigmoidGrad": lambda y, g: g * y * (1 - y),
    "TanhGrad": lambda y, g: g * (1 - y * y),
    "RsqrtGrad": lambda y, g: -0.5 * g * y**3,
    "SqrtGrad": lambda y, g: 0.5 * g / y,
    "ReciprocalGrad": lambda y, g: -g * y * y,
    "InvGrad": lambda y, g: -g * y * y,
}


def gradients():
    graph = Graph()
    for type in (np.float32, np.float64):
        a = graph.input(random.uniform(-8, 8, (5, 7)).astype(type))
        b = graph.input(random.uniform(-8, 8, (5, 7)).astype(type))
        for table in (GRADIENTS, RESULTS):
            for op, reference in table.items():
                # Sums such as y + 1 may cancel: the error is relative to their terms.
                graph.expect(graph.op(op, a, b),
                             reference(np.float64(a.value), np.float64(b.value)), ulp=6,
                             atol=8 * np.finfo(type).eps)
    return graph


def complexes():
    graph = Graph()
    for type in (np.float32, np.float64):
        parts = [graph.input(random.uniform(-3, 3, (4, 3)).astype(type)) for _ in range(4)]
        values = [np.float64(p.value) for p in parts]
        x, y = graph.op("Complex", *parts[:2]), graph.op("Complex", *parts[2:])
        a, b = values[0] + 1j * values[1], values[2] + 1j * values[3]
        tiny = {"rtol": 1e-5, "atol": 1e-5} if type == np.float32 else {"rtol": 1e-13, "atol": 1e-13}

        def expect(result, reference):
            graph.expect(graph.op("Real", result), np.real(reference), **tiny)
            graph.expect(graph.op("Imag", result), np.imag(reference), **tiny)

        for op, reference in [("AddV2", np.add), ("Sub", np.subtract), ("Mul", np.multiply),
                              ("RealDiv", np.divide), ("Pow", np.power)]:
            expect(graph.op(op, x, y), reference(a, b))
        for op, reference in [
            ("Neg", np.negative), ("Square", np.square), ("Conj", np.conj), ("Exp", np.exp),
            ("Log", np.log), ("Sqrt", np.sqrt), ("Sin", np.sin), ("Cos", np.cos),
            ("Tanh", np.tanh), ("Sinh", np.sinh), ("Reciprocal", np.reciprocal),
            ("Sigmoid", lambda z: 1 / (1 + np.exp(-z))), ("Sign", lambda z: z / np.abs(z)),
        ]:  # fmt: skip
            expect(graph.op(op, x), reference(a))
        graph.expect(graph.op("ComplexAbs", x), np.abs(a), **tiny)
        graph.expect(graph.op("Angle", x), np.angle(a), **tiny)
        graph.expect(graph.op("Equal", x, x), np.full(a.shape, True))
        axis = graph.constant(np.int32([1]))
        expect(graph.op("Sum", x, axis), np.sum(a, 1))
        expect(graph.op("Mean", x, axis, keep_dims=True), np.mean(a, 1, keepdims=True))
        expect(graph.op("AddN", x, y, x), a + b + a)
    return graph


def quantized(x, low, high, first, last):
    step = (high - low) / (last - first)
    zero = np.clip(np.floor(first - low / step + np.float32(0.5)), first, last)
    low, high = (first - zero) * step, (last - zero) * step
    inside = np.clip(x, low, high)
    return np.floor((inside - low) * (np.float32(1) / step) + np.float32(0.5)) * step + low


def fake_quant():
    graph = Graph()
    x = graph.input(random.uniform(-8, 8, (6, 4)).astype(np.float32))
    single = np.float32
    for bits, narrow in ((8, False), (8, True), (4, False)):
        first, last = single(narrow), single(2**bits - 1)
        how = {"num_bits": bits, "narrow_range": narrow}
        graph.expect(graph.op("FakeQuantWithMinMaxArgs", x, min=-6.0, max=5.0, **how),
                     quantized(x.value, single(-6), single(5), first, last), ulp=1)
        low, high = graph.input(single(-1.25)), graph.input(single(3.5))
        graph.expect(graph.op("FakeQuantWithMinMaxVars", x, low, high, **how),
                     quantized(x.value, low.value, high.value, first, last), ulp=1)
        low = graph.input(np.float32([-1, -2, 0, -3]))
        high = graph.input(np.float32([1, 3, 2, 0]))
        graph.expect(graph.op("FakeQuantWithMinMaxVarsPerChannel", x, low, high, **how),
                     quantized(x.value, low.value, high.value, first, last), ulp=1)
    g = graph.input(random.normal(size=(6, 4)).astype(np.float32))
    low, high = graph.input(single(-2.0)), graph.input(single(2.0))
    dx, dlow, dhigh = graph.op("FakeQuantWithMinMaxVarsGradient", g, x, low, high, outputs=3)
    step = single(4) / single(255)
    zero = np.floor(single(2) / step + single(0.5))
    least, most = -zero * step, (single(255) - zero) * step
    graph.expect(dx, np.where((x.value >= least) & (x.value <= most), g.value, 0))
    graph.expect(dlow, np.sum(g.value[x.value < least], dtype=np.float64), ulp=8)
    graph.expect(dhigh, np.sum(g.value[x.value > most], dtype=np.float64), ulp=8)
    return graph


if __name__ == "__main__":
    main(functions, loops, gradients, complexes, fake_quant)
