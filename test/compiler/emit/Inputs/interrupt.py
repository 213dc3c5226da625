"""interrupt.py DIR MODULE: ends weir-emit at many times. A product is then unchanged or complete;
after SIGINT and SIGTERM no other file is left."""

import os
import signal
import subprocess
import sys
import time

folder, module = sys.argv[1:]
output = os.path.join(folder, "libbig.so")
command = ["weir-emit", module, "-o", output, f"--header={folder}/big.h"]


def content():
    with open(output, "rb") as file:
        return file.read()


begin = time.monotonic()
subprocess.run(command, check=True)
whole = time.monotonic() - begin
want = content()
failures = 0
stopped = 0
for i in range(24):
    name = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)[i % 3]
    old = i % 2
    if os.path.exists(output):
        os.remove(output)
    if old:
        with open(output, "w") as file:
            file.write("old")
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    time.sleep(whole * (i + 0.5) / 24)
    process.send_signal(name)
    ended = process.wait()
    stopped += ended != 0
    found = content() if os.path.exists(output) else None
    if found not in (want, b"old" if old else None):
        print(f"signal {name} at {i}: a broken product")
        failures += 1
    left = [f for f in os.listdir(folder) if f.endswith(".tmp")]
    if left and name != signal.SIGKILL:
        print(f"signal {name} at {i}: left {left}")
        failures += 1
    for file in left:
        os.remove(os.path.join(folder, file))
if not stopped:
    print("no run was interrupted: nothing was tested")
    failures += 1
sys.exit(failures)
