"""page.py PAGE EARLY...: what the page of a report does in a browser.

The page is of Inputs/net.py with a profile. Each check is one thing that a user does. The
other pages are of compilations that ended early.
"""

import sys

from browser import Browser

page = sys.argv[1]


def text(browser, selector):
    return browser.run("const found = document.querySelector(arguments[0]); return found && found.textContent", selector)


def loads(browser):
    assert browser.open(page) > 0
    assert browser.run("return document.querySelectorAll('.tabs button').length") == 10
    assert browser.run("return document.documentElement.scrollWidth") <= 1280
    # Nothing is fetched, and names of the model are text.
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.run("return window.hostile === undefined && !document.querySelector('main b, main img')")


def views(browser):
    """Each tab shows its view, by keys too, and none is wider than the page."""
    for name in browser.run("return tabs.map(tab => tab[0])"):
        browser.click(f"#tab-{name}")
        assert text(browser, f"#view-{name}"), name
        assert browser.run("return document.documentElement.scrollWidth") <= 1280, name
        assert browser.run("return location.hash.startsWith('#' + arguments[0])", name), name
    browser.type("Right")
    assert browser.run("return document.activeElement.id") == "tab-overview"
    browser.type("Right")
    assert browser.run("return document.activeElement.getAttribute('aria-selected')") == "true"
    assert browser.run("return state.view") == "graph"


def finds(browser):
    """The search finds a node, and Enter shows it in the graph."""
    browser.type("/")
    browser.type("block2/relu")
    assert browser.wait("return document.querySelectorAll('.hits li').length") >= 1
    assert text(browser, ".hits li .name") == "stage1/block2/relu"
    browser.type("Enter")
    assert text(browser, ".details h2") == "stage1/block2/relu"
    assert browser.run("return state.view") == "graph"
    assert browser.run("return document.querySelector('.box.selected').box.node.name") == "stage1/block2/relu"
    assert "32x32xf32" in text(browser, ".details dl")
    operands = text(browser, ".details")
    assert "Operands" in operands and "stage1/block2/add" in operands, operands
    assert "time per run" in operands, operands


def details(browser):
    """A click and Enter open the details, Escape closes them, arrows go along lines."""
    browser.type("Escape")
    assert browser.run("return document.querySelector('.details').classList.contains('hidden')")
    browser.run("views.graph.fitted = false; views.graph.resize()")
    browser.wait("return document.querySelectorAll('#view-graph .box.leaf, #view-graph .box.op').length")
    browser.click("#view-graph .box.op")
    first = text(browser, ".details h2")
    assert first, "a click shows no details"
    browser.type("Down", "Enter")
    assert text(browser, ".details h2") != first
    browser.run("views.graph.svg.blur(); views.graph.scene.focus(views.graph.tree.boxes.get(0), true)")
    browser.type("Enter")
    assert text(browser, ".details .kind") == "input"


def opens(browser):
    """A space closes and opens a scope."""
    count = "return document.querySelectorAll('#view-graph .box.closed').length"
    browser.run("const box = views.graph.placed.boxes.find(each => each.kind === 'scope');"
                "views.graph.centre(box); views.graph.scene.focus(box, true)")
    before = browser.run("return views.graph.placed.boxes.length")
    browser.type("Space")
    assert browser.run("return views.graph.placed.boxes.length") < before
    assert browser.run("return document.activeElement.getAttribute('aria-expanded')") == "false"
    browser.type("Space")
    assert browser.run("return views.graph.placed.boxes.length") == before
    assert browser.run(count) > 0


def zooms(browser):
    """Wheel, keys and buttons scale, and a drag moves, the graph and the memory plan."""
    scale = "return views.graph.view.k"
    before = browser.run(scale)
    browser.wheel("#view-graph .canvas", -300)
    browser.wait("return views.graph.view.k > arguments[0]", before)
    browser.click("#view-graph .zoom button:nth-child(3)")
    before = browser.run(scale)
    browser.click("#view-graph .zoom button:nth-child(1)")
    assert browser.run(scale) > before
    x = browser.run("return views.graph.view.x")
    browser.drag("#view-graph .canvas", 60, 30)
    assert browser.run("return views.graph.view.x") != x
    browser.click("#tab-memory")
    browser.wheel("#view-memory .canvas", -500)
    browser.wait("return views.memory.lanes.kx > 1.5")
    browser.run("views.memory.lanes.svg.focus()")
    browser.type("0")
    browser.wait("return views.memory.lanes.kx === 1")
    browser.type("+")
    browser.wait("return views.memory.lanes.kx > 1")


def plans(browser):
    """Buffers have names, and the curve of live bytes ends at the size of the largest sum."""
    assert browser.run("return document.querySelectorAll('#view-memory .mark').length") > 2
    browser.run("views.memory.lanes.fit()")
    browser.wait("return views.memory.lanes.kx === 1")
    browser.run("views.memory.lanes.focus(views.memory.lanes.chart.rects[0], true)")
    assert browser.run("return !document.querySelector('.tip').classList.contains('hidden')")
    assert "offset" in text(browser, "#view-memory .tip")
    browser.type("Enter")
    assert text(browser, ".details .kind") in ("buffer", "scratch of a kernel")
    live = browser.run("return Math.max(...liveBytes(model.programs[0]))")
    assert browser.run("return model.plan.max_live_bytes") == live


def sorts(browser):
    """A header sorts, again in the other order, and the search keeps the rows that match."""
    browser.click("#tab-nodes")
    names = ("return [...document.querySelectorAll('#view-nodes .rows .row')]"
             ".map(row => row.firstChild.textContent)")
    browser.click("#view-nodes .head .cell:nth-child(1) button")
    up = browser.run(names)
    assert up == sorted(up) and len(set(up)) > 3, up
    assert browser.run("return document.querySelector('#view-nodes .head .cell').getAttribute('aria-sort')") == "ascending"
    browser.click("#view-nodes .head .cell:nth-child(1) button")
    assert browser.run(names) == up[::-1]
    times = browser.run("return views.nodes.grid.columns.findIndex(column => column.title === 'time')")
    browser.click(f"#view-nodes .head .cell:nth-child({times + 1}) button")
    sizes = browser.run("return views.nodes.grid.found.map(node => node.us || 0)")
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 0, sizes
    browser.click("#view-nodes input")
    browser.type("block2 relu")
    assert browser.run(names) == ["stage1/block2/relu"]


def links(browser):
    """A row leads to the graph, and from there to the row of the kernel."""
    browser.click("#view-nodes .rows .row")
    assert text(browser, ".details h2") == "stage1/block2/relu"
    browser.click(".details .links button:nth-child(1)")
    assert browser.run("return state.view") == "graph"
    assert browser.run("return document.querySelector('.box.selected').box.node.name") == "stage1/block2/relu"
    browser.run("[...document.querySelectorAll('.details .links button')].find(each => each.textContent === 'Kernels').click()")
    assert browser.run("return state.view") == "kernels"
    kernel = browser.run("return document.querySelector('#view-kernels .row.selected .cell').textContent")
    assert kernel.startswith("kernel_"), kernel
    browser.click("#tab-schedule")
    browser.run("document.querySelector('#view-schedule .mark').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert "time per run" in text(browser, ".details")


def addresses(browser):
    """The address of a node shows it again."""
    browser.open(page, "#graph/0/0")
    assert text(browser, ".details h2") == browser.run("return model.functions[0].nodes[0].name")
    assert browser.run("return state.view") == "graph"


with Browser() as browser:
    for check in (loads, views, finds, details, opens, zooms, plans, sorts, links, addresses):
        check(browser)
        problems = browser.log()
        assert not problems, (check.__name__, problems)
        print(check.__name__)
with Browser(dark=True) as browser:
    browser.open(page)
    colour = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert max(map(int, colour[4:-1].split(","))) < 64, colour
    print("dark")
    for early in sys.argv[2:]:
        browser.open(early)
        for name in browser.run("return tabs.map(tab => tab[0])"):
            browser.click(f"#tab-{name}")
        titles = browser.run("return tabs.map(tab => tab[1])")
        assert not browser.log()
        print(f"{early}: {', '.join(titles)}")
