"""compiling.py: weir.compile, its options, its errors and its temporary folder."""

import gc
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import weir
from refuses import refuses

here = pathlib.Path(tempfile.tempdir or tempfile.gettempdir())


def folders():
    return sorted(here.glob("weir-*"))


image = np.random.default_rng(6).random((1, 8, 8, 1), np.float32)
before = folders()
net = weir.compile("digits.pbtxt", threads=2, weights="file")
made = [folder for folder in folders() if folder not in before]
assert len(made) == 1 and {path.name for path in made[0].iterdir()} == {"digits.so", "digits.weights"}
wanted = weir.load("digits.so")(image)["probabilities"]
clone = net.clone()
del net
gc.collect()
assert made[0].exists() and np.array_equal(clone(image)["probabilities"], wanted)
another = clone.clone()
del clone, another
gc.collect()
assert folders() == before

# The caller chooses the path of the library, and the model may have any path.
net = weir.compile(pathlib.Path("digits.pbtxt"), pathlib.Path("kept.so"), prefix="my_net")
assert np.array_equal(net(image)["probabilities"], wanted)
assert np.array_equal(weir.load(b"kept.so")(image)["probabilities"], wanted)
assert os.path.exists("kept.so") and folders() == before


class Serialized:
    """The model is an onnx.ModelProto, or a GraphDef of TensorFlow."""

    def SerializeToString(self):
        return pathlib.Path("scale.pbtxt").read_text().replace("FACTOR", "7").encode()


assert weir.compile(Serialized())(np.float32(2))["y"] == 14
for name in ("-o.pbtxt", "@file.pbtxt"):
    pathlib.Path(name).write_bytes(Serialized().SerializeToString())
    assert weir.compile(name)(np.float32(3))["y"] == 21

# Options.
named = weir.compile("open.pbtxt", shape={"x": ("batch", 3)}, dim={"batch": (2, 8)})
assert named.ranges() == {"batch": (2, 8)} and repr(named).endswith(
    "open.so: main(x: float32[batch, 3]) -> y: float32[batch, 3]>")
assert weir.compile("open.pbtxt", dim={"x.0": 4}).inputs()[0].shape == (4, 3)
assert weir.compile("open.pbtxt", shape={"x": (5, 3)}, fetch=["y"]).outputs() == [
    ("y", (5, 3), np.dtype("f4"))]
assert weir.compile("open.pbtxt", shape="x=6x3").outputs()[0].shape == (6, 3)
held = weir.compile(Serialized(), value={"x": np.float32(3)})
assert held.inputs() == [] and held()["y"] == 21 and held({})["y"] == 21
trained = weir.compile("line.pbtxt", loss="mean_squared_error:y", optimizer="Adam:lr=0.01")
assert "train_step" in trained.functions

# With these options weir writes no library to the output.
for options in ({"help": True}, {"help_all": True}, {"version": True}, {"emit": "obj"},
                {"stop_after": "import"},
                {"output": "other.so"}):
    name, = options
    refuses(ValueError if name != "output" else TypeError, name,
            lambda: weir.compile("digits.pbtxt", None, **options))
for output in (None, "kept.so"):
    refuses(weir.CompileError, "wrote no '", lambda: weir.compile("digits.pbtxt", output, mcpu="help"))
again = [weir.compile("digits.pbtxt", "kept.so", emit="shared") for _ in range(2)]
assert np.array_equal(again[1](image)["probabilities"], wanted)
assert weir.compile("digits.pbtxt", header=b"by_bytes.h")
assert os.path.exists("by_bytes.h")

# The text of the error is the compiler's message, and no file remains.
del named, held, trained, net
gc.collect()
for arguments, options, why in (
        (["absent.onnx"], {}, "absent.onnx"), (["scale.pbtxt"], {}, "scale.pbtxt"),
        (["digits.pbtxt"], {"fetch": "scroes"}, "scroes"),
        (["digits.pbtxt"], {"theads": 2}, "--theads"),
        (["digits.pbtxt"], {"threads": float("nan")}, "nan")):
    try:
        weir.compile(*arguments, **options)
    except weir.CompileError as error:
        assert why in str(error) and error.status in (1, 2, 74), (str(error), error.status)
    else:
        raise AssertionError(why)
refuses(TypeError, "float", lambda: weir.compile("digits.pbtxt", shape={"image": (float("nan"), 8)}))
refuses(TypeError, "", lambda: weir.compile(None))
refuses(ValueError, "does not end in .so", lambda: weir.compile("digits.pbtxt", "libdigits.a"))
gc.collect()
assert folders() == before

# Warnings of the compiler reach standard error; WEIR names another compiler, and a folder
# does not outlive its process.
program = "import weir; n = weir.compile('open.pbtxt'); print(n._folder.path)"
done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
assert "warning" in done.stderr and not os.path.exists(done.stdout.strip())
os.environ["WEIR"] = "/bin/false"
refuses(weir.CompileError, "weir ended with 1", lambda: weir.compile("digits.pbtxt"))
os.environ["WEIR"] = "absent"
refuses(FileNotFoundError, "absent", lambda: weir.compile("digits.pbtxt"))
os.environ.pop("WEIR")
os.environ["PATH"] = ""
refuses(FileNotFoundError, "neither in the package nor on PATH", lambda: weir.compile("digits.pbtxt"))
print("all right")
