#!/usr/bin/python3
"""links.py ROOT [SITE]: checks the links of README.md and docs/**/*.md, and of a built website.

A relative link must lead to a file or a folder, and its anchor to a heading or an id there. The
website must also load nothing from the network. Prints one line a broken link; exits with 1 if
there is one.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.M | re.S)
CODE = re.compile(r"(`+)[^`].*?\1")
LINKS = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)"
                   r"|(?:href|src|srcset)=\"([^\"]+)\"", re.M)
EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//")
# Attributes by which a page loads what it shows; what it links to is another matter.
LOADS = {"img": "src", "script": "src", "link": "href", "source": "srcset", "iframe": "src"}

breaches = []


def anchors(text):
    """The anchors of a page as GitHub makes them."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    counts = {}
    for heading in re.findall(r"^#{1,6} +(.*?)#*$", FENCE.sub("", text), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def pages(root):
    texts = {}
    for path in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        texts[path.resolve()] = path.read_text()
    for path, text in texts.items():
        for groups in LINKS.findall(CODE.sub("", FENCE.sub("", text))):
            target = next(filter(None, groups))
            if EXTERNAL.match(target):
                continue
            file, _, anchor = unquote(target).partition("#")
            aim = (path.parent / file).resolve() if file else path
            if not aim.exists():
                breaches.append(f"{path.relative_to(root)}: {target} does not exist")
            elif anchor and aim in texts and anchor not in anchors(texts[aim]):
                breaches.append(f"{path.relative_to(root)}: {target} has no such heading")


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        for name in ("href", "src", "srcset"):
            if attributes.get(name):
                self.links.append(attributes[name])
                if LOADS.get(tag) == name and attributes.get("rel") != "canonical":
                    self.loads.append(attributes[name])


def site(root):
    parsed = {path.resolve(): Page(path) for path in root.rglob("*.html")}
    for path, page in parsed.items():
        # The page for a link that leads nowhere is shown at any address.
        if path.name == "404.html":
            continue
        name = path.relative_to(root)
        for target in page.loads:
            if EXTERNAL.match(target) and not target.startswith("data:"):
                breaches.append(f"{name}: loads {target} from the network")
        for target in page.links:
            if EXTERNAL.match(target):
                continue
            file, _, anchor = unquote(target).partition("#")
            aim = (path.parent / file.partition("?")[0]).resolve() if file else path
            if aim.is_dir():
                aim /= "index.html"
            if not aim.exists():
                breaches.append(f"{name}: {target} does not exist")
            elif anchor and aim in parsed and anchor not in parsed[aim].ids:
                breaches.append(f"{name}: {target} has no such heading")


pages(Path(sys.argv[1]).resolve())
for folder in sys.argv[2:]:
    site(Path(folder).resolve())
print("\n".join(dict.fromkeys(breaches)))
sys.exit(bool(breaches))
