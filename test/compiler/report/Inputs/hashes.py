"""hashes.py REPORT: checks that the report's hashes are those of the files."""

import hashlib
import json
import sys

report = json.load(open(sys.argv[1]))
files = report["model"] + report["products"]
assert [file["file"] for file in files] == ["m.pbtxt", "m.so", "m.h"], files
for file in files:
    data = open(file["file"], "rb").read()
    assert file["bytes"] == len(data)
    assert file["sha256"] == hashlib.sha256(data).hexdigest(), file
