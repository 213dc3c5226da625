"""train.py DIR: data for train.test: ten rows x and y = 2 x, also as integers."""

import sys

import numpy as np

folder = sys.argv[1]
x = np.arange(10, dtype=np.float32)
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/y.npy", 2 * x)
np.save(f"{folder}/whole.npy", np.uint8(2 * x))
np.save(f"{folder}/wide.npy", np.ascontiguousarray(np.float32([x, x]).T))
np.save(f"{folder}/few.npy", x[:3])
np.save(f"{folder}/double.npy", np.float64(x))
