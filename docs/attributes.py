#!/usr/bin/python3
"""Writes docs/attributes.md: the attributes that stages communicate by, and their
records, from dialects/weir.

  attributes.py [--check]

With --check, fails where the page is not what it would write. Needs llvm-tblgen and
MLIR's definitions, as the build does.
"""

import pathlib
import re
import sys
import textwrap

from gradients import ROOT, records

PAGE = ROOT / "docs/attributes.md"
WEIR = ROOT / "dialects/weir"
HEAD = """# Attributes between stages

For developers of weir. The page lists every attribute by which stages communicate, with its
type and the ops that may have it. Written by `docs/attributes.py` from
`dialects/weir/Attributes.def` and `Records.td`: do not edit.

C++ reads and writes them by the accessors of `dialects/weir/Attributes.h`, such as
`attrs::slots.of(module)`. The `weir` dialect verifies them: an unknown name is an error that
has the nearest name, and so is another type or another op.
"""
# Of C++ types.
TYPES = {
    "StringRef": "string", "int64_t": "integer", "bool": "bool", "FloatAttr": "float",
    "DenseI64ArrayAttr": "integers", "ArrayAttr": "array", "ElementsAttr": "elements",
    "FloatType": "float type", "RankedTensorType": "tensor type",
}  # fmt: skip
RECORDS = """
## Records

A parameter that has its default value is not printed.
"""


def strings(text):
    """The C++ string that the literals of a text are together."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def kinds():
    text = (WEIR / "Kinds.h").read_text()
    return dict(re.findall(
        r'struct (\w+) [^{]*\{\s*static std::string text\(\) \{\s*return ("[^;]*);', text))  # fmt: skip


def mnemonics(definitions):
    return {found["cppClassName"]: found["mnemonic"] for found in definitions}


def type_of(kind, texts, names):
    record = re.fullmatch(r"(Records?)<(\w+)>", kind)
    if not record:
        return strings(texts[kind])
    name = names[record[2]]
    link = f"[`#weir.{name}`](#{name})"
    return link if record[1] == "Record" else f"array of {link}"


def facts(names):
    text, texts = "", kinds()
    source = (WEIR / "Attributes.def").read_text()
    for part in source.split("WEIR_SECTION(")[2:]:
        text += f"\n## {strings(part.splitlines()[0])}\n\n"
        text += "| attribute | type | on | meaning |\n| --- | --- | --- | --- |\n"
        row = r'WEIR_ATTRIBUTE\(\w+, "([\w.]+)", ([\w<>]+),\s*"([^"]*)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)'
        for name, kind, carriers, meaning in re.findall(row, part):
            carriers = ", ".join(f"`{c}`" if "." in c else c for c in carriers.split())
            text += f"| `{name}` | {type_of(kind, texts, names)} | {carriers} | "
            text += f"{strings(meaning)} |\n"
    return text


def parameter(name, record):
    kind = record["cppType"].split("::")[-1]
    default = record.get("defaultValue") or "required"
    if default.startswith("::mlir::ArrayAttr::get"):
        default = "`[]`"
    elif default.startswith("::mlir::"):
        default = "none"
    elif default != "required":
        default = f"`{default}`"
    return f"| `{name}` | {TYPES[kind]} | {default} |\n"


def details(definitions, all_records):
    text = RECORDS
    for found in definitions:
        text += f"\n### {found['mnemonic']}\n\n{found['summary']}.\n"
        if found["description"].strip():
            text += "\n" + textwrap.dedent(found["description"].strip("\n")).rstrip() + "\n"
        text += "\n| parameter | type | default |\n| --- | --- | --- |\n"
        for value, name in found["parameters"]["args"]:
            text += parameter(name, all_records[value["def"]] if isinstance(value, dict)
                              else {"cppType": value})  # fmt: skip
    return text


def page():
    found = records(WEIR / "Records.td")
    files = (WEIR / "Records.td", WEIR / "MeshRecords.td")
    text = "".join(file.read_text() for file in files)
    order = re.findall(r"^def (Weir_\w+) : Weir_Record", text, re.M)
    definitions = [found[name] for name in order]
    names = mnemonics(definitions)
    return HEAD + facts(names) + details(definitions, found)


def main():
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit(f"{PAGE.name} is not current: run docs/attributes.py")


if __name__ == "__main__":
    main()
