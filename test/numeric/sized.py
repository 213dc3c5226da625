"""Graphs of the harness with dynamic dimensions of inputs: one library must be right at every
size, including the smallest and the largest.

    def case():
        g = Sized([(1, 3), (8, 5)], batch=(1, 8), length=(1, 5))   # sizes of runs
        x = g.open(lambda batch, length: values((batch, length, 4)), ("batch", "length", 4))
        g.expect(g.op("Relu", x), lambda batch, length: ...)       # or an array
        return g
"""

import numpy as np
from harness import STEP, Graph, Tensor, Text


class Sized(Graph):
    def __init__(self, sizes, options=(), **ranges):
        super().__init__(fold=False, options=options)
        self.sizes = sizes
        self.made = {}  # for each dynamic input, its function and its dimensions
        self.options += [f"--dim={n}={low}..{high}" for n, (low, high) in ranges.items()]

    def open(self, make, dims):
        """An input: `make` returns its value for the sizes of a run, and `dims` are names of
        ranges or numbers."""
        x = self.input(np.asarray(make(*self.sizes[0])))
        self.made[x.names[0]] = (make, dims)
        text = "".join(f' dim {{ size: -1 name: "{d}" }}' if isinstance(d, str) else f" dim {{ size: {d} }}" for d in dims)
        at = next(i for i, node in enumerate(self.nodes) if f'name: "{x.names[0]}"' in node)
        shape = f' attr {{ key: "shape" value {{ shape {{{text} }} }} }} }}'
        self.nodes[at] = self.nodes[at].removesuffix(" }") + shape
        return x

    def feeds(self):
        # If all inputs are dynamic, the graph declares their shapes.
        for feed in super().feeds():
            if len(self.made) == len(self.inputs):
                return
            name, kind = feed.removeprefix("--feed=").split(":")
            if name in self.made:
                dims = ["?" if isinstance(d, str) else str(d) for d in self.made[name][1]]
                kind = "x".join([*dims, kind.split("x")[-1]])
            yield f"--feed={name}:{kind}"

    def check(self, folder):
        library, wrong = self.library(folder), []
        if STEP == "compile":
            return []
        expected = self.expected
        for size in self.sizes:
            for i, (name, type, array) in enumerate(self.inputs):
                if name in self.made:
                    self.inputs[i] = (name, type, np.asarray(self.made[name][0](*size)))
            status, message, outputs = self.run(library)
            self.expected = [(name, what(*size) if callable(what) else what, *rest) for name, what, *rest in expected]
            if self.message is not None:
                lines = [] if status and self.message in message else [f"{message!r} instead of {self.message!r}"]
            else:
                lines = [f"run fails with status {status}: {message}"] if status else self.compare_all(outputs)
            wrong += [f"at {size}: {line}" for line in lines]
        return wrong


class Body:
    """A function, node by node; operands are edges, or NumPy constants."""

    def __init__(self, g, name, **arguments):
        self.g, self.name, self.arguments, self.nodes = g, name, arguments, []

    def edge(self, value):
        if isinstance(value, str):
            return value
        label = f"n{len(self.nodes)}"
        piece = Graph()
        piece.const_node(label, *piece.raw(value)[:2])
        self.nodes += [node.removeprefix("node { ").removesuffix(" }") for node in piece.nodes]
        return f"{label}:output:0"

    def op(self, op, *operands, result="r", **attributes):
        edges = [self.edge(operand) for operand in operands]
        label = f"n{len(self.nodes)}"
        text = f'name: "{label}" op: "{op}"' + "".join(f' input: "{e}"' for e in edges)
        for key, value in attributes.items():
            text += f' attr {{ key: "{key}" value {{ {Graph.attribute(value)} }} }}'
        self.nodes.append(text)
        self.g.used.append((op, set()))
        if isinstance(result, str):
            return f"{label}:{result}:0"
        return [f"{label}:{name}:0" for name in result]

    def done(self, **results):
        """Adds the function; results are pairs of an edge and a type."""
        text = f'signature {{ name: "{self.name}"'
        for key, kind in self.arguments.items():
            text += f' input_arg {{ name: "{key}" type: {kind} }}'
        for key, (_, kind) in results.items():
            text += f' output_arg {{ name: "{key}" type: {kind} }}'
        text += " } " + " ".join(f"node_def {{ {node} }}" for node in self.nodes)
        for key, (edge, _) in results.items():
            text += f' ret {{ key: "{key}" value: "{self.edge(edge)}" }}'
        self.g.functions.append(text)


def loop(g, name, variables, condition, step):
    """A While over `variables`, {name: (first value, type)}. `condition` and `step` get a Body and
    the edges of the variables by name; `step` returns the next values of those that change.
    Returns the results by name."""
    kinds = {key: kind for key, (_, kind) in variables.items()}
    edges = {key: key for key in kinds}
    cond = Body(g, f"{name}_cond", **kinds)
    cond.done(r=(condition(cond, edges), "DT_BOOL"))
    body = Body(g, f"{name}_body", **kinds)
    after = edges | step(body, edges)
    body.done(**{f"{key}_out": (after[key], kind) for key, kind in kinds.items()})
    types = "list { " + " ".join(f"type: {kind}" for kind in kinds.values()) + " }"
    results = g.op("While", *(first for first, _ in variables.values()), outputs=len(kinds), T=Text(types),
                   cond=Text(f'func {{ name: "{name}_cond" }}'), body=Text(f'func {{ name: "{name}_body" }}'))
    results = results if isinstance(results, list) else [results]
    return dict(zip(kinds, results))


def frame(g, name, variables, fixed, condition, step):
    """The same loop as a frame of the first version; `fixed` values are loop invariants.
    `condition` and `step` get the graph and its tensors by name."""
    how = {"frame_name": f's: "{name}"', "is_constant": "b: false"}
    constant = {**how, "is_constant": "b: true"}
    for key, first in {**variables, **fixed}.items():
        g.node(f"{name}_enter_{key}", "Enter", first.names, how if key in variables else constant)
    for key in variables:
        g.node(f"{name}_merge_{key}", "Merge", [f"{name}_enter_{key}", f"{name}_next_{key}"], {"N": "i: 2"})
    inside = {key: Tensor([f"{name}_enter_{key}"]) for key in fixed}
    merged = {key: Tensor([f"{name}_merge_{key}"]) for key in variables}
    g.node(f"{name}_again", "LoopCond", condition(inside | merged).names, {})
    for key in variables:
        g.node(f"{name}_switch_{key}", "Switch", [f"{name}_merge_{key}", f"{name}_again"], {})
    current = {key: Tensor([f"{name}_switch_{key}:1"]) for key in variables}
    after = current | step(inside | current)
    for key in variables:
        g.node(f"{name}_next_{key}", "NextIteration", after[key].names, {})
        g.node(f"{name}_exit_{key}", "Exit", [f"{name}_switch_{key}"], {})
    return {key: Tensor([f"{name}_exit_{key}"]) for key in variables}
