"""check.py MODEL BIN OUT [FLAG...]: builds a model of models.py, compiles it with the flags, runs
it, and compares every output with NumPy."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import models


def main():
    name, binaries, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    graph, feeds, fetches = getattr(models, name)()
    (out / "model.pbtxt").write_text(graph.text())
    command = [binaries / "weir", "compile", out / "model.pbtxt", "-o", out / "model.so"]
    command += [f"--fetch={fetch}" for fetch in fetches] + sys.argv[4:]
    subprocess.run(command, check=True)

    run = [binaries / "weir-run", out / "model.so", "--rtol=1e-5", "--atol=1e-5"]
    for kind, tensors in (("input", feeds), ("expect", fetches)):
        for i, (tensor, values) in enumerate(tensors.items()):
            file = out / f"{kind}{i}.npy"
            values = np.asarray(values)
            if kind == "expect" and values.dtype == np.float64:
                values = values.astype(np.float32)
            np.save(file, values)
            run.append(f"--{kind}={tensor}=@{file}")
    sys.exit(subprocess.run(run).returncode)


main()
