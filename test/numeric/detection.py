"""Tests non-maximum suppression: padded, and with results of the selected size."""

import numpy as np
from harness import Graph, Tensor, main

random = np.random.RandomState(7)


def uniform(*shape):
    return np.float32(random.uniform(0, 1, shape))


def suppressed(boxes, scores, limit, most, lowest, softness):
    """The greedy definition; lists of boxes and their scores."""
    corners = np.float64(boxes).reshape(-1, 2, 2)
    low, high = corners.min(1), corners.max(1)
    areas = np.prod(high - low, 1)
    left, taken = dict(enumerate(np.float64(scores))), []
    while left and len(taken) < limit:
        i = max(left, key=lambda k: (left[k], -k))
        score = left.pop(i)
        if not score > lowest:
            break
        taken.append((i, score))
        for k in list(left):
            sides = np.maximum(np.minimum(high[i], high[k]) - np.maximum(low[i], low[k]), 0)
            overlap = 0.0
            if areas[i] > 0 and areas[k] > 0:
                overlap = np.prod(sides) / (areas[i] + areas[k] - np.prod(sides))
            if softness > 0:
                left[k] *= np.exp(-(overlap**2) / (2 * softness))
            elif overlap > most:
                del left[k]
    return taken


def suppression():
    g = Graph(fold=False)
    boxes = g.input(np.float32(random.uniform(0, 10, (40, 4))))
    scores = g.input(uniform(40))
    for limit, most, lowest, softness in [(10, 0.3, 0.2, 0), (40, 0.1, 0.5, 0), (15, 0.5, 0.3, 0.4)]:
        taken = suppressed(boxes.value, scores.value, limit, most, lowest, softness)
        how = [g.constant(np.int32(limit)), g.input(np.float32(most)), g.input(np.float32(lowest))]
        count = len(taken)
        indices = [i for i, _ in taken] + [0] * (limit - count)
        values = [s for _, s in taken] + [0] * (limit - count)
        made = g.op("NonMaxSuppressionV5", boxes, scores, *how, g.input(np.float32(softness)),
                    outputs=3, pad_to_max_output_size=True)  # fmt: skip
        g.expect(made[0], indices)
        g.expect(made[1], values, rtol=1e-5)
        g.expect(made[2], count)
        if not softness:
            made = g.op("NonMaxSuppressionV4", boxes, scores, *how, outputs=2,
                        pad_to_max_output_size=True)  # fmt: skip
            g.expect(made[0], indices)
            g.expect(made[1], count)
    return g


def unpadded():
    g = Graph()
    boxes, scores = np.float32(random.uniform(0, 10, (30, 4))), uniform(30)
    b, s = g.input(boxes), g.input(scores)
    for limit in (8, 50):
        want = [i for i, _ in suppressed(boxes, scores, limit, 0.3, 0.5, 0)]
        for most in (g.constant(np.int32(limit)), g.input(np.int32(limit))):
            how = [most, g.input(np.float32(0.3)), g.input(np.float32(0.5))]
            g.expect(g.op("NonMaxSuppressionV3", b, s, *how), want, type=np.int32)
            made = g.op("NonMaxSuppressionV4", b, s, *how, outputs=2)
            g.expect(made[0], want)
            g.expect(made[1], len(want))
            padded = g.op("NonMaxSuppressionV4", b, s, *how, outputs=2, pad_to_max_output_size=True)
            g.expect(padded[0], want + [0] * (limit - len(want)))
        every = [i for i, _ in suppressed(boxes, scores, limit, 0.4, -np.inf, 0)]
        g.expect(g.op("NonMaxSuppression", b, s, most, iou_threshold=0.4), every)
        g.expect(g.op("NonMaxSuppressionV2", b, s, most, g.input(np.float32(0.4))), every)
    soft = suppressed(boxes, scores, 6, 0.5, 0.3, 0.4)
    how = [np.int32(6), np.float32(0.5), np.float32(0.3), np.float32(0.4)]
    made = g.op("NonMaxSuppressionV5", b, s, *map(g.input, how), outputs=3)
    g.expect(made[0], [i for i, _ in soft])
    g.expect(made[1], [score for _, score in soft], rtol=1e-5)
    g.expect(made[2], len(soft))
    return g


def dynamic_boxes():
    """The number of boxes is known only at run time; those beyond it would win."""
    g = Graph()
    boxes, scores = np.float32(random.uniform(0, 10, (20, 4))), uniform(20)
    where = g.input(np.int32([1] * 3 + [0] * 20))

    def part(values):
        made = g.op("DynamicPartition", g.input(values), where, outputs=2, num_partitions=2)
        return Tensor(made[0].names)

    b = part(np.vstack([np.float32([[0, 0, 90, 90]] * 3), boxes]))
    s = part(np.concatenate([np.float32([9, np.nan, 9]), scores]))
    want = [i for i, _ in suppressed(boxes, scores, 20, 0.2, 0.1, 0)]
    how = [np.int32(20), np.float32(0.2), np.float32(0.1)]
    g.expect(g.op("NonMaxSuppressionV3", b, s, *map(g.input, how)), want)
    return g


def of_classes():
    """Two images and three classes have boxes of their own or shared ones."""
    g = Graph()
    scores = uniform(2, 12, 3)
    for shared in (1, 3):
        boxes = np.float32(random.uniform(-0.2, 1.2, (2, 12, shared, 4)))
        width = 7
        found, points, kinds, counts = [], [], [], []
        for image in range(2):
            taken = []
            for kind in range(3):
                own, marks = boxes[image, :, kind % shared], scores[image, :, kind]
                for i, score in suppressed(own, marks, 4, 0.3, 0.2, 0):
                    taken.append((score, np.clip(own[i], 0, 1), kind))
            taken = sorted(taken, key=lambda t: -t[0])[:width]
            gap = width - len(taken)
            points.append([t[0] for t in taken] + [0] * gap)
            found.append([t[1] for t in taken] + [np.zeros(4)] * gap)
            kinds.append([t[2] for t in taken] + [0] * gap)
            counts.append(len(taken))
        made = g.op("CombinedNonMaxSuppression", g.input(boxes), g.input(scores),
                    g.constant(np.int32(4)), g.constant(np.int32(width)),
                    g.input(np.float32(0.3)), g.input(np.float32(0.2)), outputs=4)  # fmt: skip
        for got, want in zip(made, (found, points, kinds, counts)):
            g.expect(got, np.asarray(want), rtol=1e-6)
    return g


def negative():
    g = Graph(fold=False)
    b, s = g.input(np.float32([[0, 0, 1, 1]])), g.input(np.float32([1]))
    g.expect(g.op("NonMaxSuppression", b, s, g.input(np.int32(-1))), [0])
    g.fails("the number of boxes to take is negative")
    return g


main(suppression, unpadded, dynamic_boxes, of_classes, negative)
