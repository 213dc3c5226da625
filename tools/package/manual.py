#!/usr/bin/python3
"""manual.py BIN OUT: writes manual pages and completions from the help of the tools in BIN.

OUT gets man1/weir.1 and a page for each command, weir-compile.1 and so on, and completions
for bash (weir.bash), zsh (_weir) and fish (weir.fish).
"""

import re
import subprocess
import sys
from pathlib import Path

COMMANDS = {"compile": "compile a saved model to a native library",
            "partition": "compile a model to a library for each task of a cluster",
            "inspect": "describe a model, a library or IR",
            "run": "run a library", "bench": "measure the time of a run",
            "reference": "evaluate a model in f64",
            "diff": "compare a compiled model node by node",
            "merge": "join the parts of a checkpoint"}  # fmt: skip


def help_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def parse(text):
    """What stands before the options; the options by group, as (name, text); and what is behind."""
    before, groups, after = [], [], []
    for line in text.splitlines():
        title, option = re.fullmatch(r"(\w[\w ]*):", line), re.fullmatch(r"  (-\S.*?)(?:  +(.*))?", line)
        if title and title[1] == "Examples" or after:
            after.append(line)
        elif title:
            groups.append((title[1], []))
        elif option and groups:
            groups[-1][1].append([option[1], option[2] or ""])
        elif line.startswith(" " * 20) and groups and groups[-1][1]:
            groups[-1][1][-1][1] += " " + line.strip()
        elif not groups:
            before.append(line)
    return before, [(title, options) for title, options in groups if options], after[1:]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def page(name, summary, usage, paragraphs, groups, examples, more):
    lines = [f'.TH {name.upper()} 1 "" "weir" "weir manual"', ".SH NAME", f"{roff(name)} \\- {roff(summary)}",
             ".SH SYNOPSIS", *(f".B {roff(one)}\n.br" for one in usage), ".SH DESCRIPTION"]  # fmt: skip
    for paragraph in paragraphs:
        lines += [".PP", *map(roff, paragraph)]
    if groups:
        lines.append(".SH OPTIONS")
    for title, options in groups:
        lines += [f".SS {title}"] if title else []
        for option, text in options:
            lines += [".TP", f".B {roff(option)}", roff(text.strip())]
    if examples:
        lines += [".SH EXAMPLES", ".nf", *map(roff, examples), ".fi"]
    lines += [".SH SEE ALSO", *(f".BR {one} (1){',' * (one != more[-1])}" for one in more)]
    return "\n".join(lines) + "\n"


def paragraphs_of(lines):
    text = "\n".join(lines).strip()
    return [one.splitlines() for one in text.split("\n\n") if one and not one.startswith("Usage:")]


def unique(names):
    return list(dict(reversed(list(names))).items())[::-1]


def option_names(groups):
    """`--name=` where it has a value, `--name` otherwise."""
    for _, options in groups:
        for name, text in options:
            for each in re.findall(r"(?:^|(?<=[ ,]))-+[\w-]+=?", name):
                yield each, text.strip()


def bash(options):
    cases = "\n".join(f"    {command}) words='{' '.join(name for name, _ in all_)}' ;;" for command, all_ in options.items())
    return f"""# Completion of weir for bash.
_weir() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{' '.join(COMMANDS)} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
    *) words= ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  fi
}}
complete -o bashdefault -o default -F _weir weir
"""


def zsh(options):
    def quoted(text):
        return re.sub(r"([\[\]:])", r"\\\1", text).replace("'", "")

    def spec(name, text):
        many = "*" if "May be repeated" in text else ""
        if name in ("-o", "-O", "-MF", "-MT"):
            return f"'{name}[{quoted(text)}]:value:_files'"
        if not name.endswith("="):
            return f"'{name}[{quoted(text)}]'"
        takes_path = re.search(r"\b(PATH|FILE)\b|file|header", text)
        return f"'{many}{name}-[{quoted(text)}]:value:{'_files' if takes_path else ''}'"

    blocks = []
    for command, all_ in options.items():
        each = " \\\n        ".join(spec(name, text) for name, text in all_)
        blocks.append(f"    {command})\n      _arguments \\\n        {each} \\\n        '*:file:_files' ;;")
    commands = " ".join(f"'{name}:{text}'" for name, text in COMMANDS.items())
    return f"""#compdef weir
# Completion of weir for zsh.
_weir() {{
  local -a commands=({commands})
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{chr(10).join(blocks)}
    *) _files ;;
  esac
}}
_weir "$@"
"""


def fish(options):
    lines = ["# Completion of weir for fish."]
    for name, text in COMMANDS.items():
        lines.append(f"complete -c weir -n __fish_use_subcommand -f -a {name} -d '{text}'")
    for command, all_ in options.items():
        for name, text in all_:
            short = text.split(". ")[0].rstrip(".").replace("'", "")
            long, plain = name.startswith("--"), name.strip("-=")
            kind = f"-l {plain}" if long else f"-s {plain}" if len(plain) == 1 else f"-o {plain}"
            value = " -r" if name.endswith("=") or name in ("-o", "-O", "-MF", "-MT") else ""
            lines.append(f"complete -c weir -n '__fish_seen_subcommand_from {command}' {kind}{value} -d '{short}'")
    return "\n".join(lines) + "\n"


def main():
    tools, out = Path(sys.argv[1]), Path(sys.argv[2])
    (out / "man1").mkdir(parents=True, exist_ok=True)
    options = {}
    for command in ("compile", "partition", "inspect", "reference", "diff", "merge"):
        before, groups, examples = parse(help_of(tools / "weir", command, "--help-all"))
        usage = [line.removeprefix("Usage: ") for line in before if line.startswith("Usage:")]
        text = page(f"weir-{command}", COMMANDS[command], usage, paragraphs_of(before[1:]), groups,
                    [line.strip() for line in examples if line.strip()], ["weir", "weir-run"])  # fmt: skip
        (out / f"man1/weir-{command}.1").write_text(text)
        options[command] = unique(option_names(groups))
    lines = help_of(tools / "weir-run", "--help").splitlines()
    _, groups, _ = parse("\n".join(["Options:", *lines[1:]]))
    (out / "man1/weir-run.1").write_text(
        page("weir-run", "run, check and train a library that weir compiled", ["weir run LIBRARY [options]", lines[0].removeprefix("usage: ")],
             [["Runs one function of the library and prints its outputs. weir run is the same command."]], [("", groups[0][1])],
             ["weir run libnet.so --random=1", "weir run libnet.so --input=x=@x.npy --expect=y=@y.npy"], ["weir", "weir-bench", "weir-compile"]))  # fmt: skip
    before, _, _ = parse(help_of(tools / "weir", "bench", "--help").split("usage:")[0])
    (out / "man1/weir-bench.1").write_text(
        page("weir-bench", COMMANDS["bench"], ["weir bench LIBRARY [options]"], paragraphs_of(before[1:]),
             [("", groups[0][1])], ["weir bench libnet.so", "weir bench libnet.so --threads=4 --json"], ["weir", "weir-run"]))  # fmt: skip
    options["run"] = options["bench"] = unique([*option_names([("", groups[0][1])]), ("--help", ""), ("--version", "")])
    usage = [re.split(r"  +", line.removeprefix("usage:").strip())[0]
             for line in help_of(tools / "weir", "--help").splitlines() if line.lstrip(" usage:").startswith("weir")]  # fmt: skip
    described = [[f"weir {name}: {text}."] for name, text in COMMANDS.items()]
    (out / "man1/weir.1").write_text(
        page("weir", "an ahead-of-time compiler of dataflow graphs", usage, described, [], [], [f"weir-{name}" for name in COMMANDS]))  # fmt: skip
    (out / "weir.bash").write_text(bash(options))
    (out / "_weir").write_text(zsh(options))
    (out / "weir.fish").write_text(fish(options))


if __name__ == "__main__":
    main()
