"""Gradients of small functions, and finite differences as their reference.

One library has all cases of a group. The entry `losses` computes for each case the sum of its
result times fixed weights, and the entry `gradients` its gradients by the inputs. The differences
are central, in f64, and use weir's own op, which other tests compare with NumPy. Types with fewer
digits compute the gradients at the same points.
"""

import ctypes
import re
import subprocess

import numpy as np
from harness import TYPES, bf16
from interface import ABI_VERSION, Config, ModelInfo

random = np.random.default_rng(7)
STEP = 1e-5
RTOL = {"f64": 2e-6, "f32": 2e-3, "f16": 2e-1, "bf16": 4e-1}


def normal(*shape):
    return random.standard_normal(shape)


def uniform(low, high, *shape):
    return random.uniform(low, high, shape)


def distinct(*shape):
    """Numbers that are far from each other, without ties or kinks between them."""
    count = int(np.prod(shape))
    return (random.permutation(count) + 0.25).reshape(shape) / 4 - count / 9


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


class Case:
    """`text` with {0}, {1}, ... for the types of the operands, which are its inputs %0, %1, ...,
    after optional other ops; %r is the result with the given shape."""

    def __init__(self, text, shape, *inputs, wrt=None):
        self.text, self.shape = text, shape
        self.inputs = [np.asarray(x, np.float64) for x in inputs]
        self.wrt = range(len(inputs)) if wrt is None else wrt
        self.weights = np.cos(0.7 * np.arange(int(np.prod(shape))) + 0.3)

    def body(self, element):
        """Lines that end in %loss."""
        text = self.text
        for i, x in enumerate(self.inputs):
            text = text.replace("{%d}" % i, tensor(x.shape, element))
        text = text.replace("{f}", element)
        kind = tensor(self.shape, element)
        dense = np.array2string(self.weights.reshape(self.shape), separator=", ",
                                threshold=1 << 30, max_line_width=1 << 30,
                                formatter={"float": lambda w: f"{w:.12e}"})
        dims = ", ".join(map(str, range(len(self.shape))))
        return [*text.strip().splitlines(),
                f"%weights = graph.constant dense<{dense}> : {kind}",
                f"%weighted = graph.mul %r, %weights : {kind}",
                f"%loss = graph.reduce_sum %weighted [{dims}] : {kind}"]


def renamed(line, k):
    """The line with its values as those of case k."""
    return re.sub(r"%(\w+)", rf"%v{k}_\1", line)


def module(cases, element):
    arguments, types, losses, gradients, asked = [], [], [], [], []
    body = []
    for k, case in enumerate(cases):
        for i, x in enumerate(case.inputs):
            name = f'{{weir.name = "x{k}_{i}", weir.tensor = "x{k}_{i}:0"}}'
            arguments.append(f"%v{k}_{i}: {tensor(x.shape, element)} {name}")
        body += [renamed(line, k) for line in case.body(element)]
        losses.append(f"%v{k}_loss")
        wanted = [f"%v{k}_{i}" for i in case.wrt]
        kinds = [tensor(case.inputs[i].shape, element) for i in case.wrt]
        results = [f"%d{k}_{i}" for i in case.wrt]
        asked.append(f"{', '.join(results)} = graph.gradient %v{k}_loss of {', '.join(wanted)} "
                     f": tensor<{element}>, ({', '.join(kinds)})")
        gradients += list(zip(results, kinds))

    def function(number, name, lines, results):
        given = ", ".join(
            f'{kind} {{weir.name = "r{i}", weir.tensor = "r{i}:0"}}'
            for i, (_, kind) in enumerate(results))
        head = f"func.func @weir_entry_{number}({', '.join(arguments)}) -> ({given})"
        values = ", ".join(value for value, _ in results)
        kinds = ", ".join(kind for _, kind in results)
        return (f'{head} attributes {{weir.entry = "{name}"}} {{\n  '
                + "\n  ".join(lines) + f"\n  return {values} : {kinds}\n}}\n")

    return (function(0, "losses", body, [(loss, f"tensor<{element}>") for loss in losses])
            + function(1, "gradients", body + asked, gradients))


class Library:
    def __init__(self, text, element, folder, *options):
        folder.mkdir(parents=True, exist_ok=True)
        source, library = folder / f"{element}.mlir", folder / f"{element}.so"
        source.write_text(text)
        done = subprocess.run(["weir", "compile", str(source), "-o", str(library),
                               "--prefix=graph", "-O1", *options], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"weir compile fails: {done.stderr[:4000]}")
        self.element = element
        lib = ctypes.CDLL(str(library))
        lib.graph_info.restype = ctypes.POINTER(ModelInfo)
        self.info = lib.graph_info().contents
        self.context = ctypes.c_void_p()
        if self.info.create(None, ctypes.byref(Config(abi_version=ABI_VERSION)),
                            ctypes.byref(self.context)):
            raise SystemExit("create fails")

    def run(self, number, values):
        """The outputs of entry `number`, as f64."""
        function = self.info.functions[number]
        numpy_type = TYPES[self.element][1]
        arrays = [bf16(v).bits if self.element == "bf16" else
                  np.ascontiguousarray(v.astype(numpy_type)) for v in values]
        outputs = []
        for i in range(function.num_outputs):
            described = function.outputs[i]
            shape = [described.shape[d] for d in range(described.rank)]
            outputs.append(np.empty(shape, numpy_type))
        pointers = (ctypes.c_void_p * (len(arrays) + len(outputs)))()
        for i, array in enumerate(arrays + outputs):
            pointers[i] = array.ctypes.data
        if self.info.run(self.context, number, pointers, len(pointers)):
            raise SystemExit("run fails")
        if self.element == "bf16":
            outputs = [(o.astype(np.uint32) << 16).view(np.float32) for o in outputs]
        return [o.astype(np.float64) for o in outputs]


def differences(library, cases):
    """The gradients by central differences, all cases at once."""
    inputs = [x for case in cases for x in case.inputs]
    found = [[np.zeros(case.inputs[i].shape) for i in case.wrt] for case in cases]
    most = max(sum(case.inputs[i].size for i in case.wrt) for case in cases)
    for step in range(most):
        places = []
        for case in cases:
            at = step
            for slot, i in enumerate(case.wrt):
                if at < case.inputs[i].size:
                    places.append((slot, i, at))
                    break
                at -= case.inputs[i].size
            else:
                places.append(None)
        sides = []
        for sign in (1, -1):
            values, start = [x.copy() for x in inputs], 0
            for case, place in zip(cases, places):
                if place:
                    values[start + place[1]].reshape(-1)[place[2]] += sign * STEP
                start += len(case.inputs)
            sides.append(library.run(0, values))
        for k, place in enumerate(places):
            if place:
                slope = (sides[0][k] - sides[1][k]) / (2 * STEP)
                found[k][place[0]].reshape(-1)[place[2]] = slope
    return [g for per_case in found for g in per_case]


def check(name, cases, elements, root):
    folder = root / name
    exact = Library(module(cases, "f64"), "f64", folder)
    references = differences(exact, cases)
    inputs = [x for case in cases for x in case.inputs]
    owners = [case for case in cases for _ in case.wrt]
    failed = 0
    for element in elements:
        library = exact if element == "f64" else Library(
                module(cases, element), element, folder)
        for owner, want, have in zip(owners, references, library.run(1, inputs)):
            scale = max(1.0, float(np.abs(want).max(initial=0)))
            close = np.abs(have - want) <= RTOL[element] * scale
            if not close.all():
                print(f"{name} in {element}: {owner.text.strip()}\n  has {have.reshape(-1)[:8]}"
                      f"\n  not {want.reshape(-1)[:8]}")
                failed += 1
    return failed
