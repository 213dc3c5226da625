"""trace.py FILE [NAME[=DETAIL]]...: fails where FILE is no trace of Chrome's, or lacks a complete event of that name and detail."""

import json
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)["traceEvents"]
complete = [event for event in events if event["ph"] == "X"]
for event in complete:
    assert event["dur"] >= 0 and event["ts"] >= 0 and event["name"], event
seen = {(event["name"], event.get("args", {}).get("detail")) for event in complete}
names = {name for name, _ in seen}
for wanted in sys.argv[2:]:
    name, _, detail = wanted.partition("=")
    if name not in names or (detail and (name, detail) not in seen):
        sys.exit(f"trace.py: no event '{wanted}' among {sorted(names)}")
