"""The language of what people read: no private words, no sentence of over 30 words.

  words.py ROOT

Reads the pages, the descriptions and summaries of .td files, the comments of sources,
scripts and tests, and the strings of sources: help and messages. Text in backticks and in
code blocks is not read. The names in sources may not have words of earlier versions either.
Prints `file:line: "found": say REPLACEMENT` for each breach and exits with 1 where there
is one. docs/glossary.md explains the terms that stay. Run by words.test.
"""

import re
import sys
from pathlib import Path

MAX_WORDS = 30
# A log of measurements is kept as it was written; its private words are still breaches.
FREE_LENGTH = re.compile(r"docs/(log/|results/|performance)")

# A pattern matches the private sense alone: "a line of the file" is English.
WORDS = [(re.compile(pattern, re.I), say) for pattern, say in [
    (r"\b(products?|multiplications?|dot products|sums) (of|by|in) pairs\b"
     r"|\bpairs of (products?|terms)\b|\bmakes? pairs\b|\bpairs reach\b"
     r"|\bin pairs (of terms|ran|are)\b", "inner-product pairing"),
    (r"\bpaired (products?|weights|panels)\b|\bproducts? (that )?fits? pairs?\b",
     "eligible for inner-product pairing"),
    (r"\b(what )?(each side|a row|a column|rows|columns|pairs|they|it) ha(s|ve) alone\b"
     r"|\bha(s|ve) for (itself|themselves) alone\b", "correction term (per row, per column)"),
    (r"\bwords of four bytes\b|\b(stored|laid out|packed|are|lie) in words\b",
     "VNNI layout (4-byte interleaved)"),
    (r"\btiles with (range|parts)\b|\brange and parts\b|\bproducts? of (their |the )?parts\b"
     r"|\bparts of (an )?f32\b", "AMX tile layout; bf16 split (bf16x3, bf16x6)"),
    (r"\bcolumn runs?\b|\bruns? of a column\b|\bpanels? of (one|single)( columns?)?( each)?\b",
     "K-major layout, dot-product layout"),
    (r"\bminimal[- ]filter(s|ing)?\b|\bsquares? of (winograd|pixels|minimal|images?)\b"
     r"|\bwinograd'?s? squares?\b", "Winograd convolution, input tiles, transformed filters"),
    (r"\b(of|for|by|between|several|all|different|other|each|every|which|its) levels?"
     r"( of (code|the processor|processors|a library))?(?=[.,;:)]|$| (that|shares?|has|is of))"
     r"|\blevels'", "instruction-set variants (multiversioning)"),
    (r"\bwaves? by rows\b", "row-wise fusion into one parallel region"),
    (r"(?<!sine )(?<!square )(?<!sound )\bwaves?\b",
     "group of independent tasks that share one parallel region"),
    (r"(?<!--)\bgrains?\b(?!=)", "work items, chunks; micro-batches"),
    (r"\b(threads?|they|all|others?|warps?|workers?|must|would|to|who) meets?\b|\bmet\b(?= (again|before))"
     r"|\b(threads?|they|all|warps?) (have )?met\b|\b(the|a|one|no|each) meetings?\b|\bmeetings\b",
     "barrier"),
    (r"(?<!ground )\btruths\b|\btruth[- ]values?\b",
     "Booleans; i1 values stored as bytes"),
    (r"\b(of|as|on|to|over|in|with|into|from|widens?|multipl\w+|between|stores?|stored"
     r"|adds?|compares?|vectors? of) halves\b"
     r"|\bhalves (stays?|as|of [0-9]|are|become|to f32|in f32|that|which|between)\b",
     "f16 and bf16"),
    (r"\bsteps? of powers?\b|\bmultiples of powers? of two\b|\bpowers? of steps\b|\bare steps\b",
     "integers times a power of two (fixed-point grid)"),
    (r"\bsquares? (of|for|in) transpos\w+\b|\btranspose squares?\b|\bsquares? of (registers|vectors)\b",
     "register transpose blocks"),
    (r"\bsums? (that|which) waits?\b|\bwaiting sums?\b|\bsums? waits?\b|\bwhat (is )?waits? in memory\b",
     "spilled partial sums, blocked summation"),
    (r"\blines? after\b|\blines? (of|behind|in) (a|the|each|its) panels?\b|\bpanel'?s? lines?\b",
     "row of the panel, trailer rows"),
    (r"\basked (sizes?|shapes?|dimensions?|reshapes?|ranges?)\b",
     "Reshape and Range with run-time sizes"),
    (r"\bheld (inputs?|states?|tensors?|values?|arguments?)\b", "state inputs"),
    (r"\bopen (sizes?|dimensions?|batch(es)?|sequences?|lengths?|widths?|shapes?|inputs?)\b"
     r"|\b(sizes?|dimensions?|shapes?) (that |which )?(is|are|stays?|stay) open\b|\bleaves? open\b"
     r"|\bleft open\b", "symbolic, dynamic (dimension)"),
    (r"\bplaces? of fixed (shape|size)s?\b|\b(corner|room) of (a|the|its) place\b"
     r"|\b(has|have|with) (its |their |a )?places? (of|in)\b", "padded buffer, bound"),
    (r"\b(variable|source|operand|tensor|value|buffer|result|element|state)s?'s? places?\b"
     r"|\bplaces? in (the |its )?(memory|arena|device)\b|\bshares? a place\b|\btheir places\b",
     "offset, position, device, memory: whichever is meant"),
    (r"\b(what|that|which) others (made|wrote|have made)\b|\b(was|were|been) made by others\b",
     "third-party models"),
    (r"\b(fault|mistake|error|bug)s? of (weir|the compiler|its|our)('s)? own\b"
     r"|\bour own (fault|mistake|bug)s?\b", "internal error"),
    (r"\btak(es?|ing) (it |them )?off the variables?\b", "decoupled weight decay"),
    (r"\bof (several|that|this|any|either|both|all|some|another|the same|one|two|what) kinds?\b(?! of)",
     "the names of the kinds"),
    (r"\bsearch(es|ed)? (is |are )?(each )?(for|by) (itself|themselves)\b|\bof which each\b",
     "row-wise searches (TopK) run in parallel over rows"),
    (r"\b(function|entry|library|run|kernel|model|op|node|pass|signature)s? gives?\b",
     "returns, computes, adds: the field's verb"),
    (r"\b(pass|passes|compiler|kernel|importer|runtime|emitter|planner|function|library|weir|create)"
     r" (asks?|says?)\b", "queries, requires, reports: the field's verb"),
]]
# Words of earlier versions that are no part of a name, and the field's words.
NAMES = {
    "grain": "workItem", "grains": "workItems", "wave": "taskGroup", "waves": "taskGroups",
    "truth": "boolean", "truths": "booleans", "halves": "float16", "meet": "barrier",
    "unpaired": "withoutPairing", "asked": "requested", "held": "stateInput",
}
# Halves of vectors, and what an object holds, are no private words. --grains is an option.
FREE_NAMES = re.compile(r"grains|OPT_grains_EQ|halves|\w*Held\w*|held\w*|is_held|erfByHalves|cutsToHalves")
OLD_NAMES = [(re.compile(rf"\b(?:{pattern})\b"), say) for pattern, say in [
    ("MinimalFilter|MinimalWindow", "WinogradAxis, WinogradTransform"),
    ("isInWords", "isInterleaved"),
    ("hasColumnRuns", "isKMajor"),
    ("WaitingSums", "BlockedSums"),
    ("linesAfter", "trailerRows"),
    ("Squares|transposeSquare", "TransposeBlocks"),
    ("Levels|JoinedLevels|parseLevels|compileLevels", "IsaVariant"),
    ("HeldState|holdStates", "StateInput"),
    ("runOnPlaces", "runOnPaddedBuffers"),
    ("PartsOp", "ParallelOp"),
]]
# The end of a sentence, before a capital or a name that has none.
ENDS = re.compile(r"(?<=[.!?])[*_\")]*\s+(?=[\"(*_\[]*(?:[A-Z0-9\x01]|weir\b|cu[A-Z]|b?f\d\d\b))")
# A line of a test that lit or FileCheck reads, or that a pass is expected to print.
DIRECTIVE = re.compile(r"^[ \t]*((//|#|;)[ \t]*)?([A-Z][A-Z0-9_]*(-[A-Z0-9]+)*(\{LITERAL\})?:( .*)?"
                       r"|//[ \t]*expected-.*)$", re.M)
# A sentence that begins so has a relative clause for its subject.
CLAUSE = re.compile(r"(What|Whatever|Whoever|Whichever)\b(?!.*\?$)")

breaches = []


def blank(match):
    """As many lines and no words."""
    return re.sub(r"[^\n]", " ", match[0])


def prose(text):
    """A page without code, addresses and markup, line for line."""
    text = re.sub(r"^( *)(```|~~~).*?^ *\2 *$", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    # A span may go over the end of a line, not over that of a paragraph.
    text = re.sub(r"(`+)(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)",
                  lambda m: "\x01" + "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"\]\([^()\s]*\)", "]", text)
    text = re.sub(r"^    +[^\s\d*-].*$", lambda m: m[0] if listed(text, m.start()) else "",
                  text, flags=re.M)
    return text


def listed(text, start):
    """Whether the paragraph before an indented line belongs to a list."""
    before = text[:start].rstrip("\n").rsplit("\n\n", 2)[-2:]
    return any(re.search(r"^ *([-*]|\d+\.) ", part, re.M) for part in before)


def words_of(name, line, text):
    for pattern, say in WORDS:
        for found in pattern.finditer(text):
            at = line + text.count("\n", 0, found.start())
            seen = " ".join(found[0].replace("\x01", "``").split())
            breaches.append(f'{name}:{at}: "{seen}": say {say}')


def paragraphs(text):
    """(line, paragraph) of running text: no headings, no tables."""
    start, lines = 1, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        item = re.match(r" *([-*+]|\d+\.) +", line)
        if not line.strip() or item or line.startswith(("#", "|", ">", "---")):
            if lines:
                yield start, " ".join(lines)
            start, lines = number, []
            if item:
                lines = [line[item.end():]]
        else:
            if not lines:
                start = number
            lines.append(line.strip())


def sentences_of(name, text, first=1, most=MAX_WORDS):
    for line, paragraph in paragraphs(text):
        line += first - 1
        # A list of names alone is no sentence.
        if not re.search(r"[a-z]{3}", paragraph.replace("\x01", "")):
            continue
        for sentence in ENDS.split(paragraph):
            count = len([w for w in sentence.split() if re.search(r"[\w\x01]", w)])
            shown = " ".join(sentence.replace("\x01", "``").split()[:6])
            if most and count > most:
                breaches.append(f"{name}:{line}: a sentence of {count} words, over "
                                f'{most}: "{shown} ..."')
            if CLAUSE.match(sentence):
                breaches.append(f'{name}:{line}: "{shown} ...": say the subject as a noun')


def page(path, name):
    text = prose(path.read_text())
    words_of(name, 1, text)
    if not FREE_LENGTH.match(name):
        sentences_of(name, text)


def definitions(path, name):
    """Descriptions, and strings that are not code."""
    text = path.read_text()
    code = re.compile(r"(\w+) = \[\{(.*?)\}\]", re.S)
    for found in code.finditer(text):
        if found[1] == "description":
            page = re.sub(r"^ {4}", "", found[2], flags=re.M)
            words_of(name, text.count("\n", 0, found.start()) + 1, prose(page))
    strings(name, code.sub(blank, text))


def strings(name, text):
    """Strings with a space in them, those that follow each other as one."""
    text = re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/',
                  lambda m: m[1] or blank(m), text, flags=re.S)
    for found in re.finditer(r'((?:"(?:\\.|[^"\\\n])*"\s*)+)', text):
        joined = re.sub(r'"\s*"', lambda m: "\n" * m[0].count("\n"), found[1])
        if " " in joined.strip():
            words_of(name, text.count("\n", 0, found.start(1)) + 1, prose(joined))


def comments(name, text):
    """Comments of sources, those on lines that follow each other as one."""
    if name.endswith(".py"):
        found = re.finditer(r"(?:^[ \t]*#[^\n]*\n)+", text, re.M)
        blocks = [(m.start(), m[0]) for m in found]
    else:
        found = re.finditer(r'"(?:\\.|[^"\\\n])*"|((?:^[ \t]*//[^\n]*\n)+|//[^\n]*|/\*.*?\*/)',
                            text, re.M | re.S)
        blocks = [(m.start(), m[1]) for m in found if m[1]]
    for start, block in blocks:
        words_of(name, text.count("\n", 0, start) + 1,
                 prose(re.sub(r"^[ \t]*(///?<?|#|/?\*+/?)[ \t]?", "", block, flags=re.M)))


def tests(name, text):
    """Comments of a test, without its checks; of a script the docstrings, too."""
    text = DIRECTIVE.sub("", text)
    if name.endswith(".test"):
        # A line of text is a comment if it is no check, and no line of a model with braces.
        blocks = re.finditer(r"(?:^(?:#|//) (?!---)[^\n]*\n)+|(?:^[A-Za-z`-][^\n{}]*\n)+", text,
                             re.M)
    elif name.endswith(".py"):
        blocks = re.finditer(r'^[ \t]*""".*?"""|(?:^[ \t]*#[^\n]*\n)+', text, re.M | re.S)
    else:
        blocks = re.finditer(r"(?:^[ \t]*//[^\n]*\n)+|/\*.*?\*/", text, re.M | re.S)
    for block in blocks:
        prefix = re.compile(r'^[ \t]*(///?<?|#|/?\*+/?|""")[ \t]?', re.M)
        line = text.count("\n", 0, block.start()) + 1
        read = prose(prefix.sub("", block[0]))
        words_of(name, line, read)
        # The usage of a script is a list, and it may be long.
        sentences_of(name, read, line, MAX_WORDS if name.endswith((".mlir", ".test")) else None)


def names(name, text):
    """The names of a source: no word of an earlier version."""
    code = re.sub(r'description = \[\{.*?\}\]|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', blank,
                  text, flags=re.S)
    for found in re.finditer(r"[A-Za-z_]\w*", code):
        old = [say for pattern, say in OLD_NAMES if pattern.fullmatch(found[0])]
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", found[0])
        old += [NAMES[part.lower()] for part in parts
                if part.lower() in NAMES and not FREE_NAMES.fullmatch(found[0])]
        if old:
            breaches.append(f'{name}:{code.count(chr(10), 0, found.start()) + 1}: "{found[0]}": '
                            f"say {old[0]}")


def check(root):
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    for path in sorted(pages):
        page(path, str(path.relative_to(root)))
    for folder in ("runtime", "dialects", "passes", "compiler", "tools"):
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.suffix == ".td":
                definitions(path, name)
            elif path.suffix in (".c", ".cpp", ".h"):
                strings(name, path.read_text())
            if path.suffix in (".td", ".c", ".cpp", ".h", ".py"):
                comments(name, path.read_text())
            if path.suffix in (".td", ".cpp", ".h") and folder != "runtime":
                names(name, path.read_text())
    for path in sorted((root / "test").rglob("*")):
        # The tests of this folder plant private words.
        if path.parent.name == "house":
            continue
        if path.suffix in (".mlir", ".test", ".py", ".c", ".cpp", ".h"):
            tests(str(path.relative_to(root)), path.read_text())


if __name__ == "__main__":
    check(Path(sys.argv[1]))
    print("\n".join(breaches))
    sys.exit(min(len(breaches), 1))
