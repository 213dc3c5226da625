"""Packs the Python package of a build into a wheel, with the compiler inside.

CMake builds all that the wheel holds: WEIR_BUILD names the build folder (default:
build/release). The target `wheel` of the build does both.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("WEIR_BUILD", ROOT / "build/release")).resolve()
PROGRAMS = ("weir", "weir-run")
HEADERS = ("weir.h", "weir_custom.h")
# The shared libraries of glibc, which each Linux system of PEP 600 has. The programs link
# all others statically.
COMMON = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
          "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def version():
    """The version of the project, which CMake declares."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(weir VERSION ([\d.]+)", text)[1]


def binaries():
    """The programs and the extension, in the build folder."""
    return [*(BUILD / "bin" / name for name in PROGRAMS), BUILD / "python/weir/_weir.abi3.so"]


def platform_tag():
    """The oldest C library that the binaries run with, or plain linux where they need more."""
    dumped = subprocess.run(["objdump", "-p", "-T", *binaries()], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    machine = re.search(r"file format elf64-(\S+)", dumped)[1]
    machine = {"x86-64": "x86_64", "littleaarch64": "aarch64"}[machine]
    needed = set(re.findall(r"NEEDED\s+(\S+)", dumped))
    if needed - COMMON:
        print(f"no manylinux tag: the system has to have {', '.join(sorted(needed - COMMON))}")
        return f"linux_{machine}"
    newest = max(tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+\.\d+)", dumped))
    return f"manylinux_{newest[0]}_{newest[1]}_{machine}"


class Binary(Distribution):
    """setuptools cannot know that the package has a compiled module."""

    def has_ext_modules(self):
        """Always true: CMake compiles the extension."""
        return True


class Build(build_py):
    """Copies the package of the build, the programs and the headers."""

    def run(self):
        """Fills the folder of the package and strips the binaries."""
        missing = [path for path in binaries() if not path.exists()]
        if missing:
            raise SystemExit(f"{missing[0]} is missing: cmake --build {BUILD} comes first")
        target = Path(self.build_lib) / "weir"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(BUILD / "python/weir", target, ignore=shutil.ignore_patterns("__pycache__", "bin"))
        for folder, paths in (("bin", binaries()[:2]), ("include", [ROOT / "runtime" / h for h in HEADERS])):
            (target / folder).mkdir()
            for path in paths:
                shutil.copyfile(path, target / folder / path.name)
        for path in (*(target / "bin" / name for name in PROGRAMS), target / "_weir.abi3.so"):
            subprocess.run(["strip", "--strip-unneeded", path], check=True)

    def get_outputs(self, include_bytecode=True):
        """All files of the package."""
        return [str(path) for path in (Path(self.build_lib) / "weir").rglob("*") if path.is_file()]


class Wheel(bdist_wheel):
    """One wheel for Python 3.11 and all later versions: the module uses the stable ABI."""

    def get_tag(self):
        """The tags of the interpreter, of the ABI and of the platform."""
        return "cp311", "abi3", platform_tag()

    def write_wheelfile(self, *args, **kwargs):
        """The last step before all is packed. Modes follow neither the umask nor the checkout."""
        super().write_wheelfile(*args, **kwargs)
        for path in Path(self.bdist_dir).rglob("*"):
            is_program = path.is_dir() or path.parent.name in ("bin", "scripts")
            path.chmod(0o755 if is_program else 0o644)


# Two builds are equal: all files have one time, the least that an archive may hold unless
# the environment has another.
os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")
# Nothing is written beside the sources.
WORK = BUILD / "wheel"
WORK.mkdir(parents=True, exist_ok=True)
setup(options={"egg_info": {"egg_base": str(WORK)}, "build": {"build_base": str(WORK)}},
      version=version(), packages=["weir"], package_dir={"weir": "tools/python/weir"},
      scripts=[f"tools/python/scripts/{name}" for name in PROGRAMS], distclass=Binary,
      cmdclass={"build_py": Build, "bdist_wheel": Wheel})
