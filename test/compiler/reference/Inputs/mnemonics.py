"""mnemonics.py FILE: prints the mnemonic of each op that TableGen definitions have, sorted."""

import re
import sys

text = re.sub(r"//.*", "", open(sys.argv[1]).read())
# `def Graph_AddOp : Graph_BinaryFunction<"add", ...`, and without a class `Op<Graph_Dialect, "check", ...`.
found = re.findall(r'^def Graph_\w+Op\s*:\s*\w+<\s*(?:Graph_Dialect\s*,\s*)?"(\w+)"', text, re.M)
print(*sorted(found), sep="\n")
