"""ranks_digits.py FOLDER: docs/examples/digits on four ranks, which are threads of weir-run, against
the same on one machine: the losses of all steps of three epochs, and the variables after them."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import OUT, bundle  # noqa: E402

DIGITS = pathlib.Path(__file__).parents[2] / "docs/examples/digits"
STEPS = 3 * 4096 // 64


def train(name, compile_flags, run_flags):
    """The losses of all steps, and the variables after them."""
    library = f"{OUT}/{name}.so"
    subprocess.run(["weir", "compile", DIGITS / "digits.pbtxt", "-o", library, "--shape=image=64x16x16x1",
                    "--init=he_normal:seed=1", "--loss=sparse_softmax_cross_entropy:probabilities",
                    "--optimizer=Adam", *compile_flags], check=True)  # fmt: skip
    subprocess.run(["weir-run", library, "--train", f"--data={OUT}/images.npy,{OUT}/labels.npy", "--epochs=3",
                    "--shuffle=1", f"--metrics={OUT}/{name}.jsonl", f"--save={OUT}/{name}", *run_flags],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    lines = [json.loads(line) for line in open(f"{OUT}/{name}.jsonl")]
    tensors = bundle.read(f"{OUT}/{name}")
    return [line["loss"] for line in lines if "loss" in line], {
        k: np.float64(np.frombuffer(d, {1: np.float32, 9: np.int64}[t])) for k, (t, _, d) in tensors.items()}


failures = 0


def close(what, got, want, tolerance):
    global failures
    error = np.abs(np.float64(got) - want).max() / np.abs(want).max()
    if not error <= tolerance:
        failures += 1
        print(f"{what}: a relative error of {error:.2g}")


subprocess.run([sys.executable, DIGITS / "data.py", OUT], check=True,
               env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
losses, variables = train("one", [], [])
got, kept = train("four", ["--mesh=data=4"], ["--comm=threads"])
assert len(losses) == len(got) == STEPS and kept.keys() == variables.keys()
for step, (loss, want) in enumerate(zip(got, losses)):
    close(f"loss of step {step + 1}", [loss], np.float64([want]), 1e-5)
for name, value in variables.items():
    close(name, kept[name], value, 1e-4)
print(f"{failures} failures")
sys.exit(failures != 0)
