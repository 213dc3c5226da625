"""decoders.py FOLDER: tests decoders with a cache, in the form of exporters, against NumPy.

The first is a GPT-2 in the form of Hugging Face Optimum, with a causal mask that is sliced from a
triangle, and caches by Concat. The second is a Llama in the form of ONNX Runtime GenAI, with
GroupQueryAttention, rotary positions and fewer heads of keys. The third is a Whisper in the form
of Optimum. Its encoder of sound has convolutions; the encoder's keys and values are inputs of the
decoder, with a causal mask of ranges. Batch and all lengths are dynamic. Each is compiled with its
cache as state, as one function and with a second function for single tokens (--variant). A text
passes through it at once, in pieces, and token by token. Without state, the caller keeps the
cache.
"""

import math
import pathlib
import subprocess
import sys

import numpy as np
from onnx_graph import OnnxGraph

F, I = np.float32, np.int64
LAYERS, WIDTH, HEADS, ROOM, WORDS, BANDS = 2, 64, 4, 48, 96, 20
SIZE = WIDTH // HEADS


class Decoder(OnnxGraph):
    """The nodes of a decoder; `self.numbers` has its weights by name."""

    def __init__(self, shared):
        super().__init__(opset=17)
        self.fold, self.shared, self.numbers, self.results = False, shared, {}, []
        self.rng = np.random.default_rng(3)
        self.ids = self.open("input_ids", I, "batch", "length")

    def open(self, name, type, *dims):
        x = self.input(np.zeros([d if isinstance(d, int) else 1 for d in dims], type))
        self.inputs[-1] = (name, *self.inputs[-1][1:])
        self.dims[name], x.names = dims, [name]
        return x

    def weight(self, name, *shape):
        self.numbers[name] = (self.rng.standard_normal(shape) / math.sqrt(shape[0])).astype(F)
        return self.constant(self.numbers[name])

    def product(self, x, name, rows, columns):
        return self.op("MatMul", x, self.weight(name, rows, columns))

    def whole(self, *values):
        return self.constant(np.array(values, I))

    def past(self, layer):
        cached = ("batch", self.shared, "past", SIZE)
        return [self.open(f"past.{layer}.{kind}", F, *cached) for kind in ("key", "value")]

    def give(self, name, x):
        self.nodes.append(f'node {{ op_type: "Identity" input: "{x.names[0]}" output: "{name}" }}')
        self.results.append(name)

    def present(self, layer, *cache):
        for kind, x in zip(("key", "value"), cache):
            self.give(f"present.{layer}.{kind}", x)


def gpt2():
    g = Decoder(HEADS)
    mask = g.open("attention_mask", I, "batch", "total")
    places = g.open("position_ids", I, "batch", "length")
    x = g.op("Add", g.op("Gather", g.weight("words", WORDS, WIDTH), g.ids), g.op("Gather", g.weight("places", ROOM, WIDTH), places))
    least = g.constant(F(np.finfo(F).min))
    hidden = g.op("Sub", g.constant(F(1)), g.op("Unsqueeze", g.op("Cast", mask, to=1), g.whole(1, 2)))
    hidden = g.op("Mul", hidden, least)
    triangle = g.constant(np.tril(np.ones((1, 1, ROOM, ROOM), bool)))
    shape = g.op("Shape", g.ids)
    batch, length = (g.op("Unsqueeze", g.op("Gather", shape, g.constant(I(i))), g.whole(0)) for i in (0, 1))
    parted = g.op("Concat", batch, length, g.whole(HEADS, SIZE), axis=0)
    joined = g.op("Concat", batch, length, g.whole(WIDTH), axis=0)
    ones, none = g.constant(np.ones(WIDTH, F)), g.constant(np.zeros(WIDTH, F))
    for i in range(LAYERS):
        past = g.past(i)
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        q, k, v = (g.op("Transpose", g.op("Reshape", g.product(y, f"{n}{i}", WIDTH, WIDTH), parted), perm=[0, 2, 1, 3]) for n in "qkv")
        k, v = g.op("Concat", past[0], k, axis=2), g.op("Concat", past[1], v, axis=2)
        g.present(i, k, v)
        keys = g.op("Unsqueeze", g.op("Gather", g.op("Shape", k), g.constant(I(2))), g.whole(0))
        seen = g.op("Slice", triangle, g.op("Sub", keys, length), keys, g.whole(2), g.whole(1))
        seen = g.op("Slice", seen, g.whole(0), keys, g.whole(3), g.whole(1))
        scores = g.op("Div", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.constant(F(math.sqrt(SIZE))))
        scores = g.op("Add", g.op("Where", seen, scores, least), hidden)
        y = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        x = g.op("Add", x, g.product(g.op("Reshape", y, joined), f"o{i}", WIDTH, WIDTH))
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        x = g.op("Add", x, g.product(g.op("Tanh", g.product(y, f"up{i}", WIDTH, 128)), f"down{i}", 128, WIDTH))
    g.give("logits", g.product(g.op("LayerNormalization", x, ones, none, axis=-1), "out", WIDTH, WORDS))
    return g


def llama():
    g = Decoder(2)
    mask = g.open("attention_mask", I, "batch", "total")
    last = g.op("Sub", g.op("ReduceSum", mask, g.whole(1), keepdims=0), g.whole(1))
    total = g.op("Gather", g.op("Shape", mask), g.constant(I(1)))
    last, total = g.op("Cast", last, to=6), g.op("Cast", total, to=6)
    angles = np.arange(ROOM)[:, None] / 10000 ** (np.arange(0, SIZE, 2) / SIZE)
    turns = g.constant(np.cos(angles).astype(F)), g.constant(np.sin(angles).astype(F))
    ones = g.constant(np.ones(WIDTH, F))
    norm = lambda x: g.op("SimplifiedLayerNormalization", x, ones, axis=-1, epsilon=1e-5)
    x = g.op("Gather", g.weight("words", WORDS, WIDTH), g.ids)
    for i in range(LAYERS):
        past, y = g.past(i), norm(x)
        q = g.product(y, f"q{i}", WIDTH, WIDTH)
        k, v = (g.product(y, f"{n}{i}", WIDTH, g.shared * SIZE) for n in "kv")
        heads = dict(num_heads=HEADS, kv_num_heads=g.shared, do_rotary=1)
        y, *cache = g.op("GroupQueryAttention", q, k, v, *past, last, total, *turns, outputs=3, domain="com.microsoft", **heads)
        g.present(i, *cache)
        x = g.op("Add", x, g.product(y, f"o{i}", WIDTH, WIDTH))
        y = norm(x)
        gate = g.product(y, f"gate{i}", WIDTH, 128)
        gate = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), g.product(y, f"up{i}", WIDTH, 128))
        x = g.op("Add", x, g.product(gate, f"down{i}", 128, WIDTH))
    g.give("logits", g.product(norm(x), "out", WIDTH, WORDS))
    return g


def attend(g, q, k, v, seen=None):
    """The nodes of attention as PyTorch exports scaled_dot_product_attention."""
    root = g.constant(F(SIZE**-0.25))
    k = g.op("Mul", g.op("Transpose", k, perm=[0, 1, 3, 2]), root)
    scores = g.op("MatMul", g.op("Mul", q, root), k)
    if seen:
        scores = g.op("Add", scores, g.op("Where", seen, g.constant(F(0)), g.constant(F(-np.inf))))
    return g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])


def gelu(g, x):
    half = g.op("Add", g.op("Erf", g.op("Div", x, g.constant(F(math.sqrt(2))))), g.constant(F(1)))
    return g.op("Mul", g.op("Mul", x, half), g.constant(F(0.5)))


def listener():
    """Whisper's encoder, with the keys and values of the decoder's layers."""
    g = Decoder(HEADS)
    g.nodes, g.inputs, g.dims = [], [], {}
    x = g.open("sound", F, "batch", BANDS, "frames")
    for name, channels, stride in ("c0", BANDS, 1), ("c1", WIDTH, 2):
        w, shift = g.weight(name, WIDTH, channels, 3), g.weight(name + "b", WIDTH)
        x = gelu(g, g.op("Conv", x, w, shift, kernel_shape=[3], pads=[1, 1], strides=[stride]))
    x = g.op("Transpose", x, perm=[0, 2, 1])
    count = g.op("Unsqueeze", g.op("Gather", g.op("Shape", x), g.constant(I(1))), g.whole(0))
    x = g.op("Add", x, g.op("Slice", g.weight("times", ROOM, WIDTH), g.whole(0), count, g.whole(0)))
    ones, none, parts = g.constant(np.ones(WIDTH, F)), g.constant(np.zeros(WIDTH, F)), g.whole(0, 0, HEADS, SIZE)
    heads = lambda x: g.op("Transpose", g.op("Reshape", x, parts), perm=[0, 2, 1, 3])
    for i in range(LAYERS):
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        y = attend(g, *(heads(g.product(y, f"{n}{i}", WIDTH, WIDTH)) for n in "qkv"))
        x = g.op("Add", x, g.product(g.op("Reshape", y, g.whole(0, 0, WIDTH)), f"o{i}", WIDTH, WIDTH))
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        x = g.op("Add", x, g.product(gelu(g, g.product(y, f"up{i}", WIDTH, 128)), f"down{i}", 128, WIDTH))
    x = g.op("LayerNormalization", x, ones, none, axis=-1)
    for i in range(LAYERS):
        for kind in ("key", "value"):
            g.give(f"sound.{i}.{kind}", heads(g.product(x, f"sound.{i}.{kind}", WIDTH, WIDTH)))
    return g


def whisper():
    g = Decoder(HEADS)
    pasts = [g.past(i) for i in range(LAYERS)]
    sounds = [[g.open(f"sound.{i}.{kind}", F, "batch", HEADS, "heard", SIZE) for kind in ("key", "value")] for i in range(LAYERS)]
    past, length = (g.op("Gather", g.op("Shape", x), g.constant(I(i))) for x, i in ((pasts[0][0], 2), (g.ids, 1)))
    total = g.op("Add", past, length)
    rows, columns = g.op("Range", past, total, g.constant(I(1))), g.op("Range", g.constant(I(0)), total, g.constant(I(1)))
    seen = g.op("LessOrEqual", g.op("Unsqueeze", columns, g.whole(0)), g.op("Unsqueeze", rows, g.whole(1)))
    x = g.op("Add", g.op("Gather", g.weight("words", WORDS, WIDTH), g.ids), g.op("Gather", g.weight("places", ROOM, WIDTH), rows))
    ones, none, parts = g.constant(np.ones(WIDTH, F)), g.constant(np.zeros(WIDTH, F)), g.whole(0, 0, HEADS, SIZE)
    heads = lambda x: g.op("Transpose", g.op("Reshape", x, parts), perm=[0, 2, 1, 3])
    for i in range(LAYERS):
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        q, k, v = (heads(g.product(y, f"{n}{i}", WIDTH, WIDTH)) for n in "qkv")
        k, v = g.op("Concat", pasts[i][0], k, axis=2), g.op("Concat", pasts[i][1], v, axis=2)
        g.present(i, k, v)
        y = g.op("Reshape", attend(g, q, k, v, seen), g.whole(0, 0, WIDTH))
        x = g.op("Add", x, g.product(y, f"o{i}", WIDTH, WIDTH))
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        y = attend(g, heads(g.product(y, f"qs{i}", WIDTH, WIDTH)), *sounds[i])
        x = g.op("Add", x, g.product(g.op("Reshape", y, g.whole(0, 0, WIDTH)), f"os{i}", WIDTH, WIDTH))
        y = g.op("LayerNormalization", x, ones, none, axis=-1)
        x = g.op("Add", x, g.product(gelu(g, g.product(y, f"up{i}", WIDTH, 128)), f"down{i}", 128, WIDTH))
    g.give("logits", g.product(g.op("LayerNormalization", x, ones, none, axis=-1), "out", WIDTH, WORDS))
    return g


def normal(x):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)


def in_heads(x):
    return x.reshape(*x.shape[:2], -1, SIZE).transpose(0, 2, 1, 3)


def mixed(q, k, v, seen=True):
    scores = np.where(seen, q @ k.transpose(0, 1, 3, 2) / math.sqrt(SIZE), -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    y = shares / shares.sum(-1, keepdims=True) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


def raised(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def heard(g, sound):
    """The results of `listener`, in f64."""
    w = {name: value.astype(np.float64) for name, value in g.numbers.items()}
    x = sound.astype(np.float64)
    for name, stride in ("c0", 1), ("c1", 2):
        x = np.pad(x, ((0, 0), (0, 0), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(x, 3, 2)[:, :, ::stride]
        x = raised(np.einsum("bctk,ock->bot", windows, w[name]) + w[name + "b"][:, None])
    x = x.transpose(0, 2, 1)
    x = x + w["times"][: x.shape[1]]
    for i in range(LAYERS):
        y = normal(x)
        x = x + mixed(*(in_heads(y @ w[f"{n}{i}"]) for n in "qkv")) @ w[f"o{i}"]
        x = x + raised(normal(x) @ w[f"up{i}"]) @ w[f"down{i}"]
    names = [f"sound.{i}.{kind}" for i in range(LAYERS) for kind in ("key", "value")]
    return {name: in_heads(normal(x) @ w[name]) for name in names}


def told(g, ids, sounds):
    """The logits of `whisper` for whole texts, in f64."""
    w = {name: value.astype(np.float64) for name, value in g.numbers.items()}
    count = ids.shape[1]
    x = w["words"][ids] + w["places"][:count]
    for i in range(LAYERS):
        y = normal(x)
        y = mixed(*(in_heads(y @ w[f"{n}{i}"]) for n in "qkv"), np.tril(np.ones((count, count), bool)))
        x = x + y @ w[f"o{i}"]
        y = mixed(in_heads(normal(x) @ w[f"qs{i}"]), *(sounds[f"sound.{i}.{kind}"] for kind in ("key", "value")))
        x = x + y @ w[f"os{i}"]
        x = x + raised(normal(x) @ w[f"up{i}"]) @ w[f"down{i}"]
    return normal(x) @ w["out"]


def check_whisper(folder, rng):
    import weir

    listens, speaks, right = listener(), whisper(), True
    ears = weir.Model(compiled(folder, listens, "listener", "--dim=frames=2..60", "--dim=batch=1..2"))
    frames = ["--dim=heard=1..30"]
    one = [*frames, "--dim=batch=1", "--dim=length=1..24", "--dim=past=0..24", "--variant=step:length=1,past=0..47"]
    model = weir.Model(compiled(folder, speaks, "whisper", *kept(), *one))
    carried = weir.Model(compiled(folder, speaks, "whisper_carried", *frames, "--dim=batch=1..3", "--dim=length=1..16", "--dim=past=0..32"))
    for length in 57, 12:
        sound, ids = rng.standard_normal((2, BANDS, length)).astype(F), rng.integers(0, WORDS, (2, 30))
        exact, got = heard(listens, sound), ears.run("main", sound=sound)
        given = {name: np.array(got[name]) for name in exact}
        for name in exact:
            right &= check(f"{name} of {length}", given[name], exact[name])
        wanted = told(speaks, ids, exact)
        for text in 0, 1:
            # A new text does not use the old one's cache.
            model.run("init")
            own, begin, results = {name: x[text : text + 1].copy() for name, x in given.items()}, 0, []
            for function, end in ("main", 5), *(("step", i) for i in range(6, 21)), ("main", 30):
                results.append(np.array(model.run(function, input_ids=ids[text : text + 1, begin:end].copy(), **own)["logits"]))
                begin = end
            right &= check(f"whisper, text {text} of {length}", np.concatenate(results, 1), wanted[text : text + 1])
        cache = {f"past.{i}.{kind}": np.zeros((2, HEADS, 0, SIZE), F) for i in range(LAYERS) for kind in ("key", "value")}
        results = []
        for begin, end in (0, 13), (13, 14), (14, 20):
            now = carried.run("main", input_ids=ids[:, begin:end].copy(), **given, **cache)
            results.append(np.array(now["logits"]))
            cache = {name: np.array(now[name.replace("past", "present")]) for name in cache}
        right &= check(f"whisper, carried of {length}", np.concatenate(results, 1), wanted[:, :20])
    return right


def reference(g, ids):
    """The logits of whole texts, in f64."""
    w = {name: value.astype(np.float64) for name, value in g.numbers.items()}
    count, isLlama = ids.shape[1], "gate0" in w
    x = w["words"][ids] + (0 if isLlama else w["places"][:count])

    def norm(x):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) if isLlama else normal(x)

    def turned(x):
        angles = np.arange(count)[:, None] / 10000 ** (np.arange(0, SIZE, 2) / SIZE)
        a, b = np.split(x, 2, -1)
        return np.concatenate([a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], -1)

    for i in range(LAYERS):
        y = norm(x)
        q, k, v = (in_heads(y @ w[f"{n}{i}"]) for n in "qkv")
        if isLlama:
            q, k = turned(q), turned(k)
        k, v = (np.repeat(z, HEADS // g.shared, 1) for z in (k, v))
        x = x + mixed(q, k, v, np.tril(np.ones((count, count), bool))) @ w[f"o{i}"]
        y = norm(x)
        if isLlama:
            gate = y @ w[f"gate{i}"]
            x = x + gate / (1 + np.exp(-gate)) * (y @ w[f"up{i}"]) @ w[f"down{i}"]
        else:
            x = x + np.tanh(y @ w[f"up{i}"]) @ w[f"down{i}"]
    return norm(x) @ w["out"]


def feeds(g, ids, begin, end):
    given = dict(input_ids=ids[:, begin:end], attention_mask=np.ones((len(ids), end), I))
    if "position_ids" in g.dims:
        given["position_ids"] = np.broadcast_to(np.arange(begin, end), (len(ids), end - begin)).copy()
    return given


def compiled(folder, g, name, *options):
    library = folder / f"{name}.so"
    model = folder / f"{name}.txt"
    model.write_text(g.text(g.nodes, g.results))
    ranges = [f"--dim=total=1..{ROOM}"] * ("attention_mask" in g.dims) + list(options)
    subprocess.run(["weir", "compile", str(model), "-o", str(library), "--prefix=graph", *ranges], check=True)
    return library


def kept():
    names = [f"{i}.{kind}" for i in range(LAYERS) for kind in ("key", "value")]
    return [f"--state=past.{name}=present.{name}" for name in names]


def check(what, got, wanted):
    far = np.abs(got - wanted).max() / np.abs(wanted).max()
    if got.shape == wanted.shape and far < 2e-6:
        return True
    print(f"{what}: {got.shape} for {wanted.shape}, differs by {far:.2g} of the largest")
    return False


def main(folder):
    import weir

    folder, right = pathlib.Path(folder), True
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    for make in gpt2, llama:
        g = make()
        ids = rng.integers(0, WORDS, (1, 40))
        wanted = reference(g, ids)
        one = ["--dim=batch=1", "--dim=length=1..24", "--dim=past=0..24"]
        step = "--variant=step:length=1,past=0..47"
        for threads in 1, 2:
            library = compiled(folder, g, make.__name__, f"--threads={threads}", *kept(), *one, step)
            # Functions, and the ends of their pieces.
            ways = {
                "pieces": [("main", 24), ("main", 40)],
                "tokens": [("step", i + 1) for i in range(40)],
                "both": [("main", 9), *(("step", i) for i in range(10, 21)), ("main", 33), *(("step", i) for i in range(34, 41))],
            }
            for name, pieces in ways.items():
                model, begin, got = weir.Model(library), 0, []
                model.run("init")
                for function, end in pieces:
                    got.append(np.array(model.run(function, **feeds(g, ids, begin, end))["logits"]))
                    begin = end
                right &= check(f"{make.__name__}, {name}, {threads} threads", np.concatenate(got, 1), wanted)
        # The caller keeps the cache of two texts.
        ids = rng.integers(0, WORDS, (2, 20))
        wanted = reference(g, ids)
        library = compiled(folder, g, make.__name__ + "_carried", "--dim=batch=1..3", "--dim=length=1..16", "--dim=past=0..32")
        model = weir.Model(library)
        cache = {f"past.{i}.{kind}": np.zeros((2, g.shared, 0, SIZE), F) for i in range(LAYERS) for kind in ("key", "value")}
        got = []
        for begin, end in (0, 13), (13, 14), (14, 20):
            results = model.run("main", **feeds(g, ids, begin, end), **cache)
            got.append(np.array(results["logits"]))
            cache = {name: np.array(results[name.replace("past", "present")]) for name in cache}
        right &= check(f"{make.__name__}, carried", np.concatenate(got, 1), wanted)
    right &= check_whisper(folder, rng)
    return not right


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
