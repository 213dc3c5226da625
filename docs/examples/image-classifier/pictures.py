#!/usr/bin/python3
"""pictures.py FOLDER: pictures of six shapes, to train with and to test with.

Each picture of 32 x 32 gray pixels has one shape of random size, position, angle, ink
and background, filled or as an outline, with noise. Training data go to images.npy
(float32, from 0 to 1) and labels.npy (int32). Held-out pictures go to
held-out/CLASS-NUMBER.pgm. Needs numpy.
"""

import sys
from pathlib import Path

import numpy as np

# The order of the model's classes.
CLASSES = ["circle", "crescent", "cross", "square", "star", "triangle"]
SIZE = 32
TRAINING, HELD_OUT = 6144, 600


def ring(count, radii=(1,)):
    """The corners of a polygon or, with two radii, of a star."""
    angles = np.arange(count) * 2 * np.pi / count
    radius = np.resize(radii, count)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles)], 1)


ARM = 0.32
POLYGONS = {
    "cross": np.array([(ARM, ARM), (1, ARM), (1, -ARM), (ARM, -ARM), (ARM, -1), (-ARM, -1),
                       (-ARM, -ARM), (-1, -ARM), (-1, ARM), (-ARM, ARM), (-ARM, 1), (ARM, 1)]),
    "square": ring(4),
    "star": ring(10, (1, 0.4)),
    "triangle": ring(3),
}


def inside(shape, x, y):
    """Which points lie in the shape, which has a radius of about one."""
    if shape == "circle":
        return np.hypot(x, y) < 0.9
    if shape == "crescent":
        return (np.hypot(x, y) < 1) & (np.hypot(x - 0.5, y) > 0.8)
    found = np.zeros(x.shape, bool)
    corners = POLYGONS[shape]
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, 1, 0)):
        # A point is inside where a ray from it crosses an odd number of edges.
        if y0 != y1:
            found ^= ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return found


def picture(shape, rng):
    # Four samples a pixel make gray edges.
    y, x = np.mgrid[0:2 * SIZE, 0:2 * SIZE] / 2 + 0.25
    radius, angle = rng.uniform(8, 13), rng.uniform(0, 2 * np.pi)
    centre = SIZE / 2 + rng.uniform(-3, 3, 2)
    x, y = (x - centre[0]) / radius, (y - centre[1]) / radius
    x, y = np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y
    ink = inside(shape, x, y).astype(np.float64)
    if rng.random() < 0.3:
        ink -= inside(shape, x / 0.6, y / 0.6)
    ink = np.clip(ink, 0, 1).reshape(SIZE, 2, SIZE, 2).mean((1, 3))
    dark, light = rng.uniform(0, 0.3), rng.uniform(0.6, 1)
    if rng.random() < 0.5:
        dark, light = light, dark
    gray = dark + (light - dark) * ink + rng.normal(0, 0.08, ink.shape)
    return np.uint8(np.clip(gray, 0, 1) * 255)


def pictures(count, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(count, dtype=np.int32) % len(CLASSES)
    return np.stack([picture(CLASSES[label], rng) for label in labels]), labels


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    images, labels = pictures(TRAINING, 1)
    np.save(folder / "images.npy", np.float32(images)[..., None] / 255)
    np.save(folder / "labels.npy", labels)
    (folder / "held-out").mkdir(exist_ok=True)
    for i, (image, label) in enumerate(zip(*pictures(HELD_OUT, 2))):
        name = f"{CLASSES[label]}-{i:03d}.pgm"
        header = f"P5\n{SIZE} {SIZE}\n255\n".encode()
        (folder / "held-out" / name).write_bytes(header + image.tobytes())
    print(f"{TRAINING} pictures to train with, {HELD_OUT} held out")
