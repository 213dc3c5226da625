"""heads.py FILE [TYPE]: writes a graph of attentions whose rows and columns fill no tile. Some
heads are deep, and some have rows with any alignment."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from graphdef import Graph

kind = sys.argv[2] if len(sys.argv) > 2 else "DT_HALF"
g = Graph()
g.const("eighth", 0.125, kind)


def attend(name, rows, columns, depth):
    def op(part, called, *inputs, **attributes):
        return g.op(f"{name}_{part}", called, *inputs, T=kind, **attributes)

    q, k, v = (g.placeholder(f"{name}_{side}", (2, 3, lines, depth), kind)
               for side, lines in (("q", rows), ("k", columns), ("v", columns)))  # fmt: skip
    mask = g.placeholder(f"{name}_mask", (2, 1, rows, columns), kind)
    scores = op("scores", "BatchMatMulV2", q, k, adj_y=True)
    masked = op("masked", "AddV2", op("scaled", "Mul", scores, "eighth"), mask)
    op("sums", "BatchMatMulV2", op("weights", "Softmax", masked), v)


for depth in (32, 64, 65, 100, 191, 256, 512):
    attend(f"some{depth}", 61, 77, depth)
    attend(f"one{depth}", 1, 300, depth)
attend("many191", 197, 197, 191)
attend("many256", 197, 197, 256)
Path(sys.argv[1]).write_text(g.text())
