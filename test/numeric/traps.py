"""Functions of finite numbers with finite results raise no floating-point exception that a program
may trap: intermediate values for other arguments are finite."""

import ctypes
import pathlib
import sys

import numpy as np
from harness import Graph
from levels import host_levels

INVALID, ZERO, OVERFLOW = 1, 4, 8
LARGE = [1e30, -1e30, 3e38, -3e38]
# Vectors of any width are complete.
ANY = np.float32(np.concatenate([np.arange(-24, 24) * 50, np.arange(-6, 6) / 4, LARGE]))
assert len(ANY) == 64
ABOVE_ONE = np.abs(ANY) + np.float32(1.5)
FUNCTIONS = {
    "Sigmoid": ANY, "Elu": ANY, "Selu": ANY, "Softplus": ANY, "Softsign": ANY, "Tanh": ANY,
    "Erf": ANY, "Asinh": ANY, "Atan": ANY, "Acosh": ABOVE_ONE, "Log": ABOVE_ONE,
    "Log1p": ABOVE_ONE, "Sqrt": ABOVE_ONE,
}  # fmt: skip


def trapped(run):
    """The result of `run` while exceptions are signals, which end the process."""
    libm = ctypes.CDLL("libm.so.6")
    libm.feenableexcept(INVALID | ZERO | OVERFLOW)
    try:
        return run()
    finally:
        libm.fedisableexcept(INVALID | ZERO | OVERFLOW)


def check(level, folder):
    graph = Graph(fold=False, options=[f"-mcpu={level}"])
    for name, values in FUNCTIONS.items():
        graph.expect(graph.op(name, graph.input(values)), 0)
    library = graph.compile(folder)
    status, message, plain = graph.run(library)
    assert status == 0, message
    _, _, outputs = trapped(lambda: graph.run(library))
    wrong = [key for key in plain if plain[key][1].tobytes() != outputs[key][1].tobytes()]
    wrong += [key for key in plain if not np.all(np.isfinite(plain[key][1]))]
    for key in wrong:
        print(f"{level}: {key} is not finite, or not the same")
    return bool(wrong)


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "numeric.tmp")
    sys.exit(any([check(level, root / level) for level in host_levels()]))
