#!/usr/bin/python3
"""Runs the code of a guide page, so that no page shows a command that fails.

blocks.py PAGE FOLDER [OTHER]

Goes through the fenced blocks of PAGE in order, in FOLDER, which it empties first:

- A block whose first line is a comment with a file's name (`// main.cpp`) becomes
  that file.
- A block of sh runs by bash, which ends at the first command that fails.
- The next block of text is the output, of both streams. A line `...` stands for
  any lines, `...` within a line for any text.

A comment `<!-- skip -->` before a block skips it; `<!-- fails -->` before a block of sh expects a
status other than 0. The files of the page OTHER exist from the beginning, for a page whose
commands use them.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(
    r"^(?:<!-- (?P<mark>\w+) -->\n+)?```(?P<language>\w*)\n(?P<body>.*?)^```$",
    re.M | re.S)
# The commands of pages contain python3: the Python with NumPy that runs this script.
PRELUDE = f'python3() {{ {shlex.quote(sys.executable)} "$@"; }}\n'
NAMED = re.compile(r"(?://|#|/\*) (?P<name>[\w.-]+\.\w+)(?: \*/)?\n")


def pattern(text):
    """The regular expression of an output with `...` in it."""
    lines = []
    for line in text.splitlines():
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(map(re.escape, line.split("..."))) + r"\n")
    return "".join(lines)


def main(page, folder, other=None):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if other:
        for block in FENCE.finditer(other.read_text()):
            if named := NAMED.match(block["body"]):
                (folder / named["name"]).write_text(block["body"])
    output, ran = None, 0
    for block in FENCE.finditer(page.read_text()):
        mark, language, body = block["mark"], block["language"], block["body"]
        if mark not in (None, "skip", "fails"):
            sys.exit(f"{page.name}: what is the mark '{mark}'?")
        if mark == "skip":
            output = None
        elif named := NAMED.match(body):
            (folder / named["name"]).write_text(body)
        elif language == "sh":
            print(body, end="", flush=True)
            run = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", PRELUDE + body], cwd=folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True)
            output, ran = run.stdout, ran + 1
            print(output, end="", flush=True)
            if (run.returncode != 0) != (mark == "fails"):
                sys.exit(f"{page.name}: the block ends with status {run.returncode}")
        elif language == "text" and output is not None:
            if not re.fullmatch(pattern(body), output):
                sys.exit(f"{page.name}: the output is not what the page shows:\n{body}")
            output = None
    if not ran:
        sys.exit(f"{page.name}: has no block that runs")
    print(f"{page.name}: {ran} blocks ran")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
