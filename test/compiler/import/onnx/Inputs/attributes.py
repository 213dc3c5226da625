"""attributes.py FOLDER: checks that the tables of attributes in FOLDER have an entry for each
imported operator of ONNX, and that their lines are sorted and well formed."""

import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"[\w.:]+ \d+( \w+=[fistgFISTGxXpP])*")
known = set()
for name in ("Specified.inc", "Further.inc"):
    text = (pathlib.Path(sys.argv[1]) / name).read_text()
    lines = text.split('R"(\n')[1].split('\n)"')[0].splitlines()
    for line in lines:
        assert LINE.fullmatch(line), f"{name}: malformed: {line}"
        words = line.split()
        assert words[2:] == sorted(words[2:]), f"{name}: attributes out of order: {line}"
        known.add(words[0])
    entries = [(line.split()[0], int(line.split()[1])) for line in lines]
    assert len(entries) == len(set(entries)), f"{name}: two lines for one version"
listed = subprocess.run(["weir", "inspect", "--list-ops"], check=True, text=True, capture_output=True).stdout
missing = [op for frontend, op in map(str.split, listed.splitlines()) if frontend == "onnx" and op not in known]
assert not missing, f"no attributes are known of {missing}"
