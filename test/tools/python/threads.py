"""threads.py: 16 threads share one model, each thread has its own model, and libraries are
compiled again to the same path."""

import os
import shutil
import subprocess
import threading

import numpy as np
import weir

THREADS, CALLS = 16, 1000


def in_threads(model_of, image_of, wanted):
    """The numbers of right and of wrong results; it fails if a thread hangs."""
    right, wrong = [0] * THREADS, []

    def work(i):
        model = model_of(i)
        for call in range(i, CALLS, THREADS):
            found = model(image_of[call % len(image_of)])["y"]
            if np.array_equal(found, wanted[call % len(image_of)]):
                right[i] += 1
            else:
                wrong.append((i, call))

    workers = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(THREADS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert not worker.is_alive(), "a thread hangs"
    return sum(right), len(wrong)


rng = np.random.default_rng(3)
for library, threads in (("rows.so", 1), ("rows.so", 2), ("named.so", 2)):
    # Sizes differ, so that a buffer that calls share would cause errors.
    inputs = [rng.standard_normal((2 + i % 6, 3)).astype(np.float32) for i in range(37)]
    wanted = [np.maximum(x, 0) for x in inputs]
    shared = weir.Model(library, threads=threads)
    assert in_threads(lambda i: shared, inputs, wanted) == (CALLS, 0)
    models = [shared.clone() for _ in range(THREADS)]
    assert in_threads(lambda i: models[i], inputs, wanted) == (CALLS, 0)

# A run takes long enough for other calls between its steps.
inputs = [rng.uniform(-0.2, 0.2, (128, 128)).astype(np.float32) for _ in range(5)]
for library in ("chain.so", "chain2.so"):
    shared = weir.Model(library)
    wanted = [shared(x)["y"] for x in inputs]
    assert in_threads(lambda i: shared, inputs, wanted) == (CALLS, 0)

# Each clone has its own variables; the weights are one mapping.
line = weir.Model("line.so")
clone = line.clone()
line.train_step(*(np.ones(shape, dtype) for _, shape, dtype in line.inputs("train_step")))
assert [np.array_equal(a, b) for a, b in zip(line.variables.values(), clone.variables.values())] \
    .count(False) > 0

# The library is compiled again, to a new file and over the old one.
GRAPH = open("scale.pbtxt").read()


def compile_scale(factor, output):
    with open("again.pbtxt", "w") as file:
        file.write(GRAPH.replace("FACTOR", str(factor)))
    subprocess.run(["weir", "compile", "again.pbtxt", "-o", output], check=True)


models = []
for factor in (2, 3, 4):
    compile_scale(factor, "again.so")
    models.append(weir.Model("again.so"))
    models.append(weir.Model("./again.so"))
for place, model in enumerate(models):
    assert model(np.float32(1))["y"] == 2 + place // 2
for factor in (5, 6):
    compile_scale(factor, "other.so")
    path = "moved.so"
    if factor == 5:
        shutil.copy("other.so", path)
        assert weir.Model(path)(np.float32(1))["y"] == 5
    else:
        state = os.stat(path)
        with open("other.so", "rb") as source, open(path, "r+b") as target:
            target.write(source.read())
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
        assert weir.Model(path)(np.float32(1))["y"] == 6
print("all right")
