"""summary.py RESULTS.json: prints how many of lit's tests passed; 1 if any failed."""

import json
import sys
from collections import Counter
from pathlib import Path

results = Path(sys.argv[1])
if not results.exists():
    sys.exit("0 passed, 0 failed: no test ran")
codes = Counter(t["code"] for t in json.loads(results.read_text())["tests"])
passed = sum(codes.pop(code, 0) for code in ("PASS", "FLAKYPASS", "XFAIL"))
left_out = sum(codes.pop(code, 0) for code in ("UNSUPPORTED", "EXCLUDED", "SKIPPED"))
failed = sum(codes.values())
more = f", {left_out} skipped" if left_out else ""
print(f"{passed} passed, {failed} failed{more}")
sys.exit(failed > 0 or passed == 0)
