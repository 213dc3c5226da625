"""conv_cache.py CONV_PY LIBRARY FOLDER: runs conv.py with caches in FOLDER that are empty, filled,
damaged or impossible, and prints the numbers of plans that were made and read."""

import os
import subprocess
import sys
from pathlib import Path

script, library, top = sys.argv[1], sys.argv[2], Path(sys.argv[3])


def run(what, folder, **variables):
    """Runs with WEIR_CACHE_DIR at `folder`, unless other variables are given."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("WEIR_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
    if "HOME" not in variables and "WEIR_CACHE_DIR" not in variables:
        env["WEIR_CACHE_DIR"] = str(folder)
    env |= {k: v for k, v in variables.items() if v is not None}
    done = subprocess.run([sys.executable, script, library], env=env, capture_output=True,
                          text=True, timeout=60)
    log = Path(env["WEIR_CUDA_LOG"]).read_text()
    right = done.stdout.count("True") == 2 and "0 blocks and 0 handles left" in log
    print(f"{what}: planned {log.count('plans engine 3')}, read {log.count('cudnn reads')}, "
          f"{'right' if right else done.stderr}; {len(files(folder))} files")


def files(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value.to_bytes(8, "little")


def foreign(data):
    """Another text of a plan, with the same length."""
    length = int.from_bytes(data[8:16], "little")
    text = b"x" * length
    return data[:16] + fnv(text) + data[24:-length] + text


one = top / "deep" / "er"
run("first", one)
run("again", one)
run("version", one, WEIR_CUDNN_VERSION="91901")
run("device", one, WEIR_CUDA_SM="86")

damaged = top / "damaged"
run("whole", damaged)
whole = {path: path.read_bytes() for path in files(damaged)}


def damage(what, change):
    for path, data in whole.items():
        if path.is_dir():
            path.rmdir()
        elif path.exists():
            path.unlink()
        change(path, data)
    run(what, damaged)


damage("flipped", lambda p, d: p.write_bytes(d[:-50] + bytes([d[-50] ^ 1]) + d[-49:]))
run("then", damaged)
damage("truncated", lambda p, d: p.write_bytes(d[:-1]))
damage("extended", lambda p, d: p.write_bytes(d + b"x"))
damage("empty", lambda p, d: p.write_bytes(b""))
swapped = dict(zip(whole, reversed(whole.values())))
damage("renamed", lambda p, d: p.write_bytes(swapped[p]))
damage("foreign", lambda p, d: p.write_bytes(foreign(d)))
damage("folders", lambda p, d: p.mkdir())
damage("fifos", lambda p, d: os.mkfifo(p))

(top / "file").write_text("")
run("blocked", top / "file" / "cache")
run("xdg", top / "xdg" / "weir", HOME="/nowhere", XDG_CACHE_HOME=str(top / "xdg"))
run("relative xdg, home", top / "home" / ".cache" / "weir", HOME=str(top / "home"),
    XDG_CACHE_HOME="xdg")
run("off", top / "off" / ".cache" / "weir", HOME=str(top / "off"), WEIR_CACHE_DIR="")
run("nowhere", top / "none", HOME=None)
