#!/usr/bin/python3
"""all_reduce.py [--ranks 2] [--sizes 4096,16384,...] [--rounds N] [--bin build/release/bin]: all-reduce against MPI_Allreduce.

Each rank adds a vector of --sizes bytes to those of the others, by a library of `weir compile --mesh` and by MPI_Allreduce,
in turns in one process. A row has the medians in microseconds, the larger of the ranks', and ratios: to a call of MPI from
one buffer to another, and to one in place between two copies. A library has these copies too, as this model only adds:
from its input to its arena, and to its output. In a training step, gradients are in the arena anyway.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

MODEL = """ir_version: 8
opset_import {{ version: 17 }}
graph {{
  name: "sum"
  node {{
    input: "x" input: "axes" output: "s" op_type: "ReduceSum"
    attribute {{ name: "keepdims" i: 0 type: INT }}
  }}
  initializer {{ dims: 1 data_type: 7 int64_data: 0 name: "axes" }}
  input {{ name: "x" type {{ tensor_type {{ elem_type: 1 shape {{ dim {{ dim_value: {ranks} }} dim {{ dim_value: {count} }} }} }} }} }}
  output {{ name: "s" type {{ tensor_type {{ elem_type: 1 shape {{ dim {{ dim_value: {count} }} }} }} }} }}
}}
"""


def measure(args, size, folder):
    """Bytes, three medians and the number of different elements, as text."""
    model, library, program = folder / "sum.onnx.txt", folder / "libsum.a", folder / "all_reduce"
    model.write_text(MODEL.format(ranks=args.ranks, count=size // 4))
    subprocess.run([args.bin / "weir", "compile", model, "-o", library, f"--header={folder}/sum.h", "--prefix=sum",
                    f"--mesh=data={args.ranks}"], check=True)
    subprocess.run(["mpicc", "-std=gnu11", "-O2", f"-I{folder}", f"-I{SOURCE}", SOURCE / "test/bench/all_reduce.c",
                    SOURCE / "runtime/comm/mpi.c", library, "-lm", "-o", program], check=True)
    rounds = args.rounds or max(200, min(5000, (1 << 28) // size))
    command = ["mpirun", "--oversubscribe", *args.mpirun.split(), "-n", args.ranks, program, rounds]
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--sizes", default="4096,16384,65536,262144,1048576,4194304,16777216")
    parser.add_argument("--rounds", type=int, help="measurements a row, else 200 to 5000 by size")
    parser.add_argument("--mpirun", default="", help="more options of mpirun, such as '--mca btl tcp,self --mca pml ob1'")
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build/release/bin")
    args = parser.parse_args()
    if os.getuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    print(f"{'bytes':>10} {'weir us':>10} {'MPI us':>10} {'ratio':>6} {'copied us':>10} {'ratio':>6}")
    for size in map(int, args.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            bytes_, own, raw, copied, differ = measure(args, size, pathlib.Path(folder))
        note = f"  {differ} elements differ" if differ != "0" else ""
        print(f"{bytes_:>10} {own:>10} {raw:>10} {float(own) / float(raw):6.2f} {copied:>10} "
              f"{float(own) / float(copied):6.2f}{note}", flush=True)


if __name__ == "__main__":
    main()
