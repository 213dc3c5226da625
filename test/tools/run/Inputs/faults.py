"""faults.py FAULTS.so FOLDER [--all] [CASE...]: runs `weir-run` with failing system calls."""

import pathlib
import shutil
import subprocess
import sys

import numpy as np

TEST = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TEST / "emulate"))
from faults import CALLS, Case, main  # noqa: E402

library, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def write_inputs():
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "out").mkdir(parents=True)
    shutil.copy(TEST / "compiler" / "driver" / "Inputs" / "product.pbtxt", folder / "m.pbtxt")
    shutil.copy(TEST / "tools" / "run" / "train.test", folder / "net.pbtxt")
    np.save(folder / "x.npy", np.arange(10, dtype=np.float32))
    np.save(folder / "t.npy", 2 * np.arange(10, dtype=np.float32))
    np.save(folder / "in.npy", np.float32([[1, 2, 3], [4, 5, 6]]))
    np.save(folder / "want.npy", np.float32([[5] + 39 * [6]] * 2))
    for command in (["weir", "compile", "m.pbtxt", "-o", "m.so", "--threads=2",
                     "--weights=file"],
                    ["weir", "compile", "m.pbtxt", "-o", "program", "--emit=exe"],
                    ["weir", "compile", "net.pbtxt", "-o", "net.so",
                     "--loss=mean_squared_error:y,t", "--optimizer=sgd:lr=0.01"],
                    ["weir-run", "./net.so", "--train", "--data=x.npy,t.npy",
                     "--save=first"]):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "kept").mkdir()
    for path in folder.glob("first.*"):
        shutil.copy(path, folder / "kept")


def restore():
    """The initial checkpoint is unchanged."""
    for path in folder.glob("first.*"):
        path.unlink()
    for path in (folder / "kept").iterdir():
        shutil.copy(path, folder)


def check_saved():
    """A checkpoint is complete after any failure."""
    done = subprocess.run([*TRAIN, "--restore=first"], cwd=folder, capture_output=True)
    return f"the checkpoint is lost: {done.stderr.decode()}" if done.returncode else None


TRAIN = ["weir-run", "./net.so", "--train", "--data=x.npy,t.npy", "--epochs=2"]
SAVED = {"saved.index", "saved.data-00000-of-00001"}
CALLS = {**CALLS, "malloc": ("ENOMEM", 40)}
write_inputs()
cases = [
    Case("run", ["weir-run", "./m.so", "--input=x=@in.npy", "--threads=2",
                 "--output-dir=out"], {"out/y.npy"}, says=False),
    Case("compare", ["weir-run", "./m.so", "--input=x=2x3xf32=1", "--json",
                     "--expect=y=@want.npy"], says=False),
    Case("program", ["./program", "--random=1"]),
    # The trained variables are saved, although no message could be written.
    Case("train", [*TRAIN, "--save=saved"], says=False, lasting=SAVED),
    Case("save", [*TRAIN, "--restore=first", "--save=first"], says=False,
         lasting={"first.data-00000-of-00002"}, prepare=restore, check=check_saved),
    Case("journal", [*TRAIN, "--metrics=m.jsonl", "--curve=c.svg"], {"c.svg"}, {"c.svg"},
         says=False, has_old=False, lasting={"m.jsonl", "c.svg"}),
    # An event file has the time in its name.
    Case("events", ["sh", "-c", " ".join(TRAIN) + " --tensorboard=events --histograms=1; "
                    "status=$?; rm -rf events; exit $status"], says=False, program="weir-run"),
]
for case in cases:
    case.calls = CALLS
main(library, folder, cases)
