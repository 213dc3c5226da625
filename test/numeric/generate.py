"""generate.py FOLDER: a small transformer decoder generates tokens from both frontends, with its
caches as state. The logits of each step are compared with the whole sequence at once, in float64.
Cells of an LSTM and a GRU keep their state, too."""

import ctypes
import os
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench"))
sys.dont_write_bytecode = True
import decoder  # noqa: E402
from interface import ABI_VERSION, Config, ModelInfo  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1])
checks = failures = 0


class Library:
    """A compiled model with one function besides init; contexts of it run."""

    def __init__(self, model, *options):
        path = str(FOLDER / model) + ".so"
        options += tuple(os.environ.get("WEIR_TEST_OPTIONS", "").split())
        subprocess.run(["weir", "compile", str(FOLDER / model), "-o", path, "--prefix=graph", *options], check=True)  # fmt: skip
        self.lib = ctypes.CDLL(path)
        self.lib.graph_info.restype = ctypes.POINTER(ModelInfo)
        self.info = self.lib.graph_info().contents
        self.main = self.info.functions[0]

    def names(self):
        of = lambda tensors, count: [tensors[i].name.decode() for i in range(count)]
        return of(self.main.inputs, self.main.num_inputs), of(self.main.outputs, self.main.num_outputs)

    def start(self):
        context = ctypes.c_void_p()
        assert not self.info.create(None, ctypes.byref(Config(abi_version=ABI_VERSION)), ctypes.byref(context))
        assert not self.info.run(context, self.info.init - 1, None, 0)
        return context

    def run(self, context, *arrays):
        pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        return self.info.run(context, 0, pointers, len(arrays))


def expect(what, holds):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print(what)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Cell:
    """A step of an LSTM or a GRU: weights by gate in the order of `gates`, for the input, the state and 1."""

    def __init__(self, gates, inputs=5, width=24):
        random = np.random.default_rng(7)
        self.gates, self.inputs, self.width = gates, inputs, width
        self.weights = {g: random.standard_normal((inputs + width + 2, width)).astype(np.float32) / 3 for g in gates}

    def parts(self, gate):
        w, i = self.weights[gate], self.inputs
        return w[:i], w[i : i + self.width], w[-2], w[-1]

    def onnx(self, g, order):
        w, r, wb, rb = zip(*(self.parts(gate) for gate in order))
        stacked = lambda parts: np.concatenate([p.T for p in parts])[None]
        x = g.input("x", [1, 1, self.inputs])
        states = [g.input(s, [1, 1, self.width]) for s in self.states]
        op, extra = ("LSTM", {}) if self.states == ["h", "c"] else ("GRU", {"linear_before_reset": 1})
        new = ["new_" + s for s in self.states]
        g.node(op, x, g.const(stacked(w)), g.const(stacked(r)), g.const(np.concatenate(wb + rb)[None]), "", *states,
               name=["", *new], hidden_size=self.width, **extra)  # fmt: skip
        for s in self.states:
            g.output("new_" + s, "next_" + s, [1, 1, self.width])
        g.output("new_h", "y", [1, 1, self.width])
        return g

    def run(self, xs):
        """The state after each step."""
        states = {s: np.zeros(self.width) for s in self.states}
        for x in xs:
            states = self.step(np.float64(x), states)
            yield states["h"]

    def side(self, gate, x, h):
        w, r, wb, rb = (np.float64(p) for p in self.parts(gate))
        return x @ w + wb, h @ r + rb


class Lstm(Cell):
    states = ["h", "c"]

    def __init__(self):
        super().__init__("iofc")

    def step(self, x, states):
        i, o, f, c = (sum(self.side(gate, x, states["h"])) for gate in "iofc")
        c = sigmoid(f) * states["c"] + sigmoid(i) * np.tanh(c)
        return {"h": sigmoid(o) * np.tanh(c), "c": c}

    def build(self, g):
        if isinstance(g, decoder.Onnx):
            return self.onnx(g, "iofc")
        x, h, c = g.input("x", [1, self.inputs]), *(g.input(s, [1, self.width]) for s in "hc")
        joined = g.node("ConcatV2", x, h, g.const(np.int32(1)), N=2, Tidx="int32")
        weights = np.concatenate([self.weights[gate] for gate in "iofc"], 1)
        bias = g.const(weights[-2] + weights[-1])
        gates = g.node("BiasAdd", g.node("MatMul", joined, g.const(weights[:-2])), bias)
        split = g.node("Split", g.const(np.int32(1)), gates, num_split=4)
        i, o, f = (g.node("Sigmoid", split + suffix) for suffix in ("", ":1", ":2"))
        made = g.node("Mul", i, g.node("Tanh", split + ":3"))
        c = g.node("AddV2", g.node("Mul", f, c), made, name="next_c")
        g.node("Identity", g.node("Mul", o, g.node("Tanh", c), name="next_h"), name="y")
        return g


class Gru(Cell):
    states = ["h"]

    def __init__(self):
        super().__init__("zrh")

    def step(self, x, states):
        h = states["h"]
        z, r = (sigmoid(sum(self.side(gate, x, h))) for gate in "zr")
        of_x, of_h = self.side("h", x, h)
        return {"h": (1 - z) * np.tanh(of_x + r * of_h) + z * h}

    def build(self, g):
        if isinstance(g, decoder.Onnx):
            return self.onnx(g, "zrh")
        x, h = g.input("x", [1, self.inputs]), g.input("h", [1, self.width])
        sides = {}
        for gate in "zrh":
            w, r, wb, rb = self.parts(gate)
            sides[gate] = [g.node("BiasAdd", g.node("MatMul", v, g.const(m)), g.const(b)) for v, m, b in ((x, w, wb), (h, r, rb))]
        z, r = (g.node("Sigmoid", g.node("AddV2", *sides[gate])) for gate in "zr")
        made = g.node("Tanh", g.node("AddV2", sides["h"][0], g.node("Mul", r, sides["h"][1])))
        kept = g.node("Mul", z, g.node("Sub", h, made))
        g.node("Identity", g.node("AddV2", made, kept, name="next_h"), name="y")
        return g


def recur(cell, library, what):
    expect(f"{what}: {library.names()}", library.names() == (["x"], ["y"]))
    context = library.start()
    y = np.empty(cell.width, np.float32)
    xs = np.random.default_rng(4).standard_normal((12, cell.inputs)).astype(np.float32)
    for step, (x, want) in enumerate(zip(xs, cell.run(xs))):
        status = library.run(context, x, y)
        error = abs(y - want).max()
        expect(f"{what}, step {step}: status {status}, error {error}", status == 0 and error < 1e-6)
    library.info.destroy(context)


def generate(model, library, what):
    inputs, outputs = library.names()
    expect(f"{what}: takes {inputs} and gives {outputs}", (sorted(inputs), outputs) == (["position", "token"], ["logits"]))
    # Two contexts in turn, each with a cache of its own.
    sequences = [np.random.default_rng(seed).integers(0, model.vocabulary, model.room) for seed in (1, 2)]
    contexts = [library.start() for _ in sequences]
    wanted = [model.run(tokens) for tokens in sequences]
    logits = np.empty((1, model.vocabulary), np.float32)
    for position in range(model.room):
        for tokens, context, want in zip(sequences, contexts, wanted):
            given = {"token": np.int64([tokens[position]]), "position": np.int64([position])}
            status = library.run(context, *(given[name] for name in inputs), logits)
            error = abs(logits[0] - want[position]).max() / abs(want[position]).max()
            expect(f"{what}, position {position}: status {status}, error {error}", status == 0 and error < 3e-6)
    # Beyond the bound of the cache nothing is written.
    given["position"][0] = model.room
    status = library.run(contexts[0], *(given[name] for name in inputs), logits)
    expect(f"{what}: status {status} beyond its room", status != 0)
    for context in contexts:
        library.info.destroy(context)


for write in ("scatter", "slice", "select", "grow", "attention"):
    model = decoder.Decoder(layers=2, width=32, heads=2, room=8, vocabulary=40)
    for ending, graph in (("onnx", decoder.Onnx()), ("pb", decoder.TensorFlow())):
        if write == "attention" and ending == "pb":
            continue
        name = f"{write}.{ending}"
        (FOLDER / name).write_bytes(model.build(graph, write).serialize())
        generate(model, Library(name, *model.options(write)), name)
for cell in (Lstm(), Gru()):
    for ending, graph in (("onnx", decoder.Onnx()), ("pb", decoder.TensorFlow())):
        name = f"{type(cell).__name__.lower()}.{ending}"
        (FOLDER / name).write_bytes(cell.build(graph).serialize())
        states = ",".join(f"{s}=next_{s}" for s in cell.states)
        recur(cell, Library(name, "--state=" + states), name)
print(f"{checks - failures} of {checks} checks hold")
sys.exit(failures != 0)
