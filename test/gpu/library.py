"""Loads a library from weir and runs it on arrays, or on tensors of its GPU."""

import ctypes
import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "numeric"))
from harness import CODES, TYPES
from interface import CONTEXT, Config, ModelInfo

POINTERS = ctypes.POINTER(ctypes.c_void_p)


class GpuInfo(ctypes.Structure):
    _fields_ = [
        ("num_images", ctypes.c_uint32),
        ("num_kernels", ctypes.c_uint32),
        ("images", ctypes.c_void_p),
        ("kernels", ctypes.c_void_p),
        ("flags", ctypes.POINTER(ctypes.c_uint32)),
        ("run_device", ctypes.CFUNCTYPE(ctypes.c_int, CONTEXT, ctypes.c_uint32, POINTERS,
                                        ctypes.c_uint32, ctypes.c_void_p)),
        ("wait", ctypes.CFUNCTYPE(ctypes.c_int, CONTEXT)),
        ("tensor", ctypes.CFUNCTYPE(ctypes.c_void_p, CONTEXT, ctypes.c_uint32, ctypes.c_uint32)),
    ]


class Driver:
    """The few functions of the CUDA driver that a test calls itself."""

    def __init__(self):
        self.lib = ctypes.CDLL(os.environ.get("WEIR_LIBCUDA", "libcuda.so.1"))
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), int(os.environ.get("WEIR_GPU", "0")))
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        name, value = ctypes.create_string_buffer(96), ctypes.c_int()
        self.call("cuDeviceGetName", name, len(name), device)
        self.name = name.value.decode()
        self.call("cuDriverGetVersion", ctypes.byref(value))
        self.version = f"{value.value // 1000}.{value.value % 1000 // 10}"

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} fails with {status}")

    def upload(self, to, array):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(to), array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes))

    def download(self, array, source):
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_uint64(source), ctypes.c_size_t(array.nbytes))


class Library:
    """A context of the first function of a library."""

    def __init__(self, path):
        lib = ctypes.CDLL(str(path))
        lib.model_info.restype = ctypes.POINTER(ModelInfo)
        self.info = lib.model_info().contents
        self.function = self.info.functions[0]
        self.gpu = None
        if hasattr(lib, "model_gpu"):
            lib.model_gpu.restype = ctypes.POINTER(GpuInfo)
            self.gpu = lib.model_gpu().contents
        message = ctypes.create_string_buffer(1024)
        config = Config(abi_version=self.info.abi_version, message_bytes=len(message),
                        message=ctypes.cast(message, ctypes.c_char_p))
        self.context = ctypes.c_void_p()
        status = self.info.create(None, ctypes.byref(config), ctypes.byref(self.context))
        if status:
            text = message.value or self.info.status_text(status)
            raise RuntimeError(f"create: {text.decode(errors='replace')}")
        if self.info.init:
            self.check(self.info.run(self.context, self.info.init - 1, None, 0))

    def close(self):
        self.info.destroy(self.context)

    def check(self, status):
        if status:
            raise RuntimeError(f"run: {self.info.last_error(self.context).decode(errors='replace')}")

    def empty_outputs(self):
        f = self.function
        return [np.empty([t.shape[d] for d in range(t.rank)], TYPES[CODES[t.dtype]][1])
                for t in (f.outputs[i] for i in range(f.num_outputs))]

    def run(self, inputs):
        """The outputs for arrays in the order of the function's inputs."""
        outputs = self.empty_outputs()
        tensors = [np.ascontiguousarray(a) for a in inputs] + outputs
        pointers = (ctypes.c_void_p * max(1, len(tensors)))(*[a.ctypes.data for a in tensors])
        self.check(self.info.run(self.context, 0, pointers, len(tensors)))
        return outputs

    def on_device(self, driver, inputs):
        """The functions that issue a run on tensors in the GPU, wait, and fetch outputs."""
        count = self.function.num_inputs + self.function.num_outputs
        places = [self.gpu.tensor(self.context, 0, i) for i in range(count)]
        for place, array in zip(places, inputs):
            if array.nbytes:
                driver.upload(place, np.ascontiguousarray(array))
        pointers = (ctypes.c_void_p * max(1, count))(*places)

        def issue():
            self.check(self.gpu.run_device(self.context, 0, pointers, count, None))

        def wait():
            self.check(self.gpu.wait(self.context))

        def fetch():
            outputs = self.empty_outputs()
            for array, place in zip(outputs, places[self.function.num_inputs:]):
                if array.nbytes:
                    driver.download(array, place)
            return outputs

        return issue, wait, fetch
