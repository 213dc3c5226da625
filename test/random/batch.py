"""A module of random graphs: its files, its run, and the comparison with the reference."""

import collections
import pathlib
import shutil
import subprocess

import numpy as np
from graph import DIGITS

# Of the root mean square of the moves of an element. Errors of an op are as a rule a fraction of
# the error that RandomErrors.h allows it, but not independent of each other.
FACTOR = 8
RUNS = 16
LEAST = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}


class Batch:
    """Some graphs as one module, in a folder."""

    file = "model.mlir"

    def __init__(self, folder, graphs, flags):
        self.folder, self.graphs, self.flags = pathlib.Path(folder), graphs, flags
        self.inputs = [x for g in graphs for x in g.inputs]
        self.outputs = [(g, v) for g in graphs for v in g.outputs()]
        self.model_flags = []

    def write(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "in").mkdir(parents=True)
        (self.folder / self.file).write_text(self.text())
        for i, (_, array) in enumerate(self.inputs):
            np.save(self.folder / f"in/x{i}.npy", array)

    def text(self):
        arguments = ", ".join(f'{v.name}: {v.text} {{weir.name = "x{i}", weir.tensor = "x{i}"}}'
                              for i, (v, _) in enumerate(self.inputs))  # fmt: skip
        results = ", ".join(f'{v.text} {{weir.name = "y{i}", weir.tensor = "y{i}"}}'
                            for i, (_, v) in enumerate(self.outputs))  # fmt: skip
        lines = [line for g in self.graphs for line in g.globals]
        lines.append(f'func.func @main({arguments}) -> ({results}) attributes {{weir.entry = "main"}} {{')
        lines += [line for g in self.graphs for line in g.lines]
        names, types = (", ".join(t) for t in zip(*((v.name, v.text) for _, v in self.outputs)))
        lines += [f"return {names} : {types}", "}"]
        return "\n".join(lines) + "\n"

    def call(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=self.folder)
        if done.returncode:
            raise Failure(command[:2], done.returncode, done.stderr)

    def run(self):
        self.write()
        self.call("weir", "compile", self.file, "-o", "model.so", *self.model_flags, *self.flags)
        inputs = [f"--input=x{i}=@in/x{i}.npy" for i in range(len(self.inputs))]
        self.call("weir-run", "./model.so", "--output-dir=got", *inputs)
        (self.folder / "want").mkdir()
        self.call("weir", "reference", self.file, "--input-dir=in", "--output-dir=want", "--f64",
                  f"--errors={RUNS}", *self.model_flags)  # fmt: skip

    def differences(self):
        """A text for each graph of which an output differs, and the counts of elements."""
        wrong, judged = {}, collections.Counter()
        for i, (g, v) in enumerate(self.outputs):
            got, want, error = (np.load(self.folder / f"{p}.npy") for p in (f"got/y{i}", f"want/y{i}", f"want/y{i}.error"))
            text = difference(v, got, want, error, judged)
            if text:
                wrong.setdefault(g.seed, f"{v.name}: {text}")
        return wrong, judged


class Failure(Exception):
    def __init__(self, command, status, text):
        self.status, self.text = status, text
        super().__init__(f"{' '.join(command)} exits with {status}: {text.strip()[-600:]}")


def difference(value, got, want, error, judged):
    """None, or how an output differs by more than its bound."""
    if value.type == "bf16" and got.dtype == np.uint16:
        got = (got.astype(np.uint32) << 16).view(np.float32)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    judged["elements"] += got.size
    judged["unbounded"] += int(np.isinf(error).sum())
    judged["exact"] += int((error == 0).sum())
    with np.errstate(all="ignore"):
        if value.type not in DIGITS:
            bad = (got != want) & (error == 0)
        else:
            x, y = got.astype(np.float64), want.astype(np.float64)
            _, exponent = np.frexp(np.abs(y))
            unit = np.ldexp(1.0, np.maximum(exponent, LEAST[value.type] + 1) - DIGITS[value.type])
            same = (x == rounded(y, value.type)) | (np.isnan(x) & np.isnan(y))
            allowed = FACTOR * error + np.where(error == 0, 0.5, 1) * unit
            bad = ~(same | np.isinf(error) | (np.abs(x - y) <= allowed))
            # Subnormal results may be zero.
            bad &= ~((np.abs(y) < 2.0 ** LEAST[value.type]) & (x == 0))
    if not bad.any():
        return None
    at = tuple(map(int, np.argwhere(bad)[0]))
    return (f"{value.text}: {int(bad.sum())} of {bad.size} elements differ, as {got[at]!r} for {want[at]!r}"
            f" at {list(at)}, with an error of {error[at]:.3g}")  # fmt: skip


def rounded(y, type):
    if type == "bf16":
        return y
    return y.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[type]).astype(np.float64)
