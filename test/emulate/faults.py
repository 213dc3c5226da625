"""Runs a program under faults.so (faults.c), and says what it leaves behind."""

import os
import pathlib
import subprocess


class Faults:
    """`command` runs in `folder`, whose content before it is `before`: a file that is
    there after a failure, and was not before, was left behind."""

    def __init__(self, library, folder, command, environment=None):
        self.library, self.folder, self.command = library, pathlib.Path(folder), command
        self.environment = environment or {}
        self.injections, self.failures = 0, []

    def run(self, call, number, code, ever=False):
        """The exit status, how often `call` was made, and what was said."""
        log = self.folder / "calls.log"
        log.unlink(missing_ok=True)
        environment = dict(os.environ, LD_PRELOAD=str(self.library), FAULT_CALL=call,
                           FAULT_PROGRAM=os.path.basename(self.command[0]),
                           FAULT_AT=str(number), FAULT_ERRNO=code, FAULT_LOG=str(log),
                           **self.environment)
        if ever:
            environment["FAULT_EVER"] = "1"
        try:
            done = subprocess.run(self.command, cwd=self.folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            status, said = done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired:
            status, said = "a hang", ""
        calls = int(log.read_text()) if log.exists() else 0
        log.unlink(missing_ok=True)
        return status, calls, said
