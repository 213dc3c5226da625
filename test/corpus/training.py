#!/usr/bin/python3
"""Compares steps of training graphs of a corpus with recorded references.

  training.py [--corpus DIR] [--unpacked DIR] [--bin DIR] [--sample N]
              [--least PERCENT] [-- FLAG...]

The corpus is outside of the repository: DIR (or WEIR_CORPUS) has its runner, run.py. A case of the
kind `tf_train_graphdef` has a graph with its own gradients and optimizer. It is compiled with its
loss as the output and the optimizer's node as the target, and its variables get the recorded first
values. Each run must have the recorded loss and the recorded variables. The script fails if fewer
than PERCENT of the cases do. Each FLAG is an option for the compiler, too.
"""

import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import conformance

sys.path.insert(0, str(conformance.ROOT / "test/numeric"))
from interface import ABI_VERSION, CONTEXT, Config, ModelInfo


class Trainer:
    """A library with one function for a step, and its variables."""

    def __init__(self, library):
        handle = ctypes.CDLL(str(library))
        handle.step_info.restype = ctypes.POINTER(ModelInfo)
        self.info = handle.step_info().contents
        self.context = CONTEXT()
        self.check(self.info.create(None, ctypes.byref(Config(abi_version=ABI_VERSION)),
                                    ctypes.byref(self.context)))
        if self.info.init:
            self.check(self.info.run(self.context, self.info.init - 1, None, 0))

    def check(self, status):
        if status:
            said = self.info.last_error(self.context) if self.context else b"no context"
            raise ValueError(f"status {status}: {said.decode()}")

    def variable(self, name, dtype):
        """The variable, in place."""
        for variable in self.info.variables[:self.info.num_variables]:
            if variable.name.decode() == name:
                place = self.info.state(self.context) + variable.offset
                data = (ctypes.c_char * variable.bytes).from_address(place)
                return np.frombuffer(data, dtype).reshape(variable.shape[:variable.rank])
        raise ValueError(f"there is no variable '{name}'")

    def step(self, inputs, loss):
        result = np.zeros((), loss)
        arrays = [*inputs, result]
        pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        self.check(self.info.run(self.context, 0, pointers, len(pointers)))
        return float(result)


def wrong(args, case, meta, folder):
    """The difference between a case and its reference; empty if there is none."""
    types = conformance.runner_of(args.corpus).TYPES
    library = folder / "step.so"
    command = [f"{args.bin}/weir", "compile", str(case / meta["model"]), "-o", str(library),
               "--prefix=step", f"--fetch={meta['loss']}", f"--target-node={meta['train_target']}",
               *args.flags]
    for feed in meta["inputs"]:
        dims = "".join(f"{size}x" for size in feed["shape"])
        command.append(f"--feed={feed['tensor']}:{dims}{types[feed['dtype']]}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        return done.stderr.strip()[:300]
    trainer = Trainer(library)
    for first in meta["variables"]:
        value = np.load(case / first["file"])
        trainer.variable(first["tensor"], value.dtype)[...] = value
    inputs = [np.ascontiguousarray(np.load(case / feed["file"])) for feed in meta["inputs"]]
    exact = meta["inputs"][0]["dtype"] == "float64"
    for number, wanted in enumerate(meta["loss_per_step"], 1):
        loss = trainer.step(inputs, np.float64 if exact else np.float32)
        if not np.isclose(loss, wanted, rtol=1e-9 if exact else 1e-4, atol=0):
            return f"step {number}: the loss is {loss}, not {wanted}"
        for after in meta["outputs"]:
            if after.get("after_step") != number:
                continue
            value = np.load(case / after["file"])
            name = after["variable"]
            found = trainer.variable(name, value.dtype)
            if stride := after.get("sample_stride"):
                found = found.ravel()[::stride]
            if not np.allclose(found, value, rtol=after["rtol"], atol=after["atol"]):
                return f"step {number}: '{name}' differs by {np.abs(found - value).max():.3g}"
    return ""


def main():
    parser = conformance.options(__doc__)
    parser.add_argument("--unpacked", type=Path)
    parser.add_argument("--least", type=float, default=100)
    parser.add_argument("flags", nargs="*", metavar="FLAG")
    args = parser.parse_args()
    if not args.corpus:
        parser.error("no corpus: give --corpus or set WEIR_CORPUS")
    cases = []
    for path in sorted((args.unpacked or Path(conformance.unpacked(args.corpus))).glob("*/*/meta.json")):
        meta = json.loads(path.read_text())
        if meta["kind"] == "tf_train_graphdef":
            cases.append((path.parent, meta))
    if args.sample:
        cases = cases[::max(1, len(cases) // args.sample)]
    passed = 0
    for case, meta in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                why = wrong(args, case, meta, Path(folder))
            except (ValueError, subprocess.TimeoutExpired) as fault:
                why = str(fault)
        passed += not why
        if why:
            print(f"{meta['id']}: {why}")
    print(f"{passed} of {len(cases)} train as the reference does")
    return not cases or 100 * passed < args.least * len(cases)


if __name__ == "__main__":
    sys.exit(main())
