"""gemm.py LIBRARY [fail]: runs gemm.mlir on numbers of NumPy's; with `fail`, says
what becomes of create in processes in which each call fails in turn."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "gpu"))


def run():
    from library import Library
    library = Library(sys.argv[1])
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 4), np.float32)
    t = rng.standard_normal((2, 5, 8), np.float32)
    for _ in range(2):
        [y] = library.run([x, t])
        bias = np.float32([-10, 1, 2, 3, 4, 5, 6, 7])
        hidden = np.maximum(x @ np.full((4, 8), 0.5, np.float32) + bias, 0)
        print("error", np.abs(y - hidden @ t.swapaxes(1, 2)).max() < 1e-5)
    library.close()


def fail():
    wrong = 0
    for number in range(1, 1000):
        env = dict(os.environ, WEIR_CUDA_FAIL=str(number))
        done = subprocess.run([sys.executable, __file__, sys.argv[1]], env=env,
                              capture_output=True, text=True)
        log = Path(env["WEIR_CUDA_LOG"]).read_text()
        failed = re.search(r"^(\w+) fails", log, re.M)
        if not failed:
            print(f"{number - 1} calls, {wrong} wrong")
            return
        gives_back = re.search(r"Free|Destroy|Unload|Release|Pop|Push", failed[1])
        told = re.search(r"RuntimeError: (create|run): .*failed", done.stderr)
        clean = "0 blocks and 0 handles left" in log
        # A run that fails ends the process without a destroy; and destroy, which
        # waits for the stream, has nobody to tell.
        fine = done.stdout.count("True") == 2 and clean
        if not gives_back and not fine and not (told and (clean or "run:" in told[0])):
            wrong += 1
            print(f"{number}: {failed[1]}: {done.stderr[-300:]}")


fail() if "fail" in sys.argv else run()
