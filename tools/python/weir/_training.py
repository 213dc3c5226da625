"""Training over epochs: batches of rows, in an order that a seed decides."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from weir._arrays import Tensor

if TYPE_CHECKING:
    from weir._model import Model


def _randoms(seed: int) -> Iterator[int]:
    """The numbers that weir-run draws (SplitMix64), so that both shuffle alike."""
    mask, state = 2**64 - 1, seed
    while True:
        state = state + 0x9e3779b97f4a7c15 & mask
        z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9 & mask
        z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
        yield z ^ z >> 31


def _shuffle(order: list[int], randoms: Iterator[int]) -> None:
    for i in range(len(order) - 1, 0, -1):
        k = next(randoms) % (i + 1)
        order[i], order[k] = order[k], order[i]


def _whole(name: str, value: Any, least: int) -> int:
    number = operator.index(value)
    if number < least:
        raise ValueError(f"{name} is {number}, less than {least}")
    return number


def _holds(wanted: np.dtype[Any], array: NDArray[Any]) -> bool:
    """Whether whole numbers are in the range of a type: f32 and f64 may round them."""
    if wanted.kind in "iu" and array.size:
        limits = np.iinfo(wanted)
        return limits.min <= int(array.min()) and int(array.max()) <= limits.max
    if wanted.kind == "b" or wanted == np.float16:
        with np.errstate(over="ignore"):
            return np.array_equal(array.astype(wanted), array)
    return True


def _rows(tensor: Tensor, value: Any) -> NDArray[Any]:
    """The examples of an input. Whole numbers become the type of the input, batch by batch;
    arrays of bf16 hold bits already."""
    array = np.asarray(value)
    wanted = tensor.dtype
    is_whole = array.dtype.kind in "biu" and not tensor.is_bf16
    if array.dtype != wanted and not is_whole:
        raise TypeError(f"input {tensor.name!r} is of {tensor.type_name}, not of {array.dtype}")
    if array.dtype != wanted and not _holds(wanted, array):
        raise ValueError(f"input {tensor.name!r} is of {wanted}, which cannot hold all of "
                         "the values")
    if not tensor.shape or array.ndim != len(tensor.shape):
        raise ValueError(f"input {tensor.name!r} has batches of {tensor.shape}, and its data "
                         f"is {array.shape}")
    return array


def _batch_size(tensors: list[Tensor], wanted: Optional[int]) -> tuple[int, int]:
    """The size of a batch, and the least size of the last one."""
    fixed = {t.shape[0] for t in tensors if t.least is None}
    most = min(t.shape[0] for t in tensors)
    least = max(t.least[0] if t.least is not None else t.shape[0] for t in tensors)
    if len(fixed) > 1 or least > most:
        sizes = {t.name: t.shape[0] for t in tensors}
        raise ValueError(f"the inputs have batches of different sizes: {sizes}")
    size = most if wanted is None else _whole("batch_size", wanted, 1)
    if not least <= size <= most:
        is_one = least == most
        raise ValueError(f"batch_size is {size}, and the model accepts "
                         f"{most if is_one else f'{least} to {most}'}")
    return size, least


def fit(model: Model, data: Mapping[str, Any], epochs: int, batch_size: Optional[int],
        shuffle: Optional[int], function: str, constants: Mapping[str, Any]) -> NDArray[Any]:
    """Trains a model on batches of `data`: see `Model.fit`."""
    epochs = _whole("epochs", epochs, 0)
    inputs, outputs = model._sides(function)
    known = {t.name: t for t in inputs}
    for name in data:
        if name not in known:
            raise TypeError(f"no input is called {name!r}; there are {list(known)}")
    tensors = [known[name] for name in data]
    if not tensors:
        raise ValueError("data has no arrays")
    loss = next((t.name for t in outputs if t.name == "loss"), None) or next(
        (t.name for t in outputs if math.prod(t.shape) == 1), None)
    if loss is None:
        raise ValueError(f"the function {function!r} has no loss")
    arrays = {t.name: _rows(t, data[t.name]) for t in tensors}
    counts = {name: len(array) for name, array in arrays.items()}
    count = next(iter(counts.values()))
    if set(counts.values()) != {count}:
        raise ValueError(f"the arrays have different numbers of examples: {counts}")
    size, least = _batch_size(tensors, batch_size)
    starts = [at for at in range(0, count, size) if count - at >= (size if size == least else least)]
    if not starts:
        raise ValueError(f"the data has {count} examples, less than a batch of {least}")
    randoms = None if shuffle is None else _randoms(_whole("shuffle", shuffle, 0))
    order = list(range(count))
    losses = np.empty((epochs, len(starts)))
    for epoch in range(epochs):
        if randoms:
            _shuffle(order, randoms)
        chosen = np.array(order)
        for step, at in enumerate(starts):
            # Without a shuffle the batches are parts of the data, not copies.
            rows: Any = chosen[at:at + size] if randoms else slice(at, at + size)
            batch = {t.name: arrays[t.name][rows].astype(t.dtype, copy=False) for t in tensors}
            losses[epoch, step] = model.run(function, {**batch, **constants})[loss].item()
    return losses
