"""Runs the compiler: options of `weir compile` as keywords, and a loaded model back."""

import operator
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from typing import Any, Iterator, Optional, Protocol, Union, runtime_checkable

import numpy as np

from weir._library import load_library
from weir._model import Error, Model, Path

# Options that may be repeated: a list is one option for each element.
_REPEATED = {"custom_object", "custom_op", "dim", "entry", "feed", "fetch", "grad", "ops",
             "place", "shape", "specialize", "state", "target_node", "value", "variant"}
# Options with one dash.
_SHORT = {"mattr", "mcpu", "v", "MD", "MF"}
# Options that print a text or name another output.
_ELSEWHERE = {"help", "help_all", "stop_after", "version"}


class CompileError(Error):
    """A compilation that failed: `status` is the exit status of `weir compile`, and the text
    is that of the compiler."""


@runtime_checkable
class SerializedModel(Protocol):
    """A model that protobuf holds, such as onnx.ModelProto or a GraphDef."""

    def SerializeToString(self) -> bytes: ...


class _Folder:
    """A temporary folder that lasts as long as the models that refer to it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="weir-")
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def executable(name: str) -> str:
    """The path of `weir` or `weir-run`: that of the package, or one on PATH. The environment
    variable WEIR names another `weir`."""
    chosen = os.environ.get("WEIR") if name == "weir" else None
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    found = chosen or (inside if os.access(inside, os.X_OK) else shutil.which(name))
    if not found:
        raise FileNotFoundError(f"{name} is neither in the package nor on PATH; the "
                                "environment variable WEIR names it")
    return found


def _sizes(value: Any) -> str:
    """The sizes of a shape: numbers, names of dimensions, and None for a dynamic one."""
    if isinstance(value, str):
        return value
    sizes = value if isinstance(value, (tuple, list)) else [value]
    texts = ["?" if s is None else s if isinstance(s, str) else str(operator.index(s))
             for s in sizes]
    return ",".join(texts) if any(not t.isdigit() for t in texts) else "x".join(texts)


def _range(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        low, high = value
        return f"{operator.index(low)}..{operator.index(high)}"
    return value if isinstance(value, str) else str(operator.index(value))


def _values(value: Any) -> str:
    if isinstance(value, str):
        return value
    # weir writes a bool as 0 or 1.
    numbers = (int(v) if isinstance(v, bool) else v for v in np.asarray(value).ravel().tolist())
    return ",".join(map(repr, numbers))


def _text(value: Any) -> str:
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)


_PAIRS = {"shape": _sizes, "dim": _range, "value": _values}


def _texts(name: str, value: Any) -> Iterator[str]:
    """The values of an option's flags."""
    if isinstance(value, dict):
        joint = ":" if name in ("feed", "specialize") else "="
        of_pair = _PAIRS.get(name, _text)
        yield from (f"{key}{joint}{of_pair(one)}" for key, one in value.items())
    elif isinstance(value, (list, tuple)) and name in _REPEATED:
        for one in value:
            yield from _texts(name, one)
    elif isinstance(value, (list, tuple)):
        yield ",".join(map(_text, value))
    else:
        yield _text(value)


def flags(options: dict[str, Any]) -> list[str]:
    """The command line of options.

    >>> flags({"shape": {"image": (1, 8, 8, 1)}, "dim": {"batch": (1, 64)}, "threads": 2})
    ['--shape=image=1x8x8x1', '--dim=batch=1..64', '--threads=2']
    >>> flags({"shape": {"x": ("batch", None, 3)}, "fetch": ["a", "b"], "mcpu": "x86-64-v3"})
    ['--shape=x=batch,?,3', '--fetch=a', '--fetch=b', '-mcpu=x86-64-v3']
    >>> flags({"all_signatures": True, "report": None})
    ['--all-signatures']
    >>> flags({"value": {"training": True, "mask": [True, False]}, "checkpoint": b"a/b"})
    ['--value=training=1', '--value=mask=1,0', '--checkpoint=a/b']
    """
    found: list[str] = []
    for name, value in options.items():
        flag = f"-{name}" if name in _SHORT else f"--{name.replace('_', '-')}"
        if value is True:
            found.append(flag)
        elif value is not None and value is not False:
            found += [f"{flag}={text}" for text in _texts(name, value)]
    return found


def _check_product(options: dict[str, Any]) -> None:
    """Refuses options after which weir makes no library, or makes it elsewhere."""
    for name, value in options.items():
        is_elsewhere = name.replace("-", "_") in _ELSEWHERE and value not in (None, False)
        if is_elsewhere or (name == "emit" and value not in (None, False, "shared")):
            raise ValueError(f"{name}={value!r}: weir.compile makes a shared library and loads it; "
                             "the command weir compile has this option")


def _version(path: str) -> Optional[tuple[int, int]]:
    """Identifies what is at a path, or is None where nothing is."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns


def compile(model: Union[Path, SerializedModel], output: Optional[Path] = None,
            **options: Any) -> Model:
    """Compiles a model and loads the library.

    `model` is the path of a SavedModel's directory, of a TensorFlow graph or of an ONNX
    model, or a protobuf object such as onnx.ModelProto. `output` is the path of the library,
    which ends in .so; without it, the library is in a temporary folder that is deleted with
    the model and its clones.

    `options` are those of `weir compile`, with _ for -: `threads=2` is `--threads=2`,
    `shape={"image": (1, 8, 8, 1)}` is `--shape=image=1x8x8x1`, `dim={"batch": (1, 64)}` is
    `--dim=batch=1..64`, and `fetch=["a", "b"]` repeats the option. True is an option without
    a value; None and False leave the option out.

    >>> import weir
    >>> net = weir.compile("digits.pbtxt", threads=2)
    >>> net.outputs()
    [TensorInfo(name='probabilities', shape=(1, 10), dtype=dtype('float32'))]
    >>> weir.compile("digits.pbtxt", fetch="scroes")
    Traceback (most recent call last):
    ...
    weir.CompileError: ...
    """
    _check_product(options)
    serialized = None
    if isinstance(model, SerializedModel):
        serialized, source = model.SerializeToString(), "-"
    else:
        source = os.fsdecode(model)
        # A path is neither an option nor a file of options.
        source = os.path.join(".", source) if source[:1] in ("-", "@") else source
    folder = None
    if output is None:
        folder = _Folder()
        stem = os.path.splitext(os.path.basename(os.path.abspath(source)))[0]
        path = os.path.join(folder.path, f"{stem.strip('.-') or 'model'}.so")
    else:
        path = os.path.abspath(os.fsdecode(output))
        if not path.endswith(".so"):
            raise ValueError(f"{path!r} does not end in .so; weir compile makes the other "
                             "products")
    command = [executable("weir"), "compile", source, "-o", path, *flags(options)]
    before = _version(path)
    done = subprocess.run(command, input=serialized, stderr=subprocess.PIPE,
                          stdin=None if serialized is not None else subprocess.DEVNULL)
    text = done.stderr.decode(errors="replace")
    if done.returncode:
        raise CompileError(done.returncode, text.strip() or f"weir ended with {done.returncode}")
    sys.stderr.write(text)
    if _version(path) in (None, before):
        raise CompileError(0, f"weir ended without an error and wrote no {path!r}")
    made = Model.__new__(Model)
    made._start(path, 0, None, load_library(path), folder)
    return made
