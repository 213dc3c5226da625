#!/usr/bin/python3
"""Writes docs/gradients.md: which op has which derivative, off the definitions.

  gradients.py [--check]

With --check, fails where the page is not what it would write. Needs llvm-tblgen
and MLIR's definitions, as the build does.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/gradients.md"
LLVM = pathlib.Path("/usr/lib/llvm-19")
HEAD = """# Gradients

Written by `docs/gradients.py` off the op definitions: do not edit.

Of a TensorFlow graph or an ONNX model, `weir compile MODEL --grad=LOSS:VAR,...` adds
an entry `gradients`, whose results are called `gradients/VAR`: the derivatives of the
sum of `LOSS` by each `VAR`, an input, an initializer or any other tensor or variable
of the model. A second `--grad` gives `gradients_1/VAR`, and may have a gradient of the
first as its loss. At kinks, derivatives are TensorFlow's.

In a formula, `g` is the gradient of the result, `r` the result, and `x` and `y`
are the operands; there is one for each operand. A *rule* is longer than that and
stands in `dialects/graph/gradients`. *Zero* lets nothing pass: the op is constant
between its jumps, or has no floats. Where there is *none*, a gradient that comes
to the op is an error that names the path on which it lies.
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


def page():
    text = HEAD
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
