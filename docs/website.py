#!/usr/bin/python3
"""website.py [--reference DIR] [--bin DIR] OUT: builds the documentation as a website, offline.

OUT/pages gets the pages: those of docs/, README.md as the start page, the pages of the
definitions in DIR (target weir_docs writes them), one page of all options from the help of the
tools in BIN, and each file of the tree that a page links to. OUT/site gets the website.
docs/mkdocs.yml has the navigation. An entry `name: folder/*` stands for the pages of a folder.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
# Pages of the tree that are not below docs/, and what becomes of those that would be start pages.
PLACES = {"README.md": "index.md", "docs/README.md": "contents.md"}
GROUPS = {"dialects": "Operations", "passes": "Passes"}
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))|((?:src|srcset|href)=\")([^\"]+)(\")")


def place(path):
    """Where a file of the tree is among the pages."""
    if path in PLACES:
        return PLACES[path]
    if path.startswith("docs/"):
        path = path.removeprefix("docs/")
        return re.sub(r"(^|/)README\.md$", r"\1index.md", path)
    return path if path.endswith(".md") else f"tree/{path}"


def definitions(path):
    """The page of the reference for a .td file."""
    return f"reference/{path.removesuffix('.td').replace('/', '-')}.md"


class Pages:
    def __init__(self, out):
        self.out, self.done, self.waiting = out, set(), []

    def write(self, name, text):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add(self, path):
        if path not in self.done:
            self.done.add(path)
            self.waiting.append(path)

    def copy(self):
        while self.waiting:
            path = self.waiting.pop()
            if path.endswith(".md"):
                self.write(place(path), markdown(self.relinked(path, (ROOT / path).read_text())))
            else:
                target = self.out / place(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, target)

    def relinked(self, path, text):
        """The text with links to where the files of the tree are among the pages."""
        def link(match):
            before, target, after = (match[1], match[2], match[3]) if match[1] else match.groups()[3:6]
            if re.match(r"[a-z]+:|#|/", target):
                return match[0]
            file, sign, anchor = target.partition("#")
            aim = os.path.normpath(os.path.join(os.path.dirname(path), file))
            if (ROOT / aim).is_dir():
                aim = f"{aim}/README.md"
                to = place(aim)
                if (ROOT / aim).exists():
                    self.add(aim)
            elif aim.endswith(".td") and (self.out / definitions(aim)).exists():
                to = definitions(aim)
            elif (ROOT / aim).exists():
                self.add(aim)
                to = place(aim)
            else:
                return match[0]  # mkdocs reports it
            to = os.path.relpath(to, os.path.dirname(place(path)) or ".")
            return f"{before}{to}{sign}{anchor}{after}"

        return outside_of_code(text, lambda part: LINK.sub(link, part))


def outside_of_code(text, change):
    """Changes what is in neither a fence nor a span of code."""
    parts = re.split(r"(^ *(?:```|~~~).*?^ *(?:```|~~~) *$|`[^`\n]+`)", text, flags=re.M | re.S)
    # A span of code may be the text of a link, so links are found with it masked.
    masked, kept = [], []
    for i, part in enumerate(parts):
        if i % 2:
            masked.append(f"\0{len(kept)}\0")
            kept.append(part)
        else:
            masked.append(part)
    return re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], change("".join(masked)))


def markdown(text):
    """GitHub lets a list follow a paragraph without a blank line; Python's Markdown does not."""
    def lists(part):
        lines = part.split("\n")
        out = []
        for i, line in enumerate(lines):
            item = re.match(r"([-*]|\d+\.) ", line)
            previous = lines[i - 1] if i else ""
            if item and previous.strip() and not re.match(r"([-*]|\d+\.) |\s", previous):
                out.append("")
            out.append(line)
        return "\n".join(out)

    return outside_of_code(text, lists)


def reference(pages, folder):
    """The pages of definitions, with a title and with headings one level up."""
    titles = {}
    for file in sorted(folder.glob("*.md")):
        parts = file.stem.split("-")
        words = [re.sub(r"Ops$|^Passes$", "", part).lower() for part in parts[1:]]
        title = f"{GROUPS[parts[0]]}: {' '.join(dict.fromkeys(filter(None, words)))}"
        text = re.sub(r"^##(#+ )", r"#\1", file.read_text(), flags=re.M)
        text = re.sub(r"^(## `[^`]+`) \(::.*\)$", r"\1", text, flags=re.M)
        text = re.sub(r"^### (\w+):$", r"**\1**", text, flags=re.M)
        pages.write(f"reference/{file.name}", f"# {title}\n\n{markdown(text)}")
        titles[f"reference/{file.name}"] = title
    return titles


def options(binaries):
    """A page of all options, as the help of the commands has them."""
    spec = importlib.util.spec_from_file_location("manual", ROOT / "tools/package/manual.py")
    manual = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(manual)
    out = ["# Options", "", "All options of the commands, as their help prints them."]
    for command, summary in manual.COMMANDS.items():
        try:
            text = manual.help_of(binaries / "weir", command, "--help-all")
        except subprocess.CalledProcessError:  # a command that has no more than its help
            text = manual.help_of(binaries / "weir", command, "--help")
        out += ["", f"## weir {command}", "", summary[0].upper() + summary[1:] + ".", ""]
        before, groups, after = manual.parse(text)
        if not groups:
            out += ["```text", *text.strip().splitlines(), "```"]
            continue
        usage = [line.removeprefix("Usage: ") for line in before if line.startswith("Usage:")]
        out += ["```text", *usage, "```"]
        for title, group in groups:
            out += ["", f"### {title}", "", "| option | meaning |", "| --- | --- |"]
            out += [f"| `{name}` | {escape(meaning.strip())} |" for name, meaning in group]
        if after:
            out += ["", "Examples:", "", "```sh", *(line.strip() for line in after if line.strip()), "```"]
    return "\n".join(out) + "\n"


def escape(text):
    return re.sub(r"([*_|])", r"\\\1", text.replace("<", "&lt;"))


def title_of(path):
    found = re.search(r"^# (.+)$", path.read_text(), re.M)
    return found[1].replace("`", "") if found else path.stem


def index(pages, folder, heading, said):
    """A page that lists the pages of a folder, where it has none."""
    home = pages.out / folder
    if home.exists() and not (home / "index.md").exists():
        lines = [f"- [{title_of(page)}]({page.name})" for page in sorted(home.glob("*.md"))]
        pages.write(f"{folder}/index.md", "\n".join([f"# {heading}", "", said, "", *lines, ""]))


def examples(pages):
    """A page that lists the examples, where the tree has none."""
    home = ROOT / "docs/examples"
    if (home / "README.md").exists() or not home.exists():
        return
    lines = []
    for folder in sorted(path for path in home.iterdir() if (path / "run.sh").exists()):
        readme = f"docs/examples/{folder.name}/README.md"
        shown = readme if (ROOT / readme).exists() else f"docs/examples/{folder.name}/run.sh"
        pages.add(shown)
        said = re.findall(r"^# ?(.*)$", (folder / "run.sh").read_text().partition("\nset ")[0], re.M)
        lines.append(f"- [{folder.name}]({os.path.relpath(place(shown), 'examples')}): {' '.join(said)}")
    pages.write("examples/index.md", "\n".join(
        ["# Examples", "", "Each folder has a script that the tests run.", "", *lines, ""]))


def expanded(nav, pages, seen):
    """The navigation without what the tree lacks, and with the pages of folders."""
    out = []
    for entry in nav:
        (name, value), = entry.items()
        if isinstance(value, list):
            inner = expanded(value, pages, seen)
            out += [{name: inner}] if inner else []
        elif value.endswith("/*"):
            folder = value[:-2]
            found = sorted(path.relative_to(pages.out).as_posix() for path in (pages.out / folder).rglob("*.md"))
            found.sort(key=lambda path: not path.endswith("index.md"))
            seen.update(found)
            out += [{name: [{title_of(pages.out / path): path} for path in found]}] if found else []
        elif (pages.out / value).exists():
            seen.add(value)
            out.append({name: value})
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--bin", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    out = arguments.out
    for part in ("pages", "site"):
        shutil.rmtree(out / part, ignore_errors=True)
    pages = Pages(out / "pages")
    pages.add("README.md")
    for path in sorted((ROOT / "docs").rglob("*.md")):
        pages.add(path.relative_to(ROOT).as_posix())
    examples(pages)
    # Links to .td files lead to its pages.
    if arguments.reference:
        reference(pages, arguments.reference)
    pages.copy()
    if arguments.bin:
        pages.write("options.md", options(arguments.bin))
    index(pages, "decisions", "Decisions", "Why the code is as it is: a question, the choice, its price.")
    index(pages, "reference", "Definitions", "Each operation and each pass, from its definition.")

    if (ROOT / "docs/site.css").exists():
        shutil.copy(ROOT / "docs/site.css", pages.out)
    config = yaml.safe_load((ROOT / "docs/mkdocs.yml").read_text())
    seen = set()
    config["nav"] = expanded(config["nav"], pages, seen)
    config |= {"docs_dir": "pages", "site_dir": "site"}
    lost = sorted({p.relative_to(pages.out).as_posix() for p in pages.out.rglob("*.md")} - seen)
    if lost:
        sys.exit(f"docs/mkdocs.yml has no entry for {', '.join(lost)}")
    (out / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    # Debian's theme matches parts of its templates in a way that newer Pythons deprecate.
    environment = {**os.environ, "PYTHONWARNINGS": "ignore::DeprecationWarning"}
    built = subprocess.run(["mkdocs", "build", "--strict", "--config-file", out / "mkdocs.yml"],
                           env=environment, stderr=subprocess.PIPE, text=True)
    # Indented lines are the stack of such a warning.
    said = re.sub(r"\x1b\[\d*m", "", built.stderr).splitlines()
    lines = [line for line in said if re.match(r"\S", line) and not line.startswith("INFO")]
    print("\n".join(lines), file=sys.stderr, end="\n" * bool(lines))
    sys.exit(built.returncode)


if __name__ == "__main__":
    main()
