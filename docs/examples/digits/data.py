#!/usr/bin/python3
"""data.py FOLDER: pictures of digits, to train with and to test with.

Each picture of 16 x 16 pixels is a glyph with a random angle, size, slant, position
and ink, and with noise. Training data go to images.npy (float32, from 0 to 1) and
labels.npy (int32). Test data have another seed and go to test.images and test.labels
as bare numbers. Needs numpy.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from glyphs import glyphs


def sample(glyph, rng):
    """A random picture of the glyph."""
    turn, slant = rng.normal(0, 0.15), rng.normal(0, 0.15)
    size = 1.75 * rng.uniform(0.8, 1.15)
    dy, dx = rng.uniform(-1.5, 1.5, 2)
    y, x = np.mgrid[0:16, 0:16] - 7.5
    y, x = y - dy, x - dx
    y, x = np.cos(turn) * y + np.sin(turn) * x, np.cos(turn) * x - np.sin(turn) * y
    y, x = y / size + 3, (x + slant * y) / size + 3.5
    # Between the four pixels of the glyph around each point.
    padded = np.pad(glyph, 9)
    y, x = np.clip(y + 9, 0, 23), np.clip(x + 9, 0, 24)
    i, j = y.astype(int), x.astype(int)
    v, u = y - i, x - j
    ink = (1 - v) * ((1 - u) * padded[i, j] + u * padded[i, j + 1])
    ink += v * ((1 - u) * padded[i + 1, j] + u * padded[i + 1, j + 1])
    picture = ink * rng.uniform(0.6, 1.0) + rng.normal(0, 0.12, (16, 16))
    return np.clip(picture, 0, 1)


def samples(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count, np.int32)
    images = np.stack([sample(glyphs[d], rng) for d in labels])
    return np.float32(images)[..., None], labels


folder = Path(sys.argv[1])
images, labels = samples(4096, 1)
np.save(folder / "images.npy", images)
np.save(folder / "labels.npy", labels)
images, labels = samples(2000, 2)
images.tofile(folder / "test.images")
labels.astype(np.uint8).tofile(folder / "test.labels")
