#!/usr/bin/python3
"""decoder.py OUT [--layers 4] [--width 256] [--heads 4] [--room 256] [--vocabulary 4096]
[--write scatter|slice|select|grow|attention]: one step of a transformer decoder with a cache of keys and values, as
OUT.onnx, OUT.pb (a GraphDef) and OUT.json.

Inputs: token and position, i64 of shape [1], and for each layer past_key<i> and past_value<i>, f32 of shape [1, heads,
room, width / heads]; outputs: logits [1, vocabulary], present_key<i> and present_value<i>. The new key and value are
written at the position, and the token attends to all up to its own. To keep the caches as state:

    weir compile OUT.onnx -o decoder.so `decoder.py OUT --options`

--write selects the update of the cache: by ScatterND (TensorScatterNdUpdate), by a slice
(TensorScatter of opset 24; TensorStridedSliceUpdate), by Where (SelectV2), or by a Concat of past
and new: then past has a dynamic size, and there is no mask. With `attention` ONNX's op of that
name does so, and there is no OUT.pb. Weights are seeded; `Decoder(...).run(tokens)` computes the
same in NumPy. The script needs neither ONNX nor TensorFlow.
"""
import argparse
import json

import numpy as np

F = np.float32
# These updates of a cache have a result that is larger than it.
GROWING = ("grow", "attention")


# The wire format of protocol buffers: pairs of a field's number and a value. Numbers
# and bytes stay, and a list of pairs is a message.
def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def message(*fields):
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [varint(number << 3), varint(value)]
        elif isinstance(value, float):
            parts += [varint(number << 3 | 5), np.float32(value).tobytes()]
        else:
            value = value.encode() if isinstance(value, str) else value
            parts += [varint(number << 3 | 2), varint(len(value)), value]
    return b"".join(parts)


class Onnx:
    """Nodes of an ONNX model of opset 17, or 24 if a node requires it."""

    codes = {"float32": 1, "int64": 7, "bool": 9}

    def __init__(self):
        self.opset, self.nodes, self.constants, self.inputs, self.outputs = 17, [], [], [], []

    def const(self, value):
        name = f"c{len(self.constants)}"
        value = np.asarray(value)
        self.constants.append(message(*((1, d) for d in value.shape), (2, self.codes[str(value.dtype)]), (8, name),
                                      (9, value.tobytes())))  # fmt: skip
        return name

    def node(self, op, *inputs, name=None, kind=None, **attributes):
        name = name or f"t{len(self.nodes)}"
        results = name if isinstance(name, list) else [name]
        fields = [(1, i) for i in inputs] + [(2, result) for result in results] + [(4, op)]
        for key, value in attributes.items():
            if isinstance(value, list):
                fields.append((5, message((1, key), (20, 7), *((8, v) for v in value))))
            elif isinstance(value, float):
                fields.append((5, message((1, key), (20, 1), (2, value))))
            else:
                fields.append((5, message((1, key), (20, 2), (3, value))))
        self.nodes.append(message(*fields))
        return name

    def info(self, name, shape, kind):
        dims = message(*((1, message((2, "past") if d < 0 else (1, d))) for d in shape))
        return message((1, name), (2, message((1, message((1, self.codes[kind]), (2, dims))))))

    def input(self, name, shape, kind="float32"):
        self.inputs.append(self.info(name, shape, kind))
        return name

    def output(self, value, name, shape):
        self.node("Identity", value, name=name)
        self.outputs.append(self.info(name, shape, "float32"))

    def serialize(self):
        graph = message(*((1, n) for n in self.nodes), (2, "decoder"), *((5, c) for c in self.constants),
                        *((11, i) for i in self.inputs), *((12, o) for o in self.outputs))  # fmt: skip
        return message((1, 8 if self.opset < 20 else 10), (2, "decoder.py"), (7, graph), (8, message((2, self.opset))))

    def matmul(self, a, b, transpose=False):
        return self.node("MatMul", a, self.node("Transpose", b, perm=[0, 1, 3, 2]) if transpose else b)

    def reshape(self, x, shape):
        return self.node("Reshape", x, self.const(np.int64(shape)))

    def norm(self, x, scale, shift):
        return self.node("LayerNormalization", x, self.const(scale), self.const(shift), axis=-1, epsilon=1e-5)

    def gelu(self, x):
        inner = self.node("Erf", self.node("Mul", x, self.const(F(0.5**0.5))))
        return self.node("Mul", self.node("Mul", x, self.const(F(0.5))), self.node("Add", inner, self.const(F(1))))

    def softmax(self, x):
        return self.node("Softmax", x, axis=-1)

    def rows(self, table, index):
        return self.node("Gather", self.const(table), index)

    def where(self, condition, x, y):
        return self.node("Where", condition, x, y)

    def scatter(self, cache, indices, update):
        return self.node("ScatterND", cache, indices, update)

    def concat(self, *parts, axis, kind="int64"):
        return self.node("Concat", *parts, axis=axis)

    def attention(self, q, k, v, keys, values, heads):
        self.opset = 23
        results = [f"t{len(self.nodes)}_{i}" for i in range(3)]
        return self.node("Attention", q, k, v, "", keys, values, name=results, q_num_heads=heads, kv_num_heads=heads)

    def put(self, cache, update, position):
        self.opset = 24
        return self.node("TensorScatter", cache, update, position, axis=2)


class TensorFlow:
    """Nodes of a GraphDef."""

    codes = {"float32": 1, "int64": 9, "int32": 3, "bool": 10}

    def __init__(self):
        self.nodes, self.constants = [], 0

    def add(self, name, op, inputs, attributes):
        attr = [(5, message((1, key), (2, value))) for key, value in attributes.items()]
        self.nodes.append(message((1, name), (2, op), *((3, i) for i in inputs), *attr))
        return name

    def shape(self, shape):
        return message(*((2, message((1, d))) for d in shape))

    def const(self, value):
        value = np.asarray(value)
        kind = self.codes[str(value.dtype)]
        tensor = message((1, kind), (2, self.shape(value.shape)), (4, value.tobytes()))
        self.constants += 1
        return self.add(f"c{self.constants}", "Const", (), {"dtype": message((6, kind)), "value": message((8, tensor))})

    def node(self, op, *inputs, name=None, kind="float32", **attributes):
        values = {"T": message((6, self.codes[kind]))}
        for key, value in attributes.items():
            if isinstance(value, bool):
                values[key] = message((5, int(value)))
            elif isinstance(value, int):
                values[key] = message((3, value))
            else:
                values[key] = message((6, self.codes[value]))
        return self.add(name or f"t{len(self.nodes)}", op, inputs, values)

    def input(self, name, shape, kind="float32"):
        return self.add(name, "Placeholder", (), {"dtype": message((6, self.codes[kind])),
                                                  "shape": message((7, self.shape(shape)))})  # fmt: skip

    def output(self, value, name, shape):
        self.node("Identity", value, name=name)

    def serialize(self):
        return message(*((1, n) for n in self.nodes))

    def matmul(self, a, b, transpose=False):
        return self.node("BatchMatMulV2", a, b, adj_y=transpose)

    def reshape(self, x, shape):
        return self.node("Reshape", x, self.const(np.int32(shape)), Tshape="int32")

    def norm(self, x, scale, shift):
        axis = self.const(np.int32([-1]))
        mean = self.node("Mean", x, axis, keep_dims=True, Tidx="int32")
        variance = self.node("Mean", self.node("SquaredDifference", x, mean), axis, keep_dims=True, Tidx="int32")
        factor = self.node("Rsqrt", self.node("AddV2", variance, self.const(F(1e-5))))
        x = self.node("Mul", self.node("Sub", x, mean), factor)
        return self.node("AddV2", self.node("Mul", x, self.const(scale)), self.const(shift))

    def gelu(self, x):
        inner = self.node("Erf", self.node("Mul", x, self.const(F(0.5**0.5))))
        return self.node("Mul", self.node("Mul", x, self.const(F(0.5))), self.node("AddV2", inner, self.const(F(1))))

    def softmax(self, x):
        return self.node("Softmax", x)

    def rows(self, table, index):
        return self.node("GatherV2", self.const(table), index, self.const(np.int32(0)), Tparams="float32", Tindices="int64", Taxis="int32")

    def where(self, condition, x, y):
        return self.node("SelectV2", condition, x, y)

    def scatter(self, cache, indices, update):
        return self.node("TensorScatterUpdate", cache, indices, update, Tindices="int64")

    def concat(self, *parts, axis, kind="int64"):
        return self.node("ConcatV2", *parts, self.const(np.int32(axis)), kind=kind, N=len(parts), Tidx="int32")

    def put(self, cache, update, position):
        zeros, end = self.const(np.int64([0, 0])), self.const(np.int64([0]))
        begin = self.concat(zeros, position, end, axis=0)
        after = self.node("AddV2", position, self.const(np.int64([1])), kind="int64")
        limit = self.concat(zeros, after, end, axis=0)
        return self.node("TensorStridedSliceUpdate", cache, begin, limit, self.const(np.int64([1] * 4)), update,
                         Index="int64", begin_mask=11, end_mask=11)  # fmt: skip


class Decoder:
    def __init__(self, layers=4, width=256, heads=4, room=256, vocabulary=4096, seed=3):
        self.layers, self.width, self.heads, self.room, self.vocabulary = layers, width, heads, room, vocabulary
        random = np.random.default_rng(seed)

        def dense(inputs, results):
            return (random.standard_normal((inputs, results), F) * F(inputs**-0.5), random.standard_normal(results, F) * F(0.1))

        def norm():
            return F(1) + random.standard_normal(width, F) * F(0.1), random.standard_normal(width, F) * F(0.1)

        self.tokens = random.standard_normal((vocabulary, width), F)
        self.positions = random.standard_normal((room, width), F) * F(0.2)
        self.blocks = [dict(first=norm(), q=dense(width, width), k=dense(width, width), v=dense(width, width),
                            out=dense(width, width), second=norm(), wide=dense(width, 4 * width),
                            narrow=dense(4 * width, width)) for _ in range(layers)]  # fmt: skip
        self.last, self.head = norm(), dense(width, vocabulary)

    def caches(self):
        return [f"{kind}{i}" for i in range(self.layers) for kind in ("key", "value")]

    def options(self, write="scatter"):
        """The options that make the caches state, for either frontend."""
        states = ["--state=" + ",".join(f"past_{c}=present_{c}" for c in self.caches())]
        return states + [f"--dim=past_{c}.2=0..{self.room - 1}" for c in self.caches() if write in GROWING]

    def writer(self, g, write, position, add):
        """The positions of a cache that are visible (None: all), and a function that writes a new
        row to a cache."""
        if write == "grow":
            return None, lambda cache, new: g.concat(cache, new, axis=2, kind="float32")
        places = np.arange(self.room, dtype=np.int64)
        seen = g.node("LessOrEqual" if isinstance(g, Onnx) else "LessEqual", g.const(places), position, kind="int64")
        if write == "slice":
            return seen, lambda cache, new: g.put(cache, new, position)
        if write == "select":
            here = g.node("Equal", g.const(places[:, None]), position, kind="int64")
            return seen, lambda cache, new: g.where(here, new, cache)
        rows = np.zeros((1, self.heads, 1, 2), np.int64)
        rows[0, :, 0, 1] = np.arange(self.heads)
        column = g.node(add, g.const(np.zeros((1, self.heads, 1, 1), np.int64)), position, kind="int64")
        at = g.concat(g.const(rows), column, axis=-1)
        return seen, lambda cache, new: g.scatter(cache, at, new)

    def attend(self, g, past, layer, parts, write_at, seen, shape):
        each = self.width // self.heads
        q, k, v = (g.reshape(part, [1, self.heads, 1, each]) for part in parts)
        present = []
        for name, new in ((f"key{layer}", k), (f"value{layer}", v)):
            present.append(write_at(past[name], new))
            g.output(present[-1], "present_" + name, shape)
        scores = g.node("Mul", g.matmul(q, present[0], transpose=True), g.const(F(each**-0.5)))
        return g.matmul(g.softmax(g.where(seen, scores, g.const(F(-1e9))) if seen else scores), present[1])

    def build(self, g, write="scatter"):
        """The step in the graph `g`, an Onnx or a TensorFlow."""
        width, heads, each = self.width, self.heads, self.width // self.heads
        add = "Add" if isinstance(g, Onnx) else "AddV2"
        token, position = g.input("token", [1], "int64"), g.input("position", [1], "int64")
        shape = [1, heads, self.room, each]
        past = {c: g.input("past_" + c, [1, heads, -1, each] if write in GROWING else shape) for c in self.caches()}
        seen, write_at = (None, None) if write == "attention" else self.writer(g, write, position, add)

        def dense(x, weights):
            return g.node(add, g.matmul(x, g.const(weights[0])), g.const(weights[1]))

        x = g.node(add, g.rows(self.tokens, token), g.rows(self.positions, position))
        for i, block in enumerate(self.blocks):
            h = g.norm(x, *block["first"])
            if write == "attention":
                q, k, v = (g.reshape(dense(h, block[name]), [1, 1, width]) for name in "qkv")
                h, *present = g.attention(q, k, v, past[f"key{i}"], past[f"value{i}"], heads)
                for name, cache in zip((f"key{i}", f"value{i}"), present):
                    g.output(cache, "present_" + name, shape)
            else:
                h = self.attend(g, past, i, (dense(h, block[name]) for name in "qkv"), write_at, seen, shape)
            h = g.reshape(h, [1, width])
            x = g.node(add, x, dense(h, block["out"]))
            h = g.gelu(dense(g.norm(x, *block["second"]), block["wide"]))
            x = g.node(add, x, dense(h, block["narrow"]))
        g.output(dense(g.norm(x, *self.last), self.head), "logits", [1, self.vocabulary])
        return g

    def flops(self):
        width = self.width
        return 2 * (self.layers * (12 * width * width + 2 * width * self.room) + width * self.vocabulary)

    def run(self, tokens):
        """The logits of each step, in float64, with all earlier ones at once."""
        x = np.float64(self.tokens[tokens]) + self.positions[: len(tokens)]
        n, each = len(tokens), self.width // self.heads

        def norm(x, weights):
            x = x - x.mean(-1, keepdims=True)
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weights[0] + weights[1]

        def dense(x, weights):
            return x @ np.float64(weights[0]) + weights[1]

        later = np.triu(np.ones((n, n), bool), 1)
        for block in self.blocks:
            h = norm(x, block["first"])
            q, k, v = (dense(h, block[name]).reshape(n, self.heads, each).swapaxes(0, 1) for name in "qkv")
            scores = np.where(later, -np.inf, q @ k.swapaxes(1, 2) * each**-0.5)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            h = (scores / scores.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(n, self.width)
            x = x + dense(h, block["out"])
            h = dense(norm(x, block["second"]), block["wide"])
            x = x + dense(h * normal_below(h), block["narrow"])
        return dense(norm(x, self.last), self.head)


def normal_below(x):
    """The distribution function of the normal distribution, from the C library's erfc."""
    import ctypes
    import ctypes.util

    erfc = ctypes.CDLL(ctypes.util.find_library("m")).erfc
    erfc.restype, erfc.argtypes = ctypes.c_double, [ctypes.c_double]
    return np.vectorize(lambda value: erfc(-value / 2**0.5) / 2)(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    for name, default in dict(layers=4, width=256, heads=4, room=256, vocabulary=4096).items():
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--write", choices=["scatter", "slice", "select", *GROWING], default="scatter")
    parser.add_argument("--options", action="store_true", help="only print the options that make the caches state")
    args = parser.parse_args()
    decoder = Decoder(args.layers, args.width, args.heads, args.room, args.vocabulary)
    if args.options:
        print(*decoder.options(args.write))
        return
    for ending, graph in ((".onnx", Onnx()), (".pb", TensorFlow())):
        if args.write == "attention" and ending == ".pb":
            continue
        with open(args.out + ending, "wb") as file:
            file.write(decoder.build(graph, args.write).serialize())
    shape = [1, args.heads, args.room - (args.write in GROWING), args.width // args.heads]
    listed = lambda prefix: [dict(name=prefix + c, shape=shape, img=False) for c in decoder.caches()]
    with open(args.out + ".json", "w") as file:
        json.dump(dict(name=args.out.rsplit("/", 1)[-1], flops=decoder.flops(), bytes=0,
                       inputs=[dict(name=n, shape=[1], img=False) for n in ("token", "position")] + listed("past_"),
                       outputs=listed("present_") + [dict(name="logits", shape=[1, args.vocabulary], img=False)]), file, indent=1)  # fmt: skip


if __name__ == "__main__":
    main()
