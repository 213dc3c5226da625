"""fuzz.py FOLDER [--first N] [--count N] ...: random graphs against the f64 reference.

A seed is a graph of the graph dialect, with random ops and element types, or for some modules
an ONNX graph with dynamic dimensions (dynamic.py). Some graphs become one module, so that a
compilation, a run and an evaluation serve all of them. They share no value; so the module also
tests how the compiler orders, fuses and places independent parts. The configuration changes from
module to module: processor, threads, optimization level.

The fused library is compared, since most errors of a compiler are in what it fuses and
schedules; `weir diff` judges nodes one by one, and keeps each of them for that. So a bound must
follow rounding errors through the graph. `weir reference --errors` estimates it: it repeats the
evaluation with random rounding errors in each op, of the size that the type and the op allow
(compiler/reference/RandomErrors.h), and measures how far each element of the outputs moves.
This is stochastic arithmetic: to first order the move is the error that these ops can cause,
amplified as this graph amplifies it. An element may differ by FACTOR of these root mean squares,
and by the last rounding. Values without rounding error have the bound 0: integers, and floats on
a grid. Only such values are compared, ordered or rounded to integers by the generator, since
another value near a jump has no bound.

A graph that differs is repeated alone. The report has its seed and the command.
"""

import argparse
import collections
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import elementwise
import moves
import patterns
import sums
from batch import Batch, Failure
from dynamic import DynamicBatch, DynamicGraph
from graph import Graph

STEPS = [step for family in (elementwise, moves, sums, patterns) for step in family.STEPS]
PROCESSORS = ["native", "native", "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"]
MOST = {"static": 1500, "large": 12000}  # elements of a tensor
LEVELS = ["0", "0", "1", "1", "2", "2", "3"]


def configuration(seed, processors):
    """Options of weir compile."""
    rng = random.Random(seed)
    flags = [f"-mcpu={rng.choice(processors)}", f"-O{rng.choice(LEVELS)}", f"--threads={rng.randint(1, 4)}"]
    more = ["--weights=file", "--weights-budget=none", "--fast-math=contract,reassoc"]
    return flags + [flag for flag in more if rng.random() < 0.1]


def judge(batch):
    """The reasons why graphs of the batch are wrong, by seed, and counts."""
    try:
        batch.run()
        return batch.differences()
    except Failure as failure:
        return {None: str(failure)}, collections.Counter()
    except subprocess.TimeoutExpired as late:
        return {None: f"{' '.join(late.cmd[:2])} takes longer than {late.timeout:g} s"}, collections.Counter()


def kind_of(first, args):
    """The kind of the graphs: of the dialect, with small or large tensors, or ONNX."""
    return args.kind or random.Random(f"kind{first}").choice(["static"] * 17 + ["large", "large", "dynamic"])


def made(args, kind, folder, seeds, flags):
    """The graphs of these seeds as a module."""
    folder = pathlib.Path(args.folder) / folder
    if kind == "dynamic":
        return DynamicBatch(folder, [DynamicGraph(seed, random.Random(seed).randint(3, 14)) for seed in seeds], flags)
    return Batch(folder, [Graph(seed, STEPS, MOST[kind]) for seed in seeds], flags)


def examine(args, kind, batch, wrong):
    """Repeats the graphs of a wrong batch alone, and prints those that are wrong."""

    def report(seeds, why):
        print(f"fuzz.py FOLDER {seeds} --kind={kind} --flags='{' '.join(batch.flags)}'\n  {why}", flush=True)

    all = [g.seed for g in batch.graphs]
    found = 0
    for seed in all if None in wrong else wrong:
        alone = made(args, kind, f"graph{seed}", [seed], batch.flags)
        own, _ = judge(alone)
        if own:
            found += 1
            report(f"--first={seed} --count=1", *own.values())
        else:
            shutil.rmtree(alone.folder, ignore_errors=True)
    if found:
        return found
    # Only the graphs together are wrong.
    shutil.copytree(batch.folder, batch.folder.with_name(f"batch{all[0]}"), dirs_exist_ok=True)
    report(f"--first={all[0]} --count={len(all)} --batch={len(all)}", "; ".join(wrong.values()))
    return 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="how many graphs")
    parser.add_argument("--batch", type=int, default=40, help="how many graphs are a module")
    parser.add_argument("--kind", choices=["static", "large", "dynamic"], help="of all modules")
    parser.add_argument("--flags", help="options of weir compile, for all modules")
    parser.add_argument("--processors", default=",".join(PROCESSORS), help="for -mcpu")
    parser.add_argument("--coverage", action="store_true", help="print how often each op occurs")
    return parser.parse_args()


def main():
    args = arguments()
    ops, flags_used, judged = collections.Counter(), collections.Counter(), collections.Counter()
    graphs = found = 0
    begin = time.monotonic()
    for first in range(args.first, args.first + args.count, args.batch):
        seeds = range(first, min(first + args.batch, args.first + args.count))
        flags = args.flags.split() if args.flags is not None else configuration(first, args.processors.split(","))
        kind = kind_of(first, args)
        batch = made(args, kind, "batch", seeds, flags)
        wrong, counts = judge(batch)
        graphs += len(seeds)
        judged += counts
        ops.update(op for g in batch.graphs for op in g.ops)
        flags_used.update([kind, *flags])
        if wrong:
            found += examine(args, kind, batch, wrong)
        print(f"{graphs} graphs, {found} differ, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    if args.coverage:
        print("\n".join(f"{op}: {times}" for op, times in sorted(ops.items())))
    print("modules:", ", ".join(f"{flag} {times}" for flag, times in sorted(flags_used.items())))
    print(f"{judged['elements']} elements, {judged['exact']} exact, {judged['unbounded']} without a bound")
    print(f"{graphs} graphs of {len(ops)} ops, {sum(ops.values())} nodes: {found} differ")
    sys.exit(bool(found) or not judged["elements"])


if __name__ == "__main__":
    main()
