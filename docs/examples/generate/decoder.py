#!/usr/bin/python3
"""Writes a small language model of characters as ONNX (the text form of the file format).

decoder.py data TEXT... -o FOLDER    tokens.npy and next.npy: pieces of the texts to train with
decoder.py train OUT.onnx.txt        the model over whole pieces, with random weights
decoder.py export TRAINING.so CHECKPOINT OUT.onnx.txt
                                     the trained model with a cache of keys and values: inputs
                                     past.N.key, past.N.value, outputs present.N...

A transformer of LAYERS layers reads tokens, which are the bytes of printable ASCII. Needs numpy, and
for export the package weir (docs/python.md).
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from onnxtext import Model

LAYERS, WIDTH, HEADS, CONTEXT = 3, 96, 4, 128
PIECES = 4096  # of the training data, at most
SIZE = WIDTH // HEADS
LETTERS = "\n" + "".join(map(chr, range(32, 127)))


def tokens_of(text):
    return np.array([LETTERS.index(c) for c in text if c in LETTERS], np.int64)


class Decoder(Model):
    def norm(self, x, name):
        scale, bias = self.weight(name + ".scale", WIDTH, scale=1), self.weight(name + ".bias", WIDTH, scale=0)
        return self.op("LayerNormalization", x, scale, bias, axis=-1)


def transformer(model, isCached):
    """Tokens in, logits of the next ones out."""
    length = "length" if isCached else CONTEXT
    ids = model.value("input", "ids", "int64", [1 if isCached else "batch", length])
    model.value("output", "logits", "float32", [1 if isCached else "batch", length, len(LETTERS)])
    size = lambda x, dim: model.op("Gather", model.op("Shape", x), model.whole(dim), axis=0)
    batch, new = size(ids, 0), size(ids, 1)
    least = model.constant(np.float32(-1e9))
    places = model.weight("places", CONTEXT, WIDTH)
    triangle = model.constant(np.tril(np.ones((CONTEXT, CONTEXT), bool)))
    parted = model.op("Concat", batch, new, model.whole(HEADS, SIZE), axis=0)
    joined = model.op("Concat", batch, new, model.whole(WIDTH), axis=0)
    begin = model.whole(0)
    pasts = []
    if isCached:
        for i in range(LAYERS):
            cached = [1, HEADS, "past", SIZE]
            pasts.append([model.value("input", f"past.{i}.{kind}", "float32", cached) for kind in ("key", "value")])
            for kind in "key", "value":
                model.value("output", f"present.{i}.{kind}", "float32", [1, HEADS, "total", SIZE])
        begin = size(pasts[0][0], 2)
    end = model.op("Add", begin, new)
    place = model.op("Slice", places, begin, end, model.whole(0))
    seen = model.op("Slice", model.op("Slice", triangle, begin, end, model.whole(0)), model.whole(0), end, model.whole(1))
    x = model.op("Add", model.op("Gather", model.weight("letters", len(LETTERS), WIDTH), ids), place)
    for i in range(LAYERS):
        y = model.norm(x, f"{i}.first")
        q, k, v = (
            model.op("Transpose", model.op("Reshape", model.product(y, f"{i}.{n}", WIDTH, WIDTH), parted), perm=[0, 2, 1, 3])
            for n in "qkv"
        )
        if isCached:
            k = model.op("Concat", pasts[i][0], k, axis=2, out=f"present.{i}.key")
            v = model.op("Concat", pasts[i][1], v, axis=2, out=f"present.{i}.value")
        scores = model.op("MatMul", q, model.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = model.op("Mul", scores, model.constant(np.float32(1 / np.sqrt(SIZE))))
        shares = model.op("Softmax", model.op("Where", seen, scores, least), axis=-1)
        y = model.op("Transpose", model.op("MatMul", shares, v), perm=[0, 2, 1, 3])
        x = model.op("Add", x, model.product(model.op("Reshape", y, joined), f"{i}.o", WIDTH, WIDTH))
        y = model.op("Relu", model.product(model.norm(x, f"{i}.second"), f"{i}.up", WIDTH, 4 * WIDTH))
        x = model.op("Add", x, model.product(y, f"{i}.down", 4 * WIDTH, WIDTH))
    model.op("MatMul", model.norm(x, "last"), model.weight("out", WIDTH, len(LETTERS)), out="logits")


def main(command, *arguments):
    if command == "data":
        at = arguments.index("-o")
        tokens = tokens_of("".join(Path(path).read_text() for path in arguments[:at]))
        starts = np.arange(0, len(tokens) - CONTEXT - 1, CONTEXT // 2)[:PIECES]
        pieces = tokens[starts[:, None] + np.arange(CONTEXT + 1)]
        np.save(Path(arguments[at + 1]) / "tokens.npy", pieces[:, :-1])
        np.save(Path(arguments[at + 1]) / "next.npy", pieces[:, 1:].astype(np.int32))
        print(f"{len(pieces)} pieces of {CONTEXT} tokens")
        return
    learned = None
    if command == "export":
        import weir

        training = weir.Model(arguments[0])
        training.restore(arguments[1])
        learned = {name: np.array(array) for name, array in training.variables.items()}
    model = Decoder(learned)
    transformer(model, isCached=command == "export")
    model.write(arguments[-1])


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("data", "train", "export"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
