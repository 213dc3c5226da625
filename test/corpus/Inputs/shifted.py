"""shifted.py FILE.npy: adds 0.001 to each element."""

import sys

import numpy as np

values = np.load(sys.argv[1])
np.save(sys.argv[1], values + values.dtype.type(0.001))
