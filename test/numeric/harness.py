"""Compiles small TensorFlow graphs with weir, runs them, compares with NumPy.

A test is a Python script that lit runs (RUN: /usr/bin/python3 %s %t):

    from harness import Graph, main

    def activations():
        g = Graph()
        x = g.input(np.float32([[-1, 0, 2]]))     # fed at run time
        w = g.constant(np.int64([1]))             # always a Const node
        y = g.op("Relu", x)                       # a node; its type is inferred
        g.expect(y, np.maximum(x.value, 0), ulp=0)
        return g

    main(activations)                             # each graph is one library

`g.op(name, *operands, outputs=1, **attributes)` adds a node: a bool, int, float or str becomes
such an attribute, a list a list, and a type (np.float32, "bf16") a type; with outputs > 1 it
returns a list. `g.expect(tensor, value, ulp=, rtol=, atol=)` compares an output with a float64 (or
exact integer) reference: by units in the last place of the output's type, or by relative and
absolute error; the default is 0 ulp. NaN equals NaN. Each node is built twice, on the fed inputs
and on constants of the same values, so that folding at compile time has the same reference;
Graph(fold=False) omits the second. With Graph(threads=[2, 3]) the bits must be the same for these
numbers of threads, and for a caller's pool of each size that runs the last task first. With
Graph(levels=["x86-64-v3"]) these instruction-set variants of a multiversioned library run, too.
bf16 values are float32 arrays in the form bf16(array).
WEIR_TEST_OPTIONS in the environment are options for every compilation, and replace a test's own
options of the same names. A test can run on a machine without weir: with WEIR_STEP=compile it only
compiles, with WEIR_STEP=run it runs the libraries in the same folder.
With `g.fails(message)` the run must fail with that message instead.
`g.same(tensor)` requires the same bits of the run and of the folded constants. A graph without
expectations fails.

With WEIR_RECORD=FILE nothing runs: the ops and element types of the tests are appended to the
file, for docs/ops.md. With WEIR_DERIVE=FILE the graphs go to derivatives.py instead. With
WEIR_REFERENCE=1 nothing is compiled: `weir reference` evaluates the graphs in f64, and
REFERENCE_ULP is added to the tolerances.

With WEIR_EXPORT=STAGE weir exports each graph after that stage as an ONNX model, and compiles the
library from this model. The tolerances have 16 ulp more, because one op may become several ONNX
nodes that round. If the package onnx is installed, its checker must accept the model with all
shapes. The run omits graphs that ONNX cannot express, and graphs that expect a failure.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
from comparison import (EXPORT, REFERENCE, TYPES, bf16, compare, differences, type_name,
                        widened)  # fmt: skip
from interface import ABI_VERSION, Config, ModelInfo, Threads, backwards

CODES = [None, "f16", "bf16", "f32", "f64", "bool", "i8", "i16", "i32", "i64"]
CODES += ["u8", "u16", "u32", "u64"]
# Names in weir's spelling, if it is different.
SPELLED = {"bool": "i1", "u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64"}
STEP = os.environ.get("WEIR_STEP")
# The options of tests that `weir reference` has, too.
IMPORT_OPTIONS = ("--signature", "--feed", "--fetch", "--value", "--target-node", "--shape",
                  "--dim", "--specialize", "--bound", "--state", "--variant", "--ops", "--entry")  # fmt: skip


class Text(str):
    """An attribute as its text: `shape { dim { size: 2 } }`, `func { ... }`."""


class Inexpressible(Exception):
    """ONNX has no form for the graph."""


def export(command, model):
    """Runs a command of weir compile that writes an ONNX model, and checks the model."""
    command = [*command, f"--stop-after={EXPORT}", "--emit=onnx"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 3 and "ONNX" in done.stderr and not model.exists():
        raise Inexpressible(done.stderr)
    if done.returncode:
        raise RuntimeError(f"weir compile --emit=onnx fails: {done.stderr[:4000]}")
    try:
        import onnx
        import onnx.checker
        import onnx.defs
    except ImportError:
        return
    if onnx.load(str(model)).opset_import[0].version > onnx.defs.onnx_opset_version():
        return
    try:
        onnx.checker.check_model(str(model), full_check=True)
    except Exception as error:  # of several classes
        raise RuntimeError(f"onnx.checker: {error}") from None


class Tensor:
    def __init__(self, names, value=None, type=None):
        self.names = names  # of the fed and of the constant variant
        self.value = value
        self.type = type


def with_extra(options):
    """Options of a test and those of the environment, which have priority."""
    extra = os.environ.get("WEIR_TEST_OPTIONS", "").split()
    names = {option.split("=")[0] for option in extra}
    return [option for option in options if option.split("=")[0] not in names] + extra


class Graph:
    def __init__(self, fold=True, options=(), threads=(), levels=()):
        self.fold = fold
        self.threads = threads
        self.levels = levels
        self.options = list(options)
        self.nodes = []
        self.functions = []
        self.inputs = []  # name, type, array of bytes
        self.expected = []
        self.alike = []  # the names of a run's and of a folded tensor
        self.message = None
        self.count = 0
        self.used = []  # op, names of types
        self.calls = []  # op, operands, results

    def name(self, op):
        self.count += 1
        return f"{op.lower()}{self.count}"

    def node(self, name, op, inputs, attributes):
        text = f'node {{ name: "{name}" op: "{op}"'
        text += "".join(f' input: "{i}"' for i in inputs)
        for key, value in attributes.items():
            text += f' attr {{ key: "{key}" value {{ {value} }} }}'
        self.nodes.append(text + " }")

    def const_node(self, name, type, array):
        content = "".join(f"\\{byte:03o}" for byte in array.tobytes())
        dims = "".join(f" dim {{ size: {d} }}" for d in array.shape)
        kind = TYPES[type][0]
        tensor = f"tensor {{ dtype: {kind} tensor_shape {{{dims} }}"
        tensor += f' tensor_content: "{content}" }}'
        self.node(name, "Const", [], {"dtype": f"type: {kind}", "value": tensor})

    def raw(self, value):
        if isinstance(value, bf16):
            return "bf16", value.bits, value.value
        value = np.asarray(value)
        return type_name(value.dtype), value, value

    def input(self, value):
        """A tensor whose value is given at run time."""
        type, array, value = self.raw(value)
        name = self.name("x")
        kind = TYPES[type][0]
        self.used += [("Placeholder", {type}), ("Const", {type})]
        self.node(name, "Placeholder", [], {"dtype": f"type: {kind}"})
        self.inputs.append((name, type, array))
        names = [name]
        if self.fold:
            self.const_node(name + "c", type, array)
            names.append(name + "c")
        return Tensor(names, value, type)

    def constant(self, value):
        """A tensor whose value is known at compile time."""
        type, array, value = self.raw(value)
        name = self.name("c")
        self.used.append(("Const", {type}))
        self.const_node(name, type, array)
        return Tensor([name] * (2 if self.fold else 1), value, type)

    @staticmethod
    def attribute(value):
        if isinstance(value, Text):
            return value
        if isinstance(value, bool):
            return f"b: {str(value).lower()}"
        if isinstance(value, int):
            return f"i: {value}"
        if isinstance(value, float):
            return f"f: {value!r}"
        if isinstance(value, (list, tuple)):
            items = " ".join(Graph.attribute(v) for v in value)
            return f"list {{ {items} }}"
        if isinstance(value, str) and value not in TYPES:
            return f'type: {value}' if value.startswith("DT_") else f's: "{value}"'
        return f"type: {TYPES[type_name(value)][0]}"

    def op(self, op, *operands, outputs=1, **attributes):
        base = self.name(op)
        attributes = {k: self.attribute(v) for k, v in attributes.items()}
        kinds = {operand.type for operand in operands}
        for text in attributes.values():
            kinds |= {n for n, (k, *_) in TYPES.items() if f"type: {k}" in text + " "}
        self.used.append((op, kinds - {None}))
        for variant in range(2 if self.fold else 1):
            names = [operand.names[variant] for operand in operands]
            self.node(base + "c" * variant, op, names, attributes)
        variants = ["", "c"][: 2 if self.fold else 1]
        made = [
            Tensor([base + v + (f":{i}" if i else "") for v in variants])
            for i in range(outputs)
        ]
        self.calls.append((op, operands, made))
        return made[0] if outputs == 1 else made

    def function(self, name, arguments, result, *nodes, out="DT_FLOAT"):
        """A function: `arguments` and the result's type as text such as
        "x: DT_FLOAT", `nodes` as the text of nodes, `result` an edge of them."""
        signature = f'signature {{ name: "{name}"'
        for argument in arguments:
            key, _, kind = argument.partition(": ")
            signature += f' input_arg {{ name: "{key}" type: {kind} }}'
        signature += f' output_arg {{ name: "r" type: {out} }} }}'
        body = " ".join(f"node_def {{ {node} }}" for node in nodes)
        self.functions.append(f'{signature} {body} ret {{ key: "r" value: "{result}" }}')
        return Text(f'func {{ name: "{name}" }}')

    def expect(self, tensor, reference, ulp=0, rtol=None, atol=0.0, type=None):
        what = (reference, ulp, rtol, atol, type)
        self.expected += [(name, *what) for name in tensor.names]

    def same(self, tensor):
        """The bits of a run are those of the folded constants."""
        self.alike.append(tensor.names)

    def fails(self, message):
        self.message = message

    def text(self, nodes):
        """The graph with these nodes instead of its own."""
        functions = "\n".join(f"function {{ {text} }}" for text in self.functions)
        return "\n".join([*nodes, f"library {{ {functions} }}"]) + "\n"

    def feeds(self):
        for name, type, array in self.inputs:
            spelled = "x".join([str(d) for d in array.shape] + [SPELLED.get(type, type)])
            yield f"--feed={name}:{spelled}"

    def signature(self):
        """The options that name inputs and outputs."""
        fetches = [f"--fetch={name}" for name, *_ in self.expected]
        fetches += [f"--fetch={name}" for names in self.alike for name in names]
        return [*self.feeds(), *fetches]

    def command(self, source, output):
        """The command that compiles the graph in file `source`."""
        command = ["weir", "compile", str(source), "-o", str(output)]
        return command + [*with_extra(self.options), *self.signature()]

    def write(self, folder):
        """The file of the graph."""
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "graph.pbtxt"
        source.write_text(self.text(self.nodes))
        return source

    def compile(self, folder):
        source, library = self.write(folder), folder / "graph.so"
        command = self.command(source, library)
        if EXPORT:
            model = folder / "exported.onnx"
            model.unlink(missing_ok=True)
            export(self.command(source, model), model)
            command = ["weir", "compile", str(model), "-o", str(library)]
        done = subprocess.run([*command, "--prefix=graph"], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"weir compile fails: {done.stderr[:4000]}")
        return library

    def library(self, folder):
        return folder / "graph.so" if STEP == "run" else self.compile(folder)

    def run(self, library, threads=0, level=None, pool=None):
        lib = ctypes.CDLL(str(library))
        lib.graph_info.restype = ctypes.POINTER(ModelInfo)
        info = lib.graph_info().contents
        function = info.functions[0]
        given = {name: array for name, _, array in self.inputs}
        arrays = []
        for i in range(function.num_inputs):
            tensor = function.inputs[i].tensor.decode().split(":")[0]
            # The shapes of other tensors are filled in below.
            arrays.append(np.ascontiguousarray(given.get(tensor, np.int64([]))))
        for i in range(function.num_inputs):
            described = function.inputs[i]
            if described.shape_tensor < 0:
                continue
            # Elements beyond the sizes have arbitrary values.
            is_float = arrays[i].dtype.kind == "f"
            beyond = np.nan if is_float else -1 if arrays[i].dtype.kind == "i" else 1
            room = np.full(described.elements, beyond, arrays[i].dtype)
            room[: arrays[i].size] = arrays[i].reshape(-1)
            arrays[described.shape_tensor] = np.int64(arrays[i].shape)
            arrays[i] = room
        outputs = {}
        for i in range(function.num_outputs):
            described = function.outputs[i]
            type = CODES[described.dtype]
            shape = [described.shape[d] for d in range(described.rank)]
            array = np.empty(shape, TYPES[type][1])
            arrays.append(array)
            outputs[described.tensor.decode()] = (type, array)
        pointers = (ctypes.c_void_p * max(1, len(arrays)))()
        for i, array in enumerate(arrays):
            pointers[i] = array.ctypes.data
        context = ctypes.c_void_p()
        config = Config(abi_version=ABI_VERSION)
        if level:
            names = [info.levels[i].decode() for i in range(info.num_levels)]
            config.level = names.index(level) + 1
        wanted = Threads(n=threads, parallel_for=ctypes.cast(pool, ctypes.c_void_p))
        if threads:
            config.threads = ctypes.pointer(wanted)
        status = info.create(None, ctypes.byref(config), ctypes.byref(context))
        if status:
            raise RuntimeError(f"create gives status {status}")
        if info.init:
            info.run(context, info.init - 1, None, 0)
        status = info.run(context, 0, pointers, len(arrays))
        message = info.last_error(context).decode() if status else ""
        info.destroy(context)
        # The sizes were known only at run time; the elements have no gaps.
        for i in range(function.num_outputs):
            described = function.outputs[i]
            if described.shape_tensor < 0 or status:
                continue
            shape = arrays[function.num_inputs + described.shape_tensor]
            key = described.tensor.decode()
            type, array = outputs[key]
            outputs[key] = (type, array.reshape(-1)[: np.prod(shape)].reshape(shape))
        return status, message, outputs

    def evaluate(self, folder):
        """The status, the message and the outputs of `weir reference`, as `run` returns them."""
        command = ["weir", "reference", str(self.write(folder)), *self.signature(), "--json"]
        command += [o for o in self.options if o.split("=")[0] in IMPORT_OPTIONS]
        command += [f"--output-dir={folder}"]
        for name, _, array in self.inputs:
            path = folder / f"{name.replace('/', '_')}.in.npy"
            np.save(path, np.asarray(array, order="C"))
            command.append(f"--input={name}=@{path}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.returncode, done.stderr, {}
        names = {spelled: name for name, spelled in SPELLED.items()}
        outputs = {}
        for output in json.loads(done.stdout)["outputs"]:
            array = np.load(folder / (output["name"].replace("/", "_").replace(":", "_") + ".npy"))
            type = output["type"].split("x")[-1]
            type = names.get(type, type)
            outputs[output["tensor"]] = type, bf16(array).bits if type == "bf16" else array
        return 0, "", outputs

    def check(self, folder):
        """One line for each output that is not as expected."""
        if not self.expected and not self.alike and self.message is None:
            return ["expects nothing"]
        if EXPORT and (self.message is not None or not self.expected):
            raise Inexpressible(self.message)
        library = None if REFERENCE else self.library(folder)
        if STEP == "compile":
            return []
        status, message, outputs = self.evaluate(folder) if REFERENCE else self.run(library)
        if self.message is not None:
            if status and self.message in message:
                return []
            return [f"status {status} ({message!r}), not {self.message!r}"]
        if status:
            return [f"run fails with status {status}: {message}"]
        if REFERENCE:
            return self.compare_all(outputs)
        wrong = []
        for threads in () if EXPORT else self.threads:
            for pool, order in (None, ""), (backwards, ", the last task first"):
                _, _, others = self.run(library, threads, pool=pool)
                for key, (_, array) in outputs.items():
                    if array.tobytes() != others[key][1].tobytes():
                        wrong.append(f"{key}: other bits with {threads} threads{order}")
        wrong += self.compare_all(outputs)
        for level in () if EXPORT else self.levels:
            _, _, outputs = self.run(library, level=level)
            wrong += [f"{level}: {line}" for line in self.compare_all(outputs)]
        return wrong

    def key(self, name):
        """The name of a tensor in the library."""
        if EXPORT:
            return name.removesuffix(":0")
        return name if ":" in name else name + ":0"

    def compare_all(self, outputs):
        wrong = []
        for name, *expected in self.expected:
            problem = compare(*outputs[self.key(name)], *widened(*expected))
            if problem:
                wrong.append(f"{name}: {problem}")
        # Constants fold in f32. The reference and nodes of ONNX round differently.
        for names in [] if REFERENCE or EXPORT else self.alike:
            (type, run), (_, folded) = (outputs[self.key(name)] for name in names)
            problem = differences(type, run, folded)
            if problem:
                wrong.append(f"{names[0]}: {problem}")
        return wrong


def excess_weights(library, most):
    """A problem if the library stores more than that many bytes of weights."""
    command = ["weir", "inspect", "--json", library]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    weights = json.loads(told)["plan"]["weights_bytes"]
    return [f"{weights} bytes of weights, not {most}"] if weights > most else []


def main(*cases):
    """Runs each function of `cases` (or those named), each in its folder."""
    if record := os.environ.get("WEIR_RECORD"):
        # The recorded lines have the ops of the tests, and their element types.
        with open(record, "a") as file:
            for case in cases:
                for op, kinds in case().used:
                    print(op, pathlib.Path(sys.argv[0]).stem, *sorted(kinds), file=file)
        return
    if os.environ.get("WEIR_DERIVE"):
        import derivatives

        derivatives.measure(case() for case in cases)
        return
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "numeric.tmp")
    chosen = sys.argv[2:]
    failed = ran = omitted = 0
    for case in cases:
        if chosen and case.__name__ not in chosen:
            continue
        ran += 1
        try:
            problems = case().check(root / case.__name__)
        except RuntimeError as error:
            problems = [str(error)]
        except Inexpressible as reason:
            ran -= 1
            omitted += 1
            print(f"{case.__name__} is omitted: {str(reason)[:1000]}")
            continue
        for problem in problems:
            print(f"{case.__name__}: {problem}")
        failed += bool(problems)
    print(f"{ran - failed} of {ran} cases as expected" + f", {omitted} omitted" * bool(omitted))
    sys.exit(failed != 0 or not ran)
