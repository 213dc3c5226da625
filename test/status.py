"""status.py WANTED COMMAND...: fails if the command does not exit with WANTED."""

import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
got = subprocess.run(command).returncode
if got != wanted:
    print(f"status.py: exit status {got}, not {wanted}: {' '.join(command)}", file=sys.stderr)
sys.exit(got != wanted)
