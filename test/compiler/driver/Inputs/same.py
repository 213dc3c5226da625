"""same.py COUNT FILE ARGUMENT...: runs `weir compile ARGUMENT... -o FILE` COUNT times, each in
another environment, and fails if two files differ.

The environments differ in the addresses of memory, in the length of the environment, in the reuse
of freed memory, and in the number of processors, which is that of the compiler's threads.
"""

import os
import subprocess
import sys
from pathlib import Path

MALLOC = ["tcache_count=7", "tcache_count=0", "tcache_count=0:glibc.malloc.mxfast=0",
          "arena_max=1", "top_pad=65536"]


def compiled(i, file, arguments):
    processors = sorted(os.sched_getaffinity(0))
    environment = dict(os.environ, PADDING="." * 40 * i,
                       GLIBC_TUNABLES=f"glibc.malloc.{MALLOC[i % len(MALLOC)]}")
    file.unlink(missing_ok=True)
    subprocess.run(
        ["weir", "compile", *arguments, "-o", file], env=environment, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors[:1] if i % 2 else processors))
    return file.read_bytes()


def main():
    count, file, arguments = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    first = compiled(0, file, arguments)
    for i in range(1, count):
        other = compiled(i, file, arguments)
        if other == first:
            continue
        pairs = zip(first.split(b"\n"), other.split(b"\n"))
        line, (one, another) = next(
            ((k, pair) for k, pair in enumerate(pairs, 1) if pair[0] != pair[1]),
            (0, (b"", b"")))
        sys.exit(f"same.py: {file}: compiled again ({i}) it differs, first in line {line}:\n"
                 f"  {one[:200]!r}\n  {another[:200]!r}")


main()
