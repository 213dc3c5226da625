"""Makes each call of the driver fail in turn: no failure may end the program, be ignored, or leak
memory.

  gpu_failures.py PROGRAM LOG

The program creates a context, runs, and exits with 0 only without failures; the environment has
the stand-in of test/emulate/cuda.
"""

import os
import re
import subprocess
import sys

program, log = sys.argv[1:]
# If a release fails, something remains allocated.
GIVES_BACK = re.compile(r"(Free|Destroy|Unload|Release|Pop)\w* fails|PushCurrent_v2 fails")

wrong = 0
for number in range(1, 1000):
    env = dict(os.environ, WEIR_CUDA_FAIL=str(number), WEIR_CUDA_LOG=log)
    done = subprocess.run([program, "runs"], env=env, capture_output=True, text=True)
    with open(log) as file:
        lines = file.read()
    if "fails with" not in lines:
        print(f"{number - 1} calls, {wrong} wrong")
        break
    call = re.search(r"(\w+) fails", lines)[0]
    told = done.returncode == 2 or re.search(r"^\d+: .*(failed|checks|node)", done.stdout, re.M)
    bad = []
    if done.returncode not in (0, 2):
        bad.append(f"exit {done.returncode}")
    if not told and not GIVES_BACK.search(lines):
        bad.append("nobody was told")
    if "create: 0" not in done.stdout and not re.search(r"create: \d+ .*: \w+", done.stdout):
        bad.append("no text")
    if "0 blocks and 0 handles left" not in lines and not GIVES_BACK.search(lines):
        bad.append(lines.splitlines()[-1])
    if bad:
        wrong += 1
        print(f"{number}: {call}: {', '.join(bad)}: {done.stdout}{done.stderr}")
