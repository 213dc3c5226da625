"""data.py JSON PAGE...: checks the graph and the plan of a report, and that pages have the same data."""

import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script":
            self.scripts[-1] += data


def unique(report):
    """A report without what differs between equal compilations."""
    return dict(report, arguments=0, stages=[stage["stage"] for stage in report["stages"]])


def check_graph(report):
    nodes = report["graph"][0]["nodes"]
    names = [node["name"] for node in nodes]
    for i in range(4):
        for name in ("product", "bias", "add", "relu"):
            assert names.count(f"stage{i // 2}/block{i}/{name}") == 1, names
    relu, add = (nodes[names.index(f"stage1/block2/{name}")] for name in ("relu", "add"))
    assert relu["op"] == "relu" and relu["results"] == ["32x32xf32"], relu
    assert relu["inputs"] == [[names.index("stage1/block2/add"), 0]], relu
    assert [nodes[i]["name"] for i, _ in add["inputs"]] == ["stage1/block2/bias", "stage0/block1/relu"], add
    assert nodes[names.index("stage1/block2/product")]["multiply_adds"] == 32 * 32 * 32
    group = report["groups"][relu["group"]]
    assert {node["name"] for node in nodes if node.get("group") == relu["group"] and node["kind"] == "op"} == {
        f"stage1/block2/{name}" for name in ("product", "bias", "add", "relu")}
    assert group["ops"] == ["matmul", "add", "add", "relu"], group
    assert group["multiply_adds"] == 32 * 32 * 32
    assert group["bytes_written"] == 4 * 32 * 32
    assert group["kernel"] in [kernel["name"] for kernel in report["kernels"]]


def check_plan(report):
    program = report["plan"]["programs"][0]
    tasks = program["schedule"]["tasks"]
    # Each group is one task, of its kernel.
    groups = [report["groups"][task["group"]] for task in tasks]
    assert sorted(task["group"] for task in tasks) == list(range(len(report["groups"])))
    assert [group["kernel"] for group in groups] == [task["kernel"] for task in tasks]
    live = [0] * program["moments"]
    for buffer in program["buffers"]:
        assert 0 <= buffer["offset"] and buffer["offset"] + buffer["bytes"] <= report["plan"]["arena_bytes"]
        assert buffer["tasks"], buffer
        for task in buffer["tasks"]:
            assert buffer["first"] <= tasks[task]["at"] <= buffer["last"], (buffer, tasks[task])
        for at in range(buffer["first"], buffer["last"] + 1):
            live[at] += (buffer["bytes"] + 63) // 64 * 64
    assert max(live) == report["plan"]["max_live_bytes"], (max(live), report["plan"])
    weights = {weight["offset"]: weight["bytes"] for weight in program["weights"]}
    assert sum(weights.values()) <= report["plan"]["weights_bytes"] < sum(weights.values()) + 64 * len(weights)


def check_page(text, report):
    page = Page(text)
    assert page.tags == ["html", "head", "meta", "meta", "meta", "title", "style", "body", "noscript", "svg",
                         "script", "script"], page.tags
    assert unique(json.loads(page.scripts[0])) == unique(report)
    policy = re.search(r'content="(default-src [^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-"), policy
    assert "unsafe" not in policy and "://" not in text.replace(json.dumps(report["model"][0]["file"]), "")


report = json.load(open(sys.argv[1]))
check_graph(report)
check_plan(report)
pages = [open(path).read() for path in sys.argv[2:]]
for page in pages:
    check_page(page, report)
# Pages of equal compilations differ in times alone.
same = {re.sub(r'"seconds":[0-9.e+-]+', "", page) for page in pages}
assert len(same) == 1
