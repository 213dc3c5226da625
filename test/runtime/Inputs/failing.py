"""Runs a model in processes with one failing call each, of the driver and of its libraries."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "gpu"))


def main(run, refusal):
    """`run`, or with the argument `fail` a process of it for each call. If it fails, its message
    must match `refusal`, and no resource may remain."""
    if "fail" not in sys.argv:
        return run()
    wrong = 0
    for number in range(1, 1000):
        env = dict(os.environ, WEIR_CUDA_FAIL=str(number))
        done = subprocess.run([sys.executable, sys.argv[0], sys.argv[1]], env=env,
                              capture_output=True, text=True)
        log = Path(env["WEIR_CUDA_LOG"]).read_text()
        failed = re.search(r"^(\w+) fails", log, re.M)
        if not failed:
            print(f"{number - 1} calls, {wrong} wrong")
            return
        gives_back = re.search(r"Free|Destroy|Unload|Release|Pop|Push", failed[1])
        told = re.search(rf"RuntimeError: (create|run): ({refusal})", done.stderr)
        clean = "0 blocks and 0 handles left" in log
        # A run that fails ends the process without a destroy. And destroy, which waits for the
        # stream, cannot report an error.
        fine = done.stdout.count("True") == 2 and clean
        if not gives_back and not fine and not (told and (clean or "run:" in told[0])):
            wrong += 1
            print(f"{number}: {failed[1]}: {done.stderr[-300:]}")
