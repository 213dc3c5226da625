"""run.py: runs the tasks of a cluster by MPI, and compares with one machine and with NumPy."""

import filecmp
import os
import subprocess
from pathlib import Path

import numpy as np

INPUTS = Path(__file__).parent / "Inputs"
MPIRUN = ["mpirun", "--oversubscribe"]
LOSS = ["--loss=mean_squared_error:y", "--optimizer=GradientDescent:lr=0.1"]
BATCH, STEPS = 12, 10
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def call(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def fails(text, *command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    assert done.returncode and text in done.stderr, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"


def start(folder, *arguments):
    """All tasks of a folder, by its script."""
    return call(f"{folder}/run.sh", *arguments, env={**os.environ, "MPIRUN": " ".join(MPIRUN)})


def two_layers():
    """A value crosses from one task to another. No sum is divided, so the bits are equal."""
    np.save("x.npy", np.random.default_rng(1).normal(size=(2, 3)).astype(np.float32))
    call("weir", "compile", INPUTS / "row12.pbtxt", "-o", "one.so")
    call("weir-run", "one.so", "--input=x=@x.npy", "--output-dir=one")
    call("weir", "partition", INPUTS / "row12.pbtxt", f"--cluster={INPUTS}/two.json", "-o", "two")
    call(*MPIRUN, "-n", 1, "weir-run", "two/worker-0.so", "--comm=mpi", "--input=x=@x.npy", ":",
         "-n", 1, "weir-run", "two/worker-1.so", "--comm=mpi", "--output-dir=out")  # fmt: skip
    assert filecmp.cmp("one/y.npy", "out/y.npy", shallow=False)
    # All tasks may have the same arguments.
    start("two", "--input=x=@x.npy", "--output-dir=all")
    assert filecmp.cmp("one/y.npy", "all/y.npy", shallow=False)
    # The script's own mpirun puts each task on its machine.
    Path("local.json").write_text('{"worker": ["localhost:1", "localhost:2"]}')
    call("weir", "partition", INPUTS / "row12.pbtxt", "--cluster=local.json", "-o", "local")
    call("local/run.sh", "--input=x=@x.npy", "--output-dir=local-out")
    assert filecmp.cmp("one/y.npy", "local-out/y.npy", shallow=False)
    print("two layers: equal bits")
    fails("rank 0 was started with the library of rank 1", *MPIRUN,
          "-n", 1, "weir-run", "two/worker-1.so", "--comm=mpi", ":",
          "-n", 1, "weir-run", "two/worker-0.so", "--comm=mpi", "--input=x=@x.npy")  # fmt: skip
    fails("compiled for 2 ranks (worker=2), started with 1", *MPIRUN,
          "-n", 1, "weir-run", "two/worker-0.so", "--comm=mpi", "--input=x=@x.npy")  # fmt: skip
    Path("other.pbtxt").write_text((INPUTS / "row12.pbtxt").read_text().replace('"Tanh"', '"Sigmoid"'))
    call("weir", "partition", "other.pbtxt", f"--cluster={INPUTS}/two.json", "-o", "other")
    fails("has program", *MPIRUN, "-n", 1, "weir-run", "two/worker-0.so", "--comm=mpi", "--input=x=@x.npy", ":",
          "-n", 1, "weir-run", "other/worker-1.so", "--comm=mpi")  # fmt: skip
    print("two layers: refused")


def variables(path):
    """The bytes of a checkpoint's variables, in the order of their names."""
    return np.fromfile(f"{path}.data-00000-of-00001", np.float32)


def expected(x, y):
    w, b = np.array([[0.5], [-1.0]]), np.array([0.25])
    for i in range(STEPS):
        rows = slice(BATCH * i, BATCH * (i + 1))
        error = x[rows] @ w + b - y[rows]
        w, b = w - 0.1 * 2 * x[rows].T @ error / BATCH, b - 0.1 * 2 * error.mean(0)
    return np.concatenate([b.ravel(), w.ravel()])


def servers():
    """Three workers and two servers train as one machine does on the whole batch."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(BATCH * STEPS, 2)).astype(np.float32)
    y = (x @ np.array([[2.0], [3.0]]) - 1 + rng.normal(size=(len(x), 1)) / 10).astype(np.float32)
    np.save("data.npy", x)
    np.save("labels.npy", y)
    train = ["--train", "--data=data.npy,labels.npy"]
    call("weir", "compile", INPUTS / "ps.pbtxt", "-o", "local.so", *LOSS)
    local_text = call("weir-run", "local.so", *train, "--save=local.ckpt")
    local = variables("local.ckpt")
    np.testing.assert_allclose(local, expected(x.astype(np.float64), y), rtol=1e-5, atol=1e-6)
    call("weir", "partition", INPUTS / "ps.pbtxt", f"--cluster={INPUTS}/ps.json", "-o", "ps", *LOSS)
    seen = set()
    for i in range(20):
        text = start("ps", *train, f"--save=ps{i}.ckpt")
        w, b = (variables(f"ps{i}.ckpt.part-0000{k}-of-00002") for k in range(2))
        seen.add(np.concatenate([b, w]).tobytes())
    assert len(seen) == 1, f"{len(seen)} results of 20 runs"
    np.testing.assert_allclose(np.concatenate([b, w]), local, rtol=1e-6, atol=1e-6)
    loss, local_loss = (float(t.split("loss ")[1].split(",")[0]) for t in (text, local_text))
    np.testing.assert_allclose(loss, local_loss, rtol=1e-5)
    assert text.count("epoch") == 1, text
    print("servers: as one machine, the same bits in 20 runs")

    # The parts join to a checkpoint that one machine reads, and so do the tasks.
    call("weir", "merge", "ps0.ckpt.part-?????-of-00002", "-o", "joined")
    call("weir-run", "local.so", *train, "--restore=local.ckpt", "--save=more.ckpt")
    for i, path in enumerate(("joined", "ps0.ckpt")):
        start("ps", *train, f"--restore={path}", f"--save=more{i}.ckpt")
        w, b = (variables(f"more{i}.ckpt.part-0000{k}-of-00002") for k in range(2))
        np.testing.assert_allclose(np.concatenate([b, w]), variables("more.ckpt"), rtol=1e-6, atol=1e-6)
    call("weir-run", "local.so", *train, "--restore=joined", "--save=back.ckpt")
    np.testing.assert_allclose(variables("back.ckpt"), variables("more.ckpt"), rtol=1e-6, atol=1e-6)
    print("servers: checkpoints")

    # Each worker has a part of the output, and the first one writes all.
    np.save("x12.npy", x[:BATCH])
    call("weir-run", "local.so", "--input=x=@x12.npy", "--restore=local.ckpt", "--output-dir=whole")
    start("ps", "--input=x=@x12.npy", "--restore=joined", "--output-dir=joined-out")
    np.testing.assert_allclose(np.load("joined-out/y.npy"), np.load("whole/y.npy"), rtol=1e-5, atol=1e-6)
    print("servers: outputs")


def adam():
    """The state of an optimizer is beside its variable, and both servers clip by one norm."""
    train = ["--train", "--data=data.npy,labels.npy"]
    options = [LOSS[0], "--optimizer=Adam:lr=0.1", "--clip=global_norm=0.5"]
    call("weir", "compile", INPUTS / "ps.pbtxt", "-o", "adam.so", *options)
    call("weir-run", "adam.so", *train, "--save=one-adam.ckpt")
    call("weir", "partition", INPUTS / "ps.pbtxt", f"--cluster={INPUTS}/ps.json", "-o", "adam", *options)
    start("adam", *train, "--save=adam.ckpt")
    call("weir", "merge", "adam.ckpt.part-?????-of-00002", "-o", "all-adam.ckpt")
    for path in ("one", "all"):  # one machine goes on from both, and writes them in one order
        call("weir-run", "adam.so", *train, f"--restore={path}-adam.ckpt", f"--save={path}-more.ckpt")
    np.testing.assert_allclose(variables("all-more.ckpt"), variables("one-more.ckpt"), rtol=1e-5, atol=1e-6)
    print("servers: Adam")


def applies():
    """The graph itself has the gradients and the nodes that apply them: with replicas, and with one worker."""
    np.save("l12.npy", np.load("labels.npy")[:BATCH])
    options = ["--fetch=loss", "--target-node=w/apply", "--target-node=b/apply"]
    runs = ["--input=x=@x12.npy", "--input=labels=@l12.npy", "--repeat=10"]
    call("weir", "compile", INPUTS / "apply.pbtxt", "-o", "apply.so", *options)
    call("weir-run", "apply.so", *runs, "--save=apply.ckpt")
    text = (INPUTS / "apply.pbtxt").read_text()
    for name, job in (("replicas", "/job:worker"), ("single", "/job:worker/task:1")):
        Path(f"{name}.pbtxt").write_text(text.replace('"/job:worker"', f'"{job}"'))
        call("weir", "partition", f"{name}.pbtxt", f"--cluster={INPUTS}/ps.json", "-o", name, *options)
        start(name, *runs, f"--save={name}.ckpt")
        w, b = (variables(f"{name}.ckpt.part-0000{k}-of-00002") for k in range(2))
        np.testing.assert_allclose(np.concatenate([b, w]), variables("apply.ckpt"), rtol=1e-6, atol=1e-6)
    print("servers: gradients of the graph")


def checks():
    """A label that is no class ends the run on all tasks, before a variable changes."""
    labels = np.zeros(BATCH * STEPS, np.int64)
    labels[BATCH * 3 + 5] = 7
    np.save("classes.npy", labels)
    call("weir", "partition", INPUTS / "classes.pbtxt", f"--cluster={INPUTS}/ps.json", "-o", "classes",
         "--loss=sparse_softmax_cross_entropy:y", "--optimizer=GradientDescent:lr=0.1")  # fmt: skip
    environment = {**os.environ, "MPIRUN": " ".join(MPIRUN)}
    done = subprocess.run(["classes/run.sh", "--train", "--data=data.npy,classes.npy"], env=environment,
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 1, done
    assert "step 4, rows 36,37,38,39,40,41,42,43,...: rank 3: a label is not in [0, 3)" in done.stderr, done.stderr
    print("servers: checks")


two_layers()
servers()
adam()
applies()
checks()
