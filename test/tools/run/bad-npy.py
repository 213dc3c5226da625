"""bad-npy.py DIR RUNNER LIBRARY: every malformed .npy is an error that names the file, never a
signal. The script writes the files itself."""

import subprocess
import sys

folder, runner, library = sys.argv[1:]


def npy(header, data=b"\0" * 16, version=1):
    header = header.encode()
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


good = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n"
cases = {
    "empty": b"",
    "magic": b"\x93NUMPX\1\0" + bytes(20),
    "version": npy(good, version=1).replace(b"NUMPY\1", b"NUMPY\7"),
    "cut-header": npy(good)[:40],
    "cut-data": npy(good)[:-1],
    "long-header": b"\x93NUMPY\2\0\xff\xff\xff\xff",
    "no-shape": npy(good.replace("shape", "shave")),
    "object": npy(good.replace("<f4", "|O")),
    "string": npy(good.replace("<f4", "<U4")),
    "negative": npy(good.replace("(4,)", "(-4,)")),
    "huge": npy(good.replace("(4,)", "(4611686018427387904, 4)")),
    "overflow": npy(good.replace("(4,)", "(99999999999999999999,)")),
    "zero-huge": npy(good.replace("(4,)", "(0, 9223372036854775807, 9)")),
    "deep": npy(good.replace("(4,)", "(" + "1," * 200 + ")")),
    "open": npy(good.replace("(4,)", "(4,")),
    "rank": npy(good.replace("(4,)", "(2, 2)")),
    "fortran": npy(good.replace("False", "True").replace("(4,)", "(2, 2)")),
}
failed = []
for name, data in cases.items():
    path = f"{folder}/{name}.npy"
    with open(path, "wb") as file:
        file.write(data)
    run = subprocess.run(
        [runner, library, f"--input=x=@{path}"], capture_output=True, timeout=20
    )
    if run.returncode != 1 or b"error: " not in run.stderr:
        failed.append((name, run.returncode, run.stderr[-200:]))
good_path = f"{folder}/good.npy"
for version in (1, 2, 3):
    with open(good_path, "wb") as file:
        file.write(npy(good, version=version))
    run = subprocess.run([runner, library, f"--input=x=@{good_path}"])
    if run.returncode:
        failed.append((f"version {version}", run.returncode, b""))
for row in failed:
    print(*row)
sys.exit(len(failed))
