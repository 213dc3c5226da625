"""conv.py LIBRARY [fail]: runs conv.mlir on numbers of NumPy's; with `fail`, says
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
    x = rng.standard_normal((2, 5, 6, 3), np.float32)
    r = rng.standard_normal((2, 5, 6, 4), np.float32)
    # All taps of the first filter are one number.
    padded = np.pad(x.sum(3), ((0, 0), (1, 1), (1, 1)))
    window = sum(padded[:, i:i + 5, j:j + 6] for i in range(3) for j in range(3)) * 0.25
    hidden = np.maximum(window[..., None] + np.float32([-3, 0, 0.5, 1]) + r, 0)
    wanted = hidden[:, ::2, ::2] @ np.arange(1, 9, dtype=np.float32).reshape(2, 4).T
    for _ in range(2):
        [y] = library.run([x, r])
        print("error", np.abs(y - wanted).max() < 1e-4)
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
        # Another way to convolve may be found, or what has failed gave back.
        told = re.search(r"RuntimeError: (create|run): .*failed|no way", done.stderr)
        clean = "0 blocks and 0 handles left" in log
        fine = done.stdout.count("True") == 2 and clean
        gives_back = re.search(r"Free|Destroy|Unload|Release|Pop|Push", failed[1])
        if not gives_back and not fine and not (told and (clean or "run:" in told[0])):
            wrong += 1
            print(f"{number}: {failed[1]}: {done.stderr[-300:]}")


fail() if "fail" in sys.argv else run()
