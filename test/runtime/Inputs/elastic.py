"""elastic.py BIN FOLDER threads|mpi: a training on 6 ranks that is killed goes on from its last
checkpoint on 4 ranks and on one machine, as if it had not been interrupted. The ranks divide the
state of the optimizer."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

BIN, OUT, IS_MPI = sys.argv[1], Path(sys.argv[2]), sys.argv[3] == "mpi"
sys.path.insert(0, str(Path(__file__).parent))
import slices  # noqa: E402

MODEL = Path(__file__).parents[3] / "docs/examples/digits/digits.pbtxt"
BATCH, STEPS, EVERY = 24, 100, 10  # an epoch ends with each checkpoint
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

for ranks in (1, 4, 6):
    mesh = [f"--mesh=data={ranks}", "--shard-state=data"] if ranks > 1 else []
    subprocess.run(["weir", "compile", MODEL, "-o", OUT / f"on{ranks}.so", *mesh,
                    f"--shape=image={BATCH}x16x16x1", "--init=he_normal:seed=1",
                    "--loss=sparse_softmax_cross_entropy:probabilities", "--optimizer=Adam:lr=0.001"],
                   check=True)  # fmt: skip
rng = np.random.default_rng(3)
np.save(OUT / "images.npy", rng.random((EVERY * BATCH, 16, 16, 1), np.float32))
np.save(OUT / "labels.npy", rng.integers(0, 10, EVERY * BATCH, dtype=np.int32))


def command(ranks, name, epochs, *options):
    launch = ["mpirun", "--oversubscribe", "-n", str(ranks)] if IS_MPI and ranks > 1 else []
    comm = [f"--comm={'mpi' if IS_MPI else 'threads'}"] if ranks > 1 else []
    return [*launch, f"{BIN}/weir-run", OUT / f"on{ranks}.so", "--train", *comm,
            f"--data=image={OUT}/images.npy,labels={OUT}/labels.npy", f"--epochs={epochs}",
            f"--metrics={OUT}/{name}.jsonl", *options]  # fmt: skip


def losses(name):
    lines = [json.loads(line) for line in (OUT / f"{name}.jsonl").read_text().splitlines()]
    return np.array([line["loss"] for line in lines if "loss" in line])


def train(*arguments):
    subprocess.run(command(*arguments), env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def steps_done(path):
    try:
        return path.read_bytes().count(b'"loss"')
    except FileNotFoundError:
        return 0


def children(parent):
    """The processes of the job that run the model."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            status, line = (entry / "status").read_text(), (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if f"\nPPid:\t{parent}\n" in status and line.split(b"\0")[0].endswith(b"/weir-run"):
            yield int(entry.name)


# The last rank dies in step 57 or soon after it.
log = open(OUT / "log.txt", "w")
job = subprocess.Popen(command(6, "killed", 100000, f"--save={OUT}/kept", f"--save-every={EVERY}"),
                       env=ENVIRONMENT, stdout=log, stderr=log)  # fmt: skip
try:
    while steps_done(OUT / "killed.jsonl") < 57:
        assert job.poll() is None, (OUT / "log.txt").read_text()
        time.sleep(0.002)
    os.kill(max(children(job.pid)) if IS_MPI else job.pid, signal.SIGKILL)
    assert job.wait(timeout=60) != 0
finally:
    job.kill()

kept = slices.read(str(OUT / "kept"))
begun = round(np.log(float(kept["beta1_power"][0])) / np.log(0.9)) - 1  # a factor more with each step
assert begun >= 50 and begun % EVERY == 0, begun
assert len(list(OUT.glob("kept.data-*"))) >= 6

train(6, "whole", (begun + 50) // EVERY)
wanted = losses("whole")[begun:]
for ranks in (4, 1):
    for path in OUT.glob("kept.*"):
        shutil.copy(path, OUT / f"after{ranks}{path.name.removeprefix('kept')}")
    train(ranks, f"after{ranks}", 5, "--restore=latest", f"--save={OUT}/after{ranks}")
    got = losses(f"after{ranks}")
    worst = np.abs(got / wanted - 1).max()
    print(f"{ranks} ranks: {len(got)} steps, {'close' if worst < 1e-5 else worst}")
# One machine restores the checkpoint of 4 ranks, too. Dimensions of the optimizer's state are
# multiples of 4, so it is in slices.
after = slices.read(str(OUT / "after4"))
assert any(len(cuts) == 4 for _, cuts in after.values()), after.keys()
train(1, "last", 1, f"--restore={OUT}/after4")
