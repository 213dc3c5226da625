"""near.py A B [NEAR]: compares the .npy files of two folders, to NEAR, or to 1e-5, or
f16 to 2e-3."""

import sys
from pathlib import Path

import numpy as np

names = sorted(p.name for p in Path(sys.argv[2]).glob("*.npy"))
differ = 0
for name in names:
    a, b = (np.load(Path(folder, name)) for folder in sys.argv[1:3])
    near = 2e-3 if a.dtype == np.float16 else 1e-5
    near = float(sys.argv[3]) if len(sys.argv) > 3 else near
    if a.shape != b.shape or not np.allclose(a, b, near, near, equal_nan=True):
        print(f"{name} differs")
        differ += 1
print(f"{len(names)} tensors, {differ} differ")
