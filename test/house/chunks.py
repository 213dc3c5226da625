"""Each chunk that FileCheck reads has a positive check.

A label says that a function is there, and a NOT that something is not: both hold where
a pass does nothing at all, or prints nothing. Prints one line a chunk without another
check and exits with 1 where there is one. Run by chunks.test.
"""

import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
PREFIXES = re.compile(r"--check-prefix(?:es)?[= ]([\w,-]+)")
KINDS = r"(-LABEL|-NOT|-SAME|-NEXT|-DAG|-EMPTY|-COUNT-\d+)?(?:\{LITERAL\})?:"


def prefixes(text):
    """Those of all runs; CHECK where one names none."""
    named = set()
    for line in text.replace("\\\n", " ").splitlines():
        if "RUN:" not in line or "FileCheck" not in line:
            continue
        for command in line.split("FileCheck")[1:]:
            found = PREFIXES.findall(command.split("|")[0])
            named |= set(",".join(found).split(",")) if found else {"CHECK"}
    return named


def breaches(path):
    text = path.read_text(errors="replace")
    named = prefixes(text)
    if not named:
        return
    directive = re.compile(rf"\b({'|'.join(map(re.escape, sorted(named)))}){KINDS}")
    line = 1
    for chunk in re.split(r"^// -----.*$", text, flags=re.M):
        # The directives since the last label, by prefix: what stands before the
        # first one is of the whole chunk.
        parts, ended = {}, []
        for found in directive.finditer(chunk):
            prefix, kind = found[1], found[2] or ""
            at = line + chunk[: found.start()].count("\n")
            begun = parts.setdefault(prefix, (at, []))
            if kind == "-LABEL" and "-LABEL" in begun[1]:
                ended.append((prefix, *begun))
                parts[prefix] = (at, [kind])
            else:
                begun[1].append(kind)
        ended += [(prefix, *part) for prefix, part in parts.items()]
        for prefix, at, kinds in ended:
            if set(kinds) <= {"-LABEL", "-NOT"}:
                yield f"{path.relative_to(ROOT)}:{at}: {prefix} has no positive check"
        line += chunk.count("\n")


found = [b for suffix in ("mlir", "test") for path in sorted((ROOT / "test").rglob(f"*.{suffix}"))
         for b in breaches(path)]
print("\n".join(found))
sys.exit(bool(found))
