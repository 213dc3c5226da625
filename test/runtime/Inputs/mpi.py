"""mpi.py BIN FOLDER [openmpi|mpich]: ranks that are processes of MPI have the bits of ranks that are
threads, and a rank that dies or stops ends the job."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

BIN, OUT = sys.argv[1], Path(sys.argv[2])
IS_MPICH = sys.argv[3:] == ["mpich"]
ROOT = Path(__file__).parents[3]
MODEL = ROOT / "docs/examples/digits/digits.pbtxt"
ENVIRONMENT = dict(os.environ)
# Ranks on one machine exchange messages in shared memory, unless they are told otherwise.
if IS_MPICH:
    LAUNCH, RANK = ["mpirun.mpich"], b"PMI_RANK"
    TRANSPORTS = {"memory": [], "tcp": ["-genv", "MPIR_CVAR_NOLOCAL", "1"]}
    ENVIRONMENT["WEIR_LIBMPI"] = str(OUT / "libweir_mpi.so")
    subprocess.run(["mpicc.mpich", "-std=gnu11", "-O2", "-shared", "-fPIC", f"-I{ROOT}", ROOT / "runtime/comm/mpi.c",
                    ROOT / "runtime/comm/mpi-open.c", "-o", ENVIRONMENT["WEIR_LIBMPI"]], check=True)  # fmt: skip
else:
    # Root may run it in a container, and there may be more ranks than processors.
    LAUNCH, RANK = ["mpirun", "--oversubscribe"], b"OMPI_COMM_WORLD_RANK"
    TRANSPORTS = {"memory": [], "tcp": ["--mca", "btl", "tcp,self", "--mca", "pml", "ob1"]}
    ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
DEADLINE_MS = 2000

library = OUT / "digits.so"
subprocess.run(["weir", "compile", MODEL, "-o", library, "--mesh=data=2", "--shape=image=16x16x16x1",
                "--init=he_normal:seed=1",
                "--loss=sparse_softmax_cross_entropy:probabilities", "--optimizer=Adam:lr=0.01"],
               check=True)  # fmt: skip
rng = np.random.default_rng(3)
np.save(OUT / "images.npy", rng.random((64, 16, 16, 1), np.float32))
np.save(OUT / "labels.npy", rng.integers(0, 10, 64, dtype=np.int32))


def mpirun(ranks, *options, transport=()):
    return [*LAUNCH, "-n", str(ranks), *transport, f"{BIN}/weir-run", library,
            "--comm=mpi", f"--timeout={DEADLINE_MS}", *options]  # fmt: skip


def training(name, epochs=2):
    return ["--train", f"--data=image={OUT}/images.npy,labels={OUT}/labels.npy", f"--epochs={epochs}",
            f"--save={OUT}/{name}"]  # fmt: skip


def bits(name):
    """The files of all ranks, and the index with their checksums."""
    return [path.read_bytes() for path in sorted(OUT.glob(f"{name}.*"))]


def same_bits():
    subprocess.run([f"{BIN}/weir-run", library, "--comm=threads", *training("threads")], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    for name, transport in TRANSPORTS.items():
        subprocess.run(mpirun(2, *training(name), transport=transport), env=ENVIRONMENT, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        assert bits(name) == bits("threads"), name


def wrong_count():
    begin = time.monotonic()
    done = subprocess.run(mpirun(3, *training("three")), env=ENVIRONMENT, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("weir-run")]
    assert done.returncode == 1, done
    assert lines == ["weir-run: error: compiled for 2 ranks (data=2), started with 3"], done.stderr
    assert time.monotonic() - begin < 20


def full_disk():
    """A rank that cannot write is named once, by rank 0."""
    (OUT / "full.data-00001-of-00002").symlink_to("/dev/full")
    done = subprocess.run(mpirun(2, *training("full")), env=ENVIRONMENT, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("weir-run")]
    assert done.returncode == 74, done
    assert lines == [f"weir-run: error: rank 1: cannot write checkpoint '{OUT}/full': no space is left (errno 28)"
                     ], done.stderr  # fmt: skip
    assert not list(OUT.glob("full.index*"))


def process_of(rank, parent):
    """The process of a rank: its environment has the number."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "environ").read_bytes().split(b"\0")
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if b"%s=%d" % (RANK, rank) in words and str(library).encode() in command \
                and b"mpirun" not in command.split(b"\0")[0]:  # fmt: skip
            return int(entry.name)
    return None


def fault(number, expected, name="fault"):
    """The job ends soon after rank 1 gets the signal, with a status that is not 0."""
    log = OUT / "log.txt"
    with open(log, "w") as out:
        job = subprocess.Popen(mpirun(2, *training(name, epochs=1000000)), env=ENVIRONMENT, stdout=out,
                               stderr=out)  # fmt: skip
    victim = None
    while not victim and job.poll() is None:
        time.sleep(0.05)
        victim = process_of(1, job.pid)
    time.sleep(1)  # It trains.
    os.kill(victim, number)
    try:
        job.wait(timeout=60)
    finally:
        job.kill()
        left = process_of(1, job.pid)
        if left:
            os.kill(left, signal.SIGKILL)
    assert job.returncode != 0 and expected in log.read_text(), log.read_text()[-2000:]


same_bits()
wrong_count()
full_disk()
# All ranks stop after the same step, and save.
fault(signal.SIGTERM, "ended by a signal after step", "ended")
assert (OUT / "ended.index").exists()
subprocess.run(mpirun(2, *training("ended"), "--restore=latest"), env=ENVIRONMENT, check=True,
               stdout=subprocess.DEVNULL)  # fmt: skip
fault(signal.SIGKILL, "signal 9")
fault(signal.SIGSTOP, f"nothing from rank 1 for {DEADLINE_MS} ms")
print("0 failures")
