"""Classifiers of ai.onnx.ml by support vectors, and tensors of strings, against NumPy in float64."""

import numpy as np
from onnx_graph import OnnxGraph, main
from references import softmax

rng = np.random.default_rng(7)
near = dict(rtol=2e-5, atol=2e-6)
ml = dict(domain="ai.onnx.ml")
names = ["ant", "bee", "cat", "dog"]


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def floats(array):
    return [float(v) for v in np.ravel(array)]


def kernel(kind, x, vectors, gamma, shift, degree):
    products = x @ vectors.T
    distance = ((x[:, None] - vectors) ** 2).sum(2)
    return {"LINEAR": lambda: products, "POLY": lambda: (gamma * products + shift) ** degree,
            "RBF": lambda: np.exp(-gamma * distance), "SIGMOID": lambda: np.tanh(gamma * products + shift)}[kind]()  # fmt: skip


def coupled(r):
    """LIBSVM's probabilities of classes: r[i, j] is that of i among i and j."""
    k = len(r)
    q = -r.T * r
    np.fill_diagonal(q, [sum(r[j, i] ** 2 for j in range(k) if j != i) for i in range(k)])
    p = np.full(k, 1 / k)
    for _ in range(100):
        qp = q @ p
        pqp = p @ qp
        if np.abs(qp - pqp).max() < 0.005 / k:
            break
        for i in range(k):
            change = (pqp - qp[i]) / q[i, i]
            p[i] += change
            pqp = (pqp + change * (change * q[i, i] + 2 * qp[i])) / (1 + change) ** 2
            qp = (qp + change * q[i]) / (1 + change)
            p /= 1 + change
    return p


def pairwise(x, v, classes, kind, parameters):
    """The votes for each class, the scores of pairs and, if v has the parameters,
    probabilities."""
    begins = np.concatenate([[0], np.cumsum(v["counts"])])
    products = kernel(kind, x, v["vectors"].astype(float), *parameters)
    votes, scores = np.zeros((len(x), classes)), []
    r = np.zeros((len(x), classes, classes))
    for i in range(classes):
        for j in range(i + 1, classes):
            of_i, of_j = slice(begins[i], begins[i + 1]), slice(begins[j], begins[j + 1])
            pair = len(scores)
            score = products[:, of_i] @ v["weights"][j - 1, of_i] + products[:, of_j] @ v["weights"][i, of_j]
            score = score + v["rho"][pair]
            votes[:, i] += score > 0
            votes[:, j] += score <= 0
            scores.append(score)
            if "a" in v:
                r[:, i, j] = np.clip(1 / (1 + np.exp(v["a"][pair] * score + v["b"][pair])), 1e-7, 1 - 1e-7)
                r[:, j, i] = 1 - r[:, i, j]
    return votes, np.stack(scores, 1), np.stack([coupled(one) for one in r]) if "a" in v else None


def support_vectors(kind, classes, sure, strings, post="NONE"):
    g = OnnxGraph()
    x, counts = f32(6, 4), [int(n) for n in rng.integers(1, 4, classes)]
    total, pairs = sum(counts), classes * (classes - 1) // 2
    v = dict(counts=counts, vectors=f32(total, 4), weights=f32(classes - 1, total), rho=f32(pairs))
    more = {}
    if sure:
        v.update(a=-1 - np.abs(f32(pairs)), b=f32(pairs))
        more = dict(prob_a=floats(v["a"]), prob_b=floats(v["b"]))
    numbers = [7, 3, 9, 1][:classes]
    more.update(classlabels_strings=names[:classes]) if strings else more.update(classlabels_ints=numbers)
    label, score = g.op("SVMClassifier", g.input(x), outputs=2, kernel_type=kind, kernel_params=[0.3, 0.5, 2.0],
                        vectors_per_class=counts, support_vectors=floats(v["vectors"]), rho=floats(v["rho"]),
                        coefficients=floats(v["weights"]), post_transform=post, **more, **ml)  # fmt: skip
    votes, scores, shares = pairwise(x.astype(float), v, classes, kind, (0.3, 0.5, 2.0))
    best = votes.argmax(1)
    g.expect(label, best if strings else np.int64(numbers)[best])
    if shares is not None:
        scores = shares
    elif pairs == 1:
        scores = np.concatenate([1 - scores if post == "SOFTMAX" else -scores, scores], 1)
    if post == "LOGISTIC":
        scores = 1 / (1 + np.exp(-scores))
    elif post == "SOFTMAX" and scores.shape[1] > 1 and (shares is not None or pairs > 1):
        scores = softmax(scores)
    g.expect(score, scores, rtol=2e-4, atol=2e-5)
    return g


def named(kind, classes, sure, strings, post="NONE"):
    def case():
        return support_vectors(kind, classes, sure, strings, post)

    case.__name__ = f"{kind}_{classes}_{sure}_{strings}_{post}".lower()
    return case


def linear():
    """Scores of classes with one or two columns. Of two classes the second is selected if the
    larger score is above 0, or is 0.5 or more without negative coefficients."""
    g = OnnxGraph()
    x = f32(7, 3)
    for classes in (2, 3):
        for w in (f32(classes, 3), np.abs(f32(classes, 3))):
            label, score = g.op("SVMClassifier", g.input(x), outputs=2, coefficients=floats(w), rho=[0.25],
                                classlabels_ints=[5, 4, 8][:classes], **ml)  # fmt: skip
            scores = x.astype(float) @ w.T.astype(float) + 0.25
            best = scores.argmax(1)
            if classes == 2:
                most = scores.max(1)
                best = np.where(most >= 0.5 if (w >= 0).all() else most > 0, 1, best)
            g.expect(label, np.int64([5, 4, 8])[best])
            g.expect(score, scores, **near)
    return g


def strings():
    """Each result is the index in a table, in the order of first use."""
    g = OnnxGraph(fold=False)
    x, w = f32(6, 4), f32(3, 4)
    label, _ = g.op("LinearClassifier", g.input(x), outputs=2, coefficients=floats(w), intercepts=[0.0, 0.0, 0.0],
                    classlabels_strings=["b", "a", "c"], **ml)  # fmt: skip
    best = (x.astype(float) @ w.T.astype(float)).argmax(1)
    g.expect(label, best)
    g.expect(g.op("Reshape", label, g.constant(np.int64([2, 3]))), best.reshape(2, 3))
    g.expect(g.op("Shape", label), np.int64([6]))
    y = g.op("LabelEncoder", label, keys_strings=["c", "b"], values_int64s=[30, 20], default_int64=-3, **ml)
    g.expect(y, np.int64([20, -3, 30])[best])
    y = g.op("LabelEncoder", label, keys_strings=["a", "b", "a"], values_floats=[0.5, 0.25, 9.0], **ml)
    g.expect(y, np.float32([0.25, 0.5, -0.0])[best])
    y = g.op("LabelEncoder", label, keys_strings=["c", "a"], values_strings=["x", "y"], default_string="x", **ml)
    g.expect(y, np.int64([0, 1, 0])[best])
    y = g.op("LabelEncoder", g.input(best), keys_int64s=[2, 0], values_strings=["p", "q"], **ml)
    g.expect(y, np.int64([1, 2, 0])[best])
    hot = g.op("OneHotEncoder", label, cats_strings=["a", "none", "b"], **ml)
    g.expect(hot, np.float32([[0, 0, 1], [1, 0, 0], [0, 0, 0]])[best])
    share = g.op("ZipMap", g.input(f32(2, 2)), classlabels_int64s=[4, 5], **ml)
    g.expect(share, g.inputs[-1][2])
    return g


main(linear, strings, named("RBF", 2, 0, 0), named("RBF", 2, 1, 1), named("LINEAR", 3, 0, 1), named("POLY", 3, 1, 0),
     named("SIGMOID", 4, 1, 1), named("RBF", 4, 0, 0, "SOFTMAX"), named("RBF", 2, 0, 0, "SOFTMAX"),
     named("RBF", 3, 1, 1, "LOGISTIC"))  # fmt: skip
