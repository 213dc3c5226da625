#!/usr/bin/python3
"""recurrent.py NAME OUT.onnx: models of sequences that the harness's zoo has not, with seeded weights, and OUT.json beside.

  gru2      two layers of GRU, 64 steps of 256 inputs, 256 hidden, and a dense layer on the last step; OUT.pb beside is
            the same as a GraphDef, step by step
  decoder   one step of a transformer decoder: 4 layers of width 256 with 4 heads, which attend to 127 earlier tokens and
            their own; the cached keys and values of each layer are inputs, and those with the new token outputs
  attentionN  of N tokens to each other: 12 heads of 64, with a mask of tokens that is added, and nothing else
"""
import json
import os
import sys

import decoder as frontends
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F = np.float32


class Model:
    def __init__(self):
        self.random = np.random.default_rng(3)
        self.nodes, self.constants, self.inputs, self.outputs, self.flops = [], [], [], [], 0

    def weight(self, *shape, scale=None):
        array = self.random.standard_normal(shape, F) * F(scale or (2 / shape[0]) ** 0.5)
        return self.constant(array)

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def input(self, name, *shape):
        self.inputs.append((name, shape))
        return name

    def output(self, name, *shape):
        self.outputs.append((name, shape))

    def op(self, op, *operands, outputs=None, **attributes):
        names = outputs or [f"t{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op, operands, names, **attributes))
        return names[-1] if outputs else names[0]

    def dense(self, x, inputs, results, rows=1):
        self.flops += 2 * rows * inputs * results
        product = self.op("MatMul", x, self.weight(inputs, results))
        return self.op("Add", product, self.weight(results, scale=0.1))

    def save(self, path):
        info = lambda tensor: helper.make_tensor_value_info(tensor[0], TensorProto.FLOAT, list(tensor[1]))
        graph = helper.make_graph(self.nodes, "recurrent", [info(t) for t in self.inputs], [info(t) for t in self.outputs], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="weir recurrent.py")
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path)
        listed = lambda tensors: [dict(name=n, shape=list(s), img=False) for n, s in tensors]
        meta = dict(name=os.path.basename(path).removesuffix(".onnx"), flops=self.flops, bytes=0,
                    inputs=listed(self.inputs), outputs=listed(self.outputs))
        json.dump(meta, open(path.replace(".onnx", ".json"), "w"), indent=1)


def gru2():
    m, steps, width = Model(), 64, 256
    x = m.input("x", steps, 1, width)
    for _ in range(2):
        w, r, b = m.weight(1, 3 * width, width, scale=0.06), m.weight(1, 3 * width, width, scale=0.06), m.weight(1, 6 * width, scale=0.06)
        m.flops += 2 * steps * 2 * 3 * width * width
        y = m.op("GRU", x, w, r, b, hidden_size=width, linear_before_reset=1)
        x = m.op("Squeeze", y, m.constant(np.int64([1])))
    m.output(m.dense(m.op("Gather", x, m.constant(np.int64(-1))), width, 10), 1, 10)
    return m


def gru2_graph(m):
    """The model as a GraphDef: each step multiplies its input and the state, and splits both into gates."""
    g, steps, width = frontends.TensorFlow(), 64, 256
    arrays = [numpy_helper.to_array(c) for c in m.constants]
    axis, zero = g.const(np.int32(1)), g.const(np.int32(0))
    x = g.input("x", [steps, 1, width])
    rows = g.node("Split", zero, x, num_split=steps)
    rows = [g.reshape(f"{rows}:{t}" if t else rows, [1, width]) for t in range(steps)]
    initial = g.const(np.zeros((1, width), F))
    for w, r, b in (arrays[0:3], arrays[4:7]):
        wx, wh = g.const(w[0].T.copy()), g.const(r[0].T.copy())
        bx, bh = g.const(b[0, : 3 * width]), g.const(b[0, 3 * width :])
        h, made = initial, []
        for row in rows:
            sides = [g.node("BiasAdd", g.node("MatMul", v, m), b) for v, m, b in ((row, wx, bx), (h, wh, bh))]
            of_x, of_h = (g.node("Split", axis, side, num_split=3) for side in sides)
            z, reset = (g.node("Sigmoid", g.node("AddV2", of_x + gate, of_h + gate)) for gate in ("", ":1"))
            new = g.node("Tanh", g.node("AddV2", of_x + ":2", g.node("Mul", reset, of_h + ":2")))
            h = g.node("AddV2", new, g.node("Mul", z, g.node("Sub", h, new)))
            made.append(h)
        rows = made
    dense, bias = arrays[-2:]
    g.node("BiasAdd", g.node("MatMul", rows[-1], g.const(dense)), g.const(bias), name="y")
    return g


def decoder():
    m, width, heads, past = Model(), 256, 4, 127
    each = width // heads
    x = m.input("x", 1, 1, width)

    def norm(t):
        return m.op("LayerNormalization", t, m.constant(np.ones(width, F)), m.constant(np.zeros(width, F)), axis=-1)

    def by_head(t):
        t = m.op("Reshape", t, m.constant(np.int64([1, 1, heads, each])))
        return m.op("Transpose", t, perm=[0, 2, 1, 3])

    for layer in range(4):
        h = norm(x)
        q, k, v = (by_head(m.dense(h, width, width)) for _ in range(3))
        present = []
        for name, new in (("key", k), ("value", v)):
            cache = m.input(f"past_{name}{layer}", 1, heads, past, each)
            present.append(m.op("Concat", cache, new, outputs=[f"present_{name}{layer}"], axis=2))
            m.output(present[-1], 1, heads, past + 1, each)
        m.flops += 4 * width * (past + 1)
        scores = m.op("MatMul", q, m.op("Transpose", present[0], perm=[0, 1, 3, 2]))
        scores = m.op("Softmax", m.op("Mul", scores, m.constant(F(each**-0.5))), axis=-1)
        seen = m.op("Transpose", m.op("MatMul", scores, present[1]), perm=[0, 2, 1, 3])
        seen = m.op("Reshape", seen, m.constant(np.int64([1, 1, width])))
        x = m.op("Add", x, m.dense(seen, width, width))
        wide = m.op("Relu", m.dense(norm(x), width, 4 * width))
        x = m.op("Add", x, m.dense(wide, 4 * width, width))
    m.output(norm(x), 1, 1, width)
    return m


def attention(tokens):
    m, heads, each = Model(), 12, 64
    q, k, v = (m.input(name, 1, tokens, heads, each) for name in "qkv")
    mask = m.input("mask", 1, 1, 1, tokens)
    by_head = m.op("Transpose", q, perm=[0, 2, 1, 3])
    scores = m.op("MatMul", by_head, m.op("Transpose", k, perm=[0, 2, 3, 1]))
    scores = m.op("Add", m.op("Mul", scores, m.constant(F(each**-0.5))), mask)
    seen = m.op("MatMul", m.op("Softmax", scores, axis=-1), m.op("Transpose", v, perm=[0, 2, 1, 3]))
    m.output(m.op("Transpose", seen, perm=[0, 2, 1, 3]), 1, tokens, heads, each)
    m.flops = 4 * heads * tokens * tokens * each
    return m


if __name__ == "__main__":
    name = sys.argv[1]
    tokens = name.removeprefix("attention")
    model = attention(int(tokens)) if tokens.isdigit() else {"gru2": gru2, "decoder": decoder}[name]()
    model.save(sys.argv[2])
    if sys.argv[1] == "gru2":
        with open(sys.argv[2].replace(".onnx", ".pb"), "wb") as file:
            file.write(gru2_graph(model).serialize())
