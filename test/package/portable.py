"""The requirements of the executables of TREE: no library except glibc, and no symbol of a glibc
later than 2.35, the version of Ubuntu 22.04."""

import re
import subprocess
import sys
from pathlib import Path

NEWEST = (2, 35)
LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
             "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

status = 0
files = [p for p in Path(sys.argv[1]).rglob("*")
         if p.is_file() and not p.is_symlink() and p.open("rb").read(4) == b"\x7fELF"]
for file in sorted(files):
    dynamic = subprocess.run(["objdump", "-p", file], capture_output=True, text=True, check=True)
    needed = set(re.findall(r"NEEDED +(\S+)", dynamic.stdout))
    symbols = subprocess.run(["objdump", "-T", file], capture_output=True, text=True, check=True)
    newest = (2,)
    for library in sorted(needed - LIBRARIES):
        status = 1
        print(f"{file} needs {library}")
    for line in symbols.stdout.splitlines():
        for text in re.findall(r"GLIBC_([0-9.]+)", line):
            version = tuple(map(int, text.split(".")))
            newest = max(newest, version)
            if version > NEWEST:
                status = 1
                print(f"{file} needs {line.split()[-1]} of glibc {text}")
    print(f"{file.name}: glibc {'.'.join(map(str, newest))}")
sys.exit(status)
