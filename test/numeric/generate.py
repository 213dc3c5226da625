"""generate.py FOLDER: a small transformer decoder generates tokens from both
frontends, its caches held as state; the logits of each step against the whole
sequence at once, in float64. So does a model that keeps a recurrent state."""

import ctypes
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench"))
sys.dont_write_bytecode = True
import decoder  # noqa: E402
from harness import Config, ModelInfo  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1])
failures = 0


class Library:
    """A compiled model with one function besides init; contexts of it run."""

    def __init__(self, model, *options):
        path = str(FOLDER / model) + ".so"
        subprocess.run(["weir", "compile", str(FOLDER / model), "-o", path, "--prefix=graph", *options], check=True)
        self.lib = ctypes.CDLL(path)
        self.lib.graph_info.restype = ctypes.POINTER(ModelInfo)
        self.info = self.lib.graph_info().contents
        self.main = self.info.functions[0]

    def names(self):
        of = lambda tensors, count: [tensors[i].name.decode() for i in range(count)]
        return of(self.main.inputs, self.main.num_inputs), of(self.main.outputs, self.main.num_outputs)

    def start(self):
        context = ctypes.c_void_p()
        assert not self.info.create(None, ctypes.byref(Config(abi_version=2)), ctypes.byref(context))
        assert not self.info.run(context, self.info.init - 1, None, 0)
        return context

    def run(self, context, *arrays):
        pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        return self.info.run(context, 0, pointers, len(arrays))


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(what)


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
    # Beyond the cache's room nothing is written.
    given["position"][0] = model.room
    status = library.run(contexts[0], *(given[name] for name in inputs), logits)
    expect(f"{what}: status {status} beyond its room", status != 0)
    for context in contexts:
        library.info.destroy(context)


for write in ("scatter", "slice", "select"):
    model = decoder.Decoder(layers=2, width=32, heads=2, room=8, vocabulary=40)
    for ending, graph in (("onnx", decoder.Onnx()), ("pb", decoder.TensorFlow())):
        name = f"{write}.{ending}"
        (FOLDER / name).write_bytes(model.build(graph, write).serialize())
        generate(model, Library(name, *model.options()), name)
sys.exit(failures != 0)
