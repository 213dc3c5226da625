"""The same picture by the Python module."""

import numpy as np
import weir

net = weir.Model("./classes.so")
image = np.arange(64, dtype=np.float32).reshape(1, 1, 8, 8) / 64
print(*(f"{p:.4f}" for p in net(image=image)["probabilities"][0]))
