"""Finds and loads libraries that weir compiled."""

import mmap
import os
import platform
import shutil
import struct
import threading
import weakref
from typing import Any, BinaryIO, Iterator

from weir import _weir

# By ELF's numbers.
_MACHINES = {62: "x86_64", 183: "aarch64"}


class Library(_weir.Library):
    """A loaded library, which a weak reference may name."""


def _symbols(data: Any) -> Iterator[bytes]:
    """The names of the dynamic symbols that an ELF file defines."""
    if data[:5] != b"\x7fELF\x02":
        return
    start, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQII", data, start + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, link, _ in sections:
        if kind != 11:  # SHT_DYNSYM
            continue
        names = data[sections[link][4]:sections[link][4] + sections[link][5]]
        for at in range(offset, offset + length, 24):
            name, _, _, section = struct.unpack_from("<IBBH", data, at)
            if section:
                yield names[name:names.index(b"\0", name)]


def _check_machine(path: str, data: Any) -> None:
    """The loader reports a library for another architecture as a missing file."""
    if data[:4] == b"\x7fELF" and len(data) > 20:
        machine = _MACHINES.get(struct.unpack_from("<H", data, 18)[0], "another architecture")
        if machine != platform.machine():
            raise ValueError(f"{path!r} is for {machine}, and this machine is {platform.machine()}")


def _info_symbol(path: str) -> str:
    """The name of the dynamic symbol that ends in _info; the prefix is anyone's choice. The
    same prefix has two more functions, which a foreign library lacks."""
    foreign = ValueError(f"{path!r} is not a library that weir compiled")
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise foreign from None
    _check_machine(path, data)
    try:
        names = list(_symbols(data))
        known = set(names)
        return next(name for name in names if name.endswith(b"_info") and
                    {name[:-4] + b"create", name[:-4] + b"status_text"} <= known).decode()
    except (ValueError, IndexError, OverflowError, StopIteration, struct.error):
        raise foreign from None


class _Libraries:
    """The libraries that are in use. The loader knows a library by its name and by its file:
    it never opens a file again that it knows by either."""

    def __init__(self) -> None:
        self.lock, self.names = threading.Lock(), 0
        self.loaded: list[tuple[str, Any, weakref.ref[Library]]] = []
        # The driver of a GPU may refer to code of a library that nobody uses any more.
        self.kept: list[Library] = []

    def load(self, path: str) -> Library:
        symbol = _info_symbol(path)
        with self.lock, open(path, "rb") as file:
            state = os.fstat(file.fileno())
            file_id = (state.st_dev, state.st_ino)
            version = (file_id, state.st_size, state.st_mtime_ns)
            in_use = [(name, known, library) for name, known, weak in self.loaded
                      if (library := weak())]
            for _, known, library in in_use:
                if known == version:
                    return library
            is_written_over = any(known[0] == file_id for _, known, _ in in_use)
            if is_written_over or any(name == path for name, _, _ in in_use):
                library = self._load_again(file, symbol, is_written_over)
            else:
                library = Library(os.fsencode(path), symbol)
            self.loaded = [(name, known, weakref.ref(one)) for name, known, one in in_use]
            self.loaded.append((path, version, weakref.ref(library)))
            self.kept += [library] * library.is_gpu
            return library

    def _load_again(self, file: BinaryIO, symbol: str, copied: bool) -> Library:
        descriptor = file.fileno()
        # The loader takes a file that was overwritten for the loaded one; it does not know a copy.
        if copied:
            descriptor = os.memfd_create("weir")
        try:
            if copied:
                with open(descriptor, "wb", closefd=False) as copy:
                    shutil.copyfileobj(file, copy)
            # Each time another name for the same file.
            self.names += 1
            name = f"/proc/self/fd/{'./' * self.names}{descriptor}"
            return Library(name.encode(), symbol)
        finally:
            if copied:
                os.close(descriptor)


_libraries = _Libraries()


def load_library(path: str) -> Library:
    """The library at an absolute path. A file that was written again is loaded anew."""
    return _libraries.load(path)
