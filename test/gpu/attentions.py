"""attentions.py FILE [TYPE]: writes a graph of attentions: with separate heads or with rows of
heads, with a mask per column, per row or none, and with wider values."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from graphdef import Graph

kind = sys.argv[2] if len(sys.argv) > 2 else "DT_HALF"
g = Graph()


def op(name, called, *inputs, **attributes):
    return g.op(name, called, *inputs, T=kind, **attributes)


def placeholder(name, *shape):
    return g.placeholder(name, shape, kind)


def turned(name, x):
    return op(name, "Transpose", x, "turn", Tperm="DT_INT32")


def attend(name, q, k, v, scale, mask=None):
    scores = op(f"{name}_scores", "BatchMatMulV2", q, k, adj_y=True)
    if scale:
        scores = op(f"{name}_scaled", "Mul", scores, scale)
    if mask:
        scores = op(f"{name}_masked", "AddV2", scores, mask)
    weights = op(f"{name}_weights", "Softmax", scores)
    return op(f"{name}_sums", "BatchMatMulV2", weights, v)


g.const("eighth", 0.125, kind)
g.ints("turn", [0, 2, 1, 3])
# Rows contain the heads, and each column has a mask, as in an encoder.
sides = [turned(f"{side}_turned", placeholder(side, 2, 40, 3, 16)) for side in "qkv"]
heads = attend("encoder", *sides, "eighth", placeholder("padding", 2, 1, 1, 40))
op("encoder_out", "Identity", turned("encoder_turned", heads))
# The heads are separate, columns and rows have different numbers, and values are wider.
wide = attend("wide", placeholder("q1", 3, 2, 37, 8), placeholder("k1", 3, 2, 50, 8),
              placeholder("v1", 3, 2, 50, 24), None)  # fmt: skip
op("wide_out", "Identity", wide)
# There is one dimension of heads, and each row has a mask.
masked = attend("masked", placeholder("q2", 4, 33, 8), placeholder("k2", 4, 35, 8),
                placeholder("v2", 4, 35, 8), "eighth", placeholder("seen", 33, 35))  # fmt: skip
op("masked_out", "Identity", masked)
Path(sys.argv[1]).write_text(g.text())
