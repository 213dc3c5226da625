"""Runs a program with failing system calls (faults.c), one by one or all from one on, and checks
how it ends: with 74 or 75 and one line, and the files unchanged; or with 0, the output without
failures, and all files complete.

A test samples the calls. With the argument `--all` each call fails, which takes long."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import zlib

# The calls, their errors, and the number of sampled positions.
CALLS = {"malloc": ("ENOMEM", 8), "open": ("EMFILE", 12), "read": ("EIO", 8),
         "write": ("ENOSPC", 8), "close": ("EIO", 8), "truncate": ("EIO", 4),
         "rename": ("EIO", 9), "fsync": ("EIO", 8), "mmap": ("ENOMEM", 4),
         "stat": ("EIO", 8), "seek": ("EIO", 4), "chmod": ("EIO", 4), "dup": ("EMFILE", 4),
         "pipe": ("EMFILE", 4), "fork": ("EAGAIN", 2), "wait": ("ECHILD", 2),
         "pthread_create": ("EAGAIN", 4)}  # fmt: skip


@dataclasses.dataclass
class Case:
    """One program that runs in `folder`. `products` are its output files; those in `varying`
    differ from run to run, as measured times do, and those in `lasting` may remain after a
    failure. `prepare` is called before each run; `check` returns the error in the files after it,
    or nothing."""

    name: str
    command: list
    products: set = dataclasses.field(default_factory=set)
    varying: set = dataclasses.field(default_factory=set)
    lasting: set = dataclasses.field(default_factory=set)
    prepare: object = None
    check: object = None
    calls: dict = None
    has_old: bool = True
    says: bool = True  # the same output on stdout each time
    stdin: bytes = b""
    program: str = ""  # the program whose calls fail, if it is not the command's


def places(total, most):
    """All numbers from 1 to `total`, or `most` of them: dense at both ends, because few calls
    matter there."""
    if total <= most:
        return range(1, total + 1)
    edge = most // 4
    inner = most - 2 * edge
    return sorted({*range(1, edge + 1), *range(total - edge + 1, total + 1),
                   *(edge + 1 + (total - 2 * edge) * i // inner for i in range(inner))})


class Faults:
    """The initial files of the folder are the inputs."""

    def __init__(self, library, folder):
        self.library, self.folder = pathlib.Path(library).resolve(), pathlib.Path(folder)
        self.inputs = set(self.names())
        self.injections = self.stopped = self.failures = 0

    def names(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                if not path.is_dir()}

    def run(self, case, call, number, code, ever=False):
        """The exit status, the number of calls of `call`, and the output on each stream."""
        log = self.folder.resolve() / "calls.log"
        log.unlink(missing_ok=True)
        environment = dict(os.environ, LD_PRELOAD=str(self.library), FAULT_CALL=call,
                           FAULT_PROGRAM=case.program or os.path.basename(case.command[0]),
                           FAULT_AT=str(number), FAULT_ERRNO=code, FAULT_LOG=str(log),
                           TMPDIR=str(self.folder.resolve()))
        if ever:
            environment["FAULT_EVER"] = "1"
        try:
            done = subprocess.run(case.command, cwd=self.folder, env=environment, input=case.stdin,
                                  capture_output=True, timeout=120)
            status = done.returncode
            out, said = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        except subprocess.TimeoutExpired:
            status, out, said = "a hang", "", ""
        calls = int(log.read_text()) if log.exists() else 0
        log.unlink(missing_ok=True)
        return status, calls, out, said

    def content(self, names):
        return {name: zlib.crc32((self.folder / name).read_bytes()) for name in names}

    def clear(self, case, has_old):
        """The earlier products exist, or none."""
        for name in self.names() - self.inputs - case.products:
            (self.folder / name).unlink()
        for name in case.products:
            path = self.folder / name
            path.unlink(missing_ok=True)
            if has_old:
                path.write_text("old")
        if case.prepare:
            case.prepare()

    def wrong(self, case, status, out, said, has_old):
        """The error in the end of a run."""
        made = self.names() - self.inputs
        if status == 0:
            content = self.content(made & case.products)
            if made - case.lasting != case.products - case.lasting:
                return f"there are {sorted(made)}"
            for name in case.products - case.lasting:
                if content[name] == zlib.crc32(b"old") or (
                        name not in case.varying and content[name] != self.content_wanted[name]):
                    return f"{name} is another"
            if case.says and out != self.out_wanted:
                return "says something else"
        elif status not in (74, 75):
            return "wrong status"
        else:
            if said.count("\n") != 1:
                return "not one line"
            if made - case.lasting != (case.products - case.lasting if has_old else set()):
                return f"there are {sorted(made)}"
            if any((self.folder / name).read_text(errors="replace") != "old"
                   for name in made - case.lasting):
                return "an old file is another"
        return case.check() if case.check else None

    def sweep(self, case, complete=False):
        for call, (code, most) in (case.calls or CALLS).items():
            self.clear(case, False)
            status, total, self.out_wanted, said = self.run(case, call, 1 << 40, code)
            assert status == 0, (case.name, status, said)
            found = self.names() - self.inputs
            assert found - case.lasting == case.products - case.lasting, (case.name, found)
            self.content_wanted = self.content(found)
            for ever in (False, True):
                for number in places(total, total if complete else most):
                    # One rename reverses the other.
                    has_old = ever and case.has_old and call != "rename"
                    self.clear(case, has_old)
                    status, _, out, said = self.run(case, call, number, code, ever)
                    self.injections += 1
                    self.stopped += status != 0
                    if wrong := self.wrong(case, status, out, said, has_old):
                        self.failures += 1
                        print(f"{case.name}: {call} {number} of {total}"
                              f"{' and on' if ever else ''}: status {status}, {wrong}: "
                              f"{said.strip()[:1000]!r}", flush=True)
        self.clear(case, False)


def main(library, folder, cases):
    """Sweeps the cases, or those that the arguments name."""
    arguments = sys.argv[3:]
    complete, chosen = "--all" in arguments, [a for a in arguments if a[:1] != "-"]
    assert set(chosen) <= {case.name for case in cases}, chosen
    faults = Faults(library, folder)
    for case in cases:
        if not chosen or case.name in chosen:
            faults.sweep(case, complete)
    print(f"{faults.injections} faults, of which {faults.stopped} stopped the program; "
          f"{faults.failures} went wrong")
