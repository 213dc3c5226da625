"""plant.py PLAN NODE constant OLD NEW, or plant.py PLAN NODE group: plants a fault in a plan.

`constant` replaces one constant of the kernel of the node. `group` puts the task of the node and the
task after it, which reads its result, into one group: so there is no barrier between them.
"""

import re
import sys

path, node, kind = sys.argv[1:4]
lines = open(path).read().split("\n")


def locations():
    """The names of the locations of a node, and of those of several nodes that have it."""
    found = []
    for line in lines:
        if match := re.match(rf'(#loc\d*) = loc\("{re.escape(node)}"\(', line):
            found.append(match[1])
        elif match := re.match(r"(#loc\d*) = loc\(fused\[(.*)\]\)", line):
            if set(found) & set(match[2].split(", ")):
                found.append(match[1])
    return found


def runs():
    """The numbers of the lines with a run of the node."""
    ends = tuple(f"loc({name})" for name in locations())
    return [i for i, line in enumerate(lines) if "plan.run @" in line and line.endswith(ends)]


if kind == "constant":
    old, new = sys.argv[4:]
    kernel = re.search(r"@(\w+)\(", lines[runs()[0]])[1]
    begin = next(i for i, line in enumerate(lines) if f"func.func private @{kernel}(" in line)
    end = next(i for i in range(begin, len(lines)) if lines[i].startswith("  }"))
    found = [i for i in range(begin, end) if f"arith.constant {old} " in lines[i]]
    assert len(found) == 1, (kernel, found)
    lines[found[0]] = lines[found[0]].replace(f"arith.constant {old} ", f"arith.constant {new} ")
else:
    first = runs()[0]
    operands = re.search(r"\(([^)]*)\)", lines[first])[1].split(", ")
    assert operands[-1] in lines[first + 1], "the next task does not read the result"
    for i in (first, first + 1):
        assert "task_group" not in lines[i], lines[i]
        lines[i] = lines[i].replace(") : (", ") {task_group = 1000 : i64} : (", 1)

open(path, "w").write("\n".join(lines))
