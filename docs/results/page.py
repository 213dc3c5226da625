#!/usr/bin/python3
"""page.py [--check]: writes the pages of results from the rows beside this file.

machines.json describes the machines, sections.json the sections of each page and their order,
and each other file one table: who measured against whom, where, when, by which command, and the
rows. A column is a title and a format of fields of a row; a row that lacks a field has an empty
cell. With --check nothing is written, and the exit status is 1 if a page is not up to date.
"""

import json
import math
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = ("section", "title", "machine", "commit", "date", "command", "columns", "key", "rows")
DEFAULT_PEER = "ONNX Runtime 1.30"


def load(name):
    return json.loads((HERE / name).read_text())


def tables():
    """The tables by name, checked for what each must have."""
    found = {}
    for path in sorted(HERE.glob("*.json"), key=lambda path: path.stem):
        if path.name in ("machines.json", "sections.json"):
            continue
        table = json.loads(path.read_text())
        missing = [field for field in NEEDED if not table.get(field)]
        if missing:
            sys.exit(f"{path.name}: lacks {', '.join(missing)}")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"]):
            sys.exit(f"{path.name}: {table['date']} is no date")
        seen = set()
        for row in table["rows"]:
            which = (row["case"], row.get("threads"))
            if which in seen:
                sys.exit(f"{path.name}: two rows are of {which}")
            seen.add(which)
        found[path.stem] = table
    return found


def cell(form, row):
    if "{best} " in form and row.get("best") == "ONNX Runtime":
        return ""  # its time is in the row
    try:
        return re.sub(r"e-0|0e\+00", lambda m: "e-" if m[0] == "e-0" else "0", form.format(**row))
    except KeyError:
        return ""


def layout(table):
    """Rows as lines: one a case, with a group of columns for each number of threads."""
    pivot = table.get("pivot")
    groups = sorted({row[pivot] for row in table["rows"]}) if pivot else [None]
    head = [table["key"]]
    for group in groups:
        first = f"{group} thread{'s' if group > 1 else ''}: " if group else ""
        head += [first * (not i) + title for i, (title, _) in enumerate(table["columns"])]
    cases = dict.fromkeys(row["case"] for row in table["rows"])
    by = {(row["case"], row.get(pivot)): row for row in table["rows"]}
    lines = []
    if pivot:
        for case in cases:
            line = [case]
            for group in groups:
                row = by.get((case, group), {})
                line += [cell(form, row) for _, form in table["columns"]]
            lines.append(line)
    else:
        for row in table["rows"]:
            lines.append([row["case"], *(cell(form, row) for _, form in table["columns"])])
    # A column of which no row has anything is of a group that was not measured.
    kept = [i for i in range(len(head)) if any(line[i] for line in lines)]
    return [head[i] for i in kept], [[line[i] for i in kept] for line in lines]


def markdown(head, lines):
    def number(text):
        return re.fullmatch(r"[\d.,e-]*( %)?", text)

    right = [all(number(line[i]) for line in lines) for i in range(len(head))]
    out = ["| " + " | ".join(head) + " |",
           "| " + " | ".join("---:" if r else "---" for r in right) + " |"]
    return out + ["| " + " | ".join(line) + " |" for line in lines]


def ratios(table, threads, field):
    return {row["case"]: row[field] for row in table["rows"]
            if field in row and row.get("threads", 1) == threads}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summed(table, field="ratio"):
    """(threads, geometric mean, lowest, its case, cases) for each number of threads."""
    if table.get("summary") is False:
        return []
    counts = sorted({row.get("threads", 1) for row in table["rows"]})
    out = []
    for threads in counts:
        found = ratios(table, threads, field)
        if found:
            least = min(found, key=found.get)
            out.append((threads, mean(found.values()), found[least], least, len(found)))
    return out


def summary(found, machines, sections):
    lines = []
    for section in sections:
        for table in of_section(found, section, machines):
            groups = {one[0]: one for one in summed(table)}
            if not groups:
                continue
            place = "" if section["page"] == "performance.md" else section["page"]
            line = [f"[{table['title']}]({place}#{anchor(heading(table, machines))})",
                    machines[table["machine"]]["short"], table.get("peer", DEFAULT_PEER),
                    str(max(one[4] for one in groups.values()))]
            for threads in (1, 2):
                one = groups.get(threads)
                line += [f"{one[1]:.2f}", f"{one[2]:.2f}"] if one else ["", ""]
            lines.append(line)
    return markdown(["what", "machine", "peer", "cases", "1 thread: mean ratio", "lowest",
                     "2 threads: mean ratio", "lowest"], lines)


def heading(table, machines):
    return f"{table['title']}: {machines[table['machine']]['short']}"


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-")


def of_section(found, section, machines):
    order = list(machines)
    chosen = [table for table in found.values() if table["section"] == section["id"]]
    return sorted(chosen, key=lambda table: order.index(table["machine"]))


def means(table):
    out = []
    for field, what in (("ratio", "Geometric mean of the ratios"), ("best_ratio", "Against the fastest peer")):
        each = []
        for threads, value, least, case, _ in summed(table, field):
            count = f" with {threads} thread{'s' * (threads > 1)}" if "threads" in table["rows"][0] else ""
            each.append(f"{value:.2f}{count} (lowest {least:.2f}, `{case}`)")
        out += [f"{what}: {', '.join(each)}."] * bool(each)
    return ["", " ".join(out)] if out else []


def render(page, found, machines, sections):
    out = ["<!-- docs/results/page.py writes this page from docs/results/*.json. -->"]
    for section in sections:
        if section["page"] != page:
            continue
        out += [f"{'#' * section.get('level', 2)} {section['title']}", ""]
        for text in section["text"]:
            if text == "SUMMARY":
                out += [*summary(found, machines, sections), ""]
            elif text == "MACHINES":
                out += [*described(machines), ""]
            else:
                out += [text, ""]
        for table in of_section(found, section, machines):
            machine = machines[table["machine"]]
            out += [f"### {heading(table, machines)}", ""]
            if table.get("method"):
                out += [table["method"], ""]
            out += ["```text", *table["command"], "```", ""]
            out += markdown(*layout(table)) + means(table)
            notes = f" ([log](log/{machine['log']}))" if machine.get("log") else ""
            measured = f" Measured: {table['measured']}." if "measured" in table else ""
            commit = f" by commit {table['commit']}" if table["commit"] != "none" else ", outside this repository"
            out += ["", f"Recorded on {table['date']}{commit}{notes}.{measured}", ""]
    return "\n".join(out)


def described(machines):
    head = ["machine", "processor", "cores", "instruction sets", "f32, GFLOP/s, 1 and 2 cores",
            "L2 reads, GB/s", "L3 reads, GB/s", "memory reads, GB/s", "log"]
    lines = []
    for machine in machines.values():
        if "cores" not in machine:
            continue
        pairs = [" / ".join(f"{v:g}" for v in machine[k]) if k in machine else "not measured"
                 for k in ("f32", "l2", "l3", "memory")]
        lines.append([machine["short"], machine["name"], str(machine["cores"]), machine["sets"], *pairs,
                      f"[{machine['log']}](log/{machine['log']})"])
    return markdown(head, lines)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    check = sys.argv[1:] == ["--check"]
    found, machines, sections = tables(), load("machines.json"), load("sections.json")
    unknown = {t["section"] for t in found.values()} - {s["id"] for s in sections}
    if unknown:
        sys.exit(f"no section is called {', '.join(sorted(unknown))}")
    stale = []
    for page in dict.fromkeys(section["page"] for section in sections):
        path = HERE.parent / page
        text = render(page, found, machines, sections)
        if check:
            stale += [page] * (not path.exists() or path.read_text() != text)
        else:
            path.write_text(text)
    if stale:
        sys.exit(f"docs/results/page.py would change {', '.join(stale)}")


if __name__ == "__main__":
    main()
