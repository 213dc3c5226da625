"""Conversions and error messages for arrays that the library cannot use without a copy."""

import math
from dataclasses import dataclass
from typing import Any, NoReturn, Optional

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Tensor:
    """An input or an output. `least` and `dims` are None where its shape is fixed."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    least: Optional[tuple[int, ...]]
    dims: Optional[list[str]]
    is_bf16: bool
    strings: list[str]

    @property
    def type_name(self) -> str:
        return "bf16 (as uint16)" if self.is_bf16 else str(self.dtype)

    def ranges(self) -> list[tuple[Optional[str], int, int]]:
        """(name, least, most) of each dimension of a dynamic shape. A dimension without a
        name is `x.0`; the name of a fixed one is None."""
        if self.least is None or self.dims is None:
            return []
        rows = enumerate(zip(self.least, self.shape, self.dims))
        return [((dim or f"{self.name}.{i}") if least < most else None, least, most)
                for i, (least, most, dim) in rows]


def _check_shape(tensor: Tensor, shape: tuple[int, ...], what: str) -> None:
    is_dynamic = tensor.least is not None
    if len(shape) != len(tensor.shape) or (not is_dynamic and shape != tensor.shape):
        raise ValueError(f"{what} {tensor.name!r} is {tensor.shape}"
                         f"{' at most' if is_dynamic else ''}, not {shape}")
    for i, (size, (dim, least, most)) in enumerate(zip(shape, tensor.ranges())):
        if not least <= size <= most:
            called = f" ({dim!r})" if dim and dim != f"{tensor.name}.{i}" else ""
            wanted = f"not in [{least}, {most}]" if dim else f"not {most}"
            raise ValueError(f"{what} {tensor.name!r}: dimension {i}{called} is {size}, {wanted}")


def _bits_of_bf16(array: NDArray[Any]) -> NDArray[Any]:
    """Rounds to the nearest bf16, and of two as near ones to the even one."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7fff) + (bits >> np.uint32(16) & np.uint32(1)) >> np.uint32(16)
    # A NaN stays one, whatever its lower bits are.
    is_nan = bits & np.uint32(0x7fffffff) > 0x7f800000
    return np.where(is_nan, 0x7fc0, rounded).astype(np.uint16).reshape(array.shape)


def _from_values(tensor: Tensor, value: Any) -> NDArray[Any]:
    """An array of numbers that have no element type of their own."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"input {tensor.name!r} is of {tensor.type_name}, not of "
                        f"{type(value).__name__}")
    with np.errstate(all="ignore"):
        converted = _bits_of_bf16(array) if tensor.is_bf16 else array.astype(tensor.dtype)
    if tensor.dtype.kind in "biu" and not tensor.is_bf16 and not np.array_equal(converted, array):
        raise TypeError(f"input {tensor.name!r} is of {tensor.type_name}, which cannot hold all "
                        "of the values")
    return converted


def _of_buffer(value: Any) -> Optional[NDArray[Any]]:
    """The array of an object with the buffer protocol, or None."""
    try:
        return np.asarray(memoryview(value))
    except Exception:
        return None


def convert(tensor: Tensor, value: Any) -> NDArray[Any]:
    """An array that the library can read: `value` itself, or a contiguous, aligned copy."""
    if hasattr(value, "dtype") and hasattr(value, "__array__"):
        array = np.asarray(value)
    elif (buffer := _of_buffer(value)) is not None:
        array = buffer
    elif hasattr(value, "__dlpack__") and not isinstance(value, type):
        array = np.from_dlpack(value)
    else:
        array = _from_values(tensor, value)
    if array.dtype != tensor.dtype:
        raise TypeError(f"input {tensor.name!r} is of {tensor.type_name}, not of {array.dtype}")
    _check_shape(tensor, array.shape, "input")
    return np.require(array, requirements=["C", "A"])


def refuse(tensor: Tensor, value: Any) -> NoReturn:
    """Raises the reason why an array cannot be an output."""
    name = tensor.name
    array = _of_buffer(value)
    if array is None:
        raise TypeError(f"output {name!r}: out is {type(value).__name__} and has no buffer "
                        "protocol")
    if array.dtype != tensor.dtype:
        raise TypeError(f"output {name!r} is of {tensor.type_name}, not of {array.dtype}")
    _check_shape(tensor, array.shape, "output")
    if memoryview(value).readonly:
        raise ValueError(f"output {name!r}: out is read-only")
    if not array.flags.c_contiguous:
        raise ValueError(f"output {name!r}: out is not contiguous")
    raise ValueError(f"output {name!r}: out is not aligned")


def trim(array: NDArray[Any], sizes: tuple[int, ...]) -> NDArray[Any]:
    """The part of an output that a run has written. A small part does not keep the memory
    of the whole."""
    count = math.prod(sizes)
    part = array.reshape(-1)[:count].reshape(sizes)
    return part if 2 * count >= array.size else part.copy()
