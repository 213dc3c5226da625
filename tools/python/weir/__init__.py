"""Compiles machine learning models to native libraries, and runs these.

    import weir
    net = weir.compile("model.onnx", threads=2)
    outputs = net(image=picture)

`compile` makes a library of a model and loads it, `load` loads a library that exists. Both
return a `Model`, which is called with NumPy's arrays, or others of the buffer protocol or
of DLPack, and returns a dictionary of new arrays. bf16, which NumPy lacks, is uint16.
"""

from weir._compiler import CompileError, SerializedModel, compile
from weir._model import Error, Model, TensorInfo, load

__all__ = ["CompileError", "Error", "Model", "SerializedModel", "TensorInfo", "compile", "load"]

for _public in (CompileError, Error, Model, SerializedModel, TensorInfo, compile, load):
    _public.__module__ = "weir"
del _public
