"""large.py PAGE: the page of a report, with the data of a net that is much deeper."""

import json
import re
import sys

from browser import Browser

MOST_MS = 20000  # a machine that runs other tests takes several times the usual time
COPIES = 320


def repeated(report, is_flat):
    """The nodes, groups, tasks and buffers, one copy after the other."""
    function, program = report["graph"][0], report["plan"]["programs"][0]
    nodes, groups, tasks, buffers = function["nodes"], report["groups"], program["schedule"]["tasks"], program["buffers"]
    last = max(i for i, node in enumerate(nodes) if node["kind"] == "op")
    result = {"nodes": [], "groups": [], "tasks": [], "buffers": []}
    for copy in range(COPIES):
        scope = f"part{copy}_" if is_flat else f"stage{copy // 16}/part{copy}/"
        first = copy * len(nodes)
        for node in nodes:
            node = dict(node, name=scope + node["name"], inputs=[[first + i, k] for i, k in node.get("inputs", [])])
            if copy and node["kind"] == "input":
                node.update(kind="op", op="identity", inputs=[[first - len(nodes) + last, 0]])
            if "group" in node:
                node["group"] += copy * len(groups)
            result["nodes"].append(node)
        result["groups"] += [dict(group, node=scope + group["node"]) for group in groups]
        steps, moments = program["schedule"]["steps"], program["moments"]
        result["tasks"] += [dict(task, step=task["step"] + copy * steps, at=task["at"] + copy * moments,
                                 group=task["group"] + copy * len(groups)) for task in tasks]
        result["buffers"] += [dict(each, first=each["first"] + copy * moments, last=each["last"] + copy * moments,
                                   tasks=[task + copy * len(tasks) for task in each["tasks"]]) for each in buffers]
    function["nodes"], report["groups"] = result["nodes"], result["groups"]
    program.update(buffers=result["buffers"], moments=COPIES * program["moments"])
    program["schedule"].update(tasks=result["tasks"], steps=COPIES * program["schedule"]["steps"])
    return report


page = open(sys.argv[1]).read()
data = re.search(r'(<script type="application/json" id="data">)(.*?)(</script>)', page, re.S)
for name in ("scopes", "flat"):
    report = repeated(json.loads(data[2]), name == "flat")
    # No name of the copies is markup; the hostile one of the net stays an escape.
    text = json.dumps(report).replace("<", "\\u003c")
    with open(f"{name}.html", "w") as file:
        file.write(page[:data.start(2)] + text + page[data.end(2):])
    with Browser() as browser:
        times = {"ready": browser.open(f"{name}.html")}
        for view in ("graph", "memory", "schedule", "nodes", "buffers"):
            times[view] = browser.run("const begin = performance.now(); showView(arguments[0]);"
                                      "document.body.offsetHeight; return performance.now() - begin", view)
        times["open all"] = browser.run("showView('graph'); const begin = performance.now(); views.graph.openAll(true);"
                                        "document.body.offsetHeight; return performance.now() - begin")
        # Only boxes in view are elements.
        elements = browser.run("return document.querySelectorAll('*').length")
        rows = browser.run("showView('nodes'); return document.querySelectorAll('#view-nodes .row').length")
        count = browser.run("return model.functions[0].nodes.length")
        assert browser.run("return views.graph.placed.boxes.length") > 3000
        assert elements < 6000 and rows < 100, (elements, rows)
        assert max(times.values()) < MOST_MS, times
        assert not browser.log()
    print(f"{name}: {count} nodes,", {key: round(value) for key, value in times.items()})
