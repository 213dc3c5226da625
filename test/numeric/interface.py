"""The structures of weir-compiled libraries for ctypes (runtime/weir.h).

    lib = ctypes.CDLL("libmodel.so")
    lib.model_info.restype = ctypes.POINTER(ModelInfo)
    info = lib.model_info().contents
    info.create(None, ctypes.byref(Config(abi_version=ABI_VERSION)), ctypes.byref(context))
"""

import ctypes


class TensorInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("tensor", ctypes.c_char_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("elements", ctypes.c_int64),
        ("bytes", ctypes.c_size_t),
        ("shape_tensor", ctypes.c_int64),
        ("least", ctypes.POINTER(ctypes.c_int64)),
        ("dims", ctypes.POINTER(ctypes.c_char_p)),
        ("num_strings", ctypes.c_int64),
        ("strings", ctypes.POINTER(ctypes.c_char_p)),
    ]


class FunctionInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("num_inputs", ctypes.c_uint32),
        ("num_outputs", ctypes.c_uint32),
        ("inputs", ctypes.POINTER(TensorInfo)),
        ("outputs", ctypes.POINTER(TensorInfo)),
    ]


class VariableInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("key", ctypes.c_char_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("elements", ctypes.c_int64),
        ("bytes", ctypes.c_size_t),
        ("offset", ctypes.c_size_t),
    ]


CONTEXT = ctypes.c_void_p


class Threads(ctypes.Structure):
    _fields_ = [
        ("user", ctypes.c_void_p),
        ("n", ctypes.c_int),
        ("parallel_for", ctypes.c_void_p),
    ]


TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, TASK, ctypes.c_void_p)
def backwards(user, tasks, run, data):
    """A caller's pool of one thread runs the last task first, so a task cannot depend on an
    earlier one."""
    for task in reversed(range(tasks)):
        run(data, task)


ABI_VERSION = 5  # of runtime/weir.h


class Config(ctypes.Structure):
    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("level", ctypes.c_uint32),
        ("arena", ctypes.c_void_p),
        ("arena_bytes", ctypes.c_size_t),
        ("weights", ctypes.c_void_p),
        ("weights_path", ctypes.c_char_p),
        ("threads", ctypes.POINTER(Threads)),
        ("device", ctypes.c_uint32),
        ("message_bytes", ctypes.c_uint32),
        ("message", ctypes.c_char_p),
        ("state", ctypes.c_void_p),
        ("state_bytes", ctypes.c_size_t),
        ("comm", ctypes.c_void_p),
    ]


class ModelInfo(ctypes.Structure):
    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("num_functions", ctypes.c_uint32),
        ("functions", ctypes.POINTER(FunctionInfo)),
        ("prefix", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("target", ctypes.c_char_p),
        ("compiler", ctypes.c_char_p),
        ("weights_file", ctypes.c_char_p),
        ("arena_bytes", ctypes.c_size_t),
        ("max_live_bytes", ctypes.c_size_t),
        ("weights_bytes", ctypes.c_size_t),
        ("context_bytes", ctypes.c_size_t),
        ("align", ctypes.c_size_t),
        ("create", ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(CONTEXT))),
        ("run", ctypes.CFUNCTYPE(
            ctypes.c_int, CONTEXT, ctypes.c_uint32,
            ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)),
        ("last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, CONTEXT)),
        ("destroy", ctypes.CFUNCTYPE(None, CONTEXT)),
        ("status_text", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)),
        ("threads", ctypes.c_uint32),
        ("num_levels", ctypes.c_uint32),
        ("levels", ctypes.POINTER(ctypes.c_char_p)),
        ("state_bytes", ctypes.c_size_t),
        ("num_variables", ctypes.c_uint32),
        ("init", ctypes.c_uint32),
        ("variables", ctypes.POINTER(VariableInfo)),
        ("state", ctypes.CFUNCTYPE(ctypes.c_void_p, CONTEXT)),
    ]  # fmt: skip
