"""Classifies the same picture with the Python module: by the library, and by the model itself."""

import numpy as np
import weir

image = np.arange(64, dtype=np.float32).reshape(1, 1, 8, 8) / 64
for net in (weir.load("./classes.so"), weir.compile("classes.onnx")):
    print(*(f"{p:.4f}" for p in net(image=image)["probabilities"][0]))
