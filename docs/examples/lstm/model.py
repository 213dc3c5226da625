#!/usr/bin/python3
"""Writes a language model of characters, an LSTM, as ONNX (the text form of the file format).

model.py data TEXT FOLDER            tokens.npy and next.npy: pieces of the text to train with;
                                     letters.txt: the characters; held-out.txt: the last lines
model.py write LETTERS OUT.onnx.txt [TRAINING.so CHECKPOINT]
                                     the model with random weights, or with those of a checkpoint

Needs numpy, and for a checkpoint the package weir.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from onnxtext import Model

EMBEDDING, HIDDEN, PIECE, STRIDE = 24, 96, 64, 3
HELD_OUT = 4  # lines


def data(text, folder):
    lines = Path(text).read_text().splitlines(keepends=True)
    seen, held_out = "".join(lines[:-HELD_OUT]), "".join(lines[-HELD_OUT:])
    letters = sorted(set(seen))
    Path(folder, "letters.txt").write_text("".join(letters))
    Path(folder, "held-out.txt").write_text(held_out)
    tokens = np.array([letters.index(letter) for letter in seen], np.int32)
    starts = np.arange(0, len(tokens) - PIECE, STRIDE)
    pieces = tokens[starts[:, None] + np.arange(PIECE + 1)]
    np.save(Path(folder, "tokens.npy"), pieces[:, :-1])
    np.save(Path(folder, "next.npy"), pieces[:, 1:])
    print(f"{len(letters)} characters, {len(pieces)} pieces of {PIECE}")
    # A model that knows only how frequent each character is.
    share = np.bincount(tokens) / len(tokens)
    loss = -np.mean(np.log(share[[letters.index(letter) for letter in held_out]]))
    print(f"perplexity of the frequencies of characters: {np.exp(loss):.2f}")


def write(letters, path, learned):
    """Tokens in, logits of the next ones out; the trained model also has its state as inputs
    and outputs. A piece of the training data begins with a state of zeros."""
    letters = len(Path(letters).read_text())
    model = Model(learned)
    ids = model.value("input", "ids", "int32", ["batch", "length"])
    model.value("output", "logits", "float32", ["batch", "length", letters])
    states = []
    if learned:
        states = [model.value("input", name, "float32", [1, "batch", HIDDEN]) for name in "hc"]
        for name in "next_h", "next_c":
            model.value("output", name, "float32", [1, "batch", HIDDEN])
    x = model.op("Gather", model.weight("letters", letters, EMBEDDING), ids)
    x = model.op("Transpose", x, perm=[1, 0, 2])
    weights = [model.op("Transpose", model.weight(f"lstm.{name}", size, 4 * HIDDEN), perm=[1, 0])
               for name, size in (("input", EMBEDDING), ("state", HIDDEN))]
    weights = [model.op("Unsqueeze", weight, model.whole(0)) for weight in weights]
    bias = model.op("Unsqueeze", model.weight("lstm.bias", 8 * HIDDEN, scale=0), model.whole(0))
    y, *_ = model.op("LSTM", x, *weights, bias, "", *states, out=["y", "next_h", "next_c"],
                     hidden_size=HIDDEN)
    y = model.op("Transpose", model.op("Squeeze", y, model.whole(1)), perm=[1, 0, 2])
    model.op("Add", model.product(y, "out", HIDDEN, letters),
             model.weight("out.bias", letters, scale=0), out="logits")
    model.write(path)


def main(command, *arguments):
    if command == "data":
        data(*arguments)
        return
    learned = None
    if len(arguments) == 4:
        import weir

        training = weir.Model(arguments[2])
        training.restore(arguments[3])
        learned = {name: np.array(array) for name, array in training.variables.items()}
    write(*arguments[:2], learned)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("data", "write"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
