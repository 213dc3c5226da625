"""Tests the loss of labels without positions in time, against all sequences of classes that spell
them. Few sequences are enumerated; otherwise a recurrence is used. The derivatives are compared
with differences in float64."""

import itertools
import math

import bounded_data
import numpy as np
from harness import Graph, main
from opened import opened

random = np.random.default_rng(71)
F, D = np.float32, np.float64


def spelled(path, blank, merge):
    kept = [c for i, c in enumerate(path) if not (merge and i and path[i - 1] == c)]
    return [c for c in kept if c != blank]


def chances(logits):
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def all_paths(y, labels, blank, merge):
    steps, classes = y.shape
    return sum(np.prod(y[range(steps), path])
               for path in itertools.product(range(classes), repeat=steps)
               if spelled(path, blank, merge) == labels)  # fmt: skip


def by_progress(y, labels, blank, merge):
    """The same loss by a recurrence: the probability of each number of labels and last class."""
    now = {(0, blank): 1.0}
    for step in y:
        after = {}
        for (n, last), p in now.items():
            ways = [(n, blank)]
            if merge and last != blank:
                ways.append((n, last))
            if n < len(labels) and not (merge and labels[n] == last):
                ways.append((n + 1, labels[n]))
            for way in ways:
                after[way] = after.get(way, 0) + p * step[way[1]]
        now = after
    return sum(p for (n, _), p in now.items() if n == len(labels))


def loss_of(logits, labels, blank, merge, chance):
    with np.errstate(divide="ignore"):
        return -np.log(chance(chances(logits), labels, blank, merge))


def reference(logits, labels, lengths, blank, merge=True, collapse=False, chance=by_progress):
    """Losses, and their derivatives by the logits; there are none if labels are more than
    steps."""
    logits = logits.astype(D)
    losses, slopes = np.zeros(logits.shape[1]), np.zeros(logits.shape)
    for b, own in enumerate(labels):
        n = lengths[b]
        if len(own) > n:
            continue
        if blank:
            own = [c for c in own if c < blank]
        if collapse:
            own = [c for i, c in enumerate(own) if not i or own[i - 1] != c]
        x = logits[:n, b].copy()
        losses[b] = loss_of(x, own, blank, merge, chance)
        if np.isinf(losses[b]):
            slopes[:n, b] = chances(x)
            continue
        for place in np.ndindex(x.shape):
            kept, ends = x[place], []
            for step in (1e-5, -1e-5):
                x[place] = kept + step
                ends.append(loss_of(x, own, blank, merge, by_progress))
            x[place] = kept
            slopes[(place[0], b, place[1])] = (ends[0] - ends[1]) / 2e-5
    return losses, slopes


def sparse(labels):
    places = [[b, i] for b, own in enumerate(labels) for i in range(len(own))]
    return np.int64(places).reshape(-1, 2), np.int32([c for own in labels for c in own])


def add(g, op, logits, labels, lengths, chance=by_progress, constant=False, **options):
    places, values = sparse(labels)
    give = g.constant if constant else g.input
    attributes = {
        "merge": "ctc_merge_repeated",
        "collapse": "preprocess_collapse_repeated",
        "ignore": "ignore_longer_outputs_than_inputs",
    }
    made = g.op(op, g.input(logits), give(places), give(values), g.input(np.int32(lengths)), outputs=2,
                **{attributes[k]: v for k, v in options.items()})  # fmt: skip
    options.pop("ignore", None)
    blank = 0 if op == "CTCLossV2" else logits.shape[2] - 1
    wanted = reference(logits, labels, lengths, blank, chance=chance, **options)
    near = 2e-5 if logits.dtype == F else 1e-8
    for got, value in zip(made, wanted):
        g.expect(got, value, rtol=near, atol=near)


def logits(*shape, type=F):
    return (2 * random.standard_normal(shape)).astype(type)


def every_path():
    g = Graph()
    for type, merge, collapse in itertools.product((F, D), (True, False), (True, False)):
        x = logits(5, 4, 4, type=type)
        options = dict(chance=all_paths, merge=merge, collapse=collapse)
        add(g, "CTCLoss", x, [[0, 1, 2], [1, 1], [2], [0, 0, 1]], [5, 4, 1, 5], **options)
        add(g, "CTCLossV2", x, [[1, 2, 3], [2, 2], [3], [1, 1, 2]], [5, 4, 1, 5], **options)
    return g


def ends():
    """One step, two classes, labels that the blank ends or that are nothing else."""
    g = Graph()
    add(g, "CTCLoss", logits(1, 1, 2), [[0]], [1])
    add(g, "CTCLoss", logits(4, 2, 3), [[0, 2, 2], [2, 5]], [4, 3], chance=all_paths)
    # Two equal labels need a step between them.
    add(g, "CTCLoss", logits(3, 2, 3), [[1, 1], [1, 1]], [2, 3], chance=all_paths)
    add(g, "CTCLoss", logits(3, 3, 3), [[1, 0, 1, 0], [0], [1, 0]], [3, 0, 2], ignore=True)
    x = g.input(np.zeros((3, 0, 4), F))
    none = g.op("CTCLoss", x, g.input(np.zeros((0, 2), np.int64)), g.input(np.int32([])),
                g.input(np.int32([])), outputs=2)  # fmt: skip
    g.expect(none[0], np.zeros(0))
    g.expect(none[1], np.zeros((3, 0, 4)))
    return g


def long():
    g = Graph(fold=False, threads=[3])
    for type, op, constant in ((F, "CTCLoss", True), (D, "CTCLossV2", False)):
        first = int(op == "CTCLossV2")
        labels = [(random.integers(0, 3, n) + first).tolist() for n in (6, 1, 4)]
        add(g, op, logits(40, 3, 4, type=type), labels, [40, 33, 11], constant=constant)
    return g


def of_dynamic_sizes():
    """The numbers of steps, sequences and labels are known only at run time."""
    g = Graph(fold=False)
    labels, lengths = [[0, 1, 2], [1, 1], [2]], [6, 5, 1]
    places, values = sparse(labels)
    for which in ("steps", "sequences", "labels", "all"):
        has = lambda name: which in (name, "all")
        x = logits(6, 3, 4)
        dims = [d for d, name in enumerate(("steps", "sequences")) if has(name)]
        rows = bounded_data.opened if has("labels") else lambda g, value, _: g.input(value)
        made = g.op("CTCLoss", opened(g, x, dims), rows(g, places, 99), rows(g, values, -7),
                    opened(g, np.int32(lengths), [0] if has("sequences") else []), outputs=2)  # fmt: skip
        for got, value in zip(made, reference(x, labels, lengths, 3)):
            g.expect(got, value, rtol=2e-5, atol=2e-5)
    return g


def unlikely():
    """Probabilities are far below the smallest float."""
    g = Graph(fold=False)
    x = np.zeros((300, 1, 3), F)
    x[:, :, 0] = 30
    places, values = sparse([[1] * 5])
    made = g.op("CTCLoss", g.input(x), g.input(places), g.input(values), g.input(np.int32([300])), outputs=2)
    # Five runs of the label among 300 steps begin and end at ten of 301 positions.
    ways = math.log(math.comb(301, 10))
    g.expect(made[0], [300 * (30 + np.log1p(2 * np.exp(-30.0))) - ways], rtol=5e-5)
    return g


def failing(labels, lengths, message, op="CTCLoss", places=None):
    g = Graph(fold=False)
    given, values = sparse(labels)
    made = g.op(op, g.input(logits(3, 2, 3)), g.input(given if places is None else np.int64(places)),
                g.input(values), g.input(np.int32(lengths)), outputs=2)  # fmt: skip
    g.expect(made[0], np.zeros(2))
    g.fails(message)
    return g


def too_many():
    return failing([[0, 1, 0], [1]], [2, 3], "a sequence has more labels than steps")


def none():
    return failing([[0, 1], []], [3, 3], "a sequence has no labels")


def too_long():
    return failing([[0], [1]], [4, 3], "a length is not 0 to the number of steps")


def no_class():
    return failing([[0], [-1]], [3, 3], "a label is none of the 3 classes")


def blank_label():
    return failing([[1], [0]], [3, 3], "a label is none of the 3 classes", op="CTCLossV2")


def after_blank():
    return failing([[0, 2, 1], [1]], [3, 3], "a label follows one that is blank")


def out_of_order():
    return failing([[0], [1]], [3, 3], "the labels are not in the order", places=[[1, 0], [0, 0]])


def no_sequence():
    return failing([[0], [1]], [3, 3], "a label is of none of the sequences", places=[[0, 0], [2, 0]])


main(every_path, ends, long, of_dynamic_sizes, unlikely, too_many, none, too_long, no_class, blank_label, after_blank,
     out_of_order, no_sequence)  # fmt: skip
