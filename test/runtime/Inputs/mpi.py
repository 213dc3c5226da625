"""mpi.py BIN FOLDER [openmpi|mpich]: ranks that are processes of MPI have the bits of ranks that are
threads, and a rank that dies or stops ends the job."""

import hashlib
import os
import re
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



def compiled(name, rate):
    path = OUT / name
    subprocess.run(["weir", "compile", MODEL, "-o", path, "--mesh=data=2", "--shape=image=16x16x16x1",
                    "--init=he_normal:seed=1", "--threads=2",
                    "--loss=sparse_softmax_cross_entropy:probabilities", f"--optimizer=Adam:lr={rate}"],
                   check=True)  # fmt: skip
    return path


library, other = compiled("digits.so", 0.01), compiled("other.so", 0.02)
rng = np.random.default_rng(3)
np.save(OUT / "images.npy", rng.random((64, 16, 16, 1), np.float32))
np.save(OUT / "labels.npy", rng.integers(0, 10, 64, dtype=np.int32))


def weir_run(of, *options):
    return [f"{BIN}/weir-run", of, "--comm=mpi", f"--timeout={DEADLINE_MS}", *options]


def mpirun(ranks, *options, transport=()):
    return [*LAUNCH, "-n", str(ranks), *transport, *weir_run(library, *options)]


def training(name, epochs=2):
    return ["--train", f"--data=image={OUT}/images.npy,labels={OUT}/labels.npy", f"--epochs={epochs}",
            f"--save={OUT}/{name}"]  # fmt: skip


def bits(name):
    """The files of all ranks, and the index with their checksums."""
    return b"".join(path.read_bytes() for path in sorted(OUT.glob(f"{name}.*")))


def same_bits():
    """One hash of all variables: for any transport, any number of threads, and each run."""
    runs = [[f"{BIN}/weir-run", library, "--comm=threads", f"--threads={threads}", *training(f"threads{threads}")]
            for threads in (1, 2)]  # fmt: skip
    for name, transport in TRANSPORTS.items():
        runs += [mpirun(2, f"--threads={threads}", *training(f"{name}{threads}"), transport=transport)
                 for threads in (1, 2)]  # fmt: skip
    for command in runs:
        subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
    hashes = {name: hashlib.sha256(bits(f"{name}{threads}")).hexdigest()
              for name in ("threads", *TRANSPORTS) for threads in (1, 2)}  # fmt: skip
    assert len(set(hashes.values())) == 1, hashes


def other_program():
    """All ranks report that rank 1 has another program, and no step runs."""
    done = subprocess.run([*LAUNCH, "-n", "1", *weir_run(library, *training("apart")),
                           ":", "-n", "1", *weir_run(other, *training("apart"))],
                          env=ENVIRONMENT, capture_output=True, text=True)  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith("weir-run")]
    assert done.returncode == 1 and not done.stdout.count("epoch"), done
    assert len(lines) == 1 and re.fullmatch(
        r"weir-run: error: rank 1 has program [0-9a-f]+, rank 0 has [0-9a-f]+", lines[0]), done.stderr  # fmt: skip


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


def process_of(rank):
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


def fault(number, *expected, launch=(), name="fault"):
    """The job ends soon after rank 1 gets the signal, with a status that is not 0."""
    log, saved = OUT / "log.txt", OUT / f"{name}.index"
    saved.unlink(missing_ok=True)
    command = mpirun(2, *training(name, epochs=1000000), "--save-every=5", transport=launch)
    with open(log, "w") as out:
        job = subprocess.Popen(command, env=ENVIRONMENT, stdout=out, stderr=out)
    victim = None
    while not (victim and saved.exists()) and job.poll() is None:
        time.sleep(0.05)
        victim = process_of(1)
    os.kill(victim, number)
    try:
        job.wait(timeout=60)
    finally:
        job.kill()
        left = [process_of(rank) for rank in (0, 1)]
        for process in filter(None, left):
            os.kill(process, signal.SIGKILL)
    text = log.read_text()
    # A launcher that goes on without dead ranks may have no status to tell.
    assert (job.returncode != 0 or launch) and left[0] is None, (job.returncode, left)
    # A rank that is stopped may be there until the launcher kills it.
    assert left[1] is None or number == signal.SIGSTOP, left
    for pattern in expected:
        assert re.search(pattern, text), text[-2000:]


same_bits()
wrong_count()
full_disk()
# All ranks stop after the same step, and save.
fault(signal.SIGTERM, "ended by a signal after step", name="ended")
assert (OUT / "ended.index").exists()
subprocess.run(mpirun(2, *training("ended"), "--restore=latest"), env=ENVIRONMENT, check=True,
               stdout=subprocess.DEVNULL)  # fmt: skip
other_program()
# Between steps and in a save no rank can be named.
silent = [rf"nothing from rank 1 for {DEADLINE_MS} ms|a rank d(oes|id) not answer",
          r"note: .*fault has the variables of step \d+|a rank did not answer in a save"]  # fmt: skip
fault(signal.SIGKILL, "signal 9")
fault(signal.SIGSTOP, *silent)
if not IS_MPICH:  # Its launcher can leave the other ranks alone.
    fault(signal.SIGKILL, *silent, launch=["-enable-recovery"])
print("0 failures")
