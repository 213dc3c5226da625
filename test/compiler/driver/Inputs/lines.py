"""lines.py OBJECT TEXT: compares the line table of an object with the text that it refers to.
Prints the functions of which at least 90 % of the instructions have a line, and for each mnemonic
the op that most of its instructions are from."""

import bisect
import collections
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def line_ranges(path):
    """(section, first address, end, line), sorted."""
    ranges = []
    before = None
    for row in output("llvm-dwarfdump", "--debug-line", path).splitlines():
        if not (match := re.match(r"0x([0-9a-f]+) +(\d+) +\d+ +\d+ (.*)", row)):
            continue
        address, line = int(match[1], 16), int(match[2])
        if before:
            ranges.append((before[0], address, before[1]))
        before = None if "end_sequence" in match[3] else (address, line)
    return sorted(ranges)


def main():
    path, text = sys.argv[1], open(sys.argv[2]).read().splitlines()
    ranges = line_ranges(path)
    counts, ops = {}, collections.defaultdict(collections.Counter)
    function = None
    for row in output("llvm-objdump", "-d", "--no-show-raw-insn", path).splitlines():
        if match := re.match(r"[0-9a-f]+ <(.*)>:", row):
            function = match[1]
        match = re.match(r" *([0-9a-f]+): +\t?([a-z0-9]+)", row)
        if not match or match[2].startswith(("nop", "data16", "cs")):
            continue
        address = int(match[1], 16)
        i = bisect.bisect_right(ranges, (address, float("inf"), 0)) - 1
        line = ranges[i][2] if i >= 0 and address < ranges[i][1] else 0
        total, known = counts.get(function, (0, 0))
        counts[function] = total + 1, known + (line > 0)
        if line:
            op = re.search(r"(?:= |^ *)([a-z_]+\.[a-z_.0-9]+)", text[line - 1])
            ops[match[2]][op[1] if op else ""] += 1
    for name, (total, known) in counts.items():
        if known >= 0.9 * total:
            print(f"{name}: at least 90 % of the instructions have a line")
    for mnemonic, found in ops.items():
        print(f"{mnemonic}: {found.most_common(1)[0][0]}")


main()
