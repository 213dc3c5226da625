"""Finds the ops of the frameworks that have a derivative, with the graphs of the other scripts
here.

  derivatives.py DIR [--out FILE] [--op REGEX] [--sample N] [--jobs N] [--script REGEX]

For each op of a graph, `--grad` computes the derivatives of the op's results by its float inputs,
through other ops between them; the loss is the sum of y + y^2 + y^3. It is compared with a
difference of the op itself along a random direction. The outcome of an op is
  passes   if they agree, and are not zero,
  zero     if both are zero: it is constant between its jumps,
  none     if weir reports that there is no derivative,
  wrong    if they differ.
Ops with other derivatives by definition are left out: StopGradient, and fake quantization, which
driver/gradients-quantized.test tests. An op without floats on both sides has no outcome. The best
of several attempts counts.

The script writes lines `op outcome`. Without --out it fails if an op that has a derivative by
docs/gradients.md has none, or a wrong one, or if no op is tested. --sample selects N ops evenly.
DIR keeps the outcomes: a second run adds to them.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import harness
import interface
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DEFINED = re.compile("(Stop|Prevent)Gradient|QuantizeAndDequantizeV[234]")
RANK = ["passes", "zero", "wrong", "none"]
FLOATS = {"f16": 1e-1, "bf16": 2e-1, "f32": 2e-2, "f64": 1e-4}
# The number of runs for each op, with up to four times as many compilations, and the
# elements of the largest operand.
MOST, LARGEST = 8, 20_000


def leads(graph):
    """For each tensor, the float inputs that it depends on."""
    own = {name: {name} if type in FLOATS and 0 < array.size <= LARGEST else set()
           for name, type, array in graph.inputs}
    for _, operands, results in graph.calls:
        ways = set().union(*(own.get(o.names[0], set()) for o in operands))
        for result in results:
            own[result.names[0]] = ways
    return own


def tries(graphs):
    """For each op: graph, tensor of a result, inputs, direct ones first."""
    found = collections.defaultdict(list)
    for graph in graphs:
        own = leads(graph)
        types = {name: type for name, type, _ in graph.inputs}
        sizes = {name: array.size for name, _, array in graph.inputs}
        for op, operands, results in graph.calls:
            direct = [o.names[0] for o in operands if o.names[0] in own.get(o.names[0], ())]
            all = sorted(set().union(*(own.get(o.names[0], set()) for o in operands)))
            by = list(dict.fromkeys(direct)) or all
            if not by:
                continue
            exact = max(list(FLOATS).index(types[name]) for name in by)
            cost = (not direct, 3 - exact, sum(sizes[name] for name in by))
            for k, result in enumerate(results):
                found[op].append((cost, k, graph, result.names[0], by))
                if len(by) > 1:
                    found[op] += [((*cost[:2], cost[2] + 1 + i), k, graph, result.names[0], [one])
                                  for i, one in enumerate(by)]
    for op, each in found.items():
        each.sort(key=lambda one: one[:2])
        # Several graphs may have an op, so they take turns.
        turns = collections.Counter()
        order = []
        for cost, k, graph, *rest in each:
            order.append(turns[id(graph)])
            turns[id(graph)] += 1
        found[op] = [each[i] for i in sorted(range(len(each)), key=order.__getitem__)]
    return found


class Derived:
    """A graph with y as its output, compiled with gradients of y + y^2 + y^3."""

    def __init__(self, graph, tensor, by, folder):
        self.graph, self.tensor, self.by = graph, tensor, by
        self.library, self.error = folder / "derived.so", ""
        self.is_onnx = hasattr(graph, "opset")
        source = folder / "derived.txt"
        steps = [("Mul", "square", tensor, tensor), ("Mul", "cube", tensor, "square"),
                 ("Add", "low", tensor, "square"), ("Add", "loss", "low", "cube")]
        if self.is_onnx:
            nodes = [f'node {{ op_type: "{op}" input: "{a}" input: "{b}" '
                     f'output: "derived/{name}" }}' for op, name, a, b in self.named(steps)]
            text = graph.text(graph.nodes + nodes, [tensor])
        else:
            nodes = [f'node {{ name: "derived/{name}" op: "{op}" input: "{a}" input: "{b}" }}'
                     for op, name, a, b in self.named(steps)]
            text = graph.text(graph.nodes + nodes)
        source.write_text(text)
        command = ["weir", "compile", str(source), "-o", str(self.library), "--prefix=graph", "-O0",
                   *graph.options, f"--fetch={tensor}",
                   f"--grad=derived/loss:{','.join(by)}"]
        if not self.is_onnx:
            command += graph.feeds()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            self.error = done.stderr if done.returncode else ""
        except subprocess.TimeoutExpired:
            self.error = "compiling takes too long"

    @staticmethod
    def named(steps):
        own = {name for _, name, *_ in steps}
        return [(op, name, *(f"derived/{o}" if o in own else o for o in (a, b)))
                for op, name, a, b in steps]

    def load(self):
        self.lib = ctypes.CDLL(str(self.library))
        self.lib.graph_info.restype = ctypes.POINTER(interface.ModelInfo)
        self.info = self.lib.graph_info().contents
        names = [self.info.functions[i].name.decode() for i in range(self.info.num_functions)]
        self.place = {"main": 0, "gradients": names.index("gradients")}
        self.context = ctypes.c_void_p()
        config = interface.Config(abi_version=interface.ABI_VERSION)
        if self.info.create(None, ctypes.byref(config), ctypes.byref(self.context)):
            raise RuntimeError("create fails")
        if self.info.init:
            self.info.run(self.context, self.info.init - 1, None, 0)

    def close(self):
        self.info.destroy(self.context)

    def run(self, which, given):
        """The results, in f64; None if the run fails."""
        function = self.info.functions[self.place[which]]
        arrays, results = [], []
        for i in range(function.num_inputs):
            arrays.append(np.ascontiguousarray(given[function.inputs[i].tensor.decode().split(":")[0]]))
        for i in range(function.num_outputs):
            described = function.outputs[i]
            type = harness.CODES[described.dtype]
            results.append((type, np.zeros([described.shape[d] for d in range(described.rank)],
                                           harness.TYPES[type][1])))
        arrays += [array for _, array in results]
        pointers = (ctypes.c_void_p * max(1, len(arrays)))(*[a.ctypes.data for a in arrays])
        if self.info.run(self.context, self.place[which], pointers, len(arrays)):
            return None
        return [wide(type, array) for type, array in results]


def wide(type, array):
    if type == "bf16":
        bits = array.reshape(-1).astype(np.uint32) << 16
        array = bits.view(np.float32).reshape(array.shape)
    return array.astype(np.float64)


def narrow(type, array):
    if type == "bf16":
        return harness.bf16(array).bits
    return np.asarray(array, harness.TYPES[type][1])


def symmetric(x):
    square = x.ndim > 1 and x.shape[-1] == x.shape[-2]
    return (x + np.swapaxes(x, -1, -2)) / 2 if square else x


def places(graph, by, random):
    """The point of the derivative, and two directions. The point has the test's values, moved away
    from kinks and infinities. Functions with a narrow domain are smooth there. Matrices are
    symmetric, because some functions read only one half."""
    own = {name: wide(type, array) for name, type, array in graph.inputs if name in by}
    ways = [{name: random.choice([-1.0, -0.5, 0.5, 1.0], x.shape) for name, x in own.items()}
            for _ in range(2)]
    for low, high in ((None, None), (0.2, 0.8), (1.1, 2.5)):
        values = {}
        for name, x in own.items():
            other = random.uniform(low or 0.2, high or 0.8, x.shape)
            if low is None:
                sane = np.isfinite(x) & (np.abs(x) < 50)
                other = np.where(sane, x + 0.01 * other, other)
            values[name] = other
        yield values, ways
    own, *ways = ({name: symmetric(x) for name, x in each.items()} for each in (own, *ways))
    yield own, ways


def agreement(derived, random):
    """An outcome, and its reason."""
    graph, by = derived.graph, derived.by
    types = {name: type for name, type, _ in graph.inputs}
    given = {name: array for name, _, array in graph.inputs}
    close = max(FLOATS[types[name]] for name in by)
    said, zeros = ("wrong", "runs fail"), False
    for values, ways in places(graph, by, random):
        def at(step, way):
            return given | {name: narrow(types[name], x + step * way[name])
                            for name, x in values.items()}

        slopes = derived.run("gradients", at(0, ways[0]))
        if slopes is None or not all(np.isfinite(s).all() for s in slopes):
            continue
        for step in ((1e-3, 1e-4, 1e-5, 1e-6) if close < 1e-3 else (1e-1, 1e-2, 1e-3)):
            agree = []
            for way in ways:
                parts = [s * way[name] for s, name in zip(slopes, by)]
                have = sum(float(part.sum()) for part in parts)
                scale = max(float(np.abs(part).sum()) for part in parts)
                sides = [derived.run("main", at(sign * step, way)) for sign in (1, -1)]
                if None in sides or not all(np.isfinite(s[0]).all() for s in sides):
                    break
                high, low = (y + y**2 + y**3 for (y,) in sides)
                want = float((high - low).sum()) / (2 * step)
                if want == 0 and scale == 0:
                    agree.append("zero")
                elif abs(have - want) <= close * max(abs(want), 0.1 * scale):
                    agree.append("passes")
                else:
                    said = said if zeros else ("wrong", f"has {have:.6g}, not {want:.6g}")
                    break
            if len(agree) == 2 and "passes" in agree:
                return "passes", ""
            if len(agree) == 2:
                said, zeros = ("zero", ""), True
                break
    return said


def first_line(text):
    lines = [line for line in text.splitlines() if "error" in line] or [text]
    return re.sub(r"^\S*: error: ", "", lines[0])[:300]


def outcome(each, random):
    best, why, left, coarsest = "none", "", MOST, len(FLOATS)
    for (_, coarse, _), _, graph, tensor, by in each[: 4 * MOST]:
        if not left:
            break
        # Results with few bits may agree by chance.
        if coarse > coarsest:
            continue
        with tempfile.TemporaryDirectory() as folder:
            derived = Derived(graph, tensor, by, pathlib.Path(folder))
            if derived.error:
                why = why or first_line(derived.error)
                continue
            left -= 1
            try:
                derived.load()
            except RuntimeError:
                continue
            found, reason = agreement(derived, random)
            derived.close()
            if reason != "runs fail":
                coarsest = coarse
        if RANK.index(found) < RANK.index(best):
            best, why = found, reason
        if best == "passes":
            break
    return best, why


def measure(graphs):
    """The scripts' main calls it: it appends a line for each op to a file."""
    chosen = re.compile(os.environ.get("WEIR_DERIVE_OPS", ""))
    random = np.random.default_rng(7)
    script = pathlib.Path(sys.argv[0]).stem
    record = pathlib.Path(os.environ["WEIR_DERIVE"])
    for op, each in sorted(tries(list(graphs)).items()):
        if not chosen.fullmatch(op) or DEFINED.fullmatch(op) or json.dumps([op, "passes"])[:-1] in record.read_text():
            continue
        found, why = outcome(each, random)
        with record.open("a") as file:
            print(json.dumps([op, found, script, why]), file=file)


def measured(ops, jobs, folder, chosen):
    """For each op that matches: outcome, script, reason."""
    record = folder / "record"
    record.touch()
    scripts = [path for path in sorted(HERE.glob("*.py"))
               if re.fullmatch(chosen, path.stem) and re.search(r"from (harness|onnx_graph) import .*\bmain\b", path.read_text())]

    def run(script):
        subprocess.run([sys.executable, str(script)], cwd=HERE, check=True,
                       env={**os.environ, "WEIR_DERIVE": str(record), "WEIR_DERIVE_OPS": ops})

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, scripts))
    best = {}
    for line in record.read_text().splitlines():
        op, *found = json.loads(line)
        if op not in best or RANK.index(found[0]) < RANK.index(best[op][0]):
            best[op] = found
    return best


def said():
    """The outcomes on the page: `passes` or `zero` for each op."""
    sys.path.insert(0, str(HERE.parents[1] / "docs"))
    import gradients as page

    return {page.FRAMEWORKS[name] + op: kind for name, lists in page.stated().items()
            for kind, ops in zip(("passes", "zero"), lists) for op in ops}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--op", default=".*")
    parser.add_argument("--script", default=".*")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    ops, claims = args.op, {}
    if not args.out:
        claims = {op: kind for op, kind in said().items() if re.fullmatch(ops, op)}
        names = sorted(claims)
        if args.sample:
            names = names[:: max(1, len(names) // args.sample)]
        claims = {op: claims[op] for op in names}
        ops = "|".join(map(re.escape, names))
    found = measured(ops, args.jobs, args.folder, args.script)
    if args.out:
        args.out.write_text("".join(json.dumps([op, *found[op]]) + "\n" for op in sorted(found)))
    if args.script != ".*":  # Other scripts may have cases that these do not have, such as an operand of floats.
        claims = {op: kind for op, kind in claims.items() if found.get(op, ["zero"])[0] != "zero"}
    wrong = [f"{op}: the page says {kind}, and it is {found.get(op, ['not tried'])}"
             for op, kind in claims.items() if found.get(op, [""])[0] != kind]
    print("\n".join(wrong))
    print(dict(collections.Counter(kind for kind, *_ in found.values())))
    if not args.out:
        print(f"{len(claims) - len(wrong)} of {len(claims)} ops are as the page says")
        sys.exit(bool(wrong) or not claims)


if __name__ == "__main__":
    main()
