"""pages.py ROOT: each example has a script, a page, a test and a line in the index."""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
examples = root / "docs/examples"
index = (examples / "README.md").read_text()
names = sorted(path.parent.name for path in examples.glob("*/run.sh"))
listed = re.findall(r"^\| \[([\w-]+)\]\(\1/README\.md\)", index, re.M)
faults = [f"the index does not list {name} once" for name in names if listed.count(name) != 1]
faults += [f"the index lists {name}, which has no run.sh" for name in set(listed) - set(names)]
for name in names:
    test = root / "test/examples" / f"{name}.test"
    page = examples / name / "README.md"
    if not test.exists() or f"docs/examples/{name}/run.sh" not in test.read_text():
        faults.append(f"no test runs {name}")
    if not page.exists() or f"docs/examples/{name}/run.sh" not in page.read_text():
        faults.append(f"{name} has no page with its command")
    else:
        links = re.findall(r"\]\(([^)#]+)", page.read_text())
        faults += [f"{name}: {link} is missing" for link in links
                   if not (page.parent / link).exists()]
print("\n".join(faults) or f"{len(names)} examples")
sys.exit(bool(faults))
