#!/usr/bin/python3
"""walk.py ROOT: checks docs/walk.md. The files of its table exist, there are at most 25, each has
its paragraph in their order, and a function that a paragraph names is in its file. Prints one line
a breach; exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

MAX_FILES = 25
root = Path(sys.argv[1])
text = re.sub(r"^```.*?^```$", "", (root / "docs/walk.md").read_text(), flags=re.M | re.S)
named = list(dict.fromkeys(re.findall(
    r"`((?:compiler|dialects|passes|runtime|tools)/[\w/]+\.\w+)`", text)))
paragraphs = re.findall(r"^- \*\*(\d+)\*\* `([^`]+)`((?:.|\n(?!\n|- ))*)", text, re.M)

breaches = [f"{path} does not exist" for path in named if not (root / path).exists()]
if len(named) > MAX_FILES:
    breaches.append(f"{len(named)} files, over {MAX_FILES}")
if [(str(i), path) for i, path in enumerate(named, 1)] != [each[:2] for each in paragraphs]:
    breaches.append("the paragraphs are not those of the table, in its order")
for _, path, said in paragraphs:
    code = (root / path).read_text() if (root / path).exists() else ""
    for name in re.findall(r"`([A-Za-z]\w+)`", said):
        if not re.search(rf"\b{name}\b", code):
            breaches.append(f"{path} has no {name}")
print("\n".join(f"docs/walk.md: {breach}" for breach in breaches), end="\n" * bool(breaches))
sys.exit(bool(breaches))
