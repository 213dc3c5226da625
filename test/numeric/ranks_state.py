"""ranks_state.py FOLDER: ranks that have parts of variables save slices, which any mesh and one
machine restore. All of them go on as the training of one machine does."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import FLOAT, OUT, compile, node, placeholder, variable  # noqa: E402
import slices  # noqa: E402

failures = 0
rng = np.random.default_rng(5)
ROWS, D, H = 16, 24, 32


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"{what}: does not hold")


def uniform(*shape):
    return (rng.random(shape) - 0.5).astype(np.float32)


NET = [placeholder("x", (ROWS, D)), *variable("w1", (D, H), uniform(D, H)), *variable("b1", (H,), uniform(H)),
       *variable("w2", (H, D), uniform(H, D)), node("a", "MatMul", ("x", "w1/Read"), FLOAT),
       node("ab", "BiasAdd", ("a", "b1/Read"), FLOAT), node("h", "Relu", ("ab",), FLOAT),
       node("p", "MatMul", ("h", "w2/Read"), FLOAT)]  # fmt: skip
FLAGS = ("--loss=mean_squared_error:p,target", "--optimizer=Adam:lr=0.003")
COLUMNS = "--shard=^w1$:1@model"
MESHES = {"one": (1, ()), "model": (2, ("--mesh=model=2", COLUMNS)),
          "both": (4, ("--mesh=data=2,model=2", COLUMNS, "--shard-state=data")),
          "state": (4, ("--mesh=data=4", "--shard-state=data"))}  # fmt: skip


def train(name, epochs, save, *options):
    """The losses of all steps. The order of the data begins anew with each epoch."""
    count = MESHES[name][0]
    comm = ["--comm=threads", f"--ranks={count}"] if count > 1 else []
    subprocess.run(["weir-run", f"{OUT}/{name}.so", "--train", f"--data=x={OUT}/x.npy,target={OUT}/t.npy",
                    f"--epochs={epochs}", f"--metrics={OUT}/losses.jsonl", f"--save={OUT}/{save}", *comm, *options],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return np.array([line["loss"] for line in map(json.loads, open(f"{OUT}/losses.jsonl")) if "loss" in line])


np.save(f"{OUT}/x.npy", uniform(2 * ROWS, D))
np.save(f"{OUT}/t.npy", uniform(2 * ROWS, D))
for name, (_, flags) in MESHES.items():
    compile(name, NET, *FLAGS, *flags)
want = train("one", 10, "whole")
kept = slices.read(f"{OUT}/whole")
for first in MESHES:
    train(first, 5, f"by_{first}")
    saved = slices.read(f"{OUT}/by_{first}")
    expect(f"{first}: the tensors are those of one machine",
           {k: v.shape for k, (v, _) in saved.items()} == {k: v.shape for k, (v, _) in kept.items()})
    cuts = {name: len(boxes) for name, (_, boxes) in saved.items() if boxes}
    expected = {"one": {}, "model": {"w1": 2, "b1": 2, "w2": 2, "w1/Adam": 2}, "both": {"w1": 2, "w2": 2, "w2/Adam_1": 4},
                "state": {"w1/Adam": 4, "w2/Adam_1": 4}}[first]  # fmt: skip
    expect(f"{first}: the slices are the parts of ranks: {cuts}",
           expected.items() <= cuts.items() and bool(cuts) == bool(expected))
for first, then in itertools.product(MESHES, MESHES):
    got = train(then, 5, "after", f"--restore={OUT}/by_{first}")
    worst = np.abs(got / want[10:] - 1).max()
    expect(f"{then} goes on from {first}: {worst:.2g}", len(got) == 10 and worst < 1e-6)
    for name, (value, _) in slices.read(f"{OUT}/after").items():
        away = np.abs(value - kept[name][0]).max()
        expect(f"{then} after {first}, {name}: {away:.2g}", away <= 1e-4 * max(np.abs(kept[name][0]).max(), 1e-3))
print(f"{failures} failures")
sys.exit(failures != 0)
