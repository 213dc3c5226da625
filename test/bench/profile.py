#!/usr/bin/python3
"""profile.py [--threads 1,2] [--pairs 9] [--rounds 4] [--bin build/release/bin] MODEL...: what a profile costs and explains.

MODEL is a model file, or a net of weir-train, such as lenet_b32, for a training step with Adam. Each is compiled with and
without --profile. A pair of processes runs the two libraries in turns, in blocks of about --block-ms milliseconds. New
pairs get other pages of memory, which changes the time of a process by several percent. A row has the median over pairs of
the time of a run without --profile, and of the ratio of both times. The last columns compare the sum of a profile's rows
with the time of its runs, and with that of as many median runs: the median of as many processes, each of a tenth of a
block. On a busy machine the mean of runs exceeds their median. Libraries that are in the folder are taken as they are.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Engine:
    """A process that runs a library when it is told to."""

    def __init__(self, args, library, function):
        command = [args.bin / "weir-engine", library, "--serve", *(["--function", function] if function else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"profile.py: error: no answer from {self.process.args}")
        return json.loads(line)

    def run(self, count):
        self.process.stdin.write(f"run {count}\n")
        self.process.stdin.flush()
        return statistics.median(self.answer()["us"])

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def compile_both(args, model, threads, folder):
    """Paths of both libraries."""
    libraries = []
    for name, options in (("plain", []), ("profiled", ["--profile"])):
        own = folder / name
        own.mkdir(exist_ok=True)
        if pathlib.Path(model).exists():
            library = own / f"{pathlib.Path(model).stem}-{threads}.so"
            command = [args.bin / "weir", "compile", model, "-o", library, f"--threads={threads}", *options]
        else:
            library = own / f"{model}-adam-{threads}.so"
            command = [HERE / "weir-train", model, "--opt=adam", f"--threads={threads}", f"--folder={own}",
                       f"--bin={args.bin}", "--only-compile", *(f"--option={option}" for option in options)]
        if not library.exists():
            subprocess.run(command, check=True)
        libraries.append(library)
    return libraries


def explained(args, library, function, runs, folder):
    """The sum of a profile's rows by the time of its runs, and by that of as many median runs; the number of kernels."""
    command = [args.bin / "weir-run", library, "--random=1", f"--repeat={runs}", "--warmup=2", "--json",
               f"--profile={folder}/profile.json"]
    if function:
        command += [f"--function={function}", "--input=labels=0"]
    median = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["median_us"]
    profile = json.loads((folder / "profile.json").read_text())
    return profile["sum_us"] / profile["measured_us"], profile["sum_us"] / (runs * median), len(profile["kernels"])


def compare(args, libraries, function, first):
    """Runs of both libraries in turns, by a pair of processes: times of the plain one, and ratios."""
    engines = {k: Engine(args, libraries[k], function) for k in (first, 1 - first)}
    count = max(1, int(1000 * args.block_ms / min(engines[0].run(1) for _ in range(3))))
    engines[1].run(count)
    times, ratios = [], []
    for i in range(args.rounds):
        both = {k: engines[k].run(count) for k in (i % 2, 1 - i % 2)}
        times.append(both[0])
        ratios.append(both[1] / both[0])
    for engine in engines.values():
        engine.close()
    return times, ratios, count


def measure(args, model, threads, folder):
    function = None if pathlib.Path(model).exists() else "train_step"
    plain, profiled = compile_both(args, model, threads, folder)
    times, ratios, counts = zip(*(compare(args, (plain, profiled), function, i % 2) for i in range(args.pairs)))
    ratio, count = statistics.median(map(statistics.median, ratios)), counts[0]
    profiles = [explained(args, profiled, function, max(1, count // 10), folder) for _ in range(args.pairs)]
    of_runs, of_median, kernels = zip(*profiles)
    return [f"{pathlib.Path(model).stem}{' step' if function else ''}", threads, kernels[0],
            f"{statistics.median(map(statistics.median, times)):.1f}", f"{100 * (ratio - 1):+.1f} %",
            f"{100 * statistics.median(of_runs):.1f} %", f"{100 * statistics.median(of_median):.1f} %"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--block-ms", type=float, default=100)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--only-compile", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parents[1] / "build/release/bin")
    args = parser.parse_args()
    for model in args.models:
        if not pathlib.Path(model).exists() and not re.fullmatch(r"\w+_b\d+", model):
            parser.error(f"no model '{model}'")
    pairs = [(model, threads) for model in args.models for threads in map(int, args.threads.split(","))]
    if args.only_compile:
        for model, threads in pairs:
            compile_both(args, model, threads, args.folder)
        return
    head = ["model", "threads", "kernels", "us a run", "with --profile", "sum by runs", "sum by median run"]
    print("| " + " | ".join(head) + " |\n| --- |" + " ---: |" * (len(head) - 1))
    with tempfile.TemporaryDirectory() as temporary:
        for model, threads in pairs:
            row = measure(args, model, threads, args.folder or pathlib.Path(temporary))
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
