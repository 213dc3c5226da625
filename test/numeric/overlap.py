"""overlap.py FOLDER: the schedule of a training step of ResNet-50 on 8 ranks. Ranks exchange gradients
while the backward pass runs."""

import os
import pathlib
import re
import subprocess
import sys

if os.environ.get("WEIR_RECORD"):  # For docs/ops.md: other tests have these ops.
    sys.exit(0)
from steps import FLOAT, OUT, attr, node, placeholder, variable  # noqa: E402

failures = 0


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"{what}: does not hold")


def resnet50(batch):
    """A GraphDef as text, with variables without values. A batch normalization is a scale and a bias."""
    text = [placeholder("x", (batch, 224, 224, 3))]

    def window(size, stride):
        return (attr("ksize", f"list {{ i: 1 i: {size} i: {size} i: 1 }}"),
                attr("strides", f"list {{ i: 1 i: {stride} i: {stride} i: 1 }}"), attr("padding", 's: "SAME"'))

    def op(kind, *inputs, extra=()):
        name = f"n{len(text)}"
        text.append(node(name, kind, inputs, FLOAT, *extra))
        return name

    def parameter(*shape):
        name = f"v{len(text)}"
        text.extend(variable(name, shape))
        return name + "/Read"

    def layer(x, ins, outs, size, stride=1):
        x = op("Conv2D", x, parameter(size, size, ins, outs), extra=window(size, stride)[1:])
        return op("AddV2", op("Mul", x, parameter(outs)), parameter(outs))

    x = op("Relu", layer("x", 3, 64, 7, 2))
    x, ins = op("MaxPool", x, extra=window(3, 2)), 64
    for block, (middle, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for i in range(count):
            stride = 2 if i == 0 and block else 1
            y = op("Relu", layer(x, ins, middle, 1))
            y = op("Relu", layer(y, middle, middle, 3, stride))
            y = layer(y, middle, 4 * middle, 1)
            if i == 0:
                x = layer(x, ins, 4 * middle, 1, stride)
            x, ins = op("Relu", op("AddV2", y, x)), 4 * middle
    x = op("AvgPool", x, extra=window(7, 7))
    text.append(node("shape", "Const", (), attr("dtype", "type: DT_INT32"), attr(
        "value", f"tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: 2 }} }} int_val: {batch} int_val: {ins} }}")))
    x = op("Reshape", x, "shape", extra=(attr("Tshape", "type: DT_INT32"),))
    text.append(node("logits", "BiasAdd", (op("MatMul", x, parameter(ins, 1000)), parameter(1000)), FLOAT))
    return text


def records(line, attribute, record):
    """The numbers and words of each record of an attribute of the module."""
    begin = line.index(f"{attribute} = [")
    found = re.findall(rf"#weir\.{record}<((?:[^<>]|<[^<>]*>)*)>", line[begin:])
    return [{k: v.strip('"') for k, v in re.findall(r'(\w+) = ("[^"]*"|\w+)', each)} for each in found]


path = pathlib.Path(OUT)
(path / "resnet50.pbtxt").write_text("\n".join(resnet50(8)) + "\n")
subprocess.run(["weir", "compile", path / "resnet50.pbtxt", "--fetch=logits", "--mesh=data=8",
                "--loss=sparse_softmax_cross_entropy:logits", "--stop-after=plan", "-o", path / "plan.mlir"],
               check=True)  # fmt: skip
lines = (path / "plan.mlir").read_text().splitlines()
module = next(line for line in lines if "weir.schedule = [" in line)
entries = re.findall(r'#weir\.entry<name = "([^"]*)", symbol', module)
items = records(module, "weir.schedule", "schedule_item")


def work(items):
    return sum(int(item.get("nanoseconds", 0)) for item in items)


def of(name):
    number = str(entries.index(name))
    return [item for item in items if item.get("entry", "0") == number]


step, forward = of("train_step"), work(of("loss"))
kinds = [item.get("kind", "compute") for item in step]
first = work(step[: kinds.index("start")])
share = (first - forward) / (work(step) - forward)
expect(f"the first bucket starts after {100 * share:.1f} % of the backward pass", 0 <= share < 0.2)
expect(f"{kinds.count('start')} buckets", 10 < kinds.count("start") < 40)
expect("each start has a wait", kinds.count("start") == kinds.count("wait"))
expect(f"{kinds.count('progress')} polls", 40 < kinds.count("progress") <= 256)
last = work(step[: kinds.index("wait")])
expect(f"the first wait comes after {100 * last / work(step):.1f} % of the work", last > 0.9 * work(step))

# Each kernel behind the first wait needs a sum.
begin = next(i for i, line in enumerate(lines) if f"plan.program @weir_entry_{entries.index('train_step')}" in line)
root, needs, waited, buckets = {}, set(), False, {}
for line in lines[begin:]:
    if line.strip() == "}" or line.startswith("  }"):
        break
    if view := re.match(r"\s*(%\w+) = plan\.view (%\w+)", line):
        root[view[1]] = root.get(view[2], view[2])
    elif start := re.match(r"\s*plan\.start (\d+)\((%\w+)", line):
        buckets[start[1]] = root.get(start[2], start[2])
    elif wait := re.match(r"\s*plan\.wait (\d+)", line):
        waited = True
        needs.add(buckets[wait[1]])
    elif run := re.match(r"\s*plan\.(?:run @\w+\(|copy )(.*?)(?:\)| :)", line):
        used = {root.get(v, v) for v in re.findall(r"%\w+", run[1])}
        if waited:
            expect(f"a task behind a wait needs a sum: {line.strip()[:100]}", used & needs)
            needs |= used
expect("there are waits", waited)
print(f"{failures} failures")
sys.exit(failures != 0)
