#!/usr/bin/python3
"""Trains the net of this example and writes digits.pbtxt and pictures.h.

The data are ten glyphs of 8 x 8 pixels, shifted and noisy. The net is one
convolution with relu, a max pool, and a dense layer with softmax. Needs numpy.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from glyphs import glyphs

glyphs = np.pad(glyphs.astype(np.float32), ((0, 0), (0, 1), (0, 0)))
rng = np.random.default_rng(7)


def sample(count):
    """`count` noisy pictures and their labels."""
    labels = np.arange(count) % 10
    images = np.empty((count, 8, 8), np.float32)
    for i, digit in enumerate(labels):
        dy, dx = rng.integers(-1, 2, 2)
        image = np.roll(glyphs[digit], (dy, dx), (0, 1))
        image = image * rng.uniform(0.7, 1.0) + rng.normal(0, 0.15, (8, 8))
        images[i] = np.clip(image, 0, 1)
    return images, labels


def windows(x):
    """The 3 x 3 neighbourhood of each pixel, padded with zeros."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    return np.stack([padded[:, dy:dy + 8, dx:dx + 8]
                     for dy in range(3) for dx in range(3)], -1)


def forward(x):
    patches = windows(x)
    before = patches @ filters + filter_bias
    after = np.maximum(before, 0)
    blocks = after.reshape(-1, 4, 2, 4, 2, 8).transpose(0, 1, 3, 2, 4, 5)
    blocks = blocks.reshape(-1, 4, 4, 4, 8)
    flat = blocks.max(3).reshape(len(x), -1)
    scores = flat @ dense + dense_bias
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return patches, before, blocks, flat, scores / scores.sum(1, keepdims=True)


filters = rng.normal(0, 0.3, (9, 8)).astype(np.float32)
filter_bias = np.zeros(8, np.float32)
dense = rng.normal(0, 0.1, (128, 10)).astype(np.float32)
dense_bias = np.zeros(10, np.float32)
for step in range(1500):
    x, labels = sample(100)
    patches, before, blocks, flat, probabilities = forward(x)
    error = probabilities.copy()
    error[np.arange(len(x)), labels] -= 1
    error /= len(x)
    back = (error @ dense.T).reshape(-1, 4, 4, 1, 8)
    winners = np.arange(4).reshape(1, 1, 1, 4, 1) == blocks.argmax(3)[:, :, :, None]
    back = (back * winners).reshape(-1, 4, 4, 2, 2, 8)
    back = back.transpose(0, 1, 3, 2, 4, 5).reshape(-1, 8, 8, 8) * (before > 0)
    rate = 0.3
    dense -= rate * flat.T @ error
    dense_bias -= rate * error.sum(0)
    filters -= rate * np.einsum("nyxk,nyxc->kc", patches, back)
    filter_bias -= rate * back.sum((0, 1, 2))

filters, filter_bias, dense, dense_bias = (
    np.round(a, 3).astype(np.float32)
    for a in (filters, filter_bias, dense, dense_bias))
images, labels = sample(1000)
right = (forward(images)[-1].argmax(1) == labels).mean()
print(f"accuracy on 1000 new pictures: {right:.3f}")

here = Path(sys.argv[1] if len(sys.argv) > 1 else __file__).parent


def constant(name, values):
    dims = " ".join(f"dim {{ size: {n} }}" for n in values.shape)
    numbers = [f"{v:g}" for v in values.ravel()]
    lines = [", ".join(numbers[i:i + 16]) for i in range(0, len(numbers), 16)]
    numbers = ",\n          ".join(lines)
    return f"""node {{
  name: "{name}"
  op: "Const"
  attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{
    key: "value"
    value {{
      tensor {{
        dtype: DT_FLOAT
        tensor_shape {{ {dims} }}
        float_val: [
          {numbers}
        ]
      }}
    }}
  }}
}}
"""


def node(name, op, inputs, attributes=""):
    inputs = "".join(f'  input: "{i}"\n' for i in inputs)
    return (f'node {{\n  name: "{name}"\n  op: "{op}"\n{inputs}'
            '  attr { key: "T" value { type: DT_FLOAT } }\n'
            f"{attributes}}}\n")


def ints(key, values):
    values = " ".join(f"i: {v}" for v in values)
    return f'  attr {{ key: "{key}" value {{ list {{ {values} }} }} }}\n'


SAME = '  attr { key: "padding" value { s: "SAME" } }\n'
graph = f"""# Written by train.py: a net that reads digits of 8 x 8 pixels.
node {{
  name: "image"
  op: "Placeholder"
  attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{
    key: "shape"
    value {{ shape {{ dim {{ size: 1 }} dim {{ size: 8 }} dim {{ size: 8 }} dim {{ size: 1 }} }} }}
  }}
}}
""" + constant("filters", filters.reshape(3, 3, 1, 8)) + constant(
    "filter_bias", filter_bias) + constant("dense", dense) + constant(
    "dense_bias", dense_bias) + """node {
  name: "flat_shape"
  op: "Const"
  attr { key: "dtype" value { type: DT_INT32 } }
  attr {
    key: "value"
    value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [1, 128] } }
  }
}
""" + node("convolution", "Conv2D", ["image", "filters"],
           ints("strides", [1, 1, 1, 1]) + SAME) + node(
    "biased", "BiasAdd", ["convolution", "filter_bias"]) + node(
    "relu", "Relu", ["biased"]) + node(
    "pool", "MaxPool", ["relu"],
    ints("ksize", [1, 2, 2, 1]) + ints("strides", [1, 2, 2, 1]) + SAME) + node(
    "flat", "Reshape", ["pool", "flat_shape"]) + node(
    "product", "MatMul", ["flat", "dense"]) + node(
    "scores", "BiasAdd", ["product", "dense_bias"]) + node(
    "probabilities", "Softmax", ["scores"])
(here / "digits.pbtxt").write_text(graph)

images, labels = sample(10)
images = np.round(images, 2)
expected = forward(images)[-1]
text = "/* Written by train.py: ten noisy pictures, and their probabilities by NumPy. */\n"
text += "/* clang-format off */\n"
text += "static const float pictures[10][64] = {\n"
for image in images:
    numbers = [f"{v:g}f" if "." in f"{v:g}" else f"{v:g}" for v in image.ravel()]
    lines = ["     " + ", ".join(numbers[i:i + 8]) for i in range(0, 64, 8)]
    text += "    {" + ",\n".join(lines).lstrip() + "},\n"
text += "};\nstatic const float expected[10][10] = {\n"
for row in expected:
    text += "    {" + ", ".join(f"{v:.7f}f" for v in row) + "},\n"
text += "};\n"
(here / "pictures.h").write_text(text)
