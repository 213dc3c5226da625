"""wheel.py FOLDER: prints the tag of the wheel there and checks what is inside."""

import pathlib
import re
import subprocess
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
wheel, = folder.glob("weir-*.whl")
assert wheel.stat().st_size < 70e6, wheel.stat().st_size
with zipfile.ZipFile(wheel) as archive:
    names = set(archive.namelist())
    archive.extractall(folder / "content")
    times = {info.date_time for info in archive.infolist()}
wanted = {"__init__.py", "_weir.abi3.so", "_weir.pyi", "py.typed", "bin/weir", "bin/weir-run",
          "include/weir.h", "include/weir_custom.h"}
assert {f"weir/{name}" for name in wanted} <= names, names
assert not [name for name in names if "__pycache__" in name] and len(times) == 1, (names, times)

# The tag names a version of the C library: no symbol is of a later one.
tag = wheel.stem.split("-", 2)[2]
promised = re.search(r"manylinux_(\d+)_(\d+)", tag)
binaries = [folder / "content/weir" / name for name in ("bin/weir", "bin/weir-run", "_weir.abi3.so")]
dumped = subprocess.run(["objdump", "-T", *binaries], check=True, stdout=subprocess.PIPE, text=True).stdout
versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", dumped)}
assert versions and (not promised or max(versions) <= (int(promised[1]), int(promised[2])))
# The extension uses only the stable ABI of Python, with its documented names.
used = set(re.findall(r"\*UND\*.* (_?Py\w+)$", dumped, re.M))
assert used and not {name for name in used if name.startswith("_Py")} - {"_Py_Dealloc", "_Py_NoneStruct"}, used
print(tag)
print("all right")
