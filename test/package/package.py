"""Packs a build, once for all tests: `package.py BUILD GENERATOR OUT`.

OUT becomes a link to the package. It is packed again if the build, or a file that is installed
from the source tree, is newer.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

build, generator, out = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3])
source = Path(__file__).resolve().parents[2]
folder = build / "packages" / generator
folder.mkdir(parents=True, exist_ok=True)


def newest():
    """The time of the newest file that the package depends on."""
    installed = [build / "bin", build / "manual", build / "package", build / "python", source / "docs",
                 source / "tools/python", source / "runtime", source / "cmake"]
    files = [build / "cmake_install.cmake", build / "CPackConfig.cmake",
             *source.glob("*.md")]
    for top in installed:
        files += [p for p in top.rglob("*") if p.is_file() and p.suffix != ".pyc"]
    return max(p.stat().st_mtime for p in files)


def packages():
    """The packages that the folder has: one or none."""
    return [p for p in folder.glob("weir*") if p.suffix in (".deb", ".zst")]


with open(folder / "lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not packages() or packages()[0].stat().st_mtime < newest():
        for old in packages():
            old.unlink()
        start = time.time()
        # The size of the archive does not matter here, but the time does.
        subprocess.run(["cpack", "-G", generator, "-B", folder, "-D", "CPACK_WEIR_ZSTD_LEVEL=3"],
                       cwd=build, check=True)
        shutil.rmtree(folder / "_CPack_Packages")
        # A file that was changed meanwhile is newer than the package.
        os.utime(packages()[0], (start, start))
    out.unlink(missing_ok=True)
    os.symlink(packages()[0], out)
