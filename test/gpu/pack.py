#!/usr/bin/python3
"""pack.py OUT [--bin DIR] [--tiny] [--corpus DIR] [--simulate] [-- FLAG...]: compiles the
libraries that run.sh runs on a machine with a GPU and without a build of weir.

OUT gets `bench/` with a library for each case of cases.py, `profile/` with a program of --profile
for one of them, and `suite/` with the small models of
test/models and of samples of a corpus (WEIR_CORPUS). Each has its inputs and references as .npy
files. FLAGs go to `weir compile`; the default is --gpu=cuda. With --simulate each model also has
its kernels for this processor, for the stand-in for the driver (test/emulate/cuda). A model that
weir refuses is listed with the reason. The pack has at most 60 MB.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/models"))
import cases
import graphdef
import models
import ops

ZOO = ["mlp", "residual", "residual_channels_first", "attention", "loop", "embedding", "cut"]
GROUPS = {"tf_dl4j": 12, "tf_models": 6, "tf_import": 12, "onnx_node": 12, "onnx_models": 4}
# Scripts of test/numeric that compile by harness.Graph alone.
NUMERIC = """attention blocks bounded_neural control ctc detection dots elementwise fourier fused gathers
groups image index linear nans neural onnx_attention onnx_convolutions onnx_core
onnx_microsoft onnx_microsoft_attention onnx_microsoft_experts onnx_microsoft_quantized onnx_neural
onnx_windows packed places quantize random_ops reduce shape sparse special tables xla""".split()


def arguments():
    argv = sys.argv[1:]
    flags = argv[argv.index("--") + 1:] if "--" in argv else ["--gpu=cuda"]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/release/bin")
    parser.add_argument("--tiny", action="store_true", help="small sizes in bench/")
    parser.add_argument("--simulate", action="store_true", help="each model has its kernels "
                        "for this processor beside it, for the stand-in for the driver")
    parser.add_argument("--corpus", default=os.environ.get("WEIR_CORPUS"))
    parser.add_argument("--samples", type=float, default=1, metavar="FACTOR",
                        help="as many times the samples of the corpus")
    parser.add_argument("--only", default="", metavar="REGEX", help="which cases go to bench/")
    parser.add_argument("--numeric", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args(argv[:argv.index("--")] if "--" in argv else argv)
    args.flags = flags
    return args


class Packer:
    def __init__(self, args):
        self.args = args
        self.refused = []
        self.pool = ThreadPoolExecutor(args.jobs)
        self.begun = []

    def begin(self, function, *arguments):
        self.begun.append(self.pool.submit(function, *arguments))

    def finish(self):
        for one in self.begun:
            one.result()

    def compile(self, model, folder, extra, output="model.so"):
        """Whether it compiles; the output is in the folder."""
        command = [self.args.bin / "weir", "compile", model, "-o", folder / output,
                   *extra, *self.args.flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            reason = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
            self.refused.append({"name": folder.name, "why": reason[0][:300]})
            shutil.rmtree(folder)
        elif self.args.simulate and output == "model.so":
            self.simulate(model, folder, extra)
        return not done.returncode

    def simulate(self, model, folder, extra):
        """The kernels alone, of a library that contains the simulator."""
        text, code = folder / "kernels.ll", folder / "kernels.o"
        subprocess.run([self.args.bin / "weir", "compile", model, "-o", text, *extra,
                        "--gpu=sim", "-O0"], check=True)
        text.write_text(re.sub(r"^define internal (.*@weir_gpu_launch\()", r"define \1",
                               text.read_text(), flags=re.M))
        subprocess.run([shutil.which("llc-19") or "llc", "-O1", "-filetype=obj",
                        "-relocation-model=pic", text, "-o", code], check=True)
        subprocess.run(["cc", "-shared", code, "-lm", "-o", folder / "kernels.so"], check=True)
        text.unlink()
        code.unlink()

    def bench(self, case):
        folder = self.args.out / "bench" / re.sub(r"\W+", "-", case.name)
        self.build(case, folder)

    def profile(self, case):
        self.build(case, self.args.out / "profile", ["--profile"], "program")

    def build(self, case, folder, extra=(), output="model.so"):
        folder.mkdir(parents=True)
        graph = ops.Graph(graphdef.Graph())
        inputs, parameters = case.make()
        edges = [graph.placeholder(f"x{i}", x.shape) for i, x in enumerate(inputs)]
        result = case.function(graph, edges, {n: graph.put(v) for n, v in parameters.items()})
        model = folder / "model.pbtxt"
        model.write_text(graph.graph.text())
        ok = self.compile(model, folder, [f"--fetch={result.name}", *extra], output)
        if ok:
            model.unlink()
            (folder / "case.json").write_text(json.dumps({"name": case.name}))

    def suite(self, name, model, feeds, fetches, extra, tolerance):
        """`feeds` and `fetches`: arrays by tensor."""
        folder = self.args.out / "suite" / re.sub(r"[^\w.]+", "-", name)
        folder.mkdir(parents=True)
        if isinstance(model, str):
            (folder / "model.pbtxt").write_text(model)
            model = folder / "model.pbtxt"
        if not self.compile(model, folder, extra):
            return
        (folder / "model.pbtxt").unlink(missing_ok=True)
        tensors = {"inputs": [], "outputs": []}
        for kind, arrays in (("inputs", feeds), ("outputs", fetches)):
            for i, (tensor, array) in enumerate(arrays.items()):
                np.save(folder / f"{kind}{i}.npy", np.asarray(array))
                tensors[kind].append({"tensor": tensor, "file": f"{kind}{i}.npy"})
        (folder / "case.json").write_text(
            json.dumps({"name": name, **tensors, "rtol": tolerance[0], "atol": tolerance[1]}))

    def zoo(self):
        for name in ZOO:
            graph, feeds, fetches = getattr(models, name)()
            narrow = {t: np.asarray(v, np.float32) if np.asarray(v).dtype == np.float64 else v
                      for t, v in fetches.items()}
            extra = [f"--feed={t}:{'x'.join(map(str, np.shape(v)))}xf32"
                     for t, v in feeds.items() if ":" in t]
            extra += [f"--fetch={t}" for t in fetches]
            self.begin(self.suite, f"zoo.{name}", graph.text(), feeds, narrow, extra, (1e-4, 1e-5))

    def corpus(self):
        for group, count in GROUPS.items():
            folders = sorted(p for p in Path(self.args.corpus, group).glob("*")
                             if (p / "meta.json").exists())
            count = int(count * self.args.samples)
            for folder in folders[::max(1, len(folders) // count)][:count]:
                meta = json.loads((folder / "meta.json").read_text())
                if any(t.get("kind") != "tensor" for t in meta["inputs"] + meta["outputs"]):
                    continue
                model = next((p for p in folder.glob("model.*") if p.is_file()), None)
                if not model or not meta["outputs"]:
                    continue
                feeds = {t["tensor"]: np.load(folder / t["file"]) for t in meta["inputs"]}
                fetches = {t["tensor"]: np.load(folder / t["file"]) for t in meta["outputs"]}
                sizes = sum(np.asarray(a).nbytes for a in [*feeds.values(), *fetches.values()])
                if sizes > 1 << 20 or any(a.dtype.kind in "USO" for a in feeds.values()):
                    continue
                # An ONNX model declares its inputs and outputs itself.
                of_tensorflow = model.suffix != ".onnx"
                extra = [f"--feed={t}:" + "x".join([*map(str, a.shape), SPELLED[a.dtype.name]])
                         for t, a in feeds.items() if of_tensorflow and a.dtype.name in SPELLED]
                extra += [f"--fetch={t}" for t in fetches if of_tensorflow]
                close = [max([0.0, *(t.get(k, 0) for t in meta["outputs"])])
                         for k in ("rtol", "atol")]
                self.begin(self.suite, f"{group}.{folder.name}", model, feeds, fetches, extra,
                           (max(close[0], 1e-3), max(close[1], 1e-5)))

    def numeric(self, script):
        """Compiles the script's cases, even if weir refuses some of them."""
        folder = self.args.out / "numeric" / script
        folder.mkdir(parents=True)
        env = {**os.environ, "WEIR_STEP": "compile", "WEIR_TEST_OPTIONS": " ".join(self.args.flags),
               "PATH": f"{self.args.bin.resolve()}:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, ROOT / f"test/numeric/{script}.py", folder],
                              capture_output=True, text=True, env=env)
        lines = (done.stdout + done.stderr).splitlines()
        if done.returncode:
            self.refused += [{"name": script, "why": line[:300]} for line in lines[:-1]]
        for file in folder.rglob("graph.*"):
            if file.suffix != ".so":
                file.unlink()


PROFILED = "^transformer"
SPELLED = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32", "int64": "i64",
           "int8": "i8", "int16": "i16", "uint8": "ui8", "bool": "i1"}


def main():
    args = arguments()
    shutil.rmtree(args.out, ignore_errors=True)
    args.out.mkdir(parents=True)
    packer = Packer(args)
    for case in cases.cases(args.tiny):
        if re.search(args.only, case.name):
            packer.begin(packer.bench, case)
    profiled = [case for case in cases.cases(args.tiny) if re.search(PROFILED, case.name)]
    packer.begin(packer.profile, profiled[0])
    packer.zoo()
    if args.corpus:
        packer.corpus()
    if args.numeric:
        for script in NUMERIC:
            packer.begin(packer.numeric, script)
    packer.finish()
    (args.out / "pack.json").write_text(
        json.dumps({"tiny": args.tiny, "flags": args.flags, "refused": packer.refused}, indent=1))
    count = {kind: len(list(args.out.glob(f"{kind}/*/case.json"))) for kind in ("bench", "suite")}
    print(f"{count['bench']} to measure, {count['suite']} to check, "
          f"{len(packer.refused)} refused")
    for one in packer.refused:
        print(f"  {one['name']}: {one['why']}")


if __name__ == "__main__":
    main()
