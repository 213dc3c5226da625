"""Runs a library that weir compiled, from Python, on NumPy's arrays.

    import weir
    net = weir.Model("./net.so", threads=2)
    probabilities = net(image=picture)["probabilities"]
    net.train_step(image=pictures, labels=labels)["loss"]

A model knows its functions; those whose names Python allows are methods, and
run(NAME, ...) takes any. Inputs go by their names, or by position; arrays that are
contiguous and of the right type are read where they lie. What comes back is a
dictionary of new arrays. Where only a run knows a size, inputs may be of any in its
range, and outputs are as large as they turn out to be. The library reads memory for the
largest sizes: an array that has them is read where it lies, a smaller one is copied to a
buffer that the model keeps. ranges(NAME) has the sizes' names and ranges. bf16, which NumPy has not, is
uint16. What fails raises weir.Error, with the library's own text. Needs NumPy and
nothing else.

Any threads may call one model: it is one context, and a lock makes them take turns. For
runs at the same time each thread has a model of its own. clone() makes one that shares
the code and the weights and has variables of its own:

    workers = [net.clone() for _ in range(8)]

A library that was compiled again is loaded anew; models that were made before keep theirs.
"""

import ctypes
import mmap
import os
import platform
import shutil
import struct
import threading

import numpy as np

ABI_VERSION = 4
ERR_CONTEXT = 6
ERR_BUSY = 18
DTYPES = {1: "f2", 2: "u2", 3: "f4", 4: "f8", 5: "?", 6: "i1", 7: "i2", 8: "i4",
          9: "i8", 10: "u1", 11: "u2", 12: "u4", 13: "u8"}


class Error(Exception):
    """A call that did not end well: its status, as weir.h numbers them, and why."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def _struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_pointer, _text, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_u32, _i64 = ctypes.c_uint32, ctypes.c_int64
_Threads = _struct("Threads", ("user", _pointer), ("n", ctypes.c_int), ("parallel_for", _pointer))
_Config = _struct(
    "Config", ("abi_version", _u32), ("level", _u32), ("arena", _pointer), ("arena_bytes", _size),
    ("weights", _pointer), ("weights_path", _text), ("threads", ctypes.POINTER(_Threads)),
    ("device", _u32), ("message_bytes", _u32), ("message", _text), ("state", _pointer),
    ("state_bytes", _size))
_Tensor = _struct(
    "Tensor", ("name", _text), ("tensor", _text), ("dtype", ctypes.c_int),
    ("rank", ctypes.c_int32), ("shape", ctypes.POINTER(_i64)), ("elements", _i64),
    ("bytes", _size), ("shape_tensor", _i64), ("least", ctypes.POINTER(_i64)),
    ("dims", ctypes.POINTER(_text)), ("num_strings", _i64), ("strings", ctypes.POINTER(_text)))
_Function = _struct(
    "Function", ("name", _text), ("symbol", _text), ("num_inputs", _u32), ("num_outputs", _u32),
    ("inputs", ctypes.POINTER(_Tensor)), ("outputs", ctypes.POINTER(_Tensor)))
_Variable = _struct(
    "Variable", ("name", _text), ("key", _text), ("dtype", ctypes.c_int),
    ("rank", ctypes.c_int32), ("shape", ctypes.POINTER(_i64)), ("elements", _i64),
    ("bytes", _size), ("offset", _size))
_status = ctypes.c_int
_Info = _struct(
    "Info", ("abi_version", _u32), ("num_functions", _u32),
    ("functions", ctypes.POINTER(_Function)), ("prefix", _text), ("source", _text),
    ("target", _text), ("compiler", _text), ("weights_file", _text), ("arena_bytes", _size),
    ("max_live_bytes", _size), ("weights_bytes", _size), ("context_bytes", _size),
    ("align", _size),
    ("create", ctypes.CFUNCTYPE(_status, _pointer, ctypes.POINTER(_Config),
                                ctypes.POINTER(_pointer))),
    ("run", ctypes.CFUNCTYPE(_status, _pointer, _u32, ctypes.POINTER(_pointer), _u32)),
    ("last_error", ctypes.CFUNCTYPE(_text, _pointer)),
    ("destroy", ctypes.CFUNCTYPE(None, _pointer)),
    ("status_text", ctypes.CFUNCTYPE(_text, _status)),
    ("threads", _u32), ("num_levels", _u32), ("levels", ctypes.POINTER(_text)),
    ("state_bytes", _size), ("num_variables", _u32), ("init", _u32),
    ("variables", ctypes.POINTER(_Variable)),
    ("state", ctypes.CFUNCTYPE(_pointer, _pointer)),
    ("save", ctypes.CFUNCTYPE(_status, _pointer, _text)),
    ("restore", ctypes.CFUNCTYPE(_status, _pointer, _text)))


def _symbols(data):
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


# By ELF's numbers.
_MACHINES = {62: "x86_64", 183: "aarch64"}


def _check_machine(path, data):
    """Of a library for another architecture the loader says that there is no such file."""
    if data[:4] == b"\x7fELF" and len(data) > 20:
        machine = _MACHINES.get(struct.unpack_from("<H", data, 18)[0], "another architecture")
        if machine != platform.machine():
            raise ValueError(f"{path!r} is for {machine}, and this machine is {platform.machine()}")


def _info_symbol(path):
    """The name of the dynamic symbol that ends in _info; the prefix is anyone's choice."""
    foreign = ValueError(f"{path!r} is not a library that weir compiled")
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise foreign from None
    _check_machine(path, data)
    try:
        return next(name for name in _symbols(data) if name.endswith(b"_info")).decode()
    except (ValueError, IndexError, StopIteration, struct.error):
        raise foreign from None


class _Libraries:
    """The loaded libraries. The loader knows a library by its name and, where that is new,
    by its file: a file with a name that it knows is never opened again."""

    def __init__(self):
        self.lock, self.loaded, self.names = threading.Lock(), {}, 0

    def load(self, path):
        with self.lock, open(path, "rb") as file:
            state = os.fstat(file.fileno())
            place = (state.st_dev, state.st_ino)
            version = (place, state.st_size, state.st_mtime_ns)
            if path not in self.loaded:
                self.loaded[path] = version, ctypes.CDLL(path)
            elif self.loaded[path][0] != version:
                self.loaded[path] = version, self._load_again(file, place)
            return self.loaded[path][1]

    def _load_again(self, file, place):
        descriptor = file.fileno()
        # A file that was written in place looks like the one that is loaded: a copy does not.
        copied = any(place == version[0] for version, _ in self.loaded.values())
        if copied:
            descriptor = os.memfd_create("weir")
        try:
            if copied:
                with open(descriptor, "wb", closefd=False) as copy:
                    shutil.copyfileobj(file, copy)
            # Each time another name for the same place.
            self.names += 1
            return ctypes.CDLL(f"/proc/self/fd/{'./' * self.names}{descriptor}")
        finally:
            if copied:
                os.close(descriptor)


_libraries = _Libraries()


def _shape(info):
    return tuple(info.shape[i] for i in range(info.rank))


def _dims(info):
    """(name, least, most) of each dimension of a tensor with open sizes; those that have
    no name are `x.0`, fixed ones are None."""
    if info.shape_tensor < 0:
        return
    for i in range(info.rank):
        name = info.dims[i].decode() or f"{info.name.decode()}.{i}"
        yield name if info.least[i] < info.shape[i] else None, info.least[i], info.shape[i]


def _check_sizes(info, shape):
    name = info.name.decode()
    for i, (size, (dim, least, most)) in enumerate(zip(shape, _dims(info))):
        if not least <= size <= most:
            called = f" ({dim!r})" if dim and info.dims[i] else ""
            wanted = f"not in [{least}, {most}]" if dim else f"not {most}"
            raise ValueError(f"input {name!r}: dimension {i}{called} is {size}, {wanted}")


class _Signature:
    """A function's tensors: those that callers see, and where each has its sizes."""

    def __init__(self, info):
        self.inputs = [info.inputs[i] for i in range(info.num_inputs)]
        self.outputs = [info.outputs[i] for i in range(info.num_outputs)]
        self.sizes = [{t.shape_tensor for t in side} for side in (self.inputs, self.outputs)]
        # Buffers with room for the largest sizes, by input.
        self.rooms = {}

    def seen(self, side):
        tensors = (self.inputs, self.outputs)[side]
        return [(i, t) for i, t in enumerate(tensors) if i not in self.sizes[side]]


class Model:
    """A context of the library at `path`. `threads` share the work of a run, as many as
    the library says where that is 0. A library with a weights file reads the one beside
    it, or `weights`, another file of the same layout."""

    def __init__(self, path, threads=0, weights=None):
        self._context, self._lock = None, threading.RLock()
        path = os.path.abspath(path)
        symbol = _info_symbol(path)
        weights = weights and os.path.abspath(weights)
        self._open(path, threads, _libraries.load(path), symbol, weights)

    def clone(self, threads=None):
        """Another context of the same library, for another thread: it shares the code and
        the weights. Its variables begin with their first values."""
        model = object.__new__(Model)
        model._context, model._lock = None, threading.RLock()
        path, own, library, symbol, weights = self._opened
        model._open(path, own if threads is None else threads, library, symbol, weights)
        return model

    def _open(self, path, threads, library, symbol, weights):
        self._opened = path, threads, library, symbol, weights
        find = getattr(library, symbol)
        find.restype = ctypes.POINTER(_Info)
        self._info = find().contents
        if self._info.abi_version != ABI_VERSION:
            raise ValueError(f"{path!r} was compiled by another version of weir")
        functions = [self._info.functions[i] for i in range(self._info.num_functions)]
        self.functions = [f.name.decode() for f in functions]
        self._signatures = [_Signature(f) for f in functions]
        message = ctypes.create_string_buffer(1024)
        config = _Config(abi_version=ABI_VERSION, message=ctypes.cast(message, _text),
                         message_bytes=len(message))
        if weights:
            config.weights_path = os.fsencode(weights)
        elif self._info.weights_file:
            folder = os.fsencode(os.path.dirname(path))
            config.weights_path = os.path.join(folder, self._info.weights_file)
        if threads:
            config.threads = ctypes.pointer(_Threads(None, threads, None))
        context = _pointer()
        status = self._info.create(None, ctypes.byref(config), ctypes.byref(context))
        if status:
            raise Error(status, (message.value or self._info.status_text(status)).decode())
        self._context = context
        if self._info.init:
            self._run(self._info.init - 1, (), {})

    def close(self):
        with self._lock:
            if self._context:
                self._info.destroy(self._context)
            self._context = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __call__(self, /, *arrays, **named):
        """The only function, or serving_default, or the first."""
        usual = "serving_default"
        name = usual if usual in self.functions else self.functions[0]
        return self.run(name, *arrays, **named)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.functions:
            raise AttributeError(f"the model has no function {name!r}")
        return lambda *arrays, **named: self.run(name, *arrays, **named)

    def run(self, function, /, *arrays, **named):
        return self._run(self._number(function), arrays, named)

    def inputs(self, function):
        """(name, shape, type) of each; sizes that only a run knows are the most."""
        return self._tensors(function, 0)

    def outputs(self, function):
        return self._tensors(function, 1)

    def strings(self, function):
        """By output that the model has as strings or as maps: the string for each value of
        the output, or the key of each of its columns."""
        signature = self._signatures[self._number(function)]
        return {tensor.name.decode(): [tensor.strings[i].decode(errors="replace")
                                       for i in range(tensor.num_strings)]
                for tensor in signature.outputs if tensor.num_strings}

    def ranges(self, function):
        """The sizes that only a run knows, by their names: the least and the most."""
        signature = self._signatures[self._number(function)]
        return {name: (least, most) for tensor in signature.inputs + signature.outputs
                for name, least, most in _dims(tensor) if name}

    @property
    def variables(self):
        """The variables by their keys in checkpoints: arrays on the context's own memory.
        They keep the model, but not what `close` ends."""
        if not self._info.state_bytes:
            return {}
        with self._lock:
            state = self._info.state(self._context)
            if not state:
                self._check(ERR_CONTEXT)
        found = {}
        for i in range(self._info.num_variables):
            v = self._info.variables[i]
            memory = (ctypes.c_char * v.bytes).from_address(state + v.offset)
            memory.model = self
            array = np.frombuffer(memory, DTYPES[v.dtype]).reshape(_shape(v))
            found[v.key.decode()] = array
        return found

    def save(self, path):
        with self._lock:
            self._check(self._checkpoints().save(self._context, os.fsencode(path)))

    def restore(self, path):
        with self._lock:
            self._check(self._checkpoints().restore(self._context, os.fsencode(path)))

    def _checkpoints(self):
        if not self._info.state_bytes:
            raise ValueError("the model has no variables")
        return self._info

    def _number(self, function):
        if function not in self.functions:
            raise AttributeError(f"the model has no function {function!r}; it has {self.functions}")
        return self.functions.index(function)

    def _tensors(self, function, side):
        signature = self._signatures[self._number(function)]
        return [(t.name.decode(), _shape(t), np.dtype(DTYPES[t.dtype]))
                for _, t in signature.seen(side)]

    def _check(self, status):
        if status:
            # The last error is of the call that the context was busy with.
            text = b"" if status == ERR_BUSY else self._info.last_error(self._context)
            text = text or self._info.status_text(status)
            raise Error(status, text.decode())

    def _run(self, number, arrays, named):
        with self._lock:
            return self._run_alone(number, arrays, named)

    def _run_alone(self, number, arrays, named):
        signature = self._signatures[number]
        given = self._given(signature, arrays, named)
        tensors = [None] * len(signature.inputs)
        for i, info in signature.seen(0):
            self._place(info, i, given[i], tensors, signature.rooms)
        results = [np.empty(_shape(t), DTYPES[t.dtype]) for t in signature.outputs]
        all_of_them = tensors + results
        addresses = (_pointer * len(all_of_them))(*(a.ctypes.data for a in all_of_them))
        self._check(self._info.run(self._context, number, addresses, len(all_of_them)))
        found = {}
        for i, info in signature.seen(1):
            result = results[i]
            if info.shape_tensor >= 0:
                sizes = tuple(results[info.shape_tensor])
                count = int(np.prod(sizes))
                part = result.reshape(-1)[:count].reshape(sizes)
                # A small part does not keep the memory of the whole.
                result = part if 2 * count >= result.size else part.copy()
            found[info.name.decode()] = result
        return found

    @staticmethod
    def _given(signature, arrays, named):
        """Each seen input's array, by its number."""
        seen = signature.seen(0)
        if len(arrays) > len(seen):
            raise TypeError(f"{len(arrays)} arrays given for {len(seen)} inputs")
        given = {i: array for (i, _), array in zip(seen, arrays)}
        for i, info in seen:
            for name in {info.name.decode(), info.tensor.decode()}:
                if name in named:
                    if i in given:
                        raise TypeError(f"input {name!r} is given twice")
                    given[i] = named.pop(name)
            if i not in given:
                raise TypeError(f"input {info.name.decode()!r} is missing")
        if named:
            names = [t.name.decode() for _, t in seen]
            raise TypeError(f"no input is called {next(iter(named))!r}; there are {names}")
        return given

    @staticmethod
    def _place(info, number, value, tensors, rooms):
        """The array as the library reads it; its sizes beside it where they may differ."""
        name, most, dtype = info.name.decode(), _shape(info), np.dtype(DTYPES[info.dtype])
        array = np.asarray(value, dtype if not hasattr(value, "dtype") else None)
        if array.dtype != dtype:
            raise TypeError(f"input {name!r} is of {dtype}, not of {array.dtype}")
        is_open = info.shape_tensor >= 0
        if array.ndim != len(most) or (not is_open and array.shape != most):
            raise ValueError(f"input {name!r} is {most}{' at most' if is_open else ''}, "
                             f"not {array.shape}")
        if is_open:
            _check_sizes(info, array.shape)
            tensors[info.shape_tensor] = np.array(array.shape, np.int64)
            if array.shape != most:
                if number not in rooms:
                    rooms[number] = np.zeros(most, dtype)
                rooms[number].reshape(-1)[:array.size] = array.ravel()
                array = rooms[number]
        tensors[number] = np.require(array, requirements=["C", "A"])
