#!/usr/bin/python3
"""net.py WORDS.txt OUT.pbtxt: writes skip-gram with negative sampling as a TensorFlow graph.

`loss` trains the vectors of the words, and `neighbours` and `similarities` compare the
vector of the word `query` with all others. Needs numpy.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from graphdef import Graph

WIDTH, NEAREST = 16, 4

count = len(Path(sys.argv[1]).read_text().splitlines())
net = Graph()
rows, last = net.constant("rows", np.int32(0)), net.constant("last", np.int32(-1))
vectors = net.variable("vectors", net.rng.uniform(-0.5, 0.5, (count, WIDTH)) / WIDTH)
contexts = net.variable("contexts", np.zeros((count, WIDTH)))


def lookup(name, table, indices):
    return net.node(name, "GatherV2", table, indices, rows, Tparams="DT_FLOAT",
                    Tindices="DT_INT32", Taxis="DT_INT32")


def dot(name, x, y):
    product = net.op(f"{name}/product", "Mul", x, y)
    return net.op(name, "Sum", product, last, Tidx="DT_INT32")


center = lookup("center/vector", vectors, net.placeholder("center", -1, dtype="DT_INT32"))
context = lookup("context/vector", contexts, net.placeholder("context", -1, dtype="DT_INT32"))
noise = lookup("noise/vector", contexts, net.placeholder("noise", -1, 5, dtype="DT_INT32"))
# The score of a pair rises, and the scores of its noise words fall.
score = dot("score", center, context)
wide = net.op("center/wide", "ExpandDims", center, net.constant("one", np.int32(1)),
              Tdim="DT_INT32")
scores = dot("noise/scores", noise, wide)
pair = net.op("pair/loss", "Softplus", net.op("score/minus", "Neg", score))
others = net.op("noise/losses", "Softplus", scores)
others = net.op("noise/loss", "Sum", others, last, Tidx="DT_INT32")
net.op("loss", "Mean", net.op("losses", "AddV2", pair, others), rows, Tidx="DT_INT32")


def unit(name, x):
    """The rows of x, each with length one."""
    square = net.op(f"{name}/square", "Mul", x, x)
    length = net.op(f"{name}/length", "Sum", square, last, Tidx="DT_INT32", keep_dims=True)
    return net.op(f"{name}/unit", "Mul", x, net.op(f"{name}/rsqrt", "Rsqrt", length))


query = lookup("query/vector", vectors, net.placeholder("query", 1, dtype="DT_INT32"))
cosines = net.op("cosines", "MatMul", unit("query", query), unit("vectors", vectors),
                 transpose_b=True)
net.op("nearest", "TopKV2", cosines, net.constant("count", np.int32(NEAREST)))
net.op("similarities", "Identity", "nearest:0")
net.node("neighbours", "Identity", "nearest:1", T="DT_INT32")
net.write(sys.argv[2])
