#!/usr/bin/python3
"""python_call.py [--rounds 15] [--calls 100000] [--weir build/release/bin/weir]: what a call from Python costs.

Compiles the net of the quickstart to a library for Python and to a C program that calls it in a loop. Times both in
turns and prints the median and the least time of each. Needs cc, and the package weir on PYTHONPATH, such as
build/release/python.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import timeit

import numpy as np

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--calls", type=int, default=100_000)
here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
parser.add_argument("--weir", default=str(root / "build/release/bin/weir"))
options = parser.parse_args()
os.environ["WEIR"] = options.weir

import weir  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    model = root / "docs/examples/quickstart/digits.pbtxt"
    subprocess.run([options.weir, "compile", model, "-o", f"{folder}/libdigits.a", f"--header={folder}/digits.h"],
                   check=True)
    program = f"{folder}/call"
    subprocess.run(["cc", "-O2", f"-I{folder}", here / "python_call.c", f"{folder}/libdigits.a", "-lm", "-o", program],
                   check=True)
    net = weir.compile(model)
    image, room = np.zeros((1, 8, 8, 1), np.float32), np.empty((1, 10), np.float32)
    statements = {"net(image=image)['probabilities']": [], "net(image)": [], "net(image, out=room)": []}
    of_c = []
    for _ in range(options.rounds):
        of_c.append(float(subprocess.check_output([program, str(options.calls)])))
        for statement, times in statements.items():
            seconds = timeit.timeit(statement, globals=globals(), number=options.calls)
            times.append(1e9 * seconds / options.calls)

print(f"{'call':36} {'median':>8} {'least':>8}  ns, {options.rounds} rounds of {options.calls} calls")
for name, times in {"C: digits_run(net, image, room)": of_c, **statements}.items():
    print(f"{name:36} {statistics.median(times):8.0f} {min(times):8.0f}")
