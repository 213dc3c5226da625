"""metamorphic.py FOLDER [FIRST COUNT OPERATIONS [TOLERANCE]]: random ONNX graphs, compiled with
dynamic dimensions and for fixed sizes, must have the same bits. With a tolerance, the differences
may have that share of the largest number.

A graph is compiled once with --dim, and once with --shape for each of five sizes, including the
smallest and the largest. Graphs that the compiler refuses with a diagnostic are counted. A
difference is narrowed to the first node whose result differs as the only output. The files that
reproduce it stay in FOLDER.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
from onnx_graph import value_info
from random_moves import Graph

REFUSED = 3


class Refusal(Exception):
    pass


class Case:
    def __init__(self, folder, seed, operations, tolerance):
        self.graph, self.folder, self.tolerance = Graph(seed, operations), folder, tolerance
        folder.mkdir(parents=True, exist_ok=True)
        self.rng = np.random.default_rng(seed)
        self.feeds = []  # the inputs of each run
        for run in range(self.graph.runs):
            shapes = [(v.name, [d[run] for d in v.dims]) for v, _ in self.graph.inputs]
            self.feeds.append({n: self.rng.standard_normal(s).astype(np.float32) for n, s in shapes})

    def leaves(self):
        used = {name for _, operands, _, _ in self.graph.nodes for name in operands}
        made = [name for *_, results, _ in self.graph.nodes for name in results]
        return [name for name in made if name not in used]

    def needed(self, outputs):
        """The nodes that these outputs depend on."""
        wanted, nodes = set(outputs), []
        for node in reversed(self.graph.nodes):
            if wanted & set(node[2]):
                nodes.insert(0, node)
                wanted |= set(node[1])
        return nodes

    def model(self, outputs):
        nodes = self.needed(outputs)
        names = {n for _, operands, _, _ in nodes for n in operands}
        lines = ["ir_version: 8", "opset_import { version: 17 }", "graph {"]
        for value, texts in self.graph.inputs:
            if value.name in names:
                lines.append(f"input {{ {value_info(value.name, 'f32', texts)} }}")
        for text in self.graph.graph.initializers:
            if text.split('"')[1] in names:
                lines.append(f"initializer {{ {text} }}")
        lines += [text for *_, text in nodes]
        lines += [f"output {{ {value_info(name)} }}" for name in outputs]
        path = self.folder / "model.txt"
        path.write_text("\n".join([*lines, "}"]) + "\n")
        return path, [v.name for v, _ in self.graph.inputs if v.name in names]

    def compile(self, outputs, run=None):
        path, inputs = self.model(outputs)
        kind = "open" if run is None else f"run{run}"
        options = [f"--dim={n}={low}..{high}" for n, (low, high) in self.graph.ranges.items()]
        if run is not None:
            options = ["--shape=" + n + "=" + "x".join(map(str, self.feeds[run][n].shape)) for n in inputs]
        else:
            texts = [str(t) for v, ts in self.graph.inputs if v.name in inputs for t in ts]
            options = [o for o in options if re.split("=", o)[1] in texts]
        library = self.folder / f"{kind}.so"
        command = ["weir", "compile", str(path), "-o", str(library), "--prefix=graph", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == REFUSED:
            raise Refusal(done.stderr)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-1500:]}")
        return library, inputs

    def outcome(self, library, inputs, run):
        """The library's outputs by name, from files of weir-run."""
        made = self.folder / (library.stem + ".out")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        command = ["weir-run", str(library), f"--output-dir={made}"]
        for name in inputs:
            path = self.folder / f"{name}.{run}.npy"
            np.save(path, self.feeds[run][name])
            command.append(f"--input={name}=@{path}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-1500:]}")
        return {path.stem: np.load(path) for path in made.iterdir()}

    def differences(self, outputs, runs):
        wrong, (opened, inputs) = [], self.compile(outputs)
        for run in runs:
            fixed, _ = self.compile(outputs, run)
            twin, own = self.outcome(fixed, inputs, run), self.outcome(opened, inputs, run)
            for name in outputs:
                if why := differ(twin[name], own[name], self.tolerance):
                    sizes = {n: s[run] for n, s in self.graph.sizes.items()}
                    wrong.append((name, run, f"{name} at {sizes}: {why}"))
        return wrong

    def narrow(self, output, run):
        """The first node whose result differs as the only output, with the nodes that it needs."""
        for node in self.needed([output]):
            for name in node[2]:
                try:
                    if found := self.differences([name], [run]):
                        return node, found[0][2]
                except Refusal:
                    continue
        return None, "differs only with other outputs"


def differ(twin, own, tolerance):
    if twin.shape != own.shape or twin.dtype != own.dtype:
        return f"{own.dtype}{own.shape} instead of {twin.dtype}{twin.shape}"
    same = twin == own
    if twin.dtype.kind == "f":
        bits = np.dtype(f"u{twin.dtype.itemsize}")
        same = (twin.view(bits) == own.view(bits)) | (np.isnan(twin) & np.isnan(own))
        if tolerance:
            largest = np.abs(twin, where=np.isfinite(twin), out=np.zeros_like(twin)).max(initial=0)
            same |= np.isclose(own, twin, rtol=tolerance, atol=tolerance * largest)
    if not same.all():
        at = tuple(map(int, np.argwhere(~same)[0])) if same.ndim else ()
        return f"{(~same).sum()} of {same.size} elements, first at {at}: {own[at]!r} instead of {twin[at]!r}"
    return None


def main(folder, first=0, count=6, operations=12, tolerance=0):
    folder, refused, failed, runs = pathlib.Path(folder), collections.Counter(), 0, 0
    for seed in range(first, first + count):
        case = Case(folder / str(seed), seed, operations, tolerance)
        try:
            wrong = case.differences(case.leaves(), range(case.graph.runs))
            runs += case.graph.runs
            if wrong:
                failed += 1
                print(f"seed {seed}: " + "\n  ".join(text for *_, text in wrong[:3]))
                node, why = case.narrow(*wrong[0][:2])
                print(f"  first: {node and node[3]}\n  {why}\n  in {case.folder}", flush=True)
                continue
        except Refusal as refusal:
            line = str(refusal).strip().splitlines()
            line = next((text for text in line if "error" in text), line[0])
            refused[re.sub(r"\d+", "#", line.split("error")[-1])[:160]] += 1
            print(f"seed {seed}: refused: {line[:300]}", flush=True)
        except RuntimeError as error:
            failed += 1
            print(f"seed {seed}: {error}", flush=True)
            continue
        shutil.rmtree(case.folder)
        print(f"seed {seed} is done", file=sys.stderr, flush=True)
    for line, times in refused.most_common():
        print(f"refused {times} times: {line}")
    agree = count - sum(refused.values()) - failed
    print(f"{agree} of {count} graphs, {runs} runs, agree; {failed} differ")
    # A run in which all graphs are refused is no test.
    return 1 if failed or not agree else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:5]), *map(float, sys.argv[5:6])))
