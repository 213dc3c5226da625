#!/usr/bin/python3
"""Writes an encoder and a decoder with attention as ONNX (the text form of the file format).

model.py train FOLDER                     train.onnx.txt: both, for training; its data
model.py export FOLDER TRAINING.so CHECKPOINT
                                          encoder.onnx.txt and decoder.onnx.txt, trained

The decoder gets the tokens before those that it predicts. Needs numpy, and for export the
package weir.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from dates import LETTERS, SOURCE, TARGET, TRAINING, before, dates, tokens
from onnxtext import Model

# The encoder has WIDTH / 2 units in each direction.
EMBEDDING, WIDTH = 24, 96


class Translator(Model):
    def lstm(self, x, name, direction, inputs, units, states=()):
        """An LSTM over x, time first, and its last states."""
        count = 2 if direction == "bidirectional" else 1
        weights = []
        for part, size in ("input", inputs), ("state", units):
            flat = self.weight(f"{name}.{part}", size, count * 4 * units)
            parted = self.op("Reshape", flat, self.whole(size, count, 4 * units))
            weights.append(self.op("Transpose", parted, perm=[1, 2, 0]))
        bias = self.weight(f"{name}.bias", count, 8 * units, scale=0)
        return self.op("LSTM", x, *weights, bias, *([""] if states else []), *states,
                       out=[f"{name}.{part}" for part in "yhc"], hidden_size=units,
                       direction=direction)

    def embed(self, ids):
        """The vectors of the tokens, time first."""
        if not hasattr(self, "letters"):
            self.letters = self.weight("letters", len(LETTERS), EMBEDDING)
        return self.op("Transpose", self.op("Gather", self.letters, ids), perm=[1, 0, 2])

    def joined(self, x, perm, *shape, out=None):
        """The two directions of x side by side."""
        return self.op("Reshape", self.op("Transpose", x, perm=perm), self.whole(*shape), out=out)

    def encoder(self, source):
        """The memory, batch first, and the decoder's first states."""
        y, h, c = self.lstm(self.embed(source), "encoder", "bidirectional", EMBEDDING, WIDTH // 2)
        memory = self.joined(y, [2, 0, 1, 3], 0, SOURCE, WIDTH, out="memory")
        states = [self.op("Unsqueeze", self.joined(x, [1, 0, 2], 0, WIDTH), self.whole(0), out=name)
                  for x, name in ((h, "h"), (c, "c"))]
        return memory, states

    def decoder(self, source, previous, memory, states):
        y, *_ = self.lstm(self.embed(previous), "decoder", "forward", EMBEDDING, WIDTH, states)
        y = self.op("Transpose", self.op("Squeeze", y, self.whole(1)), perm=[1, 0, 2])
        scores = self.op("MatMul", self.product(y, "attention", WIDTH, WIDTH),
                         self.op("Transpose", memory, perm=[0, 2, 1]))
        padding = self.op("Equal", source, self.constant(np.int32(0)))
        padding = self.op("Unsqueeze", padding, self.whole(1))
        scores = self.op("Where", padding, self.constant(np.float32(-1e9)), scores)
        shares = self.op("Softmax", scores, axis=-1, out="shares")
        both = self.op("Concat", y, self.op("MatMul", shares, memory), axis=2)
        both = self.op("Tanh", self.product(both, "mix", 2 * WIDTH, WIDTH))
        self.op("Add", self.product(both, "out", WIDTH, len(LETTERS)),
                self.weight("out.bias", len(LETTERS), scale=0), out="logits")

    def source(self):
        return self.value("input", "source", "int32", ["batch", SOURCE])

    def outputs(self, **shapes):
        for name, shape in shapes.items():
            self.value("output", name, "float32", shape)


def train(folder):
    model = Translator()
    source = model.source()
    previous = model.value("input", "previous", "int32", ["batch", TARGET])
    model.decoder(source, previous, *model.encoder(source))
    model.outputs(logits=["batch", TARGET, len(LETTERS)])
    model.write(folder / "train.onnx.txt")
    pairs = dates(0, TRAINING)
    targets = tokens([target for _, target in pairs], TARGET)
    np.save(folder / "source.npy", tokens([source for source, _ in pairs], SOURCE))
    np.save(folder / "previous.npy", before(targets))
    np.save(folder / "target.npy", targets)
    print(f"{TRAINING} dates, such as '{pairs[0][0]}' for {pairs[0][1]}")


def export(folder, library, checkpoint):
    import weir

    training = weir.Model(library)
    training.restore(checkpoint)
    learned = {name: np.array(array) for name, array in training.variables.items()}
    state = [1, "batch", WIDTH]
    model = Translator(learned)
    model.encoder(model.source())
    model.outputs(memory=["batch", SOURCE, WIDTH], h=state, c=state)
    model.write(folder / "encoder.onnx.txt")
    model = Translator(learned)
    source = model.source()
    previous = model.value("input", "previous", "int32", ["batch", 1])
    memory = model.value("input", "memory", "float32", ["batch", SOURCE, WIDTH])
    states = [model.value("input", name, "float32", state) for name in "hc"]
    model.decoder(source, previous, memory, states)
    model.outputs(logits=["batch", 1, len(LETTERS)], shares=["batch", 1, SOURCE])
    model.outputs(**{"decoder.h": state, "decoder.c": state})
    model.write(folder / "decoder.onnx.txt")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("train", "export"):
        sys.exit(__doc__)
    {"train": train, "export": export}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
