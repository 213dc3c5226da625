"""The class Model: a context of a library that weir compiled."""

import functools
import math
import operator
import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from weir import _training, _weir
from weir._arrays import Tensor, convert, refuse, trim
from weir._library import Library, load_library

Path = Union[str, "os.PathLike[str]", bytes, "os.PathLike[bytes]"]


class Error(Exception):
    """A call that failed: `status` as weir.h numbers it, and the text of the library."""

    status: int

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, str(self))


_weir.install(Error, Tensor, convert, refuse, trim, np.empty)


class TensorInfo(NamedTuple):
    """An input or an output of a function. Dynamic dimensions have their largest size."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Model(_weir.Context):
    """A compiled model, with variables of its own.

    `path` names the library. `threads` share the work of a run; 0 leaves the number to the
    library. A library with a weights file reads the file beside it, or `weights`, another
    file of the same layout.

    >>> import numpy as np, weir
    >>> net = weir.Model("./digits.so")
    >>> net
    <weir.Model digits.so: main(image: float32[1, 8, 8, 1]) -> probabilities: float32[1, 10]>

    A call runs the only function, or `serving_default`, or the first one. The inputs go by
    position, by keyword or in one dictionary, and the result is a dictionary of arrays:

    >>> image = np.ones((1, 8, 8, 1), np.float32)
    >>> probabilities = net(image)["probabilities"]
    >>> probabilities.shape
    (1, 10)
    >>> same = net(image=image)["probabilities"], net({"image": image})["probabilities"]
    >>> all(np.array_equal(probabilities, one) for one in same)
    True

    `out` has the arrays that the outputs are written to: a dictionary, a sequence, or the
    array itself where there is one output:

    >>> result = np.empty((1, 10), np.float32)
    >>> net(image, out=result)["probabilities"] is result
    True

    Functions whose names Python allows are methods, and `run` accepts any name:

    >>> net.functions
    ['main']
    >>> net.main(image).keys() == net.run("main", image).keys()
    True

    The library reads contiguous arrays of the right element type without a copy; strided
    arrays are copied. Any object with the buffer protocol or with DLPack is an array.

    Any thread may call a model; the calls take turns. For runs at the same time, each
    thread has a `clone`.
    """

    _path: str
    _threads: int
    _weights: Optional[str]
    _library: Library
    _folder: Optional[object]

    if TYPE_CHECKING:
        def __call__(self, /, *arrays: Any, out: Any = None,
                     **inputs: Any) -> dict[str, NDArray[Any]]: ...

    def __init__(self, path: Path, threads: int = 0, weights: Optional[Path] = None) -> None:
        where = os.path.abspath(os.fsdecode(path))
        weights = None if weights is None else os.path.abspath(os.fsdecode(weights))
        self._start(where, threads, weights, load_library(where), None)

    def _start(self, path: str, threads: int, weights: Optional[str], library: Library,
               folder: Optional[object]) -> None:
        threads = operator.index(threads)
        if not 0 <= threads < 2**31:
            raise ValueError(f"threads is {threads}")
        file = library.weights_file
        used = os.fsencode(weights) if weights else file and os.path.join(
            os.fsencode(os.path.dirname(path)), file)
        self._open(library, threads, used)
        self._path, self._threads, self._weights = path, threads, weights
        self._library, self._folder = library, folder

    def clone(self, threads: Optional[int] = None) -> "Model":
        """Another context of the same library, for another thread. It shares the code and
        the weights; its variables begin with their first values."""
        model = Model.__new__(type(self))
        model._start(self._path, self._threads if threads is None else threads, self._weights,
                     self._library, self._folder)
        return model

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        functions = "; ".join(self._signature(name) for name in self.functions)
        return f"<weir.Model {os.path.basename(self._path)}: {functions}>"

    def _signature(self, function: str) -> str:
        def text(tensor: Tensor) -> str:
            sizes = [name or str(most) for name, _, most in tensor.ranges()]
            dtype = "bf16" if tensor.is_bf16 else tensor.dtype
            return (f"{tensor.name}: {dtype}"
                    f"[{', '.join(sizes or map(str, tensor.shape))}]")

        inputs, outputs = (", ".join(map(text, side)) for side in self._sides(function))
        return f"{function}({inputs}) -> {outputs}"

    def __getattr__(self, name: str) -> Callable[..., dict[str, NDArray[Any]]]:
        library = self.__dict__.get("_library")
        if library is None and (not name.startswith("_") or name in Model.__annotations__):
            raise RuntimeError("the model was never opened")
        if library is None or name.startswith("_") or name not in library.functions:
            raise AttributeError(f"the model has no function {name!r}")
        return functools.partial(self.run, name)

    @property
    def functions(self) -> list[str]:
        """The names of the functions."""
        return list(self._library.functions)

    def inputs(self, function: Optional[str] = None) -> list[TensorInfo]:
        """The inputs of a function (default: of the one that a call runs).

        >>> import weir
        >>> weir.Model("./digits.so").inputs()
        [TensorInfo(name='image', shape=(1, 8, 8, 1), dtype=dtype('float32'))]
        """
        return [TensorInfo(t.name, t.shape, t.dtype) for t in self._sides(function)[0]]

    def outputs(self, function: Optional[str] = None) -> list[TensorInfo]:
        """The outputs of a function, as `inputs`."""
        return [TensorInfo(t.name, t.shape, t.dtype) for t in self._sides(function)[1]]

    def strings(self, function: Optional[str] = None) -> dict[str, list[str]]:
        """By output that the model has as strings or as maps: the string for each value of
        the output, or the key of each of its columns."""
        return {t.name: list(t.strings) for t in self._sides(function)[1] if t.strings}

    def ranges(self, function: Optional[str] = None) -> dict[str, tuple[int, int]]:
        """The dynamic dimensions of a function by name: the least and the largest size."""
        inputs, outputs = self._sides(function)
        return {name: (least, most) for tensor in (*inputs, *outputs)
                for name, least, most in tensor.ranges() if name}

    @property
    def variables(self) -> dict[str, NDArray[Any]]:
        """The variables by their keys in checkpoints. The arrays are views of the memory of
        the model: a run and `restore` change them, and writing to them changes the variables."""
        known = self._library.variables
        if not known:
            return {}
        memory = self._memory()
        if memory is None:
            raise ValueError("the variables are in the memory of a GPU; save writes them to "
                             "a checkpoint")
        return {key: np.frombuffer(memory, dtype, math.prod(shape), offset).reshape(shape)
                for key, dtype, shape, offset in known}

    def save(self, path: Path) -> None:
        """Writes the variables to a checkpoint. Optimizer state is among them."""
        self._save(os.fsencode(path))

    def restore(self, path: Path) -> None:
        """Sets the variables to those of a checkpoint."""
        self._restore(os.fsencode(path))

    def fit(self, data: Mapping[str, Any], *, epochs: int = 1,
            batch_size: Optional[int] = None, shuffle: Optional[int] = None,
            function: str = "train_step", **constants: Any) -> NDArray[Any]:
        """Trains on rows of arrays and returns the losses, by epoch and step.

        `data` has an array for each input, with the examples in its first dimension.
        `batch_size` is the library's unless its batch dimension is dynamic; examples that
        do not fill a batch of fixed size are left out. `shuffle` is the seed of the order,
        the same order as that of `weir-run --shuffle`; None keeps the order of the data.
        `constants` are inputs that all steps share, such as `learning_rate`.

        >>> import numpy as np, weir
        >>> line = weir.Model("./line.so")
        >>> x = np.linspace(0, 1, 200, dtype=np.float32)
        >>> losses = line.fit({"x": x, "labels": 0.1 * x + 0.3}, epochs=60, shuffle=1)
        >>> losses.shape
        (60, 2)
        >>> bool(losses[-1].mean() < 1e-4 < losses[0].mean())
        True
        """
        return _training.fit(self, data, epochs, batch_size, shuffle, function, constants)

    def _sides(self, function: Optional[str]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        functions = self._library.functions
        if function is None:
            usual = "serving_default"
            function = usual if usual in functions else next(iter(functions))
        if function not in functions:
            raise AttributeError(f"the model has no function {function!r}; it has "
                                 f"{list(functions)}")
        return functions[function]


def load(path: Path, threads: int = 0, weights: Optional[Path] = None) -> Model:
    """Loads a library that weir compiled: see `Model`."""
    return Model(path, threads, weights)
