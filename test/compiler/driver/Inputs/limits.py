"""limits.py FOLDER: runs `weir compile` under limits of memory and of processes: it succeeds, or
ends with 75 and one line."""

import resource
import subprocess
import sys

folder = sys.argv[1]
MB = 1 << 20
limits = [(resource.RLIMIT_AS, bytes) for bytes in range(300 * MB, 700 * MB, 20 * MB)]
limits += [(resource.RLIMIT_DATA, bytes) for bytes in range(100 * MB, 400 * MB, 20 * MB)]
statuses = set()
for kind, limit in limits:
    done = subprocess.run(["weir", "compile", "m.pbtxt", "-o", "limited.so"], cwd=folder,
                          preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    statuses.add(done.returncode)
    lines = done.stdout.count(b"\n")
    if done.returncode not in (0, 75) or lines != (done.returncode != 0):
        sys.exit(f"limit {kind} of {limit}: status {done.returncode}: {done.stdout.decode()}")
if statuses != {0, 75}:
    sys.exit(f"the limits tried nothing: statuses {statuses}")
