#!/usr/bin/python3
"""Compares gradients of ONNX models of a corpus with differences of the models.

  differences.py [--corpus DIR] [--unpacked DIR] [--bin DIR] [--group REGEX]
                 [--case REGEX] [--sample N] [--jobs N] [--least PERCENT]

The corpus is that of gradients.py. For a model with float inputs and outputs of static shape,
`--grad` computes the derivatives of the sum of y + y^2 + y^3 over its first output y by all these
inputs. Their component along two random directions is compared with a difference of the model, for
the best of some steps. Models that do not compile without `--grad` are left out: conformance.py
tests them. The script fails if fewer than PERCENT of the others agree.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from gradients import field, is_enough, judged, options

FLOATS = {"float32": 3e-2, "float64": 1e-4}


def loss_of(output):
    """The nodes after a model, so that `weir_loss` is y + y^2 + y^3."""
    nodes = [("Mul", output, output, "weir_square"), ("Mul", output, "weir_square", "weir_cube"),
             ("Add", output, "weir_square", "weir_low"), ("Add", "weir_low", "weir_cube", "weir_loss")]
    made = [field(1, field(1, a) + field(1, b) + field(2, to) + field(4, op))
            for op, a, b, to in nodes]
    return field(7, b"".join(made))


class Model:
    def __init__(self, args, case, meta, folder):
        self.args, self.folder, self.meta = args, folder, meta
        self.output = meta["outputs"][0]["tensor"]
        self.by = [i["tensor"] for i in meta["inputs"] if i["dtype"] in FLOATS]
        self.values = {i["tensor"]: np.load(case / i["file"]) for i in meta["inputs"]}
        self.shapes = [f"--shape={name}={'x'.join(map(str, value.shape))}"
                       for name, value in self.values.items() if value.ndim]
        # Equal numbers are kinks, for example in a black border, so the inputs are moved off
        # them.
        random = np.random.default_rng(5)
        for name in self.by:
            noise = random.uniform(0.02, 0.2, self.values[name].shape)
            self.values[name] = (self.values[name] + noise).astype(self.values[name].dtype)
        self.source, self.library = folder / "model.onnx", folder / "lib.so"
        self.source.write_bytes((case / "model.onnx").read_bytes() + loss_of(self.output))

    def tool(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=self.args.limit_s)
        return done.returncode, done.stdout.decode("utf-8", "replace").strip()[:200]

    def compile(self, *options):
        return self.tool(f"{self.args.bin}/weir", "compile", str(self.source), "-o",
                         str(self.library), "-O1", f"--fetch={self.output}", *self.shapes, *options)

    def run(self, function, values):
        """The results, in f64."""
        for old in self.folder.glob("*.npy"):
            old.unlink()
        given = []
        for k, (name, value) in enumerate(values.items()):
            path = self.folder / f"in{k}"
            with path.open("wb") as file:
                np.save(file, value.astype(self.values[name].dtype))
            given.append(f"--input={name}=@{path}")
        status, text = self.tool(f"{self.args.bin}/weir-run", str(self.library),
                                 f"--function={function}", f"--output-dir={self.folder}", *given)
        if status:
            raise RuntimeError(text)
        found = {path.stem: np.load(path).astype(np.float64) for path in self.folder.glob("*.npy")}
        names = [self.output] if function == "main" else [f"gradients/{n}" for n in self.by]
        return [found[re.sub("[/:]", "_", name)] for name in names]

    def agrees(self, random):
        """Whether gradients and differences agree, and their values."""
        slopes = self.run("gradients", self.values)
        close = max(FLOATS[str(self.values[name].dtype)] for name in self.by)
        said = ""
        for _ in range(2):
            way = {n: random.choice([-1.0, -0.5, 0.5, 1.0], self.values[n].shape) for n in self.by}
            parts = [s * way[n] for s, n in zip(slopes, self.by)]
            have = sum(float(part.sum()) for part in parts)
            scale = max(float(np.abs(part).sum()) for part in parts)
            wants = []
            for step in (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4):
                y = [self.run("main", {n: v + sign * step * way[n] if n in way else v
                                       for n, v in self.values.items()})[0] for sign in (1, -1)]
                wants.append(float(sum(y[0]**k - y[1]**k for k in (1, 2, 3)).sum()) / (2 * step))
            best = min(wants, key=lambda want: abs(want - have))
            said += f" {have:.4g} instead of {', '.join(f'{w:.4g}' for w in wants)}"
            if not abs(have - best) <= close * max(abs(best), 0.1 * scale):
                return False, said
        return True, said


def run_case(args, case):
    meta = json.loads((case / "meta.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        model = Model(args, case, meta, Path(folder))
        try:
            status, text = model.compile(f"--grad=weir_loss:{','.join(model.by)}")
            if status:
                return ("left out" if model.compile()[0] else "refused"), text
            agrees, text = model.agrees(np.random.default_rng(3))
            return ("pass" if agrees else "wrong"), text
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return "norun", str(error)[:200]


def is_smooth(case):
    meta = json.loads((case / "meta.json").read_text())
    return (meta["kind"] == "onnx" and meta.get("outputs") and meta.get("inputs")
            and meta["outputs"][0].get("dtype") in FLOATS
            and all("file" in i for i in meta["inputs"])
            and any(i["dtype"] in FLOATS and np.prod(i["shape"]) for i in meta["inputs"]))


def main():
    parser = options(__doc__)
    parser.add_argument("--group", default="onnx_(models|pytorch_.*|simple)")
    args = parser.parse_args()
    if not args.corpus and not args.unpacked:
        parser.error("no corpus: give --corpus, --unpacked or WEIR_CORPUS")
    rows = judged(args, args.group, is_smooth, run_case)
    for case, (outcome, text) in rows:
        if outcome != "pass":
            print(f"{outcome}: {case.name}: {text}")
    sys.exit(not is_enough([outcome for _, (outcome, _) in rows], args.least))


if __name__ == "__main__":
    main()
