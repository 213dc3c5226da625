"""times.py REPORT PROFILE: checks that the report has all times of a profile, each at its kernel."""

import json
import sys

report, profile = (json.load(open(path)) for path in sys.argv[1:3])
assert report["profile"]["runs"] == profile["runs"]
for program in report["plan"]["programs"]:
    of = [task for task in profile["tasks"] if task["function"] == program["function"]]
    tasks = program["schedule"]["tasks"]
    steps = {}
    for task in tasks:
        steps.setdefault(task["step"], []).append(task)
    # The sum of the times is the same, for copies and for kernels.
    for kind, found in ((True, program["copies"]), (False, tasks)):
        wanted = sum(task["us"] for task in of if (task["kernel"] == "copy") == kind)
        assert abs(sum(each.get("us", 0) for each in found) - wanted) < 1e-3, (kind, wanted)
    # So are those of each kernel, where steps have one kernel.
    for kernel in {task["kernel"] for task in tasks}:
        if all(len({each["kernel"] for each in step}) == 1 for step in steps.values() if step[0]["kernel"] == kernel):
            wanted = sum(task["us"] for task in of if kernel in task["kernel"].split(" + "))
            got = sum(task.get("us", 0) for task in tasks if task["kernel"] == kernel)
            assert abs(got - wanted) < 1e-3, (kernel, got, wanted)
