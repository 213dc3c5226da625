"""ranks.py FOLDER: models that several ranks run together, against the same models on one machine.
The ranks are threads of weir-run."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import FLOAT, OUT, attr, bundle, compile, const, node, placeholder, variable  # noqa: E402

failures = 0
rng = np.random.default_rng(7)


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"{what}: does not hold")


def close(what, got, want, tolerance):
    got, want = np.float64(got), np.float64(want)
    scale = max(np.abs(want).max(initial=0), 1e-30)
    expect(f"{what}: {np.abs(got - want).max(initial=0) / scale:.2g} of {scale:.2g}",
           got.shape == want.shape and np.all(np.abs(got - want) <= tolerance * scale))


def uniform(*shape):
    return (rng.random(shape) - 0.5).astype(np.float32)


# The two-layer net of the slides.
N, D, H = 64, 1000, 100
MLP = [placeholder("x", (N, D)), placeholder("y", (N, D)),
       *variable("w1", (D, H), uniform(D, H)), *variable("w2", (H, D), uniform(H, D)),
       node("a", "MatMul", ("x", "w1/Read"), FLOAT), node("h", "Relu", ("a",), FLOAT),
       node("p", "MatMul", ("h", "w2/Read"), FLOAT),
       node("d", "SquaredDifference", ("p", "y"), FLOAT),
       const("axes", np.int32([0, 1])),
       node("loss", "Mean", ("d", "axes"), FLOAT, attr("Tidx", "type: DT_INT32"))]  # fmt: skip


def run(library, function, *options, inputs):
    """The outputs of the function."""
    folder = pathlib.Path(library + ".out")
    given = []
    for key, value in inputs.items():
        np.save(f"{OUT}/{key}.npy", value)
        given.append(f"--input={key}=@{OUT}/{key}.npy")
    subprocess.run(["weir-run", library, f"--function={function}", f"--output-dir={folder}",
                    *given, *options], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return {p.stem: np.load(p) for p in folder.glob("*.npy")}


def ranks(count):
    return ["--comm=threads", f"--ranks={count}"]


def inspected(library):
    done = subprocess.run(["weir", "inspect", library, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["mesh"]


def gradients():
    inputs = {"x": uniform(N, D), "y": uniform(N, D)}
    flags = ("--grad=loss:w1,w2",)
    whole = run(compile("mlp", MLP, *flags), "gradients", inputs=inputs)
    for count in (2, 4):
        library = compile(f"mlp{count}", MLP, *flags, f"--mesh=data={count}")
        parts = run(library, "gradients", *ranks(count), inputs=inputs)
        expect("the gradients have the names of one machine's", parts.keys() == whole.keys())
        for name, value in whole.items():
            close(f"{count} ranks, {name}", parts[name], value, 1e-6)


# A small image classifier: a convolution, a batch norm, a pool, and labels as numbers.
IMAGES, CLASSES = 16, 10
NET = [placeholder("image", (IMAGES, 8, 8, 1)),
       *variable("k", (3, 3, 1, 6), uniform(3, 3, 1, 6)),
       *variable("gamma", (6,), uniform(6) + np.float32(1)), *variable("beta", (6,), uniform(6)),
       *variable("w", (96, CLASSES), uniform(96, CLASSES)), *variable("wb", (CLASSES,), uniform(CLASSES)),
       node("c", "Conv2D", ("image", "k/Read"), FLOAT, attr("strides", "list { i: 1 i: 1 i: 1 i: 1 }"),
            attr("padding", 's: "SAME"')),
       const("image_axes", np.int32([0, 1, 2])),
       node("mean", "Mean", ("c", "image_axes"), FLOAT, attr("Tidx", "type: DT_INT32"), attr("keep_dims", "b: true")),
       node("away", "SquaredDifference", ("c", "mean"), FLOAT),
       node("variance", "Mean", ("away", "image_axes"), FLOAT, attr("Tidx", "type: DT_INT32"), attr("keep_dims", "b: true")),
       const("epsilon", np.float32(1e-3)),
       node("spread", "AddV2", ("variance", "epsilon"), FLOAT), node("scale", "Rsqrt", ("spread",), FLOAT),
       node("centred", "Sub", ("c", "mean"), FLOAT), node("normal", "Mul", ("centred", "scale"), FLOAT),
       node("stretched", "Mul", ("normal", "gamma/Read"), FLOAT),
       node("shifted", "AddV2", ("stretched", "beta/Read"), FLOAT),
       node("relu", "Relu", ("shifted",), FLOAT),
       node("pool", "MaxPool", ("relu",), FLOAT, attr("ksize", "list { i: 1 i: 2 i: 2 i: 1 }"),
            attr("strides", "list { i: 1 i: 2 i: 2 i: 1 }"), attr("padding", 's: "VALID"')),
       const("flat_shape", np.int32([IMAGES, 96])),
       node("flat", "Reshape", ("pool", "flat_shape"), FLOAT, attr("Tshape", "type: DT_INT32")),
       node("m", "MatMul", ("flat", "w/Read"), FLOAT), node("logits", "BiasAdd", ("m", "wb/Read"), FLOAT)]  # fmt: skip


def train(library, path, *options):
    """The losses of all steps, and the variables after them."""
    subprocess.run(["weir-run", library, "--train", f"--data=image={OUT}/images.npy,labels={OUT}/labels.npy",
                    "--epochs=3", f"--metrics={OUT}/{path}.jsonl", f"--save={OUT}/{path}", *options],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    lines = [json.loads(line) for line in open(f"{OUT}/{path}.jsonl")]
    tensors = bundle.read(f"{OUT}/{path}")
    return [line["loss"] for line in lines if "loss" in line], {
        k: np.frombuffer(d, {1: np.float32, 9: np.int64}[t]) for k, (t, s, d) in tensors.items()}


def training():
    np.save(f"{OUT}/images.npy", uniform(5 * IMAGES, 8, 8, 1))
    np.save(f"{OUT}/labels.npy", rng.integers(0, CLASSES, 5 * IMAGES, dtype=np.int32))
    flags = ("--loss=sparse_softmax_cross_entropy:logits,labels", "--optimizer=Adam:lr=0.01")
    losses, variables = train(compile("net", NET, *flags), "one")
    expect("there is a loss for each step", len(losses) == 15)
    for count in (2, 4):
        library = compile(f"net{count}", NET, *flags, f"--mesh=data={count}")
        got, kept = train(library, f"on{count}", *ranks(count))
        close(f"{count} ranks, losses", got, losses, 1e-5)
        for name, value in variables.items():
            close(f"{count} ranks, {name}", kept[name], value, 1e-4)
        divided_state(count, flags, losses)
        again, bits = train(library, f"again{count}", *ranks(count), "--threads=2")
        expect("each run has the same bits, for any number of threads",
               got == again and all(np.array_equal(kept[k], bits[k]) for k in kept))
    micro_batches(flags)
    wrong_label(f"{OUT}/net2.so")


def micro_batches(flags):
    """With micro-batches the variables have the same bits on each number of ranks."""
    kept = {}
    for count in (1, 2, 4, 8):
        library = compile(f"parts{count}", NET, *flags, f"--mesh=data={count}", "--grains=8")
        kept[count] = train(library, f"parts{count}", *ranks(count))
        expect(f"{count} ranks have the bits of one",
               kept[count][0] == kept[1][0]
               and all(np.array_equal(kept[count][1][k], v) for k, v in kept[1][1].items()))


def divided_state(count, flags, losses):
    """The state of the optimizer is divided, and a step exchanges as many bytes."""
    plain = inspected(f"{OUT}/net{count}.so")
    library = compile(f"state{count}", NET, *flags, f"--mesh=data={count}", "--shard-state=data")
    subprocess.run(
        ["weir-run", library, "--train", f"--data=image={OUT}/images.npy,labels={OUT}/labels.npy", "--epochs=3",
         f"--metrics={OUT}/state.jsonl", *ranks(count)], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    got = [line["loss"] for line in map(json.loads, open(f"{OUT}/state.jsonl")) if "loss" in line]
    close(f"{count} ranks, divided state, losses", got, losses, 1e-5)
    mesh = inspected(library)
    expect("Adam's two variables are divided wherever a dimension is divisible",
           {name for name in mesh["divided_variables"]} >= {"w/Adam", "w/Adam_1"})

    def sent(mesh):
        """Bytes on the wire of a rank in a step, by the algorithms of runtime/comm/steps.h."""
        share = {"all_reduce": 2 * (count - 1) / count, "reduce_scatter": (count - 1) / count,
                 "all_gather": count - 1, "own_part": 0}
        return sum(c["bytes"] * share[c["kind"]] for c in mesh["collectives"] if c["function"] == "train_step")

    # Adam keeps two f32 for each variable. A variable that no dimension divides, and scalars, stay whole.
    info = [json.loads(subprocess.run(["weir", "inspect", path, "--json"], check=True, capture_output=True, text=True)
                       .stdout)["plan"]["state_bytes"] for path in (f"{OUT}/net{count}.so", library)]  # fmt: skip
    shapes = [(3, 3, 1, 6), (6,), (6,), (96, CLASSES), (CLASSES,)]
    parts = [np.prod(s) / (count if any(d % count == 0 for d in s) else 1) for s in shapes]
    least = 4 * sum(np.prod(s) for s in shapes) + 8 * sum(parts)
    expect(f"the state is divided: {info[1]} of {info[0]} bytes", least <= info[1] <= least + 64 * 18 < info[0])
    expect(f"a step exchanges as many bytes: {sent(mesh)} and {sent(plain)}",
           abs(sent(mesh) - sent(plain)) <= 0.01 * sent(plain))


# A max pooling whose windows overlap: its gradient adds to rows by their numbers.
POOL = [placeholder("x", (8, 9, 9, 2)), *variable("k", (3, 3, 2, 4), uniform(3, 3, 2, 4)),
        node("c", "Conv2D", ("x", "k/Read"), FLOAT, attr("strides", "list { i: 1 i: 1 i: 1 i: 1 }"),
             attr("padding", 's: "SAME"')),
        node("m", "MaxPool", ("c",), FLOAT, attr("ksize", "list { i: 1 i: 3 i: 3 i: 1 }"),
             attr("strides", "list { i: 1 i: 2 i: 2 i: 1 }"), attr("padding", 's: "SAME"')),
        node("s", "Square", ("m",), FLOAT), const("all", np.int32([0, 1, 2, 3])),
        node("loss", "Mean", ("s", "all"), FLOAT, attr("Tidx", "type: DT_INT32"))]  # fmt: skip


def pools():
    inputs = {"x": uniform(8, 9, 9, 2)}
    whole = run(compile("pool", POOL, "--grad=loss:k"), "gradients", inputs=inputs)
    for count in (2, 4):
        library = compile(f"pool{count}", POOL, "--grad=loss:k", f"--mesh=data={count}", "--reshard=error")
        for name, value in run(library, "gradients", *ranks(count), inputs=inputs).items():
            close(f"max pooling on {count} ranks, {name}", value, whole[name], 1e-6)
        text = subprocess.run(["weir", "inspect", "--json", library], check=True, stdout=subprocess.PIPE).stdout
        kinds = {each["kind"] for each in json.loads(text)["mesh"]["collectives"]}
        expect(f"max pooling on {count} ranks exchanges sums alone: {kinds}", kinds == {"all_reduce"})


def buckets():
    """Ranks compute the same bits however many gradients they exchange together, and overlap them
    with kernels or not."""
    flags = ("--loss=sparse_softmax_cross_entropy:logits,labels", "--optimizer=Momentum:lr=0.01")
    for count in (2, 4):
        kept = {}
        for size in ("0", "1K", "4M"):
            library = compile(f"net{count}b{size}", NET, *flags, f"--mesh=data={count}", f"--bucket={size}")
            kept[size] = train(library, f"b{size}on{count}", *ranks(count))
            check_schedule(f"{count} ranks, buckets of {size}", library, "train_step")
        for size in ("1K", "4M"):
            expect(f"{count} ranks: buckets of {size} have the bits of single gradients",
                   kept[size][0] == kept["0"][0] and
                   all(np.array_equal(kept[size][1][k], v) for k, v in kept["0"][1].items()))
        sums = [len(check_schedule("again", f"{OUT}/net{count}b{size}.so", "train_step")) for size in ("0", "1K", "4M")]
        expect(f"larger buckets are fewer: {sums}", sums[0] > sums[1] > sums[2])


def check_schedule(what, library, function):
    """The all-reduces that other work lies beside, of `function`: (start, wait), as shares of the work."""
    text = subprocess.run(["weir", "inspect", "--json", "--plan", library], check=True, stdout=subprocess.PIPE).stdout
    mesh = json.loads(text)["mesh"]
    air, begun = [], set()
    for item in mesh["schedule"]:
        if item["function"] != function:
            continue
        if item["kind"] == "start":
            expect(f"{what}: a collective starts once", item["collective"] not in begun)
            begun.add(item["collective"])
            air.append(item["collective"])
        elif item["kind"] == "wait":
            expect(f"{what}: a wait comes after its start", item["collective"] in air)
            air.remove(item["collective"])
        elif item["kind"] == "progress":
            expect(f"{what}: something is in the air at a poll", air)
    expect(f"{what}: nothing stays in the air", not air)
    own = [c for i, c in enumerate(mesh["collectives"]) if i in begun]
    return [(c["starts_after"], c["waits_after"]) for c in own if c["starts_after"] < c["waits_after"]]


def wrong_label(library):
    """A check that fails on one rank ends the step on all, and assigns nothing."""
    labels = np.zeros(IMAGES, np.int32)
    labels[IMAGES // 2] = CLASSES  # the first of rank 1
    np.save(f"{OUT}/bad.npy", labels)
    done = subprocess.run(
        ["weir-run", library, "--function=train_step", "--random=1", f"--input=labels=@{OUT}/bad.npy",
         *ranks(2)], capture_output=True, text=True)  # fmt: skip
    expect(f"rank 1 is named: {done.stderr}", done.returncode == 1 and "rank 1: a label is not in" in done.stderr)


# The same net, frozen: the columns of the first matrix, and so the rows of the second, are divided.
FROZEN = [placeholder("x", (N, D)), const("w1", uniform(D, H)), const("b1", uniform(H)), const("w2", uniform(H, D)),
          node("a", "MatMul", ("x", "w1"), FLOAT), node("ab", "BiasAdd", ("a", "b1"), FLOAT),
          node("h", "Relu", ("ab",), FLOAT), node("p", "MatMul", ("h", "w2"), FLOAT)]  # fmt: skip


def matrices():
    inputs = {"x": uniform(N, D)}
    one = compile("frozen", FROZEN)
    whole = run(one, "main", inputs=inputs)
    for count in (2, 5):
        library = compile(f"frozen{count}", FROZEN, f"--mesh=model={count}", "--shard=w1:1@model")
        close(f"{count} ranks, p", run(library, "main", *ranks(count), inputs=inputs)["p"], whole["p"], 1e-5)
        mesh = inspected(library)
        expect("the only collective is the sum of the second product",
               [(c["kind"], c["bytes"]) for c in mesh["collectives"]] == [("all_reduce", N * D * 4)])
        if count == 2:  # Panels of 25 columns are wider than those of 50 need.
            info = subprocess.run(["weir", "inspect", one, "--json"], check=True, capture_output=True, text=True)
            all_bytes = json.loads(info.stdout)["plan"]["weights_bytes"]
            expect(f"a rank has its part of the weights: {mesh['weights_bytes']} of {all_bytes}",
                   mesh["weights_bytes"] < 0.55 * all_bytes)


# Attention with heads, as exporters write it.
S, HEADS, WIDTH = 12, 4, 8
ATTENTION = [placeholder("x", (2, S, HEADS * WIDTH)),
             *[n for w in "qkv" for n in (
                 *variable(f"{w}_kernel", (HEADS * WIDTH, HEADS * WIDTH), uniform(HEADS * WIDTH, HEADS * WIDTH)),
                 *variable(f"{w}_bias", (HEADS * WIDTH,), uniform(HEADS * WIDTH)),
                 node(f"{w}m", "MatMul", ("rows", f"{w}_kernel/Read"), FLOAT),
                 node(f"{w}b", "BiasAdd", (f"{w}m", f"{w}_bias/Read"), FLOAT),
                 node(f"{w}s", "Reshape", (f"{w}b", "split"), FLOAT, attr("Tshape", "type: DT_INT32")),
                 node(w, "Transpose", (f"{w}s", "order"), FLOAT, attr("Tperm", "type: DT_INT32")))],
             *variable("o_kernel", (HEADS * WIDTH, HEADS * WIDTH), uniform(HEADS * WIDTH, HEADS * WIDTH)),
             *variable("o_bias", (HEADS * WIDTH,), uniform(HEADS * WIDTH)),
             const("flat", np.int32([2 * S, HEADS * WIDTH])), const("split", np.int32([2, S, HEADS, WIDTH])),
             const("order", np.int32([0, 2, 1, 3])), const("scale", np.float32(WIDTH**-0.5)),
             node("rows", "Reshape", ("x", "flat"), FLOAT, attr("Tshape", "type: DT_INT32")),
             node("scores", "BatchMatMulV2", ("q", "k"), FLOAT, attr("adj_y", "b: true")),
             node("scaled", "Mul", ("scores", "scale"), FLOAT), node("softmax", "Softmax", ("scaled",), FLOAT),
             node("mixed", "BatchMatMulV2", ("softmax", "v"), FLOAT),
             node("back", "Transpose", ("mixed", "order"), FLOAT, attr("Tperm", "type: DT_INT32")),
             node("joined", "Reshape", ("back", "flat"), FLOAT, attr("Tshape", "type: DT_INT32")),
             node("om", "MatMul", ("joined", "o_kernel/Read"), FLOAT),
             node("ob", "BiasAdd", ("om", "o_bias/Read"), FLOAT), const("shape", np.int32([2, S, HEADS * WIDTH])),
             node("out", "Reshape", ("ob", "shape"), FLOAT, attr("Tshape", "type: DT_INT32"))]  # fmt: skip


def heads():
    """Ranks have heads, in training too: the optimizer's state is divided like the variables."""
    np.save(f"{OUT}/x.npy", uniform(4, S, HEADS * WIDTH))
    np.save(f"{OUT}/t.npy", uniform(4, S, HEADS * WIDTH))
    flags = ("--loss=mean_squared_error:out,target", "--optimizer=Adam:lr=0.01")

    def losses(library, *options):
        subprocess.run(["weir-run", library, "--train", f"--data=x={OUT}/x.npy,target={OUT}/t.npy",
                        "--epochs=10", f"--metrics={OUT}/heads.jsonl", *options],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        return [line["loss"] for line in map(json.loads, open(f"{OUT}/heads.jsonl")) if "loss" in line]

    want = losses(compile("heads", ATTENTION, *flags))
    expect("there is a loss for each step", len(want) == 20)
    rules = ("--shard=^[qkv]_kernel:1@model",)
    for mesh, count in (("model=2", 2), ("model=4", 4), ("data=2,model=2", 4)):
        library = compile("heads_" + mesh.replace(",", "_").replace("=", ""), ATTENTION, *flags, f"--mesh={mesh}", *rules)
        close(f"{mesh}, losses", losses(library, *ranks(count)), want, 1e-5)
        described = inspected(library)
        divided = described["divided_variables"]
        expect(f"{mesh}: kernels, biases and the rows of the last kernel are divided: {sorted(divided)}",
               {"q_kernel", "k_bias", "v_kernel", "o_kernel"} <= set(divided)
               and divided["o_kernel"] == [["model"], []] and "o_bias" not in divided)
        expect(f"{mesh}: the state of the optimizer is divided, too", len(divided) == 3 * 7)
        forward = [c for c in described["collectives"] if c["function"] == "predict"]
        expect(f"{mesh}: one sum in the forward pass", [c["kind"] for c in forward] == ["all_reduce"])
        found = compile("found" + mesh.replace(",", "_").replace("=", ""), ATTENTION, *flags, f"--mesh={mesh}",
                        "--parallel=attention")  # fmt: skip
        expect(f"{mesh}: weir finds the heads by itself", inspected(found) == described)


def whole_ops():
    """Ops that no rule divides: each rank computes them on the whole tensor."""
    net = [placeholder("x", (8, 8)), node("inverse", "MatrixInverse", ("x",), FLOAT),
           const("axis", np.int32(0)), node("sums", "Cumsum", ("x", "axis"), FLOAT, attr("Tidx", "type: DT_INT32"))]  # fmt: skip
    inputs = {"x": uniform(8, 8) + 4 * np.eye(8, dtype=np.float32)}
    fetches = ("--fetch=inverse", "--fetch=sums")
    want = run(compile("whole", net, *fetches), "main", inputs=inputs)
    close("the inverse", want["inverse"], np.linalg.inv(np.float64(inputs["x"])), 1e-5)
    command = ["weir", "compile", f"{OUT}/whole.pbtxt", "-o", f"{OUT}/whole2.so", "--mesh=data=2", *fetches]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
    for name in ("inverse", "sums"):
        told = [line for line in lines if line.endswith(f"remark: node '{name}': is computed whole by each rank")]
        expect(f"one remark about {name}: {lines}", len(told) == 1)
    got = run(f"{OUT}/whole2.so", "main", *ranks(2), inputs=inputs)
    for name, value in want.items():
        expect(f"{name} has the bits of one machine", np.array_equal(got[name], value))


gradients()
training()
pools()
buckets()
matrices()
heads()
whole_ops()
print(f"{failures} failures")
sys.exit(failures != 0)
