"""smpi.py OUT: 64 ranks that SimGrid's MPI simulates have the bits of 64 ranks that are threads.

The ranks are the library, runtime/comm/mpi.c and smpi.c, compiled by smpicc: the messages are
real, and their time is simulated.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

OUT = Path(sys.argv[1])
ROOT = Path(__file__).parents[3]
RANKS, STEPS = 64, 2


def call(*command):
    done = subprocess.run(command, cwd=OUT, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


for output in (["libdigits.a", "--header=digits.h"], ["digits.so"]):
    call("weir", "compile", ROOT / "docs/examples/digits/digits.pbtxt", "-o", *output, "--prefix=digits",
         f"--mesh=data={RANKS}", f"--shape=image={RANKS}x16x16x1", "--init=he_normal:seed=1",
         "--loss=sparse_softmax_cross_entropy:probabilities", "--optimizer=Adam:lr=0.01")  # fmt: skip
rng = np.random.default_rng(3)
images = rng.random((RANKS * STEPS, 16, 16, 1), np.float32)
labels = rng.integers(0, 10, RANKS * STEPS, dtype=np.int32)
for name, rows in (("images", images), ("labels", labels)):
    np.save(OUT / f"{name}.npy", rows)
    rows.tofile(OUT / f"{name}.bin")

call("weir-run", "digits.so", "--comm=threads", "--train", "--data=image=images.npy,labels=labels.npy",
     "--save=threads")  # fmt: skip
call("smpicc", "-std=gnu11", "-Wall", "-Wextra", "-O1", "-I.", f"-I{ROOT}", ROOT / "test/runtime/Inputs/smpi.c",
     ROOT / "runtime/comm/mpi.c", "libdigits.a", "-lm", "-o", "smpi")  # fmt: skip
call("weir", "simulate", "--make-platform=fat64.xml", f"--ranks={RANKS}")
# A test of a request takes 100 us of simulated time, unless told otherwise.
print(call("smpirun", "-np", str(RANKS), "-platform", "fat64.xml", "--cfg=smpi/simulate-computation:no",
           "--cfg=smpi/host-speed:1Tf", "--cfg=smpi/test:1e-6", "--log=root.thres:error", "./smpi", "images.bin",
           "labels.bin", str(STEPS), "simulated"), end="")  # fmt: skip

parts = sorted(path.name.removeprefix("threads") for path in OUT.glob("threads.*"))
same = all((OUT / f"threads{part}").read_bytes() == (OUT / f"simulated{part}").read_bytes() for part in parts)
print(f"{len(parts)} files of a checkpoint: {'the bytes of threads' if same else 'other bytes'}")
variables = {(OUT / f"simulated-{rank}").read_bytes() for rank in range(RANKS)}
print(f"{RANKS} ranks: {len(variables)} set of variables")
