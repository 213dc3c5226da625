#!/usr/bin/python3
"""Writes docs/gradients.md: the derivative of each op, from the definitions, and the
ops of the frameworks that have one, as test/numeric/derivatives.py found.

  gradients.py [--measured FILE | --check]

FILE is what derivatives.py has written, of all ops or of some; the page keeps what it
says of others. With --check, fails where the page is not what it would write, or names an
op that docs/ops.md has not. Needs llvm-tblgen and MLIR's definitions, as the build
does.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/gradients.md"
OPS = ROOT / "docs/ops.md"
FRAMEWORKS = {"TensorFlow": "", "ONNX": "onnx:"}
LLVM = pathlib.Path("/usr/lib/llvm-19")
HEAD = """# Gradients

For people who train a model or use its gradients. The page lists the ops with a derivative.
Written by `docs/gradients.py` from the op definitions: do not edit.

`weir compile MODEL --grad=LOSS:VAR,...` adds an entry `gradients` to a TensorFlow graph or
an ONNX model. Its results are called `gradients/VAR`: the derivatives of the sum of `LOSS`
by each `VAR`. `VAR` is an input, an initializer or any other tensor or variable of the model.
A second `--grad` computes `gradients_1/VAR`, and its loss may be a gradient of the first.
At kinks, derivatives are TensorFlow's.

In a formula, `g` is the gradient of the result, `r` the result, and `x` and `y`
are the operands; there is one formula for each operand. A *rule* is a function in
`dialects/graph/gradients`, for longer derivatives. *Zero* stops the gradient: the op is
constant between its jumps, or has no floats. *None* means that a gradient through the op is
an error, which names the path to the op.

An op of a framework has a derivative if all ops of its decomposition have one. The graphs of
the numeric tests decide which do: they compare the derivatives of an op's floating-point
results, by its floating-point operands, with a difference along two directions. The other ops
have no such results or operands, have sizes known only at run time, or are state. An op that
quantizes and dequantizes has the derivative that TensorFlow defines, so that training works:
it passes the gradient on within its limits.
"""


def records(path):
    tool = LLVM / "bin/llvm-tblgen"
    command = [str(tool) if tool.exists() else shutil.which("llvm-tblgen")]
    command += ["--dump-json", f"-I{ROOT}", f"-I{LLVM}/include", str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def plain(formula):
    """A formula without the marks of C++."""
    formula = re.sub(r"apply<(\w+?)Op>",
                     lambda m: re.sub(r"(?<!^)(?=[A-Z])", "_", m[1]).lower(), formula)
    formula = re.sub(r"(\w+)\.like\(([^()]*)\)", r"\2", formula)
    return formula.replace("getAlpha().convertToDouble()", "alpha")


def derivative(record):
    if record["gradient"] if "gradient" in record else False:
        parts = [f"`{plain(f)}`" if f else "none" for f in record["gradient"]]
        return ", ".join(parts)
    return {"rule": "rule", "regions": "rule", "none": "none", "zero": "zero"}[
        record["derivative"]]


def listed():
    """The ops of each framework that weir imports."""
    ops = {}
    for line in OPS.read_text().splitlines():
        if line.startswith("## "):
            ops[line[3:]] = own = []
        elif cells := re.match(r"\| ([\w.:]+) \|", line):
            own.append(cells[1])
    return {name: set(own) - {"Op"} for name, own in ops.items()}


def stated():
    """What the page says: of each framework the ops with a derivative, and those whose
    is zero."""
    found, parts = {}, re.split(r"^## (.*)\n", PAGE.read_text(), flags=re.M)
    for name, text in zip(parts[1::2], parts[2::2]):
        if name in FRAMEWORKS:
            found[name] = [re.findall("`(.+?)`", part) for part in text.split("\nZero: ")]
    return found


def measured(path):
    """What the page says, but of the ops that have been tried what was found."""
    found = {name: [set(), set()] for name in FRAMEWORKS}
    for name, lists in stated().items():
        found[name] = [set(ops) for ops in lists]
    for line in pathlib.Path(path).read_text().splitlines():
        op, outcome, *_ = json.loads(line)
        name = "ONNX" if op.startswith("onnx:") else "TensorFlow"
        op = op.removeprefix(FRAMEWORKS[name])
        for ops, kind in zip(found[name], ("passes", "zero")):
            (ops.add if kind == outcome else ops.discard)(op)
    return found


def frameworks(found):
    text, all = "", listed()
    for name, (ops, zeros) in found.items():
        strangers = (set(ops) | set(zeros)) - all[name]
        if strangers:
            sys.exit(f"{PAGE.name} names what {OPS.name} has not: {sorted(strangers)}")
        text += f"\n## {name}\n\n{len(ops)} of {len(all[name])} ops have a derivative, and "
        text += f"of {len(zeros)} it is zero.\n"
        for start, each in (("", ops), ("Zero: ", zeros)):
            line = start + " ".join(f"`{op}`" for op in sorted(each))
            text += "\n" + textwrap.fill(line, 86, break_long_words=False,
                                         break_on_hyphens=False) + "\n"
    return text


def page():
    text = HEAD
    if "--measured" in sys.argv:
        text += frameworks(measured(sys.argv[sys.argv.index("--measured") + 1]))
    else:
        text += frameworks(stated())
    for path in sorted((ROOT / "dialects/graph").rglob("*.td")):
        names = [line.split()[1] for line in path.read_text().splitlines()
                 if re.match(r"def Graph_\w+Op\b", line)]
        if not names:
            continue
        found = records(path)
        rows = [(found[name]["opName"], derivative(found[name])) for name in names
                if "derivative" in found[name]]
        text += f"\n## {re.sub('(Ops)?.td', '', path.name)}\n\n| op | derivative |\n| --- | --- |\n"
        text += "".join(f"| `{op}` | {what} |\n" for op, what in rows)
    return text


def main():
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit(f"{PAGE.name} is not current: run docs/gradients.py")


if __name__ == "__main__":
    main()
