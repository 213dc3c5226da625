"""faults.py FAULTS.so FOLDER [CALL...]: `weir compile` while calls of the system fail, one
by one or all from one on. It ends with 74 or 75, in one line, and leaves no file; or it
succeeds, and all files are there."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "emulate"))
from faults import Faults

# The calls, what they fail with, and how many places are tried at most.
CALLS = {"malloc": ("ENOMEM", 90), "open": ("EMFILE", 40), "read": ("EIO", 20),
         "write": ("ENOSPC", 40), "close": ("EIO", 40), "truncate": ("EIO", 10),
         "rename": ("EIO", 10), "mmap": ("ENOMEM", 60), "pthread_create": ("EAGAIN", 20)}
PRODUCTS = {"libm.so", "libm.weights", "m.h", "m.json"}

library, folder = sys.argv[1], pathlib.Path(sys.argv[2])
calls = {call: CALLS[call] for call in sys.argv[3:]} or CALLS
inputs = {path.name for path in folder.iterdir()}
command = ["weir", "compile", "m.pbtxt", "-o", "libm.so", "--weights=file", "--header=m.h",
           "--report=m.json"]
faults = Faults(library, folder, command, {"TMPDIR": str(folder)})


def places(total, most):
    """All of 1 to `total`, or `most` of them: dense at both ends, where few calls matter."""
    if total <= most:
        return range(1, total + 1)
    edge = most // 4
    inner = most - 2 * edge
    return sorted({*range(1, edge + 1), *range(total - edge + 1, total + 1),
                   *(edge + (total - 2 * edge) * i // inner for i in range(inner))})


injections, failures, stopped = 0, 0, 0
for call, (code, most) in calls.items():
    status, total, said = faults.run(call, 1 << 40, code)
    assert status == 0, said
    for ever in (False, True):
        for number in places(total, most):
            for name in PRODUCTS:
                (folder / name).unlink(missing_ok=True)
            status, _, said = faults.run(call, number, code, ever)
            found = {path.name for path in folder.iterdir()} - inputs
            want = PRODUCTS if status == 0 else set()
            lines = said.count("\n")
            injections += 1
            stopped += status != 0
            if status not in (0, 74, 75) or found != want or (status and lines != 1):
                failures += 1
                print(f"{call} {number} of {total}{' and on' if ever else ''}: status {status}, "
                      f"{sorted(found)}, {said.strip()[:1000]!r}")
            for name in found - PRODUCTS:
                (folder / name).unlink()
print(f"{injections} faults, of which {stopped} stopped the compiler; {failures} went wrong")
